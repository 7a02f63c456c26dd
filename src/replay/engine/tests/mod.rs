//! The engine against scripted peers, in virtual time: a whole session takes microseconds.

mod answers;
mod cancels;
mod flows;
mod order;
mod reinit;
mod safety;
mod streams;

use serde_json::{Value, json};

use crate::jsonrpc::Id;
use crate::live::link::{Forced, Incoming, Outgoing};
use crate::replay::options::Options;
use crate::replay::plan::{Plan, plan};
use crate::replay::recording::{Connection, Recording};
use crate::replay::run::{ExchangeRun, RunLog};
use crate::replay::testing::connection;
use crate::replay::{Engine, run::Fate};

/// Milliseconds in the engine's unit.
const MS: i64 = 1_000;

/// The handshake that most sessions begin with.
const H: &str = r#"
0 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
5 s> {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}}
6 c> {"method":"notifications/initialized"}
"#;

fn mcp(trace: &str) -> Connection {
    connection("mcp 2025-11-25", &format!("{H}{trace}"))
}

/// Calls are allowed, and waits are short enough to reason about.
fn options() -> Options {
    let mut options = Options::default();
    options.policy.allow = vec!["tools/call:*".into()];
    options.life.linger_us = 2_000 * MS;
    options.life.stuck_min_us = 2_000 * MS;
    options
}

fn planned(connection: &Connection, options: &Options) -> Plan {
    let connections = vec![connection.clone()];
    plan(&Recording { name: "test".into(), format: "rec".into(), connections, unread: Vec::new() }, options)
        .expect("a plan")
}

/// What a peer will do, and what it was sent.
#[derive(Default)]
struct Wire {
    now: i64,
    turn: u64,
    due: Vec<(i64, u64, Incoming)>,
    /// What the engine sent: when, and the text.
    sent: Vec<(i64, String)>,
    /// What else it asked of the link.
    asked: Vec<(i64, Outgoing)>,
    /// The stream of the message that is being handled.
    stream: u32,
    /// The number of the write that the latest message went out in, and whether the next one goes with it.
    write: (usize, bool),
    /// For each message sent: the number of its write.
    writes: Vec<usize>,
    /// While a message with this method waits to be written, everything comes that is under way.
    queued: &'static str,
}

impl Wire {
    fn at(&mut self, after_ms: i64, what: Incoming) -> u64 {
        self.turn += 1;
        self.due.push((self.now + after_ms * MS, self.turn, what));
        self.turn
    }

    /// Sends a message after so many milliseconds; the number serves to take it back.
    fn say(&mut self, after_ms: i64, mut message: Value) -> u64 {
        message["jsonrpc"] = json!("2.0");
        self.at(after_ms, Incoming::Message { stream: None, bytes: message.to_string().into_bytes(), event_id: None })
    }

    fn result(&mut self, after_ms: i64, to: &Value, result: Value) -> u64 {
        self.say(after_ms, json!({"id": to["id"], "result": result}))
    }

    fn text(&mut self, after_ms: i64, to: &Value, text: &str) -> u64 {
        self.result(after_ms, to, json!({"content": [{"type": "text", "text": text}]}))
    }

    fn take_back(&mut self, turn: u64) {
        self.due.retain(|(_, other, _)| *other != turn);
    }

    fn exit(&mut self, after_ms: i64, code: i32) {
        let exit = Incoming::Exit { code: Some(code), signal: None, forced: Forced::No, survivors: Vec::new() };
        self.at(after_ms, exit);
    }

    /// The messages that were sent with this method: when, and what.
    fn with(&self, method: &str) -> Vec<(i64, Value)> {
        let parsed = self.sent.iter().map(|(at, text)| (*at, serde_json::from_str::<Value>(text).unwrap_or_default()));
        parsed.filter(|(_, value)| value["method"] == method).collect()
    }
}

/// A finished run.
struct Played {
    wire: Wire,
    log: RunLog,
    recorded: Connection,
    /// From when on nothing was played any more.
    only_watched_us: Option<i64>,
}

impl Played {
    fn run(&self, label: &str) -> &ExchangeRun {
        let at = self.recorded.exchanges.iter().position(|exchange| exchange.label() == label).expect("an exchange");
        &self.log.exchanges[at]
    }

    fn all_sent(&self) -> bool {
        self.log.exchanges.iter().all(|run| run.fate == Fate::Sent)
    }
}

/// Plays a recording against a peer that is told of every message it is sent.
fn play(recorded: &Connection, options: &Options, peer: impl FnMut(&mut Wire, &Value)) -> Played {
    play_on(Wire::default(), recorded, options, peer)
}

