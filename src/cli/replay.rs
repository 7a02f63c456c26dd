//! `rpctape replay`: a recorded session played against a live server, with a verdict for each request.

mod again;
mod args;
mod choose;
mod dry;
mod noise;
mod options;
mod target;
mod values;
mod waiting;
mod wanted;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::{Framing, Target};
use rpctape::pipeline::replay::{Job, Keep, Ran, load_connections, run as play};
use rpctape::protocol::Side;
use rpctape::replay::judge::{About, judge};
use rpctape::replay::recording::Recording;
use rpctape::replay::verdict::{ExchangeReport, Verdict};
use rpctape::replay::{Options, Plan, RunReport, plan};
use rpctape::report::escape;

use super::comparing::CompareArgs;
use super::config::Config;
use super::input::{self, ReadArgs};
use super::io;
use super::judge::JudgeArgs;
use super::run_reports::RunReportArgs;
use super::screen::ScreenArgs;
use super::signals::Stop;
use super::terms::RedactArgs;
use args::{CancelArgs, Frame, LifeArgs, NoiseArgs, PaceArgs, RewriteArgs, SendArgs, TargetArgs};
use target::Server;

/// Play a recorded session against a live server, cancels and concurrency as they were, and judge what it does now
///
/// Only what is known to be read-only is sent unless you allow more: `--dry-run` shows what that means for a recording.
/// Exit status: 0 nothing failed, 1 something did, 2 could not run or nothing was checked.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub struct ReplayArgs {
    /// The recording, or any log that keeps the messages; `-` is standard input
    #[arg(value_name = "REC", value_parser = super::input::name())]
    file: String,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    send: SendArgs,
    #[command(flatten)]
    pace: PaceArgs,
    #[command(flatten)]
    cancel: CancelArgs,
    #[command(flatten)]
    life: LifeArgs,
    #[command(flatten)]
    rewrite: RewriteArgs,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    noise: NoiseArgs,
    #[command(flatten)]
    report: RunReportArgs,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    screen: ScreenArgs,
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

/// Plays and judges.
pub fn run(args: &ReplayArgs, stop: &Stop) -> Result<u8> {
    let mut config = config(args)?;
    let server = match &args.noise.noise_from {
        Some(from) => Some(Server::read(from)?),
        None => Server::of(&args.target)?,
    };
    let judge_args = JudgeArgs::default().configured(&config);
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &judge_args, None, stop)?;
    let chosen = choose::connections(&loaded.store.connections()?, &args.send, &args.file)?;
    let recording = load_connections(&loaded.store, &args.file, |row| chosen.contains(&row.id))?;
    let options = options::options(args, &config.replay, server.as_ref())?;
    config.secrets.values.extend(shapes(&options.rewrite.secrets));
    let plan = plan(&recording, &options)?;
    for loss in &plan.losses {
        io::say(&format!("note: {}", escape(loss)));
    }
    let missing = wanted::secrets(&recording, &plan, &options.rewrite.secrets);
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--secret {name}=env:VARIABLE")).collect();
        io::say(&format!("note: requests with a secret that is not given are not sent: {}", escape(&flags.join(" "))));
    }
    if args.send.dry_run || args.send.explain_schedule || args.send.suggest {
        return ahead(args, &recording, &plan, &options, server.as_ref());
    }
    let Some(server) = server else { return Err(no_server(&args.file)) };
    server.admit(args.target.remote)?;
    something(&recording, &plan)?;
    let session = loaded.store.connections()?.into_iter().find(|row| chosen.contains(&row.id)).map(|row| row.session);
    let run = Run {
        args,
        config: &config,
        recording: &recording,
        server: &server,
        framing: framing(args, &recording),
        session: session.unwrap_or_default(),
        judging: input::options(args.read.said.overrides(), &judge_args, stop)?,
        stop,
    };
    run.whole(&plan, &options)
}

/// The configuration; `--config` is a client's where `--server` stands beside it.
fn config(args: &ReplayArgs) -> Result<Config> {
    Config::load(args.target.config.as_deref().filter(|_| args.target.server.is_none()))
}

