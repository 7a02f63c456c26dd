//! The HTTP recorder between real clients and servers: nothing changed, nothing held back, everything told.
#![allow(clippy::unwrap_used)]

mod bodies;
mod broken_off;
mod elsewhere;
mod rig;

use std::convert::Infallible;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post as posted};
use futures_util::StreamExt;
use rig::{Rig, call, client, initialize, post, serve, soon};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

/// A response whose chunks the test sends one by one.
fn chunks(kind: &'static str) -> (mpsc::Sender<Bytes>, Response) {
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let stream = futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|bytes| (Ok::<_, Infallible>(bytes), receiver))
    });
    (sender, ([("content-type", kind)], Body::from_stream(stream)).into_response())
}

/// Numbers that look random and are the same every time.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// Answers a JSON-RPC request with its own method, in JSON.
async fn answer(body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let headers = [("content-type", "application/json")];
    match message["id"].is_null() {
        true => StatusCode::ACCEPTED.into_response(),
        false => {
            (headers, json!({"jsonrpc": "2.0", "id": message["id"], "result": {"was": message["method"]}}).to_string())
                .into_response()
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_are_the_same_on_both_sides() {
    async fn echo(headers: HeaderMap, body: Bytes) -> Response {
        let mut next = noise(body.len() as u64 + 7);
        let mut pieces = Vec::new();
        let mut rest = body.clone();
        while !rest.is_empty() {
            let size = (next() as usize % 3000 + 1).min(rest.len());
            pieces.push(Ok::<_, Infallible>(rest.split_to(size)));
        }
        let mut response = Body::from_stream(futures_util::stream::iter(pieces)).into_response();
        for name in ["content-type", "x-odd"] {
            if let Some(value) = headers.get(name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
        response.headers_mut().insert("x-length", HeaderValue::from(body.len()));
        response
    }
    let server = serve(Router::new().route("/mcp", any(echo))).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let client = client();
    let mut next = noise(42);
    for (round, kind) in
        ["application/json", "application/octet-stream", "text/event-stream"].iter().cycle().take(24).enumerate()
    {
        let size = next() as usize % [1, 100, 70_000, 400_000][round % 4];
        let bytes: Vec<u8> = (0..size).map(|_| next() as u8).collect();
        // Every other body is sent in chunks of its own.
        let body = match round % 2 {
            0 => reqwest::Body::from(bytes.clone()),
            _ => {
                let pieces: Vec<Result<Bytes, Infallible>> =
                    bytes.chunks(777).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
                reqwest::Body::wrap_stream(futures_util::stream::iter(pieces))
            }
        };
        let request = client.post(&rig.url).header("content-type", *kind).header("x-odd", "a b").body(body);
        let response = soon("the echo", request.send()).await.unwrap();
        assert_eq!((response.status(), response.headers()["x-odd"].to_str().unwrap()), (StatusCode::OK, "a b"));
        assert_eq!(response.headers()["x-length"], size.to_string());
        assert!(soon("the body", response.bytes()).await.unwrap() == bytes, "round {round}: {size} bytes of {kind}");
    }
    let recorded = rig.stop().await;
    assert_eq!(recorded.streams().len(), 24);
    assert_eq!(recorded.header["alter"], json!(["accept-encoding", "location"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_arrives_before_the_next_is_sent() {
    let (hand, mut taken) = mpsc::channel(1);
    let stream = move || async move {
        let (sender, response) = chunks("text/event-stream");
        hand.send(sender).await.unwrap();
        response
    };
    let server = serve(Router::new().route("/mcp", posted(stream))).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let client = client();
    let response = post(&client, &rig.url, Some("s"), call(1, "tools/call")).await;
    let sender = soon("the server", taken.recv()).await.unwrap();
    let mut body = response.bytes_stream();
    // The last piece ends in the middle of an event; each is awaited before the next is sent.
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let sent = [
        ": ping\n\n".to_string(),
        format!("id: 7\nevent: message\ndata: {progress}\n\n"),
        format!("data: {}", &result[..9]),
        format!("{}\r\n\r", &result[9..]),
        "\n".to_string(),
    ];
    for piece in &sent {
        sender.send(Bytes::from(piece.clone())).await.unwrap();
        let mut got = Vec::new();
        while got.len() < piece.len() {
            got.extend(soon("a piece", body.next()).await.unwrap().unwrap());
        }
        assert_eq!(String::from_utf8(got).unwrap(), *piece);
    }
    drop(sender);
    assert!(soon("the end", body.next()).await.is_none());
    let recorded = rig.stop().await;
    assert_eq!(
        recorded.stream(1),
        [
            "open c".to_string(),
            "POST".into(),
            format!("c {}", call(1, "tools/call")),
            "200".into(),
            r#"sse {"comment":"ping"}"#.into(),
            r#"sse {"id":"7"}"#.into(),
            format!("s {progress}"),
            format!("s {result}"),
            "close s eof answered".into(),
        ]
    );
    let kinds = recorded
        .query("SELECT kind, count(*) AS n FROM frames WHERE kind IN ('http', 'sse') GROUP BY kind ORDER BY kind");
    assert_eq!(kinds, [json!({"kind": "http", "n": 2}), json!({"kind": "sse", "n": 2})]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_its_stream_ends_in_has_not_come() {
    let stream = || async {
        let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        ([("content-type", "text/event-stream")], format!(": ping\n\ndata: {result}\n"))
    };
    let server = serve(Router::new().route("/mcp", posted(stream))).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let response = post(&client(), &rig.url, Some("s"), call(1, "tools/call")).await;
    assert!(response.text().await.unwrap().ends_with("}\n"), "it goes on as it came");
    let recorded = rig.stop().await;
    let said = recorded.stream(1);
    assert!(!said.iter().any(|line| line.starts_with("s ")), "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("close s eof"));
    assert_eq!(recorded.of("note").count(), 1, "{said:?}");
}

/// A server that leaves every `tools/call` open, and says when its stream was given up.
async fn hanging() -> (std::net::SocketAddr, mpsc::Receiver<()>) {
    struct Gone(mpsc::Sender<()>);
    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.try_send(());
        }
    }
    let (gone, told) = mpsc::channel(8);
    let hang = move |body: String| async move {
        if !body.contains("tools/call") {
            return answer(body).await;
        }
        let first = futures_util::stream::iter([Ok::<_, Infallible>(Bytes::from_static(b": working\n\n"))]);
        let guard = Gone(gone);
        let never = futures_util::stream::once(async move {
            let _guard = guard;
            std::future::pending::<Result<Bytes, Infallible>>().await
        });
        ([("content-type", "text/event-stream")], Body::from_stream(first.chain(never))).into_response()
    };
    (serve(Router::new().route("/mcp", posted(hang))).await, told)
}

/// A client that opens a call and closes its stream; what the auditor makes of it.
async fn closes_a_stream(revision: &str) -> (rig::Recorded, Vec<Value>) {
    let (server, mut gone) = hanging().await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let meta = format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{revision}","io.modelcontextprotocol/clientInfo":{{"name":"t","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{}}}}"#
    );
    if revision < "2026" {
        let hello = initialize(0).replace("2025-11-25", revision);
        soon("the handshake", post(&client(), &rig.url, None, hello).await.bytes()).await.unwrap();
    }
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"slow","arguments":{{}},"_meta":{meta}}}}}"#
    );
    let mut body = post(&client(), &rig.url, None, request).await.bytes_stream();
    soon("the first bytes", body.next()).await.unwrap().unwrap();
    drop(body);
    soon("the server to see it", gone.recv()).await.unwrap();
    let recorded = rig.stop().await;
    let cancels = recorded.query("SELECT mechanism, target_rpc_id, effect FROM cancellations");
    (recorded, cancels)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_closes_a_stream_is_seen_and_cancels_where_the_revision_says_so() {
    let (recorded, cancels) = closes_a_stream("2026-07-28").await;
    assert_eq!(recorded.stream(1).last().unwrap(), "close c eof");
    assert_eq!(cancels, [json!({"mechanism": "stream-close", "target_rpc_id": "1", "effect": "silent"})]);
    assert!(recorded.query("SELECT 1 FROM findings WHERE severity <> 'note'").is_empty());

    let (recorded, cancels) = closes_a_stream("2025-11-25").await;
    let (last, _) = *recorded.streams().last().unwrap();
    assert_eq!(recorded.stream(last).last().unwrap(), "close c eof");
    assert!(cancels.is_empty(), "before 2026-07-28 it is a disconnect: {cancels:?}");
}

/// A server with sessions.
async fn with_sessions() -> std::net::SocketAddr {
    let next = Arc::new(AtomicU32::new(0));
    let post = |State(next): State<Arc<AtomicU32>>, headers: HeaderMap, body: String| async move {
        let known = headers.get("mcp-session-id").cloned();
        let is_known = known.as_ref().is_some_and(|id| id.to_str().unwrap().starts_with("5e551on-"));
        if !body.contains("initialize") && !is_known {
            return (StatusCode::NOT_FOUND, "no such session").into_response();
        }
        let mut response = answer(body).await;
        let id = known.unwrap_or_else(|| {
            HeaderValue::from_str(&format!("5e551on-{}", next.fetch_add(1, Ordering::Relaxed))).unwrap()
        });
        response.headers_mut().insert("mcp-session-id", id);
        response
    };
    serve(Router::new().route("/mcp", posted(post).delete(|| async { StatusCode::NO_CONTENT })).with_state(next)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_with_the_same_ids_are_two_connections() {
    let server = with_sessions().await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let clients = [client(), client()];
    let mut sessions = Vec::new();
    for client in &clients {
        let response = post(client, &rig.url, None, initialize(1)).await;
        sessions.push(response.headers()["mcp-session-id"].to_str().unwrap().to_string());
    }
    for id in 2..4 {
        for (client, session) in clients.iter().zip(&sessions) {
            let body = post(client, &rig.url, Some(session), call(id, "ping")).await.text().await.unwrap();
            assert!(body.contains(r#""was":"ping""#), "{body}");
        }
    }
    // Another TCP connection, the same session.
    let note = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
    assert_eq!(post(&client(), &rig.url, Some(&sessions[0]), note.into()).await.status(), 202);
    let end = clients[1].delete(&rig.url).header("mcp-session-id", &sessions[1]);
    assert_eq!(soon("the end", end.send()).await.unwrap().status(), 204);
    let gone = post(&clients[1], &rig.url, Some("unknown"), call(4, "ping")).await;
    assert_eq!((gone.status(), gone.text().await.unwrap()), (StatusCode::NOT_FOUND, "no such session".to_string()));
    let recorded = rig.stop().await;
    let connections: Vec<u64> = recorded.streams().iter().map(|(_, connection)| *connection).collect();
    assert_eq!(connections, [1, 2, 1, 2, 1, 2, 1, 2, 3]);
    let opened: Vec<&Value> =
        recorded.of("open").filter(|event| event["s"].is_null()).map(|event| &event["c"]).collect();
    assert_eq!(opened, [1, 2], "the third did not begin here");
    let closed: Vec<_> = recorded.of("close").filter(|event| event["s"].is_null()).collect();
    assert_eq!(
        (closed.len(), &closed[0]["c"], &closed[0]["by"], &closed[0]["how"]),
        (1, &json!(2), &json!("c"), &json!("delete"))
    );
    let exchanges =
        recorded.query("SELECT connection_id AS c, count(*) AS n FROM exchanges WHERE outcome = 'result' GROUP BY 1");
    assert_eq!(exchanges, [json!({"c": 1, "n": 3}), json!({"c": 2, "n": 3})]);
    assert!(recorded.query("SELECT 1 FROM findings WHERE rule LIKE '%reused%'").is_empty());
    let why = recorded.of("note").map(|event| event["text"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(why, ["no such session"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_without_a_session_on_one_host_are_told_apart_while_they_collide() {
    let (server, _gone) = hanging().await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let clients = [client(), client()];
    let _first = post(&clients[0], &rig.url, None, request.into()).await;
    let _second = post(&clients[1], &rig.url, None, request.into()).await;
    let recorded = rig.stop().await;
    assert_eq!(recorded.streams(), [(1, 1), (2, 2)]);
    assert_eq!(recorded.stream(1).last().unwrap(), "close p stopped");
    assert!(recorded.query("SELECT 1 FROM cancellations").is_empty(), "the recorder's end is nobody's cancel");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_never_written() {
    let server = with_sessions().await;
    let rig = Rig::new(&format!("http://{server}/mcp?key=query-s3cret")).await;
    let client = client();
    let response = post(&client, &rig.url, None, initialize(1)).await;
    let session = response.headers()["mcp-session-id"].to_str().unwrap().to_string();
    let arguments = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter2-s3cret"}}}"#;
    let request = client
        .post(&rig.url)
        .header("authorization", "Bearer header-s3cret")
        .header("cookie", "a=cookie-s3cret")
        .header("x-api-key", "key-s3cret")
        .header("mcp-protocol-version", "2025-11-25")
        .header("mcp-session-id", &session)
        .body(arguments);
    assert_eq!(soon("an answer", request.send()).await.unwrap().status(), 200);
    let recorded = rig.stop().await;
    assert!(!recorded.text.contains("s3cret"), "{}", recorded.text);
    assert!(!recorded.text.contains(&session), "{}", recorded.text);
    let heads: Vec<&Value> = recorded.of("http").map(|event| &event["h"]["headers"]["mcp-session-id"]).collect();
    assert_eq!(heads[1], heads[2], "the same secret, the same placeholder");
    assert_eq!(heads[1], heads[3]);
    assert!(heads[1].as_str().unwrap().contains("session#1"), "{}", heads[1]);
    assert_eq!(recorded.of("http").nth(2).unwrap()["h"]["headers"]["mcp-protocol-version"], "2025-11-25");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_answer_passes_as_it_is() {
    async fn packed(headers: HeaderMap, body: String) -> Response {
        assert_eq!(headers["accept-encoding"], if body.contains("asis") { "gzip, br" } else { "identity" });
        let plain = answer(body).await;
        let plain = axum::body::to_bytes(plain.into_body(), 1 << 20).await.unwrap();
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(&plain).unwrap();
        let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
        (headers, packer.finish().unwrap()).into_response()
    }
    let server = serve(Router::new().route("/mcp", posted(packed))).await;
    for (untouched, method) in [(false, "ping"), (true, "asis")] {
        let rig = Rig::with(&format!("http://{server}/mcp"), |options| options.untouched = untouched).await;
        let request = client().post(&rig.url).header("accept-encoding", "gzip, br").body(call(1, method));
        let response = soon("an answer", request.send()).await.unwrap();
        assert_eq!(response.headers()["content-encoding"], "gzip");
        let bytes = response.bytes().await.unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        assert!(text.contains(method), "{text}");
        let recorded = rig.stop().await;
        let raw: Vec<&Value> = recorded.of("raw").collect();
        assert_eq!(
            (raw.len(), &raw[0]["d"], &raw[0]["enc"], &raw[0]["n"]),
            (1, &json!("s"), &json!("gzip"), &json!(bytes.len()))
        );
        assert_eq!(
            recorded.header["alter"],
            if untouched { json!([]) } else { json!(["accept-encoding", "location"]) }
        );
        let outcomes = recorded.query("SELECT outcome FROM exchanges");
        assert_eq!(outcomes, [json!({"outcome": "result"})], "gzip is undone when the recording is read");
        assert!(recorded.query("SELECT 1 FROM messages WHERE kind = 'malformed'").is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_body_passes_whole_and_is_kept_in_part() {
    const SIZE: usize = 20 << 20;
    async fn huge(body: Bytes) -> Response {
        assert_eq!(body.len(), SIZE);
        ([("content-type", "application/json")], body).into_response()
    }
    let router = Router::new().route("/mcp", posted(huge)).layer(axum::extract::DefaultBodyLimit::disable());
    let server = serve(router).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let mut text = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":""#.to_string();
    text.push_str(&"y".repeat(SIZE - text.len() - 3));
    text.push_str("\"}}");
    let response = post(&client(), &rig.url, Some("s"), text.clone()).await;
    assert!(soon("the body", response.bytes()).await.unwrap() == text.as_bytes());
    let recorded = rig.stop().await;
    let kept: Vec<_> = recorded.of("msg").map(|event| (event["trunc"] == true, event["n"].as_u64())).collect();
    assert_eq!(kept, [(true, Some(SIZE as u64)), (true, Some(SIZE as u64))]);
    assert!(recorded.text.len() < 36 << 20, "{}", recorded.text.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let rig = Rig::new(&format!("http://{nobody}/mcp")).await;
    let response = post(&client(), &rig.url, None, initialize(1)).await;
    assert_eq!(response.status(), 502);
    let why: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert!(why["error"].as_str().unwrap().contains(&nobody.to_string()), "{why}");
    let recorded = rig.stop().await;
    let told = recorded.stream(1);
    assert_eq!((told[3].as_str(), told.last().unwrap().as_str()), ("502", "close s refused"));
    assert_eq!(recorded.of("http").nth(1).unwrap()["h"]["by"], "p", "whose answer it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_paths_are_forwarded_and_not_recorded() {
    let token = get(|| async { "t0ken" });
    let server = serve(Router::new().route("/mcp", posted(answer)).route("/.well-known/oauth", token)).await;
    let rig = Rig::new(&format!("http://{server}/mcp")).await;
    let url = format!("http://{}", rig.address());
    let got = soon("an answer", client().get(format!("{url}/.well-known/oauth?code=t0ken")).send()).await.unwrap();
    assert_eq!(got.text().await.unwrap(), "t0ken");
    // The endpoint itself is found without its path, too.
    assert_eq!(post(&client(), &url, None, call(1, "ping")).await.status(), 200);
    let rebound = client().post(&url).header("host", "evil.example").body(call(2, "ping"));
    assert_eq!(soon("a refusal", rebound.send()).await.unwrap().status(), 403);
    for head in [
        "POST /mcp HTTP/1.0\r\n",
        "POST /mcp HTTP/1.1\r\n",
        "POST http://evil.example/mcp HTTP/1.1\r\nhost: localhost\r\n",
    ] {
        let mut stream = tokio::net::TcpStream::connect(rig.address()).await.unwrap();
        stream.write_all(format!("{head}content-length: 2\r\nconnection: close\r\n\r\n{{}}").as_bytes()).await.unwrap();
        let mut said = String::new();
        soon("a refusal", stream.read_to_string(&mut said)).await.unwrap();
        assert!(said[8..].starts_with(" 403"), "{head}: {said}");
    }
    let recorded = rig.stop().await;
    assert!(!recorded.text.contains("t0ken"));
    assert_eq!(recorded.of("note").next().unwrap()["text"], "GET /.well-known/oauth: 200");
    assert_eq!(recorded.streams(), [(2, 1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn http_and_sse_of_2024() {
    type Streams = Arc<std::sync::Mutex<Vec<mpsc::Sender<Bytes>>>>;
    async fn open(State((streams, absolute)): State<(Streams, bool)>, headers: HeaderMap) -> Response {
        let (sender, response) = chunks("text/event-stream");
        let number = streams.lock().unwrap().len();
        let host = if absolute { format!("http://{}", headers["host"].to_str().unwrap()) } else { String::new() };
        let hello = format!("event: endpoint\r\ndata: {host}/messages/?session_id=5e551on{number}\r\n\r\n");
        sender.send(hello.into()).await.unwrap();
        streams.lock().unwrap().push(sender);
        response
    }
    async fn take(State((streams, _)): State<(Streams, bool)>, uri: axum::http::Uri, body: String) -> Response {
        let number: usize = uri.query().unwrap().strip_prefix("session_id=5e551on").unwrap().parse().unwrap();
        let sender = streams.lock().unwrap()[number].clone();
        let body = axum::body::to_bytes(answer(body).await.into_body(), 1 << 20).await.unwrap();
        sender.send([b"event: message\r\ndata: ", &body[..], b"\r\n\r\n"].concat().into()).await.unwrap();
        (StatusCode::ACCEPTED, "Accepted").into_response()
    }
    for (legacy, absolute) in [(true, true), (true, false), (false, false)] {
        let router = Router::new().route("/sse", get(open)).route("/messages/", posted(take));
        let server = serve(router.with_state((Streams::default(), absolute))).await;
        let rig = Rig::with(&format!("http://{server}/sse"), |options| options.legacy = legacy).await;
        let mut clients = Vec::new();
        for _ in 0..2 {
            let client = client();
            let mut stream = soon("the stream", client.get(&rig.url).send()).await.unwrap().bytes_stream();
            let hello =
                String::from_utf8(soon("the endpoint", stream.next()).await.unwrap().unwrap().to_vec()).unwrap();
            let path = hello.strip_prefix("event: endpoint\r\ndata: ").unwrap().trim_end().to_string();
            assert!(path.starts_with("/messages/"), "relative, so that it leads back to the recorder: {path}");
            clients.push((client, stream, path));
        }
        for (client, stream, path) in &mut clients {
            let url = format!("http://{}{path}", rig.address());
            assert_eq!(post(client, &url, None, initialize(0)).await.text().await.unwrap(), "Accepted");
            let answer = soon("an answer", stream.next()).await.unwrap().unwrap();
            assert!(answer.starts_with(b"event: message"));
        }
        drop(clients);
        let recorded = rig.stop().await;
        assert!(!recorded.text.contains("5e551on"), "the query is the key to the session");
        assert_eq!(recorded.streams(), [(1, 1), (2, 2), (3, 1), (4, 2)], "legacy {legacy}");
        let messages: Vec<_> = recorded.of("msg").map(|event| (event["c"].as_u64(), event["s"].as_u64())).collect();
        assert_eq!(messages, [(Some(1), Some(1)), (Some(1), Some(1)), (Some(2), Some(2)), (Some(2), Some(2))]);
        let outcomes = recorded.query("SELECT outcome, count(*) AS n FROM exchanges GROUP BY 1");
        assert_eq!(outcomes, [json!({"outcome": "result", "n": 2})]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn web_sockets() {
    use futures_util::SinkExt;
    use tokio_tungstenite::tungstenite::Message;
    use tokio_tungstenite::tungstenite::protocol::CloseFrame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            match message {
                Message::Text(text) => socket.send(Message::Text(text)).await.unwrap(),
                Message::Binary(bytes) => socket.send(Message::Binary(bytes)).await.unwrap(),
                _ => {}
            }
        }
    });
    let rig = Rig::new(&format!("ws://{address}/rpc")).await;
    assert!(rig.url.starts_with("ws://127.0.0.1:") && rig.url.ends_with("/rpc"), "{}", rig.url);
    let (mut socket, _) = soon("the handshake", tokio_tungstenite::connect_async(&rig.url)).await.unwrap();
    let large = format!(r#"{{"jsonrpc":"2.0","method":"m","params":["{}"]}}"#, "z".repeat(70_000));
    for message in [
        Message::text(call(1, "x")),
        Message::binary(call(2, "x")),
        Message::text(large.clone()),
        Message::binary(vec![0xff, 0, 1]),
    ] {
        socket.send(message.clone()).await.unwrap();
        assert_eq!(soon("the echo", socket.next()).await.unwrap().unwrap(), message);
    }
    socket.send(Message::Ping("hi".into())).await.unwrap();
    assert_eq!(soon("a pong", socket.next()).await.unwrap().unwrap(), Message::Pong("hi".into()));
    socket.close(Some(CloseFrame { code: CloseCode::Away, reason: "bye".into() })).await.unwrap();
    while let Some(Ok(_)) = soon("the end", socket.next()).await {}
    let recorded = rig.stop().await;
    let kinds: Vec<&str> = recorded.events.iter().map(|event| event["k"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "open", "http", "http", "msg", "msg", "msg", "msg", "msg", "msg", "raw", "raw", "note", "note", "close",
            "end"
        ]
    );
    assert_eq!(recorded.of("http").nth(1).unwrap()["h"]["status"], 101);
    assert_eq!(recorded.of("msg").nth(4).unwrap()["b"], large);
    let close = recorded.of("close").next().unwrap();
    assert_eq!((&close["by"], &close["how"], &close["s"]), (&json!("c"), &json!("1001"), &Value::Null));
    assert_eq!(recorded.of("note").next().unwrap()["text"], "ping of the client");
    assert_eq!(recorded.header["alter"], json!(["sec-websocket-extensions"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_socket_whose_client_vanishes() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        while let Some(Ok(_)) = socket.next().await {}
    });
    let rig = Rig::new(&format!("ws://{address}/")).await;
    let (socket, _) = soon("the handshake", tokio_tungstenite::connect_async(&rig.url)).await.unwrap();
    drop(socket);
    soon("the server to see it", server).await.unwrap();
    let recorded = rig.stop().await;
    let close = recorded.of("close").next().unwrap();
    assert_eq!((&close["by"], recorded.of("close").count()), (&json!("c"), 1));
}

/// The program itself, as a user starts it, and the signal that ends it.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_prints_its_address_and_ends_with_a_whole_recording() {
    use tokio::io::{AsyncBufReadExt, AsyncReadExt};
    let server = serve(Router::new().route("/mcp", posted(answer))).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.rec.jsonl");
    let mut child = tokio::process::Command::new(assert_cmd::cargo::cargo_bin("rpctape"))
        .args(["record", "--listen", "127.0.0.1:0", "--http", &format!("http://{server}/mcp"), "-o"])
        .arg(&path)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = tokio::io::BufReader::new(child.stderr.take().unwrap()).lines();
    let url = loop {
        let line = soon("the address", lines.next_line()).await.unwrap().unwrap();
        if let Some((_, rest)) = line.split_once("http://127.0.0.1:") {
            break format!("http://127.0.0.1:{}", rest.split_whitespace().next().unwrap());
        }
    };
    assert_eq!(post(&client(), &url, None, call(7, "ping")).await.status(), 200);
    let id = rustix::process::Pid::from_raw(child.id().unwrap() as i32).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(soon("the end", child.wait()).await.unwrap().code(), Some(0));
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).await.unwrap();
    assert_eq!(out, "");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(r#"\"id\":7"#) && text.lines().last().unwrap().contains(r#""k":"end","msgs":2"#), "{text}");
}

/// Median round trips, direct and through the recorder in turns. Run in release:
/// `cargo test --release --test live overhead -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, not a test"]
async fn overhead() {
    let server = serve(Router::new().route("/mcp", posted(answer))).await;
    let direct = format!("http://{server}/mcp");
    let rig = Rig::new(&direct).await;
    let (client, clock, mut times) = (client(), rpctape::live::Clock::start(), [Vec::new(), Vec::new()]);
    for round in 0..4_000 {
        for (way, url) in [&direct, &rig.url].into_iter().enumerate() {
            let start = clock.us();
            post(&client, url, None, call(round, "tools/list")).await.bytes().await.unwrap();
            times[way].push(clock.us() - start);
        }
    }
    for (name, times) in ["direct", "recorded"].iter().zip(&mut times) {
        times.sort();
        let at = |share: usize| times[times.len() * share / 100];
        println!("{name}: median {} us, 95 % {} us, 99 % {} us", at(50), at(95), at(99));
    }
    let recorded = rig.stop().await;
    assert_eq!(recorded.of("msg").count(), 8_000);
    println!("added to the median: {} us", times[1][2_000] - times[0][2_000]);
}
