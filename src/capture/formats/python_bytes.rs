//! Home-made logs of Python servers that print what they read: `READ_MSG raw: b'{"jsonrpc": "2.0", ...'`, often cut to a
//! fixed length (`repr(line)[:120]`, `repr(line[:120])`).
//!
//! A message that is cut is a gap: often its id is behind the cut, and what is before it proves nothing. Where messages
//! are cut, payloads and cancels prove nothing. Answers are often logged without payload or not at all. Whoever reads
//! is the logger.

use crate::capture::date::{self, Dates};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{Dialect, put_cut, unquote_into};
use crate::capture::out::{Out, Place, body};
use crate::capture::sample::{Sample, looks_like_message};
use crate::capture::{Body, Captured, Channel, Direction, Proof, Skip, words};
use crate::error::Result;
use crate::jsonrpc::{NoLift, Parsed, parse_at};
use crate::protocol::Facts;

/// The format.
pub(crate) struct PythonBytes;

const PROOF: Proof = Proof::FULL.without(Proof::ALL_ANSWERS).without(Proof::BOTH_SIDES);

/// Where the literal starts.
fn find(line: &str) -> Option<usize> {
    let at = ["b'{", "b\"{"].iter().filter_map(|sign| line.find(sign)).min()?;
    let text = &line[at + 2..];
    let begins = ["{\"jsonrpc\"", "{\"method\""].iter().any(|start| text.starts_with(start));
    let is_word = line[..at].ends_with(|c: char| c.is_alphanumeric());
    (!is_word && (begins || looks_like_message(text))).then_some(at)
}

/// What the words before a literal say of the direction.
fn direction(before: &str) -> Direction {
    let told = before.split(|c: char| !c.is_alphabetic()).find_map(|word| match words::direction("", word) {
        Some(words::Word::Direction(direction)) => Some(direction),
        _ => None,
    });
    told.unwrap_or(Direction::Unknown)
}

impl Format for PythonBytes {
    fn name(&self) -> &'static str {
        "adhoc-python-bytes"
    }

    fn about(&self) -> &'static str {
        "home-made logs of Python programs: messages as bytes, b'{...'"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| find(line).is_some()).count();
        (hits > 0).then(|| Match::new(42, "it has lines with messages as Python bytes")).flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let stamp = sample.lines().find(|line| find(line).is_some()).map_or("", stamp);
        let resolution_us = date::resolution_us(stamp).unwrap_or(1);
        let cut = sample.lines().any(|line| find(line).is_some_and(|at| is_cut(&line[at..])));
        let proof = if cut { PROOF.without(Proof::PAYLOAD).without(Proof::CANCEL_TARGET) } else { PROOF };
        let (dates, bytes, label) = (Dates::default(), Vec::new(), (String::new(), Direction::Unknown));
        Reader::Ordered(Box::new(BytesReader { channel: None, proof, resolution_us, dates, bytes, label }))
    }
}

/// The words before the literal that may be the time: digits and what stands between them.
fn stamp(line: &str) -> &str {
    let end = line
        .find(|c: char| c.is_ascii_uppercase() && c != 'T' && c != 'Z' || c.is_ascii_lowercase())
        .unwrap_or(line.len());
    line[..end].trim_end_matches(|c: char| !c.is_ascii_digit() && c != 'Z')
}

/// True for a literal that holds the beginning of a message only.
fn is_cut(literal: &str) -> bool {
    let mut bytes = Vec::new();
    unquote_into(Dialect::Python, literal, &mut bytes).is_err()
        || parse_at::<NoLift>(&String::from_utf8_lossy(&bytes), 0).is_err_and(|fault| fault.cut)
}

struct BytesReader {
    channel: Option<u32>,
    proof: Proof,
    resolution_us: i64,
    dates: Dates,
    bytes: Vec<u8>,
    /// What stood before the last message, and the direction that it tells.
    label: (String, Direction),
}

