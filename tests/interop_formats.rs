//! Other people's logs, with the counts that were made of them by other means.
//!
//! They lie in `../shared/formats`, beside this repository; where that is missing the test says so and passes.

use std::collections::BTreeMap;
use std::path::Path;

use rpctape::capture::{Body, Channel, Direction, Frame, FrameSink, Overrides, Resume, Skip, open};
use rpctape::error::Result;
use rpctape::jsonrpc::{Kind, Message};
use rpctape::protocol::Side;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/formats");

/// Formats of the samples that are read so far.
const READ: [(&str, &str); 8] = [
    ("ndjson-stdio", "ndjson"),
    ("acp-ndjson", "ndjson"),
    ("json-edge-cases", "ndjson"),
    ("jsonl-wrapped", "jsonl-wrapped"),
    ("json-array", "json-array"),
    ("lsp-content-length-dump", "content-length"),
    ("claude-desktop-mcp-log", "claude-desktop-mcp-log"),
    ("claude-desktop-server-log", "claude-desktop-server-log"),
];

#[derive(Default, Debug)]
struct Counts {
    /// Kind of message to how many, for each direction that the log states.
    kinds: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    error_codes: BTreeMap<String, u64>,
    cancellations: u64,
    malformed: u64,
    first: Option<i64>,
    last: Option<i64>,
}

impl Counts {
    fn message(&mut self, direction: Direction, message: &Message<'_>) {
        let direction = match direction {
            Direction::By(Side::Client) => "client->server",
            Direction::By(Side::Server) => "server->client",
            Direction::Sent => "sent-by-logger",
            Direction::Received => "received-by-logger",
            Direction::Unknown => "undirected",
        };
        let kind = match message.kind {
            Kind::Request => "request",
            Kind::Notification => "notification",
            Kind::Result => "response",
            Kind::Error | Kind::Unclassified => "error-response",
        };
        *self.kinds.entry(direction).or_default().entry(kind).or_default() += 1;
        if let Some(code) = message.error_code() {
            *self.error_codes.entry(code.to_string()).or_default() += 1;
        }
        let cancels = ["$/cancelRequest", "$/cancel_request", "notifications/cancelled", "session/cancel"];
        self.cancellations += u64::from(cancels.contains(&message.method()));
    }

    fn total(&self, kind: &str) -> u64 {
        self.kinds.values().filter_map(|kinds| kinds.get(kind)).sum()
    }
}

impl FrameSink for Counts {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, frame: Frame<'_>) -> Result<()> {
        match &frame.body {
            Body::Message(captured) => self.message(frame.direction, &captured.message),
            Body::Batch { members, .. } => {
                members
                    .iter()
                    .filter_map(|(_, member)| member.as_ref().ok())
                    .for_each(|(message, _)| self.message(frame.direction, message));
            }
            Body::Malformed { .. } => self.malformed += 1,
            _ => return Ok(()),
        }
        self.first = self.first.or(frame.at_us);
        self.last = frame.at_us.or(self.last);
        Ok(())
    }

    fn skipped(&mut self, _: u64, _: Skip) {}
    fn progress(&mut self, _: u64) {}
}

#[test]
fn samples_of_others_give_the_counts_that_others_made() {
    let list = Path::new(SHARED).join("expected.json");
    let Ok(list) = std::fs::read_to_string(&list) else {
        eprintln!("SKIPPED: {} is missing, nothing was compared", list.display());
        return;
    };
    let expected: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&list).expect("JSON");
    let mut compared = 0;
    for (name, want) in &expected {
        let Some((_, format)) = READ.iter().find(|(folder, _)| name.starts_with(&format!("{folder}/"))) else {
            continue;
        };
        compare(name, format, want);
        compared += 1;
    }
    assert!(compared >= 14, "only {compared} samples were compared");
}

fn compare(name: &str, format: &str, want: &serde_json::Value) {
    let path = format!("{SHARED}/{name}");
    let mut source = open(&path, &Overrides::default()).expect(name);
    assert_eq!(source.format(), format, "{name}: {}", source.reason());
    let mut got = Counts::default();
    source.read(0, Resume::default(), &mut got).expect(name);
    let directions = want["by_direction"].as_object().expect("directions");
    for kind in ["request", "notification", "response", "error-response"] {
        let wanted: u64 = directions.values().filter_map(|kinds| kinds[kind].as_u64()).sum();
        assert_eq!(got.total(kind), wanted, "{name}: {kind}: {got:?}");
        for stated in ["client->server", "server->client"] {
            if let Some(kinds) = got.kinds.get(stated) {
                let wanted = directions.get(stated).and_then(|kinds| kinds[kind].as_u64()).unwrap_or(0);
                assert_eq!(kinds.get(kind).copied().unwrap_or(0), wanted, "{name}: {stated} {kind}");
            }
        }
    }
    let codes: BTreeMap<String, u64> = serde_json::from_value(want["error_codes"].clone()).expect("codes");
    assert_eq!(got.error_codes, codes, "{name}");
    let cancels: u64 =
        want["cancellations"].as_array().expect("a list").iter().filter_map(|one| one["count"].as_u64()).sum();
    assert_eq!((got.cancellations, got.malformed), (cancels, 0), "{name}");
    assert_eq!(got.first.is_some(), !want["first"].is_null(), "{name}: first time");
    assert_eq!(got.last.is_some(), !want["last"].is_null(), "{name}: last time");
}
