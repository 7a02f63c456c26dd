//! A look at the head of a log before it is read: what shipping, several writers and loggers did to it.
//!
//! The head is read once into short notes on its messages (`note`). What is then supposed (another order, another key
//! of connections, a second logger) is tried on the notes by pairing requests with answers (`pairing`), and what pairs with
//! fewer contradictions is what the log is read by: the plan. What cannot be told apart or put in order is taken out of what the
//! log can prove. A log without contradictions is read as it stands.

mod apart;
mod artefact;
mod beside;
mod clock;
mod counters;
mod echoes;
mod exchanges;
mod key;
mod lanes;
mod left_out;
mod marks;
mod mixed;
mod names;
mod note;
mod numbered;
mod order;
mod pairing;
mod quotes;
mod sampled;
mod split;
mod twins;
mod unordered;
mod voices;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

pub(super) use beside::Records;
pub(super) use lanes::Lanes;
pub(super) use numbered::Numbered;
pub(super) use voices::Voices;

use self::beside::Kind;
use self::note::{Notes, take};
use self::pairing::score;
use self::split::Split;
use super::Overrides;
use super::format::Format;
use super::plan::{Order, Plan};
use super::sample::Sample;
use super::spoken::Telling;
use super::time::SECOND;

/// How much of a log is looked at before it is read, in bytes.
pub(super) const HEAD: usize = 1 << 20;

/// What is looked at: a log in a format, and what is said of it.
pub(super) struct Looked<'l> {
    pub format: &'static dyn Format,
    pub sample: &'l Sample,
    pub overrides: &'l Overrides,
    /// True if the key in these was learned of this log, and is no word of the user's.
    pub learned: bool,
}

impl Looked<'_> {
    /// What keeps its lines apart under the keys of the user, or under those that were learned of this log; a name that the user says of
    /// other logs is for those who read their records.
    pub(super) fn telling(&self) -> Vec<Telling> {
        let (name, keys) = (self.format.name(), self.overrides.connection_key.as_deref().unwrap_or_default());
        let is_text = || Records::of(name, b"").kind == Kind::Text;
        let asked = || name == "text-log" && !keys.iter().any(|key| key.starts_with(['~', '/']));
        // Who reads records in JSON keeps those of one line apart, too.
        let by_place = || name != "json-log" && keys.iter().any(|key| Telling::is_place(key));
        if by_place() || is_text() && (self.learned || asked()) {
            keys.iter().map(|key| Telling::by(key)).collect()
        } else {
            Vec::new()
        }
    }
}

/// Looks at the head of a log. Messages that seem to be logged twice in other words may be those of two connections: where
/// taking them for that finds a key, they are.
pub(super) fn survey(of: &Looked<'_>, head: &[u8], whole: bool) -> Plan {
    let mut plan = looked_at(of, head, whole);
    artefact::cut_lines(head, whole, &mut plan);
    plan.times = artefact::times(head);
    plan.numbered = numbered::learn(of.format.name(), head, whole);
    plan
}

/// The same of a part of a log by the key that the part before it showed; none where that does not stand beside all messages of this one.
pub(super) fn survey_behind(of: &Looked<'_>, head: &[u8], whole: bool) -> Option<Plan> {
    let named = take(of, head, whole, false).is_some_and(|notes| notes.names.iter().all(Option::is_some));
    let key = of.overrides.connection_key.clone().filter(|_| named)?;
    let mut plan = survey(of, head, whole);
    plan.said.push(format!("its connections are told apart by {}, as those of the part before it", key.join(" and ")));
    Some(Plan { key: Some(key), ..plan })
}

/// The order of a part of a log whose records come late, by their times, and its lines, counted from its own first one, of which these
/// do not tell it.
pub(super) fn by_times(of: &Looked<'_>, part: &[u8]) -> (Order, FxHashSet<u64>) {
    let Some(notes) = take(of, part, true, false) else { return Default::default() };
    let mut plan = Plan { twins: notes.resolution_us < SECOND, ..Plan::default() };
    let notes = if plan.twins { notes.without_twins(&mut plan) } else { notes };
    let groups: Vec<u32> = notes.list.iter().map(|note| note.channel).collect();
    order::by_times(&notes, &groups)
}

fn looked_at(of: &Looked<'_>, head: &[u8], whole: bool) -> Plan {
    let look = |repeats: bool| take(of, head, whole, repeats);
    let Some(mut notes) = look(false) else { return Plan::default() };
    let hears = notes.repeats || notes.name_not_all();
    let quotes = notes.take_quotes();
    if !quotes.is_empty() {
        let said = format!("{} records of its head quote what others say, and name no sender", quotes.len());
        let mut plan = by_notes(notes, of, head, |repeats| {
            let mut all = look(repeats)?;
            all.take_quotes();
            Some(all)
        });
        plan.quotes = quotes;
        plan.said.push(said);
        return plan;
    }
    Plan { hears, ..by_notes(notes, of, head, look) }
}

