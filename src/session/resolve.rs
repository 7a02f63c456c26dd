//! Who sent it, and what is spoken here: both are settled before anything is judged.
//!
//! The first messages of a connection wait until the protocol and the logger's side are known, which the
//! first `initialize` mostly tells. Where the log has no directions, each message's sender is inferred, and marked so.

use super::connection::Directions;
use super::ledger::Ledger;
use super::missing::Stretch;
use super::seen::FrameId;
use super::state::{Conn, Incoming, MessagePlace, Pending, PendingText, Step};
use crate::capture::{Direction, Why};
use crate::jsonrpc::{Defect, Id, IdField, Kind, Message, NoLift, Parsed, parse_at};
use crate::protocol::{
    Facts, Hint, MethodKind, Profile, Sender, ServerCancel, Side, cancel_form, hint, sender_of, settle,
};

/// How many messages wait at most.
const PENDING: usize = 64;

impl Conn {
    /// True once protocol and sides are known.
    pub(super) fn ready(&self, direction: Direction) -> bool {
        let sided = self.logger.is_some() || !matches!(direction, Direction::Sent | Direction::Received);
        self.profile_known && sided && self.pending.is_empty()
    }

    /// Learns what a message tells about protocol and sides.
    pub(super) fn learn(&mut self, message: &Message<'_>, facts: &Facts<'_>, direction: Direction) {
        if !self.profile_fixed {
            // One message of 2.0, and what follows is no 1.0.
            self.versions.two |= !message.defects.has(Defect::JsonrpcMember);
            let sure = self.profile_known && !self.profile_guessed;
            let hint = match hint(message, facts, sure) {
                Hint::Family(profile) if profile.is_version_one() && self.versions.two => Hint::None,
                hint => hint,
            };
            // A request that states its revision speaks for itself; the connection follows only while it knows no better.
            let for_itself = facts.meta_revision().is_some() && self.facts.lifecycle.initialize.is_some();
            if !matches!(hint, Hint::None) && !for_itself {
                let guess = matches!(hint, Hint::Guessed(_));
                let known = (sure || guess && self.profile_known).then_some(self.facts.profile);
                if let Some(profile) = settle(known, hint) {
                    self.set_profile(profile);
                    self.facts.revision_assumed = known.is_none() && matches!(hint, Hint::Family(_));
                    self.facts.revision_asked = matches!(hint, Hint::Asked(_));
                }
                self.profile_guessed = guess && !sure;
            }
            let declared = || {
                [&self.facts.client, &self.facts.server].into_iter().flatten().any(|side| side.mentions_cancellation)
            };
            if self.facts.profile.turns
                && let Some(profile) = self.facts.profile.shown_by_cancel(message.method(), declared)
            {
                self.set_profile(profile);
            }
        }
        if self.logger.is_none()
            && matches!(direction, Direction::Sent | Direction::Received)
            && message.method.is_some()
        {
            let sender = match sender_of(message.method()) {
                Some(Sender::Client) => Side::Client,
                Some(Sender::Server) => Side::Server,
                _ => return,
            };
            self.logger = Some(if direction == Direction::Sent { sender } else { sender.peer() });
        }
    }

    /// Learns whose log it is from an answer: its sender did not ask for it.
    pub(super) fn learn_by_answer(&mut self, step: &Step<'_>, place: &MessagePlace, message: &Message<'_>) {
        let relative = matches!(place.direction, Direction::Sent | Direction::Received);
        if self.logger.is_some() || !relative || !message.kind.is_response() {
            return;
        }
        let Some(asker) = message.id.value().and_then(|id| self.only_open(id)) else { return };
        if !self.other_may_ask(step, asker.peer(), place.seen.frame) {
            self.logger = Some(if place.direction == Direction::Sent { asker.peer() } else { asker });
        }
    }

    /// A message could only be of this revision.
    pub(super) fn revision_shown(&mut self, profile: &'static Profile) {
        if self.facts.revision_assumed && !self.facts.revision_strange {
            self.set_profile(profile);
            self.facts.revision_assumed = false;
        }
    }

    fn set_profile(&mut self, profile: &'static Profile) {
        self.facts.profile = profile;
        self.profile_known = true;
    }

    /// True if no more may wait.
    pub(super) fn waited_enough(&self) -> bool {
        self.pending.len() >= PENDING
    }

