//! Schemas that a peer declared on a connection: of its tools, and of the forms that it asks users to fill in.

use std::collections::BTreeMap;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use serde_json::Value;

use super::payload::Payload;
use super::{Held, held, spared};
use crate::protocol::Profile;
use crate::session::{Event, Exchange, FrameId, Part, Seen};
use crate::shape::{Declared, Fault};

/// The notification that the tools are others now.
pub(super) const CHANGED: &str = "notifications/tools/list_changed";

/// How many tools of a connection are remembered.
const TOOLS: usize = 1_024;
/// How long a schema may be, as text.
const LONG: usize = 256 * 1024;
/// How long all of them together.
const LONG_TOGETHER: usize = 4 * 1024 * 1024;
/// How many calls and forms that wait for their answer are remembered.
const WAITING: usize = 1_024;

/// One tool, as it was declared last.
struct Tool {
    declared: Seen,
    /// The schemas as a number, to tell whether it was declared anew.
    digest: u64,
    input: Option<Declared>,
    output: Option<Declared>,
    /// True if it was declared before, and otherwise.
    differs: bool,
}

/// What a connection declared.
#[derive(Default)]
pub(super) struct Tools {
    tools: FxHashMap<String, Tool>,
    /// How much text their schemas are.
    text: usize,
    /// There was no room for the schemas of a tool.
    left_out: LeftOut,
    /// True if the server said that they changed, and has not listed them since.
    stale: bool,
    /// Calls in flight, with what is wrong with their arguments; `None` where nothing is.
    calls: BTreeMap<FrameId, Call>,
    /// Forms in flight.
    forms: BTreeMap<FrameId, Declared>,
    /// There was no room for a call or a form in flight.
    forgot: [LeftOut; 2],
}

/// Whether something was left out for want of room, and whether that was said.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LeftOut {
    #[default]
    None,
    Some,
    Told,
}

impl LeftOut {
    fn note(&mut self) {
        if *self == LeftOut::None {
            *self = LeftOut::Some;
        }
    }

    /// True once, where something was left out.
    fn tell(&mut self) -> bool {
        let tells = *self == LeftOut::Some;
        if tells {
            *self = LeftOut::Told;
        }
        tells
    }
}

/// Why a tool was held against nothing.
const TOO_MANY_TOOLS: &str = "the server declared more than is kept";
/// Why a call or a form was.
const TOO_MANY_CALLS: &str = "more requests were in flight than are kept";

struct Call {
    declared: Seen,
    faults: Vec<Fault>,
}

impl Tools {
    /// The tools are others now.
    pub(super) fn changed(&mut self) {
        self.stale = true;
    }

    /// A request: a call's arguments, or a form.
    pub(super) fn request(&mut self, exchange: &Exchange, payload: &mut Payload) {
        let frame = exchange.request.frame;
        match &*exchange.method {
            "tools/call" => {
                let Some(tool) = exchange.name.as_deref().and_then(|name| self.tools.get(name)) else { return };
                let Some(input) = &tool.input else { return };
                let empty = Value::Object(Default::default());
                let Some(Some(params)) = payload.member("params") else { return };
                let given = params.get("arguments").unwrap_or(&empty);
                let faults = input.faults(given, ("params.arguments", "inputSchema"), &spared);
                keep(&mut self.calls, &mut self.forgot[0], frame, Call { declared: tool.declared, faults });
            }
            "elicitation/create" => {
                let Some(Some(params)) = payload.member("params") else { return };
                if let Some(schema) = params.get("requestedSchema").filter(|schema| schema.is_object()) {
                    keep(&mut self.forms, &mut self.forgot[1], frame, Declared::of(schema));
                }
            }
            _ => {}
        }
    }

