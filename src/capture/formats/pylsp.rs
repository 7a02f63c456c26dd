//! `pylsp -vv` and other servers on `python-lsp-jsonrpc` (`pylsp_jsonrpc/endpoint.py`), seen from the server.
//!
//! `2026-11-21 06:47:25,478 UTC - DEBUG - pylsp_jsonrpc.endpoint - Handling request from client {'jsonrpc': ...}`: Python
//! dictionaries. A result is logged without its id, in the same breath as the request that it answers when that is
//! handled at once; results of handlers that run on their own, and errors, are not logged. The id of a result is
//! therefore ours, and answers may be missing.

use crate::capture::date::Dates;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{Dialect, push_string, translate_into};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::json::scan::members;
use crate::protocol::{Side, by_name};

/// The format.
pub(crate) struct Pylsp;

const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE).without(Proof::ERROR_CODE).without(Proof::ALL_ANSWERS);

/// What stands before a message, and who sent it.
const LABELS: [(&str, Side, LineKind); 6] = [
    ("Handling request from client ", Side::Client, LineKind::Message),
    ("Handling notification from client ", Side::Client, LineKind::Message),
    ("Handling response from client ", Side::Client, LineKind::Message),
    ("Got result from synchronous request handler: ", Side::Server, LineKind::Result),
    ("Sending notification: ", Side::Server, LineKind::Notification),
    ("Sending request with id ", Side::Server, LineKind::Request),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Message,
    Result,
    Notification,
    Request,
}

const LOGGER: &str = "jsonrpc.endpoint - ";

/// The label of a line, and where the text after it starts.
fn label(line: &str) -> Option<(Side, LineKind, usize)> {
    let at = line.find(LOGGER)? + LOGGER.len();
    let found = LABELS.iter().find(|(label, ..)| line[at..].starts_with(label));
    found.map(|(label, side, what)| (*side, *what, at + label.len()))
}

impl Format for Pylsp {
    fn name(&self) -> &'static str {
        "pylsp-verbose"
    }

    fn about(&self) -> &'static str {
        "pylsp -vv and other servers on python-lsp-jsonrpc: messages as Python dictionaries"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| label(line).is_some()).count();
        (hits > 0).then(|| Match::new(88, "it has lines of pylsp_jsonrpc.endpoint with messages in them")).flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::new(PylspReader::default()))
    }
}

#[derive(Default)]
struct PylspReader {
    channel: Option<u32>,
    dates: Dates,
    /// Id of the request that is being handled, as JSON.
    handling: Option<String>,
    value: String,
    json: String,
}

impl LineReader for PylspReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let Some((side, what, start)) = label(&text) else {
            // The handler goes on by itself, or has failed: what is logged next is not its result.
            if text.contains("Executing async request handler") || text.contains("Failed to handle request") {
                self.handling = None;
            }
            out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        };
        let rest = &text[start..];
        let time = text.split(" - ").next().unwrap_or("");
        let at_us = self.dates.read(time, out.zoning());
        out.said(time.trim_end_matches(" UTC"));
        let place = Place {
            line: line.number,
            byte_offset: line.offset + start as u64,
            channel: self.channel(out)?,
            at_us,
            direction: Direction::By(side),
            stream: None,
            taps: None,
        };
        if what != LineKind::Message {
            return self.put_together(&place, what, rest, out);
        }
        let mut json = std::mem::take(&mut self.json);
        let read = out.put_literal(Dialect::Python, &place, rest, !line.ended, &mut json)?;
        let id = members(&json).find(|member| member.key == "id").map(|member| member.value.to_string());
        if read.is_some() && side == Side::Client && json.contains("\"method\"") {
            self.handling = id.or(self.handling.take());
        }
        self.json = json;
        Ok(())
    }
}

