//! One message: counted, shown to the envelope rules, then taken as request, response or notification.

use std::hash::Hasher;
use std::rc::Rc;

use super::detail::Batch;
use super::event::What;
use super::exchange::{Exchange, History, Outcome};
use super::ledger::Ledger;
use super::race::Judgement;
use super::seen::Seen;
use super::state::{
    Absorb, Accused, Again, Call, Conn, Created, Handle, Incoming, MessagePlace, Opener, Post, Slot, Step, Suspect,
    Wish, option_ids,
};
use crate::capture::Proof;
use crate::jsonrpc::{Id, IdField, Kind, Message};
use crate::protocol::{Capabilities, Facts, Inquiry, Method, Role, Side, Wanted, names_callee};

/// Age from which a repeated call counts as one (rule CAN025), in microseconds.
const REPEAT_US: i64 = 5_000_000;

impl Conn {
    /// Bytes that should have been a message.
    pub(super) fn malformed(&mut self, step: &mut Step<'_>, place: MessagePlace, reason: &str) {
        let sender = self.stated(place.direction);
        for side in Side::BOTH {
            self.side_mut(side).nameless |= sender.is_none_or(|sender| sender == side);
        }
        self.emit(step, self.facts.profile, place.seen, sender, What::Malformed { reason });
    }

    /// An array; its members follow as messages.
    pub(super) fn batch(&mut self, step: &mut Step<'_>, place: MessagePlace, batch: Batch) {
        let sender = self.stated(place.direction);
        self.emit(step, self.facts.profile, place.seen, sender, What::Batch(batch));
    }

    /// A message.
    pub(super) fn message(
        &mut self,
        step: &mut Step<'_>,
        place: MessagePlace,
        message: &Message<'_>,
        facts: &Facts<'_>,
    ) {
        if let Some(stamps) = place.taps {
            self.taps.insert(place.seen.frame, stamps);
        }
        if !self.suspects.is_empty() {
            self.judge_ripe(step, place.seen);
        }
        let incoming = self.incoming(step, &place, message, facts);
        let told = incoming.told();
        let incoming = Incoming { message: told.as_ref().unwrap_or(message), ..incoming };
        let message = incoming.message;
        self.facts.messages += 1;
        self.facts.unclassified += u64::from(message.kind == Kind::Unclassified);
        if facts.taken_out {
            self.note_taken_out(&incoming);
        }
        self.version(step, &incoming);
        let heard = &mut self.side_mut(incoming.sender).heard_first_us;
        *heard = heard.or(incoming.seen.at_us);
        let cancels_initialize = self.cancels_initialize(&incoming);
        let what = What::Message { message, facts, cancels_initialize, owes_id: self.owes_id(&incoming) };
        self.emit(step, incoming.profile, incoming.seen, Some(incoming.sender), what);
        self.asked_anew(step, &incoming);
        self.undeclared_feature(step, &incoming);
        self.look_at(step, &incoming);
        if incoming.profile.revision_per_request {
            self.note_name(step, &incoming);
        }
        self.posted(step, &incoming);
        let focus = self.focus(incoming.stream, Some(&incoming));
        self.misplaced(step, &incoming);
        if !self.early_answers.is_empty() {
            self.release_early_answers(step, incoming.seen);
        }
        match message.kind {
            Kind::Request => self.request(step, &incoming),
            Kind::Notification => {
                self.side_mut(incoming.sender).notified = Some(incoming.seen);
                self.note_notified(&incoming);
                self.note_on_stream(&incoming);
                self.notification(step, &incoming);
            }
            Kind::Result | Kind::Error => self.answer(step, &incoming),
            Kind::Unclassified => {}
        }
        self.unfocus(step, focus);
        if !cancels_initialize {
            self.note_operation(&incoming);
        }
    }

