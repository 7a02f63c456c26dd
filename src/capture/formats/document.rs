//! What several formats share: places in a document, and values by their looks.

use crate::capture::scan::members;

/// Byte of `text` at which a part that was borrowed from it starts; 0 for a text that was not.
pub(super) fn offset_in(text: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    if offset <= text.len() { offset } else { 0 }
}

/// Line numbers of growing offsets.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl<'t> Lines<'t> {
    /// Starts at the first line.
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        Lines { text: text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of an offset, which must not be smaller than the one before.
    pub(super) fn of(&mut self, at: usize) -> u64 {
        if at > self.at {
            self.line += memchr::memchr_iter(b'\n', &self.text[self.at..at]).count() as u64;
            self.at = at;
        }
        self.line
    }
}

/// True for an object that is an error by its members: some logs keep errors and results under one key.
pub(super) fn is_error(payload: &str) -> bool {
    let (mut code, mut message) = (false, false);
    for member in members(payload) {
        match member.key {
            "code" => code = is_integer(member.value),
            "message" => message = member.value.starts_with('"'),
            "data" => {}
            _ => return false,
        }
    }
    code && message
}

/// True for the spelling of an integer.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
}
