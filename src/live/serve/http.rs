//! MCP over Streamable HTTP, from the server's side: a POST is answered by JSON where the answer is all there is, and by an
//! event stream where there is more or where it takes a while; a GET waits for what belongs to no request.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::serve::ListenerExt;
use futures_util::stream;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::link;
use super::room::{Listening, Part, Room, Waiting};
use crate::jsonrpc::{Kind, NoLift, Parsed, parse};
use crate::live::origin::{is_local, is_of_local_page};
use crate::live::{Clock, Incoming, Link};
use crate::protocol::{Facts, Side, by_name, http};

/// Names the session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Names the revision that is spoken.
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The longest body that is taken, in bytes.
const BODY: usize = 64 << 20;

/// How long an answer may take to come as plain JSON.
const AT_ONCE: Duration = Duration::from_millis(200);

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The answer to what is no message.
const PARSE_ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;

/// Which requests are served.
pub(super) struct Rules {
    handshake: Option<String>,
    revisions: &'static [&'static str],
    /// Only this machine can reach the port, so no other name leads to it but by a trick.
    loopback: bool,
}

impl Rules {
    /// Those of a server that listens at `address`.
    pub(super) fn new(
        handshake: Option<String>,
        revisions: &'static [&'static str],
        address: Option<SocketAddr>,
    ) -> Rules {
        Rules { handshake, revisions, loopback: address.is_some_and(|at| at.ip().is_loopback()) }
    }

    /// Who asks, and in which revision. A head without a revision is of a client from before there was that header.
    fn admit(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_welcome = if self.loopback { is_local(target, headers) } else { is_of_local_page(headers) };
        if !is_welcome {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "only names and pages of this machine are served"));
        }
        let is_spoken = |named: &HeaderValue| self.revisions.iter().any(|revision| named == revision);
        if !self.revisions.is_empty() && !headers.get_all(REVISION).iter().all(is_spoken) {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "this MCP-Protocol-Version is not spoken here"));
        }
        Ok(())
    }
}

/// What all requests share.
struct House {
    let_in: mpsc::Sender<Link>,
    rules: Rules,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    clock: Clock,
}

/// Lets clients in until nobody wants them any more.
pub(super) async fn accept(listener: TcpListener, let_in: mpsc::Sender<Link>, rules: Rules, clock: Clock) {
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let unwanted = let_in.clone();
    let house = Arc::new(House { let_in, rules, rooms: Mutex::default(), clock });
    let router = Router::new().fallback(serve).with_state(house);
    tokio::select! {
        () = unwanted.closed() => {}
        _ = axum::serve(listener, router) => {}
    }
}

async fn serve(State(house): State<Arc<House>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    if let Err(refused) = house.rules.admit(&head.uri, &head.headers) {
        return refused.respond();
    }
    let answer = match head.method {
        Method::POST => match to_bytes(body, BODY).await {
            Ok(body) => house.post(&head.headers, body).await,
            Err(_) => Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or was cut off")),
        },
        Method::GET if house.rules.handshake.is_some() => house.get(&head.headers),
        Method::DELETE if house.rules.handshake.is_some() => house.delete(&head.headers).await,
        _ => Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this method is not served")),
    };
    answer.unwrap_or_else(|refused| refused.respond())
}

/// What a body holds.
struct Held {
    requests: usize,
    begins: bool,
}

impl House {
    async fn post(self: &Arc<House>, headers: &HeaderMap, body: Bytes) -> Result<Response, Refusal> {
        let held =
            self.held(&body).ok_or(Refusal { status: StatusCode::BAD_REQUEST, kind: JSON, text: PARSE_ERROR })?;
        let (room, issued) = match (&self.rules.handshake, held.begins && !headers.contains_key(SESSION)) {
            (None, _) => (self.only_room().await?, None),
            (Some(_), true) => self.new_room().await?,
            (Some(_), false) => (self.room(headers)?, None),
        };
        if held.requests == 0 {
            room.tell(Incoming::Message { stream: None, bytes: body.to_vec(), event_id: None }).await;
            return Ok(respond(StatusCode::ACCEPTED, JSON, Body::empty()));
        }
        let waiting = room.stream(held.requests).ok_or_else(over)?;
        let stream = Some(waiting.number);
        room.tell(Incoming::Message { stream, bytes: body.to_vec(), event_id: None }).await;
        let mut response = answer(waiting, accepts_events(headers), |answer| status(headers, &body, answer)).await;
        if let Some(id) = issued.and_then(|id| id.parse().ok()) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    fn held(&self, body: &[u8]) -> Option<Held> {
        let mut held = Held { requests: 0, begins: false };
        let mut count = |message: &crate::jsonrpc::Message<'_>| {
            held.requests += usize::from(message.kind == Kind::Request);
            held.begins |= message.kind == Kind::Request && self.rules.handshake.as_deref() == Some(message.method());
        };
        match parse::<NoLift>(std::str::from_utf8(body).ok()?).ok()? {
            Parsed::One(message, _) => count(&message),
            Parsed::Batch(members) => {
                members.iter().filter_map(|(_, member)| member.as_ref().ok()).for_each(|one| count(&one.0))
            }
        }
        Some(held)
    }

