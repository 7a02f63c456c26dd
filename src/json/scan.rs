//! Scanning JSON wrappers: where members stand, without parsing what they hold.
//!
//! Wrappers are few keys around one message. Their keys are found by a scan, and only the message goes through
//! the one validating pass of `jsonrpc`. Nothing here validates; what does not add up is `None`.

use super::quick::quote_or_escape;

/// The first byte at or after `at` that is no white space.
#[inline]
pub(crate) fn skip_white(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The closing quote of a string whose content starts at `at`.
#[inline]
pub(crate) fn closing_quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = quote_or_escape(bytes, at)?;
        if bytes[found] == b'"' {
            return Some(found);
        }
        at = found + 2;
    }
}

/// The end of the value that starts at `at`: strings and brackets are balanced, scalars end at a delimiter.
pub(crate) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => Some(closing_quote(bytes, at + 1)? + 1),
        b'{' | b'[' => brackets_end(bytes, at),
        b',' | b':' | b'}' | b']' => None,
        _ => {
            let length = bytes[at..].iter().position(|b| b.is_ascii_whitespace() || matches!(b, b',' | b'}' | b']'));
            Some(length.map_or(bytes.len(), |length| at + length))
        }
    }
}

fn brackets_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = closing_quote(bytes, at + 1)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberText<'a> {
    /// The key as written, without its quotes.
    pub key: &'a str,
    /// The value as written.
    pub value: &'a str,
    /// Byte in the scanned text at which the value starts.
    pub at: usize,
}

/// The members of the object at the start of `text`; ends early where the text does not add up.
/// [`Members::complete`] tells afterwards whether the closing brace was reached.
pub(crate) fn members(text: &str) -> Members<'_> {
    members_at(text, 0)
}

/// The same for the object at `at`.
pub(crate) fn members_at(text: &str, at: usize) -> Members<'_> {
    let at = skip_white(text.as_bytes(), at);
    let open = text.as_bytes().get(at) == Some(&b'{');
    Members { text, at: at + 1, state: if open { State::First } else { State::Broken } }
}

/// See [`members`].
pub(crate) struct Members<'a> {
    text: &'a str,
    at: usize,
    state: State,
}

#[derive(PartialEq)]
enum State {
    First,
    Next,
    Complete,
    Broken,
}

impl<'a> Members<'a> {
    /// The byte after the closing brace, where it was reached.
    pub(crate) fn end(&self) -> Option<usize> {
        (self.state == State::Complete).then_some(self.at)
    }

    /// The member whose value the text does not end, once all others were read: its value is the rest of the text.
    pub(crate) fn cut(&self) -> Option<MemberText<'a>> {
        let (key, at) = self.key(self.next_at()).filter(|_| self.state == State::Broken)?;
        let cut = value_end(self.text.as_bytes(), at).is_none();
        cut.then_some(MemberText { key, value: &self.text[at..], at })
    }

    /// Where the next member begins, or the object ends.
    fn next_at(&self) -> usize {
        let bytes = self.text.as_bytes();
        let at = skip_white(bytes, self.at);
        let comma = bytes.get(at) == Some(&b',') && self.state != State::First;
        if comma { skip_white(bytes, at + 1) } else { at }
    }

    /// The key at `at`, and where its value begins.
    fn key(&self, at: usize) -> Option<(&'a str, usize)> {
        let bytes = self.text.as_bytes();
        (bytes.get(at) == Some(&b'"')).then_some(())?;
        let end = closing_quote(bytes, at + 1)?;
        let colon = skip_white(bytes, end + 1);
        (bytes.get(colon) == Some(&b':')).then(|| (&self.text[at + 1..end], skip_white(bytes, colon + 1)))
    }

    /// The next key, and where its value begins. Whoever looks into the value finds its end, and tells it with
    /// [`Members::pass`] before he asks again: so no byte is looked at twice.
    pub(crate) fn next_key(&mut self) -> Option<(&'a str, usize)> {
        let at = self.next_at();
        match self.state {
            State::Complete | State::Broken => None,
            _ if self.text.as_bytes().get(at) == Some(&b'}') => {
                self.at = at + 1;
                self.state = State::Complete;
                None
            }
            _ => {
                let found = self.key(at);
                if found.is_none() {
                    self.state = State::Broken;
                }
                found
            }
        }
    }

    /// The value of the last key ends here; `None` where it does not end.
    pub(crate) fn pass(&mut self, end: Option<usize>) {
        self.state = if end.is_some() { State::Next } else { State::Broken };
        self.at = end.unwrap_or(self.at);
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = MemberText<'a>;

    fn next(&mut self) -> Option<MemberText<'a>> {
        let (key, at) = self.next_key()?;
        let end = value_end(self.text.as_bytes(), at);
        self.pass(end);
        Some(MemberText { key, value: &self.text[at..end?], at })
    }
}

/// The content of a string token, or the token itself where it is none.
pub(crate) fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn members_are_found_where_they_stand() {
        let text = r#" {"a" : "x\"}", "b":{"c":[1,"]"]}, "d":-1.5e3 } rest"#;
        let mut all = members(text);
        let found: Vec<_> = all.by_ref().map(|m| (m.key, m.value, &text[m.at..m.at + 1])).collect();
        assert_eq!(found, [("a", r#""x\"}""#, "\""), ("b", r#"{"c":[1,"]"]}"#, "{"), ("d", "-1.5e3", "-")]);
        assert_eq!(all.end().map(|end| &text[end..]), Some(" rest"));
    }

    #[test]
    fn what_does_not_add_up_ends_the_scan() {
        for text in ["", "{", "[1]", r#"{"a""#, r#"{"a":"#, r#"{"a":1"#, r#"{"a":{"b":1}"#, r#"{"a" 1}"#, r#"{"a":}"#] {
            let mut all = members(text);
            all.by_ref().for_each(drop);
            assert_eq!(all.end(), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\u0-9d ]{0,40}") {
            let mut all = members(&text);
            all.by_ref().for_each(drop);
            all.cut();
        }
    }
}
