//! MCP over HTTP as data: its headers, which of them may be kept, and what a POST says beside its body.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::by_name;
use crate::redact::is_visible;

mod mirrors;
use mirrors::plain;
pub use mirrors::{HeadFault, Mirrors, mirror_flaws};

/// The session, issued by the server with the answer to `initialize` (2025-03-26 to 2025-11-25). A secret.
pub const SESSION: &str = "mcp-session-id";
/// The negotiated revision.
pub const REVISION: &str = "mcp-protocol-version";
/// The sub-protocols of a WebSocket: those that are asked for, and the one that was chosen (RFC 6455, 1.9).
pub const SUBPROTOCOL: &str = "sec-websocket-protocol";
/// Resumes a stream behind an event.
pub const LAST_EVENT: &str = "last-event-id";
/// What a client says it accepts: a server must find both.
pub const ACCEPT: &str = "application/json, text/event-stream";
/// The type of an event stream.
pub const EVENT_STREAM: &str = "text/event-stream";
/// True for the `content-type` of an event stream: a media type is the same in capitals (RFC 9110, 8.3.1).
pub fn is_event_stream(content_type: &str) -> bool {
    let start = content_type.trim_start().as_bytes().get(..EVENT_STREAM.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(EVENT_STREAM.as_bytes()))
}

/// The event that names the place to POST to (2024-11-05).
pub const ENDPOINT: &str = "endpoint";

/// The header that names a method (2026-07-28).
const METHOD: &str = "mcp-method";
/// The header that names a tool, a prompt or a resource (2026-07-28).
const NAME: &str = "mcp-name";
/// Headers with arguments that a tool wants mirrored start with this (2026-07-28).
const PARAM: &str = "mcp-param-";
/// The header by which a server keeps what stands between from holding back a stream.
const BUFFERING: &str = "x-accel-buffering";
/// Headers that may be kept.
const KEPT: [&str; 11] = [
    "content-encoding",
    "content-type",
    SESSION,
    REVISION,
    METHOD,
    NAME,
    LAST_EVENT,
    "accept",
    "origin",
    BUFFERING,
    "www-authenticate",
];

/// True for a header that may be kept in a recording; the name in lower case. [`SESSION`] only as a placeholder.
pub fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || name.starts_with(PARAM)
}

/// The head of a request, as far as the log shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// `POST`, `GET`, `DELETE`.
    pub verb: Box<str>,
    /// [`SESSION`]; mostly a placeholder.
    pub session: Option<Box<str>>,
    /// [`REVISION`].
    pub revision: Option<Box<str>>,
    /// The header that names the method, decoded.
    pub method: Option<Box<str>>,
    /// The header that names a tool, a prompt or a resource, decoded.
    pub name: Option<Box<str>>,
    /// `Accept`.
    pub accept: Option<Box<str>>,
    /// The headers that mirror the body and may be encoded, as they stand: names in lower case, and values.
    pub mirrors: Box<[(Box<str>, Box<str>)]>,
    /// True if it resumes a stream.
    pub resumes: bool,
}

/// The head of a response, as far as the log shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<Box<str>>,
    /// The session that it names; mostly a placeholder.
    pub session: Option<Box<str>>,
    /// What it says of buffers on the way.
    pub buffering: Option<Box<str>>,
}

/// A head as recordings keep it.
#[derive(Default, Deserialize)]
struct Head<'a> {
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default, borrow)]
    headers: HashMap<Cow<'a, str>, Cow<'a, str>>,
    /// `p` where the recorder itself spoke.
    #[serde(default, borrow)]
    by: Option<Cow<'a, str>>,
}

impl Head<'_> {
    fn header(&self, name: &str) -> Option<Box<str>> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().into())
    }

    fn mirrors(&self) -> Box<[(Box<str>, Box<str>)]> {
        let named = self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let mirrors = named.filter(|(name, _)| name == NAME || name.starts_with(PARAM));
        let mut mirrors: Vec<_> =
            mirrors.map(|(name, value)| (name.into_boxed_str(), Box::from(value.trim()))).collect();
        mirrors.sort();
        mirrors.into()
    }
}

impl RequestHead {
    /// Reads the JSON of a frame; `None` where it is no head of a request.
    pub fn read(text: &str) -> Option<RequestHead> {
        let head: Head<'_> = serde_json::from_str(text).ok()?;
        Some(RequestHead {
            verb: head.method.as_deref()?.into(),
            session: head.header(SESSION),
            revision: head.header(REVISION),
            method: head.header(METHOD).map(decoded),
            name: head.header(NAME).map(decoded),
            accept: head.header("accept").filter(|named| !named.is_empty()),
            mirrors: head.mirrors(),
            resumes: head.header(LAST_EVENT).is_some(),
        })
    }
}

/// True for the status of a response that refuses what was posted, or sends it elsewhere: it has come to nobody.
pub fn refuses(status: u16) -> bool {
    status >= 300
}

