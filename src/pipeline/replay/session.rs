//! One whole run: played, written down, read back in by the ordinary path, audited.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use super::drive::{self, Job, Watch};
use super::load;
use crate::capture::{Overrides, Vantage};
use crate::error::{Error, ErrorKind, Result};
use crate::live::tape::{Tape, TapeOptions};
use crate::live::{Clock, Target};
use crate::output::{Listed, Output, Readers, failed, leftovers};
use crate::pipeline::{Options, Quiet, ingest};
use crate::protocol::{Profile, by_name_alone};
use crate::redact::Custom;
use crate::replay::recording::{Connection, Recording};
use crate::replay::run::{Broken, RunLog};
use crate::store::Store;

/// What becomes of the live session beside its judgement.
#[derive(Clone, Debug, Default)]
pub struct Keep {
    /// The file it is kept in. What is there already is replaced once the new one is whole; `None` keeps nothing.
    pub file: Option<PathBuf>,
    /// Secrets to replace in that file beside the usual ones; `None` stores everything as it was.
    pub redact: Option<Custom>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// What was done, one per connection of the recording.
    pub logs: Vec<RunLog>,
    /// The live session; its connections are those of the recording, in the same order.
    pub live: Recording,
    /// When it started, microseconds since the epoch.
    pub started_us: i64,
    /// How long it took.
    pub wall_us: i64,
    /// What could not be written down, and why.
    pub trouble: Option<String>,
}

/// Plays a job and reads back what it left. `replay_of` names the recorded session.
pub fn run(
    job: &Job<'_>,
    replay_of: &str,
    keep: &Keep,
    options: &Options,
    interrupt: Option<&Arc<AtomicBool>>,
    watch: &mut dyn Watch,
) -> Result<Ran> {
    let folder = Scratch::new()?;
    let whole = folder.path.join("live.run.jsonl");
    let clock = Clock::start();
    let begun = Tape::start(TapeOptions { redact: None, ..describe(job, &whole, replay_of) }, clock);
    let mut tapes = vec![begun.map_err(|error| not_written(&error.message))?];
    // Before anything is sent: a place that cannot be written to is an error then.
    let kept = keep.file.as_deref().map(|file| Output::create(file, Readers::Owner)).transpose()?;
    let part = folder.path.join("kept.run.jsonl");
    if kept.is_some() {
        let redact = keep.redact.clone();
        let begun = Tape::start(TapeOptions { redact, ..describe(job, &part, replay_of) }, clock);
        tapes.push(begun.map_err(|error| not_written(&error.message))?);
    }
    let played = drive::play(job, clock, &tapes, interrupt, watch);
    let wall_us = clock.us();
    let mut troubles = tapes.into_iter().map(|tape| tape.finish(wall_us).trouble);
    let (lost, trouble) = (troubles.next().flatten(), troubles.next().flatten());
    let unreached = played.as_ref().ok().and_then(|logs| unreached(logs));
    // What is judged is what was written down. Nothing is, where a part of it is missing.
    if let (Some(why), Ok(_), None) = (lost, &played, &unreached) {
        return Err(not_written(&why));
    }
    // Where nothing was said, what is kept from an earlier run stays.
    if let (Some(mut kept), None) = (kept, &unreached) {
        let copied = File::open(&part).and_then(|mut part| std::io::copy(&mut part, &mut kept));
        copied.map_err(|error| failed("the live session", error))?;
        kept.finish()?;
    }
    if let Some(why) = unreached {
        let error = Error::new(ErrorKind::Usage, format!("nothing was checked: {why}"));
        return Err(match job.target {
            Target::Command(_) => {
                error.hint("what stands behind -- is started as it is, without a shell: try it by itself first")
            }
            _ if why.contains("--") => error,
            _ => error.hint("is the server up, and is this its address?"),
        });
    }
    let logs = played?;
    let live = read_back(job.recording, &whole, options)?;
    let live = match untold(job.recording, &live, &logs) {
        None => live,
        Some(profile) => {
            let overrides = Overrides { profile: Some(profile), ..options.overrides.clone() };
            read_back(job.recording, &whole, &Options { overrides, ..options.clone() })?
        }
    };
    Ok(Ran { logs, live, started_us: clock.epoch_us(), wall_us, trouble })
}

fn not_written(why: &str) -> Error {
    let message = format!("the live session could not be written, and nothing was judged: {why}");
    Error::new(ErrorKind::Io, message).hint("it is written in TMPDIR: make room there, or name another")
}

pub(super) fn describe(job: &Job<'_>, path: &Path, replay_of: &str) -> TapeOptions {
    let frame = job.framing.as_str();
    let (transport, framed) = match job.target {
        Target::Command(_) => ("stdio", true),
        Target::Tcp(_) => ("tcp", true),
        Target::Unix(_) => ("unix", true),
        Target::Http(_) => ("http", false),
        Target::HttpSse(_) => ("sse", false),
        Target::Ws(_) => ("ws", false),
    };
    let (mut cmd, mut env_names) = (Vec::new(), Vec::new());
    if let Target::Command(command) = job.target {
        cmd.push(command.program.clone());
        cmd.extend(command.args.iter().cloned());
        env_names.extend(command.env.iter().map(|(name, _)| name.clone()));
    }
    TapeOptions {
        proto: spoken(job.recording).map(str::to_string),
        transport: transport.to_string(),
        frame: if framed { frame.to_string() } else { String::new() },
        vantage: Vantage::Client,
        cmd,
        env_names,
        replay_of: Some(replay_of.to_string()),
        ..TapeOptions::new(path)
    }
}

