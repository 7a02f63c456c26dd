//! `rpctape mock`: plays the recorded server for a live client.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rpctape::capture::Vantage;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::serve::Listen;
use rpctape::live::tape::TapeOptions;
use rpctape::output;
use rpctape::pipeline::replay::mock::{Served, Service, serve};
use rpctape::pipeline::replay::{CONNECTION, load_connections};
use rpctape::replay::mock::{Extra, MockOptions, Reuse, Script};
use rpctape::replay::options::Speed;
use rpctape::report::{count, plural};
use rpctape::store::ConnectionRow;

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::connection;
use crate::cli::args::input::{self, ReadArgs};
use crate::cli::args::judge::JudgeArgs;
use crate::cli::args::terms::RedactArgs;
use crate::cli::args::values;
use crate::cli::screen;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// How many requests or connections are listed before the rest is counted.
const LISTED: usize = 20;

/// Play the recorded server for a live client: silence stays silence, what came late comes late
///
/// The client speaks over standard input and output, or connects to --listen. A request is answered as the same request
/// was in the recording, with the client's own id and tokens; one that is not in the recording is answered with error -32010
/// that names the nearest. At the end it is told, on stderr, what was never asked for and what had no match.
/// Exit status: 0, or 1 with --expect-all where a recorded request was never asked for; 2 could not run. Where the client
/// spoke over standard input and output, the exit code of the recorded server.
#[derive(Args, Debug)]
pub struct MockArgs {
    /// The recording, or any log that keeps the messages
    #[arg(value_name = "REC", value_parser = input::name())]
    file: String,
    /// Let clients connect: [HOST:]PORT serves Streamable HTTP, tcp:[HOST:]PORT a byte stream; port 0 takes any
    #[arg(long, value_name = "ADDR", value_parser = listen)]
    listen: Option<Where>,
    /// How fast answers come: fast, recorded, or a factor such as x2. What follows a cancel
    /// keeps its time (at most 5 s with fast)
    #[arg(long, value_name = "SPEED", default_value = "fast", value_parser = values::speed)]
    speed: Speed,
    /// What answers a request that was answered as often as it was recorded
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    reuse: ReuseArg,
    /// What answers a request that is not in the recording: error, or close to end the connection
    #[arg(long, value_name = "WHAT", default_value = "error", value_parser = extra)]
    extra: Extra,
    /// Fail if a recorded request was never asked for
    #[arg(long)]
    expect_all: bool,
    /// Serve this connection of the capture (its key, or its number in `rpctape ls`)
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    connection: Option<String>,
    /// Serve the connection of this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Record the live session into this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// As `--reuse` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReuseArg {
    /// Nothing: it counts as not in the recording, for ever
    #[default]
    Once,
    /// The last answer again
    Last,
    /// The first answer again, and so on
    Cycle,
}

/// Where clients connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// `host:port` for Streamable HTTP.
    Http(String),
    /// `host:port` for a byte stream.
    Tcp(String),
}

/// Reads `8080`, `host:port` or `tcp:host:port`.
pub fn listen(text: &str) -> std::result::Result<Where, String> {
    let (tcp, rest) = match text.strip_prefix("tcp:") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/')),
    };
    let rest = rest.trim_start_matches("//");
    let (host, port) = rest.rsplit_once(':').unwrap_or(("127.0.0.1", rest));
    if port.parse::<u16>().is_err() || host.is_empty() || host.contains('/') {
        return Err(format!("`{text}` is no address: write 8080, 127.0.0.1:8080 or tcp:127.0.0.1:8080"));
    }
    let address = format!("{host}:{port}");
    Ok(if tcp { Where::Tcp(address) } else { Where::Http(address) })
}

fn extra(text: &str) -> std::result::Result<Extra, String> {
    match text {
        "error" => Ok(Extra::Error),
        "close" => Ok(Extra::Close),
        _ if text.starts_with("forward") => {
            Err("forwarding is not available: what is not in the recording never goes to a \
            real server. To answer it from one, record a session that has it"
                .to_string())
        }
        _ => Err("write error or close".to_string()),
    }
}

