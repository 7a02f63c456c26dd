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

    /// A file or folder in it, as a path from it on. An error, in words for whoever asked, where it is not in it, also by links. Of links
    /// in a folder whoever reads it takes care.
    pub fn inside(&self, named: &str) -> std::result::Result<String, String> {
        // A path that begins with a slash replaces the folder, and is then held against it.
        let real =
            std::fs::canonicalize(self.0.join(named)).map_err(|_| format!("there is no {named} in the folder"))?;
        let Ok(inside) = real.strip_prefix(&self.0) else {
            return Err(format!("{named} is outside of the folder that is served"));
        };
        let inside = inside.to_str().ok_or_else(|| format!("the name of {named} is no UTF-8"))?;
        Ok(if inside.is_empty() { ".".to_string() } else { format!("./{inside}") })
    }

    /// The same of a folder that is read as a whole, links included: none of them may lead out.
    pub fn wholly_inside(&self, named: &str) -> std::result::Result<String, String> {
        let inside = self.inside(named)?;
        match self.leading_out(&inside).first() {
            None => Ok(inside),
            Some(link) => Err(format!("{link} leads outside of the folder that is served")),
        }
    }

    /// The links in a folder that lead outside of this one, as paths from it on: what is read of it is read without them.
    fn leading_out(&self, inside: &str) -> Vec<String> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.join(inside)]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                    folders.push(path);
                } else if kind.is_ok_and(|kind| kind.is_symlink())
                    && std::fs::canonicalize(&path).is_ok_and(|real| !real.starts_with(&self.0))
                {
                    found.push(path.strip_prefix(&self.0).unwrap_or(&path).display().to_string());
                }
            }
        }
        found.sort();
        found
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
            assert!(folder.inside("sub/link").is_err() && folder.inside("sub").is_ok() && folder.inside(".").is_ok());
            assert_eq!(
                (folder.leading_out("."), folder.leading_out("./sub/a.jsonl")),
                (vec!["sub/link".into()], vec![])
            );
            assert!(folder.wholly_inside("sub").is_err() && folder.wholly_inside(".").is_err());
            assert_eq!(folder.wholly_inside("sub/a.jsonl").as_deref(), Ok("./sub/a.jsonl"));
        }
    }
}
