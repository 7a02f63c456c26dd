//! The log panel of Sublime Text's LSP (`log_server: panel`; sublimelsp/LSP `plugin/core/windows.py`, `PanelLogger`).
//!
//! `:: [06:46:06.862] --> clangd initialize (0): {'processId': None, ...}`: `-->` and `<--` are requests, ` ->` and `<- `
//! notifications (`<? ` one that nobody handles), `>>>` and `<<<` responses, `~~>` and `<~~` errors. Payloads are Python
//! literals; one over `log_max_size` (8192) is `<params with N characters>`, and then payloads prove nothing. An id is as
//! printed: what looks like a number is one.

use super::pylsp::push_id;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{Dialect, push_string, translate_into};
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::time::Clock;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::protocol::{Side, by_name};

/// The format.
pub(crate) struct Sublime;

const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE);

impl Format for Sublime {
    fn name(&self) -> &'static str {
        "sublime-lsp-panel"
    }

    fn about(&self) -> &'static str {
        "Sublime Text's LSP, log_server: panel: messages as Python literals"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits = sample.lines().filter(|line| Entry::read(line).is_some()).count();
        (hits > 0).then(|| Match::new(88, "it has lines `:: [TIME] --> SERVER METHOD (ID): {...}`")).flatten()
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let whole = !sample.holds("<params with ");
        let proof = if whole { PROOF } else { PROOF.without(Proof::PAYLOAD) };
        Reader::Ordered(Box::new(SublimeReader::new(proof)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Request,
    Notification,
    Result,
    Error,
}

const ARROWS: [(&str, Side, LineKind); 9] = [
    ("-->", Side::Client, LineKind::Request),
    ("<--", Side::Server, LineKind::Request),
    (" ->", Side::Client, LineKind::Notification),
    ("<- ", Side::Server, LineKind::Notification),
    ("<? ", Side::Server, LineKind::Notification),
    (">>>", Side::Client, LineKind::Result),
    ("<<<", Side::Server, LineKind::Result),
    ("~~>", Side::Client, LineKind::Error),
    ("<~~", Side::Server, LineKind::Error),
];

/// One line, taken apart.
struct Entry<'a> {
    time: &'a str,
    side: Side,
    what: LineKind,
    server: &'a str,
    method: &'a str,
    id: &'a str,
    payload: &'a str,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Entry<'a>> {
        let (time, rest) = line.strip_prefix(":: [")?.split_once("] ")?;
        Entry::behind(time, rest)
    }

    /// The same, from the arrow on.
    fn behind(time: &'a str, rest: &'a str) -> Option<Entry<'a>> {
        let (_, side, what) = ARROWS.iter().find(|(arrow, ..)| rest.starts_with(arrow))?;
        let rest = rest[3..].strip_prefix(' ')?;
        let (side, what) = (*side, *what);
        let found = |server, method, id, payload| Some(Entry { time, side, what, server, method, id, payload });
        match what {
            LineKind::Notification => {
                let (head, payload) = rest.split_once(": ").unwrap_or((rest, ""));
                let (server, method) = head.rsplit_once(' ')?;
                found(server, method, "", payload)
            }
            LineKind::Request => {
                let (head, payload) = rest.split_once("): ")?;
                let (head, id) = head.rsplit_once(" (")?;
                let (server, method) = head.rsplit_once(' ')?;
                found(server, method, id, payload)
            }
            LineKind::Result | LineKind::Error => {
                let (server, rest) = rest.split_once(" (")?;
                let (id, rest) = rest.split_once(')')?;
                let rest = match rest.strip_prefix(" (duration: ") {
                    Some(rest) => rest.split_once(')')?.1,
                    None => rest,
                };
                found(server, "", id, rest.strip_prefix(": ")?)
            }
        }
    }

    /// Puts the message together; false if its payload could not be read.
    fn write(&self, json: &mut String, value: &mut String) -> bool {
        json.clear();
        json.push_str("{\"jsonrpc\":\"2.0\"");
        if self.what != LineKind::Notification {
            json.push_str(",\"id\":");
            push_id(json, self.id);
        }
        if !self.method.is_empty() {
            json.push_str(",\"method\":");
            push_string(json, self.method);
        }
        value.clear();
        // The panel leaves a long payload out, and then `params` or `result` is unknown and not missing.
        let left_out = self.payload.starts_with('<') && self.payload.ends_with(" characters>");
        let read = left_out || translate_into(Dialect::Python, self.payload, value).is_ok();
        let name = match self.what {
            LineKind::Result => ",\"result\":",
            LineKind::Error => ",\"error\":",
            _ => ",\"params\":",
        };
        match (value.as_str(), self.what) {
            ("", LineKind::Result) => json.extend([name, "null"]),
            ("", LineKind::Error) => json.extend([name, "{}"]),
            ("null" | "", LineKind::Request | LineKind::Notification) => {}
            _ => json.extend([name, value.as_str()]),
        }
        json.push('}');
        read
    }
}

