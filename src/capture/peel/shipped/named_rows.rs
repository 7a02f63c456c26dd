//! Tables in JSON that name their columns once, before rows that are lists of cells: what Azure Monitor and Kusto (`columns`, `rows`) and
//! InfluxDB (`columns`, `values`) answer to a query.

use std::ops::Range;

use memchr::memmem;

use crate::json::listed::{elements, object};
use crate::json::scan::{members_at, skip_white, unquoted, value_end};

/// A row: the record that it makes, and where it stands.
pub(super) struct NamedRow {
    pub json: String,
    pub range: Range<usize>,
    /// How much further on its longest cell, which holds the message, stands in the record than in the row, in bytes.
    pub moved: usize,
}

/// The rows of the tables in a text, which may be cut off; nothing where it holds none.
pub(super) fn named_rows(text: &str) -> Option<Vec<NamedRow>> {
    let start = skip_white(text.as_bytes(), 0);
    let may_be = matches!(text.as_bytes().get(start), Some(b'{' | b'['))
        && ["\"columns\"", "\"Columns\""].iter().any(|key| memmem::find(text.as_bytes(), key.as_bytes()).is_some());
    if !may_be {
        return None;
    }
    let mut found = Vec::new();
    tables(text, start, &mut found);
    (!found.is_empty()).then_some(found)
}

/// The rows of the tables in the value at `at`; gives the byte after it.
fn tables(text: &str, at: usize, found: &mut Vec<NamedRow>) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'[' => elements(text, at, &mut |at| tables(text, at, found)),
        b'{' => {
            let mut names = Vec::new();
            object(text, at, &mut |key, at| match (key, text.as_bytes().get(at)) {
                ("columns" | "Columns", Some(b'[')) => {
                    names = names_at(text, at);
                    value_end(text.as_bytes(), at)
                }
                ("rows" | "Rows" | "values", Some(b'[')) if !names.is_empty() => {
                    elements(text, at, &mut |at| row(text, at, &names, found))
                }
                _ => tables(text, at, found),
            })
        }
        _ => value_end(text.as_bytes(), at),
    }
}

/// The names in a list of columns: strings, or objects with a name.
fn names_at(text: &str, at: usize) -> Vec<String> {
    let mut names = Vec::new();
    let _ = elements(text, at, &mut |at| {
        let end = value_end(text.as_bytes(), at)?;
        let named = || members_at(text, at).find(|member| matches!(member.key, "name" | "ColumnName"));
        match text.as_bytes()[at] {
            b'"' => names.push(text[at..end].to_string()),
            _ => names.extend(named().map(|member| member.value.to_string())),
        }
        Some(end)
    });
    names
}

/// One row, which has a cell for each column.
fn row(text: &str, at: usize, names: &[String], found: &mut Vec<NamedRow>) -> Option<usize> {
    let end = value_end(text.as_bytes(), at)?;
    if text.as_bytes()[at] != b'[' {
        return Some(end);
    }
    let mut cells = Vec::new();
    elements(text, at, &mut |at| {
        let end = value_end(text.as_bytes(), at)?;
        cells.push(&text[at..end]);
        Some(end)
    })?;
    if cells.len() == names.len() {
        let members: Vec<String> = names.iter().zip(&cells).map(|(name, cell)| format!("{name}:{cell}")).collect();
        let longest = (0..cells.len()).max_by_key(|place| cells[*place].len()).unwrap_or(0);
        let now: usize = 1 + members[..longest].iter().map(|member| member.len() + 1).sum::<usize>();
        let stood = cells.get(longest).map_or(0, |cell| cell.as_ptr().addr() - text.as_ptr().addr() - at);
        let moved = (now + names.get(longest).map_or(0, |name| name.len() + 1)).saturating_sub(stood);
        found.push(NamedRow { json: format!("{{{}}}", members.join(",")), range: at..end, moved });
    }
    Some(end)
}

/// The cells of a row as they are written, without quotes.
pub(super) fn cells(json: &str) -> impl Iterator<Item = &str> {
    members_at(json, 0).map(|member| unquoted(member.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_named_columns() {
        let records =
            |text: &str| -> Option<Vec<String>> { Some(named_rows(text)?.into_iter().map(|row| row.json).collect()) };
        let row = Some(vec![r#"{"t":"2026-05-04T08:00:00Z","b":{"c":[1]}}"#.to_string()]);
        let cells = r#"["2026-05-04T08:00:00Z",{"c":[1]}]"#;
        for text in [
            format!(
                r#"{{"tables":[{{"name":"x","columns":[{{"name":"t","type":"datetime"}},{{"name":"b"}}],"rows":[{cells}]}}]}}"#
            ),
            format!(r#"{{"Tables":[{{"Columns":[{{"ColumnName":"t"}},{{"ColumnName":"b"}}],"Rows":[{cells}]}}]}}"#),
            format!(r#"{{"results":[{{"series":[{{"columns":["t","b"],"values":[{cells},[1]]}}]}}]}}"#),
            format!(r#"{{"columns":["t","b"],"rows":[{cells},["2026"#),
        ] {
            assert_eq!(records(&text), row, "{text}");
        }
        for text in [r#"{"columns":["a"],"x":[[1]]}"#, r#"{"rows":[[1]],"columns":["a"]}"#, "columns", ""] {
            assert_eq!(records(text), None, "{text}");
        }
    }
}