/// What is asked before anything is started.
fn ahead(
    args: &ReplayArgs,
    recording: &Recording,
    plan: &Plan,
    options: &Options,
    server: Option<&Server>,
) -> Result<u8> {
    if args.send.suggest {
        let rules = rpctape::replay::suggest::suggest(recording, &options.rewrite.flows);
        io::print(&dry::suggestions(&rules))?;
    }
    if args.send.explain_schedule {
        io::print(&dry::schedule(recording, plan))?;
    }
    if args.send.dry_run {
        let whom = server.map_or_else(|| "no server named".to_string(), |server| escape(&server.label).to_string());
        io::print(&dry::plan(recording, plan, &whom, &options::in_words(&options.pace)))?;
    }
    Ok(0)
}

/// An error where nothing of the client would be sent.
fn something(recording: &Recording, plan: &Plan) -> Result<()> {
    if plan.selected > 0 {
        return Ok(());
    }
    let message = format!("nothing was checked: no request of {} would be sent", recording.name);
    let error = Error::new(ErrorKind::Usage, message);
    let allow: Vec<&str> = plan.connections.iter().flat_map(|plan| &plan.allow).map(String::as_str).take(3).collect();
    Err(match allow.is_empty() {
        true => error.hint("--dry-run shows why; --only, --skip, --from and --to choose requests"),
        false => error.hint(format!("--dry-run shows why; to send them: {}", allow.join(" "))),
    })
}

/// Nobody said what to play against. What the recording was made of is proposed, never run.
fn no_server(file: &str) -> Error {
    let error = Error::new(ErrorKind::Usage, "no server was named to play against");
    match recorded_command(file) {
        Some(command) => error.hint(format!("it was recorded from: rpctape replay {file} -- {command}")),
        None => error
            .hint(format!("start one: rpctape replay {file} -- COMMAND; or --url, --connect; --dry-run needs none")),
    }
}

/// The command line in the header of a recording.
fn recorded_command(file: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Header {
        #[serde(rename = "rec")]
        _rec: u32,
        cmd: Vec<String>,
    }
    let mut line = String::new();
    BufReader::new(std::fs::File::open(file).ok()?).read_line(&mut line).ok()?;
    let header: Header = serde_json::from_str(&line).ok()?;
    (!header.cmd.is_empty()).then(|| header.cmd.join(" "))
}

/// As the flag has it, else as it was recorded, else as the protocol has it.
fn framing(args: &ReplayArgs, recording: &Recording) -> Framing {
    let usual = || match recording.connections.iter().any(|connection| connection.profile.framed_by_length()) {
        true => Framing::ContentLength,
        false => Framing::Lines,
    };
    match args.target.frame {
        Some(Frame::Lines) => Framing::Lines,
        Some(Frame::ContentLength) => Framing::ContentLength,
        None => recording.connections.iter().find_map(|connection| connection.framing).unwrap_or_else(usual),
    }
}

/// One whole command: everything that its runs have in common.
struct Run<'r> {
    args: &'r ReplayArgs,
    config: &'r Config,
    recording: &'r Recording,
    server: &'r Server,
    framing: Framing,
    /// The recorded session.
    session: String,
    judging: rpctape::pipeline::Options,
    stop: &'r Stop,
}

