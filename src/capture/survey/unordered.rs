//! Lines of which nothing tells what comes first of them and what stands beside them.

use rustc_hash::FxHashSet;

use super::note::{Act, NEAR, Note, Notes};

/// Up to so much earlier may a message be logged than what it is about, by a second thread that writes the log, in microseconds.
const SWAPPED_US: i64 = 100_000;

/// Lines that stand in another order in the log than by their times, which are the `order`: a record that came late, or behind the
/// step of a clock, and what it goes past.
pub(super) fn contradicted(notes: &Notes, order: &[usize], groups: &[u32]) -> FxHashSet<u64> {
    let mut found = FxHashSet::default();
    let mut last: rustc_hash::FxHashMap<u32, usize> = Default::default();
    for at in order {
        let last = last.entry(groups[*at]).or_insert(*at);
        (*last > *at).then(|| found.insert(notes.list[*at].line));
        *last = (*last).max(*at);
    }
    let mut next: rustc_hash::FxHashMap<u32, usize> = Default::default();
    for at in order.iter().rev() {
        let next = next.entry(groups[*at]).or_insert(*at);
        (*next < *at).then(|| found.insert(notes.list[*at].line));
        *next = (*next).min(*at);
    }
    found
}

/// Lines that stand just before the request of the other side that gives what they are about: a progress token, a subscription. Two
/// threads that write one log swap such.
pub(super) fn swapped(notes: &Notes, order: &[usize], groups: &[u32]) -> FxHashSet<u64> {
    let (mut given, mut asked, mut found) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    for (place, at) in order.iter().enumerate() {
        let (note, group) = (&notes.list[*at], groups[*at]);
        if note.act != Act::Tell {
            given.insert((group, note.token));
            asked.insert((group, note.id));
            continue;
        }
        let strange = note.token != 0 && !given.contains(&(group, note.token));
        if !strange && (note.about == 0 || asked.contains(&(group, note.about))) {
            continue;
        }
        let behind = &order[place + 1..order.len().min(place + 1 + NEAR)];
        if let Some(far) = behind.iter().position(|later| groups[*later] == group && gives(&notes.list[*later], note)) {
            found.extend(order[place..=place + 1 + far].iter().map(|at| notes.list[*at].line));
        }
    }
    found
}

/// True for a request that gives what a message is about, and may have been sent before it.
fn gives(request: &Note, of: &Note) -> bool {
    let is_about = of.token != 0 && request.token == of.token || of.about != 0 && request.id == of.about;
    let by_other = request.sender != of.sender || of.sender == 2;
    let soon = of.at_us.zip(request.at_us).is_none_or(|(told, asked)| asked - told <= SWAPPED_US);
    matches!(request.act, Act::Ask) && is_about && by_other && soon
}