/// Serves.
pub fn run(args: &MockArgs, stop: &Stop) -> Result<u8> {
    if args.listen.is_none() {
        leave_streams(args)?;
    }
    let config = Config::load(None, Uses::Showing)?;
    let files = std::slice::from_ref(&args.file);
    let loaded = input::load(files, &args.read, &JudgeArgs::default(), input::PASSING, stop)?;
    let rows = loaded.store.connections()?;
    let chosen = choose(&rows, args)?;
    let mut recording = load_connections(&loaded.store, &args.file, |row| chosen.contains(&row.id))?;
    input::must_be_spoken(&recording)?;
    // A replay that starts one mock for each connection says which one it is: of several that begin alike, that one is meant.
    let meant = screen::env(CONNECTION);
    recording.connections.sort_by_key(|connection| meant.as_ref() != Some(&connection.key));
    let mut scripts: Vec<Arc<Script>> =
        recording.connections.into_iter().map(|connection| Arc::new(Script::new(connection))).collect();
    scripts.retain(|script| script.requests().next().is_some());
    if scripts.is_empty() {
        let message = format!("{} holds no request of a client that could be answered", args.file);
        return Err(Error::new(ErrorKind::Input, message).hint("`rpctape ls` shows what it was taken for"));
    }
    forewarn(&scripts, args);
    let service = Service {
        options: MockOptions { speed: args.speed, reuse: args.reuse.into(), extra: args.extra },
        listen: door(args, &scripts),
        tape: args.output.as_ref().map(|path| tape(args, path, &config)),
        scripts: scripts.clone(),
    };
    let mut patience = None;
    let served = serve(service, &stop.flag(), |address| {
        // From now on there is a client that has to be told, and a session that has to be closed.
        patience = Some(stop.patient());
        opened(args, address);
    })?;
    // To be stopped is how serving ends.
    stop.taken();
    let exit = told(args, &scripts, &served);
    drop(patience);
    Ok(exit)
}

/// An error where a recording would come from or go to the streams on which the client speaks.
fn leave_streams(args: &MockArgs) -> Result<()> {
    let (message, hint) = if args.file == "-" || output::is_stdin(&io::place_of(&args.file)) {
        ("standard input cannot be both the recording and the client", "name a file")
    } else if args.output.as_deref().is_some_and(output::is_stdout) {
        ("standard output is what the client reads, and no recording goes there", "name a file with -o FILE")
    } else {
        return Ok(());
    };
    let hint = format!("{hint}, or let the client connect: --listen 127.0.0.1:8080");
    Err(Error::new(ErrorKind::Usage, message).hint(hint))
}

impl From<ReuseArg> for Reuse {
    fn from(reuse: ReuseArg) -> Reuse {
        match reuse {
            ReuseArg::Once => Reuse::Once,
            ReuseArg::Last => Reuse::Last,
            ReuseArg::Cycle => Reuse::Cycle,
        }
    }
}

/// The connections that are served: what was named, or all in which a client asks something.
fn choose(rows: &[ConnectionRow], args: &MockArgs) -> Result<Vec<i64>> {
    let mut left: Vec<&ConnectionRow> = rows.iter().filter(|row| row.requests > 0).collect();
    if let Some(key) = &args.connection {
        left = vec![connection::named(rows, key)?];
    }
    if let Some(session) = &args.session {
        left.retain(|row| row.session == *session);
    }
    if left.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("{} holds no request that could be answered", args.file))
            .hint("`rpctape ls` shows what it was taken for"));
    }
    Ok(left.iter().map(|row| row.id).collect())
}

fn door(args: &MockArgs, scripts: &[Arc<Script>]) -> Listen {
    match &args.listen {
        None => Listen::Stdio,
        Some(Where::Tcp(address)) => Listen::Tcp(address.clone()),
        Some(Where::Http(address)) => {
            let begins = scripts.iter().find(|script| script.has_handshake());
            let initialize = begins.and_then(|script| script.connection.profile.opening.initialize);
            Listen::Http { address: address.clone(), handshake: initialize.map(str::to_string), revisions: &[] }
        }
    }
}

fn tape(args: &MockArgs, path: &std::path::Path, config: &Config) -> TapeOptions {
    let transport = match &args.listen {
        None => "stdio",
        Some(Where::Tcp(_)) => "tcp",
        Some(Where::Http(_)) => "http",
    };
    TapeOptions {
        transport: transport.to_string(),
        vantage: Vantage::Server,
        redact: args.redact.redactor(config).map(|_| config.secrets.clone()),
        ..TapeOptions::new(path)
    }
}

/// What a client will not get, said before one comes.
fn forewarn(scripts: &[Arc<Script>], args: &MockArgs) {
    if scripts.iter().any(|script| script.has_gap()) {
        io::say("note: the recording lost messages; what stood there cannot be answered");
    }
    if scripts.len() > 1 {
        let each = plural(scripts.len() as u64, "connection");
        io::say(&format!("note: {each} are served; a client gets the one that has what it asks for"));
    }
    let headless =
        |script: &Arc<Script>| script.connection.profile.opening.initialize.is_some() && !script.has_handshake();
    if scripts.iter().any(headless) {
        io::say(
            "note: the recording does not begin with the handshake; a client that does is told that it is not there",
        );
    }
    let address = match &args.listen {
        Some(Where::Http(address) | Where::Tcp(address)) => address.as_str(),
        None => return,
    };
    if !["127.", "localhost:", "[::1]:"].iter().any(|own| address.starts_with(own)) {
        io::say("warning: others on the network can connect, and read what was recorded");
    }
}

