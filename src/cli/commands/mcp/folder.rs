//! The folder that is served, and nothing outside of it.

use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};

/// A folder, by its real path.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Opens it. Errors: there is none.
    pub fn open(path: &Path) -> Result<Folder> {
        let shown = path.display().to_string();
        let real = std::fs::canonicalize(path).map_err(|error| Error::io("serve", &shown, &error))?;
        match real.is_dir() {
            true => Ok(Folder(real)),
            false => {
                Err(Error::new(ErrorKind::Usage, format!("{shown} is no folder")).hint("name the folder of the logs"))
            }
        }
    }

    /// Its real path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file or folder in it, as a path from it on. An error, in words for whoever asked, where it is not in it, also by links.
    pub fn inside(&self, named: &str) -> std::result::Result<String, String> {
        // A path that begins with a slash replaces the folder, and is then held against it.
        let real =
            std::fs::canonicalize(self.0.join(named)).map_err(|_| format!("there is no {named} in the folder"))?;
        let Ok(inside) = real.strip_prefix(&self.0) else {
            return Err(format!("{named} is outside of the folder that is served"));
        };
        if real.is_dir() {
            self.links_stay(&real)?;
        }
        let inside = inside.to_str().ok_or_else(|| format!("the name of {named} is no UTF-8"))?;
        Ok(if inside.is_empty() { ".".to_string() } else { format!("./{inside}") })
    }

    /// A folder is read as a whole, links included: none of them may lead out.
    fn links_stay(&self, folder: &Path) -> std::result::Result<(), String> {
        let unreadable = |error: std::io::Error| format!("the folder cannot be listed: {error}");
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let leads_out = |path: &Path| std::fs::canonicalize(path).is_ok_and(|real| !real.starts_with(&self.0));
            if kind.is_dir() {
                self.links_stay(&entry.path())?;
            } else if kind.is_symlink() && leads_out(&entry.path()) {
                return Err(format!("{} leads outside of the folder that is served", entry.file_name().display()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_named() {
        let top = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(top.path().join("logs/sub")).expect("folders");
        std::fs::write(top.path().join("secret"), "x").expect("a file");
        std::fs::write(top.path().join("logs/sub/a.jsonl"), "x").expect("a file");
        let folder = Folder::open(&top.path().join("logs")).expect("a folder");
        let secret = top.path().join("secret").display().to_string();
        assert_eq!(folder.inside("sub/a.jsonl").as_deref(), Ok("./sub/a.jsonl"));
        assert_eq!(folder.inside("sub/../sub").as_deref(), Ok("./sub"));
        assert_eq!(folder.inside(".").as_deref(), Ok("."));
        for bad in ["../secret", &secret, "sub/../../secret", "/etc/passwd", "-", "missing", "sub/a.jsonl\0"] {
            assert!(folder.inside(bad).is_err(), "{bad}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, top.path().join("logs/sub/link")).expect("a link");
            assert!(folder.inside("sub/link").is_err() && folder.inside("sub").is_err() && folder.inside(".").is_err());
        }
    }
}
