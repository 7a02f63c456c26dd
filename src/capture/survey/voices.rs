//! Lines that several loggers of one program wrote: each is read as that of the logger that it names.

use super::beside::Kind;
use crate::capture::format::LineReader;
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::error::Result;

/// See the module.
pub(in crate::capture) struct Voices<'r> {
    /// What tells the loggers apart.
    name: String,
    kind: Kind,
    reader: &'r mut dyn LineReader,
}

impl<'r> Voices<'r> {
    /// Lines of a reader, whose loggers are told apart by what stands under `name`.
    pub(in crate::capture) fn new(name: &str, kind: Kind, reader: &'r mut dyn LineReader) -> Voices<'r> {
        Voices { name: name.to_string(), kind, reader }
    }
}

impl LineReader for Voices<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        // A line that names none goes on with what the line before began.
        if let Some(voice) = self.kind.value(line.text().trim_end(), &self.name) {
            out.speaks(voice);
        }
        self.reader.line(line, out)
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.reader.oversized(line, out)
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.reader.end(out)
    }
}
