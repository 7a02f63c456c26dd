//! Bare messages, one a line: what `tee` on a stdio server writes (MCP and ACP framing), or a program's own dump.
//!
//! Nothing tells direction, time or connection. The form is that of the MCP and ACP stdio transports. Lines that are
//! no message (a banner, stderr in the same file) are passed over and counted; batches are read as such.

use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::{Out, body};
use crate::capture::place::Place;
use crate::capture::sample::{Sample, is_message, looks_like_message};
use crate::capture::{Body, Channel, Direction, Proof, Skip};
use crate::error::Result;
use crate::json::scan::{members, skip_white};
use crate::jsonrpc::{Defect, Kind, Parsed, parse_at};
use crate::protocol::Facts;

/// The format.
pub(crate) struct Bare;

impl Format for Bare {
    fn name(&self) -> &'static str {
        "ndjson"
    }

    fn about(&self) -> &'static str {
        "bare messages, one a line: a stdio server's traffic as `tee` writes it"
    }

    fn proof(&self) -> Proof {
        Proof::FULL.without(Proof::DIRECTION)
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let lines = sample.line_count();
        let hits = sample.lines().filter(|line| is_message(line)).count();
        let cut = lines == 1
            && hits == 0
            && !sample.whole
            && sample.lines().all(|line| line.starts_with('{') && looks_like_message(line));
        if cut {
            return Match::new(40, "the one line of its head is a JSON-RPC message");
        }
        let reason = match hits == lines {
            true => "every line is a JSON-RPC message".to_string(),
            false => format!("{hits} of the first {lines} lines are JSON-RPC messages"),
        };
        (hits > 0 && hits * 20 >= lines).then(|| Match::new(50, reason)).flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let versioned = sample.lines().any(|line| is_message(line) && line.contains(VERSION));
        Reader::Lines(Box::new(BareReader { channel: None, versioned }))
    }
}

/// What a message names its protocol with.
const VERSION: &str = "\"jsonrpc\"";

/// The members of a message.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

struct BareReader {
    channel: Option<u32>,
    /// True where messages name their protocol.
    versioned: bool,
}