    /// Settles for what is known, and takes the waiting messages.
    pub(super) fn settle_for(&mut self, step: &mut Step<'_>) {
        if !self.profile_known {
            self.set_profile(Profile::plain());
        }
        if self.logger.is_none() {
            self.logger = self.facts.vantage.side();
            if self.logger.is_none() {
                self.logger = self.answerer().or(Some(Side::Client));
                self.guessed_logger();
            }
        }
        self.drain(step);
    }

    /// Whose log it is was guessed. Only where a protocol gives the sides different parts, that can accuse the wrong one.
    fn guessed_logger(&mut self) {
        let first = self.pending.iter().find(|pending| pending.is_relative());
        if let Some((frame, line)) = first.map(|pending| (pending.place.seen.frame, pending.place.line))
            && !self.facts.profile.is_plain()
        {
            let frames = (frame, FrameId::MAX);
            self.facts.missing.note(Stretch {
                why: Why::Guessed,
                side: None,
                frames,
                lines: (line, line),
                notifies: false,
            });
        }
    }

    /// Who wrote the log, told by who answers in it: where nothing else is known, answers come from the server.
    fn answerer(&self) -> Option<Side> {
        self.pending.iter().find_map(|pending| {
            let PendingText::Message(text) = &pending.text else { return None };
            let Ok((Parsed::One(message, _), _)) = parse_at::<NoLift>(text, 0) else { return None };
            match pending.place.direction {
                Direction::Sent if message.kind.is_response() => Some(Side::Server),
                Direction::Received if message.kind.is_response() => Some(Side::Client),
                _ => None,
            }
        })
    }

