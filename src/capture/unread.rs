//! Lines that were passed over: do they hold something like messages?
//!
//! Only such lines are tested, so that a log that is understood pays nothing. What is found here is no message for
//! rpctape, but it was one for somebody: what stands there must not be taken for absent.

use memchr::memmem;

/// The most that is quoted of such a line, in characters.
const QUOTED: usize = 160;

/// True if a text holds something like a JSON-RPC object, also in an escaped or foreign notation:
/// `jsonrpc`, or `method` with `params`, or `id` with `result` or `error`, as names of members.
pub(crate) fn looks_like_messages(text: &[u8]) -> bool {
    if !text.contains(&b':') && !text.contains(&b'=') {
        return false;
    }
    let member = |name| value_of(text, name).is_some();
    member("jsonrpc")
        || member("params") && value_of(text, "method").is_some_and(|value| !is_verb(value))
        || member("id") && (member("result") || value_of(text, "error").is_some_and(|value| value.starts_with(b"{")))
}

/// What is quoted of a line.
pub(crate) fn quoted(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * QUOTED)]);
    let text = text.trim();
    match text.char_indices().nth(QUOTED) {
        None => text.to_string(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// What follows the name of a member, quoted in whatever way, and its `:`, `=` or `=>`.
fn value_of<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    memmem::find_iter(text, name).find_map(|at| {
        let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
        if !at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(is_quote) {
            return None;
        }
        let rest = after(&text[at + name.len()..], |byte| *byte == b'\\');
        let (quote, rest) = rest.split_first()?;
        let rest = after(rest, |byte| byte.is_ascii_whitespace());
        let (sign, rest) = rest.split_first()?;
        let rest = rest.strip_prefix(b">").unwrap_or(rest);
        let value = after(rest, |byte| byte.is_ascii_whitespace() || *byte == b'\\');
        (is_quote(quote) && matches!(sign, b':' | b'=')).then_some(value)
    })
}

fn after(text: &[u8], passed: impl Fn(&u8) -> bool) -> &[u8] {
    let at = text.iter().position(|byte| !passed(byte)).unwrap_or(text.len());
    &text[at..]
}

/// Records of web servers have methods and params, too.
fn is_verb(value: &[u8]) -> bool {
    let name = value.get(1..).unwrap_or_default();
    let verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    verbs
        .iter()
        .any(|verb| name.starts_with(verb.as_bytes()) && !name.get(verb.len()).is_some_and(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_any_notation() {
        for line in [
            r#"<<< {"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"msg="{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}""#,
            r#"msg="{\\\"jsonrpc\\\":\\\"2.0\\\"}""#,
            r#"got {'jsonrpc': '2.0', 'method': 'ping'}"#,
            r#"got {"jsonrpc"=>"2.0", "method"=>"ping"}"#,
            r#"call { "method" : "tools/call", "params" : {} }"#,
            r#"answer {"id": 7, "result": null}"#,
            r#"answer {"id": 7, "error": {"code": -32601}}"#,
            r#"{"method":"getUser","params":[1],"id":3"#,
        ] {
            assert!(looks_like_messages(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn other_lines() {
        for line in [
            "Starting the jsonrpc server on port 80: ready",
            "method=tools/call took 12 ms, params were fine",
            r#"{"level":"error","id":7,"error":"connection reset"}"#,
            r#"{"method":"GET","path":"/","params":{}}"#,
            r#"loaded plugin "jsonrpc""#,
            "",
            "id result error method params jsonrpc",
        ] {
            assert!(!looks_like_messages(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_quotation_is_cut() {
        assert_eq!(quoted(b"  a line \r\n"), "a line");
        assert_eq!(quoted("\u{e9}".repeat(300).as_bytes()).chars().count(), QUOTED + 3);
    }
}
