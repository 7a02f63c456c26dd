//! What will be sent, in which order, and what each message waits for: a recording and the options, turned into data.
//!
//! Planning is pure and sends nothing; a dry run shows it, the engine follows it.

mod cancel;
mod estimate;
mod index;
mod losses;
mod schedule;

pub use estimate::Estimate;
pub use losses::gap;

use super::flow::{self, Link};
use super::options::{Options, Policy};
use super::policy::{self, Ruling};
use super::recording::{Connection, EventKind, Exchange, Recording};
use super::run::Anchor;
use crate::error::Result;
use crate::protocol::{Access, Side};

/// A whole replay, before anything is sent.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One per connection of the recording, in its order.
    pub connections: Vec<ConnectionPlan>,
    /// What the format of the capture lost, to be said before anything is sent.
    pub losses: Vec<String>,
    /// How many requests of the client will be sent whose answers are checked, as far as planning can tell. A handshake is one of them
    /// only where the recording has nothing else, and no part of it was asked for.
    pub selected: usize,
}

impl Plan {
    /// Why nothing is checked, in words; `None` where something is.
    pub fn vain(&self) -> Option<&'static str> {
        let handshake = self.connections.iter().any(|plan| plan.sent().next().is_some());
        match self.selected {
            0 if handshake => Some("but for the handshake no request would be sent"),
            0 => Some("no request would be sent"),
            _ => None,
        }
    }
}

/// One connection.
#[derive(Clone, Debug)]
pub struct ConnectionPlan {
    /// Its key.
    pub key: String,
    /// The event of an earlier connection that comes before this one is opened: place of the connection, place of the event.
    pub opens_after: Option<(usize, usize)>,
    /// What the client does, in order.
    pub steps: Vec<Step>,
    /// What the server says after the last step, and is waited for before the end.
    pub tail: Vec<Soft>,
    /// How long the client stayed behind the last message before it closed the connection, microseconds.
    pub stay_us: i64,
    /// What is to become of each exchange of the recording.
    pub rulings: Vec<Ruling>,
    /// Values that flow from one message into a later one.
    pub links: Vec<Link>,
    /// The exchange that each one retries (MCP 2026-07-28).
    pub continues: Vec<Option<usize>>,
    /// The patterns that would let refused requests through.
    pub allow: Vec<String>,
    /// How long it will take.
    pub estimate: Estimate,
}

impl ConnectionPlan {
    /// The requests of the client that will be sent, as far as planning can tell.
    pub fn sent(&self) -> impl Iterator<Item = &usize> {
        self.steps.iter().filter(|step| step.left_out.is_none()).flat_map(|step| &step.opens)
    }
}

/// One thing that the client does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Place of its event in the recording.
    pub event: usize,
    /// Its line in the capture.
    pub line: u64,
    /// What it is, in words: `#7 tools/call index`, `cancel of #7`.
    pub label: String,
    /// How it is done.
    pub action: Action,
    /// The requests that it sends: one, several in a batch, or none.
    pub opens: Vec<usize>,
    /// The requests whose answers it waits for, beside those that an earlier step waits for.
    pub after: Vec<usize>,
    /// What else came before it, and is waited for only so long.
    pub soft: Vec<Soft>,
    /// Recorded time from the last thing it depends on, microseconds; 0 where the capture has no times.
    pub think_us: i64,
    /// Why it is left out, where planning knows: `policy: not read-only`, `not selected`, `blocked by #2`.
    pub left_out: Option<String>,
    /// True if a notification is left out by the user's word; what becomes of requests is told by their rulings.
    pub refused: bool,
}

/// How a step is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A message, a batch, or bytes that are neither, sent as one text.
    Send,
    /// The answer to a recorded request of the server.
    Answer(usize),
    /// A cancel that is timed from its target.
    Cancel(Cancelling),
    /// Opens a stream for messages of the server (HTTP GET).
    OpenStream,
    /// Gives up the stream with this recorded number: a disconnect, not a cancel.
    CloseStream(u32),
    /// Ends the session (HTTP DELETE).
    EndSession,
}

/// A cancel and when it is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancelling {
    /// The exchanges that it cancels; the first is the one that it is timed from.
    pub targets: Vec<usize>,
    /// What it is timed from.
    pub anchor: Anchor,
    /// Which progress, from 1; 0 for `Elapsed`.
    pub nth: u32,
    /// Microseconds after the anchor.
    pub delay_us: i64,
    /// Microseconds after the request at which it is sent although the progress has not come.
    pub deadline_us: i64,
    /// True if it is the close of the HTTP streams that carry its targets, and no message.
    pub by_close: bool,
    /// True for a cancel that is a request (`tasks/cancel`): its target has been answered, the task has not ended.
    pub of_task: bool,
}

/// Something of the server that a step waits for, within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soft {
    /// Place of its event.
    pub event: usize,
    /// How long at most, microseconds after everything else is there.
    pub wait_us: i64,
}

