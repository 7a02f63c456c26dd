//! `rpctape accept`: what a replay found to differ becomes the recording, one response at a time.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use rpctape::capture::{Skip, path_of};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Readers};
use rpctape::pipeline::replay::load;
use rpctape::replay::accept::{Accepted, accept, fitted};
use rpctape::replay::recording::{Connection, Recording};
use rpctape::replay::verdict::{ExchangeReport, Verdict};
use rpctape::replay::{Options, RunReport, diff, noise, policy};
use rpctape::report::replay::{redacted, review};
use rpctape::report::{escape, shell};
use rpctape::store::ConnectionRow;

use super::diff::recording;
use crate::cli::args::comparing::CompareArgs;
use crate::cli::args::config::{Config, NAMES, Uses};
use crate::cli::args::header;
use crate::cli::args::input::{self, Loaded, recording_text};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Take what a replay found to differ into the recording, one response at a time
///
/// Only the bytes of the accepted responses change; times and order stay, and a note says when and why. On a terminal each
/// difference is shown and asked for: accept, reject, skip, or make a rule of it.
#[derive(Args, Debug)]
pub struct AcceptArgs {
    /// The live session of the replay (NAME.run.jsonl), or NAME
    #[arg(value_name = "RUN", value_parser = input::name())]
    run: String,
    /// The recording that was replayed [default: NAME.rec.jsonl or NAME.jsonl beside it]
    #[arg(long, value_name = "FILE", value_parser = input::name())]
    recording: Option<String>,
    /// Accept these without asking, as `replay --update` does: requests or verdicts, 7,9 or changed
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',', conflicts_with = "all")]
    exchange: Vec<String>,
    /// Accept all without asking; refused where the run had stuck requests, an exit or new violations
    #[arg(long, requires = "reason")]
    all: bool,
    /// Why, for the note in the recording
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Write the new recording here, instead of in the place of the old one
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Read this configuration, instead of the first rpctape.toml from the current directory upwards
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The differences stand on the screen already, which the replay has written.
    #[arg(skip)]
    is_shown: bool,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// A run whose differences are to be taken.
#[cfg(feature = "live")]
pub struct Run<'r> {
    /// The recording.
    pub recording: &'r str,
    /// Its live session.
    pub live: &'r str,
    /// What is taken without asking: verdicts, or requests. Nothing, or an empty word: each is asked for.
    pub what: &'r [String],
    /// Why.
    pub reason: Option<&'r str>,
}

/// A difference that was taken: the connection and the label of its exchange.
pub type Taken = (usize, String);

/// Takes what differs in a run into its recording; gives what was taken.
#[cfg(feature = "live")]
pub fn after_replay(run: Run<'_>, compare: &CompareArgs, view: &ViewArgs, stop: &Stop) -> Result<Vec<Taken>> {
    let args = AcceptArgs {
        run: run.live.to_string(),
        recording: Some(run.recording.to_string()),
        exchange: run.what.iter().filter(|word| !word.is_empty()).cloned().collect(),
        all: false,
        reason: run.reason.map(str::to_string),
        output: None,
        config: None,
        is_shown: true,
        compare: compare.clone(),
        view: view.clone(),
    };
    take(&args, stop)
}

/// An error where nobody is there to say what is right.
pub fn admit() -> Result<()> {
    match screen::env("CI") {
        None => Ok(()),
        Some(_) => {
            let error = Error::new(ErrorKind::Usage, "nothing is accepted in CI: what is right is for a person to say");
            Err(error.hint("run it where you work, and commit the recording"))
        }
    }
}

/// Everything that a decision needs.
struct Review<'r> {
    args: &'r AcceptArgs,
    recorded: &'r Recording,
    live: &'r Recording,
    /// The live session's lines.
    lines: Vec<&'r str>,
}

/// What was decided about one difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accept,
    Reject,
    Skip,
    Rule,
    Quit,
}

/// Judges again, asks, and writes.
pub fn run(args: &AcceptArgs, stop: &Stop) -> Result<u8> {
    admit()?;
    take(args, stop).map(|_| 0)
}

