//! The key of connections, learned: what stands beside every message, has few values, and under whose values every stream
//! pairs without the contradictions that the log as a whole has.
//!
//! A word that a program puts beside its messages (a level, a thread, a tool) can resolve one contradiction by chance,
//! and would hide a fault. So the values have to look like connections: each has a handshake of its own, or three and
//! more contradictions are resolved and each value has answers of its own.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::apart;
use super::beside::{Candidate, Records, candidates};
use super::mixed;
use super::names;
use super::note::{Act, Note, Notes};
use super::pairing::{Score, score};
use super::split::Split;
use crate::capture::plan::{Mixed, Plan};
use crate::capture::spoken::Telling;
use crate::capture::words::{Meaning, TYPES, direction, instance, meaning, serves};
use crate::capture::{Proof, spoken, time};

/// How many contradictions have to be resolved where no handshake speaks for it.
const RESOLVED: usize = 3;

/// How many records are looked at before all are, spread over the head.
const PROBED: usize = 256;

/// The rank of a name that does not speak of connections.
const UNNAMED: usize = 100;

/// The rank from which on a name speaks of who served a connection, and may have served several.
const INSTANCE: usize = 20;

/// The best so far: its faults, its rank, whether it has no name but a place, and how long that is; what it splits the log into.
type Best = ((usize, usize, bool, usize), Split);

/// Chooses what tells the connections apart, or says that nothing does. Gives what a key makes of the log. `several` where something shows
/// that there are several: else they have ids of their own, and a key has to say itself that it tells them apart.
pub(super) fn choose(
    notes: &Notes,
    records: &Records<'_>,
    (order, now): (&[usize], Score),
    several: bool,
    plan: &mut Plan,
) -> Option<Split> {
    let list = &notes.list;
    let merged = vec![0; list.len()];
    let whole = score(list, order, &merged);
    let one = several.then(|| names::read_as_one(notes, order, now, whole)).flatten();
    let mut best: Option<Best> = one.map(|one| ((whole.faults(), 0, false, 0), one));
    let step = list.len().div_ceil(PROBED).max(1);
    let promising = |candidate: Candidate<'_>| candidate.is_promising(list.iter().step_by(step));
    let found = candidates(list, records, step, true);
    let all = found.into_iter().any(promising).then(|| candidates(list, records, 1, true));
    // Who goes on behind the end of a connection may be another client, where something beside the messages says so.
    let parted = apart::goes_on_behind_its_end(list, order, &merged);
    let mut doubted = false;
    for candidate in all.into_iter().flatten() {
        let told = candidate.groups().filter(|(own, _)| !candidate.is_time() && !are_channels(list, own));
        let Some((own, values)) = told else { continue };
        doubted |= parted && apart::end_apart(list, order, &own);
        let named = candidate.names_a_party();
        let own_ids = apart::say_so(list, order, &own, named);
        if !several && !own_ids {
            continue;
        }
        let found = score(list, order, &own);
        let greeted = each_greets_once(list, order, &own);
        let better = found.faults() < now.faults() || greeted && found.faults() == now.faults();
        // Where requests were lost, answers to them are nobody's under any key.
        let fits = found.clashes() < now.clashes() && found.disorder() < now.disorder();
        let ends = fits && (notes.lost || !notes.cut.is_empty()) && each_ends_its_own(list, &own);
        let shown = ends || better && (greeted || resolves(list, &own, whole, found, named));
        let chosen = several && shown || own_ids && apart::keeps_together(now, found, values.len());
        if !chosen {
            continue;
        }
        // A member that says it keeps its name where records have more members, or fewer.
        let placed = records.has_members() && Telling::is_place(&candidate.name);
        let rank = (found.faults(), candidate.rank(), placed, candidate.name.len());
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
            let instances = (INSTANCE..UNNAMED).contains(&rank.1) || are_numbered(&values);
            let split = Split {
                key: vec![candidate.name],
                streams: own,
                names: values,
                apart: rank.1 < INSTANCE,
                instances,
                lacks: Proof::NONE,
                said: vec![said],
            };
            best = Some((rank, split));
        }
    }
    if best.is_none() && several {
        let streams: Vec<u32> = list.iter().map(|note| note.channel).collect();
        let apart = !notes.served && streams.iter().any(|stream| *stream != streams[0]);
        mixed::look(notes, order, (&streams, &notes.names), apart, plan);
        names::doubt(notes, order, plan);
    }
    if best.is_none() && doubted && plan.mixed.is_empty() {
        plan.mixed.push(Mixed { name: None, surely: false, ungreeted: true });
    }
    best.map(|(_, split)| split)
}

