//! Which stream of HTTP goes on with which: a GET that names the last event that its client has seen.

use std::collections::{BTreeMap, HashMap};

use crate::json::lenient_string;
use crate::protocol::http;
use crate::replay::splice;
use crate::store::RecordedRow;

/// What the streams of a connection told so far.
#[derive(Default)]
pub(super) struct Resumed {
    /// The stream on which an event came, by its id.
    events: HashMap<String, u32>,
    /// The stream that was closed last.
    closed: Option<u32>,
    /// By the stream that goes on, the one that it goes on with.
    found: BTreeMap<u32, u32>,
}

impl Resumed {
    pub(super) fn note(&mut self, row: &RecordedRow) {
        let Some(stream) = row.stream else { return };
        match row.kind.as_str() {
            "sse" => self.events.extend(text(row, "/id").map(|id| (id, stream))),
            "close" => self.closed = Some(stream),
            "http" => {
                if let Some(id) = text(row, &format!("/headers/{}", http::LAST_EVENT)) {
                    // Where the log keeps no ids of events, a client came back for what it had lost last.
                    let lost = self.events.get(&id).copied().or(self.closed);
                    self.found.extend(lost.filter(|lost| *lost != stream).map(|lost| (stream, lost)));
                }
            }
            _ => {}
        }
    }

    /// By the stream that goes on, the one that it goes on with.
    pub(super) fn into_pairs(self) -> BTreeMap<u32, u32> {
        self.found
    }
}

fn text(row: &RecordedRow, pointer: &str) -> Option<String> {
    splice::at(&row.text, pointer).map(|value| lenient_string(value).into_owned())
}
