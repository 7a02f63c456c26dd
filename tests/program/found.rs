//! A configuration that nobody named: it lies above the folder in which a command runs.

use std::path::Path;

use crate::common::{Said, file, rpctape, top};
use tempfile::TempDir;

/// A folder with this configuration, and one below it.
fn above(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("below")).expect("a folder");
    file(folder.path(), "rpctape.toml", text);
    folder
}

fn said(folder: &Path, args: &[&str]) -> Said {
    let output = rpctape().current_dir(folder).args(args).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_check_that_it_silences_says_so() {
    let folder = above("[audit]\nignore = [\"ALL\"]\n");
    let log = top().join("samples/mcp/bad.jsonl").display().to_string();
    let below = folder.path().join("below");
    for format in ["full", "concise", "json", "jsonl"] {
        let check = said(&below, &["check", &log, "--format", format]);
        assert_eq!((check.code, check.err.matches("note: settings are those of ").count()), (2, 1), "{}", check.err);
        assert!(check.err.contains("nothing was checked"), "{}", check.err);
        assert!(check.err.contains("rpctape.toml") && !check.out.contains("settings are"), "{}", check.err);
        let left_out =
            if format.starts_with("json") { "\"ignored\":[\"ALL\"]" } else { "not looked at: all rules (ignored)" };
        assert!(check.out.contains(left_out), "{}", check.out);
    }
    let own = folder.path().join("rpctape.toml").display().to_string();
    let named = said(&below, &["check", &log, "--config", &own]);
    assert!(named.code == 2 && !named.err.contains("settings are"), "{}", named.err);
    // It settles nothing for a command that only shows.
    assert!(!said(&below, &["show", &log, "4"]).err.contains("settings are"));
}

#[test]
fn it_shows_no_secret() {
    let folder = above("[redact]\nset = \"off\"\n");
    let below = folder.path().join("below");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter2hunter2"}}}"#;
    let line = format!("{{\"dir\":\"c2s\",\"raw\":{}}}\n", serde_json::to_string(call).expect("a string"));
    let log = file(&below, "log.jsonl", line);
    for args in [&["export", &log, "--as", "csv"][..], &["extract", &log, "1"]] {
        let found = said(&below, args);
        assert!(found.code == 0 && !found.out.contains("hunter2hunter2"), "{args:?} {}{}", found.out, found.err);
        assert!(found.err.contains("its [redact] set is not used"), "{args:?} {}", found.err);
        let flag = said(&below, &[args, &["--redact", "off"]].concat());
        assert!(flag.out.contains("hunter2hunter2"), "{args:?} {}{}", flag.out, flag.err);
    }
    let own = folder.path().join("rpctape.toml").display().to_string();
    let named = said(&below, &["check", &log, "--config", &own]);
    assert!(!named.err.contains("is not used"), "{}", named.err);
}

/// What was judged before was judged without them.
#[test]
fn a_database_that_was_judged_without_its_settings_is_said_to_be() {
    let folder = above("[audit]\nstuck-after = \"2m\"\n");
    let log = top().join("samples/mcp/bad.jsonl").display().to_string();
    let below = folder.path().join("below");
    let db = folder.path().join("a.db").display().to_string();
    assert_eq!(said(&top(), &["ingest", &log, "--db", &db]).code, 0);
    let check = || said(&below, &["check", &db, "--fail-on", "none"]);
    assert!(check().err.contains("judged with other settings"), "{}", check().err);
    assert_eq!(said(&below, &["audit", &db, "--fail-on", "none"]).code, 0);
    assert!(!check().err.contains("judged with other settings"), "{}", check().err);
}

#[cfg(feature = "live")]
#[test]
fn its_command_runs_in_its_folder() {
    let folder = above("[replay]\ncommand = [\"cat\", \"answer\"]\n");
    file(folder.path(), "answer", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    let exchange =
        "{\"dir\":\"c2s\",\"raw\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":\\\"a\\\"}\"}\n";
    let log = file(&folder.path().join("below"), "s.jsonl", exchange);
    let replay = said(&folder.path().join("below"), &["replay", &log, "--allow-all"]);
    assert!(!replay.out.contains("exited with 1"), "{}{}", replay.out, replay.err);
}
