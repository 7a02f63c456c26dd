//! Handing texts to the link, and remembering what was handed over.

use super::Engine;
use crate::jsonrpc::{Message, Parsed, parse};
use crate::live::link::{NO_STREAM, Outgoing};
use crate::protocol::{Facts, Mechanism, Role, Target, cancel_form, role};
use crate::replay::message;
use crate::replay::plan::{Action, Step};
use crate::replay::recording::EventKind;
use crate::replay::run::{CancelStatus, Fate, Unsent};

/// What one message that was handed over holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Handed {
    /// The requests in it.
    pub opens: Vec<usize>,
    /// The exchanges that it cancels in flight.
    pub cancels: Vec<usize>,
}

impl Engine {
    /// Sends the step in front; true, because it is behind us then, sent or not.
    pub(super) fn send_step(&mut self, step: &Step) -> bool {
        if !Engine::has_text(step) {
            self.stream_step(step);
            self.move_on();
            return true;
        }
        let text = match self.compose(step) {
            Ok(text) => text,
            Err(why) => return self.pass(step, &Fate::NotSent(why)),
        };
        let waited: Vec<String> = self.owed.iter().map(|at| self.recorded.exchanges[*at].label()).collect();
        let stuck = |at: &usize| self.given_up(*at) && !self.live[*at].refused;
        let after_stuck = self.flight.iter().any(|at| stuck(at) && self.was_owed(*at, step));
        self.owed.clear();
        let cancels = match &step.action {
            Action::Cancel(cancel) => {
                let open = |at: &usize| self.log.exchanges[*at].answered_us.is_none();
                cancel.targets.iter().copied().filter(open).collect()
            }
            _ => Vec::new(),
        };
        let stream = self.hand_over(text.clone(), Handed { opens: step.opens.clone(), cancels });
        if let Some(recorded) = self.recorded.events[step.event].stream {
            self.http.streams.insert(recorded, stream);
        }
        self.http.carries.insert(stream, step.event);
        if step.opens.is_empty() {
            self.http.unanswered.insert(stream, self.now);
        }
        for exchange in &step.opens {
            self.note_sent(*exchange, stream);
            let run = &mut self.log.exchanges[*exchange];
            run.waited_for.clone_from(&waited);
            run.after_stuck = after_stuck;
        }
        self.note_text(&text, &step.opens);
        let mut landed = None;
        if let EventKind::Batch(members) = self.recorded.events[step.event].what.clone() {
            for member in members {
                if let EventKind::Cancel(Some(target)) = self.recorded.events[member].what {
                    if !self.cancel_in_batch(target, member) {
                        continue;
                    }
                    landed = Some(target);
                    if let Some(handed) = self.http.handed.back_mut() {
                        handed.cancels.push(target);
                    }
                }
            }
            if let Some(target) = landed {
                self.witness(target);
            }
        }
        self.move_on();
        true
    }

    /// A message that is not sent and holds no request, whose fate would tell. What a cancel or an answer is about tells of it, and what
    /// ends a session is not missed.
    pub(super) fn note_unsent(&mut self, step: &Step, why: &str) {
        let ends = |method: String| self.recorded.profile.ends_session(&method);
        let told = step.refused
            || step.action != Action::Send
            || !step.opens.is_empty()
            || message::method(&self.recorded.events[step.event].text).is_some_and(ends);
        if !told {
            self.log.unsent.push(Unsent { event: step.event, why: why.to_string() });
        }
    }

    /// True if the recording has an answer that stood before a step, and the step had to wait for it.
    fn was_owed(&self, exchange: usize, step: &Step) -> bool {
        let recorded = &self.recorded.exchanges[exchange];
        let Some(response) = recorded.response else { return false };
        response < step.event && !recorded.cancels.iter().any(|cancel| *cancel < response)
    }

    fn stream_step(&mut self, step: &Step) {
        match step.action {
            Action::OpenStream => {
                let stream = match self.goes_on_with(step.event) {
                    None => {
                        let stream = self.open_stream(None);
                        self.http.carries.insert(stream, step.event);
                        stream
                    }
                    Some(lost) if self.is_awaited(lost) => self.resume(lost),
                    Some(lost) => lost,
                };
                let recorded = self.recorded.events[step.event].stream;
                self.http.streams.extend(recorded.map(|recorded| (recorded, stream)));
            }
            Action::CloseStream(recorded) => {
                if let Some(stream) = self.http.streams.get(&recorded).copied() {
                    self.http.closed.insert(stream);
                    self.out.push_back(Outgoing::CloseStream { stream });
                }
            }
            Action::EndSession => {
                self.http.carries.insert(NO_STREAM, step.event);
                self.http.unanswered.insert(NO_STREAM, self.now);
                self.out.push_back(Outgoing::EndSession { revision: self.http.revision.clone() });
            }
            Action::Send | Action::Answer(_) | Action::Cancel(_) => {}
        }
    }