/// What was taken.
fn take(args: &AcceptArgs, stop: &Stop) -> Result<Vec<Taken>> {
    let config = Config::load(args.config.as_deref(), Uses::Comparing)?;
    let (file, run_file) = files(args)?;
    if let Some(output) = &args.output {
        io::apart(output, std::slice::from_ref(&run_file))?;
    }
    let options = Options {
        compare: args.compare.compare(&config.replay)?,
        gate: args.compare.gate(&config.replay)?,
        ..Options::default()
    };
    let judging = JudgeArgs::default().configured(&config);
    let loaded = input::load(std::slice::from_ref(&file), &args.view.read, &judging, input::PASSING, stop)?;
    must_be_of(&run_file, &file, &loaded.store.connections()?)?;
    if is_one_part(&file, &loaded) {
        return Err(in_parts(&[file]));
    }
    let recorded = load(&loaded.store, &file)?;
    let live = recording(&run_file, &args.view.read, &judging, stop)?;
    let report = diff(&recorded, &live, &options);
    let (text, live_text) = (read(&file)?, read(&run_file)?);
    let review = Review { args, recorded: &recorded, live: &live, lines: live_text.lines().collect() };
    let chosen = review.choose(&report, &config)?;
    if chosen.is_empty() {
        io::say("nothing was accepted; the recording is as it was");
        return Ok(Vec::new());
    }
    let accepted = chosen.iter().map(|entry| review.accepted(entry)).collect::<Result<Vec<_>>>()?;
    let path = args.output.clone().unwrap_or_else(|| path_of(&file));
    let text = accept(&text, &accepted, &today(), args.reason.as_deref())?;
    output::write(&path, text.as_bytes(), Readers::Owner)?;
    let names: Vec<String> = chosen.iter().map(|entry| title(entry)).collect();
    io::say(&format!("accepted {} in {}", names.join(", "), path.to_string_lossy()));
    Ok(chosen.iter().map(|entry| (entry.connection, entry.label.clone())).collect())
}

/// True if there is another answer that may be taken.
fn differs(entry: &ExchangeReport) -> bool {
    let kinds = [Verdict::Changed, Verdict::ErrorChanged, Verdict::Violates];
    std::iter::once(&entry.verdict).chain(&entry.also).any(|verdict| kinds.contains(verdict))
}

/// True if a user means this request: `7`, `#7`, and with its connection `7@2`.
fn is_named(entry: &ExchangeReport, name: &str) -> bool {
    let name = name.trim().trim_start_matches('#');
    let label = entry.label.trim_start_matches('#');
    name == label || name == format!("{label}@{}", entry.connection + 1)
}

/// True if a run has an answer to take of the request that a user means.
#[cfg(feature = "live")]
pub fn offers(run: &RunReport, name: &str) -> bool {
    run.exchanges.iter().any(|entry| differs(entry) && is_named(entry, name))
}

/// True if an update of what these words name takes the answer of an exchange; without words each is asked for.
#[cfg(feature = "live")]
pub fn takes(words: &[String], entry: &ExchangeReport) -> bool {
    let means = |word: &String| match Verdict::from_name(word.trim()) {
        Some(verdict) => verdict == entry.verdict,
        None => word.is_empty() || is_named(entry, word),
    };
    words.is_empty() || words.iter().any(means)
}

/// `#7 tools/call render`.
fn title(entry: &ExchangeReport) -> String {
    let name = entry.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    format!("{} {}{name}", entry.label, entry.method)
}

fn read(file: &str) -> Result<String> {
    recording_text(file, "accept changes recordings as they were written, not compressed ones")
}

/// The recording and the live session.
fn files(args: &AcceptArgs) -> Result<(String, String)> {
    let named = args.run.strip_suffix(".run.jsonl").unwrap_or(&args.run);
    let is_file = |file: &str| path_of(file).is_file();
    let run = if is_file(&args.run) { args.run.clone() } else { format!("{named}.run.jsonl") };
    if !is_file(&run) {
        return Err(Error::new(ErrorKind::Input, format!("there is no live session {run}")).hint(
            "`rpctape replay NAME.rec.jsonl -- SERVER` writes NAME.run.jsonl; a first run has nothing to accept",
        ));
    }
    let usual = || ["rec.jsonl", "jsonl"].map(|end| format!("{named}.{end}")).into_iter().find(|file| is_file(file));
    let file = args.recording.clone().or_else(usual).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("{run} is there, and the recording that was replayed is not beside it"))
            .hint("name it with --recording FILE")
    })?;
    if !is_file(&file) {
        return Err(Error::new(
            ErrorKind::Input,
            format!("{file} is no file, and answers are put into the recording itself"),
        )
        .hint("name the file of the recording with --recording FILE"));
    }
    Ok((file, run))
}

