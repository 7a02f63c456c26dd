//! `rpctape verify`: whether a recording is what the recorder wrote.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use minisign_verify::{PublicKey, Signature};
use rpctape::capture::{
    End, Fault, Link, Verified, end_signature_of, name_of, path_of, recordings, signature_of, verify,
};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::{escape, plural};
use serde_json::{Value, json};

use crate::cli::screen::io;

/// Verify that recordings are what the recorder wrote: whole, cut, or changed, and where
///
/// Follows the hash chain of every recording, and where a public key is given, checks its signature (NAME.minisig). Parts
/// that are named together must follow each other. Lines that `extract --proof` took out are held against the root that
/// their last line names (signed: NAME.end.minisig). What this proves and what it does not is in docs/evidence.md.
#[derive(Args, Debug)]
pub struct VerifyArgs {
    /// Recordings as they were written (not packed); of one session all parts, in any order
    #[arg(value_name = "REC", required = true)]
    files: Vec<PathBuf>,
    /// The public key of minisign with which every recording must have been signed: a file, or the key itself
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The recording that extracts must be from (`extract --proof`)
    #[arg(long, value_name = "REC")]
    against: Option<PathBuf>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A few lines for each file
    #[default]
    Text,
    /// One JSON object a file, one a line
    Jsonl,
}

/// How many runs of lines are told.
const SPANS: usize = 20;

/// What was found in one file.
struct Checked<'f> {
    file: &'f Path,
    chain: Verified,
    signed: Signed,
    from: Option<From<'f>>,
}

/// The recording that it was held against, and whether it is from that one.
struct From<'f> {
    recording: &'f Path,
    holds: bool,
}

enum Signed {
    /// There is no signature, and none was asked for.
    No,
    /// There is one, and no key to check it with.
    Unchecked,
    /// By the key that was given; with what the signer said.
    Good(String),
    /// What is wrong with it.
    Bad(String),
}

impl Checked<'_> {
    fn is_good(&self) -> bool {
        let is_from = self.from.as_ref().is_none_or(|from| from.holds);
        self.chain.is_sound() && !matches!(self.signed, Signed::Bad(_)) && is_from
    }
}

/// Verifies every file; 1 if one of them is not what was written.
pub fn run(args: &VerifyArgs) -> Result<u8> {
    let key = args.key.as_deref().map(public_key).transpose()?;
    let source = args.against.as_deref().map(|file| source(file).map(|chain| (file, chain))).transpose()?;
    let mut whole = true;
    let mut before: Option<(Option<String>, u64, Link)> = None;
    let files = in_order(&args.files);
    for file in &files {
        let seen = look(file, key.as_ref(), source.as_ref())?;
        let mut text = describe(&seen);
        let mut object = told_as_json(&seen);
        whole &= seen.is_good();
        let Verified { session, part, hands_on, .. } = seen.chain;
        if let Some((_, _, due)) = before.filter(|(old, number, _)| *old == session && number + 1 == part) {
            let follows = seen.chain.before == Some(due);
            text.push_str(if follows { "  follows the part before\n" } else { "  does not follow the part before\n" });
            object["follows"] = follows.into();
            whole &= follows;
        } else if part > 1 {
            text.push_str(&format!("  the parts before part {part} were not looked at\n"));
        }
        before = Some((session, part, hands_on));
        match args.format {
            Format::Text => io::print(&text)?,
            Format::Jsonl => io::written(io::write_json(&mut std::io::stdout(), &object))?,
        }
    }
    Ok(u8::from(!whole))
}

/// The files with the parts of each recording behind each other, in their order.
fn in_order(files: &[PathBuf]) -> Vec<PathBuf> {
    let names: Vec<String> = files.iter().map(|file| name_of(file.as_os_str())).collect();
    recordings(&names).concat().iter().map(|name| path_of(name)).collect()
}

