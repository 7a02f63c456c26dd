//! Recorded sessions played by the program against servers that changed in one respect each: `replay_scenarios/scenarios.md`, and more of the kind.
//!
//! Every test proves two things: what the program says, and, from the server's own log, what it did and did not send. Most of
//! a run is waiting, so the variants of a scenario run side by side. Bounds on time are wide; a verdict's own figures must be right to 150 ms.

mod cancelled;
mod conform;
mod conform_safety;
mod edit;
mod flags;
mod inputs;
mod mirror;
mod order;
mod protocols;
mod servers;

use crate::replay::bench::{Bench, Run, SOON_STUCK, bench, bench_http};
use crate::replay::notation::{Session, http, mcp, session};
use serde_json::{Value, json};

/// How late a busy machine may be, microseconds.
const LATE_US: i64 = 20_000_000;

/// Runs variants side by side; the first that fails, fails the test.
fn side_by_side(variants: &[(&str, &(dyn Fn() + Sync))]) {
    std::thread::scope(|scope| {
        let running: Vec<_> = variants.iter().map(|(name, variant)| (name, scope.spawn(variant))).collect();
        let failed: Vec<_> = running.into_iter().filter_map(|(name, it)| it.join().err().map(|_| name)).collect();
        assert!(failed.is_empty(), "failed: {failed:?}");
    });
}

/// Asserts that a time in microseconds is near another one in milliseconds.
fn near(us: &Value, ms: i64) {
    let us = us.as_i64().unwrap_or_else(|| panic!("no time: {us}"));
    // A busy machine is late, never early. How late something may be is tested in virtual time.
    assert!(us >= ms * 1000 - 150_000 && us < ms * 1000 + LATE_US, "{us} us is not {ms} ms");
}

/// A server with these handlers before those of the reference.
fn server(handlers: Value) -> Value {
    json!({"handlers": handlers})
}