/// True for the status of a response that refuses a request for the time being, for lack of credentials, or at this place (RFC 9110,
/// 15.4 to 15.6; RFC 6585, 4): what it was may be asked again.
pub fn may_be_asked_again(status: u16) -> bool {
    matches!(status, 301 | 302 | 307 | 308 | 401 | 403 | 429 | 500..)
}

impl ResponseHead {
    /// Reads the JSON of a frame; `None` where it is no head of a response, or a proxy made it.
    pub fn read(text: &str) -> Option<ResponseHead> {
        let head: Head<'_> = serde_json::from_str(text).ok()?;
        // What is below 100 is a log's word for "none".
        let status = head.status.filter(|status| *status >= 100 && head.by.is_none())?;
        let content_type = head.header("content-type").filter(|named| !named.is_empty());
        let (session, buffering) = (head.header(SESSION), head.header(BUFFERING));
        Some(ResponseHead { status, content_type, session, buffering })
    }

    /// True if it is of one of these media types, or does not say of which it is.
    pub fn is_of(&self, types: &[&str]) -> bool {
        let media = self.content_type.as_deref().map(|text| text.split(';').next().unwrap_or_default().trim());
        media.is_none_or(|media| types.iter().any(|known| media.eq_ignore_ascii_case(known)))
    }
}

/// Headers that are read of a head.
const READ: [&str; 8] = [SESSION, REVISION, METHOD, NAME, LAST_EVENT, BUFFERING, "accept", "content-type"];

/// What [`brief_head`] writes, in its order: of a line that is cut on a screen the verb or the status is seen.
#[derive(Serialize)]
struct BriefHead<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Value>,
    headers: serde_json::Map<String, Value>,
}

/// A head without what is not read of it, as JSON that reads as the same head. A session is a secret: what stands for it is the
/// same for the same session, and no other thing can be told from it.
pub fn brief_head(text: &str) -> String {
    let head: Head<'_> = serde_json::from_str(text).unwrap_or_default();
    let headers = READ.iter().filter_map(|name| {
        let value = head.header(name)?;
        let value = match *name {
            LAST_EVENT => Value::from(""),
            SESSION => Value::from(stand_in(&value)),
            _ => Value::from(&*value),
        };
        Some(((*name).to_string(), value))
    });
    let mirrors = head.mirrors().into_vec().into_iter().map(|(name, value)| (name.into(), Value::from(&*value)));
    // It names a session, wherever that stands.
    let names = head.header(SESSION).is_none() && text.to_ascii_lowercase().contains("\"mcp-session-id\"");
    let brief = BriefHead {
        method: head.method.as_deref(),
        status: head.status,
        by: head.by.is_some().then_some("p"),
        names: names.then(|| serde_json::json!({ SESSION: "" })),
        headers: headers.chain(mirrors).collect(),
    };
    serde_json::to_string(&brief).unwrap_or_default()
}

/// What stands for a session: of visible characters where that is.
fn stand_in(session: &str) -> String {
    let odd = if is_visible(session) { "" } else { "\u{7f}" };
    format!("{}{odd}", &blake3::hash(session.as_bytes()).to_hex()[..16])
}

/// The member of `params` that the header for a name mirrors.
pub fn mirrored(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    }
}

/// A header's value as it was meant: what stands in `=?base64?...?=` is encoded.
fn decoded(value: Box<str>) -> Box<str> {
    let inner = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let bytes = inner.and_then(crate::base64::decode);
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(value, String::into_boxed_str)
}

/// What a body asks of the POST that carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posted {
    /// True if an answer is due: a request, or a batch that may hold one.
    pub awaits: bool,
    /// True for the handshake, which belongs to no session yet.
    pub handshake: bool,
    /// True if its revision knows no sessions.
    pub stateless: bool,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
}

type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// What the text of a message asks of its POST. `revision` is the negotiated one; a message that states its own overrules it.
pub fn posted(body: &[u8], revision: Option<&str>, mirrors: &Mirrors) -> Posted {
    // A batch would be read as a list of members.
    let single = body.trim_ascii_start().starts_with(b"{");
    let envelope = serde_json::from_slice::<Envelope<'_>>(body).ok().filter(|_| single);
    let Some(envelope) = envelope else {
        let headers = revision.map(|revision| (REVISION.to_string(), revision.to_string()));
        return Posted { awaits: true, headers: headers.into_iter().collect(), ..Posted::default() };
    };
    let params = object(envelope.params);
    let meta = object(params.get("_meta").copied());
    let stated = meta.get("io.modelcontextprotocol/protocolVersion").and_then(|raw| string(raw));
    let revision = stated.as_deref().or(revision);
    let profile = by_name("mcp", revision);
    let mut posted = Posted {
        awaits: envelope.id.is_some() && envelope.method.is_some(),
        handshake: envelope.method.as_deref() == Some("initialize"),
        stateless: profile.is_some_and(|profile| profile.revision_per_request),
        headers: revision.map(|revision| (REVISION.to_string(), revision.to_string())).into_iter().collect(),
    };
    if let (true, Some(method)) = (posted.stateless, envelope.method) {
        posted.headers.push((METHOD.to_string(), plain(&method)));
        let Some(member) = mirrored(&method) else { return posted };
        if let Some(name) = params.get(member).and_then(|raw| string(raw)) {
            posted.headers.push((NAME.to_string(), plain(&name)));
            posted.headers.extend(mirrors.of(&name, params.get("arguments").copied()));
        }
    }
    posted
}

