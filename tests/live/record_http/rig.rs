//! What the tests of the HTTP recorder share: servers that do as they are told, a recorder in front of them, and its lines.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use rpctape::live::Clock;
use rpctape::live::proxy::{Proxy, ProxyOptions};
use rpctape::live::tape::{Tape, TapeOptions};
use serde_json::Value;

/// Nothing here takes this long unless it hangs.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Waits, but not for ever.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Starts a server and tells its address.
pub async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// A recorder in front of a server.
pub struct Rig {
    proxy: Proxy,
    tape: Tape,
    clock: Clock,
    folder: tempfile::TempDir,
    /// What to give to clients.
    pub url: String,
}

/// What was recorded.
pub struct Recorded {
    /// The lines after the header.
    pub events: Vec<Value>,
    /// The header.
    pub header: Value,
    /// The whole file.
    pub text: String,
    /// Where it is, as long as this lives.
    pub path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Rig {
    pub async fn new(url: &str) -> Rig {
        Rig::with(url, |_| ()).await
    }

    pub async fn with(url: &str, change: impl FnOnce(&mut ProxyOptions)) -> Rig {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::start();
        let mut options = ProxyOptions { url: url.into(), listen: "0".into(), legacy: false, untouched: false };
        change(&mut options);
        let mut to = TapeOptions::new(folder.path().join("a.rec.jsonl"));
        to.transport = match (options.is_web_socket(), options.legacy) {
            (true, _) => "ws".into(),
            (_, true) => "sse".into(),
            _ => "http".into(),
        };
        to.alter = options.alter();
        let tape = Tape::start(to, clock).unwrap();
        let proxy = Proxy::start(&options, tape.clone(), clock, Box::new(|_| ())).await.unwrap();
        let url = proxy.url();
        Rig { proxy, tape, clock, folder, url }
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.proxy.address()
    }

    /// Stops the recorder and reads what it wrote.
    pub async fn stop(self) -> Recorded {
        let Rig { proxy, tape, clock, folder, .. } = self;
        soon("the recorder to stop", proxy.stop()).await;
        let summary = tokio::task::spawn_blocking(move || tape.finish(clock.us())).await.unwrap();
        assert_eq!(summary.trouble, None);
        let path = folder.path().join("a.rec.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let header = lines.next().unwrap();
        Recorded { events: lines.collect(), header, text, path, _folder: folder }
    }
}

impl Recorded {
    /// Events of a kind.
    pub fn of<'r>(&'r self, kind: &'r str) -> impl Iterator<Item = &'r Value> {
        self.events.iter().filter(move |event| event["k"] == kind)
    }

    /// The events of one stream, told shortly: `open c`, `POST`, `c {"id":1}`, `200`, `close s eof answered`.
    pub fn stream(&self, stream: u64) -> Vec<String> {
        self.events.iter().filter(|event| event["s"] == stream).map(told).collect()
    }

    /// The streams in the order in which they were opened, with their connection.
    pub fn streams(&self) -> Vec<(u64, u64)> {
        let opened = self.of("open").filter(|event| event["s"].is_u64());
        opened.map(|event| (event["s"].as_u64().unwrap(), event["c"].as_u64().unwrap())).collect()
    }

    /// Rows that the program itself finds in the recording.
    pub fn query(&self, sql: &str) -> Vec<Value> {
        let output = assert_cmd::Command::cargo_bin("rpctape")
            .unwrap()
            .args(["query", "--format", "jsonl"])
            .arg(&self.path)
            .arg(sql)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn told(event: &Value) -> String {
    let word = |key: &str| event[key].as_str().unwrap_or("").to_string();
    match event["k"].as_str().unwrap() {
        "open" => format!("open {}", word("by")),
        "close" => {
            let answered = if event["answered"] == true { " answered" } else { "" };
            format!("close {} {}{answered}", word("by"), word("how"))
        }
        "http" => event["h"]["method"].as_str().map_or_else(|| event["h"]["status"].to_string(), str::to_string),
        "msg" => format!("{} {}", word("d"), word("b")),
        "sse" => format!("sse {}", event["sse"]),
        "note" => format!("note {}", word("text")),
        kind => format!("{kind} {}", word("d")),
    }
}

/// A request of a client.
pub fn call(id: u32, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#)
}

/// The first request of a session.
pub fn initialize(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

/// Posts JSON.
pub async fn post(client: &reqwest::Client, url: &str, session: Option<&str>, body: String) -> reqwest::Response {
    let mut request = client
        .post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    soon("an answer", request.body(body).send()).await.unwrap()
}

/// A client of its own.
pub fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}
