//! Where bytes come from: a file, a member of an archive or standard input, decompressed, transcoded to UTF-8, with a
//! sample of its head.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem;

use super::archive::{self, Cut, Stream};
use super::ended::{Ended, end_of_records};
use super::glued::{Glued, are_glued};
use super::gzip::Gzip;
use super::once::Once;
use super::sample::Sample;
use super::utf16::Utf16;
use super::watch::Watch;
use super::{Ear, Resume, Skip};
use crate::error::{Error, ErrorKind, Result};
use crate::name::path_of;

/// How much of the head a format is told by, in bytes.
const SAMPLE: usize = 64 << 10;

/// Of how many lines it has to be, where they are long.
const SEVERAL: usize = 8;

/// How many bytes tell what packed a file.
const MAGIC: usize = 24;

/// How much of it where that did not do: one long first line, or noise before the first message.
const LONG_SAMPLE: usize = 1 << 20;

/// How far a message is looked for, in bytes.
const FAR: usize = 64 << 20;

/// How much is read at a time on the way there, in bytes.
const STEP: usize = 4 << 20;

/// What a line that holds a message mostly has.
const SIGNS: [&[u8]; 4] = [b"jsonrpc", b"\"method\"", b"Sending request '", b"\"rpc.send\""];

/// An opened source of bytes.
pub(crate) struct Input {
    name: String,
    size: Option<u64>,
    /// Until it is read.
    head: Vec<u8>,
    /// How long the head is or was, in bytes.
    looked: usize,
    rest: Option<Stream>,
    /// Bytes that somebody else reads, until they are taken.
    given: Option<Stream>,
    /// True if they are compressed.
    packed: bool,
    whole: bool,
    /// True for a regular file that is neither compressed nor transcoded: offsets in the text are offsets in it.
    plain: bool,
    /// What ends each record, where that is no newline.
    record_end: Option<u8>,
    /// True if records stand behind each other on a line.
    glued: bool,
    bom: usize,
    origin: Origin,
    /// Of a file: what it was when it was opened.
    watch: Option<Watch>,
    read: Arc<AtomicU64>,
    cut: Cut,
    /// Who hears what is read of a file from its first byte on.
    ear: Option<Ear>,
    /// What comes only once is kept, because it is asked for again.
    keeps: bool,
    once: Option<Once>,
}

/// What kind of thing the bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Standard input, a pipe or a device: read once.
    Once,
    /// A regular file.
    File,
    /// A member of an archive.
    Member,
}

impl Input {
    /// Opens `name`, `-` for standard input, and reads a sample of its head.
    pub(crate) fn open(name: &str) -> Result<Input> {
        Input::started(name, None, false)
    }

    /// The same; what comes only once is kept, and its content can be asked for.
    pub(crate) fn open_kept(name: &str) -> Result<Input> {
        Input::started(name, None, true)
    }

    /// The same for bytes that somebody else reads. Where more may come, their end is asked for again.
    pub(crate) fn given(name: &str, stream: Stream) -> Result<Input> {
        Input::started(name, Some(stream), false)
    }

