//! Paths as the user gives them to the sources they name: directories are walked, archives are listed.

use std::collections::BTreeMap;

use super::archive::{self, Archive};
use super::open::recognised;
use super::recorded::{RecordedPart, in_order};
use super::recordings::part_of;
use super::{Overrides, name_of, name_order, path_of, rotation};
use crate::error::{Error, ErrorKind, Result};

/// What a list of paths comes down to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Paths to open, in order: those named, and those found in directories, sorted by name. Rotated parts of one log come
    /// oldest first, those of one recording by their numbers.
    pub paths: Vec<String>,
    /// Files that are not read, each with the reason.
    pub skipped: Vec<(String, String)>,
    /// Archives among them.
    pub archives: Vec<Archived>,
    /// The parts of recordings among the paths.
    parts: BTreeMap<String, RecordedPart>,
}

/// An archive: its path, and how many of the files in it are logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// Its path.
    pub path: String,
    /// Files in it that are read as logs.
    pub logs: usize,
    /// All files in it, those that cannot be read included.
    pub files: usize,
    /// True if its end is missing.
    pub torn: bool,
}

/// Walks the directories among `paths`, and lists the archives, also those that come through a pipe. A file found there that holds no JSON-RPC is passed over with a reason;
/// so is one of several files that were named, since a pattern of the shell takes them all. A file named alone is kept,
/// so that opening it tells what is wrong with it, and so is one that cannot be read.
pub fn expand(paths: &[String], overrides: &Overrides) -> Result<Expanded> {
    expand_known(paths, overrides, &|_| false)
}

/// The same where some files are `known` to be logs: they are not opened to tell.
pub fn expand_known(paths: &[String], overrides: &Overrides, known: &dyn Fn(&str) -> bool) -> Result<Expanded> {
    let mut found = Expanded::default();
    let look = Look { overrides, known };
    for path in paths {
        let file = path_of(path);
        archive::look(path)?;
        if path != "-" && file.is_dir() {
            walk(path, &look, &mut found)?;
        } else if let Some(archive) = Archive::open(path)? {
            found.members(&archive, &look);
        } else if paths.len() > 1 && file.is_file() {
            found.add_if_log(path.clone(), &look);
        } else {
            found.add(path.clone(), None);
        }
    }
    rotation::put_in_order(&mut found.paths);
    let parts = std::mem::take(&mut found.parts);
    in_order(&mut found.paths, |path| parts.get(path).cloned());
    Ok(found)
}

/// How a file is told to be a log.
struct Look<'l> {
    overrides: &'l Overrides,
    known: &'l dyn Fn(&str) -> bool,
}

impl Look<'_> {
    /// The part of a recording that it is, if it is one. Errors: it is no log.
    fn at(&self, path: &str) -> Result<Option<RecordedPart>> {
        if (self.known)(path) { Ok(part_of(path)) } else { recognised(path, self.overrides) }
    }

    /// True for what is outside of the folder in which links have to stay.
    fn leads_out(&self, path: &str) -> bool {
        let Some(within) = &self.overrides.within else { return false };
        let real = std::fs::canonicalize(path_of(path)).ok().zip(std::fs::canonicalize(within).ok());
        !real.is_some_and(|(path, within)| path.starts_with(within))
    }
}

impl Expanded {
    /// Takes a file, unless it is read and found to be no log.
    fn add_if_log(&mut self, path: String, look: &Look<'_>) {
        match look.at(&path) {
            Err(error) if error.kind == ErrorKind::Input => self.skipped.push((path.clone(), reason(&path, &error))),
            told => self.add(path, told.ok().flatten()),
        }
    }

    /// Takes those members of an archive that are logs.
    fn members(&mut self, archive: &Archive, look: &Look<'_>) {
        let (before, files) = (self.paths.len(), archive.files());
        for name in archive.names() {
            self.add_if_log(name, look);
        }
        let logs = self.paths.len() - before;
        self.archives.push(Archived { path: archive.path().to_string(), logs, files, torn: archive.is_torn() });
        self.skipped.extend(archive.left_out());
    }

