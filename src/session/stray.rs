//! Answers that settle nothing: to no request of the log, to one that was answered, to one whose id is of the other type, and
//! those that stand before their request.

use super::answer::letter;
use super::detail::{Cause, Stray};
use super::event::What;
use super::exchange::Outcome;
use super::race::Judgement;
use super::seen::Seen;
use super::state::{Absorb, Conn, EarlyAnswer, Idless, Incoming, Slot, Step};
use crate::jsonrpc::{Id, IdField, Kind, Ordinal};
use crate::protocol::codes::METHOD_NOT_FOUND;
use crate::protocol::{Profile, Side};

/// How long after its answer a request may be read that was sent before it, in microseconds of the log.
const LATE_US: i64 = 10_000_000;

/// How many answers without an id are remembered for a connection.
const IDLESS: usize = 64;

/// Why it is not proven that a notification was answered.
const MEANT_FOR_REQUEST: &str = "a request was never answered, and this may be meant for it";
const MEANT_FOR_RESPONSE: &str = "that side had sent responses, too, and this may be about one of them";

/// How many streams with answers to nothing are remembered for a connection.
const STRAYED: usize = 65_536;

impl Conn {
    /// Nobody is named. A notification may have caused it, if nothing else has.
    pub(super) fn idless_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let asker = self.side_mut(m.sender.peer());
        asker.untold = (asker.untold.0 + 1, m.seen.frame);
        if let Some(array) = m.batch {
            self.batches.nameless.insert(array);
            let batches = &mut *self.batches;
            batches.reported.extend(batches.answers.get(&array));
        }
        // These two say that no id could be read.
        let unread = matches!(m.message.error_code(), Some(-32700 | -32600));
        if !self.ordered() {
            return self.notification_answered(step, m, unread);
        }
        let asked = self.side(m.sender.peer());
        let Some(notification) = asked.notified.filter(|_| !unread && !asked.nameless) else { return };
        if m.message.id == IdField::Null && self.idless.len() < IDLESS {
            let (seen, sender, profile, error_code) = (m.seen, m.sender, m.profile, m.message.error_code());
            let (answered, is_result) = (asked.answers > 0, m.message.kind == Kind::Result);
            self.idless.push(Idless { seen, sender, profile, error_code, notification, answered, is_result });
        }
    }

    /// Over HTTP the response shows which POST it answers.
    fn notification_answered(&self, step: &mut Step<'_>, m: &Incoming<'_>, unread: bool) {
        let Some((notification, judgement)) = self.answers_notified(m).filter(|_| !unread) else { return };
        let error_code = m.message.error_code();
        let what = What::NotificationAnswered { notification, error_code, cause: Cause::Posted, judgement };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    /// At the end it is known which requests were answered: only one that was not may have been meant. A result for that one would have to
    /// bear its id, and one for a notification or a response may not be: whatever it is for, it breaks the protocol.
    pub(super) fn end_idless(&mut self, step: &mut Step<'_>) {
        for Idless { seen, sender, profile, error_code, notification, answered, is_result } in self.idless.take_all() {
            let asked = self.side(sender.peer());
            let before = |slot: &Slot| slot.exchange.in_flight() && slot.exchange.request.frame < seen.frame;
            let open = asked.superseded || asked.live.values().any(|slot| before(slot));
            if asked.nameless {
                continue;
            }
            // Responses have no method that could not be found.
            let objects = answered && error_code != Some(METHOD_NOT_FOUND);
            let reason = open.then_some(MEANT_FOR_REQUEST).or(objects.then_some(MEANT_FOR_RESPONSE));
            let judgement = reason.filter(|_| !is_result).map_or(Judgement::EXACT, Judgement::undecidable);
            let cause = if reason.is_some() { Cause::Whichever } else { Cause::Alone };
            let what = What::NotificationAnswered { notification, error_code, cause, judgement };
            self.emit(step, profile, seen, Some(sender), what);
        }
    }

    pub(super) fn second_answer(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        id: &Id,
        absorb: Absorb,
        request: Seen,
    ) {
        let issuer = m.sender.peer();
        let Some(slot) = self.slot_mut(issuer, id) else { return };
        if absorb.answers > 0 {
            // Which of the requests with this id it answers cannot be known; the reuse was the other side's fault.
            slot.absorb = slot.absorb.less(false);
            if slot.absorb.answers == 0 {
                // Now each of them was answered, the newest, too.
                self.has_received(m, request);
                self.remember(step, issuer, id);
            }
            return;
        }
        slot.exchange.history.add(letter(m), m.sender, issuer);
        let (answer, asked_on, answered_on) = (slot.exchange.answer, slot.exchange.stream, slot.answered_on);
        let Some(came) = self.answered_before(m, answered_on) else { return self.answer_taken(m, id) };
        let Some(mut judgement) = self.second_answer_on(m, asked_on) else { return };
        if judgement == Judgement::EXACT && (asked_on.is_none() || asked_on != m.stream) {
            judgement = self.used_once(step, m.profile, issuer, id, m.seen);
        }
        if judgement == Judgement::EXACT {
            judgement = came;
        }
        let stray = Stray::Duplicate { request, answer, judgement };
        self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray });
    }

    /// The answer to a request whose first one had come to nobody.
    fn answer_taken(&mut self, m: &Incoming<'_>, id: &Id) {
        if let Some(slot) = self.slot_mut(m.sender.peer(), id) {
            (slot.exchange.answer, slot.answered_on) = (Some(m.seen), m.stream);
        }
    }

    /// Whether an id was no other request's, in flight with it, of which a log shows the second answer: one that the log does not show,
    /// unless ids may be used only once, or count up and have passed it in the log.
    pub(super) fn used_once(
        &self,
        step: &Step<'_>,
        profile: &Profile,
        issuer: Side,
        id: &Id,
        answer: Seen,
    ) -> Judgement {
        match profile.ids_used_once || self.side(issuer).count.holds(Ordinal::of(id)) {
            true => Judgement::EXACT,
            false => self.surely_new(step, issuer, answer),
        }
    }

    pub(super) fn unknown_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let issuer = m.sender.peer();
        // Whatever it answers, the pages that it tells of are there.
        self.note_cursor(m);
        if self.side(issuer).evicted {
            return self.ask_about_answer(m, id);
        }
        self.answered_first |= !self.head_known;
        let older = self.may_answer_older(m, id);
        if greets(m) && (older || self.surely_new(step, Side::Client, m.seen) != Judgement::EXACT) {
            self.greeted_before(m);
        } else if older {
            // An answer to something else: there was more before the log than an attempt.
            self.facts.missing.begin_before();
        }
        let twin = id.twin().filter(|twin| self.slot(issuer, twin).is_some_and(|slot| slot.exchange.in_flight()));
        if let Some(twin) = twin.filter(|_| !older) {
            return self.mistyped_answer(step, m, id, &twin);
        }
        let reason = "it may answer a request from before the log";
        let judgement = Judgement::exact_if(!older, reason);
        let foreign_stream = self.stream_of_another(m, issuer);
        if let Some(stream) = m.stream.filter(|_| !self.ordered() && self.strayed.len() < STRAYED) {
            self.strayed.insert(stream);
        }
        let may_be_early = if self.ordered() { m.seen.at_us.is_some() } else { m.sender == Side::Client };
        if may_be_early && self.early_answers.len() < IDLESS {
            let Incoming { seen, line, sender, profile, .. } = *m;
            let (id, is_error, error_code) = (id.clone(), m.message.kind == Kind::Error, m.message.error_code());
            let naming = self.named_in_answer(m);
            let early = EarlyAnswer { seen, line, sender, profile, id, error_code, is_error, naming, judgement };
            return self.early_answers.push(early);
        }
        // What comes as the response to a POST of the log was asked for there, and not by a request that the log lacks.
        if foreign_stream.is_none() {
            self.miss(step, issuer, id, m.seen, self.named_in_answer(m));
        }
        let stray = Stray::UnknownId { judgement, foreign_stream };
        self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray });
    }

    /// An answer to the request whose id is this one written as the other type, unless an older request had just this id. What comes
    /// as the response to the POST of that request answers no other.
    fn mistyped_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id, twin: &Id) {
        let issuer = m.sender.peer();
        let Some(request) = self.slot(issuer, twin).map(|slot| slot.exchange.request) else { return };
        let own_stream = self.stream_of_another(m, issuer).is_some_and(|asked| asked.frame == request.frame);
        let judgement = if own_stream { Judgement::EXACT } else { self.surely_new(step, issuer, m.seen) };
        let stray = Stray::TypeMismatch { request, judgement, own_stream };
        self.emit(step, m.profile, m.seen, Some(m.sender), What::Stray { id, stray });
        if judgement == Judgement::EXACT {
            self.settle(step, m, issuer, twin);
        }
    }

    /// A request that stands behind its answer: over HTTP since its stream was written down later, elsewhere where its time says
    /// that it came first.
    pub(super) fn claim_early_answer(&mut self, step: &mut Step<'_>, issuer: Side, id: &Id, request: Seen) {
        let ordered = self.ordered();
        let before = |early: &EarlyAnswer| !ordered || early.seen.since(request).is_some_and(|after_us| after_us > 0);
        let own = |early: &EarlyAnswer| early.sender != issuer && early.id == *id && before(early);
        let Some(at) = self.early_answers.iter().position(own) else { return };
        let EarlyAnswer { seen, line, sender, error_code, is_error, .. } = self.early_answers.remove(at);
        self.guessed_about(seen.frame, line);
        let Some(slot) = self.slot_mut(issuer, id) else { return };
        let exchange = &mut slot.exchange;
        exchange.answer = Some(seen);
        exchange.error_code = error_code;
        exchange.outcome = if is_error { Outcome::Error } else { Outcome::Result };
        exchange.history.add(if is_error { 'e' } else { 'r' }, sender, issuer);
        self.remember(step, issuer, id);
    }

    /// What has waited as long as a record may come late answers no request.
    pub(super) fn release_early_answers(&mut self, step: &mut Step<'_>, now: Seen) {
        let waits = |early: &EarlyAnswer| now.since(early.seen).is_none_or(|us| us <= LATE_US);
        if self.ordered() && !self.early_answers.iter().all(waits) {
            let (kept, over) = self.early_answers.take_all().into_iter().partition(waits);
            self.early_answers.extend(kept);
            self.accuse_early_answers(step, over);
        }
    }

    /// At the end it is known which requests stand behind their answers: what is left answers none.
    pub(super) fn end_early_answers(&mut self, step: &mut Step<'_>) {
        let left = self.early_answers.take_all();
        self.accuse_early_answers(step, left);
    }

    fn accuse_early_answers(&mut self, step: &mut Step<'_>, early: Vec<EarlyAnswer>) {
        for EarlyAnswer { seen, sender, profile, id, naming, judgement, .. } in early {
            // A request that had it by now is not missing.
            if self.slot(sender.peer(), &id).is_none() {
                self.miss(step, sender.peer(), &id, seen, naming);
            }
            let stray = Stray::UnknownId { judgement, foreign_stream: None };
            self.emit(step, profile, seen, Some(sender), What::Stray { id: &id, stray });
        }
    }

    /// A log that begins with a handshake may begin with its second attempt: until it is over, something unasked may be the
    /// answer to what went before, unless the log says that it is whole. So may an id that its issuer had counted before the
    /// log, and over HTTP what no POST of the log asked for.
    fn may_answer_older(&self, m: &Incoming<'_>, id: &Id) -> bool {
        let life = &self.facts.lifecycle;
        let over = match m.profile.opening.initialized {
            Some(_) => life.initialized.is_some(),
            None => life.initialize_answer.is_some(),
        };
        let under_way = life.initialize.is_some() && !over;
        // The response to a POST that the log does not show.
        let unopened = !self.ordered() && m.stream.is_some_and(|stream| !self.streams.contains_key(&stream));
        let counted = self.side(m.sender.peer()).count.has_passed(Ordinal::of(id));
        let may = under_way || counted || m.sender == Side::Server && (greets(m) || unopened);
        may && self.facts.missing.head_unstated()
    }

    /// The response to the POST of one request that carries an answer to none: whatever went before, it is not that one's.
    fn stream_of_another(&self, m: &Incoming<'_>, issuer: Side) -> Option<Seen> {
        let asked = self.opener(m.stream).filter(|opener| opener.issuer == issuer && opener.answer.is_none());
        let asked = asked.and_then(|opener| self.slot(issuer, &opener.id));
        asked.filter(|slot| slot.exchange.batch.is_none()).map(|slot| slot.exchange.request)
    }
}

/// True for a result that states a revision, as the one of a handshake does.
fn greets(m: &Incoming<'_>) -> bool {
    m.message.kind == Kind::Result && m.facts.revision().is_some()
}
