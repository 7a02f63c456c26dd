//! `rpctape check`: audit logs, with an exit code for CI.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::capture;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::pipeline::coverage;
use rpctape::protocol::Severity;
use rpctape::redact::Redactor;
use rpctape::report::{
    Concise, Coverage, Document, Full, GroupBy, Grouped, Lines, Report, Statistics, Style, Summary, redacted,
};
use rpctape::rules::{self, Selection};
use rpctape::store::{ConnectionRow, FindingFilter, FindingRow, Keep, Raw};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, HopArgs, Loaded, ReadArgs, To};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::reports::{ReportArgs, Reports};
use crate::cli::args::terms::{PolicyArgs, RedactArgs, Terms};
use crate::cli::args::values::FailOn;
use crate::cli::content::page;
use crate::cli::content::preface::{begun, connections, context};
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{self, Out, written};
use crate::cli::signals::Stop;

/// How much of a message the screen needs; the rest is only counted.
const EXCERPT: u32 = 1_000;

/// Audit logs: find where either side broke the protocol, and prove it
///
/// Exit status: 0 clean, 1 violations at or above --fail-on, 2 could not run or nothing was checked.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Logs, folders, or one database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    files: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    /// The two files are logs of the same connections: the first was taken at the client, the second at the server
    #[arg(long, conflicts_with = "hops")]
    merge: bool,
    /// Keep the database in this file
    #[arg(long, value_name = "FILE", conflicts_with = "hops")]
    db: Option<PathBuf>,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Threads: 1, or 2 and more to read ahead of the judgement, which comes out the same [default: 2 for a file over 1 MiB]
    #[arg(short, long, value_name = "N", help_heading = "Reading")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    hops: HopArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// How findings are printed and what fails the check; `audit` has the same flags.
#[derive(Args, Debug, Default)]
pub struct PrintArgs {
    /// How to print the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The least severity that makes the exit status 1 [default: error]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Print how often each rule spoke instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Print one row for each server (or client, tool, day, source, format, rule) instead of the findings
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "statistics")]
    group_by: Option<By>,
    /// Print only findings of this connection (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    connection: Option<String>,
    /// Print at most so many findings; all are counted
    #[arg(long, value_name = "N")]
    max_findings: Option<u64>,
    /// List every clause: kept, broken, not exercised, or not decidable from these logs, and why
    #[arg(long)]
    coverage: bool,
    /// Print every finding, also where many are alike
    #[arg(long)]
    no_group: bool,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    redact: RedactArgs,
}

impl PrintArgs {
    /// On what terms findings count.
    pub fn terms(&self, judge: &JudgeArgs, config: &Config) -> Result<Terms> {
        Terms::new(&self.policy, self.fail_on, judge, config)
    }

    /// An error where an answer would be written over what is read or changed: before anything is.
    pub fn admit(&self, inputs: &[String]) -> Result<()> {
        let mut answers = self.output.as_deref().into_iter().chain(self.reports.files());
        answers.try_for_each(|answer| io::admit(answer, inputs))
    }

    /// True if every clause is to be listed.
    pub fn lists_clauses(&self) -> bool {
        self.coverage
    }

    /// What has to be there for what is asked.
    fn keeps(&self) -> Keep {
        match self.reports.shows_traffic() || self.group_by == Some(By::Tool) {
            true => Keep::Everything,
            false => Keep::Findings { text: if self.shows_text() { EXCERPT } else { 0 } },
        }
    }

    /// True if the lines of messages are shown.
    fn shows_text(&self) -> bool {
        self.format == Format::Full && !self.statistics && self.group_by.is_none()
    }

    /// What replaces secrets on the screen.
    pub fn redactor(&self, config: &Config) -> Option<Redactor> {
        self.redact.redactor(config)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The lines that prove it, the clause, why it matters and what to do
    #[default]
    Full,
    /// One line each
    Concise,
    /// One JSON document
    Json,
    /// One JSON object a line, the last one a summary
    Jsonl,
}

/// What the rows of `--group-by` stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// A server, as it names itself
    Server,
    /// A client, as it names itself
    Client,
    /// A tool or command, else a method
    Tool,
    /// A day, in UTC
    Day,
    /// A file
    Source,
    /// A format
    Format,
    /// A rule
    Rule,
}

impl By {
    fn group(self) -> GroupBy {
        match self {
            By::Server => GroupBy::Server,
            By::Client => GroupBy::Client,
            By::Tool => GroupBy::Tool,
            By::Day => GroupBy::Day,
            By::Source => GroupBy::Source,
            By::Format => GroupBy::Format,
            By::Rule => GroupBy::Rule,
        }
    }
}

