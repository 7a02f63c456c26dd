//! One line of strace: which call it is, on which descriptor, with which bytes.

use crate::capture::Vantage;

/// Calls that move bytes, and whether they send them.
const CALLS: [(&str, bool); 8] = [
    ("read", false),
    ("recvfrom", false),
    ("recv", false),
    ("pread64", false),
    ("write", true),
    ("sendto", true),
    ("send", true),
    ("pwrite64", true),
];

/// One line of a trace, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    pub(super) pid: &'a str,
    pub(super) time: Option<&'a str>,
    pub(super) sends: bool,
    /// `None` in the second half of a call.
    pub(super) descriptor: Option<&'a str>,
    /// The bytes, still escaped.
    pub(super) data: Option<&'a str>,
    /// True if strace left bytes out.
    pub(super) cut: bool,
    /// What the call returned, where it has.
    pub(super) returned: Option<i64>,
}

impl<'a> Call<'a> {
    pub(super) fn read(line: &'a str) -> Option<Call<'a>> {
        let (pid, rest) = pid(line);
        let (time, rest) = match rest.split_once(' ') {
            Some((word, rest)) if word.starts_with(|c: char| c.is_ascii_digit()) => (Some(word), rest.trim_start()),
            _ => (None, rest),
        };
        let (name, descriptor, rest) = match rest.strip_prefix("<... ") {
            Some(rest) => {
                let (name, rest) = rest.split_once(' ')?;
                (name, None, rest.strip_prefix("resumed>")?)
            }
            None => {
                let (name, rest) = rest.split_once('(')?;
                let end = rest.find([',', ' ', '<', ')'])?;
                (name, Some(&rest[..end]), rest[end..].trim_start_matches([',', ' ']))
            }
        };
        let (_, sends) = CALLS.into_iter().find(|(known, _)| *known == name)?;
        let (data, rest) = quoted(rest);
        // Two calls on one line: which bytes went where, and how many, cannot be told.
        if data.is_some() && CALLS.iter().any(|(known, _)| rest.contains(&format!(" {known}("))) {
            return None;
        }
        let cut = data.is_some() && rest.starts_with("...");
        let returned = rest.rsplit_once(" = ").and_then(|(_, value)| value.split(' ').next()?.parse().ok());
        Some(Call { pid, time, sends, descriptor, data, cut, returned })
    }
}

impl Call<'_> {
    /// Where the traced process sits, where this call tells it: who reads `initialize` is the server.
    pub(super) fn vantage(&self) -> Option<Vantage> {
        self.data.filter(|data| data.contains(r#"\"method\":\"initialize\""#))?;
        Some(if self.sends { Vantage::Client } else { Vantage::Server })
    }
}

/// `19723 ` or `[pid 19723] ` before a line.
fn pid(line: &str) -> (&str, &str) {
    if let Some((pid, rest)) = line.strip_prefix("[pid").and_then(|rest| rest.split_once(']')) {
        return (pid.trim(), rest.trim_start());
    }
    match line.split_once(' ') {
        Some((word, rest)) if word.len() < 9 && word.bytes().all(|b| b.is_ascii_digit()) => (word, rest.trim_start()),
        _ => ("", line),
    }
}

/// The string at the start of a text, and what follows it.
fn quoted(text: &str) -> (Option<&str>, &str) {
    let Some(inner) = text.strip_prefix('"') else { return (None, text) };
    match crate::json::scan::closing_quote(text.as_bytes(), 1) {
        Some(end) => (Some(&text[1..end]), &text[end + 1..]),
        None => (Some(inner), ""),
    }
}

/// Takes the escapes of C out of a string.
pub(super) fn unescape(text: &str, out: &mut Vec<u8>) {
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = bytes.next() else { return };
        let (radix, digits, first) = match escape {
            b'n' => (0, 0, b'\n'),
            b't' => (0, 0, b'\t'),
            b'r' => (0, 0, b'\r'),
            b'v' => (0, 0, 11),
            b'f' => (0, 0, 12),
            b'x' => (16, 2, 0),
            b'0'..=b'7' => (8, 2, escape - b'0'),
            other => (0, 0, other),
        };
        let mut value = u32::from(first);
        for _ in 0..digits {
            let Some(digit) = bytes.peek().and_then(|byte| (*byte as char).to_digit(radix)) else { break };
            value = value * radix + digit;
            bytes.next();
        }
        out.push(value as u8);
    }
}
