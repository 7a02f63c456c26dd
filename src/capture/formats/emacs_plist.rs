//! The events buffer of Emacs' `jsonrpc.el` before 1.0.20 (eglot up to Emacs 29.1, dape, copilot.el).
//!
//! `[client-request] (id:1) Sat May 21 11:50:27 2022:`, then the message as a property list over as many lines as it
//! takes, up to the next header. The buffer is trimmed at its top. `nil` may be null or an empty object, and the clock
//! has seconds. (emacs `lisp/jsonrpc.el`, `jsonrpc--log-event`.)

use crate::capture::date::Dates;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::literal::Dialect;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::protocol::Side;

/// The format.
pub(crate) struct EmacsPlist;

const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE);

impl Format for EmacsPlist {
    fn name(&self) -> &'static str {
        "emacs-jsonrpc-plist"
    }

    fn about(&self) -> &'static str {
        "Emacs' jsonrpc.el up to Emacs 29.1 (eglot): messages as property lists"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| Header::read(line).is_some_and(|header| header.side.is_some())).count();
        (hits > 0).then(|| Match::new(88, "it has headers like `[client-request] (id:1) DATE:`")).flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::new(PlistReader::default()))
    }
}

/// The line above a message.
#[derive(Debug, PartialEq, Eq)]
struct Header<'a> {
    /// `None` for records that are no messages: `internal`, `stderr`.
    side: Option<Side>,
    time: &'a str,
}

impl<'a> Header<'a> {
    fn read(line: &'a str) -> Option<Header<'a>> {
        let (word, rest) = line.strip_prefix('[')?.split_once("] ")?;
        let side = match word.split_once('-') {
            Some(("client", "request" | "reply" | "notification")) => Some(Side::Client),
            Some(("server", "request" | "reply" | "notification")) => Some(Side::Server),
            _ if matches!(word, "internal" | "stderr" | "client" | "server") => None,
            _ => return None,
        };
        let rest = match rest.strip_prefix("(id:") {
            Some(rest) => rest.split_once(") ")?.1,
            None => rest,
        };
        let time = rest.strip_prefix("ERROR ").unwrap_or(rest).trim_end().strip_suffix(':')?;
        time.contains(':').then_some(Header { side, time })
    }
}

#[derive(Default)]
struct PlistReader {
    channel: Option<u32>,
    dates: Dates,
    /// The record that is being read: the line and offset of its text, and whose message it is.
    record: Option<(u64, Option<Side>, Option<i64>)>,
    offset: Option<u64>,
    text: Vec<u8>,
    oversized: bool,
    json: String,
}

impl LineReader for PlistReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = if line.bytes.first() == Some(&b'[') { std::str::from_utf8(line.bytes).ok() } else { None };
        if let Some(header) = text.and_then(Header::read) {
            self.flush(false, out)?;
            let at_us = self.dates.read(header.time, out.zoning());
            out.said(header.time);
            self.record = Some((line.number, header.side, at_us));
            if header.side.is_none() {
                out.skip(line.number, Skip::NotAMessage);
            }
            return Ok(());
        }
        if self.record.is_none() {
            let blank = line.bytes.trim_ascii().is_empty();
            out.skip(line.number, if blank { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        }
        if self.offset.is_some() {
            self.text.push(b'\n');
        }
        self.offset.get_or_insert(line.offset);
        self.oversized |= self.text.len() + line.bytes.len() > RECORD_LIMIT;
        if !self.oversized {
            self.text.extend_from_slice(line.bytes);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.flush(true, out)
    }
}

impl PlistReader {
    fn flush(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        let offset = self.offset.take();
        let bytes = std::mem::take(&mut self.text);
        let oversized = std::mem::take(&mut self.oversized);
        let Some((line, side, at_us)) = self.record.take() else { return Ok(()) };
        let Some(side) = side else { return Ok(()) };
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel {
                vantage: Vantage::Client,
                proof: PROOF,
                resolution_us: 1_000_000,
                ..Channel::default()
            })?,
        };
        self.channel = Some(channel);
        if oversized {
            out.skip(line, Skip::Oversized);
        }
        let text = String::from_utf8_lossy(&bytes);
        let (start, direction) = (text.len() - text.trim_start().len(), Direction::By(side));
        let byte_offset = offset.unwrap_or(0) + start as u64;
        let place = Place { line, byte_offset, channel, at_us, direction, stream: None, taps: None };
        let mut json = std::mem::take(&mut self.json);
        let done = out.put_literal(Dialect::Lisp, &place, &text[start..], log_ends, &mut json);
        (self.json, self.text) = (json, bytes);
        self.text.clear();
        done.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::literal::render::render;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const LOG: &str = "tail of a list)\n[internal] Sat May 21 11:50:27 2022:\n(:message \"Running\")\n\
        [client-request] (id:1) Sat May 21 11:50:27 2022:\n(:jsonrpc \"2.0\" :id 1 :method \"a\" :params\n\t  (:x nil))\n\
        [server-reply] (id:1) ERROR Sat May 21 11:50:28 2022:\n(:id 1 :error\n (:code -32800 :message \"no\"))\n\n\
        [server-notification] Sat May 21 11:50:29 2022:\n(:method \"b\" :par";

    #[test]
    fn messages_are_read_up_to_the_next_header() {
        let kept = read("emacs-jsonrpc-plist", LOG);
        let got: Vec<_> = kept
            .frames
            .iter()
            .map(|frame| (frame.line, frame.direction, frame.json.as_deref().unwrap_or("")))
            .collect();
        let error = r#"{"id":1,"error":{"code":-32800,"message":"no"}}"#;
        let want = [
            (4, Direction::By(Side::Client), r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":null}}"#),
            (7, Direction::By(Side::Server), error),
        ];
        assert_eq!(got, want);
        assert_eq!(kept.skipped, [(1, Skip::NotAMessage), (2, Skip::NotAMessage), (11, Skip::CutOff)]);
        let frame = &kept.frames[0];
        assert_eq!(
            (&LOG[frame.byte_offset as usize..][..frame.text.len()], frame.at_us),
            (frame.text.as_str(), Some(1_653_133_827_000_000))
        );
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text], "b": {text: false}}})).collect();
            let log: String = messages.iter().map(|message| format!("[server-notification] Sat May 21 11:50:29 2022:\n{}\n", render(Dialect::Lisp, message, ""))).collect();
            let kept = read("emacs-jsonrpc-plist", &log);
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]\":#. a-z0-9\n]{0,80}") {
            read_as("emacs-jsonrpc-plist", &bytes);
            read_as("emacs-jsonrpc-plist", format!("[client-reply] (id:2) May 21 1:50:29 2022:\n{tail}").as_bytes());
        }
    }
}
