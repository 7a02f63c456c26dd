//! What HTTP says beside the messages: the verb, the headers that the log shows, and the status.
//!
//! A log shows some headers and leaves out others. That one is not there is held against a side only where the log shows
//! the same header on another of its requests: then the log keeps it, and the side knows it.

use super::event::What;
use super::http_stream::{HttpStream, Shown};
use super::message::call_key;
use super::race::Judgement;
use super::seen::{FrameId, Seen};
use super::state::{Again, Conn, Incoming, Post, Slot, Step};
use crate::capture::Proof;
use crate::jsonrpc::{Id, IdField, Kind};
use crate::protocol::http::{RequestHead, ResponseHead, may_be_asked_again, refuses};
use crate::protocol::{Facts, Role, Side};

/// Why a message may come on another stream than its own.
pub(super) const UNSEEN: &str = "the log does not show whether the stream resumes another";
/// Why an error behind a notification proves nothing.
const NO_STATUS: &str = "the log does not show its status, and it may say why the notification was not accepted";
/// How many streams are remembered for a connection.
const STREAMS: usize = 4096;
/// How many answers are remembered that a stream has brought.
const BROUGHT: usize = 64;

impl Conn {
    /// The head of a request or a response.
    pub(super) fn head(
        &mut self,
        step: &mut Step<'_>,
        seen: Seen,
        stream: Option<u32>,
        sender: Option<Side>,
        head: &str,
    ) {
        let (Some(stream), Some(sender)) = (stream, sender) else { return };
        while self.http.streams.len() >= STREAMS {
            self.http.streams.pop_first();
        }
        match sender {
            Side::Client => {
                let Some(head) = RequestHead::read(head) else { return };
                self.http.shows_resumed |= head.resumes;
                self.http.streams.insert(stream, HttpStream { request: Some((seen, head)), ..HttpStream::default() });
            }
            Side::Server => {
                let Some(head) = ResponseHead::read(head) else { return };
                let refused = refuses(head.status);
                let known = self.http.streams.entry(stream).or_default();
                known.response = Some((seen, head));
                self.responded(step, seen, stream);
                if refused {
                    self.post_refused(step, stream);
                }
            }
        }
    }

    fn responded(&mut self, step: &mut Step<'_>, seen: Seen, stream: u32) {
        let http = &self.http;
        let Some(own) = http.streams.get(&stream) else { return };
        let (Some((asked, request)), Some((_, response))) = (&own.request, &own.response) else { return };
        let ended = http.ended.as_ref().filter(|(at, session)| {
            at.frame < asked.frame && request.session.as_deref().is_some_and(|named| *named == **session)
        });
        let ended = ended.map(|(at, _)| *at);
        let ends = &*request.verb == "DELETE" && (200..300).contains(&response.status);
        let session = request.session.clone().filter(|_| ends);
        let issued = response.session.is_some();
        let shows_buffering = http.shows_buffering || response.buffering.is_some();
        if http.is_streamable() {
            let what = What::Responded { stream: own, ended, shows_buffering };
            self.emit(step, self.facts.profile, seen, Some(Side::Server), what);
        }
        self.http.issued |= issued;
        self.http.shows_buffering = shows_buffering;
        if let Some(session) = session {
            self.http.ended.get_or_insert((seen, session));
        }
    }

    /// What an event of a stream says beside its data.
    pub(super) fn sse(&mut self, stream: Option<u32>, event: &str) {
        self.http.endpoint |= event.contains("\"endpoint\"");
        let opener = stream.and_then(|stream| self.streams.held()?.get_mut(&stream));
        if let Some(opener) = opener.filter(|_| event.contains("\"id\"")) {
            opener.has_ids = true;
        }
    }

    /// True if the client has taken up a stream again since.
    pub(super) fn came_back(&self, since: Seen) -> bool {
        let mut heads = self.http.streams.values().filter_map(|stream| stream.request.as_ref());
        heads.any(|(seen, head)| head.resumes && seen.frame > since.frame)
    }

