//! The end of a connection: what was left open, and what the capture itself was like.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::connection::End;
use super::detail::CaptureNote;
use super::event::What;
use super::exchange::{Exchange, Outcome};
use super::ledger::Ledger;
use super::oracle::Oracle;
use super::race::Judgement;
use super::seen::{FrameId, Seen};
use super::state::{Conn, Issued, Orphanage, Post, Slot, Step, index};
use super::unheard::Unheard;
use crate::capture::{Exit, Proof};
use crate::jsonrpc::Id;
use crate::protocol::{MethodKind, Role, Side};

const CAPTURE_ENDS: &str = "the capture ends, not the connection";
const TOLD_TO_END: &str = "the signal asks a process to end, and the log does not show who sent it";

/// HUP, INT and TERM come from outside, as a rule from whoever has started the process. Other signals are a crash, or KILL.
fn was_told_to_end(exit: Exit) -> bool {
    matches!(exit.signal, Some(1 | 2 | 15))
}

/// Requests of one side that are open at the end, as far as requests of the other side may wait for them.
#[derive(Default)]
struct Asked {
    /// The requests that they serve, where the log shows it.
    serves: FxHashSet<FrameId>,
    /// The last one that asks a person and of which it is not known what it serves.
    person: FrameId,
    /// One of them is for what its side needs to work on anything at all.
    feeds_work: bool,
}

impl Asked {
    /// True if a request may be waiting for one of them.
    fn by(&self, exchange: &Exchange) -> bool {
        let request = exchange.request.frame;
        self.feeds_work || self.person > request || self.serves.contains(&request)
    }
}

/// What may excuse that requests of one side are open at the end.
struct Waits {
    /// What the other side is itself waiting for.
    asked: Asked,
    unheard: Unheard,
}

/// True for a request that has to be answered in time. One whose POST was refused has come to nobody, and the status says so. One that stays open by design owes an answer only to a cancel. A
/// cancel of the handshake is its own finding; what became of the handshake then is no second one.
fn due(slot: &Slot) -> bool {
    let (exchange, came) = (&slot.exchange, slot.post != Post::Refused);
    let by_design = exchange
        .known
        .is_some_and(|known| known.kind == MethodKind::Notification || known.long_lived && exchange.cancel().is_none());
    let handshake = Some(&*exchange.method) == exchange.profile.opening.initialize;
    let void = slot.cancel_void && handshake && exchange.cancels.iter().any(|cancel| !cancel.foreign);
    came && !by_design && !void
}

impl Conn {
    /// Ends the connection. Questions to the oracle are asked last.
    pub(super) fn end(&mut self, step: &mut Step<'_>, oracle: &mut dyn Oracle) {
        self.end_traffic(step);
        self.answer_questions(step, oracle);
        // A client begins with the handshake; what a server asks first, nothing shows.
        let whole = self.facts.proof.covers(Proof::WHOLE) && !Ledger::new(&self.facts, step.shelf).has_gap();
        let greeted = self.facts.lifecycle.initialize.is_some();
        let lacks_first = || greeted && self.side(Side::Server).lacks_first();
        let lost = |issued: &Issued| issued.named.by_both() || issued.lacks_requests();
        let lacks = || self.lacks_records || lacks_first() || self.sides.iter().any(lost);
        let source_lacks = || Ledger::new(&self.facts, step.shelf).source_lacks_records();
        if !whole && (lacks() || source_lacks()) {
            self.facts.missing.sampled();
        } else {
            self.facts.unclaimed = !whole && self.side(Side::Client).named.by_peer();
        }
        step.sink.connection(&self.facts, Ledger::new(&self.facts, step.shelf), self.logger);
    }

