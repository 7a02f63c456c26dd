//! The fold over several traces at once, each a connection of its own, with their frames interleaved.

use std::collections::HashMap;

use rpctape::finding::Finding;
use rpctape::rules::Selection;
use rpctape::session::{FrameId, Nobody, Opened, Session, Settings};

use super::rng::Rng;
use crate::support::trace::Trace;
use crate::support::verdicts::{Verdicts, width};

/// What is said of each trace, as text with frames numbered within the trace.
pub fn fold(traces: &[Trace], settings: Settings, mut order: Rng) -> Vec<Vec<String>> {
    let mut session = Session::new(settings);
    let mut verdicts = Verdicts::new(&Selection::default());
    for (index, trace) in traces.iter().enumerate() {
        let (id, key) = (index as u32, format!("t/{index}"));
        session.open(Opened { id, key, channel: trace.channel.clone(), demanded: None });
    }
    let mut places: HashMap<FrameId, usize> = HashMap::new();
    let mut left: Vec<(usize, usize)> = (0..traces.len()).map(|index| (index, 0)).collect();
    let mut next = 1;
    left.retain(|(index, _)| !traces[*index].steps.is_empty());
    while !left.is_empty() {
        let at = (order.number() % left.len() as u64) as usize;
        let (index, step) = left[at];
        let trace = &traces[index];
        let frame = trace.frame(step);
        for id in next..next + width(&frame) {
            places.insert(id, step + 1);
        }
        session.push(next, index as u32, &frame, &mut verdicts);
        next += width(&frame);
        left[at].1 += 1;
        if left[at].1 == trace.steps.len() {
            left.remove(at);
        }
    }
    session.finish(&mut Nobody, &mut verdicts);
    let mut said = vec![Vec::new(); traces.len()];
    for finding in &verdicts.findings {
        said[finding.connection as usize].push(line(finding, &places));
    }
    said
}

fn line(finding: &Finding, places: &HashMap<FrameId, usize>) -> String {
    let evidence: Vec<_> = finding.evidence.iter().map(|item| (item.role, places[&item.frame])).collect();
    let (code, at) = (finding.code, places[&finding.frame]);
    format!("{code} at {at} {:?} {:?} {evidence:?} {}", finding.certainty, finding.basis, finding.summary)
}
