//! The handshake: who declared what, and how far the connection has come.

use std::hash::Hasher;

use super::event::What;
use super::race::{Judgement, Leg};
use super::state::{Conn, Incoming, Slot, Step};
use crate::capture::Proof;
use crate::jsonrpc::{Id, IdField, Kind};
use crate::protocol::{Capabilities, Facts, Side, by_name, peer_name};

/// How many cursors are remembered for a connection; in one with more none is judged.
const CURSORS: usize = 65_536;

/// Ids from here on are not taken for those of a client that counts from 0 or 1.
const COUNTED: i64 = 10_000;

/// A cursor as it was meant, whatever its escapes.
fn cursor_key(raw: &str) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(Facts::text(Some(raw)).unwrap_or_default().as_bytes());
    hasher.finish()
}

impl Conn {
    /// A client that goes to work before it has said that the handshake is over: said once (rule LIF005). To cancel the
    /// handshake is no work, and may have crossed its answer.
    pub(super) fn note_operation(&mut self, m: &Incoming<'_>) {
        let life = &mut self.facts.lifecycle;
        if life.initialized.is_some()
            || life.initialize_answer.is_none()
            || life.initialize_failed
            || m.sender != Side::Client
        {
            return;
        }
        let opening = &m.profile.opening;
        let exempt = [opening.initialize, opening.exit].contains(&Some(m.message.method()));
        if !exempt && m.profile.client_waits(m.message.kind, m.message.method()) {
            life.operated_early = true;
        }
    }

    /// Whether the capture starts with the first message: told by the first request, where the protocol has a handshake.
    pub(super) fn note_head(&mut self, m: &Incoming<'_>, method: &str) {
        if self.head_known {
            return;
        }
        self.head_known = true;
        // Where nothing tells clients apart, another one may have been there before.
        let alone = self.facts.proof.covers(Proof::CLIENT) && !self.answered_first;
        if alone && is_first(m, method) {
            self.facts.missing.begin(m.seen.frame);
        } else if Some(method) != m.profile.opening.initialize {
            self.facts.starts_midway = m.profile.opening.initialize.is_some() && !self.facts.complete_head();
        }
    }

    pub(super) fn cancels_initialize(&self, m: &Incoming<'_>) -> bool {
        let Some((method, _)) = m.profile.cancel else { return false };
        if m.message.kind != Kind::Notification || m.message.method() != method || m.sender != Side::Client {
            return false;
        }
        let id = Facts::id(m.facts.request_id()).or(Facts::id(m.facts.param_id()));
        let slot = id.and_then(|id| self.slot(Side::Client, &id));
        slot.is_some_and(|slot| Some(&*slot.exchange.method) == m.profile.opening.initialize)
    }

    /// The answer to an attempt of the handshake. A refusal counts for the last attempt only; once one has succeeded, it is done.
    pub(super) fn initialize_answered(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let life = &self.facts.lifecycle;
        if issuer != Side::Client || life.initialize_answer.is_some() && !life.initialize_failed {
            return;
        }
        let Some(exchange) = self.slot(issuer, id).map(|slot| &slot.exchange) else { return };
        let request = exchange.request;
        let handshake = Some(&*exchange.method) == self.facts.profile.opening.initialize;
        let failed = m.message.kind == Kind::Error;
        if !handshake || failed && life.initialize != Some(request) {
            return;
        }
        let life = &mut self.facts.lifecycle;
        life.initialize_answer = Some(m.seen);
        life.initialize_failed = failed;
        self.facts.revision_asked = false;
        self.negotiated = Facts::told(m.facts.revision()).map(Into::into);
        if let Some(revision) = self.negotiated.clone().filter(|_| !failed) {
            self.agree_on(&revision);
        }
        self.meet(m);
    }

    /// The handshake has agreed on a revision: what its client asked for counts no more. What one asks for that nobody knows here is told
    /// by nothing.
    fn agree_on(&mut self, revision: &str) {
        let spoken = self.facts.profile;
        let unknown = !self.profile_fixed && spoken.agrees_on_revision();
        let unknown = unknown && by_name(spoken.name, Some(revision)).is_none();
        if let Some(profile) = by_name(spoken.name, None).filter(|_| unknown) {
            self.facts.profile = profile;
            (self.facts.revision_assumed, self.facts.revision_strange) = (true, true);
        }
    }

    /// Where there is no handshake, the server declares itself when it is asked to.
    pub(super) fn discovered(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let asked = || self.slot(issuer, id).is_some_and(|slot| &*slot.exchange.method == "server/discover");
        let handshake = self.facts.lifecycle.initialize.is_some();
        let alone = m.profile.revision_per_request && !handshake;
        if alone && issuer == Side::Client && m.message.kind == Kind::Result && asked() {
            self.facts.lifecycle.discovered.get_or_insert(m.seen);
            self.meet(m);
        }
    }

    /// The answer to an attempt that the log does not show. It ends the handshake like any other.
    pub(super) fn greeted_before(&mut self, m: &Incoming<'_>) {
        let life = &mut self.facts.lifecycle;
        if life.initialize_answer.is_none() || life.initialize_failed {
            life.initialize_answer = Some(m.seen);
            life.initialize_failed = false;
            self.facts.revision_asked = false;
            self.meet(m);
        }
    }

