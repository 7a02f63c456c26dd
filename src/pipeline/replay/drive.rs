//! Moves the bytes of one run: engines in the middle, links on one side, the tape on the other.
//!
//! All connections are played in one loop, each by its own engine, so that they advance independently. The
//! loop waits for whatever comes first: an arrival, the time an engine asked for, an interrupt. It decides nothing.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::scribe::Scribe;
use crate::error::{Error, ErrorKind, Result};
use crate::live::tape::Tape;
use crate::live::{Access, Arrival, Clock, Framing, Outgoing, Target, connect};
use crate::protocol::http::SUBPROTOCOL;
use crate::replay::engine::{Engine, Waiting};
use crate::replay::options::Options;
use crate::replay::plan::Plan;
use crate::replay::recording::Recording;
use crate::replay::run::{Broken, RunLog};

/// How often an interrupt is looked for and progress told, at least.
const STEP: Duration = Duration::from_millis(50);
/// The same in microseconds.
const STEP_US: i64 = 50_000;
/// How long a server may take to end after an interrupt, in microseconds: whoever pressed Ctrl-C waits.
const GRACE_US: i64 = 500_000;

/// How long nothing comes before all that was under way has been read, where something is to be given up.
const BREATH: Duration = Duration::from_millis(20);

/// How many arrivals of all links together may wait.
const QUEUE: usize = 256;

/// Names the connection, by its key, to a process that is started for one of several: nothing else tells a server which of
/// two clients that begin alike it serves.
pub const CONNECTION: &str = "RPCTAPE_CONNECTION";

/// One run of a plan against one live server.
#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    /// What is played.
    pub recording: &'j Recording,
    /// What is sent, in which order.
    pub plan: &'j Plan,
    /// How.
    pub options: &'j Options,
    /// The server.
    pub target: &'j Target,
    /// What it wants beside its address.
    pub access: &'j Access,
    /// How messages are framed on byte streams.
    pub framing: Framing,
    /// How long requests take by themselves, as earlier runs have shown: connection, exchange, microseconds.
    pub natural: &'j [(usize, usize, i64)],
}

/// Is told what a run waits for. May be left out.
pub trait Watch {
    /// The oldest wait of all connections; `None` where nothing is waited for. Called every 50 ms or so.
    fn waiting(&mut self, _now_us: i64, _oldest: Option<&Waiting>) {}

    /// Nothing is played any more; it is only watched for what should not come, and for the end of the server. Told once.
    fn played(&mut self) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Plays a job to its end. When `interrupt` is set the server is asked to end and what is known is kept; when it is set once more,
/// or the server does not do as it is asked, everything is ended at once. The flag is taken back each time.
pub(super) fn play(
    job: &Job<'_>,
    clock: Clock,
    tapes: &[Tape],
    interrupt: Option<&Arc<AtomicBool>>,
    watch: &mut dyn Watch,
) -> Result<Vec<RunLog>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the runtime: {error}")))?;
    let logs = runtime.block_on(Drive::new(job, clock, tapes, interrupt).run(watch));
    // Links end their servers when nobody listens any more; they get the time to do so.
    runtime.shutdown_timeout(Duration::from_secs(2));
    Ok(logs)
}

/// Wakes the loop when a signal comes, so that its flag is looked at at once. What the signal means is for the flag to say.
struct Signals {
    #[cfg(unix)]
    all: Option<[tokio::signal::unix::Signal; 2]>,
}

impl Signals {
    fn listen() -> Signals {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let both = signal(SignalKind::interrupt()).and_then(|int| Ok([int, signal(SignalKind::terminate())?]));
            Signals { all: both.ok() }
        }
        #[cfg(not(unix))]
        Signals {}
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some([int, term]) = &mut self.all {
            tokio::select! {
                _ = int.recv() => {}
                _ = term.recv() => {}
            }
            return;
        }
        std::future::pending().await
    }
}

/// One connection and what stands around it.
struct Seat<'j> {
    engine: Engine,
    scribe: Scribe<'j>,
    to: Option<mpsc::Sender<Outgoing>>,
    opened: bool,
}

/// Which connection, and what came; `None` when its link has ended.
type Came = (usize, Option<Arrival>);

