//! Plays one connection: what a live peer sends goes in, what it is to be sent comes out, and time is a number.
//!
//! The client's steps go out strictly in their recorded order; concurrency is in what they do *not* wait for. So there is one step
//! in front at any time, and everything else here is bookkeeping about requests in flight.

mod arrive;
mod ask;
mod cancel;
mod compose;
mod front;
mod life;
mod reinit;
mod send;
mod session;
mod state;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::options::Options;
use super::plan::{Action, ConnectionPlan, Soft, Step};
use super::recording::Connection;
use super::rewrite::Rewritten;
use super::run::{Broken, CancelRun, CancelStatus, ExchangeRun, Fate, RunLog};
use crate::jsonrpc::Id;
use crate::live::link::{Incoming, Outgoing};
use crate::protocol::Side;
use state::{Front, Http, Known, Live, Names, Peer, Phase};

/// What a run is waiting for, for a line of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// `#7 tools/call index`.
    pub label: String,
    /// In words: `an answer`, `its time`.
    pub what: &'static str,
    /// Since when, microseconds of the run.
    pub since_us: i64,
}

/// One connection being played. Drain [`Engine::next`] after every call, and call [`Engine::tick`] when [`Engine::wake_at`] says so.
pub struct Engine {
    recorded: Connection,
    plan: ConnectionPlan,
    steps: Arc<[Step]>,
    options: Options,
    log: RunLog,
    out: VecDeque<Outgoing>,
    phase: Phase,
    /// The latest time that anybody told.
    now: i64,
    /// When that came which is being handled: before `now`, where it was handed over late.
    came: i64,
    /// The time up to which everything that came has been told: nothing is given up that was due behind it.
    heard_us: i64,
    /// Place of the step in front, and how far it is.
    cursor: usize,
    front: Front,
    /// What is waited for behind the last step and has not come, that which is waited for longest last.
    tail: Vec<Soft>,
    /// When the step before it was done with.
    moved_us: i64,
    /// Answers that the step in front waits for, those that skipped steps would have waited for included.
    owed: Vec<usize>,
    /// One for each exchange.
    live: Vec<Live>,
    /// Exchanges that something may still come of, or that are to be answered.
    flight: BTreeSet<usize>,
    known: Known,
    names: Names,
    http: Http,
    peer: Peer,
    rewritten: Rewritten,
    /// Why nothing more is sent.
    halted: Option<String>,
}

impl Engine {
    /// An engine that has not begun: it waits for [`Incoming::Ready`].
    pub fn new(recorded: &Connection, plan: &ConnectionPlan, options: &Options) -> Engine {
        let mut engine = Engine {
            recorded: recorded.clone(),
            plan: plan.clone(),
            steps: plan.steps.clone().into(),
            options: options.clone(),
            log: RunLog::default(),
            out: VecDeque::new(),
            phase: Phase::default(),
            now: 0,
            came: 0,
            heard_us: 0,
            cursor: 0,
            front: Front::default(),
            tail: longest_last(&plan.tail),
            moved_us: 0,
            owed: Vec::new(),
            live: vec![Live::default(); recorded.exchanges.len()],
            flight: BTreeSet::new(),
            known: Known::default(),
            names: Names::default(),
            http: Http::default(),
            peer: Peer::default(),
            rewritten: Rewritten::default(),
            halted: None,
        };
        engine.log.exchanges = vec![ExchangeRun::default(); recorded.exchanges.len()];
        engine.prepare();
        engine
    }

    /// Something came from the link.
    pub fn arrival(&mut self, at_us: i64, what: &Incoming) {
        self.now = self.now.max(at_us);
        self.came = at_us;
        self.note_arrival(what);
        self.advance();
    }

    /// Time has passed, and all that came in it has been told: only here something is given up. Several answers may come at once, and
    /// the first of them does not tell that the others did not.
    pub fn tick(&mut self, now_us: i64) {
        self.now = self.now.max(now_us);
        self.heard_us = self.heard_us.max(now_us);
        self.advance();
    }

    /// Breaks the run off: nothing more is sent, the peer is ended, what is known so far is kept.
    pub fn stop(&mut self, now_us: i64, why: Broken) {
        self.now = self.now.max(now_us);
        self.log.broken.get_or_insert(why);
        if self.phase < Phase::Done {
            // Also where it was asked to end already: it may be one that does not.
            self.out.push_back(Outgoing::Abort);
            self.end();
        }
    }

    /// The link has nothing more to report.
    pub fn link_ended(&mut self, at_us: i64) {
        self.now = self.now.max(at_us);
        if self.phase < Phase::Ending {
            self.lose_peer();
        }
        self.phase = Phase::Done;
    }

    /// What is to be sent next.
    #[expect(clippy::should_implement_trait, reason = "an engine is not an iterator: more comes after a None")]
    pub fn next(&mut self) -> Option<Outgoing> {
        self.out.pop_front()
    }

    /// True when nothing more will come of it.
    pub fn done(&self) -> bool {
        self.phase == Phase::Done && self.out.is_empty()
    }

    /// True once the client's event at this place of the recording is behind us.
    pub fn reached(&self, event: usize) -> bool {
        self.phase >= Phase::Closing || self.steps.get(self.cursor).is_none_or(|step| step.event > event)
    }