    /// Everything about the end that needs no oracle.
    fn end_traffic(&mut self, step: &mut Step<'_>) {
        if !self.pending.is_empty() {
            self.settle_for(step);
        }
        self.judge_all(step);
        self.end_versions(step);
        self.release_early_request(step);
        self.release_anew(step);
        // After `exit` the server is gone, whether or not the log shows the pipe closing; where its process ends, it was told to.
        let closed = self.facts.closed.unwrap_or(FrameId::MAX);
        let over = self.facts.end == End::Open || self.facts.exit.is_some_and(|(seen, _)| seen.frame == closed);
        if over && self.facts.lifecycle.exit.is_some_and(|told| told.frame < closed) {
            self.facts.end = End::Closed(Some(Side::Client));
        }
        let Some(last) = self.facts.last else { return };
        if self.facts.end == End::Open {
            self.facts.missing.end_open(last.frame);
        }
        let end = Seen { frame: self.facts.closed.unwrap_or(last.frame), at_us: self.end_time(last) };
        for side in Side::BOTH {
            self.end_waiting(step, side, end);
        }
        self.end_task_cancels(step);
        self.end_births(step);
        self.end_idless(step);
        self.end_early_answers(step);
        self.report_orphans(step, end);
        self.report_death(step);
        self.capture_notes(step, last);
        self.lacks_records = self.skips_answers() || self.sides.iter().any(Issued::is_unlogged);
        let names_lost = Side::BOTH.map(|side| self.side(side).lost_random_id());
        let owed = self.end_exchanges(step, end);
        // A side that makes up an id and another one that hangs are two faults at once; lost records look like both.
        self.lacks_records |= Side::BOTH.iter().any(|side| names_lost[index(*side)] && owed[index(side.peer())]);
        self.emit(step, self.facts.profile, end, None, What::End);
    }

    /// True for a log that shows what follows from messages that it lacks: ids were left out of a count, and requests were not
    /// answered; or behind a handshake that was not answered work goes on and is, or no answer of the server is logged at all.
    fn skips_answers(&self) -> bool {
        let is_open = |slot: &&Slot| slot.exchange.in_flight() && slot.exchange.cancel().is_none() && due(slot);
        let left_open = |issued: &Issued| issued.live.values().map(|slot| &**slot).filter(is_open).count();
        let sampled = |issued: &Issued| issued.count.skips() && left_open(issued) > 1;
        let life = &self.facts.lifecycle;
        let unanswered = life.initialize.is_some() && life.initialize_answer.is_none();
        unanswered && (self.goes_on() || self.unheard(Side::Client).all) || self.sides.iter().any(sampled)
    }

    /// True for a server that works as it does behind a handshake: it answers what follows, tells of its progress or of anything
    /// else, or asks in its turn.
    fn goes_on(&self) -> bool {
        let server = self.side(Side::Server);
        let asks = server.live.values().any(|slot| &*slot.exchange.method != "ping");
        let tells = || self.side(Side::Client).live.values().any(|slot| slot.exchange.progress > 0);
        match self.facts.lifecycle.initialized {
            Some(_) => server.answers > 0 || server.notified.is_some() || asks || tells(),
            None => server.answers > 1,
        }
    }

    fn end_time(&self, last: Seen) -> Option<i64> {
        self.closed_at.or(last.at_us)
    }

    /// Ends what is left open, and tells of which side's requests one was owed an answer for sure.
    fn end_exchanges(&mut self, step: &mut Step<'_>, end: Seen) -> [bool; 2] {
        let mut open: Vec<(Seen, Side, Id, Option<u32>)> = Vec::new();
        let named = |slot: &Slot, side, stream| (slot.exchange.request, side, slot.exchange.id.clone(), stream);
        for side in Side::BOTH {
            open.extend(self.side(side).live.values().map(|slot| named(slot, side, None)));
        }
        open.extend(self.beside.iter().map(|((stream, _), slot)| named(slot, Side::Client, Some(*stream))));
        open.sort_by_key(|(request, ..)| request.frame);
        let waits = Side::BOTH.map(|side| Waits { asked: self.asked(side.peer()), unheard: self.unheard(side) });
        let mut owed = [false; 2];
        for (_, side, id, stream) in open {
            let slot = match stream {
                None => self.side_mut(side).live.remove(&id),
                Some(stream) => self.beside.remove(&(stream, id)),
            };
            let Some(mut slot) = slot else { continue };
            if slot.exchange.in_flight() {
                owed[index(side)] |= self.end_exchange(step, end, &mut slot, &waits[index(side)]);
            }
            self.flush(step, side, slot);
        }
        owed
    }

