//! The command line, from the top down: `commands`, one file each; `content`, what of a store several of them show; `args`, the flags
//! that they share and what becomes of them; `screen`, where they print; `signals`, how they stop. Imports go downward only.
//!
//! Only this part of the program prints, reads the environment and looks at a clock (for the progress bar).

pub mod commands;

mod args;
mod content;
mod screen;
mod signals;

pub use args::input::name as source_name;
pub use args::usage::parse;

use std::process::ExitCode;

use rpctape::error::{ErrorKind, Result};
use screen::io;
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
    args::config::keep();
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
        io::say(&format!(
            "warning: payloads stand in {log}, which is not there any more or was changed: they are left out"
        ));
    }
    ExitCode::from(stop.exit_code().unwrap_or(code))
}
