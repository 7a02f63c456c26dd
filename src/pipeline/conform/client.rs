//! The other direction: a client is served what is hard for clients.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::super::Options;
use super::super::replay::Scratch;
use super::super::replay::mock::{Service, serve};
use super::read;
use crate::conform::{Card, Speech, capture, client_card, served};
use crate::error::{Error, ErrorKind, Result};
use crate::live::serve::Listen;
use crate::live::tape::TapeOptions;
use crate::protocol::Profile;
use crate::replay::mock::{MockOptions, Reuse, Script};
use crate::replay::options::Speed;

/// Serves a client what is hard for clients, until it leaves or `interrupt` is set, and judges what it did.
///
/// # Errors
/// The protocol has no tools or no handshake; nobody can be served, or nobody came.
pub fn examine_client(
    profile: &'static Profile,
    listen: Listen,
    keep: TapeOptions,
    judging: &Options,
    interrupt: &AtomicBool,
    opened: impl FnOnce(Option<SocketAddr>),
) -> Result<Card> {
    let Some(said) = served(profile) else {
        let error =
            Error::new(ErrorKind::Usage, format!("{} has no tools that a client could be given", profile.label()));
        return Err(error.hint("--client serves MCP with a handshake: leave --proto out"));
    };
    let speech = Speech::of(profile);
    let scratch = Scratch::new()?;
    let template = scratch.path().join("served.rec.jsonl");
    std::fs::write(&template, capture(&speech, &said)).map_err(|error| Error::io("write", "what is served", &error))?;
    let recording = read(&template, profile, judging)?;
    let scripts = recording.connections.into_iter().map(|connection| Arc::new(Script::new(connection))).collect();
    let options = MockOptions { speed: Speed::Wall, reuse: Reuse::Cycle, ..MockOptions::default() };
    let file = keep.path.clone();
    serve(Service { scripts, options, listen, tape: Some(keep) }, interrupt, opened)?;
    let live = read(&file, profile, judging)?;
    if live.connections.iter().all(|connection| connection.exchanges.is_empty()) {
        return Err(Error::new(ErrorKind::Input, "nothing was observed: no client came")
            .hint("let your client start this command, or connect to --listen"));
    }
    Ok(client_card(profile, &live.connections, Some(&file.display().to_string())))
}