    fn add(&mut self, path: String, part: Option<RecordedPart>) {
        if !self.paths.contains(&path) {
            self.parts.extend(part.map(|part| (path.clone(), part)));
            self.paths.push(path);
        }
    }
}

fn walk(directory: &str, look: &Look<'_>, found: &mut Expanded) -> Result<()> {
    let fail = |error: std::io::Error| Error::io("list", directory, &error);
    let mut entries =
        std::fs::read_dir(path_of(directory)).map_err(fail)?.collect::<std::io::Result<Vec<_>>>().map_err(fail)?;
    entries.sort_by_cached_key(|entry| name_order(&name_of(&entry.file_name())));
    for entry in entries {
        let name = name_of(&entry.file_name());
        let path = format!("{}/{name}", directory.trim_end_matches(['/', '\\']));
        let kind = entry.file_type().map_err(fail)?;
        // What a link leads to is read, but not walked: a link to a directory may lead back up.
        if name.starts_with('.') {
            found.skipped.push((path, "it is hidden".to_string()));
        } else if kind.is_dir() {
            walk(&path, look, found)?;
        } else if !path_of(&path).is_file() {
            found.skipped.push((path, "it is not a regular file".to_string()));
        } else if kind.is_symlink() && look.leads_out(&path) {
            found.skipped.push((path, "it is a link that leads out of the folder".to_string()));
        } else if let Some(archive) = Archive::open(&path)? {
            found.members(&archive, look);
        } else {
            match look.at(&path) {
                Ok(part) => found.add(path, part),
                Err(error) => found.skipped.push((path.clone(), reason(&path, &error))),
            }
        }
    }
    Ok(())
}

/// The error without the path, which stands beside it.
fn reason(path: &str, error: &Error) -> String {
    let message = error.message.as_str();
    match message.strip_prefix(path) {
        Some(rest) => format!("it{rest}"),
        None => message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";

    #[test]
    fn directories_are_walked_in_order_and_nothing_is_lost_silently() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("sub")).expect("a directory");
        for (name, text) in
            [("b.log", MESSAGE), ("sub/a.log", MESSAGE), ("notes.txt", "hello\n"), (".x", MESSAGE), ("e", "")]
        {
            std::fs::write(at(name), text).expect("written");
        }
        let root = dir.path().to_string_lossy().into_owned();
        let found =
            expand(&[root.clone(), format!("{root}/b.log"), "-".into()], &Overrides::default()).expect("expanded");
        assert_eq!(found.paths, [format!("{root}/b.log"), format!("{root}/sub/a.log"), "-".into()]);
        let skipped: Vec<_> =
            found.skipped.iter().map(|(path, why)| format!("{}: {why}", &path[root.len()..])).collect();
        let want = ["/.x: it is hidden", "/e: it is empty", "/notes.txt: it holds no JSON-RPC that rpctape can read"];
        assert_eq!(skipped, want);
    }

    #[test]
    fn a_directory_that_cannot_be_listed_is_an_error_and_a_missing_file_is_kept() {
        let found = expand(&["no/such/file".into()], &Overrides::default()).expect("expanded");
        assert_eq!(found.paths, ["no/such/file"]);
    }

    #[test]
    fn of_several_files_those_that_hold_no_messages_are_passed_over_and_one_alone_is_kept() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::write(at("a.log"), MESSAGE).expect("written");
        std::fs::write(at("notes.txt"), "hello\n").expect("written");
        let found = expand(&[at("a.log"), at("notes.txt"), at("missing")], &Overrides::default()).expect("expanded");
        assert_eq!(found.paths, [at("a.log"), at("missing")]);
        assert_eq!(found.skipped, [(at("notes.txt"), "it holds no JSON-RPC that rpctape can read".to_string())]);
        let alone = expand(&[at("notes.txt")], &Overrides::default()).expect("expanded");
        assert_eq!(alone.paths, [at("notes.txt")]);
    }
}
