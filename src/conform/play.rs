//! One probe that was played: the template, the live session as the audit has judged it, and what the engine saw.

use super::ids::of_template;
use super::probes::Probe;
use super::speech::HELLO;
use super::template::{AS_REQUEST, is_call, is_of_task, is_witness};
use crate::capture::Transport;
use crate::protocol::Side;
use crate::replay::recording::{Connection, Event, EventKind, Exchange, Fault};
use crate::replay::run::{CancelStatus, Fate, RunLog};
use crate::replay::splice;

/// A cancel that lies there for less than this may just have crossed the answer, microseconds.
const LAY_US: i64 = 150_000;

/// What was watched for less is not said to have gone unanswered for good, microseconds.
const LONG_US: i64 = 10_000_000;

/// One play of a probe.
#[derive(Clone, Debug)]
pub struct Play {
    /// The probe.
    pub probe: &'static Probe,
    /// What was to be said.
    pub template: Connection,
    /// What was said.
    pub live: Connection,
    /// What the engine saw.
    pub log: RunLog,
    /// The file that the session is kept in.
    pub session: Option<String>,
}

/// What became of a request that was cancelled in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'p> {
    /// The request, in the live session.
    pub live: Option<&'p Exchange>,
    /// Microseconds from the request to its cancel.
    pub before_us: i64,
    /// Microseconds from the cancel to the answer, where it came behind the cancel.
    pub after_us: Option<i64>,
    /// How long was watched without an answer, microseconds.
    pub watched_us: i64,
    /// True if the cancel went out while the request was in flight, and was watched for as long as it should be.
    pub whole: bool,
}

impl Target<'_> {
    /// True if nothing answered it.
    pub fn is_silent(&self) -> bool {
        self.live.is_some_and(|live| live.response.is_none())
    }

    /// True if its answer was on its way when the cancel was sent, or the cancel was not sent for it.
    pub fn was_answered_first(&self) -> bool {
        self.live.is_some_and(|live| live.response.is_some()) && self.after_us.is_none()
    }
}

impl Play {
    /// The requests of the template, with what became of each.
    fn asked(&self) -> impl Iterator<Item = (usize, &Exchange)> {
        self.template.exchanges.iter().enumerate().filter(|(_, exchange)| exchange.issuer == Side::Client)
    }

    /// The live exchange of a request of the template.
    pub(super) fn live_of(&self, asked: &Exchange) -> Option<&Exchange> {
        let same = |live: &&Exchange| {
            live.issuer == Side::Client && live.rpc_id == asked.rpc_id && live.method == asked.method
        };
        self.live.exchanges.iter().find(same)
    }

    /// That nothing shows whether the server had a cancel: its POST died.
    pub(super) fn cancel_lost(&self) -> Option<String> {
        let is_cancel = |event: usize| matches!(self.template.events[event].what, EventKind::Cancel(_));
        let lost = self.log.refused.iter().find(|lost| lost.status.is_none() && is_cancel(lost.event))?;
        Some(format!("a cancel was {}", lost.words()))
    }