    fn get(&self, headers: &HeaderMap) -> Result<Response, Refusal> {
        let room = self.room(headers)?;
        let last = headers.get(http::LAST_EVENT).and_then(|id| id.to_str().ok());
        if let Some(waiting) = last.and_then(|id| room.resume(id)) {
            return Ok(streamed(waiting, None));
        }
        let listening = room.listen().ok_or_else(over)?;
        let events = stream::unfold(listening, |mut listening: Listening| async move {
            let bytes = listening.next().await?;
            Some((event(None, &bytes), listening))
        });
        Ok(respond(StatusCode::OK, EVENTS, Body::from_stream(events)))
    }

    async fn delete(&self, headers: &HeaderMap) -> Result<Response, Refusal> {
        let room = self.room(headers)?;
        room.tell(Incoming::Closed { stream: None, by: Side::Client, how: "delete".to_string() }).await;
        self.rooms().retain(|_, other| !Arc::ptr_eq(other, &room));
        Ok(respond(StatusCode::OK, JSON, Body::empty()))
    }

    fn rooms(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The room of the session that a request names.
    fn room(&self, headers: &HeaderMap) -> Result<Arc<Room>, Refusal> {
        let Some(id) = headers.get(SESSION) else {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "the header Mcp-Session-Id is missing"));
        };
        let room = id.to_str().ok().and_then(|id| self.rooms().get(id).cloned());
        room.ok_or_else(over)
    }

    /// The one room there is where there are no sessions.
    async fn only_room(self: &Arc<House>) -> Result<Arc<Room>, Refusal> {
        self.furnish(String::new()).await
    }

    async fn new_room(self: &Arc<House>) -> Result<(Arc<Room>, Option<String>), Refusal> {
        let id = session_id();
        Ok((self.furnish(id.clone()).await?, Some(id)))
    }

    /// The room of this name; a new one is told to whoever waits for clients.
    async fn furnish(self: &Arc<House>, id: String) -> Result<Arc<Room>, Refusal> {
        let (room, link, gone) = {
            let mut rooms = self.rooms();
            if let Some(room) = rooms.get(&id) {
                return Ok(Arc::clone(room));
            }
            let (link, port) = link();
            let (room, gone) = Room::open(port, self.clock);
            rooms.insert(id, Arc::clone(&room));
            (room, link, gone)
        };
        let (house, own) = (Arc::clone(self), Arc::clone(&room));
        tokio::spawn(async move {
            let _ = gone.await;
            // Without sessions a room that is over stays: the server has ended.
            if house.rules.handshake.is_some() {
                house.rooms().retain(|_, other| !Arc::ptr_eq(other, &own));
            }
        });
        match self.let_in.send(link).await {
            Ok(()) => Ok(room),
            Err(_) => Err(over()),
        }
    }
}

/// The answer to the requests of one POST.
async fn answer(mut waiting: Waiting, events: bool, status: impl Fn(&[u8]) -> StatusCode) -> Response {
    if !events {
        while let Some(part) = waiting.next().await {
            if part.answer && part.last {
                return respond(status(&part.bytes), JSON, Body::from(part.bytes));
            }
        }
        return Refusal::new(StatusCode::NOT_ACCEPTABLE, "there is no answer that is not an event stream").respond();
    }
    let first = match tokio::time::timeout(AT_ONCE, waiting.next()).await {
        Ok(Some(part)) if part.last => return respond(status(&part.bytes), JSON, Body::from(part.bytes)),
        Ok(Some(part)) => Some(Some(part)),
        Ok(None) => Some(None),
        Err(_) => None,
    };
    streamed(waiting, first)
}

