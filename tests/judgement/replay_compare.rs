//! Verdicts as people and programs see them: the screens and files of a run, `rpctape diff`, `rpctape accept`.

use std::path::Path;

use crate::common::{file, rpctape, run};
use rpctape::protocol::Side;
use rpctape::replay::run::{Anchor, CancelRun, CancelStatus, Substituted};
use rpctape::replay::verdict::{CancelCounts, Difference, ExchangeReport, RunReport, RunVerdict, SideFigures, Verdict};
use rpctape::report::Style;
use rpctape::report::replay::{document, junit, lines, markdown, redacted, screen};

fn entry(
    id: u32,
    method: &str,
    name: &str,
    recorded: Option<i64>,
    live: Option<i64>,
    verdict: Verdict,
) -> ExchangeReport {
    let outcome = |us: Option<i64>| if us.is_some() { "result" } else { "silent" };
    ExchangeReport {
        label: format!("#{id}"),
        rpc_id: id.to_string(),
        issuer: Side::Client,
        method: method.into(),
        name: Some(name).filter(|name| !name.is_empty()).map(Into::into),
        line: Some(u64::from(id) * 2),
        recorded: SideFigures { outcome: outcome(recorded).into(), latency_us: recorded, ..SideFigures::default() },
        live: SideFigures {
            outcome: outcome(live).into(),
            latency_us: live,
            sent_us: (verdict != Verdict::NotSent).then_some(i64::from(id) * 10_000),
            ..SideFigures::default()
        },
        verdict,
        fails: verdict.fails_by_default(),
        ..ExchangeReport::default()
    }
}

fn cancelled(mut entry: ExchangeReport, after: i64, answered: Option<i64>) -> ExchangeReport {
    entry.cancel = Some(CancelRun {
        status: CancelStatus::Landed,
        anchor: Anchor::Elapsed,
        nth: 0,
        anchor_missed: false,
        sent_us: entry.live.sent_us.map(|sent| sent + after),
        horizon_us: 5_000_000,
        cut_short: false,
        harness_made: false,
        progress_after: (0, None),
    });
    entry.live.cancelled_us = Some(after);
    entry.live.latency_us = answered.map(|late| after + late);
    entry
}

/// A run in which all kinds of things happened.
fn report() -> RunReport {
    let ms = |ms: i64| Some(ms * 1_000);
    let mut tools = entry(3, "tools/list", "", ms(12), ms(11), Verdict::Reordered);
    tools.detail = "order of 2 tools".into();
    let mut page = entry(5, "tools/call", "search", ms(210), ms(198), Verdict::Same);
    page.captured = vec!["/result/nextCursor".into()];
    let mut second = entry(6, "tools/call", "search", ms(201), ms(205), Verdict::Same);
    second.substituted = vec![Substituted {
        at: "/params/cursor".into(),
        from: "#5".into(),
        from_at: "/result/nextCursor".into(),
        values: Some(("\"c-1\"".into(), "\"c-9\"".into())),
        hidden: None,
    }];
    let mut late = cancelled(entry(7, "tools/call", "index", None, None, Verdict::Violates), 790_000, Some(1_220_000));
    late.rule = Some("response-after-cancel".into());
    late.detail = "response-after-cancel, +1.22 s after the cancel".into();
    let mut honoured = cancelled(entry(9, "tools/call", "index", None, None, Verdict::Same), 5_000, None);
    honoured.notes = vec!["no answer, watched 5.00 s after the cancel".into()];
    let mut render = entry(10, "tools/call", "render", ms(310), ms(290), Verdict::Changed);
    render.detail = "/result/content/0/text".into();
    render.diff = vec![Difference {
        at: "/result/content/0/text".into(),
        recorded: Some("\"Total: 1,204.00 EUR\"".into()),
        live: Some("\"Total: 1204 EUR\"".into()),
        ..Difference::default()
    }];
    let mut unsent = entry(12, "tools/call", "delete_all", ms(8), None, Verdict::NotSent);
    unsent.detail = "policy: not read-only".into();
    let mut stuck = entry(14, "resources/read", "", ms(3), None, Verdict::Stuck);
    stuck.detail = "no answer, watched 15.0 s".into();
    stuck.live.watched_us = Some(15_000_000);
    let extra = ExchangeReport {
        label: "s5".into(),
        rpc_id: "5".into(),
        method: "sampling/createMessage".into(),
        verdict: Verdict::Extra,
        fails: true,
        detail: "not in the recording; answered error -1".into(),
        ..ExchangeReport::default()
    };
    let plain = |id| entry(id, "ping", "", ms(1), ms(1), Verdict::Same);
    RunReport {
        recording: "chat.rec.jsonl".into(),
        target: "stdio: node build/index.js".into(),
        speed: "recorded, idle <= 1 s".into(),
        started_us: Some(1_795_243_456_000_000),
        wall_us: Some(21_400_000),
        exchanges: vec![
            plain(1),
            plain(2),
            tools,
            page,
            second,
            late,
            honoured,
            render,
            unsent,
            stuck,
            extra,
            plain(15),
        ],
        cancels: CancelCounts { recorded: 2, landed: 2, raced: 0, not_sent: 0, refused: 0 },
        verdict: RunVerdict::Fail,
        notes: vec!["reordered: #6 was answered before #5".into()],
        rewrites: vec!["processId 4242 -> 991".into()],
        exit: 1,
        live_session: Some("chat.run.jsonl".into()),
        server_end: Some("the server exited with 0".into()),
        first_divergence: Some(5),
        protocols: vec!["mcp 2025-11-25".into()],
        ..RunReport::default()
    }
}

