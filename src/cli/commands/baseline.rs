//! `rpctape baseline`: today's findings as the known set.

use std::path::{Path, PathBuf};

use clap::Args;
use rpctape::error::Result;
use rpctape::output::{self, Readers};
use rpctape::policy::{BASELINE_FILE, Baseline};
use rpctape::report::plural;
use rpctape::store::{FindingFilter, Keep, Raw};

use super::check::taken;
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms;
use crate::cli::screen::io;
use crate::cli::signals::Stop;
use rpctape::report::shell;

/// Write the findings of today as the known set, for `check --baseline`
///
/// One kind of finding a line, with how often it came; ids, times, lines and file names are not in it, so that it fits a
/// new capture too. Findings that rpctape.toml suppresses are left out; notes of an existing file are kept.
#[derive(Args, Debug)]
pub struct BaselineArgs {
    /// Logs, folders, or one database; `-` is standard input
    #[arg(value_name = "FILE", required = true, value_parser = input::name())]
    files: Vec<String>,
    /// The baseline to write, instead of to standard output; rpctape-baseline.jsonl is its usual name
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Audits and writes the baseline.
pub fn run(args: &BaselineArgs, stop: &Stop) -> Result<u8> {
    if let Some(path) = &args.output {
        io::apart(path, &args.files)?;
    }
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let older = match &args.output {
        Some(path) if path.is_file() => Some(terms::baseline(path)?),
        _ => None,
    };
    let selection = judge.selection()?;
    let loaded = input::load(&args.files, &args.read, &judge, input::To::Passing(Keep::Findings { text: 0 }), stop)?;
    let (mut policy, mut baseline) = (config.policy(), Baseline::default());
    loaded.store.findings(&FindingFilter::default(), Raw::None, |mut finding| {
        if taken(&selection, &finding) && policy.apply(&mut finding).is_none() {
            baseline.add(&finding);
        }
        Ok(())
    })?;
    if let Some(older) = &older {
        baseline.keep_notes(older);
    }
    let text = baseline.to_text()?;
    match &args.output {
        None => io::print(&text)?,
        Some(path) => output::write(path, text.as_bytes(), Readers::Umask)?,
    }
    let (kinds, findings) = baseline.size();
    let told = format!("{} of {}", plural(findings, "finding"), plural(kinds, "kind"));
    io::say(&next(args).map_or(told.clone(), |next| format!("{told}; next: {next}")));
    Ok(0)
}

/// The check that uses it: not where it went to a pipe or nowhere, or to a name that cannot be typed.
fn next(args: &BaselineArgs) -> Option<String> {
    let path = args.output.as_deref().unwrap_or(Path::new(BASELINE_FILE));
    let printed = args.output.is_none();
    let file = path.to_str().filter(|_| printed || path.is_file())?;
    let logs: Vec<String> = args.files.iter().map(|name| shell::file(name)).collect();
    Some(format!("rpctape check --baseline {} {}", shell::file(file), logs.join(" ")))
}
