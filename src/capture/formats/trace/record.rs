//! One record: its header, the payloads below it, and the message that the two make.
//!
//! Lines come one at a time. A payload ends where its JSON does, so that the output of other extensions between two
//! records is not taken for a part of one.

use std::ops::Range;

use super::header::{Header, RecordKind, is_output};
use crate::capture::formats::document::is_integer;
use crate::json::scan::{closing_quote, members, skip_white, unquoted, value_end};

/// What a payload is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Params,
    Result,
    Error,
    ErrorData,
}

const LABELS: [(&str, Label); 4] = [
    ("Params:", Label::Params),
    ("Result:", Label::Result),
    ("Error:", Label::Error),
    ("Error data:", Label::ErrorData),
];

const NOTHING: [&str; 3] = ["No parameters provided.", "No result returned.", "No response returned."];

/// The label that a line starts with, and how long it is.
pub(super) fn label(line: &[u8]) -> Option<(Label, usize)> {
    matches!(line.first(), Some(b'P' | b'R' | b'E')).then_some(())?;
    LABELS.iter().find(|(text, _)| line.starts_with(text.as_bytes())).map(|(text, label)| (*label, text.len()))
}

/// True for a line that says that there is no payload.
pub(super) fn says_nothing(line: &[u8]) -> bool {
    line.first() == Some(&b'N') && NOTHING.iter().any(|text| line.trim_ascii_end() == text.as_bytes())
}

/// True for a line that holds a payload, or says that there is none.
pub(super) fn holds_payload(line: &[u8]) -> bool {
    let is_payload = |at: usize, rest: &[u8]| match rest.first() {
        Some(b'{' | b'[') => true,
        // Other programs write texts behind such words.
        _ => at == 0 && matches!(rest, b"null" | b"true" | b"false"),
    };
    let holds = |label: &[u8]| {
        let mut places = memchr::memmem::find_iter(line, label);
        places.any(|at| is_payload(at, line[at + label.len()..].trim_ascii()))
    };
    says_nothing(line) || LABELS.iter().any(|(text, _)| holds(text.as_bytes()))
}

/// Finds the end of a JSON value that comes line by line.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    depth: usize,
    started: bool,
}

impl Value {
    /// Takes the rest of a line; gives where the value ends in it.
    fn take(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        if !self.started {
            at = skip_white(bytes, 0);
            let first = bytes.get(at)?;
            self.started = true;
            if !matches!(first, b'{' | b'[') {
                return Some(value_end(bytes, at).unwrap_or(bytes.len()));
            }
        }
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => at = closing_quote(bytes, at + 1)?,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// What a line was to the record that it came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Took {
    /// A part of it.
    Part,
    /// Nothing of it.
    Foreign,
}

/// What ends an error message of several lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tail {
    #[default]
    None,
    UntilCode,
    UntilBlank,
}

/// A record that is being read.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The text, from the header to the end of the last payload.
    pub text: Vec<u8>,
    pub line: u64,
    pub offset: u64,
    pub payloads: Vec<(Label, Range<usize>)>,
    /// True if the log says that there was no payload.
    pub empty: bool,
    /// True if it has parameters, and neither a result nor an error.
    asks: bool,
    /// A payload whose end is still to come: where it starts.
    open: Option<(Label, usize, Value)>,
    /// How an error message goes on over more lines.
    tail: Tail,
    /// Offset in the log after the last line taken.
    next_offset: u64,
}

impl Record {
    /// Starts with a header.
    pub(super) fn start(&mut self, bytes: &[u8], header: &Header<'_>, line: u64, offset: u64) {
        self.text.clear();
        self.text.extend_from_slice(bytes);
        self.payloads.clear();
        (self.line, self.offset, self.empty, self.open) = (line, offset, false, None);
        self.next_offset = offset + bytes.len() as u64;
        self.asks = matches!(header.what, RecordKind::Request | RecordKind::Notification);
        self.tail = match header.failed() {
            Some(at) if code(header.rest.as_bytes()[at..].trim_ascii_end()).is_none() => Tail::UntilCode,
            None if header.what == RecordKind::Failure => Tail::UntilBlank,
            _ => Tail::None,
        };
    }

