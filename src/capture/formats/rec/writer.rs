//! Writing `rec/1`: one `write` a line, so that a reader never sees half an event but for the last.

use std::fmt::Write as _;
use std::io::{Result, Write};

use chrono::{DateTime, SecondsFormat};

use super::chain::{Link, seal};
use super::tree::Tree;
use crate::base64;
use crate::capture::{Channel, Direction, Exit, Frame, Missing, Stamp, Vantage, Why};
use crate::protocol::Side;
use crate::redact::Replaced;

/// What the header line says.
#[derive(Clone, Copy, Debug)]
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
    /// What carried it, in a word: `stdio`, `tcp`, `http`, `sse`, `ws`.
    pub transport: &'a str,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// The command line of the server, where one was started.
    pub cmd: &'a [String],
    /// What only a recorder knows.
    pub live: Option<RecLive<'a>>,
}

/// What a recorder says of itself in the header.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecLive<'a> {
    /// How messages are told apart: `nl` (one a line), `cl` (Content-Length), `auto`, `ws`; empty where that is no question.
    pub frame: &'a str,
    /// Working directory, with the home shortened to `~`.
    pub cwd: Option<&'a str>,
    /// Names of the environment variables that the server was given; never their values.
    pub env_names: &'a [String],
    /// True if secrets are replaced.
    pub redacted: bool,
    /// What the recorder changed on the wire.
    pub alter: &'a [String],
    /// The recording that was replayed, where this is the session of a replay.
    pub replay_of: Option<&'a str>,
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
    Exit(Exit),
    /// Something is missing, and whose it is, where known. Of [`Frame::WHOLE_SOURCE`]: any connection may miss it.
    Missing(Option<Side>, Missing<'a>),
    /// The head of an HTTP request or response: a JSON object.
    Http(Option<Side>, &'a str),
    /// What an SSE event says beside its data, or a comment: a JSON object.
    Sse(Option<Side>, &'a str),
    /// A remark of the recorder.
    Note(&'a str),
}

/// What a recorder knows beside the event itself. Members that do not go with the kind of event stay as they are by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecDetail<'a> {
    /// The raw header block before a message.
    pub head: Option<&'a str>,
    /// Length on the wire in bytes, where the stored text has another one.
    pub wire_bytes: Option<u64>,
    /// True if the stored bytes are only the beginning.
    pub truncated: bool,
    /// Of bytes that are no message: whether they ended before their end had come (no newline, fewer than announced).
    pub cut: Option<bool>,
    /// How it was closed, in a word: `eof`, `reset`.
    pub how: Option<&'a str>,
    /// True if the recorder itself closed it.
    pub by_recorder: bool,
    /// Of the end of an HTTP stream: whether a JSON-RPC response had been seen on it.
    pub answered: Option<bool>,
    /// The content encoding of bytes that could not be read for it.
    pub encoding: Option<&'a str>,
    /// How many bytes were lost.
    pub lost_bytes: Option<u64>,
    /// Why they were lost: `queue-full`, `write-error`.
    pub why: Option<&'a str>,
    /// Who sent it in the log's own terms, where the event names no side.
    pub relative: Option<Direction>,
    /// Stamps at the client's and the server's tap, where two captures were merged.
    pub taps: Option<[Option<Stamp>; 2]>,
    /// The secrets that were replaced.
    pub replaced: &'a [Replaced],
}

/// Writes a recording. An event that could not be written takes no number, so that numbers never jump. What a recorder writes
/// is chained by hashes (see [`Link`]); an export is not.
#[derive(Debug)]
pub struct RecWriter<W: Write> {
    out: W,
    line: String,
    t0_us: i64,
    counts: Counts,
    /// The hash of the line before, where there is a chain.
    link: Option<Link>,
    /// Over the lines of this part, where there is a chain.
    tree: Tree,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    events: u64,
    messages: u64,
    lost: u64,
}

impl<W: Write> RecWriter<W> {
    /// Starts a recording with its header.
    pub fn new(mut out: W, header: &RecHeader<'_>) -> Result<RecWriter<W>> {
        let mut line = String::new();
        header_line(&mut line, header);
        let link = close(&mut line, header.live.map(|_| Link::beginning()));
        out.write_all(line.as_bytes())?;
        let tree = planted(&line);
        line.clear();
        Ok(RecWriter { out, line, t0_us: header.t0_us, counts: Counts::default(), link, tree })
    }

    /// Goes on in another part: its header is written, the old part ends with the name of the new one, and numbers go
    /// on. Gives the old part back. Where the new one cannot be written to, nothing has happened.
    pub fn turn(&mut self, at_us: Option<i64>, mut out: W, header: &RecHeader<'_>, name: &str) -> Result<W> {
        let mut line = String::new();
        header_line(&mut line, header);
        if let Some(link) = self.link {
            string(&mut line, "prev", &link.digits());
        }
        let link = close(&mut line, self.link);
        out.write_all(line.as_bytes())?;
        // The old part is complete without this line, and on a full disk it stays without.
        let root = self.root();
        let _ = self.line_of(at_us, "rotate", |line| {
            string(line, "next", name);
            rooted(line, root);
        });
        (self.link, self.tree) = (link, planted(&line));
        Ok(std::mem::replace(&mut self.out, out))
    }

    /// Says what is known of a connection beside its events; to be told before its first.
    pub fn channel(&mut self, connection: u32, channel: &Channel) -> Result<()> {
        let facts = super::facts::write(channel);
        self.line_of(None, "chan", |line| {
            number(line, "c", connection);
            number(line, "facts", facts);
        })
    }

    /// Appends one event of a connection, and of one of its streams.
    pub fn event(
        &mut self,
        at_us: Option<i64>,
        connection: u32,
        stream: Option<u32>,
        event: RecEvent<'_>,
    ) -> Result<()> {
        self.detailed(at_us, connection, stream, event, &RecDetail::default())
    }

    /// Appends one event with what else a recorder knows of it.
    pub fn detailed(
        &mut self,
        at_us: Option<i64>,
        connection: u32,
        stream: Option<u32>,
        event: RecEvent<'_>,
        detail: &RecDetail<'_>,
    ) -> Result<()> {
        self.line_of(at_us, kind(&event), |line| {
            if connection != Frame::WHOLE_SOURCE {
                number(line, "c", connection);
            }
            optional(line, "s", stream);
            members(line, &event, detail);
        })?;
        match event {
            RecEvent::Message(..) => self.counts.messages += 1,
            RecEvent::Missing(_, missing) => self.counts.lost += missing.lost.unwrap_or(1),
            _ => {}
        }
        Ok(())
    }

    /// Ends the recording in good order, and gives the writer back, and the hash of the last line where there is a chain.
    /// `unsaid` messages were lost last, and no event says so.
    pub fn finish(mut self, at_us: Option<i64>, unsaid: u64) -> Result<(W, Option<Link>)> {
        let Counts { messages, lost, .. } = self.counts;
        let root = self.root();
        self.line_of(at_us, "end", |line| {
            number(line, "msgs", messages);
            number(line, "lost", lost + unsaid);
            if unsaid > 0 {
                number(line, "unsaid", unsaid);
            }
            rooted(line, root);
        })?;
        self.out.flush()?;
        Ok((self.out, self.link))
    }

    /// What is written to.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// How many lines this part has, and their root, where there is a chain.
    fn root(&self) -> Option<(u64, Link)> {
        self.link?;
        Some((self.tree.lines(), self.tree.root()?))
    }

    /// One line in one write.
    fn line_of(&mut self, at_us: Option<i64>, kind: &str, members: impl FnOnce(&mut String)) -> Result<()> {
        self.line.clear();
        let _ = write!(self.line, "{{\"q\":{}", self.counts.events + 1);
        optional(&mut self.line, "t", at_us.map(|at| at.saturating_sub(self.t0_us)));
        string(&mut self.line, "k", kind);
        members(&mut self.line);
        let link = close(&mut self.line, self.link);
        let written = self.out.write_all(self.line.as_bytes());
        if written.is_ok() {
            self.counts.events += 1;
            self.link = link;
            if link.is_some() {
                self.tree.push(self.line.as_bytes());
            }
        }
        // One huge message must not be held for the rest of the session.
        self.line.shrink_to(KEPT);
        written
    }
}

/// How much of a line's buffer is kept for the next one, in bytes.
const KEPT: usize = 1 << 20;

fn header_line(line: &mut String, header: &RecHeader<'_>) {
    line.push_str("{\"rec\":1");
    string(line, "tool", header.tool);
    string(line, "session", header.session);
    number(line, "part", header.part);
    let t0 = DateTime::from_timestamp_micros(header.t0_us).unwrap_or_default();
    string(line, "t0", &t0.to_rfc3339_opts(SecondsFormat::Micros, true));
    if header.live.is_some() {
        string(line, "clock", "monotonic");
    }
    for (key, value) in [("proto", header.proto), ("revision", header.revision)] {
        if let Some(value) = value {
            string(line, key, value);
        }
    }
    string(line, "transport", header.transport);
    string(line, "vantage", header.vantage.as_str());
    if let Some(live) = header.live.filter(|live| !live.frame.is_empty()) {
        string(line, "frame", live.frame);
    }
    if !header.cmd.is_empty() {
        number(line, "cmd", serde_json::Value::from(header.cmd));
    }
    if let Some(live) = header.live {
        if let Some(cwd) = live.cwd {
            string(line, "cwd", cwd);
        }
        if !live.env_names.is_empty() {
            number(line, "env_names", serde_json::Value::from(live.env_names));
        }
        if let Some(recording) = live.replay_of {
            string(line, "replay_of", recording);
        }
        number(line, "redact", if live.redacted { "{\"set\":\"default\"}" } else { "{\"set\":\"off\"}" });
        number(line, "alter", serde_json::Value::from(live.alter));
    }
}

/// Ends a line, with its hash where there is a chain; gives that.
fn close(line: &mut String, before: Option<Link>) -> Option<Link> {
    if before.is_none() {
        line.push_str("}\n");
    }
    before.map(|before| seal(line, before))
}

/// The tree of a part whose first line is written.
fn planted(header: &str) -> Tree {
    let mut tree = Tree::default();
    tree.push(header.as_bytes());
    tree
}

/// What the last line says of those before it.
fn rooted(line: &mut String, root: Option<(u64, Link)>) {
    if let Some((lines, root)) = root {
        number(line, "lines", lines);
        string(line, "root", &root.digits());
    }
}

/// What an event holds beside its number, time, kind and connection.
fn members(line: &mut String, event: &RecEvent<'_>, detail: &RecDetail<'_>) {
    match *event {
        RecEvent::Open(by) => side(line, "by", by),
        RecEvent::Close(_) if detail.by_recorder => string(line, "by", "p"),
        RecEvent::Close(by) => side(line, "by", by),
        RecEvent::Message(sender, bytes) | RecEvent::Raw(sender, bytes) => {
            side(line, "d", sender);
            if let Some(head) = detail.head {
                string(line, "h", head);
            }
            body(line, bytes, detail);
        }
        RecEvent::Stderr(bytes) => body(line, bytes, detail),
        RecEvent::Exit(exit) => {
            optional(line, "code", exit.code);
            optional(line, "signal", exit.signal);
        }
        RecEvent::Http(sender, head) => {
            side(line, "d", sender);
            number(line, "h", head);
        }
        RecEvent::Sse(sender, event) => {
            side(line, "d", sender);
            number(line, "sse", event);
        }
        RecEvent::Missing(of, missing) => {
            side(line, "d", of);
            optional(line, "lost", missing.lost);
            if missing.why != Why::Gap {
                string(line, "why", missing.why.as_str());
            }
            if !missing.words.is_empty() {
                string(line, "text", missing.words);
            }
        }
        RecEvent::Note(text) => string(line, "text", text),
    }
    match detail.relative {
        Some(Direction::Sent) => string(line, "d", "sent"),
        Some(Direction::Received) => string(line, "d", "received"),
        _ => {}
    }
    if let Some(taps) = detail.taps {
        number(line, "taps", taps_text(taps));
    }
    optional(line, "cut", detail.cut);
    optional(line, "bytes", detail.lost_bytes);
    optional(line, "answered", detail.answered);
    for (key, value) in [("how", detail.how), ("enc", detail.encoding), ("why", detail.why)] {
        if let Some(value) = value {
            string(line, key, value);
        }
    }
    if !detail.replaced.is_empty() {
        let places: Vec<[&str; 2]> =
            detail.replaced.iter().map(|one| [one.pointer.as_str(), one.name.as_str()]).collect();
        number(line, "red", serde_json::json!(places));
    }
}

/// Stamps as `[[seq, at_us], null]`.
pub(super) fn taps_text(taps: [Option<Stamp>; 2]) -> serde_json::Value {
    serde_json::json!(taps.map(|stamp| stamp.map(|stamp| (stamp.seq, stamp.at_us))))
}

fn string(line: &mut String, key: &str, value: &str) {
    let _ = write!(line, ",\"{key}\":");
    quoted(line, value);
}

/// A JSON string. Most messages need nothing but their quotation marks escaped, and are long: whole stretches are copied.
fn quoted(line: &mut String, value: &str) {
    line.reserve(value.len() + value.len() / 8 + 2);
    line.push('"');
    let mut from = 0;
    for (at, byte) in value.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        line.push_str(&value[from..at]);
        match escape {
            "" => {
                let _ = write!(line, "\\u{byte:04x}");
            }
            escape => line.push_str(escape),
        }
        from = at + 1;
    }
    line.push_str(&value[from..]);
    line.push('"');
}

/// A number, or anything else that is JSON as it stands.
fn number(line: &mut String, key: &str, value: impl std::fmt::Display) {
    let _ = write!(line, ",\"{key}\":{value}");
}

fn optional(line: &mut String, key: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        number(line, key, value);
    }
}

fn side(line: &mut String, key: &str, side: Option<Side>) {
    if let Some(side) = side {
        string(line, key, if side == Side::Client { "c" } else { "s" });
    }
}

fn body(line: &mut String, bytes: &[u8], detail: &RecDetail<'_>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => string(line, "b", text),
        Err(_) => string(line, "b64", &base64::encode(bytes)),
    }
    number(line, "n", detail.wire_bytes.unwrap_or(bytes.len() as u64));
    if detail.truncated {
        line.push_str(",\"trunc\":true");
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
        RecEvent::Missing(..) => "gap",
        RecEvent::Http(..) => "http",
        RecEvent::Sse(..) => "sse",
        RecEvent::Note(_) => "note",
    }
}