fn look<'f>(file: &'f Path, key: Option<&PublicKey>, source: Option<&(&'f Path, Verified)>) -> Result<Checked<'f>> {
    let chain = chain(file)?;
    if chain.sealed == 0 {
        return Err(Error::new(ErrorKind::Input, format!("{} has no hash chain: there is nothing to verify", file.display()))
            .hint("only `rpctape record` and `extract --proof` write one, into the plain file; exports, other extracts and packed files have none"));
    }
    let signed = signature(file, &chain, key)?;
    // The last line tells session, part and root: the same one is of the same recording.
    let from = source.map(|(recording, whole)| From {
        recording,
        holds: chain.is_sound() && chain.root.is_some() && (chain.root, &chain.closing) == (whole.root, &whole.closing),
    });
    Ok(Checked { file, chain, signed, from })
}

fn chain(file: &Path) -> Result<Verified> {
    let fault = |error: std::io::Error| Error::io("read", &file.display().to_string(), &error);
    verify(BufReader::new(File::open(file).map_err(fault)?)).map_err(fault)
}

/// The recording that others are held against, which must be whole itself.
fn source(file: &Path) -> Result<Verified> {
    let shown = file.display();
    let whole = chain(file)?;
    let lacks = match (whole.is_whole(), whole.root) {
        (true, Some(_)) => return Ok(whole),
        (true, None) => "names no root",
        (false, _) => "is not whole",
    };
    Err(Error::new(ErrorKind::Input, format!("{shown} {lacks}: nothing can be shown to be from it"))
        .hint("name the plain file that `rpctape record` wrote when the session ended; `rpctape verify` says what is wrong with it"))
}

/// A recording is signed as a whole; lines that were taken out of it are by its last line.
fn signature(file: &Path, chain: &Verified, key: Option<&PublicKey>) -> Result<Signed> {
    let path = if chain.left > 0 { end_signature_of(file) } else { signature_of(file) };
    let Some(key) = key else { return Ok(if path.exists() { Signed::Unchecked } else { Signed::No }) };
    let signature = match Signature::from_file(&path) {
        Ok(signature) => signature,
        Err(error) if path.exists() => return Ok(Signed::Bad(format!("it cannot be read: {error}"))),
        Err(_) => return Ok(Signed::Bad(format!("there is no {}", path.display()))),
    };
    let checked = match chain.left {
        0 => checked(file, key, &signature)?,
        _ => key.verify(&chain.closing, &signature, false),
    };
    Ok(match checked {
        Ok(()) => Signed::Good(signature.trusted_comment().to_string()),
        Err(error) => Signed::Bad(error.to_string()),
    })
}

/// Streams the file through the signature.
fn checked(
    file: &Path,
    key: &PublicKey,
    signature: &Signature,
) -> Result<std::result::Result<(), minisign_verify::Error>> {
    let mut verifier = match key.verify_stream(signature) {
        Ok(verifier) => verifier,
        Err(error) => return Ok(Err(error)),
    };
    let fault = |error: std::io::Error| Error::io("read", &file.display().to_string(), &error);
    let mut log = File::open(file).map_err(fault)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match log.read(&mut buffer).map_err(fault)? {
            0 => return Ok(verifier.finalize()),
            read => verifier.update(&buffer[..read]),
        }
    }
}

fn public_key(given: &str) -> Result<PublicKey> {
    let key = match Path::new(given).is_file() {
        true => PublicKey::from_file(given),
        false => PublicKey::from_base64(given),
    };
    key.map_err(|error| {
        Error::new(ErrorKind::Usage, format!("{given} is no public key of minisign: {error}"))
            .hint("name the file NAME.pub, or give its second line")
    })
}

fn told_as_json(seen: &Checked<'_>) -> Value {
    let chain = &seen.chain;
    let (signature, said) = match &seen.signed {
        Signed::No => ("none", None),
        Signed::Unchecked => ("unchecked", None),
        Signed::Good(comment) => ("good", Some(comment)),
        Signed::Bad(why) => ("bad", Some(why)),
    };
    let (end, next) = match &chain.end {
        End::Cut => ("cut", None),
        End::Closed => ("closed", None),
        End::Rotated(next) => ("rotated", Some(next)),
    };
    let faults = chain.faults.iter().map(|(line, fault)| json!({ "line": line, "said": told(*fault) }));
    json!({
        "type": "verified",
        "file": seen.file.display().to_string(),
        "whole": chain.left == 0 && seen.is_good(),
        "good": seen.is_good(),
        "left_out": chain.left,
        "kept": chain.kept,
        "from": seen.from.as_ref().map(|from| from.holds),
        "root": chain.root.map(Link::digits),
        "changed": chain.wrong,
        "end": end,
        "next": next,
        "lines": chain.lines,
        "lost": chain.lost(),
        "part": chain.part,
        "session": chain.session,
        "faults": faults.collect::<Vec<_>>(),
        "signature": signature,
        "signature_said": said,
        "follows": null,
    })
}

