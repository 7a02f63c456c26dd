//! Reads a log through the capture layer and folds it, without a store.

use std::collections::HashMap;
use std::path::Path;

use rpctape::capture::{self, Channel, Frame, FrameSink, Overrides, Resume, Skip};
use rpctape::error::Result;
use rpctape::rules::Selection;
use rpctape::session::{FrameId, Nobody, Opened, Session, Settings};

use super::verdicts::{Verdicts, width};

/// A fold over one source: one connection a channel.
pub struct Fold {
    session: Session,
    verdicts: Verdicts,
    next: FrameId,
    lines: HashMap<FrameId, u64>,
}

impl FrameSink for Fold {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        self.session.open(Opened { id: index, key: format!("log/{index}"), channel, demanded: None });
        Ok(())
    }
    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        for id in self.next..self.next + width(frame) {
            self.lines.insert(id, frame.line);
        }
        self.session.push(self.next, frame.channel, frame, &mut self.verdicts);
        self.next += width(frame);
        Ok(())
    }
    fn skipped(&mut self, _: u64, _: Skip) {}
    fn progress(&mut self, _: u64) {}
}

/// Folds a log with default settings. Also gives the line of each frame.
pub fn run(path: &Path) -> (Verdicts, HashMap<FrameId, u64>) {
    let name = path.to_string_lossy();
    let mut source = capture::open(&name, &Overrides::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut fold = Fold {
        session: Session::new(Settings::default()),
        verdicts: Verdicts::new(&Selection::default()),
        next: 1,
        lines: HashMap::new(),
    };
    source.read(0, Resume::default(), &mut fold).unwrap_or_else(|error| panic!("{name}: {error}"));
    let Fold { session, mut verdicts, lines, .. } = fold;
    session.finish(&mut Nobody, &mut verdicts);
    (verdicts, lines)
}
