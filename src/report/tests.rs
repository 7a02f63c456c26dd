//! The formats for findings, over rows made by hand: how they look, and that nothing hostile gets through.

use super::message::tests::message;
use super::*;
use crate::finding::Severity;
use crate::store::{ClauseRow, ConnectionRow, EvidenceRow, FindingRow, MessageRow};

fn at(mut row: MessageRow, id: i64, line: u64, at_us: i64) -> MessageRow {
    row.id = id;
    row.line = line;
    row.at_us = Some(at_us);
    row
}

pub(super) fn late(line: u64, name: &str) -> FindingRow {
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{{"name":"{name}","arguments":{{"q":"invoices 2024","page":1,"size":50}}}}}}"#
    );
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":19,"reason":"timeout"}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":19,"result":{"content":[]}}"#;
    let start = 1_795_243_970_114_000;
    let rows = [
        ("request", at(message("request", "client", Some("tools/call"), Some("19"), &call), 1, line - 2, start)),
        (
            "cancel",
            at(
                message("notification", "client", Some("notifications/cancelled"), None, cancel),
                2,
                line - 1,
                start + 30_000_000,
            ),
        ),
        ("response", at(message("result", "server", None, Some("19"), answer), 3, line, start + 61_200_000)),
    ];
    FindingRow {
        id: 1,
        code: "CAN010".into(),
        rule: "response-after-cancel".into(),
        severity: "warning".into(),
        certainty: "violation".into(),
        basis: Some("rtt".into()),
        profile: "mcp 2025-11-25".into(),
        connection: "a.jsonl/1".into(),
        source: "a.jsonl".into(),
        line,
        message_id: 3,
        exchange_id: Some(1),
        request_line: Some(line - 2),
        issuer: Some("client".into()),
        method: Some("tools/call".into()),
        name: Some(name.into()),
        summary: format!("result for #19 tools/call {name} after it was cancelled 31.2 s later"),
        clause: Some(ClauseRow {
            level: "SHOULD".into(),
            text: "Not send a response for the cancelled request".into(),
            url: "https://example.org/cancellation".into(),
        }),
        evidence: rows.into_iter().map(|(role, message)| EvidenceRow { role: role.into(), message }).collect(),
    }
}

/// A finding in which every text that a log can choose is hostile.
fn hostile() -> FindingRow {
    let bad = "\u{1b}[2K\u{9b}1A\u{202e}error[forged]\u{2066}\r\n\u{7}";
    let mut row = late(40, "search");
    row.source = format!("{bad}.jsonl");
    row.connection = bad.into();
    row.summary = format!("{bad} was sent");
    for evidence in &mut row.evidence {
        evidence.message.source = row.source.clone();
        evidence.message.method = Some(bad.into());
        evidence.message.rpc_id = Some(format!("\"{bad}\""));
        evidence.message.raw = Some(format!("{{\"params\":{{\"requestId\":\"{bad}\",\"reason\":\"{bad}\"}}}}"));
    }
    row
}

fn run(mut report: impl Report, rows: &[FindingRow]) -> String {
    let mut out = Vec::new();
    let skipped = Skipped { source: "a.jsonl".into(), why: "not a message".into(), lines: 4, first: 7 };
    let undecidable = Undecidable {
        code: "CAN006".into(),
        rule: "cancel-id-type-mismatch".into(),
        lacks: vec!["the id inside a cancel".into()],
        events: 2,
    };
    let mut summary = Summary {
        sources: 1,
        sessions: 1,
        connections: 1,
        messages: 1284,
        requests: 61,
        cancels: 3,
        skipped: vec![skipped],
        undecidable: vec![undecidable],
        fail_on: "warning",
        ..Summary::default()
    };
    for row in rows {
        summary.count(row, Some(Severity::Warning));
        report.finding(&mut out, row).expect("written");
    }
    report.finish(&mut out, &summary).expect("written");
    String::from_utf8(out).expect("text")
}

