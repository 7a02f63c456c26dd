//! What the capture does not show, and what therefore proves nothing against the live side.

use super::exchange::{Case, Opinion};
use crate::capture::Transport;
use crate::protocol::Side;
use crate::replay::recording::{Event, EventKind};
use crate::replay::splice;
use crate::replay::verdict::Verdict;

/// Outcomes that differ from the recorded one.
const OTHERWISE: [Verdict; 3] = [Verdict::Stuck, Verdict::ErrorChanged, Verdict::Changed];

impl Case<'_> {
    /// Why the recording may lack an answer that there was.
    pub(super) fn unseen_answer(&self) -> Option<&'static str> {
        let gap = |event: &Event| event.what == EventKind::Gap;
        if !self.recorded.keeps_answers() {
            return Some("a gap: the capture has no answers of the server");
        }
        let after = &self.recorded.events[self.own().request..];
        if after.iter().any(gap) {
            return Some("the recording has a gap where its answer may have been");
        }
        // As long as the live side gives no answer, too, they are alike.
        let answered = self.live_text().is_some() && !self.is_unpaired();
        let stopped = answered && self.recorded.is_cut_off(self.own());
        stopped.then_some("the recording ends while it is open")
    }

    /// True if the live side could have sent something where nobody listened: over HTTP it may do so on the stream of a GET.
    pub(super) fn nobody_listened(&self) -> bool {
        let get =
            |event: &Event| event.what == EventKind::Http && splice::at(&event.text, "/method") == Some("\"GET\"");
        !self.is_diff && self.live.is_some_and(|live| live.transport == Transport::Http && !live.events.iter().any(get))
    }

    /// Nothing is known of how it ended in the recording.
    pub(super) fn unknown(&self, found: &mut Opinion) {
        if let Some(why) = self.unseen_answer() {
            found.add(Verdict::Unknown, why);
        }
    }

    /// A message of the client that was lost while a request was in flight (its cancel, an answer to what the server asked) may be why
    /// it ended as it did. The live server was not sent it.
    pub(super) fn allow_for_losses(&self, found: &mut Opinion) {
        let other = OTHERWISE.iter().any(|verdict| found.verdicts.contains_key(verdict));
        if other && self.lost_of_client() {
            found.verdicts.retain(|verdict, _| !OTHERWISE.contains(verdict));
            found.add(Verdict::Unknown, "the recording lacks what the client sent meanwhile");
        }
    }

    /// True if the recorder lost something of the client between the request and its answer.
    fn lost_of_client(&self) -> bool {
        let end = self.own().response.unwrap_or(self.recorded.events.len());
        let meanwhile = self.recorded.events.get(self.own().request..end).unwrap_or_default();
        meanwhile.iter().any(|event| event.what == EventKind::Gap && event.side == Some(Side::Client))
    }
}
