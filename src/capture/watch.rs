//! What a file was when it was opened, to tell afterwards whether it was left alone.

use std::fs::File;
use std::path::Path;

use super::Skip;

/// A file that is being read.
pub(crate) struct Watch {
    /// The file itself, whatever its name means by now.
    file: File,
    /// Its length when it was opened, in bytes.
    size: u64,
}

impl Watch {
    /// Looks at a file that was just opened; `None` where the system does not let it be held.
    pub(crate) fn on(file: &File) -> Option<Watch> {
        let file = file.try_clone().ok()?;
        let size = file.metadata().ok()?.len();
        Some(Watch { file, size })
    }

    /// What became of it, after `read` bytes of it were read. Growing is what logs do.
    pub(crate) fn changed(&self, path: &Path, read: u64) -> Option<Skip> {
        let now = self.file.metadata().ok()?.len();
        if now < self.size || now < read || read < self.size {
            return Some(Skip::Shrunk);
        }
        self.was_replaced(path).then_some(Skip::Replaced)
    }

    #[cfg(unix)]
    fn was_replaced(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (Ok(held), Ok(named)) = (self.file.metadata(), path.metadata()) else { return true };
        (held.dev(), held.ino()) != (named.dev(), named.ino())
    }

    #[cfg(not(unix))]
    fn was_replaced(&self, path: &Path) -> bool {
        !path.exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grows_is_left_alone_and_one_that_shrinks_or_is_replaced_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        std::fs::write(&path, "0123456789").expect("written");
        let file = File::options().read(true).write(true).open(&path).expect("opened");
        let watch = Watch::on(&file).expect("held");
        assert_eq!(watch.changed(&path, 10), None);
        file.set_len(20).expect("grown");
        assert_eq!((watch.changed(&path, 10), watch.changed(&path, 20)), (None, None));
        std::fs::rename(&path, folder.path().join("a.log.1")).expect("renamed");
        std::fs::write(&path, "new").expect("written");
        assert_eq!(watch.changed(&path, 20), Some(Skip::Replaced));
        file.set_len(4).expect("cut");
        assert_eq!((watch.changed(&path, 10), watch.changed(&path, 4)), (Some(Skip::Shrunk), Some(Skip::Shrunk)));
    }
}
