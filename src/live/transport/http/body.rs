//! The body of a POST, which tells when it was written.

use std::convert::Infallible;

use bytes::Bytes;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Body, RequestBuilder};
use tokio::sync::oneshot;

use crate::live::Clock;

/// A body is handed to the connection in pieces of this size, in bytes, so that its end is handed over when it is due.
const PIECE: usize = 64 * 1024;

/// Gives a request its body, and a signal with the time at which the last of it was handed to the connection.
/// None comes of a connection that was never made.
pub(super) fn with_body(
    request: RequestBuilder,
    bytes: &Bytes,
    clock: Clock,
) -> (RequestBuilder, oneshot::Receiver<i64>) {
    let (signal, written) = oneshot::channel();
    let state = Written { rest: bytes.clone(), begun: false, signal: Some(signal), clock };
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
    signal: Option<oneshot::Sender<i64>>,
    clock: Clock,
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
            // Nobody waits for it once the request was given up.
            let _ = signal.send(self.clock.us());
        }
    }
}
