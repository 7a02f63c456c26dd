//! The order of records: as written, turned round, by their times, or with an answer put behind its request.

use rustc_hash::FxHashSet;

use super::note::{Act, NEAR, Note, Notes};
use super::pairing::{Score, score};
use super::unordered;
use crate::capture::Proof;
use crate::capture::plan::{Order, Plan, Rank};
use crate::capture::time::SECOND;

/// How many answers before their requests tell that a log is turned round.
const AHEAD: usize = 3;

/// What is said of a log that was turned round.
const NEWEST_FIRST: &str = "it stands newest first, and was turned round";

/// The order in which the notes pair best; one that is as written unless another one is better.
pub(super) fn choose(notes: &Notes, groups: &[u32], plan: &mut Plan) -> Vec<usize> {
    let list = &notes.list;
    let as_written: Vec<usize> = (0..list.len()).collect();
    let before = score(list, &as_written, groups);
    let reversed: Vec<usize> = as_written.iter().rev().copied().collect();
    let (steps, on) = steps(notes, groups);
    let base = if steps > on { &reversed } else { &as_written };
    let mut best = (before, as_written.clone(), String::new());
    let mut as_good = false;
    // Ids that were counted in the order of the records speak for that one, whichever it is: times alone tell.
    if notes.counts_ids && steps > on {
        let order = by_time(notes, &reversed);
        plan.order = ranked(notes, &order);
        plan.said.push(NEWEST_FIRST.to_string());
        return order;
    }
    let mut suppose = |order: Vec<usize>, said: String| {
        let found = score(list, &order, groups);
        if found.disorder() < best.0.disorder() {
            best = (found, order, said);
        }
    };
    let coarse = notes.resolution_us >= SECOND;
    let mut set_back = steps == 1 && was_set_back(notes);
    if steps > 0 {
        // Where most times go on, a few that do not make nothing newest first, however well it would pair; where most go back,
        // of equal times the last is the oldest.
        let newest_first = steps > on;
        if newest_first {
            suppose(reversed.clone(), NEWEST_FIRST.to_string());
        }
        let said = match newest_first {
            true => "it stands newest first but for some of its records, and was put into the order of their times"
                .to_string(),
            false => format!("{steps} of its records stand out of the order of their times, and were put into it"),
        };
        suppose(by_time(notes, base), said.clone());
        // Where nothing speaks for either order, a record that merely came late belongs where its time is. A count that would
        // become two speaks for the one that it has.
        if best.1 == as_written {
            let order = by_time(notes, base);
            let found = score(list, &order, groups);
            set_back |= steps == 1 && was_set_back_far(&notes.list, &before, &found);
            let alike =
                !coarse && found.disorder() == best.0.disorder() && found.two_counts <= before.two_counts && !set_back;
            let late = alike && are_late(notes);
            // What stands behind a handshake is not put before it for its time alone: the log would begin amid the work.
            as_good = alike && !(late && found.unopened > before.unopened);
            if late {
                plan.unordered = unordered::contradicted(notes, &order, groups);
            }
            if late && as_good {
                best = (found, order, said);
            }
        }
    }
    // Where no time tells an order, what nobody does throughout does: answer first, and be asked then.
    if steps + on == 0 && before.ahead >= AHEAD && score(list, &reversed, groups).disorder() == 0 {
        best = (score(list, &reversed, groups), reversed.clone(), NEWEST_FIRST.to_string());
    }
    let opening = list.iter().position(|note| note.act == Act::Open);
    if let Some(at) = opening.filter(|at| *at > 0 && list.iter().all(|note| note.at_us.is_none())) {
        let order: Vec<usize> = (at..list.len()).chain(0..at).collect();
        let found = score(list, &order, groups);
        // A handshake amid the work is a second one, unless what stands before it goes on with what follows; an answer that was written
        // down just before its request explains it with less.
        let swapped = score(list, &answers_behind(notes, &as_written, groups).0, groups);
        let least = best.0.disorder().min(swapped.disorder() + 1);
        if found.stray < before.stray && found.disorder() < least {
            best = (found, order, "its end stands before its beginning, and was put behind it".to_string());
        }
    }
    let (now, order, said) = best;
    let is_sorted = order != as_written;
    let (order, said) = match answers_behind(notes, &order, groups) {
        (moved, 0) => (moved, said),
        (moved, count) if score(list, &moved, groups).faults() < now.faults() => {
            if steps + on == 0 {
                plan.lacks = plan.lacks.and(Proof::ORDER);
                plan.said.push("no time of its records tells what came first".to_string());
            }
            // What has one time with these was written in no order, either. Of a whole second that would be nearly all.
            if !coarse {
                plan.unordered.extend(unordered::of_one_time(notes, groups));
            }
            (moved, format!("{count} answers stand just before their request, and were put behind it"))
        }
        _ => (order, said),
    };
    plan.unordered.extend(unordered::swapped(notes, &order, groups));
    plan.unordered.extend(unordered::greeted_at_once(notes, &order, groups));
    if notes.sends_late {
        plan.unordered.extend(unordered::sent_late(notes, &order, groups));
    }
    // Nobody answers what was not asked: who wrote these down, or the clocks that they were put in order by, did not agree.
    if score(list, &order, groups).ahead > 0 {
        plan.lacks = plan.lacks.and(Proof::ORDER);
        plan.said.push("answers stand before their requests, where their times have them, too".to_string());
    }
    if coarse && counts_back(notes, &order, groups) {
        plan.lacks = plan.lacks.and(Proof::ORDER);
        plan.said.push("ids that count up stand out of their order within a second".to_string());
    }
    if order == as_written {
        let why = match before.order_may_explain() {
            true => "neither is right throughout",
            false => "nothing tells which is right",
        };
        // A clock that jumps takes nothing from the order in which one process wrote.
        if steps > 0 && !set_back && (as_good || before.order_may_explain()) {
            plan.lacks = plan.lacks.and(Proof::ORDER);
            plan.said.push(format!("the times of its records contradict their order, and {why}"));
        }
        return order;
    }
    if coarse && steps > 0 && score(list, &order, groups).order_may_explain() {
        plan.lacks = plan.lacks.and(Proof::ORDER);
        plan.said.push("its clock of whole seconds does not tell what came first within one".to_string());
    }
    if is_sorted {
        plan.unordered.extend(unordered::at_one_time(notes, base, groups));
    }
    plan.order = ranked(notes, &order);
    plan.said.push(said);
    order
}

