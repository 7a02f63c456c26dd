//! Judge, with recordings made of a few lines: the scenarios as far as they are a matter of verdicts.

use super::diff::{matched, observed};
use super::*;
use crate::protocol::Side;
use crate::replay::options::{Compare, Gate};
use crate::replay::recording::{Connection, Fault, What};
use crate::replay::run::{Anchor, Broken, CancelRun, CancelStatus, ExchangeRun, ExitRun, Extra, Fate};
use crate::replay::testing::connection;
use crate::replay::verdict::{ExchangeReport, RunVerdict, Verdict};

const MCP: &str = "mcp 2025-11-25";

const H: &str = r#"
    0 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
    5 s> {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}}
    6 c> {"method":"notifications/initialized"}
"#;

fn call(at: i64, id: u32, name: &str, arguments: &str) -> String {
    format!(
        "{at} c> {{\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}\n"
    )
}

fn text(at: i64, id: u32, text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!("{at} s> {{\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}}}\n")
}

fn cancel(at: i64, id: u32) -> String {
    format!(
        "{at} c> {{\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id},\"reason\":\"user\"}}}}\n"
    )
}

fn session(protocol: &str, trace: &str) -> Connection {
    connection(protocol, trace)
}

fn recording(name: &str, connection: Connection) -> Recording {
    Recording { name: name.into(), format: "rec".into(), connections: vec![connection] }
}

/// A recording, the live session that a replay of it gave, and what the engine wrote down about it.
struct Run {
    recorded: Connection,
    live: Connection,
    log: RunLog,
    options: Options,
}

impl Run {
    fn of(protocol: &str, recorded: &str, live: &str) -> Run {
        let (recorded, live) = (session(protocol, recorded), session(protocol, live));
        let options = Options::default();
        let log = observed(&recorded, &live, &matched(&recorded, &live), &options);
        Run { recorded, live, log, options }
    }

    fn mcp(recorded: &str, live: &str) -> Run {
        Run::of(MCP, &format!("{H}{recorded}"), &format!("{H}{live}"))
    }

    fn place(&self, label: &str) -> usize {
        self.recorded.exchanges.iter().position(|exchange| exchange.label() == label).expect("an exchange")
    }

    fn change(mut self, label: &str, change: impl FnOnce(&mut ExchangeRun)) -> Run {
        let place = self.place(label);
        change(&mut self.log.exchanges[place]);
        self
    }

    fn fate(self, label: &str, fate: Fate) -> Run {
        self.change(label, |run| *run = ExchangeRun { fate, ..ExchangeRun::default() })
    }

    /// What the audit says about an exchange of the live session; it points at its answer, or at its request.
    fn fault(mut self, label: &str, code: &str, certainty: &str) -> Run {
        self.live.faults.push(fault(&self.live, label, code, certainty));
        self
    }

    fn recorded_fault(mut self, label: &str, code: &str) -> Run {
        self.recorded.faults.push(fault(&self.recorded, label, code, "violation"));
        self
    }

    fn gate(mut self, gate: Gate) -> Run {
        self.options.gate = gate;
        self
    }

    fn strict(self) -> Run {
        self.gate(Gate { strict: true, ..Gate::default() })
    }

    fn compare(mut self, compare: Compare) -> Run {
        self.options.compare = compare;
        self
    }

    fn judge(&self) -> RunReport {
        let about =
            About { target: "stdio: srv".into(), speed: "fast".into(), started_us: Some(0), ..About::default() };
        let (recorded, live) = (recording("a", self.recorded.clone()), recording("b", self.live.clone()));
        judge(&recorded, &live, std::slice::from_ref(&self.log), &self.options, &about)
    }
}

fn fault(connection: &Connection, label: &str, code: &str, certainty: &str) -> Fault {
    let place = connection.exchanges.iter().position(|exchange| exchange.label() == label);
    let exchange = place.map(|place| &connection.exchanges[place]);
    let rule = crate::rules::find(code).expect("a rule");
    let severity = if certainty == "violation" { "warning" } else { "note" };
    Fault {
        code: code.into(),
        rule: rule.name.into(),
        severity: severity.into(),
        certainty: certainty.into(),
        basis: None,
        exchange: place,
        event: exchange.map(|exchange| exchange.response.unwrap_or(exchange.request)),
        summary: format!("{label}: {}", rule.summary),
    }
}

fn of<'r>(report: &'r RunReport, label: &str) -> &'r ExchangeReport {
    report.exchanges.iter().find(|entry| entry.label == label).expect("an entry")
}

/// All entries in short: `#1 same`, `#2 violates+changed`.
fn short(report: &RunReport) -> String {
    let entry = |entry: &ExchangeReport| {
        let also: String = entry.also.iter().map(|verdict| format!("+{}", verdict.as_str())).collect();
        format!("{} {}{also}", entry.label, entry.verdict.as_str())
    };
    report.exchanges.iter().map(entry).collect::<Vec<_>>().join(", ")
}

