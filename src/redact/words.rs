//! What the words and letters of a text say: whether they are those of a language or drawn by lot.

use std::sync::OnceLock;

/// Pairs of letters that are common in English and in names of programs: of a text in words most pairs stand here, of
/// random letters one in five.
const COMMON: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi \
    ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs \
    un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev \
    ld ry mp fe bl ab gh ty op wo sa ay ex ke ui ga da up ap ag ov oo ck tt pp mm ff dd ef ob oc od og ok ki bu ub um ue ua \
    by gr br cr dr cl fl sc sp sk sy my ys ey ew eb ep ip ib av ak lt lf lk rd rk rm rn ru cu gu du hu mu nu pu sw tw ws \
    je jo ja ju qu xt ax ix ox rc db ug eg gi go lu vo va ei ik iz ey yp ps ph ms ls ks ds gs";

/// True for the letters and digits of a key: there are enough of them, of both kinds or in both cases, and no words.
pub fn is_random(text: &str, least: usize) -> bool {
    let mixed = |is: fn(&u8) -> bool| text.as_bytes().iter().filter(|byte| is(byte)).count();
    let (digits, lower, upper) =
        (mixed(u8::is_ascii_digit), mixed(u8::is_ascii_lowercase), mixed(u8::is_ascii_uppercase));
    let kinds = [digits, lower, upper].iter().filter(|count| **count > 0).count();
    digits + lower + upper >= least && kinds > 1 && !is_worded(text)
}

/// True if most neighbours among the letters of a text are those of words. `getUserById` is worded, `gH3xQz` is not.
pub fn is_worded(text: &str) -> bool {
    let (mut pairs, mut common) = (0, 0);
    for pair in text.as_bytes().windows(2) {
        if !pair.iter().all(u8::is_ascii_alphabetic) || pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() {
            continue;
        }
        pairs += 1;
        common += usize::from(is_common(pair));
    }
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    // Letters that stand apart between digits make no words, and the six of a hash are common ones.
    !is_hash(text) && (letters > 24 || runs_of_digits(text) < 3) && pairs * 3 >= letters && common * 4 >= pairs * 3
}

/// How often digits stand between letters; those of a version are one number.
fn runs_of_digits(text: &str) -> usize {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    text.split(|c| !is_of_number(c)).filter(|run| run.bytes().any(|byte| byte.is_ascii_digit())).count()
}

fn is_hash(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits * 5 >= text.len() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_common(pair: &[u8]) -> bool {
    static AFTER: OnceLock<[u32; 26]> = OnceLock::new();
    let at = |byte: u8| usize::from(byte.to_ascii_lowercase() - b'a');
    let after = AFTER.get_or_init(|| {
        let mut after = [0; 26];
        for pair in COMMON.split_ascii_whitespace().filter(|pair| pair.len() == 2) {
            after[at(pair.as_bytes()[0])] |= 1 << at(pair.as_bytes()[1]);
        }
        after
    });
    after[at(pair[0])] & 1 << at(pair[1]) != 0
}

/// True for a UUID: the name of a thing more often than its key.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// True for a date, perhaps with a time behind it.
pub fn is_date(text: &str) -> bool {
    let is_form = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() >= 10
        && text.bytes().take(10).enumerate().all(is_form)
        && matches!(text.as_bytes().get(10), None | Some(b'T' | b' '))
}

/// True for the part of an identifier: words of one case or with capitals where they begin, perhaps with a number behind them.
pub fn is_of_name(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let capitals = letters.bytes().filter(u8::is_ascii_uppercase).count();
    part.len() <= 24
        && part.len() - letters.len() <= 4
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (capitals * 3 <= letters.len() || capitals == letters.len())
}

/// True for a text with letters and digits: a password as people write them into sentences.
pub fn is_mixed(text: &str, least: usize) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    text.len() >= least && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// True for a password of letters, digits and signs that no name and no address has.
pub fn is_strong(text: &str) -> bool {
    is_mixed(text, 8)
        && text.contains(['!', '#', '$', '%', '^', '&', '*', '?', '~'])
        && !text.contains(['/', ' ', '\n', '(', '{', '<'])
}

/// True for a password of several words and a number: `otter-maple-saddle7`.
pub fn is_phrase(text: &str) -> bool {
    words_of(text) > 2 && is_mixed(text, 12)
}

/// True for one of four words: `otter-maple-saddle-lamp`. Names are as long: what stands beside it has to say that it is one.
pub fn is_four_words(text: &str) -> bool {
    words_of(text) == 4
}

/// How many words a text is; none where it is something else.
fn words_of(text: &str) -> usize {
    let words = || text.split(['-', '.', '_']);
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric()) && (3..=10).contains(&word.len());
    if words().all(is_word) { words().count() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_letters_by_lot() {
        for words in [
            "getUserByIdReturns404WhenMissing",
            "learn-contrib-lightning-project",
            "authenticationMiddlewareFactory2",
            "notifications",
        ] {
            assert!(!is_random(words, 12), "{words}");
        }
        for key in
            ["aB3dE5gH7jK9mN1pQ2rS", "9f86d081884c7d659a2feaa0c55ad015", "zXqWvPjKbGxTzRqLmKjHgFdS", "k7q2x9v4b8z1w5j3"]
        {
            assert!(is_random(key, 16), "{key}");
        }
        assert!(is_uuid("550e8400-e29b-41d4-a716-446655440000") && !is_uuid("550e8400"));
    }
}
