//! Stands between the fold and the store: events become findings, and everything derived is written as it comes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::Hops;
use super::inspector::Inspector;
use super::numbers::Numbers;
use super::watcher::{Watcher, told};
use crate::capture::{Body, Frame};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::jsonrpc::Kind;
use crate::protocol::Side;
use crate::rules::{Auditor, Left, On, RULES, Selection, Undecided, rests_on_order, still_proven};
use crate::session::{
    Cancellation, Certainty, Connection, Event, Exchange, Followed, Follower, FrameId, Ledger, Sink, What,
};
use crate::store::{Derived, Store};

/// A sink that judges and stores. What fails is kept until [`Judge::failed`] is asked: a sink returns nothing.
pub(super) struct Judge<'s> {
    auditor: Auditor,
    derived: Derived<'s>,
    watcher: Option<&'s Mutex<dyn Watcher>>,
    follower: Option<Follower>,
    inspector: Option<Inspector>,
    held: Held,
    /// Where only the servers of connections are judged that were seen at two taps: all else is known by then.
    servers: Option<Servers>,
    error: Option<Error>,
}

/// What a fold in the order of servers knows of the one before it.
struct Servers {
    /// Which numbers frames had there.
    numbers: Numbers,
    /// What that one would have said of servers.
    left: Left,
}

/// How many findings are held at most; what comes later is said at once.
const HELD: usize = 8192;

/// Findings that rest on the order of messages, until their connection ends: another file may go back in time behind them, and
/// another connection turn out to stand beside it.
#[derive(Default)]
struct Held {
    /// By connection, with the time of what is found.
    list: BTreeMap<u32, Vec<(Finding, Option<i64>)>>,
    count: usize,
}

impl Held {
    /// Keeps a finding, or gives it back where it need not wait.
    fn take(&mut self, finding: Finding, at_us: Option<i64>) -> Option<Finding> {
        if self.count >= HELD || !rests_on_order(&finding) {
            return Some(finding);
        }
        self.count += 1;
        self.list.entry(finding.connection).or_default().push((finding, at_us));
        None
    }

    fn release(&mut self, connection: u32, ledger: Ledger<'_>) -> Vec<Finding> {
        let held = self.list.remove(&connection).unwrap_or_default();
        self.count -= held.len();
        held.into_iter().map(|(finding, at_us)| still_proven(finding, at_us, ledger)).collect()
    }
}

impl<'s> Judge<'s> {
    pub(super) fn new(store: &'s Store, selection: &Selection) -> Result<Judge<'s>> {
        let rules: Vec<_> = RULES.iter().map(|rule| (rule.code, rule.name)).collect();
        Ok(Judge {
            auditor: Auditor::new(selection).without_servers(),
            derived: store.derived(&rules)?,
            watcher: None,
            follower: None,
            inspector: selection.schema.then(Inspector::default),
            held: Held::default(),
            servers: None,
            error: None,
        })
    }

    /// The same, and somebody is told of all that it is told and of all that it finds: at once, so that servers are judged with all
    /// else.
    pub(super) fn watched(self, watcher: &'s Mutex<dyn Watcher>, selection: &Selection) -> Judge<'s> {
        Judge { watcher: Some(watcher), auditor: Auditor::new(selection), ..self }
    }

    /// From here on only what is found of servers is taken down, of frames that have these numbers.
    pub(super) fn judge_servers(&mut self, numbers: Numbers) {
        self.servers = Some(Servers { numbers, left: self.auditor.judge_servers() });
        self.inspector = self.inspector.as_ref().map(|_| Inspector::default());
    }

    /// The same, and requests are followed from hop to hop.
    pub(super) fn following(self, hops: &Hops) -> Judge<'s> {
        let follower = (!hops.names.is_empty()).then(|| Follower::new(hops.names.clone()));
        Judge { follower, ..self }
    }

    /// A connection is of a hop.
    pub(super) fn place(&mut self, connection: u32, hop: Option<usize>) {
        if let (Some(follower), Some(hop)) = (&mut self.follower, hop) {
            follower.place(connection, hop);
        }
    }

    /// A frame, before the fold takes it.
    pub(super) fn frame(&mut self, id: FrameId, connection: u32, frame: &Frame<'_>) {
        if let Some(inspector) = &mut self.inspector {
            inspector.frame(id, connection, frame);
        }
        let Some(follower) = &mut self.follower else { return };
        if let Body::Message(message) = &frame.body
            && message.message.kind == Kind::Request
        {
            follower.request(id, message.json.unwrap_or(message.text));
        }
    }

    /// Judges what the hops show together, when the fold has ended: how much could be followed, and the requests that serve one of a hop
    /// above.
    pub(super) fn follow(&mut self) -> (Vec<Followed>, Vec<Serves>) {
        let Some(mut follower) = self.follower.take() else { return Default::default() };
        let mut serves = Vec::new();
        let followed = follower.finish(|event| self.event(event), |upper, lower| serves.push((upper, lower)));
        followed.iter().for_each(|hop| self.auditor.lost(hop.lost));
        (followed, serves)
    }

    /// The first error since it was asked last.
    pub(super) fn failed(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Rules that would have spoken, had the log shown more.
    pub(super) fn undecided(&self) -> Vec<Undecided> {
        self.auditor.undecided()
    }

    fn keep(&mut self, done: Result<()>) {
        if let Err(error) = done {
            self.error.get_or_insert(error);
        }
    }
}

/// The frame of a request, and that of one that serves it.
pub(super) type Serves = (FrameId, FrameId);

impl Judge<'_> {
    /// What the order of the server gave it occasion to takes the place of what that of the client did.
    fn occasions_of_server(&mut self, connection: &Connection) {
        for seized in self.auditor.seized(connection) {
            let done = self.derived.occasions_of_server(connection, seized.profile, seized.server.bits());
            self.keep(done);
        }
    }

    fn judge(&mut self, event: &Event<'_>) {
        let Judge { auditor, derived, watcher, held, servers, error, .. } = self;
        // Who watches is told at once, and what hops show comes when connections have ended.
        let waits = watcher.is_none() && !matches!(event.what, What::Hop(_));
        if let Some(watcher) = watcher {
            told(watcher).event(event);
        }
        let servers = servers.as_ref();
        auditor.judge(event, |finding, own| {
            if servers.is_some_and(|servers| servers.acquit(&finding, own)) {
                return;
            }
            let held = if waits { held.take(finding, event.seen.at_us) } else { Some(finding) };
            let Some(finding) = held.map(|finding| known(servers, finding)) else { return };
            if let Some(watcher) = watcher {
                told(watcher).finding(&finding);
            }
            if let Err(fault) = derived.finding(&finding) {
                error.get_or_insert(fault);
            }
        });
    }
}

impl Servers {
    /// True for what the order of the server leaves undecided and that of the client does not show at all: two taps know more than
    /// one. What only the lack of records makes doubtful stays.
    fn acquit(&self, finding: &Finding, own: Certainty) -> bool {
        own != Certainty::Violation && !self.left.contains(&(finding.code, self.numbers.known(finding.frame)))
    }