    pub(super) fn step_lifecycle(&mut self, m: &Incoming<'_>, method: &str) {
        let opening = m.profile.opening;
        let life = &mut self.facts.lifecycle;
        if Some(method) == opening.initialize {
            let anew = life.initialize_answer.is_some() && !life.initialize_failed && life.shutdown.is_none();
            if m.sender == Side::Client {
                life.first_initialize.get_or_insert(m.seen);
            }
            // One that was refused, or is not answered yet, gives way to the next: each is an attempt of its own.
            if m.sender == Side::Client && (life.initialize_answer.is_none() || life.initialize_failed) {
                life.initialize = Some(m.seen);
                life.initialize_answer = None;
                life.initialize_failed = false;
                self.facts.handshake_token = Facts::id(m.facts.work_done_token());
            }
            // What goes on behind it may be another life of the server: nothing rests on what was before it.
            if m.sender == Side::Client && anew && !self.facts.separated {
                self.guessed_about(m.seen.frame, m.line);
                self.legs.iter_mut().for_each(Leg::forget);
            }
            self.meet(m);
            return;
        }
        if m.sender != Side::Client {
            return;
        }
        if Some(method) == opening.shutdown {
            life.shutdown.get_or_insert(m.seen);
        }
        if life.initialize.is_none() && m.profile.must_follow_initialize(method) {
            life.early_request.get_or_insert(m.seen);
        }
    }

    /// Tells of the first request before a handshake; where the revision is not known yet, the handshake tells it, or nothing does.
    pub(super) fn early_request(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, method: &str) {
        if self.early_request.is_some() {
            if Some(method) == m.profile.opening.initialize {
                self.release_early_request(step);
            }
        } else if self.facts.lifecycle.early_request.is_some_and(|early| early.frame == m.seen.frame) {
            self.early_request = Some(Box::new((m.seen, method.to_string())));
            if !self.facts.revision_assumed {
                self.release_early_request(step);
            }
        }
    }

    /// Tells of it now.
    pub(super) fn release_early_request(&mut self, step: &mut Step<'_>) {
        if let Some(held) = self.early_request.take() {
            let (seen, method) = *held;
            self.emit(step, self.facts.profile, seen, Some(Side::Client), What::EarlyRequest { method: &method });
        }
    }

    /// A message that uses what one side had to declare in the handshake, and did not.
    pub(super) fn undeclared_feature(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if m.message.method.is_none() {
            return;
        }
        let Some((by, needs)) = m.profile.feature(m.message.method(), m.facts) else { return };
        let own = m.profile.method(m.message.method()).is_some_and(|method| method.sender.may_be(m.sender));
        if !own {
            return;
        }
        let lacks = self.facts.capabilities(by).is_some_and(|declared| !declared.declares(needs));
        if lacks && !self.features_told.contains(&needs) {
            self.features_told.push(needs);
            let what = What::Undeclared { method: m.message.method(), needs, by };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// For a request that goes on from a cursor which no result has given, how sure that is. One whose answer is under way may have given
    /// it: two threads that write one log may put it behind what it brought about.
    pub(super) fn strange_cursor(&self, m: &Incoming<'_>) -> Option<Judgement> {
        let cursor = m.facts.cursor().filter(|raw| raw.starts_with('"') && *raw != "\"\"");
        let strange = cursor.is_some_and(|raw| !self.cursors.contains(&cursor_key(raw)));
        if !strange || m.sender != Side::Client || self.cursors.len() >= CURSORS || m.profile.ruling("LIF022").is_none()
        {
            return None;
        }
        let lists = |slot: &Slot| slot.exchange.in_flight() && *slot.exchange.method == *m.message.method();
        let under_way = self.side(m.sender).live.values().any(|slot| lists(slot));
        Some(Judgement::exact_if(!under_way, "the answer to another request for the list is under way"))
    }

    /// A result that can be gone on from.
    pub(super) fn note_cursor(&mut self, m: &Incoming<'_>) {
        if let Some(raw) = m.facts.next_cursor().filter(|raw| raw.starts_with('"') && self.cursors.len() < CURSORS) {
            self.cursors.insert(cursor_key(raw));
        }
    }

    /// Names and capabilities that a handshake message declares.
    pub(super) fn meet(&mut self, m: &Incoming<'_>) {
        // What a filter has taken something out of may have held anything.
        let declared = m.facts.capabilities().filter(|raw| !Capabilities::are_blotted(raw));
        let capabilities = declared.map(Capabilities::from_json);
        self.facts.introduce(m.sender, m.facts.peer().and_then(peer_name));
        match m.sender {
            Side::Client => self.facts.client = capabilities.or(self.facts.client),
            Side::Server => self.facts.server = capabilities.or(self.facts.server),
        }
    }

    /// The server tells that it can do more, or less: what it had declared before may still have been asked for.
    pub(super) fn declared_anew(&mut self, m: &Incoming<'_>) {
        let more = m.facts.capabilities().map(Capabilities::from_json);
        if let (Some(declared), Some(more)) = (self.facts.server, more) {
            self.facts.server = Some(declared.or(more));
        }
    }

    /// The handshake ends. It also bounds the round trip to the client.
    pub(super) fn initialized(&mut self, step: &Step<'_>, m: &Incoming<'_>) {
        if m.sender != Side::Client {
            return;
        }
        if self.facts.lifecycle.initialized.is_none()
            && let Some(answer) = self.facts.lifecycle.initialize_answer
        {
            self.sample(step, Side::Client, answer, m.seen, true);
        }
        self.facts.lifecycle.initialized.get_or_insert(m.seen);
    }
}

/// True for a request before which its client sent none, as its number tells. Who counts begins with 0 or 1: a handshake with a later
/// number is another attempt, or comes after other requests. Where requests state their revision themselves, any may be the first.
fn is_first(m: &Incoming<'_>, method: &str) -> bool {
    let counted =
        |numbers: std::ops::Range<i64>| matches!(m.message.id, IdField::Value(Id::Int(id)) if numbers.contains(&id));
    match m.profile.opening.initialize {
        Some(handshake) => handshake == method && !counted(2..COUNTED),
        None => m.facts.meta_revision().is_some() && counted(0..2),
    }
}
