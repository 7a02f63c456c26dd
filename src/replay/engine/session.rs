//! HTTP: what responses say, streams that end, and where a listening stream resumes.

use super::Engine;
use super::state::Phase;
use crate::live::link::{Outgoing, RESET, turned_away};
use crate::number::duration;
use crate::protocol::Side;
use crate::replay::message;
use crate::replay::plan::{Action, Step};
use crate::replay::recording::EventKind;
use crate::replay::run::{Broken, CancelStatus, Fate, Refused};
use crate::replay::splice;

/// How long a client waits before it resumes a stream, where the server does not say, microseconds.
const RETRY_US: i64 = 1_000_000;

/// A status that was not there for as long is told, microseconds.
const STATUS_US: i64 = 1_000_000;

/// True for a status that another try does not mend.
fn is_final(status: u16) -> bool {
    (300..500).contains(&status) && !matches!(status, 408 | 429)
}

impl Engine {
    fn on_stream(&self, stream: u32) -> Vec<usize> {
        let on =
            |at: &usize| self.recorded.exchanges[*at].issuer == Side::Client && self.live[*at].stream == Some(stream);
        self.flight.iter().copied().filter(on).collect()
    }

    pub(super) fn head_came(&mut self, stream: u32, method: &str, status: u16) {
        self.peer.heard = true;
        self.http.heads.insert(stream, status);
        let posts = method == "POST";
        let on = if posts { self.on_stream(stream) } else { Vec::new() };
        let locked_out = posts && !self.peer.let_in && !self.was_turned_away();
        if let Some(advice) = turned_away(status).filter(|_| locked_out) {
            let now = self.now;
            return self.stop(now, Broken::Link(format!("the server answers HTTP {status}: {advice}")));
        }
        self.http.unanswered.remove(&stream);
        if on.is_empty() {
            self.note_refused(stream, posts, status);
        }
        if !posts {
            return;
        }
        self.peer.let_in |= status < 300;
        for exchange in &on {
            self.log.exchanges[*exchange].http_status = Some(status);
        }
        let opened = self.recorded.profile.opening.initialize.is_some() && self.handshake_done();
        // Of a session that has no name a 404 says nothing.
        if matches!(status, 404 | 410)
            && opened
            && self.http.named
            && self.phase < Phase::Ending
            && self.recorded_status(stream) != Some(status)
        {
            self.session_lost(status, &on);
        }
    }

    /// The status that the recording has for what a live stream carries.
    fn recorded_status(&self, stream: u32) -> Option<u16> {
        let event = self.http.carries.get(&stream)?;
        self.known.statuses.get(&self.recorded.events[*event].stream?).copied()
    }

    /// Notes what the server took in the recording and refuses now. A stream or an end of the session may be refused at any time, if
    /// the recording does not show that it was not.
    fn note_refused(&mut self, stream: u32, posts: bool, status: u16) {
        let Some(event) = self.http.carries.get(&stream).copied() else { return };
        let recorded = self.recorded_status(stream);
        if !Refused::is(recorded, status) || !posts && recorded.is_none() {
            return;
        }
        self.not_taken(Refused { event, status: Some(status), recorded });
    }

    /// A POST without a request, or the end of the session, is over without a status: whether the server ever had it nobody knows. Where it
    /// was so in the recording, too, nothing has changed.
    fn note_lost(&mut self, stream: u32) {
        if self.http.unanswered.remove(&stream).is_none() {
            return;
        }
        let Some(event) = self.http.carries.get(&stream).copied() else { return };
        let recorded = self.recorded_status(stream);
        let then_too = recorded.is_none_or(Refused::by) && !self.known.statuses.is_empty();
        let lost = Refused { event, status: None, recorded };
        if then_too { self.cancel_not_taken(event) } else { self.not_taken(lost) }
    }

