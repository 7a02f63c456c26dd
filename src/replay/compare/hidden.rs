//! Strings in which secrets were replaced when the session was recorded: any text may stand in their places.

/// The first placeholder of a replaced secret (`<<secret:token#1>>`): where it begins and ends.
pub(crate) fn placeholder(text: &str) -> Option<(usize, usize)> {
    const OPENS: &str = "<<secret:";
    for (start, _) in text.match_indices(OPENS) {
        let from = start + OPENS.len();
        let Some(length) = text[from..].find(">>") else { continue };
        let number = text[from..from + length].rsplit_once('#').map(|(_, number)| number);
        if number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())) {
            return Some((start, from + length + 2));
        }
    }
    None
}

/// True if a recorded string fits a live one in which secrets stand in the places of its placeholders.
pub(crate) fn hides(recorded: &str, live: &str) -> bool {
    let Some((start, end)) = placeholder(recorded) else { return false };
    let Some(mut live) = live.strip_prefix(&recorded[..start]) else { return false };
    let mut rest = &recorded[end..];
    while let Some((start, end)) = placeholder(rest) {
        let Some(at) = live.find(&rest[..start]) else { return false };
        live = &live[at + start..];
        rest = &rest[end..];
    }
    live.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::{hides, placeholder};

    #[test]
    fn a_placeholder_has_a_number() {
        assert_eq!(placeholder("a <<secret:token#12>> b"), Some((2, 21)));
        for text in
            ["<<secret:token>>", "<<secret:token#>>", "<<secret:token#x>>", "<<secret:token#1", "secret:token#1>>"]
        {
            assert_eq!(placeholder(text), None, "{text}");
        }
        assert_eq!(placeholder("<<secret:a#x>><<secret:a#1>>"), Some((14, 28)), "the first that is one");
    }

    #[test]
    fn any_text_may_stand_for_a_secret() {
        assert!(hides("\"Bearer <<secret:token#1>>, <<secret:token#2>>!\"", "\"Bearer abc, def!\""));
        assert!(hides("\"<<secret:token#1>>\"", "\"<<secret:token#2>>\""));
        // What stands between two placeholders is used up: it cannot be the text behind the second, too.
        assert!(!hides("<<secret:a#1>>-<<secret:b#2>>-", "x-"));
        assert!(hides("<<secret:a#1>>-<<secret:b#2>>-", "x-y-"));
        assert!(!hides("a<<secret:a#1>>b<<secret:b#2>>c", "abdef"));
        for (recorded, live) in
            [("\"a\"", "\"a\""), ("\"a <<secret:b#1>>\"", "\"b x\""), ("\"<<secret:b#1>> c\"", "\"x d\"")]
        {
            assert!(!hides(recorded, live), "{recorded} {live}");
        }
    }
}