/// The plan of a log by the notes on its head.
fn by_notes(notes: Notes, of: &Looked<'_>, head: &[u8], look: impl Fn(bool) -> Option<Notes>) -> Plan {
    let (format, overrides) = (of.format, of.overrides);
    if notes.is_exact() {
        // These number their events: two of one time, which were read in one piece, are two.
        let counted = matches!(format.name(), "rec" | "vectors");
        let untold = notes.have_coarse_times() || !counted && notes.are_answered_as_often(&Plan::default());
        let resolution_us = notes.shown_us;
        let (twins, doubts) = (!untold && !counted, untold && !counted);
        let resent = twins && twins::are_resent(&notes.list);
        let mut plan = Plan { twins, doubts, resent, resolution_us, ..Plan::default() };
        artefact::look_alone(&notes, counted, &mut plan);
        let streams: Vec<u32> = notes.list.iter().map(|note| note.channel).collect();
        if !counted && notes.list.iter().all(|note| note.at_us.is_none()) {
            delivered_again(&notes, &streams, &mut plan);
        }
        sampled::look(&notes.list, &streams, &mut plan);
        return plan;
    }
    if notes.repeats
        && let Some(all) = look(true)
    {
        let doubled = echoes::stand_in_pairs(&all.list).then(|| all.clone());
        let mut plan = plan(all.each_pair_once(), format.name(), head, overrides);
        if let Some(all) = doubled {
            artefact::doubled(&all, &mut plan);
            plan.resent |= plan.twins && twins::are_resent(&all.list);
        }
        if plan.key.is_some() {
            return plan;
        }
    }
    plan(notes, format.name(), head, overrides)
}

/// What was delivered twice of a log whose records have no times.
fn delivered_again(notes: &Notes, streams: &[u32], plan: &mut Plan) {
    if echoes::records_stand_in_pairs(&notes.list) {
        (plan.twins, plan.doubled) = (true, true);
        plan.said.push("every record stands in it twice, one right behind the other".to_string());
    } else {
        artefact::resent_blocks(notes, streams, plan);
    }
}

/// One message of so many is said by two connections at one time, where these go in step. Others say hardly more than the handshake so.
const IN_STEP: usize = 4;

fn plan(notes: Notes, format: &str, head: &[u8], overrides: &Overrides) -> Plan {
    // On such a clock two connections may well say the same at one time.
    let coarse = notes.have_coarse_times();
    let resolution_us = notes.shown_us;
    let mut plan = Plan { twins: !coarse, doubts: coarse, resolution_us, ..Plan::default() };
    artefact::look(&notes, &mut plan);
    if twins::stutter(&notes.list) {
        plan.stutters = true;
        plan.said.push("records of it stand twice, one right behind the other, and it has no times".to_string());
    }
    if plan.twins && notes.are_answered_as_often(&plan) {
        (plan.twins, plan.doubts) = (false, true);
    }
    if !plan.twins && !plan.doubled {
        settle(&notes, (format, head), overrides, &mut plan);
        return plan;
    }
    // What seems to stand twice may as well be two connections that say the same at one time, where something tells them apart.
    let mut two = Plan { said: Vec::new(), doubled: false, ..plan.clone() };
    // Of two writers each says what the other one has just said.
    let untold = coarse && !echoes::stand_in_pairs(&notes.list) || notes.list.iter().all(|note| note.at_us.is_none());
    let untold = plan.doubled && untold;
    let notes = notes.without_twins(&mut plan);
    let alike = notes.taken.len();
    let in_step = alike > 0 && alike * IN_STEP >= alike + notes.list.len();
    let once = settle(&notes, (format, head), overrides, &mut plan);
    if !in_step && (alike == 0 || once.faults == 0) {
        return plan;
    }
    let found = settle(&notes.with_twins(), (format, head), overrides, &mut two);
    let are_two = in_step && (untold || found.apart || found.instances) || found.faults < once.faults;
    // Where what tells them apart does so without the copies as well, each of them has all of its own twice.
    let each_twice = plan.doubled && plan.key == two.key;
    if are_two && two.key.is_some() && !each_twice { two } else { plan }
}

/// What a log is when it is read by a plan.
struct Settled {
    /// The key that was found names connections, and not who served them.
    apart: bool,
    /// It names who served them.
    instances: bool,
    /// What contradicts.
    faults: usize,
}

/// The order of the records, and what tells connections apart: once they are, the order is that of each of them.
fn settle(notes: &Notes, (format, head): (&str, &[u8]), overrides: &Overrides, plan: &mut Plan) -> Settled {
    let groups: Vec<u32> = notes.list.iter().map(|note| note.channel).collect();
    let before = plan.clone();
    let order = order::choose(notes, &groups, plan);
    let now = score(&notes.list, &order, &groups);
    let contradicts = now.faults() > 0 || now.two_clients > 0 || now.two_forms > 0 || key::greets_again(&notes.list);
    let several = contradicts || names::are_partial(&notes.names);
    if plan.loggers.is_none() && (contradicts || echoes::may_be_told_twice(&notes.list)) {
        let mut alone = before.clone();
        if let Some(rest) = echoes::look(notes, &Records::of(format, head), &mut alone) {
            *plan = alone;
            return settle(&rest, (format, head), overrides, plan);
        }
    }
    let mut streams = groups;
    let mut settled = Settled { apart: false, instances: false, faults: now.faults() };
    let records = || {
        let records = Records::of(format, head);
        if notes.by_line { records.by_line() } else { records }
    };
    if overrides.connection_key.is_none()
        && (several || apart::may_be_told(notes))
        && let Some(split) = key::choose(notes, &records(), (&order, now), several, plan)
    {
        let Split { key, names, apart, instances, lacks, said, .. } = split;
        streams = split.streams;
        *plan = Plan { key: Some(key), lacks: before.lacks.and(lacks), ..before };
        let order = order::choose(notes, &streams, plan);
        plan.said.extend(said);
        mixed::look(notes, &order, (&streams, &names), apart, plan);
        settled = Settled { apart, instances, faults: score(&notes.list, &order, &streams).faults() };
    }
    artefact::resent_blocks(notes, &streams, plan);
    sampled::look(&notes.list, &streams, plan);
    settled
}