/// The status of an answer that comes as plain JSON: in the revision that its request names, some errors have one of their own.
fn status(headers: &HeaderMap, asked: &[u8], answer: &[u8]) -> StatusCode {
    let due = || {
        let Parsed::One(_, facts) = parse::<Facts<'_>>(std::str::from_utf8(asked).ok()?).ok()? else { return None };
        let Parsed::One(answer, _) = parse::<NoLift>(std::str::from_utf8(answer).ok()?).ok()? else { return None };
        let stated = Facts::text(facts.meta_revision());
        let revision = stated.as_deref().or_else(|| headers.get(REVISION)?.to_str().ok());
        let whole = stated.is_some() && facts.meta_capabilities().is_some();
        by_name("mcp", Some(revision?))?.status_of(answer.error_code()?, whole)
    };
    due().and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(StatusCode::OK)
}

/// What comes on a stream, event by event; `first` is what has come of it already.
fn streamed(waiting: Waiting, first: Option<Option<Part>>) -> Response {
    let events = stream::unfold((waiting, first), |(mut waiting, first)| async move {
        let part = match first {
            Some(first) => first?,
            None => waiting.next().await?,
        };
        Some((event(part.id.as_deref(), &part.bytes), (waiting, None)))
    });
    respond(StatusCode::OK, EVENTS, Body::from_stream(events))
}

/// A message as an event; a line break in it goes between two `data` fields.
fn event(id: Option<&str>, bytes: &[u8]) -> Result<Bytes, Infallible> {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let mut event = format!("{id}event: message\n").into_bytes();
    for line in bytes.split(|byte| *byte == b'\n') {
        event.extend_from_slice(b"data: ");
        event.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        event.push(b'\n');
    }
    event.push(b'\n');
    Ok(event.into())
}

fn respond(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if status != StatusCode::ACCEPTED {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if kind == EVENTS {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

/// Why a request is not served.
struct Refusal {
    status: StatusCode,
    kind: &'static str,
    text: &'static str,
}

impl Refusal {
    fn new(status: StatusCode, text: &'static str) -> Refusal {
        Refusal { status, kind: "text/plain", text }
    }

    fn respond(self) -> Response {
        respond(self.status, self.kind, Body::from(self.text))
    }
}

fn over() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is no such session")
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let mut accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    accepts.peek().is_none() || accepts.any(|value| value.contains(EVENTS) || value.contains("*/*"))
}

/// An id that nobody guesses.
fn session_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(rules: &Rules, heads: &[(&'static str, &str)]) -> u16 {
        let mut headers = HeaderMap::new();
        for (name, value) in heads {
            headers.append(*name, value.parse().expect("a value"));
        }
        rules.admit(&Uri::from_static("/"), &headers).map_or_else(|refused| refused.status.as_u16(), |()| 200)
    }

    #[test]
    fn an_error_has_the_status_of_its_revision() {
        let of = |revision: &str, code: i64| {
            let heads = HeaderMap::from_iter([(REVISION, revision.parse().expect("a value"))]);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}"#);
            super::status(&heads, br#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, answer.as_bytes()).as_u16()
        };
        assert_eq!([of("2026-07-28", -32601), of("2026-07-28", -32020), of("2026-07-28", -32603)], [404, 400, 200]);
        assert_eq!([of("2025-11-25", -32601), of("", -32601)], [200, 200]);
        assert_eq!(super::status(&HeaderMap::new(), b"[]", b"{}"), StatusCode::OK);
    }

    #[test]
    fn names_of_other_hosts_and_revisions_that_are_not_spoken_are_refused() {
        let at = |address: &str| Some(address.parse().expect("an address"));
        let own = Rules::new(None, &["2025-11-25", "2025-06-18"], at("127.0.0.1:80"));
        let host = ("host", "localhost:80");
        assert_eq!(status(&own, &[host]), 200, "from before there was a header");
        assert_eq!(status(&own, &[host, ("mcp-protocol-version", "2025-06-18")]), 200);
        for strange in ["2026-07-28", "1999-01-01", "", "2025-06-18, 2025-11-25"] {
            assert_eq!(status(&own, &[host, ("mcp-protocol-version", strange)]), 400, "{strange}");
        }
        assert_eq!(status(&own, &[]), 403, "who names no host");
        assert_eq!(status(&own, &[("host", "evil.example")]), 403, "a page that gave this machine a name of its own");
        assert_eq!(status(&own, &[host, ("origin", "https://evil.example")]), 403);
        // Whoever opened a port to others has a name for it; and who plays what was recorded speaks what was spoken.
        let open = Rules::new(None, &[], at("10.0.0.1:80"));
        assert_eq!(status(&open, &[("host", "box.example"), ("mcp-protocol-version", "1999-01-01")]), 200);
        assert_eq!(status(&open, &[("host", "box.example"), ("origin", "https://evil.example")]), 403);
    }
}
