//! Lines that stand out of order, read in the order of the plan.
//!
//! A log that can be held is put in order as a whole. A longer one goes by in windows, each with the last records of the one
//! before it: enough for records that came late, which is what threads and shippers do to long logs. One whose records stand
//! further from their places is an error.

use std::io::Read;
use std::ops::Range;

use super::{Log, WHOLE_LIMIT};
use crate::capture::format::LineReader;
use crate::capture::lines::{Line, Lines};
use crate::capture::out::Out;
use crate::capture::plan::Order;
use crate::capture::survey::{self, survey};
use crate::capture::{Resume, input::Input};
use crate::error::{Error, ErrorKind, Result};

/// Text of a window, in bytes.
const WINDOW: u64 = 64 << 20;

/// Of so many records of a window one is held back for the next.
const HELD: usize = 8;

/// A line of a window.
struct Record {
    number: u64,
    /// In the log, in bytes.
    offset: u64,
    /// Its bytes in the text of the window.
    range: Range<usize>,
    ended: bool,
    oversized: Option<u64>,
}

/// A part of a log that is held.
#[derive(Default)]
struct Window {
    text: Vec<u8>,
    records: Vec<Record>,
    /// How many records are of the window before.
    carried: usize,
}

impl Log {
    /// Reads lines in the order of the plan, which is made anew where the head was not all.
    pub(super) fn arranged(&mut self, reader: &mut dyn LineReader, out: &mut Out<'_>) -> Result<Resume> {
        let is_long = self.input.size().is_some_and(|size| size > WHOLE_LIMIT);
        self.in_windows(if is_long { WINDOW } else { WHOLE_LIMIT }, reader, out)
    }

    fn in_windows(&mut self, limit: u64, reader: &mut dyn LineReader, out: &mut Out<'_>) -> Result<Resume> {
        let (stream, start, _) = self.input.stream(Resume::default())?;
        let mut lines = Lines::new(stream, start, false).map_err(|error| self.input.failed(&error))?;
        let mut window = Window::default();
        loop {
            let more = window.fill(&mut lines, limit).map_err(|error| self.input.failed(&error))?;
            let is_first = window.carried == 0;
            let mut furthest = 0;
            if is_first {
                let plan = survey(&self.looked(), &window.text, true);
                furthest = window.arrange(&plan.order);
                out.order_is_not_told(plan.unordered);
            }
            if more || !is_first {
                let (order, untold) = survey::by_times(&self.looked(), &window.text);
                if !is_first {
                    out.order_is_not_told(untold.iter().filter_map(|nth| window.line(*nth)));
                }
                if furthest.max(window.arrange(&order)) >= window.reach() {
                    return Err(too_far(&self.input));
                }
            }
            let held = if more { window.held() } else { 0 };
            window.give(held, reader, out)?;
            out.progress(self.input.bytes_read());
            if !more {
                break;
            }
        }
        reader.end(out)?;
        Ok(lines.position())
    }
}

fn too_far(input: &Input) -> Error {
    let message = format!(
        "{} is over 256 MiB, and its records stand too far out of the order of their times to be put into it",
        input.shown_name()
    );
    Error::new(ErrorKind::Input, message)
        .hint("sort them by their times first, or give its parts as files of their own")
}

impl Window {
    /// Reads on until so many bytes are held. True if there may be more.
    fn fill(&mut self, lines: &mut Lines<impl Read>, limit: u64) -> std::io::Result<bool> {
        while (self.text.len() as u64) < limit {
            let Some(line) = lines.next()? else { return Ok(false) };
            let record = Record {
                number: line.number,
                offset: line.offset,
                range: self.text.len()..self.text.len() + line.bytes.len(),
                ended: line.ended,
                oversized: line.oversized,
            };
            self.text.extend_from_slice(line.bytes);
            self.text.push(b'\n');
            self.records.push(record);
        }
        Ok(true)
    }

    /// The line in the log of the nth line of the window, as long as its records stand as they were read.
    fn line(&self, nth: u64) -> Option<u64> {
        let at = usize::try_from(nth.checked_sub(1)?).ok()?;
        self.records.get(at).map(|record| record.number)
    }

    /// Brings the records into the order. Gives how far one of them was from its place, in records.
    fn arrange(&mut self, order: &Order) -> usize {
        let mut places: Vec<(usize, Record)> = std::mem::take(&mut self.records).into_iter().enumerate().collect();
        order.arrange(&mut places, |(_, record)| record.range.start as u64..record.range.end as u64 + 1);
        let furthest = places.iter().enumerate().map(|(now, (before, _))| now.abs_diff(*before)).max().unwrap_or(0);
        self.records = places.into_iter().map(|(_, record)| record).collect();
        furthest
    }

    /// A record that stands so far from its place may belong into a window that is gone.
    fn reach(&self) -> usize {
        if self.carried > 0 { self.carried } else { self.held() }
    }

