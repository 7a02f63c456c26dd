//! HTTP: an answer belongs to the request of the POST whose response carried it.
//!
//! Several clients may share a connection of the log, and use the same ids at the same time. Requests in flight that share
//! an id live beside each other, each on the stream of its own POST; the newest is in front, where all else looks for it.
//! What comes on the stream of one of them is about that one, which is brought to the front while the message is
//! taken. What comes on another stream (one that a GET opened, a resumed one) is paired by id.

use super::seen::{FrameId, Seen};
use super::state::{Conn, Incoming, Opener, Slot, Step};
use crate::capture::Proof;
use crate::jsonrpc::{Id, IdField};
use crate::protocol::{Facts, Side};

/// What was brought to the front: the id, and the stream of the request that was there before.
pub(super) struct Focus {
    id: Id,
    stream: u32,
    front: Option<u32>,
}

impl Conn {
    /// The request that opened a stream, answered or not.
    pub(super) fn opener(&self, stream: Option<u32>) -> Option<&Opener> {
        self.streams.get(&stream?)
    }

    /// Brings the request of the message's own stream to the front, where another one with its id is.
    pub(super) fn focus(&mut self, stream: Option<u32>, m: Option<&Incoming<'_>>) -> Option<Focus> {
        if self.beside.is_empty() || m.is_some_and(|m| m.sender == Side::Client) {
            return None;
        }
        let stream = stream?;
        let id = match m.map(|m| (m.message.kind.is_response(), &m.message.id)) {
            Some((true, IdField::Value(id))) => id.clone(),
            _ => match m.and_then(|m| Facts::id(m.facts.token())).and_then(|token| self.beside_with(stream, &token)) {
                Some(id) => id,
                None => self.streams.get(&stream)?.id.clone(),
            },
        };
        let own = self.beside.remove(&(stream, id.clone()))?;
        let front = self.side_mut(Side::Client).live.insert(id.clone(), own);
        let front = front.and_then(|slot| {
            let stream = slot.exchange.stream?;
            self.beside.insert((stream, id.clone()), slot);
            Some(stream)
        });
        Some(Focus { id, stream, front })
    }

    /// The request of an array that gave a token, where its id is another one's in front.
    fn beside_with(&self, stream: u32, token: &Id) -> Option<Id> {
        let mut own = self.beside.iter().filter(|((of, _), slot)| *of == stream && slot.gave(token));
        own.next().map(|((_, id), _)| id.clone())
    }

    /// Puts the newest request to the front again. What was answered is done with: its id is another request's now.
    pub(super) fn unfocus(&mut self, step: &mut Step<'_>, focus: Option<Focus>) {
        let Some(Focus { id, stream, front: Some(front) }) = focus else { return };
        let Some(front) = self.beside.remove(&(front, id.clone())) else { return };
        let Some(own) = self.side_mut(Side::Client).live.insert(id.clone(), front) else { return };
        if own.exchange.in_flight() {
            self.beside.insert((stream, id), own);
        } else {
            self.flush(step, Side::Client, own);
        }
    }

    /// What comes by id alone is about a request in flight, where the newest with that id is not.
    pub(super) fn front_in_flight(&mut self, step: &mut Step<'_>, issuer: Side, id: &Id) {
        let waits = |slot: Option<&Slot>| slot.is_some_and(|slot| slot.exchange.in_flight());
        if self.beside.is_empty() || issuer != Side::Client || waits(self.slot(issuer, id)) {
            return;
        }
        let same = self.beside.iter().filter(|((_, other), _)| other == id);
        let newest = same.max_by_key(|(_, slot)| slot.exchange.request.frame).map(|((stream, _), _)| *stream);
        let Some(own) = newest.and_then(|stream| self.beside.remove(&(stream, id.clone()))) else { return };
        if let Some(front) = self.side_mut(issuer).live.insert(id.clone(), own) {
            self.flush(step, issuer, front);
        }
    }

    /// Keeps a request in flight whose id is used again on another stream; `false` where the streams do not differ.
    pub(super) fn keep_beside(&mut self, m: &Incoming<'_>, old: Box<Slot>) -> Result<(), Box<Slot>> {
        let stream = old.exchange.stream.filter(|_| old.exchange.in_flight() && m.sender == Side::Client);
        match stream.filter(|stream| m.stream.is_some_and(|now| now != *stream)) {
            Some(stream) => {
                self.beside.insert((stream, old.exchange.id.clone()), old);
                Ok(())
            }
            None => Err(old),
        }
    }

    /// What comes on a stream that no request in the log opened is paired by its name alone: where several clients may share the
    /// log, it may be another one's, whose request is not in it.
    pub(super) fn may_be_anothers(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let elsewhere = |stream: u32| {
            let own = self.slot(issuer, id).and_then(|slot| slot.exchange.stream);
            !self.streams.contains_key(&stream) && own.is_some_and(|own| own != stream)
        };
        if !self.facts.proof.covers(Proof::CLIENT) && m.stream.is_some_and(elsewhere) {
            self.guessed_about(m.seen.frame, m.line);
        }
    }

    /// The answered request whose stream a message came on, where its id is another request's by now.
    pub(super) fn done_on(&self, stream: Option<u32>, issuer: Side, id: &Id) -> Option<(Seen, Seen)> {
        let opener = self.opener(stream).filter(|opener| opener.issuer == issuer && opener.id == *id)?;
        let newer = self.slot(issuer, id).is_none_or(|slot| slot.exchange.request.frame != opener.request.frame);
        Some((opener.request, opener.answer.filter(|_| newer)?))
    }

    /// Notes on the stream of a request that it was answered.
    pub(super) fn answered_on(&mut self, stream: Option<u32>, request: FrameId, answer: Seen) {
        if let Some(opener) = stream.and_then(|stream| self.streams.get_mut(&stream))
            && opener.request.frame == request
        {
            opener.answer = Some(answer);
        }
    }
}
