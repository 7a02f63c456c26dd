//! `rpctape replay`: a recorded session played against a live server, with a verdict for each request.

pub mod access;
mod again;
mod args;
mod choose;
mod counted;
mod dry;
mod kept;
pub mod minimise;
mod noise;
mod options;
mod pasted;
mod session;
mod suite;
mod target;
mod values;
mod waiting;
mod wanted;

use std::path::PathBuf;

use clap::Args;
use rpctape::capture::path_of;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Framing;
use rpctape::redact::Redactor;
use rpctape::replay::recording::Recording;
use rpctape::replay::{Options, Plan, RunReport};
use rpctape::report::escape;

use super::accept;
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::header::first_line;
use crate::cli::args::input;
use crate::cli::args::run_reports::RunReportArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen::io;
use crate::cli::signals::Stop;
pub use args::{Frame, TargetArgs};
use args::{NoiseArgs, PlayArgs};
use rpctape::report::shell;
use rpctape::store::Store;
use session::{Prepared, Session};
use suite::Gate;
pub use suite::project_folder;
pub use target::Server;

/// Play a recorded session against a live server, cancels and concurrency as they were, and judge what it does now
///
/// Only what is known to be read-only is sent unless you allow more: `--dry-run` shows what that means for a recording.
/// Exit status: 0 nothing failed, 1 something did, 2 could not run or nothing was checked.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub struct ReplayArgs {
    /// Recordings, or any logs that keep the messages; `-` is standard input. Of a folder, all *.rec.jsonl in it
    /// [default: the folder rpctape/ of the project]
    #[arg(value_name = "REC", value_parser = input::name())]
    files: Vec<String>,
    /// Play so many recordings at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    noise: NoiseArgs,
    /// Take what differs into the recordings: each is shown and asked for, or those that are named: changed, error-changed, 7,9
    #[arg(long, value_name = "WHAT,...", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "")]
    update: Option<Vec<String>>,
    /// Why they are taken, for the header of the recording
    #[arg(long, value_name = "TEXT", requires = "update")]
    reason: Option<String>,
    #[command(flatten)]
    report: RunReportArgs,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    view: ViewArgs,
}

/// What becomes of the live session.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "The live session")]
struct KeepArgs {
    /// Keep it in this file [default: NAME.run.jsonl, beside the first report or here]
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Do not keep it
    #[arg(long, conflicts_with = "keep")]
    no_keep: bool,
    /// Put recording and live session into this database
    #[arg(long, value_name = "FILE", conflicts_with = "no_keep")]
    db: Option<PathBuf>,
}

/// A given secret is one wherever a server repeats it. Shorter values, in bytes, stand in too much other text.
const SHORTEST_SECRET: usize = 4;

fn shapes(secrets: &[(String, String)]) -> impl Iterator<Item = String> {
    secrets.iter().filter(|(_, value)| value.len() >= SHORTEST_SECRET).map(|(_, value)| regex::escape(value))
}

/// Plays and judges: one recording, or a suite of them.
pub fn run(args: &ReplayArgs, stop: &Stop) -> Result<u8> {
    if args.update.is_some() {
        accept::admit()?;
        if args.keep.no_keep {
            let error = Error::new(
                ErrorKind::Usage,
                "--update takes what differs from the live session, which --no-keep drops",
            );
            return Err(error.hint("leave --no-keep out"));
        }
    }
    let recordings = suite::recordings(&args.files)?;
    if let Some(db) = &args.keep.db {
        input::settle(db, &recordings.concat())?;
        Store::admits(db)?;
    }
    match &recordings[..] {
        [parts] if !suite::is_suite(&args.files) || suite::alone(args).is_some() => one(args, parts, stop),
        recordings => suite::run(args, recordings, stop),
    }
}

