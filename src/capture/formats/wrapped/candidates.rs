//! The scalars beside a message that may tell its direction, its time or its session.

use serde_json::Value;

use super::example::{Example, Scalar};
use crate::capture::words::{self, Meaning, Word};
use crate::capture::{Direction, time};

/// A key that may hold one of the wanted scalars, with its values in the examples.
pub(super) struct Candidate<'v> {
    pub meaning: Meaning,
    pub rank: usize,
    pub path: Vec<String>,
    pub values: Vec<&'v Value>,
}

impl Candidate<'_> {
    /// True if its values are what its key says.
    fn adds_up(&self) -> bool {
        match self.meaning {
            Meaning::Direction if self.rank == UNNAMED => self.is_plainly_a_direction(),
            // A stray `meta` among the directions does not make the key another one.
            Meaning::Direction => {
                self.values.iter().filter(|value| self.says(value).is_some()).count() * 2 > self.values.len()
            }
            Meaning::Time if self.rank == UNNAMED => self.is_plainly_a_time(),
            Meaning::Time => self.values.iter().all(|value| time_of(value).is_some()),
            _ => true,
        }
    }

    /// True for a key of any name (`captured`) under which every record has a date, and not all the same one: what is the same
    /// everywhere is when something began.
    fn is_plainly_a_time(&self) -> bool {
        self.values.iter().all(|value| is_date(value)) && self.values.iter().any(|value| *value != self.values[0])
    }

    /// What it says as a time of the message.
    pub(super) fn stamp(&self, examples: &[Example<'_>]) -> time::Stamp {
        let shared = |example: &Example<'_>| self.path.iter().zip(&example.path).take_while(|(a, b)| a == b).count();
        time::Stamp {
            times: self.values.iter().filter_map(|value| time_of(value)).collect(),
            near: examples.iter().map(shared).max().unwrap_or(0),
            named: self.rank < UNNAMED,
            rank: (self.path.len(), self.rank),
        }
    }

    /// What a value says of the direction.
    pub(super) fn says(&self, value: &Value) -> Option<Word> {
        words::direction(words::own_key(&self.path), value.as_str()?)
    }

    /// True if not all of its words say the same: what does (`"source":"server"` on every record) says who wrote the log.
    pub(super) fn tells_sides(&self) -> bool {
        let mut said = self.values.iter().filter_map(|value| self.says(value));
        let first = said.next();
        said.any(|word| Some(word) != first)
    }

    /// True if its words name the side that sends.
    pub(super) fn names_sides(&self) -> bool {
        self.values.iter().all(|value| matches!(self.says(value), Some(Word::Direction(Direction::By(_)))))
    }

    /// True for a key of any name (`flow`, `event`) whose every word is a way, and both ways are there. A side alone
    /// (`client`) or a stream may be where a record was written.
    fn is_plainly_a_direction(&self) -> bool {
        self.values.iter().all(|value| value.as_str().is_some_and(words::is_way)) && self.tells_sides()
    }
}

pub(super) fn candidates<'v>(examples: &[Example<'v>]) -> Vec<Candidate<'v>> {
    let mut found: Vec<Candidate<'v>> = Vec::new();
    for Scalar { path, value, is_around } in examples.iter().flat_map(Example::scalars) {
        if let Some(known) = found.iter_mut().find(|candidate| candidate.path == path) {
            known.values.push(value);
            continue;
        }
        let (meaning, rank) = meaning(&path, value);
        // What stands in an object beside the message (`event.direction`, `http.session_id`) speaks of it, too.
        let rank = if is_around || rank == UNNAMED { rank } else { BESIDE + rank };
        if is_around || meaning != Meaning::Connection {
            found.push(Candidate { meaning, rank, path, values: vec![value] });
        }
    }
    found.retain(Candidate::adds_up);
    found
}

/// What a scalar may stand for by its key, and how telling that is. Under the key of a text (`msg`) loggers write what they did with
/// the message that is beside it: `received`.
fn meaning(path: &[String], value: &Value) -> (Meaning, usize) {
    let key = words::own_key(path);
    let named = words::meaning(key).filter(|(meaning, _)| *meaning != Meaning::Message);
    // A number may be anything; a date that is written out is one.
    let timed = || words::time_key(key).or_else(|| value.is_string().then_some(UNNAMED));
    let timed = || is_date(value).then(timed).flatten().map(|rank| (Meaning::Time, rank));
    named.or_else(timed).unwrap_or((Meaning::Direction, UNNAMED))
}

/// True for a time of this century: what counts seconds is none.
fn is_date(value: &Value) -> bool {
    const CENTURY_US: i64 = 946_684_800_000_000;
    time_of(value).is_some_and(|time| time.us >= CENTURY_US)
}

/// Rank of a key that has no name of a direction, behind all that have one, beside the message or around it.
pub(super) const UNNAMED: usize = 2 * BESIDE;

/// How much less a member of an object beside the message tells than one of an object around it.
const BESIDE: usize = 100;

pub(super) fn is_name(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_null()
}

pub(super) fn time_of(value: &Value) -> Option<time::Time> {
    match value {
        Value::String(text) => time::parse(text),
        Value::Number(number) => time::parse(&number.to_string()),
        _ => None,
    }
}