    /// Tells how long an exchange takes when it is left alone, as a control run has shown.
    pub fn learn(&mut self, exchange: usize, duration_us: i64) {
        if let Some(exchange) = self.recorded.exchanges.get(exchange) {
            let kind = (exchange.method.clone(), exchange.name.clone());
            let longest = self.peer.natural.entry(kind).or_default();
            *longest = (*longest).max(duration_us);
        }
    }

    /// What happened.
    pub fn finish(mut self) -> RunLog {
        let end = self.peer.finish_us.or(self.peer.gone_us).unwrap_or(self.now);
        for at in 0..self.log.exchanges.len() {
            self.conclude(at, end);
        }
        self.count_extras();
        self.note_unanswered();
        if let Some(why) = self.halted.clone().filter(|_| self.log.broken.is_none()) {
            let steps = Arc::clone(&self.steps);
            steps.iter().skip(self.cursor).for_each(|step| self.note_unsent(step, &why));
        }
        self.log.rewrites = self.rewritten.lines();
        if self.peer.unreadable > 0 {
            self.log.notes.push(format!("texts of the live side that are no JSON-RPC: {}", self.peer.unreadable));
        }
        if self.peer.strays > 0 {
            self.log.notes.push(format!("responses of the live side that answer no request: {}", self.peer.strays));
        }
        self.log.ended_us = self.now;
        self.log
    }

    /// Settles what an exchange came to once nothing more will happen.
    fn conclude(&mut self, at: usize, end: i64) {
        let parent = self.recorded.exchanges[at].parent.map(|parent| self.log.exchanges[parent].fate.clone());
        let server = self.recorded.exchanges[at].issuer == Side::Server;
        let sent = self.log.exchanges[at].sent_us;
        let whole = self.watched_whole(at, end);
        let halted = self.halted.clone();
        let cancel_ahead = self.cancels_ahead(at);
        let run = &mut self.log.exchanges[at];
        if run.fate == Fate::Pending && server && self.log.broken.is_none() {
            run.fate = match parent {
                // It could not come, because what it served was not sent.
                Some(fate @ (Fate::NotSent(_) | Fate::Blocked(_) | Fate::Skipped)) => fate,
                _ => Fate::Missing,
            };
        } else if run.fate == Fate::Pending
            && !server
            && let Some(why) = halted
        {
            run.fate = Fate::NotSent(why);
        }
        if let Some(cancel) = &mut run.cancel
            && let Some(sent) = cancel.sent_us
        {
            let watched = cancel.status == CancelStatus::Landed;
            cancel.horizon_us = if watched { (end - sent).max(0) } else { 0 };
            cancel.cut_short = watched && !whole;
        }
        let from = run.cancel.as_ref().and_then(|cancel| cancel.sent_us).or(sent);
        if let (Some(from), None, false) = (from, run.answered_us, server) {
            run.watched_us = Some((end - from).max(0));
        }
        if let (None, Some((anchor, nth))) = (&run.cancel, self.live[at].cancel_planned)
            && (run.fate != Fate::Sent || cancel_ahead)
        {
            run.cancel = Some(CancelRun::new(CancelStatus::NotSent, anchor, nth));
        }
    }

    /// True if the run ended before it came to a cancel of this exchange.
    fn cancels_ahead(&self, exchange: usize) -> bool {
        let ahead = self.steps.get(self.cursor..).unwrap_or_default();
        ahead.iter().any(|step| matches!(&step.action, Action::Cancel(cancel) if cancel.targets.contains(&exchange)))
    }

    /// What can be known before anything happens.
    fn prepare(&mut self) {
        for (at, exchange) in self.recorded.exchanges.iter().enumerate() {
            self.log.exchanges[at].continues = self.plan.continues[at];
            self.log.exchanges[at].notifications.0 = u32::try_from(exchange.progress.len()).unwrap_or(u32::MAX);
            if let Some(id) = Id::from_json(&exchange.rpc_id) {
                self.names.taken.insert(id);
            }
            if let Some(latency) =
                exchange.latency_us.filter(|_| exchange.issuer == Side::Client && exchange.outcome == "result")
            {
                let longest = self.peer.natural.entry((exchange.method.clone(), exchange.name.clone())).or_default();
                *longest = (*longest).max(latency);
            }
        }
        for step in self.steps.iter() {
            if let Action::Cancel(cancel) = &step.action {
                for target in &cancel.targets {
                    self.live[*target].cancel_planned.get_or_insert((cancel.anchor, cancel.nth));
                }
            }
        }
        for (at, link) in self.plan.links.iter().enumerate() {
            self.known.giving.entry(link.producer).or_default().push(at);
        }
        self.list_questions();
        self.count_recorded();
        self.find_last();
        self.known.statuses = self.recorded.statuses();
        self.known.own_end = self.recorded.own_end();
    }
}

/// Waits in the order in which they are given up: those that have come are taken off the end, so that thousands cost no more than
/// each of them once.
fn longest_last(soft: &[Soft]) -> Vec<Soft> {
    let mut waits = soft.to_vec();
    waits.sort_by_key(|soft| soft.wait_us);
    waits
}
