//! What a replay is asked to do. Times are microseconds.

use super::run::Anchor;
use super::verdict::Verdict;
use crate::json::pointer;

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How fast.
    pub pace: Pace,
    /// How cancels are sent.
    pub cancel: Cancel,
    /// How long things may take.
    pub life: Life,
    /// What may be sent.
    pub policy: Policy,
    /// What is changed on the way.
    pub rewrite: Rewrite,
    /// What counts as the same.
    pub compare: Compare,
    /// What counts as a failure.
    pub gate: Gate,
}

/// How fast recorded think time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// As recorded, each gap capped at `max_idle_us`.
    Recorded,
    /// Think time divided by this.
    Times(f64),
    /// As fast as causality allows.
    Fast,
    /// Full recorded time.
    Wall,
}

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// The mode.
    pub speed: Speed,
    /// The longest gap; `None` for no cap.
    pub max_idle_us: Option<i64>,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { speed: Speed::Recorded, max_idle_us: Some(1_000_000) }
    }
}

/// How cancels are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cancel {
    /// Overrules the anchor.
    pub anchor: Option<Anchor>,
    /// Overrules the delay from the anchor.
    pub delay_us: Option<i64>,
    /// Send a cancel although its target has been answered (labelled harness-made).
    pub send_raced: bool,
    /// Send a harmless request right behind each cancel: its answer proves that the cancel had been read. Only on ordered channels.
    pub witness: bool,
    /// True if the live side is spoken to over Streamable HTTP, false if it is not; `None` to cancel as it was recorded.
    pub over_http: Option<bool>,
    /// How often an exchange whose cancel came too late is tried again, with half the delay each time.
    pub retry: u32,
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// A request without a sign of life is stuck after the longer of this ...
    pub stuck_min_us: i64,
    /// ... and so many times its recorded latency.
    pub stuck_factor: f64,
    /// Stop at the first stuck request that others wait for.
    pub stop_on_stuck: bool,
    /// How long to watch for an answer after a cancel has landed, where nothing is known of how long such a request takes.
    pub linger_us: i64,
    /// True if that is the least also where it is known.
    pub linger_given: bool,
    /// A request is stuck after this, whatever its progress.
    pub max_request_us: i64,
    /// The whole run.
    pub deadline_us: i64,
    /// Initialise once more after a 404 on the session.
    pub reinit_on_404: bool,
    /// What ends the session waits for all answers.
    pub end_waits: bool,
}

impl Default for Life {
    fn default() -> Life {
        Life {
            stuck_min_us: 30_000_000,
            stuck_factor: 5.0,
            stop_on_stuck: false,
            linger_us: 5_000_000,
            linger_given: false,
            max_request_us: 60_000_000,
            deadline_us: 600_000_000,
            reinit_on_404: false,
            end_waits: false,
        }
    }
}

/// What may be sent. Patterns are `method` or `method:name`, with `*` for any run of characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Sent although not known to be read-only.
    pub allow: Vec<String>,
    /// Never sent; wins over everything.
    pub deny: Vec<String>,
    /// Everything is allowed but what is denied.
    pub allow_all: bool,
    /// What the server says of its own tools (`readOnlyHint`) is not believed: a remote target nobody vouched for.
    pub untrusted_hints: bool,
    /// Requests may be sent twice (`--control`, retries, sweeps).
    pub allow_repeat: bool,
    /// Only these exchanges, where any are named: patterns, or `#7`.
    pub only: Vec<String>,
    /// Not these.
    pub skip: Vec<String>,
    /// From this request on (the handshake before it is sent all the same).
    pub from: Option<String>,
    /// Up to this request.
    pub to: Option<String>,
}

impl Policy {
    /// True where a part of the recording is asked for.
    pub fn selects(&self) -> bool {
        !self.only.is_empty() || !self.skip.is_empty() || self.from.is_some() || self.to.is_some()
    }
}

/// What is changed on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Prefixes of paths and `file://` URIs: recorded, live.
    pub map_path: Vec<(String, String)>,
    /// JSON pointer into a request and the JSON to put there.
    pub set: Vec<(String, String)>,
    /// The process id to state where a recorded one stands (LSP `initialize`).
    pub pid: u32,
    /// The revision to ask for.
    pub ask_version: Option<String>,
    /// Mint fresh ids for everything.
    pub renumber: bool,
    /// Values of placeholders: name (`authz#1`), value.
    pub secrets: Vec<(String, String)>,
    /// Values that flow from a response into a later request, beside the built-in ones.
    pub flows: Vec<FlowRule>,
}

/// A user's flow: `create_order /result/structuredContent/id` to `get_order /params/arguments/id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRule {
    /// Method or tool that produces it.
    pub from: String,
    /// Pointer into its response. A part after ` -> ` points into the JSON that a string holds.
    pub from_at: String,
    /// Method or tool that consumes it.
    pub to: String,
    /// Pointer into its request.
    pub to_at: String,
}

impl FlowRule {
    /// A path as a rule holds it, and how many pointers it has; nothing if one of them does not begin with `/`.
    pub fn path(text: &str) -> Option<(String, usize)> {
        let pointers: Vec<&str> = pointer::pointers(text).collect();
        pointers.iter().all(|part| part.starts_with('/')).then(|| (pointers.join(pointer::INTO), pointers.len()))
    }
}

/// What counts as the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compare {
    /// Pointer globs that are not compared. A glob may be preceded by the requests that it holds for, here as below:
    /// `tools/call:order /result/id`.
    pub ignore: Vec<String>,
    /// Pointer globs with a matcher. A part after ` -> ` points into the JSON that a string holds.
    pub matches: Vec<(String, Matcher)>,
    /// Lists compared as maps: pointer glob, pointer of the key within a member.
    pub sets: Vec<(String, String)>,
    /// Additions to objects are no change.
    pub allow_added: bool,
    /// Compare what notifications say.
    pub notifications: bool,
    /// Compare the payload of cancelled exchanges.
    pub cancelled: bool,
}

/// What a value must be, instead of being equal.
#[derive(Clone, Debug, PartialEq)]
pub enum Matcher {
    /// The same JSON type.
    Type,
    /// A string that fits.
    Regex(String),
    /// A UUID.
    Uuid,
    /// A date and time.
    Datetime,
    /// There.
    Present,
    /// Not there.
    Absent,
    /// A number no further off than this.
    Absolute(f64),
    /// A number no further off than this part of the recorded one (0.01 is one per cent).
    Relative(f64),
    /// At least so many members.
    LengthAtLeast(usize),
}

/// What counts as a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Replaces the usual set.
    pub fail_on: Option<Vec<Verdict>>,
    /// Added to it.
    pub more: Vec<Verdict>,
    /// Taken from it.
    pub less: Vec<Verdict>,
    /// Violations fail also where the recording has them too (`--fail-on violates-any`).
    pub violates_any: bool,
    /// Inconclusive runs, raced cancels and unsent requests fail too.
    pub strict: bool,
}
