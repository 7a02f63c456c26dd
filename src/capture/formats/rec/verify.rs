//! Whether a recording is what the recorder wrote: its hash chain, line by line.

#[cfg(test)]
mod tests;

use std::io::{BufRead, Read, Result};
use std::path::{Path, PathBuf};

use super::chain::{Link, sealed, states_one};
use super::left::Left;
use super::tree::Tree;
use crate::json::scan::{members, unquoted};

/// The longest line that is looked at, in bytes. The recorder stores 16 MiB of a message, which escapes can make six times as long.
pub(super) const LONGEST: u64 = 128 << 20;

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does not say what was written.
    Changed,
    /// The lines around it follow each other without it: it was added, moved, or is half a line of a disk that was full.
    Foreign,
    /// Its number is not the one that is due: events are not where they were, or the number was changed.
    Jump {
        /// The event before, where one is known.
        after: Option<u64>,
        /// The event on this line.
        to: u64,
    },
    /// The last line names another root than the lines before it come to: one of them, or what stands for those that were left out, is
    /// not what it was.
    Root,
}

/// How a part ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// In good order.
    Closed,
    /// With the name of the part in which it goes on.
    Rotated(String),
    /// Without its last line: cut, or still being written, or its recorder was ended by force.
    Cut,
}

/// What the chain of one file says.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How many lines there are; one that ends in its middle is none.
    pub lines: u64,
    /// How many of them state a hash, right or wrong. Without any there is nothing to verify.
    pub sealed: u64,
    /// The session, where the header says one.
    pub session: Option<String>,
    /// Which part of it.
    pub part: u64,
    /// Lines that are wrong, from 1; where more than [`Verified::MOST`] are, the first.
    pub faults: Vec<(u64, Fault)>,
    /// How many lines are wrong.
    pub wrong: u64,
    /// How it ends.
    pub end: End,
    /// The hash of the part before, where this is not the first.
    pub before: Option<Link>,
    /// The hash with which the next part begins.
    pub hands_on: Link,
    /// The hash of the last line.
    pub last: Link,
    /// Of an extract: how many lines were left out.
    pub left: u64,
    /// Which lines of the recording are there, from 1: first and last of each run.
    pub kept: Vec<(u64, u64)>,
    /// The root that the last line names, and to which the lines come.
    pub root: Option<Link>,
    /// The last line, as it stands, where there is one.
    pub closing: Vec<u8>,
}

impl Verified {
    /// How many faults are kept.
    pub const MOST: usize = 20;

    /// True if nothing is missing and nothing differs, from the first line of this part to its last.
    pub fn is_whole(&self) -> bool {
        self.is_sound() && self.left == 0
    }

    /// How many messages its recorder lost, as the last line says: what was written can be whole all the same.
    pub fn lost(&self) -> u64 {
        let last: serde_json::Value = serde_json::from_slice(&self.closing).unwrap_or_default();
        last["lost"].as_u64().unwrap_or(0)
    }

    /// The same, or an extract whose lines come to the root that its last line names.
    pub fn is_sound(&self) -> bool {
        self.sealed > 0 && self.wrong == 0 && self.end != End::Cut
    }
}

/// Where the signature of a recording stands.
pub fn signature_of(file: &Path) -> PathBuf {
    beside(file, ".minisig")
}

/// Where the signature of its last line stands, by which an extract is known.
pub fn end_signature_of(file: &Path) -> PathBuf {
    beside(file, ".end.minisig")
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(end);
    PathBuf::from(name)
}

/// Follows the chain of one file. Errors: what could not be read.
pub fn verify(mut log: impl BufRead) -> Result<Verified> {
    let mut walk = Walk::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut log).take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(walk.end());
        }
        walk.line(&line);
    }
}

/// A line that does not follow the one before, until the next one tells why.
#[derive(Clone)]
struct Doubt {
    line: u64,
    number: Option<u64>,
    states: Option<Link>,
    /// True if it has no end.
    torn: bool,
}

#[derive(Clone)]
pub(super) struct Walk {
    verified: Verified,
    /// Over the lines so far.
    tree: Tree,
    /// The number of the last event that was in its place.
    number: Option<u64>,
    doubt: Option<Doubt>,
}

impl Walk {
    pub(super) fn new() -> Walk {
        let beginning = Link::beginning();
        let verified = Verified {
            lines: 0,
            sealed: 0,
            session: None,
            part: 1,
            faults: Vec::new(),
            wrong: 0,
            end: End::Cut,
            before: None,
            hands_on: beginning,
            last: beginning,
            left: 0,
            kept: Vec::new(),
            root: None,
            closing: Vec::new(),
        };
        Walk { verified, tree: Tree::default(), number: None, doubt: None }
    }

    /// How the recording ends, as far as it was read.
    pub(super) fn ends(&self) -> &End {
        &self.verified.end
    }

    pub(super) fn line(&mut self, line: &[u8]) {
        self.verified.lines += 1;
        if self.verified.lines == 1 {
            self.header(line);
        }
        if let Some(left) = Left::read(line).filter(|_| self.verified.end == End::Cut) {
            return self.left(left);
        }
        if self.verified.closing.is_empty() {
            self.kept();
        }
        self.chained(line);
        if self.verified.end == End::Cut {
            self.tree.push(line);
        } else if self.verified.closing.is_empty() {
            self.closed(line);
        }
    }

    /// Another line of the recording is there.
    fn kept(&mut self) {
        let at = self.tree.lines().saturating_add(1);
        match self.verified.kept.last_mut() {
            Some((_, last)) if last.saturating_add(1) == at => *last = at,
            _ => self.verified.kept.push((at, at)),
        }
    }

