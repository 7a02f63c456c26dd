//! Sending what was recorded, when it is due, with the names that the live client uses.

use std::sync::Arc;

use super::live::{Fitting, Live, Tokens};
use super::script::Link;
use super::{Mock, Script};
use crate::jsonrpc::{Id, Kind, Message, Parsed, parse};
use crate::live::Outgoing;
use crate::protocol::{Facts, Side};
use crate::replay::compare::tree;
use crate::replay::options::Speed;
use crate::replay::recording::EventKind;

/// How long after a cancel something comes at most where answers come at once, microseconds: late beyond any doubt.
const LATE_US: i64 = 5_000_000;

/// Something that is to be sent: ordered by time, then as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timer {
    /// When, in microseconds.
    pub(super) due_us: i64,
    /// The recorded event.
    pub(super) event: usize,
    pub(super) ticket: u64,
}

/// A recorded exchange that is served to a live request.
#[derive(Debug)]
pub(super) struct Run {
    /// Its place.
    pub(super) exchange: usize,
    /// What the client calls it.
    pub(super) live: Live,
    /// Tokens of the recorded request.
    tokens: Tokens,
    /// The next link of the chain.
    pub(super) at: usize,
    /// When the link before it was done.
    pub(super) base_us: i64,
    /// When the last thing of the client was there that it awaited.
    pub(super) awaited_us: i64,
    /// Events of the client that links await, and when they came.
    met: Vec<(usize, i64)>,
    /// Requests of the server that were passed over because a cancel came early.
    passed_over: Vec<usize>,
    timer: Option<Timer>,
    /// It was answered.
    pub(super) answered: bool,
    /// The live client cancelled it, which the recorded one had not.
    pub(super) stopped: bool,
    /// The batch that its answer goes out with.
    pub(super) group: Option<usize>,
}

impl Run {
    pub(super) fn in_flight(&self) -> bool {
        !self.answered && !self.stopped
    }
}

/// A request of the server in flight.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The id that the client knows.
    pub(super) id: Id,
    /// Its exchange.
    pub(super) place: usize,
    /// The run it serves.
    run: Option<usize>,
}

impl Mock {
    /// The client can be spoken to.
    pub(super) fn begin(&mut self, now: i64) {
        for event in self.script.opening.clone() {
            self.schedule(now, event, None);
        }
    }

