//! The test vectors: the exact set of (code, event, severity, certainty) for each of them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::support::captured::run;
use serde_json::Value;

/// `n` of the event on each line of a vector.
fn numbers(path: &Path) -> HashMap<u64, u64> {
    let text = std::fs::read_to_string(path).expect("the vector");
    let events = text.lines().enumerate().map(|(at, line)| (at as u64 + 1, serde_json::from_str::<Value>(line)));
    events.filter_map(|(line, event)| Some((line, event.ok()?.get("n")?.as_u64()?))).collect()
}

#[test]
fn every_vector_gives_exactly_its_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("expected.json")).expect("expected.json"))
            .expect("JSON");
    let vectors = expected["vectors"].as_object().expect("vectors");
    let mut errors = Vec::new();
    for (name, vector) in vectors {
        let path = folder.join(format!("{name}.jsonl"));
        let numbers = numbers(&path);
        let (verdicts, lines) = run(&path);
        let ignored = |code: &str| code.starts_with("CAP") || matches!(code, "CAN022" | "CAN023");
        let mut got = BTreeSet::new();
        let mut strict = BTreeSet::new();
        for finding in verdicts.findings.iter().filter(|finding| !ignored(finding.code)) {
            let at = |frame: u64| numbers[&lines[&frame]];
            let (severity, certainty) = (finding.severity.as_str(), finding.certainty.as_str());
            got.insert(format!("{} at {} {severity} {certainty}", finding.code, at(finding.frame)));
            strict.insert((
                finding.code,
                at(finding.frame),
                finding.basis.map(|basis| basis.as_str()),
                finding.exchange.map(at),
            ));
        }
        let mut want = BTreeSet::new();
        for finding in vector["findings"].as_array().expect("findings") {
            let text = |key: &str| finding[key].as_str().expect("text");
            want.insert(format!("{} at {} {} {}", text("code"), finding["at"], text("severity"), text("certainty")));
            let hit = strict.iter().find(|(code, at, ..)| *code == text("code") && Some(*at) == finding["at"].as_u64());
            let Some((_, _, basis, request)) = hit else { continue };
            if finding.get("basis").is_some() && finding["basis"].as_str() != *basis {
                errors.push(format!("{name}: {} basis {basis:?}, want {}", text("code"), finding["basis"]));
            }
            if finding.get("request").is_some() && finding["request"].as_u64() != *request {
                errors.push(format!("{name}: {} request {request:?}, want {}", text("code"), finding["request"]));
            }
        }
        if got != want {
            errors.push(format!("{name}:\n  want {want:#?}\n  got  {got:#?}"));
        }
    }
    assert!(errors.is_empty(), "{} of {}:\n{}", errors.len(), vectors.len(), errors.join("\n"));
    assert!(vectors.len() >= 54);
}
