//! Cancels as messages: which of them cancel what, and in whose dialect.

use super::{Facts, Profile, Raw};
use crate::jsonrpc::Id;

/// How a cancel reaches the peer; the names are those of the `cancellations` view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mechanism {
    /// MCP.
    NotificationsCancelled,
    /// LSP and the withdrawn ACP spelling.
    CancelRequest,
    /// ACP.
    CancelRequestSnake,
    /// ACP: ends a prompt turn.
    SessionCancel,
    /// MCP: a request that ends a task.
    TasksCancel,
    /// DAP: a request that names a request, progress, or both.
    CancelCommand,
    /// LSP: ends server-initiated progress.
    WorkDoneProgressCancel,
    /// MCP 2026-07-28 over HTTP: the response stream was closed by the client.
    StreamClose,
}

impl Mechanism {
    /// The name used in the database and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Mechanism::NotificationsCancelled => "notifications/cancelled",
            Mechanism::CancelRequest => "$/cancelRequest",
            Mechanism::CancelRequestSnake => "$/cancel_request",
            Mechanism::SessionCancel => "session/cancel",
            Mechanism::TasksCancel => "tasks/cancel",
            Mechanism::CancelCommand => "cancel",
            Mechanism::WorkDoneProgressCancel => "window/workDoneProgress/cancel",
            Mechanism::StreamClose => "stream-close",
        }
    }
}

/// What a cancel names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A request id.
    Request(Id),
    /// An ACP session, by its raw JSON text.
    Turn(&'a str),
    /// A task, by its raw JSON text.
    Task(&'a str),
    /// A progress token.
    Token(Id),
    /// Nothing usable: what is wrong, in words.
    Malformed(&'static str),
    /// `null` where the protocol's schema allows a null id: nothing usable, but not against the schema.
    Null,
}

/// One cancel as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelForm<'a> {
    /// How it is sent.
    pub mechanism: Mechanism,
    /// What it names.
    pub target: Target<'a>,
    /// The spelling of the target in the message, where there is one.
    pub target_text: Raw<'a>,
    /// True if the method is another protocol's or another revision's.
    pub foreign_method: bool,
    /// True if the id stands under another dialect's member name.
    pub foreign_member: bool,
    /// What is wrong with a cancel that names its request all the same, in words.
    pub flaw: Option<&'static str>,
}

const DIALECTS: [(&str, &str, Mechanism); 4] = [
    ("notifications/cancelled", "requestId", Mechanism::NotificationsCancelled),
    ("$/cancelRequest", "id", Mechanism::CancelRequest),
    ("$/cancel_request", "requestId", Mechanism::CancelRequestSnake),
    ("cancelled", "requestId", Mechanism::NotificationsCancelled),
];

/// Reads a notification (or, for `tasks/cancel`, a request) as a cancel. `None` if it is none in any dialect.
pub fn cancel_form<'a>(profile: &Profile, method: &str, facts: &Facts<'a>) -> Option<CancelForm<'a>> {
    let first = *method.as_bytes().first()?;
    if !matches!(first, b'n' | b'$' | b'c' | b's' | b't' | b'w') {
        return None;
    }
    match method {
        _ if profile.is_cancel_request(method) => return command(profile, facts),
        "session/cancel" if profile.turns => {
            return Some(feature(Mechanism::SessionCancel, facts.session_id(), Target::Turn));
        }
        "tasks/cancel" if profile.tasks => return Some(feature(Mechanism::TasksCancel, facts.task_id(), Target::Task)),
        "window/workDoneProgress/cancel" if profile.method(method).is_some() => {
            let target = match Facts::id(facts.token()) {
                Some(id) => Target::Token(id),
                None => Target::Malformed("the token is missing"),
            };
            let mechanism = Mechanism::WorkDoneProgressCancel;
            return Some(CancelForm {
                mechanism,
                target,
                target_text: facts.token(),
                foreign_method: false,
                foreign_member: false,
                flaw: None,
            });
        }
        _ => {}
    }
    let (_, native_member, mechanism) = *DIALECTS.iter().find(|(name, _, _)| *name == method)?;
    profile.cancel?;
    let own = profile.cancel.filter(|(own_method, _)| *own_method == method);
    let member = own.map_or(native_member, |(_, member)| member);
    let (own_raw, other_raw) =
        if member == "id" { (facts.param_id(), facts.request_id()) } else { (facts.request_id(), facts.param_id()) };
    let foreign_member = own_raw.is_none() && other_raw.is_some();
    let raw = own_raw.or(other_raw);
    // A reason is optional, and `null` is how many libraries write one that is not given.
    let reason = facts.reason().filter(|reason| *reason != "null" && !reason.starts_with('"'));
    let flaw = reason.filter(|_| method == "notifications/cancelled").map(|_| "the reason is not a string");
    let target = match raw {
        None if facts.shape == super::ParamsShape::Other => Target::Malformed("params is not an object"),
        None => Target::Malformed("the request id is missing"),
        Some(raw) => target_of(profile, raw),
    };
    Some(CancelForm { mechanism, target, target_text: raw, foreign_method: own.is_none(), foreign_member, flaw })
}

/// A cancel that is a request. One that names nothing cancels nothing, and says so.
fn command<'a>(profile: &Profile, facts: &Facts<'a>) -> Option<CancelForm<'a>> {
    let (target_text, target) = match (facts.request_id(), facts.token()) {
        (Some(raw), _) => (raw, target_of(profile, raw)),
        (None, Some(raw)) => {
            (raw, Facts::id(Some(raw)).map_or(Target::Malformed("the progress id is no string"), Target::Token))
        }
        (None, None) => return None,
    };
    Some(CancelForm {
        mechanism: Mechanism::CancelCommand,
        target,
        target_text: Some(target_text),
        foreign_method: false,
        foreign_member: false,
        flaw: None,
    })
}

fn target_of<'a>(profile: &Profile, raw: &str) -> Target<'a> {
    match Id::from_json(raw) {
        Some(id) if id.is_fractional() => Target::Malformed("the request id has a fraction"),
        Some(id) => Target::Request(id),
        None if raw == "null" && profile.null_id_in_schema => Target::Null,
        None if raw == "null" => Target::Malformed("the request id is null"),
        None => Target::Malformed("the request id is neither string nor number"),
    }
}

fn feature<'a>(mechanism: Mechanism, raw: Raw<'a>, target: fn(&'a str) -> Target<'a>) -> CancelForm<'a> {
    let target = match raw {
        Some(text) if text.starts_with('"') => target(text),
        Some(_) => Target::Malformed("the target is not a string"),
        None => Target::Malformed("the target is missing"),
    };
    CancelForm { mechanism, target, target_text: raw, foreign_method: false, foreign_member: false, flaw: None }
}
