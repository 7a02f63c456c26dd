//! Takes what a source holds: every frame is stored, and judged in the same pass where the database is new.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use super::audit::{JUDGED_WITH, after_append, finish};
use super::cleaning::Cleaning;
use super::judge::Judge;
use super::keys::Channels;
use super::lookout::Lookout;
use super::own_order::OwnOrder;
use super::parts::{Parts, Waiting};
use super::watcher::{Watcher, told};
use super::{Options, Progress};
use crate::capture::{Body, Channel, Delivered, Direction, Frame, FrameSink, Missing, Skip, Why};
use crate::error::Result;
use crate::session::{Followed, Opened, Session};
use crate::store::{Ground, Store};

/// How often an interrupt is looked for, in frames.
const INTERRUPT_MASK: u64 = 1023;

/// A fold in the same pass.
pub(super) struct Live<'s> {
    pub session: Session,
    pub judge: Judge<'s>,
    pub lookout: Lookout,
    pub own_order: OwnOrder,
}

/// The sink of all sources of one run.
pub(super) struct Intake<'s, 'p> {
    pub store: &'s Store,
    pub ground: Ground<'s>,
    /// `None` where the frames are only stored, to be folded from the store afterwards.
    pub live: Option<Live<'s>>,
    pub channels: Channels,
    /// What waits for the next part of a log.
    pub parts: Parts,
    /// Connections that got frames.
    pub touched: BTreeSet<u32>,
    /// Of the current source: lines passed over (how many, the first).
    pub skipped: BTreeMap<Skip, (u64, u64)>,
    /// Its first and last time, as written.
    pub times: Option<(String, String)>,
    pub frames: u64,
    /// The name of the source before, and what it delivered.
    pub delivered: (String, Delivered),
    /// The hop that the current source is of.
    pub hop: Option<usize>,
    /// Where secrets are to be replaced.
    pub cleaning: Option<Cleaning>,
    pub options: &'p Options,
    pub progress: &'p mut dyn Progress,
    /// Who is told of the frames, where a log is followed.
    pub watcher: Option<&'s Mutex<dyn Watcher>>,
}

impl<'s, 'p> Intake<'s, 'p> {
    /// Takes sources into a store; they are judged in the same pass where it is new.
    pub(super) fn new(store: &'s Store, options: &'p Options, progress: &'p mut dyn Progress) -> Result<Self> {
        let live = match store.is_new() {
            true => Some(Live {
                session: Session::new(options.settings),
                judge: Judge::new(store, &options.selection)?.following(&options.hops),
                lookout: Lookout::default(),
                own_order: OwnOrder::default(),
            }),
            false => None,
        };
        Ok(Intake {
            store,
            ground: store.ground()?,
            live,
            channels: Channels::new(options.overrides.profile),
            parts: Parts::default(),
            touched: BTreeSet::new(),
            skipped: BTreeMap::new(),
            times: None,
            frames: 0,
            delivered: Default::default(),
            hop: None,
            cleaning: options.redact.as_ref().map(|custom| Cleaning::new(custom, store)).transpose()?,
            options,
            progress,
            watcher: None,
        })
    }

    /// The same, and somebody is told of all that passes.
    pub(super) fn watched(mut self, watcher: &'s Mutex<dyn Watcher>) -> Self {
        self.live = self.live.map(|live| Live { judge: live.judge.watched(watcher, &self.options.selection), ..live });
        self.watcher = Some(watcher);
        self
    }

    /// Ends the fold, or folds again what was touched; gives how much was followed from hop to hop.
    pub(super) fn finish(self) -> Result<Vec<Followed>> {
        let Intake { store, mut ground, live, touched, options, progress, .. } = self;
        ground.finish()?;
        store.index_ground()?;
        let followed = match live {
            Some(Live { session, judge, own_order, .. }) => finish(store, session, judge, (own_order, options))?,
            None => after_append(store, &touched, options, progress).map(|()| Vec::new())?,
        };
        store.set_meta(JUDGED_WITH, &options.judged_with())?;
        Ok(followed)
    }
}

impl Intake<'_, '_> {
    fn open(&mut self, opened: Option<Box<Opened>>) {
        let Some(opened) = opened else { return };
        self.touched.insert(opened.id);
        if let Some(watcher) = self.watcher {
            told(watcher).opened(opened.id, &opened.key);
        }
        if let Some(live) = &mut self.live {
            live.judge.place(opened.id, self.hop);
            if self.watcher.is_none() {
                live.own_order.open(&opened);
            }
            live.session.open(*opened);
        }
    }
}

