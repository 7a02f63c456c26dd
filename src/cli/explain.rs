//! `rpctape explain RULE`: the page of a rule, as it stands in the documentation.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::{catalogue, escape_block};
use rpctape::rules::{self, RULES, Rule};

use super::io::{self, Out, written};
use rpctape::error::nearest;

/// Explain a rule: what it finds, the clause it rests on, examples, and what to do
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Code or name of a rule (CAN010, response-after-cancel), or `all`
    #[arg(value_name = "RULE")]
    rule: String,
    /// How to print the page
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The page, in Markdown
    #[default]
    Markdown,
    /// One JSON document: code, name, severity and clause in every revision, and the page
    Json,
}

/// Prints the page, or all pages.
pub fn run(args: &ExplainArgs) -> Result<u8> {
    if args.format == Format::Json {
        let mut out = Out::open(None, &[])?;
        let all = args.rule.eq_ignore_ascii_case("all");
        let one = if all { None } else { Some(rules::find(&args.rule).ok_or_else(|| unknown(&args.rule))?) };
        let wanted: Vec<&Rule> = one.map_or_else(|| RULES.to_vec(), |rule| vec![rule]);
        written(catalogue::write_pages(&mut out, &wanted))?;
        out.close()?;
        return Ok(0);
    }
    if args.rule.eq_ignore_ascii_case("all") {
        let pages: Vec<&str> = RULES.iter().map(|rule| rule.page.trim_end()).collect();
        io::print(&escape_block(&format!("{}\n", pages.join("\n\n"))))?;
        return Ok(0);
    }
    let rule = rules::find(&args.rule).ok_or_else(|| unknown(&args.rule))?;
    io::print(&escape_block(&format!("{}\n", rule.page.trim_end())))?;
    Ok(0)
}

/// The error for a rule that does not exist.
pub fn unknown(id: &str) -> Error {
    let names = RULES.iter().flat_map(|rule: &&Rule| [rule.code, rule.name]);
    let hint = match nearest(id, names) {
        Some(name) => format!("did you mean {name}? `rpctape rules` lists them all"),
        None => "`rpctape rules` lists them all".to_string(),
    };
    Error::new(ErrorKind::Usage, format!("there is no rule {id}")).hint(hint)
}
