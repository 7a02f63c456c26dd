//! A look at the head of a log before it is read: what shipping, several writers and loggers did to it.
//!
//! The head is read once into short notes on its messages (`note`). What is then supposed (another order, another key
//! of connections, a second logger) is tried on the notes by pairing requests with answers (`pairing`), and what pairs with
//! fewer contradictions is what the log is read by: the plan. What cannot be told apart or put in order is taken out of what the
//! log can prove. A log without contradictions is read as it stands.

mod artefact;
mod beside;
mod counters;
mod echoes;
mod key;
mod lanes;
mod left_out;
mod marks;
mod mixed;
mod note;
mod order;
mod pairing;
mod spoken;
mod voices;

#[cfg(test)]
mod tests;

pub(super) use beside::{Kind, Records};
pub(super) use lanes::Lanes;
pub(super) use spoken::Telling;
pub(super) use voices::Voices;

use self::note::{Notes, take};
use self::pairing::score;
use super::Overrides;
use super::format::Format;
use super::plan::{Order, Plan};
use super::sample::Sample;

/// How much of a log is looked at before it is read, in bytes.
pub(super) const HEAD: usize = 1 << 20;

/// Looks at the head of a log. Messages that seem to be logged twice in other words may be those of two connections: where
/// taking them for that finds a key, they are.
pub(super) fn survey(
    format: &'static dyn Format,
    sample: &Sample,
    head: &[u8],
    whole: bool,
    overrides: &Overrides,
) -> Plan {
    let mut plan = looked_at(format, sample, head, whole, overrides);
    artefact::cut_lines(head, whole, &mut plan);
    plan.times = artefact::times(head);
    plan
}

/// The order of a part of a log whose records come late, by their times.
pub(super) fn by_times(format: &'static dyn Format, sample: &Sample, part: &[u8], overrides: &Overrides) -> Order {
    let Some(notes) = take(format, sample, part, true, overrides, false) else { return Order::AsWritten };
    let mut plan = Plan { twins: notes.resolution_us < 1_000_000, ..Plan::default() };
    let notes = if plan.twins { notes.without_twins(&mut plan) } else { notes };
    let groups: Vec<u32> = notes.list.iter().map(|note| note.channel).collect();
    order::by_times(&notes, &groups)
}

fn looked_at(format: &'static dyn Format, sample: &Sample, head: &[u8], whole: bool, overrides: &Overrides) -> Plan {
    let look = |repeats: bool| take(format, sample, head, whole, overrides, repeats);
    let Some(notes) = look(false) else { return Plan::default() };
    if notes.is_exact() {
        // A recording counts its events: two of one time, which were read in one piece, are two.
        let counted = format.name() == "rec";
        let coarse = notes.resolution_us >= 1_000_000;
        let mut plan = Plan { twins: !coarse && !counted, doubts: coarse && !counted, ..Plan::default() };
        artefact::look_alone(&notes, counted, &mut plan);
        return plan;
    }
    if notes.repeats
        && let Some(all) = look(true)
        && !echoes::stand_in_pairs(&all.list)
    {
        let plan = plan(all, format.name(), head, overrides);
        if plan.key.is_some() {
            return plan;
        }
    }
    plan(notes, format.name(), head, overrides)
}

fn plan(notes: Notes, format: &str, head: &[u8], overrides: &Overrides) -> Plan {
    // On a clock of whole seconds two connections may well say the same at one time.
    let coarse = notes.resolution_us >= 1_000_000;
    let mut plan = Plan { twins: !coarse, doubts: coarse, ..Plan::default() };
    artefact::look(&notes, &mut plan);
    if plan.doubled && notes.list.iter().all(|note| note.at_us.is_none()) {
        // Without times it may as well be two connections that say the same, where something tells them apart.
        let mut two = Plan { said: Vec::new(), doubled: false, ..plan.clone() };
        settle(&notes, (format, head), overrides, &mut two);
        if two.key.is_some() {
            return two;
        }
    }
    let notes = if plan.twins || plan.doubled { notes.without_twins(&mut plan) } else { notes };
    plan.twins |= plan.doubled;
    settle(&notes, (format, head), overrides, &mut plan);
    plan
}

/// The order of the records, and what tells connections apart: once they are, the order is that of each of them.
fn settle(notes: &Notes, (format, head): (&str, &[u8]), overrides: &Overrides, plan: &mut Plan) {
    let groups: Vec<u32> = notes.list.iter().map(|note| note.channel).collect();
    let unordered = plan.clone();
    let order = order::choose(notes, &groups, plan);
    let now = score(&notes.list, &order, &groups);
    let several = now.faults() > 0 || now.two_clients > 0 || key::greets_again(&notes.list);
    if plan.loggers.is_none() && (several || echoes::may_be_told_twice(&notes.list)) {
        let mut alone = unordered.clone();
        if let Some(rest) = echoes::look(notes, &Records::of(format, head), &mut alone) {
            *plan = alone;
            return settle(&rest, (format, head), overrides, plan);
        }
    }
    if overrides.connection_key.is_none()
        && several
        && let Some(split) = key::choose(notes, &Records::of(format, head), &order, now, plan)
    {
        let (key, said) = (plan.key.take(), plan.said.pop());
        *plan = Plan { key, ..unordered };
        let order = order::choose(notes, &split.streams, plan);
        plan.said.extend(said);
        mixed::look(notes, &order, (&split.streams, &split.names), split.apart, plan);
    }
    artefact::resent_blocks(notes, plan);
}
