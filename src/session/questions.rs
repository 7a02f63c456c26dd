//! Open questions: what was dropped behind the window is asked of the store, once, at the end.

use super::detail::{CancelFault, Stray, Target};
use super::event::What;
use super::exchange::{Cancellation, Effect};
use super::oracle::{Asked, Oracle, Remembered, ReusedId};
use super::race::{Crossing, Judgement};
use super::state::{About, Conn, Incoming, Naming, Question, Step, index};
use crate::jsonrpc::Id;
use crate::protocol::{ServerCancel, Side};

/// How many questions are kept for a connection; what comes after them is not decidable.
const LIMIT: usize = 65_536;

const TOO_MANY: &str = "too many ids of this connection are not known any more";

impl Conn {
    pub(super) fn ask_about_answer(&mut self, m: &Incoming<'_>, id: &Id) {
        if self.questions.len() < LIMIT {
            let about = About::Answer(self.named_in_answer(m));
            self.questions.push(Question { seen: m.seen, sender: m.sender, profile: m.profile, id: id.clone(), about });
        }
    }

    pub(super) fn ask_about_cancel(&mut self, m: &Incoming<'_>, cancel: Cancellation, id: &Id) {
        if self.questions.len() < LIMIT {
            let about = About::Cancel(Box::new(cancel), self.crossing(m, m.seen, false));
            self.questions.push(Question { seen: m.seen, sender: m.sender, profile: m.profile, id: id.clone(), about });
        }
    }

    /// True if the store has to be asked before this connection can end.
    pub(super) fn has_questions(&self) -> bool {
        let forgot = self.facts.profile.ids_used_once && self.sides.iter().any(|side| side.unsure);
        forgot || !self.questions.is_empty()
    }

    /// What the store will be asked.
    pub(super) fn asks(&self) -> Asked {
        let twins = self.questions.iter().filter_map(|question| question.id.twin());
        Asked {
            connection: self.facts.id,
            ids: self.questions.iter().map(|question| question.id.clone()).chain(twins).collect(),
            reused: self.facts.profile.ids_used_once && self.sides.iter().any(|side| side.unsure),
        }
    }

    /// Answers all questions.
    pub(super) fn answer_questions(&mut self, step: &mut Step<'_>, oracle: &mut dyn Oracle) {
        let full = self.questions.len() == LIMIT;
        if !self.questions.is_empty() || self.sides.iter().any(|side| side.unsure) {
            step.sink.asked_for();
        }
        for question in self.questions.take_all() {
            match &question.about {
                About::Answer(naming) => self.about_answer(step, oracle, &question, *naming),
                About::Cancel(cancel, crossing) => {
                    self.about_cancel(step, oracle, &question, (**cancel).clone(), *crossing);
                }
            }
        }
        if full && let Some(last) = self.facts.last {
            // Said once: from here on unknown ids were not looked up.
            let stray = Stray::UnknownId { judgement: Judgement::undecidable(TOO_MANY), foreign_stream: None };
            self.emit(step, self.facts.profile, last, None, What::Stray { id: &Id::Int(0), stray });
        }
        self.reused_ids(step, oracle);
    }

    fn about_answer(&mut self, step: &mut Step<'_>, oracle: &mut dyn Oracle, q: &Question, naming: Naming) {
        let issuer = q.sender.peer();
        let found = oracle.request(self.facts.id, issuer, &q.id, q.seen.frame);
        let twin = match (&found, q.id.twin()) {
            (None, Some(twin)) => oracle.request(self.facts.id, issuer, &twin, q.seen.frame),
            _ => None,
        };
        let stray = match found {
            Some(Remembered { request, answer, .. }) => {
                let judgement = match self.ordered() {
                    true => self.used_once(step, q.profile, issuer, &q.id, q.seen),
                    false => Judgement::undecidable(super::http::UNSEEN),
                };
                Stray::Duplicate { request, answer, judgement }
            }
            None if twin.as_ref().is_some_and(|twin| twin.answer.is_none()) => {
                let judgement = self.surely_new(step, issuer, q.seen);
                Stray::TypeMismatch { request: twin.map_or(q.seen, |twin| twin.request), judgement, own_stream: false }
            }
            None => {
                self.miss(step, issuer, &q.id, q.seen, naming);
                Stray::UnknownId { judgement: Judgement::EXACT, foreign_stream: None }
            }
        };
        self.emit(step, q.profile, q.seen, Some(q.sender), What::Stray { id: &q.id, stray });
    }

    fn about_cancel(
        &mut self,
        step: &mut Step<'_>,
        oracle: &mut dyn Oracle,
        q: &Question,
        mut cancel: Cancellation,
        mut crossing: Crossing,
    ) {
        let own = oracle.request(self.facts.id, q.sender, &q.id, q.seen.frame);
        if let Some(Remembered { request, method, answer: Some(answer) }) = own {
            cancel.exchange = Some(request.frame);
            cancel.target_method = Some(method.as_str().into());
            cancel.delay_us = cancel.seen.since(request);
            cancel.effect = Some(Effect::Moot);
            cancel.effect_seen = Some(answer);
            crossing.first = answer;
            crossing.barrier = None;
            let judgement = self.tap(step.settings, &crossing).at_last(&crossing);
            let fault = match cancel.foreign {
                true => Some(CancelFault::ForeignDialect),
                false => judgement.map(CancelFault::Completed),
            };
            let target = Target {
                request,
                issuer: q.sender,
                id: &q.id,
                method: &method,
                answer: Some(answer),
                first_cancel: None,
            };
            self.judge_cancel(step, q.profile, &cancel, fault, Some(target));
        } else {
            self.about_foreign_cancel(step, oracle, q, &mut cancel);
        }
        step.sink.cancellation(self.facts.id, &cancel);
    }

