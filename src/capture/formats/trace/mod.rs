//! Traces of language clients and servers: a header that names the message, the payload below it.
//!
//! One parser for the family that started with vscode-languageclient (`jsonrpc/src/common/connection.ts`) and that
//! LSP4J, LSP4IJ, gopls (`gopls/internal/protocol/log.go`) and Emacs lsp-mode copied. A message is put together from the
//! header (kind, method, id) and the payload (params, result or error); its envelope was never in the log. Ids are as
//! printed: what looks like a number is one, anything else is a string.

mod clock;
mod dialect;
mod header;
mod json;
mod record;
#[cfg(test)]
mod tests;

use self::dialect::{Dialect, Told, tell};
use self::header::Header;
use self::record::{Record, Took};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::time::Days;
use crate::capture::{Body, Channel, Direction, Proof, Skip, time};
use crate::error::Result;
use crate::protocol::{Side, by_name};

/// A format of the family.
pub(crate) struct Trace {
    name: &'static str,
    about: &'static str,
    dialect: Dialect,
}

macro_rules! formats {
    ($($constant:ident $dialect:ident $name:literal $about:literal)*) => {
        $(
            #[doc = $about]
            pub(crate) static $constant: Trace = Trace { name: $name, about: $about, dialect: Dialect::$dialect };
        )*
    };
}

formats! {
    VSCODE VsCode "vscode-trace-text" "VS Code and coc.nvim: the text trace of a language client"
    VSCODE_CHANNEL VsCodeChannel "vscode-trace-logoutputchannel" "VS Code since 2025: the trace of a language client in its output channel"
    LSP4J Lsp4j "lsp4j-trace" "Eclipse LSP4J: the message trace of a Java language server (jdtls, Metals)"
    LSP4IJ Lsp4ij "lsp4ij-console-trace" "JetBrains LSP4IJ: the trace in the language server console"
    GOPLS Gopls "gopls-rpc-trace" "gopls -rpc.trace"
    LSP_MODE LspMode "lsp-mode-io-log" "Emacs lsp-mode: the buffer of lsp-log-io"
}

impl Format for Trace {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn proof(&self) -> Proof {
        let writer = if self.dialect == Dialect::Lsp4j { Side::Server } else { Side::Client };
        Told { dialect: self.dialect, headers: 0, payloads: true, writer, resolution_us: 1 }.proof()
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let told = tell(sample).filter(|told| told.dialect == self.dialect)?;
        let level = if told.payloads { "" } else { ", without parameters and results" };
        let who = if told.writer == Side::Client { "client" } else { "server" };
        Match::new(82, format!("its head has {} trace headers from the side of the {who}{level}", told.headers))
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let told = tell(sample).unwrap_or(Told {
            dialect: self.dialect,
            headers: 0,
            payloads: true,
            writer: Side::Client,
            resolution_us: 1_000_000,
        });
        Reader::Ordered(Box::new(TraceReader::new(Told { dialect: self.dialect, ..told })))
    }
}

struct TraceReader {
    told: Told,
    channel: Option<u32>,
    record: Record,
    /// True if a record is being read.
    reading: bool,
    /// True if what was being read is too long, or was cut in the middle.
    spoilt: bool,
    days: Days,
    dates: time::Clock,
    /// The last time of day, as printed and as read.
    last: (String, Option<i64>),
    json: String,
}

impl LineReader for TraceReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        if let Some(header) = header_of(line.bytes) {
            self.flush(false, out)?;
            out.learn_head(line.bytes);
            self.record.start(line.bytes, &header, line.number, line.offset);
            self.reading = true;
            return Ok(());
        }
        let took = if self.reading && !self.spoilt { self.record.take(line.bytes, line.offset) } else { Took::Foreign };
        match took {
            Took::Part if self.record.text.len() > RECORD_LIMIT => {
                self.spoilt = true;
                out.skip(self.record.line, Skip::Oversized);
            }
            Took::Part => {}
            Took::Foreign if line.bytes.trim_ascii().is_empty() => out.skip(line.number, Skip::Blank),
            Took::Foreign if is_of_broken(line.bytes) => return out.unread(line.number, line.bytes),
            Took::Foreign => out.skip(line.number, Skip::NotAMessage),
        }
        Ok(())
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.spoilt = self.reading;
        out.skip_oversized(line);
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.flush(true, out)
    }
}

