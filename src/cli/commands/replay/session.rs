//! One recording and its server: read, planned, played, judged.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Framing;
use rpctape::pipeline::replay::{Job, Keep, Ran, load_connections, run as play};
use rpctape::protocol::Side;
use rpctape::replay::judge::{About, judge};
use rpctape::replay::recording::Recording;
use rpctape::replay::verdict::{ExchangeReport, Verdict};
use rpctape::replay::{Options, Plan, RunReport, plan};
use rpctape::report::shell;

use super::suite::{Gate, Seat};
use super::target::Server;
use super::{
    ReplayArgs, ahead, choose, forewarn, framing, no_server, options, pasted, something, terms, update, waiting,
};
use crate::cli::args::config::Config;
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::commands::accept;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// What came of reading a recording.
pub(super) enum Prepared<'s> {
    /// What was asked for was said, and nothing is to be played.
    Told,
    /// It can be played.
    Ready(Box<Session<'s>>),
}

/// One recording and its server: everything that its runs have in common.
pub(super) struct Session<'s> {
    pub(super) args: &'s ReplayArgs,
    /// The recording, as the user named it; of several parts the first.
    pub(super) file: String,
    /// All its files.
    pub(super) parts: Vec<String>,
    pub(super) config: Config,
    pub(super) recording: Recording,
    pub(super) plan: Plan,
    pub(super) options: Options,
    pub(super) server: Server,
    pub(super) framing: Framing,
    /// The recorded session.
    pub(super) recorded: String,
    pub(super) judging: rpctape::pipeline::Options,
    pub(super) stop: &'s Stop,
    /// Is set when this session is to end.
    pub(super) interrupt: Arc<AtomicBool>,
    /// Where it is kept, in the place of the usual file.
    pub(super) kept_as: Option<PathBuf>,
    /// Its place among those that play at the same time.
    pub(super) seat: Seat<'s>,
    /// True if it is one of several.
    pub(super) in_suite: bool,
}

impl<'s> Session<'s> {
    /// Reads a recording and plans what is sent; says what must be said before.
    pub(super) fn prepare(
        args: &'s ReplayArgs,
        parts: &[String],
        stop: &'s Stop,
        gate: &'s Gate,
    ) -> Result<Prepared<'s>> {
        let file = parts.first().map_or("", String::as_str);
        if args.update.is_some() && parts.len() > 1 {
            return Err(accept::in_parts(parts));
        }
        let (config, server, options) = terms(args)?;
        let judge_args = JudgeArgs::default().configured(&config);
        let loaded = input::load(parts, &args.view.read, &judge_args, input::PASSING, stop)?;
        let rows = loaded.store.connections()?;
        let chosen = choose::connections(&rows, &args.play.send, file)?;
        let recording = load_connections(&loaded.store, file, |row| chosen.contains(&row.id))?;
        input::must_be_spoken(&recording)?;
        let plan = plan(&recording, &options)?;
        if args.play.send.dry_run || args.play.send.explain_schedule || args.play.send.suggest {
            forewarn(&recording, &plan, &options);
            if args.report.wants_verdicts() {
                io::say("note: nothing is played, so no report of verdicts is written");
            }
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
            parts: parts.to_vec(),
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
    pub(super) fn forewarn(&self) {
        forewarn(&self.recording, &self.plan, &self.options);
    }

    /// Plays it alone, and writes what came of it.
    pub(super) fn whole(&self) -> Result<u8> {
        let args = self.args;
        let inputs = &self.parts;
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
    pub(super) fn played(&self) -> Result<RunReport> {
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
            self.retry(&mut report, options, &natural, kept.as_deref())?;
        }
        if args.play.pace.repeat > 1 && !self.stopped() {
            report = self.repeat(&report, plan, options, &natural, kept.as_deref())?;
        }
        report.next = self.next(&report);
        // A report says the exit code of the program, and a signal has its own.
        if let (true, Some(code)) = (report.standing.interrupted, self.stop.exit_code()) {
            report.exit = code;
        }
        if let (Some(db), Some(kept)) = (&args.keep.db, &kept) {
            let further = report.exchanges.iter().filter_map(|entry| entry.live_session.clone());
            let live = std::iter::once(kept.display().to_string()).chain(further);
            let inputs: Vec<String> = self.parts.iter().cloned().chain(live).collect();
            let options = rpctape::pipeline::Options { interrupt: None, ..self.judging.clone() };
            input::ingest(&inputs, input::To::File(db, None), &options, true)?;
        }
        Ok(report)
    }

    /// Plays once.
    pub(super) fn play(
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
            io::say(&format!("warning: {}", trouble));
        }
        Ok(ran)
    }

    /// Plays once and judges.
    pub(super) fn once(
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

    pub(super) fn judged(&self, ran: &Ran, options: &Options, kept: Option<&Path>) -> RunReport {
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
    pub(super) fn stopped(&self) -> bool {
        self.stop.exit_code().is_some()
    }

    /// An error once a signal came.
    pub(super) fn go_on(&self) -> Result<()> {
        match self.stopped() {
            true => Err(Error::new(ErrorKind::Interrupted, "interrupted before the session was played")),
            false => Ok(()),
        }
    }

    /// What can be done next, to be copied.
    pub(super) fn next(&self, report: &RunReport) -> Vec<String> {
        let Some(first) = report.first_divergence.and_then(|at| report.exchanges.get(at)) else { return Vec::new() };
        let redactor = self.args.view.redact.redactor(&self.config);
        let clean = |text: &str| redactor.clone().map_or(text.to_string(), |mut it| it.text(text).into_owned());
        let file = |name: &str| shell::file(&clean(name));
        let mut next = Vec::new();
        if let Some(kept) = &report.live_session {
            let differs = |entry: &ExchangeReport| matches!(entry.verdict, Verdict::Changed | Verdict::ErrorChanged);
            let taken =
                |entry: &ExchangeReport| self.args.update.as_ref().is_some_and(|words| accept::takes(words, entry));
            let offers = report.exchanges.iter().any(|entry| entry.fails && differs(entry) && !taken(entry));
            next.push(match offers && self.parts.len() == 1 && accept::takes_answers(&self.file) {
                true => format!("rpctape accept {} --recording {}", file(kept), file(&self.file)),
                false => format!("rpctape why {}", file(first.live_session.as_ref().unwrap_or(kept))),
            });
        }
        if first.issuer == Side::Client && first.line.is_some() {
            let of: Vec<String> = self.of_connection(first.connection).map(clean).collect();
            let label = clean(&first.label);
            let which = shell::words(of.iter().map(String::as_str).chain(["--from", &label]));
            let parts: Vec<String> = self.parts.iter().map(|part| file(part).to_string()).collect();
            next.push(format!("rpctape replay {} {which}{}", parts.join(" "), pasted::again(redactor.clone())));
        }
        next
    }

    /// The flag that names a connection, where the name of a request alone does not.
    fn of_connection(&self, at: usize) -> impl Iterator<Item = &str> {
        let several = self.recording.connections.len() > 1 || !self.args.play.send.connection.is_empty();
        let connection = self.recording.connections.get(at).filter(|_| several);
        connection.into_iter().flat_map(|connection| ["--connection", &connection.key])
    }
}