    /// A finding with the numbers that its frames have everywhere else.
    fn known(&self, mut finding: Finding) -> Finding {
        let numbers = &self.numbers;
        let moved = finding.evidence.iter().any(|evidence| numbers.is_moved(evidence.frame));
        if finding.certainty == Certainty::Violation && (moved || numbers.is_moved(finding.frame)) {
            // Its messages are shown as the client's log has them.
            finding.summary.push_str(", by the order at the server's tap");
        }
        finding.frame = numbers.known(finding.frame);
        finding.exchange = finding.exchange.map(|request| numbers.known(request));
        finding.evidence.iter_mut().for_each(|evidence| evidence.frame = numbers.known(evidence.frame));
        finding
    }
}

fn known(servers: Option<&Servers>, finding: Finding) -> Finding {
    match servers {
        Some(servers) => servers.known(finding),
        None => finding,
    }
}

impl Sink for Judge<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.judge(event);
        let Some(mut inspector) = self.inspector.take() else { return };
        inspector.look(event, |event| self.judge(event));
        self.inspector = Some(inspector);
    }

    fn wants_flaws(&self) -> bool {
        [On::Flawed, On::Unsupported, On::Unvalidated].into_iter().any(|on| self.auditor.wants(on))
    }

    fn inferred(&mut self, frame: FrameId, sender: Side) {
        if self.servers.is_some() {
            return;
        }
        let done = self.derived.inferred(frame, sender);
        self.keep(done);
    }

    fn exchange(&mut self, connection: u32, exchange: &Exchange) {
        if self.servers.is_some() {
            return;
        }
        if let Some(watcher) = self.watcher {
            told(watcher).settled(exchange);
        }
        if let Some(follower) = &mut self.follower {
            follower.exchange(connection, exchange);
        }
        let done = self.derived.exchange(connection, exchange);
        self.keep(done);
    }

    fn asked_for(&mut self) {
        let done = self.derived.finish();
        self.keep(done);
    }

    fn cancellation(&mut self, connection: u32, cancellation: &Cancellation) {
        if self.servers.is_some() {
            return;
        }
        let done = self.derived.cancellation(connection, cancellation);
        self.keep(done);
    }

    fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>, logger: Option<Side>) {
        for finding in self.held.release(connection.id, ledger) {
            let done = self.derived.finding(&known(self.servers.as_ref(), finding));
            self.keep(done);
        }
        if self.servers.is_some() {
            return self.occasions_of_server(connection);
        }
        if let Some(follower) = &mut self.follower {
            follower.connection(connection, ledger);
        }
        let done = self.derived.connection(connection, ledger, logger);
        self.keep(done);
        for seized in self.auditor.seized(connection) {
            let bits = [seized.client.bits(), seized.server.bits()];
            let done = self.derived.occasions(connection, seized.profile, bits);
            self.keep(done);
        }
    }
}