    /// True if a payload has no end yet.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// True if a payload may be this record's: of one whose header is broken the payload stands below another record.
    fn may_have(&self, label: Label) -> bool {
        // Emacs writes `Params:` below its answers, too.
        let beside = |had: Label| had != label && had != Label::Params && label != Label::Params;
        let fits = self.payloads.iter().all(|(had, _)| beside(*had));
        !self.empty && fits && (label == Label::Params || !self.asks)
    }

    /// Takes the next line, if it belongs here.
    pub(super) fn take(&mut self, bytes: &[u8], offset: u64) -> Took {
        if let Some((_, _, value)) = &mut self.open {
            if is_output(bytes) {
                return Took::Foreign;
            }
            let end = value.take(bytes);
            self.append(bytes, offset, end);
            return Took::Part;
        }
        if let Some((label, length)) = label(bytes) {
            if !self.may_have(label) {
                return Took::Foreign;
            }
            let mut value = Value::default();
            let end = value.take(&bytes[length..]).map(|end| end + length);
            self.tail = Tail::None;
            self.separate(offset);
            let start = self.text.len() + skip_white(bytes, length);
            self.open = Some((label, start, value));
            self.put(bytes, offset, end);
            return Took::Part;
        }
        if says_nothing(bytes) {
            if self.empty || !self.payloads.is_empty() {
                return Took::Foreign;
            }
            self.empty = true;
            self.tail = Tail::None;
            self.append(bytes, offset, None);
            return Took::Part;
        }
        match self.tail {
            Tail::None => return Took::Foreign,
            Tail::UntilBlank if bytes.trim_ascii().is_empty() => self.tail = Tail::None,
            _ if is_output(bytes) => self.tail = Tail::None,
            Tail::UntilCode if code(bytes.trim_ascii_end()).is_some() => {
                self.tail = Tail::None;
                self.append(bytes, offset, None);
                return Took::Part;
            }
            _ => {
                self.append(bytes, offset, None);
                return Took::Part;
            }
        }
        Took::Foreign
    }

    fn append(&mut self, bytes: &[u8], offset: u64, end: Option<usize>) {
        self.separate(offset);
        self.put(bytes, offset, end);
    }

    /// The line end before a line that starts at `offset`.
    fn separate(&mut self, offset: u64) {
        let end: &[u8] = if offset == self.next_offset + 2 { b"\r\n" } else { b"\n" };
        self.text.extend_from_slice(end);
    }

    /// The line itself, up to where the payload in it ends.
    fn put(&mut self, bytes: &[u8], offset: u64, end: Option<usize>) {
        let before = self.text.len();
        self.text.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
        self.next_offset = offset + bytes.len() as u64;
        if let (Some(end), Some((label, start, _))) = (end, self.open) {
            self.payloads.push((label, start..before + end));
            self.open = None;
        }
    }

    /// A payload by its label.
    pub(super) fn payload<'t>(&self, text: &'t str, wanted: Label) -> Option<&'t str> {
        self.payloads.iter().find(|(label, _)| *label == wanted).and_then(|(_, range)| text.get(range.clone()))
    }
}

/// Where the code starts in `... (-32601).`, with which a header that tells an error ends.
fn code(bytes: &[u8]) -> Option<usize> {
    let inner = bytes.strip_suffix(b").")?;
    let open = memchr::memrchr(b'(', inner)?;
    let digits = inner[open + 1..].strip_prefix(b"-").unwrap_or(&inner[open + 1..]);
    let is_code = digits == b"undefined" || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_code.then_some(open)
}

/// An error message with its code behind it, taken apart.
pub(super) fn message_and_code(text: &str) -> (&str, Option<&str>) {
    let text = text.trim_end();
    let Some(open) = code(text.as_bytes()) else { return (text, None) };
    let code = &text[open + 1..text.len() - 2];
    (text[..open].trim_end(), (code != "undefined").then_some(code))
}

/// The parameters of a cancel: headers print the ids `1` and `"1"` alike, and both are read as a number, so the id in
/// here has to be one, too. Gives what stands before the id, the id, and what stands after it.
pub(super) fn unquoted_target(params: &str) -> Option<(&str, &str, &str)> {
    let id = members(params).find(|member| member.key == "id")?;
    let inner = unquoted(id.value);
    let quoted = inner.len() < id.value.len() && is_integer(inner);
    quoted.then(|| (&params[..id.at], inner, &params[id.at + id.value.len()..]))
}
