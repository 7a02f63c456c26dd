//! One TCP connection of a client, and the one to the server that belongs to it.
//!
//! HTTP/1.1 answers one request after the other, so a connection here needs one there and no more; both end
//! together. A client that goes away is a cancel to the server at once, and never a 502 to anybody.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderValue, LOCATION};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri, client, server};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

use super::copy::{Copier, Passing};
use super::endpoint::Relative;
use super::heads;
use super::tapped::{Current, Tapped, broken};
use super::upstream::Upstream;
use super::way::Way;
use crate::live::origin::is_local;

/// How long a client may go on asking a server that is not there.
const ASKING: Duration = Duration::from_secs(2);

/// Why a page of another host gets no answer.
pub(super) const ELSEWHERE: &str = "this recorder answers only to names and pages of this machine";

/// What all connections share.
pub(super) struct Shared {
    pub upstream: Upstream,
    pub copier: Copier,
    /// True to forward `accept-encoding` as it is.
    pub untouched: bool,
    /// True to make an absolute endpoint of HTTP+SSE relative.
    pub relative: bool,
    /// True where only this machine can connect: a page in a browser that came by another name is then refused.
    pub loopback: bool,
}

/// Serves one connection of a client until it ends.
pub(super) async fn serve(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let current = Current::default();
    let link = Link { shared, peer, current, sender: Mutex::default(), tasks: Mutex::default() };
    let link = Arc::new(link);
    let for_requests = Arc::clone(&link);
    let service = service_fn(move |request| {
        let link = Arc::clone(&for_requests);
        async move { Ok::<_, Infallible>(link.exchange(request).await) }
    });
    let served = server::conn::http1::Builder::new()
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    link.gone(match &served {
        Err(error) if broken(error) == "reset" => "reset",
        _ => "eof",
    });
}

/// A client's connection.
struct Link {
    shared: Arc<Shared>,
    peer: SocketAddr,
    current: Current,
    /// Where the next request is written to, where there is a connection to the server already.
    sender: Mutex<Option<SendRequest<Tapped>>>,
    tasks: Mutex<Vec<AbortHandle>>,
}

