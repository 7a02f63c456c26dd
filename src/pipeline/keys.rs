//! From channels to connections: which one a frame belongs to, where a new one starts, and what its key is.
//!
//! A channel with a name is the same connection in every source; one without is named by its source, and goes on in the next part of a
//! log that was rotated, where that part does not begin one. Where the format does not separate connections, a client that starts anew
//! (`initialize` under an id that was used before, or after a close, or after `shutdown` or `exit`) starts a new connection: `NAME`,
//! `NAME/2` for channels with a name, `SOURCE/1`, `SOURCE/2` for those without.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

mod streams;

use self::streams::Streams;
use crate::capture::{Body, Channel, Direction, Frame, Proof};
use crate::error::Result;
use crate::jsonrpc::{Id, Kind, Message};
use crate::protocol::http::{ResponseHead, may_be_asked_again};
use crate::protocol::{Profile, Side, is_exit, is_shutdown, profiles};
use crate::session::{NO_CONNECTION, Opened};
use crate::store::{Ground, NewConnection, Store, StoredConnection};

/// How many ids of a connection's first requests are remembered: a client that starts anew starts its ids anew.
const FIRST_IDS: usize = 16;

/// How many requests without an answer are remembered of a connection.
const OPEN: usize = 8_192;

/// How far an orderly end has come, in protocols that have one.
#[derive(Clone, Copy, Default)]
struct Goodbye {
    /// The id of `shutdown`, until it is answered.
    asked: Option<u64>,
    /// `shutdown` was sent, and `exit` was not.
    exit_due: bool,
    exited: bool,
}

/// One channel and the connection it is at.
struct Track {
    base: String,
    named: bool,
    nth: u32,
    channel: Channel,
    source: u32,
    index: u32,
    connection: u32,
    /// Ids of the first requests, and which way each went where that is still known: both sides count ids of their own.
    first_ids: Vec<(u64, Option<Direction>)>,
    closed: bool,
    /// What its messages have shown that it can prove.
    shown: Proof,
    goodbye: Goodbye,
    /// The connection that was on this channel before, while it has not said all.
    before: Option<(u32, Goodbye)>,
    /// Requests that were not answered so far: of the connection at which the channel is, and of the one before it.
    open: FxHashMap<u64, Direction>,
    left_open: Option<Box<FxHashMap<u64, u32>>>,
    /// The connection before this one, and the request of this one's handshake, where nothing but that handshake says that the
    /// one before it has ended.
    anew: Option<(u32, u64)>,
    /// The connection of which it was said that an older one goes on beside it.
    mixed: Option<u32>,
    streams: Streams,
    /// The last handshake of HTTP: its stream, and its id.
    greeting: Option<(u32, u64)>,
}

impl Track {
    /// A channel of which nothing is known but what it is called, and whether the log calls it so.
    fn new((base, named): (String, bool), nth: u32, channel: Channel, source: u32, index: u32) -> Track {
        Track {
            base,
            named,
            nth,
            channel,
            source,
            index,
            connection: 0,
            first_ids: Vec::new(),
            closed: false,
            shown: Proof::NONE,
            goodbye: Goodbye::default(),
            before: None,
            open: FxHashMap::default(),
            anew: None,
            left_open: None,
            mixed: None,
            streams: Streams::default(),
            greeting: None,
        }
    }
}

/// All channels seen so far, and those of the source that is being read.
pub(super) struct Channels {
    #[expect(clippy::vec_box, reason = "a list of many doubles its room: of pointers that is little")]
    tracks: Vec<Box<Track>>,
    named: FxHashMap<String, usize>,
    /// Track of each channel of the current source.
    current: Vec<Option<usize>>,
    source: u32,
    source_name: String,
    resumed: bool,
    /// The track of the part before this one, where the source is a part of a rotated log.
    part_before: Option<usize>,
    /// The channel that goes on with that track unless its first message shows that it begins another connection.
    perhaps: Option<Channel>,
    demanded: Option<&'static Profile>,
    handshakes: Vec<&'static str>,
    /// Connections of which it has just shown that they stand beside each other in one stream.
    mixed: Vec<u32>,
}

impl Channels {
    /// No channels yet. `demanded` is what the user says all of them speak.
    pub(super) fn new(demanded: Option<&'static Profile>) -> Channels {
        let mut handshakes: Vec<&str> = profiles().filter_map(|profile| profile.opening.initialize).collect();
        handshakes.sort_unstable();
        handshakes.dedup();
        Channels {
            tracks: Vec::new(),
            named: FxHashMap::default(),
            current: Vec::new(),
            source: 0,
            source_name: String::new(),
            resumed: false,
            part_before: None,
            perhaps: None,
            demanded,
            handshakes,
            mixed: Vec::new(),
        }
    }

