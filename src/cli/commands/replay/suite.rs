//! Several recordings as one suite: each against a server of its own, one report.
//!
//! So many play at a time as `--jobs` says. A session whose cancels are only watched, or whose server only ends, plays no more, and
//! the next one begins.

use std::cell::Cell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rpctape::capture::{self, name_of, path_of};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::lies_in;
use rpctape::replay::RunReport;
use rpctape::replay::verdict::worst_exit;
use rpctape::report::replay::Suite;

use super::{Prepared, ReplayArgs, Session, choose, redactor};
use crate::cli::args::config::project;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Recordings of a folder end in this.
const RECORDING: &str = ".rec.jsonl";
/// Sessions that are alive at the same time at most, those that are only watched included: each has a process and two threads.
const ALIVE: usize = 64;
/// How often a signal is looked for.
const STEP: Duration = Duration::from_millis(50);

/// True if what was named is a suite, although it may hold a single recording.
pub fn is_suite(named: &[String]) -> bool {
    named.is_empty() || named.iter().any(|name| path_of(name).is_dir())
}

/// The recordings that were named, each with the files of its parts: files as they are; of folders, what they hold, by name.
pub fn recordings(named: &[String]) -> Result<Vec<Vec<String>>> {
    Ok(capture::recordings(&files(named)?))
}

fn files(named: &[String]) -> Result<Vec<String>> {
    if named.is_empty() {
        return in_folder(&project_folder()?.to_string_lossy());
    }
    let mut files = Vec::new();
    for name in named {
        match path_of(name).is_dir() {
            true => files.extend(in_folder(name)?),
            false => files.push(name.clone()),
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(place(file)));
    Ok(files)
}

/// Where a file is, however it was named: `a` and `./a` are one. A link to a recording is a recording of its own.
fn place(file: &str) -> PathBuf {
    let path = path_of(file);
    let folder = path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// The folder whose recordings are played where none was named.
pub fn project_folder() -> Result<PathBuf> {
    let holds = |folder: &Path| in_folder(&folder.to_string_lossy()).is_ok();
    project(holds).ok_or_else(|| {
        Error::new(ErrorKind::Usage, "no recording was named, and there is no folder rpctape/ with recordings")
            .hint("make one with `rpctape record --name NAME -- SERVER`, or name recordings or a folder of them")
    })
}

fn in_folder(folder: &str) -> Result<Vec<String>> {
    let (mut found, mut open) = (Vec::new(), vec![path_of(folder)]);
    while let Some(place) = open.pop() {
        let fault = |error: std::io::Error| Error::io("read", &place.to_string_lossy(), &error);
        for entry in std::fs::read_dir(&place).map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            // A link to a folder may lead back to it.
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            // A link that leads nowhere is a recording that cannot be played: to pass it over would be a green run without it.
            } else if (path.is_file() || !path.exists()) && path.to_string_lossy().ends_with(RECORDING) {
                found.push(name_of(path.as_os_str()));
            }
        }
    }
    if found.is_empty() {
        return Err(Error::new(ErrorKind::Usage, format!("nothing was checked: {folder} holds no recording"))
            .hint(format!("recordings end in {RECORDING}; other logs are named one by one")));
    }
    found.sort();
    Ok(found)
}

/// How many sessions may play at the same time.
pub struct Gate {
    counts: Mutex<Counts>,
    changed: Condvar,
}

struct Counts {
    free: usize,
    alive: usize,
}

impl Gate {
    /// A gate for so many.
    pub fn new(jobs: usize) -> Gate {
        Gate { counts: Mutex::new(Counts { free: jobs, alive: 0 }), changed: Condvar::new() }
    }

    /// A place that is not taken yet.
    pub fn seat(&self) -> Seat<'_> {
        Seat { gate: self, taken: Cell::new(false) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a moment for something to change.
    fn pause<'g>(&self, counts: MutexGuard<'g, Counts>) -> MutexGuard<'g, Counts> {
        self.changed.wait_timeout(counts, STEP).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// One session's place among those that play.
pub struct Seat<'g> {
    gate: &'g Gate,
    taken: Cell<bool>,
}

