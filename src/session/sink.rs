//! Who takes what the fold makes.

use super::connection::Connection;
use super::event::Event;
use super::exchange::{Cancellation, Exchange};
use super::ledger::Ledger;
use super::seen::FrameId;
use crate::protocol::Side;

/// Receives what the fold makes.
pub trait Sink {
    /// One event; valid during the call.
    fn event(&mut self, event: &Event<'_>);
    /// True if payloads are worth a second look: somebody judges what is wrong with them. That look costs as much as the first one.
    fn wants_flaws(&self) -> bool {
        true
    }
    /// The sender of a message whose direction the log does not state.
    fn inferred(&mut self, frame: FrameId, sender: Side);
    /// An exchange that will not change any more.
    fn exchange(&mut self, connection: u32, exchange: &Exchange);
    /// What was handed on so far is about to be asked for.
    fn asked_for(&mut self) {}
    /// A cancel that will not change any more.
    fn cancellation(&mut self, connection: u32, cancellation: &Cancellation);
    /// A connection at its end, and what the log does not show of it. `logger` is the side that wrote the log, where
    /// frames say only sent and received.
    fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>, logger: Option<Side>);
}
