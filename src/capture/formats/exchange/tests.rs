use crate::capture::testing::{Kept, read, read_as};
use crate::capture::{Direction, Proof, Skip, Transport};
use crate::protocol::Side;
use proptest::prelude::*;
use serde_json::{Value, json};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}}"#;
const CANCEL: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn packed(text: &str) -> String {
    crate::base64::encode(text.as_bytes())
}

/// Name of each frame, its line, and its milliseconds after noon.
fn short(kept: &Kept) -> Vec<(&str, u64, Option<i64>)> {
    let names = [(CALL, "call"), (ANSWER, "answer"), (NOTE, "note"), (CANCEL, "cancel")];
    let name = |text: &str| names.iter().find(|(known, _)| *known == text).map(|(_, name)| *name);
    let ms = |us: i64| us / 1_000 - 1_772_452_800_000;
    kept.frames.iter().map(|f| (name(&f.text).unwrap_or(f.kind), f.line, f.at_us.map(ms))).collect()
}

#[test]
fn bodies_of_any_packing_at_places_that_nobody_has_named() {
    let value: Value = serde_json::from_str(CALL).expect("JSON");
    let stream = format!("event: message\ndata: {NOTE}\n\ndata: {ANSWER}\n\n");
    let shapes = [
        json!({"in": value, "out": serde_json::from_str::<Value>(ANSWER).expect("JSON")}),
        json!({"a": {"b": {"c": CALL}}, "d": [{"e": ANSWER}]}),
        json!({"q": json!(CALL).to_string(), "r": stream}),
        json!({"http": {"requestBody": packed(CALL), "responseBody": packed(&stream)}}),
        json!({"attributes": [{"key": "x.body", "value": {"stringValue": CALL}}, {"key": "y.body", "value": {"stringValue": ANSWER}}]}),
        json!({"q": CALL, "r": [serde_json::from_str::<Value>(NOTE).expect("JSON"), serde_json::from_str::<Value>(ANSWER).expect("JSON")]}),
    ];
    for shape in shapes {
        let kept = read("http-exchange", &lines(std::slice::from_ref(&shape)));
        let kinds: Vec<_> = kept.frames.iter().map(|f| (f.kind, f.direction, f.stream)).collect();
        assert_eq!(kinds.first(), Some(&("message", Direction::By(Side::Client), Some(1))), "{shape}");
        assert_eq!(kinds.last(), Some(&("message", Direction::By(Side::Server), Some(1))), "{shape}");
        assert!(kept.frames.iter().all(|f| f.kind == "message"), "{shape}: {kept:?}");
        assert_eq!(kept.channels[0].transport, Transport::Http);
    }
}

#[test]
fn records_are_put_in_the_order_of_their_times() {
    // Written at the end: the call is told after its own cancel.
    let text = lines(&[
        json!({"finished": "2026-03-02T12:00:02.003Z", "took_ms": 3, "req": CANCEL, "res": "", "code": 202, "sid": "s"}),
        json!({"finished": "2026-03-02T12:00:09Z", "took_ms": 9000, "req": CALL, "res": ANSWER, "code": 200, "sid": "s"}),
        json!({"finished": "2026-03-02T12:00:09.010Z", "took_ms": 10, "req": CALL, "res": ANSWER, "code": 200, "sid": "s"}),
    ]);
    let kept = read("http-exchange", &text);
    let want = [
        ("call", 2, Some(0)),
        ("cancel", 1, Some(2000)),
        ("answer", 2, Some(9000)),
        ("call", 3, Some(9000)),
        ("answer", 3, Some(9010)),
    ];
    assert_eq!(short(&kept), want);
    assert_eq!(kept.names(), [Some("s")]);
    assert!(kept.channels[0].proof.covers(Proof::CLIENT.and(Proof::CANCEL_TARGET)));
}

/// A call that was open for nine seconds from noon, and what the client sent 2 s after noon.
fn amid(answered: Value, sent: &str) -> Vec<&'static str> {
    let mut call = json!({"start": "2026-03-02T12:00:00Z", "end": "2026-03-02T12:00:09Z", "q": CALL, "sid": "s"});
    call.as_object_mut().expect("a record").extend(answered.as_object().expect("members").clone());
    let beside =
        json!({"start": "2026-03-02T12:00:02Z", "end": "2026-03-02T12:00:02.1Z", "q": sent, "r": "", "sid": "s"});
    let kept = read("http-exchange", &lines(&[beside, call]));
    kept.frames.iter().map(|frame| frame.kind).filter(|kind| ["message", "untimed"].contains(kind)).collect()
}