impl LineReader for BareReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        if line.bytes.trim_ascii().is_empty() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        let Ok(text) = std::str::from_utf8(line.bytes) else { return self.foreign(line, out) };
        let (mut at, mut known) = (skip_white(line.bytes, 0), false);
        // Two writers without a lock leave two messages on one line.
        while matches!(line.bytes.get(at), Some(b'{' | b'[')) || !known {
            match parse_at::<Facts<'_>>(text, at) {
                Ok((parsed, end)) if self.is_traffic(&text[at..end], &parsed) => {
                    let place = self.place(line, at, out)?;
                    out.put(&place, body(text, at..end, parsed))?;
                    at = skip_white(line.bytes, end);
                    known = true;
                }
                Err(fault) if fault.cut && !line.ended => {
                    out.skip(line.number, Skip::CutOff);
                    break;
                }
                _ => {
                    if !known {
                        out.skip(line.number, Skip::NotAMessage);
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip_oversized(line);
        let place = self.place(line, 0, out)?;
        out.put(&place, Body::gap(Some(1)))
    }
}

impl BareReader {
    /// True for what a peer may have sent; a JSON log line among the messages is not traffic. Where messages name their protocol, neither
    /// is what does not and has members that no message has: web servers write methods and ids, too.
    fn is_traffic(&self, text: &str, parsed: &Parsed<'_, Facts<'_>>) -> bool {
        let is_foreign = || members(text).any(|member| !MEMBERS.contains(&member.key));
        match parsed {
            Parsed::One(message, _) if message.kind == Kind::Unclassified => text.contains(VERSION),
            Parsed::One(message, _) if self.versioned && message.defects.has(Defect::JsonrpcMember) => {
                text.contains(VERSION) || !is_foreign()
            }
            Parsed::One(..) => true,
            Parsed::Batch(members) => members.is_empty() || members.iter().any(|(_, member)| member.is_ok()),
        }
    }

    fn place(&mut self, line: &Line<'_>, at: usize, out: &mut Out<'_>) -> Result<Place> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel { proof: Proof::FULL.without(Proof::DIRECTION), ..Channel::default() })?,
        };
        self.channel = Some(channel);
        let byte_offset = line.offset + at as u64;
        Ok(Place {
            line: line.number,
            byte_offset,
            channel,
            at_us: None,
            direction: Direction::Unknown,
            stream: None,
            taps: None,
        })
    }

    /// A line that is not UTF-8: a message that could not be read, or none.
    fn foreign(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        match is_message(&line.text()) {
            true => out.not_utf8(line.number, line.bytes),
            false => {
                out.skip(line.number, Skip::NotAMessage);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as, told};
    use proptest::prelude::*;

    const REQUEST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

    #[test]
    fn lines_of_a_web_server_are_no_messages() {
        let access = r#"{"id":"c1","method":"GET","uri":"/health","status":200}"#;
        let own = r#"{"id":2,"method":"tools/list"}"#;
        let kept = read("ndjson", &format!("{REQUEST}\n{access}\n{own}\n{REQUEST}\n"));
        assert_eq!(kept.texts(), [("message", REQUEST), ("message", own), ("message", REQUEST)]);
        let kept = read("ndjson", &format!("{own}\n{access}\n"));
        assert_eq!(kept.texts().len(), 2, "where no message names its protocol");
    }

    #[test]
    fn messages_batches_and_noise() {
        let text = format!("listening\n  {REQUEST}\r\n[{REQUEST}]\n\n{{\"level\":\"info\"}}\n{REQUEST}");
        let kept = read("ndjson", &text);
        let batch = format!("[{REQUEST}]");
        assert_eq!(kept.texts(), [("message", REQUEST), ("batch", batch.as_str()), ("message", REQUEST)]);
        assert_eq!(kept.skipped, [(1, Skip::NotAMessage), (4, Skip::Blank), (5, Skip::NotAMessage)]);
        assert_eq!((kept.frames[0].line, kept.frames[0].byte_offset), (2, 12));
        assert!(!kept.channels[0].proof.covers(Proof::DIRECTION));
    }

    #[test]
    fn what_a_logger_writes_behind_a_message_is_none_of_the_traffic() {
        let kept = read("ndjson", &format!("{REQUEST} {{\"dir\":\"in\"}}\n"));
        assert_eq!(kept.texts(), [("message", REQUEST)]);
    }

    #[test]
    fn a_cut_last_line_is_no_fault_of_the_traffic() {
        let kept = read("ndjson", &format!("{REQUEST}\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"meth"));
        assert_eq!(kept.skipped, [(2, Skip::CutOff)]);
        let kept = read("ndjson", &format!("{REQUEST}\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"meth\n"));
        assert_eq!(kept.skipped, [(2, Skip::NotAMessage)]);
    }

    #[test]
    fn a_message_in_another_encoding_is_unread_and_nobody_s_fault() {
        let kept = read_as("ndjson", b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}\n\xff\xfe noise\n");
        assert_eq!((kept.frames.len(), kept.missing.len()), (0, 1));
        assert_eq!(kept.skipped, [(1, Skip::Foreign), (2, Skip::NotAMessage)]);
    }

    #[test]
    fn what_is_no_traffic_is_not_taken_for_it() {
        assert_eq!(told(b"{\"method\":\"GET\",\"id\":7}\n"), None);
        assert_eq!(told(b"{\"level\":\"info\",\"msg\":\"started\"}\n"), None);
        assert_eq!(told(b"hello\n"), None);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,30}", 1..20), crlf in any::<bool>()) {
            let messages: Vec<String> = texts.iter().enumerate()
                .map(|(id, text)| serde_json::json!({"jsonrpc": "2.0", "id": id, "method": text}).to_string()).collect();
            let end = if crlf { "\r\n" } else { "\n" };
            let kept = read("ndjson", &(messages.join(end) + end));
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read_as("ndjson", &bytes);
        }
    }
}
