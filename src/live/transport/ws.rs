//! WebSocket: one message a frame. Pings are answered by the library.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::framing::{Piece, piece};
use super::port::{Gone, Port, until};
use super::pump::how;
use super::socket::{fail, patiently, tried};
use crate::live::link::turned_away;
use crate::live::{Access, Arrival, Incoming, Outgoing, tls};
use crate::protocol::Side;

/// How long the peer may take to close after we have.
const LINGER: Duration = Duration::from_secs(10);
/// How long the reply to its close may take.
const GOODBYE: Duration = Duration::from_secs(1);
/// No more is read while so many arrivals wait to be taken.
const OUTBOX: usize = 256;

/// Serves a link over a WebSocket, encrypted or not.
pub(super) async fn run(url: &str, access: &Access, mut port: Port) {
    let request = match request(url, access) {
        Ok(request) => request,
        Err(why) => return fail(&port, format!("cannot connect to {url}: {why}")).await,
    };
    let attempt = || async {
        match open(&request, access).await {
            Ok(socket) => Ok(Ok(socket)),
            // The only failures that time may heal.
            Err(Error::Io(error)) if tls::may_heal(&error) => Err(error),
            Err(error) => Ok(Err(error)),
        }
    };
    match port.connect(patiently(attempt)).await {
        None => {}
        Some(Err(error)) => fail(&port, format!("cannot connect to {url}: {error}{}", tried(&error))).await,
        Some(Ok(Err(Error::Io(error)))) => {
            let advice = if tls::is_refused(&error) { format!(": {}", tls::ADVICE) } else { String::new() };
            fail(&port, format!("cannot connect to {url}: {error}{advice}")).await;
        }
        Some(Ok(Err(Error::Http(response)))) => {
            let status = response.status();
            let advice = turned_away(status.as_u16()).unwrap_or("there is no WebSocket at this address");
            fail(&port, format!("{url} answers HTTP {status}: {advice}")).await;
        }
        Some(Ok(Err(error))) => fail(&port, format!("cannot open a WebSocket at {url}: {error}")).await,
        Some(Ok(Ok(socket))) => {
            let (sink, stream) = socket.split();
            let outbox = VecDeque::from([port.report.now(Incoming::Ready)]);
            let talk = Talk {
                port,
                sink,
                stream,
                queue: VecDeque::new(),
                outbox,
                flushing: Vec::new(),
                more: false,
                deadline: None,
                closed: false,
            };
            talk.run().await;
        }
    }
}

type Socket = WebSocketStream<Box<dyn Duplex>>;

/// A connection, encrypted or not.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// The request that opens it, with the headers of the user.
fn request(url: &str, access: &Access) -> Result<Request, String> {
    let mut request = url.into_client_request().map_err(|error| error.to_string())?;
    for (name, value) in &access.headers {
        let (name, value) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>());
        let (Ok(name), Ok(value)) = (name, value) else { return Err("a header cannot be sent".to_string()) };
        request.headers_mut().append(name, value);
    }
    Ok(request)
}

