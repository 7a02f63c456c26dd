//! What stands beside the messages of a log: members of their records, cells of their rows, pairs, words before them.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::note::Note;
use crate::capture::{formats, peel, spoken, text_hash};

/// How long a value may be, in bytes.
const LONGEST: usize = 200;

/// Where the records of a text are, to see what stands beside their messages.
pub(in crate::capture) struct Records<'t> {
    text: &'t str,
    /// Range of each in the text, in order.
    ranges: Vec<Range<usize>>,
    /// What holds lists of them, in the order in which they begin, each with what holds it.
    around: Vec<(peel::Around, Option<usize>)>,
    pub kind: Kind,
    /// True for records in JSON of which what is said around a message, in whatever member, may keep them apart, too: who reads
    /// them knows that, or they are lines.
    spoken: bool,
}

/// What records are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::capture) enum Kind {
    /// Rows of a table with columns of these names.
    Table(char, Vec<String>),
    /// Lines of pairs.
    Pairs,
    /// Objects; a message may stand in a list in one.
    Json { lists: bool },
    /// Lines of text.
    Text,
}

impl<'t> Records<'t> {
    /// The records of a text in a format.
    pub(in crate::capture) fn of(format: &str, head: &'t [u8]) -> Records<'t> {
        let text = std::str::from_utf8(head).or_else(|error| std::str::from_utf8(&head[..error.valid_up_to()]));
        let text = text.unwrap_or_default();
        let lines = || {
            let mut at = 0;
            let lines = text.split_inclusive('\n').map(|line| {
                at += line.len();
                at - line.len()..at
            });
            lines.collect()
        };
        let records =
            |ranges: Vec<Range<usize>>, kind: Kind| Records { text, ranges, around: Vec::new(), kind, spoken: false };
        match format {
            "json-array" => records(formats::elements::records(text), Kind::Json { lists: false }),
            "jsonl-wrapped" => records(lines(), Kind::Json { lists: false }),
            "csv" => {
                let first = text.lines().next().unwrap_or_default();
                let delimiter = [',', ';', '\t'].into_iter().max_by_key(|c| first.matches(*c).count()).unwrap_or(',');
                let names = cells(first, delimiter).map(|name| name.trim().to_string()).collect();
                records(lines(), Kind::Table(delimiter, names))
            }
            "logfmt" => records(lines(), Kind::Pairs),
            "json-log" => {
                let (within, around) = peel::innermost(text);
                let ranges = if within.is_empty() { lines() } else { within };
                Records { spoken: true, around: nested(around), ..records(ranges, Kind::Json { lists: true }) }
            }
            _ => records(lines(), Kind::Text),
        }
    }

    /// The same of a text that is read line by line.
    pub(super) fn by_line(mut self) -> Records<'t> {
        let bytes = self.text.as_bytes();
        let is_line = |range: &Range<usize>| range.start == 0 || bytes[range.start - 1] == b'\n';
        let holds = |range: &Range<usize>| !bytes[range.start..range.end - 1].contains(&b'\n');
        self.spoken |= self.ranges.iter().all(|range| is_line(range) && holds(range));
        self
    }

    /// Calls `give` with the name and the value of all that stands beside the message of a record.
    fn each<'r>(&self, record: &'r str, give: &mut dyn FnMut(String, Cow<'r, str>)) {
        self.kind.each(record, give);
        if self.spoken && record.starts_with('{') {
            spoken::around_json(record, give);
        }
    }

    /// Calls `give` with the name and the value of all that holds for the list in which a record stands, and is said outside of it.
    pub(super) fn each_around(&self, offset: u64, give: &mut dyn FnMut(&str, &str)) {
        let begin = |(around, _): &(peel::Around, Option<usize>)| around.range.start as u64 <= offset;
        let mut place = self.around.partition_point(begin).checked_sub(1);
        while let Some((around, holder)) = place.and_then(|at| self.around.get(at)) {
            if offset < around.range.end as u64 {
                around.scalars.iter().for_each(|(name, value)| give(name, value));
            }
            place = *holder;
        }
    }

    /// True for records whose members have names.
    pub(super) fn has_members(&self) -> bool {
        matches!(self.kind, Kind::Json { .. })
    }

    /// The record in which an offset lies.
    fn around(&self, offset: u64) -> Option<&'t str> {
        let at = usize::try_from(offset).ok()?;
        let after = self.ranges.partition_point(|range| range.start <= at);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        range.contains(&at).then(|| self.text[range.clone()].trim_end())
    }

    /// Where each record begins, in bytes, with the digest of what stands in it under a name.
    pub(in crate::capture) fn values(&self, name: &str) -> Vec<(u64, Option<u64>)> {
        let value = |range: &Range<usize>| self.kind.value(self.text[range.clone()].trim_end(), name);
        self.ranges.iter().map(|range| (range.start as u64, value(range))).collect()
    }
}

