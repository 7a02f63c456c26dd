//! What Fluent Bit's `stdout` output prints: `[0] TAG: [[1788423300.118, {}], {"log"=>"...", "stream"=>"stderr"}]`, before 2.1
//! `[0] TAG: [1788423300.118, {..}]`. Each record becomes JSON and is read as one.
//! (fluent/fluent-bit `src/flb_pack.c`; msgpack-c `src/objectc.c`, which prints strings with and without escapes.)

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// Tag, time and record of a line.
fn read(line: &str) -> Option<(&str, &str, &str)> {
    let rest = line.strip_prefix('[')?;
    let (count, rest) = rest.split_once("] ")?;
    let (tag, rest) = rest.split_once(": [")?;
    let (head, record) = rest.split_once(", {")?;
    let (time, record) = match head.strip_prefix('[') {
        Some(time) => (time, record.split_once("], {")?.1),
        None => (head, record),
    };
    let end = record.trim_end().strip_suffix("}]")?;
    let is_time = time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !time.is_empty();
    let fits = count.bytes().all(|byte| byte.is_ascii_digit()) && is_time && end.contains("=>");
    fits.then_some((tag, time, end))
}

/// True for such a line.
pub(super) fn looks(line: &str) -> bool {
    read(line).is_some()
}

/// True if what follows a quote can only follow one that ends a string.
fn ends_string(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['}', ']']);
    if rest.is_empty() || rest.starts_with("=>") {
        return true;
    }
    let Some(next) = rest.strip_prefix(", ") else { return false };
    match next.strip_prefix('"') {
        Some(key) => key.find('"').is_some_and(|end| key[end + 1..].starts_with("=>")),
        None => !next.starts_with(['{', '[']),
    }
}

/// Writes the members of a record (without its braces) as a JSON object.
fn record(text: &str, json: &mut String) {
    json.clear();
    json.push('{');
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with("=>") {
            json.push(':');
            at += 2;
        } else if next == '"' {
            let start = at + 1;
            let quotes = memchr::memchr_iter(b'"', &text.as_bytes()[start..]).map(|quote| start + quote);
            let end = quotes.into_iter().find(|quote| ends_string(&text[quote + 1..])).unwrap_or(text.len());
            string(&text[start..end], json);
            at = end + 1;
        } else if text[at..].starts_with("nil") {
            json.push_str("null");
            at += 3;
        } else {
            json.push(next);
            at += next.len_utf8();
        }
        if at >= text.len() {
            break;
        }
    }
    json.push('}');
}

/// A string as it was printed: with escapes where it reads as JSON, else as it is.
fn string(printed: &str, json: &mut String) {
    let quoted = format!("\"{printed}\"");
    match serde_json::from_str::<serde::de::IgnoredAny>(&quoted) {
        Ok(_) => json.push_str(&quoted),
        Err(_) => json.push_str(&serde_json::Value::from(printed).to_string()),
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct FluentBit {
    json: String,
}

impl Peeler for FluentBit {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let Some((_, time, members)) = read(&text) else {
            return Ok(Some(if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }));
        };
        record(members, &mut self.json);
        let bytes = self.json.as_bytes();
        give(&Peeled { key: "", number: line.number, offset: line.offset, time, bytes, ended: line.ended })?;
        Ok(None)
    }
}
