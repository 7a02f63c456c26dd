//! Comparison of two answers: by structure, by exact value, with the places where they differ.
//!
//! Objects have no order, arrays have one, numbers are equal by value (`1`, `1.0`, `1e0`), strings by their code units.
//! Nothing here knows about verdicts.

pub(crate) mod hidden;
mod matchers;
mod place;
mod rules;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
mod walk;

pub use matchers::{is_datetime, is_uuid};
pub use place::{PathStep, Pattern, TreePath, glob};
pub use rules::{Rules, scoped};
pub use tree::{Node, Tree, same_scalar};

use super::options::{Compare, Matcher};
use super::recording::Exchange;
use super::verdict::Difference;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Profile;

/// What holds for one pair of messages.
#[derive(Clone, Debug)]
pub struct Terms<'a> {
    /// What is spoken.
    pub profile: &'static Profile,
    /// Pointers of values that later requests take: compared for presence and type only.
    pub captured: &'a [String],
    /// Values that were put into requests, recorded and live, as JSON text: an answer may echo them.
    pub echoes: &'a [(String, String)],
    /// Those of them that were put into this very request, and are not equal to others by chance: where its answer had the recorded one,
    /// the live one is due.
    pub due: &'a [(String, String)],
    /// Values that nobody but the server knows and that were put into this very request: its answer may give them back whole.
    pub hidden: &'a [(String, String)],
    /// What was asked: rules may hold for some requests only.
    pub asked: Option<&'a Exchange>,
}

/// What came of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Where the two differ; harmless places too.
    pub differences: Vec<Difference>,
    /// Differences beyond those that are kept.
    pub more: u64,
    /// True if one of them is a change.
    pub changed: bool,
    /// True if a list that is a map has another order.
    pub reordered: bool,
    /// Members that were added and are allowed.
    pub added: u64,
    /// What is worth saying and is no change.
    pub notes: Vec<String>,
}

impl Comparison {
    /// True if nothing differs that counts.
    pub fn is_same(&self) -> bool {
        !self.changed
    }
}

/// Compares two messages. One that is no JSON is compared as it stands.
pub fn compare(rules: &Rules, terms: &Terms<'_>, recorded: &str, live: &str) -> Comparison {
    let (Some(a), Some(b)) = (Tree::read(recorded), Tree::read(live)) else {
        let changed = recorded.trim() != live.trim();
        let quote = |text: &str| Some(serde_json::Value::from(text).to_string());
        let difference = Difference { recorded: quote(recorded), live: quote(live), ..Difference::default() };
        let differences = if changed { vec![difference] } else { Vec::new() };
        return Comparison { changed, differences, ..Comparison::default() };
    };
    let texts: Vec<Pattern> = terms.profile.json_texts().iter().filter_map(|text| Pattern::read(text).ok()).collect();
    let mut walk = walk::Walk::new(rules, terms, &texts);
    walk.pair(Some(&a), Some(&b));
    walk.found.notes.dedup();
    walk.found
}

/// Reads `POINTER=MATCHER`, as in `/result/content/*/text -> /at=datetime`.
pub fn read_match(text: &str) -> Result<(String, Matcher)> {
    let usage = |message: String| {
        Error::new(ErrorKind::Usage, message).hint("write it as POINTER=MATCHER: /result/at=datetime")
    };
    // A pointer may hold `=`, and so may `len>=1` and an expression: the matcher is the first text that is one.
    let mut fault = format!("`{text}` has no `=`");
    for (at, _) in text.match_indices('=') {
        let (pointer, matcher) = (text[..at].trim(), &text[at + 1..]);
        match Matcher::read(matcher) {
            Ok(matcher) => {
                Pattern::read(pointer).map_err(usage)?;
                return Ok((pointer.to_string(), matcher));
            }
            Err(error) if at == text.find('=').unwrap_or(at) => fault = error,
            Err(_) => {}
        }
    }
    Err(usage(fault))
}

/// Reads `POINTER by KEY`, as in `/result/items by /id`.
pub fn read_set(text: &str) -> Result<(String, String)> {
    let usage = |message: String| {
        Error::new(ErrorKind::Usage, message).hint("write it as POINTER by KEY: /result/items by /id")
    };
    let (list, key) = text.split_once(" by ").ok_or_else(|| usage(format!("`{text}` names no key")))?;
    for pointer in [list.trim(), key.trim()] {
        Pattern::read(pointer).map_err(usage)?;
    }
    Ok((list.trim().to_string(), key.trim().to_string()))
}

/// Says what is wrong with the rules of a comparison, before anything is done.
pub fn check(options: &Compare) -> Result<()> {
    Rules::new(options).map(|_| ())
}
