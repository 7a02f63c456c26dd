//! The body of a POST, which tells when it was written.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Body, RequestBuilder};
use tokio::sync::oneshot;

use crate::live::Incoming;
use crate::live::transport::port::Room;

/// A body is handed to the connection in pieces of this size, in bytes, so that its end is handed over when it is due.
const PIECE: usize = 64 * 1024;

/// Tells once that the message of a stream was sent.
#[derive(Clone)]
pub(super) struct Sent {
    room: Arc<Mutex<Option<Room>>>,
    stream: u32,
}

impl Sent {
    pub(super) fn new(room: Room, stream: u32) -> Sent {
        Sent { room: Arc::new(Mutex::new(Some(room))), stream }
    }

    pub(super) fn tell(&self) {
        let room = self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(room) = room {
            room.tell(Incoming::Sent { stream: self.stream });
        }
    }
}

/// Gives a request its body, and a signal that the last of it was handed to the connection. That is told from within, before the
/// connection passes it on: an answer on another stream could be told first otherwise. None comes of a connection that was never made.
pub(super) fn with_body(request: RequestBuilder, bytes: &Bytes, sent: Sent) -> (RequestBuilder, oneshot::Receiver<()>) {
    let (signal, written) = oneshot::channel();
    let state = Written { rest: bytes.clone(), begun: false, signal: Some(signal), sent };
    let pieces = futures_util::stream::unfold(state, |mut state| async move {
        let piece = state.piece()?;
        Some((Ok::<Bytes, Infallible>(piece), state))
    });
    // With a length, because not every server reads a chunked request.
    let request = request.header(CONTENT_LENGTH, bytes.len()).body(Body::wrap_stream(pieces));
    (request, written)
}

/// A body on its way. The connection drops it once it has taken the last piece.
struct Written {
    rest: Bytes,
    begun: bool,
    signal: Option<oneshot::Sender<()>>,
    sent: Sent,
}

impl Written {
    fn piece(&mut self) -> Option<Bytes> {
        self.begun = true;
        let length = self.rest.len().min(PIECE);
        Some(self.rest.split_to(length)).filter(|piece| !piece.is_empty())
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        if let Some(signal) = self.signal.take().filter(|_| self.begun && self.rest.is_empty()) {
            self.sent.tell();
            // Nobody waits for it once the request was given up.
            let _ = signal.send(());
        }
    }
}