    /// Serves an exchange.
    pub(super) fn start(&mut self, now: i64, exchange: usize, live: Live) -> usize {
        let request = self.script.connection.exchanges[exchange].request;
        let tokens = match parse::<Facts<'_>>(&self.script.connection.events[request].text) {
            Ok(Parsed::One(_, facts)) => Tokens::of(&facts),
            _ => Tokens::default(),
        };
        self.runs.push(Run {
            exchange,
            live,
            tokens,
            at: 0,
            base_us: now,
            awaited_us: now,
            met: Vec::new(),
            passed_over: Vec::new(),
            timer: None,
            answered: false,
            stopped: false,
            group: None,
        });
        let run = self.runs.len() - 1;
        self.happen(now, request);
        self.step(run);
        run
    }

    /// An event has happened: what followed it is scheduled, the first time.
    pub(super) fn happen(&mut self, now: i64, event: usize) {
        if std::mem::replace(&mut self.happened[event], true) {
            return;
        }
        let happened = &self.script.connection.events[event];
        if happened.side == Some(Side::Client) && !matches!(happened.what, EventKind::Response(_)) {
            self.front = self.front.max(event);
        }
        for next in self.script.followers[event].clone() {
            let due = now.saturating_add(self.scaled(self.script.gap_us(event, next)));
            self.schedule(due, next, None);
        }
    }

    /// Goes on along a chain as far as nothing is waited for: not past what is on its way.
    pub(super) fn step(&mut self, at: usize) {
        if self.runs[at].timer.is_some() {
            return;
        }
        let script = Arc::clone(&self.script);
        loop {
            let run = &mut self.runs[at];
            let chain = &script.chains[run.exchange];
            match chain.links.get(run.at).copied() {
                None => return,
                Some(Link::Send(event)) => {
                    let before = chain.links[..run.at].last().map(|link| link.event());
                    let asked = script.connection.exchanges[run.exchange].request;
                    // The work of a server does not speed up: what follows a cancel keeps its time. What may have crossed it was not
                    // late, and answers that come sooner than they did would show that it was.
                    let after_cancel = chain.cancel.is_some_and(|cancel| run.at > cancel)
                        && !script.may_have_crossed(run.exchange, event);
                    let (base, awaited) = (run.base_us, run.awaited_us);
                    let due = if after_cancel {
                        // Timed from the cancel, not from what crossed it: that may have been sped up.
                        let from = chain.awaited_before(run.at).unwrap_or(asked);
                        awaited.saturating_add(self.after_cancel(script.gap_us(from, event))).max(base)
                    } else {
                        base.saturating_add(self.scaled(script.gap_us(before.unwrap_or(asked), event)))
                    };
                    let timer = self.schedule(due, event, Some(at));
                    self.runs[at].timer = Some(timer);
                    return;
                }
                Some(Link::Await(event)) => {
                    let came = run.met.iter().find(|(met, _)| *met == event).map(|(_, at)| *at);
                    match came.or_else(|| run.passes_over(&script, event)) {
                        Some(came) => {
                            run.base_us = run.base_us.max(came);
                            run.awaited_us = run.base_us;
                            run.at += 1;
                        }
                        None => return,
                    }
                }
            }
        }
    }

    fn schedule(&mut self, due_us: i64, event: usize, run: Option<usize>) -> Timer {
        self.tickets += 1;
        let timer = Timer { due_us, event, ticket: self.tickets };
        self.timers.insert(timer, run);
        timer
    }

    /// Takes back what was scheduled for a run.
    pub(super) fn unschedule(&mut self, run: usize) {
        if let Some(timer) = self.runs[run].timer.take() {
            self.timers.remove(&timer);
            self.drop_held(timer);
        }
    }

    /// The time of what follows a cancel. Where answers come at once, nobody waits for minutes to learn that this one is late.
    fn after_cancel(&self, gap_us: i64) -> i64 {
        if self.options.speed == Speed::Fast { gap_us.min(LATE_US) } else { gap_us }
    }

    fn scaled(&self, gap_us: i64) -> i64 {
        match self.options.speed {
            Speed::Fast => 0,
            Speed::Recorded | Speed::Wall => gap_us,
            Speed::Times(factor) if factor > 0.0 => (gap_us as f64 / factor) as i64,
            Speed::Times(_) => gap_us,
        }
    }

    /// The turn of something has come.
    pub(super) fn play(&mut self, timer: Timer, run: Option<usize>) {
        self.emit(timer.event, run);
        if let Some(at) = run {
            let run = &mut self.runs[at];
            run.timer = None;
            run.base_us = timer.due_us;
            run.at += 1;
            self.step(at);
        }
        self.happen(timer.due_us, timer.event);
    }

    fn emit(&mut self, at: usize, run: Option<usize>) {
        let script = Arc::clone(&self.script);
        let event = &script.connection.events[at];
        let stream = run.and_then(|run| self.runs[run].live.stream);
        match event.what {
            EventKind::Exit(code) => {
                self.report.exit = code;
                self.end();
            }
            EventKind::Close if event.stream.is_none() => {
                self.report.exit = script.exit();
                self.end();
            }
            EventKind::Close => {
                let comes_back = script.connection.is_resumed(event.stream);
                self.out.extend(stream.filter(|_| comes_back).map(|stream| Outgoing::Prime { stream }));
                self.out.extend(stream.map(|stream| Outgoing::CloseStream { stream }));
            }
            EventKind::Request(place) => self.ask(&script, place, run),
            EventKind::Response(_) => {
                let bytes = self.fit(&script, at, run);
                match (run, bytes) {
                    (Some(run), Some(bytes)) => self.respond(run, at, bytes),
                    (None, Some(bytes)) => self.send(None, bytes),
                    (_, None) => {}
                }
            }
            _ => {
                if let Some(bytes) = self.fit(&script, at, run) {
                    self.send(stream, bytes);
                }
            }
        }
    }

    /// Sends an answer, alone or with its batch.
    pub(super) fn respond(&mut self, run: usize, order: usize, bytes: Vec<u8>) {
        self.runs[run].answered = true;
        match self.runs[run].group.take() {
            Some(group) => self.contribute(group, order, bytes),
            None => self.send(self.runs[run].live.stream, bytes),
        }
    }

    pub(super) fn send(&mut self, stream: Option<u32>, bytes: Vec<u8>) {
        self.out.push_back(Outgoing::Message { stream: stream.unwrap_or(0), bytes, revision: None, more: false });
    }

    /// A recorded message with the client's names in it; `None` for one that the client did not ask for (progress without a token).
    fn fit(&self, script: &Script, at: usize, run: Option<usize>) -> Option<Vec<u8>> {
        let event = &script.connection.events[at];
        let (Ok(Parsed::One(message, facts)), Some(run)) = (parse::<Facts<'_>>(&event.text), run) else {
            return Some(event.text.clone().into_bytes());
        };
        let run = &self.runs[run];
        let recorded = script.connection.exchanges[run.exchange].rpc_id.as_str();
        let mut fitting = Fitting::new(&event.text);
        fitting.id(facts.subscription(), recorded, &run.live.id_text);
        let token = facts.token().filter(|_| matches!(event.what, EventKind::Progress(_)));
        if token.is_some_and(|token| !fitting.token(token, &run.tokens, &run.live.tokens)) {
            return None;
        }
        match event.what {
            EventKind::Response(_) => {
                answer_id(&mut fitting, &message, recorded, &run.live);
                error_code(&mut fitting, script, run.exchange, &event.text);
            }
            EventKind::Cancel(Some(target)) if script.connection.exchanges[target].issuer == Side::Client => {
                fitting.id(facts.request_id(), recorded, &run.live.id_text);
                fitting.id(facts.param_id(), recorded, &run.live.id_text);
            }
            EventKind::Cancel(Some(target)) => {
                let asked = self.asked.iter().rev().find(|asked| asked.place == target);
                let own = &script.connection.exchanges[target].rpc_id;
                for part in [facts.request_id(), facts.param_id()] {
                    fitting.id(part, own, &asked.map_or(own.clone(), |asked| asked.id.to_json()));
                }
            }
            _ => {}
        }
        Some(fitting.finish())
    }

    /// Sends a request of the server under its recorded id; under another one where the client has seen that already.
    fn ask(&mut self, script: &Script, place: usize, run: Option<usize>) {
        let exchange = &script.connection.exchanges[place];
        let text = script.connection.request(exchange);
        let stream = run.and_then(|run| self.runs[run].live.stream);
        let Some(recorded) = Id::from_json(&exchange.rpc_id) else {
            return self.send(stream, text.as_bytes().to_vec());
        };
        self.sent[place] += 1;
        let (id, bytes) = match (self.sent[place], parse::<Facts<'_>>(text)) {
            (again @ 2.., Ok(Parsed::One(Message { id_text: Some(part), .. }, _))) => {
                let fresh = self.fresh(script, &recorded, again);
                let mut fitting = Fitting::new(text);
                fitting.put(part, &fresh.to_json());
                (fresh, fitting.finish())
            }
            _ => (recorded, text.as_bytes().to_vec()),
        };
        self.asked.push(Asked { id, place, run });
        self.send(stream, bytes);
    }

    /// An id of the same type that the server has not used.
    fn fresh(&self, script: &Script, recorded: &Id, again: u32) -> Id {
        let own = || script.connection.exchanges.iter().filter(|exchange| exchange.issuer == Side::Server);
        match recorded {
            Id::Int(_) => {
                let ids = own().filter_map(|exchange| match Id::from_json(&exchange.rpc_id) {
                    Some(Id::Int(id)) => Some(id),
                    _ => None,
                });
                let highest = ids.max().unwrap_or(0);
                Id::Int(highest.saturating_add(1 + self.sent.iter().map(|sent| i64::from(*sent)).sum::<i64>()))
            }
            other => Id::Text(format!("{}~{again}", other.to_json().trim_matches('"')).into_boxed_str()),
        }
    }

    /// The client answered what the server had asked.
    pub(super) fn answered(&mut self, now: i64, asked: &Asked, text: &str, kind: Kind) {
        let script = Arc::clone(&self.script);
        let exchange = &script.connection.exchanges[asked.place];
        let Some(event) = exchange.response else { return };
        if let Ok(Parsed::One(recorded, _)) = parse::<Facts<'_>>(&script.connection.events[event].text)
            && differ(&script.connection.events[event].text, recorded.kind, text, kind)
        {
            let (label, method) = (exchange.label(), &exchange.method);
            let note =
                format!("{label} {method}: the client answered otherwise than recorded; the mock goes on as recorded");
            self.report.notes.push(note);
        }
        if let Some(run) = asked.run {
            self.runs[run].met.push((event, now));
            self.step(run);
        }
        self.happen(now, event);
    }

    /// A run goes on behind the cancel that it awaits, or would have awaited.
    pub(super) fn jump(&mut self, now: i64, run: usize, to: usize) {
        self.unschedule(run);
        let script = Arc::clone(&self.script);
        let own = &mut self.runs[run];
        for link in &script.chains[own.exchange].links[own.at..to] {
            if let (Link::Send(event), EventKind::Request(place)) = (link, &script.connection.events[link.event()].what)
            {
                debug_assert_eq!(script.connection.exchanges[*place].request, *event);
                own.passed_over.push(*place);
            }
        }
        own.at = to;
        (own.base_us, own.awaited_us) = (now, now);
        self.step(run);
    }

    /// Notes what was held back because the client did not do what was recorded.
    pub(super) fn say_what_was_held(&mut self) {
        let script = Arc::clone(&self.script);
        for run in self.runs.iter().filter(|run| !run.stopped) {
            let exchange = &script.connection.exchanges[run.exchange];
            let links = &script.chains[run.exchange].links;
            let Some(Link::Await(event)) = links.get(run.at) else { continue };
            if !links[run.at..].iter().any(|link| matches!(link, Link::Send(_))) {
                continue;
            }
            let name = format!("{} {}", exchange.label(), exchange.method);
            self.report.notes.push(match script.connection.events[*event].what {
                EventKind::Response(Some(place)) => {
                    let asked = script.connection.exchanges[place].label();
                    format!("{name}: held back, because the client did not answer {asked}")
                }
                _ => format!("{name}: held back what came after its cancel, because the client did not cancel it"),
            });
        }
    }
}

