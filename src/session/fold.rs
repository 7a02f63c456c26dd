//! The fold: frames in, events out.

use super::connection::Connection;
use super::event::{Event, FrameId, Seen};
use super::exchange::{Cancellation, Exchange};
use crate::capture::{Channel, Frame};
use crate::jsonrpc::Id;
use crate::protocol::{Profile, Side};

/// What the judgement assumes; flags and configuration change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Slack between tap and handler, in microseconds (rules.md: eps).
    pub slack_us: i64,
    /// Factor on the round-trip bound (rules.md: k).
    pub factor: f64,
    /// Age from which an open request counts as stuck where no end was seen, in microseconds.
    pub stuck_after_us: i64,
    /// Age that a request must have when the connection ends, in microseconds.
    pub grace_us: i64,
    /// True to leave out the round-trip basis: such violations become undecidable.
    pub proof_only: bool,
    /// How many settled exchanges are remembered over all connections.
    pub window: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            slack_us: 10_000,
            factor: 2.0,
            stuck_after_us: 30_000_000,
            grace_us: 1_000_000,
            proof_only: false,
            window: 16_384,
        }
    }
}

/// Receives what the fold makes.
pub trait Sink {
    /// One event; valid during the call.
    fn event(&mut self, event: &Event<'_>);
    /// The sender of a message whose direction the log does not state.
    fn inferred(&mut self, frame: FrameId, sender: Side);
    /// An exchange that will not change any more.
    fn exchange(&mut self, connection: u32, exchange: &Exchange);
    /// A cancel that will not change any more.
    fn cancellation(&mut self, connection: u32, cancellation: &Cancellation);
    /// A connection at its end. `logger` is the side that wrote the log, where frames say only sent and received.
    fn connection(&mut self, connection: &Connection, logger: Option<Side>);
}

/// A request that the fold no longer remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The request.
    pub request: Seen,
    /// Its method.
    pub method: String,
    /// Its answer, where it has one.
    pub answer: Option<Seen>,
}

/// Answers questions about what was dropped behind the window; asked only at the end.
pub trait Oracle {
    /// The newest request that `issuer` sent with this id before frame `before`.
    fn request(&mut self, connection: u32, issuer: Side, id: &Id, before: FrameId) -> Option<Remembered>;
    /// Pairs of requests (earlier, later) of one connection and side that follow each other with the same id.
    fn reused_ids(&mut self, connection: u32, issuer: Side) -> Vec<(Seen, Seen)>;
}

/// What is said of a connection when it is opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Row in the store, and index in the fold.
    pub id: u32,
    /// The key.
    pub key: String,
    /// What the log says of the channel.
    pub channel: Channel,
    /// A profile that the user demands, overruling all else.
    pub demanded: Option<&'static Profile>,
}

/// The fold over an ordered stream of frames. It does not care whether they come from a capture or from the store.
pub struct Session {
    settings: Settings,
}

impl Session {
    /// A fold that has seen nothing.
    pub fn new(settings: Settings) -> Session {
        Session { settings }
    }

    /// Opens a connection; must come before its first frame.
    pub fn open(&mut self, _opened: Opened) {
        let _ = self.settings;
    }

    /// Takes one frame. The members of a batch have the numbers after `id`, in order.
    pub fn push(&mut self, _id: FrameId, _connection: u32, _frame: &Frame<'_>, _sink: &mut dyn Sink) {}

    /// Ends all connections and answers what was left open.
    pub fn finish(self, _oracle: &mut dyn Oracle, _sink: &mut dyn Sink) {}
}
