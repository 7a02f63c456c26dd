//! Names of connections that do not keep connections apart: they stand at one direction's messages alone, or at some messages,
//! or are spelled otherwise for each side.

use rustc_hash::{FxHashMap, FxHashSet};

use super::note::{Act, Note, Notes};
use super::pairing::{Score, by_stream, score};
use super::split::Split;
use crate::capture::Proof;
use crate::capture::plan::Plan;

/// How many answers have to be kept from their requests before names are no names. Where the log starts, several may be in flight,
/// whose ids other connections count as well: more than so many times what is in flight at a time is no chance.
const TORN: usize = 2;

/// True if some channels have a name and one has none.
pub(super) fn are_partial(names: &[Option<String>]) -> bool {
    names.iter().any(Option::is_some) && names.iter().any(Option::is_none)
}

/// The log as one stream, where what its records name as connections is none, or where those without a name go on with the only
/// one that has one. `now` is how it pairs under the names, `whole` how it does as one.
pub(super) fn read_as_one(notes: &Notes, order: &[usize], now: Score, whole: Score) -> Option<Split> {
    let list = &notes.list;
    let keeps_apart = are_no_names(now, whole);
    let said = match keeps_apart {
        true => "what its records name as connections keeps answers from their requests, so it is read as one",
        false if go_on_with_one(notes, order, now, whole) => {
            "its messages without the name of a connection go on with those of the only one that has a name, so it is read as one"
        }
        false => return None,
    };
    let mut one = Split::of_one(list.len(), said);
    if keeps_apart && whole.disorder() > 0 && whole.clashes() == 0 && each_has_one_sender(list) {
        one.lacks = Proof::ORDER;
        one.said.insert(0, "what each side sent was written elsewhere, by clocks that do not agree".to_string());
    }
    Some(one)
}

/// True if names keep answers from their requests: so many that it is not that these were asked before the log starts, or that of a
/// handshake whose client goes on.
fn are_no_names(now: Score, whole: Score) -> bool {
    let found = whole.pairs.saturating_sub(now.pairs);
    let shown = found > TORN * whole.in_flight || found > 0 && now.unheard > whole.unheard;
    shown && (whole.faults() < now.faults() || now.pairs == 0)
}

/// True if those without a name are no connection of their own, one alone has a name, and nothing contradicts that they are its.
fn go_on_with_one(notes: &Notes, order: &[usize], now: Score, whole: Score) -> bool {
    let named = notes.names.iter().flatten().count();
    let greeted: FxHashSet<u32> =
        notes.list.iter().filter(|note| note.act == Act::Open).map(|note| note.channel).collect();
    named == 1
        && are_partial(&notes.names)
        && greeted.len() < 2
        && whole.faults() <= now.faults()
        && whole.disorder() <= now.disorder()
        && whole.two_clients <= now.two_clients
        && !stand_alone(notes, order)
}

/// Takes from a log what names that stand at some of its messages cannot tell.
pub(super) fn doubt(notes: &Notes, order: &[usize], plan: &mut Plan) {
    if are_torn(notes, order) {
        plan.midway = plan.midway.and(Proof::WHOSE);
        plan.said.push("what some of its records name as connections may keep answers from their requests".to_string());
    }
    if are_partial(&notes.names) && !stand_alone(notes, order) {
        plan.unnamed = true;
        plan.said.push("messages without the name of a connection may be of any that has one".to_string());
    }
}

/// True if streams in which no answer finds its request have them in one another.
fn are_torn(notes: &Notes, order: &[usize]) -> bool {
    let (list, one) = (&notes.list, vec![0; notes.list.len()]);
    let streams: Vec<u32> = list.iter().map(|note| note.channel).collect();
    let mut torn: Vec<usize> =
        by_stream(order, &streams).into_values().filter(|held| score(list, held, &one).pairs == 0).flatten().collect();
    let rank: FxHashMap<usize, usize> = order.iter().enumerate().map(|(rank, at)| (*at, rank)).collect();
    torn.sort_unstable_by_key(|at| rank.get(at));
    let answers = torn.iter().filter(|at| list[**at].act == Act::Answer).count();
    let pairs = score(list, &torn, &one).pairs;
    pairs >= TORN && pairs * 2 > answers
}

/// True if the messages without a name are a connection of their own: all that they speak of is there, or a handshake, as in all
/// that have a name.
fn stand_alone(notes: &Notes, order: &[usize]) -> bool {
    let unnamed = |channel: u32| notes.names.get(channel as usize).is_some_and(Option::is_none);
    let own = of(notes, order, unnamed);
    let greeted = notes.greeted();
    let all_greet = || notes.names.iter().all(|name| greeted.contains(&name));
    own.pairs > 0 && (own.misplaced == 0 && own.stray == 0 || all_greet())
}

/// How the messages of some channels pair.
fn of(notes: &Notes, order: &[usize], channel: impl Fn(u32) -> bool) -> Score {
    let order: Vec<usize> = order.iter().copied().filter(|at| channel(notes.list[*at].channel)).collect();
    score(&notes.list, &order, &vec![0; notes.list.len()])
}

/// True if no stream holds what both sides sent.
fn each_has_one_sender(list: &[Note]) -> bool {
    let mut senders: FxHashMap<u32, u8> = FxHashMap::default();
    list.iter().all(|note| *senders.entry(note.channel).or_insert(note.sender) == note.sender)
}