    fn started(name: &str, given: Option<Stream>, keeps: bool) -> Result<Input> {
        let mut input = Input {
            name: name.to_string(),
            size: None,
            head: Vec::new(),
            looked: 0,
            rest: None,
            given,
            packed: false,
            whole: false,
            plain: false,
            record_end: None,
            glued: false,
            bom: 0,
            origin: Origin::Once,
            watch: None,
            read: Arc::default(),
            cut: Cut::default(),
            ear: None,
            keeps,
            once: None,
        };
        input.start()?;
        input.take_sample()?;
        if let Some(end) = end_of_records(&input.head) {
            input.end_records_at(end);
        } else if are_glued(input.head()) {
            input.take_apart();
        }
        if input.whole && input.head.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            if input.cut.load(Ordering::Relaxed) {
                let message = format!("{} is torn: it is cut off before its first line ends", input.shown_name());
                return Err(Error::new(ErrorKind::Input, message).hint("give the whole file"));
            }
            return Err(Error::new(ErrorKind::Input, format!("{} is empty", input.shown_name()))
                .hint("give a log that holds JSON-RPC messages; `rpctape formats` lists what can be read"));
        }
        Ok(input)
    }

    /// This byte ends each record, in what was read as well.
    fn end_records_at(&mut self, end: u8) {
        (self.record_end, self.plain) = (Some(end), false);
        let read = io::Cursor::new(std::mem::take(&mut self.head));
        let rest = self.rest.take().unwrap_or_else(|| Box::new(io::empty()));
        let length = read.get_ref().len();
        let mut all = Ended::new(read.chain(rest), end);
        self.head.resize(length, 0);
        let head = all.read_exact(&mut self.head);
        debug_assert!(head.is_ok(), "it is in memory");
        self.rest = Some(Box::new(all));
    }

    /// Each record is a line, of what was read as well.
    fn take_apart(&mut self) {
        (self.glued, self.plain) = (true, false);
        let rest = self.rest.take().unwrap_or_else(|| Box::new(io::empty()));
        let (head, rest) = Glued::behind(&self.head, rest);
        self.head = head;
        self.rest = Some(Box::new(rest));
    }

    /// The name as it stands in messages.
    pub(crate) fn shown_name(&self) -> &str {
        shown(&self.name)
    }

    /// Size of the file in bytes, where it is known.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }

    /// How much of the text was looked at, in bytes.
    pub(crate) fn looked(&self) -> usize {
        self.looked
    }

    /// Head of the text, without a byte order mark; empty once the text was read.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head[self.bom.min(self.head.len())..]
    }

    /// True if the head is all there is.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// True if reading can go on in the middle.
    pub(crate) fn can_seek(&self) -> bool {
        self.plain
    }

    /// True if the bytes are compressed.
    pub(crate) fn is_packed(&self) -> bool {
        self.packed
    }

    /// How many bytes of the file were read so far, before decompression.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// True if a compressed stream ended before its end mark.
    pub(crate) fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// What became of the file while it was read, if that was not left alone.
    pub(crate) fn changed(&self) -> Option<Skip> {
        self.watch.as_ref()?.changed(&path_of(&self.name), self.bytes_read())
    }

    /// The bytes as they lie on the disk; `None` for what can be read only once and is not kept.
    pub(crate) fn content(&self) -> Result<Option<Stream>> {
        match self.origin {
            Origin::Once => Ok(self.once.as_ref().map(|once| -> Stream { Box::new(once.again()) })),
            Origin::Member => Ok(archive::member(&self.name, &Cut::default())?.map(|member| member.stream)),
            Origin::File => {
                let file = File::open(path_of(&self.name)).map_err(|error| Error::io("read", &self.name, &error))?;
                Ok(Some(Box::new(file)))
            }
        }
    }

    /// Lets somebody hear the file as it is read; false where the text is not what lies on the disk.
    pub(crate) fn overhear(&mut self, ear: Ear) -> bool {
        self.ear = self.plain.then_some(ear);
        self.plain
    }

    /// Takes the sample that tells the format: of long lines as much as makes several, which one record alone may not be like.
    fn take_sample(&mut self) -> Result<()> {
        let mut length = SAMPLE;
        self.extend_head(length)?;
        while length < LONG_SAMPLE && memchr::memchr_iter(b'\n', &self.head).take(SEVERAL).count() < SEVERAL {
            length *= 2;
            self.extend_head(length)?;
        }
        Ok(())
    }

    /// Takes a longer sample of the head; false if there is no more of it.
    pub(crate) fn lengthen_sample(&mut self) -> Result<bool> {
        let before = self.head.len();
        self.extend_head(LONG_SAMPLE)?;
        Ok(self.head.len() > before)
    }

    /// A sample from further on, where the head is not all and holds no message: from the first line that looks as if it did, within
    /// [`FAR`]. `None` where there is no such line.
    pub(crate) fn further_sample(&mut self) -> Result<Option<Sample>> {
        let mut from = self.bom.min(self.head.len());
        if self.whole || self.head.iter().take(4096).any(|byte| *byte == 0) {
            return Ok(None);
        }
        loop {
            let found = SIGNS.iter().filter_map(|sign| memmem::find(&self.head[from..], sign)).min();
            if let Some(at) = found.map(|at| from + at) {
                self.extend_head(at + LONG_SAMPLE)?;
                let line = self.head[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                let end = self.head.len().min(line + LONG_SAMPLE);
                let lines = memchr::memchr_iter(b'\n', &self.head[..line]).count() as u64;
                return Ok(Some(Sample::further(&self.head[line..end], lines)));
            }
            if self.whole || self.head.len() >= FAR {
                return Ok(None);
            }
            // A sign may lie across the border of two steps.
            from = from.max(self.head.len().saturating_sub(32));
            self.extend_head(self.head.len() + STEP)?;
        }
    }

    /// How much of the text was looked at, in words; empty where that is all of it.
    pub(crate) fn looked_at(&self) -> String {
        match self.whole {
            true => String::new(),
            false => format!(" in its first {} MiB", (self.head.len() >> 20).max(1)),
        }
    }

    /// Keeps at least so many bytes of the head, where there are as many.
    pub(crate) fn look(&mut self, length: usize) -> Result<()> {
        self.extend_head(length)
    }

    /// The text from `from` on, and whether that is in the middle of a line that was used up.
    pub(crate) fn stream(&mut self, from: Resume) -> Result<(Stream, Resume, bool)> {
        if from.byte_offset > 0 {
            return self.resumed(from);
        }
        if self.rest.is_none() {
            if self.origin == Origin::Once {
                return Err(Error::new(ErrorKind::Usage, format!("{} can be read only once", self.shown_name())));
            }
            self.head.clear();
            self.start()?;
            self.extend_head(SAMPLE)?;
        }
        let Some(rest) = self.rest.take() else {
            return Err(Error::new(ErrorKind::Usage, format!("{} can be read only once", self.shown_name())));
        };
        let head = Head { bytes: std::mem::take(&mut self.head), at: self.bom };
        let start = Resume { byte_offset: self.bom as u64, lines: 0 };
        let stream: Stream = match self.ear.take() {
            None => Box::new(head.chain(rest)),
            Some(mut ear) => {
                ear(head.bytes.get(..self.bom));
                Box::new(Overheard { inner: head.chain(rest), ear })
            }
        };
        Ok((stream, start, false))
    }

    fn resumed(&self, from: Resume) -> Result<(Stream, Resume, bool)> {
        let fail = |error: io::Error| Error::io("read", &self.name, &error);
        if !self.plain {
            return Err(Error::new(ErrorKind::Usage, format!("{} can only be read from its start", self.shown_name())));
        }
        let mut file = File::open(path_of(&self.name)).map_err(fail)?;
        let mut last = [0];
        file.seek(SeekFrom::Start(from.byte_offset - 1)).map_err(fail)?;
        let within_line = file.read(&mut last).map_err(fail)? == 1 && last[0] != b'\n';
        self.read.store(from.byte_offset, Ordering::Relaxed);
        Ok((Box::new(Counted { inner: file, read: Arc::clone(&self.read) }), from, within_line))
    }

    fn start(&mut self) -> Result<()> {
        self.read.store(0, Ordering::Relaxed);
        self.cut.store(false, Ordering::Relaxed);
        let raw: Stream = match self.given.take() {
            Some(stream) => stream,
            None => match archive::begun(&self.name) {
                Some(stream) => stream,
                None if self.name == "-" => Box::new(io::stdin()),
                None => self.open_named()?,
            },
        };
        let raw = if self.keeps && self.origin == Origin::Once { self.kept(raw)? } else { raw };
        let raw = Counted { inner: raw, read: Arc::clone(&self.read) };
        let (magic, raw) = peek(raw, MAGIC).map_err(|error| self.failed(&error))?;
        let (text, compressed) = self.decompressed(&magic, raw)?;
        let (marks, text) = peek(text, 512).map_err(|error| self.failed(&error))?;
        let wide = Utf16::detect(&marks[..marks.len().min(4)]);
        self.bom = if marks.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if archive::is_tar(&marks) {
            return Err(self.is_archive("a tar archive"));
        }
        self.is_text(&marks)?;
        if compressed && is_packed(&marks) {
            let message = format!("{} is compressed twice, not a log", self.shown_name());
            return Err(Error::new(ErrorKind::Input, message).hint("unpack it once and give what comes out"));
        }
        let as_it_lies = !compressed && wide.is_none() && self.record_end.is_none() && !self.glued;
        self.plain = self.origin == Origin::File && as_it_lies;
        self.packed = compressed;
        self.rest = Some(match wide {
            Some(order) => Box::new(Utf16::new(text, order)),
            None => match self.record_end {
                Some(end) => Box::new(Ended::new(text, end)),
                None if self.glued => Box::new(Glued::new(text)),
                None => text,
            },
        });
        Ok(())
    }

    fn kept(&mut self, raw: Stream) -> Result<Stream> {
        let once = Once::new(raw).map_err(|error| self.failed(&error))?;
        self.once = Some(once.clone());
        Ok(Box::new(once))
    }

    fn open_named(&mut self) -> Result<Stream> {
        let path = path_of(&self.name);
        if let Some(member) = archive::member(&self.name, &self.cut)? {
            (self.origin, self.size) = (Origin::Member, Some(member.size));
            return Ok(member.stream);
        }
        let meta = path.metadata().map_err(|error| {
            let error = Error::io("read", &self.name, &error);
            if path.exists() { error } else { error.hint("check the path; `-` reads standard input") }
        })?;
        if meta.is_dir() {
            return Err(Error::new(ErrorKind::Input, format!("{} is a directory, not a log", self.name))
                .hint("name the files in it, or give the directory to a command that takes several logs"));
        }
        let file = File::open(&path).map_err(|error| Error::io("read", &self.name, &error))?;
        if meta.is_file() {
            (self.origin, self.size) = (Origin::File, Some(meta.len()));
            self.watch = Watch::on(&file);
        }
        Ok(Box::new(file))
    }

    fn is_archive(&self, what: &str) -> Error {
        let name = self.shown_name();
        let error = Error::new(ErrorKind::Input, format!("{name} is {what}, not a log"));
        match self.origin {
            Origin::File => error.hint(format!("its members are sources of their own: `rpctape ls {name}` names them")),
            Origin::Member => error.hint("unpack the outer archive and give the inner one"),
            Origin::Once => error.hint("give the archive as a file, or to a command that takes several logs"),
        }
    }

    fn decompressed(&self, magic: &[u8], raw: Stream) -> Result<(Stream, bool)> {
        let cut = Arc::clone(&self.cut);
        match magic {
            [b'P', b'K', 3, 4, ..] => Err(self.is_archive("a zip archive")),
            [0x1f, 0x8b, ..] => Ok((Box::new(Tolerant { inner: Gzip::new(raw), cut }), true)),
            _ if archive::is_zstd(magic) => {
                let inner = zstd::stream::read::Decoder::new(raw).map_err(|error| self.failed(&error))?;
                Ok((Box::new(Tolerant { inner, cut }), true))
            }
            _ => Ok((raw, false)),
        }
    }

    /// Refuses what is known to hold no text, packed or not.
    fn is_text(&self, marks: &[u8]) -> Result<()> {
        let Some((what, hint)) = known_binary(marks) else { return Ok(()) };
        // Standard input has no name that another program could be given.
        let hint = if self.name == "-" { hint.to_string() } else { hint.replace("FILE", &self.name) };
        Err(Error::new(ErrorKind::Input, format!("{} is {what}, not a log", self.shown_name())).hint(hint))
    }

    fn extend_head(&mut self, length: usize) -> Result<()> {
        let Some(rest) = &mut self.rest else { return Ok(()) };
        let wanted = length.saturating_sub(self.head.len());
        self.head.reserve_exact(wanted);
        let got = rest.by_ref().take(wanted as u64).read_to_end(&mut self.head);
        match got {
            Ok(got) => self.whole |= got < wanted,
            Err(error) => return Err(self.failed(&error)),
        }
        self.looked = self.head.len();
        Ok(())
    }

    /// The error for text that could not be read.
    pub(crate) fn failed(&self, error: &io::Error) -> Error {
        let failed = Error::io("read", self.shown_name(), error);
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                failed.hint("the compressed data is damaged: unpack what is left of it and give the text")
            }
            _ => failed,
        }
    }
}

