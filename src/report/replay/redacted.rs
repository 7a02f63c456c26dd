//! A run without its secrets.

use crate::redact::Redactor;
use crate::replay::verdict::RunReport;

/// The report with what looks like a secret replaced, in everything that came from a peer.
pub fn redacted(report: &RunReport, redactor: &mut Redactor) -> RunReport {
    let mut report = report.clone();
    let mut clean = |text: &mut String| {
        let safe = redactor.text(text);
        if *safe != **text {
            *text = safe.into_owned();
        }
    };
    for entry in &mut report.exchanges {
        clean(&mut entry.detail);
        entry.notes.iter_mut().for_each(&mut clean);
        std::iter::once(&mut entry.method).chain(&mut entry.name).for_each(&mut clean);
        for difference in &mut entry.diff {
            // A secret is often known by the name of its member alone.
            let name = difference.at.rsplit('/').next().unwrap_or("").to_string();
            for value in [&mut difference.recorded, &mut difference.live].into_iter().flatten() {
                let mut text = format!("{{{}:{value}}}", serde_json::Value::from(name.as_str()));
                let before = text.len() - value.len() - 1;
                clean(&mut text);
                *value = text.get(before..text.len() - 1).unwrap_or("").to_string();
            }
        }
        for (recorded, live) in entry.substituted.iter_mut().filter_map(|put| put.values.as_mut()) {
            clean(recorded);
            clean(live);
        }
    }
    let rest = report.notes.iter_mut().chain(&mut report.rewrites).chain(&mut report.stderr);
    let rest = rest.chain(&mut report.failure).chain(&mut report.server_end).chain([&mut report.proposed]);
    rest.for_each(&mut clean);
    [&mut report.target, &mut report.recording].into_iter().for_each(&mut clean);
    report
}
