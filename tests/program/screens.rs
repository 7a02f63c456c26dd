//! How the screens look, word for word: run as a user would, with an empty environment.

use crate::common::{self, run};

fn screen(args: &[&str], code: i32) -> String {
    let said = run(args);
    assert_eq!(said.code, code, "{}", said.err);
    said.out
}

#[test]
fn check_full() {
    insta::assert_snapshot!(screen(&["check", "samples/mcp/bad.jsonl"], 1));
}

#[test]
fn check_full_on_a_narrow_screen() {
    let text = screen(&["check", "samples/lsp/bad.jsonl", "--width", "80"], 1);
    insta::assert_snapshot!(text);
}

#[test]
fn check_concise() {
    insta::assert_snapshot!(screen(&["check", "samples/lsp/bad.jsonl", "--format", "concise"], 1));
}

#[test]
fn check_jsonl() {
    insta::assert_snapshot!(screen(&["check", "samples/acp/bad.jsonl", "--format", "jsonl"], 1));
}

#[test]
fn check_statistics() {
    insta::assert_snapshot!(screen(&["check", "samples/faults", "--statistics"], 1));
}

#[test]
fn check_of_a_clean_log() {
    insta::assert_snapshot!(screen(&["check", "samples/mcp/good.jsonl"], 0));
}

#[test]
fn ls() {
    insta::assert_snapshot!(screen(&["ls", "samples/mcp", "samples/lsp/good.jsonl", "--width", "100"], 0));
}

#[test]
fn ls_json() {
    insta::assert_snapshot!(screen(&["ls", "samples/lsp/bad.jsonl", "--format", "json"], 0));
}

#[test]
fn show_an_exchange() {
    insta::assert_snapshot!(screen(&["show", "samples/mcp/bad.jsonl", "#4"], 0));
}

#[test]
fn show_a_connection_whole() {
    insta::assert_snapshot!(screen(&["show", "samples/jsonrpc/good.jsonl", "--raw"], 0));
}

#[test]
fn query_in_three_formats() {
    let sql = "select line, method, kind, rpc_id, error_code from messages where line > 4";
    let screens = ["table", "csv", "jsonl"]
        .map(|format| screen(&["query", "samples/jsonrpc/good.jsonl", sql, "--format", format], 0));
    insta::assert_snapshot!(screens.join("\n"));
}

#[test]
fn good_samples_are_clean_and_bad_ones_are_not() {
    for protocol in ["mcp", "acp", "lsp", "jsonrpc"] {
        let good = screen(&["check", &format!("samples/{protocol}/good.jsonl"), "--fail-on", "note"], 0);
        assert!(good.starts_with("no findings"), "{protocol}: {good}");
        screen(&["check", &format!("samples/{protocol}/bad.jsonl")], 1);
    }
}

/// Every command that shows something, with what it exits with.
const SCREENS: [(&str, &[&str], i32); 22] = [
    ("check", &["check", "samples/acp/bad.jsonl"], 1),
    ("check_coverage", &["check", "samples/lsp/good.jsonl", "--coverage"], 0),
    ("check_statistics", &["check", "samples/acp/bad.jsonl", "--statistics"], 1),
    ("check_by_rule", &["check", "samples/faults", "--group-by", "rule"], 1),
    ("ls", &["ls", "samples/incidents"], 0),
    ("show", &["show", "samples/incidents/a-cycle.jsonl", "#19"], 0),
    ("why", &["why", "samples/incidents/e-kept-working.jsonl"], 0),
    ("why_of_several", &["why", "samples/incidents"], 0),
    ("why_at", &["why", "samples/incidents/a-cycle.jsonl", "--at", "00:05:00"], 0),
    ("why_outside", &["why", "samples/incidents/a-cycle.jsonl", "--at", "09:00"], 0),
    ("stats", &["stats", "samples/mcp/bad.jsonl"], 0),
    ("sessions", &["sessions", "samples/incidents/b-server-dead.rec.jsonl"], 0),
    ("diff", &["diff", "samples/mcp/good.jsonl", "samples/mcp/bad.jsonl"], 1),
    ("dry_run", &["replay", "samples/mcp/good.jsonl", "--dry-run"], 0),
    ("formats_explain", &["formats", "--explain", "samples/mcp/bad.jsonl"], 0),
    ("clauses", &["rules", "--clauses", "--profile", "acp 1"], 0),
    ("check_several", &["check", "samples/faults", "samples/acp/bad.jsonl", "--group-by", "server"], 1),
    ("conform_list", &["conform", "--list"], 0),
    ("explain", &["explain", "initialize-cancelled"], 0),
    ("ls_many", &["ls", "samples/lsp", "samples/mcp", "samples/acp"], 0),
    ("query", &["query", "samples/mcp/bad.jsonl", "select * from exchanges"], 0),
    ("tail", &["tail", "samples/incidents/b-server-dead.rec.jsonl"], 0),
];

/// 80 columns and 120, word for word; a pipe, a dumb terminal and NO_COLOR give the same bytes, without an escape.
#[test]
fn every_screen_at_80_and_at_120_columns() {
    for (name, args, code) in SCREENS {
        let mut both = String::new();
        for width in ["80", "120"] {
            let mut wide = args.to_vec();
            wide.extend(["--width", width]);
            let text = screen(&wide, code);
            assert!(!text.contains('\u{1b}'), "{name}");
            for (variable, value) in [("NO_COLOR", "1"), ("TERM", "dumb")].into_iter().filter(|_| width == "80") {
                let done = common::rpctape().args(&wide).env(variable, value).output().expect("the program starts");
                assert_eq!(String::from_utf8_lossy(&done.stdout), text, "{name} with {variable}");
            }
            both.push_str(&format!("--- {width} columns\n{text}"));
        }
        insta::assert_snapshot!(format!("all_{name}"), both);
    }
}
