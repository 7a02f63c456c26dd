//! A log file of VS Code: `2024-06-01 00:37:58.058 [info] ` before each entry, nothing before its further lines.
//! (microsoft/vscode `src/vs/platform/log/common/log.ts`.)

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::error::Result;

/// The length of the prefix with the blank after it, where a line has one.
fn prefix(line: &[u8]) -> Option<usize> {
    let (time, rest) = line.split_at_checked(23)?;
    let shape = b"0000-00-00 00:00:00.000";
    let fits =
        time.iter().zip(shape).all(|(byte, want)| if *want == b'0' { byte.is_ascii_digit() } else { byte == want });
    let rest = rest.strip_prefix(b" [").filter(|_| fits)?;
    let level = rest.iter().take(9).position(|byte| *byte == b']')?;
    let known = [&b"trace"[..], b"debug", b"info", b"warning", b"warn", b"error", b"critical", b"off"];
    (known.contains(&&rest[..level]) && rest.get(level + 1).is_none_or(|byte| *byte == b' '))
        .then_some((25 + level + 2).min(line.len()))
}

/// True for a line that starts an entry.
pub(super) fn looks(line: &str) -> bool {
    prefix(line.as_bytes()).is_some()
}

/// See the module.
pub(super) struct VsCodeLog;

impl Peeler for VsCodeLog {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let length = prefix(line.bytes).unwrap_or(0);
        let time = if length > 0 { std::str::from_utf8(&line.bytes[..23]).unwrap_or("") } else { "" };
        let (bytes, offset) = (&line.bytes[length..], line.offset + length as u64);
        give(&Peeled { key: "", number: line.number, offset, time, bytes, ended: line.ended })?;
        Ok(None)
    }
}
