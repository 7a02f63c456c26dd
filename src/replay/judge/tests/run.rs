//! The verdict of the run.

use super::*;

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
    // Of what was cancelled, its silence is judged, and not the end behind it.
    let silent = call(10, 2, "a", "{}") + &cancel(20, 2);
    let mut late = Run::mcp(&(silent.clone() + &text(900, 2, "late")), &silent).change("#2", gone);
    late.log.exit = Some(exit(true));
    assert_eq!(of(&late.judge(), "#2").verdict, Verdict::Same, "it may have crossed the cancel: nothing is mended");
    assert_eq!(of(&late.recorded_fault("#2", "CAN010").judge(), "#2").verdict, Verdict::Fixed);
    // With nothing in flight it is nobody's exchange, and fails all the same.
    let mut idle = Run::mcp(&trace, &trace).fate("#3", Fate::NotSent("server exited".into()));
    idle.log.exit = Some(exit(false));
    assert_eq!(short(&idle.judge()), "#1 same, #2 same, #3 not-sent, - server-exit");
    assert_eq!(end(&idle.judge()), FAIL);
}

#[test]
fn a_server_that_leaves_before_all_was_said() {
    let note = |at: i64, method: &str| format!("{at} c> {{\"method\":\"{method}\"}}\n");
    let changed = "notifications/roots/list_changed";
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok") + &note(3000, changed) + &note(3010, changed);
    let run = |recorded_too| {
        let mut run = Run::mcp(&trace, &(call(10, 2, "a", "{}") + &text(20, 2, "ok")));
        let said = |event: &crate::replay::recording::Event| event.text.contains(changed);
        let events = run.recorded.events.iter().enumerate().filter(|(_, event)| said(event));
        run.log.unsent = events.map(|(event, _)| Unsent { event, why: "server exited".into() }).collect();
        run.log.exit =
            Some(ExitRun { code: Some(0), at_us: 70_000, unasked: true, recorded_too, ..ExitRun::default() });
        run
    };
    let report = run(false).judge();
    assert_eq!(short(&report), "#1 same, #2 same, - not-sent, - server-exit");
    let unsent = &report.exchanges[2];
    assert_eq!((unsent.method.as_str(), unsent.detail.as_str()), (changed, "2 messages: server exited"));
    assert_eq!(end(&report), FAIL);
    let excused = run(false).gate(Gate { less: vec![Verdict::ServerExit], ..Gate::default() }).judge();
    assert_eq!(end(&excused), PASS, "no request is missing");
    assert_eq!(short(&run(true).judge()), "#1 same, #2 same", "nobody heard it then either");
}

#[test]
fn a_session_that_was_lost_says_nothing_of_what_a_cancel_does() {
    let trace = call(20, 2, "slow", "{}") + &cancel(320, 2);
    let answered = call(20, 2, "slow", "{}") + &cancel(320, 2) + &text(700, 2, "late");
    let again = |run: &mut ExchangeRun| (run.session_lost, run.repeated) = (Some(404), true);
    let judged = |live: &str| Run::mcp(&trace, live).change("#2", again);
    let report = judged(&answered).fault("#2", "CAN010", "violation").judge();
    assert_eq!(short(&report), "#1 same, #2 session-lost+violates");
    let report = judged(&trace).judge();
    assert_eq!((short(&report).as_str(), report.cancels.landed), ("#1 same, #2 session-lost", 1));
}

#[test]
fn a_cancel_of_a_task_counts() {
    let task = r#"
    20 c> {"id":2,"method":"tools/call","params":{"name":"slow","task":{}}}
    25 s> {"id":2,"result":{"task":{"taskId":"t-1","status":"working"}}}
    225 c> {"id":3,"method":"tasks/cancel","params":{"taskId":"t-1"}}
    230 s> {"id":3,"result":{"taskId":"t-1","status":"cancelled"}}
    "#;
    let counts = |status: Option<CancelStatus>| {
        let mut run = Run::mcp(task, task);
        let cancel = run.recorded.exchanges[2].request;
        run.recorded.exchanges[1].cancels = vec![cancel];
        let cancelled = status.map(|status| CancelRun::new(status, Anchor::Elapsed, 0));
        let report = run.change("#2", |run| run.cancel = cancelled).judge();
        (report.cancels.recorded, report.cancels.landed, report.verdict)
    };
    assert_eq!(counts(Some(CancelStatus::Landed)), (1, 1, RunVerdict::Pass));
    assert_eq!(counts(Some(CancelStatus::Raced)), (1, 0, RunVerdict::Inconclusive));
    assert_eq!(counts(None), (0, 0, RunVerdict::Pass), "it came when the task had ended");
}

