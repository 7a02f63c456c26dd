//! Rows without their secrets, for screens.

use crate::redact::Redactor;
use crate::report::Summary;
use crate::store::{ConnectionRow, ExchangeRow, FindingRow, MessageRow};

/// Replaces them in the words of a finding: its sentence, and all that it names. What escapes a text afterwards hides none.
pub fn words(row: &mut FindingRow, redactor: &mut Redactor) {
    let named = [&mut row.method, &mut row.name].into_iter().flatten();
    let told = [&mut row.summary, &mut row.source, &mut row.connection].into_iter().chain(named);
    told.for_each(|word| *word = redactor.text(word).into_owned());
    row.evidence.iter_mut().for_each(|evidence| names(&mut evidence.message, redactor));
}

/// Replaces them in the names of a request, before a screen cuts these: a part of a secret is none that can be found.
pub fn request(row: &mut ExchangeRow, redactor: &mut Redactor) {
    let named = std::iter::once(&mut row.method).chain(&mut row.name);
    named.for_each(|word| *word = redactor.text(word).into_owned());
}

/// Replaces them in the names of a connection and of its parties.
pub fn connection(row: &mut ConnectionRow, redactor: &mut Redactor) {
    let named = [row.client_name.as_mut(), row.server_name.as_mut()].into_iter().flatten();
    let told = [&mut row.key, &mut row.session, &mut row.source].into_iter().chain(named);
    told.for_each(|word| *word = redactor.text(word).into_owned());
}

/// Replaces them in all that a summary says of files: their names, and what stands in them.
pub fn summary(summary: &mut Summary, redactor: &mut Redactor) {
    let unread = summary.unread.iter_mut().flat_map(|one| [&mut one.source, &mut one.quote]);
    let files = summary.files.iter_mut().flat_map(|file| [&mut file.source, &mut file.why]);
    let skipped = summary.skipped.iter_mut().map(|one| &mut one.source);
    let merged = summary.merged.iter_mut().flat_map(|merged| [&mut merged.client, &mut merged.server]);
    let in_doubt = merged.flat_map(|alone| &mut alone.in_doubt);
    unread.chain(files).chain(skipped).chain(in_doubt).for_each(|word| *word = redactor.text(word).into_owned());
}

fn names(row: &mut MessageRow, redactor: &mut Redactor) {
    let named = std::iter::once(&mut row.source).chain(&mut row.method);
    named.for_each(|word| *word = redactor.text(word).into_owned());
}

/// A finding, with the messages that prove it.
pub fn finding(row: &FindingRow, redactor: &mut Redactor) -> FindingRow {
    let mut row = row.clone();
    words(&mut row, redactor);
    for evidence in &mut row.evidence {
        let own = std::mem::take(&mut evidence.message.raw);
        evidence.message.raw = own.map(|raw| text(&raw, &mut evidence.message.bytes, redactor));
    }
    row
}

/// A message. Its size becomes that of what is left, so that a text that is whole is not taken for one that was cut.
pub fn message(row: &MessageRow, redactor: &mut Redactor) -> MessageRow {
    let mut row = row.clone();
    names(&mut row, redactor);
    let own = std::mem::take(&mut row.raw);
    row.raw = own.map(|raw| text(&raw, &mut row.bytes, redactor));
    row
}

fn text(raw: &str, bytes: &mut u64, redactor: &mut Redactor) -> String {
    let shown = redactor.text(raw);
    *bytes = (*bytes + shown.len() as u64).saturating_sub(raw.len() as u64);
    shown.into_owned()
}
