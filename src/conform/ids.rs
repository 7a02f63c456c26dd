//! The ids of one session among those of a whole run: a server that is not told clients apart may remember an id of the probe before.

use crate::protocol::{Profile, Side};
use crate::replay::splice::{self, Edits, quote};

/// So many ids are those of one session.
const SPAN: usize = 100_000;

/// Where messages have the token of a progress.
const TOKENS: [&str; 4] =
    ["/params/_meta/progressToken", "/params/progressToken", "/params/workDoneToken", "/params/token"];
/// What the tokens of templates begin with.
pub(super) const TOKEN: &str = "of ";

/// A message with the ids of the session of this number, which no other session has. The ids 0 and `""` stay what they are.
pub(super) fn renumbered(text: &str, side: Side, profile: &Profile, session: usize) -> String {
    let mut edits = Edits::default();
    let method = splice::at(text, "/method");
    let mut put = |pointer: &str, new: &dyn Fn(&str) -> Option<String>| {
        if let Some(range) = splice::locate(text, pointer)
            && let Some(new) = new(&text[range.clone()])
        {
            edits.put(range, new);
        }
    };
    // What the server asks has ids of its own.
    if side == Side::Client || method.is_none() {
        put("/id", &|id| within(id, session));
    }
    let (cancel, member) = profile.probing_cancel();
    if method == Some(quote(cancel).as_str()) {
        put(&format!("/params/{member}"), &|id| within(id, session));
    }
    TOKENS.iter().for_each(|pointer| put(pointer, &|raw| token_within(raw, session)));
    edits.apply(text)
}

/// An id of a template, a number or its digits in a string, as the session of this number has it.
fn within(id: &str, session: usize) -> Option<String> {
    let digits = id.trim_matches('"');
    let number = digits.parse::<usize>().ok().filter(|number| *number > 0)?;
    Some(id.replace(digits, &(session * SPAN + number % SPAN).to_string()))
}

fn token_within(raw: &str, session: usize) -> Option<String> {
    let id = raw.strip_prefix('"')?.strip_prefix(TOKEN)?.strip_suffix('"')?;
    Some(format!("\"{TOKEN}{}\"", within(id, session)?))
}

/// An id of any session as templates have it.
pub fn of_template(id: &str) -> String {
    id.parse::<usize>().map_or_else(|_| id.to_string(), |number| (number % SPAN).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::by_name;

    #[test]
    fn each_session_has_ids_of_its_own() {
        let mcp = by_name("mcp", Some("2025-11-25")).expect("a profile");
        let texts = [
            mcp.request("2", "tools/call", r#"{"name":"a","arguments":{"id":2}}"#, Some("\"of 2\"")),
            mcp.cancel_of("\"2\""),
            mcp.cancel_of("0"),
        ];
        let within = |text: &str, session: usize| renumbered(text, Side::Client, mcp, session);
        let twice: Vec<String> = texts.iter().map(|text| within(&within(text, 2), 3)).collect();
        let ids = |text: &str| text.replace("\"of 2\"", "\"of 300002\"").replace("\"id\":2,\"m", "\"id\":300002,\"m");
        assert_eq!(twice[0], ids(&texts[0]));
        assert_eq!(twice[1], mcp.cancel_of("\"300002\""));
        assert_eq!(twice[2], texts[2]);
        assert_eq!((of_template("300002"), of_template("\"\"")), ("2".to_string(), "\"\"".to_string()));
        assert_eq!(within(&texts[0], 0), texts[0]);
    }
}