/// Plays one recording. Reports that were asked for are written also where it cannot be played.
fn one(args: &ReplayArgs, parts: &[String], stop: &Stop) -> Result<u8> {
    let gate = Gate::new(1);
    let done = Session::prepare(args, parts, stop, &gate).and_then(|prepared| match prepared {
        Prepared::Told => Ok(0),
        Prepared::Ready(session) => {
            session.forewarn();
            session.whole()
        }
    });
    if let Err(error) = &done {
        let file = parts.first().map_or("", String::as_str);
        args.report.open(parts)?.write_refusal(&suite::failed(file, error), redactor(args))?;
    }
    done
}

/// Takes what differs into the recordings of these runs; 1 where something that fails was left. A run that was broken off leaves
/// its recording alone.
fn update(args: &ReplayArgs, runs: &[RunReport], stop: &Stop) -> Result<u8> {
    if stop.exit_code().is_some() {
        io::say("nothing was accepted: the run was interrupted");
        return Ok(suite_exit(runs.iter()));
    }
    let words = args.update.as_deref().unwrap_or_default();
    let mut left = suite_exit(runs.iter().filter(|run| run.live_session.is_none()));
    for run in runs {
        let Some(live) = run.live_session.as_ref().filter(|_| run.outcome() != "pass") else { continue };
        let what = words_for(run, words, runs);
        if what.is_empty() && !words.is_empty() {
            left = left.max(run.exit);
            continue;
        }
        let accepted = accept::Run { recording: &run.recording, live, what: &what, reason: args.reason.as_deref() };
        let taken = accept::after_replay(accepted, &args.play.compare, &args.view, stop)?;
        left = left.max(without(run, &taken));
    }
    Ok(left)
}

/// What is taken of one run: a request that only others offer is none of its own. One that no run offers stays, and is an error.
fn words_for(run: &RunReport, words: &[String], runs: &[RunReport]) -> Vec<String> {
    let others = |word: &str| runs.iter().any(|other| accept::offers(other, word));
    words.iter().filter(|word| accept::offers(run, word) || !others(word)).cloned().collect()
}

/// The exit code of a run whose recording has these answers now: all else that it failed for still holds.
fn without(run: &RunReport, taken: &[accept::Taken]) -> u8 {
    if run.standing.interrupted {
        return run.exit;
    }
    let mut rest = run.clone();
    for entry in &mut rest.exchanges {
        entry.fails &=
            !taken.iter().any(|(connection, label)| entry.connection == *connection && entry.label == *label);
    }
    rest.conclude();
    rest.exit
}

fn suite_exit<'r>(runs: impl Iterator<Item = &'r RunReport>) -> u8 {
    runs.map(|run| run.exit).max().unwrap_or(0)
}

/// What a run goes by: the settings, in which all is hidden that it was given as a secret, the server, and the options.
fn terms(args: &ReplayArgs) -> Result<(Config, Option<Server>, Options)> {
    let mut config = config(args)?;
    let server = match &args.noise.noise_from {
        Some(from) => Some(Server::read(from)?),
        None => Server::of(&args.play.target, &config.replay)?,
    };
    let options = options::options(args, &config.replay, server.as_ref())?;
    config.secrets.values.extend(shapes(&options.rewrite.secrets));
    config.secrets.values.extend(server.iter().flat_map(Server::hidden));
    Ok((config, server, options))
}

/// Replaces secrets in what is written; those of a run that could not begin are not known.
fn redactor(args: &ReplayArgs) -> Option<Redactor> {
    let config = terms(args).map(|(config, ..)| config).or_else(|_| config(args)).ok()?;
    args.view.redact.redactor(&config)
}

/// The configuration; `--config` is a client's where `--server` stands beside it.
fn config(args: &ReplayArgs) -> Result<Config> {
    let named = args.play.target.config.as_deref().filter(|_| args.play.target.server.is_none());
    Config::load(named, Uses::Playing)
}

/// What is lost, and which secrets are missing.
fn forewarn(recording: &Recording, plan: &Plan, options: &Options) {
    for loss in &plan.losses {
        io::say(&format!("note: {}", loss));
    }
    let missing = wanted::secrets(recording, plan, &options.rewrite.secrets);
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--secret {name}=env:VARIABLE")).collect();
        io::say(&format!("note: requests with a secret that is not given are not sent: {}", flags.join(" ")));
    }
}

