//! The text of a message, read into a tree where something of it is asked for.

use serde_json::{Map, Value};

use crate::protocol::is_placeholder;

/// The text of a message.
#[derive(Debug)]
pub(super) struct Payload {
    text: String,
    /// True if the log has it in another notation.
    pub translated: bool,
    read: Option<Option<Map<String, Value>>>,
}

impl Payload {
    pub(super) fn new(text: &str, translated: bool) -> Payload {
        Payload { text: text.to_string(), translated, read: None }
    }

    /// A member of the envelope; `None` where the text is no object, `Some(None)` where it has no such member.
    pub(super) fn member(&mut self, name: &str) -> Option<Option<&Value>> {
        let read = self.read.get_or_insert_with(|| serde_json::from_str(&self.text).ok());
        read.as_ref().map(|object| object.get(name))
    }

    /// True if a word of a filter stands somewhere in it.
    pub(super) fn is_blotted(&self) -> bool {
        self.text.split('"').any(|part| is_placeholder(&format!("\"{part}\"")))
    }
}
