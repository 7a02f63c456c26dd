//! What is wrong with payloads of LSP, beyond their shapes: edits and ranges of answers, and what else the pages say of their members.
//!
//! A member that is not there, or is not of its type, is the schema's affair.

mod edits;
mod items;

use serde_json::Value;

use crate::jsonrpc::{Kind, Message};
use crate::protocol::Facts;
use crate::protocol::flaw::{Flaw, Flaws};

/// What is wrong with a message; `asked` is the method of the request that a response answers.
pub(in crate::protocol) fn of(message: &Message<'_>, facts: &Facts<'_>, asked: Option<&str>) -> Vec<Flaw> {
    let mut flaws = Flaws::default();
    if facts.is_brief {
        return flaws.0;
    }
    let read = |member: &str| {
        let message: Value = serde_json::from_str(facts.message()).unwrap_or_default();
        message.get(member).cloned().unwrap_or_default()
    };
    match (message.kind, message.method()) {
        (Kind::Request, "workspace/applyEdit") => edits::workspace(&read("params")["edit"], &mut flaws),
        (Kind::Notification, "notebookDocument/didOpen") => items::cells(&read("params"), &mut flaws),
        (Kind::Notification, "$/progress") if Facts::is(facts.value_kind(), "begin") => {
            items::begins(&read("params")["value"], &mut flaws);
        }
        (Kind::Result, _) => match asked {
            Some("textDocument/selectionRange") => edits::selections(&read("result"), &mut flaws),
            Some("textDocument/completion") => items::completions(&read("result"), &mut flaws),
            Some("completionItem/resolve") => items::completion(&read("result"), &mut flaws),
            Some("textDocument/signatureHelp") => items::signatures(&read("result"), &mut flaws),
            Some("textDocument/documentSymbol") => items::symbols(&read("result"), &mut flaws),
            Some("textDocument/codeAction") => items::actions(&read("result"), &mut flaws),
            Some("codeAction/resolve") => items::resolved(&read("result"), &mut flaws),
            Some("textDocument/rename") => edits::workspace(&read("result"), &mut flaws),
            _ => {}
        },
        _ => {}
    }
    flaws.0
}
