//! `journalctl -o json`: one object a line, `MESSAGE` a string, an array of bytes or null.
//! What the fields of a record mean holds for `journald_export`, too.
//!
//! The time is `__REALTIME_TIMESTAMP`, microseconds in a string. A unit and its process are one log; so is a container, whose
//! lines all come from the process of its engine. journald cuts lines of a service's output at `LineMax` (48 KiB) and marks
//! the pieces with `_LINE_BREAK=line-max`, engines cut at 16 KiB and mark them with `CONTAINER_PARTIAL_MESSAGE=true`.
//! (systemd `src/journal/journald-stream.c`, `src/shared/logs-show.c`; moby `daemon/logger/journald/journald.go`.)

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

/// What is read of one record.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) message: Option<Vec<u8>>,
    /// Where the message starts.
    pub(super) number: u64,
    pub(super) offset: u64,
    time: String,
    unit: String,
    name: String,
    pid: String,
    container: String,
    cut: bool,
}

impl Fields {
    /// Keeps a field other than the message, where it tells something.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        match key {
            "__REALTIME_TIMESTAMP" => self.time = value.to_string(),
            "_SYSTEMD_UNIT" | "_SYSTEMD_USER_UNIT" if value != "null" => self.unit = value.to_string(),
            "SYSLOG_IDENTIFIER" => self.name = value.to_string(),
            "_PID" => self.pid = value.to_string(),
            "CONTAINER_NAME" => self.container = value.to_string(),
            "CONTAINER_ID" if self.container.is_empty() => self.container = value.to_string(),
            "_LINE_BREAK" => self.cut |= value == "line-max",
            "CONTAINER_PARTIAL_MESSAGE" => self.cut |= value == "true",
            _ => {}
        }
    }

    /// The log that the record belongs to.
    fn key(&self) -> String {
        if !self.container.is_empty() {
            return self.container.clone();
        }
        let name = if self.unit.is_empty() { &self.name } else { &self.unit };
        format!("{name}/{}", self.pid).trim_end_matches('/').to_string()
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Journald {
    open: Vec<Open>,
}

impl Peeler for Journald {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let (mut message, mut fields) = (None, Fields { number: line.number, ..Fields::default() });
        let mut all = members(&text);
        for member in all.by_ref() {
            match member.key {
                "MESSAGE" => message = Some(member),
                key => fields.set(key, unquoted(member.value)),
            }
        }
        if all.end().is_none() {
            return Ok(Some(if line.ended { Skip::NotAMessage } else { Skip::CutOff }));
        }
        let Some(message) = message else { return Ok(Some(Skip::NotAMessage)) };
        let (bytes, at) = match message.value.as_bytes().first() {
            Some(b'"') => {
                let mut plain = String::new();
                unescape(&text, message.at + 1, &mut plain);
                (plain.into_bytes(), message.at + 1)
            }
            Some(b'[') => {
                let numbers = message.value.trim_matches(['[', ']']).split(',');
                (numbers.filter_map(|number| number.trim().parse().ok()).collect(), message.at)
            }
            _ => return Ok(Some(Skip::NotAMessage)),
        };
        (fields.message, fields.offset) = (Some(bytes), line.offset + at as u64);
        self.entry(&fields, give).map(|()| None)
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        std::mem::take(&mut self.open).iter().try_for_each(|open| open.give(&mut *give))
    }
}

impl Journald {
    /// Gives on the message of a record; the rest of a long one is in the next records of the same log.
    pub(super) fn entry(&mut self, fields: &Fields, give: Give<'_>) -> Result<()> {
        let Some(bytes) = &fields.message else { return Ok(()) };
        let (key, time) = (&*fields.key(), &*fields.time);
        let record = Peeled { key, number: fields.number, offset: fields.offset, time, bytes, ended: true };
        self.record(&record, fields.cut, give)
    }

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
