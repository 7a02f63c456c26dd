//! Tasks: requests that outlive their answer (MCP 2025-11-25 and its successor extension).

use std::rc::Rc;

use super::detail::TaskReport;
use super::event::What;
use super::exchange::{Cancellation, Effect, Exchange, Outcome, TaskState};
use super::race::{Judgement, UNDER_WAY, UNORDERED};
use super::seen::Seen;
use super::state::{Birth, Conn, Handle, Incoming, Step, Task, index, terminal};
use crate::capture::Proof;
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Mechanism, Role, Side, listed_tasks};

/// What a receiver says of a task that it does not know (MCP 2025-11-25, tasks).
const INVALID_PARAMS: i64 = -32602;

impl Conn {
    /// An answer to a request about a task that nothing in the log has created: a receiver that refused the name before
    /// and takes it now contradicts itself.
    fn strange_task(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(name) = self.slot(issuer, id).and_then(|slot| slot.topic.clone()) else { return };
        if self.tasks.knows(m.sender, &name) || self.strange_tasks.is_full() || !self.facts.complete_head() {
            return;
        }
        let (refused, told) = self.strange_tasks.known.entry((m.sender, name.clone())).or_default();
        if m.message.kind == Kind::Error {
            if m.message.error_code() == Some(INVALID_PARAMS) {
                refused.get_or_insert(m.seen);
            }
            return;
        }
        let (refused, told) = (*refused, std::mem::replace(told, true));
        if let Some(slot) = self.slot(issuer, id).filter(|_| !told) {
            let what = What::UnknownTask { exchange: &slot.exchange, task: &name, refused };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }

    /// Whether a request asks for a task, and whether its receiver declared that it can.
    pub(super) fn task_asked(&self, m: &Incoming<'_>) -> TaskState {
        if !m.facts.task_wanted || !m.profile.tasks {
            return TaskState::None;
        }
        let declared = self.facts.capabilities(m.sender.peer()).is_some_and(|declared| match m.message.method() {
            "tools/call" => declared.tasks_tools_call,
            "sampling/createMessage" => declared.tasks_sampling,
            "elicitation/create" => declared.tasks_elicitation,
            _ => false,
        });
        if declared { TaskState::Asked } else { TaskState::AskedInVain }
    }

    /// The request whose task a nested message names.
    pub(super) fn task_parent(&self, m: &Incoming<'_>) -> Option<Handle> {
        let name = Facts::text(m.facts.related_task())?;
        let task = self.tasks.get(m.sender, &name)?;
        task.creator.clone().filter(|creator| creator.issuer != m.sender)
    }

    /// An answer in a protocol with tasks: it may create one, report on one, or be the answer to a cancel.
    pub(super) fn task_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id, role: Role) {
        if matches!(role, Role::TaskCancel | Role::TaskResult | Role::Poll) {
            self.strange_task(step, m, issuer, id);
        }
        if role == Role::TaskCancel {
            self.task_cancel_answer(step, m, issuer, id);
        }
        if role == Role::TaskResult && m.message.kind == Kind::Result {
            self.deliver_task(m, issuer, id);
        }
        if role == Role::Poll && m.facts.tasks().is_some() {
            self.tasks_listed(step, m, issuer, id);
        }
        let (Some(name), Some(status)) = (Facts::text(m.facts.task_id()), Facts::text(m.facts.task_status())) else {
            return;
        };
        if m.message.kind != Kind::Result {
            return;
        }
        let name: Rc<str> = Rc::from(&*name);
        // What an answer about a task tells, it does not create.
        let asked_of = matches!(role, Role::TaskCancel | Role::TaskResult | Role::Poll);
        let created = m.facts.task_created && !asked_of;
        if created && let Some(slot) = self.slot_mut(issuer, id) {
            slot.exchange.task = TaskState::Created(name.clone());
        }
        let creator = self.slot(issuer, id).map(|slot| slot.exchange.request.frame).filter(|_| created);
        let creator = creator.map(|request| Handle { issuer, id: id.clone(), request });
        self.task_report(step, m, name, &status, creator, Some((issuer, id)));
    }

    /// A list of tasks reports on each. What was told of one while the list was asked for may be newer than the list.
    fn tasks_listed(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let own = self.slot(issuer, id).map(|slot| &slot.exchange).filter(|own| &*own.method == "tasks/list");
        let Some(asked) = own.map(|own| own.request) else { return };
        for (name, status) in listed_tasks(m.facts) {
            if self.tasks.get(m.sender, &name).is_none_or(|task| task.seen.frame < asked.frame) {
                self.task_report(step, m, Rc::from(name), &status, None, Some((issuer, id)));
            }
        }
    }