/// One try.
async fn open(request: &Request, access: &Access) -> Result<Socket, Error> {
    let secure = request.uri().scheme_str() == Some("wss");
    let host = request.uri().host().unwrap_or_default().trim_matches(['[', ']']).to_string();
    let port = request.uri().port_u16().unwrap_or(if secure { 443 } else { 80 });
    let stream = TcpStream::connect((host.as_str(), port)).await?;
    stream.set_nodelay(true)?;
    let stream: Box<dyn Duplex> = match secure {
        false => Box::new(stream),
        true => {
            let config = tls::client(&access.authorities).map_err(std::io::Error::other)?;
            let name = ServerName::try_from(host).map_err(std::io::Error::other)?;
            Box::new(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
        }
    };
    // A message may be as long as it likes: it is captured, not trusted.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    Ok(client_async_with_config(request.clone(), stream, Some(config)).await?.0)
}

/// A connection. As with byte streams, one task does both ways, so that what is told is in order.
struct Talk {
    port: Port,
    sink: SplitSink<Socket, Message>,
    stream: SplitStream<Socket>,
    /// Messages to send.
    queue: VecDeque<Queued>,
    outbox: VecDeque<Arrival>,
    /// The streams of what the socket has taken and not yet written.
    flushing: Vec<Option<u32>>,
    /// True while that waits for the message that goes out with it.
    more: bool,
    /// Once it is to be closed: when to give up waiting for the peer.
    deadline: Option<Instant>,
    /// True once our close was sent.
    closed: bool,
}

/// A message to send.
struct Queued {
    /// The number of its stream; our close has none.
    stream: Option<u32>,
    message: Message,
    /// It goes out with the one behind it.
    more: bool,
}

/// What the writing side is to do next.
#[derive(Clone, Copy)]
enum Next {
    /// Take a message.
    Begin,
    /// Write what was taken.
    Flush,
    /// Wait.
    Nothing,
}

/// Does it. Nothing is lost when it is dropped half-way.
async fn write(sink: &mut SplitSink<Socket, Message>, next: Next) -> Result<(), Error> {
    match next {
        Next::Begin => poll_fn(|cx| sink.poll_ready_unpin(cx)).await,
        Next::Flush => sink.flush().await,
        Next::Nothing => std::future::pending().await,
    }
}

/// How it ended: by whom, and how; `None` if nobody wants to know.
type End = Option<(Side, String)>;

impl Talk {
    async fn run(mut self) {
        let end = loop {
            match self.step().await {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(end) => break end,
            }
        };
        let Some((by, how)) = end else { return };
        self.tell(Incoming::Closed { stream: None, by, how });
        // The reply to a close; nobody waits for it.
        let _ = timeout(GOODBYE, self.sink.close()).await;
        let report = self.port.report.clone();
        // Orders are refused from here on, so that nobody waits to give one.
        drop(self.port);
        while !self.outbox.is_empty() && report.deliver(&mut self.outbox).await.is_ok() {}
    }

    async fn step(&mut self) -> ControlFlow<End> {
        let report = self.port.report.clone();
        let reads = self.outbox.len() < OUTBOX;
        let next = match (self.flushing.is_empty() || self.more, self.queue.is_empty()) {
            (false, _) => Next::Flush,
            (true, false) => Next::Begin,
            (true, true) => Next::Nothing,
        };
        tokio::select! {
            () = report.gone() => ControlFlow::Break(None),
            done = report.deliver(&mut self.outbox), if !self.outbox.is_empty() => match done {
                Ok(()) => ControlFlow::Continue(()),
                Err(Gone) => ControlFlow::Break(None),
            },
            order = self.port.order() => self.take(order),
            done = write(&mut self.sink, next) => match next {
                Next::Begin => self.begin(done),
                Next::Flush | Next::Nothing => self.sent(done),
            },
            found = self.stream.next(), if reads => self.read(found),
            () = until(self.deadline) => ControlFlow::Break(Some((Side::Client, "closed".into()))),
        }
    }

    fn take(&mut self, order: Outgoing) -> ControlFlow<End> {
        match order {
            Outgoing::Message { stream, bytes, more, .. } if self.deadline.is_none() => {
                let message = match String::from_utf8(bytes) {
                    Ok(text) => Message::text(text),
                    Err(error) => Message::binary(error.into_bytes()),
                };
                self.queue.push_back(Queued { stream: Some(stream), message, more });
            }
            Outgoing::Finish if self.deadline.is_none() => {
                let normal = CloseFrame { code: CloseCode::Normal, reason: "".into() };
                self.queue.push_back(Queued { stream: None, message: Message::Close(Some(normal)), more: false });
                self.deadline = Some(Instant::now() + LINGER);
            }
            Outgoing::Abort => return ControlFlow::Break(Some((Side::Client, "closed".into()))),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin(&mut self, ready: Result<(), Error>) -> ControlFlow<End> {
        let Some(Queued { stream, message, more }) = self.queue.pop_front() else { return ControlFlow::Continue(()) };
        match ready.and_then(|()| self.sink.start_send_unpin(message)) {
            Ok(()) => {
                self.flushing.push(stream);
                self.more = more;
                ControlFlow::Continue(())
            }
            Err(error) => self.unsent(&error),
        }
    }

    fn sent(&mut self, done: Result<(), Error>) -> ControlFlow<End> {
        let taken = std::mem::take(&mut self.flushing);
        if let Err(error) = done {
            return self.unsent(&error);
        }
        for taken in taken {
            match taken {
                Some(stream) => self.tell(Incoming::Sent { stream }),
                None => self.closed = true,
            }
        }
        ControlFlow::Continue(())
    }

    /// What cannot be sent is passed over; how the connection ended is read from it.
    fn unsent(&mut self, error: &Error) -> ControlFlow<End> {
        self.queue.clear();
        self.more = false;
        match error {
            Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_) => ControlFlow::Continue(()),
            error => broken(Side::Server, error),
        }
    }

    fn read(&mut self, found: Option<Result<Message, Error>>) -> ControlFlow<End> {
        let by = if self.closed { Side::Client } else { Side::Server };
        let bytes = match found {
            None => return ControlFlow::Break(Some((by, "eof".into()))),
            Some(Err(error)) => return broken(by, &error),
            Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
            Some(Ok(Message::Binary(bytes))) => bytes.to_vec(),
            Some(Ok(Message::Close(frame))) => {
                // 1005 is the code of a close that has none.
                let code = frame.map_or(1005, |frame| u16::from(frame.code));
                return ControlFlow::Break(Some((by, code.to_string())));
            }
            Some(Ok(_)) => return ControlFlow::Continue(()),
        };
        self.tell(match piece(bytes) {
            Piece::Message(bytes) => Incoming::Message { stream: None, bytes, event_id: None },
            Piece::Raw(bytes) => Incoming::Raw { bytes, cut: false },
        });
        ControlFlow::Continue(())
    }

    fn tell(&mut self, what: Incoming) {
        let arrival = self.port.report.now(what);
        self.outbox.push_back(arrival);
    }
}

/// How a connection broke, in a word.
fn broken(by: Side, error: &Error) -> ControlFlow<End> {
    let how = match error {
        Error::ConnectionClosed | Error::AlreadyClosed => "eof",
        Error::Io(error) => how(error),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => "reset",
        _ => "error",
    };
    ControlFlow::Break(Some((by, how.into())))
}
