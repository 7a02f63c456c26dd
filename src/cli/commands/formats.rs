//! `rpctape formats`: what can be read, and what a log was taken for.

use std::io::Write;

use clap::{Args, ValueEnum};
use rpctape::capture::{self, Explanation};
use rpctape::error::Result;
use rpctape::redact::Redactor;
use rpctape::report::{escape, format_list, labelled};
use serde_json::{Value, json};

use crate::cli::args::input;
use crate::cli::args::view::PlainArgs;
use crate::cli::screen::io::{Out, write_json, written};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Table,
    /// One JSON document
    Json,
}

/// List the log formats that can be read, or explain what a log was taken for
#[derive(Args, Debug)]
pub struct FormatsArgs {
    /// Explain what this log was taken for: candidates, lines used and passed over, whose log it is, its clock
    #[arg(long, value_name = "FILE", value_parser = input::name())]
    explain: Option<String>,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    plain: PlainArgs,
}

/// Prints the list, or the explanation.
pub fn run(args: &FormatsArgs) -> Result<u8> {
    let mut out = Out::open(None, &[])?.clean(args.explain.is_some().then(Redactor::default));
    match &args.explain {
        Some(path) => {
            let told = capture::explain(path, &args.plain.read.overrides())?;
            written(match args.format {
                Format::Table => explanation(&mut out, &told, args.plain.screen.style(false, true).wrap_at()),
                Format::Json => write_json(&mut out, &document(&told)),
            })?;
        }
        None => {
            let formats: Vec<(&str, &str, String)> =
                capture::formats().map(|format| (format.name, format.about, format.cannot_prove.join(", "))).collect();
            written(match args.format {
                Format::Table => format_list(&mut out, &formats, &args.plain.screen.style(false, true)),
                Format::Json => write_json(&mut out, &listed(&formats)),
            })?;
        }
    }
    out.close()?;
    Ok(0)
}

fn listed(formats: &[(&str, &str, String)]) -> Value {
    let formats = formats.iter().map(|(name, about, lost)| {
        let lost: Vec<&str> = lost.split(", ").filter(|word| !word.is_empty()).collect();
        json!({ "format": name, "is": about, "cannot_prove": lost })
    });
    json!({ "v": 1, "formats": formats.collect::<Vec<_>>() })
}

fn document(told: &Explanation) -> Value {
    let candidates =
        told.candidates.iter().map(|one| json!({ "format": one.name, "score": one.score, "reason": one.reason }));
    let passed = told.passed.iter().map(|(why, passed)| {
        json!({ "why": why.as_str(), "lines": passed.count, "first": passed.first, "text": passed.text })
    });
    let connections: Vec<&str> = told.channels.iter().filter_map(|channel| channel.name.as_deref()).collect();
    json!({
        "v": 1,
        "format": told.format,
        "reason": told.reason,
        "candidates": candidates.collect::<Vec<_>>(),
        "wrappers": told.wrappers,
        "connections": connections,
        "lines": told.used,
        "messages": told.messages,
        "malformed": told.malformed,
        "passed_over": passed.collect::<Vec<_>>(),
        "vantage": told.vantage.as_str(),
        "vantage_reason": told.vantage_reason,
        "clock": told.clock,
        "cannot_prove": told.cannot_prove,
        "definition": told.definition,
    })
}

fn explanation(out: &mut dyn Write, told: &Explanation, limit: usize) -> std::io::Result<()> {
    let line = |out: &mut dyn Write, label: &str, text: &str| line(out, label, text, limit);
    line(out, "format", &told.format)?;
    line(out, "because", &told.reason)?;
    for (index, candidate) in told.candidates.iter().enumerate() {
        let text = format!("{} ({}): {}", candidate.name, candidate.score, candidate.reason);
        line(out, if index == 0 { "candidates" } else { "" }, &text)?;
    }
    if !told.wrappers.is_empty() {
        line(out, "wrappers", &told.wrappers.join(", "))?;
    }
    line(out, "messages", &messages(told))?;
    for (index, (why, passed)) in told.passed.iter().enumerate() {
        let first: Vec<String> = passed.first.iter().map(u64::to_string).collect();
        let text = passed.text.as_deref().filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
        let text =
            format!("{} {}, first line {}{}", passed.count, why.as_str(), first.join(", "), text.unwrap_or_default());
        line(out, if index == 0 { "passed over" } else { "" }, &text)?;
    }
    line(out, "vantage", &format!("{}: {}", told.vantage.as_str(), told.vantage_reason))?;
    line(out, "clock", &told.clock)?;
    if !told.cannot_prove.is_empty() {
        line(out, "cannot prove", &told.cannot_prove.join(", "))?;
    }
    let names: Vec<&str> = told.channels.iter().filter_map(|channel| channel.name.as_deref()).collect();
    if !names.is_empty() {
        line(out, "connections", &names.join(", "))?;
    }
    match &told.definition {
        Some(text) => {
            line(out, "to keep it", "save what follows as FILE.toml; --format-in FILE.toml then reads such logs")?;
            definition(out, text)
        }
        None => Ok(()),
    }
}

/// What was learned, as a file that can be kept.
fn definition(out: &mut dyn Write, text: &str) -> std::io::Result<()> {
    writeln!(out)?;
    text.lines().try_for_each(|line| writeln!(out, "{}", escape(line)))
}

fn messages(told: &Explanation) -> String {
    let lines = if told.used == 1 { "line" } else { "lines" };
    let mut text = format!("{} from {} {lines}", told.messages, told.used);
    if told.malformed > 0 {
        text.push_str(&format!(", and {} malformed", told.malformed));
    }
    text
}

fn line(out: &mut dyn Write, label: &str, text: &str, limit: usize) -> std::io::Result<()> {
    labelled(&format!("{label:<12}  "), &escape(text), limit).iter().try_for_each(|line| writeln!(out, "{line}"))
}