#[test]
fn an_answer_in_an_event_stream_had_come_when_it_ended() {
    let stream = format!("data: {ANSWER}\n\n: ping\n\n");
    let told = ["message", "message", "message"];
    let untold = ["untimed", "message", "message", "untimed", "message"];
    assert_eq!(amid(json!({"r": stream}), CANCEL), untold, "it may have come before the cancel");
    assert_eq!(amid(json!({"r": stream}), &CALL.replace(":1,", ":2,")), untold, "the call may have been repeated");
    assert_eq!(amid(json!({"r": stream}), NOTE), told, "it says the same either way");
    assert_eq!(amid(json!({"r": stream}), &CANCEL.replace(":1}", ":7}")), told, "of another request");
    assert_eq!(amid(json!({"r": ANSWER}), CANCEL), told, "a response of one piece");
}

#[test]
fn without_an_end_it_is_not_known_when_an_answer_came_and_without_a_session_no_client_is() {
    let text = lines(&[json!({"eventTime": "2026-03-02T12:00:00Z", "q": CALL, "r": ANSWER})]);
    let kept = read("http-exchange", &text);
    assert_eq!(short(&kept), [("call", 1, Some(0)), ("answer", 1, None)]);
    let proof = kept.channels[0].proof;
    assert!(proof.covers(Proof::CANCEL_TARGET));
    assert!(!proof.covers(Proof::ANSWER_TIME) && !proof.covers(Proof::CLIENT));
}

#[test]
fn what_is_cut_left_out_or_blotted_out_is_a_gap() {
    let whole = json!({"path": "/mcp", "req": {"body": CALL}, "res": {"status": 200, "body": ANSWER}});
    let with = |path: &[&str], value: Value| {
        let mut record = whole.clone();
        record[path[0]][path[1]] = value;
        record
    };
    let text = lines(&[
        whole.clone(),
        with(&["res", "body"], json!(&ANSWER[..20])),
        with(&["res", "body"], json!("{\"jsonrpc\":\"2.0\",...[truncated]")),
        with(&["res", "body"], Value::Null),
        with(&["req", "body"], json!("***")),
        json!({"path": "/mcp", "req": {"truncated": true}, "res": {"status": 200, "body": ANSWER}}),
        json!({"path": "/health", "req": {}, "res": {"status": 200, "body": "ok"}}),
        // Both end in a bracket, but not in the one that they begin with.
        with(&["req", "body"], json!(&CALL[..CALL.len() - 1])),
        with(&["res", "body"], json!(&ANSWER[..ANSWER.len() - 1])),
    ]);
    let kept = read("http-exchange", &text);
    let got: Vec<_> = short(&kept).into_iter().map(|(name, line, _)| (name, line)).collect();
    let want = [
        ("call", 1),
        ("answer", 1),
        ("call", 2),
        ("gap", 2),
        ("call", 3),
        ("gap", 3),
        ("call", 4),
        ("gap", 4),
        ("gap", 5),
        ("answer", 5),
        ("gap", 6),
        ("answer", 6),
        ("gap", 8),
        ("answer", 8),
        ("call", 9),
        ("gap", 9),
    ];
    assert_eq!(got, want);
    assert_eq!(kept.skipped, [(7, Skip::NotAMessage)]);
}

#[test]
fn a_handshake_without_a_session_is_that_of_the_session_that_follows() {
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let welcome = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    let record = |at: u32, session: Option<&str>, request: &str, answer: &str| json!({"start": at + 1_772_452_800, "end": at + 1_772_452_801, "h": {"Mcp-Session-Id": session}, "q": request, "r": answer});
    let text = lines(&[
        record(0, None, hello, welcome),
        record(2, None, hello, welcome),
        record(4, Some("a"), CALL, ANSWER),
        record(6, Some("b"), CALL, ANSWER),
    ]);
    let kept = read("http-exchange", &text);
    assert_eq!(kept.names(), [Some("a"), Some("b")]);
    let messages = || kept.frames.iter().filter(|f| f.kind == "message");
    assert_eq!(messages().map(|f| f.channel).collect::<Vec<_>>(), [0, 0, 1, 1, 0, 0, 1, 1]);
    // Which of the two led to which session is a guess.
    assert_eq!(kept.frames.iter().filter(|f| f.kind != "message").map(|f| f.line).collect::<Vec<_>>(), [1, 1, 2, 2]);
}

