//! What must be known of a server before it is probed: what it speaks, what takes its time and how long, what it asks.

use super::super::replay::{Ran, Watch};
use super::{Examiner, LIMIT_TIMES, LIMIT_US, Run, SLOW_US};
use crate::conform::{
    Call, NO_TOOLS, Question, Server, Speech, Timing, calls, candidates, of_template, one_by_one, write,
};
use crate::error::{Error, ErrorKind, Result};
use crate::live::Target;
use crate::protocol::{Profile, Side, tried_in_turn};
use crate::replay::recording::{Connection, Exchange};
use crate::replay::splice;

/// How many tools are tried, at most.
const TRIED: usize = 8;
/// How long the storm of a server may take that works on one request after another, microseconds; and how many requests it has at least.
const STORM_US: i64 = 5_000_000;
const STORM_LEAST: usize = 3;

/// A server that has introduced itself.
#[derive(Clone, Debug)]
pub struct Met {
    /// What is spoken, and the tools it lists.
    pub speech: Speech,
    /// Its name, its version, the protocol.
    pub server: Server,
    /// The longest that a step of the opening took, microseconds.
    pub longest_us: i64,
}

/// A request that takes its time.
#[derive(Clone, Debug)]
pub struct Slow {
    /// How long it takes by itself, microseconds: the first time in a session where each probe has a server of its own, else the shorter
    /// of two times.
    pub natural_us: i64,
    /// How long the first call of all took.
    pub first_us: i64,
    /// The longest that any took.
    pub longest_us: i64,
    /// How long two at once take.
    pub pair_us: i64,
    /// When it reports progress first, the latest of all times, microseconds; `None` if it does not always.
    pub progress_us: Option<i64>,
}

impl Slow {
    /// True if two at once take as long as one after the other.
    pub fn is_serial(&self) -> bool {
        self.pair_us >= self.natural_us * 7 / 4
    }

    /// How many of them a storm has that would have `usual`.
    pub fn storm(&self, usual: usize) -> usize {
        let fit = usize::try_from(STORM_US / self.natural_us.max(1)).unwrap_or(usual);
        if self.is_serial() { usual.min(fit.max(STORM_LEAST)) } else { usual }
    }
}

/// How long the calls of one control session took, in the order in which they were made.
struct Control {
    once_us: i64,
    again_us: i64,
    pair_us: i64,
    progress_us: Option<i64>,
}