    /// Ends a request that was not answered; true if it was owed an answer for sure.
    fn end_exchange(&mut self, step: &mut Step<'_>, end: Seen, slot: &mut Slot, waits: &Waits) -> bool {
        let exchange = &mut slot.exchange;
        let silent = exchange.cancel().is_some() && !exchange.profile.answers_cancelled();
        exchange.outcome = if silent { Outcome::Silent } else { Outcome::Unanswered };
        if matches!(self.facts.end, End::Closed(_)) {
            exchange.history.push('X');
        }
        let exchange = &slot.exchange;
        if silent || !due(slot) || self.must_not_be_answered(exchange.issuer, exchange.profile) {
            return false;
        }
        let Some(judgement) = self.unanswered(step, slot, end, waits) else { return false };
        let answers = self.side(exchange.issuer.peer()).answers;
        let what = What::Unanswered {
            exchange,
            judgement,
            age_us: end.since(exchange.request),
            answers_after: answers.saturating_sub(slot.answers_before),
            permission_of_cancelled_turn: self.permission_of_cancelled_turn(slot),
        };
        self.emit(step, exchange.profile, end, Some(exchange.issuer.peer()), what);
        judgement == Judgement::EXACT
    }

    /// What the end of the log allows to conclude about a request that has no answer. `None`: nothing worth saying.
    fn unanswered(&self, step: &Step<'_>, slot: &Slot, end: Seen, waits: &Waits) -> Option<Judgement> {
        let since = self.due_since(slot)?;
        let quiet = end.since(self.last_work(slot, since));
        let judgement = self.overdue(step, slot.exchange.issuer, end.since(since), quiet)?;
        let excuse = self.excuse(slot, waits).filter(|_| judgement == Judgement::EXACT);
        Some(excuse.map_or(judgement, Judgement::undecidable))
    }

    /// What the end of the log allows to conclude about what was owed to `issuer` for `age` microseconds, since there was no sign of
    /// work on it for `quiet`. `None`: nothing worth saying.
    fn overdue(&self, step: &Step<'_>, issuer: Side, age: Option<i64>, quiet: Option<i64>) -> Option<Judgement> {
        let died = self.facts.died().filter(|_| issuer == Side::Client);
        let recent = age.is_some() && quiet.min(age).or(age) <= Some(step.settings.stuck_after_us);
        Some(match (self.facts.end, age) {
            // Nothing can follow the end of a process: neither its time nor the age matters.
            _ if died.is_some_and(|(_, exit)| !was_told_to_end(exit)) => Judgement::EXACT,
            (End::Closed(_), Some(_)) if died.is_some() && recent => Judgement::undecidable(TOLD_TO_END),
            (End::Closed(_), None) => Judgement::undecidable("the log has no usable time"),
            (End::Closed(_), Some(age)) if age <= step.settings.grace_us => return None,
            (End::Closed(Some(by)), Some(_)) if by == issuer && recent => {
                Judgement::undecidable("the requester hung up on a request that may have been in work")
            }
            (End::Closed(_), Some(_)) => Judgement::EXACT,
            (End::Open, Some(age)) if age > step.settings.stuck_after_us => Judgement::undecidable(CAPTURE_ENDS),
            (End::Open, _) => return None,
        })
    }

    /// From when on an answer was due: one that waits for the end of a task, from there. `None` while it need not come.
    fn due_since(&self, slot: &Slot) -> Option<Seen> {
        let request = slot.exchange.request;
        let owner = slot.exchange.issuer.peer();
        match &slot.topic {
            Some(task) if slot.role == Role::TaskResult && self.tasks.knows(owner, task) => {
                let ended = self.tasks.ended(owner, task)?;
                Some(if ended.frame > request.frame { ended } else { request })
            }
            _ => Some(request),
        }
    }

