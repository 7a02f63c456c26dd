//! Messages in Content-Length frames: a dump of a language server's stdin or stdout, as `tee` writes it.
//!
//! The framing is that of the LSP base protocol; headers whose lines end in LF alone occur. Text between frames
//! (stderr in the same dump) is passed over. A frame whose body is no message is malformed, unless the dump ends
//! within it: whoever cut the dump is neither side.

use super::http_text::edge;
use crate::capture::archive::Stream;
use crate::capture::format::{ByteReader, Format, Match, Reader};
use crate::capture::lines::{Buffer, RECORD_LIMIT};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip};
use crate::error::{Error, Result};
use crate::json::scan::members;
use crate::wire::{FrameError, Framing, Header, opens_header, read_header};

/// The format.
pub(crate) struct Framed;

/// As much as shows whether a header starts, in bytes.
const START: usize = b"content-length".len() + 8;

impl Format for Framed {
    fn name(&self) -> &'static str {
        "content-length"
    }

    fn about(&self) -> &'static str {
        "messages in Content-Length frames: a dump of a language server's stdin or stdout"
    }

    fn proof(&self) -> Proof {
        Proof::FULL.without(Proof::DIRECTION)
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text().as_bytes();
        let (mut at, mut sound, mut unsound) = (0, 0, 0);
        // What stands below the first line of a request or a response are the headers of HTTP.
        if sample.lines().any(|line| edge(line).is_some()) {
            return None;
        }
        while let Some(start) = find_header(&text[at..]) {
            at += start;
            if let Ok(header) = read_header(&text[at..], usize::MAX) {
                match body_is_json(&text[at + header.length..], header.content_length) {
                    true => sound += 1,
                    false => unsound += 1,
                }
            }
            at += 1;
        }
        match opens_header(text) {
            _ if sound == 0 => None,
            true => Match::new(85, "it starts with a Content-Length header, and such headers have a JSON body"),
            // A log that prints the header above a text of another length is no dump.
            false if unsound > 0 => None,
            false => Match::new(55, "it holds Content-Length headers, each with a JSON body"),
        }
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Bytes(Box::new(FramedReader { channel: None, line: 1 }))
    }
}

/// True if a body of the announced length, or what the sample has of it, is JSON, and none of the Debug Adapter Protocol, which
/// has such headers, too.
fn body_is_json(text: &[u8], length: usize) -> bool {
    let is_other = || {
        let body = String::from_utf8_lossy(&text[..length.min(text.len())]);
        let has = |key: &str| members(&body).any(|member| member.key == key);
        has("seq") && has("type") && !has("jsonrpc")
    };
    matches!(text.first(), Some(b'{' | b'['))
        && !is_other()
        && text.get(..length).is_none_or(|body| serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok())
}

/// Where a header starts, at a line's start or after text that did not end its line.
fn find_header(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'C', b'c', bytes).find(|at| opens_header(&bytes[*at..]))
}

struct FramedReader {
    channel: Option<u32>,
    /// Number of the line at which the window starts.
    line: u64,
}

impl ByteReader for FramedReader {
    fn read(&mut self, buffer: &mut Buffer<Stream>, out: &mut Out<'_>) -> Result<()> {
        loop {
            if buffer.window().len() < START && fill(buffer)? {
                continue;
            }
            if buffer.window().is_empty() {
                return Ok(());
            }
            if opens_header(buffer.window()) {
                self.frame(buffer, out)?;
            } else {
                self.text(buffer, out)?;
            }
        }
    }
}

fn fill(buffer: &mut Buffer<Stream>) -> Result<bool> {
    buffer.fill().map_err(|error| Error::io("read", "the dump", &error))
}

impl FramedReader {
    /// Passes over `length` bytes and counts their lines.
    fn pass(&mut self, buffer: &mut Buffer<Stream>, length: usize) {
        self.line += memchr::memchr_iter(b'\n', &buffer.window()[..length]).count() as u64;
        buffer.consume(length);
    }