#[test]
fn handshakes_that_lead_to_no_session_are_one_connection() {
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let welcome = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    let record = |at: u32, request: &str, answer: &str| json!({"start": at + 1_772_452_800, "end": at + 1_772_452_801, "h": {"Mcp-Session-Id": null, "x": 1}, "q": request, "r": answer});
    let text = lines(&[record(0, hello, welcome), record(2, CALL, ANSWER), record(4, hello, welcome)]);
    let kept = read("http-exchange", &text);
    assert_eq!(kept.channels.len(), 1);
    assert!(!kept.channels[0].proof.covers(Proof::CLIENT) && kept.channels[0].one_connection);
}

#[test]
fn what_no_record_shows_is_said_to_be_unrecorded() {
    let said = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    let asked = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
    let record = |at: u32, verb: &str, request: &str, answer: &str| json!({"start": at + 1_772_452_800, "end": at + 1_772_452_803, "verb": verb, "h": {"Mcp-Session-Id": "s"}, "q": request, "r": answer});
    let kinds = |records: &[Value]| {
        let kept = read_as("http-exchange", lines(records).as_bytes());
        kept.frames.iter().map(|f| f.kind).collect::<Vec<_>>().join(" ")
    };
    let call = record(0, "POST", CALL, ANSWER);
    // The client answers what the log does not have: a stream that is still open may have carried it.
    assert_eq!(kinds(&[call.clone(), record(5, "POST", said, "")]), "message message unrecorded message");
    let listens = record(4, "GET", "", &format!("data: {asked}\n\n"));
    assert_eq!(kinds(&[call.clone(), record(5, "POST", said, ""), listens]), "message message message message");
    // A GET that is there to its end shows nothing of the streams of POSTs; where all comes on it, nobody has asked.
    let listens = |first: &str| record(4, "GET", "", &format!("{first}data: {NOTE}\n\n"));
    assert_eq!(
        kinds(&[call.clone(), record(5, "POST", said, ""), listens("")]),
        "message message message unrecorded message"
    );
    let listens = listens("event: endpoint\ndata: /messages\n\n");
    assert_eq!(kinds(&[call.clone(), record(5, "POST", said, ""), listens]), "message message message message");
    // A cancel of a call that has no record yet.
    let cancel = CANCEL.replace(":1}", ":9}");
    assert_eq!(kinds(&[call, record(5, "POST", &cancel, "")]), "message message unrecorded message");
}

#[test]
fn where_a_server_uses_an_id_again_without_a_time_no_order_is_proven() {
    let ask = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
    let record = |body: &str| json!({"start": 1_772_452_800, "end": 1_772_452_803, "verb": "GET", "q": "", "r": body, "h": {"Mcp-Session-Id": "s"}});
    let call = json!({"start": 1_772_452_800, "end": 1_772_452_801, "verb": "POST", "q": CALL, "r": ANSWER, "h": {"Mcp-Session-Id": "s"}});
    let ordered = |body: &str| {
        let kept = read("http-exchange", &lines(&[call.clone(), record(body)]));
        kept.channels[0].proof.covers(Proof::ORDER)
    };
    assert!(ordered(&format!("data: {ask}\n\n")));
    assert!(!ordered(&format!("data: {ask}\n\ndata: {ask}\n\n")));
}

#[test]
fn documents_rows_and_streams_that_were_not_answered() {
    let entry = |request: &str, response: &str| json!({"payload": {"request": request, "response": response}});
    let text = json!({"Records": [
        {"begin": 1_772_452_800_000_i64, "latency": 20, "verb": "POST", "status": 200, "rpc": [entry(CALL, ANSWER), entry(NOTE, "")]},
        {"begin": 1_772_452_801_000_i64, "latency": 20, "verb": "POST", "status": 502, "rpc": [entry(CALL, "Bad Gateway")]},
        {"begin": 1_772_452_802_000_i64, "latency": 20, "verb": "POST", "status": 499, "rpc": [entry(CALL, "")]},
    ]});
    let kept = read("http-exchange", &format!("{text:#}"));
    let got: Vec<_> =
        kept.frames.iter().map(|f| (f.kind, f.stream, if f.kind == "close" { f.text.as_str() } else { "" })).collect();
    let want = [
        ("message", Some(1), ""),
        ("message", Some(2), ""),
        ("message", Some(1), ""),
        ("message", Some(3), ""),
        ("http", Some(3), ""),
        ("close", Some(3), "server"),
        ("message", Some(4), ""),
        ("close", Some(4), "client"),
    ];
    assert_eq!(got, want);
}

