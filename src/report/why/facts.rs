//! What a postmortem rests on: rows of one connection, already fetched. Everything here is data.

use std::collections::BTreeSet;

use crate::protocol::{self, Profile};
use crate::report::Unread;
use crate::store::{CancellationRow, ConnectionRow, ExchangeRow, SaidRow, SignRow, UnitRow};

/// How many frames and requests around a trouble are looked at.
pub const WINDOW: u32 = 5_000;

/// A request that never got its answer.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The request.
    pub row: ExchangeRow,
    /// From the request to the end of the log.
    pub age_us: Option<i64>,
    /// Its progress.
    pub signs: Vec<SignRow>,
    /// What a rule says about it, where one does.
    pub said: Option<SaidRow>,
}

/// How a server died, where a rule says that it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Death {
    /// Line of its end.
    pub line: u64,
    /// What it wrote to stderr last.
    pub stderr: Vec<String>,
}

/// A cancel with the request that it hits.
#[derive(Clone, Debug)]
pub struct Cancelled {
    /// The cancel.
    pub row: CancellationRow,
    /// Its request.
    pub exchange: Option<ExchangeRow>,
    /// Progress of that request.
    pub signs: Vec<SignRow>,
}

/// A request at one of the hops that it passes.
#[derive(Clone, Debug)]
pub struct AtHop {
    /// How many hops are above it.
    pub depth: u32,
    /// The hop, as the user calls it.
    pub hop: String,
    /// The request.
    pub row: ExchangeRow,
    /// Its first cancel.
    pub cancel: Option<CancellationRow>,
}

/// Everything about one connection.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The connection.
    pub connection: ConnectionRow,
    /// True if the recorder lost messages.
    pub has_gap: bool,
    /// Lines of its source that look like messages and were not read.
    pub unread: Vec<Unread>,
    /// Requests that are stuck, as a rule says, oldest first.
    pub stuck: Vec<Waiting>,
    /// Other requests without an answer, oldest first: no rule says, or can say, that one was due.
    pub open: Vec<Waiting>,
    /// How the server died, where it did.
    pub death: Option<Death>,
    /// Cancels in order.
    pub cancels: Vec<Cancelled>,
    /// Requests from the oldest stuck one on, or the last ones.
    pub around: Vec<ExchangeRow>,
    /// Heads of the frames from the oldest stuck request on and of the last ones, in order.
    pub units: Vec<UnitRow>,
    /// The requests that the user asked about; `None` for all.
    pub focus: Option<BTreeSet<i64>>,
    /// Where logs of several hops were read: requests of it, each as a tree over all of them.
    pub hops: Vec<Vec<AtHop>>,
    /// Age from which an open request is stuck.
    pub stuck_after_us: i64,
}

impl Facts {
    /// True if the user wants to see this request.
    pub fn wanted(&self, request: i64) -> bool {
        self.focus.as_ref().is_none_or(|focus| focus.contains(&request))
    }

    /// Stuck requests of one side.
    pub fn stuck_of<'a>(&'a self, issuer: &'a str) -> impl Iterator<Item = &'a Waiting> {
        self.stuck.iter().filter(move |waiting| waiting.row.issuer == issuer)
    }

    /// Requests of one side without an answer, stuck or not, oldest first.
    pub fn waiting_of(&self, issuer: &str) -> Vec<&Waiting> {
        let mut all: Vec<&Waiting> = self.stuck.iter().chain(&self.open).collect();
        all.retain(|waiting| waiting.row.issuer == issuer);
        all.sort_by_key(|waiting| waiting.row.id);
        all
    }

    /// The last message of a side.
    pub fn last_message(&self, sender: &str) -> Option<&UnitRow> {
        self.units.iter().rev().find(|unit| is_message(unit) && unit.sender.as_deref() == Some(sender))
    }

