//! Rows that nobody may ever ask for. A check asks for those that a finding names, and for the requests that the fold has
//! forgotten and meets again: all others never become rows of a table.

use rusqlite::Statement;
use rustc_hash::{FxHashMap, FxHashSet};

use super::columns::{ExchangeColumns, FrameColumns, RpcId, Text};
use super::logs::Logs;
use super::spool::Spool;
use super::{Store, derived};
use crate::error::Result;
use crate::session::{Asked, FrameId};

/// How many questions that nobody announced are looked up one by one, each by reading all that is set aside.
const UNANNOUNCED: u32 = 8;

/// Bits in which hashes of ids are remembered, where those that stand there twice are looked for.
const MARKS: usize = 1 << 24;

/// What is set aside.
#[derive(Default)]
pub(super) struct Aside {
    /// How many bytes of the text of a message are kept.
    text: usize,
    frames: Spool,
    exchanges: Spool,
    senders: Spool,
    last: FrameId,
    count: u64,
    /// Frames that findings name.
    named: Vec<FrameId>,
    /// Frames that became rows, in order.
    brought: Vec<FrameId>,
    asked: Questions,
    unannounced: u32,
}

/// What the fold asks about.
#[derive(Default)]
struct Questions {
    /// Ids of requests, by connection.
    ids: FxHashMap<i64, FxHashSet<RpcId<'static>>>,
    /// Connections of which every id that was used twice is asked for.
    twice: FxHashSet<i64>,
    /// True if all requests became rows.
    all: bool,
}

impl Questions {
    fn add(&mut self, asked: &Asked) {
        let connection = i64::from(asked.connection);
        if asked.reused {
            self.twice.insert(connection);
        }
        if !asked.ids.is_empty() {
            self.ids.entry(connection).or_default().extend(asked.ids.iter().map(RpcId::of));
        }
    }

    /// True if all that is asked was asked before.
    fn covers(&self, asked: &Asked) -> bool {
        let connection = i64::from(asked.connection);
        let known = |id: &RpcId<'_>| self.ids.get(&connection).is_some_and(|ids| ids.contains(id));
        let ids = asked.ids.iter().all(|id| known(&RpcId::of(id)));
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

    /// Sets a frame aside. Of a text that stands in the file only the place is kept.
    pub(super) fn frame(&mut self, frame: &FrameColumns<'_>, in_file: bool) -> Result<()> {
        self.last = frame.id as FrameId;
        let head = FrameColumns {
            body: frame.body.head(self.text).by_place(in_file),
            json: None,
            rpc_id: frame.rpc_id.clone(),
            ..*frame
        };
        self.frames.push(self.last, |bytes| head.pack(bytes))
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
    fn asked_for(&mut self, asked: &Questions) -> Result<Vec<FrameId>> {
        let marks = self.marks(asked)?;
        let mut wanted = Vec::new();
        self.frames.each(
            |_| true,
            |id, row| {
                let Some((connection, rpc_id)) = FrameColumns::request(row) else { return Ok(()) };
                let asked_by_id = || asked.ids.get(&connection).is_some_and(|ids| ids.contains(&rpc_id));
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

impl Store {
    /// Makes rows of what these questions are about, where rows are set aside.
    pub fn recall(&self, asked: &[Asked]) -> Result<()> {
        let Some(aside) = &self.aside else { return Ok(()) };
        if asked.is_empty() {
            return Ok(());
        }
        let mut aside = aside.borrow_mut();
        let mut questions = Questions::default();
        asked.iter().for_each(|asked| questions.add(asked));
        let wanted = aside.asked_for(&questions)?;
        asked.iter().for_each(|asked| aside.asked.add(asked));
        self.bring(&mut aside, wanted)
    }

    /// The same for a question that was not announced.
    pub(super) fn recall_late(&self, asked: &Asked) -> Result<()> {
        let Some(aside) = &self.aside else { return Ok(()) };
        if aside.borrow().asked.covers(asked) {
            return Ok(());
        }
        aside.borrow_mut().unannounced += 1;
        if aside.borrow().unannounced <= UNANNOUNCED {
            return self.recall(std::slice::from_ref(asked));
        }
        let mut aside = aside.borrow_mut();
        aside.asked.all = true;
        let wanted = aside.asked_for(&Questions { all: true, ..Questions::default() })?;
        self.bring(&mut aside, wanted)
    }

    /// Makes rows of what findings name, where rows are set aside.
    pub fn settle(&self) -> Result<()> {
        let Some(aside) = &self.aside else { return Ok(()) };
        let mut aside = aside.borrow_mut();
        let named = std::mem::take(&mut aside.named);
        self.bring(&mut aside, named)
    }

    /// Makes rows of these frames, of the exchanges that they begin, and of their senders.
    fn bring(&self, aside: &mut Aside, mut wanted: Vec<FrameId>) -> Result<()> {
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|frame| aside.brought.binary_search(frame).is_err());
        let may_hold = |keys: std::ops::RangeInclusive<u64>| {
            let first = wanted.partition_point(|frame| frame < keys.start());
            wanted.get(first).is_some_and(|frame| frame <= keys.end())
        };
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        let is_wanted = |key: &FrameId| wanted.binary_search(key).is_ok();
        let (mut frames, mut logs) = (self.frame_table()?, Logs::default());
        aside.frames.each(may_hold, |id, row| {
            if !is_wanted(&id) {
                return Ok(());
            }
            let mut frame = FrameColumns::unpack(id, row);
            let text = match frame.body {
                Text::InFile(length, hash) => logs.read(self, frame.source, frame.byte_offset as u64, length, hash)?,
                _ => None,
            };
            frame.body = text.as_deref().map_or(frame.body, Text::Utf8);
            frames.insert(&frame).map_err(fault)
        })?;
        let mut exchanges: Statement<'_> = self.sql.prepare(derived::INSERT_EXCHANGE).map_err(fault)?;
        aside.exchanges.each(may_hold, |id, row| match is_wanted(&id) {
            true => derived::insert_exchange(&mut exchanges, &ExchangeColumns::unpack(id, row).1).map_err(fault),
            false => Ok(()),
        })?;
        let mut senders: Statement<'_> = self.sql.prepare(derived::INSERT_SENDER).map_err(fault)?;
        aside.senders.each(may_hold, |id, row| match is_wanted(&id) {
            true => senders.execute((id as i64, row.first().copied())).map(|_| ()).map_err(fault),
            false => Ok(()),
        })?;
        aside.brought.extend(wanted);
        aside.brought.sort_unstable();
        Ok(())
    }
}
