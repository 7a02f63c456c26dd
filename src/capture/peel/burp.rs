//! Items that Burp Suite saved: `<request base64="true"><![CDATA[..]]></request>`, the bytes of a request or a response in base64. Their
//! lines are read as text, behind the time of their item.

use super::peeler::{Give, Peeled, Peeler};
use crate::base64;
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// The digits of base64 in an element of a line.
fn digits(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("base64=\"true\">")?;
    let rest = rest.strip_prefix("<![CDATA[").unwrap_or(rest);
    rest.split(['<', ']']).next().filter(|digits| !digits.is_empty())
}

/// True for a line with such an element.
pub(super) fn looks(line: &str) -> bool {
    line.starts_with("<re") && digits(line).is_some()
}

/// `Thu Sep 03 08:15:00 UTC 2026`, as Java prints dates, with the year where others have it. Names of zones are not unique: but for UTC
/// it is a time without one.
fn in_usual_order(time: &str) -> String {
    let words: Vec<&str> = time.split_ascii_whitespace().collect();
    let [_, month, day, clock, zone, year] = words[..] else { return time.to_string() };
    let zone = if matches!(zone, "UTC" | "GMT") { " +0000" } else { "" };
    format!("{day} {month} {year} {clock}{zone}")
}

/// See the module.
#[derive(Default)]
pub(super) struct Burp {
    time: String,
}

impl Peeler for Burp {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        if let Some(time) = text.trim_ascii().strip_prefix("<time>") {
            self.time = in_usual_order(time.trim_end_matches("</time>"));
        }
        let Some(plain) = digits(&text).and_then(base64::decode) else { return Ok(Some(Skip::NotAMessage)) };
        for bytes in plain.split(|byte| *byte == b'\n') {
            let time = self.time.as_str();
            give(&Peeled { key: "", number: line.number, offset: line.offset, time, bytes, ended: true })?;
        }
        Ok(None)
    }
}
