//! Connections, exchanges, outcomes and race reasoning: frames in, events out.
//!
//! Pure: it reads no clock, file, environment or database. What it cannot know any more it asks an [`Oracle`].

mod answer;
mod calls;
mod cancel;
mod connection;
mod document;
mod ending;
mod event;
mod exchange;
mod fold;
mod handshake;
mod http;
mod ledger;
mod message;
mod notification;
mod progress;
mod questions;
mod race;
mod resolve;
mod state;
mod stream;
mod suspect;
mod task;
mod turn;
mod version;
mod window;

pub use connection::{Connection, Directions, End, Lifecycle};
pub use event::{
    Batch, CancelFault, CaptureNote, DocumentFault, Event, FrameId, ProgressFault, Seen, Stray, Target, TaskReport,
    What,
};
pub use exchange::{Cancellation, Effect, Exchange, History, Outcome, TaskState};
pub use fold::{Asked, Opened, Oracle, Remembered, ReusedId, Session, Settings, Sink};
pub use http::{HttpStream, Shown};
pub use ledger::{Ledger, NO_CONNECTION, Stretch, Stretches};
pub use race::{Basis, Certainty, Judgement, Witness};
