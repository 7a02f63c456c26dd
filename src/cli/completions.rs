//! `rpctape completions SHELL`: a completion script.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use rpctape::error::Result;

use super::io;

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "rpctape", &mut script);
    io::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
