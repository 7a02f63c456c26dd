//! Links to live peers: one module per transport. A link reports facts; what they mean is for others to say.
//!
//! A broken pipe, an end of file, a refused connection: none of them is an error here, each is told as it was. The task
//! behind a link ends with the peer, or when nobody listens to the link any more: then nothing of the peer that it
//! started is left behind.

mod framing;
mod group;
mod http;
mod port;
mod pump;
mod socket;
mod stdio;
mod ws;

use tokio::sync::mpsc;

pub use crate::wire::Framing;
pub use framing::{Piece, Spoken};
pub use group::{Group, kill_all};

use crate::live::{Access, Arrival, Clock, Outgoing, Target};
use port::Port;

/// How many orders and arrivals a link holds. More orders wait inside the transport, never in front of it.
const QUEUE: usize = 256;

/// The user's end of a link.
///
/// Dropping `from` ends everything at once: a child's group is killed, connections are closed. Dropping `to` alone means
/// [`Outgoing::Finish`]. Orders to a peer that is gone are passed over without a word: they are never told as sent.
#[derive(Debug)]
pub struct Link {
    /// Orders. Taken as fast as they come, whatever the peer does.
    pub to: mpsc::Sender<Outgoing>,
    /// What happens. Ends after the last of it: an exit, a failure, or the close of the connection.
    pub from: mpsc::Receiver<Arrival>,
}

/// Starts or connects to a peer, on the runtime that it is called on. Failures arrive as [`crate::live::Incoming::Failed`].
pub async fn connect(target: &Target, access: &Access, framing: Framing, clock: Clock) -> Link {
    let (to, orders) = mpsc::channel(QUEUE);
    let (arrivals, from) = mpsc::channel(QUEUE);
    let port = Port::new(orders, arrivals, clock);
    tokio::spawn(serve(target.clone(), access.clone(), framing, port));
    Link { to, from }
}

async fn serve(target: Target, access: Access, framing: Framing, port: Port) {
    match target {
        Target::Command(command) => stdio::run(&command, framing, port).await,
        Target::Tcp(address) => socket::tcp(&address, framing, port).await,
        Target::Unix(path) => socket::unix(&path, framing, port).await,
        Target::Http(url) => http::streamable(&url, &access, port).await,
        Target::HttpSse(url) => http::with_sse(&url, &access, port).await,
        Target::Ws(url) => ws::run(&url, &access, port).await,
    }
}
