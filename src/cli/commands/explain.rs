//! `rpctape explain RULE`: the page of a rule, for a screen or as it stands in the documentation.

use std::io::Write;

use clap::{Args, ValueEnum};
use rpctape::error::Result;
use rpctape::report::{catalogue, escape_block, write_page};
use rpctape::rules::{self, RULES, Rule};

use crate::cli::args::judge::unknown_rule;
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{Out, written};

/// Explain a rule: what it finds, the clause it rests on, examples, and what to do
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Code or name of a rule (CAN010, response-after-cancel), or `all`
    #[arg(value_name = "RULE")]
    rule: String,
    /// How to print the page
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    screen: ScreenArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The page, for a screen
    #[default]
    Text,
    /// The page as it stands in the documentation
    Markdown,
    /// One JSON document: code, name, severity and clause in every revision, and the page
    Json,
}

/// Prints the page, or all pages.
pub fn run(args: &ExplainArgs) -> Result<u8> {
    let all = args.rule.eq_ignore_ascii_case("all");
    let one = if all { None } else { Some(rules::find(&args.rule).ok_or_else(|| unknown_rule(&args.rule))?) };
    let wanted: Vec<&Rule> = one.map_or_else(|| RULES.to_vec(), |rule| vec![rule]);
    let pages = wanted.iter().map(|rule| rule.page.trim_end()).collect::<Vec<_>>().join("\n\n");
    let mut out = Out::open(None, &[])?;
    written(match args.format {
        Format::Text => write_page(&mut out, &pages, args.screen.style(false, false)),
        Format::Markdown => writeln!(out, "{}", escape_block(&pages)),
        Format::Json => catalogue::write_pages(&mut out, &wanted),
    })?;
    out.close()?;
    Ok(0)
}
