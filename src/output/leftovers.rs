//! What a killed program left behind: files that were half written, folders for its own use. The next start removes them.
//!
//! Who works holds a lock on a file, which goes with him however he ends. What nobody holds is nobody's.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// True if the file was taken for this process; false where somebody who cleans up was faster and removed it.
pub(crate) fn take(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => is_there(file, path),
        Err(fs::TryLockError::WouldBlock) => false,
        // A file system without locks: nothing is ever removed there either.
        Err(fs::TryLockError::Error(_)) => true,
    }
}

/// Removes what other processes of this user left in a folder. `lock` says which file of an entry its owner holds; it is
/// `None` for what is not ours. `own` is a file of this process.
pub(crate) fn sweep(folder: &Path, own: &File, lock: impl Fn(&Path) -> Option<PathBuf>) {
    let (Ok(entries), Ok(own)) = (fs::read_dir(folder), own.metadata()) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(lock) = lock(&path) else { continue };
        let is_own = |path: &Path| path.symlink_metadata().is_ok_and(|found| is_same_user(&found, &own));
        let Some(file) = Some(&lock).filter(|lock| is_own(lock)).and_then(|lock| File::open(lock).ok()) else {
            continue;
        };
        if file.try_lock().is_ok() && is_there(&file, &lock) {
            remove(&path);
        }
    }
}

/// Removes a file or a folder that nobody finishes. What cannot be removed now is left for another time.
pub(super) fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|about| about.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    // Of a database that was being copied.
    let mut journal = path.as_os_str().to_os_string();
    journal.push("-journal");
    let _ = fs::remove_file(journal);
}

/// True if the file has this name.
#[cfg(unix)]
pub(crate) fn is_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(held), Ok(named)) = (file.metadata(), path.symlink_metadata()) else { return false };
    (held.dev(), held.ino()) == (named.dev(), named.ino())
}

/// True if the file has this name, as far as can be told.
#[cfg(not(unix))]
pub(crate) fn is_there(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(unix)]
fn is_same_user(found: &Metadata, own: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.is_file() && found.uid() == own.uid() && found.nlink() == 1
}

#[cfg(not(unix))]
fn is_same_user(found: &Metadata, _: &Metadata) -> bool {
    found.is_file()
}