/// Runs the audit and prints what it found.
pub fn run(args: &CheckArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let (terms, redactor) = (args.print.terms(&judge, &config)?, args.print.redactor(&config));
    let to = args.db.as_deref().map_or_else(|| To::Passing(args.print.keeps()), |db| To::File(db, None));
    let files = args.hops.files(&args.files)?;
    if let Some(db) = &args.db {
        input::settle(db, &files)?;
        args.print.admit(&files)?;
    }
    let read = args.read.with_jobs(args.jobs);
    let loaded = match args.merge {
        true => input::load_merged(&files, &read, &judge, to, stop)?,
        false => input::load_hops(&args.files, &args.hops, &read, &judge, to, stop)?,
    };
    print(&loaded, &files, terms, redactor, &args.print, &args.screen)
}

/// Takes findings, one after the other.
pub type Take<'t> = &'t mut dyn FnMut(FindingRow) -> Result<()>;

/// What was judged, wherever that was.
pub struct Judged<'a> {
    /// Its connections.
    pub connections: Vec<ConnectionRow>,
    /// What was read, before any finding is counted.
    pub summary: Summary,
    /// A source of which something is not known, in words.
    pub loss: Option<String>,
    /// The findings in their order, with as much of the text of their messages as is wanted.
    #[allow(clippy::type_complexity, reason = "it is called once, where it is made")]
    pub findings: Box<dyn FnOnce(&FindingFilter, Raw, Take<'_>) -> Result<()> + 'a>,
    /// The database, where there is one: some answers are about more than findings.
    pub loaded: Option<&'a Loaded>,
}

/// Prints the findings of a database, and gives the exit code.
pub fn print(
    loaded: &Loaded,
    inputs: &[String],
    terms: Terms,
    redactor: Option<Redactor>,
    args: &PrintArgs,
    screen: &ScreenArgs,
) -> Result<u8> {
    let connections = connections(loaded, args.connection.as_deref())?;
    let only = args.connection.as_ref().and_then(|_| connections.first()).map(|connection| connection.id);
    let mut summary = begun(loaded, &connections, terms.fail_on.severity());
    summary.coverage = Coverage::of(coverage(&loaded.store, only, &terms.selection)?, args.coverage);
    if args.coverage && !terms.selection.schema {
        io::say("SCH001 to SCH005 (what payloads look like) are judged only with --schema");
    }
    let judged = Judged {
        loss: loaded.loss(),
        findings: Box::new(|filter, raw, take| loaded.store.findings(filter, raw, take)),
        loaded: Some(loaded),
        connections,
        summary,
    };
    print_judged(judged, inputs, terms, redactor, args, screen)
}

