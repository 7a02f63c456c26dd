//! Logs that are known and hold no messages: named when they are refused, with what records more. Their signs are data.

use std::sync::OnceLock;

use regex::Regex;
use serde::Deserialize;

use super::sample::Sample;
use crate::error::{Error, ErrorKind};

/// One of so many lines must fit.
const SHARE: usize = 5;

#[derive(Deserialize)]
struct File {
    log: Vec<Known>,
}

/// A log that is known.
#[derive(Deserialize)]
struct Known {
    name: String,
    lines: String,
    unless: Option<String>,
    why: String,
    instead: String,
    /// True where parts of messages stand in it, and no record has a whole one.
    #[serde(default)]
    pieces: bool,
}

/// The same with its expressions compiled.
struct Ready {
    known: Known,
    lines: Regex,
    unless: Option<Regex>,
}

fn all() -> &'static [Ready] {
    static ALL: OnceLock<Vec<Ready>> = OnceLock::new();
    ALL.get_or_init(|| {
        // A table that is broken names nothing; the tests below read all of it.
        let known = toml::from_str(include_str!("refusals.toml")).map(|file: File| file.log).unwrap_or_default();
        known.into_iter().filter_map(Ready::new).collect()
    })
}

impl Ready {
    fn new(known: Known) -> Option<Ready> {
        let unless = known.unless.as_deref().map(Regex::new).transpose().ok()?;
        Some(Ready { lines: Regex::new(&known.lines).ok()?, unless, known })
    }

    fn error(&self, name: &str) -> Error {
        let message = format!("{name} is {}: {}", self.known.name, self.known.why);
        Error::new(ErrorKind::Input, message).hint(self.known.instead.clone())
    }

    /// How many lines fit.
    fn count(&self, lines: &[String]) -> usize {
        match &self.unless {
            Some(unless) if lines.iter().any(|line| unless.is_match(line)) => 0,
            _ => lines.iter().filter(|line| self.lines.is_match(line)).count(),
        }
    }
}

/// What stands in every log with pieces of messages. Most logs have none of it, and then no expression is compiled.
const PIECES: [&str; 2] = ["http_streamed_trace", "httpStreamedTrace"];

/// The error for a log whose records are known to hold pieces of messages: what looks like a whole one there may be a part.
pub(super) fn in_pieces(name: &str, sample: &Sample) -> Option<Error> {
    if !PIECES.iter().any(|sign| sample.text().contains(sign)) {
        return None;
    }
    let fits = |ready: &&Ready| ready.known.pieces && sample.lines().any(|line| ready.lines.is_match(line));
    all().iter().find(fits).map(|found| found.error(name))
}

