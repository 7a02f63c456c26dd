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
    assert!(!age.contains("STUCK when") && age.contains("OPEN when the log ends"), "{age}");
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

/// Files below a folder that this machine has, in their order.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What the findings say about requests: (connection, request, code) and whether it is proven.
fn said(log: &str) -> std::collections::BTreeMap<(String, String, String), bool> {
    let sql = "select c.key, e.issuer, e.rpc_id, f.code, f.certainty = 'violation' as proven from findings f \
               join exchanges e on e.id = f.exchange_id join connections c on c.id = f.connection_id order by proven";
    let rows = run(&["query", "--no-progress", "--format", "jsonl", log, sql]).out;
    let rows = rows.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("null").to_string();
    let named = |row: &Value| if row["issuer"] == "server" { "s" } else { "#" }.to_string() + &text(row, "rpc_id");
    rows.filter(|row| row.get("code").is_some())
        .map(|row| ((text(&row, "key"), named(&row), text(&row, "code")), row["proven"] == 1))
        .collect()
}

/// No word of `why` accuses where the rules do not.
#[test]
fn what_why_says_of_a_request_a_finding_says_too() {
    let mut all = files(&top().join("samples"));
    for folder in ["captures", "formats", "vectors"] {
        all.extend(files(&top().join("../shared").join(folder)));
    }
    let (mut looked, mut words) = (0, 0);
    for path in all {
        let log = path.to_str().expect("UTF-8");
        let told = run(&["why", "--no-progress", "--format", "json", log]);
        let Ok(told) = serde_json::from_str::<Value>(&told.out) else { continue };
        let said = said(log);
        looked += 1;
        for connection in told["connections"].as_array().expect("connections") {
            let key = connection["connection"].as_str().expect("a key");
            let proven = |request: &Value, codes: &[&str]| {
                let request = request.as_str().expect("a request");
                codes.iter().find_map(|code| said.get(&(key.into(), request.into(), (*code).into())).copied())
            };
            for stuck in connection["stuck"].as_array().expect("rows") {
                let found = proven(&stuck["request"], &["STK001", "CAN011", "SES004"]);
                assert!(found.is_some(), "{log}: {} is stuck, no rule says so", stuck["request"]);
            }
            for cancel in connection["cancels"].as_array().expect("rows") {
                let codes: &[&str] = match cancel["verdict"].as_str().expect("a word") {
                    "TOO LATE" => &["CAN010"],
                    "IGNORED" => &["SES001"],
                    "WRONG ANSWER" => &["CAN012", "SES002"],
                    "WENT ON" => &["PRG002", "CAN021", "CAN019"],
                    "LEFT OPEN" => &["CAN018"],
                    "NO ANSWER" => &["CAN011", "SES004"],
                    "LATE CANCEL" => &["CAN005"],
                    _ => continue,
                };
                words += 1;
                assert_eq!(proven(&cancel["request"], codes), Some(true), "{log}: {cancel}");
            }
        }
    }
    assert!(looked >= 60 && words >= 5, "{looked} logs, {words} words");
}

#[test]
fn what_was_in_flight_at_a_moment() {
    let log = "samples/incidents/a-cycle.jsonl";
    let screen = why(&["why", log, "--at", "00:04:00"]);
    assert!(screen.contains("1 request was in flight") && screen.contains("#17"), "{screen}");
    let later = why(&["why", log, "--at", "00:05:00", "--width", "80"]);
    assert!(later.contains("stuck then") && later.lines().all(|line| line.chars().count() <= 80), "{later}");
    let outside = why(&["why", log, "--at", "2031-01-01T00:00:00Z"]);
    assert!(outside.contains("nothing was in flight") && outside.contains("outside of the log"), "{outside}");
    let json = run(&["why", log, "--at", "00:05:00", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("a document");
    assert_eq!(json["connections"][0]["in_flight"][0]["stuck_then"], true, "{json}");
    let said = run(&["why", log, "--at", "soon"]);
    assert!(said.code == 2 && said.err.contains("14:03"), "{}", said.err);
}

/// Every command that is advised runs as a shell reads it.
#[test]
fn advice_can_be_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("it's a log.jsonl");
    let mut text = String::new();
    for (connection, id) in [("a", "7c9e6679-7425-40de-944b-e07fc1f90ae7"), ("b", "my call"), ("b", "my call 2")] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{"name":"x"}}}}"#);
        let dir = r#""dir":"c2s""#;
        text.push_str(&format!(r#"{{"ts":"2026-05-04T08:00:00Z","conn":"{connection}",{dir},"msg":{request}}}"#));
        text.push('\n');
        text.push_str(&format!(
            r#"{{"ts":"2026-05-04T08:02:00Z","conn":"{connection}",{dir},"msg":{{"jsonrpc":"2.0","method":"x"}}}}"#
        ));
        text.push('\n');
    }
    std::fs::write(&log, text).expect("written");
    let log = log.to_str().expect("UTF-8");
    let said = run(&["why", log]);
    let advice: Vec<&str> = said.out.lines().filter_map(|line| line.find("rpctape ").map(|at| &line[at..])).collect();
    assert!(advice.len() >= 2, "{}", said.out);
    for line in advice {
        let line = line.replace("-o bug.rec.jsonl", "").replacen("rpctape", env!("CARGO_BIN_EXE_rpctape"), 1);
        let ran = std::process::Command::new("sh").args(["-c", &line]).current_dir(top()).output().expect("a shell");
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let shown = run(&["show", log, "7c9e"]);
    assert!(shown.code == 0 && shown.out.contains("7c9e6679-7425"), "{}", shown.err);
    let several = run(&["show", log, "my"]);
    assert!(several.code == 2 && several.err.contains("fits 2 requests"), "{}", several.err);
    assert_eq!(run(&["show", log, "my call"]).code, 0);
}
