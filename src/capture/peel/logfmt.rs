//! Lines of `key=value` pairs (logfmt): `time=2026-09-03T08:15:00Z level=debug msg="recv" data="{\\"jsonrpc\\":..}"`, as Go's slog,
//! logrus and go-kit, Grafana's and HashiCorp's programs write them. Each line becomes a record in JSON and is read as one.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// How many pairs make a line of them.
const PAIRS: usize = 3;

/// The next pair of a line, and how long it is. A value in quotes is given with them.
fn pair(text: &str) -> Option<(&str, &str, usize)> {
    let equals = text.find('=')?;
    let key = &text[..equals];
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@' | '/');
    if key.is_empty() || !key.chars().all(is_key) {
        return None;
    }
    let value = &text[equals + 1..];
    let length = match value.strip_prefix('"') {
        Some(inner) => closing(inner)? + 2,
        None => value.find(' ').unwrap_or(value.len()),
    };
    let value = value.get(..length).filter(|value| value.starts_with('"') || !value.contains(['{', '"']))?;
    Some((key, value, equals + 1 + length))
}

/// Where the quote stands that ends a string.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// The pairs of a line, up to what is none; values without their quotes.
pub(in crate::capture) fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        let (key, value, length) = pair(rest)?;
        rest = rest[length..].trim_start();
        Some((key, value.trim_matches('"')))
    })
}

/// Writes the pairs of a line as a JSON object; false where it is no line of pairs.
fn record(line: &str, json: &mut String) -> bool {
    json.clear();
    let (mut rest, mut pairs) = (line.trim(), 0);
    while !rest.is_empty() {
        let Some((key, value, length)) = pair(rest) else { return false };
        json.push(if pairs == 0 { '{' } else { ',' });
        json.push_str(&serde_json::Value::from(key).to_string());
        json.push(':');
        match value.starts_with('"') {
            // What Go quotes is JSON but for a few escapes of its own.
            true if serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok() => json.push_str(value),
            true => json.push_str(&serde_json::Value::from(&value[1..value.len() - 1]).to_string()),
            false => json.push_str(&serde_json::Value::from(value).to_string()),
        }
        pairs += 1;
        rest = &rest[length..];
        // A value in quotes that goes on behind them: two records on one line, or none of this kind.
        if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
            return false;
        }
        rest = rest.trim_start();
    }
    json.push('}');
    pairs >= PAIRS
}

/// True for a line of pairs.
pub(super) fn looks(line: &str) -> bool {
    record(line, &mut String::new())
}

/// See the module.
#[derive(Default)]
pub(super) struct Logfmt {
    json: String,
}

impl Peeler for Logfmt {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        if !record(&text, &mut self.json) {
            return Ok(Some(if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }));
        }
        let bytes = self.json.as_bytes();
        give(&Peeled { key: "", number: line.number, offset: line.offset, time: "", bytes, ended: line.ended })?;
        Ok(None)
    }
}
