//! The HTTP recorder: a reverse proxy for one endpoint that keeps a copy of what passes.
//!
//! `serve` forwards, chunk by chunk, and hands copies over through `copy`; one thread, the `scribe`, reads them and
//! writes events to the tape. Nothing that is forwarded waits for anything that is read.

mod copy;
mod endpoint;
mod heads;
mod numbers;
mod scribe;
mod serve;
mod stream;
mod stream_events;
mod tapped;
mod upstream;
mod way;
mod ws;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use hyper::HeaderMap;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::Clock;
use super::tape::{QUEUE_BYTES, Say, Tape};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::http;
use copy::{Copier, Passing};
use scribe::{Scribe, Signposts};
use serve::Shared;
use upstream::Upstream;
use ws::WsScribe;

/// What is recorded, and where clients connect to.
#[derive(Clone, Debug)]
pub struct ProxyOptions {
    /// URL of the endpoint: `http`, `https`, `ws` or `wss`.
    pub url: String,
    /// Where to listen: `5000`, `:5000`, `127.0.0.1:5000`; port 0 takes a free one. Without a host: this machine only.
    pub listen: String,
    /// True for the HTTP+SSE of 2024-11-05: every GET is a connection, and an endpoint that names the server is made relative.
    pub legacy: bool,
    /// True to change nothing that is forwarded.
    pub untouched: bool,
}

impl ProxyOptions {
    /// What is changed on the wire, for the header of the recording.
    pub fn alter(&self) -> Vec<String> {
        let names: &[&str] = match (self.untouched, self.is_web_socket(), self.legacy) {
            (true, ..) => &[],
            (_, true, _) => &["sec-websocket-extensions"],
            (_, _, true) => &["accept-encoding", "endpoint", "location"],
            _ => &["accept-encoding", "location"],
        };
        names.iter().map(|name| name.to_string()).collect()
    }

    /// True for a WebSocket.
    pub fn is_web_socket(&self) -> bool {
        let scheme = self.url.split("://").next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("ws") || scheme.eq_ignore_ascii_case("wss")
    }
}

/// A running recorder.
pub struct Proxy {
    address: SocketAddr,
    path: String,
    web_socket: bool,
    copier: Copier,
    accepting: tokio::task::JoinHandle<()>,
    scribe: JoinHandle<()>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Proxy {
    /// Listens, and records onto the tape. `say` is told once if a client is sent past the recorder.
    pub async fn start(options: &ProxyOptions, tape: Tape, clock: Clock, say: Say) -> Result<Proxy> {
        let web_socket = options.is_web_socket();
        let upstream = Upstream::parse(&options.url, if web_socket { ["ws", "wss"] } else { ["http", "https"] })?;
        let listener = listen(&options.listen).await?;
        let address = listener.local_addr().map_err(|error| cannot_listen(&options.listen, &error))?;
        let (copier, copies) = copy::copies(clock, QUEUE_BYTES);
        let path = upstream.path.clone();
        let legacy = options.legacy;
        let relative = legacy && !options.untouched;
        let home = upstream.home.clone();
        let scribe = std::thread::Builder::new()
            .name("scribe".to_string())
            .spawn(move || match web_socket {
                true => WsScribe::new(tape).run(&copies),
                false => Scribe::new(tape, legacy, Signposts { home, relative, say: Some(say) }).run(&copies),
            })
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the thread that reads: {error}")))?;
        let shared = Arc::new(Shared {
            upstream,
            copier: copier.clone(),
            untouched: options.untouched,
            relative,
            loopback: address.ip().is_loopback(),
        });
        let accepting = tokio::spawn(accept(listener, shared, web_socket));
        Ok(Proxy { address, path, web_socket, copier, accepting, scribe })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to give to a client in the place of the server's URL.
    pub fn url(&self) -> String {
        let scheme = if self.web_socket { "ws" } else { "http" };
        format!("{scheme}://{}{}", self.address, self.path)
    }

    /// Closes every connection; returns when the last event has been handed to the tape.
    pub async fn stop(self) {
        self.accepting.abort();
        let _ = self.accepting.await;
        self.copier.send(0, Passing::Stop);
        let _ = tokio::task::spawn_blocking(move || self.scribe.join()).await;
    }
}

/// Takes clients until it is dropped; their connections then end, too.
async fn accept(listener: TcpListener, shared: Arc<Shared>, web_socket: bool) {
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            client = listener.accept() => match client {
                Ok((stream, peer)) => {
                    // Only a matter of delay: without it, the connection works all the same.
                    let _ = stream.set_nodelay(true);
                    let shared = Arc::clone(&shared);
                    match web_socket {
                        true => clients.spawn(ws::serve(stream, peer, shared)),
                        false => clients.spawn(serve::serve(stream, peer, shared)),
                    };
                }
                // Too many open files, or a client that is gone already: the next one may do.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
            },
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Binds; where no host is given, to this machine only.
async fn listen(place: &str) -> Result<TcpListener> {
    let with_host = match place.strip_prefix(':').unwrap_or(place) {
        port if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
        _ => place.to_string(),
    };
    TcpListener::bind(&with_host).await.map_err(|error| cannot_listen(&with_host, &error))
}

fn cannot_listen(place: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot listen on {place}: {error}"))
        .hint("--listen takes HOST:PORT, or a port on this machine; port 0 takes one that is free")
}

/// True for an event stream.
fn is_event_stream(headers: &HeaderMap) -> bool {
    heads::text(headers, "content-type").is_some_and(http::is_event_stream)
}
