//! Connections, exchanges, outcomes and race reasoning: frames in, events out.
//!
//! Pure: it reads no clock, file, environment or database. What it cannot know any more it asks an [`Oracle`].

mod connection;
mod event;
mod exchange;
mod fold;
mod race;

pub use connection::{Connection, Directions, End, Lifecycle};
pub use event::{
    Batch, CancelFault, CaptureNote, Event, FrameId, ProgressFault, Reuse, Seen, Stray, Target, TaskReport, What,
};
pub use exchange::{Cancellation, Effect, Exchange, History, Outcome, TaskState};
pub use fold::{Opened, Oracle, Remembered, Session, Settings, Sink};
pub use race::{Basis, Certainty, Judgement};
