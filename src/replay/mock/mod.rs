//! The mock: plays the recorded server for a live client. It sends nothing by itself; time and bytes go in and out.
//!
//! What belongs to a request is timed from the live request, and what followed a cancel from the live cancel. What was
//! silent in the recording stays silent.

mod batch;
mod cancel;
mod cast;
mod choose;
mod live;
mod order;
mod play;
mod report;
mod script;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::jsonrpc::{Kind, Message, Parsed, parse};
use crate::live::{Incoming, Outgoing};
use crate::protocol::{self, Facts, Role, Side};
use crate::replay::options::Speed;
use crate::replay::recording::EventKind;
use crate::replay::splice::quote;
use batch::Group;
use choose::{Choice, Chosen};
use live::Live;
use order::Held;
use play::{Asked, Run, Timer};
use shape::Params;

pub use cast::{Cast, Takers};
pub use report::{Missed, Report};
pub use script::Script;

/// The code of the error that answers what is not in the recording. Not -32601, which clients read as "not supported".
pub const NOT_IN_RECORDING: i64 = -32010;

/// How a recording is served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MockOptions {
    /// How fast answers come. What follows a cancel keeps its recorded delay at every speed; at `Fast` for a few seconds at most.
    pub speed: Speed,
    /// What answers a request that was answered as often as it was recorded.
    pub reuse: Reuse,
    /// What answers a request that is not in the recording.
    pub extra: Extra,
}

impl Default for MockOptions {
    fn default() -> MockOptions {
        MockOptions { speed: Speed::Fast, reuse: Reuse::Once, extra: Extra::Error }
    }
}

/// What answers a request that was answered as often as it was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Nothing: it counts as not in the recording.
    #[default]
    Once,
    /// The last of them, again and again.
    Last,
    /// The first of them again, and so on.
    Cycle,
}

/// What answers a request that is not in the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extra {
    /// An error that names the nearest recorded request.
    #[default]
    Error,
    /// The end of the connection.
    Close,
}

/// The recorded server, for one client.
#[derive(Debug)]
pub struct Mock {
    script: Arc<Script>,
    options: MockOptions,
    choice: Choice,
    /// Notifications of the client and what else of it is no request, by method: places of events.
    told: HashMap<String, Vec<usize>>,
    runs: Vec<Run>,
    /// What is to be sent: by time, then in recorded order.
    timers: BTreeMap<Timer, Option<usize>>,
    tickets: u64,
    out: VecDeque<Outgoing>,
    /// What was due and waits for its turn: by event, then by time.
    held: BTreeMap<(usize, i64), Held>,
    /// Events of the server that are waited for no longer.
    passed: HashSet<usize>,
    /// The last event of the client that has happened, in recorded order, but for its answers: these come when they come.
    front: usize,
    /// Everything before this event has happened.
    said: usize,
    /// Per event, whether it has happened.
    happened: Vec<bool>,
    /// Requests of the server in flight.
    asked: Vec<Asked>,
    /// Per exchange, how often it was sent to the client.
    sent: Vec<u32>,
    groups: Vec<Group>,
    report: Report,
    over: bool,
}

/// What is due so soon after the client has left is said all the same, microseconds.
const ABOUT_US: i64 = 100_000;

/// What became of one request of the client.
enum Taken {
    /// It is served by this run.
    Run(usize),
    /// It is not in the recording: the error.
    Missed(Vec<u8>),
}

impl Mock {
    /// A mock for one client.
    pub fn new(script: Arc<Script>, options: MockOptions) -> Mock {
        let (events, exchanges) = (script.connection.events.len(), script.connection.exchanges.len());
        Mock {
            choice: Choice::new(&script, options.reuse),
            told: told(&script),
            script,
            options,
            runs: Vec::new(),
            timers: BTreeMap::new(),
            tickets: 0,
            out: VecDeque::new(),
            held: BTreeMap::new(),
            passed: HashSet::new(),
            front: 0,
            said: 0,
            happened: vec![false; events],
            asked: Vec::new(),
            sent: vec![0; exchanges],
            groups: Vec::new(),
            report: Report::default(),
            over: false,
        }
    }

    /// Takes what the link reports.
    pub fn arrival(&mut self, at_us: i64, what: &Incoming) {
        self.tick(at_us);
        if self.over {
            return;
        }
        match what {
            Incoming::Ready => self.begin(at_us),
            Incoming::Message { stream, bytes, .. } => self.text(at_us, *stream, bytes),
            Incoming::Raw { .. } => self.garbage(at_us),
            Incoming::Closed { stream: Some(stream), by: Side::Client, .. } => self.stream_closed(at_us, *stream),
            Incoming::Closed { stream: None, .. } => self.left(at_us),
            Incoming::Failed { why } => {
                self.report.notes.push(why.clone());
                self.gone();
            }
            _ => {}
        }
        self.tick(at_us);
    }