/// True if a stream holds two handshakes: of one connection after the other, or of two beside each other.
pub(super) fn greets_again(list: &[Note]) -> bool {
    let mut greeted = FxHashSet::default();
    list.iter().filter(|note| note.act == Act::Open).any(|note| !greeted.insert(note.channel))
}

/// True if streams are what is told apart already.
fn are_channels(list: &[Note], streams: &[u32]) -> bool {
    let both: FxHashSet<(u32, u32)> = list.iter().zip(streams).map(|(note, own)| (note.channel, *own)).collect();
    let of = |pick: fn(&(u32, u32)) -> u32| both.iter().map(pick).collect::<FxHashSet<_>>().len();
    of(|pair| pair.0) == both.len() && of(|pair| pair.1) == both.len()
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

/// True for names that are one but for the numbers in them: `web-1`, `web-2`.
fn are_numbered(names: &[Option<String>]) -> bool {
    let stem = |name: &str| name.chars().filter(char::is_ascii_alphabetic).collect::<String>();
    let mut stems = names.iter().flatten().map(|name| stem(name));
    let first = stems.next().unwrap_or_default();
    !first.is_empty() && stems.all(|stem| stem == first)
}

/// A word without the signs around it: `[12:00:01]`, `client:`.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_ascii_punctuation())
}

impl Candidate<'_> {
    /// True for a time: where it is coarse, a request and its answer have the same, and it would split by chance.
    fn is_time(&self) -> bool {
        let is_time = |value: &Cow<'_, str>| value.contains(':') && time::parse(bare(value)).is_some();
        matches!(self.meaning(), Some((Meaning::Time, _))) || self.values.iter().flatten().all(is_time)
    }

    fn meaning(&self) -> Option<(Meaning, usize)> {
        let named = spoken::name(&self.name);
        let name = match named.contains(':') {
            true => self.common_word()?,
            false => named.rsplit(['/', '.']).find(|key| !TYPES.contains(key)).unwrap_or_default(),
        };
        meaning(name)
    }

    /// The word with which all values of a place without a name begin: `conn` of `[conn-1]` and `[conn-2]`.
    fn common_word(&self) -> Option<&str> {
        let mut words = self.values.iter().flatten().map(|value| {
            let value = bare(value);
            &value[..value.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(value.len())]
        });
        let first = words.next()?;
        words.all(|word| word == first).then_some(first)
    }

    /// False for what tells no more connections apart than are told apart already, however much of the log is looked at: a time,
    /// a direction, what differs nearly everywhere, and what names the same connections.
    fn is_promising<'n>(&self, notes: impl Iterator<Item = &'n Note>) -> bool {
        let told: Vec<(&str, u32)> =
            self.values.iter().zip(notes).filter_map(|(value, note)| Some((value.as_deref()?, note.channel))).collect();
        let count = |values: FxHashSet<(&str, u32)>| values.len();
        let values = count(told.iter().map(|(value, _)| (*value, 0)).collect());
        let channels = count(told.iter().map(|(_, channel)| ("", *channel)).collect());
        let pairs = count(told.iter().copied().collect());
        let same = values > 1 && values == channels && pairs == values;
        let many = values * 10 > told.len().max(20) * 9;
        let directs = |value: &str| direction(&self.name, value).or_else(|| direction(&self.name, bare(value)));
        let directs = told.iter().all(|(value, _)| directs(value).is_some());
        !(same || many || directs || self.is_time())
    }

    /// True if its name speaks of connections, or of who serves them.
    fn names_a_party(&self) -> bool {
        let named = spoken::name(&self.name);
        self.rank() < UNNAMED || named.rsplit(['/', '.', ':']).next().is_some_and(serves)
    }

    /// How little its name speaks of connections.
    fn rank(&self) -> usize {
        match self.meaning() {
            Some((Meaning::Session, rank)) => rank,
            Some((Meaning::Connection, rank)) => 10 + rank,
            _ => instance(&spoken::name(&self.name).replace('/', ".")).map_or(UNNAMED, |rank| INSTANCE + rank),
        }
    }
}
