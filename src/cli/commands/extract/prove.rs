//! `extract --proof`: lines of a recording as they stand, and hashes for all others.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use rpctape::capture::{end_signature_of, path_of, prune, verify};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Readers};
use rpctape::redact::Redactor;
use rpctape::report::plural;

use crate::cli::screen::io::{self, Out, written};

/// Writes these lines of a recording, and takes the signature of its last line along.
pub fn write(recording: &str, lines: &BTreeSet<u64>, to: &Path, redactor: Option<Redactor>) -> Result<u8> {
    let shown = recording.to_string();
    let path = path_of(recording);
    let fault = |error: std::io::Error| Error::io("read", &shown, &error);
    let log = BufReader::new(File::open(&path).map_err(fault)?);
    let (bytes, found) = prune(log, |line| lines.contains(&line)).map_err(fault)?;
    if found.sealed == 0 || found.root.is_none() && found.is_whole() {
        return Err(Error::new(ErrorKind::Input, format!("{shown} names no root: nothing can be shown to be from it"))
            .hint("only `rpctape record` writes one, when a session ends; --proof takes the plain file of one part"));
    }
    if found.left > 0 {
        let message = format!("{shown} is an extract already: nothing can be shown to be from it once more");
        return Err(Error::new(ErrorKind::Input, message).hint("take it from the recording, or hand on this file"));
    }
    if !found.is_whole() {
        let message = format!("{shown} is not whole: nothing can be shown to be from it");
        return Err(Error::new(ErrorKind::Input, message).hint("`rpctape verify` says what is missing or changed"));
    }
    without_secrets(&bytes, redactor)?;
    let mut out = Out::open(Some(to), &[recording.to_string()])?;
    written(std::io::Write::write_all(&mut out, &bytes))?;
    out.close()?;
    let signature = end_signature_of(&path);
    let signed = signature.exists();
    if signed {
        let bytes =
            std::fs::read(&signature).map_err(|error| Error::io("read", &signature.display().to_string(), &error))?;
        output::write(&end_signature_of(to), &bytes, Readers::Umask)?;
    }
    let kept = verify(&bytes[..]).map_err(fault)?.left;
    let kept = found.lines.saturating_sub(kept);
    let signed = if signed { "signed" } else { "not signed" };
    io::say(&format!("{kept} of {} as they stand, {signed}", plural(found.lines, "line")));
    Ok(0)
}

/// A line whose secrets are replaced is no line of the recording any more.
fn without_secrets(bytes: &[u8], redactor: Option<Redactor>) -> Result<()> {
    let Some(mut redactor) = redactor else { return Ok(()) };
    for (line, number) in String::from_utf8_lossy(bytes).lines().zip(1..) {
        if let Some(kind) = redactor.first_kind(line) {
            let message =
                format!("line {number} of the extract holds what looks like a secret ({kind}), and cannot be replaced");
            return Err(Error::new(ErrorKind::Input, message)
                .hint("leave out --proof to have it replaced, or keep it with --redact off"));
        }
    }
    Ok(())
}
