//! One of two logs, held whole: what each of its connections holds, in the order of the log.

use rustc_hash::FxHashMap;

use super::super::keys::Channels;
use super::super::{Options, Progress};
use super::event::HeldFrame;
use crate::capture::{
    self, Body, Channel, Direction, Frame, FrameSink, Missing, Overrides, Resume, Skip, Source, Vantage, Why,
};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;
use crate::session::{NO_CONNECTION, Opened};
use crate::store::{Ground, Keep, NewSource, Store};

/// How much text of a log is held.
const HELD_BYTES: usize = 256 << 20;

/// How often an interrupt is looked for, in frames.
const INTERRUPT_MASK: usize = 1023;

/// A log that was read and not yet judged.
pub(super) struct Log {
    pub side: Side,
    pub source: Box<dyn Source>,
    pub connections: Vec<Held>,
    /// What any of its connections may miss.
    pub anywhere: Vec<HeldFrame>,
    pub skipped: Vec<(u64, Skip)>,
    pub times: Option<(String, String)>,
    pub end: Resume,
}

/// A connection of a log.
pub(super) struct Held {
    /// Its name in the log, or what it is called for want of one.
    pub key: String,
    /// True if a name of the log is its own: no other connection bears it.
    pub named: bool,
    /// Where it was taken, by what the log says itself.
    pub taken_at: Option<Side>,
    pub channel: Channel,
    pub events: Vec<HeldFrame>,
}

impl Log {
    /// Reads the log that was taken at `side`.
    pub(super) fn read(path: &str, side: Side, options: &Options, progress: &mut dyn Progress) -> Result<Log> {
        let mut source = capture::open(path, &Overrides { vantage: None, ..options.overrides.clone() })?;
        progress.source(source.name(), source.size());
        let mut scratch = Store::passing(Keep::Findings { text: 0 })?;
        scratch.begin()?;
        let new = NewSource { name: source.name(), format: source.format(), reason: source.reason() };
        let id = scratch.add_source(new)?;
        let mut channels = Channels::new(options.overrides.profile);
        channels.source(id, source.name(), false, false);
        let mut reading = Reading {
            side,
            options,
            progress,
            channels,
            ground: scratch.ground()?,
            store: &scratch,
            at: FxHashMap::default(),
            connections: Vec::new(),
            anywhere: Vec::new(),
            skipped: Vec::new(),
            times: None,
            seq: 0,
            bytes: 0,
        };
        let end = source.read(id, Resume::default(), &mut reading)?;
        let Reading { mut connections, anywhere, skipped, times, .. } = reading;
        connections.retain(|held| !held.events.is_empty());
        only_names_of_one(&mut connections);
        Ok(Log { side, source, connections, anywhere, skipped, times, end })
    }
}

/// Of a name under which a client started anew nobody knows which life the other log begins with.
fn only_names_of_one(connections: &mut [Held]) {
    let mut lives: FxHashMap<Option<String>, u32> = FxHashMap::default();
    connections.iter().for_each(|held| *lives.entry(held.channel.name.clone()).or_default() += 1);
    connections.iter_mut().for_each(|held| held.named &= lives.get(&held.channel.name) == Some(&1));
}

/// Takes frames as they are read.
struct Reading<'r> {
    side: Side,
    options: &'r Options,
    progress: &'r mut dyn Progress,
    channels: Channels,
    store: &'r Store,
    ground: Ground<'r>,
    /// Where each connection stands in the list, by its number in the store.
    at: FxHashMap<u32, usize>,
    connections: Vec<Held>,
    anywhere: Vec<HeldFrame>,
    skipped: Vec<(u64, Skip)>,
    times: Option<(String, String)>,
    seq: u64,
    bytes: usize,
}

impl Reading<'_> {
    fn open(&mut self, opened: Option<Box<Opened>>) {
        let Some(opened) = opened else { return };
        let Opened { id, key, channel, .. } = *opened;
        self.at.insert(id, self.connections.len());
        let named = channel.name.as_ref() == Some(&key);
        let taken_at = channel.vantage.side();
        let vantage = if self.side == Side::Client { Vantage::Client } else { Vantage::Server };
        let channel = Channel { vantage, ..channel };
        self.connections.push(Held { key, named, taken_at, channel, events: Vec::new() });
    }

    fn hold(&mut self, connection: u32, frame: &Frame<'_>) {
        let event = HeldFrame::new(self.side, self.seq, frame);
        self.seq += 1;
        self.bytes += event.text().map_or(0, str::len);
        let held = match connection {
            NO_CONNECTION => Some(&mut self.anywhere),
            id => self.at.get(&id).map(|at| &mut self.connections[*at].events),
        };
        if let Some(events) = held {
            events.push(event);
        }
    }
}

impl FrameSink for Reading<'_> {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        let opened = self.channels.channel(index, channel, self.store, &mut self.ground)?;
        self.open(opened);
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        if self.seq as usize & INTERRUPT_MASK == 0 {
            self.options.go_on()?;
        }
        let (connection, opened) = self.channels.place(frame, self.store)?;
        self.open(opened);
        for mixed in self.channels.take_mixed() {
            let body = Body::Missing(Missing::new(Why::Mixed));
            self.hold(mixed, &Frame { body, stream: None, direction: Direction::Unknown, ..frame.clone() });
        }
        self.hold(connection, frame);
        if self.bytes > HELD_BYTES {
            let message = "logs that are merged are held whole, and this one is over 256 MiB";
            return Err(Error::new(ErrorKind::Input, message).hint("`rpctape extract` makes a log of a part of it"));
        }
        Ok(())
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.skipped.push((line, why));
    }

    fn times(&mut self, first: &str, last: &str) {
        self.times = Some((first.to_string(), last.to_string()));
    }

    fn progress(&mut self, bytes: u64) {
        self.progress.bytes(bytes);
    }
}
