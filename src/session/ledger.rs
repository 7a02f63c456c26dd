//! The ledger: what the log does not show of a connection, by stretch and by side. One place is asked by all that
//! concludes from absence or from order.

use super::connection::Connection;
use super::missing::{Shelf, Stretch, Stretches};
use super::seen::FrameId;
use crate::capture::Why;
use crate::protocol::{About, Side};

/// The ledger of one connection.
#[derive(Clone, Copy, Debug)]
pub struct Ledger<'a> {
    connection: &'a Connection,
    shelf: &'a Shelf,
}

/// A connection that has ended, with what its ledger knew: kept for what is asked of several of them.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    connection: Connection,
    shelf: Shelf,
}

impl Kept {
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn ledger(&self) -> Ledger<'_> {
        Ledger::new(&self.connection, &self.shelf)
    }
}

impl<'a> Ledger<'a> {
    pub(super) fn kept(&self) -> Kept {
        let own = |source: &u32| Some((*source, self.shelf.get(source)?.clone()));
        Kept { connection: self.connection.clone(), shelf: self.connection.sources.iter().filter_map(own).collect() }
    }

    pub(super) fn new(connection: &'a Connection, shelf: &'a Shelf) -> Ledger<'a> {
        Ledger { connection, shelf }
    }

    /// A stretch between two frames, themselves included, in which messages of a side (`None`: of either) may be
    /// missing; none where all of it is in the log.
    pub fn hole(&self, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&'a Stretch> {
        let own = self.connection.missing.hole(side, from, to);
        own.or_else(|| self.of_sources().find_map(|stretches| stretches.hole(side, from, to)))
    }

    /// The same of requests and answers alone: whose notification stands there does not matter.
    pub fn call_hole(&self, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&'a Stretch> {
        let own = self.connection.missing.call_hole(side, from, to);
        own.or_else(|| self.of_sources().find_map(|stretches| stretches.call_hole(side, from, to)))
    }

    /// The same as [`Ledger::hole`] for all that was before a frame. What its sources may have missed before it begins can still have been its
    /// own: a first attempt of its handshake, a server that spoke first.
    pub fn hole_before(&self, side: Option<Side>, frame: FrameId) -> Option<&'a Stretch> {
        let begins = self.connection.missing.begins;
        let from = if frame >= begins { begins } else { 0 };
        let own = self.connection.missing.hole(side, from, frame);
        own.or_else(|| self.of_sources().find_map(|stretches| stretches.hole(side, 0, frame)))
    }

    /// The guess that a frame rests on, if any: whose it is, or where it belongs in the order of several files.
    pub fn guess(&self, frame: FrameId) -> Option<&'a Stretch> {
        self.guess_between(frame, frame)
    }

    /// The same of the frames from one to another, both included.
    pub fn guess_between(&self, from: FrameId, to: FrameId) -> Option<&'a Stretch> {
        let lists = std::iter::once(&self.connection.missing).chain(self.of_sources());
        let mut all = lists.flat_map(|stretches| &stretches.list);
        let rests_on = |why: Why| matches!(why, Why::Guessed | Why::Behind | Why::Unordered);
        all.find(|stretch| rests_on(stretch.why) && stretch.covers(None, from, to))
    }

    /// That the log does not tell when this answer came, where it tells it of others.
    pub fn untimed(&self, frame: FrameId) -> Option<&'a Stretch> {
        self.connection.missing.untimed(frame)
    }

    /// The file, read later, that goes back in time behind what an earlier one shows at this time.
    pub fn went_back(&self, at_us: i64) -> Option<&'a Stretch> {
        self.connection.missing.went_back(at_us)
    }

    /// True if what is spoken when this frame comes is a revision that nothing in the log tells: none is named, or the client asked for
    /// one, and the answer may be among what was lost.
    pub fn revision_is_untold(&self, frame: FrameId) -> bool {
        let asked = self.connection.lifecycle.initialize.filter(|_| self.connection.revision_asked);
        self.connection.revision_assumed
            || asked.is_some_and(|asked| self.hole(Some(Side::Server), asked.frame, frame).is_some())
    }

    /// From where on it shows that several connections stand in one stream, if they do.
    pub fn mixed(&self) -> Option<&'a Stretch> {
        self.connection.missing.list.iter().find(|stretch| stretch.why == Why::Mixed)
    }

    /// That records were left out of it, where it turned out so.
    pub fn sampled(&self) -> Option<&'a Stretch> {
        self.connection.missing.list.iter().find(|stretch| stretch.why == Why::Sampled)
    }

    /// True if one of its sources lacks records that were left out of it anywhere.
    pub(super) fn source_lacks_records(&self) -> bool {
        self.of_sources().any(Stretches::lacks_records)
    }

    /// The message of a side between two frames, themselves included, of which a filter has taken something out.
    pub fn taken_out(&self, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&'a Stretch> {
        self.connection.taken_out.iter().find_map(|(_, taken_out)| taken_out.hole(side, from, to))
    }

    /// The same of messages about something alone.
    pub fn unsaid(&self, about: About, side: Option<Side>, from: FrameId, to: FrameId) -> Option<&'a Stretch> {
        let (_, taken_out) = self.connection.taken_out.iter().find(|(kind, _)| *kind == about)?;
        taken_out.hole(side, from, to)
    }

    /// The doubt whether a frame is a message at all.
    pub fn doubt(&self, frame: FrameId) -> Option<&'a Stretch> {
        self.connection.doubtful.as_ref()?.hole(None, frame, frame)
    }

    /// True if messages are missing anywhere.
    pub fn has_gap(&self) -> bool {
        let lists = std::iter::once(&self.connection.missing).chain(self.of_sources());
        let mut all = lists.flat_map(|stretches| &stretches.list);
        all.any(|stretch| matches!(stretch.why, Why::Gap | Why::Unrecorded | Why::Unread | Why::Torn))
    }

    fn of_sources(&self) -> impl Iterator<Item = &'a Stretches> + use<'a> {
        let shelf = self.shelf;
        self.connection.sources.iter().filter_map(move |source| shelf.get(source))
    }
}
