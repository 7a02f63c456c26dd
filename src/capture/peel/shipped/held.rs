//! Lines that hold lists of records, whose order is not that of the lines: a record of one may belong before one of another.

use super::Records;
use super::shape::Record;
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::error::Result;
use crate::json::scan::skip_white;

/// How much text is held, in bytes: records of longer logs come late, and do not stand further from their places.
const MOST: usize = 64 << 20;

/// Lines that are held until their records can be put in order.
#[derive(Default)]
pub(super) struct Held {
    lines: Vec<(String, u64, u64)>,
    length: usize,
}

impl Records {
    /// Holds a line.
    pub(super) fn hold(&mut self, text: &str, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.held.length += text.len();
        self.held.lines.push((text.to_string(), line.number, line.offset));
        if self.held.length > MOST { self.give_held(out) } else { Ok(()) }
    }

    /// The records of all lines that are held, in the order of the plan.
    pub(super) fn give_held(&mut self, out: &mut Out<'_>) -> Result<()> {
        let held = std::mem::take(&mut self.held).lines;
        let mut records: Vec<(usize, Record<'_>, usize)> = Vec::new();
        for (at, (text, ..)) in held.iter().enumerate() {
            let (first, start) = (records.len(), skip_white(text.as_bytes(), 0));
            self.shape.read(text, start, &mut |record| {
                records.push((at, *record, text.len()));
                Ok(())
            })?;
            let starts: Vec<usize> = records.iter().skip(first + 1).map(|(_, record, _)| record.start).collect();
            records[first..].iter_mut().zip(starts).for_each(|((.., end), next)| *end = next);
        }
        let range = |(at, record, end): &(usize, Record<'_>, usize)| {
            let offset = held[*at].2;
            offset + record.start as u64..offset + *end as u64
        };
        out.order().arrange(&mut records, range);
        records.iter().try_for_each(|(at, record, _)| {
            let (text, number, offset) = &held[*at];
            let line = Line { number: *number, offset: *offset, bytes: text.as_bytes(), ended: true, oversized: None };
            out.turn_to(line.number);
            self.give(text, &line, record, out)
        })
    }
}
