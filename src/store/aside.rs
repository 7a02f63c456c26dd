//! Rows that nobody may ever ask for. A check asks for those that a finding names, and for the requests that the fold has
//! forgotten and meets again: all others never become rows of a table.

use rustc_hash::{FxHashMap, FxHashSet};

use super::columns::{ExchangeColumns, FrameColumns, RpcId, Text};
use super::spool::Spool;
use crate::capture::text_hash;
use crate::error::Result;
use crate::jsonrpc::Id;
use crate::session::{Asked, FrameId};

/// Bits in which hashes of ids are remembered, where those that stand there twice are looked for.
const MARKS: usize = 1 << 24;

/// What is set aside.
#[derive(Default)]
pub(super) struct Aside {
    /// How many bytes of the text of a message are kept.
    text: usize,
    pub frames: Spool,
    pub exchanges: Spool,
    pub senders: Spool,
    last: FrameId,
    count: u64,
    /// Frames that findings name.
    pub named: Vec<FrameId>,
    /// Frames that became rows, in order.
    pub brought: Vec<FrameId>,
    pub asked: Questions,
    pub unannounced: u32,
}

/// What the fold asks about.
#[derive(Default)]
pub(super) struct Questions {
    /// Ids of requests, by connection.
    ids: FxHashMap<i64, Ids>,
    /// Connections of which every id that was used twice is asked for.
    twice: FxHashSet<i64>,
    /// True if all requests became rows.
    pub all: bool,
}

/// Ids as they are stored: integers, and the JSON text of all others.
#[derive(Default)]
struct Ids {
    numbers: FxHashSet<i64>,
    texts: FxHashSet<String>,
}

impl Ids {
    fn add(&mut self, id: &Id) {
        match id {
            Id::Int(number) => self.numbers.insert(*number),
            other => self.texts.insert(other.to_json()),
        };
    }

    fn has(&self, id: &Id) -> bool {
        match id {
            Id::Int(number) => self.numbers.contains(number),
            other => self.texts.contains(&other.to_json()),
        }
    }

    fn stored(&self, id: RpcId<'_>) -> bool {
        match id {
            RpcId::None => false,
            RpcId::Int(number) => self.numbers.contains(&number),
            RpcId::Text(text) => self.texts.contains(text),
        }
    }
}

impl Questions {
    /// About every request.
    pub(super) fn about_all() -> Questions {
        Questions { all: true, ..Questions::default() }
    }

    pub(super) fn add(&mut self, asked: &Asked) {
        let connection = i64::from(asked.connection);
        if asked.reused {
            self.twice.insert(connection);
        }
        if !asked.ids.is_empty() {
            let known = self.ids.entry(connection).or_default();
            asked.ids.iter().for_each(|id| known.add(id));
        }
    }

    /// True if all that is asked was asked before.
    pub(super) fn covers(&self, asked: &Asked) -> bool {
        let connection = i64::from(asked.connection);
        let known = |id: &Id| self.ids.get(&connection).is_some_and(|ids| ids.has(id));
        let ids = asked.ids.iter().all(known);
        self.all || ids && (!asked.reused || self.twice.contains(&connection))
    }
}

impl Aside {
    /// Nothing yet; of each message's text, `text` bytes will be kept.
    pub(super) fn new(text: usize) -> Aside {
        Aside { text, ..Aside::default() }
    }

    /// The number of the last frame.
    pub(super) fn last(&self) -> FrameId {
        self.last
    }

    /// How many exchanges there were.
    pub(super) fn exchanges(&self) -> u64 {
        self.count
    }

    /// Sets a frame aside. Of a text that stands in the file, with this hash, only the place is kept.
    pub(super) fn frame(&mut self, frame: &FrameColumns<'_>, in_file: Option<u64>) -> Result<()> {
        self.last = frame.id as FrameId;
        let head = frame.body.head(self.text);
        let in_file = match head {
            Text::Utf8(part) if part.len() < frame.body.length() => in_file.map(|_| text_hash(part.as_bytes())),
            _ => in_file,
        };
        self.frames.push(self.last, |bytes| frame.pack(head.by_place(in_file), bytes))
    }

    /// True if a frame is a row by now: what comes of it is one, too, because it may be asked for at once.
    pub(super) fn is_row(&self, frame: FrameId) -> bool {
        self.brought.binary_search(&frame).is_ok()
    }

    /// One more exchange.
    pub(super) fn counted(&mut self) {
        self.count += 1;
    }

    /// Sets an exchange aside.
    pub(super) fn exchange(&mut self, connection: u32, exchange: &ExchangeColumns<'_>) -> Result<()> {
        self.exchanges.push(exchange.request as FrameId, |bytes| exchange.pack(connection, bytes))
    }

    /// Sets the sender of a frame aside that the log does not state.
    pub(super) fn sender(&mut self, frame: FrameId, sender: i64) -> Result<()> {
        self.senders.push(frame, |bytes| bytes.push(sender as u8))
    }

    /// A finding names a frame.
    pub(super) fn name(&mut self, frame: FrameId) {
        self.named.push(frame);
        // The same frames are named again and again.
        if self.named.len() == self.named.capacity() {
            self.named.sort_unstable();
            self.named.dedup();
            self.named.reserve(self.named.len());
        }
    }

