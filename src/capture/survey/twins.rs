//! Records that stand twice among the notes: taken out, put back, and what tells that they were said twice.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::echoes;
use super::note::{Act, Note, Notes};
use crate::capture::plan::{Plan, Repeated};
use crate::capture::time::SECOND;

/// What a record says, when, and in which stream.
type Said = (u32, u64, Option<i64>);

/// The requests of one id, in the order of the log, each with the answers behind it.
#[derive(Default)]
struct Asked(Vec<(Said, Vec<Said>)>);

impl Asked {
    /// True if requests may well have been sent twice: one stands twice, and there are more answers than requests that differ.
    fn may_be_sent_again(&self) -> bool {
        let asked: FxHashSet<Said> = self.0.iter().map(|(said, _)| *said).collect();
        let answers: FxHashSet<Said> = self.0.iter().flat_map(|(_, answers)| answers.iter().copied()).collect();
        asked.len() < self.0.len() && answers.len() > asked.len() && !self.are_copies()
    }

    /// True if the answers behind each request are those behind its first copy, as far as both go: all of it was delivered again. Who
    /// was asked twice has not answered twice for it at one time.
    fn are_copies(&self) -> bool {
        let mut first: FxHashMap<Said, &[Said]> = FxHashMap::default();
        self.0.iter().all(|(said, answers)| {
            let known = *first.entry(*said).or_insert(answers);
            !answers.is_empty() && known.iter().zip(answers).all(|(one, other)| one == other)
        })
    }
}

/// How many notes two exchanges are.
const EXCHANGES: u32 = 4;

impl Notes {
    /// Without records that stand twice, which are none of either side's.
    pub(super) fn without_twins(mut self, plan: &mut Plan) -> Notes {
        plan.resent = plan.twins && are_resent(&self.by_one_writer(plan));
        let all = plan.resent;
        let (mut single, mut resent) = (Single::default(), 0);
        // Where the record of each text stands that is kept.
        let mut kept: FxHashMap<(u32, u64, Option<i64>), u64> = FxHashMap::default();
        self.take_out(|note| {
            if let Some(first) = plan.doubled.then(|| single.first_of(note)).flatten() {
                return Some(first);
            }
            if !plan.twins || note.at_us.is_none() || !all && note.id == 0 {
                return None;
            }
            match kept.entry(note.said()) {
                Entry::Occupied(known) => {
                    resent += 1;
                    Some(*known.get())
                }
                Entry::Vacant(new) => {
                    new.insert(note.offset);
                    None
                }
            }
        });
        if resent > 0 && all {
            plan.said.push(format!("{resent} records of its head stand in it twice, with the same time"));
        }
        self
    }

