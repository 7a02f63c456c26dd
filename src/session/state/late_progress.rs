//! Progress after a cancel, counted.

use crate::session::race::Judgement;
use crate::session::seen::Seen;

/// Progress after a cancel, of one certainty.
pub(in crate::session) struct LateProgress {
    pub(in crate::session) cancel: Seen,
    pub(in crate::session) first: Seen,
    pub(in crate::session) judgement: Judgement,
    pub(in crate::session) count: u32,
    pub(in crate::session) last: Seen,
}

/// Adds one such notification to the group of its certainty.
pub(in crate::session) fn aggregate(groups: &mut Vec<LateProgress>, seen: Seen, cancel: Seen, judgement: Judgement) {
    match groups.iter_mut().find(|group| group.judgement.certainty == judgement.certainty) {
        Some(group) => {
            group.count += 1;
            group.last = seen;
        }
        None => groups.push(LateProgress { cancel, first: seen, judgement, count: 1, last: seen }),
    }
}
