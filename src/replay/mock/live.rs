//! A request of the live client, and the recorded text made to fit it: its id and its tokens, spliced in byte for byte.

use std::ops::Range;

use crate::jsonrpc::{Id, Message};
use crate::protocol::Facts;
use crate::replay::splice::Edits;

/// The names that a live client gave one request.
#[derive(Clone, Debug)]
pub(super) struct Live {
    /// Its id as it was spelled.
    pub(super) id_text: String,
    /// Its id.
    pub(super) id: Option<Id>,
    /// The HTTP stream that carried it.
    pub(super) stream: Option<u32>,
    /// Its tokens.
    pub(super) tokens: Tokens,
    /// The turn that it opens or belongs to.
    pub(super) session: Option<String>,
}

/// Tokens of a request as JSON text: progress (MCP), work done, partial result (LSP).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens([Option<String>; 3]);

impl Tokens {
    pub(super) fn of(facts: &Facts<'_>) -> Tokens {
        let all = [facts.progress_token(), facts.work_done_token(), facts.partial_result_token()];
        Tokens(all.map(|token| token.map(str::to_string)))
    }

    /// True if one of them has this value.
    pub(super) fn has(&self, token: &Id) -> bool {
        self.0.iter().flatten().any(|own| Id::from_json(own).as_ref() == Some(token))
    }
}

impl Live {
    pub(super) fn of(message: &Message<'_>, facts: &Facts<'_>, stream: Option<u32>) -> Live {
        Live {
            id_text: message.id_text.unwrap_or("null").to_string(),
            id: message.id.value().cloned(),
            stream,
            tokens: Tokens::of(facts),
            session: facts.session_id().map(str::to_string),
        }
    }
}

/// What stands where, in a recorded message that is to be sent.
pub(super) struct Fitting<'a> {
    text: &'a str,
    edits: Edits,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(text: &'a str) -> Fitting<'a> {
        Fitting { text, edits: Edits::default() }
    }

    /// Puts `new` in the place of a part of the text.
    pub(super) fn put(&mut self, part: &str, new: &str) {
        if let Some(range) = self.range(part) {
            self.edits.put(range, new);
        }
    }

    /// Puts the live token in the place of the recorded one that stands at `part`. False if the client gave none: then
    /// nobody waits for the message.
    pub(super) fn token(&mut self, part: &str, recorded: &Tokens, live: &Tokens) -> bool {
        let value = Id::from_json(part);
        let kind = recorded.0.iter().position(|token| token.as_deref().and_then(Id::from_json) == value);
        match kind.filter(|_| value.is_some()).map(|kind| &live.0[kind]) {
            Some(Some(token)) => self.put(part, token),
            Some(None) => return false,
            None => {}
        }
        true
    }

    /// Puts the live id in every place that names the request: `id`, `requestId`, a subscription.
    pub(super) fn id(&mut self, part: Option<&str>, recorded: &str, live: &str) {
        if let Some(part) = part.filter(|part| Id::from_json(part) == Id::from_json(recorded)) {
            self.put(part, live);
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.edits.apply(self.text).into_bytes()
    }

    /// The bytes of a part of the text; `None` for one that is not of it.
    fn range(&self, part: &str) -> Option<Range<usize>> {
        let from = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (from + part.len() <= self.text.len()).then(|| from..from + part.len())
    }
}