fn end(report: &RunReport) -> (RunVerdict, u8) {
    (report.verdict, report.exit)
}

const PASS: (RunVerdict, u8) = (RunVerdict::Pass, 0);
const FAIL: (RunVerdict, u8) = (RunVerdict::Fail, 1);

fn s01() -> String {
    call(20, 2, "slow", "{}") + &cancel(320, 2) + &call(330, 3, "echo", "{\"x\":1}") + &text(332, 3, "{\"x\":1}")
}

#[test]
fn s01_an_honoured_cancel() {
    let report = Run::mcp(&s01(), &(s01() + "5332 s| 0\n")).judge();
    assert_eq!(short(&report), "#1 same, #2 same, #3 same");
    assert_eq!(end(&report), PASS);
    let cancels = report.cancels;
    assert_eq!([cancels.recorded, cancels.landed, cancels.raced, cancels.not_sent], [1, 1, 0, 0]);
    assert_eq!(of(&report, "#2").notes, ["no answer, watched 5.01 s after the cancel"]);
    assert_eq!(of(&report, "#2").live.cancelled_us, Some(300_000));
}

#[test]
fn s02_an_answer_after_the_cancel_is_a_violation_only_where_it_is_proven() {
    let live = s01() + &text(520, 2, "done");
    let report = Run::mcp(&s01(), &live).fault("#2", "CAN010", "violation").judge();
    assert_eq!(short(&report), "#1 same, #2 violates, #3 same");
    assert_eq!(end(&report), FAIL);
    let entry = of(&report, "#2");
    assert_eq!(entry.rule.as_deref(), Some("response-after-cancel"));
    assert_eq!(entry.detail, "response-after-cancel, +200 ms after the cancel");
    assert_eq!(report.first_divergence, Some(1));

    let raced = Run::mcp(&s01(), &live).fault("#2", "CAN010", "race").judge();
    assert_eq!(short(&raced), "#1 same, #2 raced, #3 same");
    assert!(of(&raced, "#2").notes[0].starts_with("race: "), "{:?}", of(&raced, "#2").notes);
    // Without a word of the audit the class has changed to one that the protocol does not permit.
    assert_eq!(short(&Run::mcp(&s01(), &live).judge()), "#1 same, #2 changed, #3 same");
}

#[test]
fn what_both_sides_do_is_left_to_the_audit() {
    let late = s01() + &text(520, 2, "done");
    let run = Run::mcp(&late, &late).fault("#2", "CAN010", "violation").recorded_fault("#2", "CAN010");
    let report = run.judge();
    assert_eq!(end(&report), PASS);
    assert_eq!(of(&report, "#2").notes, ["still violates response-after-cancel"]);
    let any = run.gate(Gate { violates_any: true, ..Gate::default() }).judge();
    assert_eq!(end(&any), FAIL);
}

#[test]
fn a_violation_that_is_gone_is_fixed() {
    let late = s01() + &text(520, 2, "done");
    let report = Run::mcp(&late, &s01()).recorded_fault("#2", "CAN010").judge();
    assert_eq!(short(&report), "#1 same, #2 fixed, #3 same");
    assert_eq!(end(&report), PASS);
    // A log that cannot show the target of a cancel cannot show that the fault is gone.
    let mut blind = Run::mcp(&late, &s01()).recorded_fault("#2", "CAN010");
    blind.live.proof = crate::capture::Proof::PAYLOAD;
    assert!(
        of(&blind.judge(), "#2").detail.contains("no answer after the cancel"),
        "{:?}",
        of(&blind.judge(), "#2").detail
    );
}

#[test]
fn s04_a_cancel_that_came_too_late_makes_the_run_inconclusive() {
    let live = call(20, 2, "slow", "{}")
        + &text(50, 2, "done")
        + &call(330, 3, "echo", "{\"x\":1}")
        + &text(332, 3, "{\"x\":1}");
    let raced = |harness_made| CancelRun {
        status: CancelStatus::Raced,
        anchor: Anchor::Elapsed,
        nth: 0,
        anchor_missed: false,
        sent_us: None,
        horizon_us: 0,
        cut_short: false,
        harness_made,
        progress_after: (0, None),
    };
    let run = || Run::mcp(&s01(), &live).change("#2", |run| run.cancel = Some(raced(false)));
    let report = run().judge();
    assert_eq!(short(&report), "#1 same, #2 raced, #3 same");
    assert_eq!(end(&report), (RunVerdict::Inconclusive, 0));
    assert_eq!(report.notes, ["inconclusive: the recorded cancel did not land"]);
    assert_eq!(of(&report, "#2").detail, "a result after 30 ms came before the cancel");
    assert_eq!(end(&run().strict().judge()), FAIL);
    // A cancel that we should not have sent is no fault of the server.
    let sent = run().change("#2", |run| run.cancel = Some(raced(true))).fault("#2", "CAN005", "violation").judge();
    assert_eq!(short(&sent), "#1 same, #2 raced, #3 same");
    assert_eq!(sent.exit, 0);
}