struct SublimeReader {
    proof: Proof,
    channels: Channels,
    clock: Clock,
    json: String,
    value: String,
}

impl SublimeReader {
    fn new(proof: Proof) -> SublimeReader {
        let (json, value) = (String::new(), String::new());
        SublimeReader { proof, channels: Channels::default(), clock: Clock::default(), json, value }
    }

    /// True for a line that begins as an entry does and breaks off, or ends as one of a server that was met.
    #[cold]
    fn is_broken(&self, text: &str) -> bool {
        let begins = |rest: &str| ARROWS.iter().any(|(arrow, ..)| rest.starts_with(arrow));
        let ends = |at: usize| {
            let entry = Entry::behind("", &text[at..]);
            entry.is_some_and(|entry| !entry.payload.is_empty() && self.channels.knows(entry.server))
        };
        let stamped = text.strip_prefix(":: [").and_then(|rest| rest.split_once("] "));
        stamped.is_some_and(|(_, rest)| begins(rest))
            || ARROWS.iter().any(|(arrow, ..)| text.find(arrow).is_some_and(ends))
    }
}

impl LineReader for SublimeReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let Some(entry) = Entry::read(&text) else {
            if self.is_broken(&text) {
                return out.unread(line.number, line.bytes);
            }
            out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        };
        let channel = self.channels.get(entry.server, out, || Channel {
            name: Some(entry.server.to_string()),
            profile: by_name("lsp", None),
            vantage: Vantage::Client,
            proof: self.proof,
            resolution_us: 1_000,
            ..Channel::default()
        })?;
        out.said(entry.time);
        let place = Place {
            line: line.number,
            byte_offset: line.offset + (text.len() - entry.payload.len()) as u64,
            channel,
            at_us: self.clock.read_in(entry.time, out.zoning()),
            direction: Direction::By(entry.side),
            stream: None,
            taps: None,
        };
        if entry.write(&mut self.json, &mut self.value) {
            return out.put_json(&place, entry.payload, &self.json);
        }
        out.skip(line.number, Skip::CutOff);
        if line.ended { out.put(&place, Body::gap(Some(1))) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::literal::render::render;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const LOG: &str = ":: [23:59:59.862] --> my clangd initialize (0): {'processId': None}\n\
        :: [23:59:59.977] <<< my clangd (0) (duration: 115ms): {'capabilities': {}}\n\
        :: [00:00:00.100]  -> my clangd $/cancelRequest: {'id': 'c-3'}\n\
        :: [00:00:00.200] <~~ my clangd (c-3): {'code': -32800, 'message': 'Request cancelled'}\n\
        :: [00:00:00.300] <--  \n\
        :: [00:00:00.300] --> my clangd shutdown (7): None\n\
        :: [00:00:00.400] <- my clangd window/logMessage: {'a': \n";

    #[test]
    fn arrows_tell_what_a_line_is() {
        let kept = read("sublime-lsp-panel", LOG);
        let got: Vec<_> = kept
            .frames
            .iter()
            .map(|frame| (frame.line, frame.direction, frame.json.as_deref().unwrap_or(frame.kind)))
            .collect();
        let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
        let want = [
            (1, client, r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null}}"#),
            (2, server, r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}"#),
            (3, client, r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"c-3"}}"#),
            (4, server, r#"{"jsonrpc":"2.0","id":"c-3","error":{"code":-32800,"message":"Request cancelled"}}"#),
            (6, client, r#"{"jsonrpc":"2.0","id":7,"method":"shutdown"}"#),
        ];
        assert_eq!(got, want);
        assert_eq!((kept.names(), kept.frames[2].at_us), (vec![Some("my clangd")], Some(86_400_100_000)));
    }

    #[test]
    fn a_payload_that_was_left_out_proves_nothing() {
        let kept = read("sublime-lsp-panel", ":: [06:00:00.000]  -> a b: <params with 9000 characters>\n");
        assert_eq!(kept.frames[0].json.as_deref(), Some(r#"{"jsonrpc":"2.0","method":"b"}"#));
        assert!(!kept.channels[0].proof.covers(Proof::PAYLOAD));
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..8)) {
            let messages: Vec<Value> = texts.iter().enumerate().map(|(id, text)| json!({"jsonrpc": "2.0", "id": id, "method": "m/n", "params": {"a": [text]}})).collect();
            let log: String = messages.iter().map(|m| format!(":: [06:00:00.000] <-- x m/n ({}): {}\n", m["id"], render(Dialect::Python, &m["params"], ""))).collect();
            let kept = read("sublime-lsp-panel", &log);
            let got: Vec<Value> = kept.frames.iter().map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON")).collect();
            prop_assert_eq!(got, messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[()\\[\\]{}':. a-z0-9<>é-]{0,60}", arrow in 0usize..9) {
            read_as("sublime-lsp-panel", &bytes);
            read_as("sublime-lsp-panel", format!(":: [06:00:00.000] {}{tail}\n:: [{tail}", ARROWS[arrow].0).as_bytes());
        }
    }
}
