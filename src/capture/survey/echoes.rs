//! A second logger of one program, which says part of the messages again.
//!
//! Two connections may say the same at nearly one time, too. But each of them has answers to its own requests; a logger that says
//! requests alone, answers alone, one side's messages alone or notifications alone has none. Where the fullest has none either, the log
//! holds no answers, or nothing but answers, and two clients look like that, too.

use rustc_hash::{FxHashMap, FxHashSet};

use super::beside::{Records, candidates};
use super::note::{Act, Note, Notes};
use crate::capture::plan::{APART_US, Plan};
use crate::capture::text_hash;

/// How many messages show that it is no accident.
const SHOWN: usize = 2;

/// True where some notifications follow their like at nearly one time.
pub(super) fn may_be_told_twice(list: &[Note]) -> bool {
    let alike = |pair: &&[Note]| pair[1].act == Act::Tell && is_near(&pair[0], &pair[1]);
    list.windows(2).filter(alike).take(SHOWN).count() == SHOWN
}

/// The notes without what other loggers say again, where something beside the messages tells these loggers from the one that says all:
/// the plan then names it.
pub(super) fn look(notes: &Notes, records: &Records<'_>, plan: &mut Plan) -> Option<Notes> {
    let list = &notes.list;
    if !is_said_twice(list) {
        return None;
    }
    let (name, own, values, echoes) = candidates(list, records, 1, false).into_iter().find_map(|candidate| {
        let (own, values) = candidate.groups()?;
        let echoes = echoes(list, &own)?;
        Some((candidate.name, own, values, echoes))
    })?;
    let mut repeating: Vec<&str> = echoes.iter().filter_map(|stream| values[*stream as usize].as_deref()).collect();
    repeating.sort_unstable();
    plan.said.push(format!(
        "what stands under {:?} of {name} is said by another logger, too, and is read once",
        repeating.join(", ")
    ));
    let main = values.iter().zip(0..).find(|(_, stream)| !echoes.contains(stream));
    let main = main.and_then(|(value, _)| value.as_deref()).map(|value| text_hash(value.as_bytes()))?;
    plan.loggers = Some((name, main));
    Some(without_echoes(notes, &own, &echoes))
}

fn is_near(one: &Note, other: &Note) -> bool {
    let times = one.at_us.zip(other.at_us);
    (one.channel, one.text) == (other.channel, other.text) && times.is_some_and(|(a, b)| (a - b).abs() <= APART_US)
}

fn is_said_twice<'n>(list: &'n [Note]) -> bool {
    let mut last: FxHashMap<(u32, u64), &Note> = FxHashMap::default();
    let mut again = |note: &'n Note| last.insert((note.channel, note.text), note).is_some_and(|old| is_near(old, note));
    list.iter().filter(|note| again(note)).take(SHOWN).count() == SHOWN
}

/// How many pairs show that a program says all twice.
const PAIRS: usize = 4;

/// True where every message stands right behind its like, by one sender at nearly one time: two connections do not go in step so.
pub(super) fn stand_in_pairs(list: &[Note]) -> bool {
    let alike = |pair: &[Note]| pair.len() == 2 && pair[0].sender == pair[1].sender && is_near(&pair[0], &pair[1]);
    list.len() >= 2 * PAIRS && list.chunks(2).all(alike)
}

/// The same of records that may hold several messages each, and have no times.
pub(super) fn records_stand_in_pairs(list: &[Note]) -> bool {
    let records: Vec<&[Note]> = list.chunk_by(|one, other| one.line == other.line).collect();
    let says = |record: &[Note]| record.iter().map(Note::said).collect::<Vec<_>>();
    let alike = |pair: &[&[Note]]| pair.len() == 2 && says(pair[0]) == says(pair[1]);
    records.len() >= 2 * PAIRS && records.chunks(2).all(alike)
}

/// The streams other than the fullest, where each of them repeats that one.
fn echoes(list: &[Note], streams: &[u32]) -> Option<FxHashSet<u32>> {
    let mut said: FxHashMap<(u32, u64), Vec<(u32, &Note)>> = FxHashMap::default();
    let mut held: FxHashMap<u32, Vec<&Note>> = FxHashMap::default();
    for (note, stream) in list.iter().zip(streams) {
        said.entry((note.channel, note.text)).or_default().push((*stream, note));
        held.entry(*stream).or_default().push(note);
    }
    let in_main = |main: u32, note: &Note| {
        said[&(note.channel, note.text)].iter().any(|(stream, like)| *stream == main && is_near(like, note))
    };
    let repeats = |main: u32, notes: &[&Note]| {
        let repeated = notes.iter().filter(|note| in_main(main, note)).count();
        // What it says of its own beside that stays: only what is said twice is read once.
        repeated >= SHOWN && repeated * 2 > notes.len() && answers_nothing(notes)
    };
    let main = *held.iter().max_by_key(|(stream, notes)| (notes.len(), std::cmp::Reverse(**stream)))?.0;
    let is_whole = !answers_nothing(held.get(&main)?);
    let all = is_whole && held.iter().filter(|(stream, _)| **stream != main).all(|(_, notes)| repeats(main, notes));
    all.then(|| held.into_keys().filter(|stream| *stream != main).collect())
}

/// True if no message of a stream answers another one of it.
fn answers_nothing(notes: &[&Note]) -> bool {
    let asked: FxHashSet<(u32, u8, u64)> = notes
        .iter()
        .filter(|note| matches!(note.act, Act::Ask | Act::Open))
        .map(|note| (note.channel, note.sender, note.id))
        .collect();
    let is_asked = |note: &Note| note.issuers().iter().any(|issuer| asked.contains(&(note.channel, *issuer, note.id)));
    !notes.iter().any(|note| note.act == Act::Answer && is_asked(note))
}

/// Takes out what an echo says within a second of another logger; its record goes where that one's goes.
fn without_echoes(notes: &Notes, streams: &[u32], echoes: &FxHashSet<u32>) -> Notes {
    let mut said: FxHashMap<(u32, u64), Vec<&Note>> = FxHashMap::default();
    let told = |stream: &u32| !echoes.contains(stream);
    for (note, _) in notes.list.iter().zip(streams).filter(|(_, stream)| told(stream)) {
        said.entry((note.channel, note.text)).or_default().push(note);
    }
    let like = |note: &Note| said.get(&(note.channel, note.text))?.iter().find(|like| is_near(like, note)).copied();
    let mut rest = notes.clone();
    rest.list.clear();
    for (note, stream) in notes.list.iter().zip(streams) {
        match like(note).filter(|_| !told(stream)) {
            Some(like) => rest.again.push((note.offset, like.offset)),
            None => rest.list.push(*note),
        }
    }
    rest
}
