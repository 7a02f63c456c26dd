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

/// Folders of samples, and the format that each is read as.
const READ: &[(&str, &str)] = &[
    ("acp-ndjson", "ndjson"),
    ("adhoc-server-log", "adhoc-server-log"),
    ("clangd-info", "clangd-info"),
    ("clangd-verbose", "clangd-verbose"),
    ("claude-desktop-mcp-log", "claude-desktop-mcp-log"),
    ("claude-desktop-server-log", "claude-desktop-server-log"),
    ("emacs-jsonrpc-json", "emacs-jsonrpc-json"),
    ("emacs-lsp-bridge", "emacs-lsp-bridge"),
    ("gopls-rpc-trace", "gopls-rpc-trace"),
    ("har", "har"),
    ("helix-log", "helix-log"),
    ("json-array", "json-array"),
    ("json-edge-cases", "ndjson"),
    ("jsonl-wrapped", "jsonl-wrapped"),
    ("lsp-content-length-dump", "content-length"),
    ("lsp-devtools-file", "ndjson"),
    ("lsp-devtools-sqlite", "lsp-devtools-sqlite"),
    ("lsp-mode-io-log", "lsp-mode-io-log"),
    ("lsp-mode-print-io", "lsp-mode-print-io"),
    ("lsp4ij-console-trace", "lsp4ij-console-trace"),
    ("lsp4j-trace", "lsp4j-trace"),
    ("mcp-go-sdk-loggingtransport", "mcp-go-sdk-loggingtransport"),
    ("mcp-proxy-debug", "mcp-proxy-debug"),
    ("mcp-recorder-cassette", "mcp-recorder-cassette"),
    ("mcpsnoop-jsonl", "mcpsnoop-jsonl"),
    ("ndjson-stdio", "ndjson"),
    ("strace", "strace"),
    ("vscode-lsp-json", "vscode-lsp-json"),
    ("vscode-mcp-output", "vscode-mcp-output"),
    ("vscode-trace-logoutputchannel", "vscode-trace-logoutputchannel"),
    ("vscode-trace-text", "vscode-trace-text"),
    ("zed-acp-log", "zed-acp-log"),
    ("zed-lsp-log", "zed-lsp-log"),
];

/// Samples in which the list counts less than the log holds, and what the log holds beside it (seen by eye).
const MORE: &[(&str, &str, u64)] =
    &[("lsp-mode-print-io/1.txt", "notification", 1), ("lsp-mode-print-io/1.txt", "response", 1)];

#[derive(Default, Debug)]
struct Counts {
    /// Kind of message to how many, for each direction that the log states.
    kinds: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    error_codes: BTreeMap<String, u64>,
    cancellations: u64,
    malformed: u64,
    first: Option<i64>,
    last: Option<i64>,
    /// The side that wrote the log, for each channel.
    loggers: Vec<Option<Side>>,
}