    /// Says what the server took in the recording, and gave no status for a while now: it may have it, or not.
    pub(super) fn note_unanswered(&mut self) {
        if self.http.heads.is_empty() {
            return;
        }
        for (stream, since) in &self.http.unanswered {
            let Some(event) = self.http.carries.get(stream).map(|event| &self.recorded.events[*event]) else {
                continue;
            };
            let taken = self.recorded_status(*stream).is_none_or(|then| !Refused::by(then));
            let waited = self.now - since;
            if taken && waited >= STATUS_US {
                let what = match event.what {
                    EventKind::Open => "the end of the session".to_string(),
                    _ => message::method(&event.text).unwrap_or_else(|| "an answer".to_string()),
                };
                self.log.notes.push(format!("{what} got no HTTP status in {}", duration(waited)));
            }
        }
    }

    fn not_taken(&mut self, refused: Refused) {
        self.log.refused.push(refused);
        self.cancel_not_taken(refused.event);
    }

    fn cancel_not_taken(&mut self, event: usize) {
        for (own, run) in self.recorded.exchanges.iter().zip(&mut self.log.exchanges) {
            let landed = run.cancel.as_mut().filter(|it| it.status == CancelStatus::Landed);
            if let Some(cancel) = landed.filter(|_| own.cancels.contains(&event)) {
                cancel.status = CancelStatus::Refused;
            }
        }
    }

    /// True if the live side has begun to answer on a recorded stream; on a transport that has no such answers, always.
    pub(super) fn acknowledged(&self, recorded: Option<u32>) -> bool {
        let live = recorded.and_then(|recorded| self.http.streams.get(&recorded));
        self.http.heads.is_empty() || live.is_none_or(|live| self.http.heads.contains_key(live))
    }

    /// True if the recorded server let nobody in either.
    fn was_turned_away(&self) -> bool {
        let heads = self.recorded.events.iter().filter(|event| event.what == EventKind::Http);
        let mut statuses = heads.filter_map(|event| splice::at(&event.text, "/status")?.parse::<u16>().ok());
        statuses.any(|status| turned_away(status).is_some())
    }

    /// True once the live side has answered the handshake.
    fn handshake_done(&self) -> bool {
        let opening = self.recorded.profile.opening.initialize;
        self.recorded
            .exchanges
            .iter()
            .zip(&self.log.exchanges)
            .any(|(exchange, run)| opening == Some(exchange.method.as_str()) && run.answered_us.is_some())
    }

    /// What cannot be read came in the place of answers: whether they were among it nobody knows, and nobody should wait for them.
    pub(super) fn packed_came(&mut self, stream: Option<u32>, encoding: &str) {
        self.peer.heard = true;
        for exchange in stream.map_or_else(Vec::new, |stream| self.on_stream(stream)) {
            let run = &mut self.log.exchanges[exchange];
            if run.fate == Fate::Sent && run.answered_us.is_none() {
                run.packed.get_or_insert_with(|| encoding.to_string());
                self.live[exchange].refused = true;
            }
        }
        let note =
            format!("the server packs what it sends ({encoding}) although nobody asked for that: it cannot be read");
        if !self.log.notes.contains(&note) {
            self.log.notes.push(note);
        }
    }

    /// A stream has ended. Where no other stream can bring the answer, it will never come.
    pub(super) fn stream_closed(&mut self, stream: u32, by: Side, how: &str) {
        self.http.closed.insert(stream);
        if by == Side::Client {
            return;
        }
        self.note_lost(stream);
        let failed = self.http.heads.get(&stream).copied().filter(|status| Refused::by(*status));
        if !failed.is_some_and(is_final) && self.resume_later(stream) {
            return;
        }
        let last_word = self.recorded.profile.stream_close_cancels;
        let cut = self.options.cancel.over_http == Some(true) && self.died(stream, how);
        for exchange in self.on_stream(stream) {
            let died = cut && self.is_expected(exchange);
            let run = &mut self.log.exchanges[exchange];
            let waiting = run.fate == Fate::Sent && run.answered_us.is_none() && run.packed.is_none();
            run.cut_us = run.cut_us.or(Some(self.now).filter(|_| waiting && cut && how == RESET));
            // The status of a stream that goes on with another one is none of the request's own.
            if waiting && failed.is_some() && run.http_status == failed {
                self.live[exchange].refused = true;
            } else if waiting && died {
                run.peer_gone = true;
                self.live[exchange].refused = true;
            } else if waiting && (failed.is_some() || last_word) {
                run.stuck_us.get_or_insert(self.now);
            }
        }
    }

