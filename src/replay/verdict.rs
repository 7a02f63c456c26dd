//! Verdicts, and the report of a run that screens and files are made of.

use crate::number::plural;
use crate::protocol::Side;

/// More unsent or unknown exchanges than this share make a run inconclusive.
const UNSENT_SHARE: usize = 5;
/// How the note begins that says why a run is inconclusive.
const DOUBT: &str = "inconclusive: ";

/// The verdict of one exchange. In this order: the first that applies is the primary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// We broke.
    HarnessError,
    /// The process ended or the connection died during it.
    ServerExit,
    /// 404 or 410 on the session.
    SessionLost,
    /// Policy, secret, server gone.
    NotSent,
    /// A value or a gate never came.
    Blocked,
    /// The outcome fell into a gap of the capture or after the deadline.
    Unknown,
    /// Answered in the recording, not now.
    Stuck,
    /// Breaks a rule that the recording did not break.
    Violates,
    /// An expected notification, nested request or stream event is absent.
    Missing,
    /// Result became error, or the other way round, or another code.
    ErrorChanged,
    /// The payload differs.
    Changed,
    /// The live side asked something new.
    Extra,
    /// The cancel was not exercised.
    Raced,
    /// More than twice and more than 100 ms slower.
    Slower,
    /// Answers of concurrent requests, or members of a keyed list, in another order.
    Reordered,
    /// A violation, error or hang of the recording is gone.
    Fixed,
    /// Nothing differs.
    Same,
}

impl Verdict {
    /// All, in order.
    pub const ALL: [Verdict; 17] = [
        Verdict::HarnessError,
        Verdict::ServerExit,
        Verdict::SessionLost,
        Verdict::NotSent,
        Verdict::Blocked,
        Verdict::Unknown,
        Verdict::Stuck,
        Verdict::Violates,
        Verdict::Missing,
        Verdict::ErrorChanged,
        Verdict::Changed,
        Verdict::Extra,
        Verdict::Raced,
        Verdict::Slower,
        Verdict::Reordered,
        Verdict::Fixed,
        Verdict::Same,
    ];

    /// The word used in flags, JSON and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::HarnessError => "harness-error",
            Verdict::ServerExit => "server-exit",
            Verdict::SessionLost => "session-lost",
            Verdict::NotSent => "not-sent",
            Verdict::Blocked => "blocked",
            Verdict::Unknown => "unknown",
            Verdict::Stuck => "stuck",
            Verdict::Violates => "violates",
            Verdict::Missing => "missing",
            Verdict::ErrorChanged => "error-changed",
            Verdict::Changed => "changed",
            Verdict::Extra => "extra",
            Verdict::Raced => "raced",
            Verdict::Slower => "slower",
            Verdict::Reordered => "reordered",
            Verdict::Fixed => "fixed",
            Verdict::Same => "same",
        }
    }

    /// Reads the word back.
    pub fn from_name(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }

    /// True for those that fail a run unless `--fail-on` says otherwise. `Missing` and `Extra` fail only in the cases that
    /// R-VER names; [`ExchangeReport::fails`] has the last word.
    pub fn fails_by_default(self) -> bool {
        use Verdict::*;
        matches!(self, HarnessError | ServerExit | SessionLost | Stuck | Violates | ErrorChanged | Changed)
    }
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunVerdict {
    /// Nothing failed.
    Pass,
    /// Something failed.
    Fail,
    /// Nothing failed, but too little was exercised.
    #[default]
    Inconclusive,
}

impl RunVerdict {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            RunVerdict::Pass => "pass",
            RunVerdict::Fail => "fail",
            RunVerdict::Inconclusive => "inconclusive",
        }
    }
}

