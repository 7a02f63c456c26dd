//! What Fluentd's and Fluent Bit's files have around a record: `TIME<tab>TAG<tab>{..}`, or `TAG: [TIME, {..}]`, which is how
//! Fluent Bit's `file` output writes without a format, or `DATE TIME ZONE TAG: {..}`, which is what Fluentd prints; a log for each
//! tag. Grafana downloads lines of Loki with a second time in the place of a tag.
//! (fluent/fluentd `lib/fluent/plugin/formatter_out_file.rb`, `out_stdout.rb`, fluent/fluent-bit `plugins/out_file/file.c`.)

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::capture::time::{self, is_time};
use crate::error::Result;
use crate::json::scan::value_end;

/// Time, tag and record of a line.
fn read(line: &str) -> Option<(&str, &str, &str)> {
    by_tabs(line).or_else(|| in_brackets(line)).or_else(|| printed(line))
}

/// `2026-09-03 08:15:00.000000000 +0000 TAG: {..}`
fn printed(line: &str) -> Option<(&str, &str, &str)> {
    line.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    let (head, record) = line.split_at(line.find(": {")?);
    let (at, tag) = head.rsplit_once(' ')?;
    let record = &record[2..];
    (at.split(' ').count() == 3 && is_time(at) && is_alone(record)).then_some((at, tag, record))
}

/// True for a record behind which there is nothing, or one that was cut off: two of them on one line are neither.
fn is_alone(record: &str) -> bool {
    value_end(record.as_bytes(), 0).is_none_or(|end| record[end..].trim_ascii().is_empty())
}

fn in_brackets(line: &str) -> Option<(&str, &str, &str)> {
    let (tag, rest) = line.trim_end().split_once(": [")?;
    let (at, record) = rest.strip_suffix(']')?.split_once(", ")?;
    let is_time = !at.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_record = record.starts_with('{') && value_end(record.as_bytes(), 0) == Some(record.len());
    (is_time && is_record && !tag.contains(char::is_whitespace)).then_some((at, tag, record))
}

fn by_tabs(line: &str) -> Option<(&str, &str, &str)> {
    let mut fields = line.splitn(3, '\t');
    let (at, tag, record) = (fields.next()?, fields.next()?, fields.next()?);
    let tag = if is_time(tag) { "" } else { tag };
    (record.starts_with('{') && is_alone(record) && time::parse(at).is_some()).then_some((at, tag, record))
}

/// True for a line of such a file.
pub(super) fn looks(line: &str) -> bool {
    read(line).is_some()
}

/// See the module.
pub(super) struct Tagged;

impl Peeler for Tagged {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let Some((time, key, record)) = read(&text) else {
            return Ok(Some(if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }));
        };
        let offset = line.offset + (record.as_ptr() as usize - text.as_ptr() as usize) as u64;
        give(&Peeled { key, number: line.number, offset, time, bytes: record.as_bytes(), ended: line.ended })?;
        Ok(None)
    }
}
