//! `rpctape wrap` and `unwrap`: the recorder into the configuration of a client, and out of it again.

mod clients;
mod edit;

use std::path::{Path, PathBuf};

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Readers};
use rpctape::redact::Redactor;
use rpctape::report::{escape, plural};

use crate::cli::screen::io;
use edit::{Done, Edited};

/// Put the recorder before the servers of a client: Claude, VS Code, Cursor, Windsurf, Zed, Neovim
///
/// Shows what would change and changes nothing, unless --write is given. Comments and formatting stay; the file as it was is kept
/// beside it. `rpctape unwrap` undoes it, `rpctape sessions` lists what was recorded. Restart the client afterwards.
#[derive(Args, Debug)]
pub struct WrapArgs {
    #[command(flatten)]
    what: WrapTarget,
    /// Folder for the recordings, one folder in it for each server [default: rpctape/ in the user's data folder]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Only this server; may be given several times
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    /// Begin another file when one reaches this size: 500k, 100M, 2G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<String>,
    /// Record no more than this of a session, all its files together
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_total: Option<String>,
}

/// Take the recorder out of a client's configuration again
///
/// Gives the file back byte for byte, also where other things in it were edited meanwhile. Changes nothing, unless --write is given.
#[derive(Args, Debug)]
pub struct UnwrapArgs {
    #[command(flatten)]
    what: WrapTarget,
}

#[derive(Args, Debug)]
struct WrapTarget {
    /// A configuration file, or a client's name: claude-desktop, claude-code, vscode, cursor, windsurf, zed, neovim, copilot, gemini,
    /// junie, opencode
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Change the file
    #[arg(long)]
    write: bool,
}

fn size(text: &str) -> std::result::Result<String, String> {
    super::record::size(text).map(|_| text.to_string())
}

/// How servers are recorded.
struct Recording<'a> {
    program: String,
    folder: PathBuf,
    args: &'a WrapArgs,
}

impl Recording<'_> {
    /// Where the sessions of a server go. A name that is no file name is made one.
    fn folder_of(&self, server: &str) -> PathBuf {
        let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = server.chars().map(plain).collect();
        self.folder.join(if name.trim_matches('.').is_empty() { "server".to_string() } else { name })
    }
}

impl edit::Recorder for Recording<'_> {
    fn program(&self) -> String {
        self.program.clone()
    }
    fn args(&self, server: &str) -> Vec<String> {
        let mut args = vec!["-o".to_string(), format!("{}/", self.folder_of(server).display())];
        for (flag, size) in [("--max-size", &self.args.max_size), ("--max-total", &self.args.max_total)] {
            args.extend(size.iter().flat_map(|size| [flag.to_string(), size.clone()]));
        }
        args
    }
    fn takes(&self, server: &str) -> bool {
        self.args.server.is_empty() || self.args.server.iter().any(|name| name == server)
    }
}

/// Wraps the servers of a configuration.
pub fn wrap(args: &WrapArgs) -> Result<u8> {
    let config = clients::find(&args.what.config)?;
    let text = read(&config)?;
    let recording = Recording { program: program()?, folder: clients::folder(args.into.as_deref())?, args };
    let edited = edit::wrap(&text, &recording).map_err(|error| named(error, &config))?;
    if let Some(name) = args.server.iter().find(|name| !edited.servers.iter().any(|server| server.name == **name)) {
        let known: Vec<&str> = edited.servers.iter().map(|server| server.name.as_str()).collect();
        return Err(Error::new(ErrorKind::Usage, format!("there is no server {name} in {}", config.display()))
            .hint(format!("there are: {}", known.join(", "))));
    }
    show(&config, &text, &edited, "recorded")?;
    if edited.text == text {
        return Ok(0);
    }
    if !args.what.write {
        io::say("nothing was changed; the same with --write does it");
        return Ok(0);
    }
    output::admits_changes(&config)?;
    let kept = back_up(&config, &text)?;
    write(&config, &text, &edited.text)?;
    io::say(&format!("changed {}; as it was: {}", shown(&config), shown(&kept)));
    io::say(&format!("restart the client; recordings go into {}/", shown(&recording.folder)));
    Ok(0)
}

/// Unwraps them.
pub fn unwrap(args: &UnwrapArgs) -> Result<u8> {
    let config = clients::find(&args.what.config)?;
    let text = read(&config)?;
    let edited = edit::unwrap(&text).map_err(|error| named(error, &config))?;
    show(&config, &text, &edited, "not recorded any more")?;
    if edited.text == text {
        return Ok(0);
    }
    if !args.what.write {
        io::say("nothing was changed; the same with --write does it");
        return Ok(0);
    }
    output::admits_changes(&config)?;
    write(&config, &text, &edited.text)?;
    if let Some(kept) = backups(&config).find(|kept| holds(kept, &edited.text)) {
        // It says nothing that the file itself does not say.
        let _ = std::fs::remove_file(&kept);
        io::say(&format!("{} is byte for byte as it was", shown(&config)));
    } else {
        io::say(&format!("changed {}; what else was edited since stays", shown(&config)));
    }
    Ok(0)
}

