//! Opening a source: its bytes, its format, and the reading of it.

use std::io::Read;

use super::detect::detect;
use super::format::{Format, LineReader, Misfit, Reader};
use super::formats::sqlite;
use super::input::Input;
use super::lines::{Buffer, Lines};
use super::nearest::nearest;
use super::out::Out;
use super::plan::{Order, Plan};
use super::recorded::RecordedPart;
use super::rotation;
use super::sample::Sample;
use super::survey::{self, Lanes, Looked, Numbered, Records, Voices, survey};
use super::unread::{looks_like_messages, quoted};
use super::{Delivered, Ear, FrameSink, Overrides, Resume, Skip, Source};
use crate::error::{Error, ErrorKind, Result};

mod arranged;
mod behind;

/// The largest text of a format that is read whole, in bytes.
const WHOLE_LIMIT: u64 = 256 << 20;

/// Opens a log, `-` for standard input, and tells its format. What holds no JSON-RPC is an error with a hint.
pub fn open(path: &str, overrides: &Overrides) -> Result<Box<dyn Source>> {
    if let Some(database) = sqlite::open(path, overrides)? {
        return Ok(database);
    }
    Ok(Box::new(told(Input::open(path)?, path, overrides)?))
}

/// The same; a log that can be read only once (`-`, a pipe) is kept as it is read, so that its content can be asked for.
pub fn open_kept(path: &str, overrides: &Overrides) -> Result<Box<dyn Source>> {
    match sqlite::open(path, overrides)? {
        Some(database) => Ok(database),
        None => Ok(Box::new(told(Input::open_kept(path)?, path, overrides)?)),
    }
}

/// Opens bytes that somebody else reads, from their beginning to their end, under a name for messages. Archives and databases
/// are files, and need [`open`].
pub fn open_stream(name: &str, stream: Box<dyn Read + Send>, overrides: &Overrides) -> Result<Box<dyn Source>> {
    Ok(Box::new(told(Input::given(name, stream)?, name, overrides)?))
}

/// Opens a log that is still being written. `stream` ends where the log ends now, and when it is read on it waits for more.
/// A text that is read whole, or in another order than it is written in, is an error.
pub fn follow(path: &str, stream: Box<dyn Read + Send>, overrides: &Overrides) -> Result<Box<dyn Source>> {
    let log = told(Input::given(path, stream)?, path, overrides)?;
    let whole = matches!(log.format.reader(&log.sample), Reader::Whole(_)) || log.plan.order != Order::AsWritten;
    if whole || log.input.is_packed() {
        let what = if whole { format!("a {} log is read whole", log.chain) } else { "it is compressed".to_string() };
        let error = Error::new(ErrorKind::Usage, format!("{path} cannot be followed: {what}"));
        return Err(error.hint("`rpctape check` judges what is there now"));
    }
    Ok(Box::new(log))
}

/// Fails where [`open`] would, and looks no further than that takes. Tells the part of a recording that a log is.
pub(super) fn recognised(path: &str, overrides: &Overrides) -> Result<Option<RecordedPart>> {
    match sqlite::open(path, overrides)? {
        Some(_) => Ok(None),
        None => detected(&mut Input::open(path)?, overrides).map(|(format, sample, _)| format.part(&sample)),
    }
}

/// The format of a text, the sample that told it, and why.
fn detected(input: &mut Input, overrides: &Overrides) -> Result<(&'static dyn Format, Sample, String)> {
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
    let Some((format, reason)) = found else { return Err(unknown(input, &sample)) };
    if forced.is_none()
        && let Some(error) = super::refusals::in_pieces(input.shown_name(), &sample)
    {
        return Err(error);
    }
    if forced.is_some()
        && input.is_whole()
        && let Some(misfit) = format.misfit(&sample)
    {
        return Err(does_not_fit(input, format, &misfit));
    }
    Ok((format, sample, reason))
}

