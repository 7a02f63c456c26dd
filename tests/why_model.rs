//! `why` names no pattern where both sides conform: generated traffic of every profile.
#![allow(dead_code, unused_imports, reason = "the model is shared with another test program")]

mod common;
mod model {
    pub mod chaos;
    pub mod commit;
    pub mod expect;
    pub mod fault;
    pub mod fold;
    pub mod listen;
    pub mod memory;
    pub mod opening;
    pub mod party;
    pub mod rng;
    pub mod sim;
    pub mod speech;
    pub mod turn;
    pub mod wire;
}
mod support;

use model::sim::Sim;
use model::wire::Delays;
use rpctape::capture::{Transport, Vantage};
use rpctape::protocol::{Profile, Side, profiles};
use serde_json::{Value, json};
use support::trace::{Trace, What};

/// A trace in the vectors' form.
fn vector(profile: &Profile, trace: &Trace) -> String {
    let http = trace.channel.transport == Transport::Http;
    let label = profile.label();
    let (name, revision) = label.split_once(' ').unwrap_or((&label, "2.0"));
    let meta = json!({"meta": {"protocol": name, "revision": revision, "vantage": "proxy", "head": "complete",
        "transport": if http { "http" } else { "stdio" }, "tail": "open"}});
    let mut text = format!("{meta}\n");
    for (n, step) in trace.steps.iter().enumerate() {
        let client = step.side != Some(Side::Server);
        let mut line = json!({"n": n + 1, "t": step.at_ms});
        match &step.what {
            What::Json(message) => {
                line["dir"] = if client { "c2s" } else { "s2c" }.into();
                line["msg"] = serde_json::from_str(message).expect("JSON");
            }
            What::Raw(raw) => {
                line["dir"] = if client { "c2s" } else { "s2c" }.into();
                line["raw"] = raw.clone().into();
            }
            What::Close => {
                line["ev"] = "close".into();
                line["by"] = if client { "client" } else { "server" }.into();
            }
            What::Http(_) => panic!("the model of traffic has no heads"),
            What::Stderr(_) | What::Exit(_) => panic!("the model of traffic has no processes"),
            What::Missing { .. } => panic!("the whole traffic of the model is written"),
        }
        if let Some(stream) = step.stream {
            line["stream"] = stream.into();
        }
        text.push_str(&format!("{line}\n"));
    }
    text
}

#[test]
fn conforming_traffic_names_no_pattern() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut logs = 0;
    for (nth, profile) in profiles().enumerate() {
        for seed in 0..3 {
            let sim = Sim::new(seed * 7 + nth as u64, profile, Delays::Steady, 30).run();
            let name = format!("{nth}-{seed}.jsonl");
            std::fs::write(folder.path().join(name), vector(profile, &sim.trace(Vantage::Proxy))).expect("written");
            logs += 1;
        }
    }
    assert!(logs >= 20, "{logs}");
    let said = common::run(&["why", &folder.path().display().to_string(), "--format", "json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let told: Value = serde_json::from_str(&said.out).expect("a document");
    let connections = told["connections"].as_array().expect("connections");
    assert!(connections.len() >= logs, "{}", connections.len());
    for connection in connections {
        assert_eq!(connection["patterns"], json!([]), "{connection:#}");
    }
}
