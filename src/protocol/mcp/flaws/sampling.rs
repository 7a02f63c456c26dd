//! What a server asks a language model: messages, and the uses of tools among them.

use std::collections::HashSet;

use serde_json::Value;

use super::{Flaws, is_blotted, text};

/// The parameters of `sampling/createMessage`.
pub(super) fn request(params: &Value, flaws: &mut Flaws) {
    let Some(messages) = params["messages"].as_array() else { return };
    let mut open: Option<HashSet<&str>> = None;
    for message in messages.iter().filter(|message| message.is_object()) {
        envelope(message, flaws);
        let blocks = blocks(message);
        let is = |kind: &str| blocks.iter().filter(|block| block["type"] == kind).count();
        let (uses, results) = (is("tool_use"), is("tool_result"));
        let mixed = message["role"] == "user" && results > 0 && results < blocks.len();
        flaws.add_if(mixed, "PAY005", || "a message holds results of tools and something else".to_string());
        if let Some(open) = open.take() {
            let answered = ids(&blocks, "tool_result", "toolUseId");
            let followed =
                message["role"] == "user" && results > 0 && results == blocks.len() && open.is_subset(&answered);
            flaws.add_if(!followed, "PAY005/balance", || "a use of a tool is not followed by its result".to_string());
        }
        open = (message["role"] == "assistant" && uses > 0).then(|| ids(&blocks, "tool_use", "id"));
    }
    flaws.add_if(open.is_some(), "PAY005/balance", || "a use of a tool is not followed by its result".to_string());
}

fn envelope(message: &Value, flaws: &mut Flaws) {
    let role = &message["role"];
    let known = is_blotted(role) || matches!(role.as_str(), Some("user" | "assistant"));
    flaws.add_if(!known, "PAY005/role", || format!("the role of a message is {role}"));
    flaws.add_if(message.get("content").is_none(), "PAY005/role", || "a message has no content".to_string());
}

/// The content of a message: one block, or a list.
fn blocks(message: &Value) -> Vec<&Value> {
    match &message["content"] {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

/// The ids of blocks of a kind.
fn ids<'a>(blocks: &[&'a Value], kind: &str, member: &str) -> HashSet<&'a str> {
    blocks.iter().filter(|block| block["type"] == kind).filter_map(|block| text(&block[member])).collect()
}
