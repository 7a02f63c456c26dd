//! The MCP SDK for Python at level DEBUG, and what is built on it (FastMCP, mcp-proxy --debug).
//!
//! A server over HTTP logs `Received JSON: b'{...}'` (`mcp/server/sse.py`) and, through sse-starlette, `chunk: b'event: message\r\n
//! data: {...}'`: the bytes of the wire. A client logs `Sending client message: root=JSONRPCRequest(...)` and `SSE message: root=...`
//! (`mcp/client/streamable_http.py`, `mcp/client/sse.py`): models as they print themselves. The same message is logged on up to four
//! lines; one kind is read for each direction and the others are duplicates. Any `logging.Formatter` may stand before.
//! A server over stdio logs no payload at all.

use super::sessions::Sessions;
use crate::capture::date::{self, Dates};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{Dialect, Fault, translate_into, unquote_into};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Transport, Vantage};
use crate::error::Result;
use crate::jsonrpc::{Parsed, parse_at};
use crate::protocol::{Facts, Side, by_name};

/// The format.
pub(crate) struct PythonSdk;

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// Bytes.
    Bytes,
    /// Bytes of an event stream.
    Event,
    /// A model.
    Model,
    /// A model inside `SessionMessage(message=...)`, read where the bytes are not logged.
    Session,
}

/// What stands before a message, who sent it, how it is written, and who logs it.
const LABELS: [(&str, Side, Written, Side); 6] = [
    ("Received JSON: b", Side::Client, Written::Bytes, Side::Server),
    ("chunk: b", Side::Server, Written::Event, Side::Server),
    ("Sending message via SSE: SessionMessage(message=", Side::Server, Written::Session, Side::Server),
    ("Sending client message: root=JSONRPC", Side::Client, Written::Model, Side::Client),
    ("SSE message: root=JSONRPC", Side::Server, Written::Model, Side::Client),
    ("Received server message: root=JSONRPC", Side::Server, Written::Model, Side::Client),
];

/// Other lines of the same messages.
const DUPLICATES: [&str; 4] = [
    "Validated client message: ",
    "Sending session message to writer: ",
    "Received message: root=",
    "Sending message via SSE: ",
];

/// What stands before the name of a session.
const SESSIONS: [&str; 4] = [
    "Parsed session ID: ",
    "Created new session with ID: ",
    "Created new transport with session ID: ",
    "Received session ID: ",
];

/// How far into a line its label stands.
const HEAD: usize = 240;

/// The beginning of a line, in which its label stands.
fn head(line: &str) -> &str {
    let end = (0..=HEAD.min(line.len())).rev().find(|at| line.is_char_boundary(*at));
    &line[..end.unwrap_or(0)]
}

/// What the label of a line says.
struct Labelled {
    side: Side,
    written: Written,
    logger: Side,
    /// Where the literal starts.
    at: usize,
}

/// The label of a line.
fn label(line: &str) -> Option<Labelled> {
    let line = head(line);
    LABELS.iter().find_map(|(label, side, written, logger)| {
        let before = match written {
            Written::Session => label.len(),
            _ => label.find(": ")? + 2,
        };
        Some(Labelled { side: *side, written: *written, logger: *logger, at: line.find(label)? + before })
    })
}

impl Format for PythonSdk {
    fn name(&self) -> &'static str {
        "mcp-python-sdk-debug"
    }

    fn about(&self) -> &'static str {
        "the MCP SDK for Python at level DEBUG: an HTTP server or a client"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        if !LABELS.iter().any(|(label, ..)| sample.holds(label)) {
            return None;
        }
        // In a record of JSON the text is a string, and read where that is unescaped.
        let is_message = |line: &str| {
            !line.starts_with('{') && label(line).is_some_and(|found| line[found.at..].contains("jsonrpc"))
        };
        sample
            .lines()
            .any(is_message)
            .then(|| Match::new(84, "it has lines like `Received JSON: b'{...}'` of the Python SDK"))
            .flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let chunks = sample.holds("chunk: b'event: message") || !sample.holds(LABELS[2].0);
        let models =
            sample.lines().any(|line| label(line).is_some_and(|found| found.written == Written::Model)) || !chunks;
        let stamp = sample.lines().find(|line| label(line).is_some()).map_or("", stamp);
        Reader::Ordered(Box::new(SdkReader {
            chunks,
            proof: if models { Proof::FULL.without(Proof::ENVELOPE) } else { Proof::FULL },
            resolution_us: date::resolution_us(stamp).unwrap_or(1_000),
            sessions: Sessions::default(),
            dates: Dates::default(),
            bytes: Vec::new(),
            json: String::new(),
        }))
    }
}