impl PylspReader {
    /// A message of which the log has only parts.
    fn put_together(&mut self, place: &Place, what: LineKind, text: &str, out: &mut Out<'_>) -> Result<()> {
        let (mut json, mut value) = (std::mem::take(&mut self.json), std::mem::take(&mut self.value));
        json.clear();
        json.push_str("{\"jsonrpc\":\"2.0\"");
        let known = match what {
            LineKind::Result => self.handling.take().map(|id| {
                json.extend([",\"id\":", &id, ",\"result\":"]);
                text
            }),
            LineKind::Request => text.split_once(": ").map(|(id, rest)| {
                json.push_str(",\"id\":");
                push_id(&mut json, id);
                rest
            }),
            _ => Some(text),
        };
        let done = match known {
            None => {
                out.skip(place.line, Skip::NotAMessage);
                Ok(())
            }
            Some(rest) => {
                let rest = if what == LineKind::Result { rest } else { push_method(&mut json, rest) };
                let read = translate_into(Dialect::Python, rest, &mut value);
                let keeps = read.is_ok() && (what == LineKind::Result || value != "null");
                match (keeps, what) {
                    (true, LineKind::Result) => json.push_str(&value),
                    (true, _) => json.extend([",\"params\":", &value]),
                    (false, LineKind::Result) => json.push_str("null"),
                    (false, _) => {}
                }
                json.push('}');
                out.put_json(place, text, &json)
            }
        };
        (self.json, self.value) = (json, value);
        done
    }

    fn channel(&mut self, out: &mut Out<'_>) -> Result<u32> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel {
                profile: by_name("lsp", None),
                vantage: Vantage::Server,
                proof: PROOF,
                resolution_us: 1_000,
                ..Channel::default()
            })?,
        };
        self.channel = Some(channel);
        Ok(channel)
    }
}

/// An id as it is printed: what looks like a whole number is one.
pub(super) fn push_id(json: &mut String, id: &str) {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if is_number { json.push_str(id) } else { push_string(json, id) }
}

/// Adds the method at the start of `text`, and gives what follows it.
fn push_method<'t>(json: &mut String, text: &'t str) -> &'t str {
    let (method, rest) = text.split_once(' ').unwrap_or((text, ""));
    json.push_str(",\"method\":");
    push_string(json, method);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::literal::render::render;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn line(text: &str) -> String {
        format!("2026-11-21 06:47:25,478 UTC - DEBUG - pylsp_jsonrpc.endpoint - {text}\n")
    }

    #[test]
    fn results_belong_to_the_request_that_is_being_handled() {
        let log = line("Handling request from client {'jsonrpc': '2.0', 'id': 'c-3', 'method': 'a', 'params': {}}")
            + "Traceback\n"
            + &line("Sending notification: window/x {'a': None}")
            + &line("Got result from synchronous request handler: None")
            + &line("Got result from synchronous request handler: []")
            + &line("Sending request with id 9f-1: workspace/configuration {'items': []}")
            + &line("Handling response from client {'jsonrpc': '2.0', 'id': '9f-1', 'result': None}")
            + &line("Handling request from client {'jsonrpc': '2.0', 'id': 4, 'method': 'b'}")
            + &line("Failed to handle request 4")
            + &line("Handling notification from client {'jsonrpc': '2.0', 'method': 'exit'}");
        let kept = read("pylsp-verbose", &log);
        let got: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.json.as_deref().unwrap_or(""))).collect();
        let want = [
            (1, r#"{"jsonrpc":"2.0","id":"c-3","method":"a","params":{}}"#),
            (3, r#"{"jsonrpc":"2.0","method":"window/x","params":{"a":null}}"#),
            (4, r#"{"jsonrpc":"2.0","id":"c-3","result":null}"#),
            (6, r#"{"jsonrpc":"2.0","id":"9f-1","method":"workspace/configuration","params":{"items":[]}}"#),
            (7, r#"{"jsonrpc":"2.0","id":"9f-1","result":null}"#),
            (8, r#"{"jsonrpc":"2.0","id":4,"method":"b"}"#),
            (10, r#"{"jsonrpc":"2.0","method":"exit"}"#),
        ];
        assert_eq!(got, want);
        assert_eq!(kept.skipped, [2, 5, 9].map(|line| (line, Skip::NotAMessage)));
        assert_eq!(kept.frames[0].at_us, Some(1_795_243_645_478_000));
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().map(|text| json!({"jsonrpc": "2.0", "method": "m", "params": {"a": [text], "b": {text: null}}})).collect();
            let log: String = messages.iter().map(|message| line(&format!("Handling notification from client {}", render(Dialect::Python, message, "")))).collect();
            let kept = read("pylsp-verbose", &log);
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]{}':. a-z0-9]{0,60}", label in 0usize..6) {
            read_as("pylsp-verbose", &bytes);
            read_as("pylsp-verbose", line(&format!("{}{tail}", LABELS[label].0)).as_bytes());
        }
    }
}
