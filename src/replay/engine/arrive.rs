//! What comes from the live side: messages read leniently and put where they belong.

use super::Engine;
use super::state::{Asked, Phase, Told};
use crate::jsonrpc::{Id, Kind, Message, Parsed, parse};
use crate::live::link::{Forced, Incoming, MESSAGE_BYTES, Outgoing};
use crate::protocol::http::SESSION;
use crate::protocol::{Facts, Mechanism, Role, Side, Target, cancel_form, role};
use crate::replay::flow::{self, Carried};
use crate::replay::message;
use crate::replay::policy;
use crate::replay::recording::EventKind;
use crate::replay::run::{Broken, CancelStatus, ExitRun, Extra, Fate, unshelled};

/// How many lines of stderr are kept.
const STDERR_LINES: usize = 20;

/// So many texts that are no messages come from a server that has lost its way: what it writes has no end, and all of it is kept.
pub(super) const FLOOD: u32 = 100_000;

/// A recorded server that lived on for longer than this behind a cancel did not end on it, microseconds.
const LIVED_US: i64 = 1_000_000;

impl Engine {
    pub(super) fn note_arrival(&mut self, what: &Incoming) {
        match what {
            Incoming::Ready => {
                if self.phase == Phase::Connecting {
                    self.phase = Phase::Playing;
                    self.moved_us = self.now;
                }
            }
            Incoming::Sent { .. } => self.confirmed(),
            Incoming::Message { stream, bytes, event_id } => {
                self.peer.heard = true;
                if let (Some(stream), Some(id)) = (stream, event_id) {
                    self.http.event_ids.insert(*stream, id.clone());
                }
                self.text_came(*stream, &String::from_utf8_lossy(bytes));
            }
            Incoming::Primed { stream, event_id, retry_ms } => {
                let retry_us = retry_ms.and_then(|ms| i64::try_from(ms.saturating_mul(1_000)).ok());
                self.http.retry_us.extend(retry_us.map(|us| (*stream, us)));
                self.http.event_ids.extend(event_id.clone().map(|id| (*stream, id)));
            }
            Incoming::Raw { bytes, .. } => self.text_without_message(bytes.len()),
            Incoming::Packed { stream, encoding, .. } => self.packed_came(*stream, encoding),
            Incoming::Head { stream, method, status, headers } => {
                self.http.named |= headers.iter().any(|(name, _)| name == SESSION);
                self.head_came(*stream, method, *status);
            }
            Incoming::Closed { stream: Some(stream), by, how } => self.stream_closed(*stream, *by, how),
            Incoming::Closed { stream: None, .. } => self.lose_peer(),
            Incoming::Stderr { bytes } => {
                if self.peer.stderr.len() == STDERR_LINES {
                    self.peer.stderr.pop_front();
                }
                self.peer.stderr.push_back(String::from_utf8_lossy(bytes).into_owned());
            }
            Incoming::Exit { code, signal, forced, survivors } => {
                self.lose_peer();
                self.note_exit(*code, *signal, *forced);
                if !survivors.is_empty() {
                    let ids: Vec<String> = survivors.iter().map(u32::to_string).collect();
                    self.log
                        .notes
                        .push(format!("processes that outlived the server and were ended: {}", ids.join(", ")));
                }
                self.phase = Phase::Done;
            }
            Incoming::Failed { why } => {
                if self.phase < Phase::Ending {
                    if self.peer.heard {
                        self.log.notes.push(why.clone());
                    } else {
                        self.log.broken.get_or_insert(Broken::Link(why.clone()));
                    }
                    self.lose_peer();
                }
                self.phase = Phase::Done;
            }
        }
    }

    /// The status with which the other side ended in the recording, where that was at the same place: after as many steps as are
    /// behind us now, and with as much left open. One that ended because its client had left did not end by itself.
    fn recorded_end_here(&self) -> Option<Option<i64>> {
        let (at, code) = self.known.own_end?;
        let as_far = self.steps.iter().filter(|step| step.event < at).count() == self.cursor;
        let cut_short = (0..self.live.len()).any(|exchange| self.ends_sooner(exchange, at));
        (as_far && !cut_short).then_some(code)
    }

    /// True for a request that the end leaves open, and that the recorded end (an event) did not end on: it was answered before, or
    /// the server lived on behind its cancel. A cancelled one was answered before only where its answer would have come by now.
    fn ends_sooner(&self, exchange: usize, end: usize) -> bool {
        let (recorded, run) = (&self.recorded.exchanges[exchange], &self.log.exchanges[exchange]);
        if recorded.issuer != Side::Client || run.fate != Fate::Sent || run.answered_us.is_some() {
            return false;
        }
        let time = |event: usize| self.recorded.events[event].at_us;
        let behind_cancel = |event: usize| Some(time(event)? - time(*recorded.cancels.first()?)?);
        let now = run
            .cancel
            .as_ref()
            .and_then(|cancel| cancel.sent_us)
            .map(|sent| self.peer.gone_us.unwrap_or(self.now) - sent);
        match (recorded.response, now) {
            (Some(_), None) => true,
            (Some(response), Some(now)) => behind_cancel(response).is_none_or(|then| now < then),
            (None, now) => behind_cancel(end).zip(now).is_some_and(|(then, now)| then > LIVED_US && now < then / 2),
        }
    }

