//! Probes in virtual time: a server that keeps to the protocol, behind a wire that holds every message up for as long as it likes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::conform::{Call, Card, PROBES, Question, Verdict, card};
use crate::live::{Incoming, Outgoing};
use crate::pipeline::replay::virtually::{self, Peer};
use crate::protocol::{Side, by_name, http};

const MS: i64 = 1_000;
/// How long a message may be on its way, and how long the slow request takes.
const JITTER_US: i64 = 200 * MS;
const WORK_US: i64 = 800 * MS;

/// What happens at the far end of the wire, and what comes out of this one.
enum Due {
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
struct Work {
    stream: u32,
    token: Value,
}

/// The server and its wire. What is sent goes in order, or, over HTTP, each message for itself.
struct Server {
    profile: &'static Profile,
    http: bool,
    wrong: Vec<Wrong>,
    /// It asks something while it works.
    asks: bool,
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
    fn new(profile: &'static Profile, http: bool, seed: u64) -> Server {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Server {
            profile,
            http,
            wrong: Vec::new(),
            asks: false,
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

    fn is(&self, wrong: Wrong) -> bool {
        self.wrong.contains(&wrong)
    }

    fn number(&mut self, below: i64) -> i64 {
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
            self.answer(now_us, stream, format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
        }
    }

    fn notified(&mut self, now_us: i64, method: &str, params: &Value) {
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
        let Some(id) = hit else {
            if self.is(Wrong::Replies) {
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
        match self.profile.cancelled_answer(&id) {
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

fn a_task(place: usize, status: &str) -> Value {
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
            Outgoing::EndSession { .. } => {}
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
enum Wrong {
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
    /// It dies of a cancel without parameters.
    Dies,
    /// A cancelled task is told to be at work.
    TaskTold,
    /// A cancelled task comes to its end.
    TaskLater,
    /// A task that has ended is cancelled.
    TaskAccepts,
    /// It never answers a ping.
    Mute,
    /// It reads nothing while it works, which nothing forbids.
    Serial,
}

/// When a server asks, behind the slow request, and what.
const ASKS_US: i64 = 50 * MS;

fn question(profile: &Profile) -> Question {
    let (method, params) = match profile.turns {
        true => ("session/request_permission", r#"{"sessionId":"s-1","toolCall":{"toolCallId":"c"},"options":[]}"#),
        false => ("roots/list", "{}"),
    };
    Question { method: method.to_string(), params: params.to_string(), after_us: ASKS_US }
}

/// Plays each of these probes once against a server, and makes a card of them.
fn scored(label: (&str, &str), http: bool, seed: u64, wrong: &[Wrong], wanted: &[&str]) -> (Card, usize) {
    let profile = by_name(label.0, Some(label.1)).expect("a profile");
    let target = if http { Target::Http("http://localhost".into()) } else { Target::Command(Default::default()) };
    let examiner = Examiner {
        target: &target,
        access: &Access::default(),
        framing: None,
        policy: Policy { allow_all: true, ..Policy::default() },
        judging: Options::default(),
        keep: None,
        redact: None,
        repeat: 1,
        storm: 5,
        interrupt: None,
    };
    let call = Call { method: "a/slow".to_string(), params: r#"{"sessionId":"s-1"}"#.to_string(), tool: None };
    let known = Speech { slow: Some(call), question: Some(question(profile)), ..Speech::of(profile) };
    let mut jitter = Server::new(profile, http, seed);
    // What the control run would have measured.
    let (round, first) = (jitter.number(2 * JITTER_US), jitter.number(2 * JITTER_US));
    let mut plays = Vec::new();
    for probe in PROBES.iter().filter(|probe| wanted.is_empty() || wanted.contains(&probe.name)) {
        let fits = match probe.needs {
            Needs::Turns | Needs::TurnQuestion => profile.turns,
            Needs::Tasks => profile.tasks_by_request(),
            Needs::Streams => http,
            _ => true,
        };
        let progresses = probe.needs != Needs::Progress || profile.progress == Some("notifications/progress");
        if !fits || !progresses {
            continue;
        }
        let timing = Timing { natural_us: WORK_US + round, progress_us: WORK_US / 5 + first, part: 100, storm: 5 };
        let speech = known.for_probe(probe.needs);
        let Some(said) = probe.write(&speech, &timing) else { continue };
        let options = examiner.options(LIMIT_US, watched_us(probe.script, &said, profile));
        let (recording, plan) = examiner.planned(&speech, &said, &options).expect("a plan");
        let framing = Framing::Lines;
        let job = Job {
            recording: &recording,
            plan: &plan,
            options: &options,
            target: &target,
            access: examiner.access,
            framing,
            natural: &[],
        };
        let judging = examiner.judged_as(profile);
        let mut server = Server {
            wrong: wrong.to_vec(),
            asks: speech.question.is_some(),
            ..Server::new(profile, http, seed * 1_000 + plays.len() as u64)
        };
        let ran = virtually::run(&job, &judging, &mut server);
        plays.push(examiner.read(probe, recording, ran, None).expect("a play"));
    }
    let card = card(profile, crate::conform::Server::default(), &plays, &[]);
    (card, plays.len())
}

fn told(card: &Card, verdict: Verdict) -> Vec<String> {
    let clauses = card.clauses.iter().filter(|clause| clause.verdict == verdict);
    clauses.map(|clause| format!("{}: {:?}", clause.id, clause.probes.first())).collect()
}

/// How many cards a test makes of each kind; the variable of the other properties asks for more.
#[allow(clippy::disallowed_methods, reason = "a test may be asked for a night")]
fn rounds() -> u64 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(6)
}

const SPOKEN: [(&str, &str); 6] = [
    ("mcp", "2025-11-25"),
    ("mcp", "2024-11-05"),
    ("mcp", "2026-07-28"),
    ("acp", "1"),
    ("lsp", "3.17"),
    ("jsonrpc", "2.0"),
];

/// What is honoured of a protocol, and how many probes were played.
fn kept(label: (&str, &str), http: bool) -> (usize, usize) {
    let (mut honoured, mut plays) = (0, 0);
    for seed in 1..=rounds() {
        let (card, played) = scored(label, http, seed, &[], &[]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.is_empty(), "{label:?} http {http} seed {seed}: {broken:#?}");
        plays += played;
        honoured += told(&card, Verdict::Honoured).len();
    }
    (honoured, plays)
}

#[test]
fn a_server_that_keeps_to_the_protocol_is_charged_with_nothing_however_long_messages_take() {
    let kinds = SPOKEN.into_iter().map(|label| (label, false));
    let kinds: Vec<_> = kinds.chain(SPOKEN[..3].iter().map(|label| (*label, true))).collect();
    let plays: usize = std::thread::scope(|scope| {
        let runs: Vec<_> =
            kinds.iter().map(|(label, http)| (label, http, scope.spawn(|| kept(*label, *http)))).collect();
        let ended = runs.into_iter().map(|(label, http, run)| {
            let (honoured, plays) = run.join().expect("no violation");
            assert!(honoured > 0, "{label:?}, http {http}: nothing was seen");
            plays
        });
        ended.sum()
    });
    assert!(plays as u64 >= 150 * rounds(), "{plays}");
}

#[test]
fn one_that_reads_nothing_while_it_works_is_charged_with_nothing_and_it_is_told() {
    let kinds = SPOKEN.into_iter().map(|label| (label, false));
    for (label, http) in kinds.chain(SPOKEN[..3].iter().map(|label| (*label, true))) {
        let (card, _) = scored(label, http, 3, &[Wrong::Serial], &[]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.is_empty(), "{label:?} http {http}: {broken:#?}");
        let unseen = told(&card, Verdict::NotObserved);
        let lies = unseen.iter().any(|told| told.contains("no-response") && told.contains("only behind it"));
        assert_eq!(lies, label.0 == "mcp", "{unseen:#?}");
    }
}

#[test]
fn the_storm_of_one_that_works_on_one_request_after_another_is_smaller() {
    let slow =
        |pair_us: i64| Slow { natural_us: WORK_US, first_us: WORK_US, longest_us: pair_us, pair_us, progress_us: None };
    assert_eq!(
        [slow(WORK_US + 90 * MS).storm(100), slow(2 * WORK_US).storm(100), slow(2 * WORK_US).storm(4)],
        [100, 6, 4]
    );
    let long = Slow { natural_us: 9_000 * MS, ..slow(18_000 * MS) };
    assert_eq!((long.storm(100), long.storm(0)), (3, 0));
}

#[test]
fn one_that_is_deaf_is_charged_behind_the_same_wire() {
    for seed in 1..=rounds() {
        let (card, _) = scored(("mcp", "2025-11-25"), false, seed, &[Wrong::Deaf], &["mid", "early"]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.len() == 1 && broken[0].starts_with("mcp.no-response"), "seed {seed}: {broken:#?}");
    }
}

#[test]
fn without_a_witness_nothing_is_said_of_silence() {
    let mid = |wrong: &[Wrong]| scored(("mcp", "2025-11-25"), false, 3, wrong, &["mid"]).0;
    let silence = |card: &Card, verdict| told(card, verdict).iter().any(|told| told.starts_with("mcp.no-response"));
    let (heard, mute) = (mid(&[]), mid(&[Wrong::Mute]));
    assert!(silence(&heard, Verdict::Honoured), "{heard:#?}");
    assert!(silence(&mute, Verdict::NotObserved), "{mute:#?}");
    assert!(told(&mute, Verdict::Violates).is_empty(), "{mute:#?}");
}

#[test]
fn a_dropped_stream_is_no_cancel_where_it_is_none() {
    let drop = |label, wrong: &[Wrong]| scored(label, true, 7, wrong, &["http-drop"]).0;
    let does = |card: &Card| card.behaviours.iter().map(|told| told.does.clone()).collect::<Vec<_>>();
    let honest = drop(("mcp", "2025-11-25"), &[]);
    assert!(told(&honest, Verdict::Honoured).iter().any(|told| told.contains("drop-no-cancel")), "{honest:#?}");
    assert_eq!(does(&honest), ["nothing"]);
    let hasty = drop(("mcp", "2025-11-25"), &[Wrong::Hasty]);
    // In a session, which is one client's, it is certain whose answer comes on the stream that takes up another.
    assert_eq!((told(&hasty, Verdict::Violates).len(), does(&hasty)), (1, vec!["ends it with an error".to_string()]));
    assert!(told(&hasty, Verdict::Violates)[0].contains("drop-no-cancel"), "{hasty:#?}");
    let fails = drop(("mcp", "2025-11-25"), &[Wrong::Fails]);
    let unseen = told(&fails, Verdict::NotObserved);
    assert!(unseen.iter().any(|told| told.contains("drop-no-cancel") && told.contains("nothing shows")), "{fails:#?}");
    let newer = drop(("mcp", "2026-07-28"), &[]);
    assert_eq!(
        (does(&newer), told(&newer, Verdict::Violates).len()),
        (vec!["nothing more was heard of it".to_string()], 0)
    );
    // Without streams there is no such sentence.
    let piped = scored(("mcp", "2025-11-25"), false, 7, &[], &[]).0;
    assert!(piped.clauses.iter().all(|clause| !clause.id.contains("drop")));
}

/// Each way to be wrong, and the sentences that it breaks.
type Way = (Wrong, &'static [&'static str]);

/// All of them.
const WAYS: &[Way] = &[
    (Wrong::Deaf, &["no-response", "stops"]),
    (Wrong::Late, &["no-response"]),
    (Wrong::LooseIds, &["ids-typed"]),
    (Wrong::Cascade, &["others-run-on"]),
    (Wrong::GoesOn, &["stops"]),
    (Wrong::Twice, &["races"]),
    (Wrong::Replies, &["invalid-ignored"]),
    (Wrong::Dies, &["invalid-ignored", "survives"]),
    (Wrong::TaskTold, &["task-cancelled"]),
    (Wrong::TaskLater, &["task-stays"]),
    (Wrong::TaskAccepts, &["task-ended"]),
];

/// One that is deaf shows nothing of what it does with a cancel; where all cancelled requests are answered nothing shows that `"2"` cancelled 2.
fn hides(way: Wrong, other: Wrong) -> bool {
    use Wrong::{Cascade, Deaf, GoesOn, Late, LooseIds};
    matches!((way, other), (Deaf, Late | LooseIds | Cascade | GoesOn) | (Late, LooseIds))
}

#[test]
fn each_way_to_be_wrong_breaks_its_own_sentences_alone_and_with_any_other() {
    let pairs = |at: usize| (at..WAYS.len()).map(move |other| (&WAYS[at], &WAYS[other]));
    let broken = |(one, other): (&Way, &Way), seed: u64| {
        let expected = if hides(one.0, other.0) { one.1.to_vec() } else { [one.1, other.1].concat() };
        let (card, _) = scored(("mcp", "2025-11-25"), false, seed, &[one.0, other.0], &[]);
        let found = card.clauses.iter().filter(|clause| clause.verdict == Verdict::Violates);
        let names: std::collections::BTreeSet<_> = found.filter_map(|it| it.id.strip_prefix("mcp.")).collect();
        assert_eq!(
            names,
            expected.into_iter().collect(),
            "{:?} and {:?}: {:#?}",
            one.0,
            other.0,
            told(&card, Verdict::Violates)
        );
    };
    std::thread::scope(|scope| {
        for at in 0..WAYS.len() {
            scope.spawn(move || pairs(at).enumerate().for_each(|(nth, pair)| broken(pair, 100 + nth as u64)));
        }
    });
}
