//! The second look at a payload, by the family of its protocol.

use super::flaw::Flaw;
use super::{Facts, Family, Profile, acp, lsp, mcp};
use crate::jsonrpc::Message;

/// True if there is something wrong with a message in some revision, whatever it answers. Answers of language servers are known by what was
/// asked alone.
pub(super) fn any(message: &Message<'_>, facts: &Facts<'_>) -> bool {
    mcp::flaws::any(message, facts)
        || !acp::flaws::of(message, facts).is_empty()
        || !lsp::flaws::of(message, facts, None).is_empty()
}

impl Profile {
    /// What is wrong with the payload of a message; `asked` is the method of the request that a response answers.
    pub fn flaws(&self, message: &Message<'_>, facts: &Facts<'_>, asked: Option<&str>) -> Vec<Flaw> {
        let mut found = match self.family {
            Family::Mcp => mcp::flaws::of(message, facts, asked),
            Family::Lsp => lsp::flaws::of(message, facts, asked),
            Family::Acp => acp::flaws::of(message, facts),
            _ => Vec::new(),
        };
        found.retain(|flaw| self.ruling(flaw.ruling).is_some());
        found
    }
}
