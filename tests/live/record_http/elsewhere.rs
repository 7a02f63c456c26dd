//! Messages on other paths than the endpoint, and servers that send their clients elsewhere.

use super::*;

/// Posts a request line and a body as they are; the whole answer.
async fn raw(rig: &Rig, line: &str, body: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(rig.address()).await.unwrap();
    let head = format!("{line} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", rig.address());
    let length = body.len();
    let sent = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(sent.as_bytes()).await.unwrap();
    let mut said = String::new();
    soon("an answer", stream.read_to_string(&mut said)).await.unwrap();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_recorded_on_any_path_and_all_else_on_none() {
    async fn token() -> Response {
        ([("content-type", "application/json")], r#"{"access_token":"t0ken","id":1}"#).into_response()
    }
    async fn listen() -> Response {
        let said = concat!(
            "event: ping\ndata: n0ise\n\n",
            r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            "\n\n"
        );
        ([("content-type", "text/event-stream")], said).into_response()
    }
    let router = Router::new().route("/token", any(token)).route("/listen", get(listen)).fallback(posted(answer));
    let server = serve(router).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let paths = ["/mcp", "/mcp/", "//mcp", "/%6dcp", "/mcp/sub", "/other?x=1"];
    for (id, path) in (1..).zip(paths) {
        assert!(raw(&rig, &format!("POST {path}"), &call(id, "ping")).await.contains("\"was\":\"ping\""), "{path}");
    }
    raw(&rig, "POST /token", r#"{"grant_type":"refresh_token","refresh_token":"t0ken","id":1,"method":"x"}"#).await;
    raw(&rig, "GET /token", "").await;
    assert!(raw(&rig, "GET /listen", "").await.contains("list_changed"));
    let recorded = rig.stop().await;
    let sent = |side: &str| recorded.of("msg").filter(|event| event["d"] == side).count();
    assert_eq!((sent("c"), sent("s")), (6, 7));
    assert!(!recorded.text.contains("t0ken") && !recorded.text.contains("n0ise"));
    let notes: Vec<_> = recorded.of("note").map(|note| note["text"].as_str().unwrap()).collect();
    assert_eq!(notes, ["POST /token: 200", "GET /token: 200"]);
    assert_eq!(recorded.of("end").next().unwrap()["lost"], 0);
}

/// A server that sends `POST /mcp` on to wherever it is told, and answers elsewhere.
async fn redirecting(status: u16, location: impl Fn(std::net::SocketAddr) -> String) -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let location = location(address);
    let redirect =
        move || async move { (StatusCode::from_u16(status).unwrap(), [("location", location)]).into_response() };
    let router = Router::new().route("/mcp", posted(redirect)).fallback(posted(answer));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_the_server_leads_back_to_the_recorder() {
    for status in [307, 308] {
        for host in ["127.0.0.1", "localhost"] {
            let server = redirecting(status, |own| format!("http://{host}:{}/mcp/", own.port())).await;
            let rig = Rig::new(&format!("http://{server}/mcp")).await;
            let response = post(&client(), &rig.url, None, initialize(0)).await;
            assert_eq!(response.url().as_str(), format!("http://{}/mcp/", rig.address()));
            assert!(response.text().await.unwrap().contains("\"was\":\"initialize\""));
            let recorded = rig.stop().await;
            assert_eq!(recorded.of("msg").count(), 3, "asked at both places, answered at one");
            assert_eq!(recorded.of("gap").count(), 0);
            let found = recorded.query("SELECT rule FROM findings WHERE severity <> 'note'");
            assert_eq!(found, Vec::<Value>::new(), "what is asked again where the server says is asked once");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leads_past_the_recorder_is_said() {
    let elsewhere = |_| "http://127.0.0.1:9/mcp".to_string();
    // The place that was asked for, by another name: led back, it would go round without end.
    let itself = |own: std::net::SocketAddr| format!("http://localhost:{}/mcp", own.port());
    for (server, untouched) in [
        (redirecting(307, elsewhere).await, false),
        (redirecting(307, itself).await, false),
        (redirecting(302, |own| format!("http://{own}/mcp/")).await, true),
    ] {
        let rig = Rig::with(&format!("http://{server}/mcp"), |options| options.untouched = untouched).await;
        let said = raw(&rig, "POST /mcp", &call(1, "ping")).await;
        assert!(said.contains("location: http://"), "as it was: {said}");
        let recorded = rig.stop().await;
        let gap = recorded.of("gap").next().unwrap();
        assert_eq!((&gap["why"], &gap["c"]), (&json!("dropped"), &json!(1)));
        let note = recorded.of("note").next().unwrap()["text"].as_str().unwrap();
        assert!(note.contains("past the recorder"), "{note}");
        assert_eq!(recorded.of("end").next().unwrap()["lost"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_elsewhere_is_said_and_accuses_nobody() {
    for (legacy, port, past) in [(true, None, false), (true, Some(9), true), (false, None, true)] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let announced = format!("http://localhost:{}/messages?s=1", port.unwrap_or(server.port()));
        let stream = move || async move {
            let hello = format!("event: endpoint\r\ndata: {announced}\r\n\r\n");
            let answer = "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\r\n\r\n";
            ([("content-type", "text/event-stream")], hello + answer).into_response()
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().route("/sse", get(stream))).await.unwrap() });
        let rig = Rig::with(&format!("http://{server}/sse"), |options| options.legacy = legacy).await;
        let said = soon("the stream", client().get(&rig.url).send()).await.unwrap().text().await.unwrap();
        assert_eq!(said.contains("data: /messages?s=1\r\n"), legacy && port.is_none(), "{said}");
        let recorded = rig.stop().await;
        assert_eq!(recorded.of("gap").count(), usize::from(past));
        let proven = recorded.query("SELECT 1 FROM findings WHERE certainty = 'violation' AND severity = 'error'");
        assert_eq!(proven.is_empty(), past, "an answer to nothing is proven only where nothing leads past");
    }
}
