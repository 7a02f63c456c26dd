//! The nearest candidate for a word that was not found. Every hint of a "not found" names one.

/// The candidate that needs the fewest changes, where it needs few enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let scored = candidates.into_iter().map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate));
    let best = scored.min_by_key(|(distance, _)| *distance)?;
    let inside = best.1.to_lowercase().contains(&word) && word.len() > 2;
    (inside || best.0 <= word.chars().count() / 3 + 1).then_some(best.1)
}

/// Levenshtein distance, less for one word inside the other.
fn distance(a: &str, b: &str) -> usize {
    if b.contains(a) && a.len() > 2 { 1 } else { strsim::levenshtein(a, b) }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_finds_its_word_and_nonsense_finds_none() {
        let rules = ["response-after-cancel", "duplicate-cancel", "never-answered"];
        assert_eq!(nearest("respnse-after-cancel", rules), Some("response-after-cancel"));
        assert_eq!(nearest("duplicate", rules), Some("duplicate-cancel"));
        assert_eq!(nearest("CAN999999", rules), None);
        assert_eq!(nearest("chek", ["check", "ls"]), Some("check"));
    }
}
