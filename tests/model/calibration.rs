//! How often each basis accuses wrongly, and how often it finds the fault: one cancelled call of MCP 2025-11-25 after ten quick
//! exchanges, over a grid of one-way delays and their spread.
//!
//! A conforming server sends its answer before the cancel is there, so that the two cross on the wire; a guilty one answers up to ten
//! one-way delays after the cancel has come.

use std::fmt::Write;

use rpctape::capture::Vantage;
use rpctape::rules::Selection;
use rpctape::session::{Basis, Certainty, Settings};

use super::rng::Rng;
use crate::support::trace::{Trace, parse_trace};
use crate::support::verdicts::judge;

/// One point of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub vantage: Vantage,
    /// One way, in milliseconds.
    pub base_ms: f64,
    /// Spread of the logarithm of a delay.
    pub sigma: f64,
}

/// What became of the answers after a cancel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// By content, causal and vantage.
    pub proven: u32,
    /// By the round trip.
    pub rtt: u32,
}

/// All points.
pub fn grid() -> impl Iterator<Item = Point> {
    let vantages = [Vantage::Client, Vantage::Proxy, Vantage::Server];
    vantages.into_iter().flat_map(|vantage| {
        [1.0, 20.0, 80.0]
            .into_iter()
            .flat_map(move |base_ms| [0.1, 0.4, 0.8].into_iter().map(move |sigma| Point { vantage, base_ms, sigma }))
    })
}

/// Both servers at one point, so many times each.
pub fn measure(point: Point, runs: u32, seed: u64) -> [Tally; 2] {
    [false, true].map(|guilty| of_one(point, guilty, runs, seed))
}

fn of_one(point: Point, guilty: bool, runs: u32, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for run in 0..runs {
        let mut session = Session::new(point, seed ^ u64::from(run) << 8 ^ u64::from(guilty));
        let found = judge(&session.trace(guilty), Settings::default(), &Selection::default()).0.findings;
        let late = found.iter().find(|one| one.code == "CAN010" && one.certainty == Certainty::Violation);
        match late.map(|one| one.basis) {
            Some(Some(Basis::Rtt)) => tally.rtt += 1,
            Some(_) => tally.proven += 1,
            None => {}
        }
    }
    tally
}

/// What share of answers that crossed a cancel are taken for late ones, at each vantage and delay of this spread, as text.
pub fn crossings(sigma: f64, runs: u32) -> String {
    let points: Vec<Point> = grid().filter(|point| point.sigma == sigma).collect();
    let wrong = points.iter().map(|point| of_one(*point, false, runs, 11)).map(|tally| tally.proven + tally.rtt);
    let wrong: Vec<u32> = wrong.collect();
    let (sum, all) = (wrong.iter().sum::<u32>(), runs * points.len() as u32);
    format!("spread {sigma}: {sum} of {all} crossings, {:.4} %; {wrong:?}", f64::from(sum) * 100.0 / f64::from(all))
}

/// The table for `docs/certainty.md`.
pub fn table(runs: u32) -> String {
    let mut text = String::from(
        "| taken at | one way, spread | accused wrongly: by proof, by rtt | found: by proof, by rtt |\n|---|---|---|---|\n",
    );
    for point in grid() {
        let [innocent, guilty] = measure(point, runs, 7);
        let share = |count: u32| format!("{:.1} %", f64::from(count) * 100.0 / f64::from(runs));
        let of = |tally: Tally| format!("{}, {}", share(tally.proven), share(tally.rtt));
        let place = format!("{} ms, {}", point.base_ms, point.sigma);
        let _ = writeln!(text, "| {} | {place} | {} | {} |", point.vantage.as_str(), of(innocent), of(guilty));
    }
    text
}

/// A connection as its messages pass the tap.
struct Session {
    point: Point,
    rng: Rng,
    /// When the last message of each direction arrived: the channel is ordered.
    last: [f64; 2],
    /// Time at the tap, side, message.
    seen: Vec<(f64, &'static str, String)>,
}

impl Session {
    fn new(point: Point, seed: u64) -> Session {
        Session { point, rng: Rng::new(seed), last: [0.0; 2], seen: Vec::new() }
    }

    fn unit(&mut self) -> f64 {
        self.rng.between(1, 1_000_000) as f64 / 1_000_001.0
    }

    /// One way: log-normal around the base.
    fn delay(&mut self) -> f64 {
        let (u, v) = (self.unit(), self.unit());
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        self.point.base_ms * (self.point.sigma * normal).exp()
    }

    /// A message that is sent at `at`; gives when it arrives.
    fn send(&mut self, at: f64, from: &'static str, text: String) -> f64 {
        let lane = usize::from(from == "server");
        let arrives = (at + self.delay()).max(self.last[lane]);
        self.last[lane] = arrives;
        let near = match (self.point.vantage, from) {
            (Vantage::Client, "client") | (Vantage::Server, "server") => at,
            (Vantage::Client, _) | (Vantage::Server, _) => arrives,
            _ => (at + arrives) / 2.0,
        };
        self.seen.push((near, from, text));
        arrives
    }

    /// A request that is answered at once; gives when the client has the answer.
    fn quick(&mut self, at: f64, id: u32, method: &str, params: &str, result: &str) -> f64 {
        let asked = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let there = self.send(at, "client", asked);
        let work = 2.0 * -self.unit().ln();
        self.send(there + work, "server", format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    }

    fn trace(&mut self, guilty: bool) -> Trace {
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        let answer =
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
        let mut now = self.quick(1_000.0, 0, "initialize", hello, answer);
        self.send(now, "client", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into());
        for id in 1..=10 {
            now = self.quick(now + 50.0, id, "ping", "{}", "{}");
        }
        let call = r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"a"}}"#;
        let began = self.send(now + 50.0, "client", call.into());
        let cancelled = began + 20.0 * self.point.base_ms + 500.0;
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":11}}"#;
        let there = self.send(cancelled, "client", cancel.into());
        let part = self.unit();
        let back = self.delay();
        let at = match guilty {
            true => there + 10.0 * part * self.point.base_ms,
            // It leaves before the cancel comes, and arrives after that was sent.
            false => there - part * (there - cancelled + back).min(there - began),
        };
        // Half of the clients ask something else meanwhile, which is answered at once.
        if self.rng.chance(50) {
            let asked = cancelled + 2.0 * self.point.base_ms * self.unit();
            self.meanwhile(asked, at);
        }
        self.send(at, "server", r#"{"jsonrpc":"2.0","id":11,"result":{"content":[]}}"#.into());
        self.seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let lines = self.seen.iter().map(|(at, side, text)| format!("{} {side} {text}", at.round() as i64));
        let lines: Vec<String> = lines.collect();
        parse_trace(&format!("mcp 2025-11-25 vantage={}", self.point.vantage.as_str()), &lines.join("\n"))
    }

    /// A ping whose answer leaves before the late one, where it comes in time for that.
    fn meanwhile(&mut self, at: f64, before: f64) {
        let there = self.send(at, "client", r#"{"jsonrpc":"2.0","id":12,"method":"ping"}"#.into());
        if there < before {
            self.send(there, "server", r#"{"jsonrpc":"2.0","id":12,"result":{}}"#.into());
        }
    }
}
