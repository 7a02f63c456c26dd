//! Verdicts on answers.

use super::*;

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
    // That something else kept the run alive until an answer came changes nothing.
    let late = Run::mcp(&trace, &trace).change("#3", |run| {
        (run.sent_us, run.stuck_us, run.answered_us) = (Some(20_000), Some(2_020_000), Some(4_020_000));
    });
    let report = late.judge();
    assert_eq!(end(&report), FAIL);
    assert_eq!(of(&report, "#3").detail, "no answer in 2.00 s; it came after 4.00 s");
}

/// Nobody watched for what would have come behind the end of a capture that was cut off.
#[test]
fn what_is_open_where_the_capture_stops_is_not_known() {
    let asked = call(10, 2, "a", "{}");
    let run = |live: &str, complete_tail: bool| {
        let mut run = Run::mcp(&asked, &(asked.clone() + live));
        run.recorded.complete_tail = complete_tail;
        run.judge()
    };
    let answered = text(12, 2, "ok");
    let (cut, closed) = (run(&answered, false), run(&answered, true));
    assert_eq!((short(&cut).as_str(), short(&closed).as_str()), ("#1 same, #2 unknown", "#1 same, #2 fixed"));
    assert_eq!(of(&cut, "#2").detail, "the recording ends while it is open");
    assert_eq!((cut.verdict, closed.verdict), (RunVerdict::Inconclusive, RunVerdict::Pass));
    assert_eq!(
        (short(&run("", false)), short(&run("", true))),
        ("#1 same, #2 same".into(), "#1 same, #2 same".into()),
        "no answer is what was recorded"
    );
    // A stream that ended was seen to its end, and what stays open by design is open.
    let over_http = |method: &str, rest: &str| {
        let asked = format!("0 c# 1 {{\"id\":1,\"method\":\"{method}\",\"params\":{{\"name\":\"a\"}}}}\n{rest}");
        let mut run = Run::of("mcp 2026-07-28", &asked, &format!("{asked}5 s# 1 {{\"id\":1,\"result\":{{}}}}\n"));
        run.recorded.complete_tail = false;
        short(&run.judge())
    };
    assert_eq!(over_http("tools/call", ""), "#1 unknown");
    assert_eq!(over_http("tools/call", "3 s| 1\n"), "#1 fixed");
    assert_eq!(over_http("subscriptions/listen", ""), "#1 changed");
}

/// An error behind a cancel is another outcome only where the recording shows that there was none.
#[test]
fn what_a_cancel_came_to_behind_the_end_of_the_capture_is_not_known() {
    let asked = r#"0 c> {"id":2,"method":"textDocument/references","params":{}}
        100 c> {"method":"$/cancelRequest","params":{"id":2}}
        "#;
    let run = |complete_tail: bool| {
        let live = format!("{asked}115 s> {{\"id\":2,\"error\":{{\"code\":-32603,\"message\":\"?\"}}}}");
        let mut run = Run::of("lsp", asked, &live);
        run.recorded.complete_tail = complete_tail;
        short(&run.judge())
    };
    assert_eq!((run(false).as_str(), run(true).as_str()), ("#2 unknown", "#2 error-changed"));
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
fn slower_needs_both_a_factor_and_a_distance() {
    let trace = |ms: i64| call(10, 2, "a", "{}") + &text(10 + ms, 2, "ok");
    for (before, now, verdict) in [(60, 150, "same"), (60, 170, "slower"), (300, 450, "same"), (300, 601, "slower")] {
        assert_eq!(short(&Run::mcp(&trace(before), &trace(now)).judge()), format!("#1 same, #2 {verdict}"), "{now}");
    }
    let run = || Run::mcp(&trace(60), &trace(170));
    assert_eq!(end(&run().judge()), PASS);
    assert_eq!(end(&run().gate(Gate { fail_on: Some(vec![Verdict::Slower]), ..Gate::default() }).judge()), FAIL);
    // The time for which the server waited for us is ours.
    let asks = |waits: i64, works: i64| {
        let answer = format!("{} c> {{\"id\":7,\"result\":{{\"roots\":[]}}}}\n", 12 + waits);
        let asked = call(10, 2, "a", "{}") + "12 s> {\"id\":7,\"method\":\"roots/list\"}\n" + &answer;
        asked + &text(12 + waits + works, 2, "ok")
    };
    for (before, now, verdict) in
        [((1, 10), (253, 10), "same"), ((1, 10), (253, 200), "slower"), ((50, 10), (50, 200), "slower")]
    {
        let run = Run::mcp(&asks(before.0, before.1), &asks(now.0, now.1)).judge();
        assert_eq!(short(&run), format!("#1 same, #2 {verdict}, s7 same"), "{now:?}");
    }
    // Where sending was late, times say nothing.
    let late = run().change("#2", |run| run.planned_us = Some(-100_000)).judge();
    assert!(late.delayed && short(&late) == "#1 same, #2 same", "{}", short(&late));
}
