//! Bodies as HTTP lets them be spelled: with trailers, with two lengths, and with a type in capitals.

use super::broken_off::hangs_up;
use super::*;

const RESULT: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"of":"x"}}"#;

/// A body in one chunk, with a trailer behind it.
fn trailed(body: &str) -> String {
    format!("{:x}\r\n{body}\r\n0\r\nServer-Timing: x\r\n\r\n", body.len())
}

/// What the client gets of a response, and what is recorded of its stream.
async fn answered(head: &str, body: &str) -> (String, Vec<String>) {
    let rig = hangs_up(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}").leak()).await;
    let response = post(&client(), &rig.url, Some("s"), call(1, "x")).await;
    let got = soon("the end", response.text()).await.unwrap();
    (got, rig.stop().await.stream(1))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_whole_however_its_body_is_spelled() {
    let event = format!("data: {RESULT}\n\n");
    let json = "content-type: application/json\r\ntransfer-encoding: chunked";
    let two_lengths = format!("{json}\r\ncontent-length: 5");
    let capitals = format!("content-type: Text/Event-Stream\r\ncontent-length: {}", event.len());
    let events = "content-type: text/event-stream\r\ntransfer-encoding: chunked";
    for (head, body, whole) in [
        (json, trailed(RESULT), RESULT),
        (&two_lengths, trailed(RESULT), RESULT),
        (&capitals, event.clone(), &event),
        (events, trailed(&event), &event),
    ] {
        let (got, recorded) = answered(head, &body).await;
        assert_eq!(got, whole, "{head}");
        assert!(recorded.contains(&format!("s {RESULT}")), "{head}: {recorded:?}");
        assert_eq!(recorded.last().unwrap(), "close s eof answered", "{head}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_a_trailer_is_a_request() {
    let server = serve(Router::new().route("/mcp", posted(answer))).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let mut stream = tokio::net::TcpStream::connect(rig.address()).await.unwrap();
    let host = rig.address();
    let head = format!("POST /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n");
    let sent = format!("{head}transfer-encoding: chunked\r\n\r\n{}", trailed(&call(1, "x")));
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut said = String::new();
    soon("an answer", stream.read_to_string(&mut said)).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(rig.stop().await.stream(1).iter().any(|told| *told == format!("c {}", call(1, "x"))));
}
