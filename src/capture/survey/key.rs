//! The key of connections, learned: what stands beside every message, has few values, and under whose values every stream
//! pairs without the contradictions that the log as a whole has.
//!
//! A word that a program puts beside its messages (a level, a thread, a tool) can resolve one contradiction by chance,
//! and would hide a fault. So the values have to look like connections: each has a handshake of its own, or three and
//! more contradictions are resolved and each value has answers of its own.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::echoes::echoes;
use super::lanes::{prefix, words};
use super::mixed;
use super::note::{Act, Note, Notes};
use super::pairing::{Score, score};
use crate::capture::plan::Plan;
use crate::capture::words::{Meaning, direction, instance, meaning};
use crate::capture::{Proof, formats, peel, time};

/// How many words of a line may be the key.
const WORDS: usize = 6;

/// How many contradictions have to be resolved where no handshake speaks for it.
const RESOLVED: usize = 3;

/// How many records are looked at before all are, spread over the head.
const PROBED: usize = 256;

/// How long a value may be, in bytes.
const LONGEST: usize = 200;

/// The rank of a name that does not speak of connections.
const UNNAMED: usize = 100;

/// The rank from which on a name speaks of who served a connection, and may have served several.
const INSTANCE: usize = 20;

/// One scalar beside the messages: its name, and the value for each note.
struct Candidate<'t> {
    name: String,
    values: Vec<Option<&'t str>>,
}

/// The best so far: its faults, rank and place; what it splits the log into; what is said of it.
type Best = ((usize, usize, usize), Option<(String, Split)>, String);

/// What a key makes of a log.
pub(super) struct Split {
    /// The stream of each note.
    pub streams: Vec<u32>,
    /// The value under which each stream stands.
    pub names: Vec<Option<String>>,
    /// True where the key names connections, and not who served them.
    pub apart: bool,
}

/// Chooses what tells the connections apart, or says that nothing does. Gives what a key makes of the log.
pub(super) fn choose(
    notes: &Notes,
    records: &Records<'_>,
    order: &[usize],
    now: Score,
    plan: &mut Plan,
) -> Option<Split> {
    let list = &notes.list;
    let merged = vec![0; list.len()];
    let whole = score(list, order, &merged);
    let mut best: Option<Best> = None;
    if whole.faults() < now.faults() && whole.pairs > now.pairs {
        let said =
            "what its records name as connections keeps answers from their requests, so it is read as one".to_string();
        best = Some(((whole.faults(), 0, 0), None, said));
        if whole.disorder() > 0 && each_has_one_sender(list) {
            plan.lacks = plan.lacks.and(Proof::ORDER);
            plan.said.push("what each side sent was written elsewhere, by clocks that do not agree".to_string());
        }
    }
    let step = list.len().div_ceil(PROBED).max(1);
    let promising = |candidate: Candidate<'_>| candidate.is_promising(list.iter().step_by(step));
    let all = candidates(list, records, step).into_iter().any(promising).then(|| candidates(list, records, 1));
    for candidate in all.into_iter().flatten() {
        let Some((own, values)) = candidate.groups().filter(|_| !candidate.is_time()) else { continue };
        if let Some(echoes) = echoes(list, &own) {
            return Some(of_one_logger(candidate.name, own, values, &echoes, plan));
        }
        let found = score(list, order, &own);
        let named = candidate.rank() < UNNAMED;
        let greeted = each_greets_once(list, order, &own);
        let better = found.faults() < now.faults() || greeted && found.faults() == now.faults();
        // Where requests were lost, answers to them are nobody's under any key.
        let fits = found.clashes() < now.clashes() && found.disorder() < now.disorder();
        let ends = fits && (notes.lost || !notes.cut.is_empty()) && each_ends_its_own(list, &own);
        let chosen = ends || better && (greeted || resolves(list, &own, whole, found, named));
        if !chosen {
            continue;
        }
        let rank = (found.faults(), candidate.rank(), candidate.name.len());
        if best.as_ref().is_none_or(|(before, ..)| rank < *before) {
            let said = format!(
                "its connections are told apart by {}: under its {} values {} answers find their request and {} ids clash, without it {} and {}",
                candidate.name,
                values.len(),
                found.pairs,
                found.clashes(),
                whole.pairs,
                whole.clashes()
            );
            let split = Split { streams: own, names: values, apart: rank.1 < INSTANCE };
            best = Some((rank, Some((candidate.name, split)), said));
        }
    }
    let Some((_, key, said)) = best else {
        let streams: Vec<u32> = list.iter().map(|note| note.channel).collect();
        let apart = !notes.served && streams.iter().any(|stream| *stream != streams[0]);
        mixed::look(notes, order, (&streams, &notes.names), apart, plan);
        return None;
    };
    plan.said.push(said);
    let (key, split) = key.unzip();
    plan.key = Some(key.into_iter().collect());
    split
}

