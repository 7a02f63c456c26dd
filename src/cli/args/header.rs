//! The header of a recording: its first line, by which a command knows what a file is before it reads all of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rpctape::capture::path_of;

/// A header is shorter, in bytes.
const HEADER: u64 = 1 << 20;

/// The first line of a file; none of a pipe, which is read only once.
pub fn first_line(path: &Path) -> Option<String> {
    let mut line = String::new();
    let file = File::open(Some(path).filter(|path| path.is_file())?).ok()?;
    BufReader::new(file.take(HEADER)).read_line(&mut line).ok()?;
    Some(line)
}

/// What the first line says, where it is one object of JSON.
pub fn header(file: &str) -> Option<serde_json::Value> {
    serde_json::from_str(&first_line(&path_of(file))?).ok().filter(serde_json::Value::is_object)
}

/// A text of the header.
pub fn member(file: &str, name: &str) -> Option<String> {
    Some(header(file)?.get(name)?.as_str()?.to_string())
}
