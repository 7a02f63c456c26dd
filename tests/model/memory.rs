//! A fold that forgets settled exchanges at once, and asks about them at the end, as the store is asked.

use rpctape::capture::{Body, Frame};
use rpctape::finding::Finding;
use rpctape::jsonrpc::{Id, IdField, Kind, Message};
use rpctape::protocol::Side;
use rpctape::rules::Selection;
use rpctape::session::{FrameId, Opened, Oracle, Remembered, ReusedId, Seen, Session, Settings};

use crate::support::trace::Trace;
use crate::support::verdicts::{Verdicts, width};

struct Remember {
    issuer: Side,
    id: Id,
    request: Seen,
    method: String,
    answer: Option<Seen>,
}

/// All requests of a trace with their answers.
#[derive(Default)]
struct Memory {
    requests: Vec<Remember>,
}

impl Memory {
    fn take(&mut self, first: FrameId, frame: &Frame<'_>, side: Side) {
        match &frame.body {
            Body::Message(captured) => self.message(first, frame.at_us, side, &captured.message),
            Body::Batch { members, .. } => {
                for (index, (_, member)) in members.iter().enumerate() {
                    if let Ok((message, _)) = member {
                        self.message(first + 1 + index as u64, frame.at_us, side, message);
                    }
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, frame: FrameId, at_us: Option<i64>, side: Side, message: &Message<'_>) {
        let IdField::Value(id) = &message.id else { return };
        let seen = Seen { frame, at_us };
        match message.kind {
            Kind::Request => {
                let method = message.method().to_string();
                self.requests.push(Remember { issuer: side, id: id.clone(), request: seen, method, answer: None });
            }
            Kind::Result | Kind::Error => {
                let mut asked = self.requests.iter_mut().rev();
                let open = asked.find(|old| old.issuer == side.peer() && old.id == *id && old.answer.is_none());
                if let Some(open) = open {
                    open.answer = Some(seen);
                }
            }
            _ => {}
        }
    }
}

impl Oracle for Memory {
    fn request(&mut self, _: u32, issuer: Side, id: &Id, before: FrameId) -> Option<Remembered> {
        let mut asked = self.requests.iter().rev();
        let old = asked.find(|old| old.issuer == issuer && old.id == *id && old.request.frame < before)?;
        Some(Remembered { request: old.request, method: old.method.clone(), answer: old.answer })
    }

    fn reused_ids(&mut self, _: u32, issuer: Side) -> Vec<ReusedId> {
        let mut reused = Vec::new();
        for (at, later) in self.requests.iter().enumerate().filter(|(_, later)| later.issuer == issuer) {
            let earlier = self.requests[..at].iter().rev().find(|old| old.issuer == issuer && old.id == later.id);
            if let Some(earlier) = earlier {
                let (id, method) = (later.id.clone(), later.method.clone());
                reused.push(ReusedId { earlier: earlier.request, later: later.request, id, method });
            }
        }
        reused
    }
}

/// Findings of a trace, with a window of one settled exchange.
pub fn forgetful(trace: &Trace, settings: Settings) -> Vec<Finding> {
    let mut session = Session::new(Settings { window: 1, ..settings });
    let mut verdicts = Verdicts::new(&Selection::default());
    session.open(Opened { id: 1, key: "m/1".into(), channel: trace.channel.clone(), demanded: None });
    let mut memory = Memory::default();
    let mut next = 1;
    for (index, step) in trace.steps.iter().enumerate() {
        let frame = trace.frame(index);
        if let Some(side) = step.side {
            memory.take(next, &frame, side);
        }
        session.push(next, 1, &frame, &mut verdicts);
        next += width(&frame);
    }
    session.finish(&mut memory, &mut verdicts);
    verdicts.findings
}