    /// The result of a task was delivered.
    fn deliver_task(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let name = self.slot(issuer, id).and_then(|slot| slot.topic.clone());
        let task = name.and_then(|name| self.tasks.held()?.known[index(m.sender)].get_mut(&*name));
        if let Some(task) = task {
            task.delivered.get_or_insert(m.seen);
        }
    }

    /// A status notification.
    pub(super) fn task_status(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let (Some(name), Some(status)) = (Facts::text(m.facts.task_id()), Facts::text(m.facts.task_status())) else {
            return;
        };
        self.task_report(step, m, Rc::from(&*name), &status, None, None);
    }

    fn task_report(
        &mut self,
        step: &mut Step<'_>,
        m: &Incoming<'_>,
        name: Rc<str>,
        status: &str,
        creator: Option<Handle>,
        via: Option<(Side, &Id)>,
    ) {
        let old = self.tasks.get(m.sender, &name);
        let (cancel, delivered) = old.map_or((None, None), |task| (task.cancel, task.delivered));
        let old_creator = old.and_then(|task| task.creator.clone());
        let another = old_creator.as_ref().filter(|old| creator.as_ref().is_some_and(|now| now.request != old.request));
        let recreated = another.map(|old| Seen { frame: old.request, at_us: None });
        let one_stream = old.is_some_and(|task| task.stream.is_some() && task.stream == m.stream);
        let old = old.map(|task| (task.seen, task.status.clone(), task.stream));
        let exchange = via.and_then(|(issuer, id)| self.slot(issuer, id)).map(|slot| &slot.exchange);
        let behind = |earlier: Seen| exchange.is_some_and(|own| self.was_asked_behind(own, earlier));
        let ordered = self.ordered();
        // Who was asked before may have looked before, and said so only then. One end of a task and another one are one too many.
        let under_way =
            |earlier: Seen| exchange.is_some_and(|own| own.request.frame < earlier.frame && !terminal(status));
        let in_order = |seen: Seen, in_one: bool| match ordered {
            true => Judgement::exact_if(!under_way(seen), UNDER_WAY),
            false => Judgement::exact_if(behind(seen) || in_one && !under_way(seen), UNORDERED),
        };
        let judgement = match &old {
            Some((seen, ..)) => in_order(*seen, one_stream),
            None => Judgement::exact_if(ordered, UNORDERED),
        };
        // What may be older than the end that is known takes nothing from that.
        let stays = judgement != Judgement::EXACT && !terminal(status);
        let unchanged = old.clone().filter(|(_, old, _)| stays && terminal(old));
        let report = TaskReport {
            task: &name,
            before: old.as_ref().map(|(seen, status, _)| (*seen, &**status)),
            status,
            delivered,
            behind_delivery: delivered.map_or(Judgement::EXACT, |delivered| in_order(delivered, false)),
            created: creator.is_some(),
            recreated,
            exchange,
            judgement,
        };
        match exchange.filter(|_| report.created && old.is_none() && status != "working" && !ordered) {
            Some(exchange) => {
                let birth = Birth::new(m, &name, status, exchange);
                self.births.push(birth);
            }
            None => {
                self.emit(step, m.profile, m.seen, Some(m.sender), What::Task(report));
                if let Some(births) = self.births.held() {
                    births.tell_of(m.sender, &name);
                }
            }
        }
        let creator = creator.or(old_creator);
        let slot = creator.as_ref().filter(|_| status == "cancelled").and_then(|creator| self.known_mut(creator));
        if let Some(slot) = slot
            && matches!(&slot.exchange.task, TaskState::Created(task) if *task == name)
        {
            slot.exchange.outcome = Outcome::Cancelled;
            let parent = Box::new(slot.exchange.clone());
            if let Some(cancel) = cancel {
                self.orphan(parent, cancel, m.seen);
            }
        }
        let (seen, status, stream) = unchanged.unwrap_or((m.seen, status.into(), m.stream));
        self.tasks.set(m.sender, name, Task { status, seen, stream, creator, cancel, delivered });
    }

