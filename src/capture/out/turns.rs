//! In which turn each line is read, of a log whose lines are not read as they stand.

use std::collections::VecDeque;

/// How many lines a reader may hold back.
const HELD: usize = 256;

/// The turns of the lines that were read last.
#[derive(Default)]
pub(super) struct Turns {
    lines: VecDeque<u64>,
    count: u64,
}

impl Turns {
    /// A line is read.
    pub(super) fn read(&mut self, line: u64) {
        if self.lines.back() == Some(&line) {
            return;
        }
        if self.lines.len() == HELD {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
        self.count += 1;
    }

    /// The turn of a line; that of the last one for a line that was not read lately.
    pub(super) fn of(&self, line: u64) -> u64 {
        let back = self.lines.iter().rev().position(|read| *read == line).unwrap_or(0);
        self.count - back as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_turns_in_which_they_are_read() {
        let mut turns = Turns::default();
        (0..1000).rev().for_each(|line| turns.read(line));
        assert_eq!((turns.of(0), turns.of(3), turns.of(999)), (1000, 997, 1000));
    }
}
