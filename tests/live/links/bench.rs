//! A link under test and what it has told; servers for it; what a client says to them.

use std::io::BufRead;
use std::process::Stdio;
use std::time::Duration;

use rpctape::live::transport::{Framing, Link, connect};
use rpctape::live::{Access, Clock, Command, Forced, Incoming, Outgoing, Target};
use rpctape::protocol::Side;
use serde_json::{Value, json};
use tokio::time::timeout;

/// The longest wait for anything: far beyond what it takes, so that only a hang fails.
pub const LONG: Duration = Duration::from_secs(180);

/// A link under test, and all it has told.
pub struct Peer {
    pub link: Link,
    pub told: Vec<Incoming>,
}

impl Peer {
    pub async fn start(target: Target) -> Peer {
        Peer::framed(target, Framing::Lines).await
    }

    pub async fn framed(target: Target, framing: Framing) -> Peer {
        Peer { link: connect(&target, &Access::default(), framing, Clock::start()).await, told: Vec::new() }
    }

    pub async fn send(&self, stream: u32, text: &str) {
        self.order(Outgoing::Message { stream, bytes: text.into(), revision: None, more: false }).await;
    }

    pub async fn order(&self, order: Outgoing) {
        self.link.to.send(order).await.expect("a link that takes orders");
    }

    /// The next arrival; `None` after the last.
    pub async fn next(&mut self) -> Option<Incoming> {
        let arrival = timeout(LONG, self.link.from.recv()).await.expect("something arrives, or the end");
        let what = arrival?.what;
        self.told.push(what.clone());
        Some(what)
    }

    /// Everything up to the first that fits.
    pub async fn until(&mut self, fits: impl Fn(&Incoming) -> bool) -> Incoming {
        while let Some(what) = self.next().await {
            if fits(&what) {
                return what;
            }
        }
        panic!("it never came: {:?}", self.told);
    }

    /// Everything up to the end.
    pub async fn rest(&mut self) -> &[Incoming] {
        while self.next().await.is_some() {}
        &self.told
    }

    pub fn position(&self, fits: impl Fn(&Incoming) -> bool) -> Option<usize> {
        self.told.iter().position(fits)
    }
}

pub fn message(text: &str) -> Incoming {
    Incoming::Message { stream: None, bytes: text.into(), event_id: None }
}

pub fn closed(by: Side, how: &str) -> Incoming {
    Incoming::Closed { stream: None, by, how: how.into() }
}

pub fn exit(code: Option<i32>, signal: Option<i32>, forced: Forced) -> Incoming {
    Incoming::Exit { code, signal, forced, survivors: Vec::new() }
}

pub fn program(program: &str, args: &[&str]) -> Target {
    let args = args.iter().map(ToString::to_string).collect();
    Target::Command(Command { program: program.into(), args, ..Command::default() })
}

pub fn script(text: &str) -> Target {
    program("sh", &["-c", text])
}

/// A server for tests (`tests/fixture/http.rs`), ended with the test.
pub struct Fixture {
    pub child: std::process::Child,
    pub port: u16,
    pub seen: std::sync::mpsc::Receiver<Value>,
    pub log: Vec<Value>,
}

impl Fixture {
    pub fn start(args: &[&str]) -> Fixture {
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

    pub fn url(&self, scheme: &str, path: &str) -> String {
        format!("{scheme}://127.0.0.1:{}{path}", self.port)
    }

    /// What it saw, up to the first that fits.
    pub fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
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

pub fn is_answer(id: &Value) -> impl Fn(&Incoming) -> bool {
    move |what| answer(what).is_some_and(|message| message["id"] == *id && message.get("method").is_none())
}

/// The message that arrived.
pub fn answer(what: &Incoming) -> Option<Value> {
    let Incoming::Message { bytes, .. } = what else { return None };
    serde_json::from_slice(bytes).ok()
}

pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

pub fn call(id: u32, tool: &str, token: Option<&str>) -> String {
    let meta = token.map(|token| serde_json::json!({"progressToken": token}));
    let params = serde_json::json!({"name": tool, "arguments": {"q": id}, "_meta": meta.unwrap_or_default()});
    serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

impl Peer {
    /// Sends a message of the negotiated revision.
    pub async fn say(&self, stream: u32, text: &str) {
        let revision = Some("2025-11-25".to_string());
        self.order(Outgoing::Message { stream, bytes: text.into(), revision, more: false }).await;
    }

    pub async fn handshake(&mut self) {
        self.send(1, INITIALIZE).await;
        self.until(is_answer(&json!(0))).await;
        self.say(2, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    pub fn statuses(&self) -> Vec<(u32, u16)> {
        let head = |what: &Incoming| match what {
            Incoming::Head { stream, status, .. } => Some((*stream, *status)),
            _ => None,
        };
        let mut told: Vec<(u32, u16)> = self.told.iter().filter_map(head).collect();
        // What is under way at the same time may come in any order.
        told.sort_unstable();
        told
    }
}
