//! Cancels and flows of the other protocols and revisions, each with a server that does right and one that does not.

use serde_json::{Value, json};

use super::{near, one_cancel, says, server, side_by_side};
use crate::replay::bench::{Run, bench, bench_http};
use crate::replay::notation::{http, mcp, session};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// `META` put into the text of a recording.
fn stateless(text: &str) -> String {
    text.replace("META", META)
}

#[test]
fn mcp_2026_wants_silence_after_a_cancel() {
    let recorded = mcp(&stateless(
        r#"
          0 c> {"id":1,"method":"tools/call","params":{"name":"slow","arguments":{},META}}
        200 c> {"method":"notifications/cancelled","params":{"requestId":1,META}}
        210 c> {"id":2,"method":"tools/call","params":{"name":"quick","arguments":{},META}}
        212 s> {"id":2,"result":{"resultType":"complete","content":[]}}
    "#,
    ));
    let done = json!({"answer": {"resultType": "complete", "content": []}});
    let serving = |cancel: Value| {
        server(json!([{"on": "tools/call:slow", "do": [{"wait": 10_000}, done], "cancel": cancel},
            {"on": "tools/call:quick", "do": [done]}]))
    };
    side_by_side(&[
        ("silent", &|| {
            let run = bench(&recorded, &serving(json!([]))).run();
            run.verdicts(&["#1 same", "#2 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
        }),
        ("answers", &|| {
            let run = bench(&recorded, &serving(json!([{"wait": 200}, done]))).run();
            run.verdicts(&["#1 violates", "#2 same"]).ended("fail", 1);
        }),
    ]);
}

#[test]
fn acp_requests_are_cancelled_by_id() {
    let recorded = session(
        "acp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
          5 s> {"id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}
         10 c> {"id":2,"method":"session/load","params":{"sessionId":"sess-1","cwd":"/w","mcpServers":[]}}
        110 c> {"method":"$/cancel_request","params":{"requestId":2}}
        115 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}
    "#,
    );
    let serving = |cancel: Value| {
        server(json!([
            {"on": "initialize", "do": [{"answer": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}}]},
            {"on": "session/load", "do": [{"wait": 20_000}, {"answer": {}}], "cancel": cancel}]))
    };
    let error = |code: i64| json!([{"error": {"code": code, "message": "cancelled"}}]);
    let play = |cancel: Value| bench(&recorded, &serving(cancel)).run();
    side_by_side(&[
        ("cancelled", &|| {
            play(error(-32800)).verdicts(&["#2 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
        }),
        ("a result is allowed", &|| {
            let run = play(json!([{"answer": {}}]));
            run.verdicts(&["#2 same"]).ended("pass", 0);
            assert!(run.exchange("#2")["notes"].to_string().contains("other permitted outcome"), "{}", run.all());
        }),
        ("another code", &|| {
            // At once, it may have crossed the cancel: another code, but nobody is accused. On a machine with much else to do it comes
            // later, and then it has not crossed it.
            let run = play(error(-32603));
            let line = run.ended("fail", 1).exchange("#2");
            let late = line["verdict"] == "violates" && line["also"] == json!(["error-changed"]);
            assert!(line["verdict"] == "error-changed" || late, "{}", run.all());
            let run = play(json!([{"wait": 600}, error(-32603)[0]]));
            run.verdicts(&["#2 violates"]).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "wrong-error-code-on-cancel");
        }),
        ("silent", &|| {
            let run = play(json!([]));
            run.verdicts(&["#2 stuck"]).ended("fail", 1);
            assert_eq!(run.exchange("#2")["rule"], "cancelled-never-answered");
        }),
    ]);
}

#[test]
fn lsp_partial_results_are_an_anchor() {
    let recorded = session(
        "lsp",
        r#"
          0 c> {"id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}
         10 s> {"id":1,"result":{"capabilities":{}}}
         12 c> {"method":"initialized","params":{}}
         20 c> {"id":2,"method":"workspace/symbol","params":{"query":"a","partialResultToken":"p-1"}}
         60 s> {"method":"$/progress","params":{"token":"p-1","value":[]}}
        110 c> {"method":"$/cancelRequest","params":{"id":2}}
        115 s> {"id":2,"error":{"code":-32800,"message":"cancelled"}}
        120 c> {"id":3,"method":"shutdown"}
        125 s> {"id":3,"result":null}
        130 c> {"method":"exit"}
    "#,
    );
    let partial =
        json!({"notify": {"method": "$/progress", "params": {"token": "${/params/partialResultToken}", "value": []}}});
    let serving = json!({"framing": "content-length", "handlers": [
        {"on": "initialize", "do": [{"answer": {"capabilities": {}}}]},
        {"on": "workspace/symbol", "do": [{"wait": 300}, partial, {"wait": 20_000}, {"answer": []}],
            "cancel": [{"error": {"code": -32800, "message": "cancelled"}}]},
        {"on": "shutdown", "do": [{"answer": null}]},
        {"on": "exit", "do": [{"exit": 0}]}]});
    let run = bench(&recorded, &serving).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0).cancels(1, 1, 0, 0);
    // 40 ms after the request in the recording, 300 now: beyond 2 x 90 + 250 ms it would not have been waited for.
    let partial = run.log[run.place("out", "$/progress")]["us"].as_i64().expect("a time");
    near(&json!(run.heard("$/cancelRequest")[0].0 - partial), 50);
    assert_eq!(run.exchange("#2")["cancel"]["anchor"], "progress 1");
}

#[test]
fn batches_stay_batches() {
    let recorded = mcp(r#"
        H(2025-03-26)
        10 c> [{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}},{"jsonrpc":"2.0","id":3,"method":"ping"}]
        20 s> [{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"x\":1}"}]}},{"jsonrpc":"2.0","id":3,"result":{}}]
    "#);
    let run = bench(&recorded, &Value::Null).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same"]);
    assert_eq!(run.received().iter().filter(|text| text.starts_with('[')).count(), 1, "{}", run.all());
    assert_eq!(run.heard("\"ping\"").len(), 1, "{}", run.all());
}

