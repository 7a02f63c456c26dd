//! Messages of which a filter has taken something out, by what they are about: what such a message said may be what acquits.

use super::missing::{Stretch, Stretches};
use super::seen::FrameId;
use super::state::{Conn, Incoming};
use crate::capture::Why;
use crate::jsonrpc::Kind;
use crate::protocol::{ParamsShape, about};

impl Conn {
    /// A message of which something was taken out.
    pub(super) fn note_taken_out(&mut self, m: &Incoming<'_>) {
        // A request for work that shows its parameters says what it asks for, whatever was taken out of them.
        let unsaid = m.message.kind == Kind::Request && m.facts.shape == ParamsShape::Other;
        let about = about(m.message.method.as_deref(), unsaid);
        let frames = (m.seen.frame, m.seen.frame);
        let stretch =
            Stretch { why: Why::TakenOut, side: Some(m.sender), frames, lines: (m.line, m.line), notifies: false };
        let all = &mut self.facts.taken_out;
        match all.iter_mut().find(|(known, _)| *known == about) {
            Some((_, stretches)) => stretches.note(stretch),
            None => {
                let mut stretches = Stretches::default();
                stretches.note(stretch);
                all.push((about, stretches));
            }
        }
    }

    /// True if something was taken out of this message.
    pub(super) fn is_taken_out(&self, frame: FrameId) -> bool {
        self.facts.taken_out.iter().any(|(_, stretches)| stretches.hole(None, frame, frame).is_some())
    }
}
