//! How a server left, in words.

use crate::replay::run::ExitRun;

/// How a process ended, in words.
pub fn exit_words(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (_, Some(signal)) => format!("the server was ended by signal {signal}"),
        (Some(code), None) => format!("the server exited with {code}"),
        (None, None) => "the connection died".into(),
    }
}

/// How a server left that nobody had asked to: one that had to be ended afterwards has only closed its side.
pub fn left_words(exit: &ExitRun) -> String {
    match exit.forced {
        Some(_) => "the server closed its side".into(),
        None => exit_words(exit.code, exit.signal),
    }
}