/// True where a clock was set back once: what follows is no record that came late, nor a block of them, as many go on from there in
/// the midst of times that were before.
fn was_set_back(notes: &Notes) -> bool {
    let times: Vec<i64> = notes.list.iter().filter_map(|note| note.at_us).collect();
    let Some(at) = times.windows(2).position(|pair| pair[1] < pair[0]) else { return false };
    let (before, behind) = times.split_at(at + 1);
    let run = behind.iter().take_while(|time| **time < before[at]).count();
    let (Some(first), Some(last)) = (behind.first(), behind[..run].last()) else { return false };
    run >= NEAR && before.iter().filter(|time| (first..=last).contains(time)).count() > 1
}

/// True where a clock was set back once, by more than the log is long: by their times all that follows would stand before all else, and
/// there more contradicts and nothing less is out of its place. So it is with what goes on with a count, and would stand before its
/// handshake.
fn was_set_back_far(list: &[Note], before: &Score, by_time: &Score) -> bool {
    let Some(at) = back_behind_all(list) else { return false };
    let cut_off = by_time.unopened > before.unopened && goes_on_counting(list.split_at(at));
    let worse = by_time.disorder() > before.disorder() || by_time.two_counts > before.two_counts || cut_off;
    worse && by_time.out_of_place() >= before.out_of_place()
}

