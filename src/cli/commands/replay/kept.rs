//! Where live sessions are kept: that of the run whose verdict is told, and those of single exchanges that were played again.

use std::fs::File;
use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Output, Readers, is_same};
use rpctape::pipeline::replay::Scratch;

use super::{Session, choose};
use crate::cli::screen::io;

/// The session of a further run, which is kept only if that run is the one that is told.
pub(super) struct Aside {
    file: PathBuf,
    _folder: Scratch,
}

impl Aside {
    /// One for a run of which a session is to be kept.
    pub(super) fn new() -> Result<Aside> {
        let folder = Scratch::new()?;
        Ok(Aside { file: folder.path().join("aside.run.jsonl"), _folder: folder })
    }

    /// Where the run writes it.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Keeps it.
    pub(super) fn hand_over(&self, to: &Path) -> Result<()> {
        let mut kept = Output::create(to, Readers::Owner)?;
        let copied = File::open(&self.file).and_then(|mut from| std::io::copy(&mut from, &mut kept));
        copied.map_err(|error| output::failed("the live session", error))?;
        kept.finish()
    }
}

/// How many names are tried for such a session.
const TRIES: usize = 100;

/// `chat.cancel-2.run.jsonl` beside `chat.run.jsonl`.
fn beside(main: &Path, nth: usize) -> PathBuf {
    let name = main.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = [".run.jsonl", ".jsonl"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    main.with_file_name(format!("{stem}.cancel-{nth}.run.jsonl"))
}

impl Session<'_> {
    /// Where the live session is kept; never over the recording.
    pub(super) fn kept(&self) -> Result<Option<PathBuf>> {
        if self.args.keep.no_keep {
            return Ok(None);
        }
        let usual = || choose::run_file(&self.file, self.args.report.first_file());
        let named = self.args.keep.keep.clone();
        let file = named.clone().or_else(|| self.kept_as.clone()).unwrap_or_else(usual);
        self.admit(&file)?;
        if named.is_none() {
            choose::unnamed(&file, choose::is_live_session, "--keep")?;
        }
        Ok(Some(file))
    }

    /// An error where a live session would be written over something else of this run.
    fn admit(&self, file: &Path) -> Result<()> {
        let taken = |what: &str| {
            let message = format!("{} is {what}, and would be overwritten", file.display());
            Err(Error::new(ErrorKind::Usage, message).hint("name another file with --keep"))
        };
        if self.parts.iter().any(|part| is_same(file, &io::place_of(part))) {
            return taken("the recording");
        }
        if self.args.report.files().any(|answer| is_same(file, answer))
            || output::is_stdout(file) && self.args.report.takes_stdout()
        {
            return taken("where an answer goes");
        }
        output::free(file).map_err(|error| error.hint("name another file with --keep"))
    }

    /// Keeps the session of a run in which a single exchange was played again, beside the main one; gives its file. What is there and is
    /// none of ours is left alone: its number is passed over.
    pub(super) fn keep_beside(&self, aside: &Aside, main: &Path, nth: &mut usize) -> Result<String> {
        let admits =
            |file: &PathBuf| self.admit(file).and_then(|()| choose::unnamed(file, choose::is_live_session, "--keep"));
        let mut names = (*nth + 1..*nth + 1 + TRIES).map(|at| (at, beside(main, at)));
        let Some((at, file)) = names.find(|(_, file)| admits(file).is_ok()) else {
            let error =
                Error::new(ErrorKind::Usage, "no name is free for the session of a cancel that was tried again");
            return Err(error.hint("name another file with --keep"));
        };
        aside.hand_over(&file)?;
        *nth = at;
        Ok(file.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_further_sessions() {
        assert_eq!(beside(Path::new("x/chat.run.jsonl"), 2), Path::new("x/chat.cancel-2.run.jsonl"));
        assert_eq!(beside(Path::new("kept"), 1), Path::new("kept.cancel-1.run.jsonl"));
    }
}
