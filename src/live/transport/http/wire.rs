//! One HTTP request and its response, as arrivals. Shared by all requests of a link.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, StatusCode, Url};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::body::{Sent, with_body};
use super::reply::{Broken, Reply};
use crate::live::Incoming;
use crate::live::link::{MESSAGE_BYTES, RESET};
use crate::live::transport::framing::{Piece, piece};
use crate::live::transport::port::{Gone, Report};
use crate::live::transport::socket::{PATIENCE, PAUSE, TRIED};
use crate::live::web::{self, chain, host, is_loopback, shown};
use crate::live::{Access, tls};
use crate::protocol::Side;
use crate::protocol::http::{self, Mirrors};
use crate::wire::{SseEvent, SseReader};

/// Shorter than the patience of any server: a connection that has idled is not trusted with a message.
const IDLE: Duration = Duration::from_secs(2);

/// How long after a request the next message may go at the earliest, unless it is answered before: so that a cancel, which
/// takes another connection, does not overtake what it cancels in the server.
const SETTLE: Duration = Duration::from_millis(10);

/// How long after its head the first of a body may come that was written with it, in microseconds. Where a server writes the two one after
/// the other, its kernel keeps the second back until the first is acknowledged (RFC 896), and the one of this machine may take 40 ms for
/// that (RFC 1122 4.2.3.2 allows 500).
const WITH_HEAD_US: i64 = 50_000;

/// A response came to its end.
pub(super) const EOF: &str = "eof";

/// What the requests of a link share.
pub(super) struct Wire {
    client: Client,
    /// Headers of the user, which go with every request.
    own: Vec<(HeaderName, HeaderValue)>,
    pub(super) report: Report,
    /// False until the server was reached once: so long it may still be starting.
    reached: AtomicBool,
    memory: Mutex<Memory>,
}

/// What the server has told so far.
#[derive(Default)]
struct Memory {
    session: Option<HeaderValue>,
    /// All session ids so far, so that each has a placeholder of its own.
    sessions: Vec<HeaderValue>,
    mirrors: Mirrors,
}

/// One request.
pub(super) struct Call {
    pub(super) stream: u32,
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// A message; `None` for a GET or a DELETE.
    pub(super) body: Option<Bytes>,
}

/// Why a request ended.
pub(super) enum End {
    /// It ran its course, and that was told.
    Told,
    /// It is the end of the link, too: this is to be told last.
    Last(Incoming),
    /// The link is gone.
    Gone,
}

/// Why there is no response.
pub(super) enum Refusal {
    /// No connection was made: what was tried and why it failed.
    Unreachable(String),
    /// The connection broke.
    Reset,
}

impl From<Gone> for End {
    fn from(Gone: Gone) -> End {
        End::Gone
    }
}

impl Wire {
    pub(super) fn new(url: &Url, access: &Access, report: Report) -> Result<Wire, String> {
        let client = web::client(url, access, |builder| builder.connect_timeout(PATIENCE).pool_idle_timeout(IDLE))?;
        let own = web::headers(access)?;
        Ok(Wire { client, own, report, reached: AtomicBool::new(false), memory: Mutex::default() })
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session to name in a request.
    pub(super) fn session(&self) -> Option<HeaderValue> {
        self.memory().session.clone()
    }

    /// A handshake belongs to no session.
    pub(super) fn forget_session(&self) {
        self.memory().session = None;
    }

    /// What a message asks of its POST.
    pub(super) fn posted(&self, body: &[u8], revision: Option<&str>) -> http::Posted {
        http::posted(body, revision, &self.memory().mirrors)
    }

    /// Does one request and tells what comes of it; lets the next one go as early as order allows.
    pub(super) async fn exchange(&self, call: Call, go: oneshot::Sender<()>) -> End {
        let mut go = Some(go);
        let told = match self.reach(&call, &mut go).await {
            Err(gone) => Err(gone),
            Ok(Err(Refusal::Unreachable(why))) => return End::Last(Incoming::Failed { why }),
            Ok(Err(Refusal::Reset)) => Ok(RESET),
            Ok(Ok(response)) => self.told(&call, response, go).await,
        };
        let Ok(how) = told else { return End::Gone };
        if self.closed(call.stream, Side::Server, how).await.is_err() {
            return End::Gone;
        }
        match how {
            RESET => self.dead(&call.url).await.map_or(End::Told, |why| End::Last(Incoming::Failed { why })),
            _ => End::Told,
        }
    }

    /// Looks, after a connection broke, whether the server is there at all: nobody should wait for one that has died.
    /// Only on this machine, where there is no proxy in between.
    async fn dead(&self, url: &Url) -> Option<String> {
        let (host, port) = (is_loopback(url).then(|| host(url))?, url.port_or_known_default()?);
        sleep(PAUSE).await;
        match timeout(PATIENCE, TcpStream::connect((host, port))).await {
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Some(format!("the connection to {} broke, and it cannot be reached any more: {error}", shown(url)))
            }
            _ => None,
        }
    }

