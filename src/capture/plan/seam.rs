//! Where a part of a log begins with records without a time that stand at the end of the part before it.

use std::collections::VecDeque;

/// How many messages at the end of a part are remembered.
const REMEMBERED: usize = 4096;

/// How many messages, at least, an overlap is: fewer may be said again.
const FEWEST: usize = 3;

/// The end of the part before, what was read of this one against it, and its own end.
#[derive(Default)]
pub(super) struct Seam {
    /// Digests of the last messages of the part before.
    before: Vec<u64>,
    /// Which of them is next, while this part says what they say; it begins with the first one.
    next: Option<usize>,
    begun: bool,
    /// True if another part follows this one.
    pub(super) is_followed: bool,
    last: VecDeque<u64>,
}

impl Seam {
    /// What the next part has to know of this one.
    pub(super) fn of_next(self) -> Seam {
        Seam { before: self.last.into(), ..Seam::default() }
    }

    /// Notes a message without a time; true for one of a block that ends the part before and begins this one. Nothing tells whether it
    /// was said twice.
    #[inline]
    pub(super) fn repeats(&mut self, digest: u64) -> bool {
        if self.is_followed {
            self.remember(digest);
        }
        (!self.begun || self.next.is_some()) && self.goes_on(digest)
    }

    fn remember(&mut self, digest: u64) {
        if self.last.len() >= REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(digest);
    }

    #[cold]
    fn goes_on(&mut self, digest: u64) -> bool {
        let at = if self.begun { self.next } else { self.begins_with(digest) };
        self.begun = true;
        let goes_on = at.filter(|at| self.before.get(*at) == Some(&digest));
        self.next = goes_on.map(|at| at + 1);
        goes_on.is_some()
    }

    /// Where the overlap begins: a message that stands once there, so that it is no habit.
    fn begins_with(&self, digest: u64) -> Option<usize> {
        let mut places = self.before.iter().enumerate().filter(|(_, known)| **known == digest).map(|(at, _)| at);
        let only = places.next().filter(|at| self.before.len() - at >= FEWEST);
        only.filter(|_| places.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(before: &[u64], part: &[u64]) -> Vec<bool> {
        let mut first = Seam { is_followed: true, ..Seam::default() };
        assert!(!before.iter().any(|digest| first.repeats(*digest)), "within a part nothing is said of it");
        let mut second = first.of_next();
        part.iter().map(|digest| second.repeats(*digest)).collect()
    }

    #[test]
    fn a_part_begins_with_the_end_of_the_one_before() {
        assert_eq!(repeated(&[1, 2, 3, 4], &[2, 3, 4, 5, 2]), [true, true, true, false, false]);
        assert_eq!(repeated(&[1, 2, 3, 4], &[3, 4, 5]), [false; 3], "two may be said again");
        assert_eq!(repeated(&[1, 2, 1, 2, 1, 2], &[1, 2, 1]), [false; 3], "that is a habit");
        assert_eq!(repeated(&[1, 2, 3, 4], &[5, 2, 3, 4]), [false; 4], "it does not begin so");
    }
}
