//! Errors of the library: what was being done, what went wrong, and what to do next.

mod nearest;

use std::fmt;

pub use nearest::nearest;

/// What kind of thing went wrong; decides nothing but the wording of the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file could not be read or written.
    Io,
    /// The input is not what it should be.
    Input,
    /// The database is not ours, too new, or broken.
    Database,
    /// The caller asked for something that does not exist or does not fit together.
    Usage,
    /// The work was interrupted.
    Interrupted,
}

/// An error with a hint. Text from a log or a path in it is as it was; escape it at the output.
#[derive(Clone, Debug)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// What was being done and what went wrong, with file and line where there is one.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), hint: None }
    }
    /// The same with what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
    /// An I/O error while doing `what` to `path`.
    pub fn io(what: &str, path: &str, error: &std::io::Error) -> Error {
        Error::new(ErrorKind::Io, format!("cannot {what} {path}: {error}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