    /// True for a POST whose connection ended before any answer, or was cut off and left nothing behind which it goes on: none can come,
    /// its stream was to bring it.
    fn died(&self, stream: u32, how: &str) -> bool {
        let goes_on = self.http.event_ids.contains_key(&stream) || self.comes_back(stream);
        !self.http.heads.contains_key(&stream) || how == RESET && !goes_on
    }

    /// True if the recorded client is still to come back for a stream that has ended.
    fn comes_back(&self, stream: u32) -> bool {
        let opens = |step: &Step| step.action == Action::OpenStream;
        self.steps[self.cursor..].iter().any(|step| opens(step) && self.goes_on_with(step.event) == Some(stream))
    }

    /// True for a request that was answered in the recording, and that nothing has cancelled, or is about to: of one that is
    /// cancelled, the silence may be what was asked for.
    fn is_expected(&self, exchange: usize) -> bool {
        let cancelled = self.log.exchanges[exchange].cancel.is_some() || self.live[exchange].cancel_planned.is_some();
        self.recorded.exchanges[exchange].response.is_some() && !cancelled
    }

    /// A server may end a stream before its answer and have the client come back for it, with the id of the last event
    /// (MCP 2025-11-25). Where the recorded client did not do so, it is done for it.
    fn resume_later(&mut self, stream: u32) -> bool {
        let waits = |at: &usize| {
            let run = &self.log.exchanges[*at];
            run.fate == Fate::Sent && run.answered_us.is_none()
        };
        if self.comes_back(stream)
            || self.phase >= Phase::Ending
            || !self.recorded.profile.stream_close_is_no_cancel
            || !self.http.event_ids.contains_key(&stream)
            || !self.on_stream(stream).iter().any(waits)
        {
            return false;
        }
        let wait_us = self.http.retry_us.get(&stream).copied().unwrap_or_else(|| self.options.pace.gap(RETRY_US));
        self.http.resume.insert(stream, self.now + wait_us);
        true
    }

    /// Opens the streams again that a server ended before their answers.
    pub(super) fn resume_now(&mut self) {
        let now = self.now;
        let due: Vec<u32> = self.http.resume.iter().filter(|(_, at)| **at <= now).map(|(lost, _)| *lost).collect();
        for lost in due {
            self.http.resume.remove(&lost);
            if self.phase < Phase::Ending {
                self.resume(lost);
            }
        }
    }

    /// Goes on with a stream behind the last event that came on it; gives the new one, on which its requests wait now.
    pub(super) fn resume(&mut self, lost: u32) -> u32 {
        let last_event_id = self.http.event_ids.get(&lost).cloned();
        let stream = self.open_stream(last_event_id.clone());
        for exchange in self.on_stream(lost) {
            self.live[exchange].stream = Some(stream);
        }
        self.http.event_ids.extend(last_event_id.map(|id| (stream, id)));
        // At no speed is a server asked again at once that has just ended the stream that went on.
        let wait_us = self.http.retry_us.get(&lost).copied().unwrap_or(RETRY_US);
        self.http.retry_us.insert(stream, wait_us);
        stream
    }

    pub(super) fn open_stream(&mut self, last_event_id: Option<String>) -> u32 {
        let stream = self.new_stream();
        self.out.push_back(Outgoing::OpenStream { stream, last_event_id, revision: self.http.revision.clone() });
        stream
    }

    /// The live stream that the recorded client had lost when it opened this one.
    pub(super) fn goes_on_with(&self, open: usize) -> Option<u32> {
        let recorded = self.recorded.events[open].stream?;
        self.http.streams.get(self.recorded.resumed.get(&recorded)?).copied()
    }

    /// True where something may still come to a stream that has ended: to its requests, or to one that only listened.
    pub(super) fn is_awaited(&self, stream: u32) -> bool {
        let asked = self.live.iter().any(|own| own.stream == Some(stream));
        self.http.closed.contains(&stream) && (!asked || !self.on_stream(stream).is_empty())
    }
}
