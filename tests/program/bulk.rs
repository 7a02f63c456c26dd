//! An audit of a folder of many files of mixed sources: rows instead of findings, files that are not read with their
//! reasons, exit codes, and nothing judged twice with `--db`.

use std::path::Path;

use crate::common::{Said, file, run};
use serde_json::Value;

/// So many files of each kind.
const EACH: usize = 40;

fn call(server: &str, id: usize, faulty: bool) -> String {
    let answer = format!(r#"s2c {{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
    let mut lines = vec![
        r#"c2s {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}"#.to_string(),
        format!(r#"s2c {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"{server}","version":"1"}}}}}}"#),
        r#"c2s {"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_string(),
        format!(r#"c2s {{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"pay"}}}}"#),
        answer.clone(),
    ];
    lines.extend(faulty.then_some(answer));
    let wrapped = |line: &String| {
        let (direction, message) = line.split_once(' ').expect("two parts");
        format!("{{\"direction\":\"{direction}\",\"message\":{message}}}\n")
    };
    lines.iter().map(wrapped).collect()
}

/// A folder with clean and faulty logs, logs of another form, logs without messages and no logs at all.
fn folder() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let sub = dir.path().join("more");
    std::fs::create_dir(&sub).expect("a folder");
    for n in 0..EACH {
        let id = n + 1;
        file(dir.path(), &format!("clean-{n}.jsonl"), call("ledger", id, false));
        let faulty = call("mailer", id, true);
        file(&sub, &format!("faulty-{n}.jsonl"), faulty);
        file(&sub, &format!("notes-{n}.txt"), format!("nothing here {n}\n"));
        let access = format!("10.0.0.{n} - - [03/Sep/2026:08:15:00 +0000] \"POST /mcp HTTP/1.1\" 200 12\n");
        file(&sub, &format!("access-{n}.log"), access);
        let clangd = format!(
            "V[10:00:00.002] <<< {{\"id\":{id},\"jsonrpc\":\"2.0\",\"method\":\"shutdown\"}}\n\
             V[10:00:00.003] >>> {{\"id\":{id},\"jsonrpc\":\"2.0\",\"result\":null}}\n"
        );
        file(&sub, &format!("clangd-{n}.log"), clangd);
    }
    let path = dir.path().display().to_string();
    (dir, path)
}

fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn one_row_for_each_server_the_worst_first_and_what_was_not_read_by_its_reason() {
    let (_dir, path) = folder();
    let said = run(&["check", "--group-by", "server", &path]);
    assert_eq!(said.code, 1, "{}", said.err);
    let rows: Vec<&str> = said.out.lines().skip_while(|line| !line.starts_with("server")).skip(1).collect();
    assert!(rows[0].starts_with("mailer") && rows[0].contains(&EACH.to_string()), "{}", said.out);
    assert!(said.out.contains(&format!("{EACH} files: it is an access log")), "{}", said.out);
    assert!(said.out.contains(&format!("{EACH} files: it holds no JSON-RPC")), "{}", said.out);
    assert!(said.out.lines().count() < 40, "a screen, however many files:\n{}", said.out);
}

#[test]
fn machines_get_a_line_for_each_row_and_exit_codes_are_as_ever() {
    let (_dir, path) = folder();
    for (by, groups) in [("format", 2), ("tool", 3), ("client", 2), ("rule", 1), ("source", 3 * EACH)] {
        let said = run(&["check", "--format", "jsonl", "--group-by", by, "--select", "RPC008", &path]);
        let lines = lines(&said);
        let rows = lines.iter().filter(|line| line["type"] == "group").count();
        assert_eq!((said.code, rows), (1, groups), "{by}: {}", said.out);
        let last = lines.last().expect("a summary");
        assert_eq!((last["type"].as_str(), last["files"].as_array().map(Vec::len)), (Some("summary"), Some(2 * EACH)));
    }
    assert_eq!(run(&["check", "--group-by", "day", "--fail-on", "none", &path]).code, 0);
    assert_eq!(run(&["check", "--format", "json", "--group-by", "day", &path]).code, 2);
}

#[test]
fn what_did_not_change_is_not_judged_again() {
    let (_dir, path) = folder();
    let db = Path::new(&path).parent().expect("a folder").join(format!("{}.db", std::process::id()));
    let db = db.display().to_string();
    let check = || run(&["check", "--format", "jsonl", "--group-by", "server", "--db", &db, &path]);
    let (first, second) = (check(), check());
    assert_eq!((first.code, second.code), (1, 1), "{}", second.err);
    assert_eq!(first.out, second.out, "the same files give the same answer");
    file(Path::new(&path), "new.jsonl", call("mailer", 9_000, true));
    let third = check();
    let messages = |said: &Said| lines(said).last().map(|last| last["messages"].as_u64().unwrap_or(0)).unwrap_or(0);
    assert_eq!(messages(&third), messages(&first) + 6);
    std::fs::remove_file(&db).expect("removed");
}
