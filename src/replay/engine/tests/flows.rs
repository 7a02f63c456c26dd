//! Values that flow from an answer into a later request.

use super::*;
use crate::replay::options::FlowRule;
use crate::replay::suggest::suggest;

const S05: &str = r#"
10 c> {"id":2,"method":"tools/list","params":{}}
15 s> {"id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"Y3Vyc29yLTE="}}
20 c> {"id":3,"method":"tools/list","params":{"cursor":"Y3Vyc29yLTE="}}
25 s> {"id":3,"result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}}
30 c> {"id":4,"method":"ping"}
31 s> {"id":4,"result":{}}
"#;

fn pages(cursor: Option<&'static str>) -> impl FnMut(&mut Wire, &Value) {
    move |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/list") if message["params"]["cursor"].is_null() => {
            wire.result(1, message, json!({"tools":[], "nextCursor": cursor}));
        }
        Some("tools/list") => {
            assert_eq!(message["params"]["cursor"].as_str(), cursor);
            wire.result(1, message, json!({"tools":[]}));
        }
        Some("ping") => drop(wire.result(1, message, json!({}))),
        _ => {}
    }
}

#[test]
fn a_cursor_is_the_live_one() {
    let played = play(&mcp(S05), &options(), pages(Some("live\"1")));
    assert!(played.all_sent());
    assert_eq!(played.run("#2").captured, ["/result/nextCursor"]);
    let put = &played.run("#3").substituted[0];
    assert_eq!((put.at.as_str(), put.from.as_str()), ("/params/cursor", "#2"));
    assert_eq!(put.values, Some(("\"Y3Vyc29yLTE=\"".into(), "\"live\\\"1\"".into())));
}

#[test]
fn without_it_the_request_is_blocked_and_the_rest_goes_on() {
    let played = play(&mcp(S05), &options(), pages(None));
    assert_eq!(played.run("#3").fate, Fate::Blocked("#2".into()));
    assert_eq!(played.run("#2").capture_missing, ["/result/nextCursor"]);
    assert_eq!(played.run("#4").fate, Fate::Sent);
}