    /// Tasks that were not at work when they were created, now that all that the log has of them is known.
    pub(super) fn end_births(&mut self, step: &mut Step<'_>) {
        let shows_streams = self.facts.proof.covers(Proof::STREAMS);
        for Birth { seen, owner, profile, task, status, exchange, told_of } in self.births.take_all().list {
            let report = TaskReport {
                task: &task,
                before: None,
                status: &status,
                delivered: None,
                behind_delivery: Judgement::EXACT,
                created: true,
                recreated: None,
                exchange: Some(&exchange),
                judgement: Judgement::exact_if(shows_streams && !told_of, UNORDERED),
            };
            self.emit(step, profile, seen, Some(owner), What::Task(report));
        }
    }

    /// True if an exchange began when a message had passed, whatever streams the two came on: its answer was made later.
    fn was_asked_behind(&self, exchange: &Exchange, earlier: Seen) -> bool {
        let waited = exchange.request.since(earlier).filter(|_| self.tells_when_answered());
        waited.is_some_and(|us| us > self.resolution_us)
    }

    /// A `tasks/cancel` request: a cancel of the exchange that created the task.
    pub(super) fn cancel_task(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        if !m.profile.tasks {
            return;
        }
        self.facts.cancels += 1;
        let mut cancel = Cancellation {
            target_text: m.facts.task_id().map(Into::into),
            ..Cancellation::new(m.seen, m.sender, Mechanism::TasksCancel)
        };
        let name = Facts::text(m.facts.task_id());
        let task = name.as_ref().and_then(|name| self.tasks.held()?.known[index(m.sender.peer())].get_mut(&**name));
        let creator = task.and_then(|task| {
            task.cancel.get_or_insert(m.seen);
            task.creator.clone()
        });
        let slot = creator.and_then(|creator| self.known(&creator)).map(|slot| &slot.exchange);
        match slot {
            Some(exchange) => {
                cancel.exchange = Some(exchange.request.frame);
                cancel.target_method = Some(exchange.method.clone());
                cancel.delay_us = m.seen.since(exchange.request);
            }
            None if name.is_none() => cancel.effect = Some(Effect::Malformed),
            None => cancel.effect = Some(Effect::UnknownTarget),
        }
        self.judge_cancel(step, m.profile, &cancel, None, None);
        match cancel.effect {
            Some(_) => step.sink.cancellation(self.facts.id, &cancel),
            None => {
                self.open_task_cancels.insert((m.sender, id.clone()), cancel);
            }
        }
    }

    fn task_cancel_answer(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let status = Facts::text(m.facts.task_status());
        let is_error = m.message.kind == Kind::Error;
        if let Some(mut cancel) = self.open_task_cancels.remove(&(issuer, id.clone())) {
            cancel.effect = Some(match (is_error, status.as_deref()) {
                (true, _) => Effect::Error,
                (false, Some("cancelled")) => Effect::Acknowledged,
                (false, _) => Effect::Result,
            });
            cancel.effect_seen = Some(m.seen);
            cancel.response_code = m.message.error_code();
            step.sink.cancellation(self.facts.id, &cancel);
        }
        // What a request is owed that had this id before is not told from what this one is.
        let Some(slot) = self.slot(issuer, id).filter(|slot| slot.absorb.answers == 0) else { return };
        let Some(task) = slot.topic.clone() else { return };
        let known = self.tasks.get(m.sender, &task);
        let terminal = known.filter(|task| terminal(&task.status)).map(|task| (task.seen, &*task.status));
        // What the owner reports between the request and its answer may be what the cancel has brought about.
        let between = |seen: Seen| seen.frame > slot.exchange.request.frame;
        let terminal = terminal.filter(|(seen, status)| !(between(*seen) && *status == "cancelled"));
        let delivered = known.and_then(|task| task.delivered).filter(|seen| !between(*seen));
        let what = What::TaskCancelAnswer {
            exchange: &slot.exchange,
            task: &task,
            terminal,
            delivered,
            status: status.as_deref(),
            error_code: m.message.error_code(),
            is_error,
        };
        self.emit(step, m.profile, m.seen, Some(m.sender), what);
    }

    /// Cancels of tasks that were never answered.
    pub(super) fn end_task_cancels(&mut self, step: &mut Step<'_>) {
        let mut left: Vec<_> = self.open_task_cancels.take_all().into_values().collect();
        left.sort_by_key(|cancel| cancel.seen.frame);
        for mut cancel in left {
            cancel.effect = Some(Effect::Unsettled);
            step.sink.cancellation(self.facts.id, &cancel);
        }
    }
}
