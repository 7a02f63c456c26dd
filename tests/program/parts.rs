//! Logs judged in parts, through pipes, as the page about several machines has it; and logs that are there twice.

use std::io::Write;

use serde_json::Value;

use crate::common::{Said, file, run, run_with};

/// Facts of these logs, sorted as the page says, through both steps.
fn piped(logs: &[&str]) -> (Said, Said) {
    let mut rows: Vec<(String, String, u64, String)> = Vec::new();
    for log in logs {
        let facts = run(&["facts", log, "-o", "-"]);
        rows.extend(facts.out.lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("a row");
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_string();
            (text("connection"), text("place"), row["seq"].as_u64().unwrap_or_default(), format!("{line}\n"))
        }));
    }
    rows.sort();
    let sorted: String = rows.into_iter().map(|(.., line)| line).collect();
    let parts = run_with(&["audit", "--facts", "-"], sorted.as_bytes());
    let found = run_with(&["audit", "--findings", "-", "--format", "jsonl"], parts.out.as_bytes());
    (parts, found)
}

/// `check` of what is named finds in one pass what is found in parts of these logs.
fn equal(named: &str, logs: &[&str]) {
    let check = run(&["check", named, "--format", "jsonl"]);
    let (parts, found) = piped(logs);
    assert_eq!((parts.code, found.out), (0, check.out), "{}", parts.err);
}

fn line(id: u32, what: &str) -> String {
    format!("{{\"ts\":\"2026-01-01T00:00:{id:02}Z\",\"session\":\"s\",{what}}}\n")
}

fn call(id: u32) -> String {
    line(id, &format!("\"dir\":\"c2s\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"))
}

fn answer(id: u32) -> String {
    line(id, &format!("\"dir\":\"s2c\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"))
}

#[test]
fn what_was_not_read_comes_through_the_pipes() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines: String = (1..6).map(|id| call(id) + &answer(id)).collect();
    let unread =
        lines.clone() + "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}\n";
    let unread = file(folder.path(), "unread.jsonl", unread);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(lines.as_bytes()).expect("packed");
    let packed = packed.finish().expect("packed");
    let torn = file(folder.path(), "torn.jsonl.gz", &packed[..packed.len() - 40]);
    for (log, code) in [(&unread, 0), (&torn, 2)] {
        let check = run(&["check", log, "--format", "jsonl"]);
        let (parts, found) = piped(&[log]);
        assert_eq!((check.code, parts.code, found.code), (code, 0, code), "{log} {}{}", parts.err, found.err);
        assert_eq!(found.out, check.out, "{log}");
    }
}

#[test]
fn rotated_parts_stand_in_the_order_of_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = file(folder.path(), "a.jsonl.1", call(1) + &answer(1) + &call(2));
    let new = file(folder.path(), "a.jsonl", answer(2) + &call(3) + &answer(3) + &answer(3));
    equal(&folder.path().display().to_string(), &[&new, &old]);
}

#[test]
fn rotated_parts_that_name_no_connection_are_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let nameless = |text: String| text.replace("\"session\":\"s\",", "");
    let old = file(folder.path(), "a.jsonl.1", nameless(call(1) + &answer(1)));
    let new = file(folder.path(), "a.jsonl", nameless(answer(1) + &call(3) + &answer(3)));
    equal(&folder.path().display().to_string(), &[&new, &old]);
}

#[test]
fn what_a_source_misses_goes_with_connections_that_begin_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let torn = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}\n";
    let other = (answer(5) + &call(6)).replace("\"s\"", "\"t\"");
    let log = file(folder.path(), "a.jsonl", call(1) + &answer(1) + torn + &other);
    equal(&log, &[&log]);
}

#[test]
fn files_that_hold_no_log_come_through_the_pipes() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().display().to_string();
    file(folder.path(), "a.jsonl", call(1) + &answer(1));
    file(folder.path(), "empty.jsonl", "");
    file(folder.path(), "words.txt", "nothing that anybody sent\n");
    equal(&whole, &[&whole]);
    // An archive whose end is missing.
    let mut archive = tar::Builder::new(Vec::new());
    let text = call(7) + &answer(7);
    for name in ["7.jsonl", "8.jsonl"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, name, text.replace('7', name.split_at(1).0).as_bytes()).expect("an entry");
    }
    let archive = archive.into_inner().expect("an archive");
    file(folder.path(), "b.tar", &archive[..archive.len() - 1_536 - text.len() / 2]);
    let check = run(&["check", &whole, "--format", "jsonl"]);
    let (parts, found) = piped(&[&whole]);
    assert_eq!((check.code, parts.code, found.code), (2, 0, 2), "{}{}{}", check.err, parts.err, found.err);
    assert_eq!(found.out, check.out);
}

#[test]
fn a_log_that_is_there_twice_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = call(1) + &answer(1);
    let (one, two) = (file(folder.path(), "a.jsonl", &lines), file(folder.path(), "b.jsonl", &lines));
    let check = run(&["check", &folder.path().display().to_string()]);
    assert!(check.out.contains("b.jsonl: its content is that of another file"), "{}", check.out);
    let rows = [run(&["facts", &one, "-o", "-"]).out, run(&["facts", &two, "-o", "-"]).out];
    let other = rows[1].replace("\"connection\":\"s\"", "\"connection\":\"t\"");
    let parts = run_with(&["audit", "--facts", "-"], (rows[0].clone() + &other).as_bytes());
    let found = run_with(&["audit", "--findings", "-"], parts.out.as_bytes());
    assert!(found.code == 2 && found.err.contains("hold the same bytes"), "{}{}", found.out, found.err);
}

/// Both ends may write the same bytes: the second log is no copy of the first.
#[test]
fn two_logs_of_one_connection_may_be_equal() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    let (one, two) = (file(folder.path(), "client.jsonl", lines), file(folder.path(), "server.jsonl", lines));
    let said = run(&["check", "--merge", &one, &two]);
    assert!(said.code == 0 && said.out.contains("1 connection (2 messages"), "{}{}", said.out, said.err);
}

#[test]
fn sql_may_begin_with_a_comment_and_a_log_is_not_for_audit() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "a.jsonl", call(1) + &answer(1));
    let said = run(&["query", &log, "-- how many\nselect count(*) as n from messages", "--format", "csv"]);
    assert_eq!((said.code, said.out.trim()), (0, "n\n2"), "{}", said.err);
    let said = run(&["audit", &log]);
    assert!(said.code == 2 && said.err.contains("`rpctape check`"), "{}", said.err);
}
