//! A body that is copied while it passes.

use std::error::Error as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::copy::{Copier, Passing};
use super::endpoint::Relative;
use crate::live::tape::FRAME_BYTES;
use crate::protocol::Side;

/// How a body ends that has come whole, in a word.
pub(super) const EOF: &str = "eof";

/// The exchange that a TCP connection of a client is at: 0 where none is.
pub(super) type Current = Arc<AtomicU32>;

/// A body on its way, chunk by chunk.
pub(super) struct Tapped {
    inner: Incoming,
    copier: Copier,
    stream: u32,
    from: Side,
    current: Current,
    /// Makes an absolute endpoint relative, where that is wanted.
    rewrite: Option<Relative>,
    ended: bool,
}

impl Tapped {
    /// The body of a request.
    pub(super) fn request(inner: Incoming, copier: Copier, stream: u32, current: Current) -> Tapped {
        Tapped::new(inner, copier, stream, Side::Client, current, None)
    }

    /// The body of a response.
    pub(super) fn response(
        inner: Incoming,
        copier: Copier,
        stream: u32,
        current: Current,
        rewrite: Option<Relative>,
    ) -> Tapped {
        Tapped::new(inner, copier, stream, Side::Server, current, rewrite)
    }

    fn new(
        inner: Incoming,
        copier: Copier,
        stream: u32,
        from: Side,
        current: Current,
        rewrite: Option<Relative>,
    ) -> Tapped {
        let mut tapped = Tapped { inner, copier, stream, from, current, rewrite, ended: false };
        if tapped.inner.is_end_stream() {
            tapped.end(EOF);
        }
        tapped
    }

    /// Reads to the end for the copy's sake, or until it gets too long for one.
    pub(super) async fn read_out(mut self) {
        let mut length = 0;
        while length < FRAME_BYTES {
            let frame = std::future::poll_fn(|cx| Pin::new(&mut self).poll_frame(cx)).await;
            let Some(Ok(frame)) = frame else { return };
            length += frame.data_ref().map_or(0, Bytes::len);
        }
    }

    /// What the rewriting has held back.
    fn held(&mut self) -> Option<Bytes> {
        self.rewrite.take().map(Relative::finish).filter(|held| !held.is_empty())
    }

    fn end(&mut self, how: &'static str) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        match (self.from, how) {
            (Side::Client, EOF) => self.copier.send(self.stream, Passing::RequestEnd),
            (Side::Client, how) => self.over(Passing::ClientGone { how }),
            (Side::Server, how) => self.over(Passing::ResponseEnd { how }),
        }
    }

    /// Whoever takes the number tells how the exchange ended.
    fn over(&self, told: Passing) {
        if self.current.compare_exchange(self.stream, 0, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            self.copier.send(self.stream, told);
        }
    }
}

impl Body for Tapped {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        loop {
            let frame = match ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    this.end(broken(&error));
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    this.end(EOF);
                    return Poll::Ready(this.held().map(|held| Ok(Frame::data(held))));
                }
            };
            let frame = match frame.into_data() {
                Ok(bytes) => {
                    this.copier.body(this.stream, this.from, &bytes);
                    if this.inner.is_end_stream() {
                        this.end(EOF);
                    }
                    match &mut this.rewrite {
                        None => Frame::data(bytes),
                        Some(rewrite) => match rewrite.push(bytes) {
                            out if out.is_empty() => continue,
                            out => Frame::data(out),
                        },
                    }
                }
                // Trailers end a body; nobody asks for more behind them.
                Err(trailers) => {
                    this.end(EOF);
                    this.held().map_or(trailers, Frame::data)
                }
            };
            return Poll::Ready(Some(Ok(frame)));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream() && self.rewrite.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        if self.rewrite.is_some() { SizeHint::default() } else { self.inner.size_hint() }
    }
}

/// How a connection broke, in a word.
pub(super) fn broken(error: &hyper::Error) -> &'static str {
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match io.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => "reset",
        _ => "cut",
    }
}
