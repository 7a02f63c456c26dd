//! `--report KIND=FILE`: reports that are written beside the answer, several in one run.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use rpctape::error::Result;
use rpctape::redact::Redactor;
use rpctape::report::{Context, KINDS, Kind, Report, Silence, Summary};
use rpctape::store::FindingRow;

use super::input;
use super::wanted::{Wanted, apart, take_stdout};
use crate::cli::screen::io::{Out, written};

/// Which reports are wanted.
#[derive(Args, Clone, Debug, Default)]
pub struct ReportArgs {
    /// Write a report besides: sarif, junit, github, md, jsonl or html; may be given several times. With `-` as the file it
    /// takes the place of the answer on standard output
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = input::name().try_map(|text| wanted(&text)))]
    reports: Vec<Wanted>,
}

impl ReportArgs {
    /// The one report of a run: a page.
    pub fn page(file: PathBuf) -> ReportArgs {
        ReportArgs { reports: vec![Wanted { kind: "html", file }] }
    }

    /// True if any report is wanted.
    pub fn any(&self) -> bool {
        !self.reports.is_empty()
    }

    /// The files that they go to.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.reports.iter().filter_map(Wanted::path)
    }

    /// True if one of them takes the place of the answer on standard output.
    pub fn take_stdout(&self) -> bool {
        take_stdout(&self.reports)
    }

    /// True if a report is wanted that shows the traffic.
    pub fn shows_traffic(&self) -> bool {
        self.reports.iter().any(|wanted| wanted.kind == "html")
    }
}

fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    Wanted::read(text, KINDS.iter().map(|kind| kind.name))
}

/// A report and its way out.
struct Open {
    report: Box<dyn Report>,
    out: Out,
    /// False once its reader went away.
    is_read: bool,
    /// True if it has those that do not count whether they are asked for or not: to its readers what is left out was mended.
    has_silenced: bool,
}

/// The reports of one run, each with its way out.
pub struct Reports {
    all: Vec<Open>,
}

impl Reports {
    /// Opens all files; none of them may be an input, the answer's file or another report.
    pub fn open(
        args: &ReportArgs,
        context: &Context,
        inputs: &[String],
        output: Option<&Path>,
        redactor: Option<&Redactor>,
    ) -> Result<Reports> {
        let mut reports = Reports { all: Vec::new() };
        apart(output, &args.reports)?;
        for wanted in &args.reports {
            let Some(kind) = Kind::find(wanted.kind) else { continue };
            // A page holds packed data, whose secrets were replaced before they were packed.
            let redactor = redactor.filter(|_| wanted.kind != "html").cloned();
            reports.all.push(Open {
                report: (kind.make)(context),
                out: Out::open(wanted.path(), inputs)?.clean(redactor),
                is_read: true,
                has_silenced: wanted.kind == "sarif",
            });
        }
        Ok(reports)
    }

    /// Hands a finding to all of them.
    pub fn finding(&mut self, finding: &FindingRow) -> Result<()> {
        self.each(|open| open.report.finding(&mut open.out, finding))
    }

    /// Hands one that does not count to all of them, or, where it is not `shown`, to those that have such ones all the same.
    pub fn silenced(&mut self, finding: &FindingRow, silence: &Silence, shown: bool) -> Result<()> {
        self.each(|open| match shown || open.has_silenced {
            true => open.report.silenced(&mut open.out, finding, silence),
            false => Ok(()),
        })
    }

    /// Hands them the summary, and gives the files their names.
    pub fn finish(mut self, summary: &Summary) -> Result<()> {
        // They have every finding, however few are printed.
        let summary = Summary { not_shown: 0, ..summary.clone() };
        self.each(|open| open.report.finish(&mut open.out, &summary))?;
        self.all.into_iter().try_for_each(|open| open.out.close())
    }

    /// A report whose reader went away is left alone from then on.
    fn each(&mut self, mut write: impl FnMut(&mut Open) -> std::io::Result<()>) -> Result<()> {
        for open in self.all.iter_mut().filter(|open| open.is_read) {
            let done = write(open);
            open.is_read = done.as_ref().err().is_none_or(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
            written(done)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn a_kind_that_does_not_exist_names_the_nearest() {
        assert!(wanted("sarif=a=b.json").is_ok_and(|wanted| wanted.file == std::path::Path::new("a=b.json")));
        assert_eq!(wanted("sarf=x"), Err("there is no report sarf; did you mean sarif?".into()));
        assert!(wanted("nonsense=x").is_err_and(|text| text.contains("sarif, junit, github, md, jsonl, html")));
        assert!(wanted("md").is_err() && wanted("md=").is_err());
    }
}
