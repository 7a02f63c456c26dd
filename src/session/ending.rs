//! The end of a connection: what was left open, and what the capture itself was like.

use super::connection::End;
use super::event::{CaptureNote, Seen, What};
use super::exchange::{Exchange, Outcome};
use super::fold::Oracle;
use super::race::Judgement;
use super::state::{Conn, Orphanage, Slot, Step};
use crate::jsonrpc::Id;
use crate::protocol::{MethodKind, Side};

impl Conn {
    /// Ends the connection. Questions to the oracle are asked last.
    pub(super) fn end(&mut self, step: &mut Step<'_>, oracle: &mut dyn Oracle) {
        self.end_traffic(step);
        self.answer_questions(step, oracle);
        step.sink.connection(&self.facts, self.logger);
    }

    /// Everything about the end that needs no oracle.
    fn end_traffic(&mut self, step: &mut Step<'_>) {
        if !self.pending.is_empty() {
            self.settle_for(step);
        }
        self.judge_all(step);
        self.end_versions(step);
        // After `exit` the server is gone, whether or not the log shows the pipe closing.
        if self.facts.end == End::Open && self.facts.lifecycle.exit.is_some() {
            self.facts.end = End::Closed(Some(Side::Client));
        }
        let Some(last) = self.facts.last else { return };
        let end = Seen { frame: self.facts.closed.unwrap_or(last.frame), at_us: self.end_time(last) };
        for side in Side::BOTH {
            self.end_waiting(step, side, end);
        }
        self.end_task_cancels(step);
        self.report_orphans(step, end);
        self.capture_notes(step, last);
        self.end_exchanges(step, end);
        self.emit(step, self.facts.profile, end, None, What::End);
    }

    fn end_time(&self, last: Seen) -> Option<i64> {
        self.closed_at.or(last.at_us)
    }

    fn end_exchanges(&mut self, step: &mut Step<'_>, end: Seen) {
        let mut open: Vec<(Seen, Side, Id, Option<u32>)> = Vec::new();
        let named = |slot: &Slot, side, stream| (slot.exchange.request, side, slot.exchange.id.clone(), stream);
        for side in Side::BOTH {
            open.extend(self.side(side).live.values().map(|slot| named(slot, side, None)));
        }
        open.extend(self.beside.iter().map(|((stream, _), slot)| named(slot, Side::Client, Some(*stream))));
        open.sort_by_key(|(request, ..)| request.frame);
        for (_, side, id, stream) in open {
            let slot = match stream {
                None => self.side_mut(side).live.remove(&id),
                Some(stream) => self.beside.remove(&(stream, id)),
            };
            let Some(mut slot) = slot else { continue };
            if slot.exchange.in_flight() {
                self.end_exchange(step, end, &mut slot);
            }
            self.flush(step, side, *slot);
        }
    }

    fn end_exchange(&mut self, step: &mut Step<'_>, end: Seen, slot: &mut Slot) {
        let exchange = &mut slot.exchange;
        let silent = exchange.cancel().is_some() && !exchange.profile.answers_cancelled();
        exchange.outcome = if silent { Outcome::Silent } else { Outcome::Unanswered };
        if matches!(self.facts.end, End::Closed(_)) {
            exchange.history.push('X');
        }
        let known = exchange.known;
        let open_by_design = known.is_some_and(|known| known.long_lived || known.kind == MethodKind::Notification);
        // A cancel of the handshake is its own finding; what became of the handshake then is no second one.
        if silent
            || open_by_design
            || slot.cancel_void
                && exchange
                    .cancels
                    .iter()
                    .any(|cancel| Some(&*exchange.method) == exchange.profile.opening.initialize && !cancel.foreign)
        {
            return;
        }
        let exchange = &slot.exchange;
        let Some(judgement) = self.unanswered(step, exchange.request, exchange.issuer, end) else { return };
        let answers = self.side(exchange.issuer.peer()).answers;
        let what = What::Unanswered {
            exchange,
            judgement,
            age_us: end.since(exchange.request),
            answers_after: answers.saturating_sub(slot.answers_before),
            permission_of_cancelled_turn: self.permission_of_cancelled_turn(slot),
        };
        self.emit(step, exchange.profile, end, Some(exchange.issuer.peer()), what);
    }