/// A whole run (or a `diff` of two recordings).
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// The recording, as the user named it.
    pub recording: String,
    /// The live side (`stdio: node build/index.js`), or the other recording.
    pub target: String,
    /// The pace in words; empty for a `diff`.
    pub speed: String,
    /// When it started, microseconds since the epoch; `None` for a `diff`.
    pub started_us: Option<i64>,
    /// How long it took.
    pub wall_us: Option<i64>,
    /// One per exchange, extras included, in recorded order.
    pub exchanges: Vec<ExchangeReport>,
    /// How the cancels went.
    pub cancels: CancelCounts,
    /// What the conclusion rests on besides.
    pub standing: Standing,
    /// What it came to.
    pub verdict: RunVerdict,
    /// Why it is inconclusive, broke off, or what else must be said loudly.
    pub notes: Vec<String>,
    /// What was changed on the way, in words.
    pub rewrites: Vec<String>,
    /// The exit code of the program: 0, 1 or 2, or that of the signal that ended the run.
    pub exit: u8,
    /// Where the live session was written.
    pub live_session: Option<String>,
    /// How the live process ended, in words.
    pub server_end: Option<String>,
    /// True if latencies cannot be compared, because sending was late by more than a tenth of the run.
    pub delayed: bool,
    /// The last lines of the stderr of a server that ended unasked.
    pub stderr: Vec<String>,
    /// What is spoken, by connection of the recording (`mcp 2025-11-25`).
    pub protocols: Vec<String>,
    /// Place of the first entry of `exchanges` that fails.
    pub first_divergence: Option<usize>,
    /// Why the recording could not be played at all.
    pub failure: Option<String>,
    /// Lines of `rpctape.toml` that a run proposes.
    pub proposed: String,
    /// Commands that go on from here, to be copied.
    pub next: Vec<String>,
    /// What stands before the answer on a screen: counts of repeated runs.
    pub ahead: String,
    /// The same as JSON Lines.
    pub ahead_lines: String,
    /// What the report is as JSON Lines, where those are not of exchanges: of a sweep, each delay.
    pub lines: Option<String>,
}

impl RunReport {
    /// Of a recording that could not be played.
    pub fn failed(recording: &str, why: String) -> RunReport {
        RunReport { recording: recording.to_string(), failure: Some(why), exit: 2, ..RunReport::default() }
    }

    /// Draws the conclusion from the exchanges and the cancels; again, where another try has changed one of them.
    pub fn conclude(&mut self) {
        let standing = self.standing;
        let (failed, doubts) = (self.exchanges.iter().any(|entry| entry.fails), self.doubts());
        self.notes.retain(|note| !note.starts_with(DOUBT));
        self.verdict = match () {
            () if failed || standing.late => RunVerdict::Fail,
            () if !doubts.is_empty() => RunVerdict::Inconclusive,
            () => RunVerdict::Pass,
        };
        if self.verdict == RunVerdict::Inconclusive {
            self.notes.insert(0, format!("{DOUBT}{}", doubts.join("; ")));
        }
        let harness = self.exchanges.iter().any(|entry| entry.verdict == Verdict::HarnessError);
        self.exit = match self.verdict {
            _ if harness || standing.unplayable => 2,
            RunVerdict::Fail => 1,
            _ if standing.compared == 0 => {
                self.verdict = RunVerdict::Inconclusive;
                self.notes.insert(0, "nothing was checked".into());
                2
            }
            RunVerdict::Inconclusive => u8::from(standing.strict),
            RunVerdict::Pass => 0,
        };
        self.first_divergence = self.exchanges.iter().position(|entry| entry.fails);
    }

    /// Why nothing that failed does not mean that all is well.
    fn doubts(&self) -> Vec<String> {
        let open = [Verdict::NotSent, Verdict::Blocked, Verdict::Unknown];
        let asked = |entry: &ExchangeReport| entry.issuer == Side::Client && !entry.rpc_id.is_empty();
        let unsent = |entry: &&ExchangeReport| asked(entry) && open.contains(&entry.verdict);
        let unsent = self.exchanges.iter().filter(unsent).count();
        let mut doubts = Vec::new();
        if self.cancels.recorded > 0 && self.cancels.landed == 0 {
            doubts.push(match self.cancels.recorded {
                1 => "the recorded cancel did not land".to_string(),
                many => format!("none of {many} recorded cancels landed"),
            });
        }
        if unsent * UNSENT_SHARE > self.standing.asked {
            let asked = plural(self.standing.asked as u64, "request");
            doubts.push(format!("{unsent} of {asked} were not sent or have no known outcome"));
        }
        if self.standing.lacks {
            doubts.push("the recording lacks what the client may have sent, and it was not sent".into());
        }
        if self.standing.interrupted {
            doubts.push("it was interrupted".into());
        }
        doubts
    }

    /// What it came to, in one word: `pass`, `fail`, `inconclusive`, or `error` where it could not be played or nothing was compared.
    pub fn outcome(&self) -> &'static str {
        if self.exit == 2 { "error" } else { self.verdict.as_str() }
    }
}

/// The exit code of several runs: 2 where one could not be played, else 1 where one failed.
pub fn worst_exit(reports: &[RunReport]) -> u8 {
    reports.iter().map(|report| report.exit).max().unwrap_or(2)
}

