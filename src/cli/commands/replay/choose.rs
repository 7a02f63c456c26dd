//! Which part of a capture is played, and under which name its live session is kept.

use std::path::{Path, PathBuf};

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::report::plural;
use rpctape::store::ConnectionRow;

use super::args::SendArgs;
use crate::cli::args::connection;
use crate::cli::args::header::first_line;
use rpctape::error::nearest;

/// How many connections are listed where one must be chosen.
const LISTED: usize = 8;

/// The connections that are played: those that were named, or all of a capture that holds one session with one server.
pub fn connections(rows: &[ConnectionRow], args: &SendArgs, file: &str) -> Result<Vec<i64>> {
    let mut left: Vec<&ConnectionRow> = rows.iter().filter(|row| row.messages > 0).collect();
    if left.is_empty() {
        return Err(Error::new(ErrorKind::Input, format!("nothing was checked: {file} holds no messages"))
            .hint("`rpctape ls` shows what it was taken for; --format-in overrules it"));
    }
    if let Some(session) = &args.session {
        if !left.iter().any(|row| row.session == *session) {
            let error = Error::new(ErrorKind::Usage, format!("{file} has no session {session}"));
            let near = nearest(session, left.iter().map(|row| row.session.as_str()));
            return Err(error.hint(near.map_or_else(|| listed(&left), |near| format!("did you mean {near}?"))));
        }
        left.retain(|row| row.session == *session);
    }
    if !args.connection.is_empty() {
        let named = args.connection.iter().map(|key| Ok(connection::named(rows, key)?.id));
        let named = named.collect::<Result<Vec<i64>>>()?;
        left.retain(|row| named.contains(&row.id));
    }
    let chosen = !args.connection.is_empty();
    let distinct = |of: fn(&ConnectionRow) -> &str| {
        let mut words: Vec<&str> = left.iter().map(|row| of(row)).filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        words.len()
    };
    let servers = distinct(|row| row.server_name.as_deref().unwrap_or(""));
    let sessions = distinct(|row| &row.session);
    if !chosen && (servers > 1 || sessions > 1 && args.session.is_none()) {
        let what = if servers > 1 { plural(servers as u64, "server") } else { plural(sessions as u64, "session") };
        return Err(Error::new(
            ErrorKind::Usage,
            format!("{file} holds traffic of {what}: which one is to be played?"),
        )
        .hint(format!("name it with --connection KEY: {}", listed(&left))));
    }
    Ok(left.iter().map(|row| row.id).collect())
}

fn listed(rows: &[&ConnectionRow]) -> String {
    let line = |row: &&ConnectionRow| match &row.server_name {
        Some(name) => format!("{} ({name}, {})", row.key, plural(row.requests, "request")),
        None => format!("{} ({})", row.key, plural(row.requests, "request")),
    };
    let more = rows.len().saturating_sub(LISTED);
    let list = rows.iter().take(LISTED).map(line).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{list}, and {more} more: `rpctape ls`") } else { list }
}

/// `chat` of `logs/chat.rec.jsonl`.
pub fn stem(file: &str) -> String {
    let name =
        Path::new(file).file_name().map_or_else(|| "stdin".to_string(), |name| name.to_string_lossy().into_owned());
    let name = if name == "-" { "stdin".to_string() } else { name };
    let mut stem = name.as_str();
    for end in [".gz", ".zst", ".jsonl", ".rec"] {
        stem = stem.strip_suffix(end).filter(|stem| !stem.is_empty()).unwrap_or(stem);
    }
    match stem.rsplit_once('.') {
        Some((before, _)) if stem == name && !before.is_empty() => before.to_string(),
        _ => stem.to_string(),
    }
}

/// The file in which the live session is kept: beside the first report, or in the folder that the program runs in.
pub fn run_file(file: &str, beside: Option<&Path>) -> PathBuf {
    let name = format!("{}.run.jsonl", stem(file));
    match beside.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => folder.join(name),
        None => PathBuf::from(name),
    }
}

/// An error where a file that nobody named is another one than this program wrote under that name: whoever made it wants it.
pub fn unnamed(path: &Path, is_ours: impl FnOnce(&str) -> bool, flag: &str) -> Result<()> {
    // What has no first line in text is none of ours.
    if !path.is_file() || first_line(path).is_some_and(|line| is_ours(&line)) {
        return Ok(());
    }
    let message = format!("{} is there, and is not what this would replace", path.display());
    Err(Error::new(ErrorKind::Usage, message).hint(format!("name another file with {flag}, or move it away")))
}

/// True for the header of a live session that was kept: of an earlier recording of this name, too.
pub fn is_live_session(header: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Header {
        #[serde(rename = "rec")]
        _rec: u32,
        #[serde(rename = "replay_of")]
        _replay_of: serde::de::IgnoredAny,
    }
    serde_json::from_str::<Header>(header).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs() {
        let cases = [
            ("a/chat.rec.jsonl", "chat"),
            ("chat.jsonl.gz", "chat"),
            ("mcp-server.log", "mcp-server"),
            ("trace", "trace"),
            ("-", "stdin"),
            (".jsonl", ".jsonl"),
            ("v1.2.rec.jsonl", "v1.2"),
        ];
        for (file, name) in cases {
            assert_eq!(stem(file), name, "{file}");
        }
        assert_eq!(run_file("x/a.log", Some(Path::new("out/r.xml"))), Path::new("out/a.run.jsonl"));
        assert_eq!(run_file("x/a.log", Some(Path::new("r.xml"))), Path::new("a.run.jsonl"));
    }
}
