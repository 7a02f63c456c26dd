//! A private key whose lines come one by one: on standard error, in the lines of a log, in the items of a list.

use std::ops::Range;

use super::words::is_random;

/// No key has more lines.
const MOST: u32 = 400;

/// How many lines of something else may stand between two of a key.
const BETWEEN: u32 = 32;

/// All lines of a key but the last have as many letters, or more: those of OpenSSH have 70, of old tools 76.
const FULL: usize = 64;

/// A line of a key is no longer, in bytes.
const LONGEST: usize = 128;

/// A key that has begun in an earlier text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    /// How many lines may still come; 0 where none has begun.
    left: u32,
    /// How many of something else.
    between: u32,
    /// True behind a full line: the next one may be the last.
    may_end: bool,
}

impl Lines {
    /// True while a key has begun and not ended.
    pub fn are_open(self) -> bool {
        self.left > 0
    }

    /// The line of a key that a text is.
    pub(super) fn find(&mut self, text: &str) -> Option<(&'static str, Range<usize>)> {
        if let Some(begins) = mark(text) {
            *self = Lines { left: if begins { MOST } else { 0 }, between: BETWEEN, may_end: false };
            return None;
        }
        if self.left == 0 {
            return None;
        }
        let line = text.trim();
        if !is_of_key(line) || line.len() < FULL && !self.may_end {
            self.between -= 1;
            self.left = if self.between == 0 { 0 } else { self.left };
            return None;
        }
        (self.left, self.between, self.may_end) = (self.left - 1, BETWEEN, line.len() >= FULL);
        let start = text.len() - text.trim_start().len();
        Some(("private-key", start..start + line.len()))
    }
}

/// True where the last mark of a text begins a key that does not end in it, false where it ends one; none where there is no mark.
fn mark(text: &str) -> Option<bool> {
    memchr::memmem::find(text.as_bytes(), b"-----")?;
    let at = text.rfind("PRIVATE KEY").filter(|at| text[..*at].contains("-----"))?;
    let begins = text[..at].rfind("-----BEGIN") > text[..at].rfind("-----END");
    Some(begins && !text[at..].contains("-----END"))
}

/// True for a line of base64 that is no word.
fn is_of_key(line: &str) -> bool {
    let digits = line.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    (4..=LONGEST).contains(&line.len())
        && line.len() - digits.len() <= 2
        && digits.bytes().all(is_digit)
        && (line.len() > digits.len() || is_random(digits, 4))
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    #[test]
    fn a_key_goes_line_by_line_until_it_ends() {
        let body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "c2hvcnQ="];
        let mut redactor = Redactor::default();
        let mut said = |line: &str| redactor.text(line).into_owned();
        assert!(said("{\"k\":\"err\",\"b\":\"-----BEGIN PRIVATE KEY-----\"}").contains("<<secret:private-key#1>>"));
        for line in body {
            let text = format!("{{\"k\":\"err\",\"b\":\"{line}\"}}");
            assert!(said(&text).contains("<<secret:private-key#"), "{line}");
        }
        assert_eq!(
            said("{\"k\":\"m\",\"m\":{\"id\":1,\"method\":\"ping\"}}"),
            "{\"k\":\"m\",\"m\":{\"id\":1,\"method\":\"ping\"}}"
        );
        said("-----END PRIVATE KEY-----");
        assert_eq!(said(body[1]), body[1]);
        // A short text is the end of a key only right behind one of its lines.
        said("-----BEGIN PRIVATE KEY-----");
        assert_eq!(said(body[1]), body[1]);
    }

    #[test]
    fn a_key_that_never_ends_does_not_take_all_that_follows() {
        let mut redactor = Redactor::default();
        redactor.text("-----BEGIN RSA PRIVATE KEY-----\n");
        (0..super::BETWEEN).for_each(|_| drop(redactor.text("{\"method\":\"ping\"}")));
        assert_eq!(redactor.text("c2hvcnQ="), "c2hvcnQ=");
    }
}