#[test]
fn a_packed_answer_is_not_known() {
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok");
    let packed = |run: &mut ExchangeRun| {
        (run.text, run.answered_us, run.packed) = (None, None, Some("br".into()));
    };
    let report = Run::mcp(&trace, &call(10, 2, "a", "{}")).change("#2", packed).judge();
    assert_eq!(short(&report), "#1 same, #2 unknown");
    assert_eq!(of(&report, "#2").detail, "its answer is packed (br) and cannot be read");
}

#[test]
fn our_own_faults_are_not_the_servers() {
    let trace = call(10, 2, "a", "{}") + &text(20, 2, "ok");
    let mut run = Run::mcp(&trace, &trace).fault("#2", "RPC010", "violation");
    let request = run.live.exchanges[1].request;
    run.live.faults.first_mut().event = Some(request);
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
    gap.recorded.events.push(crate::replay::recording::Event { what: EventKind::Gap, ..last });
    assert_eq!(short(&gap.judge()), "#1 same, #2 unknown");
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
fn rules_that_are_broken_stop_the_run() {
    let run = Run::mcp("", "").compare(Compare { ignore: vec!["x".into()], ..Compare::default() });
    assert_eq!(run.judge().exit, 2);
    let idle = Run::mcp("", "").compare(Compare { ignore: vec!["/result/typo".into()], ..Compare::default() }).judge();
    assert_eq!(idle.notes, ["warning: the ignore rule for /result/typo fitted nothing"]);
}

#[test]
fn where_no_answers_were_kept_nothing_is_known_of_them() {
    let asked = call(10, 2, "a", "{}");
    let half = |live: &str| {
        let trace = H.lines().filter(|line| !line.contains(" s> ")).collect::<Vec<_>>().join("\n");
        let mut run = Run::of(MCP, &format!("{trace}\n{asked}"), &format!("{H}{live}"));
        run.recorded.proof = run.recorded.proof.without(crate::capture::Proof::BOTH_SIDES);
        run
    };
    let answered = asked.clone() + &text(20, 2, "ok");
    for live in [&asked, &answered] {
        let report = half(live).judge();
        assert_eq!((short(&report), report.exit), ("#1 unknown, #2 unknown".into(), 2));
    }
    let mut whole = half(&asked);
    whole.recorded.proof = whole.live.proof;
    assert_eq!(short(&whole.judge()), "#1 fixed, #2 same");
}

#[test]
fn what_was_lost_of_the_client_is_not_held_against_the_server() {
    let asked = r#"0 c> {"id":2,"method":"textDocument/hover","params":{}}
        "#;
    let ended = |how: &str| format!("{asked}50 s! lost\n60 s> {{\"id\":2,{how}}}");
    let (cancelled, done) = (r#""error":{"code":-32800,"message":"cancelled"}"#, r#""result":null"#);
    let verdict = |side: Side, live: &str| {
        let mut run = Run::of("lsp 3.17", &ended(cancelled), live);
        let lost = &mut run.recorded.events[1];
        (lost.what, lost.side) = (EventKind::Gap, Some(side));
        let report = run.judge();
        (short(&report), of(&report, "#2").fails)
    };
    assert_eq!(verdict(Side::Client, &ended(done)), ("#2 unknown".into(), false));
    assert_eq!(verdict(Side::Client, &ended(cancelled)), ("#2 same".into(), false));
    assert_eq!(verdict(Side::Client, &format!("{asked}9000 s! x")), ("#2 unknown".into(), false));
    assert_eq!(verdict(Side::Server, &ended(done)), ("#2 error-changed".into(), true));
}
