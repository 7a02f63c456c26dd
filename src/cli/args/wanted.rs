//! `KIND=FILE`: a report that a run writes beside its answer.

use std::path::{Path, PathBuf};

use rpctape::capture::path_of;
use rpctape::error::{Error, ErrorKind, Result, nearest};
use rpctape::output::{is_same, is_stdout};

/// One `--report`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its kind.
    pub kind: &'static str,
    /// Where it goes, as it was named.
    pub file: PathBuf,
}

impl Wanted {
    /// Reads KIND=FILE, where the kind is one of these. What is wrong with it, in words, where it is none.
    pub fn read(text: &str, kinds: impl Iterator<Item = &'static str> + Clone) -> std::result::Result<Wanted, String> {
        let known = || format!("kinds are {}", kinds.clone().collect::<Vec<_>>().join(", "));
        let Some((kind, file)) = text.split_once('=').filter(|(_, file)| !file.is_empty()) else {
            return Err(format!("write it as KIND=FILE; {}", known()));
        };
        let Some(kind) = kinds.clone().find(|name| *name == kind) else {
            let hint = nearest(kind, kinds.clone()).map_or_else(known, |near| format!("did you mean {near}?"));
            return Err(format!("there is no report {kind}; {hint}"));
        };
        Ok(Wanted { kind, file: path_of(file) })
    }

    /// The file that it goes to; none where that is standard output, under any name of it. `-` is so also where standard
    /// output is thrown away.
    pub fn path(&self) -> Option<&Path> {
        Some(self.file.as_path()).filter(|file| *file != Path::new("-") && !is_stdout(file))
    }
}

/// True if one of them takes the place of the answer on standard output.
pub fn take_stdout(all: &[Wanted]) -> bool {
    all.iter().any(|wanted| wanted.path().is_none())
}

/// An error where two of them, or one of them and the answer, would be written to one file.
pub fn apart(output: Option<&Path>, all: &[Wanted]) -> Result<()> {
    let mut files: Vec<&Path> = output.into_iter().collect();
    for file in all.iter().map(|wanted| wanted.file.as_path()) {
        if files.iter().any(|taken| *taken == file || is_same(taken, file)) {
            let message = format!("two answers would be written to {}", file.display());
            return Err(Error::new(ErrorKind::Usage, message).hint("give each --report a file of its own"));
        }
        files.push(file);
    }
    Ok(())
}
