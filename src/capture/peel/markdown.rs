//! A log in Markdown, as it stands in an issue: `> ` before quoted lines, fences around code.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// True for a quoted line or a fence.
pub(super) fn looks(line: &str) -> bool {
    line.starts_with("> ") || is_fence(line.as_bytes())
}

/// True for a fence in a quote, which nothing but Markdown has.
pub(super) fn is_quoted_fence(line: &str) -> bool {
    line.strip_prefix("> ").is_some_and(|line| is_fence(line.as_bytes()))
}

fn is_fence(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    (line.starts_with(b"```") || line.starts_with(b"~~~")) && line.len() < 24
}

/// See the module.
pub(super) struct Markdown;

impl Peeler for Markdown {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let mut bytes = line.bytes;
        while let Some(quoted) =
            bytes.strip_prefix(b"> ").or_else(|| bytes.strip_prefix(b">").filter(|rest| rest.is_empty()))
        {
            bytes = quoted;
        }
        if is_fence(bytes) {
            return Ok(Some(Skip::Header));
        }
        let offset = line.offset + (line.bytes.len() - bytes.len()) as u64;
        give(&Peeled { key: "", number: line.number, offset, time: "", bytes, ended: line.ended })?;
        Ok(None)
    }
}