    fn about_foreign_cancel(
        &mut self,
        step: &mut Step<'_>,
        oracle: &mut dyn Oracle,
        q: &Question,
        cancel: &mut Cancellation,
    ) {
        cancel.effect = Some(Effect::UnknownTarget);
        let judgement = Judgement::EXACT;
        let peer = q.sender.peer();
        if q.profile.server_cancel == ServerCancel::ListenOnly && q.sender == Side::Server {
            return self.about_listen(step, oracle, q, cancel, judgement);
        }
        let other = match q.profile.server_cancel {
            ServerCancel::OwnRequests => oracle.request(self.facts.id, peer, &q.id, q.seen.frame),
            ServerCancel::ListenOnly => None,
        };
        let twin = match (&other, q.id.twin()) {
            (None, Some(twin)) => {
                oracle.request(self.facts.id, q.sender, &twin, q.seen.frame).map(|found| (found, twin))
            }
            _ => None,
        };
        // The twin must have been in flight when the cancel was sent.
        let twin = twin.filter(|(found, _)| found.answer.is_none_or(|answer| answer.frame > q.seen.frame));
        let fault = match (&other, &twin) {
            _ if cancel.foreign => CancelFault::ForeignDialect,
            (Some(found), _) => {
                // What was answered long before is nothing to be cancelled: the canceller's own request of this id may be missing.
                if found.answer.is_some_and(|answer| answer.frame < q.seen.frame) {
                    self.miss(step, q.sender, &q.id, q.seen, Naming::Cancel(q.seen.frame));
                }
                CancelFault::WrongDirection(judgement)
            }
            (None, Some(_)) => CancelFault::TypeMismatch(self.surely_new(step, q.sender, q.seen)),
            (None, None) => {
                self.miss(step, q.sender, &q.id, q.seen, Naming::Cancel(q.seen.frame));
                CancelFault::UnknownId(judgement)
            }
        };
        let near =
            other.as_ref().map(|found| (found, peer, &q.id)).or(twin.as_ref().map(|(found, id)| (found, q.sender, id)));
        let target = near.map(|(found, issuer, id)| Target {
            request: found.request,
            issuer,
            id,
            method: &found.method,
            // What came after the cancel is not known when it is judged in the pass, either.
            answer: found.answer.filter(|answer| answer.frame < q.seen.frame),
            first_cancel: None,
        });
        self.judge_cancel(step, q.profile, cancel, Some(fault), target);
    }

    /// A server's cancel where it may only end a subscription.
    fn about_listen(
        &mut self,
        step: &mut Step<'_>,
        oracle: &mut dyn Oracle,
        q: &Question,
        cancel: &mut Cancellation,
        judgement: Judgement,
    ) {
        let found = oracle.request(self.facts.id, Side::Client, &q.id, q.seen.frame);
        let target = found.as_ref().map(|found| Target {
            request: found.request,
            issuer: Side::Client,
            id: &q.id,
            method: &found.method,
            answer: found.answer,
            first_cancel: None,
        });
        let listens = |name: &str| q.profile.method(name).is_some_and(|method| method.long_lived);
        match &found {
            Some(listen) if listens(&listen.method) => {
                cancel.exchange = Some(listen.request.frame);
                cancel.target_method = Some(listen.method.as_str().into());
                cancel.delay_us = cancel.seen.since(listen.request);
                cancel.effect = Some(Effect::Moot);
                cancel.effect_seen = listen.answer;
                self.judge_cancel(step, q.profile, cancel, None, target);
            }
            _ => self.judge_cancel(step, q.profile, cancel, Some(CancelFault::ServerForbidden(judgement)), target),
        }
    }

    /// Ids that were used again after the window had dropped their first use.
    fn reused_ids(&mut self, step: &mut Step<'_>, oracle: &mut dyn Oracle) {
        for side in Side::BOTH {
            if !self.side(side).unsure || !self.facts.profile.ids_used_once {
                continue;
            }
            let mut reported = self.sides[index(side)].reused.take_all();
            reported.sort_unstable();
            for ReusedId { earlier, later, id, method } in oracle.reused_ids(self.facts.id, side) {
                if reported.binary_search(&later.frame).is_err() {
                    let (in_flight, continues, broadcast) = (false, false, None);
                    let method = &*method;
                    let what =
                        What::IdReused { id: &id, issuer: side, method, earlier, in_flight, continues, broadcast };
                    self.emit(step, self.facts.profile, later, Some(side), what);
                }
            }
        }
    }
}
