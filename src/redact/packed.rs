//! Text in base64: a secret that somebody packed, alone or among others (`{"token": ...}`, `user:password`, a file of settings).

use std::ops::Range;

use crate::base64;

/// Fewer characters hold no secret that a shape or a name gives away.
const SHORTEST: usize = 24;

/// What is unpacked at most, in characters: a longer body is an image or an archive.
const LONGEST: usize = 1 << 20;

/// How much is looked at before all of it is unpacked, in characters: a whole number of groups.
const BEGINNING: usize = 64;

/// True if a text holds a run that may be base64: a look at every so many bytes is enough to tell.
pub fn stands_in(text: &str) -> bool {
    next_run(text.as_bytes(), 0).is_some()
}

/// The texts that stand in base64 in a text: where, and what they are.
pub fn texts(text: &str) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let runs = std::iter::successors(next_run(bytes, 0), |run| next_run(bytes, run.end));
    runs.filter(|run| run.len() <= LONGEST).filter_map(|run| Some((run.clone(), unpacked(&text[run])?))).collect()
}

/// The first long run of digits of base64 from a place on, with its padding.
fn next_run(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from + SHORTEST - 1;
    while at < bytes.len() {
        let start = at + 1 - bytes[from..=at].iter().rev().take_while(|byte| is_digit(**byte)).count();
        if start <= at {
            let end = at + bytes[at..].iter().take_while(|byte| is_digit(**byte)).count();
            if end - start >= SHORTEST {
                let padding = bytes[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
                return Some(start..end + padding);
            }
        }
        at += SHORTEST;
    }
    None
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The text of a run; `None` where it is none.
fn unpacked(run: &str) -> Option<String> {
    let beginning = base64::decode(run.get(..BEGINNING).unwrap_or(run))?;
    // A character may be cut at the end of the beginning.
    let ascii = beginning.iter().filter(|byte| byte.is_ascii()).count();
    let is_text = |bytes: &[u8]| {
        std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
            || ascii * 10 >= bytes.len() * 9
    };
    if !is_text(&beginning) || beginning.iter().any(|byte| is_control(*byte)) {
        return None;
    }
    Some(text_of(base64::decode(run)?)).filter(|text| !text.bytes().any(is_control))
}

/// Text; where it is no UTF-8, every byte is a character.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t') || byte == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_text_is_unpacked() {
        let found = |text: &str| texts(text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let settings = "user = me\nkey = abcdefghijklmnop\n".repeat(9);
        let packed = base64::encode(settings.as_bytes());
        assert_eq!(found(&format!("data:text/plain;base64,{packed} and more")), [settings.as_str()]);
        assert_eq!(found(packed.trim_end_matches('=')), [settings.as_str()]);
        assert_eq!(found("d41d8cd98f00b204e9800998ecf8427e 6f1ed002ab5595859014ebf0951522d9"), [""; 0]);
        assert_eq!(found("anIdentifierThatIsVeryLongAndTellsALot another_one_that_is_as_long_as_it"), [""; 0]);
        let image = [137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 1, 0, 0, 0];
        assert_eq!(found(&base64::encode(&image)), [""; 0]);
    }

    #[test]
    fn runs_are_found_wherever_they_stand() {
        assert!(!stands_in("some words, and 23 more: abcdefghijklmnopqrstuvw.") && !stands_in(""));
        for before in 0..60 {
            let text = format!("{}{}== {}", " ".repeat(before), "a".repeat(24), "b".repeat(30));
            let first = next_run(text.as_bytes(), 0).expect("a run");
            assert_eq!(first, before..before + 26);
            assert_eq!(next_run(text.as_bytes(), first.end), Some(before + 27..before + 57));
        }
    }
}
