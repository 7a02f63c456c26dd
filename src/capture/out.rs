//! What a reader hands on: channels, frames, and lines passed over.

mod bodies;
mod channels;
mod doubts;
mod give;
mod heard;
mod translated;
mod turns;
mod waiting;

pub use bodies::body_of;
use bodies::{MORE_TEXT, has_id, is_header, rest_of, text_of};
pub(crate) use bodies::{body, in_words};
pub(crate) use channels::Channels;
use heard::Heard;
use translated::is_strange;
use turns::Turns;
use waiting::Waiting;

use std::ops::Range;

use super::harm::Heads;
use super::lines::Line;
use super::outer::Outer;
use super::place::Place;
use super::plan::{Echoes, Known, Order, Plan, Twins, is_mark};
use super::recorded::{Hole, RecordedPart};
use super::time::Zoning;
use super::{Body, Channel, Direction, Frame, FrameSink, Overrides, Proof, Skip, Why, text_hash};
use crate::error::Result;
use crate::json::scan::{skip_white, value_end};
use crate::jsonrpc::{IdField, Kind, Unparsable, parse_at};
use crate::protocol::{Facts, Side};

/// The side that a file's name speaks of, where it speaks of one direction.
fn side_in(name: &str) -> Option<Side> {
    let file = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase().replace('_', "-");
    let has = |words: &[&str]| file.split('.').any(|part| words.contains(&part));
    match () {
        () if has(&["client-to-server", "client-to-agent", "c2s"]) => Some(Side::Client),
        () if has(&["server-to-client", "agent-to-client", "s2c"]) => Some(Side::Server),
        () => None,
    }
}

/// The times of a log as they are written in it: the newest, and those of the first and the last message.
#[derive(Default)]
struct Said {
    newest: String,
    fresh: bool,
    first: Option<String>,
    last: String,
}

/// Who is to be asked for what tells connections apart.
enum Key {
    /// Who reads the records.
    Asked,
    /// Who reads what is inside, for this.
    Inside(Vec<String>),
    /// Nobody else: a wrapper knew it.
    Taken,
    /// Nobody: it is looked for around the messages.
    Around,
}

/// The way from a reader to the sink.
pub(crate) struct Out<'s> {
    said: Said,
    /// The side whose messages alone the file holds, as its name says.
    file_side: Option<Side>,
    sink: &'s mut dyn FrameSink,
    pub(crate) source: u32,
    overrides: &'s Overrides,
    zoning: Zoning,
    key_asked: std::cell::Cell<bool>,
    /// Who is to be asked for what tells connections apart.
    key: Key,
    /// Whether what the user named was found at a message, once one was looked at.
    key_told: Option<bool>,
    channels: u32,
    cut_at: Option<u64>,
    /// The line that was passed over last, and why.
    passed: Option<(u64, Skip)>,
    /// The line of the last gap.
    gap_at: Option<u64>,
    /// The line of the last frame.
    put_at: u64,
    /// Where what was read of a line stands in memory, from its first message to its last: what is behind it was not read yet.
    read: Range<usize>,
    /// Where the line stands in memory that a reader was given last.
    given: Range<usize>,
    heads: Heads,
    heard: Heard,
    /// Where the line that is read stands in memory, and its first byte in the file.
    line: Option<(Range<usize>, u64)>,
    /// Stretches of the whole source that wait for the frames before them.
    waiting: Vec<Waiting>,
    /// True once any connection may miss something of it.
    lacks: bool,
    turns: Turns,
    /// True where lines are not read as they stand, whatever the plan says.
    in_turns: bool,
    outer: Outer,
    /// Channels whose own clock is of seconds, in a log whose wrapper has a finer one.
    coarse: Vec<u32>,
    /// True while a reader knows itself what the times of the wrapper tell.
    told_times: bool,
    plan: Plan,
    /// The channels whose messages may be those of any other.
    unnamed: Vec<u32>,
    twins: Twins,
    /// The part of a recording that was read before, and as much of this one as was read.
    parts: (Option<RecordedPart>, Option<RecordedPart>),
    echoes: Echoes,
    /// True if a channel has its name from what stands around the log alone: who served it, and not what it is.
    named_around: bool,
    repeats: bool,
    /// True for a log that has the bytes as they were sent: what is no message in it was sent so.
    verbatim: bool,
    /// True once a message was spelled out with the type of each value: in others only some value may be.
    typed: bool,
}

