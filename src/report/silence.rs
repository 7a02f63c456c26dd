//! Why a finding does not count although it was found.

use serde::Serialize;

/// `by` of what the baseline knows.
pub const BASELINE: &str = "baseline";

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Silence {
    /// `suppress` (an entry of the configuration) or `baseline`.
    pub by: &'static str,
    /// The reason or the note that was given.
    pub reason: String,
}

impl Silence {
    /// By an entry of the configuration.
    pub fn suppressed(reason: &str) -> Silence {
        Silence { by: "suppress", reason: reason.to_string() }
    }

    /// By the baseline.
    pub fn baselined(note: &str) -> Silence {
        Silence { by: BASELINE, reason: note.to_string() }
    }

    /// For a screen: `suppressed: vendor bug`, `known`.
    pub fn text(&self) -> String {
        let word = if self.by == BASELINE { "known" } else { "suppressed" };
        if self.reason.is_empty() { word.to_string() } else { format!("{word}: {}", self.reason) }
    }
}