impl LineReader for BytesReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = String::from_utf8_lossy(line.bytes);
        let Some(at) = find(&text) else {
            out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        };
        let channel = match self.channel {
            Some(channel) => channel,
            None => {
                out.channel(Channel { proof: self.proof, resolution_us: self.resolution_us, ..Channel::default() })?
            }
        };
        self.channel = Some(channel);
        let literal = &text[at..];
        let end = unquote_into(Dialect::Python, literal, &mut self.bytes).unwrap_or(literal.len());
        let stamp = stamp(&text[..at]);
        let at_us = self.dates.read(stamp, out.zoning());
        out.said(stamp.trim_start_matches('['));
        let before = text.get(stamp.len()..at).unwrap_or("");
        if self.label.0 != before {
            self.label = (before.to_string(), direction(before));
        }
        let place = Place {
            line: line.number,
            byte_offset: line.offset + at as u64,
            channel,
            at_us,
            direction: self.label.1,
            stream: None,
            taps: None,
        };
        let decoded = String::from_utf8_lossy(&self.bytes);
        match parse_at::<Facts<'_>>(&decoded, 0) {
            Ok((Parsed::One(message, facts), length)) => {
                let (text, json) = (&literal[..end], Some(&decoded[..length]));
                out.put(&place, Body::Message(Captured { text, json, message, facts }))
            }
            Ok((batch, length)) => out.put(&place, body(&decoded, 0..length, batch)),
            Err(_) => put_cut(out, &place, !line.ended),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as, told};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const LOG: &str = "[01:35:14.292610] MAIN_START pid=9496\n\
        [01:35:14.295579] READ_MSG raw: b'{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\", \"params\": {}}\\n'\n\
        [01:35:14.301530] READ_MSG raw: b'{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"na'\n\
        [01:35:14.302222] READ_MSG raw: b'{\"method\":\"tools/call\",\"params\":{\"name\":\"con\n\
        [00:00:01.302222] READ_MSG raw: b'{\"method\":\"notifications/x\",\"jsonrpc\":\"2.0\",\"params\":{\"na'\n";

    #[test]
    fn what_is_cut_is_a_gap() {
        let kept = read("adhoc-python-bytes", LOG);
        let got: Vec<_> =
            kept.frames.iter().map(|frame| (frame.line, frame.json.as_deref().unwrap_or(frame.kind))).collect();
        let initialize = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#;
        assert_eq!(got, [(2, initialize), (3, "gap"), (4, "gap"), (5, "gap")]);
        assert!(!kept.channels[0].proof.covers(Proof::PAYLOAD));
        assert_eq!((kept.frames[0].direction, kept.frames[0].at_us), (Direction::Received, Some(5_714_295_579)));
        assert_eq!((kept.frames[3].at_us, kept.channels[0].resolution_us), (Some(1_302_222), 1));
    }

    #[test]
    fn other_bytes_are_no_messages() {
        assert_eq!(told(b"[01:35:14] READ b'{\"level\": \"info\"}'\n"), None);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("[a-z\"'\\\\é\n]{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text]}})).collect();
            let bytes = |message: &Value| message.to_string().bytes().map(|byte| match byte {
                b'\\' => "\\\\".to_string(),
                b'\'' => "\\'".to_string(),
                32..127 => (byte as char).to_string(),
                other => format!("\\x{other:02x}"),
            }).collect::<String>();
            let log: String = messages.iter().map(|message| format!("[01:35:14.292610] recv b'{}'\n", bytes(message))).collect();
            let kept = read_as("adhoc-python-bytes", log.as_bytes());
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]{}'\":. a-z0-9\\\\]{0,60}") {
            read_as("adhoc-python-bytes", &bytes);
            read_as("adhoc-python-bytes", format!("x b'{{\"jsonrpc\":\"2.0\",\"method\":{tail}\ny b'{{{tail}").as_bytes());
        }
    }
}
