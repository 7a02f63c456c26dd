//! strace of a process that speaks over pipes or sockets: `strace -f -tt -e trace=read,write -s 70000`.
//!
//! What a process reads it received, what it writes it sent; which side it is shows in the traffic. Descriptors are
//! often not 0 and 1, for programs copy them, so any that carries messages counts. A call may be in two halves
//! (`<unfinished ...>`, `<... read resumed>`), bytes are escaped as in C, and strings that strace cut short end in
//! `"...`: a message that was cut is a gap, not a fault.

mod call;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use self::call::{Call, unescape};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::{Sample, looks_like_message};
use crate::capture::time::Days;
use crate::capture::{Body, Channel, Direction, Skip, Vantage, time};
use crate::error::Result;
use crate::json::scan::value_end;
use crate::wire::{Framing, read_header};

/// The format.
pub(crate) struct Strace;

impl Format for Strace {
    fn name(&self) -> &'static str {
        "strace"
    }

    fn about(&self) -> &'static str {
        "strace -f -tt -s 70000 -e trace=read,write of a process"
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let calls = sample.lines().filter(|line| Call::read(line).is_some_and(|call| call.data.is_some())).count();
        let json = sample.lines().any(|line| line.contains("\\\"jsonrpc\\\"") || line.contains("Content-Length: "));
        (calls > 0 && json).then(|| Match::new(80, format!("{calls} lines are calls of read and write")))?
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let time = sample.lines().find_map(|line| Call::read(line)?.time);
        let resolution_us = time.and_then(time::parse).map_or(1, |time| time.resolution_us);
        let vantage = sample.lines().find_map(|line| Call::read(line)?.vantage());
        Reader::Ordered(Box::new(StraceReader {
            tap: Tap { channel: None, vantage, resolution_us },
            ..StraceReader::default()
        }))
    }
}

/// What one descriptor carries in one direction.
#[derive(Default)]
struct Flow {
    bytes: Vec<u8>,
    /// Where its first byte was, and when.
    line: u64,
    offset: u64,
    at_us: Option<i64>,
    /// True while bytes are passed over up to the next line, because some of them are missing.
    lost: bool,
}

impl Flow {
    /// Lines that cannot be a message are not kept: a file that is read may be large.
    fn pass_over_noise(&mut self) {
        while self.bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|b| !b"{[Cc".contains(b)) {
            match memchr::memchr(b'\n', &self.bytes) {
                Some(end) => drop(self.bytes.drain(..=end)),
                None => {
                    self.bytes.clear();
                    self.lost = true;
                }
            }
        }
    }
}

#[derive(Default)]
struct StraceReader {
    flows: FxHashMap<(String, bool), Flow>,
    /// Calls that have not returned: the descriptor of each thread.
    unfinished: FxHashMap<(String, bool), String>,
    tap: Tap,
    days: Days,
    data: Vec<u8>,
}

impl LineReader for StraceReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let Some(call) = Call::read(&text) else {
            let why = if line.bytes.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage };
            out.skip(line.number, why);
            return Ok(());
        };
        let thread = (call.pid.to_string(), call.sends);
        let descriptor = match call.descriptor {
            Some(descriptor) => descriptor.to_string(),
            None => self.unfinished.remove(&thread).unwrap_or_default(),
        };
        if call.returned.is_none() && call.descriptor.is_some() {
            self.unfinished.insert(thread, descriptor.clone());
        }
        let Some(data) = call.data.filter(|_| descriptor != "2" && call.returned.is_none_or(|count| count > 0)) else {
            out.skip(line.number, Skip::Header);
            return Ok(());
        };
        let mut bytes = std::mem::take(&mut self.data);
        bytes.clear();
        unescape(data, &mut bytes);
        if let Some(count) = call.returned.and_then(|count| usize::try_from(count).ok()).filter(|_| !call.cut) {
            bytes.truncate(count);
        }
        let at_us = self.at(call.time);
        if let Some(time) = call.time {
            out.said(time);
        }
        let taken = self.take(&descriptor, &call, &bytes, at_us, line, out);
        self.data = bytes;
        taken
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        let mut flows: Vec<_> = self.flows.drain().collect();
        flows.sort_by_key(|(_, flow)| flow.line);
        for ((_, sends), mut flow) in flows {
            let text = String::from_utf8_lossy(&std::mem::take(&mut flow.bytes)).into_owned();
            if looks_like_message(text.trim_start()) {
                let place = self.tap.place(sends, &flow, Framing::Lines, out)?;
                out.promised(&place, text.trim(), true)?;
            }
        }
        Ok(())
    }
}

