//! How long a replay will take if the live side is as fast as the recorded one: for the dry run.

use std::collections::HashMap;

use super::{Action, Step};
use crate::replay::options::Options;
use crate::replay::recording::Connection;

/// Expected times, microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// When each step is sent, after the start; `None` for one that is left out.
    pub sent_us: Vec<Option<i64>>,
    /// How long each step waits for answers and think time, after the step before it.
    pub waits_us: Vec<i64>,
    /// The first wait that is not nothing: place of the step, how long.
    pub first_wait: Option<(usize, i64)>,
    /// The longest.
    pub longest_wait: Option<(usize, i64)>,
    /// All of it, the watch after the last cancel included.
    pub total_us: i64,
}

pub(super) fn estimate(connection: &Connection, steps: &[Step], options: &Options) -> Estimate {
    let mut answered: HashMap<usize, i64> = HashMap::new();
    let mut sent: HashMap<usize, i64> = HashMap::new();
    let mut found = Estimate::default();
    let mut now = 0;
    for (place, step) in steps.iter().enumerate() {
        if step.left_out.is_some() {
            found.sent_us.push(None);
            found.waits_us.push(0);
            continue;
        }
        let free =
            step.after.iter().filter_map(|exchange| answered.get(exchange)).copied().max().unwrap_or(now).max(now);
        let due = match &step.action {
            Action::Cancel(cancel) => {
                let whole = (cancel.deadline_us - 250_000) / 2;
                let from_request = if options.cancel.delay_us.is_some() { cancel.delay_us } else { whole };
                cancel.targets.first().and_then(|target| sent.get(target)).map_or(free, |sent| sent + from_request)
            }
            _ => free + options.pace.gap(step.think_us),
        };
        let due = due.max(free);
        for exchange in &step.opens {
            sent.insert(*exchange, due);
            answered.insert(*exchange, due + connection.exchanges[*exchange].latency_us.unwrap_or(0));
        }
        let wait = due - now;
        if wait > 0 {
            found.first_wait.get_or_insert((place, wait));
            if found.longest_wait.is_none_or(|(_, longest)| longest < wait) {
                found.longest_wait = Some((place, wait));
            }
        }
        if matches!(step.action, Action::Cancel(_)) {
            found.total_us = found.total_us.max(due + options.life.linger_us);
        }
        found.sent_us.push(Some(due));
        found.waits_us.push(wait);
        now = due;
    }
    found.total_us = answered.values().copied().max().unwrap_or(0).max(found.total_us).max(now);
    found
}
