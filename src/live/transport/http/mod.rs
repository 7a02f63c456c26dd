//! Links over HTTP. Streamable HTTP of both eras here, the HTTP+SSE of 2024-11-05 in `legacy`.
//!
//! Order: a message starts 10 ms after the one before it has been written, or earlier if that is being answered; behind
//! a GET and a DELETE it waits for the head of the response, at most a second. Nothing waits for a 202: what had to come first was
//! written first. Requests are answered at the same time. Two connections are two ways through the network all
//! the same: which of two messages a slow server reads first is its own affair.

mod body;
mod legacy;
mod packed;
mod reply;
mod wire;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::port::Port;
use super::socket::fail;
use crate::live::link::NO_STREAM;
use crate::live::{Access, Incoming, Outgoing};
use crate::protocol::{Side, http};
use wire::{Call, End, Wire};

/// How long the next order waits for a message to be written: longer than a connection is tried.
const WRITE: Duration = Duration::from_secs(6);
/// How long it waits for the head of what is no message.
const HEAD: Duration = Duration::from_secs(1);
/// How long the end of a session may take.
const END: Duration = Duration::from_secs(5);

/// Serves a link over Streamable HTTP.
pub(super) async fn streamable(url: &str, access: &Access, port: Port) {
    let open = |url, wire| async { Ok(Some(Opened { url, wire, requests: JoinSet::new(), streams: true })) };
    serve(url, access, port, open).await;
}

/// Serves a link over HTTP+SSE.
pub(super) async fn with_sse(url: &str, access: &Access, port: Port) {
    serve(url, access, port, legacy::open).await;
}

/// A server that can be posted to.
struct Opened {
    url: Url,
    wire: Arc<Wire>,
    /// Requests that are open already.
    requests: JoinSet<End>,
    /// True if streams can be opened and the session ended.
    streams: bool,
}

/// Why not, or `None` if it is not wanted any more.
type Attempt = Result<Option<Opened>, String>;

async fn serve<F: Future<Output = Attempt>>(
    url: &str,
    access: &Access,
    mut port: Port,
    open: impl FnOnce(Url, Arc<Wire>) -> F,
) {
    let report = port.report.clone();
    let parsed = Url::parse(url).map_err(|error| format!("cannot use the address {url}: {error}"));
    let wire = parsed.and_then(|url| Ok((Wire::new(&url, access, report.clone())?, url)));
    let opened = match wire {
        Err(why) => Some(Err(why)),
        Ok((wire, url)) => port.connect(open(url, Arc::new(wire))).await,
    };
    match opened {
        // Given up before it was open.
        None | Some(Ok(None)) => {}
        Some(Err(why)) => fail(&port, why).await,
        Some(Ok(Some(opened))) => {
            if report.tell(Incoming::Ready).await.is_ok() {
                run(port, Orders { opened, streams: HashMap::new(), gate: None }).await;
            }
        }
    }
}

/// Follows orders until the end; they are taken in at any time, whatever they wait for.
async fn run(mut port: Port, orders: Orders) {
    let report = port.report.clone();
    let (queue, mut queued) = mpsc::unbounded_channel();
    let intake = async {
        loop {
            match port.order().await {
                Outgoing::Abort => return,
                // The end of the queue is there as long as this is polled.
                order => drop(queue.send(order)),
            }
        }
    };
    // Dropping the work drops its requests, and with them their connections.
    let last = tokio::select! {
        () = report.gone() => return,
        () = intake => None,
        last = orders.follow(&mut queued) => last,
    };
    // Orders are refused from here on, so that nobody waits to give one.
    drop(port);
    let closed = || Incoming::Closed { stream: None, by: Side::Client, how: "closed".into() };
    let last = last.unwrap_or_else(closed);
    let _ = report.tell(last).await;
}

/// The orders of a link and the requests that came of them.
struct Orders {
    opened: Opened,
    /// Which stream a task serves, and how to end it.
    streams: HashMap<Id, (u32, AbortHandle)>,
    /// What the next order has to wait for.
    gate: Option<Gate>,
}

/// Opens when the next order may go.
struct Gate {
    /// The request that holds it.
    stream: u32,
    opened: oneshot::Receiver<()>,
    /// It opens then at the latest.
    end: Instant,
}

