//! Judges a log while it is being written: one pass that waits where the log ends. Whoever watches is told as soon as
//! anything is certain; what only the end of a log could show is said where the log says that it has ended.

use std::sync::Mutex;

use super::ingest::part_before;
use super::intake::Intake;
use super::options::Quiet;
use super::watcher::{Watcher, told};
use super::{Options, recorded};
use crate::capture::{Delivered, Resume, Source};
use crate::error::Result;
use crate::store::{NewSource, Store};

/// Reads sources as they come from `next`, each to its end, into a store that is thrown away afterwards.
pub fn follow(
    store: &mut Store,
    next: &mut dyn FnMut() -> Result<Option<Box<dyn Source>>>,
    options: &Options,
    watcher: &Mutex<dyn Watcher>,
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
    watcher: &Mutex<dyn Watcher>,
) -> Result<()> {
    let mut quiet = Quiet;
    let mut intake = Intake::new(store, options, &mut quiet)?.watched(watcher);
    while let Some(mut source) = next()? {
        let name = source.name().to_string();
        let new = NewSource { name: &name, format: source.format(), reason: source.reason() };
        let id = store.add_source(new)?;
        told(watcher).source(&name);
        intake.channels.source(id, &name, false, false);
        source.follows(Delivered::default().behind(part_before(store, &*source)?));
        source.read(id, Resume::default(), &mut intake)?;
        source.delivered().part.map_or(Ok(()), |part| recorded::note(store, id, part))?;
    }
    if told(watcher).is_over() { intake.finish().map(drop) } else { Ok(()) }
}