    /// Text between frames, up to the end of its line or the next header.
    fn text(&mut self, buffer: &mut Buffer<Stream>, out: &mut Out<'_>) -> Result<()> {
        let window = buffer.window();
        let end = memchr::memchr(b'\n', window).map(|end| end + 1);
        if end.is_none() && window.len() < RECORD_LIMIT && fill(buffer)? {
            return Ok(());
        }
        let window = buffer.window();
        let line = &window[..end.unwrap_or(window.len())];
        let text = &line[..find_header(line).filter(|at| *at > 0).unwrap_or(line.len())];
        let why = if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage };
        let length = text.len();
        out.skip(self.line, why);
        self.pass(buffer, length);
        Ok(())
    }

    fn frame(&mut self, buffer: &mut Buffer<Stream>, out: &mut Out<'_>) -> Result<()> {
        let header = loop {
            match read_header(buffer.window(), RECORD_LIMIT) {
                Err(FrameError::Incomplete) if fill(buffer)? => {}
                other => break other,
            }
        };
        match header {
            Ok(header) => self.body(&header, buffer, out),
            Err(FrameError::Incomplete) => {
                out.skip(self.line, Skip::CutOff);
                let length = buffer.window().len();
                self.pass(buffer, length);
                Ok(())
            }
            Err(FrameError::TooLong(length)) => {
                let place = self.place(buffer.offset, out)?;
                out.skip(self.line, Skip::Oversized);
                out.put(&place, Body::gap(Some(1)))?;
                self.pass_oversized(length.parse().unwrap_or(0), buffer)
            }
            Err(error @ FrameError::NoLength) => {
                let place = self.place(buffer.offset, out)?;
                let length = memchr::memchr(b'\n', buffer.window()).map_or(buffer.window().len(), |end| end + 1);
                out.malformed(&place, buffer.window()[..length].trim_ascii_end(), &error.to_string())?;
                self.pass(buffer, length);
                Ok(())
            }
        }
    }

    /// Passes over a body that is too long to be read, and its header.
    fn pass_oversized(&mut self, length: u64, buffer: &mut Buffer<Stream>) -> Result<()> {
        let head = loop {
            match read_header(buffer.window(), usize::MAX) {
                Ok(header) => break header.length,
                Err(FrameError::Incomplete) if fill(buffer)? => {}
                // The length is no number of ours: what follows is looked at as text.
                Err(_) => break memchr::memchr(b'\n', buffer.window()).map_or(buffer.window().len(), |end| end + 1),
            }
        };
        self.pass(buffer, head);
        let mut left = length;
        while left > 0 {
            let here = buffer.window().len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.pass(buffer, here);
            left -= here as u64;
            if left > 0 && !fill(buffer)? {
                break;
            }
        }
        Ok(())
    }

    fn body(&mut self, header: &Header, buffer: &mut Buffer<Stream>, out: &mut Out<'_>) -> Result<()> {
        let end = header.length + header.content_length;
        while buffer.window().len() < end && fill(buffer)? {}
        let place = self.place(buffer.offset + header.length as u64, out)?;
        let available = end.min(buffer.window().len());
        if available < end || !is_json(&buffer.window()[header.length..available]) {
            while buffer.window().len() < end + START && fill(buffer)? {}
            // A writer that was killed leaves half a frame, and the next one starts inside it.
            let rest = &buffer.window()[header.length..];
            if let Some(at) = find_header(rest).filter(|at| *at > 0 && header.length + at < available) {
                out.malformed(&place, &rest[..at], "the frame ends before the length that its header announces")?;
                self.pass(buffer, header.length + at);
                return Ok(());
            }
        }
        let body = &buffer.window()[header.length..available];
        if available < end {
            out.skip(self.line, Skip::CutOff);
        } else {
            match std::str::from_utf8(body) {
                Ok(text) => out.promised(&place, text, false)?,
                Err(_) => out.malformed(&place, body, "the text is not UTF-8")?,
            }
        }
        self.pass(buffer, available);
        Ok(())
    }

    fn place(&mut self, byte_offset: u64, out: &mut Out<'_>) -> Result<Place> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel {
                proof: Proof::FULL.without(Proof::DIRECTION),
                framing: Some(Framing::ContentLength),
                ..Channel::default()
            })?,
        };
        self.channel = Some(channel);
        Ok(Place {
            line: self.line,
            byte_offset,
            channel,
            at_us: None,
            direction: Direction::Unknown,
            stream: None,
            taps: None,
        })
    }
}

