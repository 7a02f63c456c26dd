//! Rows that are written a few at a time: to begin and to end a statement costs a fifth of what a row costs.

/// How many rows.
pub(super) const ROWS: usize = 16;

/// A statement that inserts what it selects, once, as one that does so for [`ROWS`] rows, or the first few: how many is its
/// last parameter.
pub(super) fn several(one: &str) -> String {
    let (head, row) = one.trim_end().trim_end_matches(';').split_at(one.find("SELECT").unwrap_or(0));
    // As a sum, because SQLite prepares a statement anew whenever a parameter is bound that is its limit.
    format!("{head}{} LIMIT 0 + ?", [row; ROWS].join(" UNION ALL "))
}