/// The header that a line is. Most lines are told not to be one by their first byte.
fn header_of(bytes: &[u8]) -> Option<Header<'_>> {
    let plausible = match bytes.first()? {
        b'[' => bytes.starts_with(b"[Trace - ") || bytes.starts_with(b"[Error - "),
        b'0'..=b'9' => bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-'),
        _ => false,
    };
    plausible.then(|| std::str::from_utf8(bytes).ok())?.and_then(Header::read)
}

/// True for what a record leaves whose header is broken: the payload below it, or the end of the header.
#[cold]
fn is_of_broken(line: &[u8]) -> bool {
    record::holds_payload(line) || std::str::from_utf8(line).is_ok_and(header::is_rest)
}

impl TraceReader {
    fn new(told: Told) -> TraceReader {
        TraceReader {
            told,
            channel: None,
            record: Record::default(),
            reading: false,
            spoilt: false,
            days: Days::default(),
            dates: time::Clock::default(),
            last: (String::new(), None),
            json: String::new(),
        }
    }

    /// Hands on the record that was read, whose end is known by now.
    fn flush(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        if !std::mem::take(&mut self.reading) {
            return Ok(());
        }
        let spoilt = std::mem::take(&mut self.spoilt);
        let record = std::mem::take(&mut self.record);
        let handed = self.hand_on(&record, spoilt, log_ends, out);
        // The buffers are used again.
        self.record = record;
        handed
    }

    fn hand_on(&mut self, record: &Record, spoilt: bool, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        let first = memchr::memchr(b'\n', &record.text).unwrap_or(record.text.len());
        let Some(header) = header_of(record.text[..first].trim_ascii_end()) else { return Ok(()) };
        let place = self.place(record, &header, out)?;
        if record.is_open() || spoilt {
            if !spoilt {
                out.skip(record.line, Skip::CutOff);
            }
            // A log that ends in a record was cut by whoever copied it.
            return if log_ends && !spoilt { Ok(()) } else { out.put(&place, Body::gap(Some(1))) };
        }
        let Ok(text) = std::str::from_utf8(&record.text) else {
            return out.not_utf8(record.line, &record.text);
        };
        if !json::write(record, &header, text, &self.told, &mut self.json) {
            return out.put(&place, Body::gap(Some(1)));
        }
        out.put_json(&place, text, &self.json)
    }

    fn place(&mut self, record: &Record, header: &Header<'_>, out: &mut Out<'_>) -> Result<Place> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel {
                profile: by_name("lsp", None),
                vantage: self.told.vantage(),
                proof: self.told.proof(),
                resolution_us: self.told.resolution_us,
                ..Channel::default()
            })?,
        };
        self.channel = Some(channel);
        if let Some(time) = header.outer_time.or(header.time) {
            // gopls writes a 24-hour clock and AM or PM beside it.
            let gopls = self.told.dialect == Dialect::Gopls;
            out.said(if gopls { time.trim_end_matches([' ', 'A', 'P', 'M']) } else { time });
        }
        Ok(Place {
            line: record.line,
            byte_offset: record.offset,
            channel,
            at_us: self.at(header),
            direction: self.direction(header.sent),
            stream: None,
            taps: None,
        })
    }

    fn direction(&self, sent: bool) -> Direction {
        match (self.told.dialect, sent) {
            (Dialect::Gopls, true) => Direction::By(self.told.writer),
            (Dialect::Gopls, false) => Direction::By(self.told.writer.peer()),
            (_, true) => Direction::Sent,
            (_, false) => Direction::Received,
        }
    }

    fn at(&mut self, header: &Header<'_>) -> Option<i64> {
        if let Some(us) = header.outer_time.and_then(|time| self.dates.read(time)) {
            return Some(us);
        }
        let time = header.time?;
        if self.last.0 != time {
            let of_day = clock::time_of_day(time).map(|(us, _)| us);
            self.last = (time.to_string(), of_day);
        }
        self.last.1.map(|of_day| self.days.of_day(of_day))
    }
}
