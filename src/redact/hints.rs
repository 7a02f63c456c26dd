//! What a text must hold before a shape can fit it: the words with which the hints of all shapes begin, looked for in one look.
//!
//! Nearly every text holds none, and most runs meet a few kinds only. An expression for each hint, or one of all, costs more to make
//! than many small logs cost to read, so the words are taken out of the hints, and nothing is compiled before a text has one.

use std::ops::Range;

use regex_syntax::hir::literal::Extractor;

/// How much of a hint is taken for a word, in bytes: in any case there are twice as many spellings for each.
const LONGEST: usize = 5;

/// Of how many spellings a hint may be: letters that would make more of them are left to the expression.
const SPELLINGS: usize = 100;

/// With which a hint says that so many signs must follow its word, none of them a quote: `mb_[+-~]{44}`. Short words stand in
/// many texts, and an expression costs much more to make than a look at what follows them.
const SIGNS: &str = "[+-~]";

/// A word with which a hint begins.
struct Word {
    text: Box<[u8]>,
    /// How many signs follow it at least.
    signs: usize,
    hint: usize,
    /// True where the word is all that the hint asks for.
    whole: bool,
    /// True where capitals and small letters are one.
    fold: bool,
    /// Its third byte, which tells most of a group apart; none of a shorter word.
    third: Option<u8>,
}

impl Word {
    fn new(text: &[u8], hint: usize, whole: bool, fold: bool) -> Word {
        let third = text.get(2).map(|byte| if fold { byte.to_ascii_lowercase() } else { *byte });
        Word { text: text.into(), signs: 0, hint, whole, fold, third }
    }

    fn begins(&self, text: &[u8]) -> bool {
        let third = text.get(2).map(|byte| if self.fold { byte.to_ascii_lowercase() } else { *byte });
        if self.third.is_some() && self.third != third {
            return false;
        }
        let Some((start, rest)) = text.split_at_checked(self.text.len()) else { return false };
        let is_it = if self.fold { start.eq_ignore_ascii_case(&self.text) } else { start == &*self.text };
        is_it && (self.signs == 0 || self.is_followed(rest))
    }

    fn is_followed(&self, rest: &[u8]) -> bool {
        rest.get(..self.signs).is_some_and(|signs| signs.iter().all(|sign| (b'+'..=b'~').contains(sign)))
    }
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

    /// Nearly all hints are words with nothing around them: those need no parser of expressions.
    fn add(&mut self, hint: usize, form: &str) {
        for (form, fold) in alternatives(form) {
            let (word, signs) = followed(form);
            match plain(word) {
                Some(word) => self.put(&Word { signs, ..Word::new(word.as_bytes(), hint, true, fold) }),
                None if fold => self.extract(hint, &format!("(?i-u:{word})"), signs),
                None => self.extract(hint, word, signs),
            }
        }
    }

    fn extract(&mut self, hint: usize, form: &str, signs: usize) {
        let mut extractor = Extractor::new();
        extractor.limit_class(64).limit_literal_len(LONGEST).limit_total(SPELLINGS);
        let seq = regex_syntax::parse(form).ok().map(|form| extractor.extract(&form));
        let words = seq.as_ref().and_then(|seq| seq.literals());
        let Some(words) = words.filter(|words| words.iter().all(|word| !word.is_empty())) else {
            return self.any.push(hint);
        };
        for word in words {
            self.put(&Word { signs, ..Word::new(word.as_bytes(), hint, word.is_exact(), false) });
        }
    }

    fn put(&mut self, word: &Word) {
        let cases = |byte: u8| match word.fold && byte.is_ascii_alphabetic() {
            true => vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()],
            false => vec![byte],
        };
        let seconds = word.text.get(1).map_or_else(|| (0..=u8::MAX).collect(), |second| cases(*second));
        for first in cases(word.text[0]) {
            for second in &seconds {
                let group = &mut self.group[pair(first, *second)];
                if *group == 0 {
                    *group = self.groups.len() as u16;
                    self.groups.push(Vec::new());
                }
                self.groups[usize::from(*group)].push(Word { text: word.text.clone(), ..*word });
            }
        }
    }

    /// True if no hint has to be asked of every text.
    #[cfg(test)]
    pub(super) fn all_begin_with_words(&self) -> bool {
        self.any.is_empty()
    }

    /// True if a text with a word of this hint fits it for certain.
    #[cfg(test)]
    pub(super) fn is_of_words(&self, hint: usize) -> bool {
        let mut words = self.groups.iter().flatten().filter(|word| word.hint == hint).peekable();
        words.peek().is_some() && words.all(|word| word.whole)
    }

    /// Calls `found` with the number of every hint that a text may fit, where its word stands, and whether it fits for certain,
    /// until it says that this is enough. Places come in their order; a hint without a word stands at the start.
    pub(super) fn search(&self, text: &str, mut found: impl FnMut(usize, Range<usize>, bool) -> bool) {
        if self.any.iter().any(|hint| found(*hint, 0..0, false)) {
            return;
        }
        let bytes = text.as_bytes();
        for (at, two) in bytes.windows(2).enumerate() {
            let group = usize::from(self.group[pair(two[0], two[1])]);
            let words = if group == 0 { continue } else { &self.groups[group] };
            let mut told = |word: &Word| found(word.hint, at..at + word.text.len(), word.whole);
            if words.iter().any(|word| word.begins(&bytes[at..]) && told(word)) {
                return;
            }
        }
    }
}

