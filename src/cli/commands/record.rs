//! `rpctape record`: keeps what passes between a client and a server, without a trace on what passes.

mod place;
mod proxy;
mod shim;
mod tcp;

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use rpctape::capture::Vantage;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Clock;
use rpctape::live::sign::Signer;
use rpctape::live::tape::{Tape, TapeOptions, TapeSummary};
use rpctape::output::Folder;
use rpctape::protocol::Profile;
use rpctape::redact::told;
use rpctape::report::{count, plural};
use rpctape::wire::Framing;

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::args::terms::RedactSet;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Record a live session: run a server through rpctape, or put rpctape in front of one
///
/// `rpctape record -- node build/index.js` stands where `node build/index.js` stood in the client's configuration. Bytes
/// pass unchanged, standard output carries nothing else, and rpctape exits as the server did. Where messages come faster than the
/// disk takes them, the copy is dropped, never the traffic; the recording says how much it lost. Secrets are replaced
/// before anything is written.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("what").required(true).args(["http", "sse", "ws", "tcp", "command"])))]
pub struct RecordArgs {
    /// The recording; a folder (ending in /) gets a file of its own for every session [default: NAME-DATE-TIME-PID.rec.jsonl]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Record into rpctape/NAME.rec.jsonl, where `rpctape replay` finds it
    #[arg(long, value_name = "NAME", conflicts_with = "output", value_parser = place::fixture)]
    name: Option<PathBuf>,
    /// The server's command line, after `--`; it speaks over standard input and output
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
    /// An MCP endpoint over Streamable HTTP; clients connect to --listen
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// An MCP endpoint over the HTTP+SSE of 2024-11-05
    #[arg(long, value_name = "URL")]
    sse: Option<String>,
    /// A WebSocket, ws://HOST:PORT/PATH
    #[arg(long, value_name = "URL")]
    ws: Option<String>,
    /// A server on a TCP port
    #[arg(long, value_name = "HOST:PORT")]
    tcp: Option<String>,
    /// Where clients connect to; without a host on this machine only, port 0 takes a free one
    #[arg(long, value_name = "[HOST:]PORT", default_value = "127.0.0.1:0", conflicts_with = "command")]
    listen: String,
    /// HTTP: do not ask the server for an uncompressed answer; a body that is compressed is then stored as it is
    #[arg(long)]
    no_touch: bool,
    /// What is spoken: mcp, acp, lsp or jsonrpc, with a revision where needed; otherwise it is told from the messages
    #[arg(long, value_name = "PROTOCOL", value_parser = input::spoken)]
    proto: Option<&'static Profile>,
    /// How messages are told apart
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    framing: FramingArg,
    /// Begin another file when one reaches this size: 500k, 100M, 2G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
    /// Record no more than this, all files of the session together; what comes later passes, and is counted as lost
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_total: Option<u64>,
    /// Put the recording on the disk every second, should the power fail
    #[arg(long)]
    durable: bool,
    /// Replace what looks like a secret before it is written (best effort)
    #[arg(long, value_enum, value_name = "SET", default_value = "default")]
    redact: RedactSet,
    /// Sign the recording when it ends (NAME.minisig, NAME.end.minisig): a secret key of minisign; its password in RPCTAPE_SIGN_PASSWORD
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Written by `rpctape wrap`, so that `unwrap` finds it. Nobody reads where the recording goes: it is not said.
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, value_name = "HOW")]
    wrapped: Option<Option<String>>,
    /// Say at the end what was recorded, also where stderr is no terminal
    #[arg(short, long)]
    verbose: bool,
}

/// As `--framing` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FramingArg {
    /// As the first message shows
    #[default]
    Auto,
    /// One message a line (MCP, ACP)
    Nl,
    /// Header blocks with Content-Length (LSP)
    Cl,
}

impl FramingArg {
    /// As the header of a recording has it.
    fn word(self) -> String {
        let framing = match self {
            FramingArg::Auto => None,
            FramingArg::Nl => Some(Framing::Lines),
            FramingArg::Cl => Some(Framing::ContentLength),
        };
        framing.map_or("auto", Framing::as_str).to_string()
    }
}

/// A size in bytes: `500k`, `100M`, `1.5 GB`; `KiB` and its like count by 1024.
pub fn size(text: &str) -> std::result::Result<u64, String> {
    let fault = || format!("`{text}` is no size: write 500k, 100M or 2G");
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text[number.len()..].to_ascii_lowercase();
    let factor: f64 = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "ki" | "kib" => 1024.0,
        "mi" | "mib" => 1024.0 * 1024.0,
        "gi" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(fault()),
    };
    let number: f64 = number.trim().parse().map_err(|_| fault())?;
    let size = number * factor;
    if (1.0..1e18).contains(&size) { Ok(size as u64) } else { Err(fault()) }
}

