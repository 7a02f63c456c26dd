//! One cancelled call, and every way in which a server may take it.

use serde_json::{Value, json};

use super::{after_cancel, after_cancel_is_as_it_was, near, says, server, side_by_side};
use crate::replay::bench::{Run, SOON_STUCK, bench};
use crate::replay::notation::{Session, mcp};

/// A call with two signs of progress, then its cancel; two further calls.
fn recorded() -> Session {
    mcp(CALL)
}

const CALL: &str = r#"
    H(2025-11-25)
     20 c> {"id":2,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":"p1"}}}
    120 s> prog("p1",1)
    220 s> prog("p1",2)
    300 c> cancel(2)
    500 c> call(3,echo,{"x":1})
    502 s> text(3,"{\"x\":1}")
    510 c> call(4,echo,{"x":2})
    512 s> text(4,"{\"x\":2}")
"#;

/// A job of this length, with progress (or without), and what is done on a cancel.
fn slow(ms: u64, progress: bool, cancel: Value) -> Value {
    let mut steps = match progress {
        true => vec![json!({"wait": 100}), json!({"progress": 1}), json!({"wait": 100}), json!({"progress": 2})],
        false => vec![json!({"wait": 200})],
    };
    steps.push(json!({"wait": ms.saturating_sub(200)}));
    steps.push(json!({"answer": says("done")}));
    json!({"on": "tools/call:slow", "do": steps, "cancel": cancel})
}

fn play(handlers: Value) -> Run {
    bench(&recorded(), &server(handlers)).run()
}

const OTHERS: [&str; 3] = ["#1 same", "#3 same", "#4 same"];

#[test]
fn as_the_server_takes_it() {
    side_by_side(&[
        ("honours", &|| {
            let run = play(json!([slow(60_000, true, json!([]))]));
            run.verdicts(&["#2 same"]).verdicts(&OTHERS).ended("pass", 0).cancels(1, 1, 0, 0);
            let second = run.log[run.place("out", "\"progress\":2")]["us"].as_i64().expect("a time");
            near(&json!(run.heard("notifications/cancelled")[0].0 - second), 80);
            assert_eq!(run.exchange("#2")["cancel"]["anchor"], "progress 2");
        }),
        ("answers 300 ms later", &|| {
            let run = play(json!([slow(60_000, true, json!([{"wait": 300}, {"answer": says("done")}]))]));
            run.verdicts(&["#2 violates"]).verdicts(&OTHERS).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "response-after-cancel");
            near(&json!(after_cancel(run.exchange("#2"))), 300);
        }),
        ("answers that it was cancelled", &|| {
            let error = json!({"error": {"code": -32800, "message": "Request cancelled"}});
            let run = play(json!([slow(60_000, true, json!([error]))]));
            run.verdicts(&["#2 violates"]).verdicts(&OTHERS).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "response-after-cancel");
            near(&json!(after_cancel(run.exchange("#2"))), 0);
        }),
        ("is done at once", &|| {
            let run = play(json!([{"on": "tools/call:slow", "do": [{"answer": says("done")}]}]));
            run.verdicts(&["#2 raced"]).verdicts(&OTHERS).ended("inconclusive", 0).cancels(1, 0, 1, 0);
            assert!(run.heard("notifications/cancelled").is_empty());
        }),
        ("shows no progress", &|| {
            let run = play(json!([slow(10_000, false, json!([]))]));
            run.verdicts(&["#2 same"]).verdicts(&OTHERS).ended("pass", 0).cancels(1, 1, 0, 0);
            let cancel = &run.exchange("#2")["cancel"];
            assert_eq!(cancel["anchor_missed"], true);
            near(&cancel["at_us"], 2 * 280 + 250);
        }),
        ("dies of it", &|| {
            let run = play(json!([slow(60_000, true, json!([{"stderr": "out of luck"}, {"exit": 3}]))]));
            run.verdicts(&["#1 same", "#2 server-exit", "#3 not-sent", "#4 not-sent"]).ended("fail", 1);
            let said = format!("{}{}", run.exchange("#2")["detail"], run.summary());
            assert!(said.contains('3') && run.said.out.contains("out of luck"), "{}", run.all());
        }),
        ("never answers another call", &|| {
            let mute = json!({"on": "tools/call:echo", "when": {"/params/arguments/x": 1}, "do": []});
            let handlers = json!([mute, slow(60_000, true, json!([]))]);
            let run = bench(&recorded(), &server(handlers)).flags(SOON_STUCK).run();
            run.verdicts(&["#1 same", "#2 same", "#3 stuck", "#4 same"]).ended("fail", 1).cancels(1, 1, 0, 0);
        }),
        ("is deaf", &|| {
            let mut deaf = slow(5000, true, json!([]));
            deaf["deaf"] = json!(true);
            let run = bench(&recorded(), &server(json!([deaf]))).flags("--linger 60s").run();
            run.verdicts(&["#2 violates"]).verdicts(&OTHERS).ended("fail", 1);
            after_cancel_is_as_it_was(&run);
        }),
    ]);
}

#[test]
fn a_late_answer_in_the_recording_holds_nobody_up() {
    let late = mcp(&CALL.replace("500 c>", "450 s> text(2,\"done\")\n    500 c>"));
    let run = bench(&late, &server(json!([slow(60_000, true, json!([]))]))).run();
    run.verdicts(&["#2 fixed"]).verdicts(&OTHERS).ended("pass", 0).cancels(1, 1, 0, 0);

    let still = server(json!([slow(60_000, true, json!([{"wait": 150}, {"answer": says("done")}]))]));
    let run = bench(&late, &still).run();
    run.verdicts(&["#2 same"]).ended("pass", 0);
    assert!(run.exchange("#2")["notes"].to_string().contains("still violates"), "{}", run.all());
    bench(&late, &still).flags("--fail-on violates-any").run().ended("fail", 1);
}
