//! `rpctape minimise`: the least of a recording that still shows a finding, or that a server still fails.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use rpctape::capture::path_of;
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::output::{self, Readers};
use rpctape::pipeline::replay::Scratch;
use rpctape::replay::edit::kept;
use rpctape::replay::minimise::{Unit, reduce, units};
use rpctape::replay::recording::Recording;
use rpctape::replay::verdict::ExchangeReport;
use rpctape::replay::{RunReport, Verdict};
use rpctape::report::{count, escape};

use super::args::{CancelArgs, PaceArgs, PlayArgs};
use super::suite::Gate;
use super::{KeepArgs, Prepared, ReplayArgs, Session, choose, waiting};
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{ReadArgs, recording_text};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::commands::diff::recording;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Drop what is not needed to show a finding, or a verdict of a replay: the smallest recording for a bug report or a test
///
/// Without a server, the findings of `check` are kept (--finding chooses); with one, the first request that fails goes on failing in the
/// same way. Exchanges are dropped, as many at once as can be, and what is left is tried again; the handshake always stays.
#[derive(Args, Debug)]
pub struct MinimiseArgs {
    /// The recording
    #[arg(value_name = "REC", value_parser = crate::cli::args::input::name())]
    file: String,
    /// Where the small one goes [default: NAME.min.rec.jsonl beside it]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keep these findings: a rule's code or name [default: all that are proven violations]
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    finding: Vec<String>,
    /// With a server: keep the first request with this verdict [default: the first that fails]
    #[arg(long, value_name = "VERDICT", conflicts_with = "finding")]
    verdict: Option<String>,
    /// How many smaller recordings are tried at most
    #[arg(long, value_name = "N", default_value_t = 500)]
    tries: usize,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// What a smaller recording must still show.
enum Goal {
    /// Rules, by code.
    Findings(BTreeSet<String>),
    /// A request by its label, and what became of it.
    Verdict { label: String, verdict: Verdict, rule: Option<String> },
}

/// Finds what is shown, drops what it does not need, and writes.
pub fn run(args: &MinimiseArgs, stop: &Stop) -> Result<u8> {
    let output = args.output.clone().unwrap_or_else(|| beside(&args.file));
    io::apart(&output, std::slice::from_ref(&args.file))?;
    let text = recording_text(&args.file, "recordings are changed as they were written, not compressed ones")?;
    if args.output.is_none() {
        let (smaller, _) = args.redact.handed_on(kept(&text, |_| false)?)?;
        choose::unnamed(&output, |header| smaller.lines().next() == Some(header.trim_end()), "-o")?;
    }
    let folder = Scratch::new()?;
    let trial = Trial { args, stop, file: folder.path().join("it.rec.jsonl"), replay: args.replay() };
    let whole = trial.write(&kept(&text, |_| true)?)?;
    let found = trial.recording(&whole)?;
    let goal = trial.goal(&found, &whole)?;
    let units = units(&found);
    let mut tried = 0;
    let bar = waiting::spinner(args.read.said.no_progress);
    let least = reduce(units.len(), args.tries, &mut |some| {
        if stop.exit_code().is_some() {
            return Ok(false);
        }
        tried += 1;
        if let Some(bar) = &bar {
            bar.set_message(format!("{tried} tried, {} of {} left", some.len(), units.len()));
            bar.tick();
        }
        trial.shows(&goal, &part(&text, &units, some)?, some.is_empty())
    })?;
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let (small, replaced) = args.redact.handed_on(part(&text, &units, &least)?)?;
    output::write(&output, small.as_bytes(), Readers::Owner)?;
    io::say(&format!("kept: {}", goal.told()));
    for unit in least.iter().filter_map(|place| units.get(*place)) {
        io::say(&format!("  {}", unit.name));
    }
    let of = count(units.len() as u64);
    let cut = if tried >= args.tries { "; --tries allows to go on" } else { "" };
    io::say(&format!("{} of {of} exchanges and notifications in {}{cut}", least.len(), output.to_string_lossy()));
    replaced.iter().for_each(|line| io::say(line));
    Ok(stop.exit_code().unwrap_or(0))
}

/// The recording with these units only.
fn part(text: &str, units: &[Unit], some: &BTreeSet<usize>) -> Result<String> {
    let dropped = units.iter().enumerate().filter(|(place, _)| !some.contains(place));
    let dropped: BTreeSet<u64> = dropped.flat_map(|(_, unit)| unit.lines.iter().copied()).collect();
    kept(text, |line| !dropped.contains(&line))
}

/// `chat.min.rec.jsonl` beside `chat.rec.jsonl`.
fn beside(file: &str) -> PathBuf {
    let stem = file.strip_suffix(".rec.jsonl").or_else(|| file.strip_suffix(".jsonl")).unwrap_or(file);
    path_of(&format!("{stem}.min.rec.jsonl"))
}

impl MinimiseArgs {
    /// The arguments of the replay that judges a smaller recording.
    fn replay(&self) -> ReplayArgs {
        ReplayArgs {
            files: Vec::new(),
            jobs: 1,
            play: PlayArgs {
                pace: PaceArgs { repeat: 1, ..self.play.pace.clone() },
                cancel: CancelArgs { cancel_sweep: Vec::new(), ..self.play.cancel.clone() },
                ..self.play.clone()
            },
            noise: Default::default(),
            update: None,
            reason: None,
            report: Default::default(),
            keep: KeepArgs { no_keep: true, ..KeepArgs::default() },
            view: ViewArgs { redact: self.redact.clone(), read: self.read.clone(), ..ViewArgs::default() },
        }
    }
}

/// What every smaller recording is tried with.
struct Trial<'a> {
    args: &'a MinimiseArgs,
    stop: &'a Stop,
    file: PathBuf,
    replay: ReplayArgs,
}

