//! Probes in virtual time: a server that keeps to the protocol, behind a wire that holds every message up for as long as it likes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::conform::{PROBES, Verdict, card};
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
    /// It goes on whatever is cancelled, and answers.
    deaf: bool,
    seed: u64,
    turn: u64,
    due: BTreeMap<(i64, u64), Due>,
    /// When the last message arrives, in each direction; over HTTP of each stream.
    last: BTreeMap<(bool, u32), i64>,
    open: BTreeMap<String, Work>,
    /// Streams that the client has closed.
    gone: Vec<u32>,
    /// It takes a dropped stream for a cancel, and says so on the stream that takes it up.
    hasty: bool,
}

impl Server {
    fn new(profile: &'static Profile, http: bool, seed: u64) -> Server {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Server {
            profile,
            http,
            deaf: false,
            seed,
            turn: 0,
            due: BTreeMap::new(),
            last: BTreeMap::new(),
            open: BTreeMap::new(),
            gone: Vec::new(),
            hasty: false,
        }
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
            let headers = vec![("content-type".to_string(), http::EVENT_STREAM.to_string())];
            let head = Incoming::Head { stream, method: "POST", status, headers };
            self.wire(now_us, false, stream, Due::Arrives(head));
        }
    }

    fn reads(&mut self, now_us: i64, stream: u32, text: &str) {
        let message: Value = serde_json::from_str(text).expect("what probes send is JSON");
        let method = message["method"].as_str().unwrap_or_default().to_string();
        let Some(id) = message.get("id").map(Value::to_string) else {
            self.head(now_us, stream, 202);
            self.ends(now_us, stream);
            return self.notified(now_us, &method, &message["params"]);
        };
        self.head(now_us, stream, 200);
        let plain = |result: Value| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        if method == "a/slow" {
            let token = message["params"]["_meta"]["progressToken"].clone();
            for step in 1..=4 {
                self.at(now_us + WORK_US * step / 5, Due::Progress(id.clone(), step));
            }
            self.at(now_us + WORK_US, Due::Done(id.clone()));
            self.open.insert(id, Work { stream, token });
        } else if Some(method.as_str()) == self.profile.opening.initialize {
            let hello = self.profile.hello(&id).into_iter().find(|(side, _)| *side == Side::Server);
            self.answer(now_us, stream, hello.expect("a welcome").1);
        } else if method == "ping" {
            self.answer(now_us, stream, plain(json!({})));
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
        let turns = self.profile.turns && method == "session/cancel";
        let Some((_, member)) = self.profile.cancel.filter(|(cancel, _)| !turns && *cancel == method) else {
            if turns && !self.deaf {
                for (id, work) in std::mem::take(&mut self.open) {
                    let text = self.profile.turn_cancelled(&id).expect("words");
                    self.answer(now_us, work.stream, text);
                }
            }
            return;
        };
        let Some(id) = params.get(member).map(Value::to_string).filter(|_| !self.deaf) else { return };
        let Some(work) = self.open.remove(&id) else { return };
        match self.profile.cancelled_answer(&id) {
            Some(text) => self.answer(now_us, work.stream, text),
            None => self.ends(now_us, work.stream),
        }
    }
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
        match self.due.pop_first()?.1 {
            Due::Arrives(what) => return Some(what),
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
                if self.hasty {
                    self.open.remove(&id);
                    let error = json!({"code": -32603, "message": "Request cancelled"});
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
                    self.answer(now_us, work.stream, text);
                }
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    Deaf,
    Hasty,
}

/// Plays each of these probes once against a server, and makes a card of them.
fn scored(label: (&str, &str), http: bool, seed: u64, wrong: Wrong, wanted: &[&str]) -> (Card, usize) {
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
    let speech = Speech { slow: Some(call), ..Speech::of(profile) };
    let mut jitter = Server::new(profile, http, seed);
    // What the control run would have measured.
    let (round, first) = (jitter.number(2 * JITTER_US), jitter.number(2 * JITTER_US));
    let mut plays = Vec::new();
    for probe in PROBES.iter().filter(|probe| wanted.is_empty() || wanted.contains(&probe.name)) {
        let fits = match probe.needs {
            Needs::Turns => profile.turns,
            Needs::Streams => http,
            _ => true,
        };
        let progresses = probe.needs != Needs::Progress || profile.progress == Some("notifications/progress");
        if !fits || !progresses {
            continue;
        }
        let timing = Timing { natural_us: WORK_US + round, progress_us: WORK_US / 5 + first, part: 100, storm: 5 };
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
            deaf: wrong == Wrong::Deaf,
            hasty: wrong == Wrong::Hasty,
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
        let (card, played) = scored(label, http, seed, Wrong::Nothing, &[]);
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
fn one_that_is_deaf_is_charged_behind_the_same_wire() {
    for seed in 1..=rounds() {
        let (card, _) = scored(("mcp", "2025-11-25"), false, seed, Wrong::Deaf, &["mid", "early"]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.len() == 1 && broken[0].starts_with("mcp.no-response"), "seed {seed}: {broken:#?}");
    }
}

#[test]
fn a_dropped_stream_is_no_cancel_where_it_is_none() {
    let drop = |label, wrong| scored(label, true, 7, wrong, &["http-drop"]).0;
    let does = |card: &Card| card.behaviours.iter().map(|told| told.does.clone()).collect::<Vec<_>>();
    let honest = drop(("mcp", "2025-11-25"), Wrong::Nothing);
    assert!(told(&honest, Verdict::Honoured).iter().any(|told| told.contains("drop-no-cancel")), "{honest:#?}");
    assert_eq!(does(&honest), ["nothing"]);
    let hasty = drop(("mcp", "2025-11-25"), Wrong::Hasty);
    // Whose answer comes on a stream that no request opened is not certain in a recording over HTTP, so nobody is charged.
    assert_eq!((told(&hasty, Verdict::Violates).len(), does(&hasty)), (0, vec!["ends it with an error".to_string()]));
    assert!(told(&hasty, Verdict::NotObserved).iter().any(|told| told.contains("drop-no-cancel")), "{hasty:#?}");
    let newer = drop(("mcp", "2026-07-28"), Wrong::Nothing);
    assert_eq!(
        (does(&newer), told(&newer, Verdict::Violates).len()),
        (vec!["nothing more was heard of it".to_string()], 0)
    );
    // Without streams there is no such sentence.
    let piped = scored(("mcp", "2025-11-25"), false, 7, Wrong::Nothing, &[]).0;
    assert!(piped.clauses.iter().all(|clause| !clause.id.contains("drop")));
}
