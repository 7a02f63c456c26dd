//! What a text must hold before a shape can fit it: the words with which the hints of all shapes begin, looked for in one look.
//!
//! Nearly every text holds none, and most runs meet a few kinds only. An expression for each hint, or one of all, costs more to make
//! than many small logs cost to read, so the words are taken out of the hints, and nothing is compiled before a text has one.

use regex_syntax::hir::literal::Extractor;

/// How much of a hint is taken for a word, in bytes: in any case there are twice as many spellings for each.
const LONGEST: usize = 5;

/// A word with which a hint begins.
struct Word {
    text: Box<[u8]>,
    hint: usize,
    /// True where the word is all that the hint asks for.
    whole: bool,
}

/// Looks for words.
pub(super) struct Hints {
    /// By its first two bytes, the group of words that a place may be the beginning of; 0 for none.
    group: Vec<u16>,
    groups: Vec<Vec<Word>>,
    /// Hints that begin with no word.
    any: Vec<usize>,
}

impl Hints {
    /// Hints as expressions, numbered as they come.
    pub(super) fn new<'h>(hints: impl Iterator<Item = &'h str>) -> Hints {
        let mut all = Hints { group: vec![0; 1 << 16], groups: vec![Vec::new()], any: Vec::new() };
        for (hint, form) in hints.enumerate() {
            all.add(hint, form);
        }
        all
    }

    fn add(&mut self, hint: usize, form: &str) {
        let mut extractor = Extractor::new();
        extractor.limit_class(64).limit_literal_len(LONGEST).limit_total(2000);
        let seq = regex_syntax::parse(form).ok().map(|form| extractor.extract(&form));
        let words = seq.as_ref().and_then(|seq| seq.literals());
        let Some(words) = words.filter(|words| words.iter().all(|word| !word.is_empty())) else {
            return self.any.push(hint);
        };
        for word in words {
            let (text, whole) = (word.as_bytes(), word.is_exact());
            let second = text.get(1).map_or(0..=u8::MAX, |second| *second..=*second);
            for second in second {
                let group = &mut self.group[pair(text[0], second)];
                if *group == 0 {
                    *group = self.groups.len() as u16;
                    self.groups.push(Vec::new());
                }
                self.groups[usize::from(*group)].push(Word { text: text.into(), hint, whole });
            }
        }
    }

    /// Calls `found` with the number of every hint that a text may fit, and whether it does for certain, until it says that this is enough.
    pub(super) fn search(&self, text: &str, mut found: impl FnMut(usize, bool) -> bool) {
        if self.any.iter().any(|hint| found(*hint, false)) {
            return;
        }
        let bytes = text.as_bytes();
        for (at, two) in bytes.windows(2).enumerate() {
            let group = usize::from(self.group[pair(two[0], two[1])]);
            let words = if group == 0 { continue } else { &self.groups[group] };
            if words.iter().any(|word| bytes[at..].starts_with(&word.text) && found(word.hint, word.whole)) {
                return;
            }
        }
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_the_hints_they_begin() {
        let hints = Hints::new([r"gh[po]_", "(?i-u:pass)", r"\.[a-z]{6}\.", r"[a-z]+x", r":5432:|:\*:"].into_iter());
        let told = |text: &str| {
            let mut told = Vec::new();
            hints.search(text, |hint, whole| {
                told.push((hint, whole));
                false
            });
            told
        };
        assert_eq!(told("a gho_ and a PaSS :*: :543"), [(3, false), (0, true), (1, true), (4, true)]);
        assert_eq!(told("a.dot :5432"), [(3, false), (2, false), (4, false)]);
        assert_eq!(told("ghx_"), [(3, false)]);
    }
}