    /// True where the last frame has shown that nothing tells messages of two connections apart.
    #[inline]
    pub(super) fn has_mixed(&self) -> bool {
        !self.mixed.is_empty()
    }

    /// Connections of which the last frame has shown that nothing tells their messages apart.
    pub(super) fn take_mixed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.mixed)
    }

    /// Turns to the next source; `resumed` where an earlier run read its beginning, `goes_on` where it is the next part of the log
    /// that was read before it.
    pub(super) fn source(&mut self, id: u32, name: &str, resumed: bool, goes_on: bool) {
        let only = match self.current[..] {
            [Some(at)] if goes_on && !resumed => Some(at),
            _ => None,
        };
        self.part_before = only.filter(|at| !self.tracks[*at].named && !self.tracks[*at].has_ended());
        self.perhaps = None;
        self.source = id;
        self.source_name = name.to_string();
        self.resumed = resumed;
        self.current.clear();
    }

    /// A channel of the current source. Returns the connection that is new to the fold, where there is one.
    pub(super) fn channel(
        &mut self,
        index: u32,
        channel: Channel,
        store: &Store,
        ground: &mut Ground<'_>,
    ) -> Result<Option<Box<Opened>>> {
        let before = self.part_before.take_if(|_| index == 0 && channel.name.is_none());
        let known = channel.name.as_ref().and_then(|name| self.named.get(name).copied()).or(before);
        let known = known.filter(|at| {
            let track = &self.tracks[*at];
            track.source == self.source
                || may_go_on(&track.channel, &channel, track.shown)
                || before.is_some() && is_next_part(&track.channel, &channel, track.shown)
        });
        // Whatever begins here has nothing before it that would dispel its doubts.
        let channel = channel.alone();
        if before.is_some() && known == before {
            self.perhaps = Some(channel.clone());
        }
        let (at, opened) = match known {
            Some(at) => (at, None),
            None => {
                if self.resumed {
                    // Frames of this run may be among those that are counted.
                    ground.finish()?;
                }
                let stored = match (&channel.name, self.resumed) {
                    (Some(name), resumed) => {
                        store.connection_named(name, |stored| resumed || may_go_on(stored, &channel, Proof::NONE))?
                    }
                    (None, true) => store.connection_of(self.source, index)?,
                    (None, false) => None,
                };
                let (track, opened) = match stored {
                    Some(stored) => self.go_on(index, channel, stored, ground),
                    None => self.start(index, channel, store)?,
                };
                self.tracks.push(Box::new(track));
                let at = self.tracks.len() - 1;
                if self.tracks[at].named {
                    self.named.insert(self.tracks[at].base.clone(), at);
                }
                (at, Some(opened))
            }
        };
        if self.current.len() <= index as usize {
            self.current.resize(index as usize + 1, None);
        }
        self.current[index as usize] = Some(at);
        Ok(opened)
    }

    fn start(&self, index: u32, channel: Channel, store: &Store) -> Result<(Track, Box<Opened>)> {
        let (base, named) = match &channel.name {
            Some(name) => (name.clone(), true),
            None => (self.source_name.clone(), false),
        };
        let nth = store.connections_under(&base)?;
        let complete_head = if channel.shown_whole { Some(true) } else { channel.complete_head };
        let channel = Channel { complete_head, ..channel };
        let mut track = Track::new((base, named), nth, channel, self.source, index);
        let opened = track.open_next(store, self.source, self.demanded)?;
        Ok((track, opened))
    }

    /// Goes on with a connection that an earlier run stored.
    fn go_on(
        &self,
        index: u32,
        channel: Channel,
        stored: StoredConnection,
        ground: &mut Ground<'_>,
    ) -> (Track, Box<Opened>) {
        ground.starts_at(stored.opened.id, stored.frames);
        let first_ids =
            stored.first_ids.iter().filter_map(|raw| Id::from_json(raw)).map(|id| (digest(&id), None)).collect();
        let (base, named) = (channel.name.clone().unwrap_or_else(|| self.source_name.clone()), channel.name.is_some());
        let track = Track {
            connection: stored.opened.id,
            first_ids,
            closed: stored.closed,
            ..Track::new((base, named), stored.nth, channel, self.source, index)
        };
        (track, Box::new(stored.opened))
    }

    /// The track of a frame of the source that is read (none where any of its connections may miss what it says), and what the fold has to
    /// open first where it starts a new one.
    pub(super) fn track(&mut self, frame: &Frame<'_>, store: &Store) -> Result<(Option<usize>, Option<Box<Opened>>)> {
        if frame.channel == Frame::WHOLE_SOURCE {
            return Ok((None, None));
        }
        let opened = self.begins_apart(frame, store)?;
        match self.current.get(frame.channel as usize).copied().flatten() {
            Some(at) => Ok((Some(at), opened)),
            // A reader announces a channel before its first frame.
            None => {
                let message = format!("a frame at line {} belongs to no channel", frame.line);
                Err(crate::error::Error::new(crate::error::ErrorKind::Input, message))
            }
        }
    }

    /// True if the messages of a track are in the order of their times, and it is the same in every part of a log.
    pub(super) fn is_by_time(&self, track: usize) -> bool {
        self.tracks[track].named && self.tracks[track].channel.by_time
    }

    /// The connection of a frame, and what the fold has to open first where it starts a new one.
    #[inline]
    pub(super) fn place(&mut self, frame: &Frame<'_>, store: &Store) -> Result<(u32, Option<Box<Opened>>)> {
        if self.perhaps.is_none()
            && let Some(Some(at)) = self.current.get(frame.channel as usize)
        {
            return self.on(*at, frame, store);
        }
        let (track, opened) = self.track(frame, store)?;
        let (connection, next) = self.place_on(track, frame, store)?;
        Ok((connection, next.or(opened)))
    }

    /// The same of a frame of which the track is known; [`NO_CONNECTION`] where it has none.
    pub(super) fn place_on(
        &mut self,
        track: Option<usize>,
        frame: &Frame<'_>,
        store: &Store,
    ) -> Result<(u32, Option<Box<Opened>>)> {
        track.map_or(Ok((NO_CONNECTION, None)), |at| self.on(at, frame, store))
    }

    /// The same on a track that is there.
    #[inline]
    fn on(&mut self, track: usize, frame: &Frame<'_>, store: &Store) -> Result<(u32, Option<Box<Opened>>)> {
        let track = &mut self.tracks[track];
        let mut opened = None;
        if let Some(stream) = frame.stream
            && let Some(connection) = track.streams.earlier.get(&stream)
        {
            return Ok((*connection, None));
        }
        match &frame.body {
            Body::Message(captured) => {
                let message = &captured.message;
                if message.kind == Kind::Request {
                    let greets = self.handshakes.contains(&message.method());
                    if greets && track.starts_anew(message, frame.direction) {
                        track.channel.complete_head = Some(true);
                        track.before = track.goodbye.is_open().then_some((track.connection, track.goodbye));
                        let anew =
                            (!track.has_ended()).then(|| (track.connection, message.id.value().map_or(0, digest)));
                        opened = Some(track.open_next(store, self.source, self.demanded)?);
                        track.streams.take_back(frame.stream);
                        track.anew = anew;
                    } else if let Some(older) = track.clashes(message, frame.direction) {
                        self.mixed.extend(track.beside(older));
                    }
                    track.remember(message, frame.direction);
                    track.note_shutdown(message, frame.direction);
                    track.ask(message, frame.direction);
                    if greets {
                        track.greet(message, frame.stream);
                        track.shown = track.shown.and(Proof::GREETED);
                    }
                } else if let Some(connection) = track.goodbye_of(message, frame.direction) {
                    return Ok((connection, None));
                } else if let Some(connection) = track.answered_of(message, frame.direction) {
                    self.mixed.extend(track.beside(connection));
                    return Ok((connection, None));
                }
            }
            // The log says that the client connects; where it had been at work before, it connects anew.
            Body::Open { .. } if frame.stream.is_none() && track.was_at_work() => {
                track.channel.complete_head = Some(true);
                opened = Some(track.open_next(store, self.source, self.demanded)?);
            }
            Body::Close { .. } | Body::Exit(_) if frame.stream.is_none() => track.closed = true,
            Body::Http { head } => track.responded(frame.stream, head),
            _ => {}
        }
        if let Some(stream) = frame.stream.filter(|_| !track.channel.one_connection) {
            track.streams.note(stream);
        }
        Ok((track.connection, opened))
    }
}

