//! `rpctape sessions`: what was recorded, and what was found in it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rpctape::capture;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::redact::Redactor;
use rpctape::report::{Session, Sessions, redacted};
use rpctape::store::{FindingFilter, Keep, Raw};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::view::PlainArgs;
use crate::cli::screen::env;
use crate::cli::screen::io::{Out, written};
use crate::cli::signals::Stop;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Table,
    /// One JSON object a line
    Jsonl,
}

/// List recorded sessions, newest first, with what was found in each
#[derive(Args, Debug)]
pub struct SessionsArgs {
    /// Recordings or folders of them [default: the folder into which `wrap` lets servers record]
    #[arg(value_name = "DIR", value_parser = input::name())]
    files: Vec<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    plain: PlainArgs,
}

/// Prints the list.
pub fn run(args: &SessionsArgs, stop: &Stop) -> Result<u8> {
    let config = Config::load(args.judge.config.as_deref(), Uses::Judging)?;
    let judge = args.judge.configured(&config);
    let loaded =
        input::load(&places(args)?, &args.plain.read, &judge, input::To::Passing(Keep::Findings { text: 0 }), stop)?;
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut of = BTreeMap::new();
    let mut redactor = Redactor::default();
    for mut row in loaded.store.connections()? {
        of.insert(row.key.clone(), row.session.clone());
        let session = sessions.entry(row.session.clone()).or_default();
        redacted::connection(&mut row, &mut redactor);
        session.add(&row);
    }
    for finding in loaded.store.all_findings(&FindingFilter::default(), Raw::None)? {
        if let Some(session) = of.get(&finding.connection).and_then(|session| sessions.get_mut(session)) {
            session.found(&finding);
        }
    }
    let sessions = Sessions::newest_first(sessions.into_values().collect());
    let mut out = Out::open(None, &[])?.clean(Some(redactor));
    written(match args.format {
        Format::Jsonl => sessions.write_json(&mut out),
        Format::Table => sessions.write_human(&mut out, &args.plain.screen.style(false, false)),
    })?;
    out.close()?;
    Ok(0)
}

fn places(args: &SessionsArgs) -> Result<Vec<String>> {
    if !args.files.is_empty() {
        return Ok(args.files.clone());
    }
    let folder = recordings()?;
    match folder.is_dir() {
        true => Ok(vec![capture::name_of(folder.as_os_str())]),
        false => Err(Error::new(ErrorKind::Input, format!("nothing was recorded into {}", folder.display()))
            .hint("`rpctape wrap CLIENT` lets the servers of a client record there; or name a folder")),
    }
}

/// Where recordings of wrapped servers go, where nothing else is said.
pub fn recordings() -> Result<PathBuf> {
    let data = if cfg!(windows) {
        env("LOCALAPPDATA").map(PathBuf::from)
    } else {
        env("XDG_DATA_HOME").map(PathBuf::from).or_else(|| Some(home()?.join(".local/share")))
    };
    data.map(|data| data.join("rpctape"))
        .ok_or_else(|| Error::new(ErrorKind::Usage, "there is no home folder for recordings").hint("name a folder"))
}

/// The user's home.
pub fn home() -> Option<PathBuf> {
    env("HOME").or_else(|| env("USERPROFILE")).map(PathBuf::from)
}
