//! Command lines that can be pasted into a POSIX shell.

use std::fmt::Write;

use super::escape::{escape, is_hostile};

/// A word as a shell takes it: in quotes where it must be, and printed by the shell where no screen may show it as it is.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+=:@%,".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => quoted(text),
    }
}

/// A word in quotes, as people write a pattern.
pub fn quoted(text: &str) -> String {
    match text.contains(is_hostile) && !text.ends_with('\n') {
        true => printed(text),
        // A shell drops line breaks at the end of what it has printed.
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The word as the output of `printf`, which every POSIX shell has: nothing in it acts on a terminal.
fn printed(text: &str) -> String {
    let mut format = String::new();
    for (at, c) in text.char_indices() {
        match c {
            '%' => format.push_str("%%"),
            // A format that begins with a dash would be taken for a flag.
            c if is_hostile(c) || "'\\".contains(c) || (c == '-' && at == 0) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(format, "\\{byte:03o}");
                }
            }
            c => format.push(c),
        }
    }
    format!("\"$(printf '{format}')\"")
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

/// A file of a command on a screen. Nothing for standard input and what is packed in it, which cannot be read again.
pub fn again(name: &str) -> Option<String> {
    (name != "-" && !name.starts_with("-!") && escape(name) == name).then(|| file(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_as_it_was_put_together() {
        let apart = ["python3", "s.py", r#"{"a": "b c"}"#, r#"it's "$x" \n"#, "a b", "", "xyz"];
        assert_eq!(shlex::split(&words(apart)).expect("whole quotes"), apart);
    }

    #[test]
    fn words_are_quoted_where_they_must_be() {
        assert_eq!(
            words(["rpctape", "a b", "it's", "$HOME", "", "#1", "a/b.rec.jsonl"]),
            r"rpctape 'a b' 'it'\''s' '$HOME' '' '#1' a/b.rec.jsonl"
        );
        assert_eq!((shown("#\"a b\"").as_deref(), shown("a\u{1b}[31m")), (Some("'#\"a b\"'"), None));
        assert_eq!(([again("-"), again("-!a.jsonl")], again("it's").as_deref()), ([None, None], Some(r"'it'\''s'")));
        assert_eq!(word("-a'\tb\\ 5 %\u{202e}ü"), r#""$(printf '\055a\047\011b\134 5 %%\342\200\256ü')""#);
        assert_eq!((file("-x y").as_str(), file("-").as_str()), ("'./-x y'", "-"));
    }
}