    pub(super) fn http_closed(&mut self, stream: u32) {
        if let Some(stream) = self.http.streams.get_mut(&stream) {
            stream.closed = true;
        }
    }

    /// A stream is closed of which the log has not shown what opened it.
    pub(super) fn note_closed_early(&mut self, stream: u32, seen: Seen) {
        while self.http.closed_early.len() >= STREAMS {
            self.http.closed_early.pop_first();
        }
        self.http.closed_early.insert(stream, seen);
    }

    /// The frame in which a stream was opened, as far as the log shows it.
    pub(super) fn opened(&self, stream: u32) -> Option<FrameId> {
        let head = self.http.streams.get(&stream).and_then(|stream| stream.request.as_ref());
        let asked = self.streams.get(&stream).map(|opener| opener.request.frame);
        head.map(|(seen, _)| seen.frame).into_iter().chain(asked).min()
    }

    /// A notification of the client is the whole body of a POST.
    pub(super) fn note_notified(&mut self, m: &Incoming<'_>) {
        let Some(stream) = m.stream.filter(|_| m.sender == Side::Client && m.batch.is_none()) else { return };
        while self.http.notified.len() >= STREAMS {
            self.http.notified.pop_first();
        }
        self.http.notified.insert(stream, m.seen);
    }

    /// The notification whose POST a message of the server answers, and how sure it is that none should: an error may say why the
    /// notification was not accepted.
    pub(super) fn answers_notified(&self, m: &Incoming<'_>) -> Option<(Seen, Judgement)> {
        let notification = *self.http.notified.get(&m.stream.filter(|_| m.sender == Side::Server)?)?;
        match (m.message.kind, self.status_of(m.stream)) {
            (Kind::Error, Some(status)) if status >= 300 => None,
            (Kind::Error, None) => Some((notification, Judgement::undecidable(NO_STATUS))),
            _ => Some((notification, Judgement::EXACT)),
        }
    }

    /// Whether a response without an id should have one. What answers no request has none that it could bear: an error may say so why a
    /// notification or a response was refused, in protocols that give HTTP statuses a meaning.
    pub(super) fn owes_id(&self, m: &Incoming<'_>) -> Option<Judgement> {
        let may_lack = m.message.id == IdField::Absent && m.message.kind == Kind::Error && !m.profile.is_plain();
        let refuses = may_lack && m.sender == Side::Server && m.stream.is_some() && self.opener(m.stream).is_none();
        match self.status_of(m.stream).filter(|_| refuses) {
            Some(400..) => None,
            None if refuses => Some(Judgement::undecidable(NO_STATUS)),
            _ => Some(Judgement::EXACT),
        }
    }

    /// The status of the response that a message came with.
    pub(super) fn status_of(&self, stream: Option<u32>) -> Option<u16> {
        self.http.streams.get(&stream?)?.status()
    }

    /// True unless the log shows that a response is of one piece.
    pub(super) fn is_streamed(&self, stream: Option<u32>) -> bool {
        let head = stream.and_then(|stream| self.http.streams.get(&stream)).and_then(|stream| stream.response.as_ref());
        head.is_none_or(|(_, head)| head.content_type.is_none() || !head.is_of(&["application/json"]))
    }

