//! Where the value behind a label begins and ends.

use std::ops::Range;

use super::label::Label;
use super::near::{HEADER, NEAR, start_of};
use super::words::{is_mixed, is_random, is_worded};

impl Label<'_> {
    /// The value that begins at a place: what stands between quotation marks, or up to a blank or a sign; and whether it
    /// was quoted.
    pub(super) fn value(&self, at: usize) -> Option<(Range<usize>, bool)> {
        let at = self.text.len() - past_wrapping(&self.text[at..]).len();
        let rest = &self.text[at..];
        let open = rest.trim_start_matches('\\');
        let quote = open.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let Some(quote) = quote else { return Some((self.plain(at), false)) };
        let escaped = rest.len() - open.len();
        // The end of the text that the name stands in: `ask("Password: ")`.
        if escaped == 0 && self.is_within(quote) {
            return None;
        }
        let triple = [quote; 3].iter().collect::<String>();
        let (start, end) = match open.starts_with(&triple) {
            true => {
                let inner = open[3..].trim_start();
                let end = inner.find(&triple)?;
                // A text of many lines is no secret as a whole.
                (self.text.len() - inner.len(), Some(end).filter(|end| !inner[..*end].trim_end().contains('\n'))?)
            }
            false => (self.text.len() - open.len() + 1, closing(&open[1..], quote, escaped)?),
        };
        let inner = self.text[start..start + end].trim_end_matches(['\n', '\r']);
        let value = without_scheme(inner);
        Some((start + inner.len() - value.len()..start + inner.len(), true))
    }

    /// What stands between two tags.
    pub(super) fn of_element(&self, at: usize) -> (Range<usize>, bool) {
        let content = &self.text[at..];
        let end = content.find(['<', '&']).unwrap_or(content.len());
        let end = content[..end].strip_suffix("]]>").map_or(end, str::len);
        let start = content[..end].len() - content[..end].trim_start().len();
        (at + start..at + content[..end].trim_end().len().max(start), false)
    }

    /// A value without quotation marks.
    fn plain(&self, at: usize) -> Range<usize> {
        let rest = &self.text[at..];
        let plain = without_scheme(rest);
        let start = at + rest.len() - plain.len();
        let end = match self.starts_line() {
            true => end_of_word(plain),
            false => end_of_item(plain),
        };
        let end = end_of_script(&plain[..end]);
        let trimmed = match plain.starts_with(['$', '{', '<', '%']) {
            // `${TOKEN}` and `<your token>` are whole only with what closes them.
            true => plain[..start_of(plain, NEAR).find(['}', '>', '\n']).map_or(end, |at| at + 1).max(end)].trim_end(),
            false => without_end(&plain[..end]),
        };
        start..start + trimmed.len()
    }

    /// True if the name stands in a text that this quotation mark began.
    fn is_within(&self, quote: char) -> bool {
        let closed = self.text[self.name.end..].starts_with(quote);
        self.whole.is_open(quote, self.name.end) && !closed
    }

    /// The value of a header goes to the end of the line, or to the quotation mark that closes the header.
    pub(super) fn of_header(&self, at: usize) -> Option<(Range<usize>, bool)> {
        let rest = &self.text[at..];
        if rest.trim_start_matches('\\').starts_with(['"', '\'', '`']) {
            return self.value(at);
        }
        let line = start_of(rest, HEADER);
        let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
        let opened = self.before().trim_end_matches("Proxy-").chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let line = opened.and_then(|quote| line.split_once(quote)).map_or(line, |(line, _)| line);
        if self.said.kind == "cookie" {
            let pair = line.split_once('=').filter(|(name, _)| !name.contains(' '));
            // A value alone is one where it looks like a key: `cookie=enabled` is a setting.
            return match pair {
                Some(_) if !holds_key(line) => None,
                Some(_) => Some((at..at + line.trim_end().len(), true)),
                None => self.value(at).filter(|(value, _)| is_random(&self.text[value.clone()], 16)),
            };
        }
        let value = without_scheme(line);
        let start = at + line.len() - value.len();
        // Schemes with parameters (Digest, signatures) go on over blanks.
        let one = value.split([' ', '"', '\'', ',', '<', '\\']).next().unwrap_or_default();
        let all = value.trim_end();
        let parameters = one.len() < all.len() && (all.contains("=\"") || all.contains('=') && all.contains(", "));
        let end = if parameters || all.starts_with(['<', '{', '$']) { all.len() } else { one.len() };
        Some((start..start + end, parameters || value.len() < line.len()))
    }
}