struct Drive<'j> {
    job: &'j Job<'j>,
    clock: Clock,
    seats: Vec<Seat<'j>>,
    interrupt: Option<&'j Arc<AtomicBool>>,
    interrupts: u32,
    /// After an interrupt: when everything is ended, whoever still works.
    leave_us: Option<i64>,
    /// When it was last told what is waited for.
    told_us: Option<i64>,
    late: bool,
    merged: (mpsc::Sender<Came>, mpsc::Receiver<Came>),
    readers: JoinSet<()>,
}

/// Waits until something is so.
async fn once(is_so: &impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(STEP).await;
    }
}

impl<'j> Drive<'j> {
    /// The server of one connection. A process that is one of several is told which connection it serves.
    fn target(&self, at: usize) -> Cow<'j, Target> {
        match (self.job.target, &self.job.recording.connections[..]) {
            (Target::Command(command), connections) if connections.len() > 1 => {
                let mut command = command.clone();
                command.env.push((CONNECTION.to_string(), connections[at].key.clone()));
                Cow::Owned(Target::Command(command))
            }
            (target, _) => Cow::Borrowed(target),
        }
    }

    /// What the server wants; over a WebSocket also the sub-protocol that the recorded server chose, unless the user names another.
    fn access(&self, at: usize) -> Cow<'j, Access> {
        let own = self.job.access;
        let is_named = || own.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(SUBPROTOCOL));
        let chosen = self.job.recording.connections[at].subprotocol();
        match chosen.filter(|_| matches!(self.job.target, Target::Ws(_)) && !is_named()) {
            Some(chosen) => {
                let mut access = own.clone();
                access.headers.push((SUBPROTOCOL.to_string(), chosen));
                Cow::Owned(access)
            }
            None => Cow::Borrowed(own),
        }
    }

    fn new(job: &'j Job<'j>, clock: Clock, tapes: &'j [Tape], interrupt: Option<&'j Arc<AtomicBool>>) -> Drive<'j> {
        let mut seats = Vec::new();
        for (at, (recorded, plan)) in job.recording.connections.iter().zip(&job.plan.connections).enumerate() {
            let mut engine = Engine::new(recorded, plan, job.options);
            for (_, exchange, duration_us) in job.natural.iter().filter(|(connection, ..)| *connection == at) {
                engine.learn(*exchange, *duration_us);
            }
            let scribe = Scribe::new(tapes, at as u32 + 1, job.target, recorded.complete_head);
            seats.push(Seat { engine, scribe, to: None, opened: false });
        }
        Drive {
            job,
            clock,
            seats,
            interrupt,
            interrupts: 0,
            leave_us: None,
            told_us: None,
            late: false,
            merged: mpsc::channel(QUEUE),
            readers: JoinSet::new(),
        }
    }

    async fn run(mut self, watch: &mut dyn Watch) -> Vec<RunLog> {
        let mut signals = Signals::listen();
        let mut playing = true;
        while !self.finished() {
            self.look_up();
            if self.interrupts > 1 || self.leave_us.is_some_and(|at| at <= self.clock.us()) {
                break;
            }
            self.open().await;
            self.send().await;
            let now_us = self.clock.us();
            if self.told_us.is_none_or(|told| now_us - told >= STEP_US) {
                self.told_us = Some(now_us);
                watch.waiting(now_us, self.oldest().as_ref());
            }
            if playing && self.seats.iter().all(|seat| seat.engine.only_watches(now_us)) {
                playing = false;
                watch.played();
            }
            if self.finished() {
                break;
            }
            let wake_at = self.wake_at().unwrap_or(i64::MAX);
            // What comes goes before what is due, and there may be no end of it.
            if wake_at <= now_us - STEP_US {
                self.tick().await;
                continue;
            }
            let until = wake_at.min(now_us.saturating_add(STEP_US));
            tokio::select! {
                biased;
                () = signals.next() => {}
                came = self.merged.1.recv() => self.came(came),
                () = tokio::time::sleep_until(self.clock.instant(until).into()) => self.tick().await,
            }
        }
        // What listens to the links goes, and with it everything that they have started.
        self.readers.shutdown().await;
        let now_us = self.clock.us();
        for seat in &mut self.seats {
            seat.scribe.end(now_us);
        }
        self.seats.into_iter().map(|seat| seat.engine.finish()).collect()
    }

    fn finished(&self) -> bool {
        self.seats.iter().all(|seat| seat.engine.done())
    }

    /// Looks for a signal and at the deadline.
    fn look_up(&mut self) {
        let now_us = self.clock.us();
        let signalled = self.interrupt.is_some_and(|flag| flag.swap(false, Ordering::Relaxed));
        if signalled {
            self.interrupts += 1;
            self.leave_us = self.leave_us.or(Some(now_us.saturating_add(GRACE_US)));
            self.stop(now_us, &Broken::Interrupted);
        }
        if now_us >= self.job.options.life.deadline_us && !self.late {
            self.late = true;
            self.stop(now_us, &Broken::Deadline);
        }
    }

    fn stop(&mut self, now_us: i64, why: &Broken) {
        for seat in &mut self.seats {
            seat.engine.stop(now_us, why.clone());
            if !seat.opened {
                seat.engine.link_ended(now_us);
            }
        }
    }

    /// Opens each connection whose turn has come.
    async fn open(&mut self) {
        for at in 0..self.seats.len() {
            let due = match self.job.plan.connections[at].opens_after {
                None => true,
                Some((other, event)) => {
                    let before = &self.seats[other].engine;
                    before.done() || before.reached(event)
                }
            };
            if self.seats[at].opened || self.seats[at].engine.done() || !due {
                continue;
            }
            let target = self.target(at);
            let mut link = connect(&target, &self.access(at), self.job.framing, self.clock).await;
            self.seats[at].opened = true;
            self.seats[at].to = Some(link.to);
            let merged = self.merged.0.clone();
            self.readers.spawn(async move {
                while let Some(arrival) = link.from.recv().await {
                    if merged.send((at, Some(arrival))).await.is_err() {
                        return;
                    }
                }
                let _ = merged.send((at, None)).await;
            });
        }
    }

    /// Hands on what the engines want sent. A server that does not read makes it wait, but for no longer than it may.
    async fn send(&mut self) {
        let (interrupt, leave_us, clock) = (self.interrupt, self.leave_us, self.clock);
        let leaves = || {
            interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) || leave_us.is_some_and(|at| at <= clock.us())
        };
        for seat in &mut self.seats {
            while let Some(order) = seat.engine.next() {
                seat.scribe.ordered(self.clock.us(), &order);
                let Some(to) = &seat.to else { continue };
                tokio::select! {
                    biased;
                    // A link that is gone has said so, or is about to.
                    _ = to.send(order) => {}
                    () = once(&leaves) => return,
                }
            }
        }
    }

    fn came(&mut self, came: Option<Came>) {
        let Some((at, arrival)) = came else { return };
        let seat = &mut self.seats[at];
        match arrival {
            Some(arrival) => {
                seat.scribe.arrived(&arrival);
                seat.engine.arrival(arrival.at_us, &arrival.what);
            }
            None => {
                seat.to = None;
                seat.engine.link_ended(self.clock.us());
            }
        }
    }

    /// Time has passed. What lies in the pipe is read before anything is given up: where this loop is late itself, no server is.
    async fn tick(&mut self) {
        let now_us = self.clock.us();
        let open = || self.seats.iter().filter(|seat| seat.opened);
        if open().filter_map(|seat| seat.engine.gives_up_at()).any(|at| at <= now_us) {
            self.catch_up(now_us).await;
        }
        for seat in self.seats.iter_mut().filter(|seat| seat.opened) {
            if seat.engine.wake_at().is_some_and(|at| at <= now_us) {
                seat.engine.tick(now_us);
            }
        }
    }

    /// Reads what has come until now: until something is there that came later, or nothing is.
    async fn catch_up(&mut self, now_us: i64) {
        while let Ok(came) = tokio::time::timeout(BREATH, self.merged.1.recv()).await {
            let later = matches!(&came, Some((_, Some(arrival))) if arrival.at_us > now_us);
            self.came(came);
            if later {
                break;
            }
        }
    }

    fn wake_at(&self) -> Option<i64> {
        self.seats.iter().filter(|seat| seat.opened).filter_map(|seat| seat.engine.wake_at()).min()
    }

    fn oldest(&self) -> Option<Waiting> {
        self.seats.iter().filter_map(|seat| seat.engine.waiting()).min_by_key(|waiting| waiting.since_us)
    }
}