    /// Takes the waiting messages in order.
    pub(super) fn drain(&mut self, step: &mut Step<'_>) {
        for Pending { place, text } in self.pending.take_all() {
            match text {
                PendingText::Message(text) => {
                    if let Ok((Parsed::One(message, facts), _)) = parse_at::<Facts<'_>>(&text, 0) {
                        self.message(step, place, &message, &facts);
                    }
                }
                PendingText::Malformed(reason) => self.malformed(step, place, &reason),
                PendingText::Batch(batch) => self.batch(step, place, batch),
            }
        }
    }

    /// The side a direction means, where the log says so.
    pub(super) fn stated(&self, direction: Direction) -> Option<Side> {
        match direction {
            Direction::By(side) => Some(side),
            Direction::Sent => self.logger,
            Direction::Received => self.logger.map(Side::peer),
            Direction::Unknown => None,
        }
    }

    /// The sender of a message: as stated, else inferred from its method and from what is in flight.
    pub(super) fn sender(
        &mut self,
        step: &mut Step<'_>,
        place: &MessagePlace,
        message: &Message<'_>,
        facts: &Facts<'_>,
    ) -> Side {
        let stated = self.stated(place.direction);
        self.names_senders |= stated.is_some();
        if let Some(why) = self.may_be_none(message, stated) {
            let (frames, lines) = ((place.seen.frame, place.seen.frame), (place.line, place.line));
            self.facts.doubtful.get_or_insert_default().note(Stretch {
                why,
                side: None,
                frames,
                lines,
                notifies: false,
            });
        }
        if let Some(side) = stated {
            return side;
        }
        let (side, sure) = self.guess(message, facts);
        if !sure || message.kind.is_response() && self.other_may_ask(step, side, place.seen.frame) {
            self.guessed_about(place.seen.frame, place.line);
        }
        self.facts.directions = Directions::Inferred;
        step.sink.inferred(place.seen.frame, side);
        side
    }

    /// Why a message without `jsonrpc` may be none: the log names the senders of others and not its own; or no message has that
    /// member, and this one or one before it has others, as messages have of protocols that are not JSON-RPC.
    fn may_be_none(&self, message: &Message<'_>, stated: Option<Side>) -> Option<Why> {
        if !message.defects.has(Defect::JsonrpcMember) {
            return None;
        }
        let foreign = || message.defects.has(Defect::UnknownMember) || self.shows_foreign();
        let versioned = self.versions.two || self.versions.present;
        match stated {
            None if self.names_senders => Some(Why::Doubtful),
            _ if !versioned && self.facts.profile.is_plain() && foreign() => Some(Why::Foreign),
            _ => None,
        }
    }

    /// True if a message of another protocol may have been met.
    fn shows_foreign(&self) -> bool {
        let doubtful = self.facts.doubtful.iter().flat_map(|doubtful| &doubtful.list);
        doubtful.into_iter().any(|stretch| stretch.why == Why::Foreign)
    }

    /// True if the sender of an answer may have asked for the like of it itself, in what the log does not show or was guessed.
    fn other_may_ask(&self, step: &Step<'_>, sender: Side, frame: FrameId) -> bool {
        Ledger::new(&self.facts, step.shelf).hole_before(Some(sender), frame).is_some()
    }

    /// Who sent a message, and whether only that side can have.
    fn guess(&mut self, message: &Message<'_>, facts: &Facts<'_>) -> (Side, bool) {
        match message.kind {
            Kind::Request | Kind::Notification => self.guess_by_method(message, facts),
            _ => match &message.id {
                IdField::Value(id) => {
                    let sure = self.only_open(id);
                    let issuer = sure.or(self.later_open(id)).unwrap_or(match self.slot(Side::Client, id) {
                        None if self.slot(Side::Server, id).is_some() => Side::Server,
                        _ => Side::Client,
                    });
                    (issuer.peer(), sure.is_some())
                }
                _ => (Side::Server, false),
            },
        }
    }

    /// The side that has a request with this id in flight, where only one has.
    fn only_open(&self, id: &Id) -> Option<Side> {
        let open = |side: Side| self.slot(side, id).is_some_and(|slot| slot.exchange.in_flight());
        match (open(Side::Client), open(Side::Server)) {
            (true, false) => Some(Side::Client),
            (false, true) => Some(Side::Server),
            _ => None,
        }
    }

    /// The side whose request with this id is the later one, where both have one in flight: what is asked for the sake of the other
    /// is answered before it.
    fn later_open(&self, id: &Id) -> Option<Side> {
        let asked = |side: Side| {
            self.slot(side, id).filter(|slot| slot.exchange.in_flight()).map(|slot| slot.exchange.request.frame)
        };
        Some(if asked(Side::Client)? < asked(Side::Server)? { Side::Server } else { Side::Client })
    }

    fn guess_by_method(&mut self, message: &Message<'_>, facts: &Facts<'_>) -> (Side, bool) {
        let profile = self.facts.profile;
        if message.kind == Kind::Notification
            && let Some(form) = cancel_form(profile, message.method(), facts)
            && let crate::protocol::Target::Request(id) = &form.target
        {
            let issuer = self.only_open(id);
            // A server may take down a subscription, which is a request of the client.
            let own = profile.server_cancel == ServerCancel::OwnRequests;
            return (issuer.unwrap_or(Side::Client), issuer.is_some() && own);
        }
        match profile.method(message.method()).map(|method| (method.sender, method.kind)) {
            Some((Sender::Client, _)) => (Side::Client, true),
            Some((Sender::Server, _)) => (Side::Server, true),
            // Progress and the like mostly come from where the work is done.
            Some((Sender::Both, MethodKind::Notification)) => (Side::Server, false),
            None if message.kind == Kind::Notification && profile.cancels_by_request() => (Side::Server, true),
            _ => (Side::Client, false),
        }
    }

    /// The sender of a message was guessed, or whose request it names.
    pub(super) fn guessed_about(&mut self, frame: FrameId, line: u64) {
        self.facts.missing.note(Stretch {
            why: Why::Guessed,
            side: None,
            frames: (frame, frame),
            lines: (line, line),
            notifies: false,
        });
    }

    /// The profile that judges one message: its own where it states one, else the connection's.
    pub(super) fn profile_of(&self, message: &Message<'_>, facts: &Facts<'_>) -> &'static Profile {
        if facts.meta_revision().is_none() || self.profile_fixed {
            return self.facts.profile;
        }
        match hint(message, facts, true) {
            Hint::Stated(profile) => profile,
            _ => self.facts.profile,
        }
    }

    /// A message whose sender and profile are known.
    pub(super) fn incoming<'a>(
        &mut self,
        step: &mut Step<'_>,
        place: &MessagePlace,
        message: &'a Message<'a>,
        facts: &'a Facts<'a>,
    ) -> Incoming<'a> {
        let sender = self.sender(step, place, message, facts);
        let profile = self.profile_of(message, facts);
        let MessagePlace { seen, line, stream, batch, .. } = *place;
        Incoming { seen, line, sender, stream, batch, message, facts, profile }
    }
}
