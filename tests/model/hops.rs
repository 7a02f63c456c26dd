//! Calls through a client, a gateway and a server, each hop with a log, ids and a clock of its own: what is planted between hops is found, all of
//! it and nothing else; and whatever a gateway may do by design accuses nobody.

use std::collections::BTreeSet;

use rpctape::pipeline::{Hops, Options, Quiet, ingest};
use rpctape::store::{FindingFilter, Raw, Store};
use serde_json::{Value, json};

use super::rng::Rng;

/// What happens to a call, besides being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Answered,
    Cancelled,
    /// The hop with this number does not pass the cancel on.
    Forgotten(usize),
    /// The gateway sends it only after the cancel.
    Late,
    /// The gateway answers before the server does.
    Ahead,
    /// The gateway answers by itself.
    Cached,
    /// The first attempt of the gateway fails.
    Retried,
}

/// The logs of three hops, in milliseconds.
struct World {
    rng: Rng,
    logs: [Vec<(i64, &'static str, Value)>; 3],
    next: [i64; 3],
    faults: BTreeSet<(&'static str, String)>,
}

const TOOLS: [&str; 3] = ["gw__docs__search", "docs__search", "search"];

impl World {
    fn new(seed: u64) -> World {
        let mut world =
            World { rng: Rng::new(seed), logs: Default::default(), next: [1, 5_000, 90_000], faults: BTreeSet::new() };
        for hop in 0..3 {
            let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
            let own = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}});
            world.put(hop, 0, "c2s", json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
            world.put(hop, 5, "s2c", json!({"jsonrpc": "2.0", "id": "hello", "result": own}));
            world.put(hop, 9, "c2s", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        world
    }

    fn put(&mut self, hop: usize, at: i64, dir: &'static str, message: Value) {
        self.logs[hop].push((at, dir, message));
    }

    fn ask(&mut self, hop: usize, at: i64, query: &str) -> i64 {
        let id = self.next[hop];
        self.next[hop] += 1;
        let params = json!({"name": TOOLS[hop], "arguments": {"q": query, "limit": 5}, "_meta": {"progressToken": id}});
        self.put(hop, at, "c2s", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        id
    }

    fn answer(&mut self, hop: usize, at: i64, id: i64) {
        self.put(hop, at, "s2c", json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}));
    }

    fn cancel(&mut self, hop: usize, at: i64, id: i64) {
        let params = json!({"requestId": id, "reason": "stopped"});
        self.put(hop, at, "c2s", json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// One way between hops: 1 to 8 ms.
    fn way(&mut self) -> i64 {
        self.rng.between(1, 8)
    }

    fn call(&mut self, fate: Fate, query: &str) {
        let (start, work) = (1_000 + self.rng.between(0, 6_000), self.rng.between(40, 3_000));
        let top = self.ask(0, start, query);
        let at = [start, start + self.way(), start + 8 + self.way()];
        match fate {
            Fate::Cached => self.answer(0, start + 1, top),
            Fate::Late => {
                self.cancel(0, start + 300, top);
                let sent = start + 2_000 + self.way();
                let (middle, last) = (self.ask(1, sent, query), self.ask(2, sent + 3, query));
                self.answer(2, sent + 60, last);
                self.answer(1, sent + 65, middle);
                self.faults.insert(("HOP002", format!("#{top} ")));
            }
            Fate::Retried => {
                let first = self.ask(1, at[1], query);
                self.put(
                    1,
                    at[1] + 20,
                    "s2c",
                    json!({"jsonrpc": "2.0", "id": first, "error": {"code": -32603, "message": "busy"}}),
                );
                let (middle, last) = (self.ask(1, at[1] + 50, query), self.ask(2, at[1] + 55, query));
                self.answer(2, at[1] + 60 + work, last);
                self.answer(1, at[1] + 64 + work, middle);
                self.answer(0, at[1] + 69 + work, top);
            }
            _ => self.passed_on(fate, [top, self.next[1], self.next[2]], at, work, query),
        }
    }

    /// A call that reaches the server at once.
    fn passed_on(&mut self, fate: Fate, ids: [i64; 3], at: [i64; 3], work: i64, query: &str) {
        self.ask(1, at[1], query);
        self.ask(2, at[2], query);
        let over = at[2] + work;
        match fate {
            Fate::Cancelled | Fate::Forgotten(_) => {
                let reach = if let Fate::Forgotten(hop) = fate { hop } else { 3 };
                (0..reach.min(3)).for_each(|hop| self.cancel(hop, over + 6 * hop as i64, ids[hop]));
                // What nobody cancels comes to its end.
                (reach..3).for_each(|hop| self.answer(hop, over + 2_600 - 5 * hop as i64, ids[hop]));
                if let Fate::Forgotten(hop) = fate {
                    let of = format!("#{} ", ids[hop - 1]);
                    self.faults.extend([("HOP001", of.clone()), ("HOP002", of)]);
                }
            }
            Fate::Ahead => {
                self.answer(0, at[1] + 30, ids[0]);
                self.answer(2, over + 900, ids[2]);
                self.answer(1, over + 905, ids[1]);
                self.faults.insert(("HOP003", format!("#{} ", ids[0])));
            }
            _ => (0..3).for_each(|hop| self.answer(hop, over + 5 * (2 - hop as i64), ids[hop])),
        }
    }

    /// What is found between the hops: code, request and certainty. Each hop has its own clock.
    fn judged(&mut self) -> Vec<(String, String, String)> {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut files, mut hops) = (Vec::new(), Hops::default());
        for (hop, name) in ["client", "gateway", "server"].into_iter().enumerate() {
            let off = self.rng.between(-3_000_000, 3_000_000);
            self.logs[hop].sort_by_key(|(at, ..)| *at);
            let line = |(at, dir, message): &(i64, &str, Value)| {
                let ts = (1_795_600_000_000 + at + off) as f64 / 1_000.0;
                format!("{}\n", json!({"ts": ts, "dir": dir, "msg": message}))
            };
            let path = folder.path().join(format!("{name}.jsonl")).to_string_lossy().into_owned();
            std::fs::write(&path, self.logs[hop].iter().map(line).collect::<String>()).expect("written");
            hops.names.push(name.to_string());
            hops.of.insert(path.clone(), hop);
            files.push(path);
        }
        let mut store = Store::temporary().expect("a store");
        let options = Options { hops, ..Options::default() };
        ingest(&mut store, &files, &options, &mut Quiet).expect("read");
        let found = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
        let of_hops = found.into_iter().filter(|finding| finding.code.starts_with("HOP"));
        let request = |summary: &str| summary.split(' ').next().map(|name| format!("{name} ")).unwrap_or_default();
        of_hops.map(|finding| (finding.code, request(&finding.summary), finding.certainty)).collect()
    }
}

#[test]
fn every_fault_between_three_hops_is_found_among_200_calls_at_once_and_nothing_else() {
    for seed in 0..4 {
        let mut world = World::new(seed);
        for nth in 0..200 {
            let fates =
                [Fate::Forgotten(1), Fate::Forgotten(2), Fate::Late, Fate::Ahead, Fate::Cancelled, Fate::Cancelled];
            let fate = if world.rng.chance(40) { *world.rng.pick(&fates) } else { Fate::Answered };
            world.call(fate, &format!("question {nth}"));
        }
        let found = world.judged();
        assert!(found.iter().all(|(.., certainty)| certainty == "violation"), "{found:?}");
        let found: BTreeSet<(String, String)> = found.into_iter().map(|(code, request, _)| (code, request)).collect();
        let planted = world.faults.iter().map(|(code, request)| (code.to_string(), request.clone())).collect();
        assert_eq!(found, planted, "seed {seed}");
        assert!(found.len() > 40);
    }
}

/// Equal questions at one time, answers out of a cache, second attempts, and another client of the gateway whose log is not there.
#[test]
fn what_a_gateway_may_do_accuses_nobody() {
    for seed in 100..116 {
        let mut world = World::new(seed);
        for nth in 0..120 {
            let fates = [Fate::Cancelled, Fate::Cached, Fate::Retried];
            let fate = if world.rng.chance(40) { *world.rng.pick(&fates) } else { Fate::Answered };
            let query =
                if world.rng.chance(30) { world.rng.between(0, 4).to_string() } else { format!("question {nth}") };
            world.call(fate, &query);
            if seed % 2 == 0 && world.rng.chance(20) {
                let (at, query) = (world.rng.between(1_000, 7_000), world.rng.between(0, 9).to_string());
                let (middle, last) = (world.ask(1, at, &query), world.ask(2, at + 4, &query));
                world.answer(2, at + 4_000, last);
                world.answer(1, at + 4_004, middle);
            }
        }
        let found = world.judged();
        assert!(found.iter().all(|(.., certainty)| certainty != "violation"), "seed {seed}: {found:?}");
    }
}