impl Channels {
    /// What the fold has to open where the part of a rotated log that is read does not go on with the part before it.
    fn begins_apart(&mut self, frame: &Frame<'_>, store: &Store) -> Result<Option<Box<Opened>>> {
        if self.perhaps.is_none() || frame.channel != 0 {
            return Ok(None);
        }
        let track = self.current[0].map(|at| &self.tracks[at]);
        let begins = match &frame.body {
            Body::Message(captured) => {
                track.is_some_and(|track| track.is_begun_by(&captured.message, frame.direction, &self.handshakes))
            }
            Body::Open { .. } => true,
            _ => return Ok(None),
        };
        let Some(channel) = self.perhaps.take().filter(|_| begins) else { return Ok(None) };
        let (track, opened) = self.start(0, channel, store)?;
        self.current[0] = Some(self.tracks.len());
        self.tracks.push(Box::new(track));
        Ok(Some(opened))
    }
}

impl Goodbye {
    /// True while something of it is still to come.
    fn is_open(self) -> bool {
        self.asked.is_some() || self.exit_due
    }
}

impl Track {
    fn was_at_work(&self) -> bool {
        !self.channel.one_connection && !self.first_ids.is_empty()
    }

    /// True if a message begins another connection than this one: a handshake, or ids that its sender counts anew.
    fn is_begun_by(&self, message: &Message<'_>, direction: Direction, handshakes: &[&str]) -> bool {
        let Some(id) = message.id.value().map(digest).filter(|_| message.kind == Kind::Request) else { return false };
        let used = self.first_ids.iter().any(|(used, way)| *used == id && way.is_none_or(|way| way == direction));
        handshakes.contains(&message.method()) || used || self.open.get(&id) == Some(&direction)
    }