    /// What one of two writers wrote, where there are two.
    fn by_one_writer(&self, plan: &Plan) -> Cow<'_, [Note]> {
        if !plan.doubled {
            return Cow::Borrowed(&self.list);
        }
        let mut single = Single::default();
        Cow::Owned(self.list.iter().filter(|note| single.first_of(note).is_none()).copied().collect())
    }

    /// Each message once, where every one stands right behind its like: the other one is no connection's of its own.
    pub(super) fn each_pair_once(mut self) -> Notes {
        if echoes::stand_in_pairs(&self.list) {
            let mut first = None;
            self.take_out(|note| {
                first.take().or_else(|| {
                    first = Some(note.offset);
                    None
                })
            });
            self.taken.clear();
        }
        self
    }

    /// Takes out those of which another record, that is kept, says the same: where does it stand?
    fn take_out(&mut self, mut kept: impl FnMut(&Note) -> Option<u64>) {
        let (taken, again, mut at) = (&mut self.taken, &mut self.again, 0);
        self.list.retain(|note| {
            let twin = kept(note);
            if let Some(first) = twin {
                again.push((note.offset, first));
                taken.push((at, *note));
            }
            at += 1;
            twin.is_none()
        });
    }

    /// With the records that were taken out, where they stood.
    pub(super) fn with_twins(&self) -> Notes {
        let (mut kept, mut taken) = (self.list.iter(), self.taken.iter().peekable());
        let all = (0..self.list.len() + self.taken.len()).filter_map(|at| {
            let here = taken.next_if(|(place, _)| *place == at);
            here.map(|(_, note)| note).or_else(|| kept.next()).copied()
        });
        let mut notes = self.clone();
        (notes.list, notes.again, notes.taken) = (all.collect(), Vec::new(), Vec::new());
        notes
    }

    /// The notes with each record once, whoever wrote it again: what one message has, and its copy, too, is no habit of a logger.
    pub(super) fn each_once(&self) -> Cow<'_, Notes> {
        let mut said: FxHashSet<(u64, Option<i64>)> = FxHashSet::default();
        let mut is_new = |note: &&Note| (note.at_us.is_none() && note.id == 0) || said.insert((note.text, note.at_us));
        let list: Vec<Note> = self.list.iter().filter(&mut is_new).copied().collect();
        if list.len() == self.list.len() {
            return Cow::Borrowed(self);
        }
        let mut once = self.clone();
        once.list = list;
        Cow::Owned(once)
    }

    /// True if the clock does not tell messages of one time from those of another: it counts seconds, or it stands still while an exchange
    /// follows the answer of another, as the time does at which a shipper wrote them all.
    pub(super) fn have_coarse_times(&self) -> bool {
        self.resolution_us >= SECOND || self.stand_still()
    }

    fn stand_still(&self) -> bool {
        // Two exchanges of one time stand near each other in a log that was written in batches.
        let mut run = (None, 0);
        let of_one_time = self.list.iter().any(|note| {
            run = if note.at_us == run.0 && note.at_us.is_some() { (run.0, run.1 + 1) } else { (note.at_us, 1) };
            run.1 == EXCHANGES
        });
        of_one_time && self.exchange_at_one_time()
    }

    #[cold]
    fn exchange_at_one_time(&self) -> bool {
        // By time and stream: what was asked since the last answer to something asked then, and whether there was one.
        let mut open: FxHashMap<(u32, i64), (FxHashSet<u64>, bool)> = FxHashMap::default();
        self.list.iter().filter(|note| note.id != 0).any(|note| {
            let Some(at_us) = note.at_us else { return false };
            let (asked, answered) = open.entry((note.channel, at_us)).or_default();
            match note.act {
                Act::Ask | Act::Open => {
                    asked.insert(note.id);
                    false
                }
                Act::Answer if asked.contains(&note.id) => {
                    asked.clear();
                    std::mem::replace(answered, true)
                }
                Act::Answer | Act::Tell => false,
            }
        })
    }

    /// True if a request stands twice with one time, and its answers are more than the requests that are left, and no copies either: it
    /// may well have been sent twice, by one client or by two.
    pub(super) fn are_answered_as_often(&self, plan: &Plan) -> bool {
        let list = self.by_one_writer(plan);
        let mut asked: FxHashMap<(u32, u8, u64), Asked> = FxHashMap::default();
        for note in list.iter().filter(|note| note.id != 0) {
            match note.act {
                Act::Ask | Act::Open if note.at_us.is_some() => {
                    asked.entry((note.channel, note.sender, note.id)).or_default().0.push((note.said(), Vec::new()));
                }
                Act::Answer => {
                    let of = |issuer: &&u8| asked.contains_key(&(note.channel, **issuer, note.id));
                    let issuer = note.issuers().iter().find(of);
                    let asked = issuer.and_then(|issuer| asked.get_mut(&(note.channel, *issuer, note.id)));
                    if let Some((_, answers)) = asked.and_then(|asked| asked.0.last_mut()) {
                        answers.push(note.said());
                    }
                }
                _ => {}
            }
        }
        asked.values().any(Asked::may_be_sent_again)
    }
}

/// True if records without a time stand twice, one right behind the other, a request whose answer does not and an answer whose request does
/// not: one side may say a thing twice by mistake, but hardly both.
pub(super) fn stutter(list: &[Note]) -> bool {
    let again = || list.windows(2).filter(|pair| pair[0].at_us.is_none() && pair[0].said() == pair[1].said());
    let ids = |acts: [Act; 2]| -> FxHashSet<u64> {
        again()
            .map(|pair| &pair[1])
            .filter(|note| note.id != 0 && acts.contains(&note.act))
            .map(|note| note.id)
            .collect()
    };
    let (asked, answered) = (ids([Act::Ask, Act::Open]), ids([Act::Answer; 2]));
    asked.difference(&answered).next().is_some() && answered.difference(&asked).next().is_some()
}

/// True if a record stands twice with one time, and records of other times between the two, or requests and answers of both sides do: one
/// alone may have been said twice.
pub(super) fn are_resent(list: &[Note]) -> bool {
    let mut first: FxHashMap<(u32, u64, Option<i64>), usize> = FxHashMap::default();
    let (mut time, mut since, mut repeated) = (None, 0, Repeated::default());
    list.iter().enumerate().any(|(at, note)| {
        let Some(at_us) = note.at_us else { return false };
        if time.replace(at_us) != Some(at_us) {
            since = at;
        }
        let known = *first.entry(note.said()).or_insert(at);
        if known < at && note.id != 0 {
            repeated.note(note.sender);
        }
        known < at && (known < since || repeated.are_the_logs())
    })
}

/// Of two writers, what the first has written and the second has not: where it stands.
#[derive(Default)]
struct Single(FxHashMap<(u64, Option<i64>), u64>);

impl Single {
    /// Where the record stands that this one says again. The second writes what the first wrote, whatever stream it names: of four, the
    /// third is a record of its own.
    fn first_of(&mut self, note: &Note) -> Option<u64> {
        let first = self.0.remove(&(note.text, note.at_us));
        if first.is_none() {
            self.0.insert((note.text, note.at_us), note.offset);
        }
        first
    }
}
