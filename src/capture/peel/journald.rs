//! `journalctl -o json`: one object a line, `MESSAGE` a string, an array of bytes or null.
//!
//! The time is `__REALTIME_TIMESTAMP`, microseconds in a string. A unit and its process are one log. journald cuts lines
//! of a service's output at `LineMax` (48 KiB) and marks the pieces with `_LINE_BREAK=line-max`.
//! (systemd `src/journal/journald-stream.c`, `src/shared/logs-show.c`.)

use super::container::lines;
use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::error::Result;
use crate::json::scan::{members, unquoted};
use crate::json::unescape;

/// True for a line of journald's.
pub(super) fn looks(line: &str) -> bool {
    line.starts_with('{') && line.contains("\"__REALTIME_TIMESTAMP\"") && line.contains("\"MESSAGE\"")
}

/// A line whose rest is in the next record of the same log.
struct Open {
    key: String,
    text: Vec<u8>,
    number: u64,
    offset: u64,
    time: String,
}

/// See the module.
#[derive(Default)]
pub(super) struct Journald {
    open: Vec<Open>,
    text: String,
    bytes: Vec<u8>,
    key: String,
}

impl Peeler for Journald {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let (mut message, mut time, mut unit, mut name, mut pid, mut cut) = (None, "", "", "", "", false);
        let mut all = members(&text);
        for member in all.by_ref() {
            match member.key {
                "MESSAGE" => message = Some(member),
                "__REALTIME_TIMESTAMP" => time = unquoted(member.value),
                "_SYSTEMD_UNIT" | "_SYSTEMD_USER_UNIT" => unit = unquoted(member.value),
                "SYSLOG_IDENTIFIER" => name = unquoted(member.value),
                "_PID" => pid = unquoted(member.value),
                "_LINE_BREAK" => cut = matches!(unquoted(member.value), "line-max"),
                _ => {}
            }
        }
        if all.end().is_none() {
            return Ok(Some(if line.ended { Skip::NotAMessage } else { Skip::CutOff }));
        }
        let Some(message) = message else { return Ok(Some(Skip::NotAMessage)) };
        let start = match message.value.as_bytes().first() {
            Some(b'"') => {
                unescape(&text, message.at + 1, &mut self.text);
                self.bytes = std::mem::take(&mut self.text).into_bytes();
                message.at + 1
            }
            Some(b'[') => {
                let numbers = message.value.trim_matches(['[', ']']).split(',');
                self.bytes = numbers.filter_map(|number| number.trim().parse().ok()).collect();
                message.at
            }
            _ => return Ok(Some(Skip::NotAMessage)),
        };
        self.key.clear();
        self.key.extend([if unit.is_empty() || unit == "null" { name } else { unit }, "/", pid]);
        let key = self.key.trim_end_matches('/').to_string();
        let bytes = std::mem::take(&mut self.bytes);
        let record = Peeled {
            key: &key,
            number: line.number,
            offset: line.offset + start as u64,
            time,
            bytes: &bytes,
            ended: true,
        };
        let done = self.record(&record, cut, give);
        self.bytes = bytes;
        done.map(|()| None)
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        std::mem::take(&mut self.open).iter().try_for_each(|open| open.give(&mut *give))
    }
}

impl Journald {
    fn record(&mut self, record: &Peeled<'_>, cut: bool, give: Give<'_>) -> Result<()> {
        let at = self.open.iter().position(|open| open.key == record.key);
        match (at, cut) {
            (None, false) => lines(record, give),
            (None, true) => {
                let (key, time) = (record.key.to_string(), record.time.to_string());
                let (text, number, offset) = (record.bytes.to_vec(), record.number, record.offset);
                self.open.push(Open { key, text, number, offset, time });
                Ok(())
            }
            (Some(at), _) => {
                let open = &mut self.open[at];
                if open.text.len() <= RECORD_LIMIT {
                    open.text.extend_from_slice(record.bytes);
                }
                if cut { Ok(()) } else { self.open.swap_remove(at).give(give) }
            }
        }
    }
}

impl Open {
    fn give(&self, give: Give<'_>) -> Result<()> {
        let (number, offset) = (self.number, self.offset);
        lines(&Peeled { key: &self.key, number, offset, time: &self.time, bytes: &self.text, ended: true }, give)
    }
}