/// The error for a log that is known and holds no messages; `name` is the file's.
pub(super) fn known(name: &str, sample: &Sample) -> Option<Error> {
    // Inside the strings of a wrapper quotes have backslashes.
    let lines: Vec<String> = sample.lines().map(|line| line.replace('\\', "")).collect();
    // Where parts of messages stand, it is not the messages that its writer leaves out.
    if lines.iter().any(|line| line.contains("\"jsonrpc\"")) {
        return None;
    }
    // The most telling stand first: of equal counts the first one wins.
    let best = all().iter().map(|ready| (ready.count(&lines), ready)).rev().max_by_key(|(count, _)| *count);
    let (_, best) = best.filter(|(count, _)| *count > 0 && *count * SHARE >= lines.len())?;
    Some(best.error(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<String> {
        let error = known("x.log", &Sample::new(text.as_bytes(), true, false))?;
        assert!(error.hint.is_some_and(|hint| hint.len() > 20), "every refusal says what to do");
        Some(error.message)
    }

    #[test]
    fn the_whole_table_is_read() {
        let file: File = toml::from_str(include_str!("refusals.toml")).unwrap();
        assert!(file.log.len() > 10);
        assert_eq!(all().len(), file.log.len(), "every expression compiles");
    }

    #[test]
    fn logs_without_messages_are_named_with_what_records_more() {
        let logs = [
            (
                "{\"debug\":\"Calling MCP tool: x\",\"timestamp\":\"t\",\"sessionId\":\"s\",\"cwd\":\"/\"}",
                "Claude Code",
            ),
            ("2026-09-03T08:15:00.000Z [DEBUG] MCP server \"a b\": Calling MCP tool: x", "Claude Code"),
            ("2026-09-03 08:15:00.377 [info] Handling CallTool action for tool 'x' with toolCallId: c", "Cursor"),
            ("INFO  2026-09-03T08:15:00 +5ms service=mcp key=x found", "opencode"),
            ("  - Calling tool x with arguments: 1 argument(s)\n  > Calling tool x took: 2ms", "Docker MCP gateway"),
            ("{\"event\": \"request_start\", \"method\": \"tools/call\", \"source\": \"client\"}", "FastMCP"),
            ("event=request_success method=tools/call source=client duration_ms=1.2", "FastMCP"),
            ("t info request gateway=a/b protocol=mcp mcp.method.name=tools/call mcp.session.id=s", "agentgateway"),
            ("  \"debug\": \"Calling MCP tool: x\",\n  \"cwd\": \"/\"", "Claude Code"),
            ("{\"msg\":\"audit_event\",\"type\":\"mcp_tool_call\",\"target\":{\"method\":\"tools/call\"}}", "ToolHive"),
            ("{\"apisix_latency\":1,\"request\":{\"method\":\"POST\"}}", "APISIX"),
            ("{\"ai\":{\"mcp\":{\"rpc\":[{\"id\":\"1\",\"method\":\"tools/list\",\"latency\":4}]}}}", "Kong"),
            ("{\"eventSource\":\"s3.amazonaws.com\",\"eventName\":\"PutObject\"}", "CloudTrail"),
            ("{\"callType\":\"tools/call\",\"callIdentifier\":\"x\"}", "Obot"),
            ("{\"usage_type\":\"x\",\"tool\":\"y\"}", "MCPSpy"),
            ("[2026-03-02T10:00:00Z] [INFO] [startup] MCPG Gateway version 1", "gh-aw-mcpg"),
            ("2026-03-02T10:00:00Z  INFO codex_mcp_client: spawned server x", "Codex"),
            ("INFO [03-02|10:00:00.201] Imported new chain segment number=12", "geth"),
            ("{\"RequestMethod\":\"POST\",\"RequestPath\":\"/mcp\"}", "access log of a web server"),
            ("{\"mcp_method\":\"tools/call\",\"status\":200}", "API gateway"),
            ("{\"name\":\"x\",\"attributes\":{\"mcp.method.name\":\"tools/call\"}}", "spans without ids"),
            (
                "Client -> Adapter: {\"seq\":1,\"type\":\"request\",\"command\":\"initialize\"}",
                "Debug Adapter Protocol",
            ),
            ("{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\"}", "Kubernetes"),
            ("[Local→Remote] tools/call", "--debug"),
            ("10.0.0.1 - - [03/Sep/2026:08:15:00 +0000] \"POST /mcp HTTP/1.1\" 200 12", "access log of a web server"),
            ("level=info msg=\"handled tools/call in 3 ms\"", "names methods"),
            ("{\"log\":\"{\\\"event\\\": \\\"request_start\\\", \\\"method\\\": \\\"x\\\"}\\n\"}", "FastMCP"),
        ];
        for (text, want) in logs {
            assert!(named(text).is_some_and(|message| message.contains(want)), "{text}: {:?}", named(text));
        }
    }

    #[test]
    fn pieces_of_messages_are_refused_though_some_are_whole() {
        let log = "{\"http_streamed_trace_segment\":{\"trace_id\":\"1\",\"request_body_chunk\":{\"as_string\":\"{\\\"jsonrpc\\\":\\\"2.0\\\"}\"}}}";
        let error = in_pieces("x.log", &Sample::new(log.as_bytes(), true, false)).unwrap();
        assert!(error.message.contains("Envoy's streamed tap") && error.hint.is_some());
        assert!(in_pieces("x.log", &Sample::new(b"{\"http_buffered_trace\":{}}", true, false)).is_none());
    }

    #[test]
    fn what_is_not_known_is_not_named_and_one_line_in_many_names_nothing() {
        assert_eq!(named("hello\nworld\n"), None);
        let rare = format!("{}\"POST /mcp HTTP/1.1\"\n", "something else\n".repeat(9));
        assert_eq!(named(&rare), None);
        let cut = "{\"msg\":\"audit_event\",\"body\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":3,\\\"me";
        assert_eq!(named(cut), None);
        let with_ids = "{\"mcp.method.name\":\"tools/call\",\"jsonrpc.request.id\":\"3\"}";
        assert!(!named(with_ids).is_some_and(|message| message.contains("spans")));
    }
}