#[test]
fn logs_of_single_messages_are_none() {
    let one = |text: &str| json!({"ts": 1, "dir": "in", "msg": text});
    for text in [
        lines(&[one(CALL), one(ANSWER)]),
        format!("{CALL}\n{ANSWER}\n"),
        lines(&[json!({"id": 7, "method": "x", "params": {}, "request": {"method": "GET", "headers": {}}})]),
        lines(&[
            json!({"jsonrpc": "2.0", "id": 1, "result": {}, "request": serde_json::from_str::<Value>(CALL).expect("JSON")}),
        ]),
    ] {
        let told = crate::capture::testing::told(text.as_bytes());
        assert!(told.as_ref().is_none_or(|(name, _)| *name != "http-exchange"), "{text}: {told:?}");
    }
}

#[test]
fn answers_that_all_come_in_one_stream_are_read_with_their_calls() {
    let post = |at: u32, request: &str| json!({"start": at + 1_772_452_800, "end": at + 1_772_452_801, "verb": "POST", "status": 202, "q": request, "r": "Accepted"});
    let heard = format!(
        "event: endpoint\ndata: /messages?sessionId=s\n\ndata: {ANSWER}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{{}}}}\n\n"
    );
    let get = json!({"start": 1_772_452_800, "end": 1_772_452_890, "verb": "GET", "status": 200, "q": "", "r": heard});
    let kept = read("http-exchange", &lines(&[post(1, CALL), post(2, NOTE), get]));
    assert_eq!((kept.frames.iter().filter(|frame| frame.kind == "message").count(), kept.channels.len()), (4, 1));
}

#[test]
fn times_are_told_by_what_adds_up() {
    let record = |at: i64, long: i64| json!({"time": 1_772_452_800_000 + at, "duration": long, "q": CALL, "r": ANSWER});
    // As starts they do not overlap, as ends they would.
    let kept = read("http-exchange", &lines(&[record(0, 3000), record(3001, 3500), record(6502, 30)]));
    assert_eq!(short(&kept)[..2], [("call", 1, Some(0)), ("answer", 1, Some(3000))]);
    let kept = read("http-exchange", &lines(&[record(3000, 3000), record(3031, 30), record(6062, 3000)]));
    assert_eq!(short(&kept)[..2], [("call", 1, Some(0)), ("answer", 1, Some(3000))]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..6), shape in 0u8..4) {
        let (mut records, mut want) = (Vec::new(), Vec::new());
        for (id, text) in texts.iter().enumerate() {
            let ask = json!({"jsonrpc": "2.0", "id": id, "method": "x", "params": {"text": text}}).to_string();
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"text": text}}).to_string();
            let body = |text: &str| match shape {
                0 => serde_json::from_str(text).expect("JSON"),
                1 => json!(text),
                2 => json!(packed(text)),
                _ => json!(json!(text).to_string()),
            };
            records.push(json!({"start": 1_772_452_800 + id, "end": 1_772_452_800 + id, "a": body(&ask), "b": body(&answer)}));
            want.extend([ask, answer]);
        }
        let kept = read("http-exchange", &lines(&records));
        let got: Vec<Value> = kept.frames.iter().map(|f| serde_json::from_str(&f.text).expect("JSON")).collect();
        let want: Vec<Value> = want.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
        prop_assert_eq!(got, want);
    }

    #[test]
    fn no_bytes_make_it_panic(text in "[\\[\\]{}\",:\\\\a-z0-9=+/]{0,80}", body in "\\PC{0,40}") {
        read_as("http-exchange", text.as_bytes());
        read_as("http-exchange", lines(&[json!({"q": CALL, "r": ANSWER, "t": body}), json!({"q": body, "r": text})]).as_bytes());
        read_as("http-exchange", format!("{{\"q\":{text},\"r\":{ANSWER}}}\n{}", lines(&[json!({"q": CALL, "r": ANSWER})])).as_bytes());
    }
}

