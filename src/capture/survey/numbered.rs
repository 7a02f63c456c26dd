//! Records that the log numbers itself: where a number is missing, a record is.

use crate::capture::format::LineReader;
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::{Direction, Missing, Why};
use crate::error::Result;
use crate::json::scan::members;

/// Formats whose records are objects in lines and may be numbered; others that are know it themselves.
const FORMATS: [&str; 2] = ["jsonl-wrapped", "mcpsnoop-jsonl"];

/// What numbers of records are called, in small letters and without what joins words.
const NAMES: [&str; 9] =
    ["seqno", "sequence", "sequencenumber", "n", "no", "index", "record", "recordnumber", "messagenumber"];

/// How many steps from record to record the head has to show, and that most of them are one.
const STEPS: usize = 4;

/// The member that numbers the records of a log, one by one through all of it.
pub(super) fn learn(format: &str, head: &[u8], whole: bool) -> Option<Box<str>> {
    if !FORMATS.contains(&format) {
        return None;
    }
    let end = if whole { head.len() } else { memchr::memrchr(b'\n', head)? };
    let lines = || head[..end].split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let first = lines().find(|line| !line.trim().is_empty())?;
    let mut named = members(first).filter(|member| is_name(member.key) && member.value.parse::<u64>().is_ok());
    named.find(|member| counts(lines(), member.key)).map(|member| member.key.into())
}

fn is_name(key: &str) -> bool {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    plain.ends_with("seq") || NAMES.contains(&plain.as_str())
}

/// True if the numbers never fall, and most are the next one.
fn counts<'t>(lines: impl Iterator<Item = &'t str>, key: &str) -> bool {
    let numbers: Vec<u64> = lines.filter_map(|line| number(line, key)).collect();
    let rises = numbers.windows(2).all(|pair| pair[0] <= pair[1]);
    let next = numbers.windows(2).filter(|pair| pair[0].checked_add(1) == Some(pair[1])).count();
    rises && next >= STEPS && 2 * next >= numbers.len()
}

fn number(line: &str, key: &str) -> Option<u64> {
    members(line).find(|member| member.key == key)?.value.parse().ok()
}

/// Numbers that go up, until one falls: from there on several writers may number their own records.
#[derive(Default)]
struct Series {
    last: Option<u64>,
    fell: bool,
}

impl Series {
    /// How many records are missing before one with this number.
    fn lost(&mut self, now: u64) -> u64 {
        let last = self.last.replace(now).unwrap_or(now);
        self.fell |= now < last;
        if self.fell { 0 } else { (now - last).saturating_sub(1) }
    }
}

/// Lines of a reader, each with a number.
pub(in crate::capture) struct Numbered<'r> {
    key: Box<str>,
    series: Series,
    reader: &'r mut dyn LineReader,
}

impl<'r> Numbered<'r> {
    /// Lines of a reader, whose numbers stand under `key`.
    pub(in crate::capture) fn new(key: &str, reader: &'r mut dyn LineReader) -> Numbered<'r> {
        Numbered { key: key.into(), series: Series::default(), reader }
    }
}

impl LineReader for Numbered<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        if let Some(now) = number(&line.text(), &self.key)
            && let lost @ 1.. = self.series.lost(now)
        {
            let words = format!("the number of this record, {now}, says that {lost} are missing before it");
            let missing = Missing { lost: Some(lost), words: &words, ..Missing::new(Why::Gap) };
            out.missing_anywhere(line.number, Direction::Unknown, missing)?;
        }
        self.reader.line(line, out)
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.series.last = None;
        self.reader.oversized(line, out)
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.reader.end(out)
    }

    fn reads_parts(&self) -> bool {
        self.reader.reads_parts()
    }
}

#[cfg(test)]
mod tests {
    use super::{Series, learn};

    #[test]
    fn numbers_of_records_go_up_by_one() {
        let log = |numbers: &[u64]| {
            numbers.iter().map(|n| format!("{{\"seq\":{n},\"msg\":{{\"jsonrpc\":\"2.0\"}}}}\n")).collect::<String>()
        };
        let learned = |numbers: &[u64]| learn("jsonl-wrapped", log(numbers).as_bytes(), true).is_some();
        assert!(learned(&[1, 2, 3, 4, 5]) && learned(&[7, 8, 10, 11, 12, 13]));
        let mut series = Series::default();
        let lost = [1, 2, 5, 6, 4, 9, 1].map(|now| series.lost(now));
        assert_eq!(lost, [0, 0, 2, 0, 0, 0, 0], "behind a number that falls, two may count");
        assert!(!learned(&[1, 2, 3]) && !learned(&[1, 2, 3, 4, 5, 1, 2]) && !learned(&[1, 3, 5, 7, 9, 11, 12]));
    }
}
