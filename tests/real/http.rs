//! An MCP server over Streamable HTTP, recorded through the proxy.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{audited, command, installed, replayed, rpctape};

/// A child process that does not outlive the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// Starts a server that takes its port from `PORT`, and waits until it listens.
#[allow(clippy::disallowed_methods, reason = "a server that never listens must not hang the suite")]
fn serve(words: &[String]) -> (Running, u16) {
    let port = free_port();
    let child = Command::new(&words[0])
        .args(&words[1..])
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let running = Running(child);
    let until = Instant::now() + Duration::from_secs(60);
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < until, "the server does not listen on {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
    (running, port)
}

/// The recording proxy, and the address at which it listens.
fn proxy(recording: &Path, port: u16) -> (Running, String) {
    let mut child = rpctape()
        .args(["record", "--http", &format!("http://127.0.0.1:{port}/mcp"), "--listen", "127.0.0.1:0", "-o"])
        .arg(recording)
        .stderr(Stdio::piped())
        .spawn()
        .expect("rpctape record");
    let stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let mut said = Vec::new();
    let mut lines = stderr.lines().map_while(Result::ok);
    let address = lines.by_ref().find_map(|line| {
        let found = line
            .split_whitespace()
            .find(|word| word.starts_with("http://127.0.0.1:") && !word.contains(&format!(":{port}/")));
        said.push(line.clone());
        found.map(|word| word.trim_end_matches([',', ';', '.']).to_string())
    });
    std::thread::spawn(move || lines.for_each(drop));
    (Running(child), address.unwrap_or_else(|| panic!("the proxy does not say where it listens: {said:?}")))
}

/// An MCP client over HTTP, as far as these tests need one.
struct Client {
    http: reqwest::Client,
    url: String,
    session: Option<String>,
}

impl Client {
    async fn post(&mut self, message: Value) -> reqwest::Response {
        let mut request = self
            .http
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_string());
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25");
        }
        let response = request.send().await.expect("an answer");
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.session = session.to_str().ok().map(str::to_string);
        }
        response
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) {
        let response = self.post(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        assert!(response.status().is_success(), "{method}: {}", response.status());
        response.bytes().await.expect("a body");
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.post(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }
}

async fn session(url: String) {
    // A provider is needed even where no TLS is spoken.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut client = Client { http, url, session: None };
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "real", "version": "1"}});
    client.ask(1, "initialize", hello).await;
    client.notify("notifications/initialized", json!({})).await;
    client.ask(2, "tools/list", json!({})).await;
    client.ask(3, "tools/call", json!({"name": "echo", "arguments": {"message": "hi"}})).await;
    let slow = json!({"name": "trigger-long-running-operation", "arguments": {"duration": 4, "steps": 20}, "_meta": {"progressToken": "p4"}});
    let mut stream = client.post(json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": slow})).await;
    stream.chunk().await.expect("the stream goes on").expect("progress");
    client.notify("notifications/cancelled", json!({"requestId": 4, "reason": "enough"})).await;
    client.ask(5, "tools/call", json!({"name": "echo", "arguments": {"message": "hi"}})).await;
    // Its tool does not look at the cancel, and the stream stays open: what still comes is recorded, then the client goes away.
    let _ =
        tokio::time::timeout(Duration::from_secs(2), async { while let Ok(Some(_)) = stream.chunk().await {} }).await;
    drop(stream);
    let session = client.session.clone().expect("a session");
    let gone = client.http.delete(&client.url).header("mcp-session-id", session).send().await;
    assert!(gone.is_ok_and(|response| response.status().is_success()), "the session is not ended");
}

/// Ends the recorder as Ctrl-C does.
fn interrupt(mut recorder: Running) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(recorder.0.id()).expect("a pid")).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
    recorder.0.wait().expect("an end");
}

#[test]
fn server_everything() {
    let what = "MCP server-everything over Streamable HTTP";
    let package = installed().join("npm/node_modules/@modelcontextprotocol/server-everything");
    let build = |path: PathBuf| command(what, &["node", &path.display().to_string(), "streamableHttp"]);
    let (Some(good), Some(other)) = (build(package.join("dist/index.js")), build(package.join("changed/index.js")))
    else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("real.rec.jsonl");
    let (server, port) = serve(&good);
    let (recorder, address) = proxy(&recording, port);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(session(address));
    interrupt(recorder);

    let (findings, exit) = audited(&recording);
    assert_eq!(exit, 0, "{findings:?}");

    let target = |port: u16| vec!["--url".to_string(), format!("http://127.0.0.1:{port}/mcp")];
    let allow = ["--allow", "tools/call:*"];
    let same = replayed(&recording, &allow, &target(port));
    assert_eq!(same.exit, 0, "{}", same.differences());
    assert_eq!(same.summary["cancels"]["landed"], 1, "{}", same.differences());
    drop(server);

    let (_server, port) = serve(&other);
    let changed = replayed(&recording, &allow, &target(port));
    assert_eq!(changed.exit, 1, "{}", changed.differences());
    assert_eq!(changed.verdict(&json!(3)), "changed", "{}", changed.differences());
    println!("checked: {what}: recorded, audited, replayed, and told from a changed build");
}