/// Records until the session ends.
pub fn run(args: &RecordArgs, stop: &Stop) -> Result<u8> {
    match (&args.http, &args.sse, &args.ws, &args.tcp) {
        (Some(url), ..) => proxy::http(args, url, stop),
        (_, Some(url), ..) => proxy::sse(args, url, stop),
        (_, _, Some(url), _) => proxy::ws(args, url, stop),
        (_, _, _, Some(server)) => tcp::run(args, server, stop),
        _ => shim::run(args, stop),
    }
}

/// A recording that has begun.
struct Recorder {
    tape: Tape,
    clock: Clock,
    path: PathBuf,
    signer: Option<Signer>,
    verbose: bool,
    /// Goes after the tape, whose files stand in it.
    _folder: Option<Folder>,
}

impl Recorder {
    /// Begins one. `name` is what the file is called after where the user names none; `describe` says what is recorded.
    /// Until its files are open a signal ends the program; from then on signals are the session's.
    fn start(args: &RecordArgs, stop: &Stop, name: &str, describe: impl FnOnce(&mut TapeOptions)) -> Result<Recorder> {
        let secrets = Config::load(None, Uses::Secrets)?.secrets;
        let signer = args.sign.as_deref().map(|key| Signer::load(key, place::password())).transpose()?;
        let path = args.name.clone().unwrap_or_else(|| place::file(args.output.as_deref(), name));
        let folder = match &args.output {
            Some(output) if output.as_os_str().to_string_lossy().ends_with('/') => Some(output.as_path()),
            _ => args.name.as_deref().and_then(std::path::Path::parent),
        };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).map(Folder::make).transpose()?;
        let verbose = args.verbose || io::stderr_is_terminal();
        let mut options = TapeOptions {
            proto: args.proto.map(|profile| profile.name.to_string()),
            revision: args
                .proto
                .filter(|profile| !profile.unknown_revision)
                .map(|profile| profile.revision.to_string()),
            vantage: Vantage::Proxy,
            redact: (args.redact == RedactSet::Default).then_some(secrets),
            max_size: args.max_size,
            max_total: args.max_total,
            durable: args.durable,
            say: Some(Box::new(|text| io::say(&format!("rpctape: warning: {}", text)))),
            ..TapeOptions::new(&path)
        };
        describe(&mut options);
        let clock = Clock::start();
        let tape = Tape::start(options, clock)?;
        stop.release();
        if args.redact == RedactSet::Off {
            io::say("rpctape: warning: secrets are recorded as they are (--redact off)");
        }
        let recorder = Recorder { tape, clock, path, signer, verbose, _folder: folder };
        if verbose || args.wrapped.is_none() && args.output.as_ref().is_none_or(|output| *output != recorder.path) {
            recorder.say(&format!("recording into {}", recorder.path.display()));
        }
        Ok(recorder)
    }

    /// A line that tells whose it is: a shim's stderr is the server's, too.
    fn say(&self, text: &str) {
        io::say(&format!("rpctape: {}", text));
    }

    /// Ends it, and says what is in it.
    fn finish(self) -> TapeSummary {
        let Recorder { tape, clock, path, signer, verbose, _folder } = self;
        let summary = tape.finish(clock.us());
        let lost = match (summary.lost, summary.lost_bytes) {
            (0, 0) => String::new(),
            (0, bytes) => format!(", lost {} of what is no message", plural(bytes, "byte")),
            (lost, bytes) => format!(", lost {} ({} bytes)", plural(lost, "message"), count(bytes)),
        };
        if verbose || !lost.is_empty() {
            let parts = match summary.parts.len() {
                0 | 1 => String::new(),
                parts => format!(" and {}", plural(parts as u64 - 1, "more part")),
            };
            let text = format!(
                "recorded {}{lost}, redacted {}: {}{parts}",
                plural(summary.messages, "message"),
                told(&summary.replaced),
                path.display()
            );
            io::say(&format!("rpctape: {}", text));
        }
        if let Some(signer) = signer {
            sign(&signer, &summary, verbose);
        }
        summary
    }

    /// Ends one that recorded nothing, and leaves no file behind.
    fn abandon(self) {
        self.tape.finish(self.clock.us());
        if self.path.is_file() {
            // What cannot be removed is an empty recording, and no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Signs what was recorded. That it could not be signed is said, and changes nothing for the client.
fn sign(signer: &Signer, summary: &TapeSummary, verbose: bool) {
    let unended = || Error::new(ErrorKind::Io, "the recording has no end, and is not signed");
    match summary.last.ok_or_else(unended).and_then(|last| signer.sign(&summary.parts, last)) {
        Ok(files) if verbose => io::say(&format!("rpctape: signed {}", plural(files.len() as u64, "file"))),
        Ok(_) => {}
        Err(error) => io::say(&format!("rpctape: warning: {}", error.message)),
    }
}

fn cannot_listen_for_signals(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot listen for signals: {error}"))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("1", 1),
            ("500k", 500_000),
            ("2MB", 2_000_000),
            ("1g", 1_000_000_000),
            ("1.5 M", 1_500_000),
            ("2MiB", 2 << 20),
        ] {
            assert_eq!(size(text), Ok(bytes));
        }
        for bad in ["", "0", "k", "0.5", "5x", "-1", "inf", "99999999999G"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
