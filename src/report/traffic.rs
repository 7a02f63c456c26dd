//! `export --as jsonl`: one line a message, `{"ts","dir","raw"}`, which rpctape reads again.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::json;
use super::time::Digits;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conn: Option<&'a str>,
    raw: &'a str,
}

/// How the lines of one connection are written.
#[derive(Clone, Copy, Debug)]
pub struct TrafficLines<'a> {
    /// Its key, where there are several connections.
    pub connection: Option<&'a str>,
    /// How many digits its times have.
    pub digits: Digits,
}

impl TrafficLines<'_> {
    /// Writes one message or batch, as it was captured. `dir` is `c2s` or `s2c`, where that is known.
    pub fn write(&self, out: &mut dyn Write, at_us: Option<i64>, dir: Option<&str>, raw: &str) -> io::Result<()> {
        let ts = at_us.map(|us| self.digits.rfc3339(us));
        writeln!(out, "{}", json(&Line { ts, dir, conn: self.connection, raw })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_is_known_and_no_hostile_character() {
        let mut out = Vec::new();
        let lines = TrafficLines { connection: None, digits: Digits::Millis };
        lines.write(&mut out, Some(1_795_243_456_663_000), Some("c2s"), "[{\"id\":1}]").expect("written");
        let lines = TrafficLines { connection: Some("a/1"), ..lines };
        lines.write(&mut out, None, None, "{\u{1b}\u{202e}}").expect("written");
        let expected = r#"{"ts":"2026-11-21T06:44:16.663Z","dir":"c2s","raw":"[{\"id\":1}]"}
{"conn":"a/1","raw":"{\u001b\u202e}"}
"#;
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }
}
