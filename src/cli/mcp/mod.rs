//! `rpctape mcp`: a folder of logs for an agent, over MCP on standard input and output. Reads only.
//!
//! Written on threads and pipes: rmcp would more than double the time that a clean build of the live part takes, and of what it
//! offers a server that reads needs little. Every tool is a command of this program, run as a process of its own: what an agent is
//! shown is what a person would see, and a call that is cancelled ends with its process.

mod folder;
mod page;
mod process;
mod resources;
mod server;
mod tools;
mod wire;

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};

use super::config::Config;
use super::signals::Stop;
use folder::Folder;
use server::Server;

/// Serve a folder of logs to an agent over MCP (standard input and output)
///
/// Read-only tools: ls, check, why, show, stats, explain, query, diff. Nothing outside of the folder is read, secrets are replaced (best effort), and long
/// answers come in pages.
#[derive(Args, Debug)]
pub struct McpArgs {
    /// The folder; its rpctape.toml counts
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How much of an answer is given at once, in bytes; the rest by cursor
    #[arg(long, value_name = "BYTES", default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(200..))]
    page: u32,
}

/// Ends what is being answered, and then the program, when a signal asks for it: nobody wakes who waits for input.
fn end_on_signal(server: &Arc<Server>, stop: &Stop) -> Result<()> {
    stop.patient();
    let (server, stop) = (Arc::clone(server), stop.clone());
    let wait = move || {
        let code = loop {
            std::thread::sleep(LOOK);
            if let Some(code) = stop.exit_code() {
                break code;
            }
        };
        server.end();
        std::process::exit(code.into());
    };
    let failed = |error| Error::new(ErrorKind::Io, format!("cannot start a thread: {error}"));
    std::thread::Builder::new().name("end".into()).spawn(wait).map(drop).map_err(failed)
}

/// How often a signal is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// Serves until the input ends.
pub fn run(args: &McpArgs, stop: &Stop) -> Result<u8> {
    let folder = Folder::open(&args.folder)?;
    let settings = folder.path().join("rpctape.toml");
    let config = Config::load(settings.is_file().then_some(settings.as_path()))?;
    let program = std::env::current_exe()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot tell where this program is: {error}")))?;
    let server = Arc::new(Server::new(folder, program, args.page as usize, config.secrets));
    end_on_signal(&server, stop)?;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => Server::take(&server, &line),
            Err(error) => return Err(Error::new(ErrorKind::Io, format!("cannot read standard input: {error}"))),
        }
    }
    server.end();
    Ok(0)
}
