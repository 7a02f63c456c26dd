//! Links to real peers: child processes and sockets on this machine.
#![cfg(all(feature = "live", unix))]

use std::io::BufRead;
use std::process::Stdio;
use std::time::Duration;

use rpctape::live::link::NO_STREAM;
use rpctape::live::transport::{Framing, Link, connect};
use rpctape::live::{Clock, Command, Forced, Incoming, Outgoing, Target};
use rpctape::protocol::Side;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// The longest wait for anything: far beyond what it takes, so that only a hang fails.
const LONG: Duration = Duration::from_secs(60);

/// A link under test, and all it has told.
struct Peer {
    link: Link,
    told: Vec<Incoming>,
}

impl Peer {
    async fn start(target: Target) -> Peer {
        Peer::framed(target, Framing::Lines).await
    }

    async fn framed(target: Target, framing: Framing) -> Peer {
        Peer { link: connect(&target, framing, Clock::start()).await, told: Vec::new() }
    }

    async fn send(&self, stream: u32, text: &str) {
        self.order(Outgoing::Message { stream, bytes: text.into(), revision: None }).await;
    }

    async fn order(&self, order: Outgoing) {
        self.link.to.send(order).await.expect("a link that takes orders");
    }

    /// The next arrival; `None` after the last.
    async fn next(&mut self) -> Option<Incoming> {
        let arrival = timeout(LONG, self.link.from.recv()).await.expect("something arrives, or the end");
        let what = arrival?.what;
        self.told.push(what.clone());
        Some(what)
    }

    /// Everything up to the first that fits.
    async fn until(&mut self, fits: impl Fn(&Incoming) -> bool) -> Incoming {
        while let Some(what) = self.next().await {
            if fits(&what) {
                return what;
            }
        }
        panic!("it never came: {:?}", self.told);
    }

    /// Everything up to the end.
    async fn rest(&mut self) -> &[Incoming] {
        while self.next().await.is_some() {}
        &self.told
    }

    fn position(&self, fits: impl Fn(&Incoming) -> bool) -> Option<usize> {
        self.told.iter().position(fits)
    }
}

fn message(text: &str) -> Incoming {
    Incoming::Message { stream: None, bytes: text.into(), event_id: None }
}

fn closed(by: Side, how: &str) -> Incoming {
    Incoming::Closed { stream: None, by, how: how.into() }
}

fn exit(code: Option<i32>, signal: Option<i32>, forced: Forced) -> Incoming {
    Incoming::Exit { code, signal, forced, survivors: Vec::new() }
}

fn program(program: &str, args: &[&str]) -> Target {
    let args = args.iter().map(ToString::to_string).collect();
    Target::Command(Command { program: program.into(), args, ..Command::default() })
}

fn script(text: &str) -> Target {
    program("sh", &["-c", text])
}

/// A server for tests (`tests/fixture/http.rs`), ended with the test.
struct Fixture {
    child: std::process::Child,
    port: u16,
    seen: std::sync::mpsc::Receiver<Value>,
    log: Vec<Value>,
}

impl Fixture {
    fn start(args: &[&str]) -> Fixture {
        // Beside the test, where cargo puts examples.
        let test = std::env::current_exe().expect("a path");
        let program = test.parent().and_then(std::path::Path::parent).expect("a folder").join("examples/fixture-http");
        let mut child = std::process::Command::new(&program)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut line = String::new();
        std::io::BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a port");
        let (sender, seen) = std::sync::mpsc::channel();
        let stderr = std::io::BufReader::new(child.stderr.take().expect("stderr"));
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap_or(Value::String(line)));
            }
        });
        Fixture { child, port: line.trim().parse().expect("a number"), seen, log: Vec::new() }
    }

    fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://127.0.0.1:{}{path}", self.port)
    }

    /// What it saw, up to the first that fits.
    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Ok(seen) = self.seen.recv_timeout(LONG) else { panic!("it never saw that: {:#?}", self.log) };
            self.log.push(seen.clone());
            if fits(&seen) {
                return seen;
            }
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_answer(id: &Value) -> impl Fn(&Incoming) -> bool {
    move |what| answer(what).is_some_and(|message| message["id"] == *id && message.get("method").is_none())
}

/// The message that arrived.
fn answer(what: &Incoming) -> Option<Value> {
    let Incoming::Message { bytes, .. } = what else { return None };
    serde_json::from_slice(bytes).ok()
}