    /// The requests that were cancelled in flight.
    pub(super) fn targets(&self) -> Vec<Target<'_>> {
        let in_flight = |exchange: &Exchange| {
            exchange.cancels.first().is_some_and(|cancel| exchange.response.is_none_or(|answer| answer > *cancel))
        };
        let hits = self.asked().filter(|(_, exchange)| in_flight(exchange) && is_call(&exchange.rpc_id));
        hits.map(|(place, exchange)| self.target(place, exchange)).collect()
    }

    fn target(&self, place: usize, asked: &Exchange) -> Target<'_> {
        let live = self.live_of(asked);
        let run = &self.log.exchanges[place];
        let time = |event: usize| self.live.events[event].at_us;
        let behind = live.and_then(|live| {
            let (cancel, answer) = (*live.cancels.first()?, live.response?);
            (cancel < answer).then(|| time(answer).zip(time(cancel)).map_or(0, |(answer, cancel)| answer - cancel))
        });
        let cancel = run.cancel.as_ref();
        let before_us = cancel.and_then(|cancel| cancel.sent_us).zip(run.sent_us).map_or(0, |(to, from)| to - from);
        let landed = cancel.is_some_and(|cancel| cancel.status == CancelStatus::Landed && !cancel.cut_short);
        Target {
            live,
            before_us,
            after_us: behind,
            watched_us: cancel.map_or(0, |cancel| cancel.horizon_us),
            whole: landed,
        }
    }

    /// What became of what it cancelled in flight: the outcome of the first answer, or silence.
    pub(super) fn effect(&self) -> Option<&str> {
        let targets = self.targets();
        let answered = targets.iter().find(|target| target.live.is_some() && !target.is_silent());
        let live = answered.or(targets.first())?.live?;
        Some(if live.response.is_none() { "silent" } else { &live.outcome })
    }

    /// For how long it was watched without an answer, at least, microseconds.
    pub(super) fn watched_us(&self) -> Option<i64> {
        self.targets().iter().filter(|target| target.is_silent()).map(|target| target.watched_us).min()
    }

    /// True if an answer to a cancelled request crossed its cancel or came before it, where none is due: nothing was learnt.
    pub fn met_the_answer(&self) -> bool {
        let silence = !self.live.profile.answers_cancelled();
        let targets = self.targets();
        let answered = targets.iter().any(|target| !target.is_silent());
        silence && answered && self.charged("CAN010").next().is_none()
    }

    /// True if it looks as if a cancel lay there until its request was answered: for as long again as that had run before, and its
    /// witness even longer. An earlier cancel would lie there, too.
    pub fn lay_unread(&self) -> bool {
        let long = |target: &Target<'_>| target.after_us.is_some_and(|after| after >= target.before_us.max(LAY_US));
        self.met_the_answer() && self.witness_lay() && self.targets().iter().any(long)
    }

    /// True if the witness behind a cancel was answered only behind a request that was cancelled, or never.
    pub(super) fn witness_lay(&self) -> bool {
        let witness = self.witnessed().unwrap_or(usize::MAX);
        self.targets().iter().filter_map(|target| target.live?.response).any(|answer| answer < witness)
    }

    /// The requests that an honest server answers, whatever is cancelled beside them; witnesses are none.
    pub(super) fn owed(&self) -> impl Iterator<Item = &Exchange> {
        let owed = |exchange: &Exchange| {
            exchange.response.is_some() && exchange.cancels.is_empty() && !is_witness(&exchange.rpc_id)
        };
        self.asked().map(|(_, exchange)| exchange).filter(move |exchange| owed(exchange))
    }

    /// A slow request that is owed an answer and was given up on.
    pub(super) fn stuck(&self) -> Option<&Exchange> {
        let stuck = |(place, exchange): &(usize, &Exchange)| {
            let owed = exchange.response.is_some() && exchange.cancels.is_empty() && is_call(&exchange.rpc_id);
            owed && self.log.exchanges[*place].stuck_us.is_some() && !self.was_answered(exchange)
        };
        self.asked().find(stuck).map(|(_, exchange)| exchange)
    }

    /// The cancel that is a request, where it was given up on.
    pub(super) fn never_refused(&self) -> Option<&Exchange> {
        let given_up = |(place, exchange): &(usize, &Exchange)| {
            of_template(&exchange.rpc_id) == AS_REQUEST
                && self.log.exchanges[*place].stuck_us.is_some()
                && !self.was_answered(exchange)
        };
        self.asked().find(given_up).map(|(_, exchange)| exchange)
    }

    /// That a cancelled request, which is owed an answer, got none for as long as is waited for one: told of a server that had read the
    /// cancel.
    pub fn never_settled(&self) -> Option<String> {
        self.witnessed().filter(|_| self.is_alive())?;
        let targets = self.targets();
        let left = targets.iter().find(|target| target.is_silent() && target.whole && target.watched_us >= LONG_US)?;
        let watched = crate::number::duration(left.watched_us);
        Some(format!("{} was cancelled and never answered, watched for {watched}", left.live?.label()))
    }

    /// The slow requests, as they were in the live session.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Exchange> {
        self.live.exchanges.iter().filter(|live| live.issuer == Side::Client && is_call(&live.rpc_id))
    }

    /// True if the handshake was answered; `None` where it was not asked for.
    pub(super) fn was_welcomed(&self) -> Option<bool> {
        let hello = self
            .live
            .exchanges
            .iter()
            .find(|live| live.issuer == Side::Client && of_template(&live.rpc_id) == HELLO)?;
        Some(hello.response.is_some())
    }

    /// The cancel that is a request, in the live session.
    pub(super) fn as_request(&self) -> Option<&Exchange> {
        self.live.exchanges.iter().find(|live| live.issuer == Side::Client && of_template(&live.rpc_id) == AS_REQUEST)
    }

    /// True if a request of the template was answered.
    pub(super) fn was_answered(&self, asked: &Exchange) -> bool {
        self.live_of(asked).is_some_and(|live| live.response.is_some())
    }

    /// The live event that answers the first witness behind a cancel: what comes later comes from a server that had read it.
    pub(super) fn witnessed(&self) -> Option<usize> {
        let first = self.template.exchanges.iter().filter_map(|exchange| exchange.cancels.first()).min()?;
        let witness = self.asked().find(|(_, exchange)| is_witness(&exchange.rpc_id) && exchange.request > *first)?.1;
        self.live_of(witness)?.response
    }

    /// True if the last witness was answered; a probe without one is as alive as its end.
    pub(super) fn is_alive(&self) -> bool {
        let last = self.asked().filter(|(_, exchange)| is_witness(&exchange.rpc_id)).last();
        last.is_none_or(|(_, witness)| self.was_answered(witness))
    }

    /// How the server ended before anybody asked it to, in words, with the last line of its standard error.
    pub(super) fn died(&self) -> Option<String> {
        let exit = self.log.exit.as_ref();
        let unsent =
            self.log.exchanges.iter().any(|run| matches!(&run.fate, Fate::NotSent(why) if why.contains("exited")));
        if let Some(exit) = exit.filter(|exit| exit.unasked || unsent) {
            let how = match (exit.code, exit.signal) {
                (Some(code), _) => format!("it ended with status {code}"),
                (None, Some(signal)) => format!("it was ended by signal {signal}"),
                (None, None) => "it ended".to_string(),
            };
            let last = exit.stderr.iter().rev().find(|line| !line.trim().is_empty());
            return Some(last.map_or_else(|| how.clone(), |line| format!("{how}: {}", line.trim())));
        }
        let gone = self.log.exchanges.iter().any(|run| run.peer_gone);
        gone.then(|| "it closed the connection".to_string())
    }

    /// What the audit charges the server with, without doubt, by this rule.
    pub(super) fn charged(&self, rule: &str) -> impl Iterator<Item = &Fault> {
        self.live.faults.iter().filter(move |fault| fault.code == rule && fault.certainty == "violation")
    }

    /// An error that answers nothing (id null) and can only be for the cancel, on one ordered channel: it is the first such, it stands
    /// behind the first cancel, and all that was said before has had its answer. With its line. What a probe sends is JSON, and its
    /// requests have ids of their own: nothing else is left that such an error could be for.
    pub(super) fn objected(&self) -> Option<(u64, String)> {
        let is_cancel = |event: &Event| event.side == Some(Side::Client) && matches!(event.what, EventKind::Cancel(_));
        let cancel =
            self.live.events.iter().position(is_cancel).filter(|_| self.live.transport == Transport::Ordered)?;
        let (place, event) = self.live.events.iter().enumerate().find(|(_, event)| is_for_nothing(event))?;
        let summary = "it answers the cancel with an error whose id is null".to_string();
        (place > cancel && self.is_settled_before(cancel)).then_some((event.line, summary))
    }

    /// True if all requests before this event were answered before it, and one of them was sent behind the last notification.
    fn is_settled_before(&self, place: usize) -> bool {
        let asked = || self.live.exchanges.iter().filter(|live| live.issuer == Side::Client && live.request < place);
        let told = self.live.events[..place].iter().rposition(|event| {
            event.side == Some(Side::Client) && !matches!(event.what, EventKind::Request(_) | EventKind::Open)
        });
        asked().all(|live| live.response.is_some_and(|answer| answer < place))
            && asked().next_back().is_some_and(|live| told.is_none_or(|told| told < live.request))
    }

    /// True if a finding is about a slow request.
    pub(super) fn is_about_call(&self, fault: &Fault) -> bool {
        self.asked_about(fault).is_some_and(|live| is_call(&live.rpc_id))
    }

    /// True if it is about a cancel that is a request.
    pub(super) fn is_about_cancel(&self, fault: &Fault) -> bool {
        self.asked_about(fault).is_some_and(|live| of_template(&live.rpc_id) == AS_REQUEST)
    }

    /// The request of ours that a finding is about: one of the server may have the same id.
    fn asked_about(&self, fault: &Fault) -> Option<&Exchange> {
        let live = &self.live.exchanges[fault.exchange?];
        Some(live).filter(|live| live.issuer == Side::Client)
    }

    /// The line of the kept session that a finding points at.
    pub(super) fn line(&self, fault: &Fault) -> Option<u64> {
        fault.event.map(|event| self.live.events[event].line)
    }

    /// The requests about the task, as they were in the live session.
    fn of_task(&self, method: &str) -> impl DoubleEndedIterator<Item = &Exchange> {
        self.live.exchanges.iter().filter(move |live| is_of_task(&live.rpc_id) && live.method == method)
    }

    fn status(&self, live: &Exchange) -> Option<String> {
        let status = splice::at(self.live.response(live)?, "/result/status")?;
        Some(crate::json::lenient_string(status).into_owned())
    }

    /// The status of the task, as it was told last.
    pub(super) fn task_status(&self) -> Option<String> {
        self.of_task("tasks/get").rev().find_map(|live| self.status(live))
    }

    /// The status of the task that the first request by this method was answered with.
    pub(super) fn task_answer(&self, method: &str) -> Option<String> {
        self.status(self.of_task(method).next()?)
    }

    /// What became of the cancel of the task.
    pub(super) fn task_cancel_outcome(&self) -> Option<&str> {
        self.of_task("tasks/cancel").next().map(|live| live.outcome.as_str())
    }

    /// What the server asked while the slow request was in flight.
    pub(super) fn asked_by_server(&self) -> impl Iterator<Item = &Exchange> {
        let from = self.calls().map(|call| call.request).min().unwrap_or(usize::MAX);
        self.live.exchanges.iter().filter(move |live| live.issuer == Side::Server && live.request > from)
    }

    /// How much the server asked before the cancel, and behind the witness.
    pub(super) fn questions(&self) -> (usize, usize) {
        let is_cancel = |what: &EventKind| matches!(what, EventKind::Cancel(_));
        let cancel =
            self.live.events.iter().position(|event| event.side == Some(Side::Client) && is_cancel(&event.what));
        let (cancel, witness) = (cancel.unwrap_or(0), self.witnessed().unwrap_or(usize::MAX));
        let before = self.asked_by_server().filter(|live| live.request < cancel).count();
        (before, self.asked_by_server().filter(|live| live.request > witness).count())
    }

    /// How many messages of progress came before the cancel, and behind the witness.
    pub(super) fn progress(&self) -> (usize, usize) {
        let targets = self.targets();
        let Some(live) = targets.first().and_then(|target| target.live) else { return (0, 0) };
        let cancel = live.cancels.first().copied().unwrap_or(usize::MAX);
        let witness = self.witnessed().unwrap_or(usize::MAX);
        let before = live.progress.iter().filter(|event| **event < cancel).count();
        (before, live.progress.iter().filter(|event| **event > witness).count())
    }
}

/// True for an error of the server's with the id null.
fn is_for_nothing(event: &Event) -> bool {
    let answers = event.side == Some(Side::Server) && event.what == EventKind::Response(None);
    answers && splice::at(&event.text, "/id") == Some("null") && splice::at(&event.text, "/error").is_some()
}
