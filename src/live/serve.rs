//! Live clients: what lets them in, and a [`Link`] for each. The other way round from `transport`, with the same two ends.
//!
//! A link reports what the client sends and takes what it is to be sent. [`crate::live::Outgoing::Finish`] ends the connection once all is
//! written; then nothing more is reported. Nothing but messages is ever written to standard output.

mod bytes;
mod http;
mod room;
mod threads;

use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::{Clock, Link};
use crate::error::{Error, ErrorKind, Result};

pub use threads::{Guest, Voice, on_threads};

/// How many messages a link holds.
const QUEUE: usize = 256;

/// Where clients come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Our own standard streams: one client.
    Stdio,
    /// `host:port`: a client a connection.
    Tcp(String),
    /// `host:port`: MCP over Streamable HTTP, at any path.
    Http {
        /// Where.
        address: String,
        /// The request that begins a session, which gets an id of its own; `None` where there are no sessions.
        handshake: Option<String>,
        /// The revisions that the header `MCP-Protocol-Version` may name; none are named here where any will do.
        revisions: &'static [&'static str],
    },
}

/// An open door.
#[derive(Debug)]
pub struct Door {
    /// Those who come. Ends when nobody can come any more.
    pub clients: mpsc::Receiver<Link>,
    /// Where they come to.
    pub address: Option<SocketAddr>,
}

/// Opens it, on the runtime that this is called on. Dropping the door closes it.
pub async fn open(listen: &Listen, clock: Clock) -> Result<Door> {
    let (let_in, clients) = mpsc::channel(1);
    let address = match listen {
        Listen::Stdio => {
            let (link, port) = link();
            tokio::spawn(bytes::serve(tokio::io::stdin(), tokio::io::stdout(), port, clock));
            let _ = let_in.send(link).await;
            None
        }
        Listen::Tcp(address) => {
            let listener = bind(address).await?;
            let at = listener.local_addr().ok();
            tokio::spawn(bytes::accept(listener, let_in, clock));
            at
        }
        Listen::Http { address, handshake, revisions } => {
            let listener = bind(address).await?;
            let at = listener.local_addr().ok();
            let rules = http::Rules::new(handshake.clone(), revisions, at);
            tokio::spawn(http::accept(listener, let_in, rules, clock));
            at
        }
    };
    Ok(Door { clients, address })
}

async fn bind(address: &str) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::new(ErrorKind::Io, format!("cannot listen on {address}: {error}"))
            .hint("name a free port as HOST:PORT; port 0 takes any")
    })
}

/// The far end of a link.
#[derive(Debug)]
struct Port {
    to: mpsc::Receiver<super::Outgoing>,
    from: mpsc::Sender<super::Arrival>,
}

fn link() -> (Link, Port) {
    let (to, orders) = mpsc::channel(QUEUE);
    let (arrivals, from) = mpsc::channel(QUEUE);
    (Link { to, from }, Port { to: orders, from: arrivals })
}
