//! Facts of one capture: what the audit reads of it, row by row, and nothing that depends on another file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::capture::{self, Body, Channel, Frame, FrameSink, RecordedPart, Skip, Why, channel_facts};
use crate::error::{Error, ErrorKind, Result};
use crate::facts::{FileFacts, Row, Sink, kind};
use crate::jsonrpc::Kind;
use crate::pipeline::lookout::Foresight;
use crate::pipeline::{Options, Progress};
use crate::protocol::profiles;
use crate::store::Identity;

/// How often an interrupt is looked for, in frames.
const INTERRUPT_MASK: u64 = 1023;

/// Bits of a row's place below those of its frame's: channels are told between two frames.
pub(super) const BETWEEN: u32 = 20;

/// What became of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lifted {
    /// Its facts are there.
    Facts(FileFacts),
    /// It is no log, and why; a row says so.
    PassedOver(String),
}

/// Writes the facts of one capture into `out`, with the payloads where `raw` asks for them. What holds no messages is passed
/// over, and one row tells it. Errors: a file that cannot be read, or `out`.
pub fn lift(
    input: &str,
    options: &Options,
    raw: bool,
    out: &mut dyn Sink,
    progress: &mut dyn Progress,
) -> Result<Lifted> {
    let mut source = match capture::open(input, &options.overrides) {
        Ok(source) => source,
        Err(error) if error.kind == ErrorKind::Input => {
            let why = error.message.strip_prefix(input).map_or(error.message.clone(), |rest| format!("it{rest}"));
            unread(input, &FileFacts { reason: why.clone(), ..FileFacts::default() }, out)?;
            return Ok(Lifted::PassedOver(why));
        }
        Err(error) => return Err(error),
    };
    let name = source.name().to_string();
    progress.source(&name, source.size());
    let identity = match source.content()? {
        Some(mut content) => Some(Identity::of(&mut *content, &name, &[])?.0),
        None => None,
    };
    let mut handshakes: Vec<&str> = profiles().filter_map(|profile| profile.opening.initialize).collect();
    handshakes.dedup();
    let mut lift = Lift {
        source: &name,
        format: source.format().to_string(),
        part: source.part(),
        raw,
        out,
        progress,
        options,
        lanes: Vec::new(),
        by_key: HashMap::new(),
        channels: Vec::new(),
        anywhere: Vec::new(),
        last: 0,
        between: 0,
        foresight: Foresight::default(),
        handshakes,
        told: FileFacts { format: source.format().into(), reason: source.reason().into(), ..FileFacts::default() },
        skipped: BTreeMap::new(),
    };
    let end = source.read(0, capture::Resume::default(), &mut lift)?;
    lift.part = source.delivered().part;
    lift.end()?;
    let (last, mut told) = (lift.last, FileFacts { part: lift.part.map(Box::new), ..lift.told });
    told.bytes = end.byte_offset;
    told.skipped = lift.skipped.into_iter().map(|(why, (lines, first))| (why.as_str().into(), lines, first)).collect();
    if let Some(identity) = identity {
        told.size = identity.size;
        told.hash = identity.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    }
    out.row(&Row::about(&name, (last + 1) << BETWEEN, json(&told)?))?;
    Ok(Lifted::Facts(told))
}

/// Writes the one row about a file of which no facts are made.
pub fn unread(file: &str, told: &FileFacts, out: &mut dyn Sink) -> Result<()> {
    out.row(&Row::about(file, 0, json(told)?))
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::Io, format!("cannot write facts: {error}")))
}

/// What a channel row says beside the channel.
#[derive(Serialize)]
struct Told<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a RecordedPart>,
}

/// A key under which rows come together, and how many there are.
struct Lane {
    key: String,
    rows: u64,
}

struct Lift<'o> {
    source: &'o str,
    format: String,
    part: Option<RecordedPart>,
    raw: bool,
    out: &'o mut dyn Sink,
    progress: &'o mut dyn Progress,
    options: &'o Options,
    lanes: Vec<Lane>,
    /// The lane of each key.
    by_key: HashMap<String, usize>,
    /// The lane of each channel.
    channels: Vec<Option<usize>>,
    /// What any connection of the source may miss: each lane gets a row of it.
    anywhere: Vec<Row<'static>>,
    /// The last number that a frame has.
    last: u64,
    /// Rows between that frame and the next.
    between: u64,
    foresight: Foresight,
    handshakes: Vec<&'static str>,
    told: FileFacts,
    skipped: BTreeMap<Skip, (u64, u64)>,
}