/// The words at the start of a line that may be its time.
fn stamp(line: &str) -> &str {
    let end = line.match_indices(' ').map(|(at, _)| at).nth(1).unwrap_or(line.len());
    let head = &line[..end];
    // `2026-11-21T06:50:17 DEBUG`: the second word is none of it.
    match head.split_once(' ') {
        Some((first, second)) if !second.contains(':') || first.contains('T') && first.contains(':') => first,
        _ => head,
    }
}

struct SdkReader {
    /// True if the bytes that a server sends are in the log.
    chunks: bool,
    proof: Proof,
    resolution_us: i64,
    sessions: Sessions,
    dates: Dates,
    bytes: Vec<u8>,
    json: String,
}

impl LineReader for SdkReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        if let Some(found) = label(&text)
            && (found.written != Written::Session || !self.chunks)
        {
            return self.message(&found, &text, line, out);
        }
        for before in SESSIONS {
            if let Some(at) = head(&text).find(before) {
                let name = text[at + before.len()..].split([' ', ',']).next().unwrap_or("");
                // A client learns its session after it has begun it: there is one, and it stays nameless.
                if before != SESSIONS[3] {
                    self.sessions.name(name);
                }
            }
        }
        let is_duplicate = DUPLICATES.iter().any(|label| head(&text).contains(label));
        let why = if is_duplicate { Skip::Duplicate } else { Skip::NotAMessage };
        out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { why });
        Ok(())
    }
}

