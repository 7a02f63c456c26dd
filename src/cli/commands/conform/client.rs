//! `rpctape conform --client`: what a client does with a server that is slow, silent, late, wrong and curious.

use rpctape::capture::Vantage;
use rpctape::conform::TOOLS;
use rpctape::error::Result;
use rpctape::live::serve::Listen;
use rpctape::live::tape::TapeOptions;
use rpctape::output::Folder;
use rpctape::pipeline::conform::examine_client;
use rpctape::pipeline::replay::Scratch;
use rpctape::protocol::{self, Profile};
use rpctape::report::conform::redacted;

use super::{ConformArgs, next, write_known};
use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::judge::JudgeArgs;
use crate::cli::commands::mock::Where;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Serves, judges and prints. Standard output belongs to the client where it speaks over it.
pub fn run(args: &ConformArgs, stop: &Stop) -> Result<u8> {
    let newest = || protocol::by_name("mcp", Some("2025-11-25")).unwrap_or(Profile::plain());
    let profile = args.ask.proto.filter(|profile| !profile.unknown_revision).unwrap_or_else(newest);
    if args.probe.list {
        let tools = TOOLS.iter().map(|tool| format!(" {:<8} {}\n", tool.name, tool.about));
        io::print(&tools.collect::<String>())?;
        return Ok(0);
    }
    let config = Config::load(None, Uses::Auditing)?;
    let before = args.known.baseline()?;
    let reports = args.report.open_beside(args.listen.is_none())?;
    let known = args.known.open()?;
    let judging = input::options(Default::default(), &JudgeArgs::default().configured(&config), stop)?;
    let scratch = Scratch::new()?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let _made = Folder::make(folder)?;
    let (listen, transport) = match &args.listen {
        None => (Listen::Stdio, "stdio"),
        Some(Where::Tcp(address)) => (Listen::Tcp(address.clone()), "tcp"),
        Some(Where::Http(address)) => {
            let handshake = profile.opening.initialize.map(str::to_string);
            (Listen::Http { address: address.clone(), handshake, revisions: &[] }, "http")
        }
    };
    let file = folder.join("client.run.jsonl");
    // That of an earlier run; where it cannot be removed, the recorder says why it cannot be written.
    let _ = std::fs::remove_file(&file);
    let tape = TapeOptions {
        transport: transport.to_string(),
        vantage: Vantage::Server,
        redact: args.redact.redactor(&config).map(|_| config.secrets.clone()),
        ..TapeOptions::new(&file)
    };
    let interrupt = stop.flag();
    let mut patience = None;
    let mut card = examine_client(profile, listen, tape, &judging, &interrupt, |address| {
        // From now on there is a client that has to be told.
        patience = Some(stop.patient());
        if let Some(address) = address {
            io::say(&format!("listening on {address}; Ctrl-C ends it and tells what the client did"));
        }
    })?;
    // To be stopped is how serving ends.
    stop.taken();
    card.strict = args.known.strict;
    card.know(&before);
    write_known(known, &card, &before)?;
    if args.keep.is_none() {
        card.clauses.iter_mut().flat_map(|clause| &mut clause.probes).for_each(|probe| probe.session = None);
    }
    card.next = next(&card);
    let shown =
        args.redact.redactor(&config).map_or_else(|| card.clone(), |mut redactor| redacted(&card, &mut redactor));
    reports.write(&shown, &args.screen)?;
    drop(patience);
    Ok(card.exit())
}
