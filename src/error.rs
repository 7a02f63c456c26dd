//! Errors of the library: what was being done, what went wrong, and what to do next.

mod nearest;

use std::fmt;
use std::io;
use std::sync::Arc;

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
    /// What it came from, where that was an error of the system.
    pub source: Option<Arc<io::Error>>,
}

/// The library's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), hint: None, source: None }
    }
    /// The same with what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
    /// An I/O error while doing `what` to `path`.
    pub fn io(what: &str, path: &str, error: &io::Error) -> Error {
        // The same error once more: those of the system cannot be cloned.
        let source = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        };
        let message = format!("cannot {what} {path}: {error}");
        Error { source: Some(Arc::new(source)), ..Error::new(ErrorKind::Io, message) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_of_the_system_is_kept_as_the_source() {
        let missing = io::Error::from_raw_os_error(2);
        let error = Error::io("read", "a.log", &missing);
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(source.map(io::Error::kind), Some(io::ErrorKind::NotFound));
        assert!(error.message.starts_with("cannot read a.log: "));
        let own = Error::io("read", "a.log", &io::Error::new(io::ErrorKind::InvalidData, "odd"));
        assert_eq!(own.source().map(ToString::to_string).as_deref(), Some("odd"));
        assert!(Error::new(ErrorKind::Usage, "x").source().is_none());
    }
}