    fn chained(&mut self, line: &[u8]) {
        let Some((text, states)) = sealed(line) else {
            self.verified.sealed += u64::from(states_one(line));
            return self.doubtful(line, None);
        };
        self.verified.sealed += 1;
        if self.verified.end == End::Cut && self.verified.last.next(text) == states {
            self.settle(Fault::Foreign);
            return self.good(text, states);
        }
        let follows = |doubt: &mut Doubt| doubt.states.is_some_and(|link| link.next(text) == states);
        if let Some(mut doubt) = self.doubt.take_if(follows) {
            // Its number may be what was changed: the line behind it has the next one.
            let own = event(text).0.and_then(|next| next.checked_sub(1));
            doubt.number = doubt.number.and(own.or(doubt.number));
            let number = doubt.number.or(self.number);
            self.doubt = Some(doubt);
            self.settle(Fault::Changed);
            self.number = number;
            return self.good(text, states);
        }
        self.doubtful(text, Some(states));
    }

    /// What the first line says is not trusted before its hash is: a wrong `prev` makes a wrong hash.
    fn header(&mut self, line: &[u8]) {
        let Ok(text) = std::str::from_utf8(line) else { return };
        for member in members(text) {
            let value = unquoted(member.value);
            match member.key {
                "session" => self.verified.session = Some(value.to_string()),
                "part" => self.verified.part = value.parse().unwrap_or(1),
                "prev" => self.verified.before = Link::read(value.as_bytes()),
                _ => {}
            }
        }
        if let Some(before) = self.verified.before {
            (self.verified.last, self.verified.hands_on) = (before, before);
        }
    }

    fn good(&mut self, text: &[u8], states: Link) {
        let (number, kind, next) = event(text);
        self.number = number.or(self.number);
        self.verified.end = match kind {
            "end" => End::Closed,
            "rotate" => End::Rotated(next.to_string()),
            _ => End::Cut,
        };
        if !matches!(self.verified.end, End::Rotated(_)) {
            self.verified.hands_on = states;
        }
        self.verified.last = states;
    }

    /// Lines that were left out. What they come to is only believed when the root is.
    fn left(&mut self, left: Left) {
        let number = self.doubt.as_ref().and_then(|doubt| doubt.number);
        self.settle(Fault::Changed);
        self.number = number.or(self.number);
        if !self.tree.skip(left.lines, &left.hashes) {
            self.fault(self.verified.lines, Fault::Changed);
        }
        self.number = self.number.map(|number| number.saturating_add(left.lines));
        self.verified.left = self.verified.left.saturating_add(left.lines);
        self.verified.last = left.before;
        self.verified.hands_on = left.before;
    }

    /// Holds the root that the last line names against the lines before it. Recordings of the first days name none.
    fn closed(&mut self, line: &[u8]) {
        self.verified.closing = line.to_vec();
        let named = root(line);
        let found = self.tree.root().map(|root| (self.tree.lines(), root));
        match named == found {
            true => self.verified.root = named.map(|(_, root)| root),
            false if named.is_none() && self.verified.left == 0 => {}
            // What is wrong was said where it stands.
            false if self.verified.wrong > 0 => {}
            false => self.fault(self.verified.lines, Fault::Root),
        }
    }

    fn fault(&mut self, line: u64, fault: Fault) {
        self.verified.wrong += 1;
        if self.verified.faults.len() < Verified::MOST {
            self.verified.faults.push((line, fault));
        }
    }

    fn doubtful(&mut self, text: &[u8], states: Option<Link>) {
        self.settle(Fault::Changed);
        let torn = states.is_none() && !text.ends_with(b"\n");
        self.doubt = Some(Doubt { line: self.verified.lines, number: event(text).0, states, torn });
    }

    /// Says what is wrong with the line in doubt. A changed line that has another number than is due is one behind a hole.
    fn settle(&mut self, fault: Fault) {
        let Some(doubt) = self.doubt.take() else { return };
        let after = self.number;
        // The first event of a later part has a number that only the part before knows.
        let due = after.or((self.verified.part == 1).then_some(0)).map(|after| after.saturating_add(1));
        let fault = match (fault, doubt.number) {
            _ if self.verified.end != End::Cut => Fault::Foreign,
            (Fault::Changed, Some(to)) if doubt.states.is_some() && due != Some(to) => Fault::Jump { after, to },
            (fault, _) => fault,
        };
        self.fault(doubt.line, fault);
    }

    pub(super) fn end(mut self) -> Verified {
        // The beginning of a line, where more is due, is what a cut leaves.
        if self.verified.end == End::Cut && self.doubt.take_if(|doubt| doubt.torn).is_some() {
            self.verified.lines -= 1;
        }
        self.settle(Fault::Changed);
        self.verified
    }
}

/// How many lines, and which root, the last line names.
fn root(line: &[u8]) -> Option<(u64, Link)> {
    let (mut lines, mut root) = (None, None);
    for member in members(std::str::from_utf8(line).ok()?) {
        match member.key {
            "lines" => lines = member.value.parse().ok(),
            "root" => root = Link::read(unquoted(member.value).as_bytes()),
            _ => {}
        }
    }
    lines.zip(root)
}

/// Number, kind and `next` of an event that is given up to its hash.
fn event(text: &[u8]) -> (Option<u64>, &str, &str) {
    let Ok(text) = std::str::from_utf8(text) else { return (None, "", "") };
    let (mut number, mut kind, mut next) = (None, "", "");
    for member in members(text) {
        match member.key {
            "q" => number = member.value.parse().ok(),
            "k" => kind = unquoted(member.value),
            "next" => next = unquoted(member.value),
            _ => {}
        }
        if !matches!(kind, "" | "rotate") {
            break;
        }
    }
    (number, kind, next)
}
