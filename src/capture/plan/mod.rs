//! How a log is read: what the look at its head has found, and what the way out needs of it. `survey` makes it.

mod echoes;
mod order;
mod seam;
mod twins;

pub(super) use echoes::{APART_US, Echoes};
pub(super) use order::{Order, Rank};
pub(super) use twins::{Known, Repeated, Twins};

use rustc_hash::FxHashSet;

use super::Proof;
use super::sample::Sample;
use crate::jsonrpc::{IdField, Message};
use crate::protocol::is_notification;

/// How a log is to be read.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The order of its records.
    pub order: Order,
    /// Lines of which nothing tells what comes first of them and what stands beside them.
    pub unordered: FxHashSet<u64>,
    /// What tells its connections apart, in place of what the format learned: paths of members, or `word:N` of text.
    pub key: Option<Vec<String>>,
    /// The resolution of its clock, as its times show it, in microseconds; 0 where nothing is known.
    pub resolution_us: i64,
    /// True if records may stand in it twice.
    pub twins: bool,
    /// True if its clock tells too little to know twins: who says the same again in one second may have said it twice.
    pub doubts: bool,
    /// Records without a time stand twice, one right behind the other: nothing tells whether they were said twice or written twice.
    pub stutters: bool,
    /// True if its head shows that it was the log that repeated them: then whatever stands twice is its doing.
    pub resent: bool,
    /// True if every message stands in it an even number of times, with or without times: it has two writers.
    pub doubled: bool,
    /// The id that a logger wrote on every notification.
    pub note_id: Option<NoteId>,
    /// Lengths at which strings with messages are cut, in bytes.
    pub cut_lengths: Vec<usize>,
    /// The length of the longest message of the head that is whole, in bytes; what is longer and is not may have been cut by whoever kept
    /// it in a record of his own.
    pub longest: usize,
    /// The length at which lines are cut, in bytes.
    pub cut_line: Option<usize>,
    /// How many more times a line has before its message than the one it begins with.
    pub times: usize,
    /// What the log cannot prove for what was done to it.
    pub lacks: Proof,
    /// What it cannot prove unless it goes on with what was seen before it.
    pub midway: Proof,
    /// Its channels in which two connections may stand.
    pub mixed: Vec<Mixed>,
    /// True if one of its connections shows that records were left out, which may have been of any.
    pub sampled: bool,
    /// True if messages without the name of a connection may be of any that has one.
    pub unnamed: bool,
    /// What tells its loggers apart, where others say again what one says, and the digest of the name of that one.
    pub loggers: Option<(String, u64)>,
    /// False where all that its head says names who sent it, and nothing says anything again: then nothing is asked for quotes.
    pub hears: bool,
    /// Offsets of records that quote what is said behind them; who comes behind what he quotes is known as that is read.
    pub quotes: FxHashSet<u64>,
    /// The member that numbers its records.
    pub numbered: Option<Box<str>>,
    /// What was found, each a clause of a sentence.
    pub said: Vec<String>,
}

/// What a part of a rotated log shows of all of it: it holds in the next part as well.
#[derive(Clone, Default)]
pub(super) struct PriorPart {
    /// How the part is read, as its format is called.
    pub chain: String,
    /// What tells its connections apart.
    pub key: Option<Vec<String>>,
    /// Its channels in which two connections may stand.
    pub mixed: Vec<Mixed>,
    /// Its head, of which formats have learned more than a short part shows.
    pub sample: Option<Sample>,
    /// True if messages of it were lost, or not read: any connection of the log may miss them, whether or not it is seen in that part.
    pub lacks: bool,
}

/// A channel in which two connections may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mixed {
    pub name: Option<String>,
    /// One client cannot be the reason of what clashes in it.
    pub surely: bool,
    /// It would be one if a handshake had been seen: then one client's are answers to what was asked before this log.
    pub ungreeted: bool,
}

/// What a logger wrote for the id that a notification has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteId {
    Null,
    /// One and the same, by its hash.
    Same(u64),
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            order: Order::AsWritten,
            unordered: FxHashSet::default(),
            key: None,
            resolution_us: 0,
            twins: false,
            doubts: false,
            stutters: false,
            resent: false,
            doubled: false,
            note_id: None,
            cut_lengths: Vec::new(),
            longest: usize::MAX,
            cut_line: None,
            times: 0,
            lacks: Proof::NONE,
            midway: Proof::NONE,
            mixed: Vec::new(),
            sampled: false,
            unnamed: false,
            loggers: None,
            hears: true,
            quotes: FxHashSet::default(),
            numbered: None,
            said: Vec::new(),
        }
    }
}

impl Plan {
    /// True for a message that has its id of its logger: it is a notification.
    #[inline(always)]
    pub(super) fn wrote_id_of(&self, message: &Message<'_>) -> bool {
        match self.note_id {
            None => false,
            Some(NoteId::Null) => message.id == IdField::Null && message.method.is_some(),
            Some(NoteId::Same(hash)) => {
                message.id.value().is_some_and(|id| id.hashed() == hash) && is_notification(message.method())
            }
        }
    }

    /// True if the log is read as it stands.
    pub(super) fn is_plain(&self) -> bool {
        self.said.is_empty() && self.mixed.is_empty()
    }

    /// What was found, each a clause of a sentence.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        let are = if self.mixed.iter().any(|channel| channel.surely) { "are" } else { "may be" };
        let mixed = format!(
            "two connections {are} in one stream and nothing tells them apart; --connection-key names a member that does"
        );
        self.said.iter().cloned().chain(Some(mixed).filter(|_| !self.mixed.is_empty()))
    }

    /// Takes over what the part before this one showed of its streams.
    pub(super) fn goes_on_with(&mut self, before: &PriorPart) {
        if self.key == before.key {
            let new = before.mixed.iter().filter(|channel| self.mixed.iter().all(|known| known.name != channel.name));
            self.mixed.extend(new.cloned().collect::<Vec<_>>());
        }
    }

    /// What a channel of this name cannot prove, and what not unless it goes on with what was seen before.
    pub(super) fn lacks_of(&self, name: &Option<String>) -> [Proof; 2] {
        let mixed = self.mixed.iter().find(|channel| channel.name == *name);
        let [lacks, midway] = [self.lacks, self.midway];
        match mixed.map(|channel| channel.ungreeted) {
            None => [lacks, midway],
            Some(false) => [lacks.and(Proof::WHOSE), midway],
            Some(true) => [lacks, midway.and(Proof::WHOSE)],
        }
    }

    /// True for a text with a message that a size limit cut: it ends in a mark, or after as many bytes as others.
    pub(super) fn is_cut(&self, text: &str) -> bool {
        is_marked(text) || self.cut_lengths.binary_search(&text.len()).is_ok()
    }
}

/// True for what stands behind a whole message and is nothing but what a logger writes where it cut.
pub(super) fn is_mark(rest: &str) -> bool {
    rest.len() <= 48 && !rest.contains(['{', ':']) && is_marked(rest)
}

/// True for a text that ends in what loggers write where they cut.
fn is_marked(text: &str) -> bool {
    let from = (0..=text.len().saturating_sub(48)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tail = text[from..].trim_end_matches(['"', '\'', '}', ']', ')', '>', ' ', '\n']).to_lowercase();
    let counted = || ["more", "bytes", "chars", "omitted"].iter().any(|word| tail.contains(word));
    let dots = tail.contains("...") || tail.contains('…');
    tail.contains("truncat") || tail.ends_with("...") || tail.ends_with('…') || dots && counted()
}
