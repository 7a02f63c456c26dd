//! A template written out: what each side says and when, for one protocol and one natural duration, as the text of a recording.

use std::collections::HashMap;
use std::fmt::Write;

use super::ids::{TOKEN, of_template, renumbered};
use super::probes::Probe;
use super::speech::{Call, HELLO, PRELUDE, Question, Speech, TOOLS};
use crate::protocol::Side;
use crate::replay::splice;

/// How long is watched behind the first cancel of a recording, microseconds; 0 where its end is not waited for.
pub fn watched_us(script: &str, said: &[Said], profile: &crate::protocol::Profile) -> i64 {
    let (cancel, _) = profile.probing_cancel();
    let cancels = |text: &str| text.contains(cancel) || profile.turns && text.contains("session/cancel");
    let ends = |said: &&Said| cancels(&said.text) || said.does == Does::Drops;
    let first = said.iter().filter(|said| said.side == Side::Client).find(ends);
    let ends = script.trim_end().ends_with("end");
    match (first, said.last()) {
        (Some(first), Some(last)) if !ends => last.at_us - first.at_us,
        _ => 0,
    }
}

/// True where a probe has a request cancelled that is owed an answer all the same: only who waits for long can say that none comes.
pub fn is_owed_an_answer(script: &str, profile: &crate::protocol::Profile) -> bool {
    let settles = script.contains("settle") && profile.answers_cancelled();
    settles || script.contains("turned") && profile.turns
}

/// How long things take, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How long the slow request takes by itself.
    pub natural_us: i64,
    /// When it reports progress first.
    pub progress_us: i64,
    /// Moments are this part of what the template says, per cent: less where a cancel met the answer.
    pub part: i64,
    /// How many requests a storm has.
    pub storm: usize,
}

/// How long is watched after a cancel, at least, microseconds.
const WATCH_US: i64 = 1_000_000;
/// How long is watched where nothing that takes time was asked for, microseconds.
const SOON_US: i64 = 250_000;
/// What passes between a message and the one that it brings about, microseconds: only the order matters.
const STEP_US: i64 = 1_000;
/// The ids of a storm begin here.
const STORM: usize = 1_000;
/// The ids of witnesses begin behind this one, which is that of the list of tools.
const WITNESSES: usize = 9_000;
/// The id of a cancel that is a request.
pub(super) const AS_REQUEST: &str = "50";
/// The id of a question of the server.
const QUESTION: &str = "70";
/// How long after a question of the server its request is cancelled, at least, microseconds: servers do not ask at the same moment twice.
const ASKED_US: i64 = 300_000;

/// True for the id of a request whose answer only proves that what stood before it was read.
pub(super) fn is_witness(id: &str) -> bool {
    of_template(id).parse::<usize>().is_ok_and(|id| id > WITNESSES)
}

/// True for the id of a request about a task.
pub(super) fn is_of_task(id: &str) -> bool {
    of_template(id).parse::<usize>().is_ok_and(|id| (60..70).contains(&id))
}

/// True for the id of a slow request.
pub(super) fn is_call(id: &str) -> bool {
    !is_witness(id) && !is_of_task(id) && ![HELLO, TOOLS, PRELUDE, AS_REQUEST].contains(&of_template(id).as_str())
}

/// One message of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// When, microseconds.
    pub at_us: i64,
    /// Who.
    pub side: Side,
    /// What; empty where it does something else.
    pub text: String,
    /// What else it does.
    pub does: Does,
    /// The HTTP stream that it is on, where a template tells streams apart.
    pub stream: Option<u32>,
}

/// What is said, with ids that no other session of the run has.
pub fn numbered(said: &[Said], profile: &crate::protocol::Profile, session: usize) -> Vec<Said> {
    let text = |said: &Said| renumbered(&said.text, said.side, profile, session);
    said.iter().map(|said| Said { text: text(said), ..said.clone() }).collect()
}

/// What a side does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Does {
    /// It says something.
    #[default]
    Says,
    /// The server ends.
    Ends,
    /// The client closes the stream on which it waits for an answer.
    Drops,
    /// The client asks for what it missed on a stream that it closed.
    TakesUp,
}