    pub(super) fn new_stream(&mut self) -> u32 {
        self.http.next_stream += 1;
        self.http.next_stream
    }

    /// Hands a text to the link; gives its stream.
    pub(super) fn hand_over(&mut self, text: String, handed: Handed) -> u32 {
        self.bind_to_cancel();
        let stream = self.new_stream();
        let stated = message::read(&text)
            .and_then(|(_, facts)| Facts::text(facts.meta_revision()).map(|text| text.into_owned()));
        // Where each request states the revision, what is no request speaks that of those before it.
        self.http.revision = stated.or(self.http.revision.take());
        let revision = self.http.revision.clone();
        self.out.push_back(Outgoing::Message { stream, bytes: text.into_bytes(), revision, more: false });
        for exchange in &handed.opens {
            self.live[*exchange].queued = true;
        }
        self.http.handed.push_back(handed);
        stream
    }

    /// What is due at once behind a cancel goes out in one write with it: a server that answers a moment later must find it there, and
    /// a witness among it shows that the cancel had been read.
    fn bind_to_cancel(&mut self) {
        let waiting = self.out.iter().filter(|order| matches!(order, Outgoing::Message { .. })).count();
        let cancels = self.http.handed.iter().rev().take(waiting).any(|handed| !handed.cancels.is_empty());
        if let Some(Outgoing::Message { more, .. }) = self.out.back_mut() {
            *more |= cancels;
        }
    }

    fn note_sent(&mut self, exchange: usize, stream: u32) {
        let now = self.now;
        let run = &mut self.log.exchanges[exchange];
        run.fate = Fate::Sent;
        run.sent_us = Some(now);
        run.free_us.get_or_insert(now);
        run.planned_us.get_or_insert(now);
        self.live[exchange].sign_us = now;
        self.live[exchange].stream = Some(stream);
        self.flight.insert(exchange);
    }

    /// Reads a text that goes out as the peer will: ids, tokens, turns.
    pub(super) fn note_text(&mut self, text: &str, opens: &[usize]) {
        let mut opens = opens.iter().copied();
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, facts)) => self.note_message(&message, &facts, opens.next()),
            Ok(Parsed::Batch(members)) => {
                for (message, facts) in members.iter().filter_map(|(_, member)| member.as_ref().ok()) {
                    let request = message.method.is_some() && message.id.value().is_some();
                    let exchange = if request { opens.next() } else { None };
                    self.note_message(message, facts, exchange);
                }
            }
            Err(_) => {}
        }
    }

    fn note_message(&mut self, message: &Message<'_>, facts: &Facts<'_>, exchange: Option<usize>) {
        let method = message.method();
        self.peer.told_to_exit |= message.method.is_some() && self.recorded.profile.opening.exit == Some(method);
        if let Some(form) = cancel_form(self.recorded.profile, method, facts)
            && let (Mechanism::SessionCancel, Target::Turn(session)) = (form.mechanism, &form.target)
        {
            self.turn_cancelled(session);
        }
        let (Some(exchange), Some(id)) = (exchange, message.id.value()) else { return };
        self.log.exchanges[exchange].live_id = message.id_text.map(str::to_string);
        self.live[exchange].id = Some(id.clone());
        self.names.by_id.entry(id.clone()).or_default().push(exchange);
        for raw in [facts.progress_token(), facts.work_done_token(), facts.partial_result_token()] {
            if let Some(token) = Facts::id(raw) {
                self.names.tokens.insert(token, exchange);
            }
        }
        if let Some(session) =
            facts.session_id().filter(|_| self.recorded.profile.turns && role(method) == Role::Prompt)
        {
            self.names.prompts.entry(session.to_string()).or_default().push(exchange);
            self.names.turns.insert(session.to_string(), exchange);
            self.names.cancelled_turns.remove(session);
        }
    }

    /// The link says that the oldest message it was handed is on its way.
    pub(super) fn confirmed(&mut self) {
        let Some(handed) = self.http.handed.pop_front() else { return };
        let now = self.now;
        for exchange in handed.opens {
            self.live[exchange].queued = false;
            let run = &mut self.log.exchanges[exchange];
            if run.fate == Fate::Sent && run.answered_us.is_none() && run.stuck_us.is_none() {
                run.sent_us = Some(now);
                self.live[exchange].sign_us = self.live[exchange].sign_us.max(now);
            }
        }
        for exchange in handed.cancels {
            let run = &mut self.log.exchanges[exchange];
            let Some(cancel) = &mut run.cancel else { continue };
            match run.answered_us {
                None => cancel.sent_us = cancel.sent_us.map(|_| now),
                // The answer came while the cancel still stood in the queue of the link.
                Some(_) => cancel.status = CancelStatus::Raced,
            }
        }
    }
}
