//! Makes rows of what was set aside: of what the fold asks about, and of what findings name.

use rusqlite::Statement;

use super::aside::{Aside, Questions};
use super::columns::{ExchangeColumns, FrameColumns, Text};
use super::logs::Logs;
use super::{Store, derived};
use crate::error::Result;
use crate::session::{Asked, FrameId};

/// How many questions that nobody announced are looked up one by one, each by reading all that is set aside.
const UNANNOUNCED: u32 = 8;

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
        let wanted = aside.asked_for(&Questions::about_all())?;
        self.bring(&mut aside, wanted)
    }

    /// Makes rows of all frames of a connection, where rows are set aside.
    pub(super) fn recall_connection(&self, connection: u32) -> Result<()> {
        let Some(aside) = &self.aside else { return Ok(()) };
        let mut aside = aside.borrow_mut();
        let wanted = aside.frames_of(connection)?;
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
                Text::InFile(length, hash) => {
                    frame.body = Text::None;
                    logs.read(self, frame.source, frame.byte_offset as u64, length, hash)?
                }
                _ => None,
            };
            frame.body = text.as_deref().map_or(frame.body, Text::Utf8);
            frames.insert(&frame).map_err(fault)
        })?;
        frames.finish().map_err(fault)?;
        let mut exchanges = self.exchange_table().map_err(fault)?;
        aside.exchanges.each(may_hold, |id, row| match is_wanted(&id) {
            true => exchanges.take(&ExchangeColumns::unpack(id, row).1).map_err(fault),
            false => Ok(()),
        })?;
        exchanges.write().map_err(fault)?;
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