impl FrameSink for Intake<'_, '_> {
    fn channel(&mut self, index: u32, mut channel: Channel) -> Result<()> {
        let clean = channel.name.as_ref().zip(self.cleaning.as_ref()).and_then(|(name, cleaning)| cleaning.name(name));
        channel.name = clean.or(channel.name);
        let opened = self.channels.channel(index, channel, self.store, &mut self.ground)?;
        self.open(opened);
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        match self.cleaning.take() {
            None => self.take(frame),
            Some(mut cleaning) => {
                let done = self.take(&cleaning.frame(frame.clone()));
                self.cleaning = Some(cleaning);
                done
            }
        }
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.skipped.entry(why).or_insert((0, line)).0 += 1;
    }

    fn progress(&mut self, bytes: u64) {
        self.progress.bytes(bytes);
    }

    fn times(&mut self, first: &str, last: &str) {
        self.times = Some((first.to_string(), last.to_string()));
    }
}

impl Intake<'_, '_> {
    fn take(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.frames += 1;
        if self.frames & INTERRUPT_MASK == 0 {
            self.options.go_on()?;
        }
        if !self.parts.is_idle() {
            return self.in_turn(frame);
        }
        let (connection, opened) = self.channels.place(frame, self.store)?;
        self.placed(connection, opened, frame)
    }

    /// Puts a frame, and what earlier parts of its log told before it, or keeps both for the next part.
    fn in_turn(&mut self, frame: &Frame<'_>) -> Result<()> {
        let (track, opened) = self.channels.track(frame, self.store)?;
        self.open(opened);
        let by_time = track.map_or(self.parts.holds_any(), |track| self.channels.is_by_time(track));
        let stream = self.parts.stream(frame);
        let renumbered = (stream != frame.stream).then(|| Frame { stream, ..frame.clone() });
        let frame = renumbered.as_ref().unwrap_or(frame);
        if !by_time {
            return self.put_on(track, frame);
        }
        while let Some(earlier) = self.parts.before(frame.at_us) {
            self.settle(earlier)?;
        }
        if !self.parts.keep(track, frame) {
            return self.put_on(track, frame);
        }
        self.parts.too_much().map_or(Ok(()), |first| self.give(&first))
    }

    /// Ends a source: all that earlier parts told has its place.
    pub(super) fn end_part(&mut self) -> Result<()> {
        while let Some(earlier) = self.parts.rest() {
            self.settle(earlier)?;
        }
        self.parts.end();
        Ok(())
    }

    fn settle(&mut self, waiting: Waiting) -> Result<()> {
        self.parts.keep_on(waiting).map_or(Ok(()), |due| self.give(&due))
    }

    fn give(&mut self, waiting: &Waiting) -> Result<()> {
        waiting.frame.give(&mut Given { intake: self, track: waiting.track })
    }

    fn put_on(&mut self, track: Option<usize>, frame: &Frame<'_>) -> Result<()> {
        let (connection, opened) = self.channels.place_on(track, frame, self.store)?;
        self.placed(connection, opened, frame)
    }

    #[inline]
    fn placed(&mut self, connection: u32, opened: Option<Box<Opened>>, frame: &Frame<'_>) -> Result<()> {
        if opened.is_some() || self.channels.has_mixed() {
            self.begun(opened, frame)?;
        }
        self.put(connection, frame)
    }

    /// What a frame brings before it: a connection that begins, and others that were mixed with its own.
    fn begun(&mut self, opened: Option<Box<Opened>>, frame: &Frame<'_>) -> Result<()> {
        self.open(opened);
        for mixed in self.channels.take_mixed() {
            let body = Body::Missing(Missing::new(Why::Mixed));
            self.put(
                mixed,
                &Frame { body, stream: None, in_file: None, direction: Direction::Unknown, ..frame.clone() },
            )?;
        }
        Ok(())
    }

    fn put(&mut self, connection: u32, frame: &Frame<'_>) -> Result<()> {
        let id = self.ground.frame(connection, frame)?;
        if let Some(watcher) = self.watcher {
            told(watcher).frame(id, frame);
        }
        if let Some(Live { session, judge, lookout, own_order }) = &mut self.live {
            if let Some(kind) = lookout.look(connection, frame) {
                session.secret(id, connection, frame.at_us, kind);
            }
            judge.frame(id, connection, frame);
            session.push(id, connection, frame, judge);
            own_order.frame(id, connection, frame);
            judge.failed()?;
        }
        Ok(())
    }
}

/// Takes a frame that has waited.
struct Given<'i, 's, 'p> {
    intake: &'i mut Intake<'s, 'p>,
    track: Option<usize>,
}

impl FrameSink for Given<'_, '_, '_> {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.intake.put_on(self.track, frame)
    }

    fn skipped(&mut self, _: u64, _: Skip) {}

    fn progress(&mut self, _: u64) {}
}