impl Lift<'_> {
    fn write(&mut self, row: &Row<'_>) -> Result<()> {
        self.told.rows += 1;
        self.out.row(row)
    }

    /// A row of the connections of one channel.
    fn write_in(&mut self, index: u32, row: Row<'_>) -> Result<()> {
        let lane = self.channels.get(index as usize).copied().flatten();
        let lane = lane.ok_or_else(|| {
            Error::new(ErrorKind::Input, format!("a frame at line {} belongs to no channel", row.line))
        })?;
        self.write_to(lane, row)
    }

    fn write_to(&mut self, lane: usize, row: Row<'_>) -> Result<()> {
        let lane = &mut self.lanes[lane];
        lane.rows += 1;
        let row = Row { connection: Some(Cow::Borrowed(&lane.key)), source: Cow::Borrowed(self.source), ..row };
        self.told.rows += 1;
        self.out.row(&row)
    }

    /// Every connection that has rows here ends with one that says how many.
    fn end(&mut self) -> Result<()> {
        let part = self.part.as_ref().map(json).transpose()?;
        for Lane { key, rows } in std::mem::take(&mut self.lanes) {
            let row = Row {
                connection: Some(Cow::Owned(key)),
                source: Cow::Borrowed(self.source),
                seq: (self.last + 1) << BETWEEN,
                kind: kind::END.into(),
                bytes: rows,
                channel: u32::try_from(self.channels.len()).ok(),
                text: part.as_deref().map(Cow::Borrowed),
                ..Row::default()
            };
            self.write(&row)?;
        }
        Ok(())
    }

    fn missing(&mut self, frame: &Frame<'_>) {
        let Body::Missing(missing) = &frame.body else { return };
        let lost = missing.lost.unwrap_or(1);
        if matches!(missing.why, Why::Gap | Why::Unread | Why::Torn) {
            self.told.lost += lost;
        }
        if missing.why == Why::Unread {
            let unread = self.told.unread.get_or_insert((0, u64::MAX, String::new()));
            unread.0 += lost;
            if frame.line < unread.1 {
                (unread.1, unread.2) = (frame.line, missing.words.to_string());
            }
        }
    }

    /// True if a connection may begin with this frame.
    fn begins(&self, frame: &Frame<'_>) -> bool {
        match &frame.body {
            Body::Message(captured) => {
                let message = &captured.message;
                message.kind == Kind::Request && self.handshakes.contains(&message.method())
            }
            Body::Open { .. } => frame.stream.is_none(),
            _ => false,
        }
    }
}

/// The payload as captured; bytes that are no UTF-8 are replaced.
fn payload<'f>(body: &'f Body<'_>) -> Option<Cow<'f, str>> {
    match body {
        Body::Message(captured) => Some(Cow::Borrowed(captured.text)),
        Body::Batch { text, .. } | Body::Stderr { text } => Some(Cow::Borrowed(text)),
        Body::Http { head } => Some(Cow::Borrowed(head)),
        Body::Sse { event } => Some(Cow::Borrowed(event)),
        Body::Malformed { bytes, .. } => Some(String::from_utf8_lossy(bytes)),
        Body::Missing(missing) => Some(Cow::Borrowed(missing.words)),
        Body::Open { .. } | Body::Close { .. } | Body::Exit(_) => None,
    }
}

impl FrameSink for Lift<'_> {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        let at = index as usize;
        if self.channels.len() <= at {
            self.channels.resize_with(at + 1, || None);
        }
        let key = channel.name.clone().unwrap_or_else(|| capture::log_of(self.source));
        let known = self.by_key.get(&key).copied();
        let lane = known.unwrap_or(self.lanes.len());
        self.channels[at] = Some(lane);
        if known.is_none() {
            self.by_key.insert(key.clone(), lane);
            self.lanes.push(Lane { key, rows: 0 });
        }
        self.between += 1;
        // What the source missed before goes with a connection that begins only now, and stands behind what says that there is one.
        let earliest = self.anywhere.first().filter(|_| known.is_none()).map(|row| row.seq - 1);
        let row = Row {
            seq: earliest.unwrap_or(self.last << BETWEEN | self.between),
            kind: kind::CHANNEL.into(),
            channel: Some(index),
            text: Some(Cow::Owned(channel_facts(&channel))),
            extra: Some(Cow::Owned(json(&Told { format: &self.format, part: self.part.as_ref() })?)),
            ..Row::default()
        };
        self.write_to(lane, row)?;
        if known.is_none() {
            for row in self.anywhere.clone() {
                self.write_to(lane, row)?;
            }
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let seq = self.last + 1;
        let members = if let Body::Batch { members, .. } = &frame.body { members.len() as u64 } else { 0 };
        (self.last, self.between) = (seq + members, 0);
        if seq & INTERRUPT_MASK == 0 {
            self.options.go_on()?;
        }
        self.missing(frame);
        let row = Row { seq: seq << BETWEEN, ..Row::of(frame) };
        if frame.channel == Frame::WHOLE_SOURCE {
            let row = row.into_owned();
            for lane in 0..self.lanes.len() {
                self.write_to(lane, row.clone())?;
            }
            self.anywhere.push(row);
            return Ok(());
        }
        let begins = self.begins(frame);
        let secret = self.foresight.look(frame.channel, frame, begins).map(Cow::Borrowed);
        let raw = if self.raw { payload(&frame.body) } else { None };
        self.write_in(frame.channel, Row { channel: Some(frame.channel), secret, raw, ..row })
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.skipped.entry(why).or_insert((0, line)).0 += 1;
    }

    fn times(&mut self, first: &str, last: &str) {
        (self.told.first_time, self.told.last_time) = (Some(first.to_string()), Some(last.to_string()));
    }

    fn progress(&mut self, bytes: u64) {
        self.progress.bytes(bytes);
    }
}
