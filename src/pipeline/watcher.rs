//! Who is told what passes while a log is being followed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::capture::Frame;
use crate::finding::Finding;
use crate::session::{Event, Exchange, FrameId};

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

/// The watcher, to be told one thing: whoever reads the bytes of the log tells it things, too.
pub(super) fn told<'w>(watcher: &'w Mutex<dyn Watcher>) -> MutexGuard<'w, dyn Watcher + 'static> {
    watcher.lock().unwrap_or_else(PoisonError::into_inner)
}
