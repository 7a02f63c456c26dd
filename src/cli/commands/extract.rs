//! `rpctape extract`: one exchange as a small recording that can be mailed, checked and read by others.

mod prove;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use rpctape::capture::{Body, Channel, Frame, Missing, RecDetail, RecEvent, RecHeader, RecWriter, Vantage};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output;
use rpctape::pipeline::extract::chosen;
use rpctape::protocol;
use rpctape::redact::{Redactor, told};
use rpctape::report::{count, plural};
use rpctape::session::NO_CONNECTION;
use rpctape::store::{ConnectionRow, Store, Which};

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::request_name;
use crate::cli::args::terms::RedactArgs;
use crate::cli::screen::io::{self, Out, written};
use crate::cli::signals::Stop;

/// Write one exchange as a small recording: handshake, request, cancels, progress, nested requests, answer, proof
///
/// Secrets are replaced: best effort, read it before you share it. What else the connection held is left out, so that a
/// finding which rests on the round trips of the whole log may come out weaker. With --proof the lines of a recording are
/// taken as they stand, so that `rpctape verify` can tell that they are from it.
#[derive(Args, Debug)]
pub struct ExtractArgs {
    /// A log, a folder or a database; `-` is standard input
    #[arg(value_name = "FILE", value_parser = input::name())]
    file: String,
    /// The request: 17, #17, s4 (issued by the server), "abc"; #17@2 names the connection too
    #[arg(value_name = "REQUEST", allow_negative_numbers = true)]
    request: String,
    /// Write into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keep the lines of a recording as they stand, with hashes for all others. What holds a secret is then refused
    #[arg(long, requires = "output")]
    proof: bool,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Picks the frames and writes them in their order.
pub fn run(args: &ExtractArgs, stop: &Stop) -> Result<u8> {
    let mut redactor = args.redact.redactor(&Config::load(None, Uses::Showing)?);
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let exchange = request_name::find(&loaded.store, &args.request)?;
    let connections = loaded.store.connections()?;
    let Some(row) = connections.iter().find(|row| row.id == exchange.connection_id) else {
        return Err(Error::new(ErrorKind::Database, format!("the connection of {} is gone", args.request)));
    };
    let ids = chosen(&loaded.store, &exchange, row)?;
    if let Some(output) = args.output.as_deref().filter(|_| args.proof) {
        let lines = lines(&loaded.store, row, &ids)?;
        return prove::write(&args.file, &lines, output, redactor);
    }
    let mut out = Out::open(args.output.as_deref(), files)?.shown();
    let mut writer = RecWriter::new(Vec::new(), &header(row)).map_err(fault)?;
    let (mut kept, mut last) = (0, None);
    if let Some(channel) = channel(&loaded.store, row)? {
        writer.channel(1, &channel).map_err(fault)?;
    }
    loaded.store.each_frame(Which::All, &mut |id, connection, frame| {
        // What a whole source misses, this connection may miss.
        let ours = i64::from(connection) == row.id || connection == NO_CONNECTION;
        if !ours || !wanted(id as i64, frame, &ids) {
            return Ok(());
        }
        last = frame.at_us.or(last);
        kept += u64::from(matches!(frame.body, Body::Message(_)));
        event(&mut writer, frame, row, &mut redactor)
    })?;
    let (bytes, _) = writer.finish(last, 0).map_err(fault)?;
    written(std::io::Write::write_all(&mut out, &bytes))?;
    out.close()?;
    let title = request_name::title(&exchange);
    let text = format!("{title} of {}: {kept} of {}", row.key, plural(row.messages, "message"));
    let left = row.messages.saturating_sub(kept);
    io::say(&format!("{text}; left out: {} of other exchanges", count(left)));
    if let Some(redactor) = redactor {
        io::say(&format!("replaced {}; best effort, read it before you share it", told(redactor.counts())));
    }
    Ok(0)
}

/// The lines of the chosen frames, and of what tells where the connection begins, breaks and ends.
fn lines(store: &Store, row: &ConnectionRow, ids: &BTreeSet<i64>) -> Result<BTreeSet<u64>> {
    let mut lines = BTreeSet::new();
    store.each_frame(Which::All, &mut |id, connection, frame| {
        let ours = i64::from(connection) == row.id || connection == NO_CONNECTION;
        let opened = ours && matches!(frame.body, Body::Open { .. });
        if opened || ours && wanted(id as i64, frame, ids) {
            lines.insert(frame.line);
        }
        Ok(())
    })?;
    Ok(lines)
}

fn fault(error: std::io::Error) -> Error {
    output::failed("the recording", error)
}

fn header(row: &ConnectionRow) -> RecHeader<'_> {
    RecHeader {
        tool: concat!("rpctape ", env!("CARGO_PKG_VERSION")),
        session: "extract",
        part: 1,
        t0_us: row.first_at_us.unwrap_or(0),
        proto: Some(row.protocol.as_str()),
        revision: Some(row.revision.as_str()).filter(|revision| !revision.is_empty()),
        transport: if row.transport == "http" { "http" } else { "stdio" },
        vantage: Vantage::from_name(&row.vantage).unwrap_or(Vantage::Unknown),
        cmd: &[],
        live: None,
    }
}

