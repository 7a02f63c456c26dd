//! A server that keeps to the protocol, or breaks it in the ways it is told to, behind a wire that holds every message up for as long as
//! it likes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::conform::Question;
use crate::live::{Incoming, Outgoing};
use crate::pipeline::replay::virtually::Peer;
use crate::protocol::{Profile, Side, http};

pub(super) const MS: i64 = 1_000;
/// How long a message may be on its way, and how long the slow request takes.
pub(super) const JITTER_US: i64 = 200 * MS;
pub(super) const WORK_US: i64 = 800 * MS;

/// What happens at the far end of the wire, and what comes out of this one.
pub(super) enum Due {
    Reads(u32, String),
    Closed(u32),
    TakenUp(u32),
    Progress(String, i64),
    Done(String),
    /// An answer to a request that was cancelled.
    Late(String, u32),
    /// Progress of one.
    Beyond(u32, Value),
    /// It asks the client something in the service of this request.
    Asks(u32),
    Exit,
    Arrives(Incoming),
}

impl Due {
    fn comes_on(&self, wanted: u32) -> bool {
        use Incoming::{Closed, Head, Message};
        match self {
            Due::Arrives(Message { stream, .. } | Closed { stream, .. }) => *stream == Some(wanted),
            Due::Arrives(Head { stream, .. }) => *stream == wanted,
            _ => false,
        }
    }
}

/// A request that is worked on.
pub(super) struct Work {
    stream: u32,
    token: Value,
}

/// The server and its wire. What is sent goes in order, or, over HTTP, each message for itself.
pub(super) struct Server {
    profile: &'static Profile,
    http: bool,
    pub(super) wrong: Vec<Wrong>,
    /// It asks something while it works.
    pub(super) asks: bool,
    /// A notification came.
    stopped: bool,
    /// It has ended before its time.
    is_dead: bool,
    /// Since when each task is there, and since when it is cancelled.
    tasks: Vec<(i64, Option<i64>)>,
    seed: u64,
    turn: u64,
    due: BTreeMap<(i64, u64), Due>,
    /// When the last message arrives, in each direction; over HTTP of each stream.
    last: BTreeMap<(bool, u32), i64>,
    open: BTreeMap<String, Work>,
    /// Streams that the client has closed.
    gone: Vec<u32>,
    /// Until when nothing is read.
    busy_us: i64,
}

