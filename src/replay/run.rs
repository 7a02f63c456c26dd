//! What was done and seen in one run: the engine writes it, `compare` reads it. Times are microseconds since the start of the run.

/// One run of one connection.
#[derive(Clone, Debug, Default)]
pub struct RunLog {
    /// One entry per exchange of the recorded connection, in the same order, of both sides.
    pub exchanges: Vec<ExchangeRun>,
    /// What the live side asked or told that the recording does not have.
    pub extras: Vec<Extra>,
    /// What was changed on the way, in words (`processId 4242 -> 991`).
    pub rewrites: Vec<String>,
    /// Notifications that belong to no exchange, by method: recorded, live.
    pub notifications: Vec<(String, u32, u32)>,
    /// Things worth saying about the run, in words.
    pub notes: Vec<String>,
    /// How the peer ended, if it ended before it was asked to, or at all.
    pub exit: Option<ExitRun>,
    /// True if the other side closed the connection where it did so in the recording, too.
    pub closed_as_recorded: bool,
    /// The revision that was negotiated, where it differs from the recorded one.
    pub revision: Option<String>,
    /// Why the run broke off, if it did: our own fault, a deadline, Ctrl-C.
    pub broken: Option<Broken>,
    /// When the last thing happened.
    pub ended_us: i64,
    /// What the server took when it was recorded, and refused now.
    pub refused: Vec<Refused>,
    /// Messages of ours without a request in them that were not sent.
    pub unsent: Vec<Unsent>,
    /// Ids, as JSON text, of requests that only prove that what stood before them was read. They are no exchanges.
    pub witnesses: Vec<String>,
}

/// One exchange in a run.
#[derive(Clone, Debug, Default)]
pub struct ExchangeRun {
    /// What became of it.
    pub fate: Fate,
    /// The id it had on the wire, as JSON text.
    pub live_id: Option<String>,
    /// When it was free to go.
    pub free_us: Option<i64>,
    /// When it should have been sent.
    pub planned_us: Option<i64>,
    /// When it was sent; for a request of the live side, when it came.
    pub sent_us: Option<i64>,
    /// When its first progress came.
    pub first_progress_us: Option<i64>,
    /// When its answer came; for a request of the live side, when it was answered.
    pub answered_us: Option<i64>,
    /// The answer as it came; for a request of the live side, the request as it came.
    pub text: Option<String>,
    /// Notifications about it: recorded, live.
    pub notifications: (u32, u32),
    /// Its cancel, where the recording has one.
    pub cancel: Option<CancelRun>,
    /// When it was given up as stuck.
    pub stuck_us: Option<i64>,
    /// True if it was sent only because one that it waited for was given up.
    pub after_stuck: bool,
    /// True if the peer ended while it was open.
    pub peer_gone: bool,
    /// When the stream of its answer was cut off, where it was cancelled: silence after that shows nothing.
    pub cut_us: Option<i64>,
    /// The content encoding in which its answer may have come, and could not be read.
    pub packed: Option<String>,
    /// The HTTP status of the response that should have carried the answer.
    pub http_status: Option<u16>,
    /// True if it was sent a second time, under another id, after the session was lost.
    pub repeated: bool,
    /// The HTTP status that told that the session is lost.
    pub session_lost: Option<u16>,
    /// Values put into it.
    pub substituted: Vec<Substituted>,
    /// Pointers into its answer from which a value was taken for a later request: they are compared for presence and type only.
    pub captured: Vec<String>,
    /// Pointers of captured values that the live answer does not have.
    pub capture_missing: Vec<String>,
    /// Labels of what it had to wait for.
    pub waited_for: Vec<String>,
    /// The exchange that it retries (`requestState`): a place in the recorded exchanges.
    pub continues: Option<usize>,
    /// How long it was watched without an answer.
    pub watched_us: Option<i64>,
}

/// What became of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// Its turn never came: the run ended before.
    #[default]
    Pending,
    /// It was sent (or, for a request of the live side, it came).
    Sent,
    /// It was not sent, and why: `policy: not read-only`, `server exited`, `secret authz#1`, `stopped`.
    NotSent(String),
    /// A value that it needs never came: label of the exchange that should have given it.
    Blocked(String),
    /// A recorded request of the live side that never came.
    Missing,
    /// It was not among those asked for.
    Skipped,
}