impl Seat<'_> {
    /// Takes the place as soon as one is free, if it is not taken.
    pub fn take(&self) {
        let mut counts = self.gate.counts();
        while !self.taken.get() && counts.free == 0 {
            counts = self.gate.pause(counts);
        }
        if !self.taken.replace(true) {
            counts.free -= 1;
        }
    }

    /// Gives it up.
    pub fn leave(&self) {
        if self.taken.replace(false) {
            self.gate.counts().free += 1;
            self.gate.changed.notify_all();
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// An answer in a folder of recordings, with a name like theirs, would be played by the next run.
fn no_recordings(args: &ReplayArgs) -> Result<()> {
    let folders = if args.files.is_empty() {
        vec![project_folder()?]
    } else {
        args.files.iter().map(|name| path_of(name)).collect()
    };
    let is_played =
        |path: &Path| path.to_string_lossy().ends_with(RECORDING) && folders.iter().any(|folder| lies_in(path, folder));
    let Some(path) = args.report.files().find(|path| is_played(path)) else { return Ok(()) };
    Err(Error::new(ErrorKind::Usage, format!("{} would be played by the next run", path.display()))
        .hint(format!("what ends in {RECORDING} there is a recording; name another file for the answer")))
}

/// Plays all of them and writes one report.
pub fn run(args: &ReplayArgs, recordings: &[Vec<String>], stop: &Stop) -> Result<u8> {
    let files: Vec<String> = recordings.iter().filter_map(|parts| parts.first().cloned()).collect();
    if let Some(flag) = alone(args) {
        return Err(Error::new(
            ErrorKind::Usage,
            format!("{flag} is for one recording, and there are {}", files.len()),
        )
        .hint("name one of them"));
    }
    no_recordings(args)?;
    let reports = args.report.open(&recordings.concat())?;
    let kept = kept_as(&files, args.report.first_file());
    let gate = Gate::new(usize::from(args.jobs));
    let told = args.play.send.dry_run || args.play.send.explain_schedule || args.play.send.suggest;
    let done: Mutex<Vec<Option<RunReport>>> = Mutex::new(vec![None; files.len()]);
    let stops: Arc<Vec<Stop>> = Arc::new(files.iter().map(|_| stop.own()).collect());
    hand_on(stop, &stops);
    let put = |at: usize, report: RunReport| {
        done.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(report);
    };
    thread::scope(|scope| {
        for (at, (file, parts)) in files.iter().zip(recordings).enumerate() {
            // Read while the one before plays.
            let prepared = Session::prepare(args, parts, &stops[at], &gate);
            if !turn(&gate, stop) {
                break;
            }
            match prepared {
                Ok(Prepared::Told) => {}
                Ok(Prepared::Ready(mut session)) => {
                    session.forewarn();
                    (session.kept_as, session.in_suite) = (Some(kept[at].clone()), true);
                    // Taken here, so that they begin in their order.
                    session.seat.take();
                    gate.counts().alive += 1;
                    let (gate, put) = (&gate, &put);
                    scope.spawn(move || {
                        match session.played() {
                            Ok(report) => put(at, report),
                            // It is counted as not played.
                            Err(error) if error.kind == ErrorKind::Interrupted => {}
                            Err(error) => put(at, failed(file, &error)),
                        }
                        drop(session);
                        gate.counts().alive -= 1;
                        gate.changed.notify_all();
                    });
                }
                Err(error) => put(at, failed(file, &error)),
            }
        }
        let mut counts = gate.counts();
        while counts.alive > 0 {
            counts = gate.pause(counts);
        }
    });
    drop(stops);
    let runs: Vec<RunReport> =
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect();
    if told {
        // What was asked for is on the screen; only what could not be read is left to say.
        runs.iter()
            .for_each(|run| io::say(&format!("error: {}: {}", run.recording, run.failure.as_deref().unwrap_or(""))));
        return Ok(worst_exit(&runs) * u8::from(!runs.is_empty()));
    }
    let not_played = files.len() - runs.len();
    if runs.is_empty() {
        return Err(Error::new(ErrorKind::Interrupted, "interrupted before a session was played"));
    }
    let suite = Suite { runs: &runs, not_played, stopped: stop.exit_code() };
    reports.write_suite(&suite, redactor(args), &args.view.screen)?;
    match args.update {
        Some(_) => super::update(args, &runs, stop),
        None => Ok(worst_exit(&runs)),
    }
}

/// The flag that was given and is for one recording at a time.
pub fn alone(args: &ReplayArgs) -> Option<&'static str> {
    let flags = [
        (!args.play.cancel.cancel_sweep.is_empty(), "--cancel-sweep"),
        (args.noise.learn_noise.is_some(), "--learn-noise"),
        (args.noise.noise_from.is_some(), "--noise-from"),
        (args.keep.keep.is_some(), "--keep"),
    ];
    flags.iter().find(|(given, _)| *given).map(|(_, flag)| *flag)
}

/// Hands a signal on to all sessions, for as long as there are some. The suite itself may be reading what says nothing.
fn hand_on(stop: &Stop, sessions: &Arc<Vec<Stop>>) {
    let (stop, sessions) = (stop.clone(), Arc::downgrade(sessions));
    thread::spawn(move || {
        while let Some(sessions) = sessions.upgrade() {
            stop.hand_on(sessions.iter().map(Stop::flag));
            drop(sessions);
            thread::sleep(STEP);
        }
    });
}

/// Waits until a session may begin; false once a signal came.
fn turn(gate: &Gate, stop: &Stop) -> bool {
    let mut counts = gate.counts();
    while counts.free == 0 || counts.alive >= ALIVE {
        if stop.exit_code().is_some() {
            return false;
        }
        counts = gate.pause(counts);
    }
    stop.exit_code().is_none()
}

/// The report on a recording that could not be played.
pub fn failed(file: &str, error: &Error) -> RunReport {
    let hint = error.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
    RunReport::failed(file, format!("{}{hint}", error.message))
}

/// Where each live session is kept: under its own name, and where two recordings have the same, under their paths.
fn kept_as(files: &[String], beside: Option<&Path>) -> Vec<PathBuf> {
    let usual = |file: &String| choose::run_file(file, beside);
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut kept = Vec::new();
    for file in files {
        let twice = files.iter().filter(|other| usual(other) == usual(file)).count() > 1;
        let name = match twice {
            true => choose::run_file(&file.trim_start_matches(['.', '/']).replace(['/', '\\'], "-"), beside),
            false => usual(file),
        };
        let numbered = (2..).map(|nth| name.with_file_name(format!("{}-{nth}.run.jsonl", choose::stem(file))));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
        taken.insert(free.clone());
        kept.push(free);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_folder_come_its_recordings_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.rec.jsonl", "a/z.rec.jsonl", "a.run.jsonl", "notes.jsonl", "a/b/c.rec.jsonl"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = folder.path().to_string_lossy().into_owned();
        let again = [format!("{root}/b.rec.jsonl"), format!("{root}/a/../b.rec.jsonl")];
        let found = recordings(&[std::slice::from_ref(&root), &again[..]].concat()).unwrap();
        let short: Vec<&str> = found.iter().flatten().map(|file| &file[root.len() + 1..]).collect();
        assert_eq!(short, ["a/b/c.rec.jsonl", "a/z.rec.jsonl", "b.rec.jsonl"]);
        let empty = tempfile::tempdir().unwrap();
        assert!(recordings(&[empty.path().to_string_lossy().into_owned()]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rec.jsonl"), "").unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("b.rec.jsonl")).unwrap();
        assert_eq!(recordings(&[folder.path().to_string_lossy().into_owned()]).unwrap().len(), 2);
    }

    #[test]
    fn live_sessions_never_have_the_same_file() {
        let files = ["x/a.rec.jsonl", "y/a.rec.jsonl", "b.rec.jsonl", "y-a.rec.jsonl"].map(str::to_string);
        let kept = kept_as(&files, None);
        assert_eq!(kept[2], PathBuf::from("b.run.jsonl"));
        assert_eq!(kept.iter().collect::<HashSet<_>>().len(), 4, "{kept:?}");
    }

    #[test]
    fn a_seat_is_taken_once_and_given_up_once() {
        let gate = Gate::new(1);
        let (one, two) = (gate.seat(), gate.seat());
        one.take();
        one.take();
        assert_eq!(gate.counts().free, 0);
        one.leave();
        one.leave();
        two.take();
        assert_eq!(gate.counts().free, 0);
        drop(two);
        assert_eq!(gate.counts().free, 1);
    }
}
