//! Opening a source: its bytes, its format, and the reading of it.

use std::io::Read;

use super::detect::detect;
use super::format::{Format, LineReader, Reader};
use super::formats::lsp_devtools;
use super::input::Input;
use super::lines::{Buffer, Lines};
use super::out::Out;
use super::sample::Sample;
use super::{FrameSink, Overrides, Resume, Skip, Source};
use crate::error::{Error, ErrorKind, Result};

/// The largest text of a format that is read whole, in bytes.
const WHOLE_LIMIT: u64 = 256 << 20;

/// Opens a log, `-` for standard input, and tells its format. What holds no JSON-RPC is an error with a hint.
pub fn open(path: &str, overrides: &Overrides) -> Result<Box<dyn Source>> {
    if let Some(database) = lsp_devtools::open(path, overrides)? {
        return Ok(database);
    }
    let mut input = Input::open(path)?;
    let forced = overrides.format.as_deref();
    let mut sample = Sample::new(input.head(), input.is_whole(), false);
    let mut found = detect(&sample, forced)?;
    if found.is_none() {
        input.lengthen_sample()?;
        sample = Sample::new(input.head(), input.is_whole(), true);
        found = detect(&sample, forced)?;
    }
    if found.is_none()
        && let Some(further) = input.further_sample()?
    {
        sample = further;
        found = detect(&sample, forced)?;
        if let Some((_, reason)) = &mut found {
            reason.push_str(&format!("; no message was found before line {}", sample.lines_before + 1));
        }
    }
    let Some((format, reason)) = found else { return Err(unknown(&input)) };
    let name = path.replace('\\', "/");
    let name = if cfg!(windows) { name } else { path.to_string() };
    let chain = format.chain(&sample);
    Ok(Box::new(Log { name, format, chain, reason, input, sample, overrides: overrides.clone() }))
}

fn unknown(input: &Input) -> Error {
    let name = input.shown_name();
    let head = input.head();
    let odd = head.iter().take(4096).filter(|byte| **byte < 9 || (14..32).contains(*byte) && **byte != 27).count();
    if odd * 20 > head.len().min(4096) {
        return Error::new(ErrorKind::Input, format!("{name} is a binary file, not a log"))
            .hint("give a text log, or one compressed with gzip or zstd");
    }
    Error::new(ErrorKind::Input, format!("{name} holds no JSON-RPC that rpctape can read{}", input.looked_at()))
        .hint("`rpctape formats` lists what can be read; --format-in NAME reads the file as that format")
}

struct Log {
    name: String,
    format: &'static dyn Format,
    chain: String,
    reason: String,
    input: Input,
    sample: Sample,
    overrides: Overrides,
}

impl Source for Log {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &str {
        &self.chain
    }

    fn reason(&self) -> &str {
        &self.reason
    }

    fn definition(&self) -> Option<String> {
        self.format.definition(&self.sample)
    }

    fn size(&self) -> Option<u64> {
        self.input.size()
    }

    fn content(&self) -> Result<Option<Box<dyn Read>>> {
        self.input.content()
    }

    fn can_resume(&self) -> bool {
        self.input.can_seek() && matches!(self.format.reader(&self.sample), Reader::Lines(_))
    }

    fn read(&mut self, source: u32, from: Resume, sink: &mut dyn FrameSink) -> Result<Resume> {
        let overrides = self.overrides.clone();
        let mut out = Out::new(sink, source, &overrides).named(&self.name);
        let end = match self.format.reader(&self.sample) {
            Reader::Lines(mut reader) | Reader::Ordered(mut reader) => self.lines(&mut *reader, from, &mut out)?,
            Reader::Bytes(mut reader) => {
                let (stream, start, _) = self.input.stream(from)?;
                let mut buffer = Buffer::new(stream, start.byte_offset);
                reader.read(&mut buffer, &mut out)?;
                Resume { byte_offset: buffer.offset, lines: 0 }
            }
            Reader::Whole(mut reader) => {
                let (text, start) = self.whole()?;
                reader.read(&text, start.byte_offset, &mut out)?;
                Resume { byte_offset: start.byte_offset + text.len() as u64, lines: 0 }
            }
        };
        if self.input.was_cut() {
            out.skip(end.lines, Skip::Torn);
        }
        if let Some(change) = self.input.changed() {
            out.skip(end.lines, change);
        }
        out.end()?;
        out.progress(self.input.bytes_read());
        out.tell_times();
        if out.key_was_in_vain() {
            let message = format!("{} is read as {}, which has no fields to name", self.name, self.format());
            return Err(Error::new(ErrorKind::Usage, message).hint("leave out --connection-key"));
        }
        Ok(end)
    }
}

impl Log {
    /// Reads line by line. A last line without a newline is used up if it was complete; one that was cut off is
    /// not, and is read again when the file has grown.
    fn lines(&mut self, reader: &mut dyn LineReader, from: Resume, out: &mut Out<'_>) -> Result<Resume> {
        let (stream, start, within_line) = self.input.stream(from)?;
        let fail = |input: &Input, error| input.failed(&error);
        let mut lines = Lines::new(stream, start, within_line).map_err(|error| fail(&self.input, error))?;
        let mut before = lines.position();
        while let Some(line) = lines.next().map_err(|error| fail(&self.input, error))? {
            let (number, ended) = (line.number, line.ended);
            match line.oversized {
                None => reader.line(&line, out)?,
                Some(_) => reader.oversized(&line, out)?,
            }
            out.look_back(number, line.bytes)?;
            if !ended && out.cut_at() == Some(number) {
                reader.end(out)?;
                return Ok(before);
            }
            before = lines.position();
            if lines.took_refill() {
                out.progress(self.input.bytes_read());
            }
        }
        reader.end(out)?;
        Ok(before)
    }

    fn whole(&mut self) -> Result<(String, Resume)> {
        let (stream, start, _) = self.input.stream(Resume::default())?;
        let mut bytes = Vec::new();
        stream.take(WHOLE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| self.input.failed(&error))?;
        if bytes.len() as u64 > WHOLE_LIMIT {
            let name = self.input.shown_name();
            let message = format!("{name} is over 256 MiB, and a {} document is read whole", self.format.name());
            return Err(Error::new(ErrorKind::Input, message)
                .hint(format!("write one message a line first, e.g. `jq -c '.[]' {name} > log.jsonl`")));
        }
        let text =
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok((text, start))
    }
}

#[cfg(test)]
mod tests;
