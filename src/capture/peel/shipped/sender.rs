//! Which scalar of a record tells who sent the message in it.
//!
//! An export keeps labels beside the text of a message (`direction`, `peer.role`). Put around it in a line, they are what a wrapper of
//! messages has, and who reads those knows which of them, if any, tells the sender.

use super::column::{Column, shown};
use super::on_one_line;
use super::shape::Record;
use super::walk::Path;
use crate::capture::encoded::from_pairs;
use crate::capture::formats::wrapped::{LONGEST, Layout, VALUES};
use crate::capture::sample::looks_like_message;
use crate::capture::words::{Meaning, meaning};
use crate::json::scan::{closing_quote, value_end};
use crate::json::unescape;

/// How many scalars are tried.
const TRIED: usize = 8;

/// What tells who sent a message.
pub(super) struct Sender {
    pub path: Path,
    /// The first records with it.
    pub lines: Vec<String>,
    /// That it does, and what its values say, in words.
    pub told: String,
}

/// The scalar that tells senders, by the records as `lines` with it gives them; nothing where none does.
pub(super) fn sender<'c>(
    near: impl Iterator<Item = &'c Column>,
    lines: impl Fn(Path, &str) -> Vec<String>,
) -> Option<Sender> {
    let mut candidates: Vec<&Column> = near.filter(|column| may_tell(column)).collect();
    candidates.sort_by_key(|column| match meaning(&column.name()) {
        Some((Meaning::Direction, rank)) => rank,
        _ => usize::MAX,
    });
    candidates.into_iter().take(TRIED).find_map(|column| {
        let lines = lines(column.path.clone(), &column.name());
        let layout = Layout::learn(lines.iter().map(String::as_str));
        layout.direction_key.as_ref()?;
        let words = layout.told().map_or(String::new(), |told| format!(": {told}"));
        let told = format!("{:?} tells who sent a message{words}", shown(&column.path));
        Some(Sender { path: column.path.clone(), lines, told })
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

/// A record as a line.
pub(super) struct Labelled {
    pub text: String,
    /// How many bytes stand before what the record has.
    pub before: usize,
}

/// A record as a line: who sent it, and its message or batch as it is written, or, spelled out with types, as it is without them. A text
/// that is no message is given as it is.
pub(super) fn labelled(text: &str, record: &Record<'_>, key: &str) -> Labelled {
    let start = record.message.unwrap_or(text.len());
    let (key, word) = (serde_json::Value::from(key), record.direction.unwrap_or_default());
    let label = format!("{{{key}:\"{word}\",\"{MESSAGE}\":");
    if !text[..start].ends_with('"') {
        return labelled_object(&text[start..value_end(text.as_bytes(), start).unwrap_or(text.len())], &label);
    }
    let mut said = String::new();
    unescape(text, start, &mut said);
    let first = said.trim_start();
    let first = first.strip_prefix('[').map_or(first, str::trim_start);
    if !looks_like_message(first) || said.trim_end().contains('\n') {
        return labelled_record(said, &format!("{{{key}:\"{word}\","));
    }
    let end = closing_quote(text.as_bytes(), start).unwrap_or(text.len());
    Labelled { text: format!("{label}\"{}\"}}", &text[start..end]), before: label.len() + 1 }
}

/// A text that is itself a record around a message has the label as its first member.
fn labelled_record(said: String, label: &str) -> Labelled {
    let is_record =
        said.starts_with("{\"") && said.contains("jsonrpc") && value_end(said.as_bytes(), 0) == Some(said.len());
    match is_record {
        true => Labelled { text: format!("{label}{}", &said[1..]), before: label.len() - 1 },
        false => Labelled { text: said, before: 0 },
    }
}

fn labelled_object(object: &str, label: &str) -> Labelled {
    let said = from_pairs(object).unwrap_or_else(|| on_one_line(object));
    match looks_like_message(&said) {
        true => Labelled { text: format!("{label}{said}}}"), before: label.len() },
        false => Labelled { text: said, before: 0 },
    }
}
