//! Probes against a live server: each is a recording that nobody recorded, loaded, planned, played and judged by the path of every replay.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::replay::mock::{Service, serve};
use super::replay::{Job, Keep, Ran, Scratch, Watch, load, run};
use super::{Options, Quiet, ingest};
use crate::conform::{
    CALLS, Call, Card, Missed, Moment, NO_TOOLS, Needs, Play, Probe, Question, Said, Server, Speech, Timing,
    candidates, capture, client_card, one_by_one, served, watched_us, write,
};
use crate::error::{Error, ErrorKind, Result};
use crate::live::serve::Listen;
use crate::live::tape::TapeOptions;
use crate::live::{Access, Framing, Target};
use crate::protocol::{Profile, Side, tried_in_turn};
use crate::redact::Custom;
use crate::replay::mock::{MockOptions, Reuse, Script};
use crate::replay::options::{Life, Pace, Policy, Speed};
use crate::replay::recording::{Connection, Exchange, Recording};
use crate::replay::run::Broken;
use crate::replay::{Plan, plan, splice};
use crate::store::Store;

/// How long an answer is waited for, at least, microseconds; and how many times what the same took before.
const LIMIT_US: i64 = 10_000_000;
const LIMIT_TIMES: i64 = 5;
/// A request that takes less than this is not slow, microseconds.
const SLOW_US: i64 = 150_000;
/// How many tools are tried, at most.
const TRIED: usize = 8;
/// The parts of its moment at which a cancel is sent, per cent, one after the other, where it met the answer.
const PARTS: [i64; 3] = [100, 50, 17];

/// A server and what may be done to it.
#[derive(Clone)]
pub struct Examiner<'e> {
    /// The server.
    pub target: &'e Target,
    /// What it wants beside its address.
    pub access: &'e Access,
    /// How messages are told apart, where that is not as the protocol has it.
    pub framing: Option<Framing>,
    /// What may be sent.
    pub policy: Policy,
    /// What the judgement assumes.
    pub judging: Options,
    /// The folder in which every probe is kept.
    pub keep: Option<PathBuf>,
    /// Secrets to replace in what is kept, beside the usual ones; `None` keeps everything as it was.
    pub redact: Option<Custom>,
    /// How often a probe is played whose moment matters.
    pub repeat: usize,
    /// How many requests a storm has.
    pub storm: usize,
    /// Is set to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

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
    /// How long it takes by itself, the shorter of two times, microseconds.
    pub natural_us: i64,
    /// The longer of them.
    pub longer_us: i64,
    /// When it reports progress first, the later of two times, microseconds; `None` if it does not always.
    pub progress_us: Option<i64>,
}

/// One run of one recording.
struct Run<'r> {
    speech: &'r Speech,
    script: &'r str,
    said: &'r [Said],
    /// How long answers are waited for, microseconds.
    limit_us: i64,
    keep: Option<PathBuf>,
}

