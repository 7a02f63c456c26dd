//! What the targets share.

use std::io::Cursor;

use rpctape::Options;
use rpctape::capture::{Channel, Frame, FrameSink, Overrides, Resume, Skip, open_stream};
use rpctape::error::Result;

/// The judgement of a log, as lines; an error is an answer, too.
pub fn judged(log: &[u8], options: &Options) -> Vec<String> {
    match rpctape::check(Cursor::new(log.to_vec()), options) {
        Err(error) => vec![error.to_string()],
        Ok(found) => found.map(|row| format!("{} {} {} {}", row.code, row.line, row.certainty, row.summary)).collect(),
    }
}

/// Reads a log and forgets it. True if it was told what it is and read to its end.
pub fn read(log: &[u8], overrides: &Overrides) -> bool {
    let source = open_stream("log", Box::new(Cursor::new(log.to_vec())), overrides);
    source.is_ok_and(|mut source| source.read(1, Resume::default(), &mut Nobody).is_ok())
}

struct Nobody;

impl FrameSink for Nobody {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, _: &Frame<'_>) -> Result<()> {
        Ok(())
    }

    fn skipped(&mut self, _: u64, _: Skip) {}

    fn progress(&mut self, _: u64) {}
}