/// What the log could show of the connection: an extract proves no more, and no less.
fn channel(store: &Store, row: &ConnectionRow) -> Result<Option<Channel>> {
    let opened = store.opened()?.into_iter().find(|opened| i64::from(opened.id) == row.id);
    let revision = Some(row.revision.as_str()).filter(|revision| !revision.is_empty());
    Ok(opened.map(|opened| Channel {
        name: None,
        session: None,
        replay_of: None,
        profile: protocol::by_name(&row.protocol, revision),
        complete_head: Some(row.complete_head),
        one_connection: true,
        ..opened.channel
    }))
}

/// The frames that were chosen, and what tells where the connection begins, breaks and ends.
fn wanted(id: i64, frame: &Frame<'_>, ids: &BTreeSet<i64>) -> bool {
    match &frame.body {
        // That the connection was opened is said already, where it is known.
        Body::Open { .. } => frame.stream.is_some(),
        Body::Close { .. } | Body::Exit(_) | Body::Missing(_) | Body::Http { .. } => true,
        // The members of a batch are rows of their own, and follow it.
        Body::Batch { members, .. } => ids.range(id..=id + members.len() as i64).next().is_some(),
        _ => ids.contains(&id),
    }
}

fn event(
    writer: &mut RecWriter<Vec<u8>>,
    frame: &Frame<'_>,
    row: &ConnectionRow,
    redactor: &mut Option<Redactor>,
) -> Result<()> {
    // Where the log's own terms name no side they stay: `sent` against `received` says that two messages are one side's.
    let direction = frame.direction.told_by(Vantage::from_name(&row.vantage).and_then(Vantage::side));
    let sender = direction.side();
    let mut clean = |text: &str| match redactor {
        Some(redactor) => redactor.text(text).into_owned(),
        None => text.to_string(),
    };
    let text: Cow<'_, [u8]>;
    let event = match &frame.body {
        Body::Message(captured) => {
            text = clean(captured.json.unwrap_or(captured.text)).into_bytes().into();
            RecEvent::Message(sender, &text)
        }
        Body::Batch { text: whole, .. } => {
            text = clean(whole).into_bytes().into();
            RecEvent::Message(sender, &text)
        }
        Body::Malformed { bytes, .. } => {
            text = std::str::from_utf8(bytes).map_or(Cow::Borrowed(*bytes), |bytes| clean(bytes).into_bytes().into());
            RecEvent::Raw(sender, &text)
        }
        Body::Stderr { text: line } => {
            text = clean(line).into_bytes().into();
            RecEvent::Stderr(&text)
        }
        Body::Open { by } => RecEvent::Open(*by),
        Body::Close { by } => RecEvent::Close(*by),
        Body::Exit(exit) => RecEvent::Exit(*exit),
        Body::Missing(missing) => {
            text = clean(missing.words).into_bytes().into();
            RecEvent::Missing(sender, Missing { words: std::str::from_utf8(&text).unwrap_or(""), ..*missing })
        }
        Body::Http { head } => {
            text = clean(head).into_bytes().into();
            RecEvent::Http(sender, std::str::from_utf8(&text).unwrap_or("{}"))
        }
        Body::Sse { event } => {
            text = clean(event).into_bytes().into();
            RecEvent::Sse(sender, std::str::from_utf8(&text).unwrap_or("{}"))
        }
    };
    let detail = RecDetail { relative: Some(direction), ..RecDetail::default() };
    writer.detailed(frame.at_us, 1, frame.stream, event, &detail).map_err(fault)
}
