//! Where outputs are: what a path leads to, and whether two name one file.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Links that lead to links are followed this far, as the kernel does.
const LINKS: usize = 40;

/// Where a file is or would be: its folder without links, and its name there.
fn place(path: &Path) -> Option<(PathBuf, OsString)> {
    let target = followed(path).ok()?;
    Some((std::fs::canonicalize(folder_of(&target)).ok()?, target.file_name()?.to_os_string()))
}

/// The folder of a file; the current one for a mere name.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// True if a file is in a folder or below it, or would be: it is where its links lead.
pub fn lies_in(path: &Path, folder: &Path) -> bool {
    match (place(path), std::fs::canonicalize(folder)) {
        (Some((own, _)), Ok(folder)) => folder.is_dir() && own.starts_with(folder),
        _ => false,
    }
}

/// True if two paths name one file, whether it exists yet or not.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(a), Ok(b)) if is_one(&a, &b) => true,
        _ => place(a).is_some_and(|place_of_a| place(b) == Some(place_of_a)),
    }
}

/// True for what is open already, by its number: `/proc/self/fd/1`, to which `/dev/stdout` leads. Where such a link leads
/// is no name.
pub(super) fn is_handle(path: &Path) -> bool {
    let folder = std::fs::canonicalize(folder_of(path));
    folder.is_ok_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// True if what is written to a path comes out at standard output, and somebody may read it there; so it is for `-`.
pub fn is_stdout(path: &Path) -> bool {
    is_stream(path, "/dev/stdout")
}

/// True if a path is another name of standard input.
pub fn is_stdin(path: &Path) -> bool {
    is_stream(path, "/dev/stdin")
}

/// True if a path leads to what is open as this stream, unless that is nothing.
#[cfg(unix)]
fn is_stream(path: &Path, stream: &str) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let target = followed(path).ok().and_then(|target| id(&target));
    target.is_some() && target == id(Path::new(stream)) && target != id(Path::new("/dev/null"))
}

/// The same, where no path leads there.
#[cfg(not(unix))]
fn is_stream(_: &Path, _: &str) -> bool {
    false
}

/// Where a path leads: links are followed, also one whose end does not exist yet; `-` is standard output.
pub(crate) fn followed(path: &Path) -> io::Result<PathBuf> {
    let is_stdout = cfg!(unix) && path == Path::new("-");
    let mut target = if is_stdout { PathBuf::from("/dev/stdout") } else { path.to_path_buf() };
    for _ in 0..LINKS {
        if is_handle(&target) {
            return Ok(target);
        }
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many links lead to it"))
}

#[cfg(unix)]
fn is_one(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_one(_: &Metadata, _: &Metadata) -> bool {
    false
}