#[test]
fn the_screen_of_a_run() {
    let next = ["rpctape accept chat".to_string()];
    let text = screen(&report(), &Style::PLAIN, false, &next);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_screen_with_everything_on_a_narrow_terminal() {
    let style = Style { ascii: true, width: Some(70), ..Style::PLAIN };
    let text = screen(&report(), &style, true, &[]);
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 70), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_lines_of_a_run() {
    let text = lines(&report()).expect("written");
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("one object a line");
        assert!(value["type"].is_string());
    }
    let all: serde_json::Value = serde_json::from_str(&document(&report()).expect("written")).expect("one document");
    assert_eq!(all["exchanges"].as_array().map(Vec::len), Some(12));
    assert_eq!(all["summary"]["not_sent"], 1);
    insta::assert_snapshot!(text);
}

#[test]
fn junit_of_a_run() {
    insta::assert_snapshot!(junit(&[report()]).expect("written"));
}

#[test]
fn markdown_of_a_run() {
    let text = markdown(&report());
    assert!(!text.contains("1204"), "payloads stay at home: {text}");
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_of_a_peer_acts_on_whoever_reads() {
    let evil = "\u{1b}[2J\u{202e}\u{9b}31m\r\n| @all `x` ]]> \u{0}";
    let mut report = report();
    for entry in &mut report.exchanges {
        entry.method.push_str(evil);
        entry.name = Some(evil.into());
        entry.detail = evil.into();
        entry.notes = vec![evil.into()];
        entry.label = format!("#{}", serde_json::Value::from(evil));
        entry.rpc_id = "\"\u{202e}\u{7f}\"".into();
        entry.diff = vec![Difference {
            at: format!("/{evil}"),
            recorded: Some("[\n\t\"\u{202e}\u{7f}\"]".into()),
            live: None,
            ..Difference::default()
        }];
    }
    report.recording = evil.into();
    report.target = evil.into();
    report.notes = vec![evil.into()];
    report.stderr = vec![evil.into()];
    let written = [
        screen(&report, &Style::PLAIN, true, &[evil.into()]),
        lines(&report).expect("written"),
        document(&report).expect("written"),
        junit(std::slice::from_ref(&report)).expect("written"),
        markdown(&report),
    ];
    for text in &written {
        let bad = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{9b}'));
        assert!(!text.contains(bad), "{:?}", text.chars().find(|c| bad(*c)));
    }
    for line in written[1].lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("one object a line");
    }
    // What stands in a fence is no row.
    let (tables, fenced) = written[4].split_once("standard error:\n\n").expect("its last words");
    let fence: String = fenced.chars().take_while(|c| *c == '`').collect();
    assert!(fence.len() > 2 && fenced.matches(&fence).count() == 2, "{fenced}");
    let rows = tables.lines().filter(|line| line.starts_with("| "));
    assert!(rows.clone().count() > 5 && rows.clone().all(|line| line.matches('|').count() == 5));
}

