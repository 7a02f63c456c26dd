//! One message as one line for people: direction, id, method or kind, and the beginning of what it carries.

use super::columns::{fit, width};
use super::escape::escape_cut;
use super::excerpt;
use crate::protocol::Side;
use crate::store::MessageRow;

/// The fewest columns in which an id, or a part of what a message carries, says something.
const LEAST: usize = 12;

/// Which way a message went: `c>s`, `s>c`, with a `?` behind it where the sender was inferred, or ` ? `.
pub fn arrow(message: &MessageRow) -> String {
    let way = match message.sender.as_deref() {
        Some("client") => "c>s",
        Some("server") => "s>c",
        _ => " ? ",
    };
    format!("{way}{}", if message.sender_inferred { "?" } else { " " })
}

/// A request's name on a screen: `#17` for the client's, `s4` for the server's. `id` is JSON text.
pub fn label(id: &str, issuer: Option<&str>) -> String {
    let side = if issuer == Some("server") { Side::Server } else { Side::Client };
    side.label(id)
}

/// The label of the exchange that a message with an id belongs to: an answer belongs to a request of the other side.
pub fn label_of(message: &MessageRow) -> Option<String> {
    let id = message.rpc_id.as_deref()?;
    let issuer = match (message.kind.as_str(), message.sender.as_deref()) {
        ("result" | "error", Some("client")) => Some("server"),
        ("result" | "error", Some(_)) => Some("client"),
        (_, sender) => sender,
    };
    Some(label(id, issuer))
}

/// Tool or command of a request, where its text shows one.
pub fn name_of(message: &MessageRow) -> Option<String> {
    let raw = message.raw.as_deref()?;
    let name = match message.method.as_deref()? {
        "tools/call" | "prompts/get" => excerpt::at(raw, &["params", "name"])?,
        "workspace/executeCommand" => excerpt::at(raw, &["params", "command"])?,
        _ => return None,
    };
    name.starts_with('"').then(|| excerpt::plain(name))
}

/// Id, method and tool of a request: `#19 tools/call search`. Text as it stood in the log.
pub fn title(message: &MessageRow) -> String {
    let parts = [label_of(message), message.method.clone(), name_of(message)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What a message says, escaped, in about `limit` columns.
pub fn line(message: &MessageRow, limit: usize) -> String {
    let head = head_within(message, limit);
    let body = body(message);
    let left = limit.saturating_sub(width(&head) + 1);
    if body.is_empty() || left < LEAST {
        let size = super::number::size(message.bytes);
        return match message.kind.as_str() {
            "result" if size.len() <= left => format!("{head} {size}"),
            _ => head,
        };
    }
    format!("{head} {}", escape_cut(body, left, cut_length(message, body)))
}

/// Id, and method or kind, escaped, in at most `limit` columns: a long id gives way to the method.
fn head_within(message: &MessageRow, limit: usize) -> String {
    let (label, what) = (label_of(message), what_of(message).unwrap_or_default());
    let what = escape_cut(&what, limit, None);
    let room = limit.saturating_sub(width(&what) + 1).max(LEAST);
    let label = label.map(|label| escape_cut(&label, room, None));
    let head = label.into_iter().chain(Some(what).filter(|what| !what.is_empty())).collect::<Vec<_>>().join(" ");
    fit(&head, limit)
}

/// Id, and method or kind. Text as it stood in the log.
pub fn head(message: &MessageRow) -> String {
    [label_of(message), what_of(message)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Method or kind. Text as it stood in the log.
fn what_of(message: &MessageRow) -> Option<String> {
    match message.kind.as_str() {
        "error" => Some(match message.error_code {
            Some(code) => format!("error {code}"),
            None => "error".to_string(),
        }),
        "request" | "notification" => message.method.clone(),
        kind => Some(kind.to_string()),
    }
}

/// The part of a message that is worth showing: parameters, result, error message, or all there is.
fn body(message: &MessageRow) -> &str {
    let raw = message.raw.as_deref().unwrap_or("");
    let part = match message.kind.as_str() {
        "request" | "notification" => excerpt::member(raw, "params"),
        "result" => excerpt::member(raw, "result"),
        "error" => excerpt::at(raw, &["error", "message"]).or_else(|| excerpt::member(raw, "error")),
        _ => Some(raw),
    };
    part.unwrap_or(if raw.trim_start().starts_with('{') { "" } else { raw }).trim()
}

/// The length of the part that is shown, where the store handed out only the beginning of the message.
fn cut_length(message: &MessageRow, body: &str) -> Option<u64> {
    let raw = message.raw.as_deref()?.len() as u64;
    (message.bytes > raw).then(|| body.len() as u64 + message.bytes - raw)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn message(kind: &str, sender: &str, method: Option<&str>, id: Option<&str>, raw: &str) -> MessageRow {
        MessageRow {
            id: 1,
            source: "a.jsonl".into(),
            line: 1,
            byte_offset: 0,
            at_us: None,
            sender: Some(sender.into()),
            sender_inferred: false,
            kind: kind.into(),
            method: method.map(Into::into),
            rpc_id: id.map(Into::into),
            error_code: None,
            bytes: raw.len() as u64,
            raw: Some(raw.into()),
        }
    }

    #[test]
    fn a_message_is_one_line() {
        let call = r#"{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"search","arguments":{"q":"invoices 2024"}}}"#;
        let request = message("request", "client", Some("tools/call"), Some("19"), call);
        assert_eq!(line(&request, 80), r#"#19 tools/call {"name":"search","arguments":{"q":"invoices 2024"}}"#);
        assert_eq!(line(&request, 50), r#"#19 tools/call {"name":"search","arguments":{"q..."#);
        assert_eq!(title(&request), "#19 tools/call search");
        assert_eq!(arrow(&request), "c>s ");

        let mut answer = message("result", "client", None, Some("\"a\""), r#"{"id":"a","result":{"content":["#);
        answer.bytes = 18_200;
        assert_eq!(line(&answer, 80), r#"s"a" result {"content":[...(+18.2 kB)"#);
        answer.kind = "error".into();
        answer.error_code = Some(-32800);
        answer.raw = Some(r#"{"id":"a","error":{"code":-32800,"message":"Request cancelled"}}"#.into());
        answer.bytes = 0;
        assert_eq!(line(&answer, 80), r#"s"a" error -32800 "Request cancelled""#);
    }

    #[test]
    fn a_long_id_gives_way_to_the_method() {
        let id = "\"550e8400-e29b-41d4-a716-446655440000\"";
        let request = message("request", "client", Some("tools/call"), Some(id), "{}");
        assert_eq!(line(&request, 41), "#\"550e8400-e29b-41d4-a716-4... tools/call");
        let mut answer = message("result", "server", None, Some(id), "{}");
        answer.bytes = 85;
        assert_eq!(line(&answer, 41), "#\"550e8400-e29b-41d4-a716-44665... result");
        assert_eq!(line(&answer, 60), format!("#{id} result 85 B"));
    }

    #[test]
    fn hostile_text_stays_text() {
        let bad = message("notification", "server", Some("x\u{1b}[2J"), None, "{\"params\":\"\u{202e}\"}");
        assert_eq!(line(&bad, 80), "x\\x1b[2J \"\\u{202e}\"");
        let malformed = message("malformed", "server", None, None, "Listening\u{7} on 8080");
        assert_eq!(line(&malformed, 80), "malformed Listening\\x07 on 8080");
    }
}