/// Plans a replay of the client's side.
pub fn plan(recording: &Recording, options: &Options) -> Result<Plan> {
    let mut losses = losses::losses(recording)?;
    let mut connections = Vec::with_capacity(recording.connections.len());
    for (connection, after) in recording.connections.iter().zip(schedule::opens_after(recording)) {
        let plan = plan_connection(connection, after, options)?;
        losses.extend(losses::earlier(connection, &plan.steps, options.life.max_request_us));
        connections.push(plan);
    }
    let both = connections.iter().zip(&recording.connections);
    let selected = both.map(|(plan, connection)| selected(plan, connection, &options.policy)).sum();
    Ok(Plan { connections, losses, selected })
}

fn plan_connection(
    connection: &Connection,
    opens_after: Option<(usize, usize)>,
    options: &Options,
) -> Result<ConnectionPlan> {
    let links = flow::links(connection, &options.rewrite.flows);
    let mut rulings = policy::rule(connection, &options.policy)?;
    let hints = policy::recorded_hints(connection);
    // A request that gives a chosen one a value is chosen with it; what gives it one, in turn. Links point backwards.
    for link in links.iter().rev() {
        if link.exchange.is_some_and(|to| rulings[to] != Ruling::Skipped && rulings[to] != Ruling::Live)
            && rulings[link.producer] == Ruling::Skipped
        {
            let producer = &connection.exchanges[link.producer];
            rulings[link.producer] = policy::allowed(connection.profile, producer, &options.policy, &hints);
        }
    }
    let (mut steps, tail) = schedule::steps(connection, &links, options);
    refuse(connection, options, &mut steps);
    leave_out(connection, &links, &rulings, &mut steps);
    let mut allow: Vec<String> = connection
        .exchanges
        .iter()
        .zip(&rulings)
        .filter(|(_, ruling)| matches!(ruling, Ruling::Refused(_) | Ruling::UnlessHinted(_)))
        .map(|(exchange, _)| policy::pattern(exchange))
        .collect();
    allow.sort();
    allow.dedup();
    let estimate = estimate::estimate(connection, &steps, options);
    Ok(ConnectionPlan {
        key: connection.key.clone(),
        opens_after,
        steps,
        tail,
        stay_us: schedule::stay(connection),
        continues: flow::continues(connection, &links),
        rulings,
        links,
        allow,
        estimate,
    })
}

fn selected(plan: &ConnectionPlan, connection: &Connection, policy: &Policy) -> usize {
    let beside = |exchange: &Exchange| connection.profile.access(&exchange.method) != Access::Handshake;
    let mut asked = connection.exchanges.iter().filter(|exchange| exchange.issuer == Side::Client);
    let alone = !policy.selects() && !asked.any(beside);
    let counts = |at: &&usize| alone || beside(&connection.exchanges[**at]);
    plan.sent().filter(counts).count()
}

/// Leaves out the notifications that the user does not want. Cancels go with their targets.
fn refuse(connection: &Connection, options: &Options, steps: &mut [Step]) {
    for step in steps.iter_mut().filter(|step| step.action == Action::Send && step.opens.is_empty()) {
        let event = &connection.events[step.event];
        if matches!(event.what, EventKind::Notification | EventKind::Progress(_)) {
            let method = super::message::method(&event.text).unwrap_or_default();
            step.left_out = policy::notification(connection, step.event, &method, &options.policy);
            step.refused = step.left_out.is_some();
        }
    }
}

/// Writes on each step why it is left out, where planning knows. Blocking is handed on from step to step.
fn leave_out(connection: &Connection, links: &[Link], rulings: &[Ruling], steps: &mut [Step]) {
    let mut out: Vec<Option<String>> = rulings.iter().map(why).collect();
    for step in steps {
        let requests = step.opens.iter().map(|opened| connection.exchanges[*opened].request);
        let blocked = std::iter::once(step.event)
            .chain(requests)
            .flat_map(|event| flow::ending_in(links, event))
            .find(|link| out[link.producer].is_some());
        if let Some(link) = blocked {
            let why = format!("blocked by {}", connection.exchanges[link.producer].label());
            for opened in &step.opens {
                out[*opened].get_or_insert_with(|| why.clone());
            }
            step.left_out = Some(why);
        }
        let refused = step.opens.iter().find_map(|opened| why(&rulings[*opened]).map(|why| (*opened, why)));
        if let Some((opened, why)) = refused {
            step.left_out = Some(match step.opens.len() {
                1 => why,
                // A batch is one text: it goes as a whole or not at all.
                _ => format!("in one batch with {}: {why}", connection.exchanges[opened].label()),
            });
            for opened in &step.opens {
                out[*opened].clone_from(&step.left_out);
            }
        }
        let targets: &[usize] = match &step.action {
            Action::Cancel(cancel) => &cancel.targets,
            Action::Answer(_) | Action::Send | Action::OpenStream | Action::CloseStream(_) | Action::EndSession => &[],
        };
        if !targets.is_empty() && targets.iter().all(|target| out[*target].is_some()) {
            step.left_out = Some("its target is not sent".to_string());
        }
    }
}

fn why(ruling: &Ruling) -> Option<String> {
    match ruling {
        Ruling::Refused(why) | Ruling::UnlessHinted(why) => Some(format!("policy: {why}")),
        Ruling::Skipped => Some("not selected".to_string()),
        Ruling::Send | Ruling::ByHint | Ruling::Live => None,
    }
}
