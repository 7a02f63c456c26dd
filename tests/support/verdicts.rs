//! Runs the fold and the rules over frames, without a store.

use std::collections::HashMap;

use rpctape::capture::{Body, Channel, Frame};
use rpctape::finding::Finding;
use rpctape::jsonrpc::Id;
use rpctape::pipeline::{Inspector, Lookout};
use rpctape::protocol::Side;
use rpctape::rules::{Auditor, Exercised, Selection, rests_on_order, still_proven};
use rpctape::session::{
    Cancellation, Connection, Event, Exchange, Follower, FrameId, Ledger, NO_CONNECTION, Nobody, Opened, Oracle,
    Remembered, ReusedId, Session, Settings, Sink,
};

use super::trace::{Trace, What};

/// Everything that one fold produced.
pub struct Verdicts {
    pub findings: Vec<Finding>,
    pub exchanges: Vec<Exchange>,
    pub cancellations: Vec<Cancellation>,
    pub connections: Vec<Connection>,
    /// What the connections gave occasion to.
    pub exercised: Vec<Exercised>,
    auditor: Auditor,
    follower: Follower,
    inspector: Option<Inspector>,
}

impl Verdicts {
    pub fn new(selection: &Selection) -> Verdicts {
        Verdicts {
            findings: Vec::new(),
            exchanges: Vec::new(),
            cancellations: Vec::new(),
            connections: Vec::new(),
            exercised: Vec::new(),
            auditor: Auditor::new(selection),
            follower: Follower::default(),
            inspector: selection.schema.then(Inspector::default),
        }
    }
}

impl Sink for Verdicts {
    fn event(&mut self, event: &Event<'_>) {
        self.auditor.judge(event, |finding, _| self.findings.push(finding));
        if let Some(inspector) = &mut self.inspector {
            inspector.look(event, |event| self.auditor.judge(event, |finding, _| self.findings.push(finding)));
        }
    }
    fn inferred(&mut self, _: FrameId, _: Side) {}
    fn exchange(&mut self, connection: u32, exchange: &Exchange) {
        self.follower.exchange(connection, exchange);
        self.exchanges.push(exchange.clone());
    }
    fn cancellation(&mut self, _: u32, cancellation: &Cancellation) {
        self.cancellations.push(cancellation.clone());
    }
    fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>, _: Option<Side>) {
        let proven = self.findings.iter_mut().filter(|one| one.connection == connection.id && rests_on_order(one));
        proven.for_each(|finding| *finding = still_proven(finding.clone(), None, ledger));
        self.follower.connection(connection, ledger);
        let seized = self.auditor.seized(connection).into_iter();
        let proof = connection.proof;
        self.exercised.extend(seized.map(|seized| Exercised { seized, proof, connections: 1 }));
        self.connections.push(connection.clone());
    }
}

/// An oracle that knows the requests of one connection, as a store would.
pub struct Known(Vec<Exchange>);

impl Oracle for Known {
    fn request(&mut self, _: u32, issuer: Side, id: &Id, before: FrameId) -> Option<Remembered> {
        let same = self.0.iter().filter(|exchange| exchange.issuer == issuer && exchange.id == *id);
        let newest = same.filter(|exchange| exchange.request.frame < before).max_by_key(|found| found.request.frame)?;
        Some(Remembered { request: newest.request, method: newest.method.to_string(), answer: newest.answer })
    }
    fn reused_ids(&mut self, _: u32, _: Side) -> Vec<ReusedId> {
        Vec::new()
    }
}

/// Judges one trace with a window that may be small: what was dropped behind it is known to the oracle.
pub fn remembering(trace: &Trace, settings: Settings, selection: &Selection) -> (Verdicts, HashMap<FrameId, u64>) {
    let (written, _) = judge(trace, settings, selection);
    judge_with(trace, settings, selection, &mut Known(written.exchanges), |_| None)
}

/// How many frame numbers a frame uses up.
pub fn width(frame: &Frame<'_>) -> u64 {
    match &frame.body {
        Body::Batch { members, .. } => 1 + members.len() as u64,
        _ => 1,
    }
}

/// Judges one trace. Also gives the event number (from 1) of each frame.
pub fn judge(trace: &Trace, settings: Settings, selection: &Selection) -> (Verdicts, HashMap<FrameId, u64>) {
    judge_with(trace, settings, selection, &mut Nobody, |_| None)
}

/// The same, with the look-out for secrets: it reads all that passes.
pub fn judge_with_lookout(
    trace: &Trace,
    settings: Settings,
    selection: &Selection,
) -> (Verdicts, HashMap<FrameId, u64>) {
    let mut lookout = Lookout::default();
    judge_with(trace, settings, selection, &mut Nobody, |frame| lookout.look(1, frame))
}

fn judge_with(
    trace: &Trace,
    settings: Settings,
    selection: &Selection,
    oracle: &mut dyn Oracle,
    mut look: impl FnMut(&Frame<'_>) -> Option<&'static str>,
) -> (Verdicts, HashMap<FrameId, u64>) {
    let mut session = Session::new(settings);
    let mut verdicts = Verdicts::new(selection);
    let hops = trace.steps.iter().map(|step| step.hop).max().unwrap_or(1);
    verdicts.follower = Follower::new(["client", "gateway", "server"].map(str::to_string)[..hops as usize].to_vec());
    for id in 1..=hops {
        let (key, channel) = (format!("trace/{id}"), Channel::clone(&trace.channel));
        session.open(Opened { id, key, channel, demanded: None });
        verdicts.follower.place(id, id as usize - 1);
    }
    let mut numbers = HashMap::new();
    let mut next = 1;
    for (index, step) in trace.steps.iter().enumerate() {
        let frame = trace.frame(index);
        for id in next..next + width(&frame) {
            numbers.insert(id, index as u64 + 1);
        }
        if let Some(kind) = look(&frame) {
            session.secret(next, 1, frame.at_us, kind);
        }
        if let Some(inspector) = &mut verdicts.inspector {
            inspector.frame(next, step.hop, &frame);
        }
        let anywhere = matches!(step.what, What::Missing { anywhere: true, .. });
        if let Body::Message(message) = &frame.body {
            verdicts.follower.request(next, message.text);
        }
        session.push(next, if anywhere { NO_CONNECTION } else { step.hop }, &frame, &mut verdicts);
        next += width(&frame);
    }
    session.finish(oracle, &mut verdicts);
    let mut follower = std::mem::take(&mut verdicts.follower);
    follower.finish(|event| verdicts.event(event), |_, _| ());
    (verdicts, numbers)
}

/// Findings as lines: `CAN010 at 6 warning violation rtt`, sorted.
pub fn lines(findings: &[Finding], numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<(u64, String)> = findings
        .iter()
        .map(|finding| {
            let at = numbers[&finding.frame];
            let basis = finding.basis.map_or(String::new(), |basis| format!(" {}", basis.as_str()));
            let (severity, certainty) = (finding.severity.as_str(), finding.certainty.as_str());
            (at, format!("{} at {at} {severity} {certainty}{basis}", finding.code))
        })
        .collect();
    rows.sort();
    rows.into_iter().map(|(_, line)| line).collect()
}
