//! `why`: every pattern has an incident of our own making that must be named, and clean logs name none.

mod common;

use common::{run, top};
use serde_json::Value;

fn why(args: &[&str]) -> String {
    let said = run(args);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.lines().count() <= 40, "more than one screen: {}", said.out);
    said.out
}

/// Letters of the patterns that are named in any connection of a log.
fn letters(log: &str) -> String {
    let said = run(&["why", log, "--format", "json"]);
    assert_eq!(said.code, 0, "{log}: {}", said.err);
    let told: Value = serde_json::from_str(&said.out).expect("a document");
    let connections = told["connections"].as_array().expect("connections").iter();
    let patterns = connections.flat_map(|connection| connection["patterns"].as_array().expect("patterns"));
    patterns.map(|pattern| pattern["letter"].as_str().expect("a letter")).collect()
}

#[test]
fn every_incident_is_named_first_by_the_letter_of_its_file() {
    let mut seen = std::collections::BTreeSet::new();
    let mut files: Vec<_> = std::fs::read_dir(top().join("samples/incidents")).expect("incidents").collect();
    files.sort_by_key(|entry| entry.as_ref().expect("an entry").file_name());
    for entry in files {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let letter = name.chars().next().expect("a letter");
        let named = letters(&format!("samples/incidents/{name}"));
        assert!(named.starts_with(letter), "{name}: {named}");
        seen.insert(letter);
    }
    assert!(seen.into_iter().eq('a'..='i'));
}

#[test]
fn clean_logs_name_nothing() {
    let expected = std::fs::read_to_string(top().join("tests/vectors/expected.json")).expect("expected.json");
    let expected: Value = serde_json::from_str(&expected).expect("JSON");
    let vectors = expected["vectors"].as_object().expect("vectors").iter();
    let clean = vectors.filter(|(_, vector)| vector["findings"].as_array().is_some_and(Vec::is_empty));
    let mut logs: Vec<String> = clean.map(|(name, _)| format!("tests/vectors/{name}.jsonl")).collect();
    logs.extend(["mcp", "acp", "lsp", "jsonrpc"].map(|protocol| format!("samples/{protocol}/good.jsonl")));
    for log in &logs {
        assert_eq!(letters(log), "", "{log}");
    }
    assert!(logs.len() >= 10, "{}", logs.len());
}

#[test]
fn progress_after_a_cancel_is_not_called_ok() {
    let cancelled = |log: &str| {
        let screen = why(&["why", log, "--width", "100"]);
        let mut lines = screen.lines().skip_while(|line| line.trim() != "CANCELLED");
        lines.nth(1).expect("the cancel").trim().to_string()
    };
    let went_on = cancelled("samples/faults/13-progress-after-cancel.jsonl");
    assert!(went_on.contains("progress until") && !went_on.ends_with("ok"), "{went_on}");
    // In MCP nothing is to be said after a cancel, not even that it was heard.
    let late = cancelled("samples/faults/07-error-32800-after-cancel.jsonl");
    assert!(late.ends_with("TOO LATE"), "{late}");
}

#[test]
fn one_screen_of_100_columns() {
    insta::assert_snapshot!(why(&["why", "samples/incidents/a-cycle.jsonl", "--width", "100"]));
}

#[test]
fn one_screen_of_80_columns() {
    let text = why(&["why", "samples/incidents/a-cycle.jsonl", "--width", "80"]);
    assert!(!text.contains("TIMELINE"));
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_is_stuck() {
    insta::assert_snapshot!(why(&["why", "samples/mcp/good.jsonl"]));
}

#[test]
fn several_connections_and_the_one_with_trouble_first() {
    let text = why(&["why", "samples/incidents", "--connection", "samples/incidents/d-one-tool.jsonl/1"]);
    assert!(text.contains("only tools/call index_repo hangs"), "{text}");
    let text = why(&["why", "samples/mcp"]);
    assert!(text.contains("samples/mcp/bad.jsonl/1") && text.contains("OTHER CONNECTIONS"), "{text}");
}

#[test]
fn every_line_fits_and_only_commands_that_exist_are_advised() {
    let help = run(&["--help"]).out;
    for width in ["60", "80", "100", "140"] {
        let text = why(&["why", "samples/mcp/bad.jsonl", "--width", width]);
        let most: usize = width.parse().expect("a number");
        for line in text.lines().filter(|line| !line.contains("rpctape ")) {
            assert!(line.chars().count() <= most, "{width}: {line}");
        }
        for line in text.lines().filter_map(|line| line.split("rpctape ").nth(1)) {
            let command = line.split(' ').next().expect("a word");
            assert!(help.contains(&format!("  {command} ")), "{command}");
        }
    }
}

#[test]
fn one_request_one_method_one_moment() {
    let log = "samples/incidents/a-cycle.jsonl";
    let one = why(&["why", log, "#19"]);
    assert!(one.contains("NOTHING IS STUCK") && one.contains("TOO LATE") && !one.contains("#11"), "{one}");
    let method = why(&["why", log, "call:search"]);
    assert!(method.contains("#11") && method.contains("#21") && !method.contains("#17 "), "{method}");
    let moment = why(&["why", log, "--at", "00:02:30"]);
    assert!(moment.contains("#19") && !moment.contains("#11"), "{moment}");
    let last = why(&["why", log, "--last", "4m"]);
    assert!(last.contains("#17") && !last.contains("#11 "), "{last}");
    let age = why(&["why", "samples/incidents/d-one-tool.jsonl", "--stuck-after", "10m"]);
    assert!(age.contains("NOTHING IS STUCK"), "{age}");
}

#[test]
fn show_a_part_of_a_connection() {
    let log = "samples/incidents/a-cycle.jsonl";
    let around = run(&["show", log, "--at", "00:04:00"]).out;
    assert!(
        around.contains("#17 tools/call") && around.contains("s4 elicitation") && !around.contains("#21"),
        "{around}"
    );
    let last = run(&["show", log, "--last", "2m"]).out;
    assert!(last.contains("#23 resources/read") && !last.contains("#17 tools/call"), "{last}");
}

#[test]
fn where_the_protocol_links_the_two_nothing_is_inferred() {
    let text = why(&["why", "samples/incidents/a-cycle-acp.jsonl"]);
    assert!(text.contains("#2 waits for s0 session/request_permission") && !text.contains("inferred"), "{text}");
    assert!(text.contains("last life: update 06:11:08"), "{text}");
}
