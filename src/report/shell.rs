//! Command lines that can be pasted into a POSIX shell.

use super::escape::escape;

/// A word as a shell takes it: in quotes where it must be.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+=:@%,".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Words with blanks between them.
pub fn words<'w>(all: impl IntoIterator<Item = &'w str>) -> String {
    all.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A file as a word: one that begins with a dash is not taken for a flag.
pub fn file(name: &str) -> String {
    word(&if name.starts_with('-') && name != "-" { format!("./{name}") } else { name.to_string() })
}

/// A word of a command on a screen. Nothing where the screen cannot show it as it is: what acts on a terminal is not copied.
pub fn shown(text: &str) -> Option<String> {
    (escape(text) == text).then(|| word(text))
}

/// A file of a command on a screen. Nothing for standard input, which cannot be read again.
pub fn again(name: &str) -> Option<String> {
    (name != "-" && escape(name) == name).then(|| file(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(
            words(["rpctape", "a b", "it's", "$HOME", "", "#1", "a/b.rec.jsonl"]),
            r"rpctape 'a b' 'it'\''s' '$HOME' '' '#1' a/b.rec.jsonl"
        );
        assert_eq!((shown("#\"a b\"").as_deref(), shown("a\u{1b}[31m")), (Some("'#\"a b\"'"), None));
        assert_eq!((again("-"), again("it's").as_deref()), (None, Some(r"'it'\''s'")));
        assert_eq!((file("-x y").as_str(), file("-").as_str()), ("'./-x y'", "-"));
    }
}
