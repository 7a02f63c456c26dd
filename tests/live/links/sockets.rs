//! Sockets and WebSockets, and servers that are not there.

use std::time::Duration;

use rpctape::live::transport::Framing;
use rpctape::live::{Incoming, Outgoing, Target};
use rpctape::protocol::Side;
use serde_json::json;
use tokio::time::sleep;

use super::bench::{Fixture, INITIALIZE, Peer, call, closed, is_answer};

#[tokio::test]
async fn one_message_a_frame() {
    let mut fixture = Fixture::start(&["--mode", "ws"]);
    let mut peer = Peer::start(Target::Ws(fixture.url("ws", "/"))).await;
    peer.handshake().await;
    peer.send(3, &call(3, "echo", None)).await;
    peer.until(is_answer(&json!(3))).await;
    peer.order(Outgoing::Finish).await;
    assert_eq!(peer.rest().await.last(), Some(&closed(Side::Client, "1000")));
    fixture.until(|seen| seen["saw"] == "close");
    let mut refused = Peer::start(Target::Ws("wss://127.0.0.1/".into())).await;
    let [Incoming::Failed { why }] = refused.rest().await else { panic!("{:?}", refused.told) };
    assert!(why.contains("wss://127.0.0.1/") && why.contains("refused"), "{why}");
}

#[tokio::test]
async fn a_socket_is_half_closed() {
    let mut fixture = Fixture::start(&["--mode", "tcp", "--pause", "20"]);
    let mut peer = Peer::start(Target::Tcp(format!("127.0.0.1:{}", fixture.port))).await;
    peer.send(1, INITIALIZE).await;
    peer.send(2, &call(2, "slow", Some("t"))).await;
    peer.order(Outgoing::Finish).await;
    // Asked before the end of what we say, answered after it.
    let told = peer.rest().await.to_vec();
    assert!(told.iter().any(is_answer(&json!(2))), "{told:?}");
    assert_eq!(told.last(), Some(&closed(Side::Server, "eof")));
    fixture.until(|seen| seen["saw"] == "eof");
}

#[tokio::test]
async fn a_unix_socket_that_comes_late() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("socket");
    let mut peer = Peer::framed(Target::Unix(path.clone()), Framing::ContentLength).await;
    peer.send(1, "{}").await;
    sleep(Duration::from_millis(200)).await;
    let listener = tokio::net::UnixListener::bind(&path).expect("a socket");
    let (mut stream, _) = listener.accept().await.expect("a client");
    let mut text = [0; 21];
    tokio::io::AsyncReadExt::read_exact(&mut stream, &mut text).await.expect("a message");
    assert_eq!(text[..], b"Content-Length: 2\r\n\r\n{}"[..21]);
    drop(stream);
    let told = peer.rest().await;
    assert!(matches!(told.last(), Some(Incoming::Closed { stream: None, by: Side::Server, .. })), "{told:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_tried_and_told() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let mut all = tokio::task::JoinSet::new();
    for target in [
        Target::Http(format!("http://user:pa55@127.0.0.1:{port}/mcp?key=s3cret")),
        Target::HttpSse(format!("http://127.0.0.1:{port}/sse")),
        Target::Ws(format!("ws://127.0.0.1:{port}/")),
        Target::Tcp(format!("127.0.0.1:{port}")),
    ] {
        all.spawn(async move {
            let mut peer = Peer::start(target.clone()).await;
            peer.send(1, "{}").await;
            let told = peer.rest().await;
            let Some(Incoming::Failed { why }) = told.last() else { panic!("{target:?}: {told:?}") };
            assert!(why.contains(&format!("127.0.0.1:{port}")) && why.contains("refused"), "{why}");
            assert!(!why.contains("pa55") && !why.contains("s3cret"), "{why}");
        });
    }
    while let Some(done) = all.join_next().await {
        done.expect("as it should be");
    }
}
