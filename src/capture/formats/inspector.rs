//! The history that the MCP Inspector downloads (`core/mcp/types.ts`, `MessageEntry`).
//!
//! An array of `{id, timestamp, direction, message, response?, duration?, origin?}`. `direction` is the kind of the
//! message and `origin` its sender; a request and its answer are one entry, taken apart here and put in order of time.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{Elements, offset_in};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Proof, Skip, Vantage, time};
use crate::error::Result;
use crate::json::scan::{members, unquoted};
use crate::protocol::Side;

/// The format.
pub(crate) struct Inspector;

impl Format for Inspector {
    fn name(&self) -> &'static str {
        "mcp-inspector-history"
    }

    fn about(&self) -> &'static str {
        "MCP Inspector: the history that it downloads"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let inner = sample.text().trim_start().strip_prefix('[')?.trim_start();
        let (mut kind, mut message, mut time) = (false, false, false);
        for member in members(inner) {
            match member.key {
                "direction" => kind = matches!(unquoted(member.value), "request" | "response" | "notification"),
                "message" => message = member.value.starts_with('{'),
                "timestamp" => time = true,
                _ => {}
            }
        }
        (kind && message && time)
            .then(|| Match::new(84, "it is an array of history entries with `direction` and `message`"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(InspectorReader))
    }
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    origin: Option<String>,
}

/// One message with its place.
struct Part<'a> {
    text: &'a str,
    line: u64,
    at_us: Option<i64>,
    side: Option<Side>,
}

struct InspectorReader;

impl WholeReader for InspectorReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let mut parts = parts(text, out)?;
        if parts.first().zip(parts.last()).is_some_and(|(first, last)| last.at_us < first.at_us) {
            parts.reverse();
        }
        parts.sort_by_key(|part| part.at_us);
        let directed = parts.iter().all(|part| part.side.is_some());
        let channel = out.channel(Channel {
            vantage: Vantage::Client,
            proof: if directed { Proof::FULL } else { Proof::FULL.without(Proof::DIRECTION) },
            resolution_us: 1_000,
            ..Channel::default()
        })?;
        for part in parts {
            let place = Place {
                line: part.line,
                byte_offset: base + offset_in(text, part.text) as u64,
                channel,
                at_us: part.at_us,
                direction: part.side.map_or(Direction::Unknown, Direction::By),
                stream: None,
                taps: None,
            };
            out.promised(&place, part.text, false)?;
        }
        Ok(())
    }
}

fn parts<'a>(text: &'a str, out: &mut Out<'_>) -> Result<Vec<Part<'a>>> {
    let (mut found, mut lines) = (Vec::new(), LineNumbers::new(text));
    let mut entries = Elements::new(text, Some(0), "array of entries")?;
    for (offset, raw) in entries.by_ref() {
        let line = lines.of(offset);
        let Ok(entry) = serde_json::from_str::<Entry<'a>>(raw) else {
            out.skip(line, Skip::NotAMessage);
            continue;
        };
        let at_us = entry.timestamp.as_deref().and_then(time::parse).map(|time| time.us);
        let side = match entry.origin.as_deref() {
            Some("client") => Some(Side::Client),
            Some("server") => Some(Side::Server),
            _ => None,
        };
        found.push(Part { text: entry.message.get(), line, at_us, side });
        if let Some(response) = entry.response {
            let later = entry.duration.filter(|ms| *ms >= 0.0 && *ms < 1e12).map_or(0, |ms| (ms * 1000.0) as i64);
            let at_us = at_us.map(|at| at + later);
            found.push(Part { text: response.get(), line, at_us, side: side.map(Side::peer) });
        }
    }
    if let Some(cut) = entries.cut {
        out.skip(lines.of(cut), Skip::CutOff);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::json;

    const SAMPLE: &str = include_str!("../../../samples/formats/mcp-inspector-history/1.json");

    #[test]
    fn answers_are_taken_out_of_their_requests_and_put_in_order() {
        let kept = read("mcp-inspector-history", SAMPLE);
        let got: Vec<_> = kept
            .frames
            .iter()
            .map(|f| (f.line, f.direction == Direction::By(Side::Client), f.at_us.map(|at| at % 1_000_000)))
            .collect();
        assert_eq!(got, [(2, true, Some(0)), (11, true, Some(20_000)), (2, false, Some(50_000))]);
        assert!(kept.channels[0].proof.covers(Proof::DIRECTION));
        let kept = read("mcp-inspector-history", &SAMPLE.replace(r#""origin": "client","#, ""));
        assert!(!kept.channels[0].proof.covers(Proof::DIRECTION));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn messages_come_back_as_they_were(all in proptest::collection::vec(("\\PC{0,20}", any::<bool>()), 1..6)) {
            let (mut entries, mut want) = (Vec::new(), Vec::new());
            for (id, (text, answered)) in all.iter().enumerate() {
                let message = json!({"jsonrpc": "2.0", "id": id, "method": text});
                let response = json!({"jsonrpc": "2.0", "id": id, "result": {"text": text}});
                let mut entry = json!({"id": "x", "timestamp": format!("2026-11-21T06:45:{id:02}.000Z"), "direction": "request", "message": message, "origin": "client"});
                want.push(message.to_string());
                if *answered {
                    entry["response"] = response.clone();
                    entry["duration"] = 7.into();
                    want.push(response.to_string());
                }
                entries.push(entry);
            }
            entries.reverse();
            let kept = read("mcp-inspector-history", &json!(entries).to_string());
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), want);
        }

        #[test]
        fn no_document_makes_it_panic(text in "\\PC{0,30}") {
            read_as("mcp-inspector-history", json!([text, {"message": text, "timestamp": text}, [], null]).to_string().as_bytes());
        }
    }
}
