//! One thing that is wrong with a payload by what the pages say of its members, beyond its shape.
//!
//! A flaw names the ruling that speaks of it (`PAY002/name-length`); whether a revision has such a ruling is its own affair. Words of a
//! filter, and what a logger may have cut, are held against nobody.

use serde_json::Value;

use super::is_placeholder;

/// One thing that is wrong with a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The ruling that speaks of it.
    pub ruling: &'static str,
    /// What is wrong, in words.
    pub words: String,
    /// A capability of its sender with which nothing would be wrong.
    pub unless: Option<&'static str>,
}

/// Flaws as they are found: of each kind the first.
#[derive(Default)]
pub(super) struct Flaws(pub(super) Vec<Flaw>);

impl Flaws {
    pub(super) fn add(&mut self, ruling: &'static str, words: impl FnOnce() -> String) {
        if self.0.iter().all(|known| known.ruling != ruling) {
            self.0.push(Flaw { ruling, words: words(), unless: None });
        }
    }

    /// What is wrong only in who has not declared a capability.
    pub(super) fn add_unless(&mut self, declared: &'static str, ruling: &'static str, words: &str) {
        self.0.push(Flaw { ruling, words: words.to_string(), unless: Some(declared) });
    }

    pub(super) fn add_if(&mut self, wrong: bool, ruling: &'static str, words: impl FnOnce() -> String) {
        if wrong {
            self.add(ruling, words);
        }
    }
}

/// A string, unless a filter has written it.
pub(super) fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !is_placeholder(&format!("\"{text}\"")))
}

/// True if a filter has written a value, or a part of it was taken out.
pub(super) fn is_blotted(value: &Value) -> bool {
    value.as_str().is_some_and(|text| is_placeholder(&format!("\"{text}\"")))
}

/// The elements of a list; none where it is no list.
pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The first text that stands a second time.
pub(super) fn twice<'a>(mut texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut known = std::collections::HashSet::new();
    texts.find(|text| !known.insert(*text))
}

/// A text as it is shown in words: short, and in quotation marks.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut: String = text.chars().take(LONGEST).collect();
    let more = if cut.len() < text.len() { "..." } else { "" };
    format!("\"{cut}{more}\"")
}

/// True for what RFC 3986 takes for an absolute URI: a scheme and what is behind it, be it nothing, without blanks and control characters.
pub(super) fn is_uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(sound)
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}