    /// Up to the head of the response. A server that was never reached is tried for a while.
    pub(super) async fn reach(
        &self,
        call: &Call,
        go: &mut Option<oneshot::Sender<()>>,
    ) -> Result<Result<Response, Refusal>, Gone> {
        let end = Instant::now() + PATIENCE;
        loop {
            let error = match self.attempt(call, go).await? {
                Ok(response) => {
                    self.reached.store(true, Ordering::Relaxed);
                    return Ok(Ok(response));
                }
                // Nobody speaks HTTP there.
                Err(error) if is_no_http(&error) && !self.reached.load(Ordering::Relaxed) => {
                    let asks = if call.url.scheme() == "http" { ": is its address one of https?" } else { "" };
                    let why = format!("{} answers with what is no HTTP{asks}", shown(&call.url));
                    return Ok(Err(Refusal::Unreachable(why)));
                }
                Err(error) if !error.is_connect() => return Ok(Err(Refusal::Reset)),
                Err(error) => error,
            };
            let (over, heals) = (Instant::now() + PAUSE >= end, tls::may_heal(&error));
            if self.reached.load(Ordering::Relaxed) || over || !heals {
                let why = format!("cannot connect to {}: {}", shown(&call.url), chain(&error));
                return Ok(Err(Refusal::Unreachable(match heals {
                    true if over => why + TRIED,
                    false if tls::is_refused(&error) => format!("{why}: {}", tls::ADVICE),
                    _ => why,
                })));
            }
            sleep(PAUSE).await;
        }
    }

    /// One try. That the message was sent is told at once, before anything that answers it.
    async fn attempt(
        &self,
        call: &Call,
        go: &mut Option<oneshot::Sender<()>>,
    ) -> Result<reqwest::Result<Response>, Gone> {
        let mut headers = call.headers.clone();
        // What is packed cannot be read here, and where nothing is said it may be.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        // What the user says of a header takes the place of what would stand there.
        for (name, _) in &self.own {
            headers.remove(name);
        }
        for (name, value) in &self.own {
            headers.append(name, value.clone());
        }
        let request = self.client.request(call.method.clone(), call.url.clone()).headers(headers);
        let Some(bytes) = &call.body else { return Ok(request.send().await) };
        let sent = Sent::new(self.report.room().await?, call.stream);
        let (request, mut written) = with_body(request, bytes, sent.clone());
        let sending = request.send();
        tokio::pin!(sending);
        tokio::select! {
            biased;
            Ok(()) = &mut written => {
                tokio::select! {
                    done = &mut sending => return Ok(done),
                    () = sleep(SETTLE) => drop(go.take()),
                }
                Ok(sending.await)
            }
            done = &mut sending => {
                if done.is_ok() {
                    // A server that answers before it has read everything.
                    sent.tell();
                }
                Ok(done)
            }
        }
    }

