//! Moves the bytes between mocks and live clients: one mock a client, each from the beginning of the recording.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use crate::error::{Error, ErrorKind, Result};
use crate::live::serve::{Listen, open};
use crate::live::tape::{Tape, TapeEvent, TapeOptions, TapeSummary};
use crate::live::{Arrival, Clock, Incoming, Link, Outgoing};
use crate::protocol::Side;
use crate::replay::mock::{Cast, MockOptions, Report, Script, Takers};

/// How often an interrupt is looked for.
const STEP: Duration = Duration::from_millis(50);

/// How long the last messages may take to be written once a connection is over.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A recording and whom it is served to.
pub struct Service {
    /// What is served: the connections of the recording, of which each client plays one.
    pub scripts: Vec<Arc<Script>>,
    /// How.
    pub options: MockOptions,
    /// To whom.
    pub listen: Listen,
    /// Where the live session is written to.
    pub tape: Option<TapeOptions>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Served {
    /// One per client, in the order in which they came.
    pub reports: Vec<Report>,
    /// What was written.
    pub tape: Option<TapeSummary>,
}

/// Serves until there is nobody left to serve, or until `interrupt` is set. `opened` is told once clients can come.
pub fn serve(service: Service, interrupt: &AtomicBool, opened: impl FnOnce(Option<SocketAddr>)) -> Result<Served> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the runtime: {error}")))?;
    let served = LocalSet::new().block_on(&runtime, run(service, interrupt, opened));
    // A read of standard input cannot be taken back; nobody waits for it.
    runtime.shutdown_background();
    served
}

async fn run(service: Service, interrupt: &AtomicBool, opened: impl FnOnce(Option<SocketAddr>)) -> Result<Served> {
    let Service { scripts, options, listen, tape } = service;
    let clock = Clock::start();
    let tape = tape.map(|options| Tape::start(options, clock)).transpose()?.map(Rc::new);
    let http = matches!(listen, Listen::Http { .. });
    let mut door = open(&listen, clock).await?;
    opened(door.address);
    let (stop, stopped) = watch::channel(false);
    let mut guests = JoinSet::new();
    let taken = Takers::default();
    let (mut reports, mut number, mut coming) = (Vec::new(), 0, true);
    while coming || !guests.is_empty() {
        tokio::select! {
            link = door.clients.recv(), if coming => match link {
                Some(link) => {
                    number += 1;
                    let Some(mock) = Cast::new(&scripts, options, &taken) else { continue };
                    let scribe = Scribe { tape: tape.clone(), connection: number, http };
                    let host = Host { mock, scribe, clock, pending: VecDeque::new(), stopped: stopped.clone() };
                    guests.spawn_local(async move { (number, host.serve(link).await) });
                }
                None => coming = false,
            },
            Some(done) = guests.join_next(), if !guests.is_empty() => reports.extend(done.ok()),
            () = tokio::time::sleep(STEP) => {}
        }
        if interrupt.load(Ordering::Relaxed) {
            coming = false;
            door.clients.close();
            stop.send_replace(true);
        }
    }
    reports.sort_by_key(|(number, _)| *number);
    let reports = reports.into_iter().map(|(_, report)| report).collect();
    let tape = tape.and_then(Rc::into_inner).map(|tape| tape.finish(clock.us()));
    Ok(Served { reports, tape })
}

/// One client and its mock.
struct Host {
    mock: Cast,
    scribe: Scribe,
    clock: Clock,
    /// What the link has not taken yet: a client that does not read must not keep us from reading.
    pending: VecDeque<Outgoing>,
    stopped: watch::Receiver<bool>,
}

impl Host {
    async fn serve(mut self, mut link: Link) -> Report {
        let mut listening = true;
        loop {
            while let Some(order) = self.mock.next() {
                self.pending.push_back(order);
            }
            let over = self.mock.done() || *self.stopped.borrow();
            if over && self.pending.is_empty() {
                break;
            }
            let due = self.mock.wake_at().filter(|_| !over).map(|at| self.clock.instant(at));
            tokio::select! {
                biased;
                permit = link.to.reserve(), if !self.pending.is_empty() => match permit {
                    Ok(permit) => if let Some(order) = self.pending.pop_front() {
                        self.scribe.sent(self.clock.us(), &order);
                        permit.send(order);
                    },
                    Err(_) => self.pending.clear(),
                },
                arrival = link.from.recv(), if listening && !over => match arrival {
                    Some(arrival) => {
                        self.scribe.came(&arrival);
                        self.mock.arrival(arrival.at_us, &arrival.what);
                    }
                    None => {
                        listening = false;
                        let closed = Incoming::Closed { stream: None, by: Side::Client, how: "eof".to_string() };
                        self.mock.arrival(self.clock.us(), &closed);
                    }
                },
                () = tokio::time::sleep_until(due.unwrap_or_else(|| self.clock.instant(0)).into()), if due.is_some() => {
                    self.mock.tick(self.clock.us());
                }
                _ = self.stopped.changed(), if !over => {}
            }
        }
        drop(link.to);
        // The link ends when all is written; a client that does not read is not waited for.
        let rest = async { while link.from.recv().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_WORDS, rest).await;
        self.mock.finish()
    }
}

/// One client on the tape, as the server sees it.
struct Scribe {
    tape: Option<Rc<Tape>>,
    connection: u32,
    /// True where streams are told apart.
    http: bool,
}

impl Scribe {
    fn came(&self, arrival: &Arrival) {
        let at_us = arrival.at_us;
        match &arrival.what {
            Incoming::Ready => self.event(at_us, None, TapeEvent::Open { by: Some(Side::Client) }),
            Incoming::Message { stream, bytes, .. } => {
                if stream.is_some() {
                    self.event(at_us, *stream, TapeEvent::Open { by: Some(Side::Client) });
                }
                self.event(at_us, *stream, TapeEvent::Message { from: Side::Client, bytes: bytes.clone(), head: None });
            }
            Incoming::Raw { bytes, cut } => {
                self.event(at_us, None, TapeEvent::Raw { from: Side::Client, bytes: bytes.clone(), cut: *cut });
            }
            Incoming::Closed { stream, how, .. } => {
                self.event(at_us, *stream, TapeEvent::Close { by: Some(Side::Client), how: how.clone() });
            }
            _ => {}
        }
    }

    fn sent(&self, at_us: i64, order: &Outgoing) {
        match order {
            Outgoing::Message { stream, bytes, .. } => {
                let stream = Some(*stream).filter(|stream| self.http && *stream > 0);
                self.event(at_us, stream, TapeEvent::Message { from: Side::Server, bytes: bytes.clone(), head: None });
            }
            Outgoing::CloseStream { stream } if self.http => {
                let close = TapeEvent::Close { by: Some(Side::Server), how: "eof".to_string() };
                self.event(at_us, Some(*stream), close);
            }
            Outgoing::Finish => {
                self.event(at_us, None, TapeEvent::Close { by: Some(Side::Server), how: "eof".to_string() });
            }
            _ => {}
        }
    }

    fn event(&self, at_us: i64, stream: Option<u32>, event: TapeEvent) {
        if let Some(tape) = &self.tape {
            tape.event(at_us, self.connection, stream, event);
        }
    }
}