/// True for a file of a recording that has others: what was asked here may be answered there.
fn is_one_part(file: &str, loaded: &Loaded) -> bool {
    let is_further = header::header(file).and_then(|header| header.get("part")?.as_u64()).is_some_and(|part| part > 1);
    let mut skipped = loaded.summary.sources.iter().flat_map(|source| &source.skipped);
    is_further || skipped.any(|(why, ..)| why == Skip::Unfollowed.as_str())
}

/// An error where answers are to be put into a recording of several files.
pub fn in_parts(parts: &[String]) -> Error {
    let files: Vec<String> = parts.iter().map(|part| shell::file(part).to_string()).collect();
    let more = if parts.len() > 1 { "" } else { " PART..." };
    Error::new(ErrorKind::Usage, "answers are put into a recording of one file, and this one has several parts")
        .hint(format!("make one of them: rpctape merge {}{more} -o NAME.rec.jsonl", files.join(" ")))
}

/// An error where the live session is none of this recording. The name by which a replay calls a session is the one under which it
/// was read: where a log tells none (an export may, in its header alone), that is the name of its file, in whichever
/// folder that lies.
fn must_be_of(run: &str, file: &str, rows: &[ConnectionRow]) -> Result<()> {
    let Some(of) = header::member(run, "replay_of") else {
        return Err(Error::new(ErrorKind::Usage, format!("{run} is not the live session of a replay"))
            .hint("accept takes the file that replay has written: NAME.run.jsonl"));
    };
    let same_file = |name: &str| path_of(name).file_name() == path_of(&of).file_name();
    let is_named = |row: &ConnectionRow| row.session == of || row.session == row.source && same_file(&row.source);
    if rows.iter().any(is_named) || header::member(file, "session").is_some_and(|session| same_file(&session)) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Usage, format!("{run} is no replay of {file}: it names another session"))
        .hint("name the recording that was replayed with --recording FILE"))
}

/// True for a file that answers can be put into: a recording as it was written.
#[cfg(feature = "live")]
pub fn takes_answers(file: &str) -> bool {
    header::header(file).is_some_and(|header| header.get("rec").is_some())
}