const S07: &str = r#"
0 c> {"id":1,"method":"tools/call","params":{"name":"deploy","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
10 s> {"id":1,"result":{"resultType":"input_required","inputRequests":{"ok":{"method":"elicitation/create","params":{"message":"sure?"}}},"requestState":"S-111"}}
900 c> {"id":2,"method":"tools/call","params":{"name":"deploy","arguments":{},"inputResponses":{"ok":{"action":"accept","content":{}}},"requestState":"S-111","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
910 s> {"id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}}
"#;

#[test]
fn a_retry_echoes_the_live_state_and_answers_the_live_names() {
    for name in ["ok", "q1"] {
        let state = "opaque \\u00e9 / \u{1F600}";
        let played = play(&connection("mcp 2026-07-28", S07), &options(), |wire, message| {
            if message["id"] == 1 {
                let asked = json!({name: {"method":"elicitation/create","params":{}}});
                wire.result(
                    5,
                    message,
                    json!({"resultType":"input_required","inputRequests":asked,"requestState":state}),
                );
                return;
            }
            assert_eq!(message["params"]["requestState"], state);
            assert_eq!(message["params"]["inputResponses"], json!({name: {"action":"accept","content":{}}}));
            wire.result(1, message, json!({"resultType":"complete"}));
        });
        assert!(played.all_sent());
        assert_eq!(played.run("#2").continues, Some(0));
        assert_eq!(played.run("#2").substituted[0].values, None, "it is never shown");
        let think = played.run("#2").sent_us.expect("sent") - played.run("#1").answered_us.expect("answered");
        assert_eq!(think, 890 * MS);
    }
}

#[test]
fn a_retry_that_nobody_asks_for_is_not_a_second_call() {
    let stateless = S07.replace(",\"requestState\":\"S-111\"", "");
    for trace in [S07, stateless.as_str()] {
        let played = play(&connection("mcp 2026-07-28", trace), &options(), |wire, message| {
            wire.result(5, message, json!({"resultType":"complete"}));
        });
        assert_eq!(played.run("#2").continues, Some(0));
        assert_eq!(played.run("#2").fate, Fate::Blocked("#1".into()));
        assert_eq!(played.wire.sent.len(), 1);
    }
    // The live server has a state to echo, the recorded one had none.
    let played = play(&connection("mcp 2026-07-28", &stateless), &options(), |wire, message| {
        let asked = json!({"ok": {"method":"elicitation/create","params":{}}});
        wire.result(5, message, json!({"resultType":"input_required","inputRequests":asked,"requestState":"new"}));
    });
    let retry = played.wire.with("tools/call")[1].1.clone();
    assert_eq!(retry["params"]["requestState"], "new");
}

#[test]
fn a_recorded_client_that_left_out_the_state_leaves_it_out_again() {
    let silent = S07.replacen("\"requestState\":\"S-111\",\"_meta\"", "\"_meta\"", 1);
    assert_ne!(silent, S07);
    let played = play(&connection("mcp 2026-07-28", &silent), &options(), |wire, message| {
        let asked = json!({"ok": {"method":"elicitation/create","params":{}}});
        wire.result(5, message, json!({"resultType":"input_required","inputRequests":asked,"requestState":"live"}));
    });
    let retry = played.wire.with("tools/call")[1].1.clone();
    assert_eq!(retry["params"]["requestState"], serde_json::Value::Null);
}

const ORDERS: &str = r#"
10 c> {"id":2,"method":"tools/call","params":{"name":"create_order","arguments":{}}}
12 s> {"id":2,"result":{"structuredContent":{"id":"order-100001"}}}
20 c> {"id":3,"method":"tools/call","params":{"name":"get_order","arguments":{"id":"order-100001"}}}
22 s> {"id":3,"result":{}}
"#;

fn rule() -> FlowRule {
    FlowRule {
        from: "create_order".into(),
        from_at: "/result/structuredContent/id".into(),
        to: "get_order".into(),
        to_at: "/params/arguments/id".into(),
    }
}

#[test]
fn a_users_rule_carries_a_value_and_is_suggested_but_never_applied_unasked() {
    let recorded = mcp(ORDERS);
    let session =
        Recording { name: "t".into(), format: "rec".into(), connections: vec![recorded.clone()], unread: Vec::new() };
    assert_eq!(suggest(&session, &[]), [rule()]);
    assert_eq!(suggest(&session, &[rule()]), []);
    let mut with = options();
    let shop = |wire: &mut Wire, message: &Value| match message["params"]["name"].as_str() {
        Some("create_order") => drop(wire.result(1, message, json!({"structuredContent":{"id":"order-7"}}))),
        Some("get_order") => drop(wire.text(1, message, message["params"]["arguments"]["id"].as_str().unwrap_or(""))),
        _ if message["method"] == "initialize" => handshake(wire, message),
        _ => {}
    };
    let played = play(&recorded, &with, shop);
    assert!(played.run("#3").text.as_ref().is_some_and(|text| text.contains("order-100001")));
    with.rewrite.flows = vec![rule()];
    let played = play(&recorded, &with, shop);
    assert!(played.run("#3").text.as_ref().is_some_and(|text| text.contains("order-7")));
}

#[test]
fn a_listed_resource_is_found_again_by_its_name() {
    let trace = r#"
    10 c> {"id":2,"method":"resources/list"}
    12 s> {"id":2,"result":{"resources":[{"name":"x","uri":"tmp://1"},{"name":"y","uri":"tmp://2"}]}}
    20 c> {"id":3,"method":"resources/read","params":{"uri":"tmp://2"}}
    22 s> {"id":3,"result":{"contents":[]}}
    "#;
    let read = |listed: Value| {
        let played = play(&mcp(trace), &options(), |wire, message| match message["method"].as_str() {
            Some("initialize") => handshake(wire, message),
            Some("resources/list") => drop(wire.result(1, message, json!({"resources": listed}))),
            Some("resources/read") => drop(wire.result(1, message, json!({"contents":[]}))),
            _ => {}
        });
        let sent = played.wire.with("resources/read").first().map(|(_, message)| message["params"]["uri"].clone());
        (sent, played.run("#2").captured.clone())
    };
    let same = json!([{"name":"z","uri":"tmp://2"}]);
    assert_eq!(read(same), (Some(json!("tmp://2")), vec![]), "nothing differs, nothing is captured");
    let moved = json!([{"name":"y","uri":"tmp://9"},{"name":"x","uri":"tmp://8"}]);
    assert_eq!(read(moved), (Some(json!("tmp://9")), vec!["/result/resources/1/uri".to_string()]));
    assert_eq!(read(json!([])), (None, vec![]));
}

#[test]
fn a_secret_that_nobody_gave_is_not_sent() {
    let trace = r#"10 c> {"id":2,"method":"tools/call","params":{"name":"login","arguments":{"key":"<<secret:authz#1>>"}}}
                   12 s> {"id":2,"result":{}}"#;
    let played = play(&mcp(trace), &options(), reference());
    assert_eq!(played.run("#2").fate, Fate::NotSent("secret authz#1".into()));
    let mut given = options();
    given.rewrite.secrets = vec![("authz#1".into(), "hunter2".into())];
    let played = play(&mcp(trace), &given, reference());
    assert!(played.wire.sent.iter().any(|(_, text)| text.contains(r#""key":"hunter2""#)));
}

#[test]
fn data_of_an_item_is_found_again_by_its_label() {
    let trace = r#"
    0 c> {"id":1,"method":"textDocument/completion","params":{}}
    5 s> {"id":1,"result":{"items":[{"label":"a","data":{"k":1}},{"label":"b","data":{"k":2}}]}}
    10 c> {"id":2,"method":"completionItem/resolve","params":{"label":"b","data":{ "k": 2 }}}
    15 s> {"id":2,"result":{}}
    "#;
    let played = play(&connection("lsp 3.17", trace), &options(), |wire, message| match message["method"].as_str() {
        Some("textDocument/completion") => {
            wire.result(1, message, json!({"items":[{"label":"b","data":{"k":77}},{"label":"a","data":{"k":76}}]}));
        }
        _ => drop(wire.result(1, message, json!({}))),
    });
    let resolved = played.wire.with("completionItem/resolve");
    assert_eq!(resolved[0].1["params"], json!({"label":"b","data":{"k":77}}));
    assert_eq!(played.run("#2").substituted[0].values, None, "opaque");
}

#[test]
fn a_token_of_the_server_is_cancelled_under_its_live_name() {
    let trace = r#"
    0 c> {"id":1,"method":"initialize","params":{}}
    2 s> {"id":1,"result":{}}
    3 c> {"method":"initialized","params":{}}
    5 s> {"id":1,"method":"window/workDoneProgress/create","params":{"token":"rec-1"}}
    6 c> {"id":1,"result":null}
    50 c> {"method":"window/workDoneProgress/cancel","params":{"token":"rec-1"}}
    "#;
    let played = play(&connection("lsp 3.17", trace), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => drop(wire.result(1, message, json!({}))),
        Some("initialized") => {
            wire.say(5, json!({"id":9,"method":"window/workDoneProgress/create","params":{"token":"live-1"}}));
        }
        _ => {}
    });
    assert_eq!(played.wire.with("window/workDoneProgress/cancel")[0].1["params"]["token"], "live-1");
}

#[test]
fn equal_cursors_of_two_lists_are_kept_apart() {
    let trace = r#"
    10 c> {"id":2,"method":"tools/list","params":{}}
    11 c> {"id":3,"method":"resources/list","params":{}}
    15 s> {"id":2,"result":{"tools":[],"nextCursor":"MQ=="}}
    18 s> {"id":3,"result":{"resources":[],"nextCursor":"MQ=="}}
    20 c> {"id":4,"method":"tools/list","params":{"cursor":"MQ=="}}
    25 s> {"id":4,"result":{"tools":[]}}
    30 c> {"id":5,"method":"resources/list","params":{"cursor":"MQ=="}}
    35 s> {"id":5,"result":{"resources":[]}}
    40 c> {"id":6,"method":"prompts/list","params":{"cursor":"MQ=="}}
    45 s> {"id":6,"result":{"prompts":[]}}
    "#;
    let played = play(&mcp(trace), &options(), |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some(method) if !message["id"].is_null() => drop(wire.result(1, message, json!({"nextCursor": method}))),
        _ => {}
    });
    let cursors = ["tools/list", "resources/list", "prompts/list"]
        .map(|method| played.wire.with(method).last().expect("it was asked").1["params"]["cursor"].clone());
    assert_eq!(
        cursors,
        ["tools/list", "resources/list", "MQ=="],
        "the recording does not have the first page of the last"
    );
}

#[test]
fn equal_states_of_two_calls_are_kept_apart() {
    let call = |at: i64, id: u32, to: &str, rest: &str| {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        format!(
            "{at} c> {{\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"deploy\",\"arguments\":{{\"to\":\"{to}\"}},{rest}{meta}}}}}\n"
        )
    };
    let asks = |at: i64, id: u32, state: &str| {
        let asked = r#""inputRequests":{"ok":{"method":"elicitation/create","params":{}}}"#;
        format!("{at} s> {{\"id\":{id},\"result\":{{\"resultType\":\"input_required\",{asked}{state}}}}}\n")
    };
    let done = |at: i64, id: u32| format!("{at} s> {{\"id\":{id},\"result\":{{\"resultType\":\"complete\"}}}}\n");
    let recorded = |second: &str, given: &str, back: &str| {
        let answers = format!("\"inputResponses\":{{\"ok\":{{\"action\":\"accept\"}}}},{back}");
        let first = call(0, 1, "a", "") + &call(1, 2, second, "") + &asks(10, 1, given) + &asks(12, 2, given);
        let then = call(20, 3, "a", &answers) + &done(25, 3) + &call(30, 4, second, &answers) + &done(35, 4);
        connection("mcp 2026-07-28", &(first + &then))
    };
    let (given, back) = (r#","requestState":"step1""#, r#""requestState":"step1","#);
    // Each has the state of the call with its arguments; without one it is linked by them.
    for recorded in [recorded("b", given, back), recorded("b", "", "")] {
        let played = play(&recorded, &options(), |wire, message| {
            if message["params"]["inputResponses"].is_null() {
                let state = json!({"of": message["params"]["arguments"]["to"]});
                let asked = json!({"ok": {"method":"elicitation/create","params":{}}});
                wire.result(5, message, json!({"inputRequests":asked,"requestState":state}));
                return;
            }
            assert_eq!(message["params"]["requestState"]["of"], message["params"]["arguments"]["to"]);
            wire.result(1, message, json!({"resultType":"complete"}));
        });
        assert!(played.all_sent());
        assert_eq!((played.run("#3").continues, played.run("#4").continues), (Some(0), Some(1)));
    }
    // Of two calls that are alike each is gone on with once.
    let alike = play(&recorded("a", given, back), &options(), |wire, message| {
        let asked = json!({"ok": {"method":"elicitation/create","params":{}}});
        wire.result(5, message, json!({"inputRequests":asked,"requestState":message["id"]}));
    });
    let mut first = [alike.run("#3").continues, alike.run("#4").continues];
    first.sort_unstable();
    assert_eq!(first, [Some(0), Some(1)]);
}

#[test]
fn a_value_is_taken_out_of_the_json_of_a_text() {
    let trace = ORDERS.replace(
        r#""structuredContent":{"id":"order-100001"}"#,
        r#""content":[{"type":"text","text":"{\"id\": \"order-100001\"}"}]"#,
    );
    let recorded = mcp(&trace);
    let inside = FlowRule { from_at: "/result/content/0/text -> /id".into(), ..rule() };
    let session =
        Recording { name: "t".into(), format: "rec".into(), connections: vec![recorded.clone()], unread: Vec::new() };
    assert_eq!(suggest(&session, &[]), std::slice::from_ref(&inside));
    assert_eq!(suggest(&session, std::slice::from_ref(&inside)), []);
    let mut with = options();
    with.rewrite.flows = vec![inside];
    let asked = |said: &str| {
        let said = said.to_string();
        let played = play(&recorded, &with, |wire, message| match message["params"]["name"].as_str() {
            Some("create_order") => drop(wire.text(1, message, &said)),
            Some(_) => drop(wire.text(1, message, "")),
            None if message["method"] == "initialize" => handshake(wire, message),
            None => {}
        });
        let sent =
            played.wire.with("tools/call").get(1).map(|(_, message)| message["params"]["arguments"]["id"].clone());
        (sent, played.run("#2").captured.clone())
    };
    let captured = vec!["/result/content/0/text -> /id".to_string()];
    assert_eq!(asked(r#"{"id":"order-7"}"#), (Some(json!("order-7")), captured));
    assert_eq!(asked("no JSON").0, None, "nothing is made up");
}