impl Counts {
    fn message(&mut self, channel: u32, direction: Direction, message: &Message<'_>) {
        let logger = self.loggers[channel as usize];
        let direction = match (direction, logger) {
            (Direction::Sent, Some(side)) => Direction::By(side),
            (Direction::Received, Some(side)) => Direction::By(side.peer()),
            (stated, _) => stated,
        };
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
    fn channel(&mut self, _: u32, channel: Channel) -> Result<()> {
        self.loggers.push(channel.vantage.side());
        Ok(())
    }

    fn frame(&mut self, frame: Frame<'_>) -> Result<()> {
        match &frame.body {
            Body::Message(captured) => self.message(frame.channel, frame.direction, &captured.message),
            Body::Batch { members, .. } => {
                members
                    .iter()
                    .filter_map(|(_, member)| member.as_ref().ok())
                    .for_each(|(message, _)| self.message(frame.channel, frame.direction, message));
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
    let (mut compared, mut wrong, mut left) = (0, Vec::new(), Vec::new());
    for (name, want) in &expected {
        match READ.iter().find(|(folder, _)| name.starts_with(&format!("{folder}/"))) {
            None => left.push(name.as_str()),
            Some((_, format)) => {
                compared += 1;
                if let Err(why) = compare(name, format, want) {
                    wrong.push(format!("{name}: {why}"));
                }
            }
        }
    }
    println!("{compared} samples compared; not read: {}", left.join(", "));
    assert!(wrong.is_empty(), "{} of {compared} samples are read otherwise:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 30, "only {compared} samples were compared");
}

fn compare(name: &str, format: &str, want: &serde_json::Value) -> std::result::Result<(), String> {
    let path = format!("{SHARED}/{name}");
    let mut source = open(&path, &Overrides::default()).map_err(|error| error.to_string())?;
    if source.format() != format {
        return Err(format!("taken for {}: {}", source.format(), source.reason()));
    }
    let mut got = Counts::default();
    source.read(0, Resume::default(), &mut got).map_err(|error| error.to_string())?;
    counts(name, want, &got)
}

/// An error unless two values are the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> std::result::Result<(), String> {
    if got == want { Ok(()) } else { Err(format!("{what}: {got:?}, not {want:?}")) }
}

fn counts(name: &str, want: &serde_json::Value, got: &Counts) -> std::result::Result<(), String> {
    let directions = want["by_direction"].as_object().expect("directions");
    for kind in ["request", "notification", "response", "error-response"] {
        let more = MORE.iter().find(|(file, which, _)| *file == name && *which == kind).map_or(0, |(.., more)| *more);
        let wanted: u64 = directions.values().filter_map(|kinds| kinds[kind].as_u64()).sum();
        same(kind, &got.total(kind), &(wanted + more))?;
        for stated in ["client->server", "server->client"] {
            let relative = directions.keys().any(|key| key.ends_with("-by-logger") || key == "undirected");
            let wanted = directions.get(stated).and_then(|kinds| kinds[kind].as_u64()).unwrap_or(0);
            if let Some(kinds) = got.kinds.get(stated).filter(|_| !relative && more == 0) {
                same(&format!("{stated} {kind}"), &kinds.get(kind).copied().unwrap_or(0), &wanted)?;
            }
        }
    }
    let codes: BTreeMap<String, u64> = serde_json::from_value(want["error_codes"].clone()).expect("codes");
    same("error codes", &got.error_codes, &codes)?;
    let cancels: u64 =
        want["cancellations"].as_array().expect("a list").iter().filter_map(|one| one["count"].as_u64()).sum();
    same("cancellations, malformed", &(got.cancellations, got.malformed), &(cancels, 0))?;
    for (which, got) in [("first", got.first), ("last", got.last)] {
        // The list has the start of the last entry, and the answer in it ended later.
        if name.starts_with("har/") && which == "last" {
            continue;
        }
        same(&format!("{which} time"), &got.map(of_day), &want[which].as_str().map(written))?;
    }
    Ok(())
}

/// The time of day in milliseconds.
fn of_day(us: i64) -> i64 {
    us.rem_euclid(86_400_000_000) / 1_000
}

/// The same of a time as it is written in the list; -1 where its shape is not one of these.
fn written(text: &str) -> i64 {
    if let Ok(epoch) = text.parse::<f64>() {
        let digits = text.split('.').next().unwrap_or_default().len() as i32;
        return of_day((epoch * 10f64.powi(16 - digits)).round() as i64);
    }
    let (text, half) = match text.strip_suffix(" PM") {
        Some(text) => (text, 12),
        None => (text.strip_suffix(" AM").unwrap_or(text), 0),
    };
    let clock = text.find(':').and_then(|at| text.get(at.checked_sub(2)?..)).unwrap_or(text);
    let mut parts = clock.split([':', '.', ',', 'Z', '+']);
    let mut number = || parts.next().map_or("", str::trim).to_string();
    let (hour, minute, second, fraction) = (number(), number(), number(), number());
    let whole = |text: &str| text.parse::<i64>().ok();
    let fraction = whole(&format!("{fraction:0<3}")[..3]).unwrap_or(0);
    match (whole(&hour), whole(&minute), whole(&second)) {
        (Some(hour), Some(minute), Some(second)) => {
            (((hour + if hour < 12 { half } else { 0 }) * 60 + minute) * 60 + second) * 1_000 + fraction
        }
        _ => -1,
    }
}

#[test]
fn captures_of_packets_and_flows_are_refused_with_the_command_that_converts_them() {
    for (name, command) in [
        ("pcap-loopback-http/1.pcap", "tshark -r FILE -Y http.file_data"),
        ("mitmproxy-flow/1.mitm", "mitmdump -nr FILE --set hardump=FILE.har"),
    ] {
        let path = format!("{SHARED}/{name}");
        if !Path::new(&path).exists() {
            eprintln!("SKIPPED: {path} is missing");
            continue;
        }
        let error = open(&path, &Overrides::default()).map(|_| ()).expect_err(name);
        let hint = error.hint.expect(name);
        assert!(hint.contains(&command.replace("FILE", &path)), "{hint}");
    }
}
