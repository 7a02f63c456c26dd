use super::*;
use crate::capture::testing::{Kept, read, read_as};
use crate::capture::{Direction, Proof, Transport};
use crate::protocol::Side;
use crate::protocol::http::{RequestHead, ResponseHead};
use proptest::prelude::*;
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("../../../../samples/formats/har/1.har");

fn document(creator: &str, entries: &[Value]) -> String {
    json!({"log": {"version": "1.2", "creator": {"name": creator}, "entries": entries}}).to_string()
}

fn entry(second: u32, ms: f64, method: &str, session: Option<&str>, body: Option<&str>, response: Value) -> Value {
    let headers: Vec<Value> = session.iter().map(|id| json!({"name": "Mcp-Session-Id", "value": id})).collect();
    json!({
        "startedDateTime": format!("2026-11-21T06:45:{second:02}.500Z"),
        "time": ms,
        "timings": {"send": 1, "wait": 9, "receive": ms - 10.0},
        "request": {"method": method, "url": "http://h/mcp", "headers": headers,
            "postData": body.map(|text| json!({"mimeType": "application/json", "text": text}))},
        "response": response,
    })
}

fn stream(messages: &[&str]) -> Value {
    let text: String = messages.iter().map(|data| format!("event: message\ndata: {data}\n\n")).collect();
    json!({"status": 200, "headers": [], "content": {"mimeType": "text/event-stream", "text": text}})
}

/// What a document holds beside the heads of its exchanges.
fn read_bodies(text: &str) -> Kept {
    let mut kept = read("har", text);
    kept.frames.retain(|frame| frame.kind != "http");
    kept
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const PROGRESS: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}"#;
const CANCEL: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;

fn short(kept: &Kept) -> Vec<(&str, Option<u32>, bool)> {
    let name = |text: &str| [CALL, ANSWER, PROGRESS, CANCEL].iter().position(|known| *known == text);
    let names = ["call", "answer", "progress", "cancel"];
    kept.frames.iter().map(|f| (name(&f.text).map_or(f.kind, |at| names[at]), f.stream, f.at_us.is_some())).collect()
}

#[test]
fn a_session_from_its_first_post_to_its_end() {
    let kept = read_bodies(SAMPLE);
    let got: Vec<_> = kept.frames.iter().map(|f| (f.kind, f.line, f.stream, f.direction)).collect();
    let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
    assert_eq!(
        got,
        [
            ("message", 6, Some(1), client),
            ("message", 6, Some(1), server),
            ("message", 20, Some(2), client),
            ("message", 34, Some(3), client),
            ("message", 34, Some(3), server),
            ("close", 48, None, client),
        ]
    );
    assert_eq!(kept.names(), [Some("s-1")]);
    assert_eq!((kept.channels[0].vantage, kept.channels[0].transport), (Vantage::Proxy, Transport::Http));
    assert_eq!(kept.frames[1].at_us.zip(kept.frames[0].at_us).map(|(end, start)| end - start), Some(20_000));
    assert!(SAMPLE[kept.frames[0].byte_offset as usize..].starts_with("\"{\\\"jsonrpc"));
}

#[test]
fn heads_stand_before_what_they_are_the_heads_of() {
    let answer = json!({"status": 200, "headers": [{"name": "Content-Type", "value": "application/json"}],
        "content": {"text": ANSWER}});
    let mut call = entry(1, 20.0, "POST", Some("s"), Some(CALL), answer);
    let more =
        [("Accept", "application/json"), ("accept", "text/event-stream"), ("MCP-Protocol-Version", "[REDACTED]")];
    let headers = call["request"]["headers"].as_array_mut().expect("headers");
    headers.extend(more.map(|(name, value)| json!({"name": name, "value": value})));
    let ended = entry(2, 20.0, "DELETE", Some("s"), None, json!({"status": 204, "headers": []}));
    let mut bare = entry(3, 20.0, "POST", Some("s"), Some(CALL), json!({"status": 0, "_error": "net::ERR_ABORTED"}));
    bare["request"]["headers"] = json!([]);
    let kept = read("har", &document("mitmproxy", &[call, ended, bare]));
    let kinds: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.stream)).collect();
    let (first, second, third) = (Some(1), Some(2), Some(3));
    assert_eq!(kinds[..4], [("http", first), ("message", first), ("http", first), ("message", first)]);
    assert_eq!(kinds[4..], [("http", second), ("http", second), ("close", None), ("message", third), ("close", third)]);
    let head = RequestHead::read(&kept.frames[0].text).expect("a head");
    assert_eq!(head.accept.as_deref(), Some("application/json, text/event-stream"));
    assert!(head.session.is_some_and(|session| *session != *"s") && head.revision.is_none());
    assert_eq!(ResponseHead::read(&kept.frames[5].text).map(|head| head.status), Some(204));
}