impl Review<'_> {
    /// The differences that are accepted.
    fn choose<'r>(&self, report: &'r RunReport, config: &Config) -> Result<Vec<&'r ExchangeReport>> {
        let open: Vec<&ExchangeReport> = report.exchanges.iter().filter(|entry| differs(entry)).collect();
        if self.args.all {
            refuse(report)?;
            return Ok(open.into_iter().filter(|entry| self.replacement(entry).is_ok()).collect());
        }
        if !self.args.exchange.is_empty() {
            let verdict = |word: &String| Verdict::from_name(word.trim());
            let verdicts: Vec<Verdict> = self.args.exchange.iter().filter_map(verdict).collect();
            let names = self.args.exchange.iter().filter(|word| verdict(word).is_none());
            let named = names.map(|name| self.named(&open, name)).collect::<Result<Vec<_>>>()?;
            let wanted = |entry: &&ExchangeReport| verdicts.contains(&entry.verdict);
            let (mut chosen, rest): (Vec<_>, Vec<_>) = open.iter().copied().partition(wanted);
            chosen.retain(|entry| self.replacement(entry).is_ok());
            chosen.extend(named.into_iter().filter(|entry| rest.iter().any(|other| std::ptr::eq(*other, *entry))));
            if !self.args.is_shown {
                self.show(report, &chosen, config)?;
            }
            return Ok(chosen);
        }
        if open.is_empty() {
            return Ok(Vec::new());
        }
        if !std::io::stdin().is_terminal() || !io::stdout_is_terminal() {
            return Err(Error::new(ErrorKind::Usage, "each difference is asked for, and there is no terminal to ask on")
                .hint("name what to take: replay --update=7,9 or --update=changed; accept --exchange 7,9, or --all --reason TEXT"));
        }
        self.ask(report, open, config)
    }

    fn named<'r>(&self, open: &[&'r ExchangeReport], name: &str) -> Result<&'r ExchangeReport> {
        let found: Vec<&&ExchangeReport> = open.iter().filter(|entry| is_named(entry, name)).collect();
        match found.as_slice() {
            [entry] => self.replacement(entry).map(|_| **entry),
            [] => {
                let known: Vec<&str> = open.iter().map(|entry| entry.label.as_str()).collect();
                let hint = match known.is_empty() {
                    true => "nothing differs that could be accepted".to_string(),
                    false => format!("what differs: {}", known.join(", ")),
                };
                Err(Error::new(ErrorKind::Usage, format!("{name} does not differ, or is not in the recording"))
                    .hint(hint))
            }
            several => {
                let places: Vec<String> =
                    several.iter().map(|entry| format!("{}@{}", entry.label, entry.connection + 1)).collect();
                Err(Error::new(ErrorKind::Usage, format!("{name} is several exchanges: {}", places.join(", ")))
                    .hint("name the connection too"))
            }
        }
    }

    /// Shows each difference and asks.
    fn ask<'r>(
        &self,
        report: &RunReport,
        open: Vec<&'r ExchangeReport>,
        config: &Config,
    ) -> Result<Vec<&'r ExchangeReport>> {
        let mut chosen = Vec::new();
        for entry in open {
            self.show(report, &[entry], config)?;
            if let Err(error) = self.replacement(entry) {
                io::say(&format!("       cannot be accepted: {}", error.message));
                continue;
            }
            match answer()? {
                Answer::Accept => chosen.push(entry),
                Answer::Reject => io::say("       rejected: the recording stays, and the replay goes on failing"),
                Answer::Skip => {}
                Answer::Rule => self.rules(entry)?,
                Answer::Quit => break,
            }
        }
        Ok(chosen)
    }

    /// Shows differences.
    fn show(&self, report: &RunReport, entries: &[&ExchangeReport], config: &Config) -> Result<()> {
        let some = RunReport {
            exchanges: entries.iter().map(|entry| (*entry).clone()).collect(),
            protocols: report.protocols.clone(),
            ..RunReport::default()
        };
        let shown = match self.args.view.redact.redactor(config) {
            Some(mut redactor) => redacted(&some, &mut redactor),
            None => some,
        };
        io::print(&review(&shown, &self.args.view.screen.style(false, false)))
    }

    /// Appends a rule for each place that differs to the configuration.
    fn rules(&self, entry: &ExchangeReport) -> Result<()> {
        let path =
            self.args.config.clone().or_else(|| NAMES.map(PathBuf::from).into_iter().find(|path| path.is_file()));
        let path = path.unwrap_or_else(|| PathBuf::from(NAMES[0]));
        let name = path.display().to_string();
        let fault = |error: std::io::Error| Error::io("read", &name, &error);
        let before = if path.is_file() { output::read_small(&path).map_err(fault)? } else { String::new() };
        let mut text = before.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let scope = policy::naming(&entry.method, entry.name.as_deref());
        let mut made = 0;
        for difference in entry.diff.iter().filter(|it| !it.harmless) {
            let (Some(recorded), Some(live)) = (&difference.recorded, &difference.live) else {
                io::say(&format!("       no rule for {}: it is there on one side only", difference.at));
                continue;
            };
            let matcher = noise::shape(recorded, live).unwrap_or(rpctape::replay::options::Matcher::Type);
            text.push_str(&format!(
                "\n# {}\n{}",
                escape(&title(entry)),
                noise::rule_lines(&difference.at, &matcher, &scope)
            ));
            io::say(&format!("       {}: {} must be {}", name, difference.at, matcher.text()));
            made += 1;
        }
        if made == 0 {
            return Ok(());
        }
        output::write(&path, text.as_bytes(), Readers::Umask)?;
        if let Err(error) = Config::load(Some(&path), Uses::Comparing) {
            output::write(&path, before.as_bytes(), Readers::Umask)?;
            return Err(error.hint(format!("{name} is as it was: write the rule into its list by hand")));
        }
        Ok(())
    }

    fn connection(&self, entry: &ExchangeReport) -> Option<&Connection> {
        self.recorded.connections.get(entry.connection)
    }

    /// The new response in the place of the old one.
    fn replacement(&self, entry: &ExchangeReport) -> Result<Accepted> {
        let none = |what: &str| {
            Error::new(ErrorKind::Input, format!("{} has no {what}: only responses can be replaced", entry.label))
                .hint("record the session anew: rpctape record")
        };
        let connection = self.connection(entry).ok_or_else(|| none("connection"))?;
        let own = connection.exchanges.iter().find(|own| {
            own.issuer == entry.issuer
                && Some(connection.events[own.request].line) == entry.line
                && own.rpc_id == entry.rpc_id
        });
        let old = own.and_then(|own| own.response).ok_or_else(|| none("recorded answer"))?;
        let place = entry.twin.ok_or_else(|| none("live answer"))?;
        let live = &self.live.connections[place.0];
        let new = live.exchanges[place.1].response.ok_or_else(|| none("live answer"))?;
        let (text, new_text) = (&connection.events[old].text, &live.events[new].text);
        let text = fitted(text, new_text, &entry.captured).ok_or_else(|| none("answer in JSON"))?;
        let live_line =
            usize::try_from(live.events[new].line).ok().and_then(|line| self.lines.get(line.checked_sub(1)?));
        Ok(Accepted {
            line: connection.events[old].line,
            member: connection.place_in_array(old),
            text,
            kept: entry.captured.clone(),
            live_line: live_line.map_or(String::new(), |line| line.to_string()),
            live_member: live.place_in_array(new),
            ..Accepted::default()
        })
    }

    fn accepted(&self, entry: &ExchangeReport) -> Result<Accepted> {
        let places: Vec<&str> = entry.diff.iter().filter(|it| !it.harmless).map(|it| it.at.as_str()).take(5).collect();
        let what = if places.is_empty() { entry.detail.clone() } else { places.join(", ") };
        let who = screen::env("USER").map_or(String::new(), |user| format!(" by {user}"));
        let why = self.args.reason.as_ref().map_or(String::new(), |why| format!(": {why}"));
        let key = self.connection(entry).map_or("", |connection| connection.key.as_str());
        Ok(Accepted {
            note: format!("accepted {} ({what}) on {}{who}{why}", title(entry), today()),
            connection: key.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(1),
            ..self.replacement(entry)?
        })
    }
}

