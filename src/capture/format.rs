//! The seam between sources and formats: what one file under `formats/` has to provide.
//!
//! A format that reads lines is handed each line as a [`Line`] and not the file, so a wrapper (a container runtime's
//! log, journald, colours) is a format like any other: its reader peels a line and hands what is inside to the reader
//! of the format that its detector found in the peeled sample.

use super::Proof;
use super::archive::Stream;
use super::lines::{Buffer, Line};
use super::out::Out;
use super::recorded::RecordedPart;
use super::sample::Sample;
use crate::error::Result;

/// Why a sample is taken for a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// How specific the evidence is, from 1 to 100; the highest wins.
    pub score: u8,
    /// The evidence, as a sentence without a full stop.
    pub reason: String,
}

impl Match {
    /// A match.
    pub(crate) fn new(score: u8, reason: impl Into<String>) -> Option<Match> {
        Some(Match { score, reason: reason.into() })
    }
}

/// Why a text is not in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// How far it came: 0 not at all, 1 into the start of a record, 2 to its payload, 3 into that.
    pub stage: u8,
    /// The column up to which a line fits.
    pub column: usize,
    /// That line.
    pub line: u64,
    /// What does not fit, in words.
    pub why: String,
}

/// One capture format.
pub(crate) trait Format: Sync {
    /// The name used in flags, in the database and in reports.
    fn name(&self) -> &'static str;
    /// What it is and who writes it, in one line.
    fn about(&self) -> &'static str;
    /// Its name, and for a wrapper the names of what is inside: `docker > clangd-verbose`.
    fn chain(&self, _: &Sample) -> String {
        self.name().to_string()
    }
    /// What a log in this format can prove at best.
    fn proof(&self) -> Proof {
        Proof::FULL
    }
    /// True where a log has bytes as they were sent, and no logger stands between.
    fn is_verbatim(&self) -> bool {
        false
    }
    /// The definition that was learned from the text, where it is read by one.
    fn definition(&self, _: &Sample) -> Option<String> {
        None
    }
    /// Names of members that an object has which is a record of this format, where that is all of a record and the text has such names.
    fn members(&self, _: &Sample) -> Option<&[String]> {
        None
    }
    /// The part of a recording that the text is.
    fn part(&self, _: &Sample) -> Option<RecordedPart> {
        None
    }
    /// The highest score that it gives, where it has to learn what it looks at: that is dear, and in vain where another format is surer.
    fn most(&self) -> u8 {
        100
    }
    /// Looks at the head of a text.
    fn detect(&self, sample: &Sample) -> Option<Match>;
    /// The head of a part of a log as it is read behind the part with the head `before`, which shows more of what the format learns.
    fn goes_on(&self, _: &Sample, _before: &Sample) -> Option<Sample> {
        None
    }
    /// Why no message is found in the head of a text, where the format can tell; `None` where there is one.
    fn misfit(&self, _: &Sample) -> Option<Misfit> {
        None
    }
    /// True if the head has a text by which the format is known, whatever else it lacks.
    fn is_near(&self, _: &Sample) -> bool {
        false
    }
    /// A reader for the text that the sample was taken from.
    fn reader(&self, sample: &Sample) -> Reader;
}

/// How a format wants its text.
pub(crate) enum Reader {
    /// Line by line, and able to go on at any line.
    Lines(Box<dyn LineReader>),
    /// Line by line, but only from the start.
    Ordered(Box<dyn LineReader>),
    /// As a stream of bytes with a window on it.
    Bytes(Box<dyn ByteReader>),
    /// All at once.
    Whole(Box<dyn WholeReader>),
}

/// Reads lines.
pub(crate) trait LineReader {
    /// One line; never an oversized one.
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()>;
    /// A line over the limit of one record, of which only the beginning is there.
    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip_oversized(line);
        Ok(())
    }
    /// The end of the text.
    fn end(&mut self, _: &mut Out<'_>) -> Result<()> {
        Ok(())
    }
    /// True for one that looks for parts of a record without asking whether the record is whole.
    fn reads_parts(&self) -> bool {
        false
    }
}

/// Reads a stream of bytes.
pub(crate) trait ByteReader {
    /// Everything from here on.
    fn read(&mut self, buffer: &mut Buffer<Stream>, out: &mut Out<'_>) -> Result<()>;
}

/// Reads a whole text; `base` is the byte offset of its first byte.
pub(crate) trait WholeReader {
    /// Everything.
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()>;
}
