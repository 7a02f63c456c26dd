//! Log formats to frames: one file per format.

mod channel;
mod frame;
mod read;

pub use channel::{Channel, Proof, Transport, Vantage};
pub use frame::{Body, Captured, Direction, Frame, Stamp};
pub use read::{FrameSink, Overrides, Resume, Skip, Source};
