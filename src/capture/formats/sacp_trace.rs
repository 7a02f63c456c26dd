//! Traces of the ACP conductor (`sacp-conductor agent --trace FILE.jsons`, `sacp-conductor/src/trace.rs`): what passed between
//! an editor, its proxies and an agent, one event a line.
//!
//! Two neighbours of the chain are a connection; the one that is nearer to the editor is its client. MCP goes through the same
//! chain the other way round: the agent is the client, and a proxy has the server. Only calls say which protocol they are
//! of; an answer belongs where its request stood, since ids are unique in a trace. Which of several MCP servers behind one
//! proxy was meant is not in the trace, nor are answers to requests that the conductor did not know.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Proof, Skip, Vantage};
use crate::error::Result;
use crate::protocol::{Side, by_name};

/// The format.
pub(crate) struct SacpTrace;

/// What no trace can prove: messages are put together from its members, and the id in a cancel may be that of another hop.
const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE).without(Proof::ALL_ANSWERS).without(Proof::CANCEL_TARGET);

/// How many requests are remembered.
const WAITING: usize = 65_536;

impl Format for SacpTrace {
    fn name(&self) -> &'static str {
        "sacp-trace"
    }

    fn about(&self) -> &'static str {
        "the ACP conductor's trace (.jsons): ACP and MCP between editor, proxies and agent"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let is_event = |line: &str| {
            line.contains("\"from\"")
                && serde_json::from_str::<SacpLine<'_>>(line).is_ok_and(|event| event.hop().is_some())
        };
        sample.lines().any(is_event).then(|| Match::new(88, "it has events between Client, Proxy(N) and Agent"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Lines(Box::<TraceReader>::default())
    }
}

#[derive(Deserialize)]
struct SacpLine<'a> {
    #[serde(rename = "type")]
    kind: Kind,
    ts: f64,
    #[serde(default)]
    protocol: Protocol,
    from: String,
    to: String,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: String,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default)]
    is_error: bool,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Request,
    Response,
    Notification,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Protocol {
    #[default]
    Acp,
    Mcp,
}

/// Two neighbours of the chain.
struct Hop {
    /// Both, the one nearer to the editor first.
    name: String,
    /// True where the message goes away from the editor.
    outward: bool,
}

impl SacpLine<'_> {
    /// Between whom it passed; nothing where a name is not one of the conductor's.
    fn hop(&self) -> Option<Hop> {
        let (from, to) = (place_in_chain(&self.from)?, place_in_chain(&self.to)?);
        let outward = from < to;
        let (near, far) = if outward { (&self.from, &self.to) } else { (&self.to, &self.from) };
        (from != to).then(|| Hop { name: format!("{near}-{far}"), outward })
    }

    /// Writes the message.
    fn write(&self, json: &mut String) {
        json.clear();
        json.push_str("{\"jsonrpc\":\"2.0\"");
        let mut member = |key: &str, value: &str| {
            [",\"", key, "\":", value].into_iter().for_each(|part| json.push_str(part));
        };
        if self.kind != Kind::Notification {
            member("id", self.id.map_or("null", |id| id.get()));
        }
        if self.kind == Kind::Response {
            let key = if self.is_error { "error" } else { "result" };
            member(key, self.payload.map_or("null", |payload| payload.get()));
        } else {
            // So the conductor hands a proxy the handshake of its client.
            let method = if self.method == "_proxy/initialize" { "initialize" } else { &self.method };
            member("method", &serde_json::Value::from(method).to_string());
            if let Some(params) = self.params.filter(|params| params.get() != "null") {
                member("params", params.get());
            }
        }
        json.push('}');
    }
}

/// How far from the editor a member of the chain stands.
fn place_in_chain(name: &str) -> Option<u32> {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "client" => Some(0),
        "agent" => Some(u32::MAX),
        _ => {
            let number = name.strip_prefix("proxy")?.trim_matches(|c| matches!(c, '(' | ')' | ':'));
            number.parse::<u32>().ok()?.checked_add(1)
        }
    }
}

#[derive(Default)]
struct TraceReader {
    channels: Channels,
    /// Of which protocol a request is, by its id.
    waiting: FxHashMap<String, Protocol>,
    json: String,
}