    /// The last answer to a side that names no request: which of those before it was answered, nothing tells.
    pub fn untold_to(&self, issuer: &str) -> Option<i64> {
        let is_answer = |unit: &&UnitRow| matches!(unit.kind.as_str(), "result" | "error");
        let is_unnamed = |unit: &&UnitRow| unit.rpc_id.as_deref().is_none_or(|id| id == "null");
        let to_it = |unit: &&UnitRow| unit.sender.as_deref().is_some_and(|sender| sender != issuer);
        self.units.iter().rev().filter(is_answer).filter(is_unnamed).find(to_it).map(|unit| unit.id)
    }

    /// The answer that shows that a side was alive: the last request to it, sent after `since`, that it answered.
    pub fn alive(&self, side: &str, since: i64) -> Option<&ExchangeRow> {
        let answered = |row: &&ExchangeRow| row.id > since && row.issuer != side && row.response_id.is_some();
        self.around.iter().rev().find(answered)
    }

    /// The frame with this number, where it was looked at.
    pub fn unit(&self, id: i64) -> Option<&UnitRow> {
        self.units.binary_search_by_key(&id, |unit| unit.id).ok().map(|at| &self.units[at])
    }

    /// The end of the connection, where the log shows one: a close of the whole connection, or the exit of a process.
    pub fn ending(&self) -> Option<&UnitRow> {
        let end = |unit: &&UnitRow| (unit.kind == "close" && unit.stream.is_none()) || unit.kind == "exit";
        self.units.iter().find(end)
    }

    /// The end of the HTTP stream that should have carried the answer to a request, where the log shows it.
    pub fn stream_end(&self, request: &ExchangeRow) -> Option<&UnitRow> {
        self.units_behind(request).find(|unit| unit.kind == "close")
    }

    /// The status with which the HTTP exchange of a request came back, where it says that there is no answer.
    pub fn refusal(&self, request: &ExchangeRow) -> Option<&UnitRow> {
        self.units_behind(request).find(|unit| unit.status.is_some_and(|status| status >= 300))
    }

    /// What came on the HTTP stream of a request of the client behind it.
    fn units_behind(&self, request: &ExchangeRow) -> impl Iterator<Item = &UnitRow> {
        let own = self.unit(request.id).and_then(|unit| unit.stream).filter(|_| request.issuer == "client");
        let id = request.id;
        self.units.iter().filter(move |unit| own.is_some() && unit.stream == own && unit.id > id)
    }

    /// True if this request was cancelled by anything.
    pub fn was_cancelled(&self, request: i64) -> bool {
        self.cancels.iter().any(|cancel| cancel.row.exchange_id == Some(request))
    }
}

/// True for a frame that is a message.
pub fn is_message(unit: &UnitRow) -> bool {
    matches!(unit.kind.as_str(), "request" | "notification" | "result" | "error" | "malformed")
}

/// True for a request that is open by design, such as a subscription.
pub fn long_lived(row: &ExchangeRow) -> bool {
    let method = profile(row).and_then(|profile| profile.method(&row.method));
    method.is_some_and(|method| method.long_lived)
}

/// True if the profile opens a connection with a handshake, and so has sessions over HTTP.
pub fn has_handshake(row: &ExchangeRow) -> bool {
    profile(row).is_some_and(|profile| profile.opening.initialize.is_some())
}

/// True for the handshake itself.
pub fn is_handshake(row: &ExchangeRow) -> bool {
    profile(row).is_some_and(|profile| profile.opening.initialize == Some(row.method.as_str()))
}

fn profile(row: &ExchangeRow) -> Option<&'static Profile> {
    match row.profile.split_once(' ') {
        Some((name, revision)) => protocol::by_name(name, Some(revision)),
        None => protocol::by_name(&row.profile, None),
    }
}

/// What was asked: method and tool.
pub fn title(row: &ExchangeRow) -> String {
    row.name.as_ref().map_or_else(|| row.method.clone(), |name| format!("{} {name}", row.method))
}

/// The request as the screens name it.
pub fn label(row: &ExchangeRow) -> String {
    crate::report::label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer))
}

/// The other side.
pub fn peer(side: &str) -> &'static str {
    if side == "client" { "server" } else { "client" }
}