#[test]
fn a_cancel_beside_an_open_stream_is_put_in_order() {
    let entries = [
        entry(1, 2000.0, "POST", Some("s"), Some(CALL), stream(&[PROGRESS, ANSWER])),
        entry(2, 5.0, "POST", Some("s"), Some(CANCEL), json!({"status": 202})),
    ];
    let kept = read_bodies(&document("mitmproxy", &entries));
    let (call, untimed) = (("call", Some(1), true), ("untimed", Some(1), false));
    let (progress, cancel, answer) =
        (("progress", Some(1), false), ("cancel", Some(2), true), ("answer", Some(1), true));
    assert_eq!(short(&kept), [untimed, call, progress, cancel, untimed, answer], "it may have come before the cancel");
    // Its first byte came behind the cancel.
    let mut waited = entries;
    waited[0]["timings"] = json!({"send": 0, "wait": 1500, "receive": 500});
    let kept = read_bodies(&document("mitmproxy", &waited));
    assert_eq!(short(&kept), [call, cancel, progress, answer]);
}

#[test]
fn a_whole_that_was_measured_alone_tells_no_first_byte() {
    let events = |receive: f64| {
        let mut get = entry(1, 9000.0, "GET", Some("s"), None, stream(&[ANSWER]));
        get["timings"] = json!({"send": 0, "wait": 9000.0 - receive, "receive": receive});
        get
    };
    let call = entry(2, 5.0, "POST", Some("s"), Some(CALL), json!({"status": 202}));
    let cancel = entry(3, 5.0, "POST", Some("s"), Some(CANCEL), json!({"status": 202}));
    let names = |receive: f64| {
        let kept = read_bodies(&document("Chrome", &[events(receive), call.clone(), cancel.clone()]));
        short(&kept).into_iter().map(|(name, ..)| name.to_string()).collect::<Vec<_>>()
    };
    for receive in [0.0, -1.0, 8980.0] {
        assert_eq!(names(receive), ["call", "answer", "cancel"]);
    }
    assert_eq!(names(1000.0), ["call", "cancel", "answer"], "it came behind the cancel");
}

#[test]
fn answers_on_an_old_stream_follow_their_requests_and_prove_nothing_about_cancels() {
    let url = |mut entry: Value, url: &str| {
        entry["request"]["url"] = url.into();
        entry
    };
    let mut events = stream(&[PROGRESS, ANSWER]);
    events["content"]["text"] =
        format!("event: endpoint\ndata: /m?sessionId=q\n\n{}", events["content"]["text"].as_str().unwrap_or("")).into();
    let entries = [
        url(entry(1, 9000.0, "GET", None, None, events), "http://h/sse"),
        url(entry(2, 5.0, "POST", None, Some(CALL), json!({"status": 202})), "http://h/m?sessionId=q"),
    ];
    let kept = read_bodies(&document("Firefox", &entries));
    assert_eq!(short(&kept), [("call", Some(2), true), ("progress", Some(1), false), ("answer", Some(1), false)]);
    let proves = |kept: &Kept, what| kept.channels[0].proof.covers(what);
    assert!(proves(&kept, Proof::ORDER) && !proves(&kept, Proof::ANSWER_TIME), "nothing hangs on when it was answered");
    assert_eq!((kept.names(), kept.channels[0].vantage), (vec![Some("q")], Vantage::Client));
}

