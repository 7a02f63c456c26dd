//! Tables in texts: rows of cells below a row of names, of which one is the name of a secret (CSV, tabs, Markdown, what the
//! clients of databases print).

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::names::{self, Said};
use super::stand_ins::is_stand_in;
use super::words::{is_mixed, is_phrase, is_random, is_strong, is_uuid};

/// What stands between cells.
const BETWEEN: [char; 4] = ['|', ',', '\t', ';'];

/// Names of columns are no longer than this, in bytes.
const LONGEST: usize = 40;

/// What may stand around the text of a cell.
const AROUND: [char; 5] = [' ', '"', '\'', '`', '*'];

/// The columns of a table that hold secrets.
struct Table {
    between: char,
    cells: usize,
    secret: Vec<(usize, Said)>,
}

/// The secrets in the columns of a text.
pub(super) fn find(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    let mut table: Option<Table> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let shown = line.trim_end_matches(['\n', '\r']);
        match &table {
            _ if is_rule(shown) => {}
            Some(open) if open.takes(shown, start, found) => {}
            _ => table = Table::of(shown),
        }
        start += line.len();
    }
    inserted(text, found);
}

/// The secrets that SQL puts into a table: `INSERT INTO users (name, password) VALUES ('jo', '...')`.
fn inserted(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    const FORM: &str = r"(?is)\binsert\s+into\s+[\w.\x22\x60]+\s*\(([^()]*)\)\s*values\s*\(([^()]*)\)";
    static INSERT: OnceLock<Option<Regex>> = OnceLock::new();
    let bytes = text.as_bytes();
    if memchr::memmem::find(bytes, b"nsert").or_else(|| memchr::memmem::find(bytes, b"NSERT")).is_none() {
        return;
    }
    let Some(form) = INSERT.get_or_init(|| Regex::new(FORM).ok()) else { return };
    for insert in form.captures_iter(text) {
        let (Some(names), Some(values)) = (insert.get(1), insert.get(2)) else { continue };
        let Some(table) = Table::of(names.as_str()) else { continue };
        table.takes(values.as_str(), values.start(), found);
    }
}

/// True for a line that is drawn below names: `|---|:--|`, `----+----`.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| matches!(c, '-' | '+' | '|' | ':' | '=' | ' '))
}

impl Table {
    /// A row of names, where one of them is that of a secret.
    fn of(line: &str) -> Option<Table> {
        let between = BETWEEN.into_iter().find(|between| line.contains(*between))?;
        let cells = cells(line, between);
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '#');
        let names: Vec<&str> = cells.iter().map(|cell| line[cell.clone()].trim_matches(AROUND)).collect();
        // A list of words, one a line, is no table.
        if names.iter().filter(|name| !name.is_empty()).count() < 2 {
            return None;
        }
        if !names.iter().all(|cell| cell.len() <= LONGEST && cell.chars().all(name)) {
            return None;
        }
        let said = names.iter().enumerate().filter_map(|(at, name)| Some((at, names::said(name, &[])?)));
        let secret: Vec<_> = said.collect();
        (!secret.is_empty()).then_some(Table { between, cells: cells.len(), secret })
    }

    /// Takes the secrets of a row; false where it is none of this table.
    fn takes(&self, line: &str, start: usize, found: &mut Vec<(&'static str, Range<usize>)>) -> bool {
        let cells = cells(line, self.between);
        if cells.len() != self.cells {
            return false;
        }
        for (at, said) in &self.secret {
            let cell = &line[cells[*at].clone()];
            let value = cell.trim_start_matches(AROUND);
            let from = start + cells[*at].end - value.len();
            let value = value.trim_end_matches(AROUND);
            if is_secret(value, *said) {
                found.push((said.kind, from..from + value.len()));
            }
        }
        true
    }
}

/// True for what may stand in a column of secrets: other tables have columns of that name, too, of words.
fn is_secret(value: &str, said: Said) -> bool {
    let looks = is_random(value, 12) || is_strong(value) || is_phrase(value) || said.sure && is_uuid(value);
    (looks || said.kind == "password" && is_mixed(value, 6))
        && !value.contains(' ')
        && !is_stand_in(value)
        && said.fits(value)
}

/// The cells of a line; what stands in quotation marks is one.
fn cells(line: &str, between: char) -> Vec<Range<usize>> {
    let (mut cells, mut from, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c == between && !quoted => {
                cells.push(from..at);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    cells.push(from..line.len());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        find(text, &mut found);
        found.into_iter().map(|(_, range)| &text[range]).collect()
    }

    #[test]
    fn a_column_of_secrets_is_found_in_every_kind_of_table() {
        for table in [
            "id,user,password\n1,bob,\"k7q2x9v4,b8\"\n2,eve,yes\n",
            "user\tdb_password\r\nbob\tk7q2x9v4,b8\r\n",
            "Users:\n| user | Password |\n|:--|---|\n| bob | `k7q2x9v4,b8` |\n| eve | changed yesterday |\n",
            " user | password_hash \n------+------\n bob | k7q2x9v4,b8\n(1 row)",
            "+---+---+\n| user | secret |\n+---+---+\n| bob | k7q2x9v4,b8zW5j |\n+---+---+",
        ] {
            let found = found(table);
            assert!(found.len() == 1 && found[0].starts_with("k7q2x9v4,b8"), "{table}: {found:?}");
        }
    }

    #[test]
    fn words_about_secrets_are_no_table_of_them() {
        for innocent in [
            "| Token | Count |\n|---|---|\n| the | 12 |\n| gpt-4 | 3 |",
            "def login(user, password):\n    x1y2z3, a1b2c3d4e5",
            "| Parameter | Secret |\n|---|---|\n| port8080x | no |\n\nip,port\n10.0.0.1,80a80b80c80d",
            "name, password, and token\nthen go on",
        ] {
            assert_eq!(found(innocent), [""; 0], "{innocent}");
        }
    }
}