fn object(raw: Option<&RawValue>) -> Object<'_> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header<'a>(posted: &'a Posted, name: &str) -> Option<&'a str> {
        posted.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn stateless(rest: &str) -> String {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,{}"params":{{{meta}{}}}}}"#,
            &rest[..rest.find(';').unwrap()],
            &rest[rest.find(';').unwrap() + 1..]
        )
    }

    #[test]
    fn a_message_of_2026_is_mirrored() {
        let call = stateless(r#""method":"tools/call",;,"name":"büro","arguments":{"q":"x"}"#);
        let posted = posted(call.as_bytes(), None, &Mirrors::default());
        assert!(posted.awaits && posted.stateless && !posted.handshake);
        assert_eq!(header(&posted, "mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(header(&posted, "mcp-method"), Some("tools/call"));
        assert_eq!(header(&posted, "mcp-name"), Some("=?base64?YsO8cm8=?="));
        let read = stateless(r#""method":"resources/read",;,"uri":"file:///a b""#);
        assert_eq!(header(&super::posted(read.as_bytes(), None, &Mirrors::default()), "mcp-name"), Some("file:///a b"));
        let discover = stateless(r#""method":"server/discover",;"#);
        assert_eq!(super::posted(discover.as_bytes(), None, &Mirrors::default()).headers.len(), 2);
    }

    #[test]
    fn earlier_revisions_have_a_session_instead() {
        let none = Mirrors::default();
        let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
        let version = vec![("mcp-protocol-version".to_string(), "2025-11-25".to_string())];
        let expected = Posted { awaits: true, headers: version, ..Posted::default() };
        assert_eq!(posted(call, Some("2025-11-25"), &none), expected);
        let hello = posted(br#"{"id":0,"method":"initialize"}"#, None, &none);
        assert_eq!(hello, Posted { awaits: true, handshake: true, ..Posted::default() });
        let told = |body: &[u8]| posted(body, None, &none).awaits;
        assert!(told(b"[{\"id\":1,\"method\":\"ping\"}]") && told(br#"{"id":"","method":"ping"}"#));
        assert!(!told(br#"{"id":3,"result":{}}"#) && !told(br#"{"method":"notifications/initialized"}"#));
    }

    #[test]
    fn a_brief_head_reads_as_the_head_but_for_the_session() {
        for text in [
            r#"{"method":"POST","headers":{"Accept":"application/json","MCP-Protocol-Version":" 2025-06-18","Authorization":"Bearer x"}}"#,
            r#"{"method":"GET","headers":{"last-event-id":"7"},"url":"/mcp"}"#,
            r#"{"status":404,"headers":{"Content-Type":"text/html; charset=utf-8"}}"#,
            r#"{"status":200,"by":"p"}"#,
            r#"{"method":"POST","headers":{"mcp-method":"=?base64?YQ==?="}}"#,
            "[1]",
        ] {
            let brief = brief_head(text);
            assert_eq!(RequestHead::read(&brief), RequestHead::read(text), "{brief}");
            assert_eq!(ResponseHead::read(&brief), ResponseHead::read(text), "{brief}");
            assert!(!brief.contains("Bearer") && !brief.contains("/mcp"));
        }
        let session = |text: &str| RequestHead::read(&brief_head(text)).and_then(|head| head.session);
        let one = session(r#"{"method":"POST","headers":{"Mcp-Session-Id":"abc"}}"#);
        assert_eq!(one, session(r#"{"method":"GET","headers":{"mcp-session-id":"abc"}}"#));
        assert!(one.is_some_and(|one| !one.contains("abc")));
        let headers_first = r#"{"headers":{"accept":"*/*"},"method":"POST"}"#;
        assert!(brief_head(headers_first).starts_with(r#"{"method":"POST","headers""#));
        assert!(brief_head(r#"{"list":[{"MCP-Session-Id":1}]}"#).contains("\"mcp-session-id\""));
    }

    #[test]
    fn what_may_be_kept() {
        assert!(is_kept("mcp-param-region") && is_kept("content-type") && is_kept(SESSION));
        assert!(!is_kept("authorization") && !is_kept("set-cookie") && !is_kept("mcp-parameter"));
    }
}
