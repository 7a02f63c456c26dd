//! `rpctape open`: the page of HTML of a log, in a browser where there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use rpctape::capture::path_of;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::html::MARK;
use rpctape::report::{escape, uri};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::reports::ReportArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::args::values;
use crate::cli::content::page;
use crate::cli::screen::env;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// How much of a file is looked at to tell a page of ours.
const HEAD: u64 = 2_048;

/// Write a log as one page of HTML (verdict, what hung, findings, timeline, messages), and open it in the browser
///
/// The page loads nothing from anywhere. Its path and its address are printed; the browser is started only from a terminal of a desktop.
#[derive(Args, Debug)]
pub struct OpenArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// Open the page at this request (17, #17, s4, #17@KEY), or with this filter (is:stuck, search)
    #[arg(value_name = "REQUEST|FILTER")]
    what: Option<String>,
    /// Write the page into this file instead of FILE.rpctape.html in the current folder, and start no browser
    #[arg(short, long, value_name = "PAGE")]
    output: Option<PathBuf>,
    /// Age from which an open request counts as stuck where the log just stops [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    stuck_after: Option<i64>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    redact: RedactArgs,
}

/// Writes the page, prints its path and address, and opens it.
pub fn run(args: &OpenArgs, stop: &Stop) -> Result<u8> {
    let path = args.output.clone().unwrap_or_else(|| usual(&args.file));
    let inputs = std::slice::from_ref(&args.file);
    io::apart(&path, inputs)?;
    spare(&path)?;
    let config = Config::load(None, Uses::Bounds)?;
    let judged = JudgeArgs::all_rules(args.stuck_after, &config);
    let loaded = input::load(inputs, &args.read, &judged, input::PASSING, stop)?;
    let connections = loaded.store.connections()?;
    if connections.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no connection", args.file)));
    }
    let redactor = args.redact.redactor(&config);
    let at = args.what.as_deref().map(|what| page::place(&loaded.store, what, redactor.clone())).transpose()?;
    let wanted = page::Wanted {
        inputs,
        connections: &connections,
        redactor,
        stuck_after_us: judged.settings().stuck_after_us,
        at,
    };
    page::beside(&loaded, &ReportArgs::page(path.clone()), wanted)?;
    io::print(&format!("{}\n{}", escape(&path.display().to_string()), address(&path)))?;
    if args.output.is_none() && io::stdout_is_terminal() && has_desktop() {
        start(&path);
    }
    Ok(0)
}

/// `LOG.rpctape.html` in the current folder. Browsers out of a package see no temporary folder.
fn usual(file: &str) -> PathBuf {
    let path = path_of(file);
    let name = path.file_name().filter(|_| file != "-").map_or("stdin".into(), |name| name.to_os_string());
    let mut page = name;
    page.push(".rpctape.html");
    PathBuf::from(page)
}

/// Its address for a browser, on a line of its own; none where it is no file.
fn address(path: &Path) -> String {
    let whole = std::fs::canonicalize(path).ok().filter(|whole| whole.is_file());
    whole.map_or(String::new(), |whole| format!("file://{}\n", uri(whole.as_os_str().as_encoded_bytes())))
}

/// An error where the page would replace a file that is no page of ours. An empty one has nothing to lose, and what is no file (a pipe,
/// a terminal) is not replaced.
fn spare(path: &Path) -> Result<()> {
    use std::io::Read;
    if std::fs::metadata(path).is_ok_and(|file| !file.is_file() || file.len() == 0) {
        return Ok(());
    }
    let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
    let mut head = Vec::new();
    let read = file.take(HEAD).read_to_end(&mut head);
    if read.is_ok() && String::from_utf8_lossy(&head).contains(MARK) {
        return Ok(());
    }
    let message = format!("{} exists, and is no page of rpctape", path.display());
    Err(Error::new(ErrorKind::Usage, message).hint("name another file: -o PAGE"))
}

/// True where a browser would show on this desk.
fn has_desktop() -> bool {
    let remote = env("SSH_CONNECTION").is_some() || env("SSH_TTY").is_some();
    let display = cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(|name| env(name).is_some());
    !remote && display
}

/// Starts the first browser that there is. The page is written, so that nothing here is an error.
fn start(path: &Path) {
    let Ok(path) = std::fs::canonicalize(path) else { return };
    let own = env("BROWSER");
    let usual: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["explorer"],
        _ => &["xdg-open", "wslview"],
    };
    let quiet = |program: &str| {
        let mut command = Command::new(program);
        command.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    };
    if !own.as_deref().into_iter().chain(usual.iter().copied()).any(quiet) {
        io::say("note: no browser could be started; open the file yourself");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_lies_where_one_works_and_replaces_only_a_page() {
        assert_eq!(usual("a/b/log.jsonl"), PathBuf::from("log.jsonl.rpctape.html"));
        assert_eq!(usual("-"), PathBuf::from("stdin.rpctape.html"));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.html");
        assert!(spare(&path).is_ok());
        std::fs::write(&path, "").expect("writes");
        assert!(spare(&path).is_ok());
        std::fs::write(&path, "<p>mine").expect("writes");
        assert!(spare(&path).is_err());
        std::fs::write(&path, format!("<!DOCTYPE html>{MARK}")).expect("writes");
        assert!(spare(&path).is_ok());
    }
}
