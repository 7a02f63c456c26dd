//! A client over a byte stream: standard streams or a TCP connection. It is answered in the framing that it uses itself.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use super::{Port, link};
use crate::live::transport::{Piece, Spoken};
use crate::live::{Arrival, Clock, Framing, Incoming, Link, Outgoing};
use crate::protocol::Side;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Lets clients in until nobody wants them any more.
pub(super) async fn accept(listener: TcpListener, let_in: mpsc::Sender<Link>, clock: Clock) {
    loop {
        let stream = tokio::select! {
            () = let_in.closed() => return,
            accepted = listener.accept() => accepted,
        };
        // One that is gone before it was let in is nobody.
        let Ok((stream, _)) = stream else { continue };
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let (link, port) = link();
        tokio::spawn(serve(reader, writer, port, clock));
        if let_in.send(link).await.is_err() {
            return;
        }
    }
}

/// Serves one client until it is to be finished.
pub(super) async fn serve<R, W>(reader: R, writer: W, port: Port, clock: Clock)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let Port { to, from } = port;
    let (spoken, framing) = watch::channel(None);
    let tell = Tell { from: from.clone(), clock };
    if tell.now(Incoming::Ready).await.is_none() {
        return;
    }
    let read = async {
        read(reader, &tell, spoken).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = write(writer, to, framing, &tell) => {}
        () = read => {}
        () = from.closed() => {}
    }
}

/// Reports arrivals.
struct Tell {
    from: mpsc::Sender<Arrival>,
    clock: Clock,
}

impl Tell {
    /// `None` if nobody listens any more.
    async fn now(&self, what: Incoming) -> Option<()> {
        self.from.send(Arrival { at_us: self.clock.us(), what }).await.ok()
    }
}

async fn read<R: AsyncRead + Unpin>(mut reader: R, tell: &Tell, spoken: watch::Sender<Option<Framing>>) {
    let (mut pieces, mut chunk) = (Spoken::default(), vec![0; CHUNK]);
    let how = loop {
        let bytes = match reader.read(&mut chunk).await {
            Ok(0) => break "eof",
            Err(_) => break "reset",
            Ok(count) => &chunk[..count],
        };
        if spoken.borrow().is_none()
            && let Some(framing) = framing_of(bytes)
        {
            spoken.send_replace(Some(framing));
        }
        for piece in pieces.feed(bytes) {
            if tell.now(incoming(piece, false)).await.is_none() {
                return;
            }
        }
    };
    for piece in pieces.end() {
        let _ = tell.now(incoming(piece, true)).await;
    }
    let _ = tell.now(Incoming::Closed { stream: None, by: Side::Client, how: how.to_string() }).await;
}

/// How a client frames its messages, by the first byte that it sends: a message is an object or an array, a header a name.
fn framing_of(bytes: &[u8]) -> Option<Framing> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
    Some(if first.eq_ignore_ascii_case(&b'c') { Framing::ContentLength } else { Framing::Lines })
}

fn incoming(piece: Piece, cut: bool) -> Incoming {
    match piece {
        Piece::Message(bytes) => Incoming::Message { stream: None, bytes, event_id: None },
        Piece::Raw(bytes) => Incoming::Raw { bytes, cut },
    }
}

/// Writes until it is to be finished. What is due before the client has said a word waits for its framing.
async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut to: mpsc::Receiver<Outgoing>,
    mut framing: watch::Receiver<Option<Framing>>,
    tell: &Tell,
) {
    let mut deaf = false;
    while let Some(order) = to.recv().await {
        match order {
            Outgoing::Message { bytes, .. } if !deaf => {
                let Ok(framing) = framing.wait_for(Option::is_some).await.map(|framing| framing.unwrap_or_default())
                else {
                    return;
                };
                let framed = framing.wrap(&bytes);
                let done = async {
                    writer.write_all(&framed).await?;
                    writer.flush().await
                };
                if done.await.is_err() {
                    deaf = true;
                    let closed = Incoming::Closed { stream: None, by: Side::Client, how: "reset".to_string() };
                    let _ = tell.now(closed).await;
                }
            }
            Outgoing::Finish | Outgoing::Abort => break,
            _ => {}
        }
    }
    let _ = writer.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;

    /// A client's end of a pipe, and the link to it.
    async fn client() -> (tokio::io::DuplexStream, Link) {
        let (near, far) = duplex(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        let (mut link, port) = link();
        tokio::spawn(serve(reader, writer, port, Clock::start()));
        assert_eq!(link.from.recv().await.map(|arrival| arrival.what), Some(Incoming::Ready));
        (near, link)
    }

    fn message(text: &str) -> Outgoing {
        Outgoing::Message { stream: 0, bytes: text.into(), revision: None, more: false }
    }

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    #[test]
    fn a_client_is_answered_in_its_own_framing() {
        run(async {
            for (sent, expected) in [
                ("{\"id\":1}\n", "{\"id\":2}\n{}\n"),
                (
                    "Content-Length: 8\r\n\r\n{\"id\":1}",
                    "Content-Length: 8\r\n\r\n{\"id\":2}Content-Length: 2\r\n\r\n{}",
                ),
                ("content-length:8\n\n{\"id\":1}", "Content-Length: 8\r\n\r\n{\"id\":2}Content-Length: 2\r\n\r\n{}"),
            ] {
                let (mut near, mut link) = client().await;
                // The first is due before the client has said anything.
                link.to.send(message("{\"id\":2}")).await.unwrap();
                near.write_all(sent.as_bytes()).await.unwrap();
                let came = link.from.recv().await.map(|arrival| arrival.what);
                let wanted = Incoming::Message { stream: None, bytes: b"{\"id\":1}".to_vec(), event_id: None };
                assert_eq!(came, Some(wanted));
                link.to.send(message("{}")).await.unwrap();
                link.to.send(Outgoing::Finish).await.unwrap();
                let mut all = String::new();
                near.read_to_string(&mut all).await.unwrap();
                assert_eq!(all, expected);
                assert_eq!(link.from.recv().await, None);
            }
        });
    }

    #[test]
    fn noise_and_the_end_are_told() {
        run(async {
            let (mut near, mut link) = client().await;
            near.write_all(b"hello\n{\"cut\":").await.unwrap();
            drop(near);
            let mut all = Vec::new();
            for _ in 0..3 {
                all.extend(link.from.recv().await.map(|arrival| arrival.what));
            }
            let closed = Incoming::Closed { stream: None, by: Side::Client, how: "eof".into() };
            let raw = |text: &str, cut| Incoming::Raw { bytes: text.into(), cut };
            assert_eq!(all, [raw("hello", false), raw("{\"cut\":", true), closed]);
            drop(link.to);
            assert_eq!(link.from.recv().await, None);
        });
    }
}
