//! The ACP messages that Zed exports: `dev: open acp logs`, then copy (`crates/acp_tools/src/acp_tools.rs`).
//!
//! An array of `{_direction, _type, id, method, params}` from Zed's side. An answer has its result or its error under
//! `params`, and an error is known by its shape alone. Answers to no known request are called `[unrecognized response]`.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{Elements, content, is_error};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::json::scan::members;
use crate::protocol::Side;

/// The format.
pub(crate) struct ZedAcp;

impl Format for ZedAcp {
    fn name(&self) -> &'static str {
        "zed-acp-log"
    }

    fn about(&self) -> &'static str {
        "Zed: the messages that `dev: open acp logs` copies"
    }

    fn proof(&self) -> Proof {
        Proof::FULL.without(Proof::ENVELOPE)
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text().trim_start();
        let inner = text.strip_prefix('[')?.trim_start();
        let first = members(inner).take(4).any(|member| member.key == "_direction");
        let found = first && inner.contains("\"_type\"");
        found.then(|| Match::new(86, "it is an array of objects with `_direction` and `_type`"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(ZedReader))
    }
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "_direction", default)]
    direction: String,
    #[serde(rename = "_type", default)]
    kind: String,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

struct ZedReader;

impl WholeReader for ZedReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let mut entries = Elements::new(text, Some(0), "array of messages")?;
        let channel = out.channel(Channel {
            // Which revision of ACP it is, its messages tell.
            vantage: Vantage::Client,
            proof: Proof::FULL.without(Proof::ENVELOPE),
            ..Channel::default()
        })?;
        let (mut lines, mut json) = (LineNumbers::new(text), String::new());
        for (offset, raw) in entries.by_ref() {
            let line = lines.of(offset);
            let Ok(entry) = serde_json::from_str::<Entry<'_>>(raw) else {
                out.skip(line, Skip::NotAMessage);
                continue;
            };
            let side = if entry.direction == "outgoing" { Side::Client } else { Side::Server };
            let place = Place {
                line,
                byte_offset: base + offset as u64,
                channel,
                at_us: None,
                direction: Direction::By(side),
                stream: None,
                taps: None,
            };
            if entry.kind == "stderr" {
                let said = entry.params.map_or("\"\"", |params| params.get());
                out.put(&place, Body::Stderr { text: &content(said) })?;
            } else if entry.write(&mut json) {
                out.put_json(&place, raw, &json)?;
            } else {
                out.skip(line, Skip::NotAMessage);
            }
        }
        if let Some(cut) = entries.cut {
            out.skip(lines.of(cut), Skip::CutOff);
        }
        Ok(())
    }
}

impl Entry<'_> {
    /// Writes the message; false for an entry of a kind that is not known.
    fn write(&self, json: &mut String) -> bool {
        json.clear();
        json.push_str("{\"jsonrpc\":\"2.0\"");
        let mut member = |key: &str, value: Option<&RawValue>| {
            if let Some(value) = value {
                [",\"", key, "\":", value.get()].into_iter().for_each(|part| json.push_str(part));
            }
        };
        match self.kind.as_str() {
            "request" => {
                member("id", self.id);
                member("method", self.method);
                member("params", self.params);
            }
            "notification" => {
                member("method", self.method);
                member("params", self.params);
            }
            "response" => {
                member("id", self.id);
                match self.params {
                    Some(params) if is_error(params.get()) => member("error", Some(params)),
                    Some(params) => member("result", Some(params)),
                    None => json.push_str(",\"result\":null"),
                }
            }
            _ => return false,
        }
        json.push('}');
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::read;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const SAMPLE: &str = include_str!("../../../samples/formats/zed-acp-log/1.json");

    #[test]
    fn results_and_errors_share_a_key() {
        let kept = read("zed-acp-log", SAMPLE);
        let json: Vec<Value> =
            kept.frames.iter().map(|f| serde_json::from_str(f.json.as_deref().unwrap_or("0")).expect("JSON")).collect();
        assert_eq!(json[1], json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}}));
        assert_eq!(json[3]["error"]["code"], -32800);
        assert_eq!(json[4], json!({"jsonrpc": "2.0", "id": "u-4", "result": null}));
        assert_eq!(kept.frames[3].direction, Direction::By(Side::Client));
        assert_eq!(
            (kept.frames[1].line, kept.frames[5].kind, kept.frames[5].text.as_str()),
            (11, "stderr", "warming up")
        );
        assert!(SAMPLE[kept.frames[1].byte_offset as usize..].starts_with(&kept.frames[1].text));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn messages_come_back_as_they_were(all in proptest::collection::vec(("\\PC{0,20}", 0u8..4, any::<bool>()), 1..6)) {
            let (mut entries, mut want) = (Vec::new(), Vec::new());
            for (id, (text, kind, outgoing)) in all.iter().enumerate() {
                let direction = if *outgoing { "outgoing" } else { "incoming" };
                let payload = json!({"text": text});
                let error = json!({"code": -7, "message": text});
                let (kind, params, message) = match kind {
                    0 => ("request", &payload, json!({"jsonrpc": "2.0", "id": id, "method": "m", "params": payload})),
                    1 => ("notification", &payload, json!({"jsonrpc": "2.0", "method": "m", "params": payload})),
                    2 => ("response", &payload, json!({"jsonrpc": "2.0", "id": id, "result": payload})),
                    _ => ("response", &error, json!({"jsonrpc": "2.0", "id": id, "error": error})),
                };
                let id = if kind == "notification" { Value::Null } else { json!(id) };
                entries.push(json!({"_direction": direction, "_type": kind, "id": id, "method": "m", "params": params}));
                want.push((*outgoing, message));
            }
            let kept = read("zed-acp-log", &format!("{:#}", Value::from(entries)));
            let got: Vec<(bool, Value)> = kept.frames.iter().map(|frame| {
                (frame.direction == Direction::By(Side::Client), serde_json::from_str(frame.json.as_deref().unwrap_or("")).expect("JSON"))
            }).collect();
            prop_assert_eq!(got, want);
        }
    }
}
