//! Columns and widths: wide characters count two, nothing is squeezed below its header.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Row, Width};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape::{escape, escape_cut, split_at_width};

/// The widest cell of a table.
const CELL: usize = 200;

/// Columns that a printed (already escaped) text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A printed text cut to `limit` columns, with `...` where something was left out.
pub fn fit(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_string();
    }
    let (head, _) = split_at_width(text, limit.saturating_sub(3));
    format!("{head}...")
}

/// A printed text shortened to `limit` columns in its middle: the ends of a path or a name tell most, the last one more.
pub fn middle(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_string();
    }
    let room = limit.saturating_sub(3);
    let (head, _) = split_at_width(text, room / 3);
    let mut left = room - width(head);
    let fits = |(_, c): &(usize, char)| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    };
    let tail = text.char_indices().rev().take_while(fits).last().map_or("", |(at, _)| &text[at..]);
    format!("{head}...{tail}")
}

/// `text` and blanks up to `columns`.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Breaks a text at blanks into lines of at most `limit` columns.
pub fn wrap(text: &str, limit: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut columns = 0;
    for word in text.split_whitespace() {
        let wide = width(word);
        match lines.last_mut() {
            Some(line) if columns + 1 + wide <= limit => {
                line.push(' ');
                line.push_str(word);
                columns += 1 + wide;
            }
            _ => {
                lines.push(word.to_string());
                columns = wide;
            }
        }
    }
    lines
}

/// A sentence of a screen, broken at blanks; lines after the first are indented a little.
pub fn hang(text: &str, limit: usize) -> Vec<String> {
    let Some(first) = wrap(text, limit).into_iter().next() else { return Vec::new() };
    // `wrap` joins words by single blanks; the rest begins after as many words.
    let words = first.split_whitespace().count();
    let rest = text.split_whitespace().skip(words).collect::<Vec<_>>().join(" ");
    let rest = wrap(&rest, limit.saturating_sub(4)).into_iter().map(|line| format!("    {line}"));
    std::iter::once(first).chain(rest).collect()
}

/// A sentence behind a label, broken at blanks; lines after the first begin under the sentence. A word that is wider than the
/// screen is cut.
pub fn labelled(label: &str, text: &str, limit: usize) -> Vec<String> {
    let columns = width(label);
    let lines = wrap(text, limit.saturating_sub(columns));
    let line = |(at, line): (usize, &String)| match at {
        0 => fit(&format!("{label}{line}"), limit),
        _ => fit(&format!("{}{line}", " ".repeat(columns)), limit),
    };
    lines.iter().enumerate().map(line).collect()
}

/// A row of a list in which nothing that is a name is broken: words in columns of their own, what does not fit goes on
/// below, and the sentence stands under both.
pub fn entry(words: &[(&str, usize)], names: &str, sentence: &str, limit: usize) -> Vec<String> {
    let words: String = words.iter().map(|(word, columns)| format!("{}  ", pad(word, *columns))).collect();
    let mut lines = Vec::new();
    let (word, names) = (words.trim_end(), names.trim());
    match width(&words) + width(names) <= limit {
        true => lines.push(format!("{words}{names}").trim_end().to_string()),
        false => {
            lines.push(word.to_string());
            lines.extend(wrap(names, limit.saturating_sub(4)).into_iter().map(|line| format!("    {line}")));
        }
    }
    lines.extend(wrap(sentence, limit.saturating_sub(6)).into_iter().map(|line| format!("      {line}")));
    lines
}

/// Which way a column leans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A plain table: headers, rows, two blanks between columns. Cells are escaped here.
pub struct Table {
    head: Vec<(String, Lean)>,
    rows: Vec<Vec<String>>,
    wrapped: bool,
}