/// What the conclusion of a run rests on besides its exchanges and cancels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Exchanges whose outcomes were held against each other.
    pub compared: usize,
    /// Exchanges of ours that were to be played.
    pub asked: usize,
    /// An inconclusive run fails.
    pub strict: bool,
    /// It was interrupted.
    pub interrupted: bool,
    /// It ran past its deadline, or its server was left.
    pub late: bool,
    /// A link broke, or the two sides speak revisions that cannot be translated.
    pub unplayable: bool,
    /// The recording lacks what the client may have sent.
    pub lacks: bool,
}

/// How the recorded cancels went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CancelCounts {
    /// In the recording.
    pub recorded: u32,
    /// Sent in flight.
    pub landed: u32,
    /// Answered first.
    pub raced: u32,
    /// Not sent, or not taken.
    pub not_sent: u32,
    /// Those of them that were sent, and not taken.
    pub refused: u32,
}

/// One exchange, or what belongs to none: notifications, violations, the end of a server.
#[derive(Clone, Debug)]
pub struct ExchangeReport {
    /// `#7`, `s5`; `-` for what belongs to no exchange.
    pub label: String,
    /// Its id as JSON text; empty for what belongs to no exchange.
    pub rpc_id: String,
    /// Connection, from 0.
    pub connection: usize,
    /// Who asked.
    pub issuer: Side,
    /// The method.
    pub method: String,
    /// Tool or command.
    pub name: Option<String>,
    /// Line of the request in the recording; `None` for an extra.
    pub line: Option<u64>,
    /// Its place in the live session: connection, exchange.
    pub twin: Option<(usize, usize)>,
    /// The recorded side.
    pub recorded: SideFigures,
    /// The live side.
    pub live: SideFigures,
    /// The primary verdict.
    pub verdict: Verdict,
    /// Further ones, in order.
    pub also: Vec<Verdict>,
    /// True if it fails the run.
    pub fails: bool,
    /// The rule, for `violates`.
    pub rule: Option<String>,
    /// One line for people: why.
    pub detail: String,
    /// Its cancel.
    pub cancel: Option<super::run::CancelRun>,
    /// Where the payloads differ.
    pub diff: Vec<Difference>,
    /// Differences beyond those that are listed.
    pub more_diff: u64,
    /// Values put into it.
    pub substituted: Vec<super::run::Substituted>,
    /// Pointers from which values were taken.
    pub captured: Vec<String>,
    /// What it had to wait for.
    pub waited_for: Vec<String>,
    /// True if it was sent only because one that it waited for was given up.
    pub after_stuck: bool,
    /// True if both sides break the same rule.
    pub still_violates: bool,
    /// Labels of its retries: they are part of it.
    pub retries: Vec<String>,
    /// Where its own session was written, where it was played in another one than the run.
    pub live_session: Option<String>,
    /// Further remarks: `still violates`, `other permitted outcome`, `message differs`.
    pub notes: Vec<String>,
}

impl Default for ExchangeReport {
    fn default() -> ExchangeReport {
        ExchangeReport {
            label: "-".into(),
            rpc_id: String::new(),
            connection: 0,
            issuer: Side::Server,
            method: String::new(),
            name: None,
            line: None,
            twin: None,
            recorded: SideFigures::default(),
            live: SideFigures::default(),
            verdict: Verdict::Same,
            also: Vec::new(),
            fails: false,
            rule: None,
            detail: String::new(),
            cancel: None,
            diff: Vec::new(),
            more_diff: 0,
            substituted: Vec::new(),
            captured: Vec::new(),
            waited_for: Vec::new(),
            after_stuck: false,
            still_violates: false,
            retries: Vec::new(),
            live_session: None,
            notes: Vec::new(),
        }
    }
}

/// One side of an exchange, in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideFigures {
    /// How it ended, in one word.
    pub outcome: String,
    /// Microseconds from request to answer.
    pub latency_us: Option<i64>,
    /// Microseconds after the start of the run when it was sent (live only).
    pub sent_us: Option<i64>,
    /// How late it was sent (live only).
    pub lag_us: Option<i64>,
    /// How long no answer was seen, where there was none.
    pub watched_us: Option<i64>,
    /// When it was cancelled, counted from the request.
    pub cancelled_us: Option<i64>,
}

/// One place where two payloads differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// JSON pointer into the message; ` -> ` leads into JSON inside a string.
    pub at: String,
    /// The recorded value as JSON text; `None` where there is none.
    pub recorded: Option<String>,
    /// The live value.
    pub live: Option<String>,
    /// True if the report must not fail on it: order of a keyed list, an echoed substitution (`~`).
    pub harmless: bool,
    /// What is wrong with the live value, where a rule says what it must be.
    pub why: Option<String>,
    /// Label of the retry in whose answer it stands, where it is not the first answer.
    pub of: Option<String>,
}