impl Kind {
    /// Calls `give` with the name and the value of all that stands beside the message of a record.
    fn each<'r>(&self, record: &'r str, give: &mut dyn FnMut(String, Cow<'r, str>)) {
        match self {
            Kind::Json { lists } => peel::scalars(record, *lists, give),
            Kind::Table(delimiter, names) => names
                .iter()
                .zip(cells(record, *delimiter))
                .filter(|(_, cell)| !cell.is_empty() && cell.len() <= LONGEST)
                .for_each(|(name, cell)| give(name.clone(), cell.into())),
            Kind::Pairs => peel::pairs(record)
                .filter(|(_, value)| value.len() <= LONGEST)
                .for_each(|(key, value)| give(key.to_string(), value.into())),
            Kind::Text if record.starts_with('{') => {}
            Kind::Text => spoken::each(record, give),
        }
    }

    /// The digest of what stands in a record under a name.
    pub(in crate::capture) fn value(&self, record: &str, name: &str) -> Option<u64> {
        let mut found = None;
        self.each(record, &mut |own, value| {
            if own == name {
                found = Some(text_hash(value.as_bytes()));
            }
        });
        found
    }
}

/// Each with the number of the one that holds it.
fn nested(around: Vec<peel::Around>) -> Vec<(peel::Around, Option<usize>)> {
    let (mut open, mut found): (Vec<usize>, Vec<(peel::Around, Option<usize>)>) = (Vec::new(), Vec::new());
    for (at, one) in around.into_iter().enumerate() {
        while open.pop_if(|outer| found[*outer].0.range.end <= one.range.start).is_some() {}
        found.push((one, open.last().copied()));
        open.push(at);
    }
    found
}

/// The cells of a row, as written but for the quotes around them.
fn cells(row: &str, delimiter: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(row.trim_start_matches('\u{feff}'));
    std::iter::from_fn(move || {
        let text = rest?;
        let quoted = text.strip_prefix('"').map(|inside| {
            // Within quotes, two of them are one.
            let mut ends = inside.match_indices('"').map(|(at, _)| at);
            let mut end = ends.next();
            while let Some(at) = end.filter(|at| inside[at + 1..].starts_with('"')) {
                end = ends.find(|next| *next > at + 1);
            }
            inside.split_at(end.unwrap_or(inside.len()))
        });
        let (cell, behind) = quoted.unwrap_or_else(|| text.split_at(text.find(delimiter).unwrap_or(text.len())));
        rest = behind.find(delimiter).map(|at| &behind[at + delimiter.len_utf8()..]);
        Some(cell)
    })
}

/// One scalar beside the messages: its name, and the value for each note.
pub(super) struct Candidate<'t> {
    pub name: String,
    pub values: Vec<Option<Cow<'t, str>>>,
}

impl Candidate<'_> {
    /// Which stream each note belongs to, where the values are few and all messages have one.
    pub(super) fn groups(&self) -> Option<(Vec<u32>, Vec<Option<String>>)> {
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut groups = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let next = known.len() as u32;
            groups.push(*known.entry(value.as_deref()?).or_insert(next));
        }
        let mut names = vec![None; known.len()];
        known.iter().for_each(|(value, group)| names[*group as usize] = Some(value.to_string()));
        (known.len() > 1 && known.len() * 3 <= groups.len()).then_some((groups, names))
    }
}

/// What stands beside every `step`th message, with a value for each of these; where `around` is wanted, also what is said of the lists in
/// which their records stand, once for all that a list holds.
pub(super) fn candidates<'t>(list: &[Note], records: &Records<'t>, step: usize, around: bool) -> Vec<Candidate<'t>> {
    let mut found = Columns { count: list.len().div_ceil(step), columns: Vec::new() };
    for (at, note) in list.iter().step_by(step).enumerate() {
        let Some(record) = records.around(note.offset) else { continue };
        records.each(record, &mut |name, value| found.add(at, &name, || value));
        if around && !records.around.is_empty() {
            records.each_around(note.offset, &mut |name, value| found.add(at, name, || value.to_string().into()));
        }
    }
    found.columns
}

struct Columns<'t> {
    count: usize,
    columns: Vec<Candidate<'t>>,
}

impl<'t> Columns<'t> {
    /// Of what stands there twice, the first is what a reader takes.
    fn add(&mut self, at: usize, name: &str, value: impl FnOnce() -> Cow<'t, str>) {
        let known = self.columns.iter().position(|candidate| candidate.name == name);
        let known = known.unwrap_or_else(|| {
            self.columns.push(Candidate { name: name.to_string(), values: vec![None; self.count] });
            self.columns.len() - 1
        });
        self.columns[known].values[at].get_or_insert_with(value);
    }
}
