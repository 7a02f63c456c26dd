//! Verdicts: a recording held against what a live peer did with it.
//!
//! `judge` for a run, `diff` for two recordings; both make a [`RunReport`]. The verdict on one exchange is in `exchange`, findings that are new
//! or gone in `faults`, how the server ended in `server_end`, whether it takes longer in `slower`, the verdict on the run in `run`.

mod answer;
mod cancelled;
mod diff;
mod echoes;
mod exchange;
mod faults;
mod loose;
mod lost;
mod pairing;
mod run;
mod server_end;
mod slower;
#[cfg(test)]
mod tests;
mod words;

pub use diff::diff;
pub use faults::is_fault_of;

use super::options::Options;
use super::recording::Recording;
use super::run::RunLog;
use super::verdict::RunReport;

/// What the report says about the run besides its verdicts.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The live side (`stdio: node build/index.js`).
    pub target: String,
    /// The pace in words.
    pub speed: String,
    /// When it started, microseconds since the epoch.
    pub started_us: Option<i64>,
    /// How long it took.
    pub wall_us: Option<i64>,
    /// Where the live session was written.
    pub live_session: Option<String>,
}

/// Judges a run. `logs` and `live.connections` stand in the order of `recorded.connections`; a connection of `live` may be missing, and
/// then nothing is said about violations.
pub fn judge(recorded: &Recording, live: &Recording, logs: &[RunLog], options: &Options, about: &About) -> RunReport {
    let connections = recorded.connections.iter().zip(logs).enumerate();
    let pairs = connections.map(|(index, (connection, log))| {
        let twin = live.connections.get(index);
        (twin.map(|_| index), pairing::by_id(connection, log, twin))
    });
    let sides = run::Sides { recorded, live, logs, pairs: pairs.collect(), asked_anew: Vec::new(), is_diff: false };
    run::report(&sides, options, about)
}
