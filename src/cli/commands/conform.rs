//! `rpctape conform`: what a live server does with a cancel, clause by clause.

mod args;
mod client;
mod reports;
mod together;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use rpctape::conform::{self, Baseline, Call, Card, Needs, Play, Probe, Question, Speech, Timing};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::{Framing, Target};
use rpctape::output::{self, Folder, Output, Readers};
use rpctape::pipeline::conform::{Examiner, Slow};
use rpctape::pipeline::replay::Unwatched;
use rpctape::protocol::{self, Profile};
use rpctape::replay::options::Policy;
use rpctape::report::conform::{list, redacted};
use rpctape::report::escape;

use super::replay::{Frame, Server, TargetArgs};
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io;
use crate::cli::signals::Stop;
use args::{AskArgs, KnownArgs, PermitArgs, ProbeArgs};
use reports::CardArgs;
use rpctape::report::shell;
use together::Pace;

/// Send a live server the cancels that a client may send, and say for each sentence of the specification what it does
///
/// Only what is known to be read-only is called unless you allow more; `--list` shows what would be sent and starts nothing.
/// Exit status: 0 nothing violates a MUST or SHOULD, 1 something does, 2 could not run or nothing was observed.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub struct ConformArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The other direction: serve a client what is hard for clients, and say what it does. Over standard input and output, or --listen
    #[arg(long, conflicts_with_all = ["command", "url", "connect", "server"])]
    client: bool,
    /// With --client: let clients connect: [HOST:]PORT serves Streamable HTTP, tcp:[HOST:]PORT a byte stream; ends with Ctrl-C
    #[arg(long, value_name = "ADDR", value_parser = super::mock::listen, requires = "client")]
    listen: Option<super::mock::Where>,
    /// How the server is called in the card [default: as it calls itself]
    #[arg(long, value_name = "NAME", conflicts_with = "client")]
    name: Option<String>,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    probe: ProbeArgs,
    #[command(flatten)]
    permit: PermitArgs,
    #[command(flatten)]
    report: CardArgs,
    #[command(flatten)]
    known: KnownArgs,
    /// Keep every probe in this folder, as PROBE.run.jsonl
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Asks, plays, judges and prints.
pub fn run(args: &ConformArgs, stop: &Stop) -> Result<u8> {
    if args.client {
        return client::run(args, stop);
    }
    let probes = args.probe.chosen()?;
    if args.probe.list {
        io::print(&listed(args)?)?;
        return Ok(0);
    }
    let mut config =
        Config::load(args.target.config.as_deref().filter(|_| args.target.server.is_none()), Uses::Playing)?;
    let Some(server) = Server::of(&args.target, &config.replay)? else {
        return Err(Error::new(ErrorKind::Usage, "no server was named")
            .hint("start one: rpctape conform -- COMMAND; or --url, --connect; --list needs none"));
    };
    server.admit(args.target.remote)?;
    config.secrets.values.extend(server.hidden());
    let before = args.known.baseline()?;
    let reports = args.report.open()?;
    let known = args.known.open()?;
    let _kept = args.keep.as_deref().map(Folder::make).transpose()?;
    let redactor = args.redact.redactor(&config);
    let judging = input::options(Default::default(), &JudgeArgs::default().configured(&config), stop)?;
    let examiner = Examiner {
        target: &server.target,
        access: &server.access,
        framing: args.target.frame.map(Framing::from),
        policy: args.permit.policy(&server, args.target.trust_hints),
        judging: rpctape::pipeline::Options { interrupt: None, ..judging },
        keep: args.keep.clone(),
        redact: redactor.is_some().then(|| config.secrets.clone()),
        repeat: if args.probe.fast { 1 } else { args.probe.repeat.into() },
        storm: 0,
        sessions: Default::default(),
        interrupt: Some(stop.flag()),
    };
    // From now on there is a server that has to be told.
    let patience = stop.patient();
    let mut card = examine(args, &examiner, &server, &probes, stop)?;
    drop(patience);
    card.strict = args.known.strict;
    card.know(&before);
    write_known(known, &card, &before)?;
    card.next = next(&card);
    let shown = redactor.map_or_else(|| card.clone(), |mut redactor| redacted(&card, &mut redactor));
    reports.write(&shown, &args.screen)?;
    Ok(card.exit())
}

