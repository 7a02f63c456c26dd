//! Exchanges and cancellations: a request and all that refers to it.

use std::fmt;
use std::rc::Rc;

use super::seen::{FrameId, Seen};
use crate::jsonrpc::Id;
use crate::protocol::{Mechanism, Method, Profile, Side};

/// How an exchange ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Still in flight. Never stored: the end of the log makes it `silent` or `unanswered`.
    InFlight,
    /// Answered with a result.
    Result,
    /// Answered with an error.
    Error,
    /// Answered with the cancelled code, stop reason or task status.
    Cancelled,
    /// Cancelled, and no answer was due.
    Silent,
    /// An answer was due and the log ends.
    Unanswered,
    /// Its id was used again first.
    Superseded,
}

impl Outcome {
    /// The word used in the database and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::InFlight => "in-flight",
            Outcome::Result => "result",
            Outcome::Error => "error",
            Outcome::Cancelled => "cancelled",
            Outcome::Silent => "silent",
            Outcome::Unanswered => "unanswered",
            Outcome::Superseded => "superseded",
        }
    }
}

/// One letter a message: capitals from the issuer, small from the other side. At most 64 are kept, then `+`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    length: u8,
    inline: [u8; INLINE],
    /// What few exchanges have.
    rest: Option<Box<str>>,
}

const INLINE: usize = 22;
const HISTORY_LIMIT: u8 = 64;

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

impl History {
    /// The history of a request just sent.
    pub fn new() -> History {
        let mut history = History { length: 0, inline: [0; INLINE], rest: None };
        history.push('Q');
        history
    }

    /// Adds a letter.
    pub fn push(&mut self, letter: char) {
        let letter = match self.length {
            n if n < HISTORY_LIMIT => letter,
            HISTORY_LIMIT => '+',
            _ => return,
        };
        match self.inline.get_mut(self.length as usize) {
            Some(place) => *place = letter as u8,
            None => self.rest = Some(format!("{}{letter}", self.rest.as_deref().unwrap_or_default()).into()),
        }
        self.length += 1;
    }

    /// Adds a letter for a message of `sender` in an exchange of `issuer`; `letter` is given small.
    pub fn add(&mut self, letter: char, sender: Side, issuer: Side) {
        self.push(if sender == issuer { letter.to_ascii_uppercase() } else { letter });
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inline = &self.inline[..INLINE.min(self.length as usize)];
        f.write_str(std::str::from_utf8(inline).unwrap_or_default())?;
        f.write_str(self.rest.as_deref().unwrap_or_default())
    }
}

/// What became of a cancel: the order of facts at the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing came, and nothing was due.
    Silent,
    /// Answered with the cancelled code (or stop reason, or task status).
    Acknowledged,
    /// Answered with a result all the same.
    Result,
    /// Answered with a result after partial results.
    Partial,
    /// Answered with another error.
    Error,
    /// The answer stands before the cancel in the log.
    Moot,
    /// No request of that side has that id.
    UnknownTarget,
    /// It names nothing.
    Malformed,
    /// An answer was due and the log ends.
    Unsettled,
}

impl Effect {
    /// The word used in the database and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Silent => "silent",
            Effect::Acknowledged => "acknowledged",
            Effect::Result => "result",
            Effect::Partial => "partial",
            Effect::Error => "error",
            Effect::Moot => "moot",
            Effect::UnknownTarget => "unknown-target",
            Effect::Malformed => "malformed",
            Effect::Unsettled => "unsettled",
        }
    }
}

/// One cancel and what became of it.
#[derive(Clone, Debug)]
pub struct Cancellation {
    /// The message (or stream close).
    pub seen: Seen,
    /// Who sent it.
    pub sender: Side,
    /// How it was sent.
    pub mechanism: Mechanism,
    /// True if the mechanism is another protocol's or revision's: the target is then not held to be cancelled.
    pub foreign: bool,
    /// The id it names, as JSON text.
    pub target_text: Option<Box<str>>,
    /// The reason it gives.
    pub reason: Option<Box<str>>,
    /// The request it hits (or a hint at the one it comes near to).
    pub exchange: Option<FrameId>,
    /// Method of that request.
    pub target_method: Option<Rc<str>>,
    /// Microseconds from that request to the cancel.
    pub delay_us: Option<i64>,
    /// What became of it; `None` while that is open.
    pub effect: Option<Effect>,
    /// The message that shows the effect.
    pub effect_seen: Option<Seen>,
    /// Error code of the answer.
    pub response_code: Option<i64>,
}

