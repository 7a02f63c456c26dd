//! Logs of containers: Docker's `json-file` driver, and the container runtime interface of Kubernetes.
//!
//! `{"log":"...\n","stream":"stderr","time":"2026-11-21T06:44:16.663227873Z"}` and
//! `2026-11-21T06:44:16.663227873Z stderr F ...`. Docker cuts lines at 16 KiB and marks the last piece by its newline;
//! the runtimes of Kubernetes mark the pieces by `P` and the last by `F`. Pieces of stdout and stderr may alternate.
//! (moby `daemon/logger/jsonfilelog`; kubernetes `cri-api` and `pkg/kubelet/kuberuntime/logs`.)

use std::borrow::Cow;

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::error::Result;
use crate::json::scan::{members, unquoted};
use crate::json::unescape;

/// A line that is put together from pieces.
#[derive(Default)]
struct Pieces {
    stream: String,
    key: String,
    text: Vec<u8>,
    number: u64,
    offset: u64,
    time: String,
}

/// Lines that are put together, one for each stream.
#[derive(Default)]
pub(super) struct Joiner(Vec<Pieces>);

impl Joiner {
    /// One piece of text; the line is given on when `is_last` says that it is complete.
    pub(super) fn piece(&mut self, stream: &str, piece: &Peeled<'_>, is_last: bool, give: Give<'_>) -> Result<()> {
        let waiting =
            self.0.iter().position(|pieces| pieces.stream == stream && pieces.key == piece.key && pieces.number > 0);
        let Some(waiting) = waiting else {
            return if is_last { lines(piece, give) } else { self.begin(stream, piece) };
        };
        let pieces = &mut self.0[waiting];
        // What is over the limit shows it by its length; the rest of it is not kept.
        if pieces.text.len() <= RECORD_LIMIT {
            pieces.text.extend_from_slice(piece.bytes);
        }
        if !is_last {
            return Ok(());
        }
        let pieces = self.0.swap_remove(waiting);
        pieces.give(give)
    }

    fn begin(&mut self, stream: &str, piece: &Peeled<'_>) -> Result<()> {
        self.0.push(Pieces {
            stream: stream.to_string(),
            key: piece.key.to_string(),
            text: piece.bytes.to_vec(),
            number: piece.number,
            offset: piece.offset,
            time: piece.time.to_string(),
        });
        Ok(())
    }

    /// What waits for its last piece when the log ends.
    pub(super) fn end(&mut self, give: Give<'_>) -> Result<()> {
        std::mem::take(&mut self.0).into_iter().try_for_each(|pieces| pieces.give(&mut *give))
    }
}

impl Pieces {
    fn give(&self, give: Give<'_>) -> Result<()> {
        let (number, offset) = (self.number, self.offset);
        lines(&Peeled { key: &self.key, number, offset, time: &self.time, bytes: &self.text, ended: true }, give)
    }
}

/// Gives on each line of a text that may hold several.
pub(super) fn lines(text: &Peeled<'_>, give: Give<'_>) -> Result<()> {
    let bytes = text.bytes.strip_suffix(b"\n").unwrap_or(text.bytes);
    let mut at = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        give(&Peeled { bytes: line, offset: text.offset + at as u64, ..*text })?;
        at += line.len() + 1;
    }
    Ok(())
}

/// True for a line of Docker's.
pub(super) fn looks_like_docker(line: &str) -> bool {
    let keys: Vec<&str> = members(line).map(|member| member.key).collect();
    ["log", "stream", "time"].iter().all(|key| keys.contains(key))
        && keys.iter().all(|key| matches!(*key, "log" | "stream" | "time" | "attrs"))
}

/// Docker's `json-file` driver.
#[derive(Default)]
pub(super) struct Docker {
    joiner: Joiner,
    text: String,
    /// The labels of the container, where the log has them.
    key: String,
}

impl Peeler for Docker {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let (mut log, mut stream, mut time) = (None, "", "");
        self.key.clear();
        let mut all = members(&text);
        for member in all.by_ref() {
            match member.key {
                "log" if member.value.starts_with('"') => log = Some(member.at + 1),
                "stream" => stream = unquoted(member.value),
                "time" => time = unquoted(member.value),
                "attrs" => {
                    let labels: Vec<&str> = members(member.value).map(|label| unquoted(label.value)).collect();
                    self.key = labels.join("/");
                }
                _ => {}
            }
        }
        let Some(start) = log.filter(|_| all.end().is_some()) else {
            return Ok(Some(if line.ended { Skip::NotAMessage } else { Skip::CutOff }));
        };
        unescape(&text, start, &mut self.text);
        let offset = line.offset + start as u64;
        let is_last = self.text.ends_with('\n');
        let (key, bytes) = (self.key.as_str(), self.text.as_bytes());
        let piece = Peeled { key, number: line.number, offset, time, bytes, ended: true };
        self.joiner.piece(stream, &piece, is_last, give)?;
        Ok(None)
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        self.joiner.end(give)
    }
}

/// One line of the container runtime interface, taken apart.
struct CriLine<'a> {
    time: &'a str,
    stream: &'a str,
    is_last: bool,
    text: &'a str,
}

impl<'a> CriLine<'a> {
    fn read(line: &'a str) -> Option<CriLine<'a>> {
        let (time, rest) = line.split_once(' ')?;
        let (stream, rest) = rest.split_once(' ')?;
        let (tag, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let tag = tag.split(':').next()?;
        let is_time = time.len() >= 20 && time.as_bytes()[10] == b'T' && time.as_bytes()[0].is_ascii_digit();
        let fits = is_time && matches!(stream, "stdout" | "stderr") && matches!(tag, "P" | "F");
        fits.then_some(CriLine { time, stream, is_last: tag == "F", text })
    }
}

/// The stream of a line of the container runtime interface, and whether what it says ends with it: a piece goes on in the next line of
/// its stream.
pub(in crate::capture) fn cri_piece(line: &str) -> Option<(&str, bool)> {
    CriLine::read(line).map(|line| (line.stream, line.is_last))
}

/// True for a line of the container runtime interface.
pub(super) fn looks_like_cri(line: &str) -> bool {
    CriLine::read(line).is_some()
}

/// The container runtime interface of Kubernetes.
#[derive(Default)]
pub(super) struct Cri {
    joiner: Joiner,
}

impl Peeler for Cri {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let Some(found) = CriLine::read(&text) else {
            return Ok(Some(if line.ended { Skip::NotAMessage } else { Skip::CutOff }));
        };
        // Bytes that are no UTF-8 go through as they are.
        let bytes = match &text {
            Cow::Borrowed(_) => found.text.as_bytes(),
            Cow::Owned(_) => &line.bytes[line.bytes.len().min(text.len() - found.text.len())..],
        };
        let offset = line.offset + (line.bytes.len() - bytes.len()) as u64;
        let piece = Peeled { key: "", number: line.number, offset, time: found.time, bytes, ended: line.ended };
        self.joiner.piece(found.stream, &piece, found.is_last, give)?;
        Ok(None)
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        self.joiner.end(give)
    }
}
