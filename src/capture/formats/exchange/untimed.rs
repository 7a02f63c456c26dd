//! Answers of which a record does not tell when they came, in a log that tells it of others: the time of a stream's head is not that
//! of its end. Such an answer stands where it can first have come. Most say the same wherever they stand; of the rest it is said
//! which ones nothing tells.

use rustc_hash::{FxHashMap, FxHashSet};

use super::order::Placed;
use super::told::Link;
use crate::protocol::Side;

/// What it matters for when such answers came.
#[derive(Default)]
pub(super) struct Untimed {
    /// Places of those whose requests are cancelled: the cancel may have come before them. Of others it is told when they had come at
    /// the latest (`amid`); those stand here with their requests.
    pub(super) answers: FxHashSet<usize>,
    /// Connections in which more hangs on them: the id or the token of their request is used again, or what was cancelled is not named.
    pub(super) connections: FxHashSet<u32>,
}

/// An answer without a time. Those of a stream that a GET opened are in the care of `order`.
fn is_untimed(placed: &Placed<'_>) -> bool {
    placed.step.side == Side::Server && !placed.step.timed && !placed.adrift && placed.step.told.answers
}

impl Untimed {
    /// Nothing is known of what follows these: anything may hang on them.
    pub(super) fn at_least<'p, 'a: 'p>(steps: impl Iterator<Item = &'p Placed<'a>>) -> Untimed {
        let connections = steps.filter(|placed| is_untimed(placed)).map(|placed| placed.connection).collect();
        Untimed { connections, ..Untimed::default() }
    }

    /// What hangs on those among all the steps of a log.
    pub(super) fn of(steps: &[Placed<'_>]) -> Untimed {
        let mut answered: FxHashMap<(u32, Link), Vec<usize>> = FxHashMap::default();
        let mut concerned: FxHashSet<u32> = FxHashSet::default();
        for (at, placed) in steps.iter().enumerate().filter(|(_, placed)| is_untimed(placed)) {
            concerned.insert(placed.connection);
            for id in placed.step.told.causes() {
                answered.entry((placed.connection, id)).or_default().push(at);
            }
        }
        let mut found = Untimed::default();
        if concerned.is_empty() {
            return found;
        }
        let (mut lent, mut used) = (FxHashSet::default(), FxHashSet::default());
        let asked = || steps.iter().filter(|placed| placed.step.side == Side::Client);
        for Placed { step, connection, .. } in asked() {
            if step.told.requests().any(|id| answered.contains_key(&(*connection, id))) {
                lent.extend(step.told.effects().map(|link| (*connection, link)));
            }
        }
        for Placed { step, connection, .. } in asked() {
            let again = |link: Link| !used.insert((*connection, link)) && lent.contains(&(*connection, link));
            let again = step.told.effects().map(again).fold(false, |any, one| any | one);
            if again || step.told.cancels_unnamed && concerned.contains(connection) {
                found.connections.insert(*connection);
            }
            let cancelled = step.told.cancelled().filter_map(|id| answered.get(&(*connection, id)));
            found.answers.extend(cancelled.flatten());
        }
        found
    }
}