#[test]
fn bodies_that_are_missing_packed_or_never_came() {
    let packed = {
        use std::io::Write;
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(ANSWER.as_bytes()).expect("packed");
        crate::base64::encode(&gz.finish().expect("packed"))
    };
    let json_body = |content: Value| json!({"status": 200, "headers": [], "content": content});
    let entries = [
        entry(1, 20.0, "POST", None, Some(CALL), json_body(json!({"encoding": "base64", "text": packed}))),
        entry(2, 20.0, "POST", None, Some(CALL), json_body(json!({"size": 70, "mimeType": "text/event-stream"}))),
        entry(3, 20.0, "POST", None, Some(CALL), json!({"status": 0, "_error": "net::ERR_ABORTED"})),
        entry(4, 20.0, "POST", None, Some("{\"form\":1}"), json!({"status": 200})),
        json!({"broken": true}),
    ];
    let kept = read_bodies(&document("WebInspector", &entries));
    let got: Vec<&str> = short(&kept).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(got, ["call", "answer", "call", "gap", "call", "close"]);
    assert_eq!(kept.frames[5].text, "client");
    assert_eq!(kept.skipped.len(), 2);
}

#[test]
fn batches_and_web_sockets() {
    let batch = format!("[{CALL},{CANCEL}]");
    let mut socket = entry(2, 20.0, "GET", None, None, json!({"status": 101}));
    socket["_webSocketMessages"] = json!([
        {"type": "send", "time": 1795243510.663, "opcode": 1, "data": CALL},
        {"type": "receive", "time": 1795243510.7, "opcode": 1, "data": ANSWER},
        {"type": "receive", "time": 1795243510.8, "opcode": 2, "data": "AAAA"},
    ]);
    let entries = [entry(1, 20.0, "POST", None, Some(&batch), stream(&[ANSWER])), socket];
    let kept = read_bodies(&document("WebInspector", &entries));
    let got: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.channel, frame.stream)).collect();
    assert_eq!(got[..2], [("batch", 0, Some(1)), ("message", 0, Some(1))]);
    assert_eq!(got[2..], [("message", 1, None), ("message", 1, None)]);
    assert_eq!(kept.channels[1].transport, Transport::Ordered);
    assert_eq!(kept.frames[2].at_us, Some(1_795_243_510_663_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn messages_come_back_as_they_were(all in proptest::collection::vec(("\\PC{0,20}", 0u8..3, any::<bool>()), 1..6)) {
        let (mut entries, mut want) = (Vec::new(), Vec::new());
        for (id, (text, shape, packed)) in all.iter().enumerate() {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "x", "params": {"text": text}}).to_string();
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"text": text}}).to_string();
            let mut response = match shape {
                0 => stream(&[&answer]),
                1 => json!({"status": 200, "content": {"mimeType": "application/json", "text": answer}}),
                _ => stream(&[PROGRESS, &answer]),
            };
            if *packed {
                let plain = response["content"]["text"].as_str().unwrap_or("").to_string();
                response["content"]["encoding"] = "base64".into();
                response["content"]["text"] = crate::base64::encode(plain.as_bytes()).into();
            }
            entries.push(entry(id as u32, 50.0, "POST", Some("s"), Some(&request), response));
            want.push(request);
            want.extend((*shape == 2).then(|| PROGRESS.to_string()));
            want.push(answer);
        }
        let kept = read_bodies(&document("mitmproxy", &entries));
        prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), want);
    }

    #[test]
    fn no_text_makes_it_panic(body in "\\PC{0,40}", stream in "[a-z:{}\"\\[\\]\\n\\r ]{0,60}", method in "GET|POST|DELETE") {
        let content = json!({"mimeType": "text/event-stream", "text": stream});
        let entry = entry(1, -1.0, &method, Some("s"), Some(&body), json!({"status": 200, "headers": [], "content": content}));
        read_as("har", document("x", &[entry]).as_bytes());
    }
}

#[test]
fn a_document_that_is_cut_is_read_up_to_there() {
    let kept = read_bodies(&SAMPLE[..SAMPLE.find("tools/list").expect("the third entry")]);
    assert_eq!((kept.frames.len(), &kept.skipped[..]), (3, &[(34, Skip::CutOff)][..]));
}

#[test]
fn another_document_is_an_error_with_a_hint() {
    let Reader::Whole(mut reader) = Har.reader(&Sample::new(b"", true, false)) else { panic!("it is read whole") };
    let (mut kept, overrides) = (Kept::default(), crate::capture::Overrides::default());
    let mut out = Out::new(&mut kept, 0, &overrides);
    assert!(reader.read("[]", 0, &mut out).expect_err("no log").hint.is_some());
}
