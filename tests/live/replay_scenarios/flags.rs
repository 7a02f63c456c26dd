//! What flags change, seen from the server.

use serde_json::{Value, json};

use super::{near, one_cancel, says, server, side_by_side};
use crate::replay::bench::bench;
use crate::replay::notation::{Session, mcp};

/// Four calls of which each but the first was asked after the answer to the one before.
fn four_calls() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> call(2,echo,{"x":1})
        12 s> text(2,"{\"x\":1}")
        20 c> call(3,echo,{"x":2})
        22 s> text(3,"{\"x\":2}")
        30 c> call(4,echo,{"x":3})
        32 s> text(4,"{\"x\":3}")
        40 c> call(5,echo,{"x":4})
        42 s> text(5,"{\"x\":4}")
    "#)
}

#[test]
fn a_part_of_a_session() {
    let asked = |flags: &str| -> Vec<Value> {
        let run = bench(&four_calls(), &Value::Null).flags(flags).run();
        assert_eq!((run.said.code, run.heard("\"initialize\"").len()), (0, 1), "{}", run.all());
        run.heard("echo").iter().map(|(_, message)| message["params"]["arguments"]["x"].clone()).collect()
    };
    side_by_side(&[
        ("from", &|| assert_eq!(asked("--from #4"), [3, 4])),
        ("to", &|| assert_eq!(asked("--to #3"), [1, 2])),
        ("from, to", &|| assert_eq!(asked("--from 3 --to 4"), [2, 3])),
        ("only", &|| assert_eq!(asked("--only #2 --only #5"), [1, 4])),
        ("skip", &|| assert_eq!(asked("--skip #2"), [2, 3, 4])),
        ("only a tool", &|| assert_eq!(asked("--only tools/call:echo --skip #3"), [1, 3, 4])),
    ]);
}

#[test]
fn what_is_changed_on_the_way() {
    side_by_side(&[
        ("a value", &|| {
            let run = bench(&four_calls(), &Value::Null).flags("--set /params/arguments/x=7").run();
            assert!(
                run.heard("echo").iter().all(|(_, it)| it["params"]["arguments"] == json!({"x": 7})),
                "{}",
                run.all()
            );
            run.verdicts(&["#2 same", "#5 same"]).ended("pass", 0);
        }),
        ("ids", &|| {
            let run = bench(&one_cancel(), &Value::Null).flags("--renumber").run();
            run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
            let slow = &run.heard("slow")[0].1["id"];
            assert!(slow.is_number() && *slow != 2, "{slow}");
            assert_eq!(run.heard("notifications/cancelled")[0].1["params"]["requestId"], *slow);
        }),
        ("the revision", &|| {
            let run = bench(&four_calls(), &Value::Null).flags("--ask-version 2025-06-18").run();
            assert_eq!(run.heard("\"initialize\"")[0].1["params"]["protocolVersion"], "2025-06-18");
            run.verdicts(&["#2 same", "#5 same"]);
        }),
    ]);
}

#[test]
fn when_a_cancel_is_sent() {
    let delay = |flags: &str| {
        let run = bench(&one_cancel(), &Value::Null).flags(flags).run();
        run.verdicts(&["#2 same", "#3 same"]).cancels(1, 1, 0, 0);
        run.heard("notifications/cancelled")[0].0 - run.heard("slow")[0].0
    };
    side_by_side(&[
        ("later", &|| near(&json!(delay("--cancel-delay 600ms")), 600)),
        ("at once", &|| near(&json!(delay("--cancel-delay 0ms")), 0)),
        ("as recorded, however fast the rest", &|| near(&json!(delay("--speed fast")), 300)),
        ("as recorded, at twice the speed", &|| near(&json!(delay("--speed x2")), 300)),
    ]);
}

#[test]
fn pauses() {
    let slow = mcp(r#"
        H(2025-11-25)
          10 c> call(2,echo,{"x":1})
          12 s> text(2,"{\"x\":1}")
        2012 c> call(3,echo,{"x":2})
        2014 s> text(3,"{\"x\":2}")
    "#);
    let pause = |flags: &str| {
        let run = bench(&slow, &Value::Null).flags(flags).run();
        run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
        let echoes = run.heard("echo");
        echoes[1].0 - echoes[0].0
    };
    side_by_side(&[
        ("capped", &|| near(&json!(pause("")), 1000)),
        ("whole", &|| near(&json!(pause("--max-idle 0")), 2000)),
        ("wall", &|| near(&json!(pause("--speed wall --max-idle 0")), 2000)),
        ("four times", &|| near(&json!(pause("--speed x4")), 500)),
        ("none", &|| near(&json!(pause("--speed fast")), 0)),
    ]);
}

#[test]
fn deadline_and_progress_that_never_ends() {
    let busy = server(json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2},
        "do": [{"wait": 30_000}, {"answer": says("late")}]}]));
    side_by_side(&[
        ("deadline", &|| {
            let run = bench(&four_calls(), &busy).flags("--deadline 6s --stuck-min 30s").run();
            run.verdicts(&["#2 same", "#3 unknown", "#4 not-sent", "#5 not-sent"]);
            assert!(run.said.code == 1, "{}", run.all());
        }),
        ("max request", &|| {
            let run = bench(&four_calls(), &busy).only_flags("--allow tools/call:* --max-request 4s").run();
            run.verdicts(&["#2 same", "#3 stuck", "#4 same", "#5 same"]).ended("fail", 1);
        }),
    ]);
}

#[test]
fn runs_that_send_twice_need_leave() {
    let control = |flags: &str| bench(&one_cancel(), &Value::Null).flags(flags).run();
    side_by_side(&[
        ("control without leave", &|| {
            let run = control("--control");
            assert_eq!(run.heard("slow").len(), 1, "{}", run.all());
        }),
        ("control", &|| {
            let run = control("--control --allow-repeat");
            run.verdicts(&["#2 same"]).ended("pass", 0);
            assert_eq!((run.heard("slow").len(), run.heard("notifications/cancelled").len()), (2, 1), "{}", run.all());
        }),
        ("control shows that the cancel would come too late", &|| {
            let fast = server(json!([{"on": "tools/call:slow", "do": [{"wait": 30}, {"answer": says("done")}]}]));
            let run = bench(&one_cancel(), &fast).flags("--control --allow-repeat").run();
            run.verdicts(&["#2 raced"]).ended("inconclusive", 0);
            assert!(run.said.out.contains("--cancel-delay"), "what to do is said: {}", run.all());
        }),
        ("retry with half the delay", &|| {
            let quick = server(json!([{"on": "tools/call:slow", "do": [{"wait": 200}, {"answer": says("done")}]}]));
            let run = bench(&one_cancel(), &quick).flags("--cancel-retry 3 --allow-repeat").run();
            run.verdicts(&["#2 same"]).cancels(1, 1, 0, 0);
            assert!(run.heard("slow").len() >= 2, "{}", run.all());
            let strict = bench(&one_cancel(), &quick).flags("--cancel-retry 3 --allow-repeat --strict").run();
            strict.verdicts(&["#2 same"]).ended("pass", 0);
        }),
        ("sweep", &|| {
            let run = control("--cancel-sweep 0,50ms,400ms --allow-repeat");
            assert_eq!(run.said.code, 0, "{}", run.all());
            assert!(run.heard("notifications/cancelled").len() >= 3, "{}", run.all());
        }),
        ("three times", &|| {
            let run = bench(&four_calls(), &Value::Null).flags("--repeat 3 --allow-repeat").run();
            assert_eq!((run.said.code, run.heard("\"initialize\"").len()), (0, 3), "{}", run.all());
        }),
    ]);
}
