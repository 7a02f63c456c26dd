//! Several connections at once, recorded at their clients and at their servers: every race is decided, the one side that is at fault is
//! charged and nobody else; a connection that only one of the logs has is judged as in that log.

use std::collections::BTreeSet;

use rpctape::capture::{Overrides, Vantage};
use rpctape::pipeline::{Met, Options, Quiet, ingest, merge};
use rpctape::protocol::by_name;
use rpctape::session::{Certainty, Settings};
use rpctape::store::{FindingFilter, FindingRow, Raw, Store};
use serde_json::{Value, json};

use super::expect;
use super::fault::Sabotage;
use super::rng::Rng;
use super::sim::Sim;
use super::wire::Delays;

/// Rules on messages that may cross.
const CROSSED: [&str; 9] = ["CAN005", "CAN010", "CAN012", "CAN019", "CAN021", "PRG002", "SES001", "SES002", "SES008"];

/// Connections of which both logs are there, one that only the client's log has, and one that only the server's has.
struct World {
    sims: Vec<Sim>,
    /// When each began, in microseconds.
    starts: Vec<i64>,
    rng: Rng,
    folder: tempfile::TempDir,
}

const BOTH: usize = 5;

impl World {
    /// `fault` is what one side of the first connection does wrong.
    fn new(seed: u64, protocol: (&str, &str), fault: Option<&'static str>) -> World {
        let mut rng = Rng::new(seed);
        let profile = by_name(protocol.0, Some(protocol.1)).expect("a profile");
        let sim = |at: usize| {
            let mut sim = Sim::new(seed * 100 + at as u64, profile, Delays::Any, 14);
            sim.cancels = true;
            sim.sabotage = fault.filter(|_| at == 0).map(Sabotage::new);
            sim.run()
        };
        let sims: Vec<Sim> = (0..BOTH + 2).map(sim).collect();
        let starts = sims.iter().map(|_| rng.between(0, 4_000_000)).collect();
        World { sims, starts, rng, folder: tempfile::tempdir().expect("a folder") }
    }

    /// The log of one side: its connections under names of its own, its clock off by hours.
    fn log(&mut self, vantage: Vantage) -> String {
        let (client, off) = (vantage == Vantage::Client, self.rng.between(-9_000_000_000, 9_000_000_000));
        let mut lines: Vec<(i64, Value)> = Vec::new();
        for (nth, sim) in self.sims.iter().enumerate() {
            if nth == if client { BOTH + 1 } else { BOTH } {
                continue;
            }
            let name = if client { format!("server {nth}") } else { format!("client {}", nth * 3 % 7) };
            for (at, message) in sim.tap(vantage) {
                let sent = &sim.sent[*message];
                let text: Value = serde_json::from_str(&sent.text).expect("JSON");
                let at = at + self.starts[nth];
                let ms = (1_795_600_000_000_000 + at + off) / 1_000;
                let dir = if sent.from == rpctape::protocol::Side::Client { "c2s" } else { "s2c" };
                lines.push((at, json!({"ts": ms as f64 / 1_000.0, "session": name, "dir": dir, "msg": text})));
            }
        }
        lines.sort_by_key(|(at, _)| *at);
        let path = self.folder.path().join(format!("{}.jsonl", vantage.as_str())).to_string_lossy().into_owned();
        std::fs::write(&path, lines.iter().map(|(_, line)| format!("{line}\n")).collect::<String>()).expect("written");
        path
    }

    fn merged(&mut self) -> (Met, Vec<FindingRow>) {
        let (client, server) = (self.log(Vantage::Client), self.log(Vantage::Server));
        let mut store = Store::temporary().expect("a store");
        let summary = merge(&mut store, [&client, &server], &options(None), &mut Quiet).expect("read");
        (summary.met.expect("two logs"), found(&store))
    }

    /// The client's log by itself.
    fn alone(&mut self) -> Vec<FindingRow> {
        let client = self.log(Vantage::Client);
        let mut store = Store::temporary().expect("a store");
        ingest(&mut store, &[client], &options(Some(Vantage::Client)), &mut Quiet).expect("read");
        found(&store)
    }
}

