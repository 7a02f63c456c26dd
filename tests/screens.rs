//! How the screens look, word for word: run as a user would, with an empty environment.

mod common;

use common::run;

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