/// A run that went wrong is not accepted as a whole.
fn refuse(report: &RunReport) -> Result<()> {
    let bad = [Verdict::Stuck, Verdict::ServerExit, Verdict::Violates];
    let hit = report
        .exchanges
        .iter()
        .find(|entry| std::iter::once(&entry.verdict).chain(&entry.also).any(|verdict| bad.contains(verdict)));
    match hit {
        Some(entry) => {
            let what = std::iter::once(&entry.verdict).chain(&entry.also).find(|verdict| bad.contains(verdict));
            let word = what.map_or("", |verdict| verdict.as_str());
            Err(Error::new(ErrorKind::Usage, format!("--all is refused: {} is {word}", entry.label))
                .hint("accept single exchanges: --exchange 7,9"))
        }
        None => Ok(()),
    }
}

/// Asks until it is answered; the end of input is a no to all that is left.
fn answer() -> Result<Answer> {
    loop {
        io::print("       [a]ccept  [r]eject  [s]kip  make a rule [i]  [q]uit > ")?;
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Error::io("read", "standard input", &error))? == 0 {
            return Ok(Answer::Quit);
        }
        match line.trim() {
            "a" => return Ok(Answer::Accept),
            "r" => return Ok(Answer::Reject),
            "s" => return Ok(Answer::Skip),
            "i" => return Ok(Answer::Rule),
            "q" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

/// The day in UTC.
#[allow(clippy::disallowed_methods)]
fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let day = chrono::DateTime::from_timestamp(since.as_secs() as i64, 0);
    day.map(|day| day.format("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}
