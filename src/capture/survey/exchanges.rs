//! Logs in which requests stand with their answers, as these were written when the exchange had ended.

use rustc_hash::{FxHashMap, FxHashSet};

use super::note::{Act, Note, Notes};
use crate::capture::Proof;
use crate::capture::plan::Plan;
use crate::capture::time::SECOND;

/// Takes the order out of what the log can prove, where requests were written with their answers.
pub(super) fn look(notes: &Notes, plan: &mut Plan) {
    let said = match () {
        () if on_a_line(notes) => "a line holds a request with its answer, and was written when it had one",
        () if notes.resolution_us < SECOND && one_behind_the_other(&notes.list) => {
            "requests stand right before their answers, and were written when they had them"
        }
        () => return,
    };
    let order = Proof::ORDER.and(Proof::ANSWER_TIME).and(Proof::CANCEL_TARGET);
    plan.lacks = plan.lacks.and(order).and(Proof::ALL_ANSWERS);
    plan.said.push(said.to_string());
}

/// True if answers stand right behind their requests, at the same time, and what came first stands further down: a cancel before its
/// request, or an id before those that were counted before it. A peer that answers at once leaves the first, and not the second.
fn one_behind_the_other(list: &[Note]) -> bool {
    let asks = |note: &Note| matches!(note.act, Act::Ask | Act::Open);
    let ids: FxHashSet<(u32, u64)> =
        list.iter().filter(|note| asks(note)).map(|note| (note.channel, note.id)).collect();
    let goes_with = |ask: &Note, answer: &Note| {
        let alike = (ask.channel, ask.id, ask.at_us) == (answer.channel, answer.id, answer.at_us);
        asks(ask) && alike && ask.at_us.is_some()
    };
    let together = list.windows(2).filter(|pair| pair[1].act == Act::Answer && goes_with(&pair[0], &pair[1])).count();
    let answers = list.iter().filter(|note| note.act == Act::Answer && ids.contains(&(note.channel, note.id))).count();
    together >= LINES && (answers - together) * APART <= together && stands_late(list)
}

/// True if a request stands behind its cancel, or behind one with an id that was counted later. An id that is used again is a fault.
fn stands_late(list: &[Note]) -> bool {
    let (mut cancelled, mut last) = (FxHashSet::default(), FxHashMap::default());
    let mut used = FxHashSet::default();
    list.iter().any(|note| {
        if note.target != 0 {
            cancelled.insert((note.channel, note.target));
        }
        let Some(number) = note.number.filter(|_| note.act == Act::Ask) else { return false };
        let fresh = used.insert((note.channel, note.sender, number));
        let before = last.insert((note.channel, note.sender), number);
        fresh && before.is_some_and(|before| before > number) || cancelled.contains(&(note.channel, note.id))
    })
}

/// For how many answers behind their requests one may stand elsewhere: those of a server's questions do.
const APART: usize = 4;

/// How many lines have to hold a request with its answer to be those of exchanges.
const LINES: usize = 3;

/// A line for each exchange, as servers and proxies log access, is written when it ends: which of two requests came first, and
/// what was said before an answer, the order of lines does not tell.
fn on_a_line(notes: &Notes) -> bool {
    let opened = || notes.list.iter().filter(|note| matches!(note.act, Act::Ask | Act::Open));
    let asked: FxHashSet<(u64, u64)> = opened().map(|note| (note.id, note.line)).collect();
    let ids: FxHashSet<u64> = opened().map(|note| note.id).collect();
    let (mut lines, mut apart): (FxHashMap<u64, usize>, usize) = (FxHashMap::default(), 0);
    for answer in notes.list.iter().filter(|note| note.act == Act::Answer) {
        match asked.contains(&(answer.id, answer.line)) {
            true => *lines.entry(answer.line).or_default() += 1,
            // What the server asked is answered by an exchange of its own.
            false => apart += usize::from(ids.contains(&answer.id)),
        }
    }
    let are_exchanges = |lines: &FxHashMap<u64, usize>| {
        lines.len() >= LINES && lines.values().sum::<usize>() * 2 > opened().count() && apart < lines.len()
    };
    if are_exchanges(&lines) {
        let several = lines_of_records(&notes.list);
        lines.retain(|line, _| !several.contains(line));
    }
    are_exchanges(&lines)
}

/// Lines that hold more than two times: a shipper has put several records on each, and each was written when it happened.
fn lines_of_records(list: &[Note]) -> FxHashSet<u64> {
    let mut times: FxHashMap<u64, FxHashSet<i64>> = FxHashMap::default();
    for (line, at_us) in list.iter().filter_map(|note| Some((note.line, note.at_us?))) {
        times.entry(line).or_default().insert(at_us);
    }
    times.into_iter().filter(|(_, times)| times.len() > 2).map(|(line, _)| line).collect()
}