const LIST: &str = r#"
    10 c> {"id":2,"method":"tools/list","params":{}}
    15 s> {"id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"Y3Vyc29yLTE="}}
    20 c> {"id":3,"method":"tools/list","params":{"cursor":"Y3Vyc29yLTE="}}
    25 s> {"id":3,"result":{"tools":[{"name":"b"}]}}
"#;

#[test]
fn a_cancel_that_was_wrong_is_never_raced() {
    let trace = |cancel: &str| {
        format!("{}{cancel}", &H[..H.find("5 s>").expect("an answer")]) + &H[H.find("5 s>").unwrap_or(0)..]
    };
    let wrong = trace("1 c> {\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    let mut run = Run::of(MCP, &wrong, H).recorded_fault("#1", "CAN003");
    let cancel = run.recorded.exchanges[0].cancels[0];
    run.recorded.faults[0].event = Some(cancel);
    run.log.exchanges[0].cancel.as_mut().expect("a cancel").status = CancelStatus::Raced;
    let report = run.judge();
    assert_eq!(short(&report), "#1 same");
    assert_eq!((end(&report), report.cancels.recorded), (PASS, 0));
}

#[test]
fn s05_a_cursor_that_flows_is_no_change() {
    let live = LIST.replace("Y3Vyc29yLTE=", "bGl2ZS03Nzc=");
    let run = || Run::mcp(LIST, &live).change("#2", |run| run.captured = vec!["/result/nextCursor".into()]);
    let report = run().judge();
    assert_eq!(short(&report), "#1 same, #2 same, #3 same");
    assert_eq!(end(&report), PASS);
    let without = live.replace(",\"nextCursor\":\"bGl2ZS03Nzc=\"", "");
    let gone = Run::mcp(LIST, &without)
        .change("#2", |run| run.capture_missing = vec!["/result/nextCursor".into()])
        .fate("#3", Fate::Blocked("#2".into()))
        .judge();
    assert_eq!(short(&gone), "#1 same, #2 changed, #3 blocked");
    assert_eq!(end(&gone), FAIL);
    assert_eq!(of(&gone, "#2").diff[0].why.as_deref(), Some("a value that later requests need is missing"));
    assert_eq!(of(&gone, "#3").detail, "needs a value that #2 did not give");
}

#[test]
fn s06_payloads_codes_and_texts() {
    let sum = |total: &str, at: &str| format!("{{\"total\":{total},\"at\":\"{at}\"}}");
    let error = |body: &str| format!("{}{}", call(20, 3, "sum", "{}"), format_args!("22 s> {{\"id\":3,{body}}}\n"));
    let missing = r#""error":{"code":-32602,"message":"missing a"}"#;
    let trace = |result: &str, body: &str| call(10, 2, "sum", "{\"a\":1}") + &text(12, 2, result) + &error(body);
    let before = sum("3", "2026-01-01T00:00:00Z");
    let run = |result: &str, body: &str| Run::mcp(&trace(&before, missing), &trace(result, body));

    let total = run(&sum("4", "2026-01-01T00:00:00Z"), missing).judge();
    assert_eq!(short(&total), "#1 same, #2 changed, #3 same");
    assert_eq!(of(&total, "#2").detail, "/result/content/0/text -> /total");
    assert_eq!(end(&total), FAIL);

    let at = || run(&sum("3", "2026-02-02T00:00:00Z"), missing);
    assert_eq!(end(&at().judge()), FAIL);
    let matches = vec![crate::replay::compare::read_match("/result/content/0/text -> /at=datetime").expect("a match")];
    assert_eq!(end(&at().compare(Compare { matches, ..Compare::default() }).judge()), PASS);

    for (body, verdict, exit) in [
        (r#""error":{"code":-32603,"message":"missing a"}"#, "error-changed", 1),
        (r#""error":{"code":-32602,"message":"a is missing"}"#, "same", 0),
        (r#""result":{}"#, "error-changed", 1),
    ] {
        let report = run(&before, body).judge();
        assert_eq!(short(&report), format!("#1 same, #2 same, #3 {verdict}"));
        assert_eq!(report.exit, exit);
    }
    assert_eq!(end(&run(&sum("3.0", "2026-01-01T00:00:00Z"), missing).judge()), PASS);
    let unit = sum("3,\"unit\":\"eur\"", "2026-01-01T00:00:00Z");
    assert_eq!(end(&run(&unit, missing).judge()), FAIL);
    assert_eq!(end(&run(&unit, missing).compare(Compare { allow_added: true, ..Compare::default() }).judge()), PASS);
}

#[test]
fn s07_a_retry_is_part_of_its_exchange() {
    let trace = |state: &str, done: &str| {
        let needs = r#"{"ok":{"method":"elicitation/create","params":{}}}"#;
        let params = r#""name":"deploy","arguments":{}"#;
        format!(
            r#"
            0 c> {{"id":1,"method":"tools/call","params":{{{params}}}}}
            10 s> {{"id":1,"result":{{"resultType":"input_required","inputRequests":{needs},"requestState":"{state}"}}}}
            900 c> {{"id":2,"method":"tools/call","params":{{{params},"requestState":"{state}"}}}}
            910 s> {{"id":2,"result":{{"resultType":"complete","content":[{{"type":"text","text":"{done}"}}]}}}}
            "#
        )
    };
    let run = |done: &str| {
        Run::of("mcp 2026-07-28", &trace("S-111", "done"), &trace("S-222", done))
            .change("#1", |run| run.captured = vec!["/result/requestState".into()])
            .change("#2", |run| run.continues = Some(0))
    };
    let report = run("done").judge();
    assert_eq!(short(&report), "#1 same");
    assert_eq!((end(&report), of(&report, "#1").retries.join(" ")), (PASS, "#2".into()));
    let other = run("other").judge();
    assert_eq!(short(&other), "#1 changed");
    assert_eq!(of(&other, "#1").diff[0].of.as_deref(), Some("#2"));
    for report in [report, other] {
        let told = format!("{report:?}");
        assert!(!told.contains("S-111") && !told.contains("S-222"), "{told}");
    }
}

#[test]
fn s08_no_answer_any_more() {
    let trace =
        call(10, 2, "echo", "{\"x\":1}") + &text(12, 2, "1") + &call(20, 3, "echo", "{\"x\":2}") + &text(24, 3, "2");
    let live = call(10, 2, "echo", "{\"x\":1}") + &text(12, 2, "1") + &call(20, 3, "echo", "{\"x\":2}");
    let stuck = |run: &mut ExchangeRun| {
        run.stuck_us = Some(2_020_000);
        run.watched_us = Some(2_000_000);
    };
    let report = Run::mcp(&trace, &live).change("#3", stuck).fault("#3", "STK001", "violation").judge();
    assert_eq!(short(&report), "#1 same, #2 same, #3 stuck");
    assert_eq!((end(&report), of(&report, "#3").detail.as_str()), (FAIL, "no answer, watched 2.00 s"));
    let stopped = Run::mcp(&trace, &trace)
        .change("#2", |run| run.text = None)
        .change("#2", stuck)
        .fate("#3", Fate::NotSent("stopped".into()));
    assert_eq!(short(&stopped.judge()), "#1 same, #2 stuck, #3 not-sent");
}

#[test]
fn s09_answers_that_change_places() {
    let calls = call(10, 2, "a", "{}") + &call(11, 3, "b", "{}");
    let report = Run::mcp(
        &(calls.clone() + &text(50, 2, "A") + &text(90, 3, "B")),
        &(calls + &text(31, 3, "B") + &text(90, 2, "A")),
    )
    .judge();
    assert_eq!(short(&report), "#1 same, #2 same+reordered, #3 same+reordered");
    assert_eq!((end(&report), report.notes), (PASS, vec!["reordered: #3 was answered before #2".to_string()]));
}

#[test]
fn s10_ids_of_both_sides_may_collide() {
    let trace = |id: &str| {
        let asked = format!(
            "12 s> {{\"id\":{id},\"method\":\"roots/list\"}}\n15 c> {{\"id\":{id},\"result\":{{\"roots\":[]}}}}\n"
        );
        call(10, 2, "scan", "{}") + &asked + &text(30, 2, "1 root")
    };
    let report = Run::mcp(&trace("2"), &trace("\"q-77\"")).judge();
    assert_eq!(short(&report), "#1 same, #2 same, s2 same");
    assert_eq!(end(&report), PASS);
}

#[test]
fn s11_something_new_is_asked() {
    let trace = call(10, 2, "plan", "{}") + &text(20, 2, "ok");
    let extra = |request| Extra {
        request,
        method: "sampling/createMessage".into(),
        rpc_id: request.then(|| "5".into()),
        count: 1,
        at_us: 12_000,
        answered: request.then(|| "error -1".into()),
    };
    let run = |request| {
        let mut run = Run::mcp(&trace, &trace);
        run.log.extras = vec![extra(request)];
        run
    };
    let report = run(true).judge();
    assert_eq!(short(&report), "#1 same, #2 same, s5 extra");
    assert_eq!((end(&report), of(&report, "s5").detail.as_str()), (FAIL, "not in the recording; answered error -1"));
    let gate = Gate { fail_on: Some(vec![Verdict::Stuck, Verdict::Violates]), ..Gate::default() };
    assert_eq!(end(&run(true).gate(gate).judge()), PASS);
    assert_eq!(end(&run(false).judge()), PASS);
}

#[test]
fn s12_a_lost_session() {
    let trace = call(10, 2, "echo", "{}") + &text(20, 2, "ok") + &call(30, 3, "echo", "{}") + &text(40, 3, "ok");
    let lost = |run: &mut ExchangeRun| {
        run.text = None;
        run.session_lost = Some(404);
    };
    let report = Run::mcp(&trace, &trace).change("#2", lost).fate("#3", Fate::NotSent("session lost".into())).judge();
    assert_eq!(short(&report), "#1 same, #2 session-lost, #3 not-sent");
    assert_eq!(end(&report), FAIL);
}

#[test]
fn s13_a_cancel_that_must_be_answered() {
    let asked = r#"
        0 c> {"id":1,"method":"initialize","params":{"processId":1,"capabilities":{}}}
        5 s> {"id":1,"result":{"capabilities":{}}}
        10 c> {"id":2,"method":"textDocument/references","params":{}}
        110 c> {"method":"$/cancelRequest","params":{"id":2}}
    "#;
    let with = |answer: &str| format!("{asked}\n{answer}\n9000 s|");
    let recorded = with(r#"112 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}"#);
    let run = |answer: &str| Run::of("lsp", &recorded, &with(answer));
    assert_eq!(end(&run(r#"115 s> {"id":2,"error":{"code":-32800,"message":"stopped"}}"#).judge()), PASS);

    let silent = run("").fault("#2", "CAN011", "violation").judge();
    assert_eq!(short(&silent), "#1 same, #2 stuck+violates");
    assert_eq!(of(&silent, "#2").rule.as_deref(), Some("cancelled-never-answered"));
    assert_eq!(end(&silent), FAIL);

    let result = run(r#"115 s> {"id":2,"result":null}"#).judge();
    assert_eq!(short(&result), "#1 same, #2 same");
    assert_eq!(of(&result, "#2").notes, ["other permitted outcome: a result, recorded the cancelled error"]);
    let other = run(r#"115 s> {"id":2,"error":{"code":-32603,"message":"?"}}"#).judge();
    assert_eq!(short(&other), "#1 same, #2 error-changed");
}

#[test]
fn s14_a_turn_that_is_cancelled() {
    let trace = |session: &str, end: &str| {
        format!(
            r#"
            0 c> {{"id":1,"method":"initialize","params":{{"protocolVersion":1}}}}
            5 s> {{"id":1,"result":{{"protocolVersion":1}}}}
            10 c> {{"id":2,"method":"session/new","params":{{"cwd":"/w","mcpServers":[]}}}}
            12 s> {{"id":2,"result":{{"sessionId":"{session}"}}}}
            20 c> {{"id":3,"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[]}}}}
            60 s> {{"method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"plan","entries":[]}}}}}}
            100 c> {{"method":"session/cancel","params":{{"sessionId":"{session}"}}}}
            140 s> {{"id":3,"result":{{"stopReason":"{end}"}}}}
            "#
        )
    };
    let run = |end: &str| {
        let run = Run::of("acp 1", &trace("sess-rec-0001", "cancelled"), &trace("sess-live-0002", end));
        run.change("#2", |run| run.captured = vec!["/result/sessionId".into()])
    };
    let same = run("cancelled").judge();
    assert_eq!(short(&same), "#1 same, #2 same, #3 same");
    assert_eq!(end(&same), PASS);
    let wrong = run("end_turn").fault("#3", "SES001", "violation").judge();
    assert_eq!(short(&wrong), "#1 same, #2 same, #3 violates");
    assert_eq!(end(&wrong), FAIL);
}

#[test]
fn s15_what_was_not_sent_is_counted() {
    let trace = call(10, 2, "search", "{}")
        + &text(12, 2, "ok")
        + &call(20, 3, "delete_all", "{}")
        + &text(22, 3, "ok")
        + &call(30, 4, "get_order", "{}")
        + &text(32, 4, "ok");
    let run = || {
        Run::mcp(&trace, &trace)
            .fate("#3", Fate::NotSent("policy: not read-only".into()))
            .fate("#4", Fate::Blocked("#3".into()))
    };
    let report = run().judge();
    assert_eq!(short(&report), "#1 same, #2 same, #3 not-sent, #4 blocked");
    assert_eq!(end(&report), (RunVerdict::Inconclusive, 0));
    assert_eq!(end(&run().strict().judge()), FAIL);
    let mut nothing = run().fate("#2", Fate::Skipped).fate("#3", Fate::Skipped).fate("#4", Fate::Skipped);
    nothing.options.policy.only = vec!["nothing".into()];
    let report = nothing.judge();
    assert_eq!((report.exit, report.notes[0].as_str()), (2, "nothing was checked"));
}

#[test]
fn a_server_that_leaves() {
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok") + &call(30, 3, "b", "{}") + &text(40, 3, "ok");
    let exit = |recorded_too| ExitRun {
        code: Some(3),
        at_us: 25_000,
        unasked: true,
        recorded_too,
        stderr: vec!["panic".into()],
        ..ExitRun::default()
    };
    let gone = |run: &mut ExchangeRun| (run.text, run.answered_us, run.peer_gone) = (None, None, true);
    let run = |recorded_too| {
        let mut run = Run::mcp(&trace, &trace).change("#2", gone).fate("#3", Fate::NotSent("server exited".into()));
        run.log.exit = Some(exit(recorded_too));
        run
    };
    let report = run(false).judge();
    assert_eq!(short(&report), "#1 same, #2 server-exit, #3 not-sent");
    assert_eq!((end(&report), of(&report, "#2").detail.as_str()), (FAIL, "the server exited with 3"));
    assert_eq!(report.stderr, ["panic"]);
    assert_eq!(of(&run(true).judge(), "#2").verdict, Verdict::Same);
    // With nothing in flight it is nobody's exchange, and fails all the same.
    let mut idle = Run::mcp(&trace, &trace).fate("#3", Fate::NotSent("server exited".into()));
    idle.log.exit = Some(exit(false));
    assert_eq!(short(&idle.judge()), "#1 same, #2 same, #3 not-sent, - server-exit");
    assert_eq!(end(&idle.judge()), FAIL);
}

#[test]
fn our_own_faults_are_not_the_servers() {
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok");
    let mut run = Run::mcp(&trace, &trace).fault("#2", "RPC010", "violation");
    let request = run.live.exchanges[1].request;
    run.live.faults[0].event = Some(request);
    assert_eq!(end(&run.judge()), PASS);
    // Junk of the server belongs to no exchange, and is a violation all the same.
    let junk = Fault {
        exchange: None,
        event: Some(run.live.exchanges[1].response.expect("an answer")),
        ..run.live.faults[0].clone()
    };
    run.live.faults.push(junk);
    let report = run.judge();
    assert_eq!(short(&report), "#1 same, #2 same, - violates");
    assert_eq!(end(&report), FAIL);
    run.recorded.faults.push(Fault { exchange: None, ..fault(&run.recorded, "#2", "RPC010", "violation") });
    assert_eq!(end(&run.judge()), PASS);
}

#[test]
fn what_the_recording_leaves_open() {
    let open = call(10, 2, "a", "{}");
    let answered = open.clone() + &text(20, 2, "ok");
    assert_eq!(short(&Run::mcp(&open, &answered).judge()), "#1 same, #2 fixed");
    assert_eq!(short(&Run::mcp(&open, &open).judge()), "#1 same, #2 same");
    let mut gap = Run::mcp(&open, &answered);
    let last = gap.recorded.events.last().expect("an event").clone();
    gap.recorded.events.push(crate::replay::recording::Event { what: What::Gap, ..last });
    assert_eq!(short(&gap.judge()), "#1 same, #2 unknown");
}

#[test]
fn what_the_audit_takes_for_no_answer_is_none() {
    let open = call(10, 2, "a", "{}");
    let mut run = Run::mcp(&open, &(open.clone() + &text(20, 2, "ok")));
    let place = run.place("#2");
    assert!(run.log.exchanges[place].answered_us.is_some());
    run.live.exchanges[place].response = None;
    assert_eq!(short(&run.judge()), "#1 same, #2 same");
}

#[test]
fn a_code_that_the_log_does_not_keep_is_not_compared() {
    let error =
        |code: &str| call(10, 2, "a", "{}") + &format!("20 s> {{\"id\":2,\"error\":{{{code}\"message\":\"no\"}}}}\n");
    let mut run = Run::mcp(&error(""), &error("\"code\":-32000,"));
    assert_eq!(short(&run.judge()), "#1 same, #2 error-changed");
    run.recorded.proof = run.recorded.proof.without(crate::capture::Proof::ERROR_CODE);
    let report = run.judge();
    assert_eq!(short(&report), "#1 same, #2 same");
    assert!(of(&report, "#2").notes.iter().any(|note| note.contains("error codes")));
    let mut run = Run::mcp(&error(""), &(call(10, 2, "a", "{}") + &text(20, 2, "ok")));
    run.recorded.proof = run.recorded.proof.without(crate::capture::Proof::ERROR_CODE);
    assert_eq!(short(&run.judge()), "#1 same, #2 error-changed");
}

#[test]
fn a_run_that_broke_off() {
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok") + &call(30, 3, "b", "{}") + &text(40, 3, "ok");
    let run = |broken| {
        let mut run = Run::mcp(&trace, &trace).fate("#3", Fate::Pending).change("#2", |run| run.text = None);
        run.log.broken = Some(broken);
        run.judge()
    };
    assert_eq!(short(&run(Broken::Deadline)), "#1 same, #2 unknown, #3 not-sent");
    assert_eq!(end(&run(Broken::Deadline)), FAIL);
    assert_eq!(run(Broken::Link("cannot start x: no such file".into())).exit, 2);
    assert_eq!(end(&run(Broken::Interrupted)).0, RunVerdict::Inconclusive);
}

#[test]
fn slower_needs_both_a_factor_and_a_distance() {
    let trace = |ms: i64| call(10, 2, "a", "{}") + &text(10 + ms, 2, "ok");
    for (before, now, verdict) in [(60, 150, "same"), (60, 170, "slower"), (300, 450, "same"), (300, 601, "slower")] {
        assert_eq!(short(&Run::mcp(&trace(before), &trace(now)).judge()), format!("#1 same, #2 {verdict}"), "{now}");
    }
    let run = || Run::mcp(&trace(60), &trace(170));
    assert_eq!(end(&run().judge()), PASS);
    assert_eq!(end(&run().gate(Gate { fail_on: Some(vec![Verdict::Slower]), ..Gate::default() }).judge()), FAIL);
    // Where sending was late, times say nothing.
    let late = run().change("#2", |run| run.planned_us = Some(-100_000)).judge();
    assert!(late.delayed && short(&late) == "#1 same, #2 same", "{}", short(&late));
}

#[test]
fn rules_that_are_broken_stop_the_run() {
    let run = Run::mcp("", "").compare(Compare { ignore: vec!["x".into()], ..Compare::default() });
    assert_eq!(run.judge().exit, 2);
    let idle = Run::mcp("", "").compare(Compare { ignore: vec!["/result/typo".into()], ..Compare::default() }).judge();
    assert_eq!(idle.notes, ["warning: the ignore rule for /result/typo fitted nothing"]);
}

fn diffed(a: &str, b: &str) -> RunReport {
    let (a, b) = (session(MCP, &format!("{H}{a}")), session(MCP, &format!("{H}{b}")));
    diff(&recording("a", a), &recording("b", b), &Options::default())
}

#[test]
fn two_recordings_are_matched_by_what_was_asked() {
    let a = call(10, 2, "a", "{\"n\":1}") + &text(12, 2, "one") + &call(20, 3, "a", "{\"n\":2}") + &text(22, 3, "two");
    let b = call(10, 7, "a", "{\"n\":2}") + &text(12, 7, "two") + &call(20, 8, "a", "{\"n\":1}") + &text(22, 8, "one");
    assert_eq!(short(&diffed(&a, &b)), "#1 same, #2 same, #3 same");
    let other = diffed(
        &a,
        &(call(10, 7, "a", "{\"n\":2}") + &text(12, 7, "two") + &call(20, 8, "a", "{\"n\":3}") + &text(22, 8, "3")),
    );
    assert_eq!(short(&other), "#1 same, #2 changed, #3 same");
    assert!(of(&other, "#2").notes.contains(&"asked differently at /params/arguments/n".to_string()));
    let more = diffed(&a, &(a.clone() + &call(30, 4, "b", "{}") + &text(31, 4, "x")));
    assert_eq!((short(&more), more.exit), ("#1 same, #2 same, #3 same, #4 extra".into(), 1));
    let less = diffed(&(a.clone() + &call(30, 4, "b", "{}")), &a);
    assert_eq!((short(&less), less.exit), ("#1 same, #2 same, #3 same, #4 missing".into(), 1));
    assert_eq!(of(&less, "#4").detail, "only in the first recording");
}

#[test]
fn values_that_flow_may_differ_between_recordings() {
    let report = diffed(LIST, &LIST.replace("Y3Vyc29yLTE=", "bGl2ZS03Nzc="));
    assert_eq!((short(&report), report.exit), ("#1 same, #2 same, #3 same".into(), 0));
    assert_eq!(of(&report, "#2").captured, ["/result/nextCursor"]);
    assert_eq!(of(&report, "#3").substituted[0].at, "/params/cursor");
    // Shown in one place only, it is a change.
    let kept = LIST.replacen("Y3Vyc29yLTE=", "bGl2ZS03Nzc=", 1);
    assert_eq!(short(&diffed(LIST, &kept)), "#1 same, #2 changed, #3 same");
}

#[test]
fn short_values_are_echoes_only_where_they_were_put_in() {
    let trace = |n: &str| call(10, 2, "a", "{}") + &text(12, 2, n) + &call(20, 3, "b", "{}") + &text(22, 3, n);
    let put = crate::replay::run::Substituted {
        at: "/params/arguments/n".into(),
        from: "#1".into(),
        from_at: "/result/n".into(),
        values: Some(("7".into(), "8".into())),
    };
    let run = Run::mcp(&trace("[7]"), &trace("[8]")).change("#3", |run| run.substituted.push(put));
    assert_eq!(short(&run.judge()), "#1 same, #2 changed, #3 same");
}

#[test]
fn cancels_of_two_recordings() {
    let late =
        call(20, 2, "slow", "{}") + &cancel(920, 2) + &call(930, 3, "echo", "{\"x\":1}") + &text(932, 3, "{\"x\":1}");
    let report = diffed(&s01(), &late);
    assert_eq!(short(&report), "#1 same, #2 same, #3 same");
    assert!(of(&report, "#2").notes.contains(&"cancelled after 900 ms, before after 300 ms".to_string()));
    let never = call(20, 2, "slow", "{}")
        + &text(50, 2, "done")
        + &call(330, 3, "echo", "{\"x\":1}")
        + &text(332, 3, "{\"x\":1}");
    assert_eq!(short(&diffed(&s01(), &never)), "#1 same, #2 missing, #3 same");
    assert_eq!(short(&diffed(&never, &s01())), "#1 same, #2 extra, #3 same");
    assert_eq!(diffed(&never, &s01()).exit, 1);
}

#[test]
fn several_connections_find_their_partners() {
    let one = session(MCP, &(call(0, 1, "a", "{}") + &text(1, 1, "A")));
    let two = session(MCP, &(call(0, 1, "b", "{}") + &text(1, 1, "B")));
    let of =
        |name: &str, connections: Vec<Connection>| Recording { name: name.into(), format: "rec".into(), connections };
    let a = of("a", vec![one.clone(), two.clone()]);
    let swapped = diff(&a, &of("b", vec![two.clone(), one.clone()]), &Options::default());
    assert_eq!((short(&swapped), swapped.exit), ("#1 same, #1 same".into(), 0));
    let lost = diff(&a, &of("b", vec![two.clone()]), &Options::default());
    assert_eq!(lost.exit, 1);
    let gained = diff(&of("a", vec![one.clone()]), &of("b", vec![one, two]), &Options::default());
    assert_eq!((short(&gained), gained.exit), ("#1 same, #1 extra".into(), 1));
    let nothing = diff(&of("a", Vec::new()), &of("b", Vec::new()), &Options::default());
    assert_eq!(nothing.exit, 2);
    assert!(a.connections.iter().all(|connection| connection.exchanges[0].issuer == Side::Client));
}

#[test]
fn an_answer_that_may_have_crossed_its_cancel_exercises_nothing() {
    let silent = format!("{}{}", call(20, 2, "slow", "{}"), cancel(320, 2));
    let answered = format!("{silent}{}", text(323, 2, "done"));
    let run = Run::mcp(&silent, &answered).fault("#2", "CAN010", "race");
    let report = run.judge();
    assert_eq!(short(&report), "#1 same, #2 raced");
    assert_eq!((report.cancels.landed, report.cancels.raced, report.verdict), (0, 1, RunVerdict::Inconclusive));
    assert_eq!(of(&report, "#2").cancel.as_ref().map(|cancel| cancel.status), Some(CancelStatus::Raced));
    assert_eq!(run.strict().judge().exit, 1);
    // What is proven late is a violation, and the cancel has landed.
    let report = Run::mcp(&silent, &answered).fault("#2", "CAN010", "violation").judge();
    assert_eq!((short(&report).as_str(), report.cancels.landed), ("#1 same, #2 violates", 1));
    // It was a crossing in the recording too: no difference, and no cancel that was exercised.
    let report = Run::mcp(&answered, &answered).fault("#2", "CAN010", "race").judge();
    assert_eq!((short(&report).as_str(), report.cancels.raced), ("#1 same, #2 same", 1));
    // The recorded answer was proven late, and this one is not known to be.
    let report =
        Run::mcp(&answered, &answered).recorded_fault("#2", "CAN010").fault("#2", "CAN010", "undecidable").judge();
    assert_eq!(short(&report), "#1 same, #2 raced");
}

#[test]
fn an_absence_is_only_gone_where_somebody_watched() {
    let prompt = r#"0 c> {"id":2,"method":"textDocument/hover","params":{}}
        10 c> {"method":"$/cancelRequest","params":{"id":2}}
        "#;
    let silent = || Run::of("lsp 3.17", prompt, prompt).recorded_fault("#2", "CAN011");
    let watched = |us: i64| silent().change("#2", |run| run.watched_us = Some(us)).judge();
    assert_eq!(of(&watched(800_000), "#2").verdict, Verdict::Same);
    assert_eq!(of(&watched(1_200_000), "#2").verdict, Verdict::Fixed);
    let answer = format!("{prompt}20 s> {{\"id\":2,\"error\":{{\"code\":-32800,\"message\":\"cancelled\"}}}}");
    let report = Run::of("lsp 3.17", prompt, &answer).recorded_fault("#2", "CAN011").judge();
    assert_eq!(of(&report, "#2").verdict, Verdict::Fixed);
}
