//! The mock in virtual time: times are milliseconds, and nobody sleeps.

mod answers;
mod asking;
mod cancels;
mod clients;
mod order;

use super::{Extra, Mock, MockOptions, Report, Reuse, Script};
use crate::live::{Incoming, Outgoing};
use crate::protocol::Side;
use crate::replay::options::Speed;
use crate::replay::recording::Connection;
use crate::replay::testing::connection;
use std::sync::Arc;

const MCP: &str = "mcp 2025-11-25";

/// A mock and a live client.
struct Stage {
    mock: Mock,
    now_us: i64,
}

impl Stage {
    fn new(protocol: &str, trace: &str) -> Stage {
        Stage::with(protocol, trace, MockOptions::default())
    }

    fn with(protocol: &str, trace: &str, options: MockOptions) -> Stage {
        Stage::of(connection(protocol, trace), options)
    }

    fn of(connection: Connection, options: MockOptions) -> Stage {
        let mut mock = Mock::new(Arc::new(Script::new(connection)), options);
        mock.arrival(0, &Incoming::Ready);
        Stage { mock, now_us: 0 }
    }

    fn recorded(protocol: &str, trace: &str) -> Stage {
        Stage::with(protocol, trace, MockOptions { speed: Speed::Recorded, ..MockOptions::default() })
    }

    /// What the mock does when this arrives.
    fn on(&mut self, text: &str) -> Vec<String> {
        self.on_stream(None, text)
    }

    fn on_stream(&mut self, stream: Option<u32>, text: &str) -> Vec<String> {
        let text = match text.contains("\"jsonrpc\"") || !text.starts_with('{') {
            true => text.to_string(),
            false => text.replacen('{', "{\"jsonrpc\":\"2.0\",", 1),
        };
        self.mock.arrival(self.now_us, &Incoming::Message { stream, bytes: text.into_bytes(), event_id: None });
        self.drain()
    }

    /// What the mock does until `ms`, with the time of each.
    fn until(&mut self, ms: i64) -> Vec<(i64, String)> {
        let mut all = Vec::new();
        while let Some(at) = self.mock.wake_at().filter(|at| *at <= ms * 1_000) {
            self.now_us = at.max(self.now_us);
            self.mock.tick(self.now_us);
            all.extend(self.drain().into_iter().map(|text| (self.now_us / 1_000, text)));
        }
        self.now_us = ms * 1_000;
        all
    }

    fn drain(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(out) = self.mock.next() {
            all.push(match out {
                Outgoing::Message { stream: 0, bytes, .. } => short(&bytes),
                Outgoing::Message { stream, bytes, .. } => format!("{stream}: {}", short(&bytes)),
                Outgoing::CloseStream { stream } => format!("close {stream}"),
                Outgoing::Finish => "end".to_string(),
                other => format!("{other:?}"),
            });
        }
        all
    }

    fn report(self) -> Report {
        self.mock.finish()
    }
}

/// A message without what every message has.
fn short(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace("\"jsonrpc\":\"2.0\",", "")
}

const CALLS: &str = r#"
    0 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a"}}}
    5 s> {"id":1,"result":{"protocolVersion":"2025-11-25"}}
    6 c> {"method":"notifications/initialized"}
    10 c> {"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"q":"a"},"_meta":{"progressToken":2}}}
    110 s> {"method":"notifications/progress","params":{"progressToken":2,"progress":1}}
    310 s> {"id":2,"result":{"content":["a"]}}
    400 c> {"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"q":"b"}}}
    410 s> {"id":3,"error":{"code":-32602,"message":"no b"}}
"#;