    /// Sends what is due.
    pub fn tick(&mut self, now_us: i64) {
        while !self.over
            && let Some((timer, run)) = self.timers.first_key_value().map(|(timer, run)| (*timer, *run))
            && timer.due_us <= now_us
        {
            self.timers.remove(&timer);
            self.fire(timer, run);
        }
        self.release(now_us);
    }

    /// The next thing to send.
    #[expect(clippy::should_implement_trait, reason = "a mock is not an iterator: more comes after a None")]
    pub fn next(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    /// When something is due.
    pub fn wake_at(&self) -> Option<i64> {
        self.timers.first_key_value().map(|(timer, _)| timer.due_us).into_iter().chain(self.held_until()).min()
    }

    /// True once the connection has ended, on either side.
    pub fn done(&self) -> bool {
        self.over
    }

    /// What came of it.
    pub fn finish(mut self) -> Report {
        self.say_what_was_held();
        self.report.served = self.choice.served;
        self.report
    }

    /// The client has left: the server ends as it did when it was left, or as it was about to by itself.
    fn left(&mut self, now_us: i64) {
        // Who reads the end of its input has mostly written by then what it was about to write.
        self.tick(now_us + ABOUT_US);
        let ending = self.timers.keys().any(|timer| self.script.ends_at(timer.event));
        self.report.exit = if ending { self.script.exit() } else { self.script.exit_when_left() };
        self.gone();
    }

    /// The client is gone.
    fn gone(&mut self) {
        self.over = true;
        self.held.clear();
        self.timers.clear();
    }

    /// The server ends the connection.
    fn end(&mut self) {
        self.gone();
        self.out.push_back(Outgoing::Finish);
    }

    fn text(&mut self, now: i64, stream: Option<u32>, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else { return self.garbage(now) };
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, facts)) => {
                if let Some(taken) = self.message(now, stream, text, &message, &facts) {
                    self.single(taken, stream);
                }
            }
            Ok(Parsed::Batch(members)) => self.batch(now, stream, text, &members),
            Err(_) => self.garbage(now),
        }
    }

    /// One message; for a request, what became of it.
    fn message(
        &mut self,
        now: i64,
        stream: Option<u32>,
        text: &str,
        message: &Message<'_>,
        facts: &Facts<'_>,
    ) -> Option<Taken> {
        match message.kind {
            // A request that cannot be answered by its id is recorded as something that was told.
            Kind::Request if message.id.value().is_none() && self.hear(now, message.method(), text) => None,
            Kind::Request => Some(self.request(now, text, message, facts, stream)),
            Kind::Notification => {
                self.notification(now, text, message, facts);
                None
            }
            Kind::Result | Kind::Error => {
                self.answer(now, text, message);
                None
            }
            Kind::Unclassified => {
                self.garbage(now);
                None
            }
        }
    }

    fn request(
        &mut self,
        now: i64,
        text: &str,
        message: &Message<'_>,
        facts: &Facts<'_>,
        stream: Option<u32>,
    ) -> Taken {
        let script = Arc::clone(&self.script);
        let method = message.method();
        match self.choice.take(&script, method, &Params::of(text)) {
            Chosen::Exchange { place, differs } => {
                self.note_introduction(place, message, facts, differs.as_deref());
                let run = self.start(now, place, Live::of(message, facts, stream));
                if protocol::role(method) == Role::TaskCancel {
                    self.task_cancelled(now, script.connection.exchanges[place].request);
                }
                Taken::Run(run)
            }
            Chosen::Nothing { nearest, differs } => {
                let label = |place: usize| script.connection.exchanges[place].label();
                let missed = Missed {
                    rpc_id: message.id_text.unwrap_or("null").to_string(),
                    method: method.to_string(),
                    name: Facts::text(facts.name()).map(|name| name.into_owned()),
                    nearest: nearest.map(label),
                    differs,
                };
                let error = not_in_recording(&missed);
                self.report.missed.push(missed);
                Taken::Missed(error)
            }
        }
    }

    fn single(&mut self, taken: Taken, stream: Option<u32>) {
        match taken {
            Taken::Run(_) => {}
            Taken::Missed(error) if self.options.extra == Extra::Error => self.send(stream, error),
            Taken::Missed(_) => self.end(),
        }
    }

    fn notification(&mut self, now: i64, text: &str, message: &Message<'_>, facts: &Facts<'_>) {
        let profile = self.script.connection.profile;
        let method = message.method();
        let cancel = protocol::cancel_form(profile, method, facts);
        let hit = cancel.is_some_and(|cancel| self.cancel(now, method, &cancel));
        if !hit && !self.hear(now, method, text) {
            *self.report.surplus.entry(method.to_string()).or_default() += 1;
        }
        if profile.opening.exit == Some(method) {
            // As where the client leaves: what was about to be said is out by then.
            self.tick(now + ABOUT_US);
        }
        if profile.opening.exit == Some(method) && !self.over {
            self.report.exit = self.script.exit_when_left();
            self.end();
        }
    }

    /// Something of the client that is no request: the same in the recording, else the next of its method, has happened now.
    fn hear(&mut self, now: i64, method: &str, text: &str) -> bool {
        let Some(events) = self.told.get(method) else { return false };
        let key = Params::of(text).key();
        let recorded = |event: usize| Params::of(&self.script.connection.events[event].text).key();
        let fresh = |event: &&usize| !self.happened[**event];
        let same = events.iter().filter(fresh).find(|event| recorded(**event) == key);
        let event = same.or_else(|| events.iter().find(fresh)).copied();
        event.is_some_and(|event| {
            self.happen(now, event);
            true
        })
    }

    /// Bytes that are no message.
    fn garbage(&mut self, now: i64) {
        if !self.hear(now, GARBAGE, "") {
            *self.report.surplus.entry("bytes that are no message".to_string()).or_default() += 1;
        }
    }

    /// An answer of the client to a request of ours.
    fn answer(&mut self, now: i64, text: &str, message: &Message<'_>) {
        let asked = message.id.value().and_then(|id| self.asked.iter().position(|asked| asked.id == *id));
        let Some(asked) = asked.map(|at| self.asked.remove(at)) else {
            let id = message.id_text.unwrap_or("without an id");
            return self.report.notes.push(format!("the client answered {id}, which was not asked"));
        };
        self.answered(now, &asked, text, message.kind);
    }

    /// What a client tells of itself may differ from what was recorded: it is answered as recorded, and said.
    fn note_introduction(&mut self, place: usize, message: &Message<'_>, facts: &Facts<'_>, differs: Option<&str>) {
        let exchange = &self.script.connection.exchanges[place];
        let opening = self.script.connection.profile.opening.initialize;
        let Some(at) = differs else { return };
        if opening != Some(message.method()) {
            let label = exchange.label();
            let note = format!("{} was answered as {label}, although {at} differs", message.method());
            return self.report.notes.push(note);
        }
        let recorded = match parse::<Facts<'_>>(self.script.connection.request(exchange)) {
            Ok(Parsed::One(_, facts)) => facts.revision().map(str::to_string),
            _ => None,
        };
        if let Some(asked) = facts.revision().filter(|asked| recorded.as_deref() != Some(asked)) {
            let recorded = recorded.unwrap_or_else(|| "none".to_string());
            let note =
                format!("the client asks for revision {asked}; it gets the answer that was recorded for {recorded}");
            self.report.notes.push(note);
        }
    }
}

