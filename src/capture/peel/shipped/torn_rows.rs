//! Rows of a table that broke off: within quotes that nothing closes. What reads CSV would take the rows behind them for theirs.

use std::borrow::Cow;
use std::ops::Range;

use crate::capture::time;

/// The fewest columns by which a row is told from a line of text that stands in a cell.
const COLUMNS: usize = 3;

/// In how many lines the column of the times is looked for.
const TRIED: usize = 50;

/// A row that broke off.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Torn {
    /// Its line, from 1.
    pub line: u64,
    /// Where it stands, in bytes, without the end of its line.
    pub range: Range<usize>,
}

/// The rows of a table that broke off: behind them another begins, with its time where rows have it, as many cells as the table has
/// columns and all its quotes closed; or the text ends.
pub(super) fn torn(text: &str, delimiter: char) -> Vec<Torn> {
    let columns = text.lines().next().map_or(0, |head| head.split(delimiter).count());
    let mut rows = text.lines().skip(1).take(TRIED).filter_map(|line| whole_row(line, delimiter, columns));
    let timed = rows.find_map(|cells| cells.into_iter().position(is_time));
    let is_row = |line: &str| {
        let cells = timed.and_then(|_| whole_row(line, delimiter, columns));
        timed.zip(cells).is_some_and(|(timed, cells)| is_time(cells[timed]))
    };
    let (mut torn, mut open): (Vec<Torn>, Option<Torn>) = (Vec::new(), None);
    let mut at = 0;
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let line = whole.trim_end_matches(['\n', '\r']);
        if let Some(before) = open.take_if(|_| is_row(line)) {
            torn.push(before);
        }
        let turns = memchr::memchr_iter(b'"', line.as_bytes()).count() % 2 == 1;
        open = match open {
            None => turns.then(|| Torn { line: number, range: at..at + line.len() }),
            Some(row) => (!turns).then(|| Torn { range: row.range.start..at + line.len(), ..row }),
        };
        at += whole.len();
    }
    // What ends within quotes has no end of its line that is one.
    torn.extend(open.map(|row| Torn { range: row.range.start..text.len(), ..row }));
    torn
}

fn is_time(cell: &str) -> bool {
    time::parse(cell.trim_matches('"')).is_some()
}

/// The cells of a line, where its quotes are closed and it has one for each column.
fn whole_row(line: &str, delimiter: char, columns: usize) -> Option<Vec<&str>> {
    let mut within = false;
    let cells = line.split(|c| {
        within ^= c == '"';
        c == delimiter && !within
    });
    let cells: Vec<&str> = cells.collect();
    (!within && columns >= COLUMNS && cells.len() == columns).then_some(cells)
}

/// The text with ends of lines where those rows stood: what stands where it stood, nothing else.
pub(super) fn without<'t>(text: &'t str, torn: &[Torn]) -> Cow<'t, str> {
    if torn.is_empty() {
        return text.into();
    }
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for row in torn {
        rest.push_str(&text[at..row.range.start]);
        let blank = text[row.range.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { '\r' });
        rest.extend(blank);
        at = row.range.end;
    }
    rest.push_str(&text[at..]);
    rest.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "time,session,dir,message\n";

    #[test]
    fn a_row_that_broke_off_takes_none_of_those_behind_it_along() {
        let rows = "2026-09-03T08:15:00Z,a,in,\"{\"\"jso\n2026-09-03T08:15:01Z,a,in,\"{\"\"b\"\": 1}\"\n2026-09-03T08:15:02Z,a,in,\"{}\"\n";
        let text = format!("{HEAD}{rows}");
        let found = torn(&text, ',');
        assert_eq!(found.iter().map(|row| row.line).collect::<Vec<_>>(), [2]);
        let rest = without(&text, &found);
        assert_eq!((rest.len(), rest.lines().filter(|line| line.contains("in")).count()), (text.len(), 2));
    }

    #[test]
    fn what_breaks_off_where_the_text_ends_is_the_last_row() {
        let text = format!("{HEAD}2026-09-03T08:15:00Z,a,in,\"{{}}\"\n2026-09-03T08:15:01Z,a,in,\"{{\"\"id\n");
        assert_eq!(torn(&text, ','), [Torn { line: 3, range: text.rfind("2026").unwrap_or(0)..text.len() }]);
    }

    #[test]
    fn times_may_stand_in_any_column() {
        let text =
            "id,dir,message,time\n0,in,\"{}\",2026-09-03T08:15:00Z\n1,in,\"{\"\"js\n2,in,\"{}\",2026-09-03T08:15:02Z\n";
        assert_eq!(torn(text, ',').iter().map(|row| row.line).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn lines_in_a_cell_are_no_rows() {
        let text = format!("{HEAD}2026-09-03T08:15:00Z,a,in,\"started\n2026-09-03 08:15:00,020 INFO x\n\"\n");
        assert_eq!(torn(&text, ','), []);
    }
}
