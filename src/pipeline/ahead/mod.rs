//! Reads a source on a thread of its own, ahead of the fold: one finds, splits and parses messages while the other pairs, judges and
//! stores those before them.
//!
//! What is read travels in [`Block`]s, some hundred messages at a time, of which there are a few that go round. The fold takes them in
//! the order in which they were read, so that it is told exactly what it would be told by the source itself.

mod block;

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

pub(super) use block::Block;

use crate::capture::{Channel, Frame, FrameSink, Resume, Skip, Source};
use crate::error::{Error, ErrorKind, Result};

/// How many blocks go round: one is filled, one is taken, and one waits between them.
const BLOCKS: usize = 3;

/// The smallest file that is worth a thread, in bytes.
const LEAST: u64 = 1 << 20;

/// As much as the main thread has: readers were written on it.
const STACK: usize = 8 << 20;

/// Reads a source into a sink: on a thread of its own where that is worth while, or where `jobs` says so.
pub(super) fn read(
    source: &mut dyn Source,
    id: u32,
    from: Resume,
    sink: &mut dyn FrameSink,
    jobs: Option<NonZero<usize>>,
) -> Result<Resume> {
    let wanted = match jobs {
        Some(jobs) => jobs.get() > 1,
        None => source.size().is_some_and(|size| size >= LEAST) && cores() > 1,
    };
    let done = if wanted { apart(source, id, from, sink) } else { None };
    done.unwrap_or_else(|| source.read(id, from, sink))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Reads on another thread; `None` where there can be none.
fn apart(source: &mut dyn Source, id: u32, from: Resume, sink: &mut dyn FrameSink) -> Option<Result<Resume>> {
    let (full, blocks) = sync_channel(BLOCKS);
    let (give_back, spare) = sync_channel(BLOCKS);
    for _ in 1..BLOCKS {
        give_back.send(Block::default()).ok()?;
    }
    thread::scope(|scope| {
        let read = move || {
            let mut ahead = Ahead { block: Block::default(), full, spare, alone: false };
            let end = source.read(id, from, &mut ahead);
            ahead.send();
            end
        };
        let reader = thread::Builder::new().name("reader".into()).stack_size(STACK).spawn_scoped(scope, read).ok()?;
        let taken = take(&blocks, &give_back, sink);
        // A reader that is still at work finds nobody to read for, and ends.
        drop((blocks, give_back));
        let end = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
        Some(taken.and(end))
    })
}

/// Takes blocks until there are no more.
fn take(blocks: &Receiver<Block>, give_back: &SyncSender<Block>, sink: &mut dyn FrameSink) -> Result<()> {
    for block in blocks {
        block.give(sink)?;
        // Where nobody waits for it, the reader has ended.
        let _ = give_back.send(block);
    }
    Ok(())
}

/// The sink of the reader.
struct Ahead {
    block: Block,
    full: SyncSender<Block>,
    spare: Receiver<Block>,
    /// True once the fold has ended before the reader.
    alone: bool,
}

impl Ahead {
    /// Hands the block on, and waits for an empty one.
    fn send(&mut self) {
        let sent = self.full.send(std::mem::take(&mut self.block)).is_ok();
        match self.spare.recv() {
            Ok(block) if sent => self.block = block.emptied(),
            _ => self.alone = true,
        }
    }

    fn send_if_full(&mut self) {
        if self.block.is_full() && !self.alone {
            self.send();
        }
    }

    /// An error where nobody takes what is read; the fold has one of its own, which is told.
    fn go_on(&self) -> Result<()> {
        match self.alone {
            true => Err(Error::new(ErrorKind::Interrupted, "the judgement ended before the log")),
            false => Ok(()),
        }
    }
}

impl FrameSink for Ahead {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        self.block.channel(index, channel);
        self.go_on()
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.block.frame(frame);
        self.send_if_full();
        self.go_on()
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.block.skipped(line, why);
        self.send_if_full();
    }

    fn times(&mut self, first: &str, last: &str) {
        self.block.times(first, last);
    }

    fn progress(&mut self, bytes: u64) {
        self.block.progress(bytes);
    }
}

#[cfg(test)]
mod tests;