#[tokio::test]
async fn a_child_is_spoken_to_and_ends_with_its_input() {
    let mut peer = Peer::start(program("cat", &[])).await;
    peer.send(3, r#"{"id":1}"#).await;
    peer.send(4, "{\"id\":\n2}").await;
    peer.order(Outgoing::Finish).await;
    let expected = [
        Incoming::Ready,
        Incoming::Sent { stream: 3 },
        Incoming::Sent { stream: 4 },
        message(r#"{"id":1}"#),
        Incoming::Raw { bytes: b"{\"id\":".to_vec() },
        Incoming::Raw { bytes: b"2}".to_vec() },
        closed(Side::Server, "eof"),
        exit(Some(0), None, Forced::No),
    ];
    let mut told = peer.rest().await.to_vec();
    let sent = told.iter().position(|what| *what == Incoming::Sent { stream: 4 }).expect("sent");
    let moved = told.remove(sent);
    told.insert(2, moved);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn header_blocks_go_both_ways() {
    let mut peer = Peer::framed(program("cat", &[]), Framing::ContentLength).await;
    peer.send(0, "{\n\"id\": \"ä\"\n}").await;
    peer.until(|what| *what == message("{\n\"id\": \"ä\"\n}")).await;
    peer.order(Outgoing::Finish).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(Some(0), None, Forced::No)));
}

#[tokio::test]
async fn an_answer_is_never_told_before_what_it_answers() {
    let mut peer = Peer::start(program("cat", &[])).await;
    for id in 0..500 {
        let text = format!(r#"{{"id":{id}}}"#);
        peer.send(id, &text).await;
        peer.until(|what| *what == message(&text)).await;
        let sent = peer.position(|what| *what == Incoming::Sent { stream: id });
        assert!(sent < peer.position(|what| *what == message(&text)), "{id}: {sent:?}");
    }
}

#[tokio::test]
async fn everything_a_child_wrote_is_told_before_its_exit() {
    let text = r#"echo noise; echo '{"id":1}'; printf 'one\r\ntwo' >&2; printf '{"id":2}'; exit 7"#;
    let mut peer = Peer::start(script(text)).await;
    let told = peer.rest().await.to_vec();
    assert_eq!(told.last(), Some(&exit(Some(7), None, Forced::No)));
    for what in [
        Incoming::Raw { bytes: b"noise".to_vec() },
        message(r#"{"id":1}"#),
        message(r#"{"id":2}"#),
        Incoming::Stderr { bytes: b"one".to_vec() },
        Incoming::Stderr { bytes: b"two".to_vec() },
        closed(Side::Server, "eof"),
    ] {
        assert!(told.contains(&what), "{what:?} in {told:?}");
    }
}

#[tokio::test]
async fn a_child_that_dies_is_a_fact() {
    let mut peer = Peer::start(script("read line; kill -9 $$")).await;
    peer.send(0, "{}").await;
    peer.until(|what| matches!(what, Incoming::Closed { .. })).await;
    for stream in 1..50 {
        let _ = peer.link.to.send(Outgoing::Message { stream, bytes: b"{}".to_vec(), revision: None }).await;
    }
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::No)));
    assert!(!peer.told.iter().any(|what| matches!(what, Incoming::Failed { .. })));
}

#[tokio::test]
async fn a_child_that_does_not_read_any_more_is_told_as_deaf() {
    let mut peer = Peer::start(script("exec 0<&-; echo '{}'; sleep 30")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.send(5, "{}").await;
    peer.until(|what| *what == closed(Side::Server, "deaf")).await;
    assert_eq!(peer.position(|what| *what == Incoming::Sent { stream: 5 }), None);
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(15), Forced::Term)));
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    let mut peer = Peer::start(program("/no/such/program", &[])).await;
    let [Incoming::Failed { why }] = peer.rest().await else { panic!("{:?}", peer.told) };
    assert!(why.contains("/no/such/program") && why.contains("no such program"), "{why}");
}

#[tokio::test]
async fn two_sides_that_write_a_lot_do_not_block_each_other() {
    let mut peer = Peer::start(program("cat", &[])).await;
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(20_000));
    // More than all pipes and queues hold, before anything is read.
    for stream in 0..1_000 {
        peer.send(stream, &long).await;
    }
    let huge = format!(r#"{{"id":"{}"}}"#, "y".repeat(8 << 20));
    peer.send(1_000, &huge).await;
    peer.order(Outgoing::Finish).await;
    let told = peer.rest().await;
    assert_eq!(told.iter().filter(|what| **what == message(&long)).count(), 1_000);
    assert!(told.contains(&message(&huge)));
    let sent: Vec<u32> = told
        .iter()
        .filter_map(|what| if let Incoming::Sent { stream } = what { Some(*stream) } else { None })
        .collect();
    assert_eq!(sent, (0..=1_000).collect::<Vec<u32>>());
}

