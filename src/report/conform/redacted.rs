//! A card without the secrets that a server may have said.

use crate::conform::Card;
use crate::redact::Redactor;

/// The card with what looks like a secret replaced.
pub fn redacted(card: &Card, redactor: &mut Redactor) -> Card {
    let mut card = card.clone();
    let mut clean = |text: &mut String| *text = redactor.text(text).into_owned();
    for probe in card.clauses.iter_mut().flat_map(|clause| &mut clause.probes) {
        clean(&mut probe.detail);
    }
    card.notes.iter_mut().for_each(&mut clean);
    card
}