    /// How many records are held back for the next window: one at least, however long they are.
    fn held(&self) -> usize {
        (self.records.len() / HELD).max(1)
    }

    /// Gives all records but the last ones, which are held.
    fn give(&mut self, held: usize, reader: &mut dyn LineReader, out: &mut Out<'_>) -> Result<()> {
        let rest = self.records.split_off(self.records.len() - held);
        for Record { number, offset, range, ended, oversized } in self.records.drain(..) {
            let line = Line { number, offset, bytes: &self.text[range], ended, oversized };
            match oversized {
                None => out.give(reader, &line)?,
                Some(_) => out.give_oversized(reader, &line)?,
            }
        }
        self.carry(rest);
        Ok(())
    }

    /// Begins anew with what was held, in its order.
    fn carry(&mut self, rest: Vec<Record>) {
        let before = std::mem::take(&mut self.text);
        self.carried = rest.len();
        for record in rest {
            let start = self.text.len();
            self.text.extend_from_slice(&before[record.range]);
            self.records.push(Record { range: start..self.text.len(), ..record });
            self.text.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::told;
    use super::*;
    use crate::capture::Overrides;
    use crate::capture::format::Reader;
    use crate::capture::testing::{Kept, KeptFrame};

    /// Requests and their answers in turn, one a millisecond; which of them stands where is up to `nth`.
    fn log(nth: impl Fn(usize) -> usize) -> String {
        let line = |ms: usize| {
            let (dir, said) =
                if ms.is_multiple_of(2) { ("c2s", r#""method":"ping""#) } else { ("s2c", r#""result":{}"#) };
            let message = format!(r#"{{"jsonrpc":"2.0","id":{},{said}}}"#, ms / 2);
            format!(
                "{{\"ts\":\"2026-03-02T00:00:{:02}.{:03}Z\",\"dir\":\"{dir}\",\"msg\":{message}}}\n",
                ms / 1000,
                ms % 1000
            )
        };
        (0..4000).map(|at| line(nth(at))).collect()
    }

    fn read(text: &str, limit: u64) -> Result<Vec<KeptFrame>> {
        let overrides = Overrides::default();
        let input = Input::given("log", Box::new(std::io::Cursor::new(text.as_bytes().to_vec())))?;
        let mut log = told(input, "log", &overrides)?;
        assert!(log.plan.order != Order::AsWritten);
        let mut kept = Kept::default();
        let mut out = Out::new(&mut kept, 0, &overrides).named("log").planned(log.plan.clone());
        let Reader::Lines(mut reader) = log.format.reader(&log.sample) else { panic!("it is read by line") };
        log.in_windows(limit, &mut *reader, &mut out)?;
        out.end()?;
        Ok(kept.frames)
    }

    #[test]
    fn late_records_come_to_their_places_in_windows_of_any_size() {
        // Every third record stands four places behind its own.
        let text = log(|at| {
            if at % 9 == 8 {
                at - 4
            } else if at % 9 >= 4 {
                at + 1
            } else {
                at
            }
        });
        let whole = read(&text, WHOLE_LIMIT).expect("frames");
        assert!(whole.is_sorted_by_key(|frame| frame.at_us) && whole.len() == 4000);
        for limit in [20_000, 50_000, 100_000] {
            assert!(read(&text, limit).expect("frames") == whole, "{limit}");
        }
    }

    #[test]
    fn what_stands_at_one_time_in_a_window_of_late_records_has_no_order() {
        let late = |at: usize| {
            if at % 9 == 8 {
                at - 4
            } else if at % 9 >= 4 {
                at + 1
            } else {
                at
            }
        };
        let text = log(late).replace(".996Z", ".995Z");
        let untold = |limit| {
            let frames = read(&text, limit).expect("frames");
            frames.iter().filter(|frame| frame.kind == "unordered").count()
        };
        assert_eq!((untold(WHOLE_LIMIT), untold(50_000)), (8, 8));
    }

    #[test]
    fn records_that_are_long_and_in_order_are_not_far_from_their_places() {
        let text = log(|at| if (100..102).contains(&at) { 201 - at } else { at });
        let long = "p".repeat(6_000);
        let lengthen =
            |(at, line): (usize, &str)| if at < 300 { line.to_string() } else { line.replace("ping", &long) };
        let text: String = text.lines().enumerate().map(lengthen).map(|line| line + "\n").collect();
        let frames = read(&text, 13_000).expect("frames");
        assert!(frames.len() == 4000 && frames.is_sorted_by_key(|frame| frame.at_us));
    }

    #[test]
    fn what_stands_further_away_than_a_window_reaches_is_refused() {
        for text in [log(|at| 4000 - at), log(|at| (at + 201) % 4000)] {
            assert_eq!(read(&text, WHOLE_LIMIT).expect("frames").len(), 4000);
            let error = read(&text, 50_000).expect_err("not in windows");
            assert!(error.message.contains("too far out of the order"), "{}", error.message);
        }
    }
}
