//! On what terms findings count: flags before the configuration, the configuration before the default.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rpctape::error::{Error, Result};
use rpctape::output;
use rpctape::policy::{Baseline, Policy};
use rpctape::redact::{Redactor, told};
use rpctape::report::Summary;
use rpctape::rules::{self, Selection};

use super::config::{Config, Uses};
use super::judge::JudgeArgs;
use super::values::FailOn;
use crate::cli::screen::io;

/// How many entries that no longer hold are named; the others are counted.
const NAMED: usize = 5;

/// Which findings count although they are there.
#[derive(Args, Clone, Debug, Default)]
pub struct PolicyArgs {
    /// Findings that are known (`rpctape baseline` writes them) are counted, not printed, and fail nothing
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Exit with 1 also where a line of the baseline matches nothing any more
    #[arg(long, requires = "baseline")]
    strict_baseline: bool,
    /// Print also what is suppressed or known, marked as such
    #[arg(long)]
    show_suppressed: bool,
}

/// Whether secrets are replaced in what a command puts out.
#[derive(Args, Clone, Debug, Default)]
pub struct RedactArgs {
    /// Replace what looks like a secret in the output (best effort) [default: default]
    #[arg(long, value_enum, value_name = "SET", help_heading = "Screen")]
    redact: Option<RedactSet>,
}

/// Which secrets are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RedactSet {
    /// Tokens, keys, passwords, and what the configuration adds
    Default,
    /// None
    Off,
}

impl From<Option<RedactSet>> for RedactArgs {
    fn from(redact: Option<RedactSet>) -> RedactArgs {
        RedactArgs { redact }
    }
}

impl RedactArgs {
    /// What replaces secrets, unless that is off.
    pub fn redactor(&self, config: &Config) -> Option<Redactor> {
        let on = self.redact.map_or(config.redact.unwrap_or(true), |set| set == RedactSet::Default);
        on.then(|| Redactor::new(&config.secrets))
    }
}

impl RedactArgs {
    /// A recording that is handed on, without its secrets unless that is off; and what is said about it.
    pub fn handed_on(&self, text: String) -> Result<(String, Option<String>)> {
        let Some(mut redactor) = self.redactor(&Config::load(None, Uses::Scrubbing)?) else { return Ok((text, None)) };
        let clean: String = text.split_inclusive('\n').map(|line| redactor.text(line).into_owned()).collect();
        let said = format!("replaced {}; best effort, read it before you share it", told(redactor.counts()));
        Ok((clean, Some(said)))
    }
}

/// The terms of one run.
pub struct Terms {
    /// Rules that were asked for.
    pub selection: Selection,
    /// What was agreed on.
    pub policy: Policy,
    /// What fails the run.
    pub fail_on: FailOn,
    /// True to print also what does not count.
    pub show_suppressed: bool,
    /// Age from which an open request is stuck, in microseconds.
    pub stuck_after_us: i64,
    /// True if a stale baseline fails the run.
    strict: bool,
}

impl Terms {
    /// Reads what the flags and the configuration name.
    pub fn new(args: &PolicyArgs, fail_on: Option<FailOn>, judge: &JudgeArgs, config: &Config) -> Result<Terms> {
        let policy = match &args.baseline {
            Some(path) => {
                output::claim(path, "the baseline")?;
                config.policy().with_baseline(baseline(path)?)
            }
            None => config.policy(),
        };
        Ok(Terms {
            selection: judge.selection()?,
            policy,
            fail_on: fail_on.or(config.fail_on).unwrap_or_default(),
            show_suppressed: args.show_suppressed,
            stuck_after_us: judge.settings().stuck_after_us,
            strict: args.strict_baseline,
        })
    }

    /// Says what no longer holds. `whole` is false where only a part of the findings was looked at.
    pub fn close(self, whole: bool, summary: &mut Summary) {
        let selection = self.selection;
        let taken = |rule: &str| whole && rules::find(rule).is_none_or(|rule| selection.takes(rule));
        let left = self.policy.leftovers(taken);
        summary.expired = left.expired.len() as u64;
        summary.stale = left.stale.len() as u64;
        for excuse in &left.expired {
            let text = format!("{}: the suppression of {} ended on {}", excuse.place, excuse.rule, excuse.until);
            io::say(&format!("warning: {}", text));
        }
        for entry in left.stale.iter().take(NAMED) {
            let about = [entry.method.as_deref(), entry.name.as_deref()].into_iter().flatten();
            let about: String = about.map(|word| format!(" {word}")).collect();
            let text = format!("stale in the baseline: {}{about} ({}) matches nothing", entry.rule, entry.fp);
            io::say(&format!("warning: {}", text));
        }
        if left.stale.len() > NAMED {
            io::say(&format!("warning: and {} more", left.stale.len() - NAMED));
        }
        if self.strict && summary.stale > 0 {
            summary.exit = summary.exit.max(1);
        }
    }
}

/// A baseline from its file.
pub fn baseline(path: &Path) -> Result<Baseline> {
    let name = path.display().to_string();
    let text = output::read_small(path).map_err(|error| {
        Error::io("read", &name, &error).hint("`rpctape baseline LOG -o FILE` writes what is known today")
    })?;
    Baseline::read(&text, &name)
}
