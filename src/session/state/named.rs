//! Requests that the log does not have, as far as messages name them: their issuer cancels them, the other side answers them or tells of
//! their progress. What both sides name, each by itself, was sent.

use super::issued::Issued;
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

/// A request that the log does not have, and the first message of each side that names it.
#[derive(Clone, Copy, Default)]
pub(in crate::session) struct Named {
    cancel: Option<FrameId>,
    reply: Option<FrameId>,
}

impl Named {
    fn by(&mut self, naming: Naming) {
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

impl Issued {
    /// Notes that a message names a request of this side that the log does not have.
    pub(in crate::session) fn name(&mut self, id: &Id, naming: Naming) {
        if self.named.len() < NAMED || self.named.contains_key(id) {
            self.named.entry(id.clone()).or_default().by(naming);
        }
    }

    /// Its request stands behind what names it: the log has it after all.
    pub(in crate::session) fn find(&mut self, id: &Id) {
        if let Some(named) = self.named.held() {
            named.remove(id);
        }
    }

    /// True if both sides name such a request, neither of them after the other: it was sent.
    pub(in crate::session) fn named_by_both(&self) -> bool {
        self.named.values().any(|named| named.cancel.is_some() && named.unprompted())
    }

    /// True if the other side names such a request: it has made it up, or the log has lost it.
    pub(in crate::session) fn named_by_peer(&self) -> bool {
        self.named.values().any(Named::unprompted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(all: &[(i64, Naming)]) -> (bool, bool) {
        let mut issued = Issued::default();
        all.iter().for_each(|(id, naming)| issued.name(&Id::Int(*id), *naming));
        (issued.named_by_both(), issued.named_by_peer())
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
        let mut issued = Issued::default();
        issued.find(&Id::Int(1));
        [Naming::Cancel(5), Naming::UNPROMPTED].iter().for_each(|naming| issued.name(&Id::Int(1), *naming));
        issued.find(&Id::Int(1));
        assert!(!issued.named_by_both() && !issued.named_by_peer());
    }

    #[test]
    fn no_more_than_some_are_remembered() {
        let mut issued = Issued::default();
        (0..2 * NAMED as i64).for_each(|id| issued.name(&Id::Int(id), Naming::UNPROMPTED));
        assert_eq!(issued.named.len(), NAMED);
        issued.name(&Id::Int(0), Naming::Cancel(9));
        assert!(issued.named_by_both(), "one that is remembered");
    }
}
