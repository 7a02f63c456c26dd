//! Signatures of recordings, in the form of minisign: beside every part `NAME.rec.jsonl.minisig` over the file, and
//! `NAME.rec.jsonl.end.minisig` over its last line, which stands for all others where only some of them are shown.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use minisign::{SecretKey, SecretKeyBox};

use crate::capture::{End, Link, Verified, end_signature_of, signature_of, verify};
use crate::error::{Error, ErrorKind, Result};
use crate::output::{self, Readers};

/// A key that signs.
pub struct Signer {
    key: SecretKey,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer")
    }
}

impl Signer {
    /// Reads a secret key of minisign. Errors: no such file, no such key, a key with a password and none or a wrong one given.
    pub fn load(path: &Path, password: Option<String>) -> Result<Signer> {
        let shown = path.display().to_string();
        let text = output::read_small(path).map_err(|error| Error::io("read", &shown, &error))?;
        let sealed = || SecretKeyBox::from_string(&text);
        if let Ok(key) = sealed().and_then(SecretKeyBox::into_unencrypted_secret_key) {
            return Ok(Signer { key });
        }
        let fault = |why: &str| Error::new(ErrorKind::Usage, format!("cannot sign with {shown}: {why}"));
        let Some(password) = password else {
            return Err(fault("it is no secret key of minisign without a password")
                .hint("make one with `minisign -G -W`, or give its password in RPCTAPE_SIGN_PASSWORD"));
        };
        let key = sealed().and_then(|sealed| sealed.into_secret_key(Some(password)));
        key.map(|key| Signer { key }).map_err(|error| fault(&error.to_string()))
    }

    /// Signs all parts of a recording whose last line has the hash `last`, and gives the files of the signatures. What is not any more
    /// what was written is not signed.
    pub fn sign(&self, parts: &[PathBuf], last: Link) -> Result<Vec<PathBuf>> {
        let mut due = Link::beginning();
        let mut verified = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let found = chain_of(part)?;
            let is_last = at + 1 == parts.len();
            let is_whole = found.wrong == 0 && found.before.unwrap_or(Link::beginning()) == due;
            if !is_whole || is_last && (found.last != last || found.end != End::Closed) {
                let message = format!("{} is not any more what was recorded, and is not signed", part.display());
                return Err(Error::new(ErrorKind::Input, message).hint("`rpctape verify` says what changed"));
            }
            due = found.hands_on;
            verified.push(found);
        }
        let signed: Result<Vec<_>> =
            parts.iter().zip(&verified).map(|(part, found)| self.sign_one(part, found)).collect();
        Ok(signed?.into_iter().flatten().collect())
    }

    fn sign_one(&self, part: &Path, found: &Verified) -> Result<[PathBuf; 2]> {
        let shown = part.display().to_string();
        let file = File::open(part).map_err(|error| Error::io("read", &shown, &error))?;
        let whole = self.signature(part, found, signature_of(part), BufReader::new(file))?;
        Ok([whole, self.signature(part, found, end_signature_of(part), Cursor::new(&found.closing))?])
    }

    fn signature(&self, part: &Path, found: &Verified, path: PathBuf, what: impl Read) -> Result<PathBuf> {
        let session = found.session.as_deref().unwrap_or("unknown");
        let comment =
            format!("session:{session} part:{} lines:{} hash:{}", found.part, found.lines, found.last.digits());
        let signature = minisign::sign(None, &self.key, what, Some(&comment), None)
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot sign {}: {error}", part.display())))?;
        output::write(&path, signature.into_string().as_bytes(), Readers::Umask)?;
        Ok(path)
    }
}

fn chain_of(part: &Path) -> Result<Verified> {
    let fault = |error: std::io::Error| Error::io("read", &part.display().to_string(), &error);
    verify(BufReader::new(File::open(part).map_err(fault)?)).map_err(fault)
}

#[cfg(test)]
mod tests {
    use minisign::KeyPair;

    use super::*;
    use crate::live::Clock;
    use crate::live::tape::{Tape, TapeEvent, TapeOptions};

    #[test]
    fn what_was_recorded_is_signed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let pair = KeyPair::generate_unencrypted_keypair().expect("a key");
        let key = folder.path().join("key");
        std::fs::write(&key, pair.sk.to_box(None).expect("a key").into_string()).expect("a file");
        let signer = Signer::load(&key, None).expect("a signer");
        let options = TapeOptions { max_size: Some(600), ..TapeOptions::new(folder.path().join("a.rec.jsonl")) };
        let tape = Tape::start(options, Clock::start()).expect("a tape");
        for at in 0..9 {
            tape.event(at, 1, None, TapeEvent::Note { text: "x".repeat(100) });
        }
        let summary = tape.finish(9);
        let last = summary.last.expect("a chain");
        assert!(summary.parts.len() > 1, "{summary:?}");
        let signed = signer.sign(&summary.parts, last).expect("signatures");
        let public = minisign_verify::PublicKey::from_base64(&pair.pk.to_base64()).expect("a key");
        for (part, signatures) in summary.parts.iter().zip(signed.chunks(2)) {
            let bytes = std::fs::read(part).expect("a part");
            let last = bytes.split_inclusive(|byte| *byte == b'\n').next_back().expect("a line");
            for (signature, of) in signatures.iter().zip([&bytes[..], last]) {
                let signature = minisign_verify::Signature::from_file(signature).expect("a signature");
                public.verify(of, &signature, false).expect("it is good");
                assert!(public.verify(&of[1..], &signature, false).is_err());
            }
        }
        let mut text = std::fs::read_to_string(&summary.parts[0]).expect("a part");
        text = text.replacen("xx", "xy", 1);
        std::fs::write(&summary.parts[0], text).expect("a file");
        assert!(signer.sign(&summary.parts, last).is_err());
    }

    #[test]
    fn a_key_with_a_password_needs_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("key");
        std::fs::write(&key, "untrusted comment: x\nnothing\n").expect("a file");
        let error = Signer::load(&key, None).expect_err("no key");
        assert!(error.hint.expect("a hint").contains("RPCTAPE_SIGN_PASSWORD"));
        assert!(Signer::load(&key, Some("p".to_string())).is_err());
    }
}