impl StraceReader {
    fn at(&mut self, text: Option<&str>) -> Option<i64> {
        let us = time::parse(text?)?.us;
        // Seconds since the epoch (-ttt) need no day.
        Some(if us < 86_400_000_000 { self.days.of_day(us) } else { us })
    }

    fn take(
        &mut self,
        descriptor: &str,
        call: &Call<'_>,
        bytes: &[u8],
        at_us: Option<i64>,
        line: &Line<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let flow = self.flows.entry((descriptor.to_string(), call.sends)).or_default();
        let mut found = false;
        let mut bytes = bytes;
        // A process mostly writes whole messages, so one that looks like the start of one is one.
        if flow.lost && !looks_like_message(&String::from_utf8_lossy(bytes)) {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return Ok(()) };
            bytes = &bytes[end + 1..];
        }
        flow.lost = false;
        if flow.bytes.is_empty() {
            (flow.line, flow.offset, flow.at_us) = (line.number, line.offset, at_us);
        }
        flow.bytes.extend_from_slice(bytes);
        flow.pass_over_noise();
        while let Some((start, end, next)) = message(&flow.bytes) {
            let record = flow.bytes[start..end].to_vec();
            let text = String::from_utf8_lossy(&record);
            if looks_like_message(text.trim_start()) {
                let framing = if start > 0 { Framing::ContentLength } else { Framing::Lines };
                let place = self.tap.place(call.sends, flow, framing, out)?;
                out.promised(&place, text.trim(), false)?;
                found = true;
            }
            flow.bytes.drain(..next);
            (flow.line, flow.offset, flow.at_us) = (line.number, line.offset, at_us);
        }
        if call.cut || flow.bytes.len() > RECORD_LIMIT {
            let was_message = looks_like_message(&String::from_utf8_lossy(&flow.bytes));
            flow.bytes.clear();
            flow.lost = true;
            if was_message {
                let place = self.tap.place(call.sends, flow, Framing::Lines, out)?;
                out.skip(line.number, Skip::CutOff);
                return out.put(&place, Body::gap(Some(1)));
            }
        }
        if !found && flow.bytes.is_empty() {
            out.skip(line.number, Skip::NotAMessage);
        }
        Ok(())
    }
}

/// The first record of a flow: its start, its end, and where the next one starts.
fn message(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    if bytes.first().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'c')) && bytes[1..].starts_with(b"ontent-") {
        let header = read_header(bytes, RECORD_LIMIT).ok()?;
        let end = header.length + header.content_length;
        return (bytes.len() >= end).then_some((header.length, end, end));
    }
    match memchr::memchr(b'\n', bytes) {
        Some(end) => Some((0, end, end + 1)),
        // The newline may come with a call of its own, or not at all: on a socket that keeps records apart.
        None => is_whole(bytes).then_some((0, bytes.len(), bytes.len())),
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    matches!(bytes.last(), Some(b'}' | b']')) && value_end(bytes, 0) == Some(bytes.len())
}

/// Where the trace was taken, and the one channel that it holds.
#[derive(Default)]
struct Tap {
    channel: Option<u32>,
    vantage: Option<Vantage>,
    resolution_us: i64,
}

impl Tap {
    /// Where a message stands that starts with the first byte of a flow.
    fn place(&mut self, sends: bool, flow: &Flow, framing: Framing, out: &mut Out<'_>) -> Result<Place> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel {
                vantage: self.vantage.unwrap_or(Vantage::Unknown),
                resolution_us: self.resolution_us,
                framing: Some(framing),
                ..Channel::default()
            })?,
        };
        self.channel = Some(channel);
        Ok(Place {
            line: flow.line,
            byte_offset: flow.offset,
            channel,
            at_us: flow.at_us,
            direction: if sends { Direction::Sent } else { Direction::Received },
            stream: None,
            taps: None,
        })
    }
}