fn shown(name: &str) -> &str {
    if name == "-" { "standard input" } else { name }
}

fn is_packed(magic: &[u8]) -> bool {
    magic.starts_with(&[0x1f, 0x8b]) || archive::is_zstd(magic)
}

/// Formats that hold no text, what they are, and what to do.
fn known_binary(magic: &[u8]) -> Option<(&'static str, &'static str)> {
    let unpack = "unpack it first and give the text; .gz and .zst are read as they are";
    Some(match magic {
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] | [b'G', b'I', b'F', b'8', ..] => {
            ("a picture", "give the log itself")
        }
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => (
            "a SQLite database",
            "one of lsp-devtools is read where it is given as a file; one of rpctape goes to `audit`, `query` and `show`",
        ),
        [0xd4, 0xc3, 0xb2, 0xa1, ..] | [0xa1, 0xb2, 0xc3, 0xd4, ..] | [0x0a, 0x0d, 0x0d, 0x0a, ..] => (
            "a packet capture",
            "take the bodies out first: `tshark -r FILE -Y http.file_data -T fields -e http.file_data | xxd -r -p | \
             sed 's/^data: //' > FILE.jsonl`, then give FILE.jsonl",
        ),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("xz-compressed", unpack),
        [b'B', b'Z', b'h', ..] => ("bzip2-compressed", unpack),
        [0x7f, b'E', b'L', b'F', ..] => ("a program", "give its log"),
        _ if is_flow(magic) => (
            "a flow file of mitmproxy",
            "convert it first: `mitmdump -nr FILE --set hardump=FILE.har`, then give FILE.har",
        ),
        [b'%', b'P', b'D', b'F', ..] => ("a PDF document", "give the log itself"),
        _ => return None,
    })
}

