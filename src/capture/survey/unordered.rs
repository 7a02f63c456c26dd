//! Lines of which nothing tells what comes first of them and what stands beside them.

use rustc_hash::{FxHashMap, FxHashSet};

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

/// Lines of one time, where records of a stream stand singly out of the order of their times, which is that of the log no more than that
/// of the wire.
pub(super) fn at_one_time(notes: &Notes, base: &[usize], groups: &[u32]) -> FxHashSet<u64> {
    if stand_singly(notes, base, groups) { of_one_time(notes, groups) } else { FxHashSet::default() }
}

/// Lines that share their stream and their time with others. A request with its answer has but one order.
pub(super) fn of_one_time(notes: &Notes, groups: &[u32]) -> FxHashSet<u64> {
    let mut alike: FxHashMap<(u32, i64), Vec<&Note>> = FxHashMap::default();
    for (note, group) in notes.list.iter().zip(groups) {
        if let Some(at_us) = note.at_us {
            alike.entry((*group, at_us)).or_default().push(note);
        }
    }
    alike.retain(|_, alike| alike.len() > 1 && !is_exchange(alike));
    alike.into_values().flatten().map(|note| note.line).collect()
}

/// True where the order of the times puts records of a stream between those of another run of it. Runs that come one behind the other are
/// parts of a log, and each is in its own order.
fn stand_singly(notes: &Notes, base: &[usize], groups: &[u32]) -> bool {
    let mut streams: FxHashMap<u32, Vec<(i64, i64)>> = FxHashMap::default();
    for at in base {
        let Some(at_us) = notes.list[*at].at_us else { continue };
        let runs = streams.entry(groups[*at]).or_default();
        match runs.last_mut().filter(|run| run.1 <= at_us) {
            Some(run) => run.1 = at_us,
            None => runs.push((at_us, at_us)),
        }
    }
    streams.values_mut().any(|runs| {
        runs.sort_unstable();
        runs.windows(2).any(|pair| pair[1].0 < pair[0].1)
    })
}

/// True for a request and its answer.
fn is_exchange(alike: &[&Note]) -> bool {
    let is_asked = |note: &Note| matches!(note.act, Act::Ask | Act::Open);
    let answers = |one: &Note, other: &Note| {
        one.act == Act::Answer && is_asked(other) && one.id == other.id && one.issuers().contains(&other.sender)
    };
    matches!(alike, [one, other] if answers(one, other) || answers(other, one))
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

/// Lines from the end of a handshake to the answer that it follows, where the two have one time: two threads that write one log swap such.
pub(super) fn greeted_at_once(notes: &Notes, order: &[usize], groups: &[u32]) -> FxHashSet<u64> {
    let mut openings: FxHashMap<u32, u64> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for (place, at) in order.iter().enumerate() {
        let (note, group) = (&notes.list[*at], groups[*at]);
        match note.act {
            Act::Open => drop(openings.insert(group, note.id)),
            Act::Answer if openings.get(&group) == Some(&note.id) => drop(openings.remove(&group)),
            _ => {}
        }
        let Some(opening) = openings.get(&group).filter(|_| note.marks.greets && note.at_us.is_some()) else {
            continue;
        };
        let behind = &order[place + 1..order.len().min(place + 1 + NEAR)];
        let is_answer = |later: &Note| later.act == Act::Answer && later.id == *opening && later.at_us == note.at_us;
        if let Some(far) = behind.iter().position(|later| groups[*later] == group && is_answer(&notes.list[*later])) {
            found.extend(order[place..=place + 1 + far].iter().map(|at| notes.list[*at].line));
        }
    }
    found
}

/// Lines between what was sent and what it was sent for, where it is written down only then: what was read there may have been read
/// behind it. It matters for both ends of a handshake, and for cancels of what was answered in between.
pub(super) fn sent_late(notes: &Notes, order: &[usize], groups: &[u32]) -> FxHashSet<u64> {
    let mut openings: FxHashMap<u32, u64> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for (place, at) in order.iter().enumerate() {
        let (sent, group) = (&notes.list[*at], groups[*at]);
        if sent.act == Act::Open {
            openings.insert(group, sent.id);
        }
        let ends = sent.marks.greets || sent.act == Act::Answer && openings.get(&group) == Some(&sent.id);
        if !sent.sent || !ends && sent.target == 0 {
            continue;
        }
        let near = order[place.saturating_sub(NEAR)..place].iter().filter(|other| groups[**other] == group);
        let near: Vec<&Note> = near.map(|other| &notes.list[*other]).collect();
        let is_cause = |other: &&Note| match (sent.act, sent.target) {
            (Act::Answer, _) => other.act == Act::Open,
            (_, 0) => other.act == Act::Answer && openings.get(&group) == Some(&other.id),
            (_, target) => other.act == Act::Ask && other.id == target && other.sent,
        };
        let between = &near[near.iter().rposition(is_cause).map_or(0, |cause| cause + 1)..];
        let is_answered = |other: &&Note| other.act == Act::Answer && other.id == sent.target && !other.sent;
        // What stands right behind its cause can have no other place.
        if !between.is_empty() && (ends || between.iter().any(is_answered)) {
            found.extend(between.iter().map(|other| other.line).chain([sent.line]));
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
