//! Verdicts on cancels.

use super::*;

#[test]
fn s01_an_honoured_cancel() {
    let report = Run::mcp(&s01(), &(s01() + "5332 s| 0\n")).judge();
    assert_eq!(short(&report), "#1 same, #2 same, #3 same");
    assert_eq!(end(&report), PASS);
    let cancels = report.cancels;
    assert_eq!([cancels.recorded, cancels.landed, cancels.raced, cancels.not_sent, cancels.refused], [1, 1, 0, 0, 0]);
    assert_eq!(of(&report, "#2").notes, ["no answer, watched 5.01 s after the cancel"]);
    assert_eq!(of(&report, "#2").live.cancelled_us, Some(300_000));
}

#[test]
fn silence_behind_a_stream_that_was_cut_off_shows_nothing() {
    let report = Run::mcp(&s01(), &s01()).change("#2", |run| run.cut_us = Some(340_000)).judge();
    assert_eq!(short(&report), "#1 same, #2 unknown, #3 same");
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

#[test]
fn a_cancel_that_was_wrong_is_never_raced() {
    let trace = |cancel: &str| {
        format!("{}{cancel}", &H[..H.find("5 s>").expect("an answer")]) + &H[H.find("5 s>").unwrap_or(0)..]
    };
    let wrong = trace("1 c> {\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    let mut run = Run::of(MCP, &wrong, H).recorded_fault("#1", "CAN003");
    let cancel = run.recorded.exchanges[0].cancels[0];
    run.recorded.faults.first_mut().event = Some(cancel);
    run.log.exchanges[0].cancel.as_mut().expect("a cancel").status = CancelStatus::Raced;
    let report = run.judge();
    assert_eq!(short(&report), "#1 same");
    assert_eq!((end(&report), report.cancels.recorded), (PASS, 0));
}

#[test]
fn a_cancel_is_not_wrong_because_of_its_post() {
    let mut run = Run::mcp(&s01(), &s01()).recorded_fault("#2", "TRN011");
    let cancel = run.recorded.exchanges[1].cancels[0];
    run.recorded.faults.first_mut().event = Some(cancel);
    let report = run.judge();
    assert_eq!((report.cancels.recorded, report.cancels.landed), (1, 1));
}

#[test]
fn a_cancel_that_was_refused_has_not_landed() {
    let mut run = Run::mcp(&s01(), &s01()).change("#2", |run| {
        run.cancel.as_mut().expect("a cancel").status = CancelStatus::Refused;
    });
    let event = run.recorded.exchanges[1].cancels[0];
    run.log.refused.push(Refused { event, status: Some(503), recorded: Some(202) });
    let report = run.judge();
    assert_eq!(short(&report), "#1 same, #2 error-changed, #3 same");
    assert_eq!(of(&report, "#2").detail, "its cancel was refused with HTTP 503 instead of 202");
    assert_eq!((report.cancels.landed, report.cancels.not_sent, end(&report)), (0, 1, FAIL));
    assert_eq!(report.cancels.refused, 1);
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
    // That the rule is broken the audit says, or nobody.
    let undecided = run("").fault("#2", "CAN011", "undecidable").judge();
    assert_eq!((short(&undecided).as_str(), end(&undecided)), ("#1 same, #2 stuck", FAIL));

    let result = run(r#"115 s> {"id":2,"result":null}"#).judge();
    assert_eq!(short(&result), "#1 same, #2 same");
    assert_eq!(of(&result, "#2").notes, ["other permitted outcome: a result, recorded the cancelled error"]);
    let other = run(r#"115 s> {"id":2,"error":{"code":-32603,"message":"?"}}"#).judge();
    assert_eq!(short(&other), "#1 same, #2 error-changed");
    let crossed = run(r#"115 s> {"id":2,"error":{"code":-32603,"message":"?"}}"#).fault("#2", "CAN012", "race").judge();
    assert_eq!(of(&crossed, "#2").verdict, Verdict::ErrorChanged);
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
    // A turn that was over when the cancel came has not been cancelled, and one that failed has failed.
    let crossed = run("end_turn").fault("#3", "SES001", "race").judge();
    assert_eq!(short(&crossed), "#1 same, #2 same, #3 raced");
    assert_eq!((crossed.cancels.landed, crossed.verdict), (0, RunVerdict::Inconclusive));
    let mut failed = run("x").fault("#3", "SES001", "race");
    let error = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"?"}}"#;
    failed = failed.change("#3", |run| run.text = Some(error.into()));
    assert_eq!(short(&failed.judge()), "#1 same, #2 same, #3 error-changed+raced");
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

/// What a server says on a stream that was closed to cancel is not seen: that nothing was heard is no repair.
#[test]
fn silence_on_a_closed_stream_mends_nothing() {
    let asked = r#"0 c# 1 {"id":1,"method":"tools/call","params":{"name":"a"}}
        100 c| 1
        "#;
    let recorded = format!("{asked}9000 s# 1 {{\"id\":1,\"result\":{{\"content\":[]}}}}\n");
    let report = Run::of("mcp 2026-07-28", &recorded, asked).recorded_fault("#1", "CAN010").judge();
    assert_eq!(short(&report), "#1 same");
    assert!(
        of(&report, "#1").notes.iter().any(|note| note.contains("cannot be seen")),
        "{:?}",
        of(&report, "#1").notes
    );
}
