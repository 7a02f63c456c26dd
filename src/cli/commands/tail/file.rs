//! The bytes of a file that grows, is rotated or cut: what is there at first, and after that whatever comes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::board::Board;
use crate::cli::signals::Stop;

/// How long to wait before a file is looked at again.
const POLL: Duration = Duration::from_millis(100);

/// How much of the beginning of a file tells it from another one with the same name, in bytes.
const HEAD: usize = 256;

/// The longest last line that is looked at for the end of a recording, in bytes.
const LAST: usize = 4096;

/// What a recording says at the end of one of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It goes on in another file.
    Next(PathBuf),
    /// It is at its end.
    Over,
}

/// What the reader of the bytes and the rest of the command tell each other.
#[derive(Default)]
pub struct Shared {
    /// False while the head is looked at: then the end of the file is the end of the bytes.
    pub waits: AtomicBool,
    /// True for a recording, whose last line says whether it goes on.
    pub recording: AtomicBool,
    /// What that said.
    pub turn: Mutex<Option<Turn>>,
}

/// What a lock holds, for one statement.
pub fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is followed.
pub struct Follower {
    path: PathBuf,
    file: File,
    /// How much of it was read.
    at: u64,
    head: Vec<u8>,
    last: Vec<u8>,
    shared: Arc<Shared>,
    board: Arc<Mutex<Board>>,
    stop: Stop,
}

impl Follower {
    /// Follows a file from its beginning.
    pub fn open(path: &Path, shared: Arc<Shared>, board: Arc<Mutex<Board>>, stop: &Stop) -> io::Result<Follower> {
        let file = File::open(path)?;
        let (head, last) = (Vec::new(), Vec::new());
        Ok(Follower { path: path.to_path_buf(), file, at: 0, head, last, shared, board, stop: stop.clone() })
    }

    fn took(&mut self, bytes: &[u8]) {
        self.at += bytes.len() as u64;
        let room = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        held(&self.board).passed(lines);
        // The last line, with its end; what stands before it is forgotten.
        let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if let Some(at) = memchr::memrchr(b'\n', body) {
            self.last.clear();
            self.last.extend_from_slice(&bytes[at + 1..]);
        } else {
            if self.last.ends_with(b"\n") {
                self.last.clear();
            }
            self.last.extend_from_slice(bytes);
        }
        let surplus = self.last.len().saturating_sub(LAST);
        self.last.drain(..surplus);
    }

    /// True if the last line is whole.
    fn ended_line(&self) -> bool {
        self.last.is_empty() || self.last.ends_with(b"\n")
    }

    /// What the last line of a recording says of its end.
    fn turn(&self) -> Option<Turn> {
        if !self.shared.recording.load(Ordering::Relaxed) || !self.ended_line() {
            return None;
        }
        let line: Value = serde_json::from_slice(&self.last).ok()?;
        match line["k"].as_str()? {
            "end" => Some(Turn::Over),
            "rotate" => Some(Turn::Next(self.path.with_file_name(Path::new(line["next"].as_str()?).file_name()?))),
            _ => None,
        }
    }

    /// Takers to what stands under the name now, where that is another file, or the same one cut or written anew.
    fn turned(&mut self) -> io::Result<bool> {
        let Ok(file) = File::open(&self.path) else { return Ok(false) };
        let mut named = file;
        let is_other = is_other(&self.file, &named)?;
        if is_other {
            // Whoever renamed it may have written to it since: its end is read once more before it is left.
            let mut rest = Vec::new();
            self.file.by_ref().take(1).read_to_end(&mut rest)?;
            if !rest.is_empty() {
                self.file.seek(SeekFrom::Current(-1))?;
                return Ok(true);
            }
        } else {
            let mut head = Vec::new();
            named.by_ref().take(self.head.len() as u64).read_to_end(&mut head)?;
            if named.metadata()?.len() >= self.at && head == self.head {
                return Ok(false);
            }
            named.seek(SeekFrom::Start(0))?;
        }
        (self.file, self.at) = (named, 0);
        self.head.clear();
        held(&self.board).turned(!self.ended_line());
        Ok(true)
    }
}

#[cfg(unix)]
fn is_other(held: &File, named: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (held, named) = (held.metadata()?, named.metadata()?);
    Ok((held.dev(), held.ino()) != (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_other(_: &File, _: &File) -> io::Result<bool> {
    Ok(false)
}

impl Read for Follower {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.file.read(buffer)?;
            if length > 0 {
                self.took(&buffer[..length]);
                return Ok(length);
            }
            if !self.shared.waits.load(Ordering::Relaxed) {
                return Ok(0);
            }
            let turn = self.turn();
            if turn.is_some() {
                *held(&self.shared.turn) = turn;
                return Ok(0);
            }
            let open_line = !self.ended_line();
            if self.turned()? {
                // A line that was cut off is not glued to the first one of the new file.
                if open_line && self.at == 0 && !buffer.is_empty() {
                    self.last.clear();
                    buffer[0] = b'\n';
                    return Ok(1);
                }
                continue;
            }
            if self.stop.exit_code().is_some() || !held(&self.board).idle() {
                return Ok(0);
            }
            thread::sleep(POLL);
        }
    }
}
