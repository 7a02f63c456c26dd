//! Records that a log of several connections lacks anywhere: what one of them shows of it, by its count of ids or by an id that both
//! sides name, holds for all.

use rustc_hash::{FxHashMap, FxHashSet};

use super::note::{Act, Note};
use crate::capture::plan::Plan;
use crate::jsonrpc::{IdCount, Ordinal};

/// How many ids without a request are remembered.
const UNASKED: usize = 64;

/// What one side of a stream asked, and what it was answered and had not asked.
#[derive(Default)]
struct Asked {
    ids: FxHashSet<u64>,
    count: IdCount,
    unasked: Vec<Ordinal>,
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
    /// Notes a message. Where its stream was `begun` in the log, nothing was asked before.
    fn note(&mut self, note: &Note, begun: bool) {
        if begun {
            self.names.note(note);
        }
        let Some(rank) = note.rank else { return };
        match note.act {
            Act::Ask | Act::Open => self.ask(note.id, rank),
            Act::Answer => self.answer(note.id, rank, begun),
            Act::Tell => {}
        }
    }

    fn ask(&mut self, id: u64, rank: Ordinal) {
        self.ids.insert(id);
        self.count.up(rank);
        self.unasked.retain(|unasked| *unasked != rank);
    }

    fn answer(&mut self, id: u64, rank: Ordinal, begun: bool) {
        let tells = begun || self.count.has_begun() && self.count.is_of(rank);
        let new = !self.ids.contains(&id) && !self.unasked.contains(&rank);
        if tells && new && self.unasked.len() < UNASKED {
            self.unasked.push(rank);
        }
    }

    /// True if requests must be missing. What is answered behind the count may be a slip of who answers, and shows nothing of others.
    fn lacks_requests(&self) -> bool {
        let passed: Vec<Ordinal> = self.unasked.iter().copied().filter(|id| !self.count.ends_before(*id)).collect();
        self.count.lacks_requests(&passed) || self.names.lacks_request()
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
        // What is named in a stream that begins before the log may have been asked there.
        side.note(note, *begun.entry(*stream).or_insert(note.act == Act::Open));
    }
    sides.values().any(Asked::lacks_requests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::Id;

    fn lacks(asked: &[i64], answered: &[i64], begun: bool) -> bool {
        let mut side = Asked::default();
        let rank = |number: &i64| Ordinal::of(&Id::Int(*number));
        asked.iter().for_each(|number| side.ask(*number as u64, rank(number)));
        answered.iter().for_each(|number| side.answer(*number as u64, rank(number), begun));
        side.lacks_requests()
    }

    #[test]
    fn what_a_count_passed_and_was_answered_is_missing() {
        assert!(lacks(&[1, 2, 4, 5], &[1, 2, 3, 4, 5], false) && lacks(&[1, 9], &[5, 6], false));
        assert!(!lacks(&[1, 9], &[5], false), "one number may be a slip");
        assert!(!lacks(&[5, 6, 7, 8], &[1, 2, 3, 9], false), "before the count, and behind it");
        assert!(!lacks(&[7, 8, 4, 9], &[4, 5, 6], false), "an id that is used again does not begin a count");
        assert!(!lacks(&[1, 2, 3], &[1, 2, 3], true) && !lacks(&[], &[1, 2], true));
        assert!(!lacks(&[i64::MIN, i64::MAX], &[0], true));
    }

    #[test]
    fn what_was_asked_before_the_log_is_not_missing() {
        assert!(lacks(&[], &[1, 2, 3], true) && !lacks(&[], &[1, 2, 3], false));
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
