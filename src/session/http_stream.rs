//! One POST, GET or DELETE, as rules see it.

use super::seen::{FrameId, Seen};
use crate::jsonrpc::Id;
use crate::protocol::http::{EVENT_STREAM, HeadFault, RequestHead, ResponseHead};

/// One POST, GET or DELETE and what its response carries, as far as the log shows it.
#[derive(Clone, Debug, Default)]
pub struct HttpStream {
    /// The head of the request.
    pub request: Option<(Seen, RequestHead)>,
    /// The head of the response, unless a proxy made it.
    pub response: Option<(Seen, ResponseHead)>,
    /// How many requests its body holds.
    pub requests: u32,
    /// How many notifications and responses its body holds.
    pub others: u32,
    /// The last of those.
    pub told: Option<FrameId>,
    /// Requests of other streams that were answered on it, the first of them.
    pub brought: Vec<Id>,
    /// True once it was closed.
    pub closed: bool,
    /// What its server must refuse it for.
    pub fault: Option<HeadFault>,
}

impl HttpStream {
    /// The verb of the request.
    pub fn verb(&self) -> Option<&str> {
        self.request.as_ref().map(|(_, head)| &*head.verb)
    }

    /// The status of the response.
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|(_, head)| head.status)
    }

    /// True if the request names event streams among what it accepts.
    pub fn asks_for_events(&self) -> bool {
        let accept = self.request.as_ref().and_then(|(_, head)| head.accept.as_deref());
        accept.is_some_and(|accept| accept.to_ascii_lowercase().contains(EVENT_STREAM))
    }

    /// True for a POST with a request that is answered by a stream of events.
    pub fn streams(&self) -> bool {
        let answered = self.response.as_ref().filter(|(_, head)| head.status == 200 && head.content_type.is_some());
        let posted = self.verb() == Some("POST") && self.requests > 0;
        posted && answered.is_some_and(|(_, head)| head.is_of(&[EVENT_STREAM]))
    }

    /// True for a GET that has opened a stream of events, and of which the log shows what it accepts.
    pub fn opens_events(&self) -> bool {
        let accepts = self.request.as_ref().is_some_and(|(_, head)| &*head.verb == "GET" && head.accept.is_some());
        let answered = self.response.as_ref().filter(|(_, head)| head.status == 200 && head.content_type.is_some());
        accepts && answered.is_some_and(|(_, head)| head.is_of(&[EVENT_STREAM]))
    }

    /// True for a GET that opens a stream of its own; one that resumes another goes on with that one's messages.
    pub fn listens(&self) -> bool {
        self.request.as_ref().is_some_and(|(_, head)| &*head.verb == "GET" && !head.resumes)
    }
}

/// Headers that some request of the client had: the log keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `Mcp-Session-Id`, after the server had issued one.
    pub session: bool,
    /// `MCP-Protocol-Version`.
    pub revision: bool,
    /// `Mcp-Method`.
    pub method: bool,
    /// `Mcp-Name`.
    pub name: bool,
}

impl Shown {
    /// None so far.
    pub const NONE: Shown = Shown { session: false, revision: false, method: false, name: false };
}
