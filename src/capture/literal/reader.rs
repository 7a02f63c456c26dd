//! What the dialects share: a cursor on the text, the JSON written so far, and the limits.

use super::{Dialect, Fault, quoted};

/// How deep a literal may be nested; the JSON parser behind it takes little more.
const DEPTH: usize = 120;

/// How many bytes of JSON one byte of a literal may give: a table that refers to itself twice must not explode.
const GROWTH: usize = 8;

pub(super) type Done = Result<(), Fault>;

/// Members that are objects wherever a language prints one name for an empty object, an empty list and nothing.
const OBJECTS: [&str; 12] = [
    "params",
    "capabilities",
    "settings",
    "experimental",
    "initializationOptions",
    "arguments",
    "_meta",
    "textDocument",
    "workspace",
    "window",
    "general",
    "serverInfo",
];

/// True if the value of a member is an object even when it prints as empty.
pub(super) fn is_object(member: &str) -> bool {
    OBJECTS.contains(&member)
}

/// Reads one literal.
pub(super) struct Reader<'t, 'o> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub at: usize,
    pub out: &'o mut String,
    pub lost: bool,
    depth: usize,
    limit: usize,
    scratch: Vec<u8>,
    /// Where the JSON of each numbered table stands, for later references to it.
    pub marks: Vec<(u32, std::ops::Range<usize>)>,
}

impl<'t, 'o> Reader<'t, 'o> {
    pub(super) fn new(text: &'t str, out: &'o mut String) -> Reader<'t, 'o> {
        let limit = text.len().saturating_mul(GROWTH).saturating_add(4096);
        let bytes = text.as_bytes();
        Reader { text, bytes, at: 0, out, lost: false, depth: 0, limit, scratch: Vec::new(), marks: Vec::new() }
    }

    pub(super) fn fault(&self, reason: &'static str) -> Fault {
        Fault { at: self.at, reason, cut: self.at >= self.bytes.len() }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte that is no white space, without passing over it.
    pub(super) fn next(&mut self) -> Option<u8> {
        while let Some(byte) = self.peek() {
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Passes over `byte` if it comes next, white space before it included.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.next() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, byte: u8, reason: &'static str) -> Done {
        if self.take(byte) { Ok(()) } else { Err(self.fault(reason)) }
    }

    /// Passes over `word` if it stands at the cursor.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = self.bytes[self.at.min(self.bytes.len())..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Passes over the bytes that `is` holds for, and gives them. `is` must not hold for parts of a character only.
    pub(super) fn run(&mut self, is: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        while self.peek().is_some_and(&is) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    pub(super) fn enter(&mut self) -> Done {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.fault("it is nested too deeply"));
        }
        if self.out.len() > self.limit {
            return Err(self.fault("it refers to itself too often"));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// `null` for what the printer left out.
    pub(super) fn lose(&mut self) {
        self.lost = true;
        self.out.push_str("null");
    }

    pub(super) fn comma(&mut self, open: usize) {
        if self.out.len() > open {
            self.out.push(',');
        }
    }

    /// Writes what was written before at `range` again.
    pub(super) fn copy(&mut self, range: std::ops::Range<usize>) {
        let again = self.out[range].to_string();
        self.out.push_str(&again);
    }

    /// The string literal at the cursor, as a JSON string.
    pub(super) fn string(&mut self, dialect: Dialect) -> Done {
        let rest = &self.text[self.at..];
        if let Some(end) = quoted::plain_end(rest.as_bytes()) {
            self.out.push('"');
            self.out.push_str(&rest[1..end]);
            self.out.push('"');
            self.at += end + 1;
            return Ok(());
        }
        let found = quoted::unquote(dialect, rest, &mut self.scratch);
        let end = found.map_err(|fault| Fault { at: fault.at + self.at, ..fault })?;
        push_string(self.out, &String::from_utf8_lossy(&self.scratch));
        self.at += end;
        Ok(())
    }

    /// The number in `token` as JSON, or else the token as a string.
    pub(super) fn number_or_text(&mut self, token: &str) {
        let bytes = token.as_bytes();
        let is_plain = bytes.len() < 20
            && bytes.iter().all(u8::is_ascii_digit)
            && (bytes.len() == 1 || bytes.first() != Some(&b'0'));
        if is_plain && !bytes.is_empty() {
            self.out.push_str(token);
            return;
        }
        match number(token) {
            Some(None) => self.out.push_str(token),
            Some(Some(number)) => self.out.push_str(&number),
            None => push_string(self.out, token),
        }
    }

    /// The JSON from `start` on becomes the name of a member, whatever it was.
    pub(super) fn as_key(&mut self, start: usize) {
        if self.out.as_bytes().get(start) != Some(&b'"') {
            let value = self.out.split_off(start);
            push_string(self.out, &value);
        }
    }

    /// Passes over text up to and with the `close` that belongs to an opener before the cursor; strings count as one.
    pub(super) fn skip_past(&mut self, open: u8, close: u8) -> Done {
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'\'' => {
                    self.at += 1;
                    while let Some(inner) = self.peek().filter(|inner| *inner != byte) {
                        self.at += if inner == b'\\' { 2 } else { 1 };
                    }
                }
                _ if byte == close => depth -= 1,
                _ if byte == open => depth += 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        self.at = self.bytes.len();
        Err(self.fault("it ends inside brackets"))
    }
}

/// A number as JSON: `None` if it is none, `Some(None)` if it is JSON as it stands.
fn number(token: &str) -> Option<Option<String>> {
    if is_json_number(token.as_bytes()) {
        return Some(None);
    }
    let plain: String = token.strip_suffix('n').unwrap_or(token).replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|value| Some(format!("{sign}{value}")));
    }
    let digits = digits.trim_start_matches('0');
    let digits =
        if digits.starts_with(|c: char| c.is_ascii_digit()) { digits.to_string() } else { format!("0{digits}") };
    let digits = digits.strip_suffix('.').map_or(digits.clone(), |whole| format!("{whole}.0"));
    let normal = format!("{sign}{digits}");
    (token.contains(|c: char| c.is_ascii_digit()) && is_json_number(normal.as_bytes())).then_some(Some(normal))
}

fn is_json_number(token: &[u8]) -> bool {
    let token = token.strip_prefix(b"-").unwrap_or(token);
    let digits = |from: usize| token[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = digits(0);
    if at == 0 || at > 1 && token[0] == b'0' {
        return false;
    }
    if token.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return false;
        }
        at += 1 + fraction;
    }
    if matches!(token.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(token.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at.min(token.len()));
        if exponent == 0 {
            return false;
        }
        at += exponent;
    }
    at == token.len()
}

/// Adds `text` to `out` as a JSON string.
pub(super) fn push_string(out: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push('"');
    let mut start = 0;
    let bytes = text.as_bytes();
    while let Some(length) = quoted::special(&bytes[start..], b'"') {
        let (at, byte) = (start + length, bytes[start + length]);
        out.push_str(&text[start..at]);
        start = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ => {
                out.push_str("\\u00");
                out.push(HEX[usize::from(byte >> 4)] as char);
                out.push(HEX[usize::from(byte & 15)] as char);
            }
        }
    }
    out.push_str(&text[start..]);
    out.push('"');
}