/// Meets the server, finds the slow request, plays the probes.
fn examine(
    args: &ConformArgs,
    examiner: &Examiner<'_>,
    server: &Server,
    probes: &[&'static Probe],
    stop: &Stop,
) -> Result<Card> {
    let mut met = examiner.meet(args.ask.proto, &mut Unwatched)?;
    if let Some(name) = &args.name {
        (met.server.name, met.server.version) = (name.clone(), None);
    } else if met.server.name == "server" {
        met.server.name.clone_from(&server.label);
    }
    args.ask.call(&mut met.speech)?;
    let named = met.speech.slow.is_some();
    if !named {
        met.speech.slow = examiner.choose(&met, &mut Unwatched)?;
    }
    let mut notes = Vec::new();
    let usual = args.probe.storm(server.remote);
    let slow = match &met.speech.slow {
        None => Err("no slow request (--slow-tool, --allow)".to_string()),
        Some(call) => {
            warn(call);
            examiner.control(&met, &mut Unwatched)?
        }
    };
    match (&slow, &met.speech.slow) {
        (Ok(slow), Some(call)) => {
            met.server.slow = Some(call.name().to_string());
            met.server.natural_us = Some(slow.natural_us);
            notes.extend(uneven(call, slow));
            notes.extend(serial(call, slow, usual).filter(|_| args.probe.storm.is_none()));
        }
        (Err(why), Some(call)) if named => {
            return Err(Error::new(ErrorKind::Usage, why.clone())
                .hint(format!("if it may be called: --allow {}", shell::quoted(&call.pattern()))));
        }
        _ => {}
    }
    let wants_question = |probe: &&Probe| matches!(probe.needs, Needs::Question | Needs::TurnQuestion);
    if let (Ok(slow), true) = (&slow, probes.iter().copied().any(|probe| wants_question(&probe))) {
        met.speech.question = examiner.question(&met, slow, &mut Unwatched)?;
    }
    let slow = slow.as_ref().map_err(String::as_str);
    let own_servers = matches!(server.target, Target::Command(_));
    // A session is optional, and without one nothing else tells the probes apart.
    let mixed = matches!(server.target, Target::Http(_));
    let pace = Pace { fast: args.probe.fast, own_servers, mixed };
    let found = together::play(probes, pace, stop, |probe, interrupt| {
        tell(probe, args);
        let storm = if args.probe.storm.is_some() { usual } else { slow.map_or(usual, |slow| slow.storm(usual)) };
        let examiner = Examiner { interrupt: Some(interrupt), storm, ..examiner.clone() };
        examiner.probe(probe, &met, slow, &mut Unwatched)
    })?;
    let (mut plays, mut unplayed) = (Vec::new(), Vec::new());
    for (probe, found) in found {
        match found {
            Ok(found) => plays.extend(found),
            Err(why) => unplayed.push((probe.name, why)),
        }
    }
    notes.extend(survivors(&plays));
    let card = conform::card(met.speech.profile, met.server.clone(), &plays, &unplayed);
    Ok(Card { notes, ..card })
}

/// Which probe is played, on a terminal.
fn tell(probe: &Probe, args: &ConformArgs) {
    if io::stderr_is_terminal() && !args.report.is_json() {
        io::say(&format!("playing {}: {}", probe.name, probe.about));
    }
}

/// What a cancelled call may leave behind, once, before the first.
fn warn(call: &Call) {
    io::say(&format!(
        "note: {} is called and cancelled, again and again; what a cancelled call has begun may stay half done",
        escape(call.name())
    ));
}

fn uneven(call: &Call, slow: &Slow) -> Option<String> {
    (slow.first_us > 2 * slow.natural_us).then(|| {
        let (short, long) = (rpctape::number::duration(slow.natural_us), rpctape::number::duration(slow.first_us));
        format!("{} took {long} the first time and {short} afterwards: the shorter time is used", call.name())
    })
}

/// Why a storm is smaller than usual.
fn serial(call: &Call, slow: &Slow, usual: usize) -> Option<String> {
    let storm = slow.storm(usual);
    (storm < usual).then(|| {
        format!("two calls of {} take as long as one after the other: the storm has {storm} requests", call.name())
    })
}

fn survivors(plays: &[Play]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in plays.iter().flat_map(|play| &play.log.notes).filter(|note| note.contains("outlived")) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes
}

/// The kept session of the first violation.
fn next(card: &Card) -> Vec<String> {
    let broken = card.clauses.iter().filter(|clause| clause.fails());
    let session = broken.flat_map(|clause| clause.decisive()).find_map(|probe| probe.session.as_deref());
    let any = card.clauses.iter().any(|clause| clause.fails());
    match session {
        Some(file) => {
            vec![format!("rpctape check {}", shell::file(file)), format!("rpctape show {}", shell::file(file))]
        }
        None if any => vec!["--keep DIR keeps every probe as a recording".to_string()],
        None => Vec::new(),
    }
}

/// What would be sent.
fn listed(args: &ConformArgs) -> Result<String> {
    let profile: &'static Profile = match args.ask.proto {
        Some(profile) if !profile.unknown_revision => profile,
        _ => protocol::by_name("mcp", Some("2025-11-25")).unwrap_or(Profile::plain()),
    };
    let mut speech = Speech::of(profile);
    args.ask.call(&mut speech)?;
    if speech.slow.is_none() {
        let (method, params) = profile.tool_call("SLOW", "{}").unwrap_or(("SLOW", "{}".to_string()));
        speech.slow = Some(Call { method: method.to_string(), params, tool: None });
    }
    speech.question = Some(Question { method: "SOMETHING".to_string(), params: "{}".to_string(), after_us: 0 });
    let storm = args.probe.storm(false);
    let timing = Timing { natural_us: 1_000_000, progress_us: 250_000, part: 100, storm };
    Ok(list(&speech, &timing, &args.screen.style(false, false)))
}

