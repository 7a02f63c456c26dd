//! Which scalar of a record tells who sent the message in it.
//!
//! An export keeps labels beside the text of a message (`direction`, `peer.role`). Put around it in a line, they are what a wrapper of
//! messages has, and who reads those knows which of them, if any, tells the sender.

use super::column::{Column, shown};
use super::shape::Record;
use super::walk::Path;
use crate::capture::formats::wrapped::Layout;
use crate::capture::sample::looks_like_message;
use crate::capture::words::{Meaning, meaning};
use crate::json::scan::{closing_quote, value_end};
use crate::json::unescape;

/// How many scalars are tried.
const TRIED: usize = 8;

/// How many values one may have, and how long they may be.
const VALUES: usize = 6;
const LONGEST: usize = 64;

/// The scalar that tells senders, and the records as `lines` with it gives them; nothing where none does.
pub(super) fn sender<'c>(
    near: impl Iterator<Item = &'c Column>,
    lines: impl Fn(Path, &str) -> Vec<String>,
) -> Option<(Path, Vec<String>)> {
    let mut candidates: Vec<&Column> = near.filter(|column| may_tell(column)).collect();
    candidates.sort_by_key(|column| match meaning(&column.name()) {
        Some((Meaning::Direction, rank)) => rank,
        _ => usize::MAX,
    });
    candidates.into_iter().take(TRIED).find_map(|column| {
        let lines = lines(column.path.clone(), &column.name());
        let told = Layout::learn(lines.iter().map(String::as_str)).direction_key.is_some();
        told.then(|| (column.path.clone(), lines))
    })
}

fn may_tell(column: &Column) -> bool {
    let mut values: Vec<&str> = column.values.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.dedup();
    let name = shown(&column.path);
    (2..=VALUES).contains(&values.len())
        && values.iter().all(|value| value.len() <= LONGEST && !value.starts_with(['{', '[']))
        && !name.ends_with(MESSAGE)
}

/// The key of the message in a line.
const MESSAGE: &str = "message";

/// A record as a line: who sent it, and its message. A text that is none is given as it is.
pub(super) fn line(text: &str, record: &Record<'_>, key: &str) -> String {
    let Some(start) = record.message else { return String::new() };
    if !text[..start].ends_with('"') {
        let end = value_end(text.as_bytes(), start).unwrap_or(text.len());
        return wrapped(key, record, &text[start..end]);
    }
    let end = closing_quote(text.as_bytes(), start).unwrap_or(text.len());
    let mut said = String::new();
    unescape(text, start, &mut said);
    match looks_like_message(said.trim_start()) && !said.trim_end().contains('\n') {
        true => wrapped(key, record, &format!("\"{}\"", &text[start..end])),
        false => said,
    }
}

fn wrapped(key: &str, record: &Record<'_>, message: &str) -> String {
    let (key, word) = (serde_json::Value::from(key), record.direction.unwrap_or_default());
    format!("{{{key}:\"{word}\",\"{MESSAGE}\":{message}}}")
}