fn options(vantage: Option<Vantage>) -> Options {
    let settings = Settings { proof_only: true, ..Settings::default() };
    let connection_key = Some(vec!["session".to_string()]);
    Options { settings, overrides: Overrides { vantage, connection_key, ..Overrides::default() }, ..Options::default() }
}

fn found(store: &Store) -> Vec<FindingRow> {
    store.all_findings(&FindingFilter::default(), Raw::None).expect("findings")
}

fn crossed(finding: &FindingRow) -> bool {
    CROSSED.contains(&finding.code.as_str())
}

/// The connection that only the client's log has.
fn of_one_log(finding: &FindingRow) -> bool {
    finding.connection == format!("server {BOTH}") || finding.connection.starts_with("client ")
}

const PROTOCOLS: [(&str, &str); 3] = [("mcp", "2025-11-25"), ("lsp", "3.17"), ("jsonrpc", "2.0")];

#[test]
fn two_logs_of_several_connections_decide_every_race_and_accuse_nobody() {
    let mut open = 0;
    for seed in 0..60 {
        let mut world = World::new(seed, PROTOCOLS[seed as usize % 3], None);
        let (met, found) = world.merged();
        // A handshake that is refused and tried again is a connection of its own.
        let apart = met.client.in_doubt.len() + met.server.in_doubt.len();
        assert!(met.paired >= BOTH as u64 && apart == 0, "seed {seed}: {met:?}");
        assert_eq!((met.client.messages, met.server.messages), (0, 0), "seed {seed}");
        let proven = |one: &&FindingRow| one.certainty == "violation" && one.severity != "note";
        let accused: Vec<&FindingRow> = found.iter().filter(proven).collect();
        assert!(accused.is_empty(), "seed {seed}: {accused:#?}");
        let left: Vec<&FindingRow> = found.iter().filter(|one| crossed(one) && !of_one_log(one)).collect();
        assert!(left.is_empty(), "seed {seed}: {left:#?}");
        open += world.alone().iter().filter(|one| crossed(one) && !of_one_log(one)).count();
    }
    assert!(open > 100, "the clients' logs alone leave {open} races open");
}

#[test]
fn two_logs_of_several_connections_charge_the_one_at_fault() {
    let (mut proven, mut open) = (0, 0);
    for seed in 200..264 {
        let code = ["CAN010", "CAN005"][seed as usize % 2];
        let mut world = World::new(seed, ("mcp", "2025-11-25"), Some(code));
        let decider = if code == "CAN010" { Vantage::Server } else { Vantage::Client };
        let right = expect::expected(&world.sims[0], decider, &options(None).settings);
        let (met, found) = world.merged();
        assert_eq!(met.paired, BOTH as u64, "seed {seed}");
        let said: BTreeSet<(&str, &str, &str)> = (found.iter().filter(|one| crossed(one) && !of_one_log(one)))
            .map(|one| (one.connection.as_str(), one.code.as_str(), one.certainty.as_str()))
            .collect();
        let fits = said.iter().all(|(connection, said, certainty)| {
            let sure = *certainty == "violation";
            // Where the delay is that of the slack, to the millisecond, either is right: it is at fault.
            *connection == "server 0"
                && *said == code
                && (sure || right.iter().any(|right| right.as_str() == *certainty))
        });
        let sure = right != [Certainty::Violation] || said.iter().any(|(.., certainty)| *certainty == "violation");
        assert!(fits && sure && said.len() <= 1, "seed {seed}: {code} {right:?}, said {said:?}");
        proven += usize::from(right == [Certainty::Violation]);
        let alone = world.alone();
        open += usize::from(!alone.iter().any(|one| one.code == code && one.certainty == "violation"));
    }
    assert!(proven > 20 && open > 30, "{proven} proven of 64, and {open} open in the clients' logs alone");
}
