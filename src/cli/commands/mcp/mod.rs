//! `rpctape mcp`: a folder of logs for an agent, over MCP, on standard input and output or over HTTP. Reads only.
//!
//! Written on threads and pipes: rmcp would more than double the time that a clean build of the live part takes, and of what it
//! offers a server that reads needs little. Every tool is a command of this program, run as a process of its own: what an agent is
//! shown is what a person would see, and a call that is cancelled ends with its process.

mod doors;
mod folder;
mod page;
mod process;
mod reply;
mod resources;
mod server;
mod tools;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};

use crate::cli::args::config::{Config, Uses};
use crate::cli::signals::Stop;
use folder::Folder;
use server::Offer;

/// Serve a folder of logs to an agent over MCP (standard input and output, or HTTP on this machine)
///
/// Read-only tools: ls, check, why, show, stats, explain, query, diff. Nothing outside of the folder is read, secrets are replaced (best
/// effort), and long answers come in pages.
#[derive(Args, Debug)]
pub struct McpArgs {
    /// The folder; its rpctape.toml counts
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How much of an answer is given at once, in bytes; the rest by cursor
    #[arg(long, value_name = "BYTES", default_value_t = 12_000, value_parser = clap::value_parser!(u32).range(200..))]
    page: u32,
    /// Serve Streamable HTTP here, for clients and pages of this machine: [HOST:]PORT; port 0 takes any
    #[arg(long, value_name = "ADDR", value_parser = doors::loopback)]
    listen: Option<String>,
    /// Let agents replay recordings against the server that COMMAND starts: reads only, as `rpctape replay` has it
    #[arg(long, requires = "server")]
    allow_replay: bool,
    /// The server for --allow-replay, started in the folder
    #[arg(last = true, value_name = "COMMAND", requires = "allow_replay")]
    server: Vec<String>,
}

/// Serves until the input ends, or over HTTP until a signal comes.
pub fn run(args: &McpArgs, stop: &Stop) -> Result<u8> {
    let folder = Folder::open(&args.folder)?;
    let settings = folder.path().join("rpctape.toml");
    let config = Config::load(settings.is_file().then_some(settings.as_path()), Uses::Secrets)?;
    let program = std::env::current_exe()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot tell where this program is: {error}")))?;
    let replay = args.allow_replay.then(|| args.server.clone());
    let offer = Arc::new(Offer { folder, program, page: args.page as usize, secrets: config.secrets, replay });
    match &args.listen {
        None => doors::stdio(offer, stop)?,
        Some(address) => doors::http(offer, address, stop)?,
    }
    Ok(0)
}