impl Examiner<'_> {
    /// Opens a connection in the protocol that was named, or in each that is known until one is understood.
    pub fn meet(&self, named: Option<&'static Profile>, watch: &mut dyn Watch) -> Result<Met> {
        let tried: Vec<&'static Profile> = named.map_or_else(|| tried_in_turn().collect(), |profile| vec![profile]);
        for profile in &tried {
            if let Some(met) = self.greet(profile, named.is_some(), watch)? {
                return Ok(met);
            }
        }
        let names: Vec<String> = tried.iter().map(|profile| profile.label()).collect();
        let error = Error::new(ErrorKind::Usage, format!("the server did not answer as one of {}", names.join(", ")));
        Err(error.hint("name what it speaks: --proto mcp, acp, lsp or jsonrpc"))
    }

    /// Opens a connection in one protocol. Where nobody named it, an answer in another one's way is none: lenient servers answer any.
    fn greet(&self, profile: &'static Profile, is_named: bool, watch: &mut dyn Watch) -> Result<Option<Met>> {
        let tools = profile.tools().map(|_| NO_TOOLS.to_string());
        let speech = Speech { tools, ..Speech::of(profile) };
        let timing = Timing { part: 100, ..Timing::default() };
        let said = write("soon", &speech, &timing).unwrap_or_default();
        let run = Run { speech: &speech, script: "soon", said: &said, limit_us: LIMIT_US, keep: None };
        let Some((_, ran)) = self.play(&run, watch)? else { return Ok(None) };
        let [live] = &ran.live.connections[..] else { return Ok(None) };
        let answer = |method: Option<&str>| {
            let asked = live.exchanges.iter().find(|exchange| Some(exchange.method.as_str()) == method)?;
            live.response(asked).filter(|text| splice::at(text, "/result").is_some())
        };
        let opening = profile.opening.initialize;
        let witness = profile.probing_methods().into_iter().next();
        let understood = match (opening, profile.revision_per_request) {
            (Some(_), _) => answer(opening),
            (None, true) => answer(witness.as_deref()),
            (None, false) => Some(""),
        };
        let Some(welcome) = understood.filter(|text| is_named || profile.is_own_welcome(text)) else { return Ok(None) };
        let settled = profile.settled_on(welcome);
        let told = |member: &str| {
            let raw = profile.server_info().iter().find_map(|at| splice::at(welcome, &format!("{at}/{member}")))?;
            Some(crate::json::lenient_string(raw).into_owned()).filter(|text| !text.is_empty())
        };
        let server = Server {
            name: told("name").unwrap_or_else(|| "server".to_string()),
            version: told("version"),
            protocol: settled.label(),
            ..Server::default()
        };
        let tools = answer(profile.tools().map(|(method, _)| method)).map(str::to_string);
        let longest_us = live.exchanges.iter().filter_map(|exchange| exchange.latency_us).max().unwrap_or(0);
        Ok(Some(Met {
            speech: Speech { tools, offers_tasks: settled.offers_tasks(welcome), ..Speech::of(settled) },
            server,
            longest_us,
        }))
    }

    /// The tool that takes longest by itself, of those that may be called and whose list says what with.
    pub fn choose(&self, met: &Met, watch: &mut dyn Watch) -> Result<Option<Call>> {
        let Some(tools) = &met.speech.tools else { return Ok(None) };
        let mut calls = candidates(met.speech.profile, tools);
        let all = one_by_one(&met.speech, &calls);
        let (_, plan) = self.planned(&met.speech, &all, &self.options(LIMIT_US, 0))?;
        let sent: Vec<bool> = match &plan.connections[..] {
            [connection] => {
                let before = connection.rulings.len() - calls.len();
                connection.rulings[before..].iter().map(|ruling| ruling.sends()).collect()
            }
            _ => Vec::new(),
        };
        let mut sent = sent.into_iter();
        calls.retain(|_| sent.next().unwrap_or(false));
        calls.truncate(TRIED);
        if calls.is_empty() {
            return Ok(None);
        }
        let said = one_by_one(&met.speech, &calls);
        let run = Run { speech: &met.speech, script: "", said: &said, limit_us: LIMIT_US, keep: None };
        let Some((_, ran)) = self.play(&run, watch)? else { return Ok(None) };
        let live = ran.live.connections.first();
        let took = |call: &Call| {
            let same = |name: Option<&str>| name == call.tool.as_deref();
            let live = live?.exchanges.iter().find(|exchange| same(exchange.name.as_deref()))?;
            live.latency_us.filter(|us| live.outcome == "result" && *us >= SLOW_US)
        };
        Ok(calls
            .into_iter()
            .filter_map(|call| Some((took(&call)?, call)))
            .max_by_key(|(us, _)| *us)
            .map(|(_, call)| call))
    }

    /// How long the slow request takes when it is left alone. The error says why it cannot be used.
    pub fn control(&self, met: &Met, watch: &mut dyn Watch) -> Result<std::result::Result<Slow, String>> {
        let first = match self.controlled(met, "control", watch)? {
            Ok(first) => first,
            Err(why) => return Ok(Err(why)),
        };
        let (once, again) = (first.once_us, first.again_us);
        // What is quicker the second time was remembered: by the server, which each probe has anew, or by what lies around it.
        if !matches!(self.target, Target::Command(_)) || once <= 2 * again {
            return Ok(Ok(Slow::of(once.min(again), &[first])));
        }
        Ok(self.controlled(met, "control-2", watch)?.map(|second| Slow::of(once.min(second.once_us), &[first, second])))
    }

    /// One control session: a call, another one, and beside that a third.
    fn controlled(&self, met: &Met, name: &str, watch: &mut dyn Watch) -> Result<std::result::Result<Control, String>> {
        let timing = Timing { natural_us: SLOW_US, part: 100, ..Timing::default() };
        let script = calls(met.speech.profile);
        let Some(said) = write(script, &met.speech, &timing) else { return Ok(Err("no slow request".to_string())) };
        let keep = self.keep.as_ref().map(|folder| folder.join(format!("{name}.run.jsonl")));
        let run = Run { speech: &met.speech, script, said: &said, limit_us: 3 * LIMIT_US, keep };
        let Some((recording, ran)) = self.play(&run, watch)? else {
            return Ok(Err("it cannot be asked for".to_string()));
        };
        let (Some(asked), Some(live)) = (recording.connections.first(), ran.live.connections.first()) else {
            return Ok(Err("it cannot be asked for".to_string()));
        };
        let refused = not_sent(asked, &ran);
        Ok(refused.map_or_else(|| control_of(live, met.speech.slow.as_ref().map_or("", Call::name)), Err))
    }

    /// What the server asks first while it works on the slow request, if the client says that it may be asked.
    pub fn question(&self, met: &Met, slow: &Slow, watch: &mut dyn Watch) -> Result<Option<Question>> {
        const SCRIPT: &str = "call 2; answer 2; soon";
        let unknown = Question { method: String::new(), params: "{}".to_string(), after_us: 0 };
        let speech = Speech { question: Some(unknown), ..met.speech.clone() };
        let timing = Timing { natural_us: slow.natural_us, part: 100, ..Timing::default() };
        let Some(said) = write(SCRIPT, &speech, &timing) else { return Ok(None) };
        let keep = self.keep.as_ref().map(|folder| folder.join("question.run.jsonl"));
        let run = Run {
            speech: &speech,
            script: SCRIPT,
            said: &said,
            limit_us: LIMIT_US.max(LIMIT_TIMES * slow.longest_us),
            keep,
        };
        let Some((_, ran)) = self.play(&run, watch)? else { return Ok(None) };
        Ok(ran.live.connections.first().and_then(asked_first))
    }
}

