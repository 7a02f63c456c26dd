//! Messages without `jsonrpc: "2.0"`: a fault of their sender, or of a logger that drops the member.

use super::detail::CaptureNote;
use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::Defect;

/// How many messages without `jsonrpc` are held back until one has it.
const HELD: usize = 64;

impl Conn {
    /// Messages without `jsonrpc` are held back: where no message has it, the logger dropped it.
    pub(super) fn version(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        if !m.message.defects.has(Defect::JsonrpcMember) {
            if !self.versions.present {
                self.versions.present = true;
                self.release_versions(step);
            }
            return;
        }
        let side = self.side_mut(m.sender);
        side.versions_missing += 1;
        let nth = side.versions_missing;
        if self.versions.present {
            self.emit(step, m.profile, m.seen, Some(m.sender), What::VersionMissing { nth });
        } else if self.versions.held.len() < HELD {
            self.versions.held.push((m.seen, m.sender, nth));
        }
    }

    pub(super) fn release_versions(&mut self, step: &mut Step<'_>) {
        for (seen, sender, nth) in self.versions.held.take_all() {
            self.emit(step, self.facts.profile, seen, Some(sender), What::VersionMissing { nth });
        }
    }

    /// At the end: a member that no message shows was dropped by the logger, or may have been.
    pub(super) fn end_versions(&mut self, step: &mut Step<'_>) {
        if self.versions.present || self.versions.held.is_empty() || self.facts.profile.is_version_one() {
            return;
        }
        self.versions.held.take_all();
        if let Some(first) = self.facts.first {
            let what = What::Capture(CaptureNote::VersionDropped);
            self.emit(step, self.facts.profile, first, None, what);
        }
    }
}