impl LineReader for TraceReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let event = serde_json::from_str::<SacpLine<'_>>(&text);
        let found = event.as_ref().ok().and_then(|event| Some((event, event.hop()?)));
        let Some((event, hop)) = found else {
            let cut = event.is_err_and(|error| error.is_eof()) && !line.ended;
            out.skip(line.number, if cut { Skip::CutOff } else { why(&text) });
            return Ok(());
        };
        let protocol = self.protocol(event);
        let is_client = hop.outward == (protocol == Protocol::Acp);
        let place = Place {
            line: line.number,
            byte_offset: line.offset,
            channel: self.channel(&hop, protocol, out)?,
            at_us: Some((event.ts * 1e6).round() as i64),
            direction: Direction::By(if is_client { Side::Client } else { Side::Server }),
            stream: None,
            taps: None,
        };
        event.write(&mut self.json);
        out.put_json(&place, &text, &self.json)
    }
}

fn why(text: &str) -> Skip {
    if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }
}

impl TraceReader {
    fn protocol(&mut self, event: &SacpLine<'_>) -> Protocol {
        let id = event.id.map_or("", |id| id.get());
        match event.kind {
            Kind::Response => self.waiting.remove(id).unwrap_or_default(),
            Kind::Request if self.waiting.len() < WAITING => {
                self.waiting.insert(id.to_string(), event.protocol);
                event.protocol
            }
            _ => event.protocol,
        }
    }

    fn channel(&mut self, hop: &Hop, protocol: Protocol, out: &mut Out<'_>) -> Result<u32> {
        let (word, proof) = match protocol {
            Protocol::Acp => ("acp", PROOF),
            Protocol::Mcp => ("mcp", PROOF.without(Proof::PAIRING)),
        };
        let name = format!("{}/{word}", hop.name);
        self.channels.get(&name, out, || Channel {
            name: Some(name.clone()),
            profile: by_name(word, None),
            vantage: Vantage::Proxy,
            proof,
            ..Channel::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as, told};
    use proptest::prelude::*;

    const SAMPLE: &str = include_str!("../../../samples/formats/sacp-trace/1.jsons");

    #[test]
    fn hops_are_connections_and_mcp_goes_the_other_way() {
        let kept = read("sacp-trace", SAMPLE);
        assert_eq!(kept.names(), [Some("Client-Proxy(0)/acp"), Some("Proxy(0)-Agent/acp"), Some("Proxy(0)-Agent/mcp")]);
        let of = |channel: u32, side| {
            let is_there = |frame: &&crate::capture::testing::KeptFrame| {
                frame.channel == channel && frame.direction == Direction::By(side)
            };
            kept.frames.iter().filter(is_there).count()
        };
        let counts = [0, 1, 2].map(|channel| [of(channel, Side::Client), of(channel, Side::Server)]);
        assert_eq!(counts, [[3, 4], [4, 5], [3, 2]], "21 events");
        let first = kept.frames[0].json.as_deref().unwrap_or_default();
        assert!(first.starts_with(r#"{"jsonrpc":"2.0","id":"u0","method":"initialize","params":{"#), "{first}");
        assert_eq!(kept.frames[0].at_us, Some(13_000));
    }

    #[test]
    fn names_that_are_not_of_the_chain_are_no_events() {
        let line =
            r#"{"type":"request","ts":0.1,"protocol":"acp","from":"A","to":"B","id":1,"method":"x","params":{}}"#;
        assert_ne!(told(line.as_bytes()).map(|(name, _)| name), Some("sacp-trace"));
        let kept = read_as("sacp-trace", format!("{line}\n{}", &SAMPLE[..100]).as_bytes());
        assert_eq!((kept.frames.len(), kept.skipped.len()), (0, 2));
        assert_eq!(
            ["client", "Proxy(0)", "proxy:7", "AGENT", "proxy:", "x"].map(place_in_chain).map(|at| at.is_some()),
            [true, true, true, true, false, false]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..2000, tail in "[{}\\[\\]\",:a-z0-9\\\\]{0,60}") {
            read_as("sacp-trace", &bytes);
            let at = at.min(SAMPLE.len());
            read_as("sacp-trace", format!("{}{tail}\n{SAMPLE}", &SAMPLE[..at]).as_bytes());
        }
    }
}
