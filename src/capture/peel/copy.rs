//! Rows of a table as PostgreSQL's `COPY ... TO` and `pg_dump` write them: columns behind tabs, `\N` for none, a backslash before what
//! would end a column, and before a backslash. A message that holds a quote is JSON only without those.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// True for a row with a column that is JSON, and only without the backslashes of a table.
pub(super) fn looks(line: &str) -> bool {
    let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
    line.contains("\\\\") && line.contains('\t') && {
        let columns = line.split('\t').map(str::trim_ascii).filter(|column| column.starts_with(['{', '[']));
        columns.filter(|column| column.contains("\\\\")).any(|column| {
            let mut plain = Vec::new();
            unescape(column.as_bytes(), &mut plain);
            !is_json(column.as_bytes()) && is_json(&plain)
        })
    }
}

/// The columns of a row as they were before they were written.
fn unescape(mut row: &[u8], plain: &mut Vec<u8>) {
    plain.clear();
    while let Some(at) = memchr::memchr(b'\\', row) {
        plain.extend_from_slice(&row[..at]);
        match row.get(at + 1) {
            Some(b'N') | None => {}
            Some(b'n') => plain.push(b'\n'),
            Some(b't') => plain.push(b'\t'),
            Some(b'r') => plain.push(b'\r'),
            Some(b'b') => plain.push(8),
            Some(b'f') => plain.push(12),
            Some(b'v') => plain.push(11),
            Some(other) => plain.push(*other),
        }
        row = row.get(at + 2..).unwrap_or_default();
    }
    plain.extend_from_slice(row);
}

/// See the module.
#[derive(Default)]
pub(super) struct Copy {
    plain: Vec<u8>,
}

impl Peeler for Copy {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        unescape(line.bytes, &mut self.plain);
        let (number, offset, bytes) = (line.number, line.offset, self.plain.as_slice());
        give(&Peeled { key: "", number, offset, time: "", bytes, ended: line.ended })?;
        Ok(None)
    }
}
