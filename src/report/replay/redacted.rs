//! A run without its secrets. They are replaced in what the run holds, never in what was made of it: a secret may be a word that every
//! report has.

use crate::redact::{Redactor, is_of_envelope};
use crate::replay::verdict::{ExchangeReport, RunReport};

/// The report with what looks like a secret replaced, in everything that came from a peer or from the command line. The commands in
/// `next` are lines for a shell, and come without secrets.
pub fn redacted(report: &RunReport, redactor: &mut Redactor) -> RunReport {
    let mut report = report.clone();
    report.exchanges.iter_mut().for_each(|entry| redact(entry, redactor));
    let rest = report.notes.iter_mut().chain(&mut report.rewrites).chain(&mut report.stderr);
    let rest = rest.chain(&mut report.failure).chain(&mut report.server_end).chain(&mut report.live_session);
    let rest = rest.chain([&mut report.proposed, &mut report.target, &mut report.recording]);
    rest.for_each(|text| clean(text, redactor));
    report
}

/// One exchange of it.
pub fn redact(entry: &mut ExchangeReport, redactor: &mut Redactor) {
    let ExchangeReport { label, method, name, detail, live_session, notes, captured, waited_for, retries, .. } = entry;
    let own = [label, method, detail].into_iter().chain(name).chain(live_session);
    let lists = [notes, waited_for, retries].into_iter().flatten();
    own.chain(lists).for_each(|text| clean(text, redactor));
    captured.iter_mut().for_each(|place| clean_pointer(place, redactor));
    for difference in &mut entry.diff {
        let name = last(&difference.at);
        for value in [&mut difference.recorded, &mut difference.live].into_iter().flatten() {
            clean_member(&name, value, redactor);
        }
        let words = [&mut difference.why, &mut difference.of].into_iter().flatten();
        words.for_each(|text| clean(text, redactor));
        clean_pointer(&mut difference.at, redactor);
    }
    for put in &mut entry.substituted {
        let name = last(&put.at);
        for value in put.values.iter_mut().flat_map(|(recorded, live)| [recorded, live]) {
            clean_member(&name, value, redactor);
        }
        clean(&mut put.from, redactor);
        [&mut put.at, &mut put.from_at].into_iter().for_each(|place| clean_pointer(place, redactor));
    }
}

fn clean(text: &mut String, redactor: &mut Redactor) {
    let safe = redactor.text(text);
    if *safe != **text {
        *text = safe.into_owned();
    }
}

/// A name of a member may be a secret; those that every message has are none.
fn clean_pointer(pointer: &mut String, redactor: &mut Redactor) {
    let step = |step: &str| match is_of_envelope(step) {
        true => step.to_string(),
        false => redactor.text(step).into_owned(),
    };
    *pointer = pointer.split('/').map(step).collect::<Vec<_>>().join("/");
}

/// The name of the member that a pointer leads to.
fn last(pointer: &str) -> String {
    pointer.rsplit('/').next().unwrap_or("").to_string()
}

/// A value as JSON text. A secret is often known by the name of its member alone.
fn clean_member(name: &str, value: &mut String, redactor: &mut Redactor) {
    let before = format!("{{{}:", serde_json::Value::from(name));
    let mut text = format!("{before}{value}}}");
    clean(&mut text, redactor);
    match text.strip_prefix(&before).and_then(|rest| rest.strip_suffix('}')) {
        Some(safe) => *value = safe.to_string(),
        // The name is one itself.
        None => clean(value, redactor),
    }
}