    /// A request opens an exchange.
    fn request(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        self.facts.requests += 1;
        let (method, known, role) = step.methods.find(self.facts.profile, m.message.method());
        self.note_head(m, &method);
        self.note_era(step, m);
        self.logs.asked |= m.facts.log_level().is_some();
        let IdField::Value(id) = &m.message.id else {
            self.side_mut(m.sender).nameless = true;
            return;
        };
        if self.sent_again(step, m, id, role) {
            return;
        }
        let absorb = self.retire(step, m, id, role);
        let mut slot = self.new_slot(m, id, (method.clone(), known, role), absorb);
        slot.stated = self.stated_capabilities(m);
        let repeats = self.repeats(m, &mut slot);
        let token_in_use = self.token_in_use(m);
        let strange_cursor = self.strange_cursor(m);
        let overlaps = if role == Role::Prompt { self.prompt_in_work(&slot) } else { None };
        self.place(m, id, slot);
        if !self.side(m.sender).early_cancels.is_empty()
            && self.claim_early_cancels(step, m.sender, id, m.seen, &method)
            && !self.ordered()
            && let Some(slot) = self.slot_mut(m.sender, id)
        {
            slot.cancelled_before = true;
        }
        if let Some(slot) = self.slot(m.sender, id) {
            let what = What::Request {
                exchange: &slot.exchange,
                repeats,
                token_in_use,
                overlaps,
                strange_cursor,
                stated_by: self.stated_by(m),
                facts: m.facts,
            };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
        if !self.early_answers.is_empty() {
            self.claim_early_answer(step, m.sender, id, m.seen);
        }
        self.step_lifecycle(m, &method);
        self.early_request(step, m, &method);
        if m.facts.retries && m.profile.revision_per_request {
            self.continue_round(step, m, id);
        }
        if m.facts.choice().is_some() && m.profile.turns {
            self.choose(step, m, id);
        }
        if m.facts.terminal().is_some() && m.profile.turns {
            self.use_terminal(step, m, id);
        }
        if role == Role::Prompt && m.profile.turns {
            self.prompt_somewhere(step, m, id);
        }
        if m.profile.turns_end_idle {
            self.ask_control(step, m, id);
        }
        match role {
            Role::Prompt => self.open_turn(m, id),
            Role::Reload => {
                self.note_session(m, id);
                self.reload(m, id);
            }
            Role::Permission => {
                self.open_permission(m, id);
                self.note_control(step, m);
            }
            _ if m.profile.is_cancel_request(&method) => self.cancel_command(step, m),
            Role::TaskCancel => self.cancel_task(step, m, id),
            Role::CreateToken => {
                if let Some(token) = Facts::id(m.facts.token()) {
                    self.created_tokens.insert(token, Created::by(m.seen, None));
                }
            }
            _ if m.profile.turns => self.note_session(m, id),
            _ => {}
        }
        self.accuse_nested(step, m, id);
        if !self.must_not_be_answered(m.sender, m.profile) {
            self.count_waiting(m.sender.peer(), m.seen);
        }
    }

    fn new_slot(
        &self,
        m: &Incoming<'_>,
        id: &Id,
        method: (Rc<str>, Option<&'static Method>, Role),
        absorb: Absorb,
    ) -> Box<Slot> {
        let (method, known, role) = method;
        let topic = match role {
            Role::TaskCancel | Role::TaskResult | Role::Poll => Facts::text(m.facts.task_id()),
            _ if m.profile.turns => Facts::text(m.facts.session_id()),
            _ => None,
        };
        let spelling = m.message.id_text.filter(|text| !is_usual(text));
        let exchange = Exchange {
            request: m.seen,
            issuer: m.sender,
            id: id.clone(),
            method,
            known,
            name: m
                .facts
                .name()
                .filter(|raw| raw.starts_with('"') && m.message.method.as_deref().is_some_and(names_callee))
                .and_then(|raw| Facts::text(Some(raw)))
                .map(Into::into),
            profile: m.profile,
            parent: None,
            batch: m.batch,
            stream: m.stream,
            answer: None,
            error_code: None,
            outcome: Outcome::InFlight,
            history: History::new(),
            cancels: Vec::new(),
            progress_token: Facts::id(m.facts.progress_token().or(m.facts.work_done_token())),
            progress: 0,
            last_progress: None,
            task: self.task_asked(m),
            stream_closed: None,
            session_closed: None,
        };
        Box::new(Slot {
            exchange,
            role,
            absorb,
            spelling: spelling.map(Into::into),
            answers_before: self.side(m.sender.peer()).answers,
            cancel_void: false,
            cancelled_before: false,
            turn_cancel: None,
            topic: topic.map(|text| Rc::from(&*text)),
            parent: None,
            has_meta: m.facts.meta_revision().is_some() && m.facts.meta_capabilities().is_some(),
            late_progress: Vec::new(),
            progressed: None,
            progressed_on: None,
            progressed_before: None,
            answered_on: None,
            asks_input: false,
            acknowledged: false,
            partial: false,
            work: None,
            worked: None,
            wanted: if known.is_some_and(|known| known.long_lived) {
                Wanted::from_json(m.facts.notifications())
            } else {
                Wanted::default()
            },
            options: m.facts.offered().filter(|_| role == Role::Permission).and_then(option_ids),
            round: if m.profile.revision_per_request {
                Call::new(m.message.method(), m.facts)
            } else {
                Call::default()
            },
            scope: if m.profile.revision_per_request { self.scope_before(m) } else { None },
            terminal: Facts::id(m.facts.terminal()).map(Box::new),
            previous_result: m.facts.previous_result,
            stated: None,
            wish: if m.profile.revision_per_request { Wish::of(m.facts) } else { Wish::default() },
            partial_token: Facts::id(m.facts.partial_result_token()).map(Box::new),
            post: Post::Open,
            hung_up: None,
            call: None,
        })
    }

    /// The capabilities that a request states, read anew only where they differ from those of the request before.
    fn stated_capabilities(&mut self, m: &Incoming<'_>) -> Option<Capabilities> {
        let raw = m.facts.meta_capabilities()?;
        if let Some((text, stated)) = self.stated.as_deref()
            && **text == *raw
        {
            return Some(*stated);
        }
        let stated = Capabilities::from_json(raw);
        self.stated = Some(Box::new((raw.into(), stated)));
        Some(stated)
    }

    /// Puts the exchange where its answer, its progress and its children will look for it.
    fn place(&mut self, m: &Incoming<'_>, id: &Id, mut slot: Box<Slot>) {
        self.adopt(m, &mut slot);
        if let (Some(stream), Side::Client) = (m.stream, m.sender) {
            let opener = Opener { issuer: m.sender, id: id.clone(), request: m.seen, answer: None, has_ids: false };
            self.streams.insert(stream, opener);
            slot.exchange.stream_closed = self.http.held().and_then(|http| http.closed_early.remove(&stream));
        }
        let issued = self.side_mut(m.sender);
        let tokens = [m.facts.progress_token(), m.facts.work_done_token(), m.facts.partial_result_token()];
        for token in tokens.into_iter().flatten() {
            let Some(token) = Id::from_json(token) else { continue };
            // A token that is the request's own id is found by that; it may have been another request's token before.
            if token == *id && slot.exchange.progress_token.as_ref() == Some(id) {
                issued.free_token(&token);
            } else {
                issued.tokens.insert(token, id.clone());
            }
        }
        issued.live.insert(id.clone(), slot);
    }

    /// Finds the exchange that a request of the other side serves, where the protocol shows it.
    fn adopt(&mut self, m: &Incoming<'_>, slot: &mut Slot) {
        let parent = self.turn_parent(m, slot).or_else(|| self.task_parent(m)).or_else(|| self.stream_parent(m));
        let Some(handle) = parent else { return };
        let Some(parent) = self.known_mut(&handle) else { return };
        parent.exchange.history.add('n', m.sender, handle.issuer);
        self.note_nested(&handle, m.message.method(), m.seen);
        slot.exchange.parent = Some(handle.request);
        slot.parent = Some(Box::new(handle));
        if slot.role == Role::Permission {
            slot.turn_cancel = self.turn_cancel(slot.topic.as_ref()).map(Box::new);
        }
    }

    /// A request of the server on the stream of one of the client's.
    pub(super) fn stream_parent(&self, m: &Incoming<'_>) -> Option<Handle> {
        let opener = self.opener(m.stream).filter(|opener| opener.issuer != m.sender)?;
        Some(Handle { issuer: opener.issuer, id: opener.id.clone(), request: opener.request.frame })
    }

    /// The request of the client on whose stream one of the server came, where that states the revision.
    fn stated_by(&self, m: &Incoming<'_>) -> Option<Seen> {
        let opener = self.opener(m.stream.filter(|_| m.sender == Side::Server && m.profile.revision_per_request))?;
        let slot = self.slot(opener.issuer, &opener.id)?;
        let exchange = &slot.exchange;
        let states =
            slot.has_meta && exchange.request.frame == opener.request.frame && exchange.profile.revision_per_request;
        states.then_some(opener.request)
    }

    /// A nested request that comes after the cancel of what it serves.
    fn accuse_nested(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some((cancel, knew)) = self.slot(m.sender, id).and_then(|slot| self.cancelled_before(m, slot)) else {
            return;
        };
        let Some(slot) = self.slot(m.sender, id) else { return };
        if knew {
            let what = What::NestedAfterCancel { exchange: &slot.exchange, cancel, judgement: Judgement::EXACT };
            return self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
        let exchange = Box::new(slot.exchange.clone());
        let crossing = self.crossing(m, cancel, false);
        self.accuse(step, Suspect { crossing, what: Accused::Nested { exchange } });
    }

    /// The cancel of the work that a request serves, and whether its sender has already said itself that the work was cancelled.
    fn cancelled_before(&self, m: &Incoming<'_>, slot: &Slot) -> Option<(Seen, bool)> {
        // A cancelled request binds what serves it only where the protocol says so; a cancelled turn always does.
        if m.profile.turns {
            // What the client asks for is no part of the turn that it has cancelled.
            let of_agent = m.sender == Side::Server;
            return self.turn_cancel(slot.topic.as_ref()).filter(|_| of_agent).map(|cancel| (cancel, false));
        }
        if let Some(task) = Facts::text(m.facts.related_task()) {
            return self.tasks.cancel(m.sender, &task);
        }
        let parent = &self.known(slot.parent.as_deref()?)?.exchange;
        Some((parent.cancel()?.seen, parent.outcome == Outcome::Cancelled))
    }

    /// True for a request that its sender had sent before, on another stream: it may be answered twice, and is one request.
    fn sent_again(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id, role: Role) -> bool {
        let Some(old) = self.slot(m.sender, id) else { return false };
        let broadcast = match self.again(m, old, call_key(m, role)) {
            Again::New => return false,
            Again::Posted => return self.posted_again(m, id),
            Again::Replayed => None,
            Again::Sent(judgement) => Some(judgement),
        };
        if broadcast.is_some() {
            let (earlier, in_flight, method) = (old.exchange.request, old.exchange.in_flight(), m.message.method());
            let what = What::IdReused { id, issuer: m.sender, method, earlier, in_flight, continues: false, broadcast };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
        if let Some(old) = self.slot_mut(m.sender, id) {
            old.absorb.answers += 1;
        }
        true
    }

    /// A request whose first POST came to nothing (a proxy was down, a token had expired) goes on with the second one.
    fn posted_again(&mut self, m: &Incoming<'_>, id: &Id) -> bool {
        let Some(old) = self.slot_mut(m.sender, id) else { return false };
        old.post = Post::Open;
        old.absorb.answers += 1;
        old.exchange.stream = m.stream;
        old.exchange.stream_closed = None;
        let request = old.exchange.request;
        let opener = Opener { issuer: m.sender, id: id.clone(), request, answer: None, has_ids: false };
        self.streams.extend(m.stream.map(|stream| (stream, opener)));
        true
    }

    /// Ends the older instance of an id that is used again, and says how many answers are owed to older ones.
    fn retire(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id, role: Role) -> Absorb {
        let issued = self.side_mut(m.sender);
        issued.count_up(id);
        let Some(old) = issued.live.remove(id) else { return Absorb::default() };
        if self.refused_before(m, &old, role) {
            self.flush(step, m.sender, old);
            return Absorb::default();
        }
        let earlier = old.exchange.request;
        let in_flight = old.exchange.in_flight() && !self.strayed_from(&old) && old.post != Post::Refused;
        let continues = m.facts.retries && old.asks_input && *old.exchange.method == *m.message.method();
        self.side_mut(m.sender).reused.push(m.seen.frame);
        if !in_flight && is_of_no_session(&old) && !m.profile.revision_per_request {
            self.flush(step, m.sender, old);
            return Absorb::default();
        }
        let method = m.message.method();
        // Where an id may be used only once, it is all the same when the first request was answered.
        let open = match m.profile.ruling("RPC011") {
            Some(_) => in_flight && self.facts.missing.untimed(earlier.frame).is_none(),
            None => in_flight || !self.tells_when_answered(),
        };
        let what =
            What::IdReused { id, issuer: m.sender, method, earlier, in_flight: open, continues, broadcast: None };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
        match self.keep_beside(m, old) {
            Ok(()) => Absorb::default(),
            Err(mut old) => {
                if in_flight {
                    old.exchange.outcome = Outcome::Superseded;
                    self.side_mut(m.sender).supersede(&old);
                }
                let cancelled = in_flight && old.exchange.cancel().is_some();
                let absorb = Absorb {
                    answers: old.absorb.answers + u32::from(in_flight),
                    cancelled: old.absorb.cancelled + u32::from(cancelled),
                };
                self.flush(step, m.sender, old);
                absorb
            }
        }
    }

    /// True if the response to the POST of a request came, and answered another one.
    fn strayed_from(&self, slot: &Slot) -> bool {
        slot.exchange.stream.is_some_and(|stream| self.strayed.contains(&stream))
    }

    /// An older request in flight, never cancelled, that gave the same progress token.
    fn token_in_use(&mut self, m: &Incoming<'_>) -> Option<Seen> {
        let token = Facts::id(m.facts.progress_token().or(m.facts.work_done_token()))?;
        let owner = self.token_owner(m.sender, &token)?;
        let slot = self.slot(m.sender, &owner)?;
        let (exchange, in_flight) = (&slot.exchange, slot.is_at_work());
        let open = in_flight || !exchange.in_flight() && !self.tells_when_answered();
        let owner = (open && exchange.cancels.is_empty()).then_some(exchange.request);
        if in_flight {
            self.side_mut(m.sender).take_over(&token);
        }
        owner
    }

    /// An older call in flight, never cancelled, with the same method and parameters.
    fn repeats(&mut self, m: &Incoming<'_>, slot: &mut Slot) -> Option<Seen> {
        let key = call_key(m, slot.role)?;
        slot.call = Some(key);
        let older = self.side_mut(m.sender).calls.insert(key, m.seen);
        older.filter(|older| m.seen.since(*older).is_some_and(|age| age > REPEAT_US))
    }

    /// Takes a latency sample for the leg to `side`. That of one client says nothing of another one's way, and where something is missing
    /// or was guessed in between the two may not belong together; where the clock was set back, too little was measured.
    pub(super) fn sample(&mut self, step: &Step<'_>, side: Side, towards: Seen, back: Seen, quick: bool) {
        let whole = Ledger::new(&self.facts, step.shelf).hole(None, towards.frame, back.frame).is_none();
        if !whole || !self.facts.proof.covers(Proof::CLIENT) || self.clock.stepped_since(towards.frame) {
            return;
        }
        if let (Some(latency), Some(at)) = (back.since(towards), back.at_us) {
            self.legs[super::state::index(side)].sample(at, latency, quick);
        }
    }

    /// Counts requests towards a side that has stopped to answer (rule STK003).
    fn count_waiting(&mut self, side: Side, seen: Seen) {
        let waiting = &mut self.side_mut(side).waiting;
        match waiting {
            Some((_, count)) => *count += 1,
            None => *waiting = Some((seen, 1)),
        }
    }

    /// A side answers again, or the log ends: was it silent for long?
    pub(super) fn end_waiting(&mut self, step: &mut Step<'_>, side: Side, now: Seen) {
        const LONG_US: i64 = 10_000_000;
        let Some((since, requests)) = self.side_mut(side).waiting.take() else { return };
        let Some(for_us) = now.since(since).filter(|us| *us > LONG_US && requests >= 3) else { return };
        let what = What::Stalled { since, requests, for_us };
        self.emit(step, self.facts.profile, now, Some(side), what);
    }
}

/// Method and parameters of a request as one number, where sending the same again means something.
pub(super) fn call_key(m: &Incoming<'_>, role: Role) -> Option<u64> {
    // A handshake must not be cancelled, so that asking again is all that a client can do.
    let handshake = Some(m.message.method()) == m.profile.opening.initialize;
    if handshake || matches!(role, Role::Poll | Role::TaskResult) || m.facts.params_hash == 0 {
        return None;
    }
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(m.message.method().as_bytes());
    hasher.write_u64(m.facts.params_hash);
    hasher.write(m.facts.request_state().unwrap_or_default().as_bytes());
    Some(hasher.finish())
}

/// True for a request of before any session: a client that speaks revisions with a handshake as well asks first by one without, and begins
/// anew where it is refused.
fn is_of_no_session(slot: &Slot) -> bool {
    let exchange = &slot.exchange;
    exchange.profile.revision_per_request || Inquiry::of(&exchange.method) == Some(Inquiry::Discovery)
}

/// True for the usual spelling of an id: a string, or plain digits.
pub(super) fn is_usual(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let plain =
        digits.iter().all(u8::is_ascii_digit) && (digits.len() == 1 || digits.first() != Some(&b'0')) && text != "-0";
    text.starts_with('"') || plain
}

#[cfg(test)]
mod tests {
    use super::is_usual;

    #[test]
    fn an_id_has_one_usual_spelling() {
        let usual = ["0", "7", "-7", "10", "9007199254740993", "\"a\"", "\"07\""];
        assert!(usual.iter().all(|text| is_usual(text)));
        let strange = ["-0", "07", "-07", "00", "1.0", "1e3", "null", "true", "[1]"];
        assert!(!strange.iter().any(|text| is_usual(text)));
    }
}