#[test]
fn a_batch_may_hold_its_own_cancel() {
    let recorded = mcp(r#"
        H(2025-03-26)
        10 c> [{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{}}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]
        20 c> {"id":3,"method":"ping"}
        22 s> {"id":3,"result":{}}
    "#);
    let deaf =
        server(json!([{"on": "tools/call:slow", "deaf": true, "do": [{"wait": 700}, {"answer": says("done")}]}]));
    for (script, verdict) in [(Value::Null, "#2 same"), (deaf, "#2 violates")] {
        let run = bench(&recorded, &script).run();
        run.verdicts(&["#1 same", verdict, "#3 same"]).cancels(1, 1, 0, 0);
        assert_eq!(run.exchange("#2")["cancel"]["at_us"], 0, "{}", run.all());
    }
}

#[test]
fn what_the_server_asks_and_is_not_told() {
    let recorded = mcp(r#"
        H(2025-11-25,{"elicitation":{}})
         10 c> call(2,ask,{})
         12 s> {"id":"e1","method":"elicitation/create","params":{"message":"name?","requestedSchema":{"type":"object"}}}
         50 c> {"id":"e1","error":{"code":-32000,"message":"nobody is here"}}
         60 s> text(2,"nobody")
         70 c> call(3,wait,{})
         72 s> {"id":"e2","method":"elicitation/create","params":{"message":"more?","requestedSchema":{"type":"object"}}}
        150 s> text(3,"given up")
    "#);
    let elicit = |id: &str, text: &str| json!({"id": id, "method": "elicitation/create", "params": {"message": text, "requestedSchema": {"type": "object"}}});
    let serving = server(json!([
        {"on": "tools/call:ask", "do": [{"ask": {"request": elicit("x1", "name?"), "error": [{"answer": says("nobody")}]}}, {"answer": says("somebody")}]},
        {"on": "tools/call:wait", "do": [{"notify": elicit("x2", "more?")}, {"wait": 80}, {"answer": says("given up")}]}]));
    let run = bench(&recorded, &serving).run();
    run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
    assert_eq!(run.heard("nobody is here")[0].1["id"], "x1");
    assert!(run.heard("\"x2\"").is_empty(), "it was not answered in the recording: {}", run.all());

    let no_more = server(json!([{"on": "tools/call:ask", "do": [{"answer": says("nobody")}]},
        {"on": "tools/call:wait", "do": [{"answer": says("given up")}]}]));
    let run = bench(&recorded, &no_more).run();
    run.verdicts(&["#2 same", "#3 same"]).ended("pass", 0);
    assert_eq!(run.summary()["missing"], 2, "{}", run.all());
}

#[test]
fn over_http_the_end_of_a_stream_is_the_cancel() {
    let post = |stream: u32, name: &str| {
        format!(
            r#"{{"method":"POST","headers":{{"mcp-method":"tools/call","mcp-name":"{name}","mcp-protocol-version":"2026-07-28"}},"stream":{stream}}}"#
        )
    };
    let text = stateless(
        r#"
          0 open@1 c
          0 http@1 c POST1
          0 c@1> {"id":1,"method":"tools/call","params":{"name":"slow","arguments":{},META}}
          5 http@1 s {"status":200,"headers":{"content-type":"text/event-stream"}}
        200 close@1 c
        210 open@2 c
        210 http@2 c POST2
        210 c@2> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"x":1},META}}
        215 http@2 s {"status":200,"headers":{"content-type":"application/json"}}
        215 s@2> text(2,"{\"x\":1}")
        216 close@2 s
    "#,
    );
    let text = text.replace("POST1", &post(1, "slow")).replace("POST2", &post(2, "echo"));
    let run = bench_http(&http(&text), &["--stateless", "--steps", "100", "--answer", "sse"]).run();
    run.verdicts(&["#1 same", "#2 same"]).cancels(1, 1, 0, 0);
    let saw = |what: &str| run.log.iter().filter(|line| line["saw"] == what).count();
    assert_eq!((saw("closed"), saw("cancelled")), (1, 0), "{}", run.all());
}

