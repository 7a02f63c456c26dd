//! Rows without their secrets, for screens.

use crate::redact::Redactor;
use crate::store::{FindingRow, MessageRow};

/// A finding, with the messages that prove it.
pub fn finding(row: &FindingRow, redactor: &mut Redactor) -> FindingRow {
    let mut row = row.clone();
    for word in [&mut row.summary, &mut row.source, &mut row.connection] {
        *word = redactor.text(word).into_owned();
    }
    for evidence in &mut row.evidence {
        evidence.message.source = redactor.text(&evidence.message.source).into_owned();
        let own = std::mem::take(&mut evidence.message.raw);
        evidence.message.raw = own.map(|raw| text(&raw, &mut evidence.message.bytes, redactor));
    }
    row
}

/// A message. Its size becomes that of what is left, so that a text that is whole is not taken for one that was cut.
pub fn message(row: &MessageRow, redactor: &mut Redactor) -> MessageRow {
    let mut row = row.clone();
    let own = std::mem::take(&mut row.raw);
    row.raw = own.map(|raw| text(&raw, &mut row.bytes, redactor));
    row
}

fn text(raw: &str, bytes: &mut u64, redactor: &mut Redactor) -> String {
    let shown = redactor.text(raw);
    *bytes = (*bytes + shown.len() as u64).saturating_sub(raw.len() as u64);
    shown.into_owned()
}