impl Drop for Link {
    fn drop(&mut self) {
        let tasks = self.tasks.get_mut().unwrap_or_else(PoisonError::into_inner);
        tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Link {
    /// The client has gone: so goes the connection to the server.
    fn gone(&self, how: &'static str) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
        let stream = self.current.swap(0, Ordering::AcqRel);
        if stream != 0 {
            self.shared.copier.send(stream, Passing::ClientGone { how });
        }
        self.shared.copier.send(0, Passing::HungUp { peer: self.peer });
    }

    async fn exchange(&self, request: Request<Incoming>) -> Response<Answer> {
        if self.shared.loopback && !is_local(request.uri(), request.headers()) {
            return Answer::own(StatusCode::FORBIDDEN, ELSEWHERE);
        }
        let copier = self.shared.copier.clone();
        let stream = copier.stream();
        let (target, endpoint) = self.shared.upstream.target(request.uri());
        let (mut head, body) = request.into_parts();
        self.current.store(stream, Ordering::Release);
        let asked = head.uri.path_and_query().map_or("/", |asked| asked.as_str()).to_string();
        let (method, headers) = (head.method.to_string(), head.headers.clone());
        copier.send(stream, Passing::Request { peer: self.peer, method, target: asked, endpoint, headers });
        self.rewrite(&mut head.headers);
        head.uri = target.parse().unwrap_or_else(|_| Uri::from_static("/"));
        head.version = hyper::Version::HTTP_11;
        let body = Tapped::request(body, copier.clone(), stream, Arc::clone(&self.current));
        match self.send(Request::from_parts(head, body)).await {
            Ok(response) => self.answer(stream, &target, response),
            Err((how, why)) => {
                if self.current.swap(0, Ordering::AcqRel) == stream {
                    copier.send(stream, Passing::NoAnswer { how, why: why.clone() });
                }
                Answer::own(StatusCode::BAD_GATEWAY, &why)
            }
        }
    }

    /// The head of a request as the server gets it.
    fn rewrite(&self, headers: &mut HeaderMap) {
        heads::for_next_hop(headers);
        headers.insert(HOST, self.shared.upstream.authority.clone());
        // The body is read in any case, which tells the client to go on.
        headers.remove(EXPECT);
        if !self.shared.untouched {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
    }

    fn answer(&self, stream: u32, target: &str, response: Response<Incoming>) -> Response<Answer> {
        let copier = self.shared.copier.clone();
        let (mut head, body) = response.into_parts();
        let headers = head.headers.clone();
        let past = if head.status.is_redirection() { self.lead_back(&mut head.headers, target) } else { None };
        copier.send(stream, Passing::Response { status: head.status.as_u16(), headers, past });
        heads::for_next_hop(&mut head.headers);
        let relative = self.shared.relative && super::is_event_stream(&head.headers);
        let rewrite = relative.then(|| Relative::new(self.shared.upstream.home.clone()));
        if rewrite.is_some() {
            // A relative endpoint is shorter.
            head.headers.remove(CONTENT_LENGTH);
        }
        let body = Tapped::response(body, copier, stream, Arc::clone(&self.current), rewrite);
        Response::from_parts(head, Answer::Server(Box::new(body)))
    }

    /// Makes a redirect to the server itself one to the recorder; tells where one leads that goes past it.
    fn lead_back(&self, headers: &mut HeaderMap, target: &str) -> Option<String> {
        let location = headers.get(LOCATION)?.to_str().ok()?;
        match self.shared.upstream.home.way(location) {
            Way::Back => None,
            Way::Past(place) => Some(place),
            // Another name of the server, and nothing else: it would be sent back without end.
            Way::Home(path) if self.shared.untouched || path == target => Some(self.shared.upstream.address()),
            Way::Home(path) => {
                headers.insert(LOCATION, HeaderValue::from_str(&path).ok()?);
                None
            }
        }
    }

    /// Sends a request; what failed is told in a word and in a sentence.
    async fn send(&self, request: Request<Tapped>) -> Result<Response<Incoming>, (&'static str, String)> {
        let place = self.shared.upstream.address();
        let mut request = request;
        let known = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut sender) = known
            && sender.ready().await.is_ok()
        {
            match sender.try_send_request(request).await {
                Ok(response) => {
                    self.keep(sender);
                    return Ok(response);
                }
                // The server had closed a connection that was idle, and nothing of this was sent.
                Err(mut error) => match error.take_message() {
                    Some(back) => request = back,
                    None => return Err(no_answer(&place, &error.into_error())),
                },
            }
        }
        let io = match self.shared.upstream.connect().await {
            Ok(io) => io,
            Err(error) => {
                // What the client asked is worth knowing all the same, if it is not too slow in saying it.
                let _ = tokio::time::timeout(ASKING, request.into_body().read_out()).await;
                return Err((refused(&error), format!("cannot connect to {place}: {error}")));
            }
        };
        let builder = client::conn::http1::Builder::new().preserve_header_case(true).handshake(TokioIo::new(io)).await;
        let (mut sender, connection) = builder.map_err(|error| no_answer(&place, &error))?;
        let task = tokio::spawn(async move { drop(connection.await) });
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task.abort_handle());
        let response = sender.send_request(request).await.map_err(|error| no_answer(&place, &error))?;
        self.keep(sender);
        Ok(response)
    }

    fn keep(&self, sender: SendRequest<Tapped>) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).retain(|task| !task.is_finished());
    }
}

fn no_answer(place: &str, error: &hyper::Error) -> (&'static str, String) {
    (broken(error), format!("{place} broke off without an answer: {error}"))
}

fn refused(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "refused",
        _ => "unreachable",
    }
}

/// The body of an answer.
pub(super) enum Answer {
    /// The server's.
    Server(Box<Tapped>),
    /// The recorder's own.
    Own(Option<Bytes>),
}

impl Answer {
    fn own(status: StatusCode, why: &str) -> Response<Answer> {
        let text = serde_json::json!({ "error": format!("rpctape: {why}") }).to_string();
        let mut response = Response::new(Answer::Own(Some(text.into())));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut *self {
            Answer::Server(body) => Pin::new(body.as_mut()).poll_frame(cx),
            Answer::Own(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Answer::Server(body) => body.is_end_stream(),
            Answer::Own(bytes) => bytes.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answer::Server(body) => body.size_hint(),
            Answer::Own(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
        }
    }
}