    fn note_exit(&mut self, code: Option<i32>, signal: Option<i32>, forced: Forced) {
        let mut exit = ExitRun {
            code,
            signal,
            at_us: self.now,
            unasked: self.peer.unasked,
            recorded_too: false,
            forced: match forced {
                Forced::No => None,
                Forced::Term => Some("TERM"),
                Forced::Kill => Some("KILL"),
            },
            stderr: self.peer.stderr.iter().cloned().collect(),
        };
        let same = |recorded: Option<i64>| recorded.is_none_or(|code| Some(unshelled(code)) == exit.status());
        exit.recorded_too = self.recorded_end_here().is_some_and(same);
        self.log.exit = Some(exit);
    }

    fn text_came(&mut self, stream: Option<u32>, text: &str) {
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(read, facts)) => self.message_came(stream, text.trim(), &read, &facts),
            Ok(Parsed::Batch(members)) => {
                for (range, member) in &members {
                    match member {
                        Ok((read, facts)) => self.message_came(stream, &text[range.clone()], read, facts),
                        Err(_) => self.peer.unreadable += 1,
                    }
                }
            }
            Err(_) => self.peer.unreadable += 1,
        }
    }

    /// A message with a method is never a response, whatever its id.
    fn message_came(&mut self, stream: Option<u32>, text: &str, read: &Message<'_>, facts: &Facts<'_>) {
        self.note_task(read, facts);
        match read.kind {
            Kind::Result | Kind::Error => self.response_came(stream, text, read, facts),
            Kind::Notification => self.notification_came(read, facts),
            Kind::Request if stream.is_some() && self.is_asked_again(read.id.value(), text) => {}
            Kind::Request => {
                let serves = self.may_serve(stream, facts);
                let id_text = read.id_text.unwrap_or("null");
                self.request_came(&Asked { text, id_text, method: read.method(), serves }, read.id.value(), facts);
            }
            Kind::Unclassified => self.peer.unreadable += 1,
        }
    }

    fn response_came(&mut self, stream: Option<u32>, text: &str, read: &Message<'_>, facts: &Facts<'_>) {
        if self.reinit_answered(read, facts) || read.id.value().is_some_and(|id| self.names.witnesses.contains(id)) {
            return;
        }
        let Some(exchange) = read.id.value().and_then(|id| self.answered_by(stream, id)) else {
            self.peer.strays += 1;
            return;
        };
        if self.log.exchanges[exchange].answered_us.is_some() {
            // A second answer: the live session has it, and the audit of that will say so.
            return;
        }
        let now = self.now;
        let run = &mut self.log.exchanges[exchange];
        run.answered_us = Some(now);
        run.text = Some(text.to_string());
        // It was there already when the cancel was sent, and nobody had looked.
        if let Some(cancel) = run.cancel.as_mut().filter(|cancel| cancel.status == CancelStatus::Landed)
            && let Some(sent) = cancel.sent_us.filter(|sent| self.came < *sent)
        {
            (cancel.status, run.answered_us) = (CancelStatus::Raced, Some(self.came.max(run.sent_us.unwrap_or(sent))));
        }
        let took = now - run.sent_us.unwrap_or(now);
        self.live[exchange].sign_us = now;
        if read.kind == Kind::Result {
            let asked = &self.recorded.exchanges[exchange];
            let longest = self.peer.seen.entry((asked.method.clone(), asked.name.clone())).or_default();
            *longest = (*longest).max(took);
        }
        for prompts in self.names.prompts.values_mut() {
            prompts.retain(|prompt| *prompt != exchange);
        }
        let method = self.recorded.exchanges[exchange].method.clone();
        for (tool, hints) in policy::hints(self.recorded.profile, &method, text) {
            self.peer.hints.insert(tool, hints);
        }
        self.note_captured(exchange, text);
        self.note_handshake(exchange, &method, read, facts);
    }

    /// The exchange that a response settles. Where an id was used twice, its stream tells whose it is; without one it is taken for the last
    /// one's, as in the recording. One of the other JSON type (`"7"` for 7) is that request's, and a fault, as it would be in a log.
    fn answered_by(&self, stream: Option<u32>, id: &Id) -> Option<usize> {
        let by_id = |id: &Id| self.names.by_id.get(id);
        let sent = by_id(id).or_else(|| by_id(&id.twin()?))?;
        let on_stream = sent.iter().rev().find(|at| stream.is_some() && self.live[**at].stream == stream);
        on_stream.or(sent.last()).copied()
    }

    /// What later requests take from this answer, and what they miss in it.
    fn note_captured(&mut self, exchange: usize, text: &str) {
        let Some((_, recorded)) = flow::source(&self.recorded, &self.recorded.exchanges[exchange]) else { return };
        let run = &mut self.log.exchanges[exchange];
        for link in self.known.giving.get(&exchange).into_iter().flatten().map(|link| &self.plan.links[*link]) {
            if link
                .exchange
                .is_some_and(|to| !matches!(self.plan.rulings[to], policy::Ruling::Send | policy::Ruling::ByHint))
            {
                continue;
            }
            let list = match link.find(recorded, text) {
                Carried::Recorded => continue,
                Carried::Live(..) => &mut run.captured,
                Carried::Missing => &mut run.capture_missing,
            };
            if !list.contains(&link.from_at) {
                list.push(link.from_at.clone());
            }
        }
    }

    /// A text that is no message; one that is too long may be one, and is not counted.
    fn text_without_message(&mut self, bytes: usize) {
        let too_long = bytes >= MESSAGE_BYTES;
        self.peer.unreadable += u32::from(!too_long);
        let why = if too_long {
            format!("a text of the server is longer than {} MiB, which is what is kept of one", MESSAGE_BYTES >> 20)
        } else if self.peer.unreadable == FLOOD {
            format!("{FLOOD} texts of the server are no JSON-RPC")
        } else {
            return;
        };
        self.stop(self.now, Broken::Left(format!("the run was broken off: {why}")));
    }

    fn note_handshake(&mut self, exchange: usize, method: &str, read: &Message<'_>, facts: &Facts<'_>) {
        let recorded = self.recorded.response(&self.recorded.exchanges[exchange]).and_then(message::read);
        let worked = recorded.as_ref().is_some_and(|(message, _)| message.kind == Kind::Result);
        if read.kind == Kind::Error && worked {
            if let Some(why) = self.recorded.profile.other_era(method, read.error_code()) {
                let said = read.error.as_ref().and_then(|error| error.message.as_deref()).unwrap_or("");
                let code = read.error_code().map_or_else(|| "an error".to_string(), |code| format!("error {code}"));
                let now = self.now;
                self.stop(now, Broken::Era(format!("{why}: {method} is answered with {code} {said:?}")));
            }
            return;
        }
        if self.recorded.profile.opening.initialize == Some(method) && read.kind == Kind::Result {
            let live = revision(facts);
            let old = recorded.and_then(|(_, facts)| revision(&facts));
            if worked && live != old {
                self.log.revision.clone_from(&live);
            }
            self.http.revision = live;
        }
    }

    fn notification_came(&mut self, read: &Message<'_>, facts: &Facts<'_>) {
        let method = read.method();
        if let Some(form) = cancel_form(self.recorded.profile, method, facts)
            && let (Target::Request(id), false) = (&form.target, form.mechanism == Mechanism::WorkDoneProgressCancel)
        {
            self.server_cancels(id);
        }
        let about = self.about(method, facts);
        let now = self.now;
        let told = self.peer.told.entry(method.to_string()).or_default();
        told.came += 1;
        match about {
            Some(exchange) => self.progress_came(exchange),
            None => {
                told.live += 1;
                if told.live > told.recorded {
                    told.extra_us.get_or_insert(now);
                }
            }
        }
    }

    fn progress_came(&mut self, exchange: usize) {
        let now = self.now;
        self.live[exchange].progress.push(now);
        self.live[exchange].sign_us = now;
        let run = &mut self.log.exchanges[exchange];
        run.notifications.1 += 1;
        run.first_progress_us.get_or_insert(now);
        if let Some(cancel) = run.cancel.as_mut().filter(|cancel| cancel.sent_us.is_some()) {
            cancel.progress_after.0 += 1;
            cancel.progress_after.1 = Some(now);
        }
    }

    /// The exchange that a notification is a sign of life of: by its token, or by the turn that it reports on.
    fn about(&self, method: &str, facts: &Facts<'_>) -> Option<usize> {
        if self.recorded.profile.progress == Some(method) {
            return Facts::id(facts.token()).and_then(|token| self.names.tokens.get(&token)).copied();
        }
        if self.recorded.profile.turns && role(method) == Role::Update {
            let session = facts.session_id()?;
            if let Some(prompt) = self.names.prompts.get(session).and_then(|prompts| prompts.last()) {
                return Some(*prompt);
            }
            // After the answer an update of the turn still belongs to it; others tell of the session.
            let update = Facts::text(facts.update()).unwrap_or_default();
            return self.recorded.profile.belongs_to_turn(&update).then(|| self.last_prompt(session)).flatten();
        }
        None
    }

    fn last_prompt(&self, session: &str) -> Option<usize> {
        self.names.turns.get(session).copied()
    }

    /// The exchanges of the client that a request of the server may serve: that of its stream, that of its turn, else each that is in
    /// flight.
    fn may_serve(&self, stream: Option<u32>, facts: &Facts<'_>) -> Vec<usize> {
        let open =
            |at: &usize| self.log.exchanges[*at].fate == Fate::Sent && self.log.exchanges[*at].answered_us.is_none();
        let mine = |at: &usize| self.recorded.exchanges[*at].issuer == Side::Client;
        if stream.is_some()
            && let Some(on) = self.flight.iter().copied().find(|at| mine(at) && self.live[*at].stream == stream)
        {
            return vec![on];
        }
        if let Some(prompt) =
            facts.session_id().and_then(|session| self.names.prompts.get(session)).and_then(|all| all.last())
        {
            return vec![*prompt];
        }
        let long = |at: &usize| {
            let method = self.recorded.profile.method(&self.recorded.exchanges[*at].method);
            method.is_some_and(|method| method.long_lived)
        };
        self.flight.iter().copied().filter(|at| mine(at) && open(at) && !long(at)).collect()
    }

    fn note_task(&mut self, read: &Message<'_>, facts: &Facts<'_>) {
        // Of a request of the server the task is one of the client's.
        if read.kind == Kind::Request {
            return;
        }
        if let (Some(task), Some(status)) = (facts.task_id(), Facts::text(facts.task_status()))
            && self.recorded.profile.task_ended(&status)
        {
            self.names.ended_tasks.insert(task.to_string());
        }
    }

    /// Counts what the recording has, so that more of it can be told.
    pub(super) fn count_recorded(&mut self) {
        let mut seen: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
        for (at, event) in self.recorded.events.iter().enumerate() {
            if event.side != Some(Side::Server) {
                continue;
            }
            let about = match event.what {
                EventKind::Progress(about) => about,
                EventKind::Notification | EventKind::Cancel(_) => None,
                _ => continue,
            };
            let Some(method) = message::method(&event.text) else { continue };
            let nth = seen.entry(method.clone()).or_default();
            *nth += 1;
            self.known.numbered.insert(at, (method.clone(), *nth));
            let told: &mut Told = self.peer.told.entry(method).or_default();
            told.recorded += u32::from(about.is_none());
        }
    }

    /// Notifications beyond those of the recording become extras.
    pub(super) fn count_extras(&mut self) {
        let mut extras: Vec<Extra> = self
            .peer
            .told
            .iter()
            .filter(|(_, told)| told.live > told.recorded)
            .map(|(method, told)| Extra {
                request: false,
                method: method.clone(),
                rpc_id: None,
                count: told.live - told.recorded,
                at_us: told.extra_us.unwrap_or(0),
                answered: None,
            })
            .collect();
        extras.sort_by(|a, b| (a.at_us, &a.method).cmp(&(b.at_us, &b.method)));
        self.log.extras.extend(extras);
        let mut told: Vec<(String, u32, u32)> =
            self.peer.told.iter().map(|(method, told)| (method.clone(), told.recorded, told.live)).collect();
        told.retain(|(_, recorded, live)| *recorded > 0 || *live > 0);
        told.sort();
        self.log.notifications = told;
    }

    /// True if an id is one of a live request that is waiting for an answer of ours.
    pub(super) fn asked_by_server(&self, id: &Id) -> Option<usize> {
        self.flight.iter().copied().find(|at| {
            self.recorded.exchanges[*at].issuer == Side::Server
                && self.live[*at].id.as_ref() == Some(id)
                && !self.live[*at].settled
        })
    }

    /// The peer will never say anything again.
    pub(super) fn lose_peer(&mut self) {
        if self.phase >= Phase::Ending {
            return;
        }
        self.peer.gone_us = Some(self.now);
        self.peer.unasked = !self.peer.told_to_exit;
        self.log.closed_as_recorded = self.recorded_end_here().is_some();
        for at in 0..self.live.len() {
            let run = &mut self.log.exchanges[at];
            let client = self.recorded.exchanges[at].issuer == Side::Client;
            if client && run.fate == Fate::Sent && run.answered_us.is_none() {
                // One that leaves because it was told to owes nothing more than an answer.
                run.peer_gone = self.peer.unasked;
            }
        }
        self.halted.get_or_insert_with(|| "server exited".to_string());
        self.out.push_back(Outgoing::Finish);
        self.end();
    }
}

/// The revision that an answer to a handshake names; null names none.
pub(super) fn revision(facts: &Facts<'_>) -> Option<String> {
    Facts::text(facts.revision().filter(|raw| *raw != "null")).map(|text| text.into_owned())
}