impl<'s> Out<'s> {
    pub(crate) fn new(sink: &'s mut dyn FrameSink, source: u32, overrides: &'s Overrides) -> Out<'s> {
        Out {
            sink,
            source,
            overrides,
            zoning: overrides.zoning(),
            key_asked: false.into(),
            key: Key::Asked,
            key_told: None,
            channels: 0,
            cut_at: None,
            passed: None,
            gap_at: None,
            put_at: 0,
            read: 0..0,
            given: 0..0,
            heads: Heads::default(),
            heard: Heard::default(),
            line: None,
            waiting: Vec::new(),
            lacks: false,
            turns: Turns::default(),
            in_turns: false,
            said: Said::default(),
            file_side: None,
            outer: Outer::default(),
            coarse: Vec::new(),
            told_times: false,
            plan: Plan::default(),
            unnamed: Vec::new(),
            twins: Twins::default(),
            parts: Default::default(),
            echoes: Echoes::default(),
            named_around: false,
            repeats: false,
            verbatim: false,
            typed: false,
        }
    }

    /// The line that is read next stands in the file as it is here.
    pub(crate) fn reads(&mut self, line: &Line<'_>) {
        let start = line.bytes.as_ptr().addr();
        self.line = Some((start..start + line.bytes.len(), line.offset));
    }

    /// True if a text is a part of the line that is read, and its place is where it stands.
    fn is_in_file(&self, place: &Place, text: &[u8]) -> bool {
        let Some((line, offset)) = &self.line else { return false };
        let start = text.as_ptr().addr();
        let within = line.start <= start && start + text.len() <= line.end;
        within && place.byte_offset == offset + (start - line.start) as u64
    }

    /// Reads by what was found out about the log.
    pub(crate) fn planned(mut self, plan: Plan) -> Out<'s> {
        self.plan = plan;
        self
    }

    /// Knows what the part of the log before this one handed on.
    pub(crate) fn after(mut self, twins: Twins) -> Out<'s> {
        self.twins = twins;
        self
    }

    /// Reads a part of a log that another one follows, as its name says.
    pub(crate) fn before_another(mut self, is_followed: bool) -> Out<'s> {
        if is_followed {
            self.twins.is_followed();
        }
        self
    }

    /// Reads a part of a recording; `before` is the one that was read before it.
    pub(crate) fn part_behind(mut self, before: Option<RecordedPart>, part: Option<RecordedPart>) -> Out<'s> {
        self.parts = (before, part);
        self
    }

    /// What is missing between the two.
    pub(crate) fn hole(&self) -> Option<Hole> {
        self.parts.1.as_ref()?.hole(self.parts.0.as_ref()?)
    }

    /// The part of a recording that is read, as far as it was.
    pub(crate) fn part(&mut self) -> Option<&mut RecordedPart> {
        self.parts.1.as_mut()
    }

    /// What the part of the log after this one has to know.
    pub(crate) fn delivered(self) -> (Twins, Option<RecordedPart>) {
        (self.twins.of_next(), self.parts.1)
    }

    /// Notes a record that is read as one, by its digest; true if the part of the log before this one delivered it.
    pub(crate) fn was_delivered(&mut self, record: u64) -> bool {
        self.twins.was_delivered(record)
    }

    /// True if messages were lost of it, or not read.
    pub(crate) fn lacks_messages(&self) -> bool {
        self.lacks || self.gap_at.is_some()
    }

    /// True if nothing was read of it.
    pub(crate) fn has_put_none(&self) -> bool {
        self.put_at == 0
    }

    /// Hands on what seems to be logged twice, too: where several connections are in one log, it may be another's.
    pub(crate) fn with_repeats(mut self) -> Out<'s> {
        self.repeats = true;
        self
    }

    /// The log has bytes as they were sent, so that no logger encoded what stands in it.
    pub(crate) fn verbatim(mut self, verbatim: bool) -> Out<'s> {
        self.verbatim = verbatim;
        self
    }

    /// True if a channel has its name from what stands around the log alone.
    pub(crate) fn named_around(&self) -> bool {
        self.named_around
    }

    /// True if what seems to be logged twice is to be handed on.
    pub(crate) fn wants_repeats(&self) -> bool {
        self.repeats
    }

    /// The order in which records are to be read.
    pub(crate) fn order(&self) -> &Order {
        &self.plan.order
    }

    /// Nothing tells what comes first of these lines and what stands beside them.
    pub(crate) fn order_is_not_told(&mut self, lines: impl IntoIterator<Item = u64>) {
        self.plan.unordered.extend(lines);
    }

    /// Reads in the file's name whose messages it holds: `x.client-to-server.jsonl`, `x.s2c.bin`.
    pub(crate) fn named(mut self, name: &str) -> Out<'s> {
        self.file_side = side_in(name);
        self
    }

    /// What the user says of zone and day, for times that do not say it.
    pub(crate) fn zoning(&self) -> &Zoning {
        &self.zoning
    }

    /// What the user says tells connections apart.
    pub(crate) fn connection_key(&self) -> Option<Vec<String>> {
        self.key_asked.set(true);
        match &self.key {
            Key::Asked => self.overrides.connection_key.clone(),
            Key::Inside(keys) => Some(keys.clone()),
            Key::Taken | Key::Around => None,
        }
    }

    /// True if the user says that the log holds everything.
    pub(crate) fn is_said_whole(&self) -> bool {
        self.overrides.whole
    }

    /// The key is the reader's that asks now.
    pub(crate) fn take_key(&mut self) {
        self.key_asked.set(true);
        self.key = Key::Taken;
    }

    /// The key is looked for around the messages.
    pub(crate) fn look_for_key(&mut self) {
        self.key_asked.set(true);
        self.key = Key::Around;
    }

    /// Whether the key was found at a message.
    pub(crate) fn key_is_told(&mut self, is_told: bool) {
        self.key_told = Some(is_told || self.key_told == Some(true));
    }

    /// True if the key was looked for at messages, and was at none.
    pub(crate) fn key_was_not_told(&self) -> bool {
        self.key_told == Some(false)
    }

    /// Who reads what is inside is asked for these keys, which are what is left of the user's.
    pub(crate) fn pass_key(&mut self, keys: Vec<String>) {
        self.key = Key::Inside(keys);
    }

    /// True if the user named a key and the reader has none to compare it with.
    pub(crate) fn key_was_in_vain(&self) -> bool {
        self.overrides.connection_key.is_some() && self.channels > 0 && !self.key_asked.get()
    }

    /// Announces a channel; what the user says of the log overrules it.
    pub(crate) fn channel(&mut self, mut channel: Channel) -> Result<u32> {
        let index = self.channels;
        self.channels += 1;
        channel.vantage = self.overrides.vantage.unwrap_or(channel.vantage);
        channel.profile = self.overrides.profile.or(channel.profile);
        if self.overrides.whole {
            // In a further part of a recording nothing begins that stands in one before it.
            let is_further = self.parts.1.as_ref().is_some_and(|part| part.part > 1);
            channel.shown_whole = !is_further;
            channel.proof = channel.proof.and(Proof::WHOLE);
        }
        if self.file_side.is_some() {
            channel.proof = channel.proof.and(Proof::DIRECTION).without(Proof::BOTH_SIDES);
        }
        if !self.outer.is_none() {
            let own = channel.name.is_some();
            channel.name = self.outer.name(channel.name);
            self.named_around |= !own && channel.name.is_some();
            if self.outer.is_finer(channel.resolution_us) {
                self.coarse.push(index);
            }
            channel.resolution_us = self.outer.resolution(channel.resolution_us);
        }
        channel.resolution_us = channel.resolution_us.max(self.plan.resolution_us);
        let [lacks, midway] = self.plan.lacks_of(&channel.name);
        channel.proof = channel.proof.without(lacks);
        channel.midway = channel.midway.and(midway);
        // Where two connections are in one stream, a second handshake does not begin another one.
        channel.one_connection |= lacks.covers(Proof::PAIRING);
        if self.plan.unnamed && channel.name.is_none() {
            self.unnamed.push(index);
        }
        self.twins.channel(channel.name.as_deref());
        self.sink.channel(index, channel)?;
        Ok(index)
    }

    /// The logger of what is read from now on, by a digest.
    pub(crate) fn speaks(&mut self, voice: u64) {
        self.echoes.speaks(voice);
    }

    /// The loggers of all records of a text, by the offsets at which these begin.
    pub(crate) fn voices_at(&mut self, voices: Vec<(u64, Option<u64>)>) {
        self.echoes.voices_at(voices);
    }

    /// Hands on a frame made of `place` and `body`.
    #[inline(never)]
    pub(crate) fn put(&mut self, place: &Place, body: Body<'_>) -> Result<()> {
        if !self.waiting.is_empty() {
            self.tell_missing(self.turn_of(place.line))?;
        }
        self.put_at = place.line;
        if matches!(body, Body::Missing(_)) {
            self.gap_at = Some(place.line);
        }
        if (is_strange(&body) || self.typed)
            && let Some(done) = self.strange(place, &body)
        {
            return done;
        }
        let mut place = *place;
        if !self.outer.is_none() && !self.told_times {
            place.at_us = self.outer.settle(place.line, place.at_us);
        }
        if !self.coarse.is_empty() && !self.told_times && self.coarse.contains(&place.channel) {
            place.at_us = self.outer.refine(place.line, place.at_us);
        }
        if let (Direction::Unknown, Some(side)) = (place.direction, self.file_side) {
            place.direction = Direction::By(side);
        }
        match &body {
            Body::Message(captured) => self.read_to_end_of(captured.text),
            Body::Batch { text, .. } => self.read_to_end_of(text),
            _ => {}
        }
        let text = text_of(&body).map(|text| (text, text_hash(text)));
        if let Some((_, hash)) = text
            && let Some((_, main)) = self.plan.loggers
            && has_id(&body).is_some()
            && self.echoes.repeats(&place, hash, main)
        {
            self.skip(place.line, Skip::Duplicate);
            return Ok(());
        }
        if let Some((_, hash)) = text
            && self.plan.hears
            && self.is_quoted(&place, hash)
        {
            self.skip(place.line, Skip::Duplicate);
            return Ok(());
        }
        if let Some((_, hash)) = text
            && (self.plan.twins || self.plan.doubts || self.plan.stutters)
            && let Some(has_id) = has_id(&body)
        {
            match self.twins.knows(&self.plan, &place, hash, has_id) {
                Known::No => {}
                Known::Yes => {
                    self.skip(place.line, Skip::Duplicate);
                    return Ok(());
                }
                Known::Perhaps => self.doubt(&place, if has_id { Why::Guessed } else { Why::Twice })?,
            }
        }
        if !self.unnamed.is_empty() && text.is_some() && self.unnamed.contains(&place.channel) {
            self.may_be_of_any(&place)?;
        }
        if !self.plan.unordered.is_empty() && text.is_some() && self.plan.unordered.contains(&place.line) {
            self.unordered(&place)?;
        }
        let in_file = text.filter(|(text, _)| self.is_in_file(&place, text)).map(|(_, hash)| hash);
        let mut frame = Frame { in_file, ..place.frame(self.source, body) };
        if let Body::Message(captured) = &mut frame.body
            && self.plan.wrote_id_of(&captured.message)
        {
            (captured.message.kind, captured.message.id) = (Kind::Notification, IdField::Absent);
        }
        if self.said.fresh && matches!(frame.body, Body::Message(_) | Body::Batch { .. }) {
            self.keep_time();
        }
        self.sink.frame(&frame)
    }

    /// A time as the log writes it; it is that of the messages put from now on.
    #[inline]
    pub(crate) fn said(&mut self, time: &str) {
        self.said.newest.clear();
        self.said.newest.push_str(time);
        self.said.fresh = true;
    }

    fn keep_time(&mut self) {
        self.said.fresh = false;
        self.said.last.clone_from(&self.said.newest);
        if self.said.first.is_none() {
            self.said.first = Some(self.said.newest.clone());
        }
    }

    /// Tells the sink the first and the last time, as they are written in the log.
    pub(crate) fn tell_times(&mut self) {
        if let Some(first) = &self.said.first {
            self.sink.times(first, &self.said.last);
        }
    }

    /// Goes into a record of a wrapper: what is put from now on comes from the log called `key` in it.
    pub(crate) fn enter(&mut self, key: &str, line: u64, at_us: Option<i64>, resolution_us: Option<i64>) {
        self.outer.enter(key, line, at_us, resolution_us);
    }

    /// Goes into the log called `key` again, at its end.
    pub(crate) fn enter_again(&mut self, key: &str) {
        self.outer.push(key);
    }

    /// The time of the record that was gone into last.
    pub(crate) fn wrapper_time(&self) -> Option<i64> {
        self.outer.newest()
    }

    /// The reader gives every message the time that it has, with what the wrapper tells of it.
    pub(crate) fn times_are_told(&mut self, told: bool) {
        self.told_times = told;
    }

    /// A time of a channel's own clock, made finer by when the wrapper says that its record was written.
    pub(crate) fn refined(&self, channel: u32, written_us: Option<i64>, own: Option<i64>) -> Option<i64> {
        if self.coarse.contains(&channel) { Outer::refined(written_us, own) } else { own }
    }

    /// Leaves the log called `key`.
    pub(crate) fn leave(&mut self, key: &str) {
        self.outer.pop(key);
    }

    /// The line that was found cut off, where there was one.
    pub(crate) fn cut_at(&self) -> Option<u64> {
        self.cut_at
    }

    /// True if a line of so many bytes, the one that was given last, is no message and none stands within it.
    pub(crate) fn passed_over(&self, line: u64, length: usize) -> bool {
        self.passed == Some((line, Skip::NotAMessage)) && self.given.len() == length && self.read.is_empty()
    }

    /// How far the file was read.
    pub(crate) fn progress(&mut self, bytes: u64) {
        self.sink.progress(bytes);
    }

    /// A text that the format promises to be a message, and nothing but white space after it: a message, a batch or
    /// malformed. A text that ends in the middle of a value where the log itself ends (`log_ends`) was cut by whoever
    /// copied the log, which is no fault of either side: it is passed over.
    pub(crate) fn promised(&mut self, place: &Place, text: &str, log_ends: bool) -> Result<()> {
        self.promised_or(place, text, |out, fault| {
            (fault.cut && log_ends).then(|| out.skip(place.line, Skip::CutOff)).map(Ok)
        })
    }

    /// The same, and `lost` may say what a text is instead that is no message.
    pub(crate) fn promised_or(
        &mut self,
        place: &Place,
        text: &str,
        lost: impl FnOnce(&mut Self, &Unparsable) -> Option<Result<()>>,
    ) -> Result<()> {
        let start = skip_white(text.as_bytes(), 0);
        match parse_at::<Facts<'_>>(text, start) {
            Ok((parsed, end)) => match rest_of(text, end) {
                None => self.put(place, body(text, start..end, parsed)),
                // It was cut just behind a message: that is whole, and what came after it is lost.
                Some(rest) if is_mark(&text[end + rest..]) => {
                    self.put(place, body(text, start..end, parsed))?;
                    self.put(place, Body::gap(None))
                }
                // The header of the next frame: the dump of a connection stands in a log of lines.
                Some(rest) if is_header(&text[end + rest..]) => self.put(place, body(text, start..end, parsed)),
                Some(_) => self.malformed(place, text.as_bytes(), MORE_TEXT),
            },
            Err(fault) => {
                if let Some(said) = lost(self, &fault) {
                    return said;
                }
                match self.plan.is_cut(text) || fault.cut && self.may_be_cut(text) {
                    true => self.put(place, Body::gap(Some(1))),
                    false => self.malformed(place, text.as_bytes(), &in_words(&fault)),
                }
            }
        }
    }

    /// True for a text with a message that a size limit cut.
    pub(crate) fn is_cut(&self, text: &str) -> bool {
        self.plan.is_cut(text)
    }

    /// True for a text in a record of a shipper that is longer than every message of the log's head.
    fn may_be_cut(&self, text: &str) -> bool {
        !self.outer.is_none() && self.is_longest(text)
    }

    /// True for a text that is longer than every message of the log's head: where it breaks off, a limit of its size may have cut it.
    pub(crate) fn is_longest(&self, text: &str) -> bool {
        text.len() > self.plan.longest
    }

    /// Bytes that should have been a message. Another record within them was written by somebody else at the same time: both are lost.
    pub(crate) fn malformed(&mut self, place: &Place, bytes: &[u8], reason: &str) -> Result<()> {
        if self.heads.stand_in(bytes) {
            return self.put(place, Body::gap(Some(2)));
        }
        if let Ok(text) = std::str::from_utf8(bytes)
            && text.starts_with(['{', '['])
            && value_end(bytes, 0).is_none()
            && (self.plan.is_cut(text) || self.may_be_cut(text))
        {
            return self.put(place, Body::gap(Some(1)));
        }
        match self.decoded(place, bytes) {
            Some(done) => done,
            None => self.put(place, Body::Malformed { bytes, reason: reason.to_string() }),
        }
    }
}
