//! Pairing in short: how many answers find their request, and how much contradicts that one client talked to one server.

use rustc_hash::{FxHashMap, FxHashSet};

use super::counters::{Counts, Form, Forms};
use super::note::{Act, Note};

/// How well messages pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score {
    /// Ids, or progress tokens, used again while they were in flight.
    pub overlaps: usize,
    /// Second answers.
    pub doubles: usize,
    /// Ids used again after their answer.
    pub reused: usize,
    /// Handshakes asked for twice under one id before either was answered, or one within the other and both brought to their
    /// end: no client does that.
    pub two_clients: usize,
    /// What goes on of a stream that a second handshake should have ended.
    pub outlived: usize,
    /// Handshakes behind one that was brought to its end, and no farewell between the two.
    pub renewals: usize,
    /// Contradictions behind such a handshake that vanish where the client before it goes on.
    pub goes_on: usize,
    /// Streams in which one sender's ids are two counts.
    pub two_counts: usize,
    /// Streams in which one sender's ids are made in two ways, one amid the handshake of the other.
    pub two_forms: usize,
    /// Answers without a request before them.
    pub stray: usize,
    /// Answers that found their request.
    pub pairs: usize,
    /// What stands before its cause or behind its end: a farewell, progress, a cancel, work amid a handshake.
    pub misplaced: usize,
    /// What stands before the first handshake of its stream.
    pub unopened: usize,
    /// How much of all that another order may explain: what is answered, named or given in the wrong place, and not nowhere.
    pub displaced: usize,
    /// Answers that stand before the only request that they can belong to.
    pub ahead: usize,
    /// The most requests that were in flight at a time in one stream.
    pub in_flight: usize,
    /// Handshakes whose client went on before they were answered.
    pub unheard: usize,
}

impl Score {
    /// How often ids contradict that there is one connection.
    pub(super) fn clashes(&self) -> usize {
        self.overlaps + self.doubles + self.reused
    }

    /// What speaks against the supposition.
    pub(super) fn faults(&self) -> usize {
        self.clashes() + self.stray
    }

    /// What speaks against an order.
    pub(super) fn disorder(&self) -> usize {
        self.faults() + self.misplaced
    }

    /// What of it another order may explain: ids that nobody asked with, and second answers, are none of that.
    pub(super) fn order_may_explain(&self) -> bool {
        self.out_of_place() > 0
    }

    /// How much of it that is.
    pub(super) fn out_of_place(&self) -> usize {
        self.displaced + self.overlaps
    }

    /// The same as `faults` without ids that were used again after their answer, which some protocols allow.
    pub(super) fn contradictions(&self) -> usize {
        self.overlaps + self.doubles + self.stray
    }
}

/// What a stream was before a handshake began it anew.
#[derive(Default)]
struct Life {
    /// What was asked in it, and what of that had no answer yet.
    asked: FxHashSet<(u8, u64)>,
    open: FxHashSet<(u8, u64)>,
}

/// One stream of messages, as far as it was read.
#[derive(Default)]
struct Stream {
    /// Its lives so far, but the one that it is in.
    lives: Vec<Life>,
    open: FxHashMap<(u8, u64), Act>,
    done: FxHashSet<(u8, u64)>,
    greeted: bool,
    /// How much was said so far.
    heard: usize,
    /// True from a second handshake after the first one's end until its answer.
    renewed: bool,
    /// True once a second handshake was asked for amid the work of the first.
    again: bool,
    /// True in a life that a second handshake began.
    anew: bool,
    /// How many handshakes were brought to their end.
    ended: usize,
    /// The id of the last handshake.
    greeting: u64,
    /// Who asked for a handshake that is not at its end, and what he has said since.
    opener: Option<u8>,
    said: usize,
    /// True behind a farewell.
    closed: bool,
    /// Progress tokens that were given; true once their request is answered.
    tokens: FxHashMap<u64, bool>,
    /// The token that a request lends.
    lent: FxHashMap<(u8, u64), u64>,
    /// The ids that each sender asks with.
    counts: [Counts; 3],
    /// How they are made, and how that of the last handshake was.
    forms: [Forms; 3],
    opening: Option<Form>,
    /// The request that says goodbye: its answer may come behind the handshake of the next.
    farewell: Option<(u8, u64)>,
    /// What was in flight when a second handshake began anew: requests, and the tokens that they gave.
    left: FxHashSet<(u8, u64)>,
    left_tokens: FxHashSet<u64>,
    /// Requests that were answered or cancelled, and tokens that progress spoke of, before they were there.
    early: FxHashSet<(u8, u64)>,
    early_tokens: FxHashSet<u64>,
    /// Requests that no answer has found, and those of them that were asked behind the answer and have no other.
    strays: FxHashSet<(u8, u64)>,
    owed: FxHashSet<(u8, u64)>,
    /// True in a stream where they are two counts.
    two_counts: bool,
}