impl Table {
    /// A table with these columns.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = (S, Lean)>) -> Table {
        let head = head.into_iter().map(|(name, lean)| (escape(&name.into()).into_owned(), lean)).collect();
        Table { head, rows: Vec::new(), wrapped: false }
    }

    /// Breaks long cells into lines instead of cutting them.
    pub fn wrapped(mut self) -> Table {
        self.wrapped = true;
        self
    }

    /// Adds a row; cells are text as it stood in the log, and cut where they are very long.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| escape_cut(cell, CELL, None)).collect());
    }

    /// True if no row was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines, each with `indent` blanks before it. Where the table would not fit, text columns give way (but
    /// never below their header); where that is not enough, every row becomes a list.
    pub fn lines(&self, indent: usize, limit: Option<usize>) -> Vec<String> {
        let least: Vec<usize> = self
            .head
            .iter()
            .enumerate()
            .map(|(index, (name, lean))| match lean {
                Lean::Left => width(name).max(self.widest(index).min(12)),
                Lean::Right => width(name).max(self.widest(index)),
            })
            .collect();
        let room = limit.map(|limit| limit.saturating_sub(indent));
        if room.is_some_and(|room| least.iter().sum::<usize>() + 2 * least.len().saturating_sub(1) > room) {
            return self.list(indent, room.unwrap_or(usize::MAX));
        }
        let mut table = self.layout(&least);
        match room {
            Some(room) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(room as u16),
            None => table.set_content_arrangement(ContentArrangement::Disabled),
        };
        table.lines().map(|line| format!("{}{}", " ".repeat(indent), line.trim_end())).collect()
    }

    fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    }

    fn layout(&self, least: &[usize]) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING).set_truncation_indicator("...");
        let line = |cells: Vec<&String>| {
            let mut row = Row::from(cells);
            if !self.wrapped {
                row.max_height(1);
            }
            row
        };
        table.set_header(line(self.head.iter().map(|(name, _)| name).collect()));
        for row in &self.rows {
            table.add_row(line(row.iter().collect()));
        }
        for (index, (_, lean)) in self.head.iter().enumerate() {
            let Some(column) = table.column_mut(index) else { continue };
            column.set_padding((0, if index + 1 < self.head.len() { 2 } else { 0 }));
            // The boundary counts the padding.
            let boundary = least[index] + usize::from(index + 1 < self.head.len()) * 2;
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(boundary as u16)));
            if *lean == Lean::Right {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn list(&self, indent: usize, room: usize) -> Vec<String> {
        let label = self.head.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        let mut lines = Vec::new();
        for row in &self.rows {
            for ((name, _), cell) in self.head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let cell = fit(cell, room.saturating_sub(label + 2).max(12));
                lines.push(format!("{}{}  {cell}", " ".repeat(indent), pad(name, label)));
            }
            lines.push(String::new());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new([("key", Lean::Left), ("messages", Lean::Right), ("client", Lean::Left)]);
        table.row(vec!["a.jsonl/1".into(), "1,284".into(), "日本\u{1b}[31m".into()]);
        table.row(vec!["a-much-longer-name-of-a-log.jsonl/1".into(), "2".into(), "x".into()]);
        table
    }

    #[test]
    fn columns_stand_under_each_other_whatever_is_in_them() {
        let lines = table().lines(1, None);
        assert_eq!(lines[0], " key                                  messages  client");
        assert_eq!(lines[1], " a.jsonl/1                               1,284  日本\\x1b[31m");
    }

    #[test]
    fn a_narrow_screen_gets_shorter_text_and_then_a_list() {
        let lines = table().lines(0, Some(45));
        assert!(lines.iter().all(|line| width(line) <= 45), "{lines:#?}");
        assert!(lines[2].starts_with("a-much-longer-n") && lines[2].contains("..."), "{lines:#?}");
        let list = table().lines(0, Some(20));
        assert_eq!(list[..3], ["key       a.jsonl/1", "messages  1,284", "client    日本\\x1b[31m"]);
    }

    #[test]
    fn the_middle_of_a_long_name_is_left_out() {
        assert_eq!(middle("a/b.rec.jsonl", 13), "a/b.rec.jsonl");
        assert_eq!(middle("team/orders/with-tax.rec.jsonl", 23), "team/o...-tax.rec.jsonl");
        assert!(width(&middle("日本語日本語日本語", 10)) <= 10);
        assert_eq!(middle("abcdef", 2), "...");
    }

    #[test]
    fn words_are_not_broken() {
        assert_eq!(wrap("a bb  ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(hang("a bb ccc dddd e", 8), ["a bb ccc", "    dddd", "    e"]);
        assert_eq!(hang("a bb ccc", usize::MAX), ["a bb ccc"]);
    }
}