/// The result of a tool that says a text.
fn says(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// S01 to S03: one call is cancelled, another one follows.
fn one_cancel() -> Session {
    mcp(r#"
        H(2025-11-25)
         20 c> call(2,slow,{})
        320 c> cancel(2)
        330 c> call(3,echo,{"x":1})
        332 s> text(3,"{\"x\":1}")
    "#)
}

#[test]
fn s01_honoured_cancel() {
    let run = bench(&one_cancel(), &Value::Null).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
    let cancel = &run.exchange("#2")["cancel"];
    assert_eq!((&cancel["status"], &cancel["anchor"]), (&json!("landed"), &json!("elapsed")));
    near(&cancel["at_us"], 300);
    assert!(cancel["horizon_us"].as_i64() >= Some(2_000_000), "{cancel}");
    let (cancelled, next) = (run.heard("notifications/cancelled")[0].0, run.heard("echo")[0].0);
    near(&json!(next - cancelled), 10);
}

#[test]
fn s02_answer_after_the_cancel() {
    let late = server(json!([{"on": "tools/call:slow", "do": [{"wait": 60_000}, {"answer": says("done")}],
        "cancel": [{"wait": 200}, {"answer": says("done")}]}]));
    let run = bench(&one_cancel(), &late).run();
    run.verdicts(&["#1 same", "#2 violates", "#3 same"]).ended("fail", 1).cancels(1, 1, 0, 0);
    let line = run.exchange("#2");
    assert_eq!(line["rule"], "response-after-cancel");
    near(&json!(after_cancel(line)), 200);
}

/// How long after its cancel an exchange was answered, by the figures of its line.
fn after_cancel(line: &Value) -> i64 {
    line["live"]["latency_us"].as_i64().expect("a latency") - line["cancel"]["at_us"].as_i64().expect("a time")
}

/// The time from the cancel of #2 to its answer is that of the server's own log, and the way there and back.
fn after_cancel_is_as_it_was(run: &Run) {
    let cancelled = run.heard("notifications/cancelled")[0].0;
    let answered = run.log[run.place("out", "done")]["us"].as_i64().expect("a time");
    near(&json!(after_cancel(run.exchange("#2"))), (answered - cancelled) / 1000);
}

#[test]
fn s03_deaf_server() {
    let deaf = |ms: u64| {
        server(json!([{"on": "tools/call:slow", "deaf": true, "do": [{"wait": ms}, {"answer": says("done")}]}]))
    };
    let short = "--allow tools/call:* --linger 500ms --stuck-min 60s";
    side_by_side(&[
        ("watched", &|| {
            let run = bench(&one_cancel(), &deaf(5000)).flags("--linger 60s").run();
            run.verdicts(&["#2 violates", "#3 same"]).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "response-after-cancel");
            after_cancel_is_as_it_was(&run);
        }),
        ("watched for half a second", &|| {
            let run = bench(&one_cancel(), &deaf(600_000)).only_flags(short).run();
            run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
            near(&run.exchange("#2")["cancel"]["horizon_us"], 500);
        }),
        ("and the screen says so", &|| {
            let said = bench(&one_cancel(), &deaf(600_000)).only_flags(short).screen();
            assert!(said.code == 0 && said.out.contains("no answer, watched "), "{}", said.out);
        }),
    ]);
}

#[test]
fn s04_faster_than_the_cancel() {
    let fast = server(json!([{"on": "tools/call:slow", "do": [{"wait": 30}, {"answer": says("done")}]}]));
    side_by_side(&[
        ("default", &|| {
            let run = bench(&one_cancel(), &fast).run();
            run.verdicts(&["#2 raced", "#3 same"]).ended("inconclusive", 0).cancels(1, 0, 1, 0);
            assert!(run.heard("notifications/cancelled").is_empty());
            assert!(run.summary()["notes"].to_string().contains("cancel"), "{}", run.all());
        }),
        ("strict", &|| {
            let run = bench(&one_cancel(), &fast).flags("--strict").run();
            run.verdicts(&["#2 raced", "#3 same"]);
            assert_eq!((run.said.code, &run.summary()["pass"]), (1, &json!(false)), "{}", run.all());
        }),
        ("screen", &|| {
            let said = bench(&one_cancel(), &fast).screen();
            assert!(said.code == 0 && said.out.to_lowercase().contains("inconclusive"), "{}", said.out);
        }),
        ("sent all the same", &|| {
            let run = bench(&one_cancel(), &fast).flags("--cancel-race send").run();
            assert_eq!(run.heard("notifications/cancelled").len(), 1);
            run.verdicts(&["#2 raced", "#3 same"]).ended("inconclusive", 0);
            assert!(run.exchanges().all(|line| line["rule"].is_null()), "{}", run.all());
        }),
    ]);
}

/// S05: the second page of a list is asked for with the cursor of the first.
pub fn two_pages() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> {"id":2,"method":"tools/list","params":{}}
        15 s> {"id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"Y3Vyc29yLTE="}}
        20 c> {"id":3,"method":"tools/list","params":{"cursor":"Y3Vyc29yLTE="}}
        25 s> {"id":3,"result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}}
    "#)
}

#[test]
fn s05_cursor() {
    let pages = two_pages();
    let tool = |name| json!([{"name": name, "inputSchema": {"type": "object"}}]);
    let serving = |first: Value| {
        server(json!([
            {"on": "tools/list", "when": {"/params/cursor": null}, "do": [{"answer": first}]},
            {"on": "tools/list", "do": [{"minted": {"at": "/params/cursor", "name": "cursor"}}, {"answer": {"tools": tool("b")}}]},
        ]))
    };
    side_by_side(&[
        ("another cursor each run", &|| {
            let run = bench(&pages, &serving(json!({"tools": tool("a"), "nextCursor": "${mint:cursor}"}))).run();
            run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0);
            let sent = &run.heard("\"cursor\"")[0].1["params"]["cursor"];
            assert!(sent.as_str().is_some_and(|cursor| cursor.starts_with("cursor-")), "{sent}");
            assert_eq!(run.exchange("#2")["captured"], json!(["/result/nextCursor"]));
            let subst = &run.exchange("#3")["subst"][0];
            assert_eq!((&subst["at"], &subst["from"]), (&json!("/params/cursor"), &json!("#2 /result/nextCursor")));
        }),
        ("no cursor any more", &|| {
            let run = bench(&pages, &serving(json!({"tools": tool("a")}))).run();
            run.verdicts(&["#1 same", "#2 changed", "#3 blocked"]).ended("fail", 1);
            assert_eq!(run.heard("tools/list").len(), 1);
            assert_eq!(run.exchange("#2")["diff"][0]["at"], "/result/nextCursor");
        }),
    ]);
}

/// S06: a result with JSON in a text, and an error.
pub fn two_sums() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> call(2,sum,{"a":1})
        12 s> text(2,"{\"total\":3,\"at\":\"2026-01-01T00:00:00Z\"}")
        20 c> call(3,sum,{})
        22 s> {"id":3,"error":{"code":-32602,"message":"missing a"}}
    "#)
}

