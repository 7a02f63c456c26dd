//! The version that each side names in the handshake.

use super::Flaws;
use crate::protocol::Facts;

/// A request for a handshake.
pub(super) fn asked(facts: &Facts<'_>, flaws: &mut Flaws) {
    // The handshake of LSP has the same method.
    flaws.add_if(!facts.lsp_initialize && !is_named(facts), "PAY013", || unnamed("the client"));
}

/// Its answer; where it is not known what is answered, one that declares and introduces.
pub(super) fn answered(facts: &Facts<'_>, asked: Option<&str>, flaws: &mut Flaws) {
    let introduces = facts.capabilities().is_some() && facts.peer().is_some() && facts.result_type().is_none();
    let answers = asked.map_or(introduces, |asked| asked == "initialize");
    flaws.add_if(answers && !is_named(facts), "PAY013/server", || unnamed("the server"));
}

fn is_named(facts: &Facts<'_>) -> bool {
    facts.revision().is_some_and(|raw| raw.starts_with('"') && raw != "\"\"")
}

fn unnamed(side: &str) -> String {
    format!("{side} names no protocol version in the handshake")
}
