//! Whether the one time of a record is the start of its exchange or the end: which reading fits what the requests say of each other (a
//! cancel follows what it cancels, a client says that it is initialized when it was answered), and in which of them exchanges overlap.

use serde_json::Value;

use super::body::part;
use super::layout::Slot;
use super::path::Path;
use super::told::Told;
use crate::json::scan::{members, unquoted};

/// What the requests of examples tell, in their order.
pub(super) struct Asked(Vec<One>);

struct One {
    told: Told,
    /// It is the request of the handshake.
    greets: bool,
    /// It says that the handshake is done.
    greeted: bool,
    /// It has no body: a GET, whose stream is open beside all that is done meanwhile.
    listens: bool,
}

impl Asked {
    /// What the bodies at a path tell.
    pub(super) fn of(values: &[Value], request: &Path) -> Asked {
        Asked(values.iter().map(|value| One::of(value, request)).collect())
    }

    /// Of the times of all requests, those of what is done one after the other.
    fn in_turn(&self, times_us: &[i64]) -> Vec<i64> {
        let listens = |at: usize| self.0.len() == times_us.len() && self.0[at].listens;
        times_us.iter().enumerate().filter(|(at, _)| !listens(*at)).map(|(_, us)| *us).collect()
    }

    /// How many of the requests contradict a reading of their times: all that they follow would come behind them, by a step of the clock.
    pub(super) fn contradict(&self, starts: &[i64], ends: &[i64], step_us: i64) -> usize {
        if self.0.len() != starts.len() || starts.len() != ends.len() {
            return 0;
        }
        let each = || self.0.iter().zip(starts.iter().zip(ends));
        let is_behind = |at: i64, causes: Vec<i64>| {
            let first = causes.into_iter().min();
            first.is_some_and(|first| at.saturating_add(step_us) <= first)
        };
        let contradicts = |one: &One, at: i64| {
            let greetings = || each().filter(|(other, _)| other.greets).map(|(_, (_, end))| *end).collect();
            one.greeted && is_behind(at, greetings())
                || one.told.cancelled().any(|target| {
                    let asks = |other: &One| other.told.requests().any(|id| id == target);
                    is_behind(at, each().filter(|(other, _)| asks(other)).map(|(_, (start, _))| *start).collect())
                })
        };
        each().filter(|(one, (start, _))| contradicts(one, **start)).count()
    }
}

impl One {
    fn of(value: &Value, request: &Path) -> One {
        let body = request.0.iter().try_fold(value, |value, key| value.get(&**key)).map(Value::to_string);
        let body = body.as_deref().map(|raw| part(raw, 0, false, None));
        let text = body.as_ref().and_then(|body| body.text()).unwrap_or_default();
        let method = members(text).find(|member| member.key == "method").map_or("", |member| unquoted(member.value));
        let (greets, greeted) = (method == "initialize", method.ends_with("initialized"));
        One { told: Told::of(text), greets, greeted, listens: text.is_empty() }
    }
}

/// Whether a time is the start or the end, where its key does not say it, and if that is sure. What requests say of each other tells
/// most. Records are written at the end, in the order of their ends, and many clients do one thing after the other: where nothing
/// overlaps in one reading and several do in the other, it is right.
pub(super) fn which(times_us: &[i64], long: &[i64], step_us: i64, asked: &Asked) -> (Slot, bool) {
    if times_us.len() != long.len() {
        return (Slot::End, false);
    }
    let ends: Vec<i64> = times_us.iter().zip(long).map(|(at, long)| at.saturating_add(*long)).collect();
    let starts: Vec<i64> = times_us.iter().zip(long).map(|(at, long)| at.saturating_sub(*long)).collect();
    let by_order = which_is_in_order(&asked.in_turn(times_us), &asked.in_turn(&starts), &asked.in_turn(&ends));
    let (wrong_start, wrong_end) =
        (asked.contradict(times_us, &ends, step_us), asked.contradict(&starts, times_us, step_us));
    let (slot, many) = match wrong_start.cmp(&wrong_end) {
        std::cmp::Ordering::Equal => return by_order,
        std::cmp::Ordering::Greater => (Slot::End, wrong_end == 0 && wrong_start >= SEVERAL),
        std::cmp::Ordering::Less => (Slot::Start, wrong_start == 0 && wrong_end >= SEVERAL),
    };
    (slot, many || by_order == (slot, true))
}