/// Prints what was judged, and gives the exit code.
pub fn print_judged(
    judged: Judged<'_>,
    inputs: &[String],
    mut terms: Terms,
    redactor: Option<Redactor>,
    args: &PrintArgs,
    screen: &ScreenArgs,
) -> Result<u8> {
    let Judged { connections, mut summary, loss, findings, loaded } = judged;
    let fail_on = terms.fail_on.severity();
    summary.fail_on = fail_on.map_or("none", Severity::as_str);
    (summary.ignored, summary.selected) = (terms.selection.ignore.clone(), terms.selection.select.clone());
    let only = args.connection.as_ref().and_then(|_| connections.first()).map(|connection| connection.id);
    let whole = || {
        loaded.ok_or_else(|| {
            let error = Error::new(ErrorKind::Usage, "these are findings without the traffic they are about");
            error.hint("--group-by, --connection and --report html need the logs, or a database of them")
        })
    };
    if args.connection.is_some() {
        whole()?;
    }
    let lines = args.format == Format::Concise || args.statistics || args.group_by.is_some();
    if args.statistics && matches!(args.format, Format::Json | Format::Jsonl) {
        return Err(Error::new(ErrorKind::Usage, "--statistics prints a table, and no JSON")
            .hint("`by_rule` of --format json has the same counts"));
    }
    let style = screen.style(args.output.is_some(), lines);
    summary.unread.iter_mut().for_each(|one| one.near = capture::near(&one.source, one.first));
    // Sentences may quote a reason or a value; numbers of placeholders are those of the sentences alone.
    let (mut sentences, for_page) = (redactor.clone(), redactor.clone());
    if let Some(redactor) = &mut sentences {
        redacted::summary(&mut summary, redactor);
    }
    // Of findings and of the summary all is replaced before it is written; of rows it is not.
    let shown = match args.group_by {
        None => redactor.clone().map(Redactor::without_values),
        Some(_) => redactor.clone(),
    };
    let mut report = match args.group_by {
        None => report(args, style, redactor),
        Some(by) => grouped(by, args.format, style, whole()?, &connections)?,
    };
    let mut out = Out::open(args.output.as_deref(), inputs)?.clean(shown.clone());
    let mut context = context(&connections, &terms.selection, fail_on, sentences.as_mut());
    context.baseline = terms.policy.has_baseline();
    if args.reports.shows_traffic() {
        let wanted = page::Wanted {
            inputs,
            connections: &connections,
            redactor: for_page,
            stuck_after_us: terms.stuck_after_us,
            at: None,
        };
        context.gathered = Some(page::gather(&whole()?.store, wanted)?);
    }
    let mut reports = Reports::open(&args.reports, &context, inputs, args.output.as_deref(), shown.as_ref())?;
    let filter = FindingFilter { connection: only, ..FindingFilter::default() };
    let raw = if args.shows_text() { Raw::Head(EXCERPT) } else { Raw::None };
    let mut pipe_is_open = args.output.is_some() || !args.reports.take_stdout();
    findings(&filter, raw, &mut |mut finding: FindingRow| {
        if !taken(&terms.selection, &finding) {
            return Ok(());
        }
        let silence = terms.policy.apply(&mut finding);
        if let Some(redactor) = &mut sentences {
            redacted::words(&mut finding, redactor);
        }
        match &silence {
            Some(silence) => summary.silence(silence),
            None => summary.count(&finding, fail_on),
        }
        match &silence {
            Some(silence) => reports.silenced(&finding, silence, terms.show_suppressed)?,
            None => reports.finding(&finding)?,
        }
        if silence.is_some() && !terms.show_suppressed {
            return Ok(());
        }
        if args.max_findings.is_some_and(|most| summary.counts.findings > most) {
            summary.not_shown += 1;
        } else if pipe_is_open {
            let done = match &silence {
                Some(silence) => report.silenced(&mut out, &finding, silence),
                None => report.finding(&mut out, &finding),
            };
            pipe_is_open = done.as_ref().err().is_none_or(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
            written(done)?;
        }
        Ok(())
    })?;
    let unchecked = unchecked(&summary, &terms.selection);
    terms.close(args.connection.is_none(), &mut summary);
    if unchecked.is_some() {
        summary.exit = 2;
    }
    if loss.is_some() && summary.exit == 0 {
        summary.exit = 2;
    }
    if pipe_is_open {
        written(report.finish(&mut out, &summary))?;
    }
    out.close()?;
    reports.finish(&summary)?;
    if let Some(error) = unchecked {
        io::complain(&error);
    }
    if let Some(loss) = loss {
        let error = Error::new(ErrorKind::Input, loss);
        io::complain(&error.hint("what was read was judged; give the whole file to have all of it judged"));
    }
    Ok(summary.exit)
}

/// Why nothing was checked, where nothing was: a run that looks green would claim more.
fn unchecked(summary: &Summary, selection: &Selection) -> Option<Error> {
    if summary.messages == 0 {
        let error = Error::new(ErrorKind::Input, "nothing was checked: no message was found");
        return Some(error.hint("`rpctape ls` shows what each file was taken for; --format-in overrules it"));
    }
    let error = || Error::new(ErrorKind::Usage, "nothing was checked: no rule is left of those that were selected");
    let hint = "--select and --ignore, or `select` and `ignore` under [audit], take out all of them";
    selection.is_none().then(|| error().hint(hint))
}

/// A database may hold findings of rules that this run was not asked for.
pub fn taken(selection: &Selection, finding: &FindingRow) -> bool {
    let all = selection.select.is_empty() && selection.ignore.is_empty();
    all || rules::find(&finding.code).is_some_and(|rule| selection.chooses(rule))
}

fn report(args: &PrintArgs, style: Style, redactor: Option<Redactor>) -> Box<dyn Report> {
    match args.format {
        Format::Json => Box::new(Document::default()),
        Format::Jsonl => Box::new(Lines),
        _ if args.statistics => Box::new(Statistics::new(style)),
        Format::Concise => Box::new(Concise::new(style)),
        Format::Full => Box::new(Full::new(style, !args.no_group).redacted(redactor)),
    }
}

/// Rows instead of findings. A document would have no place for them.
fn grouped(
    by: By,
    format: Format,
    style: Style,
    loaded: &Loaded,
    connections: &[ConnectionRow],
) -> Result<Box<dyn Report>> {
    if format == Format::Json {
        return Err(Error::new(ErrorKind::Usage, "--group-by prints rows, which one JSON document has no place for")
            .hint("--format jsonl prints one object for each row"));
    }
    let calls = if by == By::Tool { loaded.store.calls()? } else { Vec::new() };
    Ok(Box::new(Grouped::new(by.group(), style, format == Format::Jsonl, connections, &calls)))
}