impl Trial<'_> {
    fn write(&self, text: &str) -> Result<String> {
        let name = self.file.to_string_lossy().into_owned();
        output::write(&self.file, text.as_bytes(), Readers::Owner)?;
        Ok(name)
    }

    fn recording(&self, file: &str) -> Result<Recording> {
        let judging = JudgeArgs::default().configured(&Config::load(None, Uses::Auditing)?);
        recording(file, &self.args.read, &judging, self.stop)
    }

    /// Plays one; `None` where it cannot be played.
    fn played(&self, file: &str) -> Result<Option<RunReport>> {
        let gate = Gate::new(1);
        match Session::prepare(&self.replay, &[file.to_string()], self.stop, &gate)? {
            Prepared::Told => Ok(None),
            Prepared::Ready(mut session) => {
                // Its own line would hide ours.
                session.in_suite = true;
                session.played().map(Some)
            }
        }
    }

    fn goal(&self, found: &Recording, file: &str) -> Result<Goal> {
        if self.has_server() && self.args.finding.is_empty() {
            return self.failing(file);
        }
        let proven = proven(found);
        if self.args.finding.is_empty() && !proven.is_empty() {
            return Ok(Goal::Findings(proven.into_iter().map(|(code, _)| code).collect()));
        }
        let mut codes = BTreeSet::new();
        for wanted in &self.args.finding {
            let fits = |(code, rule): &&(String, String)| code.eq_ignore_ascii_case(wanted) || rule == wanted;
            let Some((code, _)) = proven.iter().find(fits) else {
                let known: Vec<&str> = proven.iter().map(|(_, rule)| rule.as_str()).collect();
                let error = Error::new(ErrorKind::Usage, format!("{} does not show {wanted}", self.args.file));
                return Err(match nearest(wanted, known.iter().copied()) {
                    Some(near) => error.hint(format!("did you mean {near}?")),
                    None => error
                        .hint(format!("it shows {}", if known.is_empty() { "none".into() } else { known.join(", ") })),
                });
            };
            codes.insert(code.clone());
        }
        match codes.is_empty() {
            false => Ok(Goal::Findings(codes)),
            true => {
                Err(Error::new(ErrorKind::Usage, format!("{} shows no violation that could be kept", self.args.file))
                    .hint("name a server to keep what it fails: rpctape minimise REC -- COMMAND"))
            }
        }
    }

    fn has_server(&self) -> bool {
        let target = &self.args.play.target;
        !target.command.is_empty() || target.url.is_some() || target.connect.is_some() || target.server.is_some()
    }

    /// The request whose verdict is kept.
    fn failing(&self, file: &str) -> Result<Goal> {
        let Some(report) = self.played(file)? else {
            return Err(Error::new(ErrorKind::Usage, "--dry-run and the like are for replay"));
        };
        let wanted = match &self.args.verdict {
            None => None,
            Some(name) => Some(Verdict::from_name(name).ok_or_else(|| {
                let names = Verdict::ALL.into_iter().map(Verdict::as_str);
                Error::new(
                    ErrorKind::Usage,
                    format!("there is no verdict {name}; there are {}", names.collect::<Vec<_>>().join(", ")),
                )
            })?),
        };
        let fits = |entry: &&ExchangeReport| wanted.map_or(entry.fails, |wanted| entry.verdict == wanted);
        match report.exchanges.iter().find(fits) {
            Some(entry) => {
                Ok(Goal::Verdict { label: entry.label.clone(), verdict: entry.verdict, rule: entry.rule.clone() })
            }
            None => Err(Error::new(ErrorKind::Usage, "nothing that could be kept: no request came to that verdict")
                .hint("`rpctape replay` shows what they come to; --verdict chooses one")),
        }
    }

    /// `bare`: nothing is left but a handshake, if there is one.
    fn shows(&self, goal: &Goal, text: &str, bare: bool) -> Result<bool> {
        let file = self.write(text)?;
        match goal {
            Goal::Findings(codes) => {
                let shown: BTreeSet<String> =
                    proven(&self.recording(&file)?).into_iter().map(|(code, _)| code).collect();
                Ok(codes.is_subset(&shown))
            }
            Goal::Verdict { label, verdict, rule } => {
                // What cannot be played any more shows nothing.
                let report = match self.played(&file) {
                    Err(error) if error.kind == ErrorKind::Usage || bare && error.kind == ErrorKind::Input => {
                        return Ok(false);
                    }
                    other => other?,
                };
                let fits =
                    |entry: &ExchangeReport| entry.label == *label && entry.verdict == *verdict && entry.rule == *rule;
                Ok(report.is_some_and(|report| report.exchanges.iter().any(fits)))
            }
        }
    }
}

impl Goal {
    fn told(&self) -> String {
        match self {
            Goal::Findings(codes) => codes.iter().cloned().collect::<Vec<_>>().join(", "),
            Goal::Verdict { label, verdict, .. } => escape(&format!("{label} {}", verdict.as_str())).to_string(),
        }
    }
}

/// The rules that are proven to be broken: code and name.
fn proven(recording: &Recording) -> BTreeSet<(String, String)> {
    let faults = recording.connections.iter().flat_map(|connection| connection.faults.iter());
    faults
        .filter(|fault| fault.certainty == "violation" && fault.severity != "note")
        .map(|fault| (fault.code.clone(), fault.rule.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_small_one_stands_beside_the_whole() {
        for (file, small) in
            [("a/x.rec.jsonl", "a/x.min.rec.jsonl"), ("y.jsonl", "y.min.rec.jsonl"), ("z", "z.min.rec.jsonl")]
        {
            assert_eq!(beside(file), Path::new(small));
        }
    }
}
