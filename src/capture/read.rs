//! The seam between sources and everything above: how a source is opened and how its frames are handed on.

use std::io::Read;

use super::plan::{PriorPart, Twins};
use super::recorded::RecordedPart;
use super::time::{DAY_US, Zoning};
use super::{Channel, Frame, Vantage};
use crate::error::Result;
use crate::protocol::Profile;

/// What the user says about a log, overruling what it says itself.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Name of the format.
    pub format: Option<String>,
    /// Where the capture was taken.
    pub vantage: Option<Vantage>,
    /// What the log speaks.
    pub profile: Option<&'static Profile>,
    /// Zone of times that tell none, in minutes east of UTC.
    pub tz: Option<i32>,
    /// The day on which a log of times of day begins.
    pub date: Option<chrono::NaiveDate>,
    /// True if the log shows its connections from their first message on.
    pub whole: bool,
    /// What tells connections apart, for formats that have named fields.
    pub connection_key: Option<Vec<String>>,
    /// Links in folders are read only where what they lead to is in here.
    pub within: Option<std::path::PathBuf>,
}

impl Overrides {
    pub(super) fn zoning(&self) -> Zoning {
        let epoch = chrono::NaiveDate::default();
        let days = self.date.map_or(0, |date| date.signed_duration_since(epoch).num_days());
        Zoning { offset_us: i64::from(self.tz.unwrap_or(0)) * 60_000_000, date_us: days * DAY_US }
    }
}

/// Receives what a source holds, in order. Frames borrow from the reader's buffer and live for one call.
pub trait FrameSink {
    /// A channel that later frames refer to by `index`; called once for each, before its first frame.
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()>;
    /// One frame.
    fn frame(&mut self, frame: &Frame<'_>) -> Result<()>;
    /// A line that holds no frame, and why it was passed over.
    fn skipped(&mut self, line: u64, why: Skip);
    /// The times of the first and the last message as the log writes them; called once, at the end, where it has times.
    fn times(&mut self, _first: &str, _last: &str) {}
    /// How many bytes of the file have been read so far (compressed ones where it is compressed).
    fn progress(&mut self, bytes: u64);
}

/// Why a line was passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// White space only.
    Blank,
    /// Text that the format does not promise to be a message.
    NotAMessage,
    /// A header or comment of the format.
    Header,
    /// The last line, cut off in the middle.
    CutOff,
    /// Longer than the limit for one record.
    Oversized,
    /// A message in an encoding that is not UTF-8.
    Foreign,
    /// The same message logged a second time.
    Duplicate,
    /// Behind the place where a compressed file or a member of an archive ends before its end.
    Torn,
    /// Behind the end of a file that shrank while it was read.
    Shrunk,
    /// In a file that was rewritten while it was read: what was read may be of both.
    Rewritten,
    /// In the file that took the name of this one while it was read.
    Replaced,
    /// Behind the last line of a recording whose recorder did not end it.
    Unended,
    /// In the part of a recording that follows this one.
    Unfollowed,
}

impl Skip {
    /// True where an unknown part of the source was not read: what was read is then no whole log.
    pub fn is_loss(self) -> bool {
        matches!(self, Skip::Torn | Skip::Shrunk | Skip::Rewritten)
    }

    /// What to say of a source that is not whole, or no longer what was read: `LOG is torn: ...`.
    pub fn harm(self) -> Option<&'static str> {
        match self {
            Skip::Torn => Some("is torn: what stood behind its end is not known"),
            Skip::Shrunk => Some("shrank while it was read: what stood behind its end is not known"),
            Skip::Rewritten => Some("was rewritten while it was read: what was read may be of both"),
            Skip::Replaced => Some("was replaced or removed while it was read: what has its name now was not read"),
            Skip::Unended => Some(
                "has no end: it was cut or is still being written, or its recorder was killed; what passed last may be missing",
            ),
            Skip::Unfollowed => Some("goes on in a further part, which was not read: what passed there is not known"),
            _ => None,
        }
    }

    /// The reason with this word.
    pub fn from_name(name: &str) -> Option<Skip> {
        use Skip::*;
        let passed = [Blank, NotAMessage, Header, CutOff, Oversized, Foreign, Duplicate];
        let lost = [Torn, Shrunk, Rewritten, Replaced, Unended, Unfollowed];
        passed.into_iter().chain(lost).find(|skip| skip.as_str() == name)
    }

    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Skip::Blank => "blank",
            Skip::NotAMessage => "not a message",
            Skip::Header => "header",
            Skip::CutOff => "cut off",
            Skip::Oversized => "oversized",
            Skip::Foreign => "not UTF-8",
            Skip::Duplicate => "duplicate",
            Skip::Torn => "torn",
            Skip::Shrunk => "shrank while it was read",
            Skip::Rewritten => "rewritten while it was read",
            Skip::Replaced => "replaced while it was read",
            Skip::Unended => "without its end",
            Skip::Unfollowed => "without its next part",
        }
    }
}

/// Where to go on in a source that was read before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    /// Bytes of the decompressed source that were used up.
    pub byte_offset: u64,
    /// Lines that were used up.
    pub lines: u64,
}

/// Hears bytes that somebody reads, and then that there are no more.
pub type Ear = Box<dyn FnMut(Option<&[u8]>) + Send>;

/// One opened source: its name, what it was taken for, and why. Another thread may read it than the one that opened it.
pub trait Source: Send {
    /// The name as the user gave it, with forward slashes; `-` for standard input.
    fn name(&self) -> &str;
    /// Name of the format.
    fn format(&self) -> &str;
    /// Why it was taken for that, in words.
    fn reason(&self) -> &str;
    /// The definition that was learned from it, as text that can be kept (`--format-in FILE.toml`).
    fn definition(&self) -> Option<String> {
        None
    }
    /// The part of a recording that it is, as far as its first line says.
    fn part(&self) -> Option<RecordedPart> {
        None
    }
    /// Size of the file in bytes, where it is known.
    fn size(&self) -> Option<u64>;
    /// Its bytes as they lie on the disk, from the first on; `None` for what can be read only once and is not kept.
    fn content(&self) -> Result<Option<Box<dyn Read>>>;
    /// Lets `ear` hear the bytes as they lie on the disk while they are read from the first one on. False where what is read is
    /// something else: unpacked, or a member of an archive.
    fn overhear(&mut self, _: Ear) -> bool {
        false
    }
    /// True if the format can go on at a [`Resume`] point (line formats that are not compressed).
    fn can_resume(&self) -> bool;
    /// Reads everything from `from` on, numbering frames' `source` with `source`. Returns where it stopped.
    fn read(&mut self, source: u32, from: Resume, sink: &mut dyn FrameSink) -> Result<Resume>;
    /// What was read before it: a record that a part of the same log delivered is not read again.
    fn follows(&mut self, _: Delivered) {}
    /// What the next part has to know of this one.
    fn delivered(&mut self) -> Delivered {
        Delivered::default()
    }
}

/// What the next log has to know of one.
#[derive(Default)]
pub struct Delivered {
    /// The records that it has delivered, so that one that stands in the next part as well is read once: logs are shipped at least
    /// once, and a block that was sent again may cross the seam.
    pub(in crate::capture) records: Twins,
    /// What it has shown that holds in the next part as well.
    pub(in crate::capture) shown: PriorPart,
    /// Of a recording: the part of it that was read.
    pub part: Option<RecordedPart>,
}

impl Delivered {
    /// The same in front of another part of a recording; `part` is the one that was read before it.
    pub fn behind(self, part: Option<RecordedPart>) -> Delivered {
        Delivered { part, ..self }
    }
}