impl Examiner<'_> {
    /// Opens a connection in the protocol that was named, or in each that is known until one is understood.
    pub fn meet(&self, named: Option<&'static Profile>, watch: &mut dyn Watch) -> Result<Met> {
        let tried: Vec<&'static Profile> = named.map_or_else(|| tried_in_turn().collect(), |profile| vec![profile]);
        for profile in &tried {
            if let Some(met) = self.greet(profile, watch)? {
                return Ok(met);
            }
        }
        let names: Vec<String> = tried.iter().map(|profile| profile.label()).collect();
        let error = Error::new(ErrorKind::Usage, format!("the server did not answer as one of {}", names.join(", ")));
        Err(error.hint("name what it speaks: --proto mcp, acp, lsp or jsonrpc"))
    }

    fn greet(&self, profile: &'static Profile, watch: &mut dyn Watch) -> Result<Option<Met>> {
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
        let Some(welcome) = understood else { return Ok(None) };
        let settled = profile.settled_on(welcome);
        let (name, version) = profile.server_info();
        let text =
            |pointer: &str| splice::at(welcome, pointer).map(|raw| crate::json::lenient_string(raw).into_owned());
        let server = Server {
            name: text(name).filter(|name| !name.is_empty()).unwrap_or_else(|| "server".to_string()),
            version: text(version).filter(|version| !version.is_empty()),
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

    /// How long the slow request takes when it is left alone: twice, one after the other. The error says why it cannot be used.
    pub fn control(&self, met: &Met, watch: &mut dyn Watch) -> Result<std::result::Result<Slow, String>> {
        let timing = Timing { natural_us: SLOW_US, part: 100, ..Timing::default() };
        let Some(said) = write(CALLS, &met.speech, &timing) else { return Ok(Err("no slow request".to_string())) };
        let keep = self.keep.as_ref().map(|folder| folder.join("control.run.jsonl"));
        let run = Run { speech: &met.speech, script: CALLS, said: &said, limit_us: 3 * LIMIT_US, keep };
        let Some((recording, ran)) = self.play(&run, watch)? else {
            return Ok(Err("it cannot be asked for".to_string()));
        };
        let (Some(asked), Some(live)) = (recording.connections.first(), ran.live.connections.first()) else {
            return Ok(Err("it cannot be asked for".to_string()));
        };
        let name = met.speech.slow.as_ref().map_or("", Call::name);
        if let Some(refused) = not_sent(asked, &ran) {
            return Ok(Err(refused));
        }
        let calls = live.exchanges.iter().filter(|exchange| matches!(exchange.rpc_id.as_str(), "2" | "3"));
        let calls: Vec<_> = calls.collect();
        let times: Vec<i64> =
            calls.iter().filter(|call| call.response.is_some()).filter_map(|call| call.latency_us).collect();
        let [first, second] = times[..] else {
            return Ok(Err(format!("{name} was not answered when it was left alone")));
        };
        if calls.iter().any(|call| call.outcome != "result") {
            return Ok(Err(format!("{name} is answered with an error")));
        }
        let told = |call: &&Exchange| {
            let at_us = |event: usize| live.events[event].at_us;
            Some(at_us(*call.progress.first()?)? - at_us(call.request)?)
        };
        let told: Option<Vec<i64>> = calls.iter().map(told).collect();
        let progress_us = told.and_then(|told| told.into_iter().max());
        Ok(Ok(Slow { natural_us: first.min(second), longer_us: first.max(second), progress_us }))
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
            limit_us: LIMIT_US.max(LIMIT_TIMES * slow.longer_us),
            keep,
        };
        let Some((_, ran)) = self.play(&run, watch)? else { return Ok(None) };
        Ok(ran.live.connections.first().and_then(asked_first))
    }

    /// True if a probe is about what this protocol and this way to the server have.
    fn concerns(&self, probe: &Probe, met: &Met) -> bool {
        match probe.needs {
            Needs::Turns | Needs::TurnQuestion => met.speech.profile.turns,
            Needs::Streams => matches!(self.target, Target::Http(_)),
            Needs::Tasks => met.speech.profile.tasks_by_request(),
            _ => true,
        }
    }

    /// Why a probe cannot be played.
    fn unfit(&self, probe: &Probe, met: &Met, slow: std::result::Result<&Slow, &str>) -> Option<Missed> {
        if probe.name == "storm" && self.storm == 0 {
            return Some("--storm 0".into());
        }
        if matches!(probe.needs, Needs::Server | Needs::Hello) {
            return None;
        }
        let slow = match slow {
            Ok(slow) => slow,
            Err(why) => return Some(why.into()),
        };
        match probe.needs {
            Needs::Progress => slow.progress_us.is_none().then(|| "it reports no progress".into()),
            _ if slow.natural_us < SLOW_US => {
                Some(format!("the request takes {} only", crate::number::duration(slow.natural_us)).into())
            }
            Needs::Tasks => met.speech.no_task().map(Missed::foreign),
            Needs::Question | Needs::TurnQuestion if met.speech.question.is_none() => {
                Some(Missed::foreign("the server asks nothing while it works on this request"))
            }
            _ => None,
        }
    }

    /// Plays one probe as often as it takes. The error says why it cannot be played.
    pub fn probe(
        &self,
        probe: &'static Probe,
        met: &Met,
        slow: std::result::Result<&Slow, &str>,
        watch: &mut dyn Watch,
    ) -> Result<std::result::Result<Vec<Play>, Missed>> {
        if !self.concerns(probe, met) {
            return Ok(Ok(Vec::new()));
        }
        if let Some(missed) = self.unfit(probe, met, slow) {
            return Ok(Err(missed));
        }
        let speech = met.speech.for_probe(probe.needs);
        let natural_us = slow.map_or(0, |slow| slow.natural_us);
        let longer_us = slow.map_or(0, |slow| slow.longer_us);
        let progress_us = slow.ok().and_then(|slow| slow.progress_us).unwrap_or(0);
        let storm_us = if probe.name == "storm" { self.storm as i64 * 10_000 } else { 0 };
        let limit_us = LIMIT_US.max(LIMIT_TIMES * longer_us).max(LIMIT_TIMES * met.longest_us) + storm_us;
        let runs = if probe.moment == Moment::Timed { self.repeat.max(1) } else { 1 };
        let mut plays = Vec::new();
        for nth in 0..runs {
            for (place, part) in PARTS.iter().enumerate() {
                let timing = Timing { natural_us, progress_us, part: *part, storm: self.storm };
                let Some(said) = probe.write(&speech, &timing) else {
                    return Ok(Err(format!("{} has no words for it", met.server.protocol).into()));
                };
                let keep = self.kept(probe, nth);
                let run = Run { speech: &speech, script: probe.script, said: &said, limit_us, keep };
                let Some((recording, ran)) = self.play(&run, watch)? else {
                    return Ok(Err("it could not be played".into()));
                };
                let Some(play) = self.read(probe, recording, ran, run.keep.as_ref()) else { continue };
                // One cancel can come earlier. A storm cannot get between the answers of a server that gives one after another.
                let again = place + 1 < PARTS.len() && probe.script.contains("30% cancel ") && play.met_the_answer();
                if !again {
                    plays.push(play);
                    break;
                }
            }
        }
        Ok(Ok(plays))
    }

    fn kept(&self, probe: &Probe, nth: usize) -> Option<PathBuf> {
        let number = if nth == 0 { String::new() } else { format!("-{}", nth + 1) };
        self.keep.as_ref().map(|folder| folder.join(format!("{}{number}.run.jsonl", probe.name)))
    }

    fn read(&self, probe: &'static Probe, recording: Recording, mut ran: Ran, kept: Option<&PathBuf>) -> Option<Play> {
        Some(Play {
            probe,
            template: recording.connections.into_iter().next()?,
            live: ran.live.connections.drain(..).next()?,
            log: ran.logs.into_iter().next()?,
            session: kept.map(|file| file.display().to_string()),
        })
    }

    fn options(&self, limit_us: i64, linger_us: i64) -> crate::replay::Options {
        let life = Life {
            stuck_min_us: limit_us,
            stuck_factor: 0.0,
            max_request_us: limit_us,
            linger_us,
            linger_given: true,
            // Every wait of a probe has its own limit; this one is for what nobody thought of.
            deadline_us: 20 * limit_us,
            ..Life::default()
        };
        let pace = Pace { speed: Speed::Wall, max_idle_us: None };
        crate::replay::Options { pace, life, policy: self.policy.clone(), ..crate::replay::Options::default() }
    }

    /// A recording of what is to be said, and the plan for it.
    fn planned(&self, speech: &Speech, said: &[Said], options: &crate::replay::Options) -> Result<(Recording, Plan)> {
        let scratch = Scratch::new()?;
        let file = scratch.path().join("probe.rec.jsonl");
        std::fs::write(&file, capture(speech, said)).map_err(|error| Error::io("write", "a probe", &error))?;
        let recording = read(&file, speech.profile, &self.judging)?;
        let mut options = options.clone();
        options.policy.allow.extend(speech.profile.probing_methods());
        let plan = plan(&recording, &options)?;
        Ok((recording, plan))
    }

    /// How a live session is judged.
    fn judged_as(&self, profile: &'static Profile) -> Options {
        let mut judging = self.judging.clone();
        judging.overrides.profile = Some(profile);
        // Where order proves, a bound on the round trip is not needed, and cannot be wrong.
        judging.settings.proof_only |= self.target.is_ordered();
        judging
    }

    /// Plays what is to be said. `None` where the server speaks another revision.
    fn play(&self, run_of: &Run<'_>, watch: &mut dyn Watch) -> Result<Option<(Recording, Ran)>> {
        let profile = run_of.speech.profile;
        let linger_us = watched_us(run_of.script, run_of.said, profile);
        let options = self.options(run_of.limit_us, linger_us);
        let (recording, plan) = self.planned(run_of.speech, run_of.said, &options)?;
        let usual = if profile.framed_by_length() { Framing::ContentLength } else { Framing::Lines };
        let job = Job {
            recording: &recording,
            plan: &plan,
            options: &options,
            target: self.target,
            access: self.access,
            framing: self.framing.unwrap_or(usual),
            natural: &[],
        };
        let keep = Keep { file: run_of.keep.clone(), redact: self.redact.clone() };
        let judging = self.judged_as(profile);
        let ran = run(&job, "", &keep, &judging, self.interrupt.as_ref(), watch)?;
        let broken = ran.logs.iter().find_map(|log| log.broken.as_ref());
        match broken {
            Some(Broken::Interrupted) => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
            Some(Broken::Era(_)) => Ok(None),
            Some(Broken::Link(_) | Broken::Deadline) | None => Ok(Some((recording, ran))),
        }
    }
}

