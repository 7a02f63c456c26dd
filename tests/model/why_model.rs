//! `why` names no pattern where both sides conform: generated traffic of every profile.

use super::sim::Sim;
use super::wire::Delays;
use crate::support::vector::vector;
use rpctape::capture::Vantage;
use rpctape::protocol::profiles;
use serde_json::{Value, json};

#[test]
fn conforming_traffic_names_no_pattern() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut logs = 0;
    for (nth, profile) in profiles().enumerate() {
        for seed in 0..3 {
            let sim = Sim::new(seed * 7 + nth as u64, profile, Delays::Steady, 30).run();
            let name = format!("{nth}-{seed}.jsonl");
            std::fs::write(
                folder.path().join(name),
                vector(profile, &sim.trace(Vantage::Proxy), "proxy").expect("a log"),
            )
            .expect("written");
            logs += 1;
        }
    }
    assert!(logs >= 20, "{logs}");
    let said = crate::common::run(&["why", &folder.path().display().to_string(), "--format", "json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let told: Value = serde_json::from_str(&said.out).expect("a document");
    let connections = told["connections"].as_array().expect("connections");
    assert!(connections.len() >= logs, "{}", connections.len());
    for connection in connections {
        assert_eq!(connection["patterns"], json!([]), "{connection:#}");
    }
}