/// The forms of a hint, any of which will do, and whether case counts in them: those in a group at its start, and what follows
/// it. A hint of another build is one form.
fn alternatives(form: &str) -> Vec<(&str, bool)> {
    let (group, rest) = match form.strip_prefix("(?i-u:").and_then(|form| form.split_once(')')) {
        Some((group, rest)) => (group, rest.strip_prefix('|').or(rest.is_empty().then_some(""))),
        None => ("", Some(form)),
    };
    let is_flat = |form: &str| !form.replace(SIGNS, "").contains(['(', '[']);
    match rest.filter(|rest| is_flat(group) && is_flat(rest)) {
        None => vec![(form, false)],
        Some(rest) => {
            let forms = group.split('|').map(|form| (form, true)).chain(rest.split('|').map(|form| (form, false)));
            forms.filter(|(form, _)| !form.is_empty()).collect()
        }
    }
}

/// What stands before the signs that a form counts at its end, and how many they are.
fn followed(form: &str) -> (&str, usize) {
    let counted = form.strip_suffix('}').and_then(|form| form.split_once(SIGNS));
    let signs = counted.and_then(|(word, count)| Some((word, count.strip_prefix('{')?.parse().ok()?)));
    signs.unwrap_or((form, 0))
}

/// The word that a form is, where it is one; a sign after a backslash stands for itself.
fn plain(form: &str) -> Option<String> {
    let (mut word, mut letters) = (String::new(), form.chars());
    while let Some(letter) = letters.next() {
        word.push(match letter {
            '\\' => match letters.next()? {
                // What stands beside a word is left to the shape.
                'b' => continue,
                sign => Some(sign).filter(char::is_ascii_punctuation)?,
            },
            '.' | '+' | '*' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' | '|' => return None,
            letter => letter,
        });
    }
    (!word.is_empty()).then_some(word)
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number and wholeness of each hint, in the order they are found.
    fn told(hints: &Hints, text: &str) -> Vec<(usize, bool)> {
        let mut told = Vec::new();
        hints.search(text, |hint, _, whole| {
            told.push((hint, whole));
            false
        });
        told
    }

    #[test]
    fn words_stand_for_the_hints_they_begin() {
        let hints = Hints::new([r"gh[po]_", "(?i-u:pass)", r"\.[a-z]{6}\.", "x*", r":5432:|:\*:"].into_iter());
        assert_eq!(told(&hints, "a gho_ and a PaSS :*: :543"), [(3, false), (0, true), (1, true), (4, true)]);
        assert_eq!(told(&hints, "a.dot :5432"), [(3, false), (2, false)]);
        assert_eq!(told(&hints, "ghx_"), [(3, false)]);
    }

    #[test]
    fn a_word_is_found_whole_and_in_any_case_where_its_hint_says_so() {
        let hints = Hints::new([r"(?i-u:session|seed)|\\u", "Shared", r"(?i-u:\bpw\b|pat)"].into_iter());
        assert_eq!(told(&hints, "SeSSion sEED \\u Shared"), [(0, true), (0, true), (0, true), (1, true)]);
        assert_eq!(told(&hints, "sessio see \\ shared \\U"), []);
        assert_eq!(told(&hints, "PaT").len(), 1);
        assert!(!told(&hints, "a PW b").is_empty());
    }

    #[test]
    fn a_word_with_signs_behind_it_is_found_where_they_follow() {
        let hints = Hints::new([r"m0-[+-~]{4}|\*:[+-~]{2}", "1[ab][+-~]{3}"].into_iter());
        let found = |text: &str| !told(&hints, text).is_empty();
        assert_eq!(["m0-abcd", "a m0-a1-2 b", "*:xy", "1b/=_"].map(found), [true; 4]);
        assert_eq!(["m0-abc", "m0-a\"bcd", "m0-ab\u{e9}d", "m1-abcd", "*:x y", "1b/="].map(found), [false; 6]);
    }

    #[test]
    fn what_is_no_list_of_words_is_one_expression() {
        assert_eq!(alternatives("a|b"), [("a", false), ("b", false)]);
        assert_eq!(alternatives("(?i-u:a|b)|c"), [("a", true), ("b", true), ("c", false)]);
        for form in ["(?i-u:[?&](?:key|sig))", "x(?:a|b)-", "fo1_|fm[12]", "(?i-u:a|b)c"] {
            assert_eq!(alternatives(form), [(form, false)]);
        }
        assert_eq!(plain(r"SG\."), Some("SG.".to_string()));
        assert_eq!(plain(r"\bkey"), Some("key".to_string()));
        assert!([r"\d", "a.b", ""].iter().all(|form| plain(form).is_none()));
    }
}