    /// What the end of the log allows to conclude about a request that has no answer. `None`: nothing worth saying.
    fn unanswered(&self, step: &Step<'_>, request: Seen, issuer: Side, end: Seen) -> Option<Judgement> {
        let age = end.since(request);
        if self.facts.has_gap {
            return Some(Judgement::undecidable("messages were lost"));
        }
        if self.facts.unreadable[issuer.peer() as usize] {
            return Some(Judgement::undecidable("a message that could not be read may have been the answer"));
        }
        match (self.facts.end, age) {
            (End::Closed(_), None) => Some(Judgement::undecidable("the log has no usable time")),
            (End::Closed(_), Some(age)) if age <= step.settings.grace_us => None,
            (End::Closed(Some(by)), Some(age)) if by == issuer && age <= step.settings.stuck_after_us => {
                Some(Judgement::undecidable("the requester hung up on a request that may have been in work"))
            }
            (End::Closed(_), Some(_)) => Some(Judgement::EXACT),
            (End::Open, Some(age)) if age > step.settings.stuck_after_us => {
                Some(Judgement::undecidable("the capture ends, not the connection"))
            }
            (End::Open, _) => None,
        }
    }

    /// Requests that served a cancelled one and outlived its answer to the end.
    fn report_orphans(&mut self, step: &mut Step<'_>, _end: Seen) {
        for Orphanage { parent, cancel, answer, children } in std::mem::take(&mut self.orphanages) {
            let open = children.into_iter().filter(|(side, id, request)| {
                self.slot(*side, id).is_some_and(|slot| {
                    slot.exchange.in_flight() && slot.exchange.request.frame == *request && slot.turn_cancel.is_none()
                })
            });
            let orphans: Vec<Seen> =
                open.filter_map(|(side, id, _)| self.slot(side, &id).map(|slot| slot.exchange.request)).collect();
            if !orphans.is_empty() {
                let what = What::Orphans { parent: &parent, cancel, orphans: &orphans };
                self.emit(step, parent.profile, answer, Some(parent.issuer.peer()), what);
            }
        }
    }

    fn capture_notes(&mut self, step: &mut Step<'_>, last: Seen) {
        let Some(first) = self.facts.first else { return };
        let profile = self.facts.profile;
        let note = |conn: &Conn, step: &mut Step<'_>, seen, note| {
            conn.emit(step, profile, seen, None, What::Capture(note));
        };
        if !self.facts.complete_head && self.facts.requests > 0 {
            note(self, step, first, CaptureNote::StartsMidway);
        }
        let due = |exchange: &Exchange| {
            let silent = exchange.cancel().is_some() && !exchange.profile.answers_cancelled();
            exchange.in_flight() && !silent
        };
        let in_flight = self
            .sides
            .iter()
            .flat_map(|side| side.live.values())
            .chain(self.beside.values())
            .filter(|slot| due(&slot.exchange))
            .count() as u64;
        if self.facts.end == End::Open && in_flight > 0 {
            note(self, step, last, CaptureNote::EndsOpen { in_flight });
        }
        if let Some(seen) = self.clock.worst_at {
            let (times, worst_us) = (self.clock.steps_back, self.clock.worst_us);
            note(self, step, seen, CaptureNote::ClockBackwards { times, worst_us });
        }
        if profile.unknown_revision {
            note(self, step, first, CaptureNote::RevisionUnknown);
        }
        let one_time = self.started_us.is_some() && self.facts.messages == 1;
        if !self.facts.timed && self.facts.messages > 0 && !one_time {
            note(self, step, first, CaptureNote::NoTime);
        }
        if let Some((seen, kind)) = self.secret {
            note(self, step, seen, CaptureNote::PossibleSecret { kind });
        }
    }
}
