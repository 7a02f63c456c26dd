//! Who answers what the fold does not remember.

use super::seen::{FrameId, Seen};
use crate::jsonrpc::Id;
use crate::protocol::Side;

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

/// Two requests of one side that follow each other with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReusedId {
    /// The earlier request.
    pub earlier: Seen,
    /// The later one.
    pub later: Seen,
    /// The id.
    pub id: Id,
    /// Method of the later one.
    pub method: String,
}

/// What will be asked about one connection: whoever answers can look for all of it at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The connection.
    pub connection: u32,
    /// Ids of requests.
    pub ids: Vec<Id>,
    /// True if it will be asked which ids were used again.
    pub reused: bool,
}

/// Answers questions about what was dropped behind the window; asked only at the end.
pub trait Oracle {
    /// The newest request that `issuer` sent with this id before frame `before`.
    fn request(&mut self, connection: u32, issuer: Side, id: &Id, before: FrameId) -> Option<Remembered>;
    /// Requests of one connection and side whose id was used before, in order of their frames.
    fn reused_ids(&mut self, connection: u32, issuer: Side) -> Vec<ReusedId>;
}

/// The oracle of folds that forget nothing, and of connections that have no questions.
pub struct Nobody;

impl Oracle for Nobody {
    fn request(&mut self, _: u32, _: Side, _: &Id, _: FrameId) -> Option<Remembered> {
        None
    }
    fn reused_ids(&mut self, _: u32, _: Side) -> Vec<ReusedId> {
        Vec::new()
    }
}
