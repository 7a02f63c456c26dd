//! Which findings and which facts of order decide which sentence. One row a sentence; data only.

use crate::protocol::{Clause, Level, Profile};

/// Where the sentence of a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// It is the clause that this rule rests on.
    Rule(&'static str),
    /// It is one that no rule rests on, by its name.
    Sentence(&'static str),
    /// There is none: what is asked for here goes without saying.
    None,
}

/// The protocols that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// All.
    All,
    /// Those in which a cancelled request is not answered.
    Silence,
    /// Those in which it is.
    Answer,
    /// Those with a handshake.
    Handshake,
    /// Those that know no cancel.
    Plain,
    /// Those in which something answers a cancelled request, or that know no cancel: what answers a cancel itself is told apart.
    Spoken,
    /// Those with turns.
    Turns,
    /// Those in which a request may be made a task.
    Tasks,
    /// Those in which a request may have an HTTP stream; only where there are any.
    Streams,
}

/// What breaks a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// The audit charges the server with this rule.
    Rule(&'static str),
    /// The same, on a slow request.
    OnCall(&'static str),
    /// A cancelled request that is owed an answer gets none in many times the time that it takes, by a server that had read the cancel
    /// and answers others.
    NeverSettled,
    /// A cancel that is a request gets no answer in many times the time that it takes, by a server that answers others.
    NeverRefused,
    /// A slow request that nobody cancelled is not answered, in many times the time that it takes by itself, by a server that answers
    /// others.
    Stuck,
    /// The same, on a cancel that is a request.
    OnCancel(&'static str),
    /// The same on a slow request, but only where requests of that kind are cancelled at all, as that row shows.
    OnCallIf(&'static str, &'static str),
    /// The server ended.
    Died,
    /// The handshake was never answered, by a server that runs.
    NoWelcome,
    /// An error for nothing (id null) comes behind a cancel, where nothing else was left to be answered.
    Objected,
}

/// What shows that a sentence is kept. All that are named must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Cancelled requests stayed unanswered, for as long as was watched, by a server that had read the cancel.
    Silent,
    /// The same, where any were cancelled.
    SilentIfCancelled,
    /// The cancel that is a request was answered with an error.
    Refused,
    /// Cancelled requests were answered, once.
    Settled,
    /// No error answered a cancelled request but the one that says so.
    NoOtherError,
    /// The answers to cancelled requests say that they were.
    SaysCancelled,
    /// The handshake was answered.
    Welcomed,
    /// All other requests were answered.
    Answered,
    /// No slow request ended with an error.
    Result,
    /// Nobody answered the notification.
    Quiet,
    /// The server still answers.
    Alive,
    /// The task was reported in this status, the last time.
    Task(&'static str),
    /// The cancel of a task that had ended was refused.
    TaskRefused,
    /// The server had asked before the cancel, and asked nothing behind the witness.
    AskedNoMore,
    /// Progress came before the cancel and not behind the witness.
    ProgressEnded,
    /// A request that reported progress came to its end.
    ProgressThenAnswer,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// Its name, without the protocol.
    pub id: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// Where its sentence stands.
    pub words: Words,
    /// Whom it is for.
    pub whom: For,
    /// The probes that decide it, by the first part of their names; empty: all.
    pub probes: &'static [&'static str],
    /// What breaks it.
    pub breaks: &'static [Break],
    /// What shows that it is kept. Where nothing does, the row is told only where it is broken: it is about what no probe asks for.
    pub holds: &'static [Hold],
}

/// The table.
static ROWS: &[Row] = &[
    Row {
        id: "no-response",
        title: "no response after a cancel",
        words: Words::Rule("CAN010"),
        whom: For::Silence,
        probes: &["mid", "early", "parallel", "storm", "nested"],
        breaks: &[Break::Rule("CAN010")],
        holds: &[Hold::Silent],
    },
    Row {
        id: "stops",
        title: "no message of the work after a cancel",
        words: Words::Rule("PRG002"),
        whom: For::Silence,
        probes: &["progress"],
        breaks: &[Break::Rule("PRG002"), Break::Rule("CAN021")],
        holds: &[Hold::Silent, Hold::ProgressEnded],
    },
    Row {
        id: "answered",
        title: "a cancelled request is answered",
        words: Words::Rule("CAN011"),
        whom: For::Answer,
        probes: &["mid", "early", "late", "zero", "parallel", "storm", "twice", "nested"],
        breaks: &[Break::Rule("CAN011"), Break::OnCall("RPC008"), Break::NeverSettled],
        holds: &[Hold::Settled],
    },
    Row {
        id: "cancel-code",
        title: "an error after a cancel says that it is one",
        words: Words::Rule("CAN012"),
        whom: For::Answer,
        probes: &["mid", "early", "parallel"],
        breaks: &[Break::Rule("CAN012")],
        holds: &[Hold::Settled, Hold::NoOtherError],
    },
    Row {
        id: "invalid-ignored",
        title: "invalid cancels are ignored",
        words: Words::Sentence("bad-cancel-ignored"),
        whom: For::All,
        probes: &["unknown", "first", "done", "malformed", "task-notified"],
        breaks: &[Break::Rule("RPC023"), Break::Rule("RPC021"), Break::Objected, Break::Died],
        holds: &[Hold::Quiet, Hold::Alive],
    },
    Row {
        id: "no-reply",
        title: "a notification is not answered",
        words: Words::Rule("RPC023"),
        whom: For::Spoken,
        probes: &["mid", "early", "unknown", "first", "done", "malformed"],
        breaks: &[Break::Rule("RPC023"), Break::Rule("RPC021")],
        holds: &[Hold::Quiet, Hold::Alive],
    },
    Row {
        id: "answered-all-the-same",
        title: "a request is answered, whatever is sent behind it",
        words: Words::Rule("STK001"),
        whom: For::Plain,
        probes: &["mid", "early", "late", "before", "type", "zero", "twice", "storm"],
        breaks: &[Break::Stuck, Break::OnCall("RPC008")],
        holds: &[Hold::Answered],
    },
    Row {
        id: "turn-cancelled",
        title: "a cancelled turn says so",
        words: Words::Rule("SES001"),
        whom: For::Turns,
        probes: &["session"],
        breaks: &[Break::Rule("SES001"), Break::Rule("SES002"), Break::NeverSettled],
        holds: &[Hold::Settled, Hold::SaysCancelled],
    },
    Row {
        id: "updates-before-answer",
        title: "no update after the end of a turn",
        words: Words::Rule("SES005"),
        whom: For::Turns,
        probes: &["session"],
        breaks: &[Break::Rule("SES005")],
        holds: &[Hold::Settled],
    },
    Row {
        id: "races",
        title: "races are handled",
        words: Words::Sentence("races-handled"),
        whom: For::All,
        probes: &["late", "twice", "storm", "done"],
        breaks: &[Break::OnCall("RPC008"), Break::Died],
        holds: &[Hold::Alive],
    },
    Row {
        id: "ids-typed",
        title: "ids are typed, and 0 and \"\" are ids",
        words: Words::Rule("RPC007"),
        whom: For::Silence,
        probes: &["type", "zero"],
        breaks: &[Break::Stuck, Break::OnCallIf("CAN010", "no-response"), Break::Rule("RPC012")],
        holds: &[Hold::Answered, Hold::SilentIfCancelled],
    },
    Row {
        id: "others-run-on",
        title: "a cancel ends nothing else",
        words: Words::Rule("STK001"),
        whom: For::All,
        probes: &["parallel"],
        breaks: &[Break::Stuck],
        holds: &[Hold::Answered],
    },
    Row {
        id: "progress-stops",
        title: "no progress after an answer",
        words: Words::Rule("PRG001"),
        whom: For::All,
        probes: &["done", "parallel"],
        breaks: &[Break::Rule("PRG001")],
        holds: &[Hold::ProgressThenAnswer],
    },
    Row {
        id: "request-answered",
        title: "a cancel with an id is a request",
        words: Words::Rule("STK001"),
        whom: For::All,
        probes: &["as-request"],
        breaks: &[Break::OnCancel("STK001"), Break::OnCancel("RPC008"), Break::NeverRefused],
        holds: &[Hold::Refused],
    },
    Row {
        id: "task-cancelled",
        title: "a cancelled task is in the status cancelled",
        words: Words::Rule("TSK005"),
        whom: For::Tasks,
        probes: &["task-cancel"],
        breaks: &[Break::Rule("TSK005")],
        holds: &[Hold::Task("cancelled")],
    },
    Row {
        id: "task-stays",
        title: "a cancelled task stays so",
        words: Words::Rule("TSK003"),
        whom: For::Tasks,
        probes: &["task-cancel"],
        breaks: &[Break::Rule("TSK003")],
        holds: &[Hold::Task("cancelled")],
    },
    Row {
        id: "task-ended",
        title: "the cancel of a task that has ended is refused",
        words: Words::Rule("TSK001"),
        whom: For::Tasks,
        probes: &["task-ended"],
        breaks: &[Break::Rule("TSK001"), Break::Rule("TSK002")],
        holds: &[Hold::TaskRefused],
    },
    Row {
        id: "asks-no-more",
        title: "nothing is asked for what is cancelled",
        words: Words::Rule("CAN019"),
        whom: For::All,
        probes: &["nested", "session-question"],
        breaks: &[Break::Rule("CAN019")],
        holds: &[Hold::AskedNoMore],
    },
    Row {
        id: "drop-no-cancel",
        title: "a dropped stream is no cancel",
        words: Words::Rule("CAN024"),
        whom: For::Streams,
        probes: &["http-drop"],
        breaks: &[Break::Rule("CAN024")],
        holds: &[Hold::Answered, Hold::Result],
    },
    Row {
        id: "initialize",
        title: "the handshake bears a cancel",
        words: Words::None,
        whom: For::Handshake,
        probes: &["initialize"],
        breaks: &[Break::NoWelcome],
        holds: &[Hold::Welcomed],
    },
    Row {
        id: "survives",
        title: "the server survives",
        words: Words::None,
        whom: For::All,
        probes: &[],
        breaks: &[Break::Died],
        holds: &[Hold::Alive],
    },
    Row {
        id: "answers-a-request",
        title: "what is answered was asked",
        words: Words::Rule("RPC009"),
        whom: For::All,
        probes: &[],
        breaks: &[Break::Rule("RPC009")],
        holds: &[],
    },
    Row {
        id: "progress-token",
        title: "progress is told of what was given",
        words: Words::Rule("PRG003"),
        whom: For::All,
        probes: &[],
        breaks: &[Break::Rule("PRG003")],
        holds: &[],
    },
];

/// The rows that a protocol has; the sentence of each, where it has one.
pub fn rows(profile: &'static Profile) -> impl Iterator<Item = (&'static Row, Option<&'static Clause>)> {
    ROWS.iter().filter_map(move |row| {
        let whom = match row.whom {
            For::All => true,
            For::Silence => profile.cancel.is_some() && !profile.answers_cancelled(),
            For::Answer => profile.answers_cancelled(),
            For::Spoken => profile.cancel.is_none() || profile.answers_cancelled(),
            For::Plain => profile.cancel.is_none(),
            For::Turns => profile.turns,
            For::Tasks => profile.tasks_by_request(),
            For::Streams => profile.stream_close_is_no_cancel,
            For::Handshake => profile.opening.initialize.is_some(),
        };
        let words = match row.words {
            Words::Rule(rule) => Some(profile.clause(rule)?),
            Words::Sentence(name) => Some(profile.sentence(name)?),
            Words::None => None,
        };
        whom.then_some((row, words))
    })
}

impl Row {
    /// True if a probe has a say in it.
    pub fn is_decided_by(&self, probe: &str) -> bool {
        self.probes.is_empty() || self.probes.iter().any(|name| belongs(probe, name))
    }

    /// How strongly its sentence binds, in one word; `-` where there is none.
    pub fn level(&self, words: Option<&Clause>) -> &'static str {
        words.map_or("-", |clause| if clause.level == Level::Stated { "-" } else { clause.level.as_str() })
    }
}

/// True if a probe bears this name, or is one form of it (`malformed-none`).
pub(crate) fn belongs(probe: &str, name: &str) -> bool {
    probe == name || probe.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
}