    /// True for a handshake that begins another connection than this one.
    fn starts_anew(&self, message: &Message<'_>, direction: Direction) -> bool {
        if self.channel.one_connection || direction == Direction::By(Side::Server) {
            return false;
        }
        let id = message.id.value().map(digest);
        let known =
            |(used, way): &(u64, Option<Direction>)| id == Some(*used) && way.is_none_or(|way| way == direction);
        let used = self.first_ids.iter().any(known);
        used || self.has_ended()
    }

    /// True if the log says that the connection has come to its end, or is about to.
    fn has_ended(&self) -> bool {
        self.closed || self.goodbye.exit_due || self.goodbye.exited
    }

    /// The connection before this one, where a request shows that it may go on beside it: its sender has another one in flight
    /// under this id, or still waits for the answer to a handshake.
    fn clashes(&self, message: &Message<'_>, direction: Direction) -> Option<u32> {
        let (older, greeting) = self.anew?;
        let in_flight = |id: &u64| self.open.get(id) == Some(&direction);
        let waits = in_flight(&greeting) && message.method() != "ping";
        (waits || message.id.value().map(digest).is_some_and(|id| in_flight(&id))).then_some(older)
    }

    fn note_shutdown(&mut self, message: &Message<'_>, direction: Direction) {
        if direction != Direction::By(Side::Server) && is_shutdown(message.method()) {
            self.goodbye = Goodbye { asked: message.id.value().map(digest), exit_due: true, exited: false };
        }
    }

    /// Notes what else belongs to an orderly end. Where a server is started anew before the old one has gone, its last messages come
    /// after the first of the new one: they are the old connection's, which is returned.
    fn goodbye_of(&mut self, message: &Message<'_>, direction: Direction) -> Option<u32> {
        if self.before.is_none() && !self.goodbye.is_open() && !is_exit(message.method()) {
            return None;
        }
        if message.kind == Kind::Notification {
            if direction == Direction::By(Side::Server) || !is_exit(message.method()) {
                return None;
            }
            let old = self.before.as_mut().filter(|(_, old)| old.exit_due && !self.goodbye.exit_due);
            let Some((connection, old)) = old else {
                (self.goodbye.exit_due, self.goodbye.exited) = (false, true);
                return None;
            };
            old.exit_due = false;
            return Some(*connection);
        }
        let id = message.id.value().map(digest);
        if !message.kind.is_response() || id.is_none() || direction == Direction::By(Side::Client) {
            return None;
        }
        if id == self.goodbye.asked {
            self.goodbye.asked = None;
            return None;
        }
        let used = self.first_ids.iter().any(|(known, _)| id == Some(*known));
        let (connection, old) = self.before.as_mut().filter(|(_, old)| old.asked == id && !used)?;
        old.asked = None;
        Some(*connection)
    }

    fn ask(&mut self, message: &Message<'_>, direction: Direction) {
        if direction != Direction::By(Side::Server)
            && self.open.len() < OPEN
            && let Some(id) = message.id.value()
        {
            self.open.insert(digest(id), direction);
        }
    }

