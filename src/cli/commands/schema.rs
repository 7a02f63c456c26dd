//! `rpctape schema COMMAND`: the JSON schema of what a command prints.

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::report::SCHEMAS;

use crate::cli::screen::io;

/// Print the JSON schema of what a command prints with --format json or jsonl
///
/// A schema holds for the document of --format json and for each line of --format jsonl.
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// The command; without one, those that have a schema are listed
    #[arg(value_name = "COMMAND", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    command: Option<String>,
}

/// Prints the schema.
pub fn run(args: &SchemaArgs) -> Result<u8> {
    let names = || SCHEMAS.iter().map(|(name, _)| *name);
    let Some(wanted) = &args.command else {
        io::print(&names().map(|name| format!("{name}\n")).collect::<String>())?;
        return Ok(0);
    };
    let Some((_, schema)) = SCHEMAS.iter().find(|(name, _)| name == wanted) else {
        let error = Error::new(ErrorKind::Usage, format!("{wanted} prints no JSON that has a schema"));
        let near = nearest(wanted, names());
        return Err(match near {
            Some(near) => error.hint(format!("did you mean {near}? `rpctape schema` lists them all")),
            None => error.hint(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
        });
    };
    io::print(schema)?;
    Ok(0)
}