/// The protocol that all connections speak, so that the live session is read as the recording was. Its revision is settled by the
/// live handshake.
fn spoken(recording: &Recording) -> Option<&'static str> {
    let mut names = recording.connections.iter().map(|connection| connection.profile.name);
    let first = names.next()?;
    (by_name_alone(first).is_some() && names.all(|name| name == first)).then_some(first)
}

/// The profile by which the recording was judged, where the live session shows another one and its handshake agreed on nothing
/// else: what the recording was told of its protocol does not show in its traffic.
fn untold(recorded: &Recording, live: &Recording, logs: &[RunLog]) -> Option<&'static Profile> {
    let mut profiles = recorded.connections.iter().map(|connection| connection.profile);
    let first = profiles.next()?;
    let other = live.connections.iter().any(|connection| !std::ptr::eq(connection.profile, first));
    let alike = profiles.all(|profile| std::ptr::eq(profile, first));
    (other && alike && !first.unknown_revision && logs.iter().all(|log| log.revision.is_none())).then_some(first)
}

/// Why no connection could be opened, where none could.
fn unreached(logs: &[RunLog]) -> Option<String> {
    let mut whys = logs.iter().map(|log| match &log.broken {
        Some(Broken::Link(why)) => Some(why.clone()),
        _ => None,
    });
    let first = whys.next()??;
    whys.all(|why| why.is_some()).then_some(first)
}

/// The session as a recording, one connection for each of the recorded ones.
pub(super) fn read_back(recorded: &Recording, file: &Path, options: &Options) -> Result<Recording> {
    let mut store = Store::temporary()?;
    let overrides = Overrides { profile: options.overrides.profile, ..Overrides::default() };
    let options = Options { overrides, interrupt: None, ..options.clone() };
    ingest(&mut store, &[file.display().to_string()], &options, &mut Quiet)?;
    let live = load(&store, &recorded.name)?;
    let number =
        |connection: &Connection| connection.key.rsplit('/').next().and_then(|text| text.parse::<usize>().ok());
    let found = |nth: usize| live.connections.iter().find(|connection| number(connection) == Some(nth)).cloned();
    let connections = recorded
        .connections
        .iter()
        .enumerate()
        .map(|(at, old)| found(at + 1).unwrap_or_else(|| silent(old, at + 1)))
        .collect();
    Ok(Recording { connections, ..live })
}

/// A connection that was never opened.
fn silent(old: &Connection, number: usize) -> Connection {
    Connection {
        key: format!("live/{number}"),
        vantage: Vantage::Client,
        complete_head: true,
        events: Vec::new(),
        exchanges: Vec::new(),
        faults: Default::default(),
        resumed: Default::default(),
        ..old.clone()
    }
}

/// A folder of this process alone, which goes with the value, or with the next start where this process is killed.
pub struct Scratch {
    path: PathBuf,
    _listed: Listed,
    _folder: TempDir,
    _lock: File,
}

/// The file in a folder that its process holds.
const LOCK: &str = "lock";

/// How often a folder is made anew before it is used without a lock.
const RACES: usize = 64;

/// What the name of such a folder begins with.
const BEGIN: &str = "rpctape-";

impl Scratch {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it, for its owner alone, and removes what killed processes left.
    ///
    /// # Errors
    /// It cannot be made in TMPDIR.
    pub fn new() -> Result<Scratch> {
        let temporary = std::env::temp_dir();
        let fail = |error: std::io::Error| Error::io("create", &temporary.join(BEGIN).to_string_lossy(), &error);
        let make = || {
            let folder = tempfile::Builder::new().prefix(BEGIN).tempdir_in(&temporary)?;
            let lock = File::create_new(folder.path().join(LOCK))?;
            Ok((folder, lock))
        };
        let (mut folder, mut lock) = make().map_err(fail)?;
        // Who cleans up may take a folder that was made a moment ago for one that was left.
        let mut taken = leftovers::take(&lock, &folder.path().join(LOCK));
        for _ in 0..RACES {
            if taken {
                break;
            }
            (folder, lock) = make().map_err(fail)?;
            taken = leftovers::take(&lock, &folder.path().join(LOCK));
        }
        let path = folder.path().to_path_buf();
        leftovers::sweep(&temporary, &lock, |path| {
            let name = path.file_name().and_then(|name| name.to_str())?;
            (name.starts_with(BEGIN) && path.symlink_metadata().is_ok_and(|found| found.is_dir()))
                .then(|| path.join(LOCK))
        });
        Ok(Scratch { _listed: Listed::new(&path), path, _folder: folder, _lock: lock })
    }
}