/// Where a time goes back, and all from there on were before all that stand before it.
fn back_behind_all(list: &[Note]) -> Option<usize> {
    let mut newest = i64::MIN;
    let goes_back = |note: &Note| note.at_us.is_some_and(|at_us| at_us < std::mem::replace(&mut newest, at_us));
    let at = list.iter().position(goes_back)?;
    let (before, behind) = list.split_at(at);
    let (newest, oldest) =
        (behind.iter().filter_map(|note| note.at_us).max(), before.iter().filter_map(|note| note.at_us).min());
    (newest < oldest).then_some(at)
}

/// True if the first request of the later part has the next id of its sender's count.
fn goes_on_counting((before, behind): (&[Note], &[Note])) -> bool {
    let asks = |note: &&Note| matches!(note.act, Act::Ask | Act::Open);
    let Some(next) = behind.iter().find(asks) else { return false };
    let last = before.iter().rev().filter(asks).find(|note| (note.channel, note.sender) == (next.channel, next.sender));
    last.is_some_and(|last| last.number.zip(next.number).is_some_and(|(last, next)| last.checked_add(1) == Some(next)))
}

/// The notes in the order of their times, answers behind their requests, and the lines of which these do not tell it: for a part of a log
/// whose records are known to come late.
pub(super) fn by_times(notes: &Notes, groups: &[u32]) -> (Order, FxHashSet<u64>) {
    let as_written: Vec<usize> = (0..notes.list.len()).collect();
    let order = answers_behind(notes, &by_time(notes, &as_written), groups).0;
    (ranked(notes, &order), unordered::at_one_time(notes, &as_written, groups))
}

fn ranked(notes: &Notes, order: &[usize]) -> Order {
    let of = |(rank, at): (usize, &usize)| Rank { offset: notes.list[*at].offset, rank, line: notes.list[*at].line };
    let mut ranks: Vec<Rank> = order.iter().enumerate().map(of).collect();
    ranks.sort_unstable();
    // A record that stands twice goes where the one goes that is kept: whichever is read first is taken.
    let rank_of = |offset: u64| ranks.binary_search_by_key(&offset, |rank| rank.offset).map(|place| ranks[place]);
    let as_first = |(offset, first): &(u64, u64)| Some(Rank { offset: *offset, ..rank_of(*first).ok()? });
    let again: Vec<Rank> = notes.again.iter().filter_map(as_first).collect();
    ranks.extend(again);
    ranks.sort_unstable();
    Order::Ranked(ranks)
}

/// How often a record's time is behind that of the one before it in its stream, and how often after it: times of one stream say
/// nothing of the order of another.
fn steps(notes: &Notes, groups: &[u32]) -> (usize, usize) {
    let mut last: rustc_hash::FxHashMap<u32, i64> = Default::default();
    let (mut back, mut on) = (0, 0);
    for (note, group) in notes.list.iter().zip(groups) {
        let Some(at_us) = note.at_us else { continue };
        match last.insert(*group, at_us).map(|before| at_us.cmp(&before)) {
            Some(std::cmp::Ordering::Less) => back += 1,
            Some(std::cmp::Ordering::Greater) => on += 1,
            _ => {}
        }
    }
    (back, on)
}

/// True where a side that counts its requests has one in front of an earlier one, and both have one time.
fn counts_back(notes: &Notes, order: &[usize], groups: &[u32]) -> bool {
    let mut last: rustc_hash::FxHashMap<(u32, u8), (i64, Option<i64>)> = Default::default();
    let mut used: FxHashSet<(u32, u8, i64)> = Default::default();
    order.iter().any(|at| {
        let note = &notes.list[*at];
        let Some(number) = note.number.filter(|_| matches!(note.act, Act::Ask | Act::Open)) else { return false };
        let fresh = used.insert((groups[*at], note.sender, number));
        let before = last.insert((groups[*at], note.sender), (number, note.at_us));
        fresh && before.is_some_and(|(before, at_us)| number == before - 1 && at_us == note.at_us)
    })
}

/// How late a record may be that merely came late, in microseconds.
const LATE_US: i64 = 10_000_000;

