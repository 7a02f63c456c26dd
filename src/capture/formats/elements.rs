//! Where the records of one JSON document stand: the members of an array, of an array in an object, or objects one after
//! the other.

use std::ops::Range;

use super::lists::{List, holds_messages, is_list_of_records, lists};
use super::wrapped::Layout;
use crate::capture::Skip;
use crate::capture::out::Out;
use crate::capture::sample::{Sample, looks_like_message};
use crate::error::Result;
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
    /// What stands between them.
    pub(super) strays: Vec<Stray>,
    /// Where a record starts whose end is missing.
    pub(super) cut: Option<usize>,
    /// True if they stand in an array inside an object.
    pub(super) in_array: bool,
    /// Where there are several such arrays: what tells each from the others, and the number of its first record.
    pub(super) sessions: Vec<(String, usize)>,
}

/// What is no record of a document.
#[derive(Debug)]
pub(super) struct Stray {
    pub(super) range: Range<usize>,
    /// True for a record whose end is missing, up to the next one; false for text that is no JSON, up to the end of its line.
    pub(super) is_torn: bool,
}

impl Stray {
    /// Passes it over; what a torn record held is missing.
    pub(super) fn pass(&self, text: &str, line: u64, out: &mut Out<'_>) -> Result<()> {
        let text = &text.as_bytes()[self.range.clone()];
        out.skip(line, Skip::NotAMessage);
        if self.is_torn { out.unread(line, text) } else { out.looked_at(line, text) }
    }
}

/// Where the records of a document are.
pub(in crate::capture) fn records(text: &str) -> Vec<Range<usize>> {
    elements(text).ranges
}

pub(super) fn elements(text: &str) -> Elements {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut starts) = (Elements::default(), 0, None);
    loop {
        at = skip_white(bytes, at);
        match bytes.get(at) {
            None => return found,
            Some(b'[') => at = found.array(text, at),
            Some(b'{') => {
                let starts = starts.get_or_insert_with(|| Starts::learn(text, at));
                at = found.object(text, at, starts);
            }
            Some(b',' | b']' | b'}') => at += 1,
            Some(_) => {
                let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                found.strays.push(Stray { range: at..end, is_torn: false });
                at = end;
            }
        }
    }
}

/// How many records that hold the beginning of a line of others are looked at up to the end of the text: hostile ones are many.
const LOOKS: usize = 64;

/// Where records begin that each begin a line, as far in as the first one does: one whose end is missing ends there.
struct Starts<'t> {
    text: &'t str,
    /// The end of a line and what stands before a record on the next one; empty where records do not begin lines.
    sign: Vec<u8>,
    /// The first place of the sign that is not before the last record, and the end of the text where there is none.
    next: usize,
    looks: usize,
}

impl<'t> Starts<'t> {
    /// Learns from the first record, which stands at `first`.
    fn learn(text: &'t str, first: usize) -> Starts<'t> {
        let bytes = text.as_bytes();
        let line = memchr::memrchr(b'\n', &bytes[..first]).map_or(0, |end| end + 1);
        let begins_line = bytes[line..first].iter().all(u8::is_ascii_whitespace) && bytes.get(first) == Some(&b'{');
        let sign = if begins_line { [b"\n", &bytes[line..first], b"{"].concat() } else { Vec::new() };
        let mut starts = Starts { text, sign, next: first, looks: LOOKS };
        // Where lines within a record begin as it does, they tell nothing.
        let next = starts.behind(first);
        if value_end(bytes, first).is_some_and(|end| end > next) {
            starts.sign.clear();
        }
        starts
    }

    /// Where the record behind the one at `at` begins its line.
    fn behind(&mut self, at: usize) -> usize {
        if self.next <= at {
            let bytes = &self.text.as_bytes()[at..];
            let found = if self.sign.is_empty() { None } else { memchr::memmem::find(bytes, &self.sign) };
            self.next = found.map_or(self.text.len(), |next| at + next);
        }
        self.next
    }

    /// Where the record at `at` ends, or else where the next one begins, if one does.
    fn end_of(&mut self, at: usize) -> std::result::Result<usize, Option<usize>> {
        let (bytes, next) = (self.text.as_bytes(), self.behind(at));
        if let Some(end) = value_end(&bytes[..next], at) {
            return Ok(end);
        }
        if next == bytes.len() {
            return Err(None);
        }
        self.looks = self.looks.saturating_sub(1);
        let whole = if self.looks > 0 { value_end(bytes, at) } else { None };
        let is_json = |end: &usize| serde_json::from_str::<serde::de::IgnoredAny>(&self.text[at..*end]).is_ok();
        whole.filter(is_json).ok_or(Some(next))
    }
}

impl Elements {
    /// True for records over several lines with little else between them.
    pub(super) fn is_sequence(&self, text: &str) -> bool {
        let foreign = self.strays.iter().filter(|stray| !stray.is_torn).count();
        foreign <= self.ranges.len() && self.ranges.iter().any(|range| text[range.clone()].contains('\n'))
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
        let mut starts = Starts::learn(text, skip_white(bytes, at));
        loop {
            at = skip_white(bytes, at);
            match bytes.get(at) {
                None => return at,
                Some(b']') => return at + 1,
                Some(b',' | b':' | b'}') => at += 1,
                Some(b'[') if is_list_of_records(&text[at..]) => at = self.list(text, at),
                Some(_) => at = self.record(at, &mut starts),
            }
        }
    }

    /// The record at `at`; gives where to go on.
    fn record(&mut self, at: usize, starts: &mut Starts<'_>) -> usize {
        match starts.end_of(at) {
            Ok(end) => {
                self.ranges.push(at..end);
                end
            }
            Err(Some(next)) => {
                self.strays.push(Stray { range: at..next, is_torn: true });
                next
            }
            Err(None) => {
                self.cut = Some(at);
                starts.text.len()
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
    fn object(&mut self, text: &str, at: usize, starts: &mut Starts<'_>) -> usize {
        let lists = if looks_like_message(&text[at..]) { Vec::new() } else { lists(text, at) };
        if lists.is_empty() { self.record(at, starts) } else { self.all_of(text, at, lists) }
    }
}
