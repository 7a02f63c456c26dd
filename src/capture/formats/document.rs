//! What several formats share: places in a document, and values by their looks.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result};
use crate::json::scan::{closing_quote, members, skip_white, value_end};
use crate::json::unescape;

/// Byte at which the value of the first of `keys` starts in the object at `at`. What follows it is not looked at.
pub(super) fn value_of(text: &str, at: usize, keys: &[&str]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        at = skip_white(bytes, at + 1);
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let end = closing_quote(bytes, at + 1)?;
        let key = &text[at + 1..end];
        at = skip_white(bytes, end + 1);
        at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
        if keys.contains(&key) {
            return Some(at);
        }
        at = skip_white(bytes, value_end(bytes, at)?);
        (bytes.get(at) == Some(&b',')).then_some(())?;
    }
}

/// The elements of an array, each with the byte at which it starts.
pub(super) struct Elements<'t> {
    text: &'t str,
    at: usize,
    /// Where an element starts whose end is missing.
    pub cut: Option<usize>,
}

impl<'t> Elements<'t> {
    /// The array at `at`; an error that says what was to be there if there is none.
    pub(super) fn new(text: &'t str, at: Option<usize>, what: &str) -> Result<Elements<'t>> {
        match at.map(|at| skip_white(text.as_bytes(), at)).filter(|at| text.as_bytes().get(*at) == Some(&b'[')) {
            Some(at) => Ok(Elements { text, at: at + 1, cut: None }),
            None => Err(Error::new(ErrorKind::Input, format!("there is no {what} in this document"))
                .hint("leave out --format-in, or export it again")),
        }
    }
}

impl<'t> Iterator for Elements<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let bytes = self.text.as_bytes();
        let mut at = skip_white(bytes, self.at);
        if bytes.get(at) == Some(&b',') {
            at = skip_white(bytes, at + 1);
        }
        match bytes.get(at) {
            Some(b']' | b'}' | b':' | b',') => None,
            None => {
                self.cut = self.cut.or(Some(self.text.len()));
                None
            }
            Some(_) => match value_end(bytes, at) {
                Some(end) => {
                    self.at = end;
                    Some((at, &self.text[at..end]))
                }
                None => {
                    self.at = self.text.len();
                    self.cut = Some(at);
                    None
                }
            },
        }
    }
}

/// The content of a JSON string that is given with its quotes.
pub(super) fn content(raw: &str) -> Cow<'_, str> {
    let inner = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(raw.len());
    match unescape(raw, 1, &mut out) {
        Some(_) => Cow::Owned(out),
        None => Cow::Borrowed(inner),
    }
}

/// Byte of `text` at which a part that was borrowed from it starts; 0 for a text that was not.
pub(super) fn offset_in(text: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    if offset <= text.len() { offset } else { 0 }
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
