//! Requests that the log does not have, as far as messages name them: their issuer cancels them, the other side answers them or tells of
//! their progress. What both sides name, each by itself, was sent.

use rustc_hash::FxHashMap;

use super::rare::Empty;
use crate::jsonrpc::Id;
use crate::session::seen::FrameId;

/// How many of them are remembered for a side.
const NAMED: usize = 1024;

/// How a message names a request that the log does not have.
#[derive(Clone, Copy)]
pub(in crate::session) enum Naming {
    /// Its issuer cancels it, with this frame.
    Cancel(FrameId),
    /// The other side answers it, or tells of its progress. A cancel before this frame may be what it speaks of instead.
    Reply(FrameId),
}

impl Naming {
    /// What no cancel brings about, wherever one stands.
    pub(in crate::session) const UNPROMPTED: Naming = Naming::Reply(0);
    /// What any cancel may have brought about, wherever it stands.
    pub(in crate::session) const PROMPTED: Naming = Naming::Reply(FrameId::MAX);
}

/// The first message of each side that names such a request.
#[derive(Clone, Copy, Default)]
struct First {
    cancel: Option<FrameId>,
    reply: Option<FrameId>,
}

impl First {
    fn note(&mut self, naming: Naming) {
        let (first, frame) = match naming {
            Naming::Cancel(frame) => (&mut self.cancel, frame),
            Naming::Reply(frame) => (&mut self.reply, frame),
        };
        *first = Some(first.map_or(frame, |known| known.min(frame)));
    }

    /// True if the other side names it, and not because it was cancelled.
    fn unprompted(&self) -> bool {
        self.reply.is_some_and(|reply| self.cancel.is_none_or(|cancel| reply < cancel))
    }
}

/// The requests of one side that messages name and the log does not have.
pub(in crate::session) struct Named(FxHashMap<Id, First>);

impl Empty for Named {
    const NEW: Self = Named(Empty::NEW);
    const EMPTY: &'static Self = &Self::NEW;
}

impl Named {
    /// Notes that a message names such a request.
    pub(in crate::session) fn note(&mut self, id: &Id, naming: Naming) {
        if self.0.len() < NAMED || self.0.contains_key(id) {
            self.0.entry(id.clone()).or_default().note(naming);
        }
    }

    /// Its request stands behind what names it: the log has it after all.
    pub(in crate::session) fn find(&mut self, id: &Id) {
        self.0.remove(id);
    }

    /// True if both sides name such a request, neither of them after the other: it was sent.
    pub(in crate::session) fn by_both(&self) -> bool {
        self.0.values().any(|first| first.cancel.is_some() && first.unprompted())
    }

    /// The ids of those that the other side names.
    pub(in crate::session) fn ids_by_peer(&self) -> impl Iterator<Item = &Id> {
        self.0.iter().filter(|(_, first)| first.unprompted()).map(|(id, _)| id)
    }

    /// True if the other side names such a request: it has made it up, or the log has lost it.
    pub(in crate::session) fn by_peer(&self) -> bool {
        self.ids_by_peer().next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(all: &[(i64, Naming)]) -> (bool, bool) {
        let mut named = Named::NEW;
        all.iter().for_each(|(id, naming)| named.note(&Id::Int(*id), *naming));
        (named.by_both(), named.by_peer())
    }

    #[test]
    fn what_both_sides_name_by_themselves_was_sent() {
        use Naming::{Cancel, Reply};
        assert_eq!(named(&[(1, Reply(5)), (1, Cancel(6))]), (true, true));
        assert_eq!(named(&[(1, Cancel(6)), (1, Reply(5))]), (true, true), "read in another order");
        assert_eq!(named(&[(1, Cancel(5)), (1, Reply(6))]), (false, false), "it may be about the cancel");
        assert_eq!(named(&[(1, Cancel(5)), (1, Reply(6)), (1, Cancel(7))]), (false, false), "the first of them");
        assert_eq!(named(&[(1, Cancel(5)), (1, Naming::UNPROMPTED)]), (true, true), "what no cancel brings about");
        assert_eq!(named(&[(1, Naming::PROMPTED), (1, Cancel(5))]), (false, false));
    }

    #[test]
    fn what_one_side_names_it_may_have_made_up() {
        use Naming::{Cancel, Reply};
        assert_eq!(named(&[]), (false, false));
        assert_eq!(named(&[(1, Cancel(5)), (2, Cancel(6))]), (false, false));
        assert_eq!(named(&[(1, Reply(5)), (1, Naming::UNPROMPTED)]), (false, true));
        assert_eq!(named(&[(1, Reply(5)), (2, Cancel(6))]), (false, true), "two ids");
    }

    #[test]
    fn what_is_found_behind_them_is_not_lost() {
        let mut named = Named::NEW;
        [Naming::Cancel(5), Naming::UNPROMPTED].iter().for_each(|naming| named.note(&Id::Int(1), *naming));
        assert!(named.by_both());
        named.find(&Id::Int(1));
        assert!(!named.by_both() && !named.by_peer());
    }

    #[test]
    fn ids_that_the_other_side_names_are_told() {
        let mut named = Named::NEW;
        named.note(&Id::Int(1), Naming::UNPROMPTED);
        named.note(&Id::Int(2), Naming::Cancel(5));
        assert_eq!(named.ids_by_peer().collect::<Vec<_>>(), [&Id::Int(1)]);
    }

    #[test]
    fn no_more_than_some_are_remembered() {
        let mut named = Named::NEW;
        (0..2 * NAMED as i64).for_each(|id| named.note(&Id::Int(id), Naming::UNPROMPTED));
        assert_eq!(named.0.len(), NAMED);
        named.note(&Id::Int(0), Naming::Cancel(9));
        assert!(named.by_both(), "one that is remembered");
    }
}
