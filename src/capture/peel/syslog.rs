//! What syslog and plain `journalctl` put before a line: time, host, program and process.
//!
//! `Nov 21 06:44:16 host mcp-demo[4242]: ` (RFC 3164 has no year: it is 1970), `2026-11-21T06:44:16.663+00:00 host
//! mcp-demo[4242]: `, and `<30>1 2026-11-21T06:44:16.663Z host mcp-demo 4242 - - ` (RFC 5424). A program and its
//! process are one log.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::capture::words::is_way;
use crate::error::Result;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A line taken apart: its time, where it comes from, and how long all of that is.
fn read(line: &str) -> Option<(String, &str, usize)> {
    let rest = match line.strip_prefix('<') {
        Some(rest) => rest.split_once('>').filter(|(priority, _)| priority.len() <= 3)?.1,
        None => line,
    };
    if let Some(rest) = rest.strip_prefix("1 ") {
        return structured(line, rest);
    }
    let (time, rest) = match short_time(rest) {
        Some(found) => found,
        None => {
            let (time, rest) = rest.split_once(' ')?;
            let is_time = time.len() >= 19 && time.as_bytes()[0].is_ascii_digit() && time.as_bytes()[10] == b'T';
            (is_time.then(|| time.to_string())?, rest)
        }
    };
    let (_host, rest) = rest.split_once(' ').filter(|(host, _)| !host.is_empty() && !host.ends_with(':'))?;
    let (tag, text) = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|tag| (tag, "")))?;
    let fits = !tag.is_empty() && tag.len() < 128 && !tag.contains([' ', '{', '"']);
    fits.then_some((time, tag, line.len() - text.len()))
}

/// `Nov 21 06:44:16 `, as a date of 1970.
fn short_time(text: &str) -> Option<(String, &str)> {
    let (head, rest) = text.split_at_checked(16)?;
    let month = MONTHS.iter().position(|month| head.starts_with(month))? + 1;
    let day: u8 = head.get(4..6)?.trim().parse().ok()?;
    let clock = head.get(7..15).filter(|clock| clock.as_bytes()[2] == b':' && head.ends_with(' '))?;
    Some((format!("1970-{month:02}-{day:02} {clock}"), rest))
}

/// What follows the version in RFC 5424: time, host, program, process, kind, data, text.
fn structured<'a>(line: &'a str, rest: &'a str) -> Option<(String, &'a str, usize)> {
    let (time, after) = rest.split_once(' ')?;
    let (_host, after) = after.split_once(' ')?;
    let mut fields = after.splitn(4, ' ');
    let (program, process, kind, rest) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let known = if process == "-" { program.len() } else { program.len() + 1 + process.len() };
    let text = match rest.strip_prefix('-') {
        Some(text) => text,
        None => &rest[rest.starts_with('[').then(|| rest.find("] ")).flatten()? + 1..],
    };
    let text = text.trim_start().trim_start_matches('\u{feff}');
    let data = &rest[..rest.len() - text.len()];
    // Before a bare message they are what is said of it.
    let told = text.starts_with(['{', '[']) && (is_way(kind) || data.split('"').skip(1).step_by(2).any(is_way));
    let told = if told { kind.len() + 1 + data.len() } else { 0 };
    Some((time.to_string(), &after[..known], line.len() - text.len() - told))
}

/// True for a line of syslog.
pub(super) fn looks(line: &str) -> bool {
    read(line).is_some()
}

/// True for a line of syslog with a time or a head that nothing else has.
pub(super) fn is_certain(line: &str) -> bool {
    looks(line) && !line.starts_with(|c: char| c.is_ascii_digit())
}

/// See the module.
#[derive(Default)]
pub(super) struct Syslog;

impl Peeler for Syslog {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let Some((time, key, length)) = read(&text) else {
            return Ok(Some(if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }));
        };
        let (bytes, offset) = (&text.as_bytes()[length..], line.offset + length as u64);
        give(&Peeled { key, number: line.number, offset, time: &time, bytes, ended: line.ended })?;
        Ok(None)
    }
}
