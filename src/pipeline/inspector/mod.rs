//! Holds payloads against schemas, where a run asks for it (`--schema`): those of the protocol, and those that a peer declared.
//!
//! The fold and the rules read facts. This reads the text of each message once more while it passes, beside the events that the fold
//! makes of it, and says what it saw as an event; what that means is said by the rules.

mod payload;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::capture::{Body, Frame};
use crate::jsonrpc::Kind;
use crate::protocol::{Profile, is_placeholder};
use crate::session::{Event, Exchange, FrameId, Part, Seen, Shape, What};
use crate::shape::Fault;
use payload::Payload;
use tools::Tools;

/// How many texts of a connection wait at most for the fold to tell of their messages; more it never holds back.
const WAITING: usize = 4096;

/// What a schema says of a message.
#[derive(Debug)]
struct Held {
    part: Part,
    faults: Vec<String>,
    declared: Option<Seen>,
    doubt: Option<&'static str>,
    /// The revision whose schema it is.
    profile: &'static Profile,
}

/// What is known of one connection.
#[derive(Default)]
struct Lane {
    /// Texts of messages of which the fold has not told yet.
    waiting: VecDeque<(FrameId, Payload)>,
    /// The text of the message that the fold tells of now.
    current: Option<(FrameId, Payload)>,
    tools: Tools,
}

/// Reads texts beside the fold.
#[derive(Default)]
pub struct Inspector {
    lanes: FxHashMap<u32, Lane>,
}

impl Inspector {
    /// A frame, before the fold takes it.
    pub fn frame(&mut self, id: FrameId, connection: u32, frame: &Frame<'_>) {
        let waiting = match &frame.body {
            Body::Message(_) | Body::Batch { .. } => &mut self.lanes.entry(connection).or_default().waiting,
            _ => return,
        };
        match &frame.body {
            Body::Message(captured) => {
                let translated = captured.json.is_some();
                waiting.push_back((id, Payload::new(captured.json.unwrap_or(captured.text), translated)));
            }
            Body::Batch { text, members } => {
                for (number, (range, _)) in members.iter().enumerate() {
                    let member = text.get(range.clone()).unwrap_or("");
                    waiting.push_back((id + 1 + number as FrameId, Payload::new(member, false)));
                }
            }
            _ => {}
        }
        while waiting.len() > WAITING {
            waiting.pop_front();
        }
    }

    /// Tells what schemas say of the message that an event is about, as events.
    pub fn look(&mut self, event: &Event<'_>, mut tell: impl FnMut(&Event<'_>)) {
        let (method, exchange) = match event.what {
            What::Message { message, .. } => (message.method(), None),
            What::Request { exchange, .. } | What::Answer { exchange, .. } => (&*exchange.method, Some(exchange)),
            What::End => return drop(self.lanes.remove(&event.connection.id)),
            _ => return,
        };
        let Some(lane) = self.lanes.get_mut(&event.connection.id) else { return };
        for Held { part, faults, declared, doubt, profile } in lane.look(event) {
            let shape = Shape { part, method, exchange, declared, faults: &faults, doubt };
            tell(&Event { profile, what: What::Shape(shape), ..*event });
        }
    }
}

impl Lane {
    fn look(&mut self, event: &Event<'_>) -> Vec<Held> {
        match event.what {
            What::Message { message, .. } => {
                self.step(event.seen.frame);
                match message.kind {
                    Kind::Notification => self.notification(event, message.method()),
                    _ => Vec::new(),
                }
            }
            What::Request { exchange, .. } => self.request(event, exchange),
            What::Answer { exchange, message, .. } if message.kind == Kind::Result => self.result(event, exchange),
            _ => Vec::new(),
        }
    }

    /// Turns to the message of a frame.
    fn step(&mut self, frame: FrameId) {
        self.current = None;
        while self.waiting.front().is_some_and(|(id, _)| *id <= frame) {
            self.current = self.waiting.pop_front();
        }
    }

    /// The text of the message that an event is about, where that is the one that passes.
    fn payload(&mut self, event: &Event<'_>) -> Option<&mut Payload> {
        self.current.as_mut().filter(|(id, _)| *id == event.seen.frame).map(|(_, payload)| payload)
    }

