//! The commands, one file each, and what they share: where they print, how they read logs, how they stop.
//!
//! Only this part of the program prints, reads the environment and looks at a clock (for the progress bar).

pub mod accept;
pub mod audit;
pub mod baseline;
pub mod check;
pub mod completions;
#[cfg(feature = "live")]
pub mod conform;
pub mod diff;
pub mod explain;
pub mod export;
pub mod extract;
pub mod facts;
pub mod formats;
pub mod ingest;
pub mod init;
pub mod ls;
pub mod man;
#[cfg(feature = "live")]
pub mod mcp;
pub mod merge;
#[cfg(feature = "live")]
pub mod mock;
pub mod open;
pub mod query;
#[cfg(feature = "live")]
pub mod record;
#[cfg(feature = "live")]
pub mod replay;
pub mod rules;
pub mod schema;
pub mod scrub;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod tail;
pub mod verify;
pub mod why;
#[cfg(feature = "live")]
pub mod wrap;

mod case;
mod collector;
mod comparing;
mod config;
mod connection;
mod drawing;
mod input;
mod io;
mod judge;
mod moment;
mod page;
mod parts;
mod preface;
mod progress;
mod reports;
mod request_name;
mod run_reports;
mod screen;
mod signals;
mod telemetry;
mod terms;
mod values;

pub use input::name as source_name;

use std::process::ExitCode;

use rpctape::error::{ErrorKind, Result};
use rpctape::report::shell;
use signals::Stop;

/// Runs a command and turns what came of it into an exit code.
pub fn main(command: impl FnOnce(&Stop) -> Result<u8>) -> ExitCode {
    let stop = match Stop::listen() {
        Ok(stop) => stop,
        Err(error) => {
            io::say(&format!("error: cannot listen for signals: {error}"));
            return ExitCode::from(2);
        }
    };
    config::keep();
    let code = match command(&stop) {
        Ok(code) => code,
        // Whoever pressed Ctrl-C knows.
        Err(error) if error.kind == ErrorKind::Interrupted && stop.exit_code().is_some() => 2,
        Err(error) => {
            io::complain(&error);
            2
        }
    };
    for log in rpctape::store::gone_logs() {
        let log = rpctape::report::escape(&log).into_owned();
        io::say(&format!(
            "warning: payloads stand in {log}, which is not there any more or was changed: they are left out"
        ));
    }
    ExitCode::from(stop.exit_code().unwrap_or(code))
}