/// The verdict of a run, and one exchange's.
fn outcome(run: &Run, label: &str) -> (Value, Value, i32) {
    (run.exchange(label)["verdict"].clone(), run.summary()["verdict"].clone(), run.said.code)
}

#[test]
fn sessions_that_do_not_fit_the_server() {
    let recorded = mcp("H(2025-11-25)\n10 c> {\"id\":2,\"method\":\"ping\"}\n12 s> {\"id\":2,\"result\":{}}");
    let initialize = |steps: Value| server(json!([{"on": "initialize", "do": steps}]));
    let version = |version: &str| json!([{"answer": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "srv", "version": "1"}}}]);
    side_by_side(&[
        ("another revision", &|| {
            let run = bench(&recorded, &initialize(version("2025-06-18"))).run();
            assert_eq!(outcome(&run, "#1"), (json!("changed"), json!("fail"), 1), "{}", run.all());
            assert_eq!(run.exchange("#2")["verdict"], "same");
            let diff = run.exchange("#1")["diff"].clone();
            assert_eq!(diff, json!([{"at": "/result/protocolVersion", "rec": "2025-11-25", "live": "2025-06-18"}]));
        }),
        ("a server without a handshake", &|| {
            let said = bench(&recorded, &initialize(json!([{"error": {"code": -32601, "message": "no such method"}}])))
                .screen();
            let era = "recording is initialize-based, server is stateless";
            assert!(said.code == 2 && said.out.contains(era), "{}{}", said.out, said.err);
        }),
        ("a server that ends at once", &|| {
            let script = server(json!([{"on": "start", "do": [{"stderr": "no licence"}, {"exit": 4}]}]));
            let run = bench(&recorded, &script).run();
            assert_eq!(run.said.code, 1, "{}", run.all());
            assert_eq!(run.exchange("#1")["verdict"], "server-exit");
            assert!(run.said.out.contains("no licence"), "{}", run.all());
        }),
        ("lines that are no messages", &|| {
            let script = server(json!([{"on": "ping", "do": [{"raw": "starting...\n"}, {"answer": {}}]}]));
            let run = bench(&recorded, &script).run();
            run.verdicts(&["#1 same", "#2 same"]).ended("fail", 1);
            assert!(
                run.exchanges().any(|line| line["rule"] == "invalid-json"),
                "standard output is for messages only: {}",
                run.all()
            );
        }),
    ]);
}

#[test]
fn one_session_over_every_link() {
    let recorded = one_cancel();
    let initialized = r#"initialize={"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}"#;
    let play = |options: &[&str], verdict: &str, code: i32| {
        let run = bench_http(&recorded, &[&["--steps", "16", "--result", initialized], options].concat()).run();
        run.verdicts(&["#1 same", verdict, "#3 same"]).cancels(1, 1, 0, 0);
        assert_eq!(run.log.iter().filter(|line| line["saw"] == "cancelled").count(), 1, "{}", run.all());
        assert_eq!(run.said.code, code, "{}", run.all());
    };
    side_by_side(&[
        ("tcp", &|| play(&["--mode", "tcp"], "#2 same", 0)),
        ("tcp, deaf", &|| play(&["--mode", "tcp", "--deaf"], "#2 violates", 1)),
        ("ws", &|| play(&["--mode", "ws"], "#2 same", 0)),
        ("ws, deaf", &|| play(&["--mode", "ws", "--deaf"], "#2 violates", 1)),
        ("http+sse", &|| play(&["--mode", "sse"], "#2 same", 0)),
        ("http", &|| play(&[], "#2 same", 0)),
    ]);
}