    fn notification(&mut self, event: &Event<'_>, method: &str) -> Vec<Held> {
        if method == tools::CHANGED {
            self.tools.changed();
        }
        let Some(payload) = self.payload(event) else { return Vec::new() };
        params(event, method, payload).into_iter().collect()
    }

    fn request(&mut self, event: &Event<'_>, exchange: &Exchange) -> Vec<Held> {
        let Some((_, payload)) = self.current.as_mut().filter(|(id, _)| *id == event.seen.frame) else {
            return Vec::new();
        };
        self.tools.request(exchange, payload);
        params(event, &exchange.method, payload).into_iter().collect()
    }

    fn result(&mut self, event: &Event<'_>, exchange: &Exchange) -> Vec<Held> {
        let Some((_, payload)) = self.current.as_mut().filter(|(id, _)| *id == event.seen.frame) else {
            return Vec::new();
        };
        let mut held: Vec<Held> = result(event, exchange, payload).into_iter().collect();
        let doubt = doubt(event, payload);
        held.extend(
            self.tools
                .answer(event, exchange, payload)
                .into_iter()
                .map(|held| Held { doubt: held.doubt.or(doubt), ..held }),
        );
        held
    }
}

/// Parameters, against the schema of the revision.
fn params(event: &Event<'_>, method: &str, payload: &mut Payload) -> Option<Held> {
    let profile = event.profile;
    // What is wrong with a cancel is said by rules of its own.
    if profile.cancel.is_some_and(|(cancel, _)| cancel == method) {
        return None;
    }
    let shapes = profile.shapes()?;
    let shape = shapes.method(method)?;
    let empty = Value::Object(Default::default());
    // What a logger adds, or leaves out where it is empty, is not held against anybody; nor is nothing in an object where nothing is due.
    let void = shapes.faults(&Value::Null, &shape.params, ("", ""), &spared).is_empty();
    let none = |params: &&Value| {
        let list = profile.empty_list_is_none() && **params == Value::Array(Vec::new());
        params.is_null() || list || void && **params == empty
    };
    let faults = match payload.member("params")?.filter(|params| !none(params)) {
        None if shape.optional || shapes.takes_nothing(&shape.params) => Vec::new(),
        None => shapes.faults(&empty, &shape.params, ("params", ""), &spared),
        Some(params) => shapes.faults(params, &shape.params, ("params", ""), &spared),
    };
    Some(held(Part::Params, profile, &faults, doubt(event, payload)))
}

/// A result, against the schema of the revision.
fn result(event: &Event<'_>, exchange: &Exchange, payload: &mut Payload) -> Option<Held> {
    // The answer to a handshake is of the revision that it names.
    let handshake = event.profile.opening.initialize == Some(&*exchange.method);
    let profile = if handshake { event.connection.profile } else { event.profile };
    let shapes = profile.shapes()?;
    let shape = shapes.method(&exchange.method)?.result.as_ref()?;
    let faults = match payload.member("result")?? {
        result if profile.revision_per_request && is_of_extension(result) => return None,
        Value::Null if profile.null_is_empty() && shapes.takes_nothing(shape) => Vec::new(),
        result => shapes.faults(result, shape, ("result", ""), &spared),
    };
    Some(held(Part::Result, profile, &faults, doubt(event, payload)))
}

/// True for a result whose type is none of the protocol's own, as of a task: what is in it is for an extension to say (MCP 2026-07-28).
fn is_of_extension(result: &Value) -> bool {
    result["resultType"].as_str().is_some_and(|kind| !matches!(kind, "complete" | "input_required"))
}

fn held(part: Part, profile: &'static Profile, faults: &[Fault], doubt: Option<&'static str>) -> Held {
    Held { part, faults: faults.iter().map(ToString::to_string).collect(), declared: None, doubt, profile }
}

/// Why a fault may be the log's, or the guess of a revision's.
fn doubt(event: &Event<'_>, payload: &Payload) -> Option<&'static str> {
    if payload.translated {
        Some("the log has the message in another notation than JSON, in which values may look alike that are not")
    } else if payload.is_blotted() {
        Some("a filter has taken something out of the message")
    } else if event.ledger.revision_is_untold(event.seen.frame) {
        Some("the log does not tell which revision is spoken, and their schemas differ")
    } else {
        None
    }
}

/// True for a string that a filter wrote.
fn spared(text: &str) -> bool {
    is_placeholder(&Value::from(text).to_string())
}