    /// Tells head and body, and says how the body ended.
    async fn told(
        &self,
        call: &Call,
        response: Response,
        go: Option<oneshot::Sender<()>>,
    ) -> Result<&'static str, Gone> {
        let status = response.status();
        let head = Incoming::Head {
            stream: call.stream,
            method: match call.method {
                Method::GET => "GET",
                Method::DELETE => "DELETE",
                _ => "POST",
            },
            status: status.as_u16(),
            headers: self.kept(response.headers(), status),
        };
        let head = self.report.now(head);
        let head_us = head.at_us;
        self.report.hand_on(head).await?;
        drop(go);
        let streams = is_event_stream(&response);
        let reply = Reply::new(response);
        match &reply.closed {
            Some(encoding) => self.packed(call.stream, encoding.clone(), streams, reply).await,
            None if streams => self.events(call.stream, head_us, reply).await,
            None => self.document(call.stream, (status, head_us), reply).await,
        }
    }

    /// The headers that may be kept. The session is learned, and stands there as a placeholder.
    fn kept(&self, headers: &HeaderMap, status: StatusCode) -> Vec<(String, String)> {
        let mut memory = self.memory();
        if let Some(session) = headers.get(http::SESSION) {
            if status.is_success() {
                memory.session = Some(session.clone());
            }
            if !memory.sessions.contains(session) {
                memory.sessions.push(session.clone());
            }
        }
        let value = |name: &str, value: &HeaderValue| match memory.sessions.iter().position(|one| one == value) {
            Some(at) if name == http::SESSION => format!("<<secret:{}#{}>>", http::SESSION, at + 1),
            _ => String::from_utf8_lossy(value.as_bytes()).into_owned(),
        };
        let all = headers.iter().map(|(name, value)| (name.as_str(), value));
        all.filter(|(name, _)| http::is_kept(name)).map(|(name, text)| (name.to_string(), value(name, text))).collect()
    }

    /// A body that is no stream.
    async fn document(
        &self,
        stream: u32,
        (status, head_us): (StatusCode, i64),
        mut reply: Reply,
    ) -> Result<&'static str, Gone> {
        let (mut body, mut how) = (Vec::new(), EOF);
        loop {
            match reply.chunk().await {
                Ok(Some(chunk)) => {
                    let room = MESSAGE_BYTES.saturating_sub(body.len());
                    body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                }
                Ok(None) => break,
                Err(Broken::Off) => {
                    how = RESET;
                    break;
                }
                Err(broken) => return self.broke(stream, broken).await,
            }
        }
        match piece(body.trim_ascii().to_vec()) {
            Piece::Message(bytes) => self.message(Some(stream), self.since(head_us), bytes, None).await?,
            // `Accepted`, and pages for people that come with an error, stand in the place of nothing. What broke off is no whole.
            Piece::Raw(bytes) if status == StatusCode::OK && how == EOF && !bytes.is_empty() => {
                self.report.tell(Incoming::Raw { bytes, cut: false }).await?;
            }
            Piece::Raw(_) => {}
        }
        Ok(how)
    }

    /// A body that is a stream of events. A block that it ends in has not come.
    async fn events(&self, stream: u32, head_us: i64, mut reply: Reply) -> Result<&'static str, Gone> {
        let mut reader = SseReader::keeping(MESSAGE_BYTES);
        let mut first = true;
        loop {
            let chunk = match reply.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(EOF),
                Err(broken) => return self.broke(stream, broken).await,
            };
            let since = self.since(head_us).filter(|_| std::mem::take(&mut first));
            for event in reader.push(&chunk) {
                self.event(Some(stream), since, event).await?;
            }
        }
    }

    /// One event. What it primes is told apart from what it carries.
    pub(super) async fn event(&self, stream: Option<u32>, since: Option<i64>, event: SseEvent) -> Result<(), Gone> {
        let named = event.name.as_deref().is_some_and(|name| name != "message");
        let data = event.data.filter(|data| !named && !data.is_empty());
        if (data.is_none() && event.id.is_some()) || event.retry_ms.is_some() {
            let stream = stream.unwrap_or(crate::live::link::NO_STREAM);
            self.report.tell(Incoming::Primed { stream, event_id: event.id.clone(), retry_ms: event.retry_ms }).await?;
        }
        match data.map(piece) {
            Some(Piece::Message(bytes)) => self.message(stream, since, bytes, event.id).await,
            Some(Piece::Raw(bytes)) => self.report.tell(Incoming::Raw { bytes, cut: false }).await,
            None => Ok(()),
        }
    }

    async fn message(
        &self,
        stream: Option<u32>,
        since: Option<i64>,
        bytes: Vec<u8>,
        event_id: Option<String>,
    ) -> Result<(), Gone> {
        self.memory().mirrors.learn(&bytes);
        let message = Incoming::Message { stream, bytes, event_id };
        match since {
            Some(since_us) => self.report.tell_since(since_us, message).await,
            None => self.report.tell(message).await,
        }
    }

    /// When what comes now may have been sent, if not now: with the head of its response.
    fn since(&self, head_us: i64) -> Option<i64> {
        Some(head_us).filter(|head_us| self.report.us() - head_us <= WITH_HEAD_US)
    }

    /// Tells that a stream ended.
    pub(super) async fn closed(&self, stream: u32, by: Side, how: &str) -> Result<(), Gone> {
        self.report.tell(Incoming::Closed { stream: Some(stream), by, how: how.to_string() }).await
    }
}

/// True where bytes came that HTTP cannot be read from: those of another protocol.
fn is_no_http(error: &reqwest::Error) -> bool {
    tls::causes(error).filter_map(|cause| cause.downcast_ref::<hyper::Error>()).any(hyper::Error::is_parse)
}

/// True if the response is a stream of events.
pub(super) fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(reqwest::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(http::is_event_stream)
}