impl SdkReader {
    fn message(&mut self, found: &Labelled, text: &str, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let Labelled { side, written, logger, at } = *found;
        let literal = &text[at..];
        let end = match self.decode(written, literal) {
            Ok(Some(end)) => end,
            Ok(None) => {
                out.skip(line.number, Skip::NotAMessage);
                return Ok(());
            }
            // The log was cut, not the message.
            Err(_) => {
                out.skip(line.number, Skip::CutOff);
                self.json.clear();
                literal.len()
            }
        };
        let (proof, resolution_us) = (self.proof, self.resolution_us);
        let make = || Channel {
            profile: by_name("mcp", None),
            vantage: if logger == Side::Server { Vantage::Server } else { Vantage::Client },
            transport: Transport::Http,
            proof,
            resolution_us,
            ..Channel::default()
        };
        let parsed = (!self.json.is_empty()).then(|| parse_at::<Facts<'_>>(&self.json, 0));
        let message = match &parsed {
            Some(Ok((Parsed::One(message, _), _))) => Some(message),
            _ => None,
        };
        let channel = self.sessions.channel(side, message, out, make)?;
        let at_us = self.dates.read(stamp(text), out.zoning());
        out.said(stamp(text));
        let direction = Direction::By(side);
        let place = Place {
            line: line.number,
            byte_offset: line.offset + at as u64,
            channel,
            at_us,
            direction,
            stream: None,
            taps: None,
        };
        match parsed {
            Some(parsed) => out.put_parsed(&place, &literal[..end], &self.json, parsed),
            None if line.ended => out.put(&place, Body::gap(Some(1))),
            None => Ok(()),
        }
    }

    /// Brings the literal into `json`; gives its end, or nothing where it holds no message.
    fn decode(&mut self, written: Written, literal: &str) -> std::result::Result<Option<usize>, Fault> {
        if matches!(written, Written::Model | Written::Session) {
            return translate_into(Dialect::Python, literal, &mut self.json).map(|read| Some(read.end));
        }
        let end = unquote_into(Dialect::Python, literal, &mut self.bytes)?;
        let bytes = String::from_utf8_lossy(&self.bytes);
        self.json.clear();
        match written {
            Written::Event => {
                let mut lines = bytes.split("\r\n").flat_map(|line| line.split('\n'));
                if !bytes.starts_with("event: message") {
                    return Ok(None);
                }
                lines
                    .by_ref()
                    .filter_map(|line| line.strip_prefix("data:"))
                    .for_each(|data| self.json.push_str(data.trim_start()));
            }
            _ => self.json.push_str(bytes.trim()),
        }
        Ok(Some(end).filter(|_| !self.json.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::literal::render::render;
    use crate::capture::testing::{Kept, read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const SERVER: &str = "25-09-01 10:27:05.787 DEBUG [sse.py 146 connect_sse] Created new session with ID: aa-1\n\
        25-09-01 10:27:05.792 DEBUG [sse.py 179] chunk: b'event: endpoint\\r\\ndata: /messages/?session_id=aa1\\r\\n\\r\\n'\n\
        25-09-01 10:27:05.864 DEBUG [sse.py 218] Parsed session ID: aa-1\n\
        25-09-01 10:27:05.865 DEBUG [sse.py 231] Received JSON: b'{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}'\n\
        25-09-01 10:27:05.865 DEBUG [sse.py 235] Validated client message: root=JSONRPCRequest(method='initialize', jsonrpc='2.0', id=0)\n\
        25-09-01 10:27:05.866 DEBUG [sse.py 218] Parsed session ID: bb-2\n\
        25-09-01 10:27:05.866 DEBUG [sse.py 231] Received JSON: b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'\n\
        25-09-01 10:27:05.867 DEBUG [sse.py 172] Sending message via SSE: SessionMessage(message=JSONRPCMessage(root=JSONRPCResponse(jsonrpc='2.0', id=0, result={})))\n\
        25-09-01 10:27:05.867 DEBUG [sse.py 179] chunk: b'event: message\\r\\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"a\":\"h\\xc3\\xa9\"}}\\r\\n\\r\\n'\n";

    fn jsons(kept: &Kept) -> Vec<&str> {
        kept.frames.iter().map(|frame| frame.json.as_deref().unwrap_or(frame.kind)).collect()
    }

    #[test]
    fn a_server_logs_bytes_and_answers_go_to_the_session_that_asked() {
        let kept = read("mcp-python-sdk-debug", SERVER);
        let want = [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{"a":"hé"}}"#,
        ];
        assert_eq!(jsons(&kept), want);
        assert_eq!(kept.frames.iter().map(|frame| frame.channel).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!((kept.names(), kept.frames[0].at_us), (vec![Some("aa1"), Some("bb2")], Some(1_756_722_425_865_000)));
        let duplicates: Vec<_> =
            kept.skipped.iter().filter(|(_, why)| *why == Skip::Duplicate).map(|(line, _)| *line).collect();
        assert_eq!((duplicates, kept.channels[0].vantage), (vec![5, 8], Vantage::Server));
    }

    #[test]
    fn a_client_logs_models_and_a_server_without_chunks_too() {
        let log = "2026-11-21 06:50:17,571 DEBUG    [mcp.client] Sending client message: root=JSONRPCRequest(method='a', params=None, jsonrpc='2.0', id=0)\n\
            2026-11-21 06:50:17,576 INFO     [mcp.client] Received session ID: 3b1\n\
            2026-11-21 06:50:17,577 DEBUG    [mcp.client] SSE message: root=JSONRPCError(jsonrpc='2.0', id=0, error=ErrorData(code=-32600, message='no', data=None))\n";
        let kept = read("mcp-python-sdk-debug", log);
        assert_eq!(
            jsons(&kept),
            [
                r#"{"method":"a","jsonrpc":"2.0","id":0}"#,
                r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"no"}}"#
            ]
        );
        assert_eq!((kept.frames[0].at_us, kept.channels[0].resolution_us), (Some(1_795_243_817_571_000), 1_000));
        let without: String = SERVER
            .lines()
            .filter(|line| !line.contains("chunk: b'event: message"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(jsons(&read("mcp-python-sdk-debug", &without))[2], r#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text, null]}})).collect();
            let bytes = |message: &Value| message.to_string().bytes().map(|byte| match byte {
                b'\\' => "\\\\".to_string(),
                b'\'' => "\\'".to_string(),
                32..127 => (byte as char).to_string(),
                other => format!("\\x{other:02x}"),
            }).collect::<String>();
            let log: String = messages.iter().map(|message| {
                let model = format!("JSONRPCNotification(method='m', params={}, jsonrpc='2.0')", render(Dialect::Python, &message["params"], ""));
                format!("2026-11-21 06:50:17,571 x Received JSON: b'{}'\n2026-11-21 06:50:17,571 x SSE message: root={model}\n", bytes(message))
            }).collect();
            let kept = read("mcp-python-sdk-debug", &log);
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages.iter().flat_map(|message| [message.clone(), message.clone()]).collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]{}':. a-z0-9\\\\=]{0,60}", label in 0usize..6) {
            read_as("mcp-python-sdk-debug", &bytes);
            read_as("mcp-python-sdk-debug", format!("{tail}{}{tail}\n{tail}", LABELS[label].0).as_bytes());
        }
    }
}