impl Run {
    /// Where a link awaits the answer to something that was not asked, nothing is to be awaited.
    fn passes_over(&self, script: &Script, event: usize) -> Option<i64> {
        let EventKind::Response(Some(place)) = script.connection.events[event].what else { return None };
        self.passed_over.contains(&place).then_some(self.base_us)
    }
}

/// What an error is told with where the log keeps no codes: that it was cancelled, or that something went wrong.
const INTERNAL_ERROR: i64 = -32603;

/// The code of an error, where the log does not keep it: an error without one would be a fault of the mock's own.
fn error_code(fitting: &mut Fitting<'_>, script: &Script, exchange: usize, text: &str) {
    let connection = &script.connection;
    let Some(error) = crate::replay::splice::at(text, "/error").filter(|error| error.starts_with('{')) else { return };
    if connection.keeps_error_codes() || crate::replay::splice::at(error, "/code").is_some() {
        return;
    }
    let cancelled = connection.profile.cancelled_code.filter(|_| script.chains[exchange].cancelled_in_flight());
    let code = cancelled.unwrap_or(INTERNAL_ERROR);
    let rest = error[1..].trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    fitting.put(error, &format!("{{\"code\":{code}{comma}{rest}"));
}

/// The id of an answer. An answer that had the other JSON type (`"7"` for 7) has it now.
fn answer_id(fitting: &mut Fitting<'_>, message: &Message<'_>, recorded: &str, live: &Live) {
    let Some(part) = message.id_text else { return };
    let twin = Id::from_json(recorded).and_then(|id| id.twin());
    let wrong = twin.is_some() && message.id.value() == twin.as_ref();
    match live.id.as_ref().and_then(Id::twin).filter(|_| wrong) {
        Some(twin) => fitting.put(part, &twin.to_json()),
        None => fitting.put(part, &live.id_text),
    }
}

/// True if two answers differ in kind or content.
fn differ(recorded: &str, recorded_kind: Kind, live: &str, live_kind: Kind) -> bool {
    let content = |text: &str, kind: Kind| {
        let at = if kind == Kind::Result { "/result" } else { "/error/code" };
        crate::replay::splice::at(text, at).map(str::to_string)
    };
    if recorded_kind != live_kind {
        return true;
    }
    match (content(recorded, recorded_kind), content(live, live_kind)) {
        (Some(recorded), Some(live)) => !tree::same(&recorded, &live),
        (recorded, live) => recorded.is_some() != live.is_some(),
    }
}
