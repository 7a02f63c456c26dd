//! The parts of a message that a record tells: what kinds there are, and where in the record each part stands.

use std::collections::HashMap;

use serde::Deserialize;

use super::condition::{Condition, Term};
use super::pointer::Pointer;

/// What a kind word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Notification,
    /// A result, or an error where there is one.
    Response,
    Error,
    /// A request and its answer in one record.
    Exchange,
    /// No message.
    Skip,
}

impl Kind {
    /// Reads its name.
    pub(super) fn from_name(name: &str) -> Option<Kind> {
        Some(match name {
            "request" => Kind::Request,
            "notification" => Kind::Notification,
            "response" => Kind::Response,
            "error" => Kind::Error,
            "exchange" => Kind::Exchange,
            "skip" => Kind::Skip,
            _ => return None,
        })
    }
}

/// The parts of a message, each with its places; the first place that holds something counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Kind,
    Id,
    Method,
    Params,
    Result,
    Error,
    Code,
    Text,
}

/// How many parts there are.
pub(super) const PARTS: usize = 8;

/// Whose ids a log holds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ids {
    /// Those of the wire.
    #[default]
    Wire,
    /// Those of the wire as text: whether `7` was a number is lost.
    Text,
    /// The logger's own, or none: what belongs together is told by the order alone.
    Logger,
}

/// One place of a part: a group of the record's start, or one of the pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Group(String),
    Pointer(usize),
}

/// Where the parts of a message stand.
#[derive(Default)]
pub(super) struct Made {
    pub(super) spots: [Vec<Spot>; PARTS],
    pub(super) pointers: Vec<Pointer>,
    /// The payload is the parameters of a request, the result or the error of an answer.
    pub(super) payload_is_body: bool,
    pub(super) ids: Ids,
    /// Tests that tell the kind, before its word does.
    pub(super) rules: Vec<(Condition, Kind)>,
    /// Texts by which the logger marks a value that it cut.
    pub(super) cut_marks: Vec<String>,
    /// Methods by the names that the log has for them.
    pub(super) methods: HashMap<String, String>,
}

impl Made {
    /// Nothing yet but what holds for all parts.
    pub(super) fn new(payload_is_body: bool, ids: Ids, cut_marks: Vec<String>) -> Made {
        Made { payload_is_body, ids, cut_marks, ..Made::default() }
    }

    /// Adds a place of a part.
    pub(super) fn add(&mut self, part: Part, term: Term) {
        let spot = match term {
            Term::Group(name) => Spot::Group(name),
            Term::Pointer(pointer) => {
                self.pointers.push(pointer);
                Spot::Pointer(self.pointers.len() - 1)
            }
        };
        self.spots[part as usize].push(spot);
    }

    /// True if a part has a place.
    pub(super) fn has(&self, part: Part) -> bool {
        !self.spots[part as usize].is_empty()
    }

    /// Names of the groups that it asks for.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.spots.iter().flatten().filter_map(|spot| match spot {
            Spot::Group(name) => Some(name.as_str()),
            Spot::Pointer(_) => None,
        })
    }
}
