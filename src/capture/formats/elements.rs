//! Where the records of one JSON document stand: the members of an array, of an array in an object, or objects one after
//! the other.

use std::ops::Range;

use super::exchange::learn::is_record;
use super::wrapped::Layout;
use crate::capture::sample::{Sample, looks_like_message};
use crate::json::scan::{closing_quote, skip_white, value_end};

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
            Some(b'[') => at = found.list(text, at),
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

    /// A record by itself, or an object that holds an array of them.
    fn object(&mut self, text: &str, at: usize) -> usize {
        if !looks_like_message(&text[at..])
            && let Some(list) = find_list(text, at, DEPTH)
        {
            self.in_array = true;
            let end = self.list(text, list);
            return value_end(text.as_bytes(), at).unwrap_or(end);
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

/// True for an array of records, as backends keep the spans of each trace; a batch is a record itself.
fn is_list_of_records(text: &str) -> bool {
    let first = text[1..].trim_start();
    first.starts_with('{') && !looks_like_message(first)
}

/// How deep in a document the array may lie.
const DEPTH: usize = 2;

/// Where an array of messages or wrappers starts in the object at `at`, which may be cut off.
fn find_list(text: &str, at: usize, depth: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    loop {
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        at = skip_white(bytes, closing_quote(bytes, at + 1)? + 1);
        at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
        match bytes.get(at)? {
            b'[' if holds_messages(text, at) => return Some(at),
            b'{' if depth > 1 => {
                if let Some(list) = find_list(text, at, depth - 1) {
                    return Some(list);
                }
            }
            _ => {}
        }
        at = skip_white(bytes, value_end(bytes, at)?);
        at = skip_white(bytes, (bytes.get(at) == Some(&b',')).then_some(at + 1)?);
    }
}

/// True if one of the first records of the array at `at` holds a message.
fn holds_messages(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    for _ in 0..8 {
        if bytes.get(at) == Some(&b'[') && is_list_of_records(&text[at..]) {
            return holds_messages(text, at);
        }
        if bytes.get(at) != Some(&b'{') {
            return false;
        }
        let Some(end) = value_end(bytes, at) else { return looks_like_message(&text[at..]) };
        if Layout::learn(std::iter::once(&text[at..end])).hits > 0 || is_record(&text[at..end]) {
            return true;
        }
        at = skip_white(bytes, end);
        at = skip_white(bytes, at + usize::from(bytes.get(at) == Some(&b',')));
    }
    false
}
