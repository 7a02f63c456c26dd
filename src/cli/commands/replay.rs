//! `rpctape replay`: a recorded session played against a live server, with a verdict for each request.

pub mod access;
mod again;
mod args;
mod choose;
mod dry;
pub mod minimise;
mod noise;
mod options;
mod pasted;
mod suite;
mod target;
mod values;
mod waiting;
mod wanted;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};

use clap::Args;
use rpctape::capture::path_of;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Framing;
use rpctape::output::is_same;
use rpctape::pipeline::replay::{Job, Keep, Ran, load_connections, run as play};
use rpctape::protocol::Side;
use rpctape::redact::Redactor;
use rpctape::replay::judge::{About, judge};
use rpctape::replay::recording::Recording;
use rpctape::replay::verdict::{ExchangeReport, Verdict};
use rpctape::replay::{Options, Plan, RunReport, plan};
use rpctape::report::escape;

use super::accept;
use crate::cli::args::config::{Config, FileFound};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::run_reports::RunReportArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen::io;
use crate::cli::signals::Stop;
pub use args::{Frame, TargetArgs};
use args::{NoiseArgs, PlayArgs};
use rpctape::report::shell;
use suite::{Gate, Seat};
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
    let files = suite::recordings(&args.files)?;
    match &files[..] {
        [file] if !suite::is_suite(&args.files) => one(args, file, stop),
        files => suite::run(args, files, stop),
    }
}

/// Plays one recording. Reports that were asked for are written also where it cannot be played.
fn one(args: &ReplayArgs, file: &str, stop: &Stop) -> Result<u8> {
    let gate = Gate::new(1);
    let done = Session::prepare(args, file, stop, &gate).and_then(|prepared| match prepared {
        Prepared::Told => Ok(0),
        Prepared::Ready(session) => {
            session.forewarn();
            session.whole()
        }
    });
    if let Err(error) = &done {
        let redactor = config(args).ok().and_then(|config| args.view.redact.redactor(&config));
        args.report.open(&[file.to_string()])?.write_refusal(&suite::failed(file, error), redactor)?;
    }
    done
}