/// True if a body ends as a JSON value does. A look at its last byte saves a second parse of every sound frame.
fn is_json(body: &[u8]) -> bool {
    let ends = matches!(body.trim_ascii_end().last(), Some(b'}' | b']'));
    ends && (find_header(body).is_none() || serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as, told};
    use proptest::prelude::*;

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn frames_with_any_line_end_and_text_between_them() {
        let text = format!(
            "{}\nserver: warming up\ncontent-length:{}\n\n{PING}oops{}\r\n",
            framed(PING),
            PING.len(),
            framed("[1]")
        );
        let kept = read("content-length", &text);
        assert_eq!(kept.texts(), [("message", PING), ("message", PING), ("batch", "[1]")]);
        assert_eq!(kept.skipped, [(3, Skip::Blank), (4, Skip::NotAMessage), (7, Skip::NotAMessage), (9, Skip::Blank)]);
        let places: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.byte_offset as usize)).collect();
        assert_eq!(places[0], (1, text.find('{').expect("a body")));
        assert_eq!((places[1].0, places[2].0), (5, 7));
    }

    #[test]
    fn a_cut_dump_is_no_fault_and_a_short_frame_is() {
        let whole = framed(PING);
        let kept = read("content-length", &format!("{whole}{}", &whole[..whole.len() - 5]));
        assert_eq!((kept.frames.len(), &kept.skipped[..]), (1, &[(3, Skip::CutOff)][..]));
        let kept = read("content-length", &format!("{}{whole}{whole}", &whole[..whole.len() - 5]));
        assert_eq!(kept.texts(), [("malformed", &PING[..PING.len() - 5]), ("message", PING), ("message", PING)]);
    }

    #[test]
    fn a_body_that_is_no_message_and_a_length_that_is_none() {
        let kept = read(
            "content-length",
            &format!("{}{}Content-Length: x\r\n\r\n{}", framed(PING), framed("{]"), framed(PING)),
        );
        assert_eq!(
            kept.texts(),
            [("message", PING), ("malformed", "{]"), ("malformed", "Content-Length: x"), ("message", PING)]
        );
        let kept = read(
            "content-length",
            &format!("{}Content-Length: 17000000\r\n\r\n{}", framed(PING), "x".repeat(17_000_000) + &framed(PING)),
        );
        assert_eq!(kept.texts(), [("message", PING), ("gap", "Some(1)"), ("message", PING)]);
    }

    #[test]
    fn prose_about_the_header_is_no_dump() {
        assert_eq!(told(b"The header Content-Length: 12 comes first.\n"), None);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,30}", 1..10)) {
            let messages: Vec<String> = texts.iter().map(|text| serde_json::json!({"jsonrpc": "2.0", "method": text}).to_string()).collect();
            let kept = read("content-length", &messages.iter().map(|message| framed(message)).collect::<String>());
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\",:a-z0-9\\\\ -]{0,60}", length in 0usize..90) {
            read_as("content-length", &bytes);
            read_as("content-length", format!("Content-Length: {length}\r\n\r\n{tail}Content-Length: {tail}\r\n\r\n{tail}Content-Length").as_bytes());
        }
    }
}
