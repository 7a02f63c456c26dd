//! Frames that are folded in another order than that in which they are stored have numbers of their own meanwhile.

use crate::session::FrameId;

/// Which numbers frames have in an order of their own, where the number of a frame is its place in time.
#[derive(Default)]
pub(super) struct Numbers {
    /// By their numbers here.
    frames: Vec<Numbered>,
}

struct Numbered {
    own: FrameId,
    known: FrameId,
    /// True if others stand before it here and behind it there, or the other way round.
    moved: bool,
}

impl Numbers {
    /// For frames in their order: the number by which each is known, and how many numbers it takes.
    pub(super) fn of(frames: impl Iterator<Item = (FrameId, u64)>) -> Numbers {
        let (mut next, mut newest) = (1, 0);
        let number = |(known, count): (FrameId, u64)| {
            let own = next;
            (next, newest) = (next + count, newest.max(known));
            Numbered { own, known, moved: known < newest }
        };
        let mut frames: Vec<Numbered> = frames.map(number).collect();
        let mut oldest = FrameId::MAX;
        for frame in frames.iter_mut().rev() {
            frame.moved |= frame.known > oldest;
            oldest = oldest.min(frame.known);
        }
        Numbers { frames }
    }

    /// The numbers that the frames have here.
    pub(super) fn own(&self) -> impl Iterator<Item = FrameId> + '_ {
        self.frames.iter().map(|frame| frame.own)
    }

    /// The number that a frame has everywhere else.
    pub(super) fn known(&self, own: FrameId) -> FrameId {
        self.at(own).map_or(own, |frame| frame.known + (own - frame.own))
    }

    /// True if the frame does not stand between the same frames as everywhere else.
    pub(super) fn is_moved(&self, own: FrameId) -> bool {
        self.at(own).is_some_and(|frame| frame.moved)
    }

    fn at(&self, own: FrameId) -> Option<&Numbered> {
        let behind = self.frames.partition_point(|frame| frame.own <= own);
        self.frames.get(behind.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_the_members_of_batches_are_known_by_their_old_numbers() {
        // A batch of two members stands before what was before it.
        let numbers = Numbers::of([(1, 1), (3, 3), (2, 1), (6, 1)].into_iter());
        assert_eq!(numbers.own().collect::<Vec<_>>(), [1, 2, 5, 6]);
        assert_eq!((1..=6).map(|own| numbers.known(own)).collect::<Vec<_>>(), [1, 3, 4, 5, 2, 6]);
        assert_eq!((1..=6).filter(|own| numbers.is_moved(*own)).collect::<Vec<_>>(), [2, 3, 4, 5]);
    }
}
