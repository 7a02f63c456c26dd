//! The test vectors: the exact set of (code, event, severity, certainty) for each of them.

mod support;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use rpctape::capture::{self, Channel, Frame, FrameSink, Overrides, Resume, Skip};
use rpctape::error::Result;
use rpctape::rules::Selection;
use rpctape::session::{Opened, Session, Settings};
use serde_json::Value;
use support::verdicts::{NoOracle, Verdicts, width};

struct Fold {
    session: Session,
    verdicts: Verdicts,
    next: u64,
    lines: HashMap<u64, u64>,
}

impl FrameSink for Fold {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        self.session.open(Opened { id: index, key: format!("v/{index}"), channel, demanded: None });
        Ok(())
    }
    fn frame(&mut self, frame: Frame<'_>) -> Result<()> {
        for id in self.next..self.next + width(&frame) {
            self.lines.insert(id, frame.line);
        }
        self.session.push(self.next, frame.channel, &frame, &mut self.verdicts);
        self.next += width(&frame);
        Ok(())
    }
    fn skipped(&mut self, _: u64, _: Skip) {}
    fn progress(&mut self, _: u64) {}
}

fn run(path: &Path) -> (Verdicts, HashMap<u64, u64>) {
    let name = path.to_string_lossy();
    let mut source = capture::open(&name, &Overrides::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut fold = Fold {
        session: Session::new(Settings::default()),
        verdicts: Verdicts::new(&Selection::default()),
        next: 1,
        lines: HashMap::new(),
    };
    source.read(0, Resume::default(), &mut fold).unwrap_or_else(|error| panic!("{name}: {error}"));
    let Fold { session, mut verdicts, lines, .. } = fold;
    session.finish(&mut NoOracle, &mut verdicts);
    (verdicts, lines)
}

/// `n` of the event on each line of a vector.
fn numbers(path: &Path) -> HashMap<u64, u64> {
    let text = std::fs::read_to_string(path).expect("the vector");
    let events = text.lines().enumerate().map(|(at, line)| (at as u64 + 1, serde_json::from_str::<Value>(line)));
    events.filter_map(|(line, event)| Some((line, event.ok()?.get("n")?.as_u64()?))).collect()
}

#[test]
fn every_vector_gives_exactly_its_findings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("expected.json")).expect("expected.json")).expect("JSON");
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
            strict.insert((finding.code, at(finding.frame), finding.basis.map(|basis| basis.as_str()), finding.exchange.map(at)));
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