impl From<Frame> for Framing {
    fn from(frame: Frame) -> Framing {
        match frame {
            Frame::Lines => Framing::Lines,
            Frame::ContentLength => Framing::ContentLength,
        }
    }
}

impl PermitArgs {
    fn policy(&self, server: &Server, trusted: bool) -> Policy {
        Policy {
            allow: self.allow.clone(),
            deny: self.deny.clone(),
            allow_all: self.allow_all,
            untrusted_hints: server.remote && !trusted,
            ..Policy::default()
        }
    }
}

impl KnownArgs {
    fn baseline(&self) -> Result<Baseline> {
        let Some(path) = &self.baseline else { return Ok(Baseline::default()) };
        let name = path.display().to_string();
        match rpctape::output::read_small(path) {
            Ok(text) => Baseline::read(&text, &name),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.write_baseline => {
                Ok(Baseline::default())
            }
            Err(error) => Err(Error::io("read", &name, &error).hint("--write-baseline writes what is known today")),
        }
    }

    /// The baseline that is to be written, opened before a server is started; without `--write-baseline` nothing is written over it.
    fn open(&self) -> Result<Option<Output>> {
        match &self.baseline {
            Some(path) if self.write_baseline => Output::create(path, Readers::Umask).map(Some),
            Some(path) => output::claim(path, "the baseline").map(|()| None),
            None => Ok(None),
        }
    }
}

fn write_known(known: Option<Output>, card: &Card, before: &Baseline) -> Result<()> {
    let Some(mut output) = known else { return Ok(()) };
    output::written("the baseline", output.write_all(card.baseline(before).text().as_bytes()))?;
    output.finish()
}