#[tokio::test]
async fn a_lot_of_stderr_holds_nothing_up() {
    let text = "i=0; while [ $i -lt 3000 ]; do echo \"$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" >&2; i=$((i+1)); done; echo '{}'";
    let mut peer = Peer::start(script(text)).await;
    let told = peer.rest().await;
    assert_eq!(told.iter().filter(|what| matches!(what, Incoming::Stderr { .. })).count(), 3_000);
    assert!(told.contains(&message("{}")));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_listed_and_killed() {
    let mut peer = Peer::start(script("sleep 300 & echo \"{\\\"pid\\\":$!}\"; exit 3")).await;
    let told = peer.rest().await.to_vec();
    let Some(Incoming::Exit { code: Some(3), survivors, forced: Forced::No, .. }) = told.last() else {
        panic!("{told:?}")
    };
    let [pid] = survivors[..] else { panic!("{survivors:?}") };
    assert!(told.contains(&message(&format!("{{\"pid\":{pid}}}"))), "{told:?}");
    assert!(!runs(pid), "{pid} is still there");
}

#[tokio::test]
async fn abort_terminates() {
    let mut peer = Peer::start(script("echo '{}'; exec sleep 300")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(15), Forced::Term)));
}

#[tokio::test]
async fn abort_kills_what_does_not_listen() {
    let mut peer = Peer::start(script("trap '' TERM; echo '{}'; while :; do sleep 1; done")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Abort).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::Kill)));
}

