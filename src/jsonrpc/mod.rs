//! JSON-RPC 2.0 as text: ids, envelopes, framing. Knows no protocol revision and no log format.
//!
//! Parsing never fails: what is wrong with a message is part of what [`parse`] returns.

mod error_member;
mod framing;
mod id;
mod message;
mod parse;
mod sse;

pub use framing::{FrameError, Framing, Header, read_header};
pub use id::{Id, IdField};
pub use message::{Defect, Defects, ErrorObject, Kind, Message};
pub(crate) use parse::Key;
pub use parse::{Lift, Member, NoLift, Parsed, Unparsable, parse, parse_at};
pub use sse::{SseEvent, SseReader};
