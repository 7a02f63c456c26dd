//! What a comparison of two answers has to know of the protocol: lists that are maps in disguise, values that say
//! nothing, and how an exchange may end after it was cancelled.

use super::{AfterCancel, Family, Mechanism, Profile};

/// How an exchange ended, as far as a cancel of it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// No answer.
    Silence,
    /// A result.
    Result,
    /// A result that names the stop reason `cancelled`.
    CancelledStop,
    /// The error that the protocol has for cancelled requests.
    CancelledError,
    /// Any other error.
    OtherError,
}

impl Ending {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Ending::Silence => "no answer",
            Ending::Result => "a result",
            Ending::CancelledStop => "a result that says cancelled",
            Ending::CancelledError => "the cancelled error",
            Ending::OtherError => "another error",
        }
    }
}

/// Lists of results whose members have a key of their own: pointer of the list, pointer of the key in a member.
const KEYED: &[(&str, &str)] = &[
    ("/result/tools", "/name"),
    ("/result/prompts", "/name"),
    ("/result/resources", "/uri"),
    ("/result/resourceTemplates", "/uriTemplate"),
];

/// Strings that often hold JSON: content blocks of results.
const TEXTS: &[&str] = &["/result/content/*/text", "/result/contents/*/text", "/result/messages/*/content/text"];

impl Profile {
    /// Lists that are compared as maps: pattern of the list, pointer of the key within a member.
    pub fn keyed_lists(&self) -> &'static [(&'static str, &'static str)] {
        if self.family == Family::Mcp { KEYED } else { &[] }
    }

    /// Patterns of strings that are compared as JSON where both hold JSON.
    pub fn json_texts(&self) -> &'static [&'static str] {
        if self.family == Family::Mcp { TEXTS } else { &[] }
    }

    /// Members of a result's `_meta` that are compared; the others say nothing about the answer.
    pub fn compared_meta(&self) -> &'static [&'static str] {
        if self.family == Family::Mcp { &["io.modelcontextprotocol/related-task"] } else { &[] }
    }

    /// Members of a result that may differ from one run to the next without any meaning: a note, never a change.
    pub fn volatile_members(&self) -> &'static [&'static str] {
        if self.family == Family::Mcp { &["ttlMs"] } else { &[] }
    }

    /// Members whose value is the server's own business: never printed.
    pub fn opaque_members(&self) -> &'static [&'static str] {
        if self.family == Family::Mcp { &["requestState"] } else { &[] }
    }

    /// True if two error codes mean the same: what one revision calls -32002 the next calls -32602.
    pub fn same_error(&self, method: &str, a: i64, b: i64) -> bool {
        let not_found = [-32002, -32602];
        a == b
            || self.family == Family::Mcp
                && method == "resources/read"
                && not_found.contains(&a)
                && not_found.contains(&b)
    }

    /// How an exchange ended: `answer` is the error code of an error (`Some(None)` where it has none), or the stop reason of a result.
    pub fn ending(&self, error: Option<Option<i64>>, stop_reason: Option<&str>) -> Ending {
        match error {
            Some(code) if code.is_some() && code == self.cancelled_code => Ending::CancelledError,
            Some(_) => Ending::OtherError,
            None if self.turns && stop_reason == Some("cancelled") => Ending::CancelledStop,
            None => Ending::Result,
        }
    }

    /// True if an exchange that was cancelled by this mechanism may end so; `None` where the protocol does not say.
    pub fn permits(&self, mechanism: Mechanism, ending: Ending) -> Option<bool> {
        match (mechanism, self.after_cancel) {
            // The answer to the request stood before; what the cancel of a task or of a progress bar does shows elsewhere.
            (Mechanism::TasksCancel | Mechanism::WorkDoneProgressCancel, _) => None,
            (Mechanism::SessionCancel, _) => Some(ending == Ending::CancelledStop),
            (_, AfterCancel::Silence) => Some(ending == Ending::Silence),
            (_, AfterCancel::Answer) => Some(!matches!(ending, Ending::Silence | Ending::OtherError)),
            (_, AfterCancel::Undefined) => None,
        }
    }

    /// The mechanism of a cancel by its method; the close of a stream has none.
    pub fn mechanism(&self, method: Option<&str>) -> Option<Mechanism> {
        Some(match method {
            None => Mechanism::StreamClose,
            Some("notifications/cancelled" | "cancelled") => Mechanism::NotificationsCancelled,
            Some("$/cancelRequest") => Mechanism::CancelRequest,
            Some("$/cancel_request") => Mechanism::CancelRequestSnake,
            Some("session/cancel") => Mechanism::SessionCancel,
            Some("tasks/cancel") => Mechanism::TasksCancel,
            Some("cancel") if self.cancels_by_request() => Mechanism::CancelCommand,
            Some("window/workDoneProgress/cancel") => Mechanism::WorkDoneProgressCancel,
            Some(_) => return None,
        })
    }

    /// True if a request stays open by design.
    pub fn stays_open(&self, method: &str) -> bool {
        self.method(method).is_some_and(|method| method.long_lived)
    }

    /// True for the request that opens a connection, or asks what the server is.
    pub fn is_handshake(&self, method: &str) -> bool {
        self.opening.initialize == Some(method) || method == "initialize" || method == "server/discover"
    }
}
