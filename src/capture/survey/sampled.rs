//! Records that a log of several connections lacks anywhere: what one of them shows of it, by its count of ids or by an id that both
//! sides name, holds for all.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::note::{Act, Note};
use crate::capture::plan::Plan;

/// So many ids that count up are a count.
const STEADY: usize = 3;

/// What one side of a stream asked, and what of its count it was answered and had not asked, by the numbers of ids.
#[derive(Default)]
struct Asked {
    /// What it asked first: what was asked before may be answered here.
    first: Option<i64>,
    asked: BTreeSet<i64>,
    unasked: BTreeSet<i64>,
    names: Names,
}

/// Digests of ids, of what one side of a stream asked, cancelled, and was answered so that no cancel brought it about.
#[derive(Default)]
struct Names {
    asked: FxHashSet<u64>,
    cancelled: FxHashSet<u64>,
    answered: FxHashSet<u64>,
}

impl Names {
    fn note(&mut self, note: &Note) {
        match note.act {
            Act::Ask | Act::Open => drop(self.asked.insert(note.id)),
            // An error may object to a cancel: no such request.
            Act::Answer if note.marks.fails && !note.marks.cancelled => {}
            Act::Answer => drop(self.answered.insert(note.id)),
            Act::Tell => self.cancelled.extend(Some(note.target).filter(|target| *target != 0)),
        }
    }

    /// True if both sides name a request that is not there: it was sent.
    fn lacks_request(&self) -> bool {
        self.cancelled.intersection(&self.answered).any(|id| !self.asked.contains(id))
    }
}

impl Asked {
    fn ask(&mut self, number: i64) {
        self.first.get_or_insert(number);
        self.asked.insert(number);
    }

    fn number(&mut self, act: Act, number: i64) {
        match act {
            Act::Ask | Act::Open => self.ask(number),
            Act::Answer => drop(self.unasked.insert(number)),
            Act::Tell => {}
        }
    }

    /// True if requests must be missing: several that its count passed were answered, or one, and most of the count is there. What is
    /// answered before the count, or behind it, may be a slip of who answers.
    fn lacks_requests(&self) -> bool {
        let (Some(first), Some(last)) = (&self.first, self.asked.last()) else { return false };
        let within = self.unasked.range(first..last).filter(|number| !self.asked.contains(number)).count();
        let asked = self.asked.range(first..).count();
        let left_out = last.abs_diff(*first).saturating_add(1).saturating_sub(asked as u64);
        let counts = asked >= STEADY && asked as u64 > left_out;
        within > 1 || within == 1 && counts
    }
}

/// Looks at a log of several streams for one that lacks records: who left them out there may have left out others elsewhere.
pub(super) fn look(list: &[Note], streams: &[u32], plan: &mut Plan) {
    if lacks_records(list, streams) {
        plan.sampled = true;
        plan.said
            .push("one of its connections shows answers whose requests it lacks: records were left out".to_string());
    }
}

fn lacks_records(list: &[Note], streams: &[u32]) -> bool {
    if streams.iter().collect::<FxHashSet<_>>().len() < 2 {
        return false;
    }
    let mut sides: FxHashMap<(u32, u8), Asked> = FxHashMap::default();
    let mut begun: FxHashMap<u32, bool> = FxHashMap::default();
    for (note, stream) in list.iter().zip(streams) {
        let issuer = if note.act == Act::Answer { note.issuers()[0] } else { note.sender };
        let side = sides.entry((*stream, issuer)).or_default();
        if let Some(number) = note.number {
            side.number(note.act, number);
        }
        // What is named in a stream that begins before the log may have been asked there.
        if *begun.entry(*stream).or_insert(note.act == Act::Open) {
            side.names.note(note);
        }
    }
    sides.values().any(|side| side.lacks_requests() || side.names.lacks_request())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_count_passed_and_was_answered_is_missing() {
        let lacks = |asked: &[i64], answered: &[i64]| {
            let mut side = Asked { unasked: answered.iter().copied().collect(), ..Asked::default() };
            asked.iter().for_each(|number| side.ask(*number));
            side.lacks_requests()
        };
        assert!(lacks(&[1, 2, 4, 5], &[1, 2, 3, 4, 5]) && lacks(&[1, 9], &[5, 6]));
        assert!(!lacks(&[1, 9], &[5]), "one number may be a slip");
        assert!(!lacks(&[5, 6, 7, 8], &[1, 2, 3, 9]), "before the count, and behind it");
        assert!(!lacks(&[7, 8, 4, 9], &[4, 5, 6]), "an id that is used again does not begin a count");
        assert!(!lacks(&[1, 2, 3], &[1, 2, 3]) && !lacks(&[], &[1, 2]));
        assert!(!lacks(&[i64::MIN, i64::MAX], &[0]));
    }

    #[test]
    fn what_both_sides_name_and_nobody_asked_is_missing() {
        let lacks = |asked: &[u64], cancelled: &[u64], answered: &[u64]| {
            let [asked, cancelled, answered] = [asked, cancelled, answered].map(|ids| ids.iter().copied().collect());
            Names { asked, cancelled, answered }.lacks_request()
        };
        assert!(lacks(&[1], &[7], &[1, 7]));
        assert!(!lacks(&[1, 7], &[7], &[1, 7]), "it is there");
        assert!(!lacks(&[1], &[7], &[1, 8]) && !lacks(&[], &[], &[7]) && !lacks(&[], &[7], &[]), "one side alone");
    }
}
