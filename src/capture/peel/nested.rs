//! Reading what is inside: lines without their wrapper, to a reader for each place they come from.

use super::Inside;
use super::peeler::{Peeled, Peeler};
use crate::capture::format::{Format, LineReader, Reader};
use crate::capture::formats::BARE;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::time;
use crate::error::Result;

/// Reads what is inside a wrapper.
pub(super) struct Nested {
    peeler: Box<dyn Peeler>,
    readers: Readers,
}

/// The readers of what is inside, one for each key.
pub(super) struct Readers {
    sample: Sample,
    format: &'static dyn Format,
    by_key: Vec<(String, Box<dyn LineReader>)>,
    clock: time::Clock,
}

/// How many logs one wrapper may carry; what comes later goes to the first reader.
const KEYS: usize = 4096;

impl Nested {
    pub(super) fn new(peeler: Box<dyn Peeler>, sample: Sample, inside: Inside) -> Nested {
        Nested { peeler, readers: Readers::new(sample, inside) }
    }
}

impl Readers {
    /// Readers for a peeled sample; of bare messages where it shows none.
    pub(super) fn new(sample: Sample, inside: Inside) -> Readers {
        let format = inside.of(&sample).map_or(BARE, |(format, _)| format);
        Readers { sample, format, by_key: Vec::new(), clock: time::Clock::default() }
    }

    pub(super) fn give(&mut self, peeled: &Peeled<'_>, out: &mut Out<'_>) -> Result<()> {
        let at_us = self.clock.read_in(peeled.time, out.zoning());
        if at_us.is_some() {
            out.said(peeled.time);
        }
        let resolution_us =
            if self.by_key.is_empty() { time::parse(peeled.time).map(|time| time.resolution_us) } else { None };
        let reader = self.reader(peeled.key);
        let bytes = peeled.bytes.strip_suffix(b"\r").unwrap_or(peeled.bytes);
        let oversized = (bytes.len() > RECORD_LIMIT).then_some(bytes.len() as u64);
        let line = Line { number: peeled.number, offset: peeled.offset, bytes, ended: peeled.ended, oversized };
        out.enter(peeled.key, peeled.number, at_us, resolution_us);
        let done = match oversized {
            None => out.give_all(reader, &line).map(|_| ()),
            Some(_) => reader.oversized(&line, out),
        };
        out.leave(peeled.key);
        done
    }

    fn reader(&mut self, key: &str) -> &mut dyn LineReader {
        let known = self.by_key.iter().position(|(known, _)| known == key);
        let index = known.unwrap_or_else(|| {
            if self.by_key.len() >= KEYS {
                return 0;
            }
            if let Reader::Lines(reader) | Reader::Ordered(reader) = self.format.reader(&self.sample) {
                self.by_key.push((key.to_string(), reader));
            } else if let Reader::Lines(reader) | Reader::Ordered(reader) = BARE.reader(&self.sample) {
                self.by_key.push((key.to_string(), reader));
            }
            self.by_key.len().saturating_sub(1)
        });
        &mut *self.by_key[index].1
    }

    pub(super) fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        for (key, reader) in &mut self.by_key {
            out.enter_again(key);
            reader.end(out)?;
            out.leave(key);
        }
        Ok(())
    }
}

impl LineReader for Nested {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let readers = &mut self.readers;
        let skipped = self.peeler.line(line, &mut |peeled| readers.give(peeled, out))?;
        if let Some(why) = skipped {
            out.skip(line.number, why);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        let readers = &mut self.readers;
        self.peeler.end(&mut |peeled| readers.give(peeled, out))?;
        self.readers.end(out)
    }
}
