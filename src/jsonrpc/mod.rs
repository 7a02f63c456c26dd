//! JSON-RPC 2.0 as text: ids and envelopes. Knows no protocol revision and no log format.
//!
//! Parsing never fails: what is wrong with a message is part of what [`parse`] returns.

mod count;
mod envelope;
mod error_member;
mod id;
mod message;
mod text;

pub use count::{IdCount, Ordinal};
pub(crate) use envelope::MemberName;
pub use envelope::{Lift, NoLift};
pub use id::{Id, IdField};
pub use message::{Defect, Defects, ErrorObject, Kind, Message};
pub use text::{Member, NO_OBJECT, Parsed, Unparsable, parse, parse_at};
