//! Refusals of a cursor: by which code.

use super::{Flaws, shown};
use crate::jsonrpc::Message;

/// InvalidParams (JSON-RPC 2.0, section 5.1).
const INVALID_PARAMS: i64 = -32602;
/// What says of a cursor that it is none.
const REFUSALS: [&str; 9] = [
    "invalid cursor",
    "invalid pagination cursor",
    "unknown cursor",
    "bad cursor",
    "malformed cursor",
    "expired cursor",
    "cursor is invalid",
    "cursor not found",
    "cursor expired",
];
/// The same words of a database, about a cursor of its own.
const OTHERS: [&str; 2] = ["cursor state", "cursor name"];

/// True for an error that speaks of a cursor.
pub(super) fn is_named(message: &Message<'_>) -> bool {
    let text = message.error.as_ref().and_then(|error| error.message.as_deref());
    text.is_some_and(|text| text.contains("ursor"))
}

/// An error to a request for a list that says itself that the cursor was wrong.
pub(super) fn refused(message: &Message<'_>, asked: Option<&str>, flaws: &mut Flaws) {
    let Some(error) = message.error.as_ref().filter(|_| asked.is_none_or(|asked| asked.ends_with("/list"))) else {
        return;
    };
    let (Some(code), Some(text)) = (error.code, error.message.as_deref()) else { return };
    let words = text.to_ascii_lowercase();
    let says = REFUSALS.iter().any(|refusal| words.contains(refusal)) && !OTHERS.iter().any(|own| words.contains(own));
    flaws.add_if(says && code != INVALID_PARAMS, "PAY015", || {
        format!("a cursor is refused by the code {code}, and not {INVALID_PARAMS}: {}", shown(text))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Parsed, parse};
    use crate::protocol::Facts;

    #[test]
    fn only_words_about_the_cursor_of_a_list_refuse_it() {
        for (text, asked, found) in [
            ("Invalid cursor: abc", "tools/list", true),
            ("Cursor not found", "resources/templates/list", true),
            ("Invalid cursor: abc", "tools/call", false),
            ("invalid cursor state 24000", "tools/list", false),
            ("Internal error", "tools/list", false),
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":-32603,"message":"{text}"}}}}"#);
            let Ok(Parsed::One(message, _)) = parse::<Facts<'_>>(&line) else { panic!("{line}") };
            let mut flaws = Flaws::default();
            refused(&message, Some(asked), &mut flaws);
            assert_eq!(!flaws.0.is_empty(), found, "{text} {asked}");
        }
    }
}