#[test]
fn ids_that_are_used_again() {
    let one_after_the_other = mcp(r#"
        H(2025-11-25)
        10 c> call(7,echo,{"x":1})
        12 s> text(7,"{\"x\":1}")
        20 c> call(7,echo,{"x":2})
        22 s> text(7,"{\"x\":2}")
    "#);
    // In flight together: nobody can tell which answer is whose, so the recording and the run must take them in the same way.
    let together = mcp(r#"
        H(2025-11-25)
         10 c> call(7,echo,{"x":1})
         11 c> call(7,echo,{"x":2})
         70 s> text(7,"{\"x\":1}")
        130 s> text(7,"{\"x\":2}")
        140 c> call(8,echo,{"x":3})
        142 s> text(8,"{\"x\":3}")
    "#);
    let echo = |x: u64, ms: u64| {
        let answer = says(&format!("{{\"x\":{x}}}"));
        json!({"on": "tools/call:echo", "when": {"/params/arguments/x": x}, "do": [{"wait": ms}, {"answer": answer}]})
    };
    for (recorded, script) in
        [(one_after_the_other, Value::Null), (together, server(json!([echo(1, 400), echo(2, 800)])))]
    {
        let run = bench(&recorded, &script).run();
        assert_eq!(run.said.code, 0, "{}", run.all());
        let sent: Vec<&Value> = run.log.iter().filter(|line| line["in"].to_string().contains("echo")).collect();
        let requests = run.exchanges().filter(|line| line["method"] == "tools/call").count();
        assert_eq!(sent.len(), requests, "{}", run.all());
    }
}

#[test]
fn what_was_listed_is_asked_for_under_its_new_name() {
    let recorded = mcp(r#"
        H(2025-11-25)
        10 c> {"id":2,"method":"resources/list","params":{}}
        12 s> {"id":2,"result":{"resources":[{"uri":"file:///run-1/b.txt","name":"b"}]}}
        20 c> {"id":3,"method":"resources/read","params":{"uri":"file:///run-1/b.txt"}}
        22 s> {"id":3,"result":{"contents":[{"uri":"file:///run-1/b.txt","text":"B"}]}}
    "#);
    let listing = server(json!([
        {"on": "resources/list", "do": [{"answer": {"resources": [{"uri": "file:///run-2/b.txt", "name": "b"}]}}]},
        {"on": "resources/read", "when": {"/params/uri": "file:///run-2/b.txt"},
            "do": [{"answer": {"contents": [{"uri": "${/params/uri}", "text": "B"}]}}]}]));
    let run = bench(&recorded, &listing).run();
    run.verdicts(&["#1 same", "#2 same", "#3 same"]).ended("pass", 0);
    assert_eq!(run.exchange("#2")["captured"], json!(["/result/resources/0/uri"]));
}

/// As with ids, it is the server that makes up tokens of its work.
#[test]
fn a_token_of_the_server_s_own_is_no_change() {
    let recorded = session("lsp", r#"
          0 c> {"id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{"window":{"workDoneProgress":true}}}}
         10 s> {"id":1,"result":{"capabilities":{}}}
         12 c> {"method":"initialized","params":{}}
         15 s> {"id":7,"method":"window/workDoneProgress/create","params":{"token":"tok-1"}}
         16 c> {"id":7,"result":null}
         17 s> {"method":"$/progress","params":{"token":"tok-1","value":{"kind":"begin","title":"x"}}}
         18 s> {"method":"$/progress","params":{"token":"tok-1","value":{"kind":"end"}}}
         40 c> {"id":2,"method":"shutdown"}
         45 s> {"id":2,"result":null}
         50 c> {"method":"exit"}
         55 close s
         56 exit 0
    "#).with("frame", json!("cl"));
    let told = |token: Value| {
        let progress =
            |value: Value| json!({"notify": {"method": "$/progress", "params": {"token": token, "value": value}}});
        json!({"framing": "content-length", "handlers": [
            {"on": "initialize", "do": [{"answer": {"capabilities": {}}}]},
            {"on": "initialized", "do": [
                {"ask": {"request": {"id": "c1", "method": "window/workDoneProgress/create", "params": {"token": token}}}},
                progress(json!({"kind": "begin", "title": "x"})), progress(json!({"kind": "end"}))]},
            {"on": "shutdown", "do": [{"answer": null}]},
            {"on": "exit", "do": [{"exit": 0}]}]})
    };
    let play = |token: Value| bench(&recorded, &told(token)).flags("--compare notifications").run();
    play(json!("tok-2")).ended("pass", 0);
    // One of another type is a change.
    let other = play(json!(2));
    assert_eq!(other.exchange("s7")["verdict"], "changed", "{}", other.all());
}
