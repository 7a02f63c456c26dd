//! The one way of a text into the page.

use std::fmt;

use crate::report::escape::escape;

/// A text as the page shows it: what acts on the eye is shown by its number, what HTML reads is an entity.
pub struct Esc<'a>(pub &'a str);

impl fmt::Display for Esc<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = escape(self.0);
        let mut from = 0;
        for (at, c) in shown.match_indices(['&', '<', '>', '"', '\'', '`']) {
            out.write_str(&shown[from..at])?;
            out.write_str(match c {
                "&" => "&amp;",
                "<" => "&lt;",
                ">" => "&gt;",
                "\"" => "&quot;",
                "'" => "&#39;",
                _ => "&#96;",
            })?;
            from = at + c.len();
        }
        out.write_str(&shown[from..])
    }
}

/// A text as a part of an address of our own (`#finding-3`, `#request-17%40a`): everything but letters, digits and `-_.` as %XX.
pub fn fragment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in escape(text).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let bad = "<script>alert(\"1\")</script><!--&'`\u{1b}[2J\u{202e}\u{2028}";
        let safe = Esc(bad).to_string();
        assert_eq!(
            safe,
            "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;!--&amp;&#39;&#96;\\x1b[2J\\u{202e}\\u{2028}"
        );
        assert_eq!(fragment("#17@a b/<x>\u{202e}"), "%2317%40a%20b%2F%3Cx%3E%5Cu%7B202e%7D");
    }
}