    /// A message of the client is the body of a POST: do its headers say what it says?
    pub(super) fn posted(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if m.sender != Side::Client || self.http.streams.is_empty() {
            return;
        }
        let is_streamable = self.http.is_streamable();
        let Some(own) = m.stream.and_then(|stream| self.http.streams.get_mut(&stream)) else { return };
        match m.message.kind {
            Kind::Request => own.requests += u32::from(is_streamable),
            _ => (own.others, own.told) = (own.others + 1, Some(m.seen.frame)),
        }
        if !is_streamable {
            return;
        }
        let own = m.stream.and_then(|stream| self.http.streams.get(&stream));
        let Some((_, head)) = own.and_then(|own| own.request.as_ref()) else { return };
        let opening = m.profile.opening;
        let handshake = Some(m.message.method()) == opening.initialize;
        // Only a client that has gone on has had the answer to its handshake.
        let greeted = self.facts.lifecycle.initialized.is_some() || Some(m.message.method()) == opening.initialized;
        let bound = !handshake && (greeted || m.profile.revision_per_request);
        let shown = self.http.shown;
        let shows = Shown {
            session: shown.session || self.http.issued && head.session.is_some(),
            revision: shown.revision || head.revision.is_some(),
            method: shown.method || head.method.is_some(),
            name: shown.name || head.name.is_some(),
        };
        // Of several clients each has agreed on a version of its own.
        let one_client = self.facts.proof.covers(Proof::CLIENT);
        let bound = bound && (one_client || m.profile.revision_per_request);
        let negotiated = self.negotiated.as_deref();
        let what = What::Posted { head, message: m.message, facts: m.facts, shown, bound, negotiated };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
        self.http.shown = shows;
        if step.sink.wants_flaws() && m.message.kind == Kind::Request && m.profile.revision_per_request {
            self.look_at_head(step, m);
        }
    }

    /// Notes which answers a stream has brought that its own request did not ask for.
    pub(super) fn brought(&mut self, stream: Option<u32>, id: &Id) {
        let Some(stream) = stream.filter(|stream| !self.streams.contains_key(stream)) else { return };
        if let Some(own) = self.http.streams.get_mut(&stream).filter(|own| own.brought.len() < BROUGHT) {
            own.brought.push(id.clone());
        }
    }