#[test]
fn a_comment_stays_within_its_limit() {
    let mut report = report();
    let failing = report.exchanges[7].clone();
    report.exchanges = (0..5_000).map(|_| failing.clone()).collect();
    report.notes = vec!["n".repeat(190); 500];
    let text = markdown(&report);
    assert!(text.len() < 60_000 && text.contains("are left out here"), "{}", text.len());
    assert!(text.contains("5000 changed"));
}

#[test]
fn secrets_are_replaced_before_anything_is_written() {
    let mut report = report();
    let token = "sk-abcdefghijklmnopqrstuvwxyz0123456789";
    report.exchanges[7].diff.push(Difference {
        at: "/result/structuredContent/password".into(),
        recorded: Some("\"hunter2hunter2\"".into()),
        live: Some(format!("\"{token}\"")),
        ..Difference::default()
    });
    let clean = redacted(&report, &mut rpctape::redact::Redactor::default());
    let text = lines(&clean).expect("written") + &screen(&clean, &Style::PLAIN, true, &[]);
    assert!(!text.contains("hunter2") && !text.contains(token), "{text}");
}

/// A recording of two calls; the session is `rec` or, of a run, another one.
fn recording(folder: &Path, name: &str, replay_of: Option<&str>, answers: [&str; 2]) -> String {
    let session = if replay_of.is_some() { "live-session" } else { "rec-session" };
    let mut lines = vec![serde_json::json!({"rec":1,"tool":"test","session":session,"part":1,
        "t0":"2026-11-21T06:00:00Z","proto":"mcp","revision":"2025-11-25","transport":"stdio","vantage":"client"})];
    if let Some(of) = replay_of {
        lines[0]["replay_of"] = of.into();
    }
    let mut say = |at: i64, side: &str, message: serde_json::Value| {
        let mut message = message;
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        let q = lines.len();
        lines.push(serde_json::json!({"q":q,"t":at,"k":"msg","c":1,"d":side,"n":text.len(),"b":text}));
    };
    let client = serde_json::json!({"name":"t","version":"0"});
    let params = serde_json::json!({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":client});
    say(0, "c", serde_json::json!({"id":1,"method":"initialize","params":params}));
    let server = serde_json::json!({"name":"srv","version":"1"});
    let result = serde_json::json!({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":server});
    say(5_000, "s", serde_json::json!({"id":1,"result":result}));
    say(6_000, "c", serde_json::json!({"method":"notifications/initialized"}));
    for (index, answer) in answers.into_iter().enumerate() {
        let (id, at) = (index + 2, 10_000 + 10_000 * index as i64);
        let params = serde_json::json!({"name":"sum","arguments":{"n":index}});
        say(at, "c", serde_json::json!({"id":id,"method":"tools/call","params":params}));
        if !answer.is_empty() {
            let content = serde_json::json!([{"type":"text","text":answer}]);
            say(at + 2_000, "s", serde_json::json!({"id":id,"result":{"content":content}}));
        }
    }
    let (q, end) = (lines.len(), if answers[1].is_empty() { 9_000_000 } else { 40_000 });
    lines.push(serde_json::json!({"q":q,"t":end,"k":"close","c":1,"by":"c"}));
    lines.push(serde_json::json!({"q":q + 1,"t":end,"k":"end","msgs":q - 1,"lost":0}));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    file(folder, name, text)
}

#[test]
fn two_recordings_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = recording(folder.path(), "a.rec.jsonl", None, ["{\"total\":3}", "same"]);
    let b = recording(folder.path(), "b.rec.jsonl", None, ["{\"total\":4}", "same"]);
    let same = run(&["diff", &a, &a]);
    assert_eq!((same.code, same.err.as_str()), (0, ""), "{}", same.out);
    assert!(same.out.contains("PASS  3 same"), "{}", same.out);
    let other = run(&["diff", &a, &b]);
    assert_eq!(other.code, 1, "{}", other.out);
    for told in [
        "FIRST DIVERGENCE at #2",
        "CHANGED",
        "/result/content/0/text -> /total",
        "- 3",
        "+ 4",
        "FAIL  2 same, 1 changed",
    ] {
        assert!(other.out.contains(told), "{told}: {}", other.out);
    }
    let place = "/result/content/*/text -> /total";
    assert_eq!(run(&["diff", &a, &b, "--ignore", place]).code, 0);
    assert_eq!(run(&["diff", &a, &b, "--tolerance", &format!("{place}=1")]).code, 0);
    assert_eq!(run(&["diff", &a, &b, "--tolerance", &format!("{place}=1%")]).code, 1);
    assert_eq!(run(&["diff", &a, &b, "--fail-on", "stuck"]).code, 0);
    let idle = run(&["diff", &a, &a, "--ignore", "/result/typo"]);
    assert!(idle.code == 0 && idle.out.contains("/result/typo fitted nothing"), "{}", idle.out);
    let broken = run(&["diff", &a, &b, "--match", "/result=regex:("]);
    assert!(broken.code == 2 && broken.err.contains("`(`"), "{}", broken.err);
    assert_eq!(run(&["diff", &a, "no-such-file"]).code, 2);
    let no_pointer = run(&["replay", &a, "--ignore", "result", "--no-keep", "--", "no-such-server"]);
    assert!(
        no_pointer.code == 2 && no_pointer.err.contains("`result` is no JSON pointer"),
        "before it starts: {}",
        no_pointer.err
    );
}

#[test]
fn a_comparison_is_written_for_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let a = recording(folder.path(), "a.rec.jsonl", None, ["one", "two"]);
    let b = recording(folder.path(), "b.rec.jsonl", None, ["one", ""]);
    let xml = folder.path().join("out.xml");
    let report = format!("junit={}", xml.display());
    let said = run(&["diff", &a, &b, "--format", "jsonl", "--report", &report]);
    assert_eq!(said.code, 1, "{}", said.err);
    let last: serde_json::Value = serde_json::from_str(said.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["type"], &last["stuck"], &last["exit"]), (&"summary".into(), &1.into(), &1.into()));
    let xml = std::fs::read_to_string(xml).expect("the report");
    assert!(xml.contains("failures=\"1\"") && xml.contains("type=\"stuck\""), "{xml}");
}

/// `accept` without a terminal, as a person runs it from a script.
fn accept(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = rpctape().current_dir(folder).arg("accept").args(args).output().expect("the program starts");
    (output.status.code().expect("not killed"), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn an_accepted_answer_is_the_recording_from_then_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let rec = recording(folder.path(), "chat.rec.jsonl", None, ["3", "old"]);
    let live = recording(folder.path(), "chat.run.jsonl", Some("rec-session"), ["4", "new"]);
    let before = std::fs::read_to_string(&rec).expect("the recording");
    let (code, said) = accept(folder.path(), &["chat", "--exchange", "3", "--reason", "wanted \u{1b}"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("accepted #3 tools/call sum in chat.rec.jsonl"), "{said}");
    let after = std::fs::read_to_string(&rec).expect("the recording");
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let changed: Vec<usize> = (0..old.len() - 1).filter(|at| old[*at] != new[*at]).collect();
    assert_eq!(changed, [0, 7], "only the line of the answer to #3, and the header, which says so");
    assert!(new[0].contains("\"accepted\":[{") && new[0].contains("wanted"), "{}", new[0]);
    let note: serde_json::Value = serde_json::from_str(new[new.len() - 2]).expect("JSON");
    assert_eq!(note["k"], "note");
    let text = note["text"].as_str().expect("a text");
    assert!(
        text.starts_with("accepted #3 tools/call sum (/result/content/0/text) on 20")
            && text.ends_with(": wanted \u{1b}")
    );
    assert!(new[new.len() - 1].contains("\"k\":\"end\""));
    // What is left is the other difference.
    let left = run(&["diff", &rec, &live, "--format", "jsonl"]);
    let last: serde_json::Value = serde_json::from_str(left.out.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["changed"], &last["same"]), (&1.into(), &2.into()), "{}", left.out);
    assert_eq!(accept(folder.path(), &["chat.run.jsonl", "--all", "--reason", "all wanted"]).0, 0);
    assert_eq!(run(&["diff", &rec, &live]).code, 0);
    assert_eq!(run(&["check", &rec]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_recording_stays_as_private_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let rec = recording(folder.path(), "chat.rec.jsonl", None, ["3", "old"]);
    recording(folder.path(), "chat.run.jsonl", Some("rec-session"), ["4", "old"]);
    std::fs::set_permissions(&rec, std::fs::Permissions::from_mode(0o600)).expect("the mode");
    for args in [vec!["chat", "--exchange", "2", "-o", "new.rec.jsonl"], vec!["chat", "--exchange", "2"]] {
        assert_eq!(accept(folder.path(), &args).0, 0);
    }
    for name in ["chat.rec.jsonl", "new.rec.jsonl"] {
        let mode = std::fs::metadata(folder.path().join(name)).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 3, "nothing is left behind");
}

#[test]
fn what_must_not_be_accepted_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let rec = recording(folder.path(), "chat.rec.jsonl", None, ["3", "old"]);
    recording(folder.path(), "chat.run.jsonl", Some("rec-session"), ["4", ""]);
    recording(folder.path(), "other.run.jsonl", Some("another-session"), ["4", "old"]);
    let before = std::fs::read_to_string(&rec).expect("the recording");
    let refused = |args: &[&str], why: &str| {
        let (code, said) = accept(folder.path(), args);
        assert!(code == 2 && said.contains(why), "{args:?}: {said}");
    };
    refused(&["chat", "--all", "--reason", "x"], "--all is refused: #3 is stuck");
    refused(&["chat", "--all"], "--reason");
    refused(&["chat"], "there is no terminal");
    refused(&["chat", "--exchange", "9"], "what differs: #2");
    refused(&["nothing"], "there is no live session nothing.run.jsonl");
    refused(&["other.run.jsonl", "--recording", "chat.rec.jsonl", "--exchange", "2"], "names another session");
    refused(
        &["chat.rec.jsonl", "--recording", "chat.rec.jsonl", "--exchange", "2"],
        "is not the live session of a replay",
    );
    let ci =
        rpctape().current_dir(folder.path()).env("CI", "true").args(["accept", "chat", "--exchange", "2"]).output();
    let ci = ci.expect("the program starts");
    assert!(ci.status.code() == Some(2) && String::from_utf8_lossy(&ci.stderr).contains("in CI"));
    assert_eq!(std::fs::read_to_string(&rec).expect("the recording"), before);
    for (what, name) in [("2", "new.rec.jsonl"), ("changed", "newer.rec.jsonl")] {
        assert_eq!(accept(folder.path(), &["chat", "--exchange", what, "-o", name]).0, 0);
        let taken = std::fs::read_to_string(folder.path().join(name)).expect("it was written");
        assert!(taken != before && std::fs::read_to_string(&rec).is_ok_and(|text| text == before), "{what}");
    }
}
