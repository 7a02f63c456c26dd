//! Connections, exchanges, outcomes and race reasoning: frames in, events out.
//!
//! Pure: it reads no clock, file, environment or database. What it cannot know any more it asks an [`Oracle`].

mod anew;
mod answer;
mod arguments;
mod calls;
mod cancel;
mod choice;
mod connection;
mod control;
mod detail;
mod document;
mod ending;
mod era;
mod event;
mod exchange;
mod fold;
mod handshake;
mod hop;
mod hops;
mod http;
mod http_stream;
mod ledger;
mod logging;
mod lost;
mod message;
mod missing;
mod near_cancel;
mod notification;
mod oracle;
mod pages;
mod payload;
mod progress;
mod questions;
mod race;
mod refused;
mod registration;
mod resolve;
mod round;
mod seen;
mod settings;
mod sink;
mod state;
mod stray;
mod stream;
mod support;
mod suspect;
mod taken_out;
mod task;
mod terminal;
mod turn;
mod unheard;
mod version;
mod window;
mod working;

pub use connection::{Connection, Directions, End, Lifecycle, Opened};
pub use detail::{
    Batch, CancelFault, CaptureNote, Cause, ControlFault, DocumentFault, EraFault, LogFault, NearCancel, Offer, Part,
    ProgressFault, RoundFault, Shape, Stray, SubscriptionFault, Target, TaskReport, Thing,
};
pub use event::{Event, What};
pub use exchange::{Cancellation, Effect, Exchange, History, Outcome, TaskState};
pub use fold::Session;
pub use hop::{Hop, HopFault};
pub use hops::{Followed, Follower, Lost};
pub use http_stream::{HttpStream, Shown};
pub use ledger::Ledger;
pub use missing::{NO_CONNECTION, Stretch, Stretches};
pub use oracle::{Asked, Nobody, Oracle, Remembered, ReusedId};
pub use race::{Basis, Certainty, Judgement, Witness};
pub use seen::{FrameId, Seen};
pub use settings::Settings;
pub use sink::Sink;