    /// A message of the server on a stream that it does not belong on.
    pub(super) fn misplaced(&self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if m.sender != Side::Server || m.stream.is_none() {
            return;
        }
        if m.profile.revision_per_request {
            return self.on_anothers_stream(step, m);
        }
        let Some(listening) = m.stream.and_then(|stream| self.http.streams.get(&stream)) else { return };
        let (true, Some(id)) = (m.message.kind.is_response() && listening.listens(), m.message.id.value()) else {
            return;
        };
        let Some(slot) = self.slot(Side::Client, id).filter(|slot| slot.exchange.in_flight()) else { return };
        // Where the POST was only taken, the answer has nowhere else to come: the transport of 2024-11-05, which issues no sessions.
        let status = self.status_of(slot.exchange.stream);
        let answered_there = status == Some(200) || status == Some(202) && self.http.issued;
        if answered_there && self.http.is_streamable() {
            let own = slot.exchange.stream.and_then(|stream| self.http.streams.get(&stream));
            // A client that has lost the stream takes it up again, and a log that leaves out the header does not show that. Nobody
            // takes up what had not begun when he asked.
            let asked = slot.exchange.request.frame;
            let behind = listening.request.as_ref().is_none_or(|(get, _)| get.frame > asked);
            let lost = behind && own.is_some_and(|own| own.closed) && !self.http.shows_resumed;
            let judgement = Judgement::exact_if(!lost, UNSEEN);
            let what = What::Misplaced { exchange: &slot.exchange, stream: None, judgement };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// Where each request has a response of its own, nothing that belongs to one comes with another's.
    fn on_anothers_stream(&self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let Some(opener) = self.opener(m.stream).filter(|opener| opener.issuer == Side::Client) else { return };
        let token = || Facts::id(m.facts.token()).and_then(|token| self.token_owner_on(m, Side::Client, &token));
        let about: Option<Id> = match m.message.kind {
            Kind::Result | Kind::Error => m.message.id.value().cloned(),
            Kind::Notification => Facts::id(m.facts.subscription()).or_else(token),
            _ => None,
        };
        let Some(id) = about.filter(|id| *id != opener.id) else { return };
        let elsewhere = |slot: &&Slot| {
            slot.exchange.in_flight() && slot.exchange.stream.is_some() && slot.exchange.stream != m.stream
        };
        if let Some(slot) = self.slot(Side::Client, &id).filter(elsewhere) {
            let judgement = Judgement::EXACT;
            let what = What::Misplaced { exchange: &slot.exchange, stream: Some(opener.request), judgement };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// Whether a request is one that its sender has sent before, on another stream: the same id, method and parameters.
    pub(super) fn again(&self, m: &Incoming<'_>, old: &Slot, call: Option<u64>) -> Again {
        let (Some(before), Some(now)) = (old.exchange.stream, m.stream) else { return Again::New };
        let same = old.call == call && *old.exchange.method == *m.message.method();
        if m.sender == Side::Client && before != now {
            let again = same && old.post != Post::Open && old.exchange.in_flight() && old.exchange.cancels.is_empty();
            return if again { Again::Posted } else { Again::New };
        }
        let same = same && (call.is_some() || m.facts.params_hash == 0);
        if !same || before == now || m.sender != Side::Server {
            return Again::New;
        }
        let shown = |stream: u32| self.http.streams.get(&stream).filter(|stream| stream.request.is_some());
        let (Some(older), Some(_)) = (shown(before), shown(now)) else {
            return Again::Sent(Judgement::undecidable(UNSEEN));
        };
        match self.resumes(now) {
            Some(true) => Again::Replayed,
            _ if !older.closed && old.exchange.in_flight() => Again::Sent(Judgement::EXACT),
            Some(false) => Again::New,
            None => Again::Sent(Judgement::undecidable(UNSEEN)),
        }
    }

    /// True where a request is posted again whose first POST was refused for the time being, or for lack of credentials.
    pub(super) fn refused_before(&self, m: &Incoming<'_>, old: &Slot, role: Role) -> bool {
        let refused = self.status_of(old.exchange.stream).is_some_and(may_be_asked_again);
        let same = || *old.exchange.method == *m.message.method() && old.call == call_key(m, role);
        // One whose POST was refused and over without an answer gets none, whatever is asked with its id then.
        refused && m.sender == Side::Client && if old.exchange.in_flight() { old.post == Post::Refused } else { same() }
    }

    /// How sure it is that a second answer to a request is one; `None` where a stream that was taken up again repeats the first.
    pub(super) fn second_answer_on(&self, m: &Incoming<'_>, asked_on: Option<u32>) -> Option<Judgement> {
        let elsewhere = m.stream.filter(|stream| m.sender == Side::Server && asked_on != Some(*stream));
        let Some(stream) = elsewhere else { return Some(Judgement::EXACT) };
        let brought = |http: &HttpStream| m.message.id.value().is_some_and(|id| http.brought.contains(id));
        if self.http.streams.get(&stream).is_some_and(brought) {
            return Some(Judgement::EXACT);
        }
        match self.resumes(stream) {
            Some(true) => None,
            resumes => Some(Judgement::exact_if(resumes.is_some(), UNSEEN)),
        }
    }

    /// True for a message of the server on a stream that resumes another: its time is that of the delivery. A GET of which the log shows no
    /// headers may resume one, but not over HTTP+SSE.
    pub(super) fn may_be_redelivered(&self, m: &Incoming<'_>) -> bool {
        let Some(stream) = m.stream.filter(|_| m.sender == Side::Server) else { return false };
        self.resumes(stream).unwrap_or_else(|| {
            let head = self.http.streams.get(&stream).and_then(|stream| stream.request.as_ref());
            self.http.is_streamable() && head.is_some_and(|(_, head)| head.accept.is_none())
        })
    }

    /// Whether a stream goes on with another one; `None` where the log does not tell.
    fn resumes(&self, stream: u32) -> Option<bool> {
        if self.opener(Some(stream)).is_some() {
            return Some(false);
        }
        let (_, head) = self.http.streams.get(&stream)?.request.as_ref()?;
        let tells = head.resumes || self.http.shows_resumed || &*head.verb != "GET";
        tells.then_some(head.resumes)
    }
}