fn read(config: &Path) -> Result<String> {
    let shown = config.display().to_string();
    let bytes = std::fs::read(config).map_err(|error| {
        Error::io("read", &shown, &error)
            .hint("name the file in which the client keeps its servers; docs/clients.md lists them")
    })?;
    if config.extension().is_some_and(|end| end == "lua") {
        return Err(Error::new(ErrorKind::Usage, format!("{shown} is a program, and is not edited")).hint(
            "put it before the command yourself: cmd = { 'rpctape', 'record', '-o', 'FOLDER/', '--', 'SERVER', ... }",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::Input, format!("{shown} is no UTF-8, and is not edited")))
}

/// Writes the file, unless somebody else did since it was read.
fn write(config: &Path, old: &str, new: &str) -> Result<()> {
    if read(config)? != old {
        return Err(Error::new(
            ErrorKind::Io,
            format!("{} was changed while it was edited, and is left alone", config.display()),
        )
        .hint("close the client and try again"));
    }
    output::write(config, new.as_bytes(), Readers::Owner)
}

fn named(error: Error, config: &Path) -> Error {
    Error { message: format!("{}: {}", config.display(), error.message), ..error }
}

fn shown(path: &Path) -> String {
    escape(&path.display().to_string()).into_owned()
}

/// So many files as they were are kept of one configuration.
const BACKUPS: usize = 100;

/// Where the file as it was is kept: the usual name, and others where that is taken.
fn backups(config: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=BACKUPS).map(|nth| {
        let mut name = config.as_os_str().to_os_string();
        name.push(".before-rpctape");
        if nth > 1 {
            name.push(format!("-{nth}"));
        }
        PathBuf::from(name)
    })
}

/// True for a file with this text; a link is none, wherever it leads.
fn holds(path: &Path, text: &str) -> bool {
    is_file(path) && std::fs::read(path).is_ok_and(|old| old == text.as_bytes())
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_file())
}

/// Keeps the file as it is, and says where. One in which servers are wrapped already was kept before that. What an earlier run
/// kept stays, and a link at such a name is not followed: nobody named the file that it leads to.
fn back_up(config: &Path, text: &str) -> Result<PathBuf> {
    if text.contains(edit::MARK)
        && let Some(kept) =
            backups(config).take_while(|kept| kept.symlink_metadata().is_ok()).filter(|kept| is_file(kept)).last()
    {
        return Ok(kept);
    }
    for kept in backups(config) {
        if holds(&kept, text) || output::write_new(&kept, text.as_bytes(), Readers::Owner)? {
            return Ok(kept);
        }
    }
    let message = format!("{} was kept {BACKUPS} times as it was, and is left alone", config.display());
    Err(Error::new(ErrorKind::Io, message).hint("remove what is not needed any more of its .before-rpctape files"))
}

/// This program, as a client finds it from anywhere.
fn program() -> Result<String> {
    let path = std::env::current_exe()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot tell where this program is: {error}")))?;
    path.to_str().map(str::to_string).ok_or_else(|| {
        Error::new(ErrorKind::Io, format!("{} cannot be written into a configuration", path.display()))
            .hint("put rpctape into a folder whose name is UTF-8")
    })
}

/// The servers, and the lines that differ.
fn show(config: &Path, old: &str, edited: &Edited, done: &str) -> Result<()> {
    let mut text = format!("{}: {}\n", shown(config), plural(edited.servers.len() as u64, "server"));
    for server in &edited.servers {
        let what = match server.done {
            Done::Edited => done,
            Done::Left(why) => why,
        };
        text.push_str(&format!("  {}: {what}\n", escape(&server.name)));
    }
    text.push_str(&differing(old, &edited.text));
    io::print(&text)
}

/// Lines that differ. Edits do not add or remove lines; where one does, everything from the first difference on is shown.
fn differing(old: &str, new: &str) -> String {
    // A flag and its value stand on two lines: both texts are looked at as a whole.
    let mut redactor = Redactor::default();
    let (clean_old, clean_new) = (redactor.text(old), redactor.text(new));
    let lines = |text: &'_ str| text.lines().map(str::to_string).collect::<Vec<String>>();
    let (shown_old, shown_new) = (lines(&clean_old), lines(&clean_new));
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut text = String::new();
    for at in 0..old.len().max(new.len()) {
        let (old, new) = (old.get(at), new.get(at));
        if old == new {
            continue;
        }
        text.push_str(&format!("line {}\n", at + 1));
        for (sign, line) in [('-', shown_old.get(at)), ('+', shown_new.get(at))] {
            if let Some(line) = line {
                text.push_str(&format!("{sign} {}\n", escape(line.trim())));
            }
        }
    }
    text
}
