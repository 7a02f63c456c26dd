//! Logs of other people's programs, with counts that were made by other means.
//!
//! Where the counts name a side only as the writer of the log, or none, kinds are compared in sum: a side that the
//! reader resolves from what it knows of the format is as good.

use std::collections::BTreeMap;
use std::path::Path;

use rpctape::capture::{Body, Channel, Direction, Frame, FrameSink, Overrides, Resume, Skip, open};
use rpctape::error::Result;
use rpctape::jsonrpc::{Kind, Message};
use rpctape::protocol::Side;
use serde_json::Value;

/// Folders of samples, and the format that they are in.
const FOLDERS: [(&str, &str); 14] = [
    ("adhoc-python-bytes-truncated", "adhoc-python-bytes"),
    ("cloudwatch-filter-log-events", "cloudwatch > mcp-go-sdk-loggingtransport"),
    ("datadog-export", "datadog > mcp-go-sdk-loggingtransport"),
    ("docker-json-file", "docker > mcp-go-sdk-loggingtransport"),
    ("emacs-jsonrpc-plist", "emacs-jsonrpc-plist"),
    ("journald-json", "journald > mcp-go-sdk-loggingtransport"),
    ("kubernetes-cri", "kubernetes-cri > mcp-go-sdk-loggingtransport"),
    ("mcp-python-sdk-debug", "mcp-python-sdk-debug"),
    ("neovim-lsp-log", "neovim-lsp-log"),
    ("neovim-stderr-clangd", "neovim-stderr > clangd-verbose"),
    ("pylsp-verbose", "pylsp-verbose"),
    ("sublime-lsp-panel", "sublime-lsp-panel"),
    ("supergateway", "supergateway"),
    ("vim-lsp-log", "vim-lsp-log"),
];

/// Logs of which the counts leave out codes and cancels: they were made without reading Node's and Python's literals.
const NOT_COUNTED: [&str; 2] = ["supergateway/", "pylsp-verbose/"];

/// Frames counted as the counts are.
#[derive(Default, Debug)]
struct Counts {
    kinds: BTreeMap<(&'static str, &'static str), u64>,
    error_codes: BTreeMap<String, u64>,
    cancels: BTreeMap<(String, &'static str), u64>,
    malformed: u64,
    first: Option<i64>,
    last: Option<i64>,
}

fn name_of(direction: Direction) -> &'static str {
    match direction {
        Direction::By(Side::Client) => "client->server",
        Direction::By(Side::Server) => "server->client",
        Direction::Sent => "sent-by-logger",
        Direction::Received => "received-by-logger",
        Direction::Unknown => "undirected",
    }
}

impl Counts {
    fn message(&mut self, direction: Direction, message: &Message<'_>) {
        let kind = match message.kind {
            Kind::Request => "request",
            Kind::Notification => "notification",
            Kind::Result => "response",
            Kind::Error | Kind::Unclassified => "error-response",
        };
        let direction = name_of(direction);
        *self.kinds.entry((direction, kind)).or_default() += 1;
        if let Some(code) = message.error_code() {
            *self.error_codes.entry(code.to_string()).or_default() += 1;
        }
        if ["$/cancelRequest", "$/cancel_request", "notifications/cancelled", "session/cancel"]
            .contains(&message.method())
        {
            *self.cancels.entry((message.method().to_string(), direction)).or_default() += 1;
        }
    }

    /// The directions that were met.
    fn sides(&self) -> Vec<String> {
        self.kinds.keys().map(|(direction, _)| direction.to_string()).collect()
    }