impl Orders {
    /// Until `Finish`, or until the server ends it: then what is to be told of that.
    async fn follow(mut self, queued: &mut mpsc::UnboundedReceiver<Outgoing>) -> Option<Incoming> {
        let mut waiting: Option<Outgoing> = None;
        loop {
            tokio::select! {
                Some(order) = queued.recv(), if waiting.is_none() => match order {
                    // At once, unless what it closes has not even been written.
                    Outgoing::CloseStream { stream } if self.gate.as_ref().is_none_or(|gate| gate.stream != stream) => {
                        self.close(stream);
                    }
                    order => waiting = Some(order),
                },
                () = passed(&mut self.gate), if waiting.is_some() => match waiting.take() {
                    Some(Outgoing::Finish) => return None,
                    Some(order) => self.start(order),
                    None => {}
                },
                Some(ended) = self.opened.requests.join_next_with_id(), if !self.opened.requests.is_empty() => {
                    match self.ended(ended).await {
                        End::Told => {}
                        End::Last(last) => return Some(last),
                        End::Gone => return None,
                    }
                }
            }
        }
    }

    fn start(&mut self, order: Outgoing) {
        match order {
            Outgoing::Message { stream, bytes, revision, .. } => {
                let posted = self.opened.wire.posted(&bytes, revision.as_deref());
                if posted.handshake {
                    self.opened.wire.forget_session();
                }
                let mut headers = self.headers(&posted.headers, !posted.stateless);
                headers.insert(ACCEPT, HeaderValue::from_static(http::ACCEPT));
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                self.spawn(stream, Method::POST, headers, Some(Bytes::from(bytes)));
            }
            Outgoing::OpenStream { stream, last_event_id, revision } if self.opened.streams => {
                let mut named = revised(revision);
                named.extend(last_event_id.map(|id| (http::LAST_EVENT.to_string(), id)));
                let mut headers = self.headers(&named, true);
                headers.insert(ACCEPT, HeaderValue::from_static(http::EVENT_STREAM));
                self.spawn(stream, Method::GET, headers, None);
            }
            Outgoing::EndSession { revision } if self.opened.streams => {
                let headers = self.headers(&revised(revision), true);
                self.spawn(NO_STREAM, Method::DELETE, headers, None);
            }
            Outgoing::CloseStream { stream } => self.close(stream),
            _ => {}
        }
    }

    /// Headers that HTTP can carry; one that it cannot is the fault of the message, and the server will say so.
    fn headers(&self, named: &[(String, String)], session: bool) -> HeaderMap {
        let pair = |(name, value): &(String, String)| Some((name.parse::<HeaderName>().ok()?, value.parse().ok()?));
        let mut headers: HeaderMap = named.iter().filter_map(pair).collect();
        if let Some(session) = self.opened.wire.session().filter(|_| session) {
            headers.insert(http::SESSION, session);
        }
        headers
    }

    fn spawn(&mut self, stream: u32, method: Method, headers: HeaderMap, body: Option<Bytes>) {
        let wait = match method {
            Method::DELETE => END,
            Method::POST => WRITE,
            _ => HEAD,
        };
        let (go, opened) = oneshot::channel();
        self.gate = Some(Gate { stream, opened, end: Instant::now() + wait });
        let wire = Arc::clone(&self.opened.wire);
        let call = Call { stream, method, url: self.opened.url.clone(), headers, body };
        let handle = self.opened.requests.spawn(async move { wire.exchange(call, go).await });
        self.streams.insert(handle.id(), (stream, handle));
    }

    fn close(&mut self, stream: u32) {
        for (_, handle) in self.streams.values().filter(|(own, _)| *own == stream) {
            handle.abort();
        }
    }

    async fn ended(&mut self, ended: Result<(Id, End), tokio::task::JoinError>) -> End {
        let id = ended.as_ref().map_or_else(tokio::task::JoinError::id, |(id, _)| *id);
        let stream = self.streams.remove(&id).map(|(stream, _)| stream);
        match (ended, stream) {
            (Ok((_, end)), _) => end,
            // It was closed by an order.
            (Err(_), Some(stream)) => {
                let told = self.opened.wire.closed(stream, Side::Client, "closed").await;
                told.map_or_else(End::from, |()| End::Told)
            }
            (Err(_), None) => End::Told,
        }
    }
}

fn revised(revision: Option<String>) -> Vec<(String, String)> {
    revision.map(|revision| (http::REVISION.to_string(), revision)).into_iter().collect()
}

/// Waits until the gate is open: what it waits for has happened, or took too long.
async fn passed(gate: &mut Option<Gate>) {
    if let Some(Gate { opened, end, .. }) = gate {
        tokio::select! {
            _ = opened => {}
            () = sleep_until(*end) => {}
        }
    }
    *gate = None;
}
