//! supergateway, which puts a stdio server behind HTTP (npm `supergateway`).
//!
//! `[supergateway] SSE → Child (session UUID): {...}` is JSON from a client; `[supergateway] Child → SSE: { id: 1, ... }` is what Node's
//! `util.inspect` makes of the server's message, over several lines. At its default level nested values are `[Object]`: payloads
//! are lost, id and kind are not. The log has no time. An answer goes to the session that asked.

use super::sessions::Sessions;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::literal::{Dialect, translate_into};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Proof, Skip, Transport, Vantage};
use crate::error::Result;
use crate::json::scan::value_end;
use crate::jsonrpc::{Parsed, parse_at};
use crate::protocol::{Facts, Side};

/// The format.
pub(crate) struct Supergateway;

/// At level debug payloads are whole.
const PROOF: Proof = Proof::FULL;

impl Format for Supergateway {
    fn name(&self) -> &'static str {
        "supergateway"
    }

    fn about(&self) -> &'static str {
        "supergateway's log: JSON from clients, Node objects from the server"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| Entry::read(line).is_some()).count();
        (hits > 0).then(|| Match::new(88, "it has lines `[supergateway] SSE → Child: {...}`")).flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let lost = ["[Object]", "[Array]", "more items"].iter().any(|mark| sample.holds(mark));
        let proof = if lost { PROOF.without(Proof::PAYLOAD) } else { PROOF };
        Reader::Ordered(Box::new(GatewayReader {
            proof,
            sessions: Sessions::default(),
            record: None,
            json: String::new(),
        }))
    }
}

const PREFIX: &str = "[supergateway] ";

/// A line with a message, taken apart.
struct Entry<'a> {
    side: Side,
    session: Option<&'a str>,
    payload: &'a str,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Entry<'a>> {
        let (head, payload) = line.strip_prefix(PREFIX)?.split_once(": ")?;
        let (from, to) = head.split_once(" → ")?;
        let (to, session) = match to.split_once(" (session ") {
            Some((to, session)) => (to, Some(session.trim_end_matches(')'))),
            None => (to, None),
        };
        // Where it goes to a server by HTTP, the child is not there and stdio is the client's side.
        let side = match (from, to) {
            ("Child", _) => Side::Server,
            (_, "Child") => Side::Client,
            ("Stdio" | "Stdin", _) => Side::Client,
            (_, "Stdio" | "Stdout") => Side::Server,
            _ => return None,
        };
        payload.starts_with(['{', '[', '<']).then_some(Entry { side, session, payload })
    }
}

/// A message that may go on over the next lines.
struct Record {
    side: Side,
    line: u64,
    offset: u64,
    text: String,
}

struct GatewayReader {
    proof: Proof,
    sessions: Sessions,
    record: Option<Record>,
    json: String,
}

impl LineReader for GatewayReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        if !text.starts_with(PREFIX) {
            // JSON ends where its value does. What Node prints tells its own end.
            if self
                .record
                .as_ref()
                .is_some_and(|record| record.side == Side::Client && value_end(record.text.as_bytes(), 0).is_some())
            {
                self.flush(false, out)?;
            }
            let Some(record) = &mut self.record else {
                out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
                return Ok(());
            };
            if record.text.len() + text.len() <= RECORD_LIMIT {
                record.text.push('\n');
                record.text.push_str(&text);
            }
            return Ok(());
        }
        self.flush(false, out)?;
        let Some(entry) = Entry::read(&text) else {
            out.skip(line.number, Skip::NotAMessage);
            return Ok(());
        };
        if let Some(session) = entry.session {
            self.sessions.name(session);
        }
        let offset = line.offset + (text.len() - entry.payload.len()) as u64;
        self.record = Some(Record { side: entry.side, line: line.number, offset, text: entry.payload.to_string() });
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.flush(true, out)
    }
}

impl GatewayReader {
    fn flush(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        let Some(record) = self.record.take() else { return Ok(()) };
        let proof = self.proof;
        let mut json = std::mem::take(&mut self.json);
        // What a client sends is JSON; what the server sends is what Node prints, unless it is told to print JSON.
        let read = match record.side {
            Side::Client => None,
            Side::Server => Some(translate_into(Dialect::Node, &record.text, &mut json)),
        };
        let parsed = match &read {
            None => Some(parse_at::<Facts<'_>>(&record.text, 0)),
            Some(read) => read.as_ref().ok().map(|_| parse_at(&json, 0)),
        };
        let message = match &parsed {
            Some(Ok((Parsed::One(message, _), _))) => Some(message),
            _ => None,
        };
        let make = || Channel { vantage: Vantage::Proxy, transport: Transport::Http, proof, ..Channel::default() };
        let channel = self.sessions.channel(record.side, message, out, make)?;
        let (line, byte_offset, direction) = (record.line, record.offset, Direction::By(record.side));
        let place = Place { line, byte_offset, channel, at_us: None, direction, stream: None, taps: None };
        let done = match (read, parsed) {
            (Some(Ok(read)), Some(parsed)) => out.put_parsed(&place, &record.text[..read.end], &json, parsed),
            (Some(Err(fault)), _) => out.put_cut(&place, fault.cut && log_ends),
            _ => out.promised(&place, &record.text, log_ends),
        };
        self.json = json;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::literal::render::render;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const LOG: &str = "[supergateway] Starting...\n\
        [supergateway] POST to SSE transport (session 05-ab)\n\
        [supergateway] SSE → Child (session 05-ab): {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/list\"}\n\
        [supergateway] Child → SSE: {\n  jsonrpc: '2.0',\n  id: 0,\n  result: { tools: [ [Object] ] }\n}\n\
        [supergateway] Child exited: code=null, signal=SIGTERM\n";

    #[test]
    fn json_goes_in_and_objects_of_node_come_out() {
        let kept = read("supergateway", LOG);
        let got: Vec<_> = kept
            .frames
            .iter()
            .map(|frame| (frame.line, frame.channel, frame.direction, frame.json.as_deref()))
            .collect();
        let result = r#"{"jsonrpc":"2.0","id":0,"result":{"tools":[null]}}"#;
        assert_eq!(got, [(3, 0, Direction::By(Side::Client), None), (4, 0, Direction::By(Side::Server), Some(result))]);
        assert_eq!((kept.names(), kept.channels[0].proof.covers(Proof::PAYLOAD)), (vec![Some("05ab")], false));
        let frame = &kept.frames[1];
        assert_eq!(&LOG[frame.byte_offset as usize..][..frame.text.len()], frame.text);
    }

    #[test]
    fn a_line_that_is_torn_is_no_part_of_the_message_before_it() {
        let log =
            "[supergateway] SSE → Child (session 05-ab): {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/list\"}\n[su";
        let kept = read("supergateway", log);
        let malformed: Vec<_> = kept.frames.iter().filter(|frame| frame.kind == "malformed").collect();
        assert_eq!((kept.frames.len(), malformed.len()), (1, 0));
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text, {}], "b c": {"d": text}}})).collect();
            let log: String = messages.iter().map(|message| format!("[supergateway] Child → SSE: {}\n", render(Dialect::Node, message, ""))).collect();
            let kept = read("supergateway", &log);
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]{}':. a-z0-9\n]{0,60}") {
            read_as("supergateway", &bytes);
            read_as("supergateway", format!("[supergateway] Child → SSE: {{{tail}\n[supergateway] {tail} → {tail}: {tail}").as_bytes());
        }
    }
}