/// True if records merely came late, each a few places: a clock that was set back stays behind, and so do records that
/// were appended in a block.
fn are_late(notes: &Notes) -> bool {
    let (mut newest, mut run, mut late) = (i64::MIN, 0, 0);
    for at_us in notes.list.iter().filter_map(|note| note.at_us) {
        if at_us < newest {
            (run, late) = (run + 1, late + 1);
            if run > NEAR || newest - at_us > LATE_US {
                return false;
            }
        } else {
            (newest, run) = (at_us, 0);
        }
    }
    run == 0 && late * 3 < notes.list.len()
}

/// How often a record's time is behind that of the one before it.
fn steps_back(notes: &Notes) -> usize {
    let times: Vec<i64> = notes.list.iter().filter_map(|note| note.at_us).collect();
    times.windows(2).filter(|pair| pair[1] < pair[0]).count()
}

/// Sorted by time; one without a time stays behind the one before it. Where long parts stand in the wrong order, of equal times
/// those of the later part come first: one file ends at the time at which the next one begins.
fn by_time(notes: &Notes, order: &[usize]) -> Vec<usize> {
    let parts = steps_back(notes) * NEAR < notes.list.len();
    let (mut last, mut part, mut begun) = (i64::MIN, 0, i64::MIN);
    let mut keyed: Vec<(i64, i64, usize)> = order
        .iter()
        .enumerate()
        .map(|(place, at)| {
            let at_us = notes.list[*at].at_us.unwrap_or(last);
            if parts && at_us < last && ends_by(notes, &order[place..], begun) {
                part -= 1;
            }
            if last == i64::MIN || at_us < begun {
                begun = at_us;
            }
            last = at_us;
            (last, part, *at)
        })
        .collect();
    keyed.sort_by_key(|(at_us, part, _)| (*at_us, *part));
    keyed.into_iter().map(|(.., at)| at).collect()
}

/// True for a part that belongs before one that begins at this time: it goes on, and all of it is over by then. Behind a record that
/// came late the one that it came late for goes on.
fn ends_by(notes: &Notes, order: &[usize], begun: i64) -> bool {
    let mut times = order.iter().filter_map(|at| notes.list[*at].at_us).peekable();
    let (mut length, mut newest) = (0, i64::MIN);
    while let Some(at_us) = times.next_if(|at_us| *at_us >= newest) {
        if at_us > begun {
            return false;
        }
        (length, newest) = (length + 1, at_us);
    }
    length > 1
}

/// Answers that stand a few messages before the only request that they can belong to, put behind it, and how many there are. Nobody
/// answers what was not asked; two threads that write one log do so in any order. Times that say that the answer
/// came first are believed.
fn answers_behind(notes: &Notes, order: &[usize], groups: &[u32]) -> (Vec<usize>, usize) {
    let list = &notes.list;
    let mut order = order.to_vec();
    let (mut place, mut moved) = (0, 0);
    let mut asked: FxHashSet<(u32, u8, u64)> = Default::default();
    let answers = |at: usize, other: usize| {
        let (answer, request) = (&list[at], &list[other]);
        groups[at] == groups[other]
            && matches!(request.act, Act::Ask | Act::Open)
            && request.id == answer.id
            && answer.issuers().contains(&request.sender)
            && answer.at_us.zip(request.at_us).is_none_or(|(answer, request)| answer >= request)
    };
    while place < order.len() {
        let at = order[place];
        let note = &list[at];
        match note.act {
            Act::Ask | Act::Open => drop(asked.insert((groups[at], note.sender, note.id))),
            Act::Answer if !note.issuers().iter().any(|issuer| asked.contains(&(groups[at], *issuer, note.id))) => {
                let end = order.len().min(place + 1 + NEAR);
                if let Some(found) = (place + 1..end).find(|later| answers(at, order[*later])) {
                    let alone = !order[found + 1..]
                        .iter()
                        .any(|later| list[*later].act == Act::Answer && answers(*later, order[found]));
                    if alone {
                        order[place..=found].rotate_left(1);
                        moved += 1;
                        continue;
                    }
                }
            }
            _ => {}
        }
        place += 1;
    }
    (order, moved)
}
