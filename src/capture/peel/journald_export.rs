//! `journalctl -o export`: a line for each field, `KEY=value`, an empty line after each record.
//!
//! A value with control characters stands behind a line with its key alone: eight bytes of length (little endian), its bytes, a
//! newline. What the fields mean is said in `journald`. (systemd `docs/JOURNAL_EXPORT_FORMATS.md`.)

use super::journald::{Fields, Journald};
use super::peeler::{Give, Peeler};
use crate::capture::Skip;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::error::Result;

/// Bytes of a length.
const LENGTH: usize = 8;

/// True for a field as a line.
pub(super) fn looks(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// True for the field that every record has, and nothing else.
pub(super) fn is_certain(line: &str) -> bool {
    line.starts_with("__REALTIME_TIMESTAMP=")
}

fn is_key(key: &str) -> bool {
    let allowed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    !key.is_empty() && key.len() <= 64 && key.chars().all(allowed)
}

/// See the module.
#[derive(Default)]
pub(super) struct Export {
    journald: Journald,
    fields: Fields,
    /// A field whose bytes are being read: its key, and its length and bytes so far.
    open: Option<(String, Vec<u8>)>,
    /// Where the next line starts.
    next: u64,
}

impl Peeler for Export {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        // Lines come without the NULs around them, which belong to a length.
        let lost = usize::try_from(line.offset.saturating_sub(self.next)).unwrap_or(0);
        self.next = line.offset + line.bytes.len() as u64 + 1;
        if let Some((key, mut bytes)) = self.open.take() {
            bytes.resize(bytes.len() + lost.min(2 * LENGTH), 0);
            bytes.extend_from_slice(line.bytes);
            match length(&bytes) {
                Some(length) if length <= bytes.len() - LENGTH => self.take(&key, &bytes[LENGTH..], line, LENGTH),
                _ if bytes.len() > RECORD_LIMIT => {}
                _ => {
                    bytes.push(b'\n');
                    self.open = Some((key, bytes));
                }
            }
            return Ok(None);
        }
        if line.bytes.trim_ascii().is_empty() {
            self.journald.entry(&std::mem::take(&mut self.fields), give)?;
            return Ok(Some(Skip::Blank));
        }
        let text = line.text();
        match text.split_once('=') {
            Some((key, value)) if is_key(key) => self.take(key, value.as_bytes(), line, key.len() + 1),
            None if is_key(&text) => self.open = Some((text.into_owned(), Vec::new())),
            _ => return Ok(Some(Skip::NotAMessage)),
        }
        Ok(None)
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        self.journald.entry(&std::mem::take(&mut self.fields), &mut *give)?;
        self.journald.end(give)
    }
}

/// The length that the first bytes tell.
fn length(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()
}

impl Export {
    /// Keeps a field; the message stands `at` bytes behind the start of its line.
    fn take(&mut self, key: &str, value: &[u8], line: &Line<'_>, at: usize) {
        if key == "MESSAGE" {
            (self.fields.number, self.fields.offset) = (line.number, line.offset + at as u64);
            self.fields.message = Some(value.to_vec());
        } else {
            self.fields.set(key, &String::from_utf8_lossy(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Resume;
    use crate::capture::lines::Lines;

    fn peeled(text: &[u8]) -> Vec<(String, String, String)> {
        let mut found = Vec::new();
        let mut give = |peeled: &super::super::peeler::Peeled<'_>| {
            let text = String::from_utf8_lossy(peeled.bytes).into_owned();
            found.push((peeled.key.to_string(), peeled.time.to_string(), text));
            Ok(())
        };
        let mut export = Export::default();
        let mut lines = Lines::new(text, Resume::default(), false).unwrap();
        while let Some(line) = lines.next().unwrap() {
            export.line(&line, &mut give).unwrap();
        }
        export.end(&mut give).unwrap();
        found
    }

    #[test]
    fn a_record_is_its_fields_in_any_order() {
        let text = b"__REALTIME_TIMESTAMP=17\nMESSAGE=a=1\n_PID=4\n_SYSTEMD_UNIT=n.service\n\nMESSAGE=b\n_PID=5\n";
        let told = |key: &str, time: &str, text: &str| (key.to_string(), time.to_string(), text.to_string());
        assert_eq!(peeled(text), [told("n.service/4", "17", "a=1"), told("/5", "", "b")]);
    }

    #[test]
    fn bytes_with_newlines_have_a_length_before_them() {
        let mut text = b"_PID=4\nMESSAGE\n".to_vec();
        text.extend(10u64.to_le_bytes());
        text.extend(b"{\"a\":\n\x1b[1}");
        text.extend(b"\n__REALTIME_TIMESTAMP=17\n\n");
        let lines: Vec<String> = peeled(&text).into_iter().map(|(.., line)| line).collect();
        assert_eq!(lines, ["{\"a\":", "\x1b[1}"]);
    }
}
