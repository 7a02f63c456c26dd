//! Connections that stand in one stream and never clash: each has ids of its own, and no handshake shows that there are two.
//!
//! A key resolves nothing there. It has to say by its name what it tells apart, or the ids under its values do: they are made otherwise
//! under each, or each value goes on with a count of its own. And all that belongs together stands under one value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::counters::Form;
use super::note::{Act, Note, Notes, UNTOLD};
use super::pairing::{Score, by_stream, score};

/// How many ids in a row are a count.
const COUNTED: usize = 3;

/// How many answers each value has where no name says what it is.
const ANSWERED: usize = 2;

/// True if all messages are in one stream that has no name.
pub(super) fn may_be_told(notes: &Notes) -> bool {
    matches!(notes.names[..], [None]) && notes.list.iter().any(|note| note.act == Act::Answer)
}

/// True if what stands under each value is somebody's own: `named` where the key says so.
pub(super) fn say_so(list: &[Note], order: &[usize], own: &[u32], named: bool) -> bool {
    let is_one = list.iter().all(|note| note.channel == list[0].channel);
    is_one
        && (named || has_ids_of_its_own(list, order, own))
        && is_older_than_handshakes(list, order, own)
        && takes_part(list, order, own, named)
}

/// True if a key of so many values keeps together what belongs together, and resolves nothing. A name of each request does so, too: under
/// one of a connection more than that one is answered.
pub(super) fn keeps_together(now: Score, found: Score, values: usize) -> bool {
    let goes_on = found.pairs * 2 >= values * 3;
    goes_on && found.pairs == now.pairs && found.faults() == now.faults() && found.disorder() <= now.disorder()
}

/// True if a side says something behind the end of its connection, as where one of two clients ends and the other one goes on.
pub(super) fn goes_on_behind_its_end(list: &[Note], order: &[usize], own: &[u32]) -> bool {
    let mut ended: FxHashSet<(u32, u8)> = FxHashSet::default();
    order.iter().any(|at| {
        let (note, who) = (&list[*at], (own[*at], list[*at].sender));
        match note.act {
            _ if note.marks.closes => !ended.insert(who) && note.act == Act::Ask,
            Act::Open | Act::Answer => false,
            Act::Ask | Act::Tell => ended.contains(&who),
        }
    })
}

/// True if nothing under a value stands behind the end of what stands under it, and each has answers to its own requests, in a log that
/// begins midway.
pub(super) fn end_apart(list: &[Note], order: &[usize], own: &[u32]) -> bool {
    let one = vec![0; list.len()];
    let held = || by_stream(order, own).into_values();
    !list.iter().any(|note| note.act == Act::Open)
        && !goes_on_behind_its_end(list, order, own)
        && held().all(|held| score(list, &held, &one).pairs > 0)
        && score(list, order, own).pairs == score(list, order, &one).pairs
}

/// True if each value asks or answers; where no name says what it is, it has answers to its own requests.
fn takes_part(list: &[Note], order: &[usize], own: &[u32], named: bool) -> bool {
    let one = vec![0; list.len()];
    by_stream(order, own).values().all(|held| match named {
        true => held.iter().any(|at| list[*at].act != Act::Tell),
        false => score(list, held, &one).pairs >= ANSWERED,
    })
}

/// True if what has no handshake was there before the first one: what comes behind that may be what it began.
fn is_older_than_handshakes(list: &[Note], order: &[usize], own: &[u32]) -> bool {
    let opens = |at: &usize| list[*at].act == Act::Open;
    let Some(first) = order.iter().position(opens) else { return true };
    let early: FxHashSet<u32> = order[..first].iter().map(|at| own[*at]).collect();
    let greeted: FxHashSet<u32> = order.iter().filter(|at| opens(at)).map(|at| own[*at]).collect();
    own.iter().all(|stream| early.contains(stream) || greeted.contains(stream))
}

/// The ids with which one side asks under one value.
#[derive(Default)]
struct Ids {
    forms: Vec<Form>,
    numbers: Vec<i64>,
    /// Where in the order the first and the last of them stand.
    places: Option<(usize, usize)>,
}

impl Ids {
    fn take(&mut self, note: &Note, place: usize) {
        self.places = Some((self.places.map_or(place, |(first, _)| first), place));
        let new = note.form.filter(|form| !self.forms.contains(form));
        self.forms.extend(new);
        self.numbers.extend(note.number);
    }

    fn are_counted(&self) -> bool {
        self.numbers.len() >= COUNTED && self.numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
    }

    /// True if who counts so far may go on with the next ones: who counts asks in that order.
    fn goes_on_with(&self, next: &Ids) -> bool {
        let in_turn = self.places.zip(next.places).is_none_or(|((_, last), (first, _))| last < first);
        let ends = self.numbers.last().zip(next.numbers.first());
        in_turn && ends.is_some_and(|(last, first)| last.checked_add(1) == Some(*first))
    }

    /// True if no one asks with these and with those.
    fn are_others_than(&self, other: &Ids) -> bool {
        let both_count = self.are_counted() && other.are_counted();
        let otherwise = !self.forms.is_empty() && !self.forms.iter().any(|form| other.forms.contains(form));
        otherwise || both_count && !self.goes_on_with(other) && !other.goes_on_with(self)
    }
}

/// True if one side asks under every value, and under each with ids of its own.
fn has_ids_of_its_own(list: &[Note], order: &[usize], own: &[u32]) -> bool {
    let mut asked: FxHashMap<(u8, u32), Ids> = FxHashMap::default();
    let asks = |(_, at): &(usize, &usize)| matches!(list[**at].act, Act::Ask | Act::Open);
    for (place, at) in order.iter().enumerate().filter(asks) {
        asked.entry((list[*at].sender, own[*at])).or_default().take(&list[*at], place);
    }
    let count = own.iter().collect::<FxHashSet<_>>().len();
    (0..=UNTOLD).any(|sender| {
        let ids: Vec<&Ids> = asked.iter().filter(|((by, _), _)| *by == sender).map(|(_, ids)| ids).collect();
        ids.len() == count
            && ids.iter().enumerate().all(|(at, ids_of)| ids[..at].iter().all(|other| ids_of.are_others_than(other)))
    })
}
