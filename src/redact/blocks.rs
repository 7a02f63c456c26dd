//! Values that stand further from their label than behind a sign: in a block of Terraform, in the next element of a property
//! list, in the items of a list of YAML, in a row of words.

use std::ops::Range;

use super::near::{NEAR, start_of};

/// How many words a phrase that opens a wallet has at least.
const PHRASE: usize = 12;

/// What follows the `default =` of `variable "db_password" { ... }`.
pub(super) fn default_of<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    let is_variable = before.trim_end_matches(['"', '\\']).trim_end().ends_with("variable");
    let block = rest.strip_prefix('{').filter(|_| is_variable)?;
    let block = start_of(block, NEAR);
    let block = &block[..block.find('}').unwrap_or(block.len())];
    let value = block[block.find("default")? + "default".len()..].trim_start().strip_prefix('=')?;
    Some(&rest[1 + block.len() - value.len()..])
}

/// What follows `</key><string>`.
pub(super) fn entry(rest: &str) -> Option<&str> {
    rest.strip_prefix("</key>")?.trim_start().strip_prefix("<string>")
}

/// The items of a list that begins on the line below a name: `tokens:`, and below it `- ...`.
pub(super) fn items(text: &str, name_end: usize) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let list =
        text[name_end..].trim_start_matches(['"', '\'']).strip_prefix(':').map(|rest| rest.trim_start_matches(' '));
    let Some(list) = list.filter(|rest| rest.starts_with(['\n', '\r'])) else { return items };
    let mut at = text.len() - list.trim_start_matches(['\n', '\r']).len();
    for line in text[at..].split_inclusive('\n') {
        let Some(item) = line.trim_start().strip_prefix("- ") else { break };
        let item = item.trim_start_matches([' ', '"', '\'']);
        let start = at + line.len() - item.len();
        items.push(start..start + item.trim_end_matches(['\n', '\r', ' ', '"', '\'']).len());
        at += line.len();
    }
    items
}

/// The values of a Secret of Kubernetes: what stands below `data:` and `stringData:`.
pub(super) fn sealed(text: &str, found: &mut Vec<(&'static str, Range<usize>)>) {
    if memchr::memmem::find(text.as_bytes(), b"kind: Secret").is_none() {
        return;
    }
    let (mut within, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let shown = line.trim();
        match within {
            _ if matches!(shown, "data:" | "stringData:") => within = Some(indent),
            Some(outer) if indent > outer => {
                let value = shown.split_once(": ").map(|(_, value)| value.trim_matches(['"', '\'', ' ']));
                let value = value.filter(|value| value.len() > 3 && !value.starts_with(['|', '>', '<', '$', '{']));
                found.extend(
                    value
                        .and_then(|value| Some((line.find(value)?, value)))
                        .map(|(start, value)| ("secret", at + start..at + start + value.len())),
                );
            }
            _ if shown.is_empty() => {}
            _ => within = None,
        }
        at += line.len();
    }
}

/// The words of a phrase, where they are as many as one has.
pub(super) fn phrase(text: &str, at: usize) -> Option<Range<usize>> {
    let start = text.len() - text[at..].trim_start_matches([' ', '"', '\'', '\\']).len();
    let is_word = |word: &&str| (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let of_words = |c: char| c.is_ascii_lowercase() || c == ' ';
    let row = start_of(&text[start..], NEAR).split(|c| !of_words(c)).next().unwrap_or_default();
    let words: Vec<&str> = row.split(' ').take_while(is_word).collect();
    let length = words.iter().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1);
    (words.len() >= PHRASE).then_some(start..start + length)
}