impl Server {
    pub(super) fn new(profile: &'static Profile, http: bool, seed: u64) -> Server {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Server {
            profile,
            http,
            wrong: Vec::new(),
            asks: false,
            stopped: false,
            is_dead: false,
            tasks: Vec::new(),
            seed,
            turn: 0,
            due: BTreeMap::new(),
            last: BTreeMap::new(),
            open: BTreeMap::new(),
            gone: Vec::new(),
            busy_us: 0,
        }
    }

    pub(super) fn is(&self, wrong: Wrong) -> bool {
        self.wrong.contains(&wrong)
    }

    pub(super) fn number(&mut self, below: i64) -> i64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 1) as i64 % below
    }

    fn at(&mut self, at_us: i64, due: Due) {
        self.turn += 1;
        self.due.insert((at_us, self.turn), due);
    }

    /// Puts something on the wire.
    fn wire(&mut self, now_us: i64, up: bool, stream: u32, due: Due) {
        if !up && self.gone.contains(&stream) {
            return;
        }
        let arrives = now_us + self.number(JITTER_US);
        // To the server each POST goes its own way; what comes back on one stream is in order.
        let lane = (up, if self.http { stream } else { 0 });
        let at_us = arrives.max(self.last.get(&lane).copied().unwrap_or(0));
        self.last.insert(lane, at_us);
        self.at(at_us, due);
    }

    fn say(&mut self, now_us: i64, stream: u32, text: String) {
        let what = Incoming::Message { stream: self.http.then_some(stream), bytes: text.into_bytes(), event_id: None };
        self.wire(now_us, false, stream, Due::Arrives(what));
    }

    /// The last that comes on a stream, or all that comes where there are none.
    fn ends(&mut self, now_us: i64, stream: u32) {
        if self.http {
            let closed = Incoming::Closed { stream: Some(stream), by: Side::Server, how: "eof".into() };
            self.wire(now_us, false, stream, Due::Arrives(closed));
        }
    }

    fn answer(&mut self, now_us: i64, stream: u32, text: String) {
        self.say(now_us, stream, text);
        self.ends(now_us, stream);
    }

    fn head(&mut self, now_us: i64, stream: u32, status: u16) {
        if self.http {
            let mut headers = vec![("content-type".to_string(), http::EVENT_STREAM.to_string())];
            // A session is one client's: from here on its ids are certain.
            if self.profile.opening.initialize.is_some() {
                headers.push(("mcp-session-id".to_string(), "s".to_string()));
            }
            let head = Incoming::Head { stream, method: "POST", status, headers };
            self.wire(now_us, false, stream, Due::Arrives(head));
        }
    }

    fn reads(&mut self, now_us: i64, stream: u32, text: &str) {
        let message: Value = serde_json::from_str(text).expect("what probes send is JSON");
        let method = message["method"].as_str().unwrap_or_default().to_string();
        // What answers a question of the server is none of its business here.
        let Some(id) = message.get("id").filter(|_| !method.is_empty()).map(Value::to_string) else {
            self.head(now_us, stream, 202);
            self.ends(now_us, stream);
            return self.notified(now_us, &method, &message["params"]);
        };
        self.head(now_us, stream, 200);
        let plain = |result: Value| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        let cancels = self.profile.cancel.is_some_and(|(cancel, _)| cancel == method);
        self.stopped |= cancels;
        if self.is(Wrong::Ignores) && cancels || self.is(Wrong::Stops) && self.stopped {
            return;
        }
        if let Some(told) = self.of_task(now_us, &method, &message["params"]) {
            let (member, value) = told;
            self.answer(now_us, stream, format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#));
        } else if method == "a/slow" {
            if self.asks {
                self.at(now_us + ASKS_US, Due::Asks(stream));
            }
            let token = message["params"]["_meta"]["progressToken"].clone();
            for step in 1..=4 {
                self.at(now_us + WORK_US * step / 5, Due::Progress(id.clone(), step));
            }
            self.at(now_us + WORK_US, Due::Done(id.clone()));
            self.busy_us = if self.is(Wrong::Serial) { now_us + WORK_US } else { 0 };
            self.open.insert(id, Work { stream, token });
        } else if Some(method.as_str()) == self.profile.opening.initialize {
            let hello = self.profile.hello(&id).into_iter().find(|(side, _)| *side == Side::Server);
            self.answer(now_us, stream, hello.expect("a welcome").1);
        } else if method == "ping" {
            if !self.is(Wrong::Mute) {
                self.answer(now_us, stream, plain(json!({})));
            }
        } else if method == "server/discover" {
            let told = json!({"supportedVersions": [self.profile.revision], "capabilities": {}, "serverInfo": {"name": "s", "version": "1"},
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
            self.answer(now_us, stream, plain(told));
        } else {
            let error = json!({"code": -32601, "message": "no such method"});
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
            if self.is(Wrong::RefusesTwice) && cancels {
                self.say(now_us, stream, text.clone());
            }
            self.answer(now_us, stream, text);
        }
    }

    fn notified(&mut self, now_us: i64, method: &str, params: &Value) {
        self.stopped |= method.contains("cancel");
        if self.is(Wrong::Dies) && params.is_null() && self.profile.cancel.is_some_and(|(cancel, _)| cancel == method) {
            self.is_dead = true;
            self.due.clear();
            let exit =
                Incoming::Exit { code: Some(3), signal: None, forced: Default::default(), survivors: Vec::new() };
            return self.wire(now_us, false, 0, Due::Arrives(exit));
        }
        let turns = self.profile.turns && method == "session/cancel";
        let Some((_, member)) = self.profile.cancel.filter(|(cancel, _)| !turns && *cancel == method) else {
            if turns && !self.is(Wrong::Deaf) {
                for (id, work) in std::mem::take(&mut self.open) {
                    if self.is(Wrong::Drops) {
                        continue;
                    }
                    let text = self.profile.turn_cancelled(&id).expect("words");
                    self.answer(now_us, work.stream, text);
                }
            }
            return;
        };
        let loose = self.is(Wrong::LooseIds);
        let plain = |id: &str| if loose { id.replace('"', "") } else { id.to_string() };
        let named = params.get(member).map(|id| plain(&id.to_string()));
        let hit = named.and_then(|named| self.open.keys().find(|id| plain(id) == named).cloned());
        if self.is(Wrong::Tokens) {
            let text = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}"#;
            self.say(now_us, 0, text.to_string());
        }
        let Some(id) = hit else {
            if self.is(Wrong::Unasked) && params.get(member) == Some(&json!(4711)) {
                let error = json!({"code": -32602, "message": "what is that"});
                self.say(now_us, 0, format!(r#"{{"jsonrpc":"2.0","id":4711,"error":{error}}}"#));
            }
            if self.is(Wrong::Replies) || self.is(Wrong::Objects) && params.get(member).is_none() {
                let error = json!({"code": -32602, "message": "what is that"});
                self.say(now_us, 0, format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#));
            }
            return;
        };
        let Some(work) = self.open.get(&id).filter(|_| !self.is(Wrong::Deaf)) else { return };
        let work = Work { stream: work.stream, token: work.token.clone() };
        self.open.remove(&id);
        if self.is(Wrong::Cascade) {
            self.open.clear();
        }
        if self.is(Wrong::GoesOn) {
            self.at(now_us + 300 * MS, Due::Beyond(work.stream, work.token.clone()));
        }
        if self.is(Wrong::Late) {
            self.at(now_us + 300 * MS, Due::Late(id, work.stream));
            return;
        }
        match self.profile.cancelled_answer(&id).filter(|_| !self.is(Wrong::Drops)) {
            Some(text) if self.is(Wrong::Vague) => self.answer(now_us, work.stream, text.replace("-32800", "-32603")),
            Some(text) => self.answer(now_us, work.stream, text),
            None => self.ends(now_us, work.stream),
        }
    }
}

impl Server {
    /// What answers a request that asks for a task, or is about one.
    fn of_task(&mut self, now_us: i64, method: &str, params: &Value) -> Option<(&'static str, Value)> {
        if method == "a/slow" && params["task"].is_object() {
            self.tasks.push((now_us, None));
            return Some(("result", json!({"task": a_task(self.tasks.len() - 1, "working")})));
        }
        let place = params["taskId"].as_str().and_then(|name| name.strip_prefix("task-")?.parse::<usize>().ok())?;
        let (since, cancelled) = *self.tasks.get(place)?;
        let status = match cancelled {
            Some(at) if self.is(Wrong::TaskLater) && now_us - at > 500 * MS => "completed",
            Some(_) => "cancelled",
            None if now_us - since > WORK_US => "completed",
            None => "working",
        };
        match method {
            "tasks/get" => Some(("result", a_task(place, status))),
            _ if status != "working" && !self.is(Wrong::TaskAccepts) => {
                Some(("error", json!({"code": -32602, "message": "the task has ended"})))
            }
            _ => {
                self.tasks[place].1.get_or_insert(now_us);
                Some(("result", a_task(place, if self.is(Wrong::TaskTold) { "working" } else { "cancelled" })))
            }
        }
    }
}

pub(super) fn a_task(place: usize, status: &str) -> Value {
    let time = "2026-01-01T00:00:00Z";
    json!({"taskId": format!("task-{place}"), "status": status, "ttl": 600_000, "createdAt": time, "lastUpdatedAt": time})
}

impl Peer for Server {
    fn told(&mut self, now_us: i64, order: Outgoing) {
        match order {
            Outgoing::Message { stream, bytes, .. } => {
                let text = String::from_utf8(bytes).expect("text");
                self.wire(now_us, true, stream, Due::Reads(stream, text));
            }
            Outgoing::CloseStream { stream } => {
                // The link tells at once, and nothing of that stream comes any more.
                self.due.retain(|_, due| !due.comes_on(stream));
                let closed = Incoming::Closed { stream: Some(stream), by: Side::Client, how: "reset".into() };
                self.at(now_us, Due::Arrives(closed));
                self.gone.push(stream);
                self.wire(now_us, true, stream, Due::Closed(stream));
            }
            Outgoing::Finish | Outgoing::Abort => self.wire(now_us, true, 0, Due::Exit),
            Outgoing::OpenStream { stream, .. } => self.wire(now_us, true, stream, Due::TakenUp(stream)),
            Outgoing::Prime { .. } | Outgoing::EndSession { .. } => {}
        }
    }

    fn wakes_at(&self) -> Option<i64> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    fn wake(&mut self, now_us: i64) -> Option<Incoming> {
        let due = self.due.pop_first()?.1;
        match due {
            Due::Arrives(what) => return Some(what),
            _ if self.is_dead => {}
            Due::Reads(..) if now_us < self.busy_us => self.at(self.busy_us, due),
            Due::Reads(stream, text) => self.reads(now_us, stream, &text),
            Due::Closed(stream) => {
                let cancels = self.profile.stream_close_cancels;
                self.open.retain(|_, work| work.stream != stream || !cancels);
            }
            // The one client of these tests takes up what it dropped: the request whose stream ended first.
            Due::TakenUp(stream) => {
                let waiting = self.open.iter_mut().next();
                let (id, work) = waiting?;
                work.stream = stream;
                let id = id.clone();
                if self.is(Wrong::Hasty) || self.is(Wrong::Fails) {
                    self.open.remove(&id);
                    let error = json!({"code": -32603, "message": if self.is(Wrong::Hasty) { "Request cancelled" } else { "no" }});
                    self.answer(now_us, stream, format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
                }
            }
            Due::Progress(id, step) => {
                if let Some((stream, token)) = self
                    .open
                    .get(&id)
                    .map(|work| (work.stream, work.token.clone()))
                    .filter(|(_, token)| token.is_string())
                {
                    let params = json!({"progressToken": token, "progress": step});
                    let text = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                    self.say(now_us, stream, text.to_string());
                }
            }
            Due::Done(id) => {
                if let Some(work) = self.open.remove(&id) {
                    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#);
                    if self.is(Wrong::Twice) {
                        self.say(now_us, work.stream, text.clone());
                    }
                    self.answer(now_us, work.stream, text);
                }
            }
            Due::Late(id, stream) => {
                self.answer(now_us, stream, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
            }
            Due::Beyond(stream, token) => {
                let params = json!({"progressToken": token, "progress": 99});
                let text = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                self.say(now_us, stream, text.to_string());
            }
            Due::Asks(stream) => {
                let asked = question(self.profile);
                let params: Value = serde_json::from_str(&asked.params).expect("JSON");
                let text = json!({"jsonrpc": "2.0", "id": 900, "method": asked.method, "params": params});
                self.say(now_us, stream, text.to_string());
            }
            Due::Exit => {
                let exit = match self.http {
                    true => Incoming::Closed { stream: None, by: Side::Client, how: "eof".into() },
                    false => Incoming::Exit {
                        code: Some(0),
                        signal: None,
                        forced: Default::default(),
                        survivors: Vec::new(),
                    },
                };
                self.wire(now_us, false, 0, Due::Arrives(exit));
            }
        }
        None
    }
}

/// What is wrong with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// What is cancelled is never answered.
    Drops,
    /// A cancel that is a request is never answered.
    Ignores,
    /// Behind a notification it answers nothing any more.
    Stops,
    /// It goes on whatever is cancelled, and answers.
    Deaf,
    /// It takes a dropped stream for a cancel, and says so on the stream that takes it up.
    Hasty,
    /// It ends what is taken up with an error that does not say why.
    Fails,
    /// It answers what was cancelled, later.
    Late,
    /// `"2"` cancels 2.
    LooseIds,
    /// A cancel ends everything.
    Cascade,
    /// It tells of its progress behind a cancel.
    GoesOn,
    /// It answers twice.
    Twice,
    /// It answers cancels that name nothing.
    Replies,
    /// It answers cancels without an id, and those alone.
    Objects,
    /// It answers cancels of what was never asked, under the id that they name.
    Unasked,
    /// Behind each cancel it tells of a progress that nobody asked for.
    Tokens,
    /// It answers a cancel with an id twice.
    RefusesTwice,
    /// It dies of a cancel without parameters.
    Dies,
    /// A cancelled task is told to be at work.
    TaskTold,
    /// A cancelled task comes to its end.
    TaskLater,
    /// A task that has ended is cancelled.
    TaskAccepts,
    /// It answers a cancel at once, with an error that does not say so.
    Vague,
    /// It never answers a ping.
    Mute,
    /// It reads nothing while it works, which nothing forbids.
    Serial,
}

/// When a server asks, behind the slow request, and what.
const ASKS_US: i64 = 50 * MS;

pub(super) fn question(profile: &Profile) -> Question {
    let (method, params) = match profile.turns {
        true => ("session/request_permission", r#"{"sessionId":"s-1","toolCall":{"toolCallId":"c"},"options":[]}"#),
        false => ("roots/list", "{}"),
    };
    Question { method: method.to_string(), params: params.to_string(), after_us: ASKS_US }
}