fn play_on(
    mut wire: Wire,
    recorded: &Connection,
    options: &Options,
    mut peer: impl FnMut(&mut Wire, &Value),
) -> Played {
    let plan = planned(recorded, options);
    let mut engine = Engine::new(recorded, &plan.connections[0], options);
    engine.arrival(0, &Incoming::Ready);
    let mut only_watched_us = None;
    for _ in 0..100_000 {
        while let Some(out) = engine.next() {
            match out {
                Outgoing::Message { stream, bytes, more, .. } => {
                    wire.write = (wire.write.0 + usize::from(!wire.write.1), more);
                    wire.writes.push(wire.write.0);
                    let text = String::from_utf8(bytes).expect("text");
                    let value: Value = serde_json::from_str(&text).unwrap_or_default();
                    if value["method"] == wire.queued {
                        let overtaking = std::mem::take(&mut wire.due);
                        overtaking.iter().for_each(|(_, _, what)| engine.arrival(wire.now, what));
                    }
                    engine.arrival(wire.now, &Incoming::Sent { stream });
                    wire.sent.push((wire.now, text));
                    wire.stream = stream;
                    match value {
                        Value::Array(members) => members.iter().for_each(|member| peer(&mut wire, member)),
                        value => peer(&mut wire, &value),
                    }
                }
                Outgoing::Finish | Outgoing::Abort => {
                    wire.asked.push((wire.now, out));
                    wire.exit(1, 0);
                }
                other => wire.asked.push((wire.now, other)),
            }
        }
        if engine.done() {
            return Played { wire, log: engine.finish(), recorded: recorded.clone(), only_watched_us };
        }
        if engine.only_watches(wire.now) {
            only_watched_us.get_or_insert(wire.now);
        }
        let due = wire.due.iter().map(|(at, turn, _)| (*at, *turn)).min();
        let wake = engine.wake_at();
        match (due, wake) {
            (Some((at, turn)), wake) if wake.is_none_or(|wake| at <= wake) => {
                let place = wire.due.iter().position(|(_, other, _)| *other == turn).expect("it is there");
                let (_, _, what) = wire.due.remove(place);
                wire.now = at;
                engine.arrival(at, &what);
            }
            (_, Some(wake)) => {
                assert!(wake > wire.now, "the engine asks to be woken in the past: {wake}");
                wire.now = wake;
                engine.tick(wake);
            }
            (_, None) => panic!("nothing will ever happen: waits for {:?}", engine.waiting()),
        }
    }
    panic!("no end: waits for {:?}", engine.waiting());
}

/// The server of most scenarios: `echo` answers at once, `slow` works for 800 ms in four steps and stops silently on a cancel.
fn reference() -> impl FnMut(&mut Wire, &Value) {
    server(800, true)
}

fn server(slow_ms: i64, honours: bool) -> impl FnMut(&mut Wire, &Value) {
    let mut working: Vec<(Value, u64)> = Vec::new();
    move |wire, message| match message["method"].as_str() {
        Some("initialize") => handshake(wire, message),
        Some("tools/call") if message["params"]["name"] == "slow" => {
            let token = message["params"]["_meta"]["progressToken"].clone();
            for step in 1..=4 {
                if !token.is_null() {
                    let progress =
                        json!({"method":"notifications/progress","params":{"progressToken":token,"progress":step}});
                    working.push((message["id"].clone(), wire.say(slow_ms * step / 4, progress)));
                }
            }
            working.push((message["id"].clone(), wire.text(slow_ms, message, "done")));
        }
        Some("tools/call") => {
            let text = message["params"]["arguments"].to_string();
            wire.text(1, message, &text);
        }
        Some("notifications/cancelled") if honours => {
            for (id, turn) in &working {
                if *id == message["params"]["requestId"] {
                    wire.take_back(*turn);
                }
            }
        }
        _ => {}
    }
}

fn handshake(wire: &mut Wire, message: &Value) {
    let result =
        json!({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}});
    wire.result(2, message, result);
}

fn id_of(run: &ExchangeRun) -> Option<Id> {
    run.live_id.as_deref().and_then(Id::from_json)
}

const HTTP: &str = r#"
0 c# 1 {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
5 s# 1 {"id":1,"result":{"protocolVersion":"2025-11-25"}}
6 c# 2 {"method":"notifications/initialized"}
10 c# 3 {"id":2,"method":"tools/list"}
15 s# 3 {"id":2,"result":{"tools":[]}}
20 c# 4 {"id":3,"method":"tools/call","params":{"name":"echo"}}
25 s# 4 {"id":3,"result":{}}
"#;

fn head(wire: &mut Wire, status: u16) {
    head_with(wire, status, Vec::new());
}

fn head_with(wire: &mut Wire, status: u16, headers: Vec<(String, String)>) {
    let stream = wire.stream;
    wire.at(1, Incoming::Head { stream, method: "POST", status, headers });
}
