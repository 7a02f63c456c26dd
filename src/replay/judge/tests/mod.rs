//! Judge, with recordings made of a few lines: the scenarios as far as they are a matter of verdicts.

mod answers;
mod cancels;
mod faults;
mod recordings;
mod run;

use super::diff::{matched, observed};
use super::*;
use crate::protocol::Side;
use crate::replay::options::{Compare, FlowRule, Gate};
use crate::replay::recording::{Connection, EventKind, Fault};
use crate::replay::run::{Anchor, Broken, CancelRun, CancelStatus, ExchangeRun, ExitRun, Extra, Fate, Refused, Unsent};
use crate::replay::testing::connection;
use crate::replay::verdict::{ExchangeReport, RunVerdict, Verdict};

const MCP: &str = "mcp 2025-11-25";

const H: &str = r#"
    0 c> {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
    5 s> {"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}}
    6 c> {"method":"notifications/initialized"}
"#;

fn call(at: i64, id: u32, name: &str, arguments: &str) -> String {
    format!(
        "{at} c> {{\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}\n"
    )
}

fn text(at: i64, id: u32, text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!("{at} s> {{\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}}}\n")
}

fn cancel(at: i64, id: u32) -> String {
    format!(
        "{at} c> {{\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id},\"reason\":\"user\"}}}}\n"
    )
}

fn session(protocol: &str, trace: &str) -> Connection {
    connection(protocol, trace)
}

fn recording(name: &str, connection: Connection) -> Recording {
    Recording { name: name.into(), format: "rec".into(), connections: vec![connection], unread: Vec::new() }
}

/// A recording, the live session that a replay of it gave, and what the engine wrote down about it.
struct Run {
    recorded: Connection,
    live: Connection,
    log: RunLog,
    options: Options,
}

impl Run {
    fn of(protocol: &str, recorded: &str, live: &str) -> Run {
        let (recorded, live) = (session(protocol, recorded), session(protocol, live));
        let options = Options::default();
        let log = observed(&recorded, &live, &matched(&recorded, &live), &options);
        Run { recorded, live, log, options }
    }

    fn mcp(recorded: &str, live: &str) -> Run {
        Run::of(MCP, &format!("{H}{recorded}"), &format!("{H}{live}"))
    }

    fn place(&self, label: &str) -> usize {
        self.recorded.exchanges.iter().position(|exchange| exchange.label() == label).expect("an exchange")
    }

    fn change(mut self, label: &str, change: impl FnOnce(&mut ExchangeRun)) -> Run {
        let place = self.place(label);
        change(&mut self.log.exchanges[place]);
        self
    }

    fn fate(self, label: &str, fate: Fate) -> Run {
        self.change(label, |run| *run = ExchangeRun { fate, ..ExchangeRun::default() })
    }

    /// What the audit says about an exchange of the live session; it points at its answer, or at its request.
    fn fault(mut self, label: &str, code: &str, certainty: &str) -> Run {
        self.live.faults.push(fault(&self.live, label, code, certainty));
        self
    }

    fn recorded_fault(mut self, label: &str, code: &str) -> Run {
        self.recorded.faults.push(fault(&self.recorded, label, code, "violation"));
        self
    }

    fn gate(mut self, gate: Gate) -> Run {
        self.options.gate = gate;
        self
    }

    fn strict(self) -> Run {
        self.gate(Gate { strict: true, ..Gate::default() })
    }

    fn compare(mut self, compare: Compare) -> Run {
        self.options.compare = compare;
        self
    }

    fn judge(&self) -> RunReport {
        let about =
            About { target: "stdio: srv".into(), speed: "fast".into(), started_us: Some(0), ..About::default() };
        let (recorded, live) = (recording("a", self.recorded.clone()), recording("b", self.live.clone()));
        judge(&recorded, &live, std::slice::from_ref(&self.log), &self.options, &about)
    }
}

fn fault(connection: &Connection, label: &str, code: &str, certainty: &str) -> Fault {
    let place = connection.exchanges.iter().position(|exchange| exchange.label() == label);
    let exchange = place.map(|place| &connection.exchanges[place]);
    let rule = crate::rules::find(code).expect("a rule");
    let severity = if certainty == "violation" { "warning" } else { "note" };
    Fault {
        code: code.into(),
        rule: rule.name.into(),
        severity: severity.into(),
        certainty: certainty.into(),
        basis: None,
        exchange: place,
        event: exchange.map(|exchange| exchange.response.unwrap_or(exchange.request)),
        summary: format!("{label}: {}", rule.summary),
    }
}

fn of<'r>(report: &'r RunReport, label: &str) -> &'r ExchangeReport {
    report.exchanges.iter().find(|entry| entry.label == label).expect("an entry")
}

/// All entries in short: `#1 same`, `#2 violates+changed`.
fn short(report: &RunReport) -> String {
    let entry = |entry: &ExchangeReport| {
        let also: String = entry.also.iter().map(|verdict| format!("+{}", verdict.as_str())).collect();
        format!("{} {}{also}", entry.label, entry.verdict.as_str())
    };
    report.exchanges.iter().map(entry).collect::<Vec<_>>().join(", ")
}

fn end(report: &RunReport) -> (RunVerdict, u8) {
    (report.verdict, report.exit)
}

const PASS: (RunVerdict, u8) = (RunVerdict::Pass, 0);

const FAIL: (RunVerdict, u8) = (RunVerdict::Fail, 1);

const LIST: &str = r#"
    10 c> {"id":2,"method":"tools/list","params":{}}
    15 s> {"id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"Y3Vyc29yLTE="}}
    20 c> {"id":3,"method":"tools/list","params":{"cursor":"Y3Vyc29yLTE="}}
    25 s> {"id":3,"result":{"tools":[{"name":"b"}]}}
"#;

fn s01() -> String {
    call(20, 2, "slow", "{}") + &cancel(320, 2) + &call(330, 3, "echo", "{\"x\":1}") + &text(332, 3, "{\"x\":1}")
}
