//! Where a recording goes, and what is said of where it was made.

use std::path::{Path, PathBuf};

use chrono::DateTime;

use crate::cli::args::config::PROJECT;
use crate::cli::commands::replay::project_folder;

/// The file: the one that was named, or one in the folder that was named or in the current one.
pub fn file(output: Option<&Path>, name: &str) -> PathBuf {
    let folder = match output {
        Some(path) if path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/') => path,
        Some(path) => return path.to_path_buf(),
        None => Path::new(""),
    };
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
    // Several clients may start the same server in the same second.
    folder.join(format!("{clean}-{}-{}.rec.jsonl", now(), std::process::id()))
}

/// The file of a recording with a name of its own, in the project's folder: the one on the way up whose recordings `replay` plays, or
/// one in the current folder. One that is there already is left alone.
pub fn fixture(name: &str) -> Result<PathBuf, String> {
    fixture_in(project_folder().ok().as_deref().unwrap_or(Path::new(PROJECT)), name)
}

fn fixture_in(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let stem = name.strip_suffix(".rec.jsonl").unwrap_or(name);
    let plain = |c: char| c.is_alphanumeric() || "._-/ ".contains(c);
    if stem.is_empty() || stem.starts_with(['/', '.']) || stem.contains("..") || !stem.chars().all(plain) {
        return Err("a name is letters, digits, dots and dashes, such as chat or tools/search".to_string());
    }
    let file = folder.join(format!("{stem}.rec.jsonl"));
    match file.exists() {
        true => Err(format!("{} is there already; remove it, or take another name", file.display())),
        false => Ok(file),
    }
}

/// `node` of `/usr/bin/node`.
pub fn name_of(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("session")
}

/// UTC, as `20261121-201500`.
#[expect(clippy::disallowed_methods, reason = "a file is named after the moment at which it is begun")]
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    DateTime::from_timestamp(since.as_secs() as i64, 0).unwrap_or_default().format("%Y%m%d-%H%M%S").to_string()
}

/// The working directory, with the home shortened to `~`.
#[expect(clippy::disallowed_methods, reason = "only the command line knows where it was called")]
pub fn cwd() -> Option<String> {
    let cwd = std::env::current_dir().ok()?;
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.components().count() > 1);
    let below = home.and_then(|home| cwd.strip_prefix(home).ok().map(Path::to_path_buf));
    Some(match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_string(),
        Some(below) => format!("~/{}", below.display()),
        None => cwd.display().to_string(),
    })
}

/// The password of the key that signs. Standard input is the client's, so it cannot be asked for.
#[expect(clippy::disallowed_methods, reason = "only the command line reads the environment")]
pub fn password() -> Option<String> {
    std::env::var("RPCTAPE_SIGN_PASSWORD").ok()
}

/// Names of the environment variables, which the server is given too; never what they hold.
pub fn env_names() -> Vec<String> {
    let mut names: Vec<String> = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(name_of("/usr/bin/node"), "node");
        assert_eq!(name_of("node"), "node");
        assert_eq!(file(Some(Path::new("a.rec.jsonl")), "node"), Path::new("a.rec.jsonl"));
        let made = file(Some(Path::new("logs/")), "my server").display().to_string();
        assert!(made.starts_with("logs/my_server-2") && made.ends_with(".rec.jsonl"), "{made}");
    }

    #[test]
    fn recordings_with_names() {
        let fixture = |name: &str| fixture_in(Path::new(PROJECT), name);
        assert_eq!(fixture("tools/search"), Ok(PathBuf::from("rpctape/tools/search.rec.jsonl")));
        assert_eq!(fixture("chat.rec.jsonl"), Ok(PathBuf::from("rpctape/chat.rec.jsonl")));
        for bad in ["", "../x", "/x", ".x", "a/../b", "a\nb"] {
            assert!(fixture(bad).is_err(), "{bad}");
        }
    }
}
