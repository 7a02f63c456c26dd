//! A private key whose lines come one by one: on standard error, in the lines of a log, in the items of a list.

use std::ops::Range;

use super::words::is_random;

/// No key has more lines.
const MOST: u32 = 400;

/// How many lines of something else may stand between two of a key.
const BETWEEN: u32 = 32;

/// The first line of a key has as many letters, or more, and is as long as all that follow it but the last.
const FIRST: usize = 32;

/// No program breaks lines later, but for the one line of a short key.
const FULL: usize = 64;

/// What comes before the lines of a key of PuTTY, and behind them.
const PUTTY: [&str; 2] = ["Private-Lines: ", "Private-MAC: "];

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
    /// How long a full line is, in bytes; 0 before the first.
    full: usize,
    /// How many words stand before each line: a program may write the time there.
    before: usize,
}

impl Lines {
    /// True while a key has begun and not ended.
    pub fn are_open(self) -> bool {
        self.left > 0
    }

    /// The line of a key that a text is.
    pub(super) fn find(&mut self, text: &str) -> Option<(&'static str, Range<usize>)> {
        if let Some((begins, before)) = mark(text) {
            *self = Lines { left: if begins { MOST } else { 0 }, between: BETWEEN, before, ..Lines::default() };
            return None;
        }
        if self.left == 0 {
            return None;
        }
        let line = behind_words(text, self.before).trim();
        let full = line.len() >= if self.full == 0 { FIRST } else { self.full };
        if !is_of_key(line) || !full && !self.may_end {
            self.between -= 1;
            self.left = if self.between == 0 { 0 } else { self.left };
            return None;
        }
        self.full = if self.full == 0 { line.len().min(FULL) } else { self.full };
        (self.left, self.between, self.may_end) = (self.left - 1, BETWEEN, full);
        let start = text.trim_end().len() - line.len();
        Some(("private-key", start..start + line.len()))
    }
}

/// True where the last mark of a text begins a key that does not end in it, false where it ends one, and how many words stand before
/// it on its line; none where there is no mark.
fn mark(text: &str) -> Option<(bool, usize)> {
    if memchr::memmem::find(text.as_bytes(), b"-----").is_none() {
        return mark_of_putty(text);
    }
    let name = ["PRIVATE KEY", "OpenVPN Static key"].iter().find_map(|name| text.rfind(name));
    let at = name.filter(|at| text[..*at].contains("-----"))?;
    let (begin, end) = (text[..at].rfind("-----BEGIN"), text[..at].rfind("-----END"));
    Some((begin > end && !text[at..].contains("-----END"), words_before(text, begin.unwrap_or_default())))
}

fn mark_of_putty(text: &str) -> Option<(bool, usize)> {
    memchr::memmem::find(text.as_bytes(), b"Private-")?;
    let [begin, end] = PUTTY.map(|mark| memchr::memmem::rfind(text.as_bytes(), mark.as_bytes()));
    let ends = || Some((false, 0)).filter(|_| end.is_some());
    begin.filter(|_| end.is_none()).map(|at| (true, words_before(text, at))).or_else(ends)
}

fn words_before(text: &str, at: usize) -> usize {
    text[..at].rsplit('\n').next().unwrap_or_default().split_whitespace().count()
}

/// What follows so many words.
fn behind_words(text: &str, words: usize) -> &str {
    (0..words).fold(text, |text, _| text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest))
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
        // A program may write before each line when it was.
        said("2026-11-29 10:00:00 -----BEGIN EC PRIVATE KEY-----");
        assert_eq!(said("2026-11-29 10:00:01 took 12ms"), "2026-11-29 10:00:01 took 12ms");
        let short = &body[0][..60];
        let clean = said(&format!("2026-11-29 10:00:01 {short}"));
        assert!(clean.starts_with("2026-11-29 10:00:01 <<secret:private-key#"), "{clean}");
        said("2026-11-29 10:00:02 -----END EC PRIVATE KEY-----");
        // Keys of PuTTY have marks of their own.
        said("Private-Lines: 2");
        assert!(body.iter().all(|line| said(line).starts_with("<<secret:private-key#")));
        said("Private-MAC: 0123456789abcdef");
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
