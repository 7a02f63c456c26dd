//! Records that a log of several connections lacks anywhere: what one of them shows of it holds for all.

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
}

impl Asked {
    fn ask(&mut self, number: i64) {
        self.first.get_or_insert(number);
        self.asked.insert(number);
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
    for (note, stream) in list.iter().zip(streams) {
        let Some(number) = note.number else { continue };
        match note.act {
            Act::Ask | Act::Open => sides.entry((*stream, note.sender)).or_default().ask(number),
            Act::Answer => drop(sides.entry((*stream, note.issuers()[0])).or_default().unasked.insert(number)),
            Act::Tell => {}
        }
    }
    sides.values().any(Asked::lacks_requests)
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
}
