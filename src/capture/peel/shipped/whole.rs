//! Exports that are read whole, and put into the order of their times.

use std::ops::Range;

use super::order::{in_order, with_others};
use super::{Record, Records};
use crate::capture::Skip;
use crate::capture::format::WholeReader;
use crate::capture::lines::{Line, LineNumbers};
use crate::capture::out::Out;
use crate::error::Result;
use crate::json::scan::skip_white;

/// What stands at a place of an export.
enum Item<'t> {
    Record(Record<'t>),
    /// A line that holds none, and why it was passed over.
    Passed(Skip),
}

/// It, and where it stands.
struct Placed<'t> {
    item: Item<'t>,
    line: u64,
    range: Range<usize>,
}

impl Placed<'_> {
    fn at_us(&self) -> i64 {
        if let Item::Record(record) = &self.item { record.at_us() } else { 0 }
    }
}

impl Records {
    /// Where the next line begins, in a text of which each line is a record, behind what is none.
    fn next_line(&self, text: &str, at: usize) -> Option<usize> {
        let rest = text.as_bytes().get(at..).filter(|rest| self.by_line && !rest.is_empty())?;
        Some(memchr::memchr(b'\n', rest).map_or(text.len(), |length| at + length + 1))
    }

    /// The records of a text, and the lines between them that hold none.
    fn found<'t>(&mut self, text: &'t str) -> Result<(Vec<Placed<'t>>, Vec<Placed<'t>>)> {
        let shape = std::mem::take(&mut self.shape);
        let (mut records, mut passed): (Vec<Placed<'_>>, Vec<Placed<'_>>) = (Vec::new(), Vec::new());
        let mut lines = LineNumbers::new(text);
        let mut at = 0;
        loop {
            at = skip_white(text.as_bytes(), at);
            at = skip_white(text.as_bytes(), at + usize::from(text.as_bytes().get(at) == Some(&b',')));
            let mut why = Skip::NotAMessage;
            if matches!(text.as_bytes().get(at), Some(b'{' | b'[')) {
                let end = shape.read(text, at, &mut |record| {
                    let (line, range) = (lines.of(record.start), record.start..text.len());
                    records.push(Placed { item: Item::Record(*record), line, range });
                    Ok(())
                })?;
                if let Some(end) = end {
                    at = end;
                    continue;
                }
                why = Skip::CutOff;
            }
            let next = self.next_line(text, at);
            if next.is_some() || why == Skip::CutOff {
                let range = at..next.unwrap_or(text.len());
                passed.push(Placed { item: Item::Passed(why), line: lines.of(at), range });
            }
            let Some(next) = next else { break };
            at = next;
        }
        let starts: Vec<usize> = records.iter().skip(1).map(|placed| placed.range.start).chain([text.len()]).collect();
        records.iter_mut().zip(starts).for_each(|(placed, end)| placed.range.end = end);
        Ok((records, passed))
    }
}

impl WholeReader for Records {
    /// A search may give its records in any order, most often the newest first: they are put in that of their times. Of equal
    /// times the order is that of the file, turned round where the file is.
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        self.ask(out);
        let (mut records, passed) = self.found(text)?;
        in_order(&mut records, Placed::at_us);
        // Where the times stand within the messages, only who has read these knows the order.
        out.order().arrange(&mut records, |placed| base + placed.range.start as u64..base + placed.range.end as u64);
        out.reads_in_turns();
        for Placed { item, line, range } in with_others(records, passed, |placed| placed.line) {
            let line = Line { number: line, offset: base, bytes: b"", ended: true, oversized: None };
            out.turn_to(line.number);
            match &item {
                Item::Record(record) => self.give(text, &line, record, out)?,
                Item::Passed(why) => out.skip(line.number, *why),
            }
            out.looked_at(line.number, &text.as_bytes()[range])?;
        }
        self.readers.end(out)
    }
}
