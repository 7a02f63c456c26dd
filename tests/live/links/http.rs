//! Streamable HTTP of both eras, and the HTTP+SSE before it.

use rpctape::live::link::NO_STREAM;
use rpctape::live::{Incoming, Outgoing, Target};
use rpctape::protocol::Side;
use serde_json::{Value, json};

use super::bench::{Fixture, INITIALIZE, Peer, answer, call, closed, is_answer};

#[tokio::test]
async fn a_session_over_http_is_the_live_one() {
    let mut fixture = Fixture::start(&["--session", "live-9", "--need-version"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#).await;
    peer.until(is_answer(&json!("a"))).await;
    peer.say(4, &call(5, "echo", None)).await;
    let said = answer(&peer.until(is_answer(&json!(5))).await).expect("a message");
    assert_eq!(said["result"]["content"][0]["text"], r#"{"q":5}"#);
    peer.order(Outgoing::EndSession { revision: Some("2025-11-25".into()) }).await;
    peer.order(Outgoing::Finish).await;
    peer.rest().await;
    assert_eq!(peer.statuses(), [(1, 200), (2, 202), (3, 200), (4, 200), (NO_STREAM, 200)]);
    assert_eq!(peer.told.last(), Some(&closed(Side::Client, "closed")));
    assert!(!format!("{:?}", peer.told).contains("live-9"), "the session is a secret");
    let end = fixture.until(|seen| seen["saw"] == "DELETE");
    assert_eq!(
        (&end["headers"]["mcp-session-id"], &end["headers"]["mcp-protocol-version"]),
        (&json!("live-9"), &json!("2025-11-25"))
    );
    let sessions: Vec<&Value> = fixture.log.iter().map(|seen| &seen["headers"]["mcp-session-id"]).collect();
    assert_eq!(sessions, [&Value::Null, &json!("live-9"), &json!("live-9"), &json!("live-9"), &json!("live-9")]);
}

#[tokio::test]
async fn a_lost_session_is_told_and_a_new_handshake_names_none() {
    let fixture = Fixture::start(&["--session", "live-9", "--lost", "tools/call:1"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, &call(5, "echo", None)).await;
    peer.until(|what| matches!(what, Incoming::Head { stream: 3, status: 404, .. })).await;
    peer.until(|what| matches!(what, Incoming::Closed { stream: Some(3), .. })).await;
    peer.send(4, INITIALIZE).await;
    peer.until(|what| matches!(what, Incoming::Head { stream: 4, status: 200, .. })).await;
    peer.until(is_answer(&json!(0))).await;
    peer.say(5, &call(6, "echo", None)).await;
    peer.until(is_answer(&json!(6))).await;
}

#[tokio::test]
async fn requests_over_http_are_answered_at_the_same_time() {
    let fixture = Fixture::start(&["--pause", "300"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, &call(3, "slow", Some("t"))).await;
    peer.say(4, &call(4, "echo", None)).await;
    peer.until(is_answer(&json!(4))).await;
    assert_eq!(peer.position(is_answer(&json!(3))), None);
    peer.until(is_answer(&json!(3))).await;
    let progress = |what: &Incoming| answer(what).is_some_and(|message| message["params"]["progressToken"] == "t");
    assert_eq!(peer.told.iter().filter(|what| progress(what)).count(), 5);
    let ids = |what: &Incoming| matches!(what, Incoming::Message { stream: Some(3), event_id: Some(_), .. });
    assert_eq!(peer.told.iter().filter(|what| ids(what)).count(), 6);
    for stream in [3, 4] {
        let sent = peer.position(|what| *what == Incoming::Sent { stream });
        let head = peer.position(|what| matches!(what, Incoming::Head { stream: own, .. } if *own == stream));
        assert!(sent.is_some() && sent < head, "{sent:?} {head:?}");
    }
}

#[tokio::test]
async fn a_cancel_does_not_overtake_its_request() {
    let mut fixture = Fixture::start(&["--pause", "2000"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    for id in 10..30 {
        peer.say(id, &call(id, "slow", Some("t"))).await;
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string();
        peer.say(100 + id, &cancel).await;
        peer.until(|what| matches!(what, Incoming::Closed { stream: Some(own), .. } if *own == 100 + id)).await;
        fixture.until(|seen| seen["saw"] == "cancelled" && seen["id"] == id);
    }
    // Which of two connections the server reads first is for its scheduler to say; what counts is which was written first.
    let sent = |stream: u32| peer.position(|what| *what == Incoming::Sent { stream }).expect("sent");
    for id in 10..30 {
        assert!(sent(id) < sent(100 + id), "{id}");
    }
}

#[tokio::test]
async fn closing_a_stream_is_seen_at_once() {
    let mut fixture = Fixture::start(&["--stateless", "--pause", "60000"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": "t"});
    let send = |id: u32, method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    peer.send(1, &send(1, "tools/list", json!({}))).await;
    peer.until(is_answer(&json!(1))).await;
    peer.send(2, &send(2, "tools/call", json!({"name": "echo", "arguments": {"region": "eu-\u{e4}"}}))).await;
    peer.until(is_answer(&json!(2))).await;
    peer.send(3, &send(3, "tools/call", json!({"name": "slow"}))).await;
    peer.until(|what| matches!(what, Incoming::Head { stream: 3, status: 200, .. })).await;
    peer.order(Outgoing::CloseStream { stream: 3 }).await;
    peer.until(|what| *what == Incoming::Closed { stream: Some(3), by: Side::Client, how: "closed".into() }).await;
    assert_eq!(fixture.until(|seen| seen["saw"] == "closed")["id"], 3);
    // Even where it is closed in the same moment, it is sent first. Whether its server still looks at it is for the server to say.
    peer.send(4, &send(4, "tools/call", json!({"name": "slow"}))).await;
    peer.order(Outgoing::CloseStream { stream: 4 }).await;
    peer.until(|what| *what == Incoming::Closed { stream: Some(4), by: Side::Client, how: "closed".into() }).await;
    assert!(peer.told.contains(&Incoming::Sent { stream: 4 }));
    let echo = fixture.log.iter().find(|seen| seen["body"]["id"] == 2).expect("seen");
    assert_eq!(echo["headers"]["mcp-name"], "echo");
    assert_eq!(echo["headers"]["mcp-param-region"], "=?base64?ZXUtw6Q=?=");
}

#[tokio::test]
async fn a_stream_that_was_cut_off_is_resumed() {
    let mut fixture = Fixture::start(&["--resume", "--pause", "20"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, &call(3, "slow", Some("t"))).await;
    let primed = peer.until(|what| matches!(what, Incoming::Primed { .. })).await;
    assert_eq!(primed, Incoming::Primed { stream: 3, event_id: Some("p-3".into()), retry_ms: Some(50) });
    peer.until(|what| *what == Incoming::Closed { stream: Some(3), by: Side::Server, how: "eof".into() }).await;
    let revision = Some("2025-11-25".to_string());
    peer.order(Outgoing::OpenStream { stream: 4, last_event_id: Some("p-3".into()), revision }).await;
    let Incoming::Message { stream: Some(4), .. } = peer.until(is_answer(&json!(3))).await else {
        panic!("{:?}", peer.told)
    };
    assert_eq!(fixture.until(|seen| seen["saw"] == "GET")["headers"]["last-event-id"], "p-3");
}

#[tokio::test]
async fn the_server_may_ask_over_http() {
    let fixture = Fixture::start(&[]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.order(Outgoing::OpenStream { stream: 3, last_event_id: None, revision: None }).await;
    peer.until(|what| matches!(what, Incoming::Message { stream: Some(3), .. })).await;
    peer.say(4, &call(4, "ask", None)).await;
    peer.until(|what| answer(what).is_some_and(|message| message["method"] == "roots/list")).await;
    peer.say(5, r#"{"jsonrpc":"2.0","id":"s-4","result":{"roots":[]}}"#).await;
    let said = answer(&peer.until(is_answer(&json!(4))).await).expect("a message");
    assert_eq!(said["result"]["content"][0]["text"], r#"{"roots":[]}"#);
}

#[tokio::test]
async fn a_server_that_dies_is_told_as_it_was() {
    let mut fixture = Fixture::start(&["--pause", "60000"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, &call(3, "slow", Some("t"))).await;
    peer.until(|what| matches!(what, Incoming::Head { stream: 3, .. })).await;
    fixture.child.kill().expect("killed");
    let told = peer.rest().await;
    let place = |fits: &dyn Fn(&Incoming) -> bool| told.iter().position(fits);
    let broke =
        place(&|what| matches!(what, Incoming::Closed { stream: Some(3), by: Side::Server, how } if how == "reset"));
    let failed = place(&|what| matches!(what, Incoming::Failed { .. }));
    assert!(broke.is_some() && broke < failed && failed == Some(told.len() - 1), "{told:?}");
}

#[tokio::test]
async fn aborting_closes_all_connections() {
    let mut fixture = Fixture::start(&["--stateless", "--pause", "60000"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": "t"});
    let slow = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow", "_meta": meta}})
        .to_string();
    peer.send(1, &slow).await;
    peer.until(|what| matches!(what, Incoming::Head { .. })).await;
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&closed(Side::Client, "closed")));
    fixture.until(|seen| seen["saw"] == "closed");
}

#[tokio::test]
async fn the_old_transport_answers_on_its_stream() {
    let mut fixture = Fixture::start(&["--mode", "sse"]);
    let mut peer = Peer::start(Target::HttpSse(fixture.url("http", "/sse"))).await;
    peer.handshake().await;
    peer.say(3, &call(3, "echo", None)).await;
    let Incoming::Message { stream: None, .. } = peer.until(is_answer(&json!(3))).await else {
        panic!("{:?}", peer.told)
    };
    assert_eq!(fixture.until(|seen| seen["body"]["id"] == 3)["path"], "/messages");
    fixture.child.kill().expect("killed");
    let told = peer.rest().await;
    assert!(matches!(told.last(), Some(Incoming::Closed { stream: None, by: Side::Server, .. })), "{told:?}");
}

#[tokio::test]
async fn a_wrong_address_of_the_old_transport() {
    let fixture = Fixture::start(&["--stateless"]);
    let mut peer = Peer::start(Target::HttpSse(fixture.url("http", "/sse"))).await;
    let [Incoming::Failed { why }] = peer.rest().await else { panic!("{:?}", peer.told) };
    assert!(why.contains("405") && why.contains("event stream"), "{why}");
}