/// A log of which all streams but one repeat that one.
fn of_one_logger(
    name: String,
    streams: Vec<u32>,
    names: Vec<Option<String>>,
    echoes: &FxHashSet<u32>,
    plan: &mut Plan,
) -> Split {
    let (repeat, own): (Vec<u32>, Vec<u32>) = (0..names.len() as u32).partition(|stream| echoes.contains(stream));
    let called = |stream: u32| names[stream as usize].clone();
    let repeating: Vec<String> = repeat.into_iter().filter_map(called).collect();
    plan.said.push(format!(
        "what stands under {:?} of {name} is said by another logger, too, and is read once",
        repeating.join(", ")
    ));
    plan.echoes = Some((repeating, own.into_iter().find_map(called)));
    plan.key = Some(vec![name]);
    Split { streams, names, apart: true }
}

/// True if a stream holds two handshakes: of one connection after the other, or of two beside each other.
pub(super) fn greets_again(list: &[Note]) -> bool {
    let mut greeted = FxHashSet::default();
    list.iter().filter(|note| note.act == Act::Open).any(|note| !greeted.insert(note.channel))
}

/// True if no stream holds what both sides sent.
fn each_has_one_sender(list: &[Note]) -> bool {
    let mut senders: FxHashMap<u32, u8> = FxHashMap::default();
    list.iter().all(|note| *senders.entry(note.channel).or_insert(note.sender) == note.sender)
}

/// True if each stream begins with a handshake and holds no other: whatever clashes within one is its own sender's.
fn each_greets_once(list: &[Note], order: &[usize], groups: &[u32]) -> bool {
    let mut greeted = FxHashSet::default();
    order.iter().all(|at| greeted.insert(groups[*at]) == (list[*at].act == Act::Open))
}

/// True if each stream ends one handshake, and there are several.
fn each_ends_its_own(list: &[Note], groups: &[u32]) -> bool {
    let mut ends: FxHashMap<u32, usize> = groups.iter().map(|group| (*group, 0)).collect();
    for (_, group) in list.iter().zip(groups).filter(|(note, _)| note.marks.greets) {
        *ends.entry(*group).or_default() += 1;
    }
    ends.len() > 1 && ends.values().all(|count| *count == 1)
}

/// True if the streams look like connections, and what contradicted is gone. Each may have a fault of its own: where all
/// of them begin with a handshake, or a name says that they are connections, half of it is enough.
fn resolves(list: &[Note], groups: &[u32], before: Score, after: Score, named: bool) -> bool {
    let greeted = |group: u32| list.iter().zip(groups).any(|(note, own)| *own == group && note.act == Act::Open);
    let share = if named || (0..=groups.iter().copied().max().unwrap_or(0)).all(greeted) { 2 } else { 10 };
    if after.contradictions() * share > before.contradictions()
        || after.reused > before.reused
        || after.pairs < before.pairs
    {
        return false;
    }
    let count = groups.iter().max().map_or(0, |highest| *highest as usize + 1);
    let mut per = vec![(false, 0usize); count];
    for (note, group) in list.iter().zip(groups) {
        let (greets, answers) = &mut per[*group as usize];
        *greets |= note.act == Act::Open;
        *answers += usize::from(note.act == Act::Answer);
    }
    per.iter().all(|(greets, _)| *greets)
        || before.clashes() - after.clashes() >= RESOLVED && per.iter().all(|(_, answers)| *answers > 0)
}

