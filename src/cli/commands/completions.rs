//! `rpctape completions SHELL`: a completion script, which knows the names of rules, formats and protocols.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, CommandFactory};
use clap_complete::Shell;
use rpctape::capture;
use rpctape::error::Result;
use rpctape::protocol::profiles;
use rpctape::rules::RULES;

use crate::cli::screen::io;

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
    clap_complete::generate(args.shell, &mut named(crate::Cli::command()), "rpctape", &mut script);
    io::print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// A command that names what its arguments may be. They take more than these names (prefixes of rules, files with definitions), so
/// that only the script is told.
fn named(command: Command) -> Command {
    command.mut_args(with_names).mut_subcommands(named)
}

fn with_names(arg: Arg) -> Arg {
    let is_called = |name: &str| arg.get_value_names().is_some_and(|names| names.iter().any(|known| *known == *name));
    let names: Vec<String> = if is_called("RULE") || is_called("RULE,...") {
        RULES.iter().flat_map(|rule| [rule.code, rule.name]).map(String::from).collect()
    } else if is_called("PROTOCOL") || is_called("PROFILE") {
        // A blank would have to be quoted.
        profiles().map(|profile| profile.label().replacen(' ', "/", 1)).collect()
    } else if arg.get_long() == Some("format-in") {
        capture::formats().map(|format| format.name.to_string()).collect()
    } else {
        return arg;
    };
    arg.value_parser(PossibleValuesParser::new(names))
}
