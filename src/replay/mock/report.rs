//! What came of serving one client.

use std::collections::BTreeMap;

/// One client, served.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Which of the recorded connections it was, from 0.
    pub part: usize,
    /// Per recorded exchange, how often it was asked for.
    pub served: Vec<u32>,
    /// Requests that had no match, in order.
    pub missed: Vec<Missed>,
    /// Notifications that had none: how many, by method.
    pub surplus: BTreeMap<String, u32>,
    /// Things worth saying, in words.
    pub notes: Vec<String>,
    /// The exit code with which the recorded server ended, where the mock came that far or was left as it was.
    pub exit: Option<i64>,
}

/// A live request that is not in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Its id as JSON text.
    pub rpc_id: String,
    /// Its method.
    pub method: String,
    /// Tool or command, where it names one.
    pub name: Option<String>,
    /// The recorded request that comes nearest: `#12`.
    pub nearest: Option<String>,
    /// Where that one first differs; `None` where it is the same and was used up.
    pub differs: Option<String>,
}

impl Missed {
    /// Why, in words.
    pub fn why(&self) -> String {
        match (&self.nearest, &self.differs) {
            (Some(nearest), Some(at)) => format!("nearest is {nearest}, which differs at {at}"),
            (Some(nearest), None) => format!("used up: {nearest} was the last of its kind"),
            _ => "the recording has no such method".to_string(),
        }
    }
}