/// Tells the format of a text from its head, and what was done to it.
pub(super) fn told(mut input: Input, path: &str, overrides: &Overrides) -> Result<Log> {
    let (format, sample, reason) = detected(&mut input, overrides)?;
    let name = path.replace('\\', "/");
    let name = if cfg!(windows) { name } else { path.to_string() };
    let chain = format.chain(&sample);
    input.look(survey::HEAD)?;
    let looked = Looked { format, sample: &sample, overrides, learned: false };
    let plan = survey(&looked, input.head(), input.is_whole());
    let mut overrides = overrides.clone();
    overrides.connection_key = overrides.connection_key.or_else(|| plan.key.clone());
    let (told, reason) = (reason, String::new());
    let delivered = Delivered::default();
    let log = Log { name, format, chain, told, reason, input, sample, plan, overrides, delivered };
    Ok(Log { reason: log.reasons(), ..log })
}

/// The error for a log that is not in the format that the user named.
fn does_not_fit(input: &Input, format: &dyn Format, misfit: &Misfit) -> Error {
    let name = input.shown_name();
    let what = format!("{name} holds no message that {} finds; line {}: {}", format.name(), misfit.line, misfit.why);
    Error::new(ErrorKind::Input, what)
        .hint("leave out --format-in to have the format told from the content; `rpctape formats` lists them")
}

fn unknown(input: &Input, sample: &Sample) -> Error {
    let name = input.shown_name();
    let head = input.head();
    let odd = head.iter().take(4096).filter(|byte| **byte < 9 || (14..32).contains(*byte) && **byte != 27).count();
    if odd * 20 > head.len().min(4096) {
        return Error::new(ErrorKind::Input, format!("{name} is a binary file, not a log"))
            .hint("give a text log, or one compressed with gzip or zstd");
    }
    let written = sample.text().split('\n').zip(1..).find(|(line, _)| looks_like_messages(line.as_bytes()));
    if written.is_none()
        && let Some(error) = super::refusals::known(name, sample)
    {
        return error;
    }
    let usual = "`rpctape formats` lists what can be read; --format-in NAME reads the file as that format, and \
                 --format-in FILE.toml by a definition of your own";
    let hint = nearest(sample).map_or_else(|| usual.to_string(), |near| format!("it {near}; {usual}"));
    let like = written.map_or(String::new(), |(line, number)| {
        let number = number + sample.lines_before;
        format!("; line {number} is the first with something like a message: {}", quoted(line.as_bytes()))
    });
    let what = format!("{name} holds no JSON-RPC that rpctape can read{}{like}", input.looked_at());
    Error::new(ErrorKind::Input, what).hint(hint)
}

pub(super) struct Log {
    name: String,
    format: &'static dyn Format,
    chain: String,
    /// What told the format, and that with what was found of the log.
    told: String,
    reason: String,
    input: Input,
    sample: Sample,
    plan: Plan,
    overrides: Overrides,
    delivered: Delivered,
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

    fn part(&self) -> Option<RecordedPart> {
        self.format.part(&self.sample)
    }

    fn size(&self) -> Option<u64> {
        self.input.size()
    }

    fn content(&self) -> Result<Option<Box<dyn Read>>> {
        Ok(self.input.content()?.map(|stream| -> Box<dyn Read> { stream }))
    }

    fn can_resume(&self) -> bool {
        // A head that was seen whole gives the same plan when the log has grown.
        let settled = self.plan.is_plain() || self.input.looked() >= survey::HEAD;
        settled
            && self.input.can_seek()
            && self.plan.order == Order::AsWritten
            && self.plan.numbered.is_none()
            && matches!(self.format.reader(&self.sample), Reader::Lines(_))
    }

    fn overhear(&mut self, ear: Ear) -> bool {
        self.input.overhear(ear)
    }

