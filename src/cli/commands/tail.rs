//! `rpctape tail`: a log that is still being written, judged as it grows.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use rpctape::capture::{self, Source, path_of};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::finding::Severity;
use rpctape::output;
use rpctape::pipeline;
use rpctape::report::tail::TailStyle;
use rpctape::store::{Keep, Store};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{self, Out};
use crate::cli::signals::Stop;
use board::{Asked, Board};
use file::{Follower, Shared, Turn, held};

mod board;
mod file;

/// How long to wait for the first lines of a log.
const WAIT: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line each
    #[default]
    Lines,
    /// One JSON object a line, the last one a summary
    Jsonl,
}

/// Follow a log or a recording while it is written: findings and stuck requests as they become certain, one line each
///
/// A finding is printed when nothing that may still come can take it back; what only the end of a log can show is printed
/// where a recording says that it has ended. A request is called stuck once, when it has waited for --stuck-after without an
/// answer that is due. Growth, rotation and truncation are followed. Ends with Ctrl-C, with the recording, or with --until-finding.
#[derive(Args, Debug)]
pub struct TailArgs {
    /// A log or a recording that is still being written
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// Exit with 1 at the first violation of this severity or above; without one, of a warning
    #[arg(long, value_enum, value_name = "SEVERITY", num_args = 0..=1, require_equals = true, default_missing_value = "warning")]
    until_finding: Option<Least>,
    /// Say nothing of what is in the log already
    #[arg(long)]
    new: bool,
    /// How to print what is certain
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// The least severity that ends the watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Least {
    /// A MUST is broken
    Error,
    /// A SHOULD is broken, or worse
    Warning,
    /// Anything at all
    Note,
}

impl Least {
    fn severity(self) -> Severity {
        match self {
            Least::Error => Severity::Error,
            Least::Warning => Severity::Warning,
            Least::Note => Severity::Note,
        }
    }
}

/// Follows the log until something ends it.
pub fn run(args: &TailArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let options = input::options(args.read.overrides(), &judge, stop)?;
    must_grow(&args.file)?;
    let terminal = io::stdout_is_terminal();
    let style =
        TailStyle { style: args.screen.style(false, !terminal), json: args.format == Format::Jsonl, keyed: false };
    let asked = Asked {
        style,
        until: args.until_finding.map(Least::severity),
        stuck_after_us: options.settings.stuck_after_us,
        new: args.new,
    };
    let out = Out::open(None, &[])?.clean(args.redact.redactor(&config));
    let board = Arc::new(Mutex::new(Board::new(asked, out)));
    let mut opener =
        Opener { path: path_of(&args.file), args, board: &board, stop, shared: Arc::default(), begun: false };
    let done =
        pipeline::follow(&mut Store::passing(Keep::Findings { text: 0 })?, &mut || opener.next(), &options, &*board);
    match done {
        Err(error) if error.kind == ErrorKind::Interrupted => {}
        done => done?,
    }
    let summary = match held(&board).close(stop.exit_code()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(0),
        summary => summary.map_err(|error| output::failed("the answer", error))?,
    };
    if !style.json {
        io::say(&summary.told());
    }
    Ok(summary.exit)
}

/// An error for what has no end that could be looked at again: a file is followed by its size.
fn must_grow(name: &str) -> Result<()> {
    let is_stream = |path: PathBuf| std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    let what = match name {
        "-" => "standard input",
        _ if is_stream(path_of(name)) => name,
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::Usage, format!("{what} is not a file that can be followed"))
        .hint("name the file that is written; `rpctape check` reads streams"))
}

/// Opens the files of a log one after the other.
struct Opener<'a> {
    path: PathBuf,
    args: &'a TailArgs,
    board: &'a Arc<Mutex<Board>>,
    stop: &'a Stop,
    shared: Arc<Shared>,
    begun: bool,
}

impl Opener<'_> {
    /// The file itself at first; after that the parts of a recording that it hands on to.
    fn next(&mut self) -> Result<Option<Box<dyn Source>>> {
        if self.begun {
            match held(&self.shared.turn).take() {
                Some(Turn::Next(path)) => self.path = path,
                Some(Turn::Over) => {
                    held(self.board).end();
                    return Ok(None);
                }
                None => return Ok(None),
            }
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let mut seen = 0;
        let mut told = false;
        loop {
            if self.stop.exit_code().is_some() || held(self.board).is_done() {
                return Ok(None);
            }
            let size = match self.path.metadata() {
                Ok(meta) if meta.is_dir() => return Err(self.no_file("is a folder")),
                Ok(meta) => meta.len(),
                Err(error) if first => return Err(Error::io("read", &self.args.file, &error)),
                Err(_) => 0,
            };
            if size > seen {
                seen = size;
                match self.open(&self.path) {
                    Ok(source) => return Ok(Some(source)),
                    // What cannot be followed will not change; what was not recognised may be, with more of it.
                    Err(error) if error.kind == ErrorKind::Usage => return Err(error),
                    Err(error) if !told => {
                        told = true;
                        io::say(&format!("waiting: {}", error.message));
                    }
                    Err(_) => {}
                }
            }
            thread::sleep(WAIT);
        }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>> {
        let name = capture::name_of(path.as_os_str());
        self.shared.waits.store(false, Ordering::Relaxed);
        let follower = Follower::open(path, Arc::clone(&self.shared), Arc::clone(self.board), self.stop);
        let follower = follower.map_err(|error| Error::io("read", &name, &error))?;
        held(self.board).begin();
        let source = capture::follow(&name, Box::new(follower), &self.args.read.overrides())?;
        self.shared.recording.store(source.format() == "rec", Ordering::Relaxed);
        self.shared.waits.store(true, Ordering::Relaxed);
        Ok(source)
    }

    fn no_file(&self, why: &str) -> Error {
        let message = format!("{} {why}, not a log that can be followed", self.args.file);
        Error::new(ErrorKind::Usage, message).hint("name one file")
    }
}