/// The score of messages in an order, where those of one group are one stream.
pub(super) fn score(notes: &[Note], order: &[usize], groups: &[u32]) -> Score {
    let mut streams: FxHashMap<u32, Stream> = FxHashMap::default();
    let mut score = Score::default();
    for at in order {
        streams.entry(groups[*at]).or_default().take(&notes[*at], &mut score);
    }
    score.two_counts = streams.values().filter(|stream| stream.two_counts).count();
    let two_forms = |stream: &&Stream| stream.forms.iter().any(Forms::may_be_two);
    score.two_forms = streams.values().filter(two_forms).count();
    score.ahead = streams.values().map(|stream| stream.owed.len()).sum();
    score
}

/// The places of an order, by the stream that holds them.
pub(super) fn by_stream(order: &[usize], streams: &[u32]) -> FxHashMap<u32, Vec<usize>> {
    let mut held: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    order.iter().for_each(|at| held.entry(streams[*at]).or_default().push(*at));
    held
}

impl Stream {
    fn take(&mut self, note: &Note, score: &mut Score) {
        score.unheard += usize::from(note.marks.opened && self.open.contains_key(&(note.sender, self.greeting)));
        if note.act == Act::Open && !self.greeted && self.lives.is_empty() {
            score.unopened += self.heard;
        }
        self.heard += 1;
        let parted = self.closed || self.farewell.is_some();
        let (found, nowhere) = self.misplaced(note);
        // What was not asked before cannot be cancelled by who goes on.
        if found > 0 && !self.lives.is_empty() && (note.target == 0 || self.was_left((note.sender, note.target))) {
            score.goes_on += found;
        }
        score.misplaced += found;
        score.displaced += found - nowhere;
        if matches!(note.act, Act::Ask | Act::Open) {
            let given = note.token != 0 && self.early_tokens.remove(&note.token);
            score.displaced += usize::from(self.early.remove(&(note.sender, note.id))) + usize::from(given);
        }
        match note.act {
            Act::Tell if note.marks.greets => {
                self.ended += 1;
                score.two_clients += usize::from((self.again || self.anew) && self.ended == 2);
            }
            Act::Tell => score.outlived += usize::from(self.left_tokens.contains(&note.token)),
            Act::Open => {
                score.renewals += usize::from(self.ended > 0 && !parted);
                self.greet(note, score);
            }
            Act::Ask => self.ask(note, score),
            Act::Answer => self.answer(note, score),
        }
    }

    /// How much of what a message needs before it, or must not have before it, says that it stands in the wrong place, and how
    /// much of that was nowhere so far.
    fn misplaced(&mut self, note: &Note) -> (usize, usize) {
        let mut nowhere = 0;
        let mut found = usize::from(self.closed && note.act != Act::Open);
        let waits = |sender: u8| self.open.keys().any(|(asker, _)| *asker == sender);
        if note.marks.greets {
            found += usize::from(self.open.values().any(|act| *act == Act::Open)) + std::mem::take(&mut self.said);
            self.opener = None;
        } else if self.opener == Some(note.sender) && (note.marks.opened || note.act == Act::Tell && note.target == 0) {
            self.said += 1;
        }
        match note.act {
            Act::Open => (self.opener, self.said, self.closed) = (Some(note.sender), 0, false),
            Act::Tell if note.target != 0 => {
                let key = (note.sender, note.target);
                found += usize::from(!self.open.contains_key(&key));
                if !self.open.contains_key(&key) && !self.done.contains(&key) {
                    nowhere += 1;
                    self.early.insert(key);
                }
            }
            Act::Tell if note.token != 0 => {
                found += usize::from(self.tokens.get(&note.token) != Some(&false));
                if !self.tokens.contains_key(&note.token) {
                    nowhere += 1;
                    self.early_tokens.insert(note.token);
                }
            }
            Act::Tell if note.marks.closes => {
                found += usize::from(waits(note.sender));
                self.closed = true;
            }
            _ => {}
        }
        (found, nowhere)
    }

