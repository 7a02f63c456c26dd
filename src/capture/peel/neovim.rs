//! What servers wrote to stderr, in Neovim's log at its default level (`runtime/lua/vim/lsp/_transport.lua`).
//!
//! `[ERROR][2025-06-22 10:51:55] ...<TAB>"rpc"<TAB>"CMD"<TAB>"stderr"<TAB>"..."`: a Lua string that holds whatever one
//! read of the pipe gave, several lines or half of one. The pieces of each command are put together again.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::formats::neovim::record::Record;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::literal::{Dialect, unquote_into};
use crate::error::Result;

/// The command and the string of a record, where it is one of stderr.
fn read<'a>(record: &Record<'a>) -> Option<(&'a str, &'a str)> {
    let (command, rest) = record.payload.split_once('\t').filter(|_| record.event == "rpc")?;
    let text = rest.strip_prefix("\"stderr\"\t")?;
    let command = command.trim_matches(['"', '\'']);
    Some((command.rsplit(['/', '\\']).next().unwrap_or(command), text))
}

/// True for a record of stderr.
pub(super) fn looks(line: &str) -> bool {
    Record::read(line).is_some_and(|record| read(&record).is_some())
}

/// The beginning of a line that waits for its end.
struct Open {
    command: String,
    text: Vec<u8>,
    number: u64,
    offset: u64,
    time: String,
}

/// See the module.
#[derive(Default)]
pub(super) struct Stderr {
    open: Vec<Open>,
    bytes: Vec<u8>,
}

impl Peeler for Stderr {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let Some(record) = Record::read(&text) else { return Ok(Some(Skip::NotAMessage)) };
        let Some((command, literal)) = read(&record) else {
            return Ok(Some(if record.level == "START" { Skip::Header } else { Skip::NotAMessage }));
        };
        let cut = unquote_into(Dialect::Lua, literal, &mut self.bytes).is_err();
        let offset = line.offset + (text.len() - literal.len() + 1) as u64;
        let bytes = std::mem::take(&mut self.bytes);
        let piece = Peeled { key: command, number: line.number, offset, time: record.time, bytes: &bytes, ended: true };
        let done = self.piece(&piece, give);
        self.bytes = bytes;
        done?;
        Ok(cut.then_some(Skip::CutOff))
    }

    fn end(&mut self, give: Give<'_>) -> Result<()> {
        std::mem::take(&mut self.open).iter().try_for_each(|open| open.give(&mut *give))
    }
}

impl Stderr {
    fn piece(&mut self, piece: &Peeled<'_>, give: Give<'_>) -> Result<()> {
        let mut rest = piece.bytes;
        let waiting = self.open.iter().position(|open| open.command == piece.key);
        if let Some(at) = waiting {
            let end = memchr::memchr(b'\n', rest);
            let open = &mut self.open[at];
            if open.text.len() <= RECORD_LIMIT {
                open.text.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            }
            let Some(end) = end else { return Ok(()) };
            rest = &rest[end + 1..];
            self.open.swap_remove(at).give(give)?;
        }
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let offset = piece.offset + (piece.bytes.len() - rest.len()) as u64;
            give(&Peeled { bytes: &rest[..end], offset, ..*piece })?;
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            let offset = piece.offset + (piece.bytes.len() - rest.len()) as u64;
            let (command, time) = (piece.key.to_string(), piece.time.to_string());
            self.open.push(Open { command, text: rest.to_vec(), number: piece.number, offset, time });
        }
        Ok(())
    }
}

impl Open {
    fn give(&self, give: Give<'_>) -> Result<()> {
        let (number, offset) = (self.number, self.offset);
        give(&Peeled { key: &self.command, number, offset, time: &self.time, bytes: &self.text, ended: true })
    }
}