#[test]
fn records_in_lists_and_bodies_behind_their_heads() {
    let ask = format!("POST /mcp HTTP/1.1\r\nHost: a\r\nMcp-Session-Id: s-9\r\n\r\n{CALL}");
    let reply = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{ANSWER}");
    let raw = json!({"raw_request": ask, "raw_response": reply});
    let encoded = json!({"raw_request": packed(&ask), "raw_response": packed(&reply)});
    for record in [raw, encoded] {
        let kept = read("http-exchange", &lines(&[record]));
        assert_eq!(short(&kept), [("call", 1, None), ("answer", 1, None)], "{kept:?}");
        assert_eq!(kept.names(), [Some("s-9")]);
    }
    let one = json!({"request": {"body": CALL}, "response": {"body": ANSWER}});
    let kept = read("http-exchange", &lines(&[json!([one, one]), json!([one])]));
    let found: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.line)).collect();
    assert_eq!(found, [1, 1, 1, 1, 2, 2].map(|line| ("message", line)));
}

#[test]
fn requests_and_answers_in_records_of_their_own_are_no_exchanges() {
    let record = |kind: &str, text: &str| {
        let body: Value = serde_json::from_str(text).expect("JSON");
        json!({"type": kind, "correlation": "c1", "method": "POST", "uri": "/mcp", "status": 200, "headers": {"a": "b"}, "body": body})
    };
    let kept = read("jsonl-wrapped", &lines(&[record("request", CALL), record("response", ANSWER)]));
    let found: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.line, frame.stream)).collect();
    assert_eq!(found, [("message", 1, None), ("message", 2, None)]);
}

#[test]
fn a_client_that_posts_as_many_answers_as_calls_has_one_place_for_both() {
    let asks = r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#;
    let stream = format!("data: {asks}\n\ndata: {ANSWER}\n\n");
    let record = |ms: i64, sent: &str, came: &str| json!({"start_ms": 1_772_452_800_000 + ms, "req": sent, "res": came, "sid": "s"});
    let kept = read("http-exchange", &lines(&[record(0, ANSWER, ""), record(5, CALL, &stream), record(9, ANSWER, "")]));
    let senders =
        |side| kept.frames.iter().filter(|f| f.kind == "message" && f.direction == Direction::By(side)).count();
    assert_eq!((senders(Side::Client), senders(Side::Server)), (3, 2), "{kept:?}");
}

/// A record of each half: `verb` tells a request, `status` a response.
fn half(name: &str, verb_or_status: Value, ms: i64, body: &str) -> Value {
    let told = if verb_or_status.is_string() { "verb" } else { "status" };
    json!({"at": 1_772_452_800_000_i64 + ms, "trace": name, told: verb_or_status, "body": body})
}

#[test]
fn requests_and_responses_of_their_own_are_joined_by_what_they_are_named() {
    let post = |name: &str, ms: i64, body: &str| half(name, "POST".into(), ms, body);
    let answered = |name: &str, ms: i64, body: &str| half(name, 200.into(), ms, body);
    let records = [
        post("a", 0, CALL),
        post("b", 10, NOTE),
        half("b", 202.into(), 15, ""),
        json!({"at": 1_772_452_800_020_i64, "said": "something else"}),
        answered("a", 30, ANSWER),
        // Its request is not in the log, and that of the last one has no response.
        answered("c", 40, ANSWER),
        post("d", 50, CALL),
    ];
    let log = lines(&records);
    let kept = read("http-halves", &log);
    let told = [("call", 1, Some(0)), ("note", 2, Some(10)), ("answer", 5, Some(30))];
    let gap = |line: u64, ms: Option<i64>| ("gap", line, ms);
    let rest = [gap(6, None), ("answer", 6, Some(40)), ("call", 7, Some(50)), gap(7, None)];
    assert_eq!(short(&kept), [&told[..], &rest].concat(), "{kept:?}");
    assert_eq!(kept.skipped, [(4, Skip::NotAMessage)]);
    for frame in kept.frames.iter().filter(|frame| frame.kind == "message") {
        let body = json!(frame.text).to_string();
        assert_eq!(&log[frame.byte_offset as usize..][..body.len()], body);
    }
}

/// Two halves of one second have that in common, too, and others have it where more happens.
#[test]
fn halves_without_times_come_in_the_order_of_their_records() {
    let timeless = |mut half: Value| {
        half.as_object_mut().map(|members| members.remove("at"));
        half
    };
    let halves = [
        half("a", json!("POST"), 0, CALL),
        half("b", json!("POST"), 0, CANCEL),
        half("b", json!(202), 0, ""),
        half("a", json!(200), 0, ANSWER),
    ];
    let kept = read("http-halves", &lines(&halves.map(timeless)));
    let told: Vec<_> =
        short(&kept).into_iter().filter(|(name, ..)| ["call", "cancel", "answer"].contains(name)).collect();
    assert_eq!(told, [("call", 1, None), ("cancel", 2, None), ("answer", 4, None)]);
}

