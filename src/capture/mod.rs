//! Log formats to frames: one file per format.
//!
//! [`open`] gives a [`Source`]: bytes (`input`, `utf16`, `ended`), the format they are in (`sample`, `detect`), and its reader
//! (`formats/`), which hands frames to a [`FrameSink`] by way of `out`. To add a format: one file under `formats/`
//! with a detector, a reader and sample lines in its tests, and one line in the table of `formats/mod.rs`.
//!
//! What is absent: no format knows connections, profiles beyond what a log declares, or the store.

mod anywhere;
mod archive;
mod channel;
mod copies;
mod cut;
mod date;
mod definition;
mod detect;
mod encoded;
mod ended;
mod events;
mod exit;
mod expand;
mod explain;
mod format;
mod formats;
mod frame;
mod glued;
mod gzip;
mod harm;
mod input;
mod learned;
mod lines;
mod literal;
mod missing;
mod nearest;
mod once;
mod open;
mod out;
mod outer;
mod peel;
mod place;
mod plan;
mod read;
mod recorded;
mod recordings;
mod refusals;
mod rotation;
mod sample;
mod senders;
mod spoken;
mod survey;
mod time;
mod unread;
mod utf16;
mod watch;
mod words;

#[cfg(test)]
mod testing;

pub use crate::name::{name_of, path_of};
pub use archive::file_of;
pub use channel::{Channel, Proof, Transport, Vantage};
pub(crate) use copies::{CopyKey, pair};
pub use detect::{Listed, list as formats};
pub use exit::Exit;
pub use expand::{Archived, Expanded, expand, expand_known};
pub use explain::{Candidate, Explanation, Passed, explain};
pub use formats::rec::{End, Fault, Link, Verified, end_signature_of, prune, signature_of, verify};
pub use formats::rec::{RecDetail, RecEvent, RecHeader, RecLive, RecWriter};
pub use formats::rec::{base64_of, channel_facts, channel_of};
pub(crate) use frame::Carry;
pub use frame::{Body, Captured, Direction, Frame, Member, Stamp, text_hash};
pub use missing::{Missing, Why};
pub use nearest::near;
pub use open::{follow, open, open_kept, open_stream};
pub use out::body_of;
pub use read::{Delivered, Ear, FrameSink, Overrides, Resume, Skip, Source};
pub use recorded::{Hole, RecordedPart, in_order, lost_between, unfollowed};
pub use recordings::recordings;
pub use rotation::{goes_on, is_same_log, log_of, name_order};
pub use time::zone_minutes;
pub use unread::may_hold_message;
pub use watch::bytes_of;
