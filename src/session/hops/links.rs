//! Which request of a hop asks on behalf of which one of the hop above.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Call;

/// How much later than usual a request or cancel may be passed on before anything is concluded from it, at least.
const SLACK_US: i64 = 100_000;

/// How many requests must be plainly the same at both hops before their clocks are compared.
const SAMPLES: usize = 3;

/// Why it is not sure that a request serves the other one.
pub(super) const ALIKE: &str = "several equal requests were open at the hop above";
pub(super) const STRANGERS: &str = "requests of this method pass the lower hop that none above explains";
pub(super) const SHARED: &str = "an equal request above has none of its own, and may have been served by the same";
pub(super) const FEW: &str = "too few requests are the same at both hops to compare their clocks";

/// A request of the lower hop, and the one above that it serves; by their places in the list of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub upper: usize,
    pub lower: usize,
    /// Why it is not sure.
    pub doubt: Option<&'static str>,
}

/// How times of the lower hop compare to those of the upper one, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clocks {
    /// A request is seen so much later at the lower hop, in the middle: its way and the difference of the clocks together.
    pub later_us: i64,
    /// Twice what that varies by, at least a tenth of a second. What comes later by more was not on its way.
    pub slack_us: i64,
}

impl Clocks {
    /// How long after a moment of the upper hop a moment of the lower one is, the usual way from hop to hop taken off.
    pub fn since(&self, upper_us: i64, lower_us: i64) -> i64 {
        lower_us - self.later_us - upper_us
    }

    /// From the requests that are plainly the same at both hops. How slow the way may be is told by those that nobody cancelled: of
    /// the others it is asked. A few that are slower than all the rest may be another's (1 in 100).
    fn of(calls: &[Call], groups: &[Group]) -> Option<Clocks> {
        let plain = groups.iter().flat_map(|group| group.plain(calls));
        let plain = plain.filter(|(upper, lower)| !upper.may_be_given_up() && upper.content.fits(&lower.content));
        let mut later: Vec<i64> = plain.map(|(upper, lower)| lower.sent_us - upper.sent_us).collect();
        let later_us = ranked(&mut later, 50)?;
        let mut off: Vec<i64> = later.iter().map(|us| (us - later_us).abs()).collect();
        let slack_us = ranked(&mut off, 99)?.saturating_mul(2).max(SLACK_US);
        (later.len() >= SAMPLES).then_some(Clocks { later_us, slack_us })
    }
}

/// The value that so many of a hundred do not exceed.
fn ranked(values: &mut [i64], of_hundred: usize) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() * of_hundred / 100).copied()
}

/// Requests that ask for the same, at both hops, in the order of their times.
#[derive(Default)]
struct Group {
    upper: Vec<usize>,
    lower: Vec<usize>,
}

impl Group {
    /// What is the same at both hops beyond doubt: the only request at each, else the only one of its trace at each.
    fn plain<'c>(&self, calls: &'c [Call]) -> Vec<(&'c Call, &'c Call)> {
        if let ([upper], [lower]) = (&self.upper[..], &self.lower[..]) {
            return vec![(&calls[*upper], &calls[*lower])];
        }
        let lower = by_trace(calls, &self.lower);
        let pair = |(trace, upper): (&str, Option<&'c Call>)| Some((upper?, lower.get(trace).copied().flatten()?));
        by_trace(calls, &self.upper).into_iter().filter_map(pair).collect()
    }
}

/// The request of each trace, where it has only one.
fn by_trace<'c>(calls: &'c [Call], list: &[usize]) -> BTreeMap<&'c str, Option<&'c Call>> {
    let mut of = BTreeMap::new();
    for call in list.iter().map(|at| &calls[*at]) {
        if let Some(trace) = &call.content.trace {
            of.entry(&**trace).and_modify(|only| *only = None).or_insert(Some(call));
        }
    }
    of
}

/// What could be followed from one hop to the next.
#[derive(Default)]
pub(super) struct Linked {
    pub clocks: Option<Clocks>,
    pub links: Vec<Link>,
}

/// Follows the requests of one hop to the next one.
pub(super) fn linked(calls: &[Call], hop: usize) -> Linked {
    let mut groups: BTreeMap<(&str, [u8; 16]), Group> = BTreeMap::new();
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by_key(|at| calls[*at].sent_us);
    for at in order {
        let call = &calls[at];
        if call.hop == hop || call.hop == hop + 1 {
            let group = groups.entry((&*call.exchange.method, call.content.rest)).or_default();
            if call.hop == hop { &mut group.upper } else { &mut group.lower }.push(at);
        }
    }
    let groups: Vec<Group> = groups.into_values().collect();
    let Some(clocks) = Clocks::of(calls, &groups) else { return Linked::default() };
    let (mut links, mut strangers) = (Vec::new(), Vec::new());
    groups.iter().for_each(|group| in_group(calls, clocks, group, &mut links, &mut strangers));
    for link in &mut links {
        let method = &calls[link.lower].exchange.method;
        let traced = calls[link.lower].content.traced_with(&calls[link.upper].content);
        if !traced && strangers.iter().any(|stranger: &usize| calls[*stranger].exchange.method == *method) {
            link.doubt = link.doubt.or(Some(STRANGERS));
        }
    }
    Linked { clocks: Some(clocks), links }
}

/// How many requests above may be asked again on behalf of at once, those of one content: the others are forgotten.
const FAILED: usize = 8;

