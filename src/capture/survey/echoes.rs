//! Streams that mostly repeat what stands in another: a second logger of one program says part of the messages again.
//!
//! Two connections may say the same at nearly one time, too. But each of them has answers to its own requests; a logger that says
//! requests alone, answers alone or notifications alone has none.

use rustc_hash::{FxHashMap, FxHashSet};

use super::note::{Act, Note};
use crate::capture::plan::APART_US;

/// How many messages show that it is no accident.
const SHOWN: usize = 2;

/// The streams that repeat another one, where one is left that does not.
pub(super) fn echoes(list: &[Note], streams: &[u32]) -> Option<FxHashSet<u32>> {
    let mut said: FxHashMap<u64, Vec<(u32, i64)>> = FxHashMap::default();
    for (note, stream) in list.iter().zip(streams) {
        said.entry(note.text).or_default().push((*stream, note.at_us?));
    }
    let mut held: FxHashMap<u32, Vec<&Note>> = FxHashMap::default();
    list.iter().zip(streams).for_each(|(note, stream)| held.entry(*stream).or_default().push(note));
    let elsewhere = |stream: u32, note: &Note| {
        let at_us = note.at_us.unwrap_or(0);
        said[&note.text].iter().any(|(other, us)| *other != stream && (us - at_us).abs() <= APART_US)
    };
    let echo = |(stream, notes): (&u32, &Vec<&Note>)| {
        let repeated = notes.iter().filter(|note| elsewhere(*stream, note)).count();
        // What it says of its own beside that stays: only what is said twice is read once.
        repeated >= SHOWN && repeated * 2 > notes.len() && answers_nothing(notes)
    };
    let found: FxHashSet<u32> = held.iter().filter(|held| echo(*held)).map(|(stream, _)| *stream).collect();
    (!found.is_empty() && found.len() + 1 == held.len()).then_some(found)
}

/// True if no message of a stream answers another one of it.
fn answers_nothing(notes: &[&Note]) -> bool {
    let asked: FxHashSet<u64> =
        notes.iter().filter(|note| matches!(note.act, Act::Ask | Act::Open)).map(|note| note.id).collect();
    !notes.iter().any(|note| note.act == Act::Answer && asked.contains(&note.id))
}