    /// Why a request may be open at an orderly end without anybody's fault.
    fn excuse(&self, slot: &Slot, waits: &Waits) -> Option<&'static str> {
        let exchange = &slot.exchange;
        if exchange.stream_closed.is_some() {
            return Some("the client had closed the stream on which the answer was to come");
        }
        if slot.hung_up.as_deref().is_some_and(|hung_up| !self.came_back(*hung_up)) {
            return Some("the server had closed the stream for its client to take up again, and it did not come back");
        }
        if slot.cancelled_before {
            return Some("it was cancelled, if the cancel that stands before it was sent after it");
        }
        if let Some(unheard) = waits.unheard.excuse(exchange) {
            return Some(unheard);
        }
        if self.may_be_answered(exchange) {
            return Some("an answer came since of which the log does not tell which request it is to");
        }
        if self.untold_behind(exchange) {
            return Some("an answer without an id came behind it, and may be meant for it");
        }
        if exchange.cancel().is_some() || slot.turn_cancel.is_some() {
            return None;
        }
        let handshake =
            exchange.issuer == Side::Client && Some(&*exchange.method) == self.facts.profile.opening.initialize;
        if handshake && self.facts.lifecycle.initialize != Some(exchange.request) {
            return Some("the handshake was asked for again, as it is of a server that was started anew");
        }
        if exchange.known.is_some_and(|known| known.asks_person) {
            return Some("it waits for a person, whom nothing hurries");
        }
        if slot.role == Role::TaskResult {
            let known = slot.topic.as_ref().is_some_and(|task| self.tasks.knows(exchange.issuer.peer(), task));
            return (!known).then_some("it waits for the end of a task whose status the log does not show");
        }
        let dead = exchange.issuer == Side::Client && self.facts.died().is_some();
        (!dead && waits.asked.by(exchange)).then_some("its receiver was itself waiting for an answer of the issuer")
    }

    /// True for a request to which an answer may be that names none, where ids are not those of the wire: of several in flight the log does
    /// not tell which was answered.
    fn may_be_answered(&self, exchange: &Exchange) -> bool {
        !self.facts.proof.covers(Proof::ENVELOPE) && self.untold_behind(exchange)
    }

    /// True where an answer to the issuer that names no request came behind this one.
    fn untold_behind(&self, exchange: &Exchange) -> bool {
        let (count, last) = self.side(exchange.issuer).untold;
        count > 0 && exchange.request.frame < last
    }

    /// How many of a side's requests were answered by what names none of them.
    fn answered_unnamed(&self, side: Side) -> u64 {
        let (count, _) = self.side(side).untold;
        if count == 0 {
            return 0;
        }
        let open = self.side(side).live.values().map(|slot| &slot.exchange).filter(|exchange| exchange.in_flight());
        count.min(open.filter(|exchange| self.may_be_answered(exchange)).count() as u64)
    }

    /// What of a side's requests is never answered in a log that may leave out a kind of answers.
    fn unheard(&self, side: Side) -> Unheard {
        match self.facts.proof.covers(Proof::COUNTED) {
            true => Unheard::default(),
            false => Unheard::of(self.side(side), self.side(side.peer())),
        }
    }

    /// What a side waits for when the connection ends: not for what it has cancelled, nor rightly for what nobody may answer.
    fn asked(&self, side: Side) -> Asked {
        let mut asked = Asked::default();
        let waits = |slot: &&Slot| {
            let owed = !self.must_not_be_answered(side, slot.exchange.profile);
            slot.is_at_work() && slot.exchange.cancel().is_none() && owed
        };
        let open = self.side(side).live.values().map(|slot| &**slot).filter(waits);
        for exchange in open.map(|slot| &slot.exchange) {
            match exchange.parent {
                Some(parent) => drop(asked.serves.insert(parent)),
                None if exchange.known.is_some_and(|known| known.asks_person) => {
                    asked.person = asked.person.max(exchange.request.frame);
                }
                None if exchange.known.is_some_and(|known| known.feeds_work) => asked.feeds_work = true,
                None => {}
            }
        }
        asked
    }

    /// The server's process ended before its client had ended the connection: what did it leave open?
    fn report_death(&mut self, step: &mut Step<'_>) {
        let Some((seen, exit)) = self.facts.died() else { return };
        let open = self.side(Side::Client).live.values().filter(|slot| {
            let silent = slot.exchange.cancel().is_some() && !slot.exchange.profile.answers_cancelled();
            slot.exchange.in_flight() && !silent && due(slot) && self.due_since(slot).is_some()
        });
        let (count, first) = open.fold((0, None::<&Slot>), |(count, first), slot| {
            let older = first.is_none_or(|first| slot.exchange.request.frame < first.exchange.request.frame);
            (count + 1, if older { Some(slot) } else { first })
        });
        let Some(first) = first.map(|slot| &slot.exchange) else { return };
        let judgement = Judgement::exact_if(!was_told_to_end(exit), TOLD_TO_END);
        let lines: Vec<Seen> = self.stderr.lines.iter().copied().collect();
        let last_words = &self.stderr.last;
        let what = What::ServerDied { first, open: count, exit, judgement, stderr: &lines, last_words };
        self.emit(step, first.profile, seen, Some(Side::Server), what);
    }

    /// Requests that served a cancelled one and outlived its answer to the end.
    fn report_orphans(&mut self, step: &mut Step<'_>, end: Seen) {
        let answered = self.orphanages.take_all().into_iter().map(|orphanage| (orphanage, Judgement::EXACT));
        let mut orphanages: Vec<_> = answered.collect();
        orphanages.extend(self.silent_orphanages(step, end));
        for (Orphanage { parent, cancel, answer, children }, judgement) in orphanages {
            let open = children.into_iter().filter(|(side, id, request)| {
                self.slot(*side, id).is_some_and(|slot| {
                    slot.exchange.in_flight() && slot.exchange.request.frame == *request && slot.turn_cancel.is_none()
                })
            });
            let orphans: Vec<Seen> =
                open.filter_map(|(side, id, _)| self.slot(side, &id).map(|slot| slot.exchange.request)).collect();
            if !orphans.is_empty() {
                let what = What::Orphans { parent: &parent, cancel, orphans: &orphans, judgement };
                self.emit(step, parent.profile, answer, Some(parent.issuer.peer()), what);
            }
        }
    }

    /// Requests that serve one which was cancelled and to which, rightly, no answer came.
    fn silent_orphanages(&self, step: &Step<'_>, end: Seen) -> Vec<(Orphanage, Judgement)> {
        type Served = (Side, Id, FrameId);
        let mut silent: BTreeMap<FrameId, (&Exchange, Vec<Served>)> = BTreeMap::new();
        for side in Side::BOTH {
            for slot in self.side(side).live.values().filter(|slot| slot.exchange.in_flight()) {
                let parent = slot.parent.as_deref().and_then(|parent| self.known(parent)).map(|slot| &slot.exchange);
                let cancelled = |parent: &&Exchange| {
                    parent.in_flight() && parent.cancel().is_some() && !parent.profile.answers_cancelled()
                };
                if let Some(parent) = parent.filter(cancelled) {
                    let child = (side, slot.exchange.id.clone(), slot.exchange.request.frame);
                    silent.entry(parent.request.frame).or_insert((parent, Vec::new())).1.push(child);
                }
            }
        }
        let judged = silent.into_values().filter_map(|(parent, mut children)| {
            let cancel = parent.cancel()?.seen;
            let age = end.since(cancel)?;
            let judgement = match self.facts.end {
                End::Closed(_) if age > step.settings.grace_us => Judgement::EXACT,
                End::Open if age > step.settings.stuck_after_us => Judgement::undecidable(CAPTURE_ENDS),
                _ => return None,
            };
            children.sort_by_key(|child| child.2);
            Some((Orphanage { parent: Box::new(parent.clone()), cancel, answer: cancel, children }, judgement))
        });
        judged.collect()
    }

    fn capture_notes(&mut self, step: &mut Step<'_>, last: Seen) {
        let Some(first) = self.facts.first else { return };
        let profile = self.facts.profile;
        let note = |conn: &Conn, step: &mut Step<'_>, seen, note| {
            conn.emit(step, profile, seen, None, What::Capture(note));
        };
        if self.facts.starts_midway && self.facts.requests > 0 {
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
            .filter(|slot| due(&slot.exchange) && slot.is_at_work())
            .count() as u64;
        let in_flight = in_flight.saturating_sub(Side::BOTH.map(|side| self.answered_unnamed(side)).iter().sum());
        if self.facts.end == End::Open && in_flight > 0 {
            note(self, step, last, CaptureNote::EndsOpen { in_flight });
        }
        if let Some(seen) = self.clock.set.worst_at {
            let (times, worst_us) = (self.clock.set.steps_back, self.clock.set.worst_us);
            note(self, step, seen, CaptureNote::ClockBackwards { times, worst_us });
        }
        if profile.unknown_revision || self.facts.revision_strange {
            note(self, step, first, CaptureNote::RevisionUnknown);
        }
        let one_time = self.facts.times.is_some() && self.facts.messages == 1;
        if !self.facts.timed && self.facts.messages > 0 && !one_time {
            note(self, step, first, CaptureNote::NoTime);
        }
        if let Some((seen, kind)) = self.secret.as_deref().copied() {
            note(self, step, seen, CaptureNote::PossibleSecret { kind });
        }
    }
}
