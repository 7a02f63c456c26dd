//! `rpctape rules`: the list of rules, and the clauses that they rest on.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::protocol::{Profile, profiles};
use rpctape::report::{catalogue, clauses};
use rpctape::rules::RULES;

use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{Out, written};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Table,
    /// One JSON document, with severity and clause in every protocol revision
    Json,
}

/// List the rules: code, name, severity, and what each finds
#[derive(Args, Debug)]
pub struct RulesArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// List the clauses of the specifications instead: word for word, and which rule judges each, or why none can
    #[arg(long)]
    clauses: bool,
    /// Only the clauses of this protocol (`mcp`) or revision (`mcp 2025-11-25`)
    #[arg(long, value_name = "PROFILE", requires = "clauses")]
    profile: Option<String>,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Prints the list.
pub fn run(args: &RulesArgs) -> Result<u8> {
    let profiles = chosen(args.profile.as_deref())?;
    let mut out = Out::open(None, &[])?;
    let style = args.screen.style(false, true);
    written(match (args.clauses, args.format) {
        (false, Format::Table) => catalogue::write_human(&mut out, RULES, &style),
        (false, Format::Json) => catalogue::write_json(&mut out, RULES),
        (true, Format::Table) => clauses::write_human(&mut out, &profiles, &style),
        (true, Format::Json) => clauses::write_json(&mut out, &profiles),
    })?;
    out.close()?;
    Ok(0)
}

/// All revisions, those of one protocol, or one.
fn chosen(name: Option<&str>) -> Result<Vec<&'static Profile>> {
    let Some(name) = name else { return Ok(profiles().collect()) };
    let asked = name.split([' ', '/', ':', '@']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let found: Vec<_> = profiles().filter(|profile| profile.name == asked || profile.label() == asked).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let labels: Vec<String> = profiles().map(Profile::label).collect();
    let hint = match nearest(&asked, labels.iter().map(String::as_str)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there are {}", labels.join(", ")),
    };
    Err(Error::new(ErrorKind::Usage, format!("there is no protocol revision {asked}")).hint(hint))
}
