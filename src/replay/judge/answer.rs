//! One answer, read as far as a verdict needs it.

use crate::jsonrpc::Id;
use crate::protocol::{Ending, Mechanism, Profile};
use crate::replay::compare::Tree;
use crate::replay::recording::{Connection, EventKind, Exchange};

/// What kind of answer it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An error, with its code.
    Error(Option<i64>),
    /// A result, with its stop reason.
    Result(Option<String>),
}

impl Answer {
    /// Reads a response.
    pub fn read(text: &str) -> Answer {
        let Some(tree) = Tree::read(text) else { return Answer::Result(None) };
        if let Some(error) = tree.member("error").filter(|error| error.kind() != "null") {
            let code = error.member("code").and_then(|code| match Id::from_json(code.text) {
                Some(Id::Int(code)) => Some(code),
                _ => None,
            });
            return Answer::Error(code);
        }
        let stop = tree.at("/result/stopReason").and_then(|reason| reason.string());
        Answer::Result(stop.map(|reason| reason.into_owned()))
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Answer::Error(Some(code)) => format!("error {code}"),
            Answer::Error(None) => "an error without a code".into(),
            Answer::Result(Some(stop)) => format!("a result ({stop})"),
            Answer::Result(None) => "a result".into(),
        }
    }

    /// `result`, `error`.
    pub fn outcome(&self) -> &'static str {
        match self {
            Answer::Error(_) => "error",
            Answer::Result(_) => "result",
        }
    }

    /// How an exchange with this answer ended, or with none.
    pub fn ending(profile: &Profile, answer: Option<&Answer>) -> Ending {
        match answer {
            None => Ending::Silence,
            Some(Answer::Error(code)) => profile.ending(Some(*code), None),
            Some(Answer::Result(stop)) => profile.ending(None, stop.as_deref()),
        }
    }
}

/// The first cancel that reached an exchange while it was in flight: place of its event.
pub fn effective_cancel(exchange: &Exchange) -> Option<usize> {
    exchange.cancels.iter().copied().find(|cancel| exchange.response.is_none_or(|response| *cancel < response))
}

/// True for an exchange that made a task with a cancel of its own, which is a request.
pub fn has_task_cancel(connection: &Connection, exchange: &Exchange) -> bool {
    let is_request = |cancel: &usize| matches!(connection.events[*cancel].what, EventKind::Request(_));
    exchange.cancels.iter().any(is_request)
}

/// How it was cancelled.
pub fn mechanism(connection: &Connection, cancel: usize) -> Option<Mechanism> {
    let event = connection.events.get(cancel)?;
    if event.text.is_empty() || matches!(event.what, EventKind::Close) {
        return connection.profile.mechanism(None);
    }
    let tree = Tree::read(&event.text)?;
    let method = tree.member("method")?.string()?;
    connection.profile.mechanism(Some(&method))
}