#[test]
fn full_shows_the_proof_and_folds_what_is_alike() {
    let rows = [late(6, "search"), late(9, "search"), late(30, "other"), late(33, "search")];
    insta::assert_snapshot!(run(Full::new(Style::PLAIN, true), &rows), @r#"
    4 warnings in 1 connection (1,284 messages, 61 requests, 3 cancels)
    not looked at: 4 lines without a message (from a.jsonl:7)
    not decidable from this log:
      CAN006 cancel-id-type-mismatch (2 times): the log lacks the id inside a cancel
      warning CAN010 response-after-cancel     4  line 6  #19 tools/call search

    warning[response-after-cancel]: result for #19 tools/call search after it was cancelled 31.2 s later
      --> a.jsonl:6   #19 tools/call search   06:53:51.314
         |
       4 |  06:52:50.114  c>s  #19 tools/call {"name":"search","arguments":{"q":"invoices 2024","page...
       5 |  06:53:20.114  c>s  notifications/cancelled {"requestId":19,"reason":"t...  +30.0 s (request)
       6 |  06:53:51.314  s>c  #19 result {"content":[]}                               +31.2 s (cancel)
         |
         = proof: it came later than every round trip in this log allows (rtt)
         = rule: mcp 2025-11-25, SHOULD: "Not send a response for the cancelled request"
         = why: The side that cancelled has forgotten the id. Strict clients take the late answer for a
                protocol error and drop the connection; lenient ones discard it, and with it the news
                that the work was completed after all.
         = fix: Pass the cancel on into the handler, and drop its result once the cancel is set.
         = more: rpctape explain response-after-cancel
         ... and 2 more: lines 9, 33

    warning[response-after-cancel]: result for #19 tools/call other after it was cancelled 31.2 s later
      --> a.jsonl:30   #19 tools/call other   06:53:51.314
         |
      28 |  06:52:50.114  c>s  #19 tools/call {"name":"other","arguments":{"q":"invoices 2024","page"...
      29 |  06:53:20.114  c>s  notifications/cancelled {"requestId":19,"reason":"t...  +30.0 s (request)
      30 |  06:53:51.314  s>c  #19 result {"content":[]}                               +31.2 s (cancel)
         |
         = proof: it came later than every round trip in this log allows (rtt)
         = rule: mcp 2025-11-25, SHOULD: "Not send a response for the cancelled request"

    4 warnings: exit 1
    "#);
}

#[test]
fn many_kinds_of_one_rule_stay_readable() {
    let rows: Vec<FindingRow> = (0..2000).map(|n| late(10 + n, &format!("tool-{}", n % 500))).collect();
    let text = run(Full::new(Style::PLAIN, true), &rows);
    assert!(text.lines().count() < 80, "{text}");
    assert!(text.contains("warning[response-after-cancel]: 1,988 more, about other methods or tools"), "{text}");
    assert!(text.contains("  --> a.jsonl:13   #19 tools/call tool-3   06:53:51.314   and 3 more"), "{text}");
    assert!(text.contains("  --> ... 489 more kinds: --format concise shows every finding"), "{text}");
}

#[test]
fn narrow_screens_stay_within_their_width() {
    let style = Style { width: Some(80), ..Style::PLAIN };
    let text = run(Full::new(style, true), &[late(6, "search")]);
    let proof = text.lines().filter(|line| line.contains('|'));
    assert!(proof.clone().count() > 3 && proof.clone().all(|line| columns::width(line) <= 80), "{text}");
}

#[test]
fn one_line_each() {
    insta::assert_snapshot!(run(Concise::new(Style::PLAIN), &[late(6, "search")]), @"
    a.jsonl:6: warning response-after-cancel: result for #19 tools/call search after it was cancelled 31.2 s later
    1 warning in 1 connection (1,284 messages, 61 requests, 3 cancels)
    not looked at: 4 lines without a message (from a.jsonl:7)
    not decidable from this log:
      CAN006 cancel-id-type-mismatch (2 times): the log lacks the id inside a cancel
    ");
}

/// A finding that the log does not decide.
fn undecided() -> FindingRow {
    FindingRow { severity: "note".into(), certainty: "undecidable".into(), ..late(6, "search") }
}

#[test]
fn reports_say_what_was_not_looked_at() {
    let summary = Summary { ignored: vec!["CAN".into()], baselined: 11, ..Summary::default() };
    let told = |mut report: Box<dyn Report>| {
        let mut out = Vec::new();
        report.finish(&mut out, &summary).expect("written");
        String::from_utf8(out).expect("text")
    };
    let context = Context::default();
    for text in [told(Box::new(Annotations::new(&context))), told(Box::new(Markdown::new(&context)))] {
        assert!(text.contains("ot looked at: the rules CAN ") && text.contains("ignored"), "{text}");
        assert!(text.contains("11 known findings"), "{text}");
    }
}

#[test]
fn what_is_undecidable_passes_no_test() {
    let connection = ConnectionRow { key: "a.jsonl/1".into(), source: "a.jsonl".into(), ..ConnectionRow::default() };
    let context = Context { connections: vec![connection], ..Context::default() };
    let text = run(Junit::new(&context), &[undecided()]);
    assert!(text.contains("<skipped message=\"not decidable: 1 time\"/>"), "{text}");
}

#[test]
fn counted() {
    insta::assert_snapshot!(run(Statistics::new(Style::PLAIN), &[late(6, "search"), late(9, "search")]), @"
    count  code    rule                   severity  certainty  first
        2  CAN010  response-after-cancel  warning   violation  a.jsonl:6

    2 warnings in 1 connection (1,284 messages, 61 requests, 3 cancels)
    not looked at: 4 lines without a message (from a.jsonl:7)
    not decidable from this log:
      CAN006 cancel-id-type-mismatch (2 times): the log lacks the id inside a cancel
    ");
}

#[test]
fn lines_for_machines() {
    insta::assert_snapshot!(run(Lines, &[late(6, "search")]), @r#"
    {"type":"finding","code":"CAN010","rule":"response-after-cancel","severity":"warning","certainty":"violation","basis":"rtt","profile":"mcp 2025-11-25","connection":"a.jsonl/1","source":"a.jsonl","line":6,"request_line":4,"summary":"result for #19 tools/call search after it was cancelled 31.2 s later","clause":{"level":"SHOULD","text":"Not send a response for the cancelled request","url":"https://example.org/cancellation"},"evidence":[{"role":"request","line":4},{"role":"cancel","line":5},{"role":"response","line":6}]}
    {"type":"summary","v":1,"counts":{"findings":1,"error":0,"warning":1,"note":0,"violation":1,"race":0,"undecidable":0},"by_rule":{"CAN010":1},"not_shown":0,"sources":1,"sessions":1,"connections":1,"messages":1284,"requests":61,"cancels":3,"skipped":[{"source":"a.jsonl","why":"not a message","lines":4,"first":7}],"unread":[],"files":[],"lost":0,"suppressed":0,"baselined":0,"stale":0,"expired":0,"undecidable":[{"code":"CAN006","rule":"cancel-id-type-mismatch","lacks":["the id inside a cancel"],"events":2}],"fail_on":"warning","exit":1}
    "#);
}

#[test]
fn one_document_for_machines() {
    for rows in [&[][..], &[late(6, "search"), late(9, "search")]] {
        let text = run(Document::default(), rows);
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["findings"].as_array().map(Vec::len), Some(rows.len()));
        assert_eq!(document["summary"]["type"], "summary");
        assert_eq!(document["summary"]["exit"], if rows.is_empty() { 0 } else { 1 });
    }
}

#[test]
fn races_and_what_is_undecidable_fail_no_check() {
    let mut row = late(6, "search");
    row.severity = "note".into();
    row.certainty = "race".into();
    let mut summary = Summary::default();
    summary.count(&row, Some(Severity::Note));
    assert_eq!((summary.exit, summary.counts.race), (0, 1));
    row.certainty = "violation".into();
    summary.count(&row, Some(Severity::Warning));
    summary.count(&row, None);
    assert_eq!(summary.exit, 0);
    summary.count(&row, Some(Severity::Note));
    assert_eq!(summary.exit, 1);
}

#[test]
fn nothing_from_a_log_reaches_the_screen_as_it_was() {
    let rows = [hostile(), late(50, "search")];
    let texts = [
        run(Full::new(Style::PLAIN, true), &rows),
        run(Full::new(Style::PLAIN, false), &rows),
        run(Concise::new(Style::PLAIN), &rows),
        run(Statistics::new(Style::PLAIN), &rows),
        run(Lines, &rows),
        run(Document::default(), &rows),
    ];
    for text in texts {
        assert!(!text.replace('\n', "").contains(escape::is_hostile), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("error[forged]")), "{text}");
        assert!(text.contains("forged"), "shown, not dropped: {text}");
    }
}