    /// Frames that have to be rows before a question can be answered: the requests, and their answers.
    pub(super) fn asked_for(&mut self, asked: &Questions) -> Result<Vec<FrameId>> {
        let marks = self.marks(asked)?;
        let mut wanted = Vec::new();
        self.frames.each(
            |_| true,
            |id, row| {
                let Some((connection, rpc_id)) = FrameColumns::request(row) else { return Ok(()) };
                let asked_by_id = || asked.ids.get(&connection).is_some_and(|ids| ids.stored(rpc_id));
                let twice = || asked.twice.contains(&connection) && marks.twice(connection, &rpc_id);
                if asked.all || asked_by_id() || twice() {
                    wanted.push(id);
                }
                Ok(())
            },
        )?;
        let (mut answers, mut shown) = (Vec::new(), FxHashSet::default());
        self.exchanges.each(
            |_| true,
            |request, row| {
                let (connection, exchange) = ExchangeColumns::unpack(request, row);
                let connection = i64::from(connection);
                // Any settled request shows which side wrote the log.
                let shows = asked.twice.contains(&connection) && shown.insert(connection);
                if shows || wanted.binary_search(&request).is_ok() {
                    answers.extend([request].into_iter().chain(exchange.response.map(|answer| answer as FrameId)));
                }
                Ok(())
            },
        )?;
        wanted.extend(answers);
        Ok(wanted)
    }

    /// The frames of a connection.
    pub(super) fn frames_of(&mut self, connection: u32) -> Result<Vec<FrameId>> {
        let mut found = Vec::new();
        self.frames.each(
            |_| true,
            |id, row| {
                if FrameColumns::unpack(id, row).connection == Some(i64::from(connection)) {
                    found.push(id);
                }
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Marks of the ids of all requests in which reuse is looked for.
    fn marks(&mut self, asked: &Questions) -> Result<Marks> {
        let mut marks = Marks::default();
        if asked.twice.is_empty() {
            return Ok(marks);
        }
        marks.bits = vec![0; MARKS / 32];
        self.frames.each(
            |_| true,
            |_, row| {
                if let Some((connection, rpc_id)) =
                    FrameColumns::request(row).filter(|(at, _)| asked.twice.contains(at))
                {
                    marks.mark(connection, &rpc_id);
                }
                Ok(())
            },
        )?;
        Ok(marks)
    }
}

/// For each hash two bits: an id was there, and an id was there again. Two ids may share them: what is twice is looked at
/// again in the table, and what is there once is never marked twice less than it is.
#[derive(Default)]
struct Marks {
    bits: Vec<u64>,
}

impl Marks {
    fn place(connection: i64, id: &RpcId<'_>) -> (usize, u32) {
        use std::hash::BuildHasher;
        let hash = rustc_hash::FxBuildHasher.hash_one((connection, id));
        let at = (hash ^ hash >> 32) as usize % MARKS;
        (at / 32, (at % 32 * 2) as u32)
    }

    fn mark(&mut self, connection: i64, id: &RpcId<'_>) {
        let (at, shift) = Marks::place(connection, id);
        let seen = self.bits[at] >> shift & 1;
        self.bits[at] |= (1 | seen << 1) << shift;
    }

    fn twice(&self, connection: i64, id: &RpcId<'_>) -> bool {
        let (at, shift) = Marks::place(connection, id);
        self.bits.get(at).is_some_and(|bits| bits >> shift & 2 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(ids: &[Id], reused: bool) -> Asked {
        Asked { connection: 7, ids: ids.to_vec(), reused }
    }

    #[test]
    fn what_was_asked_before_is_not_asked_again() {
        let mut questions = Questions::default();
        assert!(!questions.covers(&asked(&[Id::Int(1)], false)));
        questions.add(&asked(&[Id::Int(1), Id::Text("a".into())], false));
        assert!(questions.covers(&asked(&[Id::Text("a".into()), Id::Int(1)], false)));
        assert!(!questions.covers(&asked(&[Id::Int(1), Id::Int(2)], false)));
        assert!(!questions.covers(&Asked { connection: 8, ..asked(&[Id::Int(1)], false) }));
        assert!(!questions.covers(&asked(&[], true)), "ids that stand there twice are another question");
        questions.add(&asked(&[], true));
        assert!(questions.covers(&asked(&[Id::Int(1)], true)));
        assert!(Questions::about_all().covers(&asked(&[Id::Int(3)], true)));
    }

    #[test]
    fn ids_that_stand_there_twice_are_found_among_many() {
        let mut marks = Marks { bits: vec![0; MARKS / 32] };
        for id in 0..10_000 {
            marks.mark(1, &RpcId::Int(id));
        }
        for id in (0..10_000).step_by(10) {
            marks.mark(1, &RpcId::Int(id));
        }
        let twice = |id: i64| marks.twice(1, &RpcId::Int(id));
        assert!((0..10_000).step_by(10).all(twice), "none may be missed");
        let others = (0..10_000).filter(|id| id % 10 != 0 && twice(*id)).count();
        assert!(others < 50, "{others} that stand there once have the marks of others");
        assert!(!marks.twice(2, &RpcId::Int(0)), "another connection has ids of its own");
    }
}
