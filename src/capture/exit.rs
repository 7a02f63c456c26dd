//! How a process ended.

use std::fmt;

/// The end of a server process: a code, or the signal that ended it. Neither is known of every end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// The exit code.
    pub code: Option<i64>,
    /// The number of the signal.
    pub signal: Option<i64>,
}

impl Exit {
    /// An end as a log states it. A code below zero is how some libraries write a signal (Python's `returncode`).
    pub fn new(code: Option<i64>, signal: Option<i64>) -> Exit {
        match (code, signal) {
            (Some(code @ -64..=-1), None) => Exit { code: None, signal: Some(-code) },
            _ => Exit { code, signal },
        }
    }

    /// The code with which a program ends that ends as this one did: shells add 128 to a signal.
    pub fn as_code(self) -> Option<i64> {
        self.code.or(self.signal.map(|signal| 128 + signal))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => write!(f, "was ended by signal {signal}{}", Name(signal)),
            (Some(code @ 129..=192), None) => {
                let signal = code - 128;
                write!(f, "exited with {code}, which is how a shell reports signal {signal}{}", Name(signal))
            }
            (Some(code), None) => write!(f, "exited with {code}"),
            (None, None) => f.write_str("exited"),
        }
    }
}

/// The name of a signal in brackets, where it has the same number on all systems.
struct Name(i64);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            1 => "HUP",
            2 => "INT",
            3 => "QUIT",
            4 => "ILL",
            5 => "TRAP",
            6 => "ABRT",
            8 => "FPE",
            9 => "KILL",
            11 => "SEGV",
            13 => "PIPE",
            14 => "ALRM",
            15 => "TERM",
            _ => return Ok(()),
        };
        write!(f, " (SIG{name})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_in_words() {
        let words = |code, signal| Exit::new(code, signal).to_string();
        assert_eq!(words(Some(1), None), "exited with 1");
        assert_eq!(words(None, Some(6)), "was ended by signal 6 (SIGABRT)");
        assert_eq!(words(Some(-9), None), "was ended by signal 9 (SIGKILL)");
        assert_eq!(words(None, Some(40)), "was ended by signal 40");
        assert_eq!(words(Some(139), None), "exited with 139, which is how a shell reports signal 11 (SIGSEGV)");
        assert_eq!(words(Some(-1_073_741_819), None), "exited with -1073741819");
        assert_eq!(words(None, None), "exited");
        assert_eq!(Exit::new(Some(-9), None).as_code(), Some(137));
    }
}
