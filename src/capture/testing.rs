//! What the tests of formats share: a sink that keeps what it is given as plain text.

use super::detect::{by_name, detect};
use super::format::Reader;
use super::lines::{Buffer, Lines};
use super::out::Out;
use super::sample::Sample;
use super::{Body, Channel, Direction, Frame, FrameSink, Missing, Overrides, Resume, Skip, Why};
use crate::error::Result;
use crate::protocol::Side;

/// Hands out so many bytes at a time, so that what belongs together comes in parts.
pub(crate) struct Dribble<'a>(pub &'a [u8], pub usize);

impl std::io::Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(self.0.len()).min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

/// What a source held.
#[derive(Default, Debug)]
pub(crate) struct Kept {
    pub channels: Vec<Channel>,
    pub frames: Vec<KeptFrame>,
    pub skipped: Vec<(u64, Skip)>,
    /// What any connection of the source may miss: first and last line, why, words.
    pub missing: Vec<(u64, u64, Why, String)>,
}

/// One frame with its body as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptFrame {
    pub line: u64,
    pub byte_offset: u64,
    pub channel: u32,
    pub at_us: Option<i64>,
    pub direction: Direction,
    pub stream: Option<u32>,
    pub taps: Option<[Option<super::Stamp>; 2]>,
    /// `message`, `batch`, `malformed`, `open`, `close`, `exit`, `stderr`, `http`, `sse` or `gap`.
    pub kind: &'static str,
    /// The text of it.
    pub text: String,
    /// Its translation to JSON, where it has one.
    pub json: Option<String>,
}

impl FrameSink for Kept {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        assert_eq!(index as usize, self.channels.len(), "channels are announced in order");
        self.channels.push(channel.alone());
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        if let (Frame::WHOLE_SOURCE, Body::Missing(missing)) = (frame.channel, &frame.body) {
            let to = missing.to_line.unwrap_or(frame.line);
            self.missing.push((frame.line, to, missing.why, missing.words.to_string()));
            return Ok(());
        }
        assert!((frame.channel as usize) < self.channels.len(), "a channel is announced before its frames");
        let (kind, text) = match &frame.body {
            Body::Message(captured) => ("message", captured.text.to_string()),
            Body::Batch { text, members } => {
                members.iter().for_each(|(range, _)| assert!(text.get(range.clone()).is_some()));
                ("batch", text.to_string())
            }
            Body::Malformed { bytes, .. } => ("malformed", String::from_utf8_lossy(bytes).into_owned()),
            Body::Open { by } => ("open", side(*by)),
            Body::Close { by } => ("close", side(*by)),
            Body::Exit(exit) => ("exit", exit.to_string()),
            Body::Stderr { text } => ("stderr", text.to_string()),
            Body::Http { head } => ("http", head.to_string()),
            Body::Sse { event } => ("sse", event.to_string()),
            Body::Missing(Missing { why: Why::Gap, lost, .. }) => ("gap", format!("{lost:?}")),
            Body::Missing(missing) => (missing.why.as_str(), missing.words.to_string()),
        };
        let json = match &frame.body {
            Body::Message(captured) => captured.json.map(str::to_string),
            _ => None,
        };
        self.frames.push(KeptFrame {
            line: frame.line,
            byte_offset: frame.byte_offset,
            channel: frame.channel,
            at_us: frame.at_us,
            direction: frame.direction,
            stream: frame.stream,
            taps: frame.taps,
            kind,
            text,
            json,
        });
        Ok(())
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.skipped.push((line, why));
    }

    fn progress(&mut self, _: u64) {}
}

fn side(side: Option<Side>) -> String {
    side.map_or("", Side::as_str).to_string()
}

impl Kept {
    /// Kind and text of every frame.
    pub(crate) fn texts(&self) -> Vec<(&str, &str)> {
        self.frames.iter().map(|frame| (frame.kind, frame.text.as_str())).collect()
    }

    /// Names of the channels.
    pub(crate) fn names(&self) -> Vec<Option<&str>> {
        self.channels.iter().map(|channel| channel.name.as_deref()).collect()
    }
}

/// Name of the format that a text is taken for, and why.
pub(crate) fn told(text: &[u8]) -> Option<(&'static str, String)> {
    let sample = Sample::new(text, true, false);
    detect(&sample, None).expect("no format is forced").map(|(format, reason)| (format.name(), reason))
}

/// Reads a text in a named format.
pub(crate) fn read_as(name: &str, text: &[u8]) -> Kept {
    let format = by_name(name).expect("a format");
    let sample = Sample::new(text, true, false);
    let mut kept = Kept::default();
    let overrides = Overrides::default();
    let mut out = Out::new(&mut kept, 0, &overrides).verbatim(format.is_verbatim());
    match format.reader(&sample) {
        Reader::Lines(mut reader) | Reader::Ordered(mut reader) => {
            let mut lines = Lines::new(text, Resume::default(), false).expect("lines");
            while let Some(line) = lines.next().expect("a line") {
                out.give(&mut *reader, &line).expect("read");
            }
            reader.end(&mut out).expect("read");
        }
        Reader::Bytes(mut reader) => {
            let bytes: super::archive::Stream = Box::new(std::io::Cursor::new(text.to_vec()));
            reader.read(&mut Buffer::new(bytes, 0), &mut out).expect("read");
        }
        Reader::Whole(mut reader) => reader.read(&String::from_utf8_lossy(text), 0, &mut out).expect("read"),
    }
    out.end().expect("read");
    kept
}

/// Reads a text in the format that it is told to be in, which must be `name`.
pub(crate) fn read(name: &str, text: &str) -> Kept {
    let told = told(text.as_bytes());
    assert_eq!(told.as_ref().map(|(name, _)| *name), Some(name), "{told:?}");
    read_as(name, text.as_bytes())
}