impl Run<'_> {
    fn whole(&self, plan: &Plan, options: &Options) -> Result<u8> {
        let args = self.args;
        if !args.cancel.cancel_sweep.is_empty() {
            return self.sweep(options, &args.cancel.cancel_sweep);
        }
        if args.noise.learn_noise.is_some() || args.noise.noise_from.is_some() {
            return self.learn_noise(options);
        }
        if args.pace.repeat > 1 {
            self.may_repeat(plan, &options.policy, "--repeat")?;
        }
        let kept = self.kept()?;
        let reports = args.report.open(std::slice::from_ref(&args.file))?;
        let (natural, notes) = if args.cancel.control { self.control(options)? } else { Default::default() };
        self.go_on()?;
        let mut report = self.once(plan, options, self.server, &natural, kept.as_deref())?;
        report.notes.extend(notes);
        report.notes.extend(self.hopeless(&report, &natural));
        if options.cancel.retry > 0 && !self.stopped() {
            self.retry(&mut report, options, &natural)?;
        }
        let mut ahead = String::new();
        if args.pace.repeat > 1 && !self.stopped() {
            (report, ahead) = self.repeat(&report, plan, options, &natural)?;
        }
        let next = self.next(&report);
        reports.write(&report, args.redact.redactor(self.config), &args.screen, &ahead, &next)?;
        if let (Some(db), Some(kept)) = (&args.keep.db, &kept) {
            let inputs = [args.file.clone(), kept.display().to_string()];
            let options = rpctape::pipeline::Options { interrupt: None, ..self.judging.clone() };
            input::ingest(&inputs, Some(db), &options, true)?;
        }
        Ok(report.exit)
    }

    /// Plays once.
    fn play(
        &self,
        recording: &Recording,
        plan: &Plan,
        options: &Options,
        server: &Server,
        natural: &[(usize, usize, i64)],
        kept: Option<&Path>,
    ) -> Result<Ran> {
        let job = Job { recording, plan, options, target: &server.target, framing: self.framing, natural };
        let redact = self.args.redact.redactor(self.config).is_some();
        let keep = Keep { file: kept.map(Path::to_path_buf), redact: redact.then(|| self.config.secrets.clone()) };
        let mut line = waiting::Line::new(self.args.read.said.no_progress);
        let interrupt = self.stop.flag();
        let ran = play(&job, &self.session, &keep, &self.judging, Some(&interrupt), &mut line)?;
        drop(line);
        if let Some(trouble) = &ran.trouble {
            io::say(&format!("warning: {}", escape(trouble)));
        }
        Ok(ran)
    }

    /// Plays once and judges.
    fn once(
        &self,
        plan: &Plan,
        options: &Options,
        server: &Server,
        natural: &[(usize, usize, i64)],
        kept: Option<&Path>,
    ) -> Result<RunReport> {
        let ran = self.play(self.recording, plan, options, server, natural, kept)?;
        let about = About {
            target: server.label.clone(),
            speed: options::in_words(&options.pace),
            started_us: Some(ran.started_us),
            wall_us: Some(ran.wall_us),
            live_session: kept.map(|path| path.display().to_string()),
        };
        Ok(judge(self.recording, &ran.live, &ran.logs, options, &about))
    }

    /// True once a signal came: no further run is begun.
    fn stopped(&self) -> bool {
        self.stop.exit_code().is_some()
    }

    /// An error once a signal came.
    fn go_on(&self) -> Result<()> {
        match self.stopped() {
            true => Err(Error::new(ErrorKind::Interrupted, "interrupted before the session was played")),
            false => Ok(()),
        }
    }

    /// What can be done next, to be copied.
    fn next(&self, report: &RunReport) -> Vec<String> {
        let Some(first) = report.first_divergence.and_then(|at| report.exchanges.get(at)) else { return Vec::new() };
        let mut next = Vec::new();
        if let Some(kept) = &report.live_session {
            let differs = |entry: &ExchangeReport| matches!(entry.verdict, Verdict::Changed | Verdict::ErrorChanged);
            next.push(match report.exchanges.iter().any(|entry| entry.fails && differs(entry)) {
                true => format!("rpctape accept {kept} --recording {}", self.args.file),
                false => format!("rpctape why {kept}"),
            });
        }
        if first.issuer == Side::Client && first.line.is_some() {
            let target = match &self.server.target {
                Target::Command(_) => format!("-- {}", self.server.label.trim_start_matches("stdio: ")),
                _ => "...".to_string(),
            };
            next.push(format!("rpctape replay {} --from '{}' {target}", self.args.file, first.label));
        }
        next
    }

    /// Where the live session is kept; never over the recording.
    fn kept(&self) -> Result<Option<PathBuf>> {
        if self.args.keep.no_keep {
            return Ok(None);
        }
        let usual = || choose::run_file(&self.args.file, self.args.report.first_file());
        let file = self.args.keep.keep.clone().unwrap_or_else(usual);
        let same = std::fs::canonicalize(&file)
            .ok()
            .is_some_and(|path| std::fs::canonicalize(&self.args.file).ok() == Some(path));
        if same {
            let message = format!("{} is the recording, and would be overwritten", file.display());
            return Err(Error::new(ErrorKind::Usage, message).hint("name another file with --keep"));
        }
        Ok(Some(file))
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
