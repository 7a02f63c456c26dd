//! Every session is played against its own recording: the client by `replay`, the server by `mock`. Nothing may differ, and where the recorded
//! server did wrong, the mock does it again.

use serde_json::json;

use super::{
    cancelled_query, cancelled_turn, four_echoes, four_tools, input_required, near, one_cancel, one_plan, server_asks,
    side_by_side, two_at_once, two_pages, two_sums,
};
use crate::replay::bench::{Bench, Run, of_target};
use crate::replay::notation::{Session, mcp, session};

/// A session played against a mock of itself.
fn mirror(session: &Session, flags: &[&str]) -> Bench {
    let program = env!("CARGO_BIN_EXE_rpctape").to_string();
    let target = [&["--", &program, "mock", "it.rec.jsonl"], flags].concat();
    of_target("it.rec.jsonl", session.rec().as_bytes(), target.iter().map(ToString::to_string).collect())
}

fn all_same(session: &Session, flags: &[&str]) -> Run {
    // On a busy machine an answer may take long: nothing is stuck here.
    let run = mirror(session, flags).flags("--allow-all --stuck-min 20s").run();
    let verdicts: Vec<String> =
        run.exchanges().map(|line| format!("{} same", line["label"].as_str().unwrap_or("?"))).collect();
    assert!(!verdicts.is_empty(), "{}", run.all());
    run.verdicts(&verdicts.iter().map(String::as_str).collect::<Vec<_>>()).ended("pass", 0);
    run
}

#[test]
fn a_session_is_the_same_as_itself() {
    let sessions = [
        one_cancel(),
        two_pages(),
        two_sums(),
        input_required(),
        four_echoes(),
        two_at_once(),
        server_asks(),
        one_plan(),
        cancelled_query(),
        cancelled_turn(),
        four_tools(),
    ];
    std::thread::scope(|scope| {
        for session in &sessions {
            for speed in ["fast", "recorded"] {
                scope.spawn(move || all_same(session, &["--speed", speed]));
            }
        }
    });
}

#[test]
fn connections_that_begin_alike_are_told_apart() {
    let lines = [
        (1, r#"{"id":1,"method":"list"}"#, "c"),
        (2, r#"{"id":1,"method":"list"}"#, "c"),
        (1, r#"{"id":1,"result":"of one"}"#, "s"),
        (2, r#"{"id":1,"error":{"code":-32601,"message":"of two"}}"#, "s"),
        (2, r#"{"id":2,"method":"more"}"#, "c"),
        (2, r#"{"id":2,"result":2}"#, "s"),
    ];
    let mut rec = json!({"rec": 1, "tool": "t", "session": "s", "part": 1, "t0": "2026-11-21T06:24:01.000000Z",
        "clock": "monotonic", "proto": "jsonrpc", "transport": "stdio", "frame": "nl"})
    .to_string();
    for (q, (connection, text, side)) in lines.iter().enumerate() {
        let body = text.replacen('{', r#"{"jsonrpc":"2.0","#, 1);
        rec += &format!("\n{}", json!({"q": q, "t": q * 10_000, "k": "msg", "c": connection, "d": side, "b": body}));
    }
    let program = env!("CARGO_BIN_EXE_rpctape");
    let target = ["--", program, "mock", "it.rec.jsonl"].map(str::to_string).to_vec();
    let run = of_target("it.rec.jsonl", format!("{rec}\n").as_bytes(), target).flags("--allow-all").run();
    let verdicts: Vec<_> = run.exchanges().map(|line| line["verdict"].clone()).collect();
    assert_eq!(verdicts, ["same", "same", "same"], "{}", run.all());
}

#[test]
fn a_late_answer_is_late_again() {
    let late = mcp(r#"
        H(2025-11-25)
         20 c> call(2,slow,{})
        320 c> cancel(2)
        330 c> call(3,echo,{"x":1})
        332 s> text(3,"{\"x\":1}")
        720 s> text(2,"done")
    "#);
    side_by_side(&[
        ("as recorded", &|| {
            let run = all_same(&late, &[]);
            let line = run.exchange("#2");
            assert!(line["notes"].to_string().contains("still violates response-after-cancel"), "{}", run.all());
            near(&serde_json::json!(super::after_cancel(line)), 400);
        }),
        ("and fails whoever wants it to", &|| {
            mirror(&late, &[]).flags("--allow-all --fail-on violates-any").run().ended("fail", 1);
        }),
    ]);
}

#[test]
fn another_client_is_told_what_the_mock_does_not_know() {
    let (recorded, played) = (four_echoes(), one_plan());
    let bench = of_target(
        "it.rec.jsonl",
        recorded.rec().as_bytes(),
        ["--", env!("CARGO_BIN_EXE_rpctape"), "mock", "other.rec.jsonl"].map(String::from).to_vec(),
    );
    let run = bench.file("other.rec.jsonl", &played.rec()).flags("--allow-all").run();
    run.verdicts(&["#1 same", "#2 error-changed", "#3 error-changed"]).ended("fail", 1);
    assert!(run.said.out.contains("-32010"), "{}", run.all());
}

/// The mock does what was recorded, though what it did it for was lost: nothing of that is new.
#[test]
fn what_the_recorder_lost_of_the_client_is_no_fault_of_the_server() {
    let lost_cancel = session(
        "lsp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"processId":1,"rootUri":null,"capabilities":{}}}
          5 s> {"id":1,"result":{"capabilities":{}}}
          6 c> {"method":"initialized","params":{}}
         20 c> {"id":2,"method":"textDocument/references","params":{"textDocument":{"uri":"file:///w/a"}}}
        120 gap c
        124 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}
    "#,
    );
    let lost_request = mcp(r#"
        H(2025-11-25)
        25 gap c
        42 s> text(4,"of a request that is not here")
        50 c> call(5,echo,{"x":3})
        52 s> text(5,"{\"x\":3}")
    "#);
    side_by_side(&[
        ("a cancel", &|| drop(all_same(&lost_cancel, &[]))),
        ("a request", &|| drop(all_same(&lost_request, &[]))),
    ]);
}

/// A cancel that leaves a nested request open is against the draft alone, and nothing but the head of the log says that it is spoken.
#[test]
fn a_profile_that_only_the_recording_tells_judges_the_live_session_too() {
    let lines = [
        r#"{"meta":{"head":"complete","protocol":"acp","revision":"rfd-2025-11","tail":"open","transport":"stdio","vantage":"client"}}"#,
        r#"{"t":0,"dir":"c2s","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true}}}}"#,
        r#"{"t":10,"dir":"s2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}}"#,
        r#"{"t":15,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}}"#,
        r#"{"t":30,"dir":"s2c","msg":{"jsonrpc":"2.0","id":0,"method":"terminal/wait_for_exit","params":{"sessionId":"s1","terminalId":"t"}}}"#,
        r#"{"t":400,"dir":"c2s","msg":{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}}"#,
        r#"{"t":460,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}}"#,
        r#"{"t":60000,"ev":"close","by":"client"}"#,
    ];
    let mock = ["--", env!("CARGO_BIN_EXE_rpctape"), "mock", "it.jsonl"].map(str::to_string).to_vec();
    let run = of_target("it.jsonl", lines.join("\n").as_bytes(), mock).flags("--allow-all --stuck-min 20s").run();
    run.ended("pass", 0);
    let prompt = run.exchange("#1");
    assert_eq!(prompt["verdict"], "same", "{}", run.all());
    assert!(prompt.to_string().contains("cascade-incomplete"), "{}", run.all());
}
