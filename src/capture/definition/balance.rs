//! Where a JSON value ends that is written over several lines: brackets and quotes are counted as lines come in.

/// The state between two lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Balance {
    depth: u32,
    quoted: bool,
    escaped: bool,
}

impl Balance {
    /// Takes more text; gives the byte after the value, where it ends in this text.
    pub(super) fn feed(&mut self, text: &str) -> Option<usize> {
        for (at, byte) in text.bytes().enumerate() {
            if self.quoted {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.quoted = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// True for a line that can stand inside the value; what another writer put in between mostly cannot.
    pub(super) fn takes(&self, line: &str) -> bool {
        let line = line.trim_start();
        self.quoted
            || match line.bytes().next() {
                None | Some(b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':' | b'-' | b'0'..=b'9') => true,
                _ => ["true", "false", "null"].iter().any(|word| line.starts_with(word)),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_over_lines() {
        let mut balance = Balance::default();
        assert_eq!(balance.feed("{\"a\": \"}\\\""), None);
        assert_eq!(balance.feed("\", [1,"), None);
        assert!(balance.takes("  \"b\"") && balance.takes(" null,") && !balance.takes("Vetur initialized"));
        assert_eq!(balance.feed("2]"), None);
        assert_eq!(balance.feed(" } tail }"), Some(2));
        assert_eq!(Balance::default().feed("}"), Some(1));
    }
}
