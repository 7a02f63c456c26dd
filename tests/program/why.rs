//! `why`: every pattern has an incident of our own making that must be named, and clean logs name none.

use crate::common::{self, run, top};
use crate::five_connections::five_connections;
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
    assert!(
        text.contains("TIMELINE") && text.lines().all(|line| line.contains("rpctape ") || line.chars().count() <= 80)
    );
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_is_stuck() {
    insta::assert_snapshot!(why(&["why", "samples/mcp/good.jsonl"]));
}

#[test]
fn of_a_log_without_a_message_that_could_be_read_nothing_is_said_to_be_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let cut = folder.path().join("cut.jsonl").display().to_string();
    std::fs::write(&cut, r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"meth"#).expect("writes");
    let said = run(&["why", &cut]);
    assert!(said.code == 2 && said.out.is_empty() && said.err.contains("holds no message"), "{}", said.err);
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
        looked += 1;
        let empty =
            |connection: &Value| ["stuck", "cancels"].iter().all(|key| connection[key] == serde_json::json!([]));
        if told["connections"].as_array().expect("connections").iter().all(empty) {
            continue;
        }
        let said = said(log);
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
    assert!(outside.contains("nothing can be said") && outside.contains("outside of the log"), "{outside}");
    let json = run(&["why", log, "--at", "00:05:00", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("a document");
    assert_eq!(json["connections"][0]["in_flight"][0]["stuck_then"], true, "{json}");
    let said = run(&["why", log, "--at", "soon"]);
    assert!(said.code == 2 && said.err.contains("14:03"), "{}", said.err);
}

/// A second is named, and all that was in flight in it was sent later than at its beginning.
#[test]
fn what_was_sent_within_the_second_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let line = |at: &str, way: &str, rest: &str| {
        format!(r#"{{"ts":"2026-03-02T00:00:{at}Z","dir":"{way}","msg":{{"jsonrpc":"2.0","id":{rest}}}}}"#) + "\n"
    };
    let lines = [
        line("30.100", "c2s", r#"1,"method":"a/b","params":{}"#),
        line("30.140", "s2c", r#"1,"result":{}"#),
        line("37.200", "c2s", r#"2,"method":"a/b","params":{}"#),
        line("37.350", "c2s", r#"3,"method":"a/c","params":{}"#),
        line("37.400", "s2c", r#"2,"result":{}"#),
        line("37.900", "s2c", r#"3,"result":{}"#),
        line("41.000", "c2s", r#"4,"method":"a/b","params":{}"#),
        line("41.020", "s2c", r#"4,"result":{}"#),
    ];
    std::fs::write(&log, lines.concat()).expect("a file");
    let screen = why(&["why", log.to_str().expect("UTF-8"), "--at", "00:00:37"]);
    assert!(screen.contains("2 requests were in flight in that time, 2 of them sent within it"), "{screen}");
    assert!(screen.contains("AROUND") && !screen.contains("0 us"), "{screen}");
}

/// Runs a line of a screen as a shell reads it.
fn paste(line: &str) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("bug.rec.jsonl").display().to_string();
    let line = line.replace("bug.rec.jsonl", &out).replacen("rpctape", env!("CARGO_BIN_EXE_rpctape"), 1);
    std::process::Command::new("sh").args(["-c", &line]).current_dir(top()).output().expect("a shell")
}

fn commands(screen: &str) -> Vec<&str> {
    screen.lines().filter_map(|line| line.find("rpctape ").map(|at| &line[at..])).collect()
}

/// Every command that a screen of `why` prints, over all samples, can be pasted and works.
#[test]
fn every_command_of_every_sample_can_be_pasted() {
    let mut logs: Vec<String> = Vec::new();
    for folder in ["incidents", "mcp", "acp", "lsp", "jsonrpc", "faults"] {
        for path in files(&top().join("samples").join(folder)) {
            logs.push(path.strip_prefix(top()).expect("below").to_str().expect("UTF-8").to_string());
        }
    }
    logs.extend(["samples/incidents", "samples/mcp", "samples/formats"].map(String::from));
    let logs = std::sync::Mutex::new(logs);
    let (ran, failed) = (std::sync::atomic::AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
    let work = || {
        while let Some(log) = logs.lock().expect("a lock").pop() {
            let mut screens = vec![run(&["why", &log]).out];
            if log.starts_with("samples/incidents/") {
                screens.push(run(&["why", &log, "--at", "06:11:12"]).out);
                screens.push(run(&["why", &log, "--at", "00:01:00"]).out);
            }
            for command in screens.iter().flat_map(|screen| commands(screen)) {
                ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let done = paste(command);
                if !done.status.success() {
                    let said = String::from_utf8_lossy(&done.stderr).into_owned();
                    failed.lock().expect("a lock").push(format!("{command}: {said}"));
                }
            }
        }
    };
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().expect("a lock");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran.into_inner() >= 60);
}

/// Five connections at once, of which one hangs: two commands, the second one printed by the first.
#[test]
fn a_new_user_finds_the_stuck_request_among_five_connections() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = five_connections(folder.path());
    let first = why(&["why", &log]);
    assert!(first.contains("#17") && first.contains("index_repo") && first.contains("STUCK"), "{first}");
    let show = commands(&first)[0];
    assert!(show.contains("@desk/3") && show.starts_with("rpctape show"), "{show}");
    let second = String::from_utf8(paste(show).stdout).expect("UTF-8");
    assert!(second.contains("#17 tools/call") && second.contains("unanswered"), "{second}");
}

/// What was in flight at 14:03, in UTC, in another zone, and where the log has that time twice.
#[test]
fn a_new_user_asks_what_was_in_flight_at_a_time_of_day() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = five_connections(folder.path());
    let screen = why(&["why", &log, "--at", "14:03:30"]);
    assert!(
        screen.contains("#17") && screen.contains("AROUND") && screen.contains("stuck") || screen.contains("no answer"),
        "{screen}"
    );
    assert_eq!(commands(&screen).len(), 2, "{screen}");
    for command in commands(&screen) {
        assert!(paste(command).status.success(), "{command}");
    }
    let same = why(&["why", &log, "--at", "16:03:30+02:00"]);
    assert_eq!(same, screen);
    let text = std::fs::read_to_string(&log).expect("a log");
    let local = common::file(folder.path(), "local.jsonl", text.replace("Z\"", "+02:00\""));
    let told = why(&["why", &local, "--at", "14:03:30"]);
    assert!(
        told.contains("12:03:30.000 UTC")
            && told.contains("14:03:30.000 in the zone of the log")
            && told.contains("#17"),
        "{told}"
    );
    let twice = text.replace("04-12T", "04-13T").replace("desk/", "next/");
    let two = common::file(folder.path(), "two.jsonl", text + &twice);
    let said = run(&["why", &two, "--at", "14:03:30"]);
    assert!(said.code == 2 && said.err.contains("on 2 days") && commands(&said.err).len() == 2, "{}", said.err);
    for command in commands(&said.err) {
        assert!(paste(command).status.success(), "{command}");
    }
}

/// Which cancels were ignored, and one exchange to be shared without its secrets: at most two commands each.
#[test]
fn a_new_user_finds_ignored_cancels_and_shares_one_exchange() {
    let log = "samples/mcp/bad.jsonl";
    let screen = why(&["why", log]);
    assert!(screen.contains("TOO LATE") && screen.contains("#4"), "{screen}");
    let late = why(&["why", "samples/incidents/e-kept-working.jsonl"]);
    let extract = commands(&late).into_iter().find(|command| command.starts_with("rpctape extract")).expect("advised");
    let done = paste(extract);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn requests_times_and_connections_as_users_name_them() {
    let log = "samples/incidents/a-cycle.jsonl";
    assert_eq!(why(&["why", log, "--request", "19"]), why(&["why", log, "#19"]));
    assert_eq!(run(&["why", log, "--request", "search"]).code, 2);
    let since = why(&["why", log, "--since", "00:03:50"]);
    assert!(since.contains("#17") && since.contains("#21") && !since.contains("#11 "), "{since}");
    let late = run(&["why", log, "--since", "11:00"]);
    assert!(late.code == 2 && late.err.contains("the log ends before 11:00"), "{}", late.err);
    let listed = run(&["ls", "samples/incidents"]).out;
    let row = listed.lines().find(|line| line.contains("d-one-tool")).expect("a row");
    let number = row.split_whitespace().next().expect("a number");
    let numbered = why(&["why", "samples/incidents", "--connection", number]);
    assert!(numbered.contains("only tools/call index_repo hangs"), "{numbered}");
    assert_eq!(run(&["show", "samples/incidents", "--connection", number]).code, 0);
    let order = why(&["why", "samples/incidents"]);
    let lines: Vec<&str> = order.lines().collect();
    assert!(lines[0].contains("incident/1") && order.contains("OTHER CONNECTIONS"), "{order}");
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
    let advice = commands(&said.out);
    assert!(advice.len() >= 2, "{}", said.out);
    for line in advice {
        let ran = paste(line);
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let shown = run(&["show", log, "7c9e"]);
    assert!(shown.code == 0 && shown.out.contains("7c9e6679-7425"), "{}", shown.err);
    let several = run(&["show", log, "my"]);
    assert!(several.code == 2 && several.err.contains("fits 2 requests"), "{}", several.err);
    assert_eq!(run(&["show", log, "my call"]).code, 0);
}

/// A log in a zone of its own, on two days, with keys and ids that are hard for a shell; on the first day it ends with two calls open.
fn hard_names(folder: &std::path::Path) -> String {
    let mut lines = Vec::new();
    let mut line = |day: u32, time: &str, connection: &str, dir: &str, message: &str| {
        let ts = format!("2026-04-{day:02}T{time}+02:00");
        lines.push(format!(r#"{{"ts":"{ts}","conn":"{connection}","dir":"{dir}","msg":{message}}}"#));
    };
    for (day, connection) in [(12, "-dash"), (13, "it's")] {
        let call = |id: &str, tool: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#)
        };
        line(day, "14:00:00", connection, "c2s", &call(r#""7c9e6679-7425-40de-944b""#, "a_rather_long_name"));
        line(day, "14:00:01", connection, "c2s", &call(r#""7c9e0000-7425-40de-944b""#, "search"));
        line(day, "14:00:02", connection, "c2s", &call("-5", "search"));
        line(day, "14:00:03", connection, "s2c", r#"{"jsonrpc":"2.0","id":-5,"result":{}}"#);
        line(day, "14:05:00", connection, "c2s", &call("6", "search"));
        line(day, "14:05:01", connection, "s2c", r#"{"jsonrpc":"2.0","id":6,"result":{}}"#);
    }
    common::file(folder, "hard names.jsonl", lines.join("\n") + "\n")
}

/// Screens write UTC, so that such a time may be typed again: the log has it in its own zone or not, and the command is there.
#[test]
fn a_moment_outside_says_nothing_of_what_was_in_flight() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = hard_names(folder.path());
    let screen = why(&["why", &log, "--at", "2026-04-12 12:00:02", "--width", "80"]);
    assert!(screen.contains("nothing can be said") && !screen.contains("was in flight"), "{screen}");
    assert!(screen.contains("it has 2026-04-12 12:00:00 -"), "{screen}");
    let there = String::from_utf8(paste(commands(&screen)[0]).stdout).expect("UTF-8");
    assert!(commands(&screen)[0].ends_with("--at '2026-04-12 12:00:02Z'") && there.contains("3 requests"), "{there}");
    let naive = std::fs::read_to_string(&log).expect("a log").replace("+02:00", "");
    let naive = common::file(folder.path(), "naive.jsonl", naive);
    let screen = why(&["why", &naive, "--at", "2026-04-12 14:00:02"]);
    assert!(screen.contains("the log tells no zone") && !screen.contains("UTC"), "{screen}");
}

#[test]
fn what_ended_before_the_time_asked_for_is_not_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = hard_names(folder.path());
    for args in [["--since", "2026-04-13T14:00:00"], ["--last", "10m"]] {
        let screen = why(&["why", &log, args[0], args[1]]);
        assert!(screen.contains("it's") && !screen.contains("-dash"), "{screen}");
    }
    assert!(why(&["why", &log]).contains("--connection "));
}

#[test]
fn names_that_begin_with_a_dash_are_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = hard_names(folder.path());
    for args in [
        vec!["show", &log, "--connection", "-dash"],
        vec!["why", &log, "--connection", "-dash"],
        vec!["why", &log, "--request", "-5@-dash"],
        vec!["show", &log, "#-5@1"],
    ] {
        let done = run(&args);
        assert!(done.code == 0, "{args:?}: {}", done.err);
    }
    let none = run(&["show", "samples/mcp/bad.jsonl", "-5"]);
    assert!(none.err.contains("no request -5"), "{}", none.err);
    let screen = why(&["why", &log, "--width", "80"]);
    let all = commands(&screen);
    assert!(all.iter().any(|command| command.contains("-dash")), "{screen}");
    assert!(all.iter().all(|command| paste(command).status.success()), "{screen}");
}

/// Ids that begin alike are told apart, and what became of a request is not what a narrow screen cuts.
#[test]
fn a_narrow_screen_keeps_what_matters() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = hard_names(folder.path());
    let screen = why(&["why", &log, "--connection", "-dash", "--width", "80"]);
    assert!(screen.contains("\"7c9e6...") && screen.contains("\"7c9e0..."), "{screen}");
    assert!(screen.contains("a_rather_lo"), "{screen}");
    let cancels = why(&["why", "samples/mcp/bad.jsonl", "--width", "80"]);
    for word in ["TOO LATE", "LATE CANCEL", "WENT ON"] {
        assert!(cancels.lines().any(|line| line.ends_with(word)), "{word}: {cancels}");
    }
    let unread = why(&["why", "samples/formats/journald-export/two-units.export", "--width", "80"]);
    assert!(unread.lines().all(|line| line.contains("rpctape ") || line.chars().count() <= 80), "{unread}");
    assert!(
        commands(&unread).contains(&"rpctape formats --explain samples/formats/journald-export/two-units.export"),
        "{unread}"
    );
}