    /// A second handshake starts a new life of the stream, unless the first is amid its work.
    fn greet(&mut self, note: &Note, score: &mut Score) {
        let key = (note.sender, note.id);
        if self.open.get(&key) == Some(&Act::Open) {
            score.two_clients += 1;
            score.overlaps += 1;
        } else if self.greeted && self.open.is_empty() || self.done.contains(&key) {
            let (opener, two_counts) = (self.opener, self.two_counts);
            let counts = std::mem::take(&mut self.counts).map(Counts::begin_anew);
            let mut lives = std::mem::take(&mut self.lives);
            lives.push(Life {
                asked: self.open.keys().copied().chain(self.done.iter().copied()).collect(),
                open: self.open.keys().copied().collect(),
            });
            let left = self.open.iter().filter(|(_, act)| **act == Act::Ask).map(|(key, _)| *key);
            let left = left.filter(|key| self.farewell != Some(*key)).collect();
            let left_tokens = std::mem::take(&mut self.lent).into_values().collect();
            let new = Stream { lives, renewed: true, anew: true, opener, counts, two_counts, ..Stream::default() };
            *self = Stream { left, left_tokens, forms: self.forms, ..new };
        }
        self.count(note);
        self.form(note, None);
        self.opening = note.form;
        self.again |= self.greeted;
        self.greeted = true;
        self.greeting = note.id;
        self.open.insert(key, Act::Open);
        score.in_flight = score.in_flight.max(self.open.len());
    }

    fn count(&mut self, note: &Note) {
        if let Some(number) = note.number {
            let counts = &mut self.counts[usize::from(note.sender.min(2))];
            counts.take(number);
            self.two_counts |= counts.are_two();
        }
    }

    fn form(&mut self, note: &Note, within: Option<Form>) {
        if let Some(form) = note.form {
            self.forms[usize::from(note.sender.min(2))].take(form, within);
        }
    }

    fn ask(&mut self, note: &Note, score: &mut Score) {
        self.count(note);
        let key = (note.sender, note.id);
        if self.strays.remove(&key) {
            self.owed.insert(key);
        }
        if note.marks.closes {
            self.farewell = Some(key);
        }
        // Who has just begun anew waits for the answer; who goes on is somebody else.
        let greets = |open: &FxHashMap<(u8, u64), Act>| {
            open.iter().any(|((sender, _), act)| *sender == note.sender && *act == Act::Open)
        };
        let amid = note.marks.opened && greets(&self.open);
        self.form(note, self.opening.filter(|_| amid));
        if self.renewed && amid {
            score.two_clients += 1;
            self.renewed = false;
        }
        let lent = self.lends_again(note);
        let clashes = score.clashes();
        if self.open.insert(key, Act::Ask).is_some() || lent {
            score.overlaps += 1;
        } else if self.done.contains(&key) {
            score.reused += 1;
        }
        score.in_flight = score.in_flight.max(self.open.len());
        // Where each life has used the id, whoever goes on uses it again, too.
        if score.clashes() > clashes && self.lives.iter().any(|life| lent || !life.asked.contains(&key)) {
            score.goes_on += 1;
        }
    }

    /// True for a request that an earlier life left without an answer.
    fn was_left(&self, key: (u8, u64)) -> bool {
        self.lives.iter().any(|life| life.open.contains(&key))
    }

    /// Takes down the token that a request gives; true if one in flight has given it.
    fn lends_again(&mut self, note: &Note) -> bool {
        if note.token == 0 {
            return false;
        }
        if note.marks.borrowed {
            self.lent.insert((note.sender, note.id), note.token);
        }
        self.tokens.insert(note.token, false) == Some(false) && note.marks.borrowed
    }

    fn answer(&mut self, note: &Note, score: &mut Score) {
        let issuers = note.issuers();
        let keys = || issuers.iter().map(|issuer| (*issuer, note.id));
        if let Some(key) = keys().find(|key| self.open.contains_key(key)) {
            self.open.remove(&key);
            self.owed.remove(&key);
            self.done.insert(key);
            if let Some(token) = self.lent.remove(&key) {
                self.tokens.insert(token, true);
            }
            score.pairs += 1;
        } else if keys().any(|key| self.done.contains(&key)) {
            score.doubles += 1;
            score.goes_on += usize::from(keys().any(|key| self.was_left(key)));
            self.early.extend(keys());
        } else {
            score.stray += 1;
            score.goes_on += usize::from(keys().any(|key| self.was_left(key)));
            self.early.extend(keys());
            self.strays.extend(keys());
            score.outlived += usize::from(keys().any(|key| self.left.contains(&key)));
        }
    }
}
