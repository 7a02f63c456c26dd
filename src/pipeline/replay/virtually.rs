//! A whole run in virtual time, for tests: the engine, the tape and the audit are those of every run, the peer is a value that is told
//! what is sent and when, and says what comes and when.

use super::drive::Job;
use super::scribe::Scribe;
use super::session::{Ran, Scratch, describe, read_back};
use crate::live::tape::{Tape, TapeOptions};
use crate::live::{Arrival, Clock, Incoming, Outgoing};
use crate::pipeline::Options;
use crate::replay::engine::Engine;

/// A server, with the wire that leads to it.
pub(in crate::pipeline) trait Peer {
    /// The client sends something.
    fn told(&mut self, now_us: i64, order: Outgoing);
    /// When something happens at its end next.
    fn wakes_at(&self) -> Option<i64>;
    /// It is that time. What reaches the client.
    fn wake(&mut self, now_us: i64) -> Option<Incoming>;
}

/// Plays the first connection of a job.
pub(in crate::pipeline) fn run(job: &Job<'_>, options: &Options, peer: &mut dyn Peer) -> Ran {
    let folder = Scratch::new().expect("a folder");
    let whole = folder.path().join("live.run.jsonl");
    let tape = Tape::start(TapeOptions { redact: None, ..describe(job, &whole, "") }, Clock::start()).expect("a tape");
    let tapes = [tape];
    let mut scribe = Scribe::new(&tapes, 1, job.target, true);
    let mut engine = Engine::new(&job.recording.connections[0], &job.plan.connections[0], job.options);
    let mut now_us = 0;
    let arrive = |engine: &mut Engine, scribe: &mut Scribe<'_>, at_us: i64, what: Incoming| {
        engine.arrival(at_us, &what);
        scribe.arrived(&Arrival { at_us, what });
    };
    arrive(&mut engine, &mut scribe, now_us, Incoming::Ready);
    for _ in 0..100_000 {
        while let Some(order) = engine.next() {
            scribe.ordered(now_us, &order);
            if let Outgoing::Message { stream, .. } = &order {
                arrive(&mut engine, &mut scribe, now_us, Incoming::Sent { stream: *stream });
            }
            peer.told(now_us, order);
        }
        if engine.done() {
            break;
        }
        let next = [peer.wakes_at(), engine.wake_at()].into_iter().flatten().min();
        now_us = next.expect("something is waited for").max(now_us);
        if peer.wakes_at().is_some_and(|at| at <= now_us) {
            if let Some(what) = peer.wake(now_us) {
                arrive(&mut engine, &mut scribe, now_us, what);
            }
        } else {
            engine.tick(now_us);
        }
    }
    assert!(engine.done(), "no end: waits for {:?}", engine.waiting());
    scribe.end(now_us);
    let [tape] = tapes;
    let trouble = tape.finish(now_us).trouble;
    let live = read_back(job.recording, &whole, options).expect("a session");
    Ran { logs: vec![engine.finish()], live, started_us: 0, wall_us: now_us, trouble }
}
