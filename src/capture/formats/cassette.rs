//! Cassettes of mcp-recorder (devhelmhq/mcp-recorder): pairs of request and response, to be played back.
//!
//! The pairs are in the order of the file; nothing tells how they overlapped. Each is a stream of its own, so that no
//! order between two of them is taken for a fact. A call has no time of its own, and answers that were not paired are
//! not in the file.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{Elements, offset_in, value_of};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Transport, Vantage};
use crate::error::Result;
use crate::protocol::Side;

/// The format.
pub(crate) struct Cassette;

impl Format for Cassette {
    fn name(&self) -> &'static str {
        "mcp-recorder-cassette"
    }

    fn about(&self) -> &'static str {
        "mcp-recorder: a cassette with pairs of request and response"
    }

    fn proof(&self) -> Proof {
        Proof::FULL.without(Proof::ALL_ANSWERS)
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text();
        let listed = text.trim_start().starts_with('{') && text.contains("\"interactions\"");
        let known =
            ["\"jsonrpc_request\"", "\"response_is_sse\"", "\"latency_ms\""].iter().any(|sign| text.contains(sign));
        (listed && known).then(|| Match::new(86, "it is a JSON document with `interactions`"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(CassetteReader))
    }
}

#[derive(Deserialize)]
struct Interaction<'a> {
    #[serde(borrow, default)]
    request: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    #[serde(default)]
    http_method: Option<String>,
}

struct CassetteReader;

impl WholeReader for CassetteReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let mut list = Elements::new(text, value_of(text, 0, &["interactions"]), "list of interactions")?;
        let channel = out.channel(Channel {
            vantage: Vantage::Proxy,
            transport: Transport::Http,
            proof: Proof::FULL.without(Proof::ALL_ANSWERS),
            ..Channel::default()
        })?;
        let mut lines = LineNumbers::new(text);
        for (stream, (offset, raw)) in (1..).zip(list.by_ref()) {
            let line = lines.of(offset);
            let Ok(pair) = serde_json::from_str::<Interaction<'_>>(raw) else {
                out.skip(line, Skip::NotAMessage);
                continue;
            };
            let place = |side, part: &str, lines: &mut LineNumbers<'_>| {
                let offset = offset_in(text, part);
                Place {
                    line: lines.of(offset),
                    byte_offset: base + offset as u64,
                    channel,
                    at_us: None,
                    direction: Direction::By(side),
                    stream: Some(stream),
                    taps: None,
                }
            };
            let parts = [(pair.request, Side::Client), (pair.response, Side::Server)];
            for (part, side) in parts {
                if let Some(part) = part {
                    let place = place(side, part.get(), &mut lines);
                    out.promised(&place, part.get(), false)?;
                }
            }
            if pair.http_method.as_deref() == Some("DELETE") {
                let place = Place { stream: None, ..place(Side::Client, raw, &mut lines) };
                out.put(&place, Body::Close { by: Some(Side::Client) })?;
            } else if pair.request.is_none() && pair.response.is_none() {
                out.skip(line, Skip::Header);
            }
        }
        if let Some(cut) = list.cut {
            out.skip(lines.of(cut), Skip::CutOff);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const SAMPLE: &str = include_str!("../../../samples/formats/mcp-recorder-cassette/1.json");

    #[test]
    fn pairs_are_streams() {
        let kept = read("mcp-recorder-cassette", SAMPLE);
        let got: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.stream)).collect();
        let want = [
            ("message", Some(1)),
            ("message", Some(1)),
            ("message", Some(2)),
            ("message", Some(3)),
            ("message", Some(3)),
            ("close", None),
        ];
        assert_eq!(got, want);
        assert_eq!(kept.skipped, [(27, Skip::Header)]);
        assert!(SAMPLE[kept.frames[1].byte_offset as usize..].starts_with(&kept.frames[1].text));
        assert!(!kept.channels[0].proof.covers(Proof::ALL_ANSWERS));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn messages_come_back_as_they_were(all in proptest::collection::vec(("\\PC{0,20}", any::<bool>()), 1..6)) {
            let (mut pairs, mut want) = (Vec::new(), Vec::new());
            for (id, (text, answered)) in all.iter().enumerate() {
                let request = json!({"jsonrpc": "2.0", "id": id, "method": text});
                let response = json!({"jsonrpc": "2.0", "id": id, "result": {"text": text}});
                want.push(request.to_string());
                want.extend(answered.then(|| response.to_string()));
                let response = if *answered { response } else { Value::Null };
                pairs.push(json!({"type": "jsonrpc_request", "request": request, "response": response}));
            }
            let kept = read("mcp-recorder-cassette", &json!({"version": "1.0", "interactions": pairs}).to_string());
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), want);
        }

        #[test]
        fn no_document_makes_it_panic(text in "\\PC{0,30}") {
            read_as("mcp-recorder-cassette", json!({"interactions": [text, {"request": text, "response": [text]}, [], null]}).to_string().as_bytes());
        }
    }
}