#[tokio::test]
#[ignore = "takes 15 s by design"]
async fn finish_waits_before_it_terminates_and_kills() {
    let clock = Clock::start();
    let mut peer = Peer::start(script("trap '' TERM; echo '{}'; while :; do sleep 1; done")).await;
    peer.until(|what| *what == message("{}")).await;
    peer.order(Outgoing::Finish).await;
    assert_eq!(peer.rest().await.last(), Some(&exit(None, Some(9), Forced::Kill)));
    assert!(clock.us() >= 15_000_000, "{}", clock.us());
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

fn call(id: u32, tool: &str, token: Option<&str>) -> String {
    let meta = token.map(|token| serde_json::json!({"progressToken": token}));
    let params = serde_json::json!({"name": tool, "arguments": {"q": id}, "_meta": meta.unwrap_or_default()});
    serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

impl Peer {
    /// Sends a message of the negotiated revision.
    async fn say(&self, stream: u32, text: &str) {
        let revision = Some("2025-11-25".to_string());
        self.order(Outgoing::Message { stream, bytes: text.into(), revision }).await;
    }

    async fn handshake(&mut self) {
        self.send(1, INITIALIZE).await;
        self.until(is_answer(&json!(0))).await;
        self.say(2, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    fn statuses(&self) -> Vec<(u32, u16)> {
        let head = |what: &Incoming| match what {
            Incoming::Head { stream, status, .. } => Some((*stream, *status)),
            _ => None,
        };
        self.told.iter().filter_map(head).collect()
    }
}

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
    let seen: Vec<&Value> = fixture.log.iter().filter(|seen| seen["saw"] == "POST").map(|seen| &seen["body"]).collect();
    let place = |fits: &dyn Fn(&Value) -> bool| seen.iter().position(|body| fits(body)).expect("seen");
    for id in 10..30 {
        assert!(place(&|body| body["id"] == id) < place(&|body| body["params"]["requestId"] == id), "{id}");
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
    // Even where it is closed in the same moment, it is sent first.
    peer.send(4, &send(4, "tools/call", json!({"name": "slow"}))).await;
    peer.order(Outgoing::CloseStream { stream: 4 }).await;
    peer.until(|what| *what == Incoming::Closed { stream: Some(4), by: Side::Client, how: "closed".into() }).await;
    assert!(peer.told.contains(&Incoming::Sent { stream: 4 }));
    fixture.until(|seen| seen["saw"] == "POST" && seen["body"]["id"] == 4);
    assert_eq!(fixture.until(|seen| seen["saw"] == "closed")["id"], 4);
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

#[tokio::test]
async fn a_server_that_dies_is_told_as_it_was() {
    let mut fixture = Fixture::start(&["--pause", "60000"]);
    let mut peer = Peer::start(Target::Http(fixture.url("http", "/mcp"))).await;
    peer.handshake().await;
    peer.say(3, &call(3, "slow", Some("t"))).await;
    peer.until(|what| matches!(what, Incoming::Head { stream: 3, .. })).await;
    fixture.child.kill().expect("killed");
    peer.until(|what| matches!(what, Incoming::Closed { stream: Some(3), by: Side::Server, .. })).await;
    peer.say(4, &call(4, "echo", None)).await;
    let told = peer.rest().await;
    assert!(matches!(told.last(), Some(Incoming::Failed { .. })), "{told:?}");
    assert!(!told.contains(&Incoming::Sent { stream: 4 }));
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
    assert!(why.contains("wss://127.0.0.1/") && why.contains("TLS"), "{why}");
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
    assert_eq!(&text, b"Content-Length: 2\r\n\r\n{}"[..21].as_ref());
    drop(stream);
    let told = peer.rest().await;
    assert!(matches!(told.last(), Some(Incoming::Closed { stream: None, by: Side::Server, .. })), "{told:?}");
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

/// True if a process runs; one that has ended and was not reaped does not.
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

/// Processes that were started with this variable in their environment.
fn marked(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|one| one == mark.as_bytes())
    };
    pids.filter(|pid| has(pid) && runs(*pid)).collect()
}

/// Starts a family that ignores TERM, goes away at some moment, and looks for what is left of it.
fn interrupt(rounds: u64) {
    let family = r#"trap '' TERM; sh -c 'trap "" TERM; sleep 300 & while :; do sleep 1; done' & echo '{}'; cat; wait"#;
    for round in 0..rounds {
        let mark = format!("RPCTAPE_TEST_FAMILY={}-{round}", std::process::id());
        let (name, value) = mark.split_once('=').expect("a variable");
        let Target::Command(mut command) = script(family) else { unreachable!() };
        command.env = vec![(name.into(), value.into())];
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        // Moments from before the start to well after it, not the same ones in two runs.
        let moment = Duration::from_micros((round * 7_919 + u64::from(std::process::id())) % 40_000);
        runtime.block_on(async {
            let mut peer = Peer::start(Target::Command(command)).await;
            if round % 4 == 3 {
                peer.until(|what| *what == message("{}")).await;
            }
            sleep(moment).await;
            match round % 3 {
                // The link is dropped while the runtime goes on.
                0 => {
                    drop(peer);
                    for _ in 0..200 {
                        if marked(&mark).is_empty() {
                            break;
                        }
                        sleep(Duration::from_millis(25)).await;
                    }
                }
                // The runtime goes while it shuts down.
                1 => peer.order(Outgoing::Abort).await,
                // The runtime goes, as in a panic.
                _ => {}
            }
        });
        drop(runtime);
        let mut left = marked(&mark);
        for _ in 0..200 {
            if left.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
            left = marked(&mark);
        }
        assert!(left.is_empty(), "round {round}, after {moment:?}: {left:?} are left");
    }
}

/// Not a test of its own: what the one below kills.
#[tokio::test]
#[ignore = "part of another"]
async fn holds_a_family() {
    let Ok(mark) = std::env::var("RPCTAPE_TEST_HOLDER") else { return };
    let Target::Command(mut command) = script("trap '' TERM HUP; echo '{}'; while :; do sleep 1; done") else {
        unreachable!()
    };
    command.env = vec![("RPCTAPE_TEST_HELD".into(), mark)];
    let mut peer = Peer::start(Target::Command(command)).await;
    peer.until(|what| *what == message("{}")).await;
    println!("it runs");
    peer.rest().await;
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_is_left_behind_by_a_process_that_is_killed() {
    let mark = format!("RPCTAPE_TEST_HELD={}", std::process::id());
    let mut holder = std::process::Command::new(std::env::current_exe().expect("a path"))
        .args(["--ignored", "--exact", "--nocapture", "holds_a_family"])
        .env("RPCTAPE_TEST_HOLDER", std::process::id().to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("itself");
    let lines = std::io::BufReader::new(holder.stdout.take().expect("stdout")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("it runs")));
    assert!(!marked(&mark).is_empty());
    holder.kill().expect("killed");
    holder.wait().expect("ended");
    for _ in 0..400 {
        if marked(&mark).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("{:?} are left", marked(&mark));
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_is_left_behind() {
    interrupt(20);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "the same a hundred times"]
fn nobody_is_left_behind_a_hundred_times() {
    interrupt(100);
}
