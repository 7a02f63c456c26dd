//! Writing `rec/1`: one `write` a line, so that a reader never sees half an event but for the last.

use std::fmt::Write as _;
use std::io::{Result, Write};

use chrono::{DateTime, SecondsFormat};

use super::base64;
use crate::capture::{Transport, Vantage};
use crate::protocol::Side;

/// What the header line says.
#[derive(Clone, Debug)]
pub struct RecHeader<'a> {
    /// Name and version of the writer.
    pub tool: &'a str,
    /// The session's id.
    pub session: &'a str,
    /// Which part of the session this is, from 1.
    pub part: u32,
    /// Microseconds since the epoch from which the events' times count.
    pub t0_us: i64,
    /// The protocol (`mcp`), where known.
    pub proto: Option<&'a str>,
    /// Its revision, where it is known for all connections.
    pub revision: Option<&'a str>,
    /// Whether order holds.
    pub transport: Transport,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// The command line of the server, where one was started.
    pub cmd: &'a [String],
}

/// One event. `bytes` are as captured; they need not be UTF-8.
#[derive(Clone, Copy, Debug)]
pub enum RecEvent<'a> {
    /// A connection or a stream was opened.
    Open(Option<Side>),
    /// A connection or a stream was closed.
    Close(Option<Side>),
    /// A message and who sent it, where known.
    Message(Option<Side>, &'a [u8]),
    /// Bytes that are no message.
    Raw(Option<Side>, &'a [u8]),
    /// A line of stderr, without its end.
    Stderr(&'a [u8]),
    /// The server process ended.
    Exit(Option<i64>),
    /// Messages were lost.
    Gap(Option<u64>),
}

/// Writes a recording.
#[derive(Debug)]
pub struct RecWriter<W: Write> {
    out: W,
    line: String,
    t0_us: i64,
    events: u64,
    messages: u64,
    lost: u64,
}

impl<W: Write> RecWriter<W> {
    /// Starts a recording with its header.
    pub fn new(out: W, header: &RecHeader<'_>) -> Result<RecWriter<W>> {
        let mut writer = RecWriter { out, line: String::new(), t0_us: header.t0_us, events: 0, messages: 0, lost: 0 };
        writer.line.push_str("{\"rec\":1");
        writer.string("tool", header.tool);
        writer.string("session", header.session);
        writer.number("part", header.part);
        let t0 = DateTime::from_timestamp_micros(header.t0_us).unwrap_or_default();
        writer.string("t0", &t0.to_rfc3339_opts(SecondsFormat::Micros, true));
        for (key, value) in [("proto", header.proto), ("revision", header.revision)] {
            if let Some(value) = value {
                writer.string(key, value);
            }
        }
        writer.string("transport", if header.transport == Transport::Http { "http" } else { "stdio" });
        writer.string("vantage", header.vantage.as_str());
        if !header.cmd.is_empty() {
            let cmd = serde_json::Value::from(header.cmd).to_string();
            let _ = write!(writer.line, ",\"cmd\":{cmd}");
        }
        writer.end_line()?;
        Ok(writer)
    }

    /// Appends one event of a connection, and of one of its streams.
    pub fn event(
        &mut self,
        at_us: Option<i64>,
        connection: u32,
        stream: Option<u32>,
        event: RecEvent<'_>,
    ) -> Result<()> {
        self.start(at_us, kind(&event));
        self.number("c", connection);
        if let Some(stream) = stream {
            self.number("s", stream);
        }
        match event {
            RecEvent::Open(by) | RecEvent::Close(by) => self.side("by", by),
            RecEvent::Message(sender, bytes) => {
                self.messages += 1;
                self.side("d", sender);
                self.body(bytes);
            }
            RecEvent::Raw(sender, bytes) => {
                self.side("d", sender);
                self.body(bytes);
            }
            RecEvent::Stderr(bytes) => self.body(bytes),
            RecEvent::Exit(code) => self.optional("code", code),
            RecEvent::Gap(lost) => {
                self.lost += lost.unwrap_or(1);
                self.optional("lost", lost);
            }
        }
        self.end_line()
    }

    /// Ends the recording in good order, and gives the writer back.
    pub fn finish(mut self, at_us: Option<i64>) -> Result<W> {
        self.start(at_us, "end");
        self.number("msgs", self.messages);
        self.number("lost", self.lost);
        self.end_line()?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn start(&mut self, at_us: Option<i64>, kind: &str) {
        self.events += 1;
        let _ = write!(self.line, "{{\"q\":{}", self.events);
        self.optional("t", at_us.map(|at| at.saturating_sub(self.t0_us)));
        self.string("k", kind);
    }

    fn end_line(&mut self) -> Result<()> {
        self.line.push_str("}\n");
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }

    fn string(&mut self, key: &str, value: &str) {
        let _ = write!(self.line, ",\"{key}\":{}", serde_json::Value::from(value));
    }

    fn number(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = write!(self.line, ",\"{key}\":{value}");
    }

    fn optional(&mut self, key: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.number(key, value);
        }
    }

    fn side(&mut self, key: &str, side: Option<Side>) {
        if let Some(side) = side {
            self.string(key, if side == Side::Client { "c" } else { "s" });
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.string("b", text),
            Err(_) => self.string("b64", &base64::encode(bytes)),
        }
        self.number("n", bytes.len());
    }
}

fn kind(event: &RecEvent<'_>) -> &'static str {
    match event {
        RecEvent::Open(_) => "open",
        RecEvent::Close(_) => "close",
        RecEvent::Message(..) => "msg",
        RecEvent::Raw(..) => "raw",
        RecEvent::Stderr(_) => "err",
        RecEvent::Exit(_) => "exit",
        RecEvent::Gap(_) => "gap",
    }
}
