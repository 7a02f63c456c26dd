//! How the report of a run is printed, and the reports that are written beside it: `replay` and `diff` have these flags.

#[cfg(feature = "live")]
use std::path::Path;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use rpctape::error::{Error, Result};
use rpctape::output::{self, Folder};
use rpctape::redact::Redactor;
use rpctape::replay::RunReport;
use rpctape::report::Style;
use rpctape::report::replay::{RUN_KINDS, RunKind, document, lines, redacted, screen};
#[cfg(feature = "live")]
use rpctape::report::replay::{Suite, suite_document, suite_lines, suite_screen};

use super::input;
use super::wanted::{Wanted, apart, take_stdout};
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{Out, written};

/// How the answer is printed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report")]
pub struct RunReportArgs {
    /// How to print the verdicts
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a report besides: junit, md, jsonl or html; may be given several times. With `-` as the file it takes the place of
    /// the answer on standard output
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = input::name().try_map(|text| wanted(&text)))]
    reports: Vec<Wanted>,
    /// Show also what is the same
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table, the differences, and the verdict of the run
    #[default]
    Full,
    /// One JSON document
    Json,
    /// One JSON object a line, the last one a summary
    Jsonl,
}

fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    Wanted::read(text, RUN_KINDS.iter().map(|kind| kind.name))
}

/// The ways out of one run, opened before it begins: that a file cannot be written is known in time.
pub struct RunReports {
    answer: Option<Out>,
    beside: Vec<(&'static RunKind, Out)>,
    format: Format,
    verbose: bool,
    /// CI has reports in folders of their own, and begins without them. The files are closed first.
    _folders: Vec<Folder>,
}

impl RunReportArgs {
    /// Opens all files; none of them may be an input or another of them.
    pub fn open(&self, inputs: &[String]) -> Result<RunReports> {
        apart(self.output.as_deref(), &self.reports)?;
        let (mut beside, mut folders) = (Vec::new(), Vec::new());
        for report in &self.reports {
            let Some(kind) = RunKind::find(report.kind) else { continue };
            folders.extend(report.path().map(Folder::of_file).transpose()?.flatten());
            beside.push((kind, Out::open(report.path(), inputs)?));
        }
        let silent = take_stdout(&self.reports) && self.output.is_none();
        let answer = if silent { None } else { Some(Out::open(self.output.as_deref(), inputs)?) };
        Ok(RunReports { answer, beside, format: self.format, verbose: self.verbose, _folders: folders })
    }

    /// True if anything comes out at standard output.
    #[cfg(feature = "live")]
    pub fn takes_stdout(&self) -> bool {
        self.output.is_none() || take_stdout(&self.reports)
    }

    /// All files that are written.
    #[cfg(feature = "live")]
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.output.as_deref().into_iter().chain(self.reports.iter().filter_map(Wanted::path))
    }

    /// The first file that a report goes to.
    #[cfg(feature = "live")]
    pub fn first_file(&self) -> Option<&Path> {
        self.reports.iter().find_map(Wanted::path)
    }

    /// True if verdicts are wanted elsewhere than on the screen.
    #[cfg(feature = "live")]
    pub fn wants_verdicts(&self) -> bool {
        self.is_json() || self.output.is_some() || !self.reports.is_empty()
    }

    /// True if the answer is for programs.
    #[cfg(feature = "live")]
    pub fn is_json(&self) -> bool {
        self.format != Format::Full
    }
}

fn fault(error: std::io::Error) -> Error {
    output::failed("the report", error)
}

impl RunReports {
    /// Writes all of them.
    pub fn write(self, report: &RunReport, redactor: Option<Redactor>, args: &ScreenArgs) -> Result<()> {
        let clean = redactor.map(|mut redactor| redacted(report, &mut redactor));
        let report = clean.as_ref().unwrap_or(report);
        let verbose = self.verbose;
        let answer = |format: Format, style: &Style| {
            Ok(match format {
                Format::Full => report.ahead.clone() + &screen(report, style, verbose, &report.next),
                Format::Json => document(report)?,
                Format::Jsonl => report.ahead_lines.clone() + &lines(report)?,
            })
        };
        self.each(args, answer, |kind| (kind.write)(report))
    }

    /// Writes all of them for several runs.
    #[cfg(feature = "live")]
    pub fn write_suite(self, suite: &Suite<'_>, redactor: Option<Redactor>, args: &ScreenArgs) -> Result<()> {
        let clean: Option<Vec<RunReport>> =
            redactor.map(|mut redactor| suite.runs.iter().map(|run| redacted(run, &mut redactor)).collect());
        let suite = Suite { runs: clean.as_deref().unwrap_or(suite.runs), ..*suite };
        let verbose = self.verbose;
        let answer = |format: Format, style: &Style| {
            Ok(match format {
                Format::Full => suite_screen(&suite, style, verbose),
                Format::Json => suite_document(&suite)?,
                Format::Jsonl => suite_lines(&suite)?,
            })
        };
        self.each(args, answer, |kind| (kind.suite)(&suite))
    }

    /// Writes the reports beside an answer of another kind, which is printed as it is: without secrets by now.
    #[cfg(feature = "live")]
    pub fn write_beside(self, text: &str, report: &RunReport, redactor: Option<Redactor>) -> Result<()> {
        let clean = redactor.map(|mut redactor| redacted(report, &mut redactor));
        let report = clean.as_ref().unwrap_or(report);
        self.each(&ScreenArgs::default(), |_, _| Ok(text.to_string()), |kind| (kind.write)(report))
    }

    /// Writes the files beside the answer for a run that could not be: it has no answer, only an error.
    #[cfg(feature = "live")]
    pub fn write_refusal(mut self, report: &RunReport, redactor: Option<Redactor>) -> Result<()> {
        self.answer = None;
        self.beside.retain(|(_, out)| matches!(out, Out::File(_)));
        let suite = Suite { runs: std::slice::from_ref(report), not_played: 0, stopped: None };
        self.write_suite(&suite, redactor, &ScreenArgs::default())
    }

    fn each(
        self,
        args: &ScreenArgs,
        answer: impl FnOnce(Format, &Style) -> std::io::Result<String>,
        write: impl Fn(&RunKind) -> std::io::Result<String>,
    ) -> Result<()> {
        if let Some(mut out) = self.answer {
            let to_file = matches!(out, Out::File { .. });
            let text = answer(self.format, &args.style(to_file, false)).map_err(fault)?;
            written(std::io::Write::write_all(&mut out, text.as_bytes()))?;
            out.close()?;
        }
        for (kind, mut out) in self.beside {
            let text = write(kind).map_err(fault)?;
            written(std::io::Write::write_all(&mut out, text.as_bytes()))?;
            out.close()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn a_kind_that_does_not_exist_names_the_nearest() {
        assert!(wanted("junit=a=b.xml").is_ok_and(|wanted| wanted.file == std::path::Path::new("a=b.xml")));
        assert!(wanted("junt=x").is_err_and(|text| text.contains("did you mean junit?")));
        assert!(wanted("md").is_err() && wanted("md=").is_err());
    }
}
