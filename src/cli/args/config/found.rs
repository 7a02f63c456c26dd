//! What a file may settle that nobody named: it was found on the way up from the current directory, and whoever can write
//! into a folder above a log could have put it there.
//!
//! It never widens what is sent and never weakens what is redacted, and it is named. Where it is another user's, nothing
//! but secrets that it adds counts: all else could take findings away.

use std::sync::Once;

use rpctape::redact::Custom;
use rpctape::report::shell;

use super::Config;
use crate::cli::screen::io;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFound {
    /// Its name, as the user would write it.
    pub name: String,
    /// True if it is another user's, and not root's.
    pub foreign: bool,
}

/// What a command goes by, of all that a configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uses {
    /// What is judged, what fails, and what is redacted.
    Judging,
    /// When a request is stuck and what may have crossed, and what is redacted.
    Bounds,
    /// What is redacted.
    Showing,
    /// Which secrets there are beside the usual ones; whether they are replaced is asked elsewhere.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only peers are recorded and probed"))]
    Secrets,
    /// The same, where `--config` names a file.
    Scrubbing,
    /// What is judged, and what is redacted, where no flag names a file.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only peers are recorded and probed"))]
    Auditing,
    /// What is compared, judged and redacted.
    Comparing,
    /// The same, and what is sent and to whom.
    Playing,
}

impl Uses {
    fn judges(self) -> bool {
        matches!(self, Uses::Judging | Uses::Auditing | Uses::Comparing | Uses::Playing)
    }

    fn compares(self) -> bool {
        matches!(self, Uses::Comparing | Uses::Playing)
    }

    fn hides(self) -> bool {
        !matches!(self, Uses::Secrets | Uses::Scrubbing)
    }

    /// True if there is a `--config`.
    fn can_name(self) -> bool {
        matches!(self, Uses::Judging | Uses::Comparing | Uses::Playing | Uses::Scrubbing)
    }
}

impl Config {
    /// Takes out what a file may not settle that was found, and gives what is to be said of it: nothing where the command does
    /// not go by anything in it.
    pub(super) fn narrow(&mut self, uses: Uses) -> Vec<String> {
        let Some(FileFound { name, foreign }) = self.found.clone() else { return Vec::new() };
        let naming = match uses.can_name() {
            true => format!(": {} names it", shell::words(["--config", name.as_str()])),
            false => String::new(),
        };
        let mut said = Vec::new();
        if self.redact == Some(false) {
            self.redact = None;
            if uses.hides() {
                let how = if uses.can_name() { naming.as_str() } else { "; --redact off says it" };
                said.push(format!("its [redact] set is not used, because it was found and not named{how}"));
            }
        }
        if foreign {
            let left = self.disown(uses);
            if !left.is_empty() {
                said.push(format!("its {left} not used, because the file belongs to another user{naming}"));
            }
        }
        if !std::mem::take(&mut self.replay.allow).is_empty() && uses == Uses::Playing {
            said.push(format!("its [replay] allow is not used, because it was found and not named{naming}"));
        }
        if !said.is_empty() || self.settles(uses) {
            said.insert(0, format!("settings are those of {name}"));
        }
        said
    }

    /// Nothing of another user's file counts but the secrets that it adds. Gives the parts that the command would go by.
    fn disown(&mut self, uses: Uses) -> String {
        let parts = [
            (self.has_audit && (uses.judges() || self.has_bounds() && uses == Uses::Bounds), "[audit]"),
            (!self.suppressions.is_empty() && uses == Uses::Judging, "[[suppress]]"),
            (self.has_replay && uses.compares(), "[replay]"),
        ];
        let left: Vec<&str> = parts.into_iter().filter_map(|(used, part)| used.then_some(part)).collect();
        let (found, secrets) = (self.found.take(), std::mem::take(&mut self.secrets));
        *self = Config { found, secrets, ..Config::default() };
        match left.len() {
            0 => String::new(),
            1 => format!("{} is", left[0]),
            _ => format!("{} are", left.join(", ")),
        }
    }

    fn has_bounds(&self) -> bool {
        self.stuck_after.is_some() || self.slack.is_some() || self.factor.is_some()
    }

    /// True if a command goes by anything that the file says.
    fn settles(&self, uses: Uses) -> bool {
        self.secrets != Custom::default()
            || self.has_audit && uses.judges()
            || self.has_bounds() && uses == Uses::Bounds
            || !self.suppressions.is_empty() && uses == Uses::Judging
            || self.has_replay && uses.compares()
    }
}

/// Says it, once in a run: some commands read the settings more than once.
pub(super) fn tell(said: &[String]) {
    static TOLD: Once = Once::new();
    if !said.is_empty() {
        TOLD.call_once(|| said.iter().for_each(|line| io::say(&format!("note: {}", line))));
    }
}
