//! What breaks off: answers, bodies and requests that do not come to their end, and who is said to have ended them.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_breaks_off() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let answers: [&[u8]; 2] = [
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n8\r\n: half\n\n\r\n",
            b"",
        ];
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            assert!(stream.read(&mut buffer).await.unwrap() > 0);
            stream.write_all(answer).await.unwrap();
            stream.flush().await.unwrap();
        }
    });
    let rig = Rig::new(&format!("http://{address}/mcp")).await;
    let response = post(&client(), &rig.url, Some("s"), call(1, "x")).await;
    assert!(soon("the end", response.bytes()).await.is_err(), "the client must see it, too");
    assert_eq!(post(&client(), &rig.url, Some("s"), call(2, "x")).await.status(), 502);
    let recorded = rig.stop().await;
    let last = recorded.stream(1).pop().unwrap();
    assert!(matches!(last.as_str(), "close s cut" | "close s reset"), "{last}");
    let last = recorded.stream(2).pop().unwrap();
    assert!(matches!(last.as_str(), "close s cut" | "close s reset"), "{last}");
}

/// A server that answers one request with these bytes and hangs up.
pub async fn hangs_up(answer: &'static str) -> Rig {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    Rig::new(&format!("http://{address}/mcp")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_body_is_no_fault_of_its_server_and_a_whole_one_is() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    for (length, cut, found) in [("60", true, 0), ("6", false, 1)] {
        let answer = format!("{HEAD}content-length: {length}\r\n\r\n{{\"id\":").leak();
        let rig = hangs_up(answer).await;
        let response = post(&client(), &rig.url, Some("s"), call(1, "x")).await;
        assert_eq!(soon("the end", response.bytes()).await.is_err(), cut);
        let recorded = rig.stop().await;
        let raw: Vec<&Value> = recorded.of("raw").collect();
        assert_eq!((&raw[0]["b"], raw[0]["cut"].as_bool(), raw.len()), (&json!("{\"id\":"), Some(cut), 1));
        let faults = recorded.query("SELECT count(*) AS n FROM findings WHERE code = 'RPC001'");
        assert_eq!(faults, [json!({ "n": found })], "{length}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_breaks_off_its_request_is_the_one_who_did() {
    let server = serve(Router::new().route("/mcp", posted(answer))).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let mut stream = tokio::net::TcpStream::connect(rig.address()).await.unwrap();
    let head = format!("POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-length: 100\r\n\r\n", rig.address());
    stream.write_all(format!("{head}{{\"jsonrpc\":").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let _ = soon("the end", stream.read_to_end(&mut Vec::new())).await;
    let told = rig.stop().await.stream(1);
    assert_eq!(told[told.len() - 2], "note closed after 11 bytes of the client's body");
    assert!(told[told.len() - 1].starts_with("close c "), "{told:?}");
}
