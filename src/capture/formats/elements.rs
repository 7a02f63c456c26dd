//! Where the records of one JSON document stand: the members of an array, of an array in an object, or objects one after
//! the other.

use std::ops::Range;

use super::lists::{List, holds_messages, is_list_of_records, lists};
use super::wrapped::Layout;
use crate::capture::sample::{Sample, looks_like_message};
use crate::json::scan::{skip_white, value_end};

/// True if lines are the records: the first is a whole value, and one that does not hold the others.
pub(super) fn is_by_line(sample: &Sample) -> bool {
    let mut lines = sample.lines();
    let Some(first) = lines.next() else { return true };
    let whole = value_end(first.as_bytes(), 0).is_some_and(|end| first[end..].trim_matches([',', ' ']).is_empty());
    let more = lines.any(|line| line.starts_with(['{', '[']));
    // One line with a direction beside a batch is a wrapper, not a document.
    let is_wrapper = || Layout::learn(std::iter::once(first)).direction_key.is_some();
    whole && (more || first.starts_with('{') && (!elements(first).in_array || is_wrapper()))
}

/// Where the records of a document are.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) ranges: Vec<Range<usize>>,
    /// Text that is no JSON.
    pub(super) foreign: Vec<usize>,
    /// Where a record starts whose end is missing.
    pub(super) cut: Option<usize>,
    /// True if they stand in an array inside an object.
    pub(super) in_array: bool,
    /// Where there are several such arrays: what tells each from the others, and the number of its first record.
    pub(super) sessions: Vec<(String, usize)>,
}

/// Where the records of a document are.
pub(in crate::capture) fn records(text: &str) -> Vec<Range<usize>> {
    elements(text).ranges
}

pub(super) fn elements(text: &str) -> Elements {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Elements::default(), 0);
    loop {
        at = skip_white(bytes, at);
        match bytes.get(at) {
            None => return found,
            Some(b'[') => at = found.array(text, at),
            Some(b'{') => at = found.object(text, at),
            Some(b',' | b']' | b'}') => at += 1,
            Some(_) => {
                found.foreign.push(at);
                at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
            }
        }
    }
}

impl Elements {
    /// True for records over several lines with little else between them.
    pub(super) fn is_sequence(&self, text: &str) -> bool {
        self.foreign.len() <= self.ranges.len() && self.ranges.iter().any(|range| text[range.clone()].contains('\n'))
    }

    /// An array of records, or of objects that each hold such an array; gives where it ends.
    fn array(&mut self, text: &str, at: usize) -> usize {
        let first = skip_white(text.as_bytes(), at + 1);
        let of_sessions = text[first..].starts_with('{') && !holds_messages(text, at) && !lists(text, first).is_empty();
        match of_sessions {
            true => self.all_of(text, at, lists(text, at)),
            false => self.list(text, at),
        }
    }

    /// The members of the array at `at`; gives where it ends.
    fn list(&mut self, text: &str, at: usize) -> usize {
        let bytes = text.as_bytes();
        let mut at = at + 1;
        loop {
            at = skip_white(bytes, at);
            match bytes.get(at) {
                None => return at,
                Some(b']') => return at + 1,
                Some(b',' | b':' | b'}') => at += 1,
                Some(b'[') if is_list_of_records(&text[at..]) => at = self.list(text, at),
                Some(_) => match value_end(bytes, at) {
                    Some(end) => {
                        self.ranges.push(at..end);
                        at = end;
                    }
                    None => {
                        self.cut = Some(at);
                        return bytes.len();
                    }
                },
            }
        }
    }

    /// The members of all arrays in the value at `at`; gives where it ends.
    fn all_of(&mut self, text: &str, at: usize, lists: Vec<List>) -> usize {
        let several = lists.len() > 1;
        let mut end = at;
        for list in lists {
            self.in_array = true;
            if several {
                self.sessions.push((list.name, self.ranges.len()));
            }
            end = self.list(text, list.at);
        }
        value_end(text.as_bytes(), at).unwrap_or(end)
    }

    /// A record by itself, or an object that holds arrays of them.
    fn object(&mut self, text: &str, at: usize) -> usize {
        let lists = if looks_like_message(&text[at..]) { Vec::new() } else { lists(text, at) };
        if !lists.is_empty() {
            return self.all_of(text, at, lists);
        }
        match value_end(text.as_bytes(), at) {
            Some(end) => {
                self.ranges.push(at..end);
                end
            }
            None => {
                self.cut = Some(at);
                text.len()
            }
        }
    }
}