fn describe(seen: &Checked<'_>) -> String {
    let chain = &seen.chain;
    let verdict = match (chain.wrong, &chain.end) {
        (0, End::Cut) => format!("cut after line {}", chain.lines),
        (0, _) if chain.left > 0 => "an extract, every line as it was written".to_string(),
        (0, _) => "whole".to_string(),
        (_, End::Cut) => format!("changed, and cut after line {}", chain.lines),
        _ => "changed".to_string(),
    };
    let session = chain.session.as_deref().unwrap_or("unknown");
    let shown = seen.file.display().to_string();
    let mut text = format!(
        "{}: {verdict}\n  {}, part {} of session {}\n",
        escape(&shown),
        plural(chain.lines, "line"),
        chain.part,
        escape(session)
    );
    if chain.lost() > 0 {
        let lost = plural(chain.lost(), "message");
        text.push_str(&format!("  its recorder lost {lost}: what it wrote is not all that passed\n"));
    }
    if chain.left > 0 {
        let kept = spans(&chain.kept);
        text.push_str(&format!("  holds {kept} of the recording; {} left out\n", plural(chain.left, "line")));
    }
    for (line, fault) in &chain.faults {
        text.push_str(&format!("  line {line}: {}\n", told(*fault)));
    }
    if chain.wrong > chain.faults.len() as u64 {
        text.push_str(&format!("  and {} more\n", plural(chain.wrong - chain.faults.len() as u64, "line")));
    }
    if let End::Rotated(next) = &chain.end {
        text.push_str(&format!("  goes on in {}\n", escape(next)));
    }
    if chain.end == End::Cut {
        text.push_str(
            "  its last line is missing: it was cut, is still being written, or its recorder was ended by force\n",
        );
    }
    if let Some(root) = chain.root {
        text.push_str(&format!("  root of all lines: {}\n", root.digits()));
    }
    if let Some(From { recording, holds }) = &seen.from {
        let not = if *holds { "" } else { "NOT " };
        text.push_str(&format!("  {not}from {}\n", escape(&recording.display().to_string())));
    }
    text.push_str(&match &seen.signed {
        Signed::No if seen.from.as_ref().is_some_and(|from| from.holds) => "  not signed\n".to_string(),
        Signed::No if chain.left > 0 => {
            "  not signed: it is from the recording that `rpctape verify` tells the same root of, and from none that is not at hand\n".to_string()
        }
        Signed::No => "  not signed: whoever can write the file can make the chain anew\n".to_string(),
        Signed::Unchecked => "  signed; the signature was not checked (name the public key: --key)\n".to_string(),
        Signed::Good(comment) => format!("  signature: good ({})\n", escape(comment)),
        Signed::Bad(why) => format!("  signature: BAD: {}\n", escape(why)),
    });
    text
}

/// Runs of lines, as people write them.
fn spans(kept: &[(u64, u64)]) -> String {
    let shown: Vec<String> = kept
        .iter()
        .take(SPANS)
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let more = if kept.len() > SPANS { " ..." } else { "" };
    format!("lines {}{more}", shown.join(", "))
}

fn told(fault: Fault) -> String {
    match fault {
        Fault::Changed => "changed: it is not what was written".to_string(),
        Fault::Foreign => {
            "does not belong here: added, moved, or half of a line that the disk did not take".to_string()
        }
        Fault::Root => "names another root than the lines before it come to: one of them was changed, or what stands for those left out".to_string(),
        Fault::Jump { after, to } => {
            let (place, gone) = match after {
                Some(after) => (format!("after event {after}"), "between them"),
                None => ("first".to_string(), "before it"),
            };
            format!("event {to} stands {place}: what was {gone} is missing or was moved, or this line was changed")
        }
    }
}
