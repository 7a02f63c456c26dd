//! Clients for a program without a runtime of its own: each gets a thread, and two ends that block.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{Listen, open};
use crate::error::{Error, ErrorKind, Result};
use crate::live::{Arrival, Clock, Incoming, Outgoing};

/// A client that came.
#[derive(Debug)]
pub struct Guest {
    from: mpsc::Receiver<Arrival>,
    voice: Voice,
}

/// What a client is told with.
#[derive(Clone, Debug)]
pub struct Voice(mpsc::Sender<Outgoing>);

impl Guest {
    /// What it does next; waits for it. `None` when it is gone.
    pub fn hear(&mut self) -> Option<Incoming> {
        self.from.blocking_recv().map(|arrival| arrival.what)
    }

    /// What it is told with.
    pub fn voice(&self) -> Voice {
        self.voice.clone()
    }
}

impl Voice {
    /// Sends a message on the stream of the request that it belongs to. One to somebody who is gone is dropped.
    pub fn say(&self, stream: u32, bytes: Vec<u8>) {
        self.order(Outgoing::Message { stream, bytes, revision: None, more: false });
    }

    /// Ends a stream on which no answer will come.
    pub fn close(&self, stream: u32) {
        self.order(Outgoing::CloseStream { stream });
    }

    /// Ends the connection.
    pub fn finish(&self) {
        self.order(Outgoing::Finish);
    }

    fn order(&self, order: Outgoing) {
        let _ = self.0.blocking_send(order);
    }
}

/// Lets clients in and gives each to `client` on a thread of its own, until nobody can come any more. Must not be called from a runtime.
pub fn on_threads(
    listen: &Listen,
    opened: impl FnOnce(Option<SocketAddr>),
    client: impl Fn(Guest) + Send + Sync + 'static,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the runtime: {error}")))?;
    let mut door = runtime.block_on(open(listen, Clock::start()))?;
    opened(door.address);
    let client = Arc::new(client);
    while let Some(link) = door.clients.blocking_recv() {
        let client = Arc::clone(&client);
        let guest = Guest { from: link.from, voice: Voice(link.to) };
        // Where no thread can be had the client is turned away: its session is over before it began.
        let _ = std::thread::Builder::new().name("client".to_string()).spawn(move || client(guest));
    }
    Ok(())
}
