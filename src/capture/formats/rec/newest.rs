//! The newest events of a recording, by their numbers.

use std::collections::VecDeque;

/// How many are remembered.
const REMEMBERED: usize = 65_536;

/// When an event was, and how long its line is.
type Seen = (i64, usize);

/// Events whose numbers follow each other.
#[derive(Default)]
pub(super) struct Newest {
    /// The number of the first.
    first: u64,
    events: VecDeque<Seen>,
}

impl Newest {
    /// True for an event that is among them; another one is taken down if its number is the next.
    pub(super) fn knows(&mut self, number: u64, seen: Seen) -> bool {
        let place = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(known) = place.and_then(|at| self.events.get(at)) {
            return *known == seen;
        }
        if place != Some(self.events.len()) {
            // What is missing between them comes no more, or all numbers begin anew.
            self.events.clear();
            self.first = number;
        }
        if self.events.len() == REMEMBERED {
            self.events.pop_front();
            self.first += 1;
        }
        self.events.push_back(seen);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_its_number_time_and_length() {
        let mut newest = Newest::default();
        let news: Vec<bool> = [(1, 0), (2, 5), (3, 9), (2, 5), (2, 6), (3, 9), (9, 9), (2, 5)]
            .map(|(q, t)| newest.knows(q, (t, 1)))
            .into();
        assert_eq!(news, [false, false, false, true, false, true, false, false]);
    }

    #[test]
    fn old_ones_are_forgotten() {
        let mut newest = Newest::default();
        (1..=REMEMBERED as u64 + 1).for_each(|q| assert!(!newest.knows(q, (0, 0))));
        assert!(newest.knows(2, (0, 0)) && !newest.knows(1, (0, 0)));
    }
}
