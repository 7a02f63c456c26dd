//! TCP and Unix sockets: connected with patience, closed one direction at a time.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, sleep, timeout_at};

use super::port::{Port, until};
use super::pump::{Pump, Pumped};
use crate::live::Incoming;
use crate::protocol::Side;
use crate::wire::Framing;

/// How long a peer that does not listen yet is tried.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// The pause between two tries.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
/// How long the peer may go on after our direction was closed.
const LINGER: Duration = Duration::from_secs(10);

/// Serves a link over TCP.
pub(super) async fn tcp(address: &str, framing: Framing, mut port: Port) {
    match port.connect(patiently(|| TcpStream::connect(address))).await {
        None => {}
        Some(Err(error)) => fail(&port, format!("cannot connect to {address}: {error}{}", tried(&error))).await,
        Some(Ok(stream)) => {
            // Without it a cancel would wait for the acknowledgement of what was sent before.
            let _ = stream.set_nodelay(true);
            let (reader, writer) = stream.into_split();
            serve(Pump::new(port, framing, reader, writer)).await;
        }
    }
}

/// Serves a link over a Unix socket.
pub(super) async fn unix(path: &Path, framing: Framing, mut port: Port) {
    match port.connect(patiently(|| UnixStream::connect(path))).await {
        None => {}
        Some(Err(error)) => {
            fail(&port, format!("cannot connect to {}: {error}{}", path.display(), tried(&error))).await
        }
        Some(Ok(stream)) => {
            let (reader, writer) = stream.into_split();
            serve(Pump::new(port, framing, reader, writer)).await;
        }
    }
}

/// What is said of a server that was not up in that time.
pub(super) const TRIED: &str = " (tried for five seconds)";

/// The link cannot be used.
pub(super) async fn fail(port: &Port, why: String) {
    let _ = port.report.tell(Incoming::Failed { why }).await;
}

/// Says that it was tried for a while, where it was.
pub(super) fn tried(error: &std::io::Error) -> &'static str {
    if crate::live::tls::may_heal(error) { TRIED } else { "" }
}

/// Tries until it works or [`PATIENCE`] is over; then the last error.
pub(super) async fn patiently<T, F: Future<Output = std::io::Result<T>>>(
    attempt: impl Fn() -> F,
) -> std::io::Result<T> {
    let end = Instant::now() + PATIENCE;
    let mut last = std::io::Error::from(std::io::ErrorKind::TimedOut);
    while Instant::now() < end {
        match timeout_at(end, attempt()).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) if !crate::live::tls::may_heal(&error) => return Err(error),
            Ok(Err(error)) => last = error,
            Err(_) => break,
        }
        sleep(PAUSE).await;
    }
    Err(last)
}

async fn serve<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(mut pump: Pump<R, W>) {
    pump.tell(Incoming::Ready);
    let mut deadline: Option<Instant> = None;
    while pump.reading() {
        tokio::select! {
            step = pump.step() => match step {
                Pumped::Moved | Pumped::Deaf => {}
                Pumped::Finish => {
                    pump.finish_writing();
                    deadline = deadline.or(Some(Instant::now() + LINGER));
                }
                Pumped::Abort => break,
                Pumped::Gone => return,
            },
            () = until(deadline) => break,
        }
    }
    pump.stop_writing();
    pump.stop_reading(Side::Client, "closed");
    pump.flush().await;
}