impl Candidate<'_> {
    /// Which stream each note belongs to, where the values are few and all messages have one.
    fn groups(&self) -> Option<(Vec<u32>, Vec<Option<String>>)> {
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut groups = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let next = known.len() as u32;
            groups.push(*known.entry((*value)?).or_insert(next));
        }
        let mut names = vec![None; known.len()];
        known.iter().for_each(|(value, group)| names[*group as usize] = Some(value.to_string()));
        (known.len() > 1 && known.len() * 3 <= groups.len()).then_some((groups, names))
    }

    /// True for a time: where it is coarse, a request and its answer have the same, and it would split by chance.
    fn is_time(&self) -> bool {
        let is_time = |value: &&str| value.contains(':') && time::parse(value).is_some();
        matches!(self.meaning(), Some((Meaning::Time, _))) || self.values.iter().flatten().all(is_time)
    }

    fn meaning(&self) -> Option<(Meaning, usize)> {
        meaning(self.name.rsplit(['/', '.']).next().unwrap_or_default())
    }

    /// False for what tells no more connections apart than are told apart already, however much of the log is looked at: a time,
    /// a direction, what differs nearly everywhere, and what names the same connections.
    fn is_promising<'n>(&self, notes: impl Iterator<Item = &'n Note>) -> bool {
        let told: Vec<(&str, u32)> =
            self.values.iter().zip(notes).filter_map(|(value, note)| Some(((*value)?, note.channel))).collect();
        let count = |values: FxHashSet<(&str, u32)>| values.len();
        let values = count(told.iter().map(|(value, _)| (*value, 0)).collect());
        let channels = count(told.iter().map(|(_, channel)| ("", *channel)).collect());
        let pairs = count(told.iter().copied().collect());
        let same = values > 1 && values == channels && pairs == values;
        let many = values * 10 > told.len().max(20) * 9;
        let directs = told.iter().all(|(value, _)| direction(&self.name, value).is_some());
        !(same || many || directs || self.is_time())
    }

    /// How little its name speaks of connections.
    fn rank(&self) -> usize {
        match self.meaning() {
            Some((Meaning::Session, rank)) => rank,
            Some((Meaning::Connection, rank)) => 10 + rank,
            _ => instance(&self.name.replace('/', ".")).map_or(UNNAMED, |rank| INSTANCE + rank),
        }
    }
}

/// Where the records of a head are, to see what stands beside their messages.
pub(super) struct Records<'t> {
    text: &'t str,
    /// Range of each in the text, in order.
    ranges: Vec<Range<usize>>,
    kind: Kind,
}

/// What records are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Rows of a table; the first names the columns.
    Table(char),
    /// Lines of pairs.
    Pairs,
    /// Objects; a message may stand in a list in one.
    Json { lists: bool },
    /// Lines of text.
    Text,
}

impl<'t> Records<'t> {
    /// The records of a head in a format.
    pub(super) fn of(format: &str, head: &'t [u8]) -> Records<'t> {
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
        match format {
            "json-array" => {
                Records { text, ranges: formats::elements::records(text), kind: Kind::Json { lists: false } }
            }
            "jsonl-wrapped" => Records { text, ranges: lines(), kind: Kind::Json { lists: false } },
            "csv" => {
                let first = text.lines().next().unwrap_or_default();
                let delimiter = [',', ';', '\t'].into_iter().max_by_key(|c| first.matches(*c).count()).unwrap_or(',');
                Records { text, ranges: lines(), kind: Kind::Table(delimiter) }
            }
            "logfmt" => Records { text, ranges: lines(), kind: Kind::Pairs },
            "json-log" => {
                let within = peel::innermost(text);
                let ranges = if within.is_empty() { lines() } else { within };
                Records { text, ranges, kind: Kind::Json { lists: true } }
            }
            _ => Records { text, ranges: lines(), kind: Kind::Text },
        }
    }

    fn around(&self, note: &Note) -> Option<&'t str> {
        let at = usize::try_from(note.offset).ok()?;
        let after = self.ranges.partition_point(|range| range.start <= at);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        range.contains(&at).then(|| self.text[range.clone()].trim_end())
    }
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

/// What stands beside every `step`th message, with a value for each of these.
fn candidates<'t>(list: &[Note], records: &Records<'t>, step: usize) -> Vec<Candidate<'t>> {
    let mut found: Vec<Candidate<'t>> = Vec::new();
    let count = list.len().div_ceil(step);
    for (at, note) in list.iter().step_by(step).enumerate() {
        let Some(record) = records.around(note) else { continue };
        let mut add = |name: String, value: &'t str| {
            let known = found.iter().position(|candidate| candidate.name == name);
            let known = known.unwrap_or_else(|| {
                found.push(Candidate { name, values: vec![None; count] });
                found.len() - 1
            });
            found[known].values[at] = Some(value);
        };
        match records.kind {
            Kind::Json { lists } => peel::scalars(record, lists, &mut add),
            Kind::Table(delimiter) => {
                let names = cells(records.text.lines().next().unwrap_or_default(), delimiter);
                names
                    .zip(cells(record, delimiter))
                    .filter(|(_, cell)| !cell.is_empty() && cell.len() <= LONGEST)
                    .for_each(|(name, cell)| add(name.trim().to_string(), cell));
            }
            Kind::Pairs => peel::pairs(record)
                .filter(|(_, value)| value.len() <= LONGEST)
                .for_each(|(key, value)| add(key.to_string(), value)),
            Kind::Text if record.starts_with('{') => {}
            Kind::Text => {
                for (place, word) in words(prefix(record)).take(WORDS).enumerate() {
                    add(format!("word:{}", place + 1), word);
                }
            }
        }
    }
    found
}
