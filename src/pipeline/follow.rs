//! Judges a log while it is being written: one pass that waits where the log ends. Whoever watches is told as soon as
//! anything is certain; what only the end of a log could show is said where the log says that it has ended.

use std::cell::RefCell;

use super::Options;
use super::intake::Intake;
use super::options::Quiet;
use crate::capture::{Frame, Resume, Source};
use crate::error::Result;
use crate::finding::Finding;
use crate::session::{Event, Exchange, FrameId};
use crate::store::{NewSource, Store};

/// Is told what a fold makes of a log that is being followed.
pub trait Watcher {
    /// The next source.
    fn source(&mut self, name: &str);
    /// A connection, and its key.
    fn opened(&mut self, connection: u32, key: &str);
    /// A frame, before the fold takes it. Members of a batch have the numbers after `id`.
    fn frame(&mut self, id: FrameId, frame: &Frame<'_>);
    /// What happened.
    fn event(&mut self, event: &Event<'_>);
    /// An exchange that will not change any more.
    fn settled(&mut self, exchange: &Exchange);
    /// What a rule says.
    fn finding(&mut self, finding: &Finding);
    /// True if the log has ended, so that what is open was never answered.
    fn is_over(&self) -> bool;
}

/// Reads sources as they come from `next`, each to its end, into a store that is thrown away afterwards.
pub fn follow(
    store: &mut Store,
    next: &mut dyn FnMut() -> Result<Option<Box<dyn Source>>>,
    options: &Options,
    watcher: &RefCell<dyn Watcher>,
) -> Result<()> {
    store.begin()?;
    let done = watch(store, next, options, watcher);
    store.rollback();
    done
}

fn watch(
    store: &Store,
    next: &mut dyn FnMut() -> Result<Option<Box<dyn Source>>>,
    options: &Options,
    watcher: &RefCell<dyn Watcher>,
) -> Result<()> {
    let mut quiet = Quiet;
    let mut intake = Intake::new(store, options, &mut quiet)?.watched(watcher);
    while let Some(mut source) = next()? {
        let name = source.name().to_string();
        let new = NewSource { name: &name, format: source.format(), reason: source.reason() };
        let id = store.add_source(new)?;
        watcher.borrow_mut().source(&name);
        intake.channels.source(id, &name, false);
        source.read(id, Resume::default(), &mut intake)?;
    }
    if watcher.borrow().is_over() { intake.finish() } else { Ok(()) }
}