/// A request above that may still be asked on behalf of.
struct Open {
    call: usize,
    served: bool,
    /// True while it may be another one, equal to it, that was served in its place.
    unsure: bool,
}

/// A request above that was given up, and the one below that serves it.
struct Failed {
    upper: usize,
    lower: usize,
    /// Why it is not sure.
    doubt: Option<&'static str>,
}

fn in_group(calls: &[Call], clocks: Clocks, group: &Group, links: &mut Vec<Link>, strangers: &mut Vec<usize>) {
    let mut upper = group.upper.iter().copied().peekable();
    let (mut open, mut failed): (Vec<Open>, Vec<Failed>) = (Vec::new(), Vec::new());
    let before = links.len();
    for &lower in &group.lower {
        let at_us = calls[lower].sent_us - clocks.later_us;
        while let Some(call) = upper.next_if(|call| calls[*call].sent_us <= at_us + clocks.slack_us) {
            open.push(Open { call, served: false, unsure: false });
        }
        open.retain(|one| calls[one.call].may_be_served(one.served && !one.unsure, at_us - clocks.slack_us));
        match chosen(calls, &mut open, lower, at_us).or_else(|| asked_again(calls, clocks, &mut failed, lower)) {
            Some(link) => {
                let one = Failed { upper: link.upper, lower, doubt: link.doubt };
                failed.extend(Some(one).filter(|_| calls[lower].has_failed()));
                links.push(link);
            }
            None => strangers.push(lower),
        }
        failed.drain(..failed.len().saturating_sub(FAILED));
    }
    doubt_shared(calls, clocks, group, &mut links[before..]);
}

/// A gateway may answer two equal requests by one of its own: what that one does is then done for the other one, too, if it was at work
/// when the other came.
fn doubt_shared(calls: &[Call], clocks: Clocks, group: &Group, links: &mut [Link]) {
    let served: BTreeSet<usize> = links.iter().map(|link| link.upper).collect();
    let alone: Vec<usize> =
        group.upper.iter().copied().filter(|at| !served.contains(at) && calls[*at].has_result()).collect();
    for link in links {
        let lower = &calls[link.lower];
        let (from, to) = (lower.sent_us - clocks.later_us, lower.answered_us().map(|us| us - clocks.later_us));
        let first = alone.partition_point(|at| calls[*at].sent_us < from - clocks.slack_us);
        let after = alone[first..].iter().map(|at| &calls[*at]);
        let mut within = after.take_while(|call| to.is_none_or(|to| call.sent_us <= to + clocks.slack_us));
        if within.any(|call| call.content.fits(&lower.content)) {
            link.doubt = link.doubt.or(Some(SHARED));
        }
    }
}

/// The one that is given up and whose request below had ended with an error before this one was sent: a gateway tries once more, and
/// where nobody else asks for it, it does so on behalf of that.
fn asked_again(calls: &[Call], clocks: Clocks, failed: &mut Vec<Failed>, lower: usize) -> Option<Link> {
    let call = &calls[lower];
    let again = |one: &&Failed| {
        let ended = calls[one.lower].answered_us().is_some_and(|us| us < call.sent_us);
        let wanted = calls[one.upper].answered_us().is_none_or(|us| clocks.since(us, call.sent_us) <= clocks.slack_us);
        ended && wanted && calls[one.upper].given_up().is_some() && calls[one.upper].content.fits(&call.content)
    };
    let mut fitting = failed.iter().filter(again);
    let Failed { upper, doubt, .. } = *fitting.next()?;
    let doubt = doubt.or(fitting.any(|other| other.upper != upper).then_some(ALIKE));
    failed.retain(|one| one.upper != upper);
    Some(Link { upper, lower, doubt })
}

/// The one that it serves: the oldest that nobody serves yet and that is still wanted, else the best there is.
fn chosen(calls: &[Call], open: &mut [Open], lower: usize, at_us: i64) -> Option<Link> {
    let content = &calls[lower].content;
    let mut fitting: Vec<&mut Open> = open.iter_mut().filter(|one| calls[one.call].content.fits(content)).collect();
    if fitting.iter().any(|one| calls[one.call].content.traced_with(content)) {
        fitting.retain(|one| calls[one.call].content.traced_with(content));
    }
    let doubt = (fitting.len() > 1).then_some(ALIKE);
    let best = fitting.iter_mut().min_by_key(|one| (one.served, calls[one.call].is_given_up_at(at_us)))?;
    best.served = true;
    let upper = best.call;
    // Which of them it is, is known of none until each has one.
    let unsure = fitting.iter().any(|one| !one.served);
    fitting.into_iter().for_each(|one| one.unsure = unsure);
    Some(Link { upper, lower, doubt })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_that_so_many_of_a_hundred_do_not_exceed() {
        let of = |values: &[i64], share| ranked(&mut values.to_vec(), share);
        assert_eq!((of(&[], 50), of(&[7], 50), of(&[7], 99)), (None, Some(7), Some(7)));
        assert_eq!((of(&[3, 1, 2], 50), of(&[4, 3, 2, 1], 50)), (Some(2), Some(3)));
        let hundred: Vec<i64> = (0..100).rev().collect();
        assert_eq!((of(&hundred, 50), of(&hundred, 99)), (Some(50), Some(99)));
        let two_hundred: Vec<i64> = (0..200).collect();
        assert_eq!(of(&two_hundred, 99), Some(198), "one in a hundred may be slower");
    }
}