/// Serves a client what is hard for clients, until it leaves or `interrupt` is set, and judges what it did.
///
/// # Errors
/// The protocol has no tools or no handshake; nobody can be served, or nobody came.
pub fn examine_client(
    profile: &'static Profile,
    listen: Listen,
    keep: TapeOptions,
    judging: &Options,
    interrupt: &AtomicBool,
    opened: impl FnOnce(Option<SocketAddr>),
) -> Result<Card> {
    let Some(said) = served(profile) else {
        let error =
            Error::new(ErrorKind::Usage, format!("{} has no tools that a client could be given", profile.label()));
        return Err(error.hint("--client serves MCP with a handshake: leave --proto out"));
    };
    let speech = Speech::of(profile);
    let scratch = Scratch::new()?;
    let template = scratch.path().join("served.rec.jsonl");
    std::fs::write(&template, capture(&speech, &said)).map_err(|error| Error::io("write", "what is served", &error))?;
    let recording = read(&template, profile, judging)?;
    let scripts = recording.connections.into_iter().map(|connection| Arc::new(Script::new(connection))).collect();
    let options = MockOptions { speed: Speed::Wall, reuse: Reuse::Cycle, ..MockOptions::default() };
    let file = keep.path.clone();
    serve(Service { scripts, options, listen, tape: Some(keep) }, interrupt, opened)?;
    let live = read(&file, profile, judging)?;
    if live.connections.iter().all(|connection| connection.exchanges.is_empty()) {
        return Err(Error::new(ErrorKind::Input, "nothing was observed: no client came")
            .hint("let your client start this command, or connect to --listen"));
    }
    Ok(client_card(profile, &live.connections, Some(&file.display().to_string())))
}

fn read(file: &Path, profile: &'static Profile, judging: &Options) -> Result<Recording> {
    let mut store = Store::temporary()?;
    let mut judging = Options { interrupt: None, redact: None, ..judging.clone() };
    judging.overrides.profile = Some(profile);
    ingest(&mut store, &[file.display().to_string()], &judging, &mut Quiet)?;
    load(&store, &file.display().to_string())
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
    let call = live.exchanges.iter().find(|exchange| exchange.issuer == Side::Client && exchange.rpc_id == "2")?;
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

#[cfg(test)]
#[path = "conform_tests.rs"]
mod tests;
