//! Heads of HTTP messages: what goes on to the other side, and what is kept of them.

use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, TRANSFER_ENCODING};
use serde_json::{Map, Value, json};

use crate::protocol::http::is_kept;

/// The header that names an MCP session.
pub(super) const SESSION: &str = "mcp-session-id";

/// Headers that concern one hop only.
const ONE_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Takes out what was meant for this hop. Where a body comes in chunks, a length beside them says nothing, and would cut it on the next
/// hop (RFC 9112, 6.3).
pub(super) fn for_next_hop(headers: &mut HeaderMap) {
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    let listed: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in listed {
        headers.remove(name);
    }
    for name in ONE_HOP {
        headers.remove(name);
    }
}

/// The value of a header, where it is text.
pub(super) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The headers that may be stored.
pub(super) fn kept(headers: &HeaderMap) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in headers {
        let name = name.as_str();
        if is_kept(name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            match kept.get_mut(name) {
                Some(Value::String(known)) => known.push_str(&format!(", {value}")),
                _ => drop(kept.insert(name.to_string(), value.into())),
            }
        }
    }
    kept
}

/// The head of a request, as it is recorded.
pub(super) fn request(method: &str, headers: &Map<String, Value>) -> String {
    format!("{{\"method\":{},\"headers\":{}}}", json!(method), json!(headers))
}

/// The head of a response.
pub(super) fn response(status: u16, headers: &Map<String, Value>) -> String {
    format!("{{\"status\":{status},\"headers\":{}}}", json!(headers))
}

/// The head of the answer that the recorder itself gave, in the place of a server that was not there.
pub(super) fn own_response(status: u16) -> String {
    format!("{{\"status\":{status},\"headers\":{{}},\"by\":\"p\"}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse::<HeaderName>().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn what_concerns_one_hop_stays_behind() {
        let mut all = headers(&[
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("x-yours", "2"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("authorization", "Bearer x"),
        ]);
        for_next_hop(&mut all);
        assert_eq!(all, headers(&[("x-yours", "2"), ("authorization", "Bearer x")]));
    }

    #[test]
    fn only_what_is_listed_is_kept() {
        let all = headers(&[
            ("authorization", "Bearer x"),
            ("cookie", "a=b"),
            ("set-cookie", "a=b"),
            ("x-api-key", "k"),
            ("Mcp-Session-Id", "abc"),
            ("Mcp-Param-Region", "eu"),
            ("content-type", "application/json"),
        ]);
        let text = request("POST", &kept(&all));
        assert_eq!(
            text,
            r#"{"method":"POST","headers":{"content-type":"application/json","mcp-param-region":"eu","mcp-session-id":"abc"}}"#
        );
    }
}