/// The same, by what overlaps alone.
fn which_is_in_order(times_us: &[i64], starts: &[i64], ends: &[i64]) -> (Slot, bool) {
    match (times_us.is_sorted(), starts.is_sorted(), ends.is_sorted()) {
        (false, _, true) => return (Slot::Start, true),
        (false, true, false) => return (Slot::End, true),
        _ => {}
    }
    let (as_start, as_end) = (overlaps(times_us, ends), overlaps(starts, times_us));
    match (as_start, as_end) {
        // Where nothing overlaps, the order is the same either way.
        (0, 0) => (Slot::End, true),
        (0, SEVERAL..) => (Slot::Start, true),
        (SEVERAL.., 0) => (Slot::End, true),
        _ if as_start < as_end => (Slot::Start, false),
        _ => (Slot::End, false),
    }
}

/// How many spans have to overlap in one reading, or requests to contradict it, to speak for the other.
pub(super) const SEVERAL: usize = 2;

/// How many of the spans begin before an earlier one has ended.
pub(super) fn overlaps(starts: &[i64], ends: &[i64]) -> usize {
    let mut spans: Vec<(i64, i64)> = starts.iter().copied().zip(ends.iter().copied()).collect();
    spans.sort_unstable();
    let mut latest = i64::MIN;
    let mut count = 0;
    for (start, end) in spans {
        count += usize::from(start < latest);
        latest = latest.max(end);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handshake, and a call that is cancelled.
    fn asked() -> Asked {
        let bodies = [
            r#"{"id":0,"method":"initialize"}"#,
            r#"{"method":"notifications/initialized"}"#,
            r#"{"method":"notifications/cancelled","params":{"requestId":3}}"#,
            r#"{"id":3,"method":"tools/call"}"#,
        ];
        let values: Vec<Value> = bodies.iter().map(|body| serde_json::json!({ "in": body })).collect();
        Asked::of(&values, &Path(vec!["in".into()]))
    }

    #[test]
    fn a_cancel_and_the_end_of_a_handshake_follow_what_they_are_about() {
        let asked = asked();
        assert_eq!(asked.contradict(&[0, 130, 900, 100], &[118, 134, 904, 1000], 1), 0);
        assert_eq!(asked.contradict(&[118, 134, 904, 1000], &[236, 138, 908, 1900], 1), 2);
        // The clock is too coarse to tell.
        assert_eq!(asked.contradict(&[118, 134, 904, 1000], &[236, 138, 908, 1900], 1000), 0);
        assert_eq!(asked.contradict(&[118], &[236], 1), 0);
    }

    #[test]
    fn what_several_requests_say_is_surer_than_what_overlaps() {
        let asked = asked();
        let long = [118, 4, 4, 900];
        assert_eq!(which(&[118, 134, 904, 1000], &long, 1, &asked), (Slot::End, true));
        assert_eq!(which(&[0, 130, 900, 100], &long, 1, &asked), (Slot::Start, true));
        assert_eq!(which(&[118, 134, 904, 1000], &long, 1, &Asked(Vec::new())), (Slot::Start, false));
    }

    #[test]
    fn a_stream_that_is_open_beside_all_else_says_nothing_of_its_order() {
        let values = [r#"{"id":1,"method":"a"}"#, r#"{"id":2,"method":"b"}"#, r#"{"id":3,"method":"c"}"#, ""];
        let values: Vec<Value> = values.iter().map(|body| serde_json::json!({ "in": body })).collect();
        let asked = Asked::of(&values, &Path(vec!["in".into()]));
        let (ends, long) = ([110, 310, 510, 9000], [10, 10, 10, 9000]);
        assert_eq!(which(&ends, &long, 1, &asked), (Slot::End, true));
        assert_eq!(which(&ends, &long, 1, &Asked(Vec::new())), (Slot::Start, true));
    }
}
