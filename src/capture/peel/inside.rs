//! What is in a wrapper: the format of a sample without it.
//!
//! Any format of the list may be there, wrappers too. The list is given to a wrapper where it is made, so that the list
//! knows the wrappers and no wrapper the list.

use super::DEPTH;
use crate::capture::format::{Format, Match, Reader};
use crate::capture::sample::Sample;

/// Asks every format whether a text is in it, in the order in which they are listed.
pub(in crate::capture) type Ask = fn(&Sample) -> Vec<(&'static dyn Format, Match)>;

/// Asks every format for the members by which objects in a text are records of it.
pub(in crate::capture) type AskMembers = fn(&Sample) -> Vec<&'static [String]>;

/// Finds what is inside.
#[derive(Clone, Copy)]
pub(crate) struct Inside(pub(in crate::capture) Ask, pub(in crate::capture) AskMembers);

impl Inside {
    /// The members by which objects in a text are records of known emitters.
    pub(super) fn members(self, sample: &Sample) -> Vec<&'static [String]> {
        (self.1)(sample)
    }

    /// The format of a peeled sample, and why; one that reads lines.
    pub(super) fn of(self, peeled: &Sample) -> Option<(&'static dyn Format, Match)> {
        if peeled.depth > DEPTH {
            return None;
        }
        let reads_lines = |format: &dyn Format| matches!(format.reader(peeled), Reader::Lines(_) | Reader::Ordered(_));
        let by_line = (self.0)(peeled).into_iter().filter(|(format, _)| reads_lines(*format));
        by_line.fold(None, |best: Option<(&'static dyn Format, Match)>, next| match best {
            Some(best) if best.1.score >= next.1.score => Some(best),
            _ => Some(next),
        })
    }

    /// The name of a wrapper with what is inside.
    pub(super) fn chain(self, name: &str, peeled: &Sample) -> String {
        match self.of(peeled) {
            Some((format, _)) => format!("{name} > {}", format.chain(peeled)),
            None => name.to_string(),
        }
    }
}
