//! The parts of one rotated recording: which of them a file is, in what order they are read, and what is missing between two.
//!
//! A recorder numbers its parts and counts its events through all of them, so that a part, or the end of one, that is not there shows
//! in the next one. Names of files say nothing: they are changed, and one that was taken is passed over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Missing, Why};
use crate::json::scan::members;

/// The part of a recording that a file is, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPart {
    /// The recording.
    pub session: String,
    /// Its number, from 1.
    pub part: u32,
    /// The number of its first event.
    pub first: Option<u64>,
    /// The number that the event behind its last one has.
    pub next: Option<u64>,
    /// The line that says that another part follows.
    pub rotated_at: Option<u64>,
}

impl RecordedPart {
    /// Reads the first line of a file; `None` where it is not the header of a recording with a name.
    fn of_header(line: &str) -> Option<RecordedPart> {
        #[derive(Deserialize)]
        struct Header {
            rec: u32,
            session: String,
            part: Option<u32>,
        }
        let header: Header = serde_json::from_str(line).ok().filter(|header: &Header| header.rec == 1)?;
        Some(RecordedPart { session: header.session, part: header.part.unwrap_or(1), ..RecordedPart::default() })
    }

    /// Reads the first lines of a file, the header among them.
    pub(super) fn of_lines<'t>(mut lines: impl Iterator<Item = &'t str>) -> Option<RecordedPart> {
        let part = RecordedPart::of_header(lines.next()?)?;
        let number = |line| members(line).find(|member| member.key == "q").and_then(|member| member.value.parse().ok());
        Some(RecordedPart { first: lines.next().and_then(number), ..part })
    }

    /// What is missing between the part that was read before it and this one, in words and in events.
    pub fn hole(&self, before: &RecordedPart) -> Option<Hole> {
        let lost = before.next.zip(self.first).map_or(0, |(next, first)| first.saturating_sub(next));
        let words = match self.part.saturating_sub(before.part) {
            0 => return None,
            1 if lost == 0 => return None,
            1 => format!("the end of part {} of the recording", before.part),
            2 => format!("part {} of the recording", before.part + 1),
            _ => format!("parts {} to {} of the recording", before.part + 1, self.part - 1),
        };
        Some(Hole { lost: Some(lost).filter(|lost| *lost > 0), words })
    }
}

/// How many events are missing between these parts, at least.
pub fn lost_between(parts: &[&RecordedPart]) -> u64 {
    let before = |part: &RecordedPart| {
        let lower = parts.iter().filter(|other| other.session == part.session && other.part < part.part);
        lower.max_by_key(|other| other.part)
    };
    let holes = parts.iter().filter_map(|part| part.hole(before(part)?));
    holes.map(|hole| hole.lost.unwrap_or(1)).sum()
}

/// What is missing between two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    lost: Option<u64>,
    words: String,
}

impl Hole {
    /// A gap like any other.
    pub fn missing(&self) -> Missing<'_> {
        Missing { lost: self.lost, words: &self.words, ..Missing::new(Why::Gap) }
    }
}

/// The parts among these that say that another one follows, which is not among them: for each where that is said.
pub fn unfollowed<T: Copy>(parts: &[(T, &RecordedPart)]) -> Vec<(T, u64)> {
    let is_there = |part: &RecordedPart| {
        parts.iter().any(|(_, other)| other.session == part.session && other.part.checked_sub(1) == Some(part.part))
    };
    parts.iter().filter_map(|(of, part)| Some((*of, part.rotated_at.filter(|_| !is_there(part))?))).collect()
}

/// The parts of each recording in their order, at the places that they have together; all else stays where it is.
pub fn in_order<T>(items: &mut [T], part_of: impl Fn(&T) -> Option<RecordedPart>) {
    let parts: Vec<Option<RecordedPart>> = items.iter().map(part_of).collect();
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        part.iter().for_each(|part| places.entry(&part.session).or_default().push(at));
    }
    // Where each item comes from.
    let mut from: Vec<usize> = (0..items.len()).collect();
    for together in places.values() {
        let mut sorted = together.clone();
        sorted.sort_by_key(|at| parts[*at].as_ref().map(|part| part.part));
        together.iter().zip(sorted).for_each(|(place, at)| from[*place] = at);
    }
    for place in 0..items.len() {
        let mut at = from[place];
        // What stood there was moved on by the swaps before.
        while at < place {
            at = from[at];
        }
        items.swap(place, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(session: &str, part: u32, first: u64, next: u64) -> RecordedPart {
        RecordedPart { session: session.into(), part, first: Some(first), next: Some(next), rotated_at: Some(9) }
    }

    #[test]
    fn what_is_missing_between_two_parts_is_told_by_their_numbers() {
        let (one, two, four) = (part("a", 1, 1, 8), part("a", 2, 8, 12), part("a", 4, 20, 30));
        assert_eq!(two.hole(&one), None);
        assert_eq!(one.hole(&two), None, "what goes back has no hole before it");
        let hole = four.hole(&two).unwrap();
        assert_eq!((hole.missing().lost, hole.missing().words), (Some(8), "part 3 of the recording"));
        assert_eq!(four.hole(&one).unwrap().words, "parts 2 to 3 of the recording");
        let cut = RecordedPart { next: Some(5), ..one.clone() };
        assert_eq!(two.hole(&cut).unwrap().words, "the end of part 1 of the recording");
        let uncounted = RecordedPart { first: None, ..four };
        assert_eq!(uncounted.hole(&one).unwrap().lost, None, "a part that is not there is missing, whatever it held");
    }

    #[test]
    fn a_part_whose_next_one_is_not_there_is_told() {
        let parts = [part("a", 1, 1, 8), part("a", 2, 8, 12), part("b", 1, 1, 3)];
        let named: Vec<(usize, &RecordedPart)> = parts.iter().enumerate().collect();
        assert_eq!(unfollowed(&named), [(1, 9), (2, 9)]);
    }

    #[test]
    fn parts_are_ordered_by_their_numbers_and_others_stay() {
        let mut items = ["a3", "x1", "b2", "a1", "-", "b1", "a2"];
        in_order(&mut items, |item| {
            let number = item[1..].parse().ok()?;
            Some(part(&item[..1], number, 0, 0)).filter(|part| part.session != "x")
        });
        assert_eq!(items, ["a1", "x1", "b1", "a2", "-", "b2", "a3"]);
    }
}
