//! The text before a message as words and signs, and the runs of them that may tell a direction.

use crate::capture::anywhere::is_sign;

/// How many words a run has at most: `client -> server`.
const RUN: usize = 3;

/// The longest run, in bytes.
const LONGEST: usize = 60;

/// The words and signs of a text, as byte ranges; what begins with a digit (a number, a part of a time) is none.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 1,
        _ if is_sign(c) => 2,
        _ => 0,
    };
    let (mut found, mut open) = (Vec::new(), None);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let now = class(c);
        match open {
            Some((start, before)) if before != now => {
                found.push((start, at));
                open = (now != 0).then_some((at, now));
            }
            None if now != 0 => open = Some((at, now)),
            _ => {}
        }
    }
    let is_number = |text: &str| text.starts_with(char::is_numeric);
    found.retain(|(start, end)| {
        let token = &text[*start..*end];
        !is_number(token) && token.chars().any(|c| c.is_alphabetic() || is_sign(c))
    });
    found
}

/// Every run of up to three words and signs, with its distance from the end of the text. What a logger says of one
/// message only (its method) breaks a run, so do numbers.
pub(super) fn runs<'a>(text: &'a str, method: &str) -> Vec<(&'a str, usize)> {
    let all = tokens(text);
    let named = |start: usize, end: usize| {
        !method.is_empty() && text.match_indices(method).any(|(at, _)| at < end && start < at + method.len())
    };
    let mut found = Vec::new();
    for first in 0..all.len() {
        for last in first..all.len().min(first + RUN) {
            let (start, end) = (all[first].0, all[last].1);
            let digits = last > first
                && text[start..end]
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|word| word.starts_with(char::is_numeric));
            if end - start > LONGEST || digits || named(all[last].0, end) {
                break;
            }
            found.push((&text[start..end], all.len() - 1 - last));
        }
    }
    found
}

/// An expression that finds any of these runs as whole words and signs, in a group called `dir`.
pub(super) fn expression(runs: &[&str]) -> String {
    let mut sorted = runs.to_vec();
    sorted.sort_by_key(|run| (std::cmp::Reverse(run.len()), *run));
    let escaped: Vec<String> = sorted.iter().map(|run| regex::escape(run)).collect();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let edge = |at: fn(&str) -> Option<char>, sign: &str| {
        let words = runs.iter().filter(|run| is_word(at(run))).count();
        match words {
            _ if words == runs.len() => r"\b".to_string(),
            0 => sign.to_string(),
            _ => String::new(),
        }
    };
    let before = edge(|run| run.chars().next(), r#"(?:^|[\s\w()\[\]{}:,;."'`|/\\@#&%$])"#);
    let after = edge(|run| run.chars().next_back(), r#"(?:[\s\w()\[\]{}:,;."'`|/\\@#&%$]|$)"#);
    format!("{before}(?<dir>{}){after}", escaped.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, method: &str) -> Vec<String> {
        runs(text, method).into_iter().map(|(run, _)| run.to_string()).collect()
    }

    #[test]
    fn words_signs_and_their_runs() {
        assert_eq!(texts("10:00:01.5 [7] c2s -->: ", ""), ["c2s", "c2s -->", "-->"]);
        assert_eq!(texts("client→server", ""), ["client", "client→", "client→server", "→", "→server", "server"]);
        assert_eq!(texts("call tools/list with ", "tools/list"), ["call", "with"]);
        assert_eq!(texts("a 17 b", ""), ["a", "b"], "a number in between varies");
        assert_eq!(texts("10:00:01.170Z [in]", ""), ["in"], "the end of a time is no word");
        assert_eq!(runs("in: x", ""), [("in", 1), ("in: x", 0), ("x", 0)]);
    }

    #[test]
    fn the_last_of_them_as_a_whole_word_counts() {
        let find = |runs: &[&str], text: &str| {
            let regex = regex::Regex::new(&format!("^.*{}", expression(runs))).expect("an expression");
            regex.captures(text).map(|found| found["dir"].to_string())
        };
        assert_eq!(find(&["in", "out"], "main [in] ").as_deref(), Some("in"));
        assert_eq!(find(&["in", "out"], "printing ").as_deref(), None);
        assert_eq!(find(&["->", "<-"], "10:00 -> ").as_deref(), Some("->"));
        assert_eq!(find(&["->", "<-"], "10:00 --> ").as_deref(), None);
        assert_eq!(find(&["client", "server"], "server[1]: client ").as_deref(), Some("client"));
        assert_eq!(find(&[">>", "reply"], ">> ").as_deref(), Some(">>"));
    }
}
