//! What the audit says of both sides.

use super::*;

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

/// Without streams nothing tells what a request of the server served: that none is seen to go on behind a cancel mends nothing.
#[test]
fn what_a_request_of_the_server_served_must_be_shown_before_a_fault_is_gone() {
    let asked = s01() + r#"400 s> {"id":7,"method":"roots/list"}"#;
    let run = || {
        let mut run = Run::mcp(&asked, &asked).recorded_fault("#2", "CAN019");
        let (own, event) = (run.place("#2"), run.recorded.exchanges.last().map(|nested| nested.request));
        run.recorded.exchanges.last_mut().unwrap().parent = Some(own);
        run.recorded.faults.first_mut().event = event;
        run
    };
    assert_eq!(of(&run().judge(), "#2").verdict, Verdict::Same);
    let mut shown = run();
    shown.live.exchanges.last_mut().unwrap().parent = Some(shown.place("#1"));
    assert_eq!(of(&shown.judge(), "#2").verdict, Verdict::Fixed);
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
fn an_answer_that_never_came_is_only_mended_by_one_that_comes() {
    let prompt = r#"0 c> {"id":2,"method":"textDocument/hover","params":{}}
        10 c> {"method":"$/cancelRequest","params":{"id":2}}
        "#;
    let silent = || Run::of("lsp 3.17", prompt, prompt).recorded_fault("#2", "CAN011");
    let watched = |us: i64| silent().change("#2", |run| run.watched_us = Some(us)).judge();
    assert_eq!(of(&watched(800_000), "#2").verdict, Verdict::Same);
    assert_eq!(of(&watched(90_000_000), "#2").verdict, Verdict::Same);
    let answer = format!("{prompt}20 s> {{\"id\":2,\"error\":{{\"code\":-32800,\"message\":\"cancelled\"}}}}");
    let report = Run::of("lsp 3.17", prompt, &answer).recorded_fault("#2", "CAN011").judge();
    assert_eq!(of(&report, "#2").verdict, Verdict::Fixed);
}

/// Over HTTP the time of a way there and back decides what is late; a busy machine measures another one.
#[test]
fn progress_that_came_as_late_in_the_recording_is_nothing_new() {
    let progress = |ms: u64| {
        format!(r#"{ms} s> {{"method":"notifications/progress","params":{{"progressToken":"p","progress":{ms}}}}}"#)
            + "\n"
    };
    let call = r#"10 c> {"id":2,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}}
        20 c> {"method":"notifications/cancelled","params":{"requestId":2}}
        "#;
    let verdict = |recorded: &[u64], live: u64| {
        let recorded: String = recorded.iter().map(|ms| progress(*ms)).collect();
        let mut run = Run::mcp(&(call.to_string() + &recorded), &(call.to_string() + &progress(live)));
        run = run.fault("#2", "PRG002", "violation").recorded_fault("#2", "PRG002");
        let place = run.place("#2");
        for connection in [&mut run.recorded, &mut run.live] {
            connection.faults.first_mut().event = connection.exchanges[place].progress.first().copied();
        }
        run.recorded.faults.first_mut().certainty = "race".into();
        of(&run.judge(), "#2").verdict
    };
    assert_eq!(verdict(&[30, 2_000], 100), Verdict::Same);
    assert_eq!(verdict(&[30], 100), Verdict::Violates);
}

#[test]
fn a_silence_that_was_there_is_nothing_new() {
    let prompt = r#"0 c> {"id":2,"method":"textDocument/hover","params":{}}
        10 c> {"method":"$/cancelRequest","params":{"id":2}}
        "#;
    let report = Run::of("lsp 3.17", prompt, prompt).fault("#2", "CAN011", "violation").judge();
    assert_eq!(of(&report, "#2").verdict, Verdict::Same);
    assert_eq!(of(&report, "#2").notes.last().map(String::as_str), Some("still violates cancelled-never-answered"));
    let answered = format!("{prompt}20 s> {{\"id\":2,\"error\":{{\"code\":-32800,\"message\":\"cancelled\"}}}}");
    let report = Run::of("lsp 3.17", &answered, prompt).fault("#2", "CAN011", "violation").judge();
    assert_eq!(of(&report, "#2").verdict, Verdict::Stuck);
}

/// A log that rebuilds envelopes cannot prove what is wrong with `"params": null`: a server that writes it again has not changed.
#[test]
fn a_message_that_was_written_like_that_is_nothing_new() {
    let asks = |params: &str| {
        format!(r#"{}400 s> {{"id":7,"method":"workspace/semanticTokens/refresh","params":{params}}}"#, s01())
    };
    let verdicts = |recorded: &str, proof: crate::capture::Proof| {
        let mut run = Run::mcp(&asks(recorded), &asks("null")).fault("#2", "RPC020", "violation");
        run.recorded.proof = proof;
        run.live.faults.first_mut().event = run.live.exchanges.last().map(|asked| asked.request);
        short(&run.judge())
    };
    let rebuilt = crate::capture::Proof::PAYLOAD;
    assert_eq!(verdicts("null", rebuilt), "#1 same, #2 same, #3 same, s7 same");
    assert_eq!(verdicts("{}", rebuilt), "#1 same, #2 violates, #3 same, s7 same");
    assert_eq!(verdicts("null", crate::capture::Proof::FULL), "#1 same, #2 violates, #3 same, s7 same");
}

#[test]
fn what_the_recording_cannot_decide_it_has_not_kept() {
    let answered_at = |ms: i64| s01() + &text(ms, 2, "done");
    let run = |certainty: &str, then_ms: i64| {
        let mut run = Run::mcp(&answered_at(then_ms), &answered_at(900)).fault("#2", "CAN010", "violation");
        run.recorded.faults.push(fault(&run.recorded, "#2", "CAN010", certainty));
        run.judge()
    };
    let open = run("undecidable", 890);
    assert_eq!((short(&open), end(&open)), ("#1 same, #2 same, #3 same".into(), PASS));
    assert!(of(&open, "#2").notes.contains(&"still violates response-after-cancel".to_string()));
    assert_eq!(of(&run("race", 890), "#2").verdict, Verdict::Violates);
    assert_eq!(of(&run("undecidable", 321), "#2").verdict, Verdict::Violates, "that one may have crossed its cancel");
    let answer = call(20, 2, "a", "{}") + &text(30, 2, "ok");
    let mut stray = Run::mcp(&answer, &answer).fault("#2", "RPC010", "violation");
    stray.live.faults.first_mut().exchange = None;
    assert_eq!(short(&stray.judge()), "#1 same, #2 same, - violates");
    stray.recorded.faults.push(Fault { exchange: None, ..fault(&stray.recorded, "#2", "RPC010", "undecidable") });
    assert_eq!(short(&stray.judge()), "#1 same, #2 same");
}

/// A message on the stream of a request belongs to it; over a link without streams it belongs to none.
#[test]
fn a_violation_that_only_changes_its_place_with_the_transport_is_the_same() {
    let told = r#"{"method":"notifications/message","params":{"level":"info","data":1}}"#;
    let trace = |at: &str| {
        format!("0 c{at} {{\"id\":1,\"method\":\"m\"}}\n5 s{at} {told}\n9 s{at} {{\"id\":1,\"result\":{{}}}}")
    };
    let placed = |connection: &mut Connection, exchange: Option<usize>| {
        let told = Fault { exchange, event: Some(1), ..fault(connection, "#1", "LIF028", "violation") };
        connection.faults.push(told);
    };
    let run = |recorded: &str, live: &str| {
        let mut run = Run::of("mcp 2026-07-28", &trace(recorded), &trace(live));
        placed(&mut run.recorded, (recorded != ">").then_some(0));
        placed(&mut run.live, (live != ">").then_some(0));
        run
    };
    for (recorded, live) in [("# 3", ">"), (">", "# 3")] {
        let report = run(recorded, live).judge();
        assert_eq!((short(&report), end(&report)), ("#1 same".into(), PASS), "{recorded} {live}");
        assert!(of(&report, "#1").still_violates);
    }
    let mut gone = run("# 3", ">");
    gone.live.faults = Default::default();
    assert_eq!(short(&gone.judge()), "#1 fixed");
    let mut new = run(">", "# 3");
    new.recorded.faults = Default::default();
    assert_eq!(short(&new.judge()), "#1 violates");
}

/// What a stream tied to a cancelled request is not seen to be wrong where nothing ties it.
#[test]
fn a_notification_that_nothing_ties_to_its_cancelled_request_is_not_gone() {
    let told = r#"{"method":"notifications/message","params":{"level":"info","data":1}}"#;
    let trace = |at: &str, told: &str| {
        format!(
            "0 c{at} {{\"id\":1,\"method\":\"m\"}}\n5 c> {{\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":1}}}}\n{told}"
        )
    };
    let recorded = trace("# 3", &format!("900 s# 3 {told}"));
    let judged = |live: &str| {
        let mut run = Run::of("mcp 2026-07-28", &recorded, live).recorded_fault("#1", "CAN021");
        run.recorded.faults.first_mut().event = Some(2);
        run.judge()
    };
    assert_eq!(of(&judged(&trace(">", &format!("900 s> {told}"))), "#1").verdict, Verdict::Same);
    assert_eq!(of(&judged(&trace(">", "")), "#1").verdict, Verdict::Fixed, "nothing like it comes");
}