/// True for the start of a netstring of netstrings: `2626:9:websocket;`.
fn is_flow(magic: &[u8]) -> bool {
    let number = |bytes: &[u8]| bytes.iter().position(|byte| !byte.is_ascii_digit()).filter(|length| *length > 0);
    let after = |bytes: &[u8]| number(bytes).filter(|length| bytes[*length] == b':').map(|length| length + 1);
    let Some(inner) = after(magic) else { return false };
    let Some(text) = after(&magic[inner..]) else { return false };
    magic[inner + text..].first().is_some_and(u8::is_ascii_lowercase)
}

fn peek(mut stream: impl Read + Send + 'static, length: usize) -> io::Result<(Vec<u8>, Stream)> {
    let mut head = Vec::with_capacity(length);
    stream.by_ref().take(length as u64).read_to_end(&mut head)?;
    let again = Cursor::new(head.clone());
    Ok((head, Box::new(again.chain(stream))))
}

/// Counts what passes.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// Lets somebody hear what passes.
struct Overheard<R> {
    inner: R,
    ear: Ear,
}

impl<R: Read> Read for Overheard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        if !buffer.is_empty() {
            (self.ear)(buffer.get(..length).filter(|bytes| !bytes.is_empty()));
        }
        Ok(length)
    }
}

/// A compressed stream whose end is missing (its writer was killed) ends where the data do.
struct Tolerant<R> {
    inner: R,
    cut: Cut,
}

impl<R: Read> Read for Tolerant<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.cut.store(true, Ordering::Relaxed);
                Ok(0)
            }
            other => other,
        }
    }
}

/// The head of a text, read once more. Its memory is given back where it ends: the rest may be long.
struct Head {
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Head {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += length;
        if length == 0 {
            self.bytes = Vec::new();
        }
        Ok(length)
    }
}