impl Cancellation {
    /// A cancel in the protocol's own way of which nothing more is known.
    pub fn new(seen: Seen, sender: Side, mechanism: Mechanism) -> Cancellation {
        Cancellation {
            seen,
            sender,
            mechanism,
            foreign: false,
            target_text: None,
            reason: None,
            exchange: None,
            target_method: None,
            delay_us: None,
            effect: None,
            effect_seen: None,
            response_code: None,
        }
    }
}

/// A task that an exchange created or asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// The request is an ordinary one.
    None,
    /// The request asked for a task from a receiver that declared support.
    Asked,
    /// The request asked for a task that the receiver had not declared.
    AskedInVain,
    /// The answer created this task.
    Created(Rc<str>),
}

/// A request and all that refers to it. Message bodies are not kept.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The request.
    pub request: Seen,
    /// Who issued it.
    pub issuer: Side,
    /// Its id.
    pub id: Id,
    /// Its method.
    pub method: Rc<str>,
    /// What the profile knows of the method.
    pub known: Option<&'static Method>,
    /// Tool or command, where there is one.
    pub name: Option<Box<str>>,
    /// The profile that judges it.
    pub profile: &'static Profile,
    /// The exchange that it serves.
    pub parent: Option<FrameId>,
    /// The request array it came in.
    pub batch: Option<FrameId>,
    /// The HTTP stream it came on.
    pub stream: Option<u32>,
    /// The answer.
    pub answer: Option<Seen>,
    /// Error code of the answer.
    pub error_code: Option<i64>,
    /// How it ended.
    pub outcome: Outcome,
    /// One letter a message.
    pub history: History,
    /// Cancels that name it, oldest first.
    pub cancels: Vec<Cancellation>,
    /// Token for its progress.
    pub progress_token: Option<Id>,
    /// How many progress notifications it had, and the last of them.
    pub progress: u32,
    /// The last progress notification.
    pub last_progress: Option<Seen>,
    /// Task state.
    pub task: TaskState,
    /// True if the last sign of the stream it came on was a close by the client without a cancel.
    pub stream_closed: Option<Seen>,
    /// The request that closed its session while it was in flight.
    pub session_closed: Option<Seen>,
}

impl Exchange {
    /// One more cancel that names it.
    pub fn cancelled_by(&mut self, cancel: Cancellation) {
        if self.cancels.is_empty() {
            // Nearly always it stays the only one, and a cancelled request may never be answered and forgotten.
            self.cancels.reserve_exact(1);
        }
        self.cancels.push(cancel);
    }

    /// The first cancel that counts: own dialect, by the side that may cancel it, before any answer.
    pub fn cancel(&self) -> Option<&Cancellation> {
        self.cancels.iter().find(|cancel| !cancel.foreign && cancel.effect != Some(Effect::Moot))
    }

    /// The `session/cancel` that ended its turn, where there is one that came in time.
    pub fn turn_cancel(&self) -> Option<&Cancellation> {
        let in_time = |cancel: &&Cancellation| cancel.effect != Some(Effect::Moot);
        self.cancels.iter().filter(in_time).find(|cancel| cancel.mechanism == Mechanism::SessionCancel)
    }

    /// True while an answer may still come.
    pub fn in_flight(&self) -> bool {
        self.outcome == Outcome::InFlight
    }

    /// True if it runs as a task, or asked for that.
    pub fn asks_task(&self) -> bool {
        matches!(self.task, TaskState::Asked | TaskState::Created(_))
    }

    /// `client` requests print as `#17`, those of the server as `s17`.
    pub fn label(&self) -> String {
        self.issuer.label(&self.id)
    }

    /// Method and, where there is one, tool or command.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{} {name}", self.method),
            None => self.method.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_keeps_so_many_letters_and_says_that_there_were_more() {
        let of = |messages: usize| {
            let mut history = History::new();
            (0..messages).for_each(|_| history.add('p', Side::Server, Side::Client));
            history.to_string()
        };
        for messages in [0, 1, INLINE - 1, INLINE, INLINE + 1, 63] {
            assert_eq!(of(messages), format!("Q{}", "p".repeat(messages)));
        }
        for messages in [64, 65, 300] {
            assert_eq!(of(messages), format!("Q{}+", "p".repeat(63)));
        }
        let mut own = History::new();
        own.add('c', Side::Server, Side::Server);
        assert_eq!(own.to_string(), "QC", "a capital is the issuer's");
    }
}
