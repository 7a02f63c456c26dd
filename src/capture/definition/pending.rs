//! What is kept between lines: a record that is not complete, or a header that holds for more.

use regex::CaptureLocations;

use super::balance::Balance;
use super::head::{At, Head};
use super::ready::Roles;

/// A record that is not complete, or a header that holds for more.
pub(super) struct Pending {
    pub(super) state: State,
    pub(super) header: String,
    pub(super) ranges: CaptureLocations,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) body: String,
    pub(super) balance: Balance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No record is open.
    Idle,
    /// A header was read; its value has not begun.
    Waiting,
    /// The value has begun.
    Open,
    /// Headers of a frame are read; the length, once it is known.
    Headers(Option<usize>),
    /// So many bytes of a body are read.
    Counting(usize),
}

/// One line as it is looked at: peeled, with its place.
#[derive(Clone, Copy)]
pub(super) struct Taken<'a> {
    pub(super) text: &'a str,
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) log_ends: bool,
    pub(super) outer_ts: Option<&'a str>,
}

impl Taken<'_> {
    /// The place of what starts at byte `from` of the line.
    pub(super) fn at(&self, from: usize) -> At<'_> {
        At {
            line: self.line,
            offset: self.offset + from as u64,
            start: self.offset,
            log_ends: self.log_ends,
            joined: false,
            outer_ts: self.outer_ts,
        }
    }
}

impl Pending {
    pub(super) fn new(ranges: CaptureLocations) -> Pending {
        Pending {
            state: State::Idle,
            header: String::new(),
            ranges,
            line: 0,
            offset: 0,
            body: String::new(),
            balance: Balance::default(),
        }
    }

    /// The header as the start of a record.
    pub(super) fn head<'a>(&'a self, roles: &'a Roles) -> Head<'a> {
        Head { text: &self.header, ranges: &self.ranges, roles }
    }

    /// The place of what was put together.
    pub(super) fn at(&self, log_ends: bool) -> At<'static> {
        At { line: self.line, offset: self.offset, start: self.offset, log_ends, joined: true, outer_ts: None }
    }

    /// One more line.
    pub(super) fn push(&mut self, taken: &Taken<'_>) {
        if self.body.is_empty() {
            self.offset = taken.offset;
        } else {
            self.body.push('\n');
        }
        self.body.push_str(taken.text);
    }
}

/// True where an object or an array of objects begins, and not a text in square brackets.
pub(super) fn opens(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'{') => true,
        Some(b'[') => text[1..].trim_start().is_empty() || text[1..].trim_start().starts_with('{'),
        _ => false,
    }
}

/// The length that a `Content-Length` header tells.
pub(super) fn content_length(text: &str) -> Option<usize> {
    let (name, value) = text.split_once(':')?;
    name.trim().eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
}
