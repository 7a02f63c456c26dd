//! `rpctape.toml`: what a team has settled on, found beside its project. A flag goes before the file, the file before
//! the default.

mod found;
mod read;
mod replay;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDate};
use rpctape::error::{Error, Result};
use rpctape::output;
use rpctape::policy::{Policy, Suppression};
use rpctape::protocol::Severity;
use rpctape::redact::Custom;

use super::values::FailOn;
pub use found::{FileFound, Uses};
pub use replay::ReplayConfig;

/// The file's usual name, and the hidden one.
pub const NAMES: [&str; 2] = ["rpctape.toml", ".rpctape.toml"];

/// The folder of a project that holds its recordings, and may hold its configuration.
pub const PROJECT: &str = "rpctape";

/// What the file says; `None` and empty where it says nothing.
#[derive(Debug, Default)]
pub struct Config {
    /// The least severity that fails a check.
    pub fail_on: Option<FailOn>,
    /// Rules to run.
    pub select: Option<Vec<String>>,
    /// Rules to leave out.
    pub ignore: Option<Vec<String>>,
    /// True where payloads are to be held against schemas.
    pub schema: bool,
    /// Age of a stuck request, in microseconds.
    pub stuck_after: Option<i64>,
    /// Slack of the race reasoning, in microseconds.
    pub slack: Option<i64>,
    /// Factor on the round trip.
    pub factor: Option<f64>,
    /// Severities of the team's own, by code.
    pub severities: BTreeMap<String, Severity>,
    /// Excuses.
    pub suppressions: Vec<Suppression>,
    /// False where `[redact] set = "off"`.
    pub redact: Option<bool>,
    /// Secrets of the team's own kinds.
    pub secrets: Custom,
    /// What `[replay]` says.
    pub replay: ReplayConfig,
    /// True if `[audit]` says anything.
    pub has_audit: bool,
    /// The same of `[replay]` and the lists below it.
    pub has_replay: bool,
    /// The file, where nobody named it: it was found on the way up from the current directory.
    pub found: Option<FileFound>,
}

impl Config {
    /// The file that was named, or else the first one found on the way up from the current directory: of that one, what it may
    /// settle, and that it does is said.
    pub fn load(named: Option<&Path>, uses: Uses) -> Result<Config> {
        let mut config = Config::read(named)?;
        found::tell(&config.narrow(uses));
        Ok(config)
    }

    fn read(named: Option<&Path>) -> Result<Config> {
        let (folder, path) = match named {
            Some(path) => (None, path.to_path_buf()),
            None => match current_dir().and_then(|directory| find(&directory)) {
                Some((folder, path)) => (Some(folder), path),
                None => return Ok(Config::default()),
            },
        };
        let name = shown(&path);
        let text = output::read_small(&path).map_err(|error| {
            Error::io("read", &name, &error).hint("`rpctape init` writes a configuration with comments")
        })?;
        if named.is_some() {
            output::claim(&path, WHAT)?;
        }
        let mut config = read::config(&text, &name)?;
        config.replay.folder = folder.filter(|folder| current_dir().as_ref() != Some(folder));
        let found = named.is_none().then(|| FileFound { foreign: is_foreign(&path), name });
        Ok(Config { found, ..config })
    }

    /// The policy of the file, as of today.
    pub fn policy(&self) -> Policy {
        Policy::new(self.severities.clone(), self.suppressions.clone(), today())
    }
}

/// What an answer is not written over.
const WHAT: &str = "the configuration";

/// From now on no answer is written over the file that is found on the way up, whether this command reads it or not.
pub fn keep() {
    if let Some((_, path)) = current_dir().and_then(|directory| find(&directory)) {
        // Nothing is written yet that it could be.
        let _ = output::claim(&path, WHAT);
    }
}

/// The nearest file on the way up, and the folder whose it is.
fn find(from: &Path) -> Option<(PathBuf, PathBuf)> {
    let names =
        |directory: &Path| [directory.join(NAMES[0]), directory.join(NAMES[1]), directory.join(PROJECT).join(NAMES[0])];
    let in_folder = |folder: &Path| names(folder).into_iter().find(|path| path.is_file());
    from.ancestors().find_map(|folder| Some((folder.to_path_buf(), in_folder(folder)?)))
}

/// The nearest project folder on the way up that holds recordings: `rpctape/`, or the current folder where it is one.
#[cfg(feature = "live")]
pub fn project(holds: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let here = current_dir()?;
    let inside = here.ancestors().filter(|folder| folder.file_name().is_some_and(|name| name == PROJECT));
    let below = here.ancestors().map(|folder| folder.join(PROJECT));
    let found = inside.map(Path::to_path_buf).chain(below).find(|folder| folder.is_dir() && holds(folder))?;
    Some(PathBuf::from(shown(&found))).map(|path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

/// True if a file belongs to another user, and not to root.
#[cfg(unix)]
fn is_foreign(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = std::fs::metadata(path).map_or(0, |about| about.uid());
    owner != 0 && owner != rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn is_foreign(_: &Path) -> bool {
    false
}

/// A path as the user would write it: relative where the file is below the current directory.
fn shown(path: &Path) -> String {
    let relative = current_dir().and_then(|directory| path.strip_prefix(directory).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| path.to_path_buf()).display().to_string()
}

#[allow(clippy::disallowed_methods)]
fn current_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// The day in UTC: only the command line knows what day it is.
#[allow(clippy::disallowed_methods)]
fn today() -> NaiveDate {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    DateTime::from_timestamp(since.as_secs() as i64, 0).map(|time| time.date_naive()).unwrap_or_default()
}
