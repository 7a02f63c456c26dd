//! Answers in event streams: they had come when their stream ended, and it may have stayed open behind them. What a client sent in
//! between came before the answer or behind it. Most says the same either way; of the rest it is said that nothing tells.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::order::Placed;
use super::steps::StepKind;
use crate::capture::{Body, body_of};
use crate::protocol::Side;

/// An exchange, between the time at which it can first have been answered and that at which it was.
struct Span<'p, 'a> {
    /// Places of the request and of the answers.
    asked: usize,
    answers: Vec<usize>,
    request: &'p Placed<'a>,
    from_us: i64,
    to_us: i64,
    /// What it calls.
    call: OnceCell<Option<u64>>,
}

impl Span<'_, '_> {
    /// True if it says another thing of a message that its request was in flight.
    fn matters_to(&self, later: &Placed<'_>) -> bool {
        let (own, told) = (&self.request.step.told, &later.step.told);
        self.from_us <= later.step.order_us
            && self.request.stream != later.stream
            && (told.cancels_unnamed
                || told.cancelled().any(|target| own.requests().any(|id| id == target))
                || told.effects().any(|link| own.effects().any(|given| given == link))
                || call(later).is_some_and(|call| *self.call.get_or_init(|| self::call(self.request)) == Some(call)))
    }
}

/// Places of answers, and of their requests, of which it matters when they came within their spans; the steps are in their order.
pub(super) fn amid<'p, 'a: 'p>(steps: impl Iterator<Item = &'p Placed<'a>> + Clone) -> FxHashSet<usize> {
    let mut late: FxHashMap<u32, Vec<(usize, &Placed<'_>)>> = FxHashMap::default();
    for (at, placed) in steps.clone().enumerate().filter(|(_, placed)| placed.step.may_be_earlier()) {
        late.entry(placed.stream).or_default().push((at, placed));
    }
    let mut found = FxHashSet::default();
    if late.is_empty() {
        return found;
    }
    let mut open: FxHashMap<u32, Vec<Span<'_, '_>>> = FxHashMap::default();
    let says = |placed: &&Placed<'_>| placed.step.side == Side::Client && matches!(placed.step.what, StepKind::Text(_));
    for (at, placed) in steps.enumerate().filter(|(_, placed)| says(placed)) {
        let open = open.entry(placed.connection).or_default();
        open.retain(|span| span.to_us >= placed.step.order_us);
        for span in open.iter().filter(|span| span.matters_to(placed)) {
            found.insert(span.asked);
            found.extend(&span.answers);
        }
        open.extend(late.remove(&placed.stream).and_then(|answers| span(at, placed, &answers)));
    }
    // Their requests went before, and what was sent behind those.
    found.extend(late.into_values().flatten().map(|(at, _)| at));
    found
}

fn span<'p, 'a>(asked: usize, request: &'p Placed<'a>, answers: &[(usize, &Placed<'_>)]) -> Option<Span<'p, 'a>> {
    let from_us = answers.iter().filter_map(|(_, placed)| placed.step.since_us).min()?;
    let to_us = answers.iter().map(|(_, placed)| placed.step.order_us).max()?;
    let answers = answers.iter().map(|(at, _)| *at).collect();
    Some(Span { asked, answers, request, from_us, to_us, call: OnceCell::new() })
}

/// Method and parameters of a request as one number.
fn call(placed: &Placed<'_>) -> Option<u64> {
    placed.step.told.requests().next()?;
    let StepKind::Text(text) = &placed.step.what else { return None };
    let Body::Message(captured) = body_of(text) else { return None };
    let mut hasher = FxHasher::default();
    (captured.message.method(), captured.facts.params_hash).hash(&mut hasher);
    Some(hasher.finish())
}