#[test]
fn s06_payload_and_errors() {
    let sums = two_sums();
    let serving = |total: &str, third: Value| {
        let steps = [json!({"answer": says(total)}), third];
        let [first, third] = steps;
        server(json!([{"on": "tools/call:sum", "when": {"/params/arguments/a": 1}, "do": [first]},
            {"on": "tools/call:sum", "do": [third]}]))
    };
    let error = |code: i64, message: &str| json!({"error": {"code": code, "message": message}});
    let (recorded, missing) = (r#"{"total":3,"at":"2026-01-01T00:00:00Z"}"#, || error(-32602, "missing a"));
    let later = r#"{"total":3,"at":"2026-11-21T06:24:01.5Z"}"#;
    let play = |total: &str, third: Value, flags: &str| bench(&sums, &serving(total, third)).flags(flags).run();
    let at = |run: &Run| run.exchange("#2")["diff"][0]["at"].clone();
    side_by_side(&[
        ("nothing", &|| {
            play(recorded, missing(), "").verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0);
        }),
        ("A: total", &|| {
            let run = play(r#"{"total":4,"at":"2026-01-01T00:00:00Z"}"#, missing(), "");
            run.verdicts(&["#2 changed", "#3 same"]).ended("fail", 1);
            assert_eq!(at(&run), "/result/content/0/text -> /total");
            assert_eq!(run.exchange("#2")["diff"], json!([{"at": at(&run), "rec": 3, "live": 4}]));
        }),
        ("B: time", &|| {
            let run = play(later, missing(), "");
            run.verdicts(&["#2 changed", "#3 same"]).ended("fail", 1);
            assert_eq!(at(&run), "/result/content/0/text -> /at");
        }),
        ("B: time, matched", &|| {
            let flags = "--match '/result/content/0/text -> /at=datetime'";
            play(later, missing(), flags).verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
            let bad = r#"{"total":3,"at":"yesterday"}"#;
            play(bad, missing(), flags).verdicts(&["#2 changed"]).ended("fail", 1);
        }),
        ("C: code", &|| {
            let run = play(recorded, error(-32603, "missing a"), "");
            run.verdicts(&["#2 same", "#3 error-changed"]).ended("fail", 1);
        }),
        ("D: message", &|| {
            let run = play(recorded, error(-32602, "a is missing"), "");
            run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
            assert!(run.exchange("#3")["notes"].to_string().contains("message"), "{}", run.all());
        }),
        ("E: result", &|| {
            let run = play(recorded, json!({"answer": says("0")}), "");
            run.verdicts(&["#2 same", "#3 error-changed"]).ended("fail", 1);
        }),
        ("F: 3.0", &|| {
            let total = r#"{"total":3.0,"at":"2026-01-01T00:00:00Z"}"#;
            play(total, missing(), "").verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
        }),
        ("G: a key more", &|| {
            let total = r#"{"total":3,"at":"2026-01-01T00:00:00Z","unit":"eur"}"#;
            let run = play(total, missing(), "");
            run.verdicts(&["#2 changed", "#3 same"]).ended("fail", 1);
            assert_eq!(at(&run), "/result/content/0/text -> /unit");
            play(total, missing(), "--allow-added").verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
        }),
    ]);
}

/// S07: a call that asks for more before it is done.
pub fn input_required() -> Session {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    mcp(&r#"
          0 c> {"id":1,"method":"tools/call","params":{"name":"deploy","arguments":{},META}}
         10 s> {"id":1,"result":{"resultType":"input_required","inputRequests":{"ok":{"method":"elicitation/create","params":{"message":"sure?","requestedSchema":{"type":"object"}}}},"requestState":"S-111"}}
        900 c> {"id":2,"method":"tools/call","params":{"name":"deploy","arguments":{},"inputResponses":{"ok":{"action":"accept","content":{}}},"requestState":"S-111",META}}
        910 s> {"id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}
    "#.replace("META", meta))
}

#[test]
fn s07_input_required() {
    let asked = input_required();
    let input = json!({"ok": {"method": "elicitation/create", "params": {"message": "sure?", "requestedSchema": {"type": "object"}}}});
    let asking = server(json!([
        {"on": "tools/call:deploy", "when": {"/params/requestState": null},
            "do": [{"answer": {"resultType": "input_required", "inputRequests": input, "requestState": "${mint:state}"}}]},
        {"on": "tools/call:deploy", "do": [{"minted": {"at": "/params/requestState", "name": "state"}},
            {"answer": {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}}]},
    ]));
    let flags = "--report md=it.md --report junit=it.xml --report jsonl=it.out";
    let run = bench(&asked, &asking).flags(flags).run();
    run.verdicts(&["#1 same"]).ended("pass", 0);
    assert_eq!((run.exchanges().count(), &run.exchange("#1")["retries"]), (1, &json!(["#2"])), "one logical exchange");
    let retry = &run.heard("inputResponses")[0];
    let state = retry.1["params"]["requestState"].as_str().expect("a state").to_string();
    assert!(state.starts_with("state-"), "{state}");
    let reports = ["it.md", "it.xml", "it.out"].map(|name| std::fs::read_to_string(run.folder.path().join(name)));
    let reports = reports.map(|text| text.expect("a report"));
    for text in reports.iter().chain([&run.said.out, &run.said.err]) {
        assert!(!text.contains("S-111") && !text.contains(&state), "{text}");
    }
}

/// S08: three calls of which the middle one has two halves.
fn four_echoes() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> call(2,echo,{"x":1})
        12 s> text(2,"{\"x\":1}")
        20 c> call(3,echo,{"x":2})
        21 c> call(4,echo,{"x":3})
        23 s> text(4,"{\"x\":3}")
        24 s> text(3,"{\"x\":2}")
        30 c> call(5,echo,{"x":4})
        32 s> text(5,"{\"x\":4}")
    "#)
}

#[test]
fn s08_never_answered() {
    let mute = server(json!([{"on": "tools/call:echo", "when": {"/params/arguments/x": 2}, "do": []}]));
    side_by_side(&[
        ("goes on", &|| {
            let run = bench(&four_echoes(), &mute).flags(SOON_STUCK).run();
            run.verdicts(&["#2 same", "#3 stuck", "#4 same", "#5 same"]).ended("fail", 1);
            assert!(run.place("in", r#""x":3"#) < run.place("out", "\\\"x\\\":3"));
            let (third, fifth) = (run.heard(r#""x":2"#)[0].0, run.heard(r#""x":4"#)[0].0);
            assert!(fifth - third >= 5_850_000, "#5 waits until #3 is given up: {}", fifth - third);
            assert!(run.log[run.place("out", "\\\"x\\\":3")]["us"].as_i64() < Some(fifth));
            assert_eq!(run.exchange("#5")["after_stuck"], true);
        }),
        ("stops", &|| {
            let run = bench(&four_echoes(), &mute).flags(SOON_STUCK).flags("--on-stuck stop").run();
            run.verdicts(&["#2 same", "#3 stuck", "#4 same", "#5 not-sent"]).ended("fail", 1);
            assert!(run.heard(r#""x":4"#).is_empty());
        }),
    ]);
}

/// S09: two calls in flight together.
pub fn two_at_once() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> call(2,a,{})
        11 c> call(3,b,{})
        50 s> text(2,"A")
        90 s> text(3,"B")
    "#)
}

#[test]
fn s09_answers_swap() {
    let both = two_at_once();
    let swapped = server(json!([{"on": "tools/call:a", "do": [{"wait": 80}, {"answer": says("A")}]},
        {"on": "tools/call:b", "do": [{"wait": 20}, {"answer": says("B")}]}]));
    let run = bench(&both, &swapped).run();
    run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
    assert!(run.place("in", "\"b\"") < run.place("out", "\"B\"").min(run.place("out", "\"A\"")));
    assert!(run.place("out", "\"B\"") < run.place("out", "\"A\""));
    assert!(run.said.out.contains("reordered"), "{}", run.all());
}

/// S10: the server asks the client, under an id that the client uses too.
pub fn server_asks() -> Session {
    mcp(r#"
        H(2025-11-25,{"roots":{}})
        10 c> call(2,scan,{})
        12 s> {"id":2,"method":"roots/list"}
        15 c> {"id":2,"result":{"roots":[{"uri":"file:///w","name":"w"}]}}
        30 s> text(2,"1 root")
    "#)
}

#[test]
fn s10_server_asks() {
    let asked = server_asks();
    let asking = |id: Value| {
        server(json!([{"on": "tools/call:scan", "do": [
            {"ask": {"request": {"id": id, "method": "roots/list"}}}, {"wait": 10}, {"answer": says("1 root")}]}]))
    };
    for id in [json!("q-77"), json!(2)] {
        let run = bench(&asked, &asking(id.clone())).run();
        run.verdicts(&["#1 same", "#2 same", "s2 same"]).ended("pass", 0);
        let answers = run.heard("roots\":[");
        assert_eq!(answers.len(), 1, "{}", run.all());
        assert_eq!(answers[0].1["id"], id);
        assert_eq!(answers[0].1["result"], json!({"roots": [{"uri": "file:///w", "name": "w"}]}));
    }
}

/// S11: one call.
pub fn one_plan() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> call(2,plan,{})
        20 s> text(2,"ok")
    "#)
}

#[test]
fn s11_server_asks_something_new() {
    let plan = one_plan();
    let sampling = json!({"id": 5, "method": "sampling/createMessage", "params": {"maxTokens": 10,
        "messages": [{"role": "user", "content": {"type": "text", "text": "plan"}}]}});
    let asking = server(json!([{"on": "tools/call:plan", "do": [
        {"ask": {"request": sampling, "error": [{"answer": says("ok")}]}}, {"answer": says("sampled")}]}]));
    let telling = server(json!([{"on": "tools/call:plan", "do": [
        {"notify": {"method": "notifications/message", "params": {"level": "info", "data": "planning"}}}, {"answer": says("ok")}]}]));
    side_by_side(&[
        ("a request", &|| {
            let run = bench(&plan, &asking).run();
            run.verdicts(&["#1 same", "#2 same", "s5 extra"]).ended("fail", 1);
            assert!(run.heard("\"id\":5")[0].1.get("error").is_some(), "{}", run.all());
        }),
        ("a request that does not fail the run", &|| {
            let run = bench(&plan, &asking).flags("--fail-on stuck,violates").run();
            run.verdicts(&["#2 same", "s5 extra"]).ended("pass", 0);
        }),
        ("a notification", &|| {
            let run = bench(&plan, &telling).run();
            run.verdicts(&["#2 same"]).ended("pass", 0);
            assert!(run.said.out.contains("notifications/message"), "it is said all the same: {}", run.all());
        }),
    ]);
}

/// S12: a session over Streamable HTTP that the client ends.
fn over_http() -> Session {
    http(
        r#"
         0 open@1 c
         0 http@1 c {"method":"POST","headers":{"content-type":"application/json"}}
         0 c@1> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
         5 http@1 s {"status":200,"headers":{"content-type":"application/json","mcp-session-id":"rec-1"}}
         5 s@1> {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}}
         6 close@1 s
         7 open@2 c
         7 http@2 c {"method":"POST","headers":{"mcp-session-id":"rec-1","mcp-protocol-version":"2025-11-25"}}
         7 c@2> {"method":"notifications/initialized"}
         8 http@2 s {"status":202,"headers":{}}
         9 close@2 s
        10 open@3 c
        10 http@3 c {"method":"POST","headers":{"mcp-session-id":"rec-1","mcp-protocol-version":"2025-11-25"}}
        10 c@3> {"id":2,"method":"tools/list","params":{}}
        12 http@3 s {"status":200,"headers":{"content-type":"application/json"}}
        12 s@3> {"id":2,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"slow","inputSchema":{"type":"object"}}]}}
        13 close@3 s
        20 open@4 c
        20 http@4 c {"method":"POST","headers":{"mcp-session-id":"rec-1","mcp-protocol-version":"2025-11-25"}}
        20 c@4> call(3,echo,{"x":1})
        22 http@4 s {"status":200,"headers":{"content-type":"application/json"}}
        22 s@4> text(3,"{\"x\":1}")
        23 close@4 s
        30 open@5 c
        30 http@5 c {"method":"POST","headers":{"mcp-session-id":"rec-1","mcp-protocol-version":"2025-11-25"}}
        30 c@5> {"id":4,"method":"ping"}
        32 http@5 s {"status":200,"headers":{"content-type":"application/json"}}
        32 s@5> {"id":4,"result":{}}
        33 close@5 s
        40 open@6 c
        40 http@6 c {"method":"DELETE","headers":{"mcp-session-id":"rec-1","mcp-protocol-version":"2025-11-25"}}
        41 http@6 s {"status":200,"headers":{}}
        42 close@6 s
    "#,
    )
}

#[test]
fn s12_session_over_http() {
    let initialized = r#"initialize={"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}"#;
    let tools = r#"tools/list={"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"slow","inputSchema":{"type":"object"}}]}"#;
    let serving = |more: &[&str]| {
        let usual = ["--session", "live-9", "--need-version", "--result", initialized, "--result", tools];
        bench_http(&over_http(), &[usual.as_slice(), more].concat())
    };
    let asked = |run: &Run, method: &str| run.log.iter().filter(|line| line["body"]["method"] == method).count();
    side_by_side(&[
        ("A: another session id", &|| {
            let run = serving(&[]).run();
            run.verdicts(&["#1 same", "#2 same", "#3 same", "#4 same"]).ended("pass", 0);
            let session = |line: &Value| line["headers"]["mcp-session-id"].clone();
            let (first, later) = run.log.split_first().expect("requests");
            assert!(session(first).is_null() && later.iter().all(|line| session(line) == "live-9"), "{}", run.all());
            assert!(later.iter().all(|line| line["headers"]["mcp-protocol-version"] == "2025-11-25"), "{}", run.all());
            assert_eq!(run.log.last().map(|line| &line["saw"]), Some(&json!("DELETE")), "{}", run.all());
        }),
        ("B: the session is lost", &|| {
            let run = serving(&["--lost", "tools/call"]).run();
            run.verdicts(&["#1 same", "#2 same", "#3 session-lost", "#4 not-sent"]).ended("fail", 1);
            assert_eq!((asked(&run, "initialize"), asked(&run, "tools/call"), asked(&run, "ping")), (1, 1, 0));
        }),
        ("C: it refuses what it took", &|| {
            let run = serving(&["--status", "notifications/initialized=503", "--status", "DELETE=500"]).run();
            run.verdicts(&["#1 same", "#3 same", "#4 same"]).ended("fail", 1);
            let refused: Vec<_> = run.exchanges().filter(|line| line["verdict"] == "error-changed").collect();
            let told: Vec<_> = refused.iter().map(|line| (&line["method"], &line["detail"])).collect();
            let expected = [
                (json!("notifications/initialized"), json!("refused with HTTP 503 instead of 202")),
                (json!("DELETE"), json!("refused with HTTP 500 instead of 200")),
            ];
            assert_eq!(told, expected.iter().map(|(method, detail)| (method, detail)).collect::<Vec<_>>());
        }),
        ("C: an error around what is right", &|| {
            let run = serving(&["--status", "ping=500"]).run();
            run.verdicts(&["#1 same", "#2 same", "#3 same", "#4 error-changed"]).ended("fail", 1);
        }),
        ("C: a cancel that is refused", &|| {
            let run = bench_http(&cancelled_over_http(), &["--status", "notifications/cancelled=429"]).run();
            run.verdicts(&["#2 error-changed"]).ended("fail", 1).cancels(1, 0, 0, 1);
            let said = bench_http(&cancelled_over_http(), &["--status", "notifications/cancelled=429"]).screen();
            assert!(said.out.contains("0 raced, 1 refused"), "{}", said.out);
        }),
        ("B: it says 404 to a request, as it did", &|| {
            let recorded = over_http().replace("22 http@4 s {\"status\":200", "22 http@4 s {\"status\":404");
            let more = ["--session", "s", "--result", initialized, "--result", tools, "--status", "tools/call=404"];
            bench_http(&recorded, &more).run().verdicts(&["#3 same", "#4 same"]).ended("pass", 0);
        }),
        ("B: another session, the call is not known to be repeatable", &|| {
            let run = serving(&["--lost", "tools/call:1"]).flags("--reinit on-404").run();
            run.verdicts(&["#1 same", "#2 same", "#3 session-lost"]).ended("fail", 1);
            assert_eq!((asked(&run, "initialize"), asked(&run, "tools/call")), (2, 1), "{}", run.all());
        }),
        ("B: another session, the call may be repeated", &|| {
            let run = serving(&["--lost", "tools/call:1"]).flags("--reinit on-404 --allow-repeat").run();
            run.verdicts(&["#1 same", "#2 same", "#3 session-lost", "#4 same"]).ended("fail", 1);
            assert_eq!((asked(&run, "initialize"), asked(&run, "tools/call")), (2, 2), "{}", run.all());
            let again = run.log.iter().filter(|line| line["body"]["method"] == "initialize");
            assert!(again.clone().all(|line| line["headers"]["mcp-session-id"].is_null()), "{}", run.all());
        }),
    ]);
}

/// A call over Streamable HTTP that is cancelled.
fn cancelled_over_http() -> Session {
    http(
        r#"
         0 open@1 c
         0 http@1 c {"method":"POST","headers":{}}
         0 c@1> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
         5 http@1 s {"status":200,"headers":{"content-type":"application/json"}}
         5 s@1> {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fixture-http","version":"1"}}}
        20 open@2 c
        20 http@2 c {"method":"POST","headers":{}}
        20 c@2> call(2,slow,{})
       120 open@3 c
       120 http@3 c {"method":"POST","headers":{}}
       120 c@3> cancel(2)
       121 http@3 s {"status":202,"headers":{}}
    "#,
    )
}

/// The same over HTTP+SSE, as `record --sse` writes it: all messages stand on the stream of the one GET.
fn cancelled_over_sse(revision: &str) -> Session {
    let recorded = r#"
         0 open@1 c
         0 http@1 c {"method":"GET","headers":{"accept":"text/event-stream"}}
         1 http@1 s {"status":200,"headers":{"content-type":"text/event-stream"}}
         1 sse@1 s {"event":"endpoint"}
         2 open@2 c
         2 http@2 c {"method":"POST","headers":{}}
         2 c@1> {"id":1,"method":"initialize","params":{"protocolVersion":"REVISION","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
         3 http@2 s {"status":202,"headers":{}}
         5 s@1> {"id":1,"result":{"protocolVersion":"REVISION","capabilities":{"tools":{}},"serverInfo":{"name":"fixture-http","version":"1"}}}
        20 open@3 c
        20 http@3 c {"method":"POST","headers":{}}
        20 c@1> call(2,slow,{})
        21 http@3 s {"status":202,"headers":{}}
       320 open@4 c
       320 http@4 c {"method":"POST","headers":{}}
       320 c@1> cancel(2)
       321 http@4 s {"status":202,"headers":{}}
    "#;
    http(&recorded.replace("REVISION", revision)).with("transport", json!("sse"))
}

#[test]
fn a_cancel_over_sse_is_one_in_every_revision() {
    for revision in ["2024-11-05", "2025-11-25"] {
        let quick = ["--mode", "sse", "--steps", "1", "--pause", "20"];
        let run = bench_http(&cancelled_over_sse(revision), &quick).run();
        run.verdicts(&["#1 same", "#2 raced"]).ended("inconclusive", 0).cancels(1, 0, 1, 0);
    }
}

/// S13: a query of an editor that is cancelled and answered.
pub fn cancelled_query() -> Session {
    session("lsp", r#"
          0 c> {"id":1,"method":"initialize","params":{"processId":4242,"rootUri":"file:///old","capabilities":{}}}
         10 s> {"id":1,"result":{"capabilities":{"referencesProvider":true}}}
         12 c> {"method":"initialized","params":{}}
         15 c> {"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///old/a.rs","languageId":"rust","version":1,"text":"fn a() {}"}}}
         20 c> {"id":2,"method":"textDocument/references","params":{"textDocument":{"uri":"file:///old/a.rs"},"position":{"line":0,"character":3},"context":{"includeDeclaration":true}}}
        120 c> {"method":"$/cancelRequest","params":{"id":2}}
        125 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}
        140 c> {"id":3,"method":"shutdown"}
        145 s> {"id":3,"result":null}
        150 c> {"method":"exit"}
        155 close s
        156 exit 0
    "#).with("frame", json!("cl"))
}

#[test]
fn s13_lsp_cancel_must_be_answered() {
    let recorded = cancelled_query();
    let serving = |cancel: Value, length: &str| {
        json!({"framing": "content-length", "length": length, "handlers": [
            {"on": "initialize", "do": [{"alive": "/params/processId"}, {"answer": {"capabilities": {"referencesProvider": true}}}]},
            {"on": "textDocument/references", "do": [{"wait": 20_000}, {"answer": []}], "cancel": cancel},
            {"on": "shutdown", "do": [{"answer": null}]},
            {"on": "exit", "do": [{"exit": 0}]}]})
    };
    let cancelled = json!([{"error": {"code": -32800, "message": "cancelled"}}]);
    let play = |script: &Value| bench(&recorded, script).flags("--map-path file:///old=file:///new").run();
    let all_same = |script: &Value| {
        let run = play(script);
        run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
        run
    };
    side_by_side(&[
        ("A: as recorded", &|| {
            let run = all_same(&serving(cancelled.clone(), "Content-Length: "));
            let initialize = &run.heard("\"initialize\"")[0].1["params"];
            assert_eq!(initialize["rootUri"], "file:///new");
            assert!(initialize["processId"].as_i64().is_some_and(|pid| pid != 4242), "{initialize}");
            assert!(run.received().iter().all(|text| !text.contains("file:///old")), "{}", run.all());
            let rewrites = run.summary()["rewrites"].to_string();
            assert!(rewrites.contains("processId") && rewrites.contains("file:///new"), "{rewrites}");
            assert!(run.place("in", "\"shutdown\"") < run.place("in", "\"exit\""));
            assert_eq!(run.summary()["server_end"], "the server exited with 0");
            near(&run.exchange("#2")["cancel"]["at_us"], 100);
        }),
        ("B: silent", &|| {
            let run = play(&serving(json!([]), "Content-Length: "));
            run.verdicts(&["#1 same", "#2 stuck", "#3 same"]).ended("fail", 1);
            let line = run.exchange("#2");
            assert_eq!((&line["also"], &line["rule"]), (&json!(["violates"]), &json!("cancelled-never-answered")));
            let (cancel, shutdown) = (run.heard("$/cancelRequest")[0].0, run.heard("\"shutdown\"")[0].0);
            assert!(shutdown - cancel >= 1_850_000, "the shutdown does not cut the time for the answer: {}", run.all());
        }),
        ("C: null", &|| {
            let run = all_same(&serving(json!([{"answer": null}]), "Content-Length: "));
            assert!(run.exchange("#2")["notes"].to_string().contains("other permitted outcome"), "{}", run.all());
        }),
        ("D: another spelling of the header", &|| {
            all_same(&serving(cancelled.clone(), "content-length:"));
        }),
    ]);
}

/// S14: a turn that is cancelled after its second update.
pub fn cancelled_turn() -> Session {
    session(
        "acp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
          5 s> {"id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}
         10 c> {"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
         15 s> {"id":2,"result":{"sessionId":"sess-rec"}}
         20 c> {"id":3,"method":"session/prompt","params":{"sessionId":"sess-rec","prompt":[{"type":"text","text":"hi"}]}}
         60 s> {"method":"session/update","params":{"sessionId":"sess-rec","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}}
        100 s> {"method":"session/update","params":{"sessionId":"sess-rec","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}}}
        140 c> {"method":"session/cancel","params":{"sessionId":"sess-rec"}}
        150 s> {"id":3,"result":{"stopReason":"cancelled"}}
    "#,
    )
}

#[test]
fn s14_acp_cancel_of_a_turn() {
    let recorded = cancelled_turn();
    let update = |text: &str| {
        let content = json!({"type": "text", "text": text});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
        json!({"notify": {"method": "session/update", "params": {"sessionId": "${/params/sessionId}", "update": update}}})
    };
    let serving = |cancel: Value| {
        server(json!([
            {"on": "initialize", "do": [{"answer": {"protocolVersion": 1, "agentCapabilities": {}}}]},
            {"on": "session/new", "do": [{"answer": {"sessionId": "sess-live"}}]},
            {"on": "session/prompt", "when": {"/params/sessionId": "sess-live"}, "cancel": cancel,
                "do": [{"wait": 240}, update("a"), {"wait": 40}, update("b"), {"wait": 20_000}, {"answer": {"stopReason": "end_turn"}}]}]))
    };
    let cancelled = json!({"answer": {"stopReason": "cancelled"}});
    let permission = json!({"id": 77, "method": "session/request_permission", "params": {"sessionId": "sess-live",
        "toolCall": {"toolCallId": "t1"}, "options": [{"optionId": "never-seen", "name": "Allow", "kind": "allow_once"}]}});
    side_by_side(&[
        ("A: later", &|| {
            let run = bench(&recorded, &serving(json!([cancelled]))).run();
            run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
            let cancel = &run.heard("session/cancel")[0];
            assert_eq!(cancel.1["params"]["sessionId"], "sess-live");
            let second = run.log[run.place("out", "\"b\"")]["us"].as_i64().expect("a time");
            near(&json!(cancel.0 - second), 40);
            assert!(run.exchange("#3")["cancel"]["anchor"].to_string().contains("progress"), "{}", run.all());
        }),
        ("B: asks for permission after the cancel", &|| {
            let run = bench(&recorded, &serving(json!([{"ask": {"request": permission}}, cancelled]))).run();
            run.verdicts(&["#1 same", "#2 same", "#3 same", "s77 extra"]).ended("fail", 1);
            let answer = &run.heard("\"id\":77")[0].1;
            assert_eq!(answer["result"], json!({"outcome": {"outcome": "cancelled"}}));
        }),
        ("C: ends its turn as if nothing had been", &|| {
            let run = bench(&recorded, &serving(json!([{"wait": 300}, {"answer": {"stopReason": "end_turn"}}]))).run();
            run.verdicts(&["#1 same", "#2 same", "#3 violates"]).ended("fail", 1);
            assert_eq!(run.exchange("#3")["rule"], "cancel-without-cancelled-stop");
            near(&json!(after_cancel_of_turn(&run)), 300);
        }),
    ]);
}

/// How long after the cancel the prompt was answered, by the server's log.
fn after_cancel_of_turn(run: &Run) -> i64 {
    run.log[run.place("out", "stopReason")]["us"].as_i64().expect("a time") - run.heard("session/cancel")[0].0
}

/// S15: four tools with different hints, one call to each.
fn four_tools() -> Session {
    mcp(r#"
        H(2025-11-25)
        10 c> {"id":2,"method":"tools/list","params":{}}
        12 s> {"id":2,"result":{"tools":[
            {"name":"search","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
            {"name":"delete_all","inputSchema":{"type":"object"}},
            {"name":"rename","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"idempotentHint":true}},
            {"name":"get_order","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}
        20 c> call(3,search,{"q":"a"})
        22 s> text(3,"found")
        30 c> call(4,delete_all,{})
        32 s> {"id":4,"result":{"content":[],"structuredContent":{"id":"order-9001"}}}
        40 c> call(5,rename,{"to":"b"})
        42 s> text(5,"renamed")
        50 c> call(6,get_order,{"id":"order-9001"})
        52 s> text(6,"order")
    "#)
}

/// The live side of S15, with a hint for `search`.
fn four_tools_live(search_is_read_only: bool) -> Value {
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let tools = json!([
        tool("search", json!({"readOnlyHint": search_is_read_only})),
        {"name": "delete_all", "inputSchema": {"type": "object"}},
        tool("rename", json!({"readOnlyHint": false, "idempotentHint": true})),
        tool("get_order", json!({"readOnlyHint": true})),
    ]);
    server(json!([
        {"on": "tools/list", "do": [{"answer": {"tools": tools}}]},
        {"on": "tools/call:search", "do": [{"answer": says("found")}]},
        {"on": "tools/call:delete_all", "do": [{"answer": {"content": [], "structuredContent": {"id": "${mint:order}"}}}]},
        {"on": "tools/call:rename", "do": [{"answer": says("renamed")}]},
        {"on": "tools/call:get_order", "do": [{"minted": {"at": "/params/arguments/id", "name": "order"}}, {"answer": says("order")}]},
    ]))
}

const ORDER_FLOWS: &str = r#"
[[replay.flow]]
from = "delete_all /result/structuredContent/id"
to   = "get_order /params/arguments/id"
"#;

fn safety(search_is_read_only: bool, flags: &str) -> Bench {
    let flags = format!("--linger 2s --stuck-min 60s {flags}");
    bench(&four_tools(), &four_tools_live(search_is_read_only)).only_flags(&flags).file("rpctape.toml", ORDER_FLOWS)
}

#[test]
fn s15_what_may_be_sent() {
    let held = ["#1 same", "#2 same", "#3 same", "#4 not-sent", "#5 not-sent", "#6 blocked"];
    let why = |run: &Run, label: &str| run.exchange(label)["detail"].to_string();
    side_by_side(&[
        ("read-only", &|| {
            let run = safety(true, "").run();
            run.verdicts(&held).ended("inconclusive", 0);
            let methods: Vec<String> = run.heard("").iter().map(|(_, message)| message["method"].to_string()).collect();
            assert_eq!(
                methods,
                ["initialize", "notifications/initialized", "tools/list", "tools/call"].map(|it| format!("{it:?}"))
            );
            assert_eq!(run.heard("tools/call")[0].1["params"]["name"], "search");
            assert!(why(&run, "#4").contains("policy") && why(&run, "#5").contains("policy"), "{}", run.all());
            assert!(why(&run, "#6").contains("#4"), "{}", run.all());
            assert_eq!((&run.summary()["not_sent"], &run.summary()["blocked"]), (&json!(2), &json!(1)));
        }),
        ("strict", &|| {
            let run = safety(true, "--strict").run();
            run.verdicts(&held);
            assert_eq!((run.said.code, &run.summary()["pass"]), (1, &json!(false)), "{}", run.all());
        }),
        ("dry run", &|| {
            let bench = safety(true, "--dry-run");
            let said = bench.screen();
            assert_eq!(said.code, 0, "{}{}", said.out, said.err);
            assert!(!bench.folder().join("server.log").exists(), "no process is started");
            assert_eq!(std::fs::read_dir(bench.folder()).expect("a folder").count(), 2, "nothing is written");
            for tool in ["delete_all", "rename"] {
                assert!(said.out.contains(&format!("--allow 'tools/call:{tool}'")), "{}", said.out);
            }
            assert!(!said.out.contains("--allow 'tools/call:search'"), "{}", said.out);
        }),
        ("the hint has changed", &|| {
            let run = safety(false, "").run();
            run.verdicts(&["#3 not-sent", "#4 not-sent", "#5 not-sent", "#6 blocked"]);
            assert!(why(&run, "#3").contains("hint differs from recording"), "{}", run.all());
            assert!(run.heard("tools/call").is_empty(), "{}", run.all());
        }),
        ("deny wins", &|| {
            let run = safety(true, "--deny tools/call:search --allow-all").run();
            run.verdicts(&["#3 not-sent", "#4 same", "#5 same", "#6 same"]);
            assert!(run.heard("search").is_empty(), "{}", run.all());
            let id = &run.heard("get_order")[0].1["params"]["arguments"]["id"];
            assert!(id.as_str().is_some_and(|id| id.starts_with("order-") && id != "order-9001"), "{id}");
        }),
        ("nothing", &|| {
            let said = safety(true, "--only nothing").screen();
            assert_eq!(said.code, 2, "{}", said.out);
            assert!(said.err.contains("nothing was checked"), "{}", said.err);
        }),
    ]);
}
