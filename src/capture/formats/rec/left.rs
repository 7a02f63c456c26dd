//! The line of an extract that stands for lines that were left out.

use std::fmt::Write as _;

use super::chain::Link;
use crate::json::scan::{members, unquoted};

/// How a line begins that stands for lines that were left out.
const LEFT: &[u8] = b"{\"k\":\"left\",";

/// Lines that were left out: how many, the hashes that stand for them, and what the last of them comes to.
pub(super) struct Left {
    pub lines: u64,
    pub hashes: Vec<Link>,
    pub before: Link,
}

impl Left {
    /// Reads a line. `None` if it is none of these.
    pub(super) fn read(line: &[u8]) -> Option<Left> {
        let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok().filter(|_| line.starts_with(LEFT))?;
        let (mut lines, mut tree, mut before) = (None, None, None);
        for member in members(line) {
            match member.key {
                "lines" => lines = member.value.parse().ok(),
                "tree" => tree = serde_json::from_str::<Vec<String>>(member.value).ok(),
                "prev" => before = Link::read(unquoted(member.value).as_bytes()),
                _ => {}
            }
        }
        let hashes = tree?.iter().map(|hash| Link::read(hash.as_bytes())).collect::<Option<Vec<Link>>>()?;
        let left = Left { lines: lines?, hashes, before: before? };
        // Another spelling of the same would be a change that nobody finds.
        (left.written().trim_end() == line).then_some(left)
    }

    /// The line.
    pub(super) fn written(&self) -> String {
        let mut line = format!("{{\"k\":\"left\",\"lines\":{},\"tree\":[", self.lines);
        for (at, hash) in self.hashes.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(line, "{comma}\"{}\"", hash.digits());
        }
        let _ = writeln!(line, "],\"prev\":\"{}\"}}", self.before.digits());
        line
    }
}