impl Said {
    /// A message, on any stream.
    pub fn message(at_us: i64, side: Side, text: String) -> Said {
        Said { at_us, side, text, does: Does::Says, stream: None }
    }
}

/// The session in which the slow request is left alone: once, and then twice at once; in a session with turns, one turn after the other.
pub fn calls(profile: &crate::protocol::Profile) -> &'static str {
    match profile.turns {
        true => "call 2; answer 2; call 3; answer 3; soon",
        false => "call 2; answer 2; call 3; call 4; answer 3; answer 4; soon",
    }
}

/// Writes a template out. `None` where the protocol has no words for it, or there is nothing slow to ask for.
pub fn write(script: &str, speech: &Speech, timing: &Timing) -> Option<Vec<Said>> {
    let mut pen = Pen::new(speech, timing);
    pen.streams = script.contains("drop").then(HashMap::new);
    let words: Vec<&str> = script.split(';').map(str::trim).filter(|word| !word.is_empty()).collect();
    if !words.first().is_some_and(|word| ["hello", "greet"].contains(word)) {
        pen.open();
    }
    words.iter().try_for_each(|word| pen.word(word))?;
    Some(pen.said)
}

/// The session in which each of these is called once, one after the other.
pub fn one_by_one(speech: &Speech, calls: &[Call]) -> Vec<Said> {
    let timing = Timing { natural_us: STEP_US, part: 100, ..Timing::default() };
    let mut pen = Pen::new(speech, &timing);
    pen.open();
    for (nth, call) in calls.iter().enumerate() {
        let id = (STORM + nth).to_string();
        pen.say(Side::Client, speech.profile.request(&id, &call.method, &call.params, None));
        pen.say(Side::Server, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    pen.said
}

impl Probe {
    /// The probe, written out.
    pub fn write(&self, speech: &Speech, timing: &Timing) -> Option<Vec<Said>> {
        write(self.script, speech, timing)
    }
}

struct Pen<'p> {
    speech: &'p Speech,
    timing: &'p Timing,
    now_us: i64,
    /// When the first slow request was sent, and the first cancel.
    called_us: Option<i64>,
    cancelled_us: Option<i64>,
    witnesses: usize,
    /// Where streams are told apart: how many there are, and the stream of each request.
    streams: Option<HashMap<String, u32>>,
    opened: u32,
    said: Vec<Said>,
}

impl<'p> Pen<'p> {
    fn new(speech: &'p Speech, timing: &'p Timing) -> Pen<'p> {
        Pen {
            speech,
            timing,
            now_us: 0,
            called_us: None,
            cancelled_us: None,
            witnesses: 0,
            streams: None,
            opened: 0,
            said: Vec::new(),
        }
    }

    fn open(&mut self) {
        for (side, text) in self.speech.opening() {
            self.say(side, text);
        }
    }

    fn say(&mut self, side: Side, text: String) {
        if side == Side::Server {
            self.now_us += STEP_US;
        }
        let stream = self.streams.is_some().then(|| self.stream_of(side, &text));
        self.said.push(Said { stream, ..Said::message(self.now_us, side, text) });
    }

    /// What a client says goes on a stream of its own; what answers it comes there.
    fn stream_of(&mut self, side: Side, text: &str) -> u32 {
        let id = splice::at(text, "/id").unwrap_or_default().to_string();
        let Some(streams) = self.streams.as_mut() else { return 0 };
        if let (Side::Server, Some(stream)) = (side, streams.get(&id)) {
            return *stream;
        }
        self.opened += 1;
        streams.insert(id, self.opened);
        self.opened
    }

    /// The client does something to the stream of a request.
    fn act(&mut self, does: Does, id: &str) -> Option<()> {
        let streams = self.streams.as_mut()?;
        if does == Does::TakesUp {
            self.opened += 1;
            streams.insert(id.to_string(), self.opened);
        }
        let stream = streams.get(id).copied();
        self.said.push(Said { does, stream, ..Said::message(self.now_us, Side::Client, String::new()) });
        Some(())
    }

    fn client(&mut self, text: String) -> Option<()> {
        self.say(Side::Client, text);
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let (when, word) = match word.split_once("% ") {
            Some((percent, word)) => (percent.parse::<i64>().ok(), word),
            None => (None, word),
        };
        if let (Some(percent), Some(called)) = (when, self.called_us) {
            let after = self.timing.natural_us * percent / 100 * self.timing.part / 100;
            self.now_us = self.now_us.max(called + after);
        }
        let (name, rest) = word.split_once(' ').unwrap_or((word, ""));
        let profile = self.speech.profile;
        match name {
            "hello" => self.client(profile.hello(HELLO).into_iter().next()?.1),
            "welcome" => {
                for (side, text) in profile.hello(HELLO).into_iter().skip(1) {
                    self.say(side, text);
                }
                Some(())
            }
            "call" => self.call(rest),
            "greet" => {
                for (side, text) in profile.hello(HELLO) {
                    self.say(side, text);
                }
                // Where there is no handshake the first request takes its place.
                if self.said.is_empty() { self.witness() } else { Some(()) }
            }
            "cancel" => self.cancel(if rest == "HELLO" { HELLO } else { rest }),
            "malformed" => {
                let params = rest.replace("ID", profile.probing_cancel().1);
                self.client(profile.cancel_with((!rest.is_empty()).then_some(params.as_str())))
            }
            "request" => {
                let (own, id) = rest.split_once(' ')?;
                self.client(profile.cancel_as_request(own, id))
            }
            "task" => {
                let call = self.speech.slow.as_ref()?;
                self.called_us.get_or_insert(self.now_us);
                let (asks, made) = profile.task_call(rest, &call.method, &call.params)?;
                self.both(asks, made)
            }
            "tasks/cancel" | "tasks/get" => {
                let (id, status) = rest.split_once(' ')?;
                let (asks, told) = profile.task_ask(id, name, status)?;
                self.both(asks, told)
            }
            "question" => self.question(),
            "end-turn" => {
                self.cancelled_us.get_or_insert(self.now_us);
                self.client(profile.turn_cancel()?)
            }
            "turned" => {
                let text = profile.turn_cancelled(rest)?;
                self.say(Side::Server, text);
                Some(())
            }
            "progress" => {
                let text = profile.progress_of(&token(rest))?;
                // A cancel behind it waits for as long as it may take.
                let due = self.called_us.unwrap_or(self.now_us) + self.timing.progress_us;
                self.now_us = self.now_us.max(due);
                self.say(Side::Server, text);
                Some(())
            }
            "drop" => {
                self.cancelled_us.get_or_insert(self.now_us);
                self.act(Does::Drops, rest)
            }
            // Where that was the cancel there is nothing to take up.
            "take-up" if profile.stream_close_cancels => Some(()),
            "take-up" => self.act(Does::TakesUp, rest).and_then(|()| self.answer(rest)),
            "answer" => self.answer(rest),
            "settle" => self.settle(rest),
            "refuse" => {
                let error = r#"{"code":-32601,"message":"Method not found"}"#;
                self.say(Side::Server, format!(r#"{{"jsonrpc":"2.0","id":{rest},"error":{error}}}"#));
                Some(())
            }
            "witness" => self.witness(),
            "soon" => self.wait_until(self.now_us + SOON_US),
            "watch" => {
                let natural = self.called_us.map_or(0, |at| at + self.timing.natural_us * 3 / 2);
                let cancelled = self.cancelled_us.map_or(0, |at| at + WATCH_US);
                self.wait_until(natural.max(cancelled))
            }
            "calls" => (0..self.timing.storm).try_for_each(|nth| self.call(&(STORM + nth).to_string())),
            "cancels" => (0..self.timing.storm).try_for_each(|nth| self.cancel(&(STORM + nth).to_string())),
            "settles" => (0..self.timing.storm).try_for_each(|nth| self.settle(&(STORM + nth).to_string())),
            "end" => Some(()),
            _ => None,
        }
    }

    fn call(&mut self, id: &str) -> Option<()> {
        let call = self.speech.slow.as_ref()?;
        self.called_us.get_or_insert(self.now_us);
        self.client(self.speech.profile.request(id, &call.method, &call.params, Some(&token(id))))
    }

    fn both(&mut self, asks: String, told: String) -> Option<()> {
        self.say(Side::Client, asks);
        self.say(Side::Server, told);
        Some(())
    }

    /// The server asks, nobody answers, and time passes.
    fn question(&mut self) -> Option<()> {
        let Question { method, params, after_us } = self.speech.question.as_ref()?;
        let called = self.called_us.unwrap_or(self.now_us);
        self.now_us = self.now_us.max(called + after_us);
        self.say(
            Side::Server,
            format!(r#"{{"jsonrpc":"2.0","id":{QUESTION},"method":{},"params":{params}}}"#, splice::quote(method)),
        );
        self.now_us += ASKED_US.max(*after_us);
        Some(())
    }

    fn cancel(&mut self, id: &str) -> Option<()> {
        self.cancelled_us.get_or_insert(self.now_us);
        self.client(self.speech.profile.cancel_of(id))
    }

    fn answer(&mut self, id: &str) -> Option<()> {
        let done = self.called_us.unwrap_or(self.now_us) + self.timing.natural_us;
        self.now_us = self.now_us.max(done);
        self.say(Side::Server, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        Some(())
    }

    fn settle(&mut self, id: &str) -> Option<()> {
        if self.speech.profile.cancel.is_none() {
            // A cancel that the protocol does not know ends nothing.
            return self.answer(id);
        }
        if let Some(text) = self.speech.profile.cancelled_answer(id) {
            self.say(Side::Server, text);
        }
        Some(())
    }

    fn witness(&mut self) -> Option<()> {
        self.witnesses += 1;
        let id = WITNESSES + self.witnesses;
        let witness = self.speech.profile.witness();
        self.client(format!(r#"{{"jsonrpc":"2.0","id":{id},{witness}}}"#))?;
        self.say(Side::Server, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        Some(())
    }

    fn wait_until(&mut self, at_us: i64) -> Option<()> {
        self.now_us = self.now_us.max(at_us);
        self.witness()
    }
}

/// The progress token of a request.
fn token(id: &str) -> String {
    format!("\"{TOKEN}{}\"", id.replace('"', ""))
}

/// The recording as text, in the form of `record`.
pub fn capture(speech: &Speech, said: &[Said]) -> String {
    let proto = speech.profile.name;
    let transport = if said.iter().any(|said| said.stream.is_some()) { "http" } else { "stdio" };
    let mut out = format!(
        r#"{{"rec":1,"tool":"rpctape conform","session":"probe","part":1,"t0":"2026-01-01T00:00:00.000000Z","clock":"monotonic","proto":"{proto}","transport":"{transport}","vantage":"client"}}"#
    );
    out.push('\n');
    let mut number = 0;
    let mut line = |at_us: i64, rest: String| {
        number += 1;
        let _ = writeln!(out, r#"{{"q":{number},"t":{at_us},{rest}}}"#);
    };
    line(0, r#""k":"open","c":1,"by":"c""#.to_string());
    for said in said {
        for event in events(said) {
            line(said.at_us, event);
        }
    }
    let end_us = said.last().map_or(0, |last| last.at_us) + STEP_US;
    line(end_us, r#""k":"close","c":1,"by":"c","how":"eof""#.to_string());
    line(end_us, format!(r#""k":"end","msgs":{},"lost":0"#, said.len()));
    out
}

/// What a recorder would have written of it.
fn events(said: &Said) -> Vec<String> {
    let on = said.stream.map_or(String::new(), |stream| format!(r#","s":{stream}"#));
    match said.does {
        Does::Says => {
            let from = if said.side == Side::Client { "c" } else { "s" };
            let (bytes, text) = (said.text.len(), splice::quote(&said.text));
            vec![format!(r#""k":"msg","c":1{on},"d":"{from}","n":{bytes},"b":{text}"#)]
        }
        Does::Ends => vec![r#""k":"exit","c":1,"code":1"#.to_string()],
        Does::Drops => vec![format!(r#""k":"close","c":1{on},"by":"c","how":"reset""#)],
        Does::TakesUp => vec![
            format!(r#""k":"open","c":1{on},"by":"c""#),
            format!(r#""k":"http","c":1{on},"d":"c","h":{{"method":"GET","headers":{{"last-event-id":"1"}}}}"#),
        ],
    }
}