fn opened(args: &MockArgs, address: Option<SocketAddr>) {
    if let (Some(place), Some(address)) = (&args.listen, address) {
        io::say(&match place {
            Where::Http(_) => format!("listening on http://{address}/"),
            Where::Tcp(_) => format!("listening on tcp:{address}"),
        });
    }
}

/// The summary, and the exit code.
fn told(args: &MockArgs, scripts: &[Arc<Script>], served: &Served) -> u8 {
    let asked = |part: usize, place: usize| {
        let mut reports = served.reports.iter().filter(|report| report.part == part);
        reports.any(|report| report.served.get(place).is_some_and(|times| *times > 0))
    };
    let places = |(part, script): (usize, &Arc<Script>)| {
        script.requests().map(|(place, _)| (part, place)).collect::<Vec<(usize, usize)>>()
    };
    let all: Vec<(usize, usize)> = scripts.iter().enumerate().flat_map(places).collect();
    let never: Vec<(usize, usize)> = all.iter().copied().filter(|(part, place)| !asked(*part, *place)).collect();
    let clients = match served.reports.len() {
        0 => "no client came; ".to_string(),
        1 => String::new(),
        many => format!("{}; ", plural(many as u64, "client")),
    };
    let of = format!("{} of {}", count((all.len() - never.len()) as u64), plural(all.len() as u64, "recorded request"));
    io::say(&format!("{}: {clients}{of} asked for", args.file));
    if !never.is_empty() {
        let shown = never.iter().take(LISTED);
        let names: Vec<String> = shown.map(|(part, place)| name(&scripts[*part], *place)).collect();
        let more = never.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        io::say(&format!("  never asked for: {}{more}", names.join(", ")));
    }
    for (at, report) in served.reports.iter().enumerate() {
        let whose = if served.reports.len() > 1 { format!(" (client {})", at + 1) } else { String::new() };
        for missed in report.missed.iter().take(LISTED) {
            let name = missed.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let asked = format!("{}{name}", missed.method);
            io::say(&format!("  not in the recording: #{} {asked}: {}{whose}", missed.rpc_id, missed.why()));
        }
        let more = report.missed.len().saturating_sub(LISTED);
        if more > 0 {
            io::say(&format!("  and {} more that are not in the recording{whose}", count(more as u64)));
        }
        for (method, times) in &report.surplus {
            io::say(&format!("  told, but not in the recording: {method} x{times}{whose}"));
        }
        for note in &report.notes {
            io::say(&format!("  note: {note}{whose}"));
        }
    }
    if let Some(tape) = &served.tape {
        if let Some(trouble) = &tape.trouble {
            io::say(&format!("warning: {trouble}"));
        }
        let file = tape.parts.first().map(|path| path.display().to_string()).unwrap_or_default();
        io::say(&format!("  live session: {file} ({})", plural(tape.messages, "message")));
    }
    if args.expect_all && !never.is_empty() {
        return 1;
    }
    // A client that has started its server sees it exit as it did.
    let exit = served.reports.first().and_then(|report| report.exit).filter(|_| args.listen.is_none());
    // One that a signal ended is told as a shell tells it.
    exit.and_then(|code| u8::try_from(if code < 0 { 128 - code } else { code }).ok()).unwrap_or(0)
}

fn name(script: &Script, place: usize) -> String {
    let exchange = &script.connection.exchanges[place];
    let name = exchange.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    format!("{} {}{name}", exchange.label(), exchange.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(listen("8080"), Ok(Where::Http("127.0.0.1:8080".into())));
        assert_eq!(listen("http://localhost:80/"), Ok(Where::Http("localhost:80".into())));
        assert_eq!(listen("[::1]:0"), Ok(Where::Http("[::1]:0".into())));
        assert_eq!(listen("tcp:9000"), Ok(Where::Tcp("127.0.0.1:9000".into())));
        assert_eq!(listen("tcp://0.0.0.0:9000"), Ok(Where::Tcp("0.0.0.0:9000".into())));
        for bad in ["", "host", "a:b", ":80", "http://a/b:80", "99999"] {
            assert!(listen(bad).is_err(), "{bad}");
        }
        assert!(extra("forward=http://x").is_err_and(|why| why.contains("not available")));
    }
}