    fn read(&mut self, source: u32, from: Resume, sink: &mut dyn FrameSink) -> Result<Resume> {
        let (overrides, sample) = (self.overrides.clone(), self.sample.clone());
        let Delivered { records: before, shown, part } = std::mem::take(&mut self.delivered);
        let out = Out::new(sink, source, &overrides).named(&self.name).planned(self.plan.clone()).after(before);
        let out = out.before_another(rotation::is_earlier(&self.name));
        let mut out = out.part_behind(part, self.part()).verbatim(self.format.is_verbatim());
        if from == Resume::default() {
            out.tell_sampled()?;
            out.tell_lack_before(shown.lacks)?;
        }
        let end = match self.format.reader(&self.sample) {
            Reader::Lines(mut reader) | Reader::Ordered(mut reader) => {
                let telling = self.looked().telling();
                if !telling.is_empty() {
                    out.look_for_key();
                    reader = Box::new(Lanes::new(telling, self.format, &sample));
                }
                match self.plan.loggers.clone() {
                    None => self.by_line(&mut *reader, from, &mut out)?,
                    Some((name, _)) => {
                        let kind = Records::of(self.format.name(), self.input.head()).kind;
                        self.by_line(&mut Voices::new(&name, kind, &mut *reader), from, &mut out)?
                    }
                }
            }
            Reader::Bytes(mut reader) => {
                let (stream, start, _) = self.input.stream(from)?;
                let mut buffer = Buffer::new(stream, start.byte_offset);
                reader.read(&mut buffer, &mut out)?;
                Resume { byte_offset: buffer.offset, lines: 0 }
            }
            Reader::Whole(mut reader) => {
                let (text, start) = self.whole()?;
                let anew = text.len() > survey::HEAD;
                let plan = anew.then(|| survey(&self.looked(), text.as_bytes(), true));
                let plan = plan.unwrap_or_else(|| self.plan.clone());
                if let Some((name, _)) = &plan.loggers {
                    out.voices_at(Records::of(self.format.name(), text.as_bytes()).values(name));
                }
                out = out.planned(plan);
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
        // What was learned is no word of the user's.
        if self.plan.key.is_none() {
            self.key_was_found(&out)?;
        }
        let (lacks, is_empty) = (out.lacks_messages(), out.has_put_none());
        let (records, part) = out.delivered();
        self.delivered = Delivered { records, shown: self.shown(shown, lacks, is_empty), part };
        Ok(end)
    }

    fn follows(&mut self, delivered: Delivered) {
        if delivered.shown.chain == self.chain {
            self.goes_on_with(&delivered.shown);
        }
        self.delivered = delivered;
    }

    fn delivered(&mut self) -> Delivered {
        std::mem::take(&mut self.delivered)
    }
}

impl Log {
    fn looked(&self) -> Looked<'_> {
        let learned = self.plan.key.is_some();
        Looked { format: self.format, sample: &self.sample, overrides: &self.overrides, learned }
    }

    /// Fails where nothing in the log is called as the user calls what tells connections apart.
    fn key_was_found(&self, out: &Out<'_>) -> Result<()> {
        let (message, hint) = match () {
            () if out.key_was_in_vain() => (
                format!("{} is read as {}, which has no fields to name", self.name, self.format()),
                "leave out --connection-key",
            ),
            () if out.key_was_not_told() => (
                format!("no message in {} has beside it what --connection-key names", self.name),
                "in records in JSON it is a member beside the message (conn, /meta/session) or text:NAME, in lines of text a name with a value (session=..), word:N, part:N, field:N, after:N or ends; without it, what tells connections apart is learned",
            ),
            () => return Ok(()),
        };
        Err(Error::new(ErrorKind::Usage, message).hint(hint))
    }

    fn by_line(&mut self, reader: &mut dyn LineReader, from: Resume, out: &mut Out<'_>) -> Result<Resume> {
        match self.plan.order {
            Order::AsWritten => match self.plan.numbered.clone() {
                None => self.lines(reader, from, out),
                Some(key) => self.lines(&mut Numbered::new(&key, reader), from, out),
            },
            Order::Ranked(_) => self.arranged(reader, out),
        }
    }

    /// Reads line by line. A last line without a newline is used up if something was read of it; one that was cut off, or of which
    /// nothing was read so far, is not, and is read again when the file has grown.
    fn lines(&mut self, reader: &mut dyn LineReader, from: Resume, out: &mut Out<'_>) -> Result<Resume> {
        let (stream, start, within_line) = self.input.stream(from)?;
        let fail = |input: &Input, error| input.failed(&error);
        let mut lines = Lines::new(stream, start, within_line).map_err(|error| fail(&self.input, error))?;
        let mut before = lines.position();
        while let Some(line) = lines.next().map_err(|error| fail(&self.input, error))? {
            let (number, ended, length) = (line.number, line.ended, line.bytes.len());
            if self.input.can_seek() {
                out.reads(&line);
            }
            match line.oversized {
                None => out.give(reader, &line)?,
                Some(_) => out.give_oversized(reader, &line)?,
            }
            if !ended && (out.cut_at() == Some(number) || out.passed_over(number, length)) {
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
