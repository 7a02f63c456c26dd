//! Notifications: a cancel, progress, a report, or nothing that is tracked.

use super::detail::SubscriptionFault;
use super::event::What;
use super::race::{Judgement, UNORDERED};
use super::state::{Accused, Conn, Incoming, Step, Suspect};
use crate::capture::Proof;
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Role, Side, is_log};

/// Why a subscription that is not known may have been asked for.
const UNTOLD: &str =
    "too many requests came since, or several clients stand in one log, and it may have been asked for";

impl Conn {
    /// A notification: a cancel, progress, a report, or nothing that is tracked.
    pub(super) fn notification(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let method = m.message.method();
        if m.profile.revision_per_request && is_log(method) {
            self.logged(step, m);
        }
        if Some(method) == m.profile.progress {
            return self.progress(step, m);
        }
        if let Some(told) = m.profile.progress_step(method) {
            return self.told_progress(step, m, told);
        }
        if m.profile.declares_anew(m.message.kind, method, m.facts) {
            return self.declared_anew(m);
        }
        if let Some(form) = crate::protocol::cancel_form(m.profile, method, m.facts) {
            return self.cancel(step, m, &form);
        }
        let opening = m.profile.opening;
        if Some(method) == opening.initialized {
            self.initialized(step, m);
        } else if Some(method) == opening.exit {
            self.facts.lifecycle.exit.get_or_insert(m.seen);
        } else {
            self.report(step, m, method);
        }
    }

    /// Notifications that report on a turn, a task or a subscription.
    pub(super) fn report(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, method: &str) {
        match crate::protocol::role(method) {
            Role::Update if m.profile.turns => self.update(step, m),
            Role::TaskStatus if m.profile.tasks => self.task_status(step, m),
            _ if m.profile.documents && (m.facts.document().is_some() || method.starts_with("notebookDocument/")) => {
                self.document(step, m, method);
            }
            _ if m.profile.turns && m.sender == Side::Client => self.extension(m),
            _ if m.sender == Side::Server && m.facts.subscription().is_some() => self.subscribed(step, m),
            _ => {
                if m.sender == Side::Server && m.profile.is_subscribed(method) {
                    let what = What::Unsubscribed { method, fault: SubscriptionFault::Unnamed };
                    self.emit(step, m.profile, m.seen, Some(m.sender), what);
                }
                self.on_cancelled_stream(step, m);
            }
        }
    }

    /// A message for a subscription: for one that there is not, or that the client has cancelled.
    pub(super) fn subscribed(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        let Some(id) = Facts::id(m.facts.subscription()) else { return };
        self.acknowledge(step, m, &id);
        self.may_be_anothers(m, Side::Client, &id);
        if let Some(fault) = self.not_subscribed(m, &id).filter(|_| m.profile.revision_per_request) {
            let what = What::Unsubscribed { method: m.message.method(), fault };
            return self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
        self.unrequested(step, m, &id);
        self.accuse_notification(step, m, Side::Client, &id);
    }

    /// What is wrong with the subscription of this id: it was never asked for, or its server has ended it.
    fn not_subscribed<'a>(&'a self, m: &Incoming<'_>, id: &'a Id) -> Option<SubscriptionFault<'a>> {
        let Some(slot) = self.slot(Side::Client, id) else {
            // Who spells the id in the other type means the same request.
            let twin = id.twin().is_some_and(|twin| self.slot(Side::Client, &twin).is_some());
            let known = !self.side(Side::Client).evicted && self.facts.proof.covers(Proof::CLIENT);
            return (!twin).then(|| SubscriptionFault::Unknown { id, judgement: Judgement::exact_if(known, UNTOLD) });
        };
        let exchange = &slot.exchange;
        if !exchange.known.is_some_and(|known| known.long_lived) {
            return Some(SubscriptionFault::Unknown { id, judgement: Judgement::EXACT });
        }
        let own = exchange.cancels.iter().find(|cancel| cancel.sender == Side::Server && !cancel.foreign);
        let end = exchange.answer.or(own.map(|cancel| cancel.seen))?;
        let in_order = self.ordered() || m.stream.is_some() && m.stream == slot.answered_on;
        Some(SubscriptionFault::Ended { exchange, end, judgement: Judgement::exact_if(in_order, UNORDERED) })
    }

    /// The first message for a subscription must acknowledge it; said once.
    fn acknowledge(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let ordered = self.ordered();
        let Some(slot) = self.slot_mut(Side::Client, id) else { return };
        let listens = slot.exchange.known.is_some_and(|known| known.long_lived);
        if !listens || std::mem::replace(&mut slot.acknowledged, true) {
            return;
        }
        if m.message.method() == "notifications/subscriptions/acknowledged" {
            return;
        }
        let one_stream = ordered || slot.exchange.stream.is_some() && slot.exchange.stream == m.stream;
        let judgement = Judgement::exact_if(one_stream, UNORDERED);
        if let Some(slot) = self.slot(Side::Client, id) {
            let what = What::Unacknowledged { exchange: &slot.exchange, judgement };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A subscription delivers what it was asked for.
    fn unrequested(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, id: &Id) {
        let Some(slot) = self.slot_mut(Side::Client, id) else { return };
        if !slot.exchange.known.is_some_and(|known| known.long_lived) {
            return;
        }
        let Some(member) = slot.wanted.unasked(m.message.method()) else { return };
        if let Some(slot) = self.slot(Side::Client, id) {
            let what = What::Unrequested { exchange: &slot.exchange, member, method: m.message.method() };
            self.emit(step, slot.exchange.profile, m.seen, Some(m.sender), what);
        }
    }

    /// A notification on the stream of a request that was cancelled.
    pub(super) fn on_cancelled_stream(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if let Some(parent) = self.stream_parent(m).filter(|parent| self.known(parent).is_some()) {
            self.accuse_notification(step, m, parent.issuer, &parent.id);
        }
    }

    pub(super) fn accuse_notification(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let Some(slot) = self.slot(issuer, id) else { return };
        if !slot.exchange.in_flight() || slot.cancel_void {
            return;
        }
        let own = slot.exchange.cancel().filter(|cancel| cancel.sender == issuer).map(|cancel| cancel.seen);
        let Some(cancel) = own else { return };
        if m.profile.ruling("CAN021").is_none() {
            return;
        }
        let exchange = Box::new(slot.exchange.clone());
        let crossing = self.crossing(m, cancel, false);
        self.accuse(step, Suspect { crossing, what: Accused::Notification { exchange } });
    }
}