/// Takes what differs into the recordings of these runs; 1 where something that fails was left.
fn update(args: &ReplayArgs, runs: &[RunReport], stop: &Stop) -> Result<u8> {
    let mut left = suite_exit(runs.iter().filter(|run| run.live_session.is_none()));
    for run in runs {
        let Some(live) = run.live_session.as_ref().filter(|_| run.outcome() != "pass") else { continue };
        let what = args.update.as_deref().unwrap_or_default();
        let accepted = accept::Run { recording: &run.recording, live, what, reason: args.reason.as_deref() };
        let taken = accept::after_replay(accepted, &args.play.compare, &args.view, stop)?;
        left = left.max(without(run, &taken));
    }
    Ok(left)
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

/// What came of reading a recording.
enum Prepared<'s> {
    /// What was asked for was said, and nothing is to be played.
    Told,
    /// It can be played.
    Ready(Box<Session<'s>>),
}

/// The configuration; `--config` is a client's where `--server` stands beside it.
fn config(args: &ReplayArgs) -> Result<Config> {
    let mut config = Config::load(args.play.target.config.as_deref().filter(|_| args.play.target.server.is_none()))?;
    let said = narrow(&mut config);
    static TOLD: Once = Once::new();
    TOLD.call_once(|| said.iter().for_each(|line| io::say(&format!("note: {}", escape(line)))));
    Ok(config)
}

/// What was found by itself never widens what is sent, and is named.
fn narrow(config: &mut Config) -> Vec<String> {
    let Some(FileFound { name, foreign }) = &config.found else { return Vec::new() };
    let replay = &mut config.replay;
    let mut said = vec![format!("settings are those of {name}")];
    if !std::mem::take(&mut replay.allow).is_empty() {
        let flag = shell::words(["--config", name]);
        said.push(format!("its [replay] allow is not used, because it was found and not named: {flag} names it"));
    }
    let server = !replay.command.is_empty() || replay.url.is_some() || replay.connect.is_some();
    if *foreign && server {
        (replay.command, replay.url, replay.connect) = Default::default();
        said.push("its server is not used, because the file belongs to another user".to_string());
    }
    said
}

/// What is lost, and which secrets are missing.
fn forewarn(recording: &Recording, plan: &Plan, options: &Options) {
    for loss in &plan.losses {
        io::say(&format!("note: {}", escape(loss)));
    }
    let missing = wanted::secrets(recording, plan, &options.rewrite.secrets);
    if !missing.is_empty() {
        let flags: Vec<String> = missing.iter().map(|name| format!("--secret {name}=env:VARIABLE")).collect();
        io::say(&format!("note: requests with a secret that is not given are not sent: {}", escape(&flags.join(" "))));
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
    let mut show = |text: &str| match &mut redactor {
        Some(redactor) => io::print(&redactor.text(text)),
        None => io::print(text),
    };
    if args.play.send.suggest {
        let rules = rpctape::replay::suggest::suggest(recording, &options.rewrite.flows);
        show(&dry::suggestions(&rules))?;
    }
    if args.play.send.explain_schedule {
        show(&dry::schedule(recording, plan))?;
    }
    if args.play.send.dry_run {
        let whom = server.map_or_else(|| "no server named".to_string(), |server| escape(&server.label).to_string());
        show(&dry::plan(
            recording,
            plan,
            &whom,
            &options::in_words(&options.pace),
            args.view.screen.style(false, false).columns(),
        ))?;
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
    match recorded_command(file) {
        Some(command) => error.hint(format!("it was recorded from: rpctape replay {} -- {command}", shell::file(file))),
        None => error.hint(format!(
            "start one: rpctape replay {} -- COMMAND; or --url, --connect; --dry-run needs none",
            shell::file(file)
        )),
    }
}

/// A header is shorter, in bytes.
const HEADER: u64 = 1 << 20;

/// The command line in the header of a recording.
fn recorded_command(file: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Header {
        #[serde(rename = "rec")]
        _rec: u32,
        cmd: Vec<String>,
    }
    let mut line = String::new();
    // A pipe was read already, and a header is short.
    let file = std::fs::File::open(Some(path_of(file)).filter(|path| path.is_file())?).ok()?;
    BufReader::new(file.take(HEADER)).read_line(&mut line).ok()?;
    let header: Header = serde_json::from_str(&line).ok()?;
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

/// One recording and its server: everything that its runs have in common.
struct Session<'s> {
    args: &'s ReplayArgs,
    /// The recording, as the user named it.
    file: String,
    config: Config,
    recording: Recording,
    plan: Plan,
    options: Options,
    server: Server,
    framing: Framing,
    /// The recorded session.
    recorded: String,
    judging: rpctape::pipeline::Options,
    stop: &'s Stop,
    /// Is set when this session is to end.
    interrupt: Arc<AtomicBool>,
    /// Where it is kept, in the place of the usual file.
    kept_as: Option<PathBuf>,
    /// Its place among those that play at the same time.
    seat: Seat<'s>,
    /// True if it is one of several.
    in_suite: bool,
}

impl<'s> Session<'s> {
    /// Reads a recording and plans what is sent; says what must be said before.
    fn prepare(args: &'s ReplayArgs, file: &str, stop: &'s Stop, gate: &'s Gate) -> Result<Prepared<'s>> {
        let mut config = config(args)?;
        let server = match &args.noise.noise_from {
            Some(from) => Some(Server::read(from)?),
            None => Server::of(&args.play.target, &config.replay)?,
        };
        let judge_args = JudgeArgs::default().configured(&config);
        let loaded = input::load(&[file.to_string()], &args.view.read, &judge_args, input::PASSING, stop)?;
        let rows = loaded.store.connections()?;
        let chosen = choose::connections(&rows, &args.play.send, file)?;
        let recording = load_connections(&loaded.store, file, |row| chosen.contains(&row.id))?;
        input::must_be_spoken(&recording)?;
        let options = options::options(args, &config.replay, server.as_ref())?;
        config.secrets.values.extend(shapes(&options.rewrite.secrets));
        config.secrets.values.extend(server.iter().flat_map(Server::hidden));
        let plan = plan(&recording, &options)?;
        if args.play.send.dry_run || args.play.send.explain_schedule || args.play.send.suggest {
            forewarn(&recording, &plan, &options);
            ahead(args, &recording, &plan, &options, server.as_ref(), args.view.redact.redactor(&config))?;
            return Ok(Prepared::Told);
        }
        let Some(server) = server else { return Err(no_server(file)) };
        server.admit(args.play.target.remote)?;
        something(&recording, &plan)?;
        let recorded = rows.into_iter().find(|row| chosen.contains(&row.id)).map(|row| row.session);
        Ok(Prepared::Ready(Box::new(Session {
            args,
            file: file.to_string(),
            framing: framing(args, &recording),
            config,
            recording,
            plan,
            options,
            server,
            recorded: recorded.unwrap_or_default(),
            judging: input::options(args.view.read.said.overrides(), &judge_args, stop)?,
            stop,
            interrupt: stop.flag(),
            kept_as: None,
            seat: gate.seat(),
            in_suite: false,
        })))
    }

    /// Says what is lost, and which secrets are missing.
    fn forewarn(&self) {
        forewarn(&self.recording, &self.plan, &self.options);
    }

    /// Plays it alone, and writes what came of it.
    fn whole(&self) -> Result<u8> {
        let args = self.args;
        let inputs = std::slice::from_ref(&self.file);
        if !args.play.cancel.cancel_sweep.is_empty() {
            return self.sweep(&self.options, &args.play.cancel.cancel_sweep, args.report.open(inputs)?);
        }
        if args.noise.learn_noise.is_some() || args.noise.noise_from.is_some() {
            return self.learn_noise(&self.options, args.report.open(inputs)?);
        }
        let reports = args.report.open(inputs)?;
        let report = self.played()?;
        let exit = report.exit;
        reports.write(&report, args.view.redact.redactor(&self.config), &args.view.screen)?;
        match args.update {
            Some(_) => update(args, &[report], self.stop),
            None => Ok(exit),
        }
    }

    /// Plays it, with all that was asked for besides.
    fn played(&self) -> Result<RunReport> {
        let (args, plan, options) = (self.args, &self.plan, &self.options);
        if args.play.pace.repeat > 1 {
            self.may_repeat(plan, &options.policy, "--repeat")?;
        }
        let kept = self.kept()?;
        let (natural, notes) = if args.play.cancel.control { self.control(options)? } else { Default::default() };
        self.go_on()?;
        let mut report = self.once(plan, options, &self.server, &natural, kept.as_deref())?;
        report.notes.extend(notes);
        report.notes.extend(self.hopeless(&report, &natural));
        if options.cancel.retry > 0 && !self.stopped() {
            self.retry(&mut report, options, &natural)?;
        }
        if args.play.pace.repeat > 1 && !self.stopped() {
            report = self.repeat(&report, plan, options, &natural)?;
        }
        report.next = self.next(&report);
        // A report says the exit code of the program, and a signal has its own.
        if let (true, Some(code)) = (report.standing.interrupted, self.stop.exit_code()) {
            report.exit = code;
        }
        if let (Some(db), Some(kept)) = (&args.keep.db, &kept) {
            let inputs = [self.file.clone(), kept.display().to_string()];
            let options = rpctape::pipeline::Options { interrupt: None, ..self.judging.clone() };
            input::ingest(&inputs, input::To::File(db, None), &options, true)?;
        }
        Ok(report)
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
        let job = Job {
            recording,
            plan,
            options,
            target: &server.target,
            access: &server.access,
            framing: self.framing,
            natural,
        };
        let redact = self.args.view.redact.redactor(&self.config).is_some();
        let keep = Keep { file: kept.map(Path::to_path_buf), redact: redact.then(|| self.config.secrets.clone()) };
        self.seat.take();
        let mut watching = waiting::Watching {
            line: waiting::Line::new(self.args.view.read.said.no_progress || self.in_suite),
            seat: &self.seat,
            stop: self.stop,
            patience: None,
        };
        let ran = play(&job, &self.recorded, &keep, &self.judging, Some(&self.interrupt), &mut watching)?;
        drop(watching);
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
        let ran = self.play(&self.recording, plan, options, server, natural, kept)?;
        Ok(self.judged(&ran, options, kept))
    }

    fn judged(&self, ran: &Ran, options: &Options, kept: Option<&Path>) -> RunReport {
        let about = About {
            target: self.server.label.clone(),
            speed: options::in_words(&options.pace),
            started_us: Some(ran.started_us),
            wall_us: Some(ran.wall_us),
            live_session: kept.map(|path| path.display().to_string()),
        };
        judge(&self.recording, &ran.live, &ran.logs, options, &about)
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
                true => format!("rpctape accept {} --recording {}", shell::file(kept), shell::file(&self.file)),
                false => format!("rpctape why {}", shell::file(kept)),
            });
        }
        if first.issuer == Side::Client && first.line.is_some() {
            let from = shell::words(["--from", &first.label]);
            next.push(format!("rpctape replay {} {from}{}", shell::file(&self.file), pasted::again()));
        }
        next
    }

    /// Where the live session is kept; never over the recording.
    fn kept(&self) -> Result<Option<PathBuf>> {
        if self.args.keep.no_keep {
            return Ok(None);
        }
        let usual = || choose::run_file(&self.file, self.args.report.first_file());
        let file = self.args.keep.keep.clone().or_else(|| self.kept_as.clone()).unwrap_or_else(usual);
        let taken = |what: &str| {
            let message = format!("{} is {what}, and would be overwritten", file.display());
            Err(Error::new(ErrorKind::Usage, message).hint("name another file with --keep"))
        };
        if is_same(&file, &io::place_of(&self.file)) {
            return taken("the recording");
        }
        if self.args.report.files().any(|answer| is_same(&file, answer)) {
            return taken("where an answer goes");
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
