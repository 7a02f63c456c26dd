//! Streams in which two connections stand, and nothing tells them apart.

use super::note::{Act, Notes};
use super::pairing::{Score, by_stream, score};
use crate::capture::plan::{Mixed, Plan};

/// How many contradictions are too many for one client.
const SEVERAL: usize = 3;

/// Looks at each stream for itself: what one of several holds says nothing of the others. `streams` has the number of each note's,
/// `names` how they are called; `apart` where that is what tells connections apart, and not who served them.
pub(super) fn look(
    notes: &Notes,
    order: &[usize],
    (streams, names): (&[u32], &[Option<String>]),
    apart: bool,
    plan: &mut Plan,
) {
    let one = vec![0; notes.list.len()];
    for (stream, order) in by_stream(order, streams) {
        let Some(name) = names.get(stream as usize) else { continue };
        let now = score(&notes.list, &order, &one);
        let greeted = order.iter().any(|at| notes.list[*at].act == Act::Open);
        let two = |greeted: bool| now.two_clients > 0 || may_be_two(now, greeted, apart);
        if two(greeted) {
            let surely = now.two_clients > 0 || many_collide(now);
            plan.mixed.push(Mixed { name: name.clone(), surely, ungreeted: !two(true) });
        }
    }
}

/// True where one client cannot be taken for the reason of what clashes. Where no handshake says that there is one connection,
/// one id that is used again in flight is enough, or answers that came twice beside ids that are used again or, where there
/// are several, beside answers that nobody waits for: they are as well those of another client. So are ids that contradict one
/// another where those of one sender are two counts, those of two makes, one of which is used amid the handshake of the other, and what a
/// second handshake did not end. A log that tells connections
/// apart has one client in each, unless much contradicts that.
fn may_be_two(now: Score, greeted: bool, apart: bool) -> bool {
    // Who is started anew contradicts nothing; what does may be the first one's, which goes on.
    let anew = now.renewals > 0 && now.goes_on > 0;
    let counts = now.two_counts > 0 && now.faults() > 0 || now.two_forms > 0;
    if now.outlived > 0 || !apart && (anew || counts) {
        return true;
    }
    if greeted {
        return many_collide(now);
    }
    now.overlaps > 0 || now.doubles > 0 && now.reused > 0 || now.doubles > 1 && now.stray > 0
}

/// True where ids clash so often that one client is hardly the reason: two that count do, and two that speak by turns all the time.
fn many_collide(now: Score) -> bool {
    let clashes = now.overlaps + now.reused;
    let share = if now.two_counts > 0 { 8 } else { 2 };
    now.overlaps > 0 && clashes >= SEVERAL && clashes * share >= now.pairs
}