/// The method under which bytes that are no message are kept.
const GARBAGE: &str = "";

/// What the client told, by method.
fn told(script: &Script) -> HashMap<String, Vec<usize>> {
    let mut told: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, event) in script.connection.events.iter().enumerate() {
        let method = match event.what {
            _ if event.side != Some(Side::Client) => continue,
            EventKind::Malformed => GARBAGE.to_string(),
            EventKind::Notification | EventKind::Progress(_) | EventKind::Cancel(None) => {
                match parse::<Facts<'_>>(&event.text) {
                    Ok(Parsed::One(message, _)) => message.method().to_string(),
                    _ => continue,
                }
            }
            _ => continue,
        };
        told.entry(method).or_default().push(at);
    }
    told
}

/// The error that answers what is not in the recording.
fn not_in_recording(missed: &Missed) -> Vec<u8> {
    let mut data = r#"{"reason":"not-in-recording""#.to_string();
    if let Some(nearest) = &missed.nearest {
        data.push_str(&format!(",\"nearest\":{}", quote(nearest)));
        match &missed.differs {
            Some(at) => data.push_str(&format!(",\"differs\":{}", quote(at))),
            None => data.push_str(",\"used_up\":true"),
        }
    }
    let message = quote(&format!("not in the recording: {}", missed.why()));
    let id = &missed.rpc_id;
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{NOT_IN_RECORDING},"message":{message},"data":{data}}}}}}}"#
    )
    .into_bytes()
}