    /// Remembers a handshake of HTTP, which may be refused.
    fn greet(&mut self, message: &Message<'_>, stream: Option<u32>) {
        if let Some((stream, id)) = stream.zip(message.id.value()) {
            self.greeting = Some((stream, digest(id)));
        }
    }

    /// A handshake that was refused for the time being (for lack of credentials, at this place) has begun nothing: the one that follows is
    /// this connection's, and uses its id for the first time.
    fn responded(&mut self, stream: Option<u32>, head: &str) {
        let Some((_, id)) = self.greeting.filter(|(own, _)| stream == Some(*own)) else { return };
        let Some(head) = ResponseHead::read(head) else { return };
        self.greeting = None;
        if may_be_asked_again(head.status) {
            self.first_ids.retain(|(known, _)| *known != id);
            self.open.remove(&id);
        }
    }

    /// Two connections of this channel that go on beside each other; none where it is known.
    fn beside(&mut self, older: u32) -> Vec<u32> {
        let known = self.mixed == Some(self.connection);
        self.mixed = Some(self.connection);
        if known { Vec::new() } else { vec![older, self.connection] }
    }

    /// An answer to what only the connection before this one has asked is that one's, which is returned: it goes on beside the new one.
    fn answered_of(&mut self, message: &Message<'_>, direction: Direction) -> Option<u32> {
        if !message.kind.is_response() || direction == Direction::By(Side::Client) {
            return None;
        }
        let id = digest(message.id.value()?);
        if let Some(asked) = self.open.remove(&id) {
            if answers(asked, direction) {
                self.shown = self.shown.and(Proof::ANSWERED);
            }
            return None;
        }
        self.left_open.as_mut()?.remove(&id)
    }

    fn remember(&mut self, message: &Message<'_>, direction: Direction) {
        if self.first_ids.len() < FIRST_IDS
            && let Some(id) = message.id.value()
        {
            self.first_ids.push((digest(id), Some(direction)));
        }
    }

    /// Stores the next connection of this channel.
    fn open_next(&mut self, store: &Store, source: u32, demanded: Option<&'static Profile>) -> Result<Box<Opened>> {
        let key = loop {
            self.nth += 1;
            let key = match (self.named, self.nth) {
                (true, 1) => self.base.clone(),
                (_, nth) => format!("{}/{nth}", self.base),
            };
            // Taken by a channel of that very name, or by a source that was rotated.
            if !store.has_key(&key)? {
                break key;
            }
        };
        self.source = source;
        let id = store.add_connection(NewConnection {
            key: &key,
            base: &self.base,
            nth: self.nth,
            named: self.named,
            source,
            channel_index: self.index,
            channel: &self.channel,
            demanded,
        })?;
        self.streams.leave(self.connection);
        let old = self.connection;
        let left_open = !self.open.is_empty();
        self.left_open = left_open.then(|| Box::new(self.open.drain().map(|(asked, _)| (asked, old)).collect()));
        self.connection = id;
        self.first_ids.clear();
        self.closed = false;
        self.anew = None;
        self.goodbye = Goodbye::default();
        Ok(Box::new(Opened { id, key, channel: self.channel.clone(), demanded }))
    }
}

/// True if a channel of another source with the same name may be the same connection: one begins once, and speaks one revision. A part
/// that shows less than the first (a filter took parameters out, two connections stand in it) is one of its own: what the first can
/// prove would be held against it.
fn may_go_on(old: &Channel, new: &Channel, shown: Proof) -> bool {
    let cut_elsewhere = new.complete_head == Some(false) && old.complete_head == Some(true);
    !cut_elsewhere && is_next_part(old, new, shown)
}

/// The same for the next part of a rotated log, in which nothing begins.
fn is_next_part(old: &Channel, new: &Channel, shown: Proof) -> bool {
    let begins_again = new.complete_head == Some(true) && old.complete_head.is_some();
    let other = match (old.profile, new.profile) {
        (Some(old), Some(new)) => !std::ptr::eq(old, new),
        _ => false,
    };
    !begins_again && !other && new.proof_behind(shown).covers(old.proof)
}

/// True for two directions of which the log says that they are opposite.
fn answers(asked: Direction, answered: Direction) -> bool {
    use Direction::{By, Received, Sent};
    matches!((asked, answered), (By(Side::Client), By(Side::Server)) | (Sent, Received) | (Received, Sent))
}

fn digest(id: &Id) -> u64 {
    let mut hasher = FxHasher::default();
    id.hash(&mut hasher);
    hasher.finish()
}