/// A word without what ends a sentence, and without the brackets that were opened before it. A password may end in such a sign.
fn without_end(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ',', ';', ':', '\\']);
    let word = if is_mixed(word, 8) { word } else { word.trim_end_matches(['.', ',', ';', ':', '\\', '!', '?']) };
    match word.contains(['(', '[', '{']) {
        true => word,
        false => word.trim_end_matches([')', ']', '}', ',', ';']),
    }
}

/// True if a cookie has more to say than a setting: `lang=en; Path=/`.
fn holds_key(line: &str) -> bool {
    const KNOWN: [&str; 8] = ["path", "domain", "expires", "max-age", "samesite", "version", "comment", "priority"];
    line.split(';').filter_map(|pair| pair.trim().split_once('=')).any(|(name, value)| {
        !KNOWN.contains(&name.to_ascii_lowercase().as_str()) && (value.len() > 11 || is_mixed(value, 6))
    })
}

/// On a line of its own a value goes to the end of the word, whatever signs it has.
fn end_of_word(plain: &str) -> usize {
    let ends = |(at, c): &(usize, char)| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '"' | '`')
            || *c == '<' && plain[at + 1..].starts_with(['/', 'b'])
    };
    plain.char_indices().find(ends).map_or(plain.len(), |(at, _)| at)
}

/// Where a value in ASCII ends whose sentence goes on without a blank, as in Chinese and Japanese: `密码是 X，请勿外传`.
fn end_of_script(word: &str) -> usize {
    let Some((at, sign)) = word.char_indices().find(|(_, c)| *c >= '\u{2e80}').filter(|(at, _)| *at > 0) else {
        return word.len();
    };
    let is_sign = !sign.is_alphanumeric();
    let goes_on = || word[at..].contains(|c: char| c.is_ascii_alphanumeric());
    if word[..at].is_ascii() && (is_sign || !goes_on()) { at } else { word.len() }
}

/// Among other things it ends at a sign; a comma within a word is one of its letters, unless a pair follows it.
fn end_of_item(plain: &str) -> usize {
    let mut from = 0;
    loop {
        let ends = |c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '"' | '\'' | '<' | '>' | '&' | '`' | '|' | ',' | ';' | '{' | '}' | '[' | ']' | '(' | ')')
        };
        let Some(end) = plain[from..].find(ends).map(|at| from + at) else { return plain.len() };
        let sign = plain[end..].starts_with([',', '&', '|']);
        if !sign || !goes_on(&plain[end + 1..]) {
            return end;
        }
        from = end + 1;
    }
}

/// True if letters and digits that are no word follow up to a blank.
fn goes_on(plain: &str) -> bool {
    let word = plain.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let blank = plain[word.len()..].chars().next().is_none_or(char::is_whitespace);
    word.len() > 3 && blank && !is_worded(word)
}

/// What follows the letter or the sign before a quoted text (`b'...'`, `@"..."`), and the call that a text is handed to (`Some("...")`).
fn past_wrapping(rest: &str) -> &str {
    let word = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | ' '));
    let length = rest.len() - word.len();
    let is_quote = |text: &str| text.starts_with(['"', '\'']);
    match () {
        () if rest.strip_prefix('@').is_some_and(is_quote) => &rest[1..],
        () if (1..=2).contains(&length) && is_quote(word) && !rest.starts_with(' ') => word,
        () if (3..=40).contains(&length) && word.strip_prefix('(').is_some_and(is_quote) => &word[1..],
        () => rest,
    }
}

/// A value without the scheme before it, which is no secret.
fn without_scheme(value: &str) -> &str {
    const SCHEMES: [&str; 13] = [
        "negotiate ",
        "ntlm ",
        "ssws ",
        "bearer ",
        "basic ",
        "token ",
        "apikey ",
        "api-key ",
        "digest ",
        "bot ",
        "key ",
        "splunk ",
        "geniekey ",
    ];
    let scheme =
        SCHEMES.iter().find(|scheme| value.get(..scheme.len()).is_some_and(|is| is.eq_ignore_ascii_case(scheme)));
    scheme.map_or(value, |scheme| value[scheme.len()..].trim_start())
}

/// Where a quoted value ends: at its quotation mark, with as many backslashes before it as the opening one had.
fn closing(inner: &str, quote: char, escaped: usize) -> Option<usize> {
    // A text may be cut off; a quotation mark on another line belongs to something else.
    let (mut at, mut line) = (0, inner);
    while let Some(found) = line[at..].find([quote, '\n']) {
        let end = at + found;
        if line[end..].starts_with('\n') {
            line = &line[..end];
            break;
        }
        let slashes = line[..end].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if slashes == escaped || escaped == 0 && slashes % 2 == 0 {
            return Some(end - slashes.min(escaped));
        }
        at = end + 1;
    }
    Some(line.find(' ').unwrap_or(line.len()))
}