/// What a cancel is timed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The last progress of the target before the cancel.
    Progress,
    /// The request itself.
    Elapsed,
}

/// What became of a recorded cancel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelRun {
    /// How it went.
    pub status: CancelStatus,
    /// What it was timed from, and for progress, which one (from 1).
    pub anchor: Anchor,
    /// Which progress, from 1; 0 for `Elapsed`.
    pub nth: u32,
    /// True if the progress that it waited for did not come in time.
    pub anchor_missed: bool,
    /// When it was sent.
    pub sent_us: Option<i64>,
    /// How long after it an answer was watched for.
    pub horizon_us: i64,
    /// True if that is less than it should have been.
    pub cut_short: bool,
    /// True if sending it was a fault of ours (`--cancel-race send`), not of the recording.
    pub harness_made: bool,
    /// Progress after it: how many, and the last.
    pub progress_after: (u32, Option<i64>),
}

/// What went over HTTP and holds no request: a message, a stream that was opened, a session that was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its event in the recording.
    pub event: usize,
    /// The status that it got; `None` where its connection ended without one.
    pub status: Option<u16>,
    /// The status that it got then, where the recording shows one.
    pub recorded: Option<u16>,
}

impl Refused {
    /// True for a status that refuses what was taken in the recording: what that does not show, it took.
    pub fn is(recorded: Option<u16>, status: u16) -> bool {
        Refused::by(status) && recorded.is_none_or(|then| !Refused::by(then))
    }

    /// True for a status with which nothing is taken: an error, or another address, which is not followed.
    pub fn by(status: u16) -> bool {
        status >= 300
    }

    /// In words.
    pub fn words(&self) -> String {
        let then = self.recorded.map_or(String::new(), |then| format!(" instead of {then}"));
        match self.status {
            Some(status) => format!("refused with HTTP {status}{then}"),
            None => format!("lost: its connection ended without an HTTP status{then}"),
        }
    }
}

/// How a cancel went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelStatus {
    /// It was sent while its target was in flight.
    Landed,
    /// Its target was answered first.
    Raced,
    /// It was not sent, because its target was not.
    NotSent,
    /// It was sent, and not taken: refused (an HTTP status), or lost with its connection.
    Refused,
}

/// A value put into a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substituted {
    /// Where it was put.
    pub at: String,
    /// The exchange it came from.
    pub from: String,
    /// Where it stood there.
    pub from_at: String,
    /// Recorded and live value as JSON text; `None` for one that is not to be shown.
    pub values: Option<(String, String)>,
    /// Those that are not to be shown. A server may give back what it was given, and that is compared.
    pub hidden: Option<(String, String)>,
}

/// Something that the recording does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    /// True for a request.
    pub request: bool,
    /// Its method.
    pub method: String,
    /// Its id as JSON text.
    pub rpc_id: Option<String>,
    /// How many, for notifications.
    pub count: u32,
    /// When the first came.
    pub at_us: i64,
    /// What it was answered, in words.
    pub answered: Option<String>,
}

/// How the peer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExitRun {
    /// Exit code.
    pub code: Option<i32>,
    /// Signal.
    pub signal: Option<i32>,
    /// When.
    pub at_us: i64,
    /// True if nobody had asked it to.
    pub unasked: bool,
    /// True if the recording ends the same way at the same place.
    pub recorded_too: bool,
    /// What it took: nothing, `TERM`, `KILL`.
    pub forced: Option<&'static str>,
    /// The last lines of its stderr (at most 20).
    pub stderr: Vec<String>,
}

/// A message without a request that was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsent {
    /// Its event in the recording.
    pub event: usize,
    /// Why.
    pub why: String,
}

/// Why a run broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// `--deadline`.
    Deadline,
    /// A signal.
    Interrupted,
    /// The server was left: what it writes has no end, or is longer than what is kept.
    Left(String),
    /// The link could not be used: what was tried and why it failed.
    Link(String),
    /// Recording and live side do not fit together.
    Era(String),
}

impl ExitRun {
    /// The status of the process, or its signal as a negative number.
    pub fn status(&self) -> Option<i64> {
        self.signal.map(|signal| -i64::from(signal)).or(self.code.map(|code| unshelled(i64::from(code))))
    }
}

/// A shell tells the signal of what it started as 128 and more.
pub fn unshelled(code: i64) -> i64 {
    if (129..160).contains(&code) { 128 - code } else { code }
}
