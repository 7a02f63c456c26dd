//! `rpctape ls`: what is in a log, and what it was taken for.

use clap::{Args, ValueEnum};
use rpctape::capture::path_of;
use rpctape::error::{Error, Result};
use rpctape::protocol::Mechanism;
use rpctape::report::{Listing, redacted};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::view::ViewArgs;
use crate::cli::screen::io::{self, Out, written};
use crate::cli::signals::Stop;
use rpctape::error::nearest;
use rpctape::report::shell;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables
    #[default]
    Table,
    /// One JSON document with the counts of every source
    Json,
}

/// List connections and sources: protocol, counts, times, parties, and what each file was taken for
#[derive(Args, Debug, Default)]
pub struct LsArgs {
    /// Logs, folders, or one database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    files: Vec<String>,
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    view: ViewArgs,
}

/// Methods that count as cancels in a list: those that are sent as notifications.
const CANCELS: [Mechanism; 4] = [
    Mechanism::NotificationsCancelled,
    Mechanism::CancelRequest,
    Mechanism::CancelRequestSnake,
    Mechanism::SessionCancel,
];

/// Prints the list.
pub fn run(args: &LsArgs, stop: &Stop) -> Result<u8> {
    let loaded = input::load(&args.files, &args.view.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let store = &loaded.store;
    let traffic = store.traffic(&CANCELS.map(Mechanism::as_str))?;
    let (mut sources, mut connections) = (store.sources()?, store.connections()?);
    let redactor = args.view.redact.redactor(&Config::load(None, Uses::Showing)?);
    if let Some(redactor) = &mut redactor.clone() {
        for source in &mut sources {
            source.name = redactor.text(&source.name).into_owned();
        }
        connections.iter_mut().for_each(|row| redacted::connection(row, redactor));
    }
    let listing = Listing::of(sources, connections, &traffic, &store.lost()?);
    let mut out = Out::open(None, &[])?.clean(redactor);
    written(match args.format {
        Format::Table => listing.write_human(&mut out, &args.view.screen.style(false, false)),
        Format::Json => listing.write_json(&mut out),
    })?;
    out.close()?;
    Ok(0)
}

/// `rpctape FILE`: the list, and what can be done next.
pub fn run_bare(files: Vec<String>, commands: &[String], stop: &Stop) -> Result<u8> {
    // A word that is no file is more likely a command with a typo.
    if let Some(word) = files.first().filter(|word| word.as_str() != "-" && !path_of(word).exists()) {
        let hint = match nearest(word, commands.iter().map(String::as_str)) {
            Some(command) => format!("did you mean `rpctape {command}`?"),
            None => "`rpctape --help` lists the commands".to_string(),
        };
        let message = format!("there is no command and no file {word}");
        return Err(Error::new(rpctape::error::ErrorKind::Usage, message).hint(hint));
    }
    let named = files.iter().map(|name| shell::file(name)).collect::<Vec<_>>().join(" ");
    let code = run(&LsArgs { files, ..LsArgs::default() }, stop)?;
    io::say("");
    io::say(&format!("next: rpctape check {named}"));
    Ok(code)
}
