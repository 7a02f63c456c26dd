//! `rpctape rules`: the list of rules.

use clap::{Args, ValueEnum};
use rpctape::error::Result;
use rpctape::report::catalogue;
use rpctape::rules::RULES;

use super::io::{Out, written};
use super::screen::ScreenArgs;

/// List the rules: code, name, severity, and what each finds
#[derive(Args, Debug)]
pub struct RulesArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    screen: ScreenArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Table,
    /// One JSON document, with severity and clause in every protocol revision
    Json,
}

/// Prints the list.
pub fn run(args: &RulesArgs) -> Result<u8> {
    let mut out = Out::open(None, &[])?;
    written(match args.format {
        Format::Table => catalogue::write_human(&mut out, RULES, &args.screen.style(false, true)),
        Format::Json => catalogue::write_json(&mut out, RULES),
    })?;
    out.close()?;
    Ok(0)
}