impl Slow {
    fn of(natural_us: i64, controls: &[Control]) -> Slow {
        let told: Option<Vec<i64>> = controls.iter().map(|control| control.progress_us).collect();
        Slow {
            natural_us,
            first_us: controls.first().map_or(natural_us, |control| control.once_us),
            longest_us: controls.iter().map(|control| control.once_us.max(control.pair_us)).max().unwrap_or(natural_us),
            pair_us: controls.iter().map(|control| control.pair_us).min().unwrap_or(natural_us),
            progress_us: told.and_then(|told| told.into_iter().max()),
        }
    }
}

fn control_of(live: &Connection, name: &str) -> std::result::Result<Control, String> {
    // What the server asks may have the same ids.
    let ours = live.exchanges.iter().filter(|exchange| exchange.issuer == Side::Client);
    let calls: Vec<_> =
        ours.filter(|exchange| matches!(of_template(&exchange.rpc_id).as_str(), "2" | "3" | "4")).collect();
    let answered = |call: &&&Exchange| call.response.is_some();
    let times: Vec<i64> = calls.iter().filter(answered).filter_map(|call| call.latency_us).collect();
    let (once_us, again_us, pair_us) = match times[..] {
        [once, again] if calls.len() == 2 => (once, again, again),
        [once, again, beside] => (once, again, again.max(beside)),
        _ => return Err(format!("{name} was not answered when it was left alone")),
    };
    if calls.iter().any(|call| call.outcome != "result") {
        return Err(format!("{name} is answered with an error"));
    }
    let told = |call: &&Exchange| {
        let at_us = |event: usize| live.events[event].at_us;
        Some(at_us(*call.progress.first()?)? - at_us(call.request)?)
    };
    let told: Option<Vec<i64>> = calls.iter().map(told).collect();
    Ok(Control { once_us, again_us, pair_us, progress_us: told.and_then(|told| told.into_iter().max()) })
}

/// Why the slow request was not sent, if it was not.
fn not_sent(asked: &Connection, ran: &Ran) -> Option<String> {
    use crate::replay::run::Fate;
    let runs = ran.logs.first()?;
    asked.exchanges.iter().zip(&runs.exchanges).find_map(|(exchange, run)| match &run.fate {
        Fate::NotSent(why) => {
            Some(format!("{} was not sent: {why}", exchange.name.as_deref().unwrap_or(&exchange.method)))
        }
        _ => None,
    })
}

/// The first request of the server behind a slow one.
fn asked_first(live: &Connection) -> Option<Question> {
    let call = live
        .exchanges
        .iter()
        .find(|exchange| exchange.issuer == Side::Client && of_template(&exchange.rpc_id) == "2")?;
    let (asked, answered) = (call.request, call.response.unwrap_or(usize::MAX));
    let own = |exchange: &&Exchange| {
        exchange.issuer == Side::Server && exchange.request > asked && exchange.request < answered
    };
    let question = live.exchanges.iter().find(own)?;
    let at_us = |event: usize| live.events[event].at_us;
    Some(Question {
        method: question.method.clone(),
        params: splice::at(live.request(question), "/params").unwrap_or("{}").to_string(),
        after_us: at_us(question.request).zip(at_us(asked)).map_or(0, |(later, first)| later - first),
    })
}
