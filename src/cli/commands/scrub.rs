//! `rpctape scrub`: a recording without its secrets, to be shared.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use clap::Args;
use rpctape::capture::bytes_of;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output;
use rpctape::redact::{Redactor, told};
use rpctape::report::plural;

use crate::cli::args::config::{Config, Uses};
use crate::cli::args::input;
use crate::cli::screen::io::{self, Out, written};
use rpctape::report::shell;

/// Replace secrets in a recording or a JSON Lines log, so that it can be shared
///
/// Best effort: read it before you share it. Only the bytes of a secret change; ids and pairing stay as they are, and
/// the same secret has the same placeholder everywhere, such as <<secret:token#1>>.
#[derive(Args, Debug)]
pub struct ScrubArgs {
    /// A recording (rec/1), a log of one JSON object a line, or one document of JSON; `-` is standard input
    #[arg(value_name = "IN", value_parser = input::name())]
    file: String,
    /// The copy to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Read this configuration, for its [redact]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Copies the log line by line.
pub fn run(args: &ScrubArgs) -> Result<u8> {
    let config = Config::load(args.config.as_deref(), Uses::Scrubbing)?;
    let fault = |error: std::io::Error| Error::io("read", &args.file, &error);
    let mut log = BufReader::new(bytes_of(&args.file).map_err(fault)?);
    // A look at the beginning: a device that never ends has no first line.
    let first = log.fill_buf().map_err(fault)?;
    if !first.trim_ascii_start().starts_with(b"{") {
        let message = format!("{} is no recording, and holds no JSON", args.file);
        let hint = format!(
            "make a recording of it first: rpctape export {} --as rec -o copy.rec.jsonl",
            shell::file(&args.file)
        );
        return Err(Error::new(ErrorKind::Input, message).hint(hint));
    }
    let mut out = Out::open(Some(&args.output), std::slice::from_ref(&args.file))?;
    let mut redactor = Redactor::new(&config.secrets);
    let (mut opaque, mut line) = (0, Vec::new());
    // A document that is spread over lines is looked at as a whole: a name and its value may stand on two of them.
    let spread = is_spread(first);
    let mut next = |line: &mut Vec<u8>| match spread {
        true => log.read_to_end(line),
        false => log.read_until(b'\n', line),
    };
    while next(&mut line).map_err(fault)? > 0 {
        // Of bytes that are no text, what can be found in them is replaced, at the price of the bytes.
        let text = String::from_utf8_lossy(&line);
        opaque += u64::from(matches!(text, Cow::Borrowed(_)) && text.contains("\"b64\":"));
        let done = out.write_all(redactor.text(&text).as_bytes());
        if done.as_ref().is_err_and(output::is_gone) {
            break;
        }
        written(done)?;
        line.clear();
    }
    out.close()?;
    io::say(&format!("replaced {}; best effort, read it before you share it", told(redactor.counts())));
    if !redactor.kept().is_empty() {
        let kept = told(redactor.kept());
        io::say(&format!(
            "warning: kept {kept} in ids, progress tokens and what names them, which look like secrets: they tie messages together"
        ));
    }
    if opaque > 0 {
        io::say(&format!("warning: {} with base64 in it, which was not looked into", plural(opaque, "line")));
    }
    Ok(0)
}

/// True for the beginning of a document that breaks its first line behind a bracket.
fn is_spread(beginning: &[u8]) -> bool {
    let line = beginning.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.len() < beginning.len() && line.trim_ascii_end().ends_with(b"{")
}