#[test]
fn a_time_names_nothing_where_something_else_does() {
    let pair = |second: i64| {
        let name = format!("t{second}");
        [half(&name, "POST".into(), 0, CALL), half(&name, 200.into(), 5, ANSWER)].map(|mut half| {
            half["when"] = format!("2026-03-02T12:00:0{second}Z").into();
            half
        })
    };
    let log = lines(&[1, 2, 3].map(pair).concat());
    let (name, reason) = crate::capture::testing::told(log.as_bytes()).expect("a format");
    assert!(name == "http-halves" && reason.contains("/trace") && !reason.contains("/when"), "{name}: {reason}");
}

/// What comes behind too many others is an answer without its question, and both are told.
#[test]
fn a_request_waits_behind_so_many_others_and_no_longer() {
    let post = |name: &str, ms: i64, body: &str| half(name, "POST".into(), ms, body);
    let pair = |nth: i64| [post(&format!("p{nth}"), 0, NOTE), half(&format!("p{nth}"), 202.into(), 5, "")];
    let pairs: Vec<Value> = (0..30).flat_map(pair).collect();
    let known = [post("k", 10, CALL), half("k", 200.into(), 15, ANSWER)];
    for (others, whole) in [(4_000, true), (4_200, false)] {
        let between = (0..others).map(|nth| post(&format!("n{nth}"), 100 + nth, NOTE));
        let late = [half("late", 200.into(), 9_000, ANSWER)];
        let all = pairs.iter().chain(&known).cloned().chain([post("late", 50, CALL)]).chain(between).chain(late);
        let kept = read("http-halves", &lines(&all.collect::<Vec<_>>()));
        let of =
            |text: &str| kept.frames.iter().filter(|frame| frame.text == text).map(|frame| frame.stream).next_back();
        assert_eq!(of(CALL) == of(ANSWER), whole, "{others}");
        assert_eq!(kept.frames.iter().filter(|frame| frame.text == ANSWER).count(), 2);
    }
}

/// A name that more than two records have in common is a session, and says nothing of what belongs together.
#[test]
fn a_name_of_many_records_joins_none() {
    let one = |ms: i64| [half("s", "POST".into(), ms, CALL), half("s", 200.into(), ms + 5, ANSWER)];
    let log = lines(&[one(0), one(10), one(20)].concat());
    assert_ne!(crate::capture::testing::told(log.as_bytes()).map(|(name, _)| name), Some("http-halves"));
}

proptest! {
    /// In whatever order responses come, each goes with its request.
    #[test]
    fn halves_meet_in_any_order(order in proptest::sample::subsequence((0..12_usize).collect::<Vec<_>>(), 4..=12).prop_shuffle()) {
        let call = |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let answer = |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let asked = (0..12).map(|id| half(&format!("n{id}"), "POST".into(), id as i64, &call(id)));
        let back = order.iter().enumerate().map(|(at, id)| half(&format!("n{id}"), 200.into(), 20 + at as i64, &answer(*id)));
        let kept = read("http-halves", &lines(&asked.chain(back).collect::<Vec<_>>()));
        let streams = |what: &str, id: usize| -> Vec<Option<u32>> {
            let text = if what == "call" { call(id) } else { answer(id) };
            kept.frames.iter().filter(|frame| frame.text == text).map(|frame| frame.stream).collect()
        };
        for id in &order {
            prop_assert_eq!(streams("call", *id), streams("answer", *id));
            prop_assert_eq!(streams("call", *id).len(), 1);
        }
    }

    #[test]
    fn no_half_makes_it_panic(text in "[\\[\\]{}\",:\\\\a-z0-9=+/]{0,80}", name in "\\PC{0,20}") {
        let log = lines(&[half("a", "POST".into(), 0, CALL), half("a", 200.into(), 1, ANSWER)]);
        read_as("http-halves", text.as_bytes());
        read_as("http-halves", format!("{log}{}{text}\n{log}", lines(&[half(&name, "POST".into(), 2, &text)])).as_bytes());
    }
}