/// What is asked before anything is started.
fn ahead(
    args: &ReplayArgs,
    recording: &Recording,
    plan: &Plan,
    options: &Options,
    server: Option<&Server>,
    mut redactor: Option<Redactor>,
) -> Result<()> {
    let clean = redactor.as_mut().map(|redactor| dry::redacted(plan, redactor));
    let plan = clean.as_ref().unwrap_or(plan);
    let name = redactor.as_mut().map(|redactor| redactor.text(&recording.name).into_owned());
    let name = name.as_deref().unwrap_or(&recording.name);
    let mut show = |text: &str| match &mut redactor {
        Some(redactor) => io::print(&redactor.text(text)),
        None => io::print(text),
    };
    let columns = args.view.screen.style(false, false).columns();
    if args.play.send.suggest {
        let rules = rpctape::replay::suggest::suggest(recording, &options.rewrite.flows);
        show(&dry::suggestions(&rules))?;
    }
    if args.play.send.explain_schedule {
        show(&dry::schedule(recording, plan, columns))?;
    }
    if args.play.send.dry_run {
        let whom = server.map_or_else(|| "no server named".to_string(), |server| escape(&server.label).to_string());
        show(&dry::plan(recording, plan, (name, &whom), &options::in_words(&options.pace), columns))?;
    }
    Ok(())
}

/// An error where nothing of the client would be sent.
fn something(recording: &Recording, plan: &Plan) -> Result<()> {
    let Some(why) = plan.vain() else { return Ok(()) };
    let message = format!("nothing was checked of {}: {why}", recording.name);
    let error = Error::new(ErrorKind::Usage, message);
    let allow: Vec<String> =
        plan.connections.iter().flat_map(|plan| &plan.allow).map(|pattern| dry::allow(pattern)).take(3).collect();
    Err(match allow.is_empty() {
        true => error.hint("--dry-run shows why; --only, --skip, --from and --to choose requests"),
        false => error.hint(format!("--dry-run shows why; to send them: {}", allow.join(" "))),
    })
}

/// Nobody said what to play against. What the recording was made of is proposed, never run.
fn no_server(file: &str) -> Error {
    let error = Error::new(ErrorKind::Usage, "no server was named to play against");
    let line = format!("rpctape replay {}{}", shell::file(file), pasted::whole());
    error.hint(match recorded_command(file) {
        Some(command) => format!("it was recorded from: {line} -- {command}"),
        None => format!("start one: {line} -- COMMAND; or --url, --connect; --dry-run needs none"),
    })
}

/// The command line in the header of a recording.
fn recorded_command(file: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Header {
        #[serde(rename = "rec")]
        _rec: u32,
        cmd: Vec<String>,
    }
    let header: Header = serde_json::from_str(&first_line(&path_of(file))?).ok()?;
    let clean = Redactor::default().args(&header.cmd);
    (!clean.is_empty()).then(|| shell::words(clean.iter().map(String::as_str)))
}

/// As the flag has it, else as it was recorded, else as the protocol has it.
fn framing(args: &ReplayArgs, recording: &Recording) -> Framing {
    let usual = || match recording.connections.iter().any(|connection| connection.profile.framed_by_length()) {
        true => Framing::ContentLength,
        false => Framing::Lines,
    };
    match args.play.target.frame {
        Some(Frame::Lines) => Framing::Lines,
        Some(Frame::ContentLength) => Framing::ContentLength,
        None => recording.connections.iter().find_map(|connection| connection.framing).unwrap_or_else(usual),
    }
}

/// A time that passed, in words: `820 ms`, `1.2 s`, `3m 46s`.
fn span(us: i64) -> String {
    match us.max(0) {
        us if us < 999_500 => format!("{} ms", (us + 500) / 1000),
        us if us < 59_950_000 => format!("{:.1} s", us as f64 / 1e6),
        us => format!("{}m {:02}s", us / 60_000_000, us / 1_000_000 % 60),
    }
}