    /// Messages of a kind, in one direction or in all.
    fn of(&self, direction: Option<&str>, kind: &str) -> u64 {
        let fits = |key: &(&str, &str)| key.1 == kind && direction.is_none_or(|direction| direction == key.0);
        self.kinds.iter().filter(|(key, _)| fits(key)).map(|(_, count)| count).sum()
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
                let members = members.iter().filter_map(|(_, member)| member.as_ref().ok());
                members.for_each(|(message, _)| self.message(frame.direction, message));
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
fn logs_of_others_give_the_counts_that_others_made() {
    let Some(folder) = crate::shared("formats") else { return };
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("the counts");
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&expected).expect("JSON");
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (name, want) in &expected {
        let Some((_, format)) = FOLDERS.iter().find(|(key, _)| name.starts_with(&format!("{key}/"))) else { continue };
        compared += 1;
        if let Err(why) = compare(&folder, name, format, want) {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= FOLDERS.len(), "only {compared} samples were compared");
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> std::result::Result<(), String> {
    if got == want { Ok(()) } else { Err(format!("{what}: got {got:?}, want {want:?}")) }
}

fn compare(folder: &Path, name: &str, format: &str, want: &Value) -> std::result::Result<(), String> {
    let path = folder.join(name).to_string_lossy().into_owned();
    let mut source = open(&path, &Overrides::default()).map_err(|error| error.message.clone())?;
    same("format", &source.format().to_string(), &format.to_string())
        .map_err(|why| format!("{why} ({})", source.reason()))?;
    let mut got = Counts::default();
    source.read(0, Resume::default(), &mut got).map_err(|error| error.message.clone())?;
    let directions = want["by_direction"].as_object().expect("directions");
    let resolved = directions.keys().chain(got.sides().iter()).all(|key| key.contains("->"));
    let kinds = ["request", "notification", "response", "error-response"];
    for kind in kinds {
        let of = |kinds: &Value| kinds[kind].as_u64().unwrap_or(0);
        same(kind, &got.of(None, kind), &directions.values().map(of).sum())?;
        for (direction, kinds) in directions.iter().filter(|_| resolved) {
            same(&format!("{direction} {kind}"), &got.of(Some(direction), kind), &of(kinds))?;
        }
    }
    let codes: BTreeMap<String, u64> = serde_json::from_value(want["error_codes"].clone()).expect("codes");
    let counted = !NOT_COUNTED.iter().any(|key| name.starts_with(key));
    if counted {
        same("error codes", &got.error_codes, &codes)?;
    }
    let side = |direction: &str| if resolved { direction.to_string() } else { String::new() };
    let cancels = want["cancellations"].as_array().into_iter().flatten();
    let count = |cancel: &Value| {
        let direction = side(cancel["direction"].as_str().unwrap_or_default());
        ((cancel["method"].as_str().unwrap_or_default().to_string(), direction), cancel["count"].as_u64().unwrap_or(0))
    };
    let cancels: BTreeMap<(String, String), u64> = cancels.map(count).collect();
    let mut found: BTreeMap<(String, String), u64> = BTreeMap::new();
    for ((method, direction), count) in &got.cancels {
        *found.entry((method.clone(), side(direction))).or_default() += count;
    }
    if counted || !cancels.is_empty() {
        same("cancels", &found, &cancels)?;
    }
    same("malformed", &got.malformed, &0)?;
    for (what, got, want) in [("first", got.first, &want["first"]), ("last", got.last, &want["last"])] {
        same(&format!("{what} time"), &got.map(clock), &want.as_str().and_then(clock_in))?;
    }
    Ok(())
}

/// The time of day, to the second: what every notation has in common.
fn clock(us: i64) -> String {
    let second = us.div_euclid(1_000_000).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// The time of day in a text, whatever its notation.
fn clock_in(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        return Some(clock(if text.len() > 13 { number } else { number * 1000 }));
    }
    let at = text.match_indices(':').map(|(at, _)| at).find(|at| text.get(at + 3..at + 4) == Some(":"))?;
    let hour: i64 = text.get(at.saturating_sub(2)..at)?.trim().parse().ok()?;
    let hour = if text.contains(" PM") && hour < 12 { hour + 12 } else { hour };
    Some(format!("{hour:02}{}", text.get(at..at + 6)?))
}