    /// A result: a list of tools, what a tool gave, or a form that was filled in.
    pub(super) fn answer(&mut self, event: &Event<'_>, exchange: &Exchange, payload: &mut Payload) -> Vec<Held> {
        let frame = exchange.request.frame;
        let (call, form) = (self.calls.remove(&frame), self.forms.remove(&frame));
        let Some(Some(result)) = payload.member("result") else { return Vec::new() };
        match &*exchange.method {
            "tools/list" => {
                self.declare(result, event.seen);
                Vec::new()
            }
            "tools/call" if is_final(result) && self.is_unknown(exchange) && self.left_out.tell() => {
                [Part::Input, Part::Output].map(|part| unheld(part, event.profile, TOO_MANY_TOOLS)).into()
            }
            "tools/call" if is_final(result) => {
                let input = match call {
                    Some(call) => Some(self.with(Part::Input, event.profile, call.declared, exchange, &call.faults)),
                    None if self.takes_input(exchange) && self.forgot[0].tell() => {
                        Some(unheld(Part::Input, event.profile, TOO_MANY_CALLS))
                    }
                    None => None,
                };
                input.into_iter().chain(self.output(event, exchange, result)).collect()
            }
            "elicitation/create" if is_accepted(result) => match form {
                Some(form) => vec![filled_in(event, exchange, &form, result)],
                None if self.forgot[1].tell() => vec![unheld(Part::Form, event.profile, TOO_MANY_CALLS)],
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// True for a call of a tool that may be one of those for which there was no room.
    fn is_unknown(&self, exchange: &Exchange) -> bool {
        exchange.name.as_deref().is_some_and(|name| !self.tools.contains_key(name))
    }

    /// True for a call of a tool whose arguments are held against a schema.
    fn takes_input(&self, exchange: &Exchange) -> bool {
        exchange.name.as_deref().and_then(|name| self.tools.get(name)).is_some_and(|tool| tool.input.is_some())
    }

    /// The structured content of a result, against what was declared.
    fn output(&self, event: &Event<'_>, exchange: &Exchange, result: &Value) -> Option<Held> {
        let tool = self.tools.get(exchange.name.as_deref()?)?;
        let output = tool.output.as_ref()?;
        let called = ("result.structuredContent", "outputSchema");
        let faults = match result.get("structuredContent") {
            Some(content) => output.faults(content, called, &spared),
            None => output.absent(called),
        };
        Some(self.with(Part::Output, event.profile, tool.declared, exchange, &faults))
    }

    fn with(
        &self,
        part: Part,
        profile: &'static Profile,
        declared: Seen,
        exchange: &Exchange,
        faults: &[Fault],
    ) -> Held {
        let differs = exchange.name.as_deref().and_then(|name| self.tools.get(name)).is_none_or(|tool| tool.differs);
        let doubt = if differs {
            Some("the server declared the tool more than once, and not the same")
        } else if self.stale {
            Some("the server said that its tools had changed, and did not list them again")
        } else if declared.frame > exchange.request.frame {
            Some("the tool was declared only after it was called")
        } else {
            None
        };
        Held { declared: Some(declared), ..held(part, profile, faults, doubt) }
    }

    /// Takes down the tools of a list. What there is no room for is not judged, and its first call says so.
    fn declare(&mut self, result: &Value, seen: Seen) {
        self.stale = false;
        for tool in result.get("tools").and_then(Value::as_array).into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let (input, output) = (schema_of(tool, "inputSchema"), schema_of(tool, "outputSchema"));
            let texts = [&input, &output].map(|schema| schema.map(Value::to_string).unwrap_or_default());
            let digest = digest(&texts);
            if let Some(known) = self.tools.get_mut(name).filter(|known| known.digest == digest) {
                known.declared = seen;
                continue;
            }
            let long: usize = texts.iter().map(String::len).sum();
            let differs = self.tools.contains_key(name);
            if self.tools.len() >= TOOLS || long > LONG || self.text + long > LONG_TOGETHER {
                self.tools.remove(name);
                self.left_out.note();
                continue;
            }
            self.text += long;
            let (input, output) = (input.map(Declared::of), output.map(Declared::of));
            self.tools.insert(name.to_string(), Tool { declared: seen, digest, input, output, differs });
        }
    }
}

/// That a part of a message was held against nothing.
fn unheld(part: Part, profile: &'static Profile, why: &'static str) -> Held {
    let declared = if part == Part::Form { "that it fills in" } else { "of its tool" };
    let faults = vec![format!("was not held against the schema {declared}")];
    Held { part, faults, declared: None, doubt: Some(why), profile }
}

/// What a user filled in, against what was asked for.
fn filled_in(event: &Event<'_>, exchange: &Exchange, form: &Declared, result: &Value) -> Held {
    let called = ("result.content", "requestedSchema");
    let faults = match result.get("content") {
        Some(content) => form.faults(content, called, &spared),
        None => form.absent(called),
    };
    Held { declared: Some(exchange.request), ..held(Part::Form, event.profile, &faults, None) }
}

/// True for a form that a user has filled in.
fn is_accepted(result: &Value) -> bool {
    result.get("action").and_then(Value::as_str) == Some("accept")
}

/// True for what a tool gave in the end, and not for an error, a task or a question.
fn is_final(result: &Value) -> bool {
    let says = |name: &str| result.get(name);
    says("isError").and_then(Value::as_bool) != Some(true)
        && says("task").is_none()
        && says("resultType").is_none_or(|kind| kind == "complete")
        && says("content").is_some()
}

fn schema_of<'t>(tool: &'t Value, name: &str) -> Option<&'t Value> {
    tool.get(name).filter(|schema| schema.is_object())
}

fn digest(texts: &[String]) -> u64 {
    let mut hasher = FxHasher::default();
    for text in texts {
        hasher.write(text.as_bytes());
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Keeps something until its answer comes; the oldest goes where there are too many, which is noted.
fn keep<T>(waiting: &mut BTreeMap<FrameId, T>, forgot: &mut LeftOut, frame: FrameId, what: T) {
    waiting.insert(frame, what);
    if waiting.len() > WAITING {
        waiting.pop_first();
        forgot.note();
    }
}
