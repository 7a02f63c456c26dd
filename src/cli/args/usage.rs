//! What is said of arguments that cannot be used. A value that was mistyped may be a secret, and the screen of a pipeline is kept.

use clap::error::{ContextKind, ContextValue};
use clap::{Error, Parser};
use rpctape::redact::{Custom, Redactor};
use std::ffi::OsString;

/// What is given to servers as it is: nothing of it is repeated.
const GIVEN: [&str; 3] = ["--env", "--set", "--header"];

/// Reads the arguments, or ends the program with what is wrong with them (exit code 2), or with the help that was asked for (0).
pub fn parse<P: Parser>(arguments: Vec<OsString>) -> P {
    P::try_parse_from(arguments).unwrap_or_else(|error| without_secrets(error).exit())
}

/// The error without what its values would give away.
fn without_secrets(mut error: Error) -> Error {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return error };
    let given = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(argument))
        if GIVEN.iter().any(|given| argument.starts_with(given)));
    let shown = match given {
        true => "...".to_string(),
        false => Redactor::new(&Custom::default()).text(value).into_owned(),
    };
    error.insert(ContextKind::InvalidValue, ContextValue::String(shown));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Parser)]
    struct Args {
        #[arg(long, value_name = "NAME=VALUE", value_parser = refused)]
        env: Option<String>,
        #[arg(long, value_parser = refused)]
        port: Option<String>,
    }

    fn refused(_: &str) -> Result<String, String> {
        Err("no".to_string())
    }

    fn said(arguments: [&str; 2]) -> String {
        let arguments = ["program"].into_iter().chain(arguments);
        Args::try_parse_from(arguments).map_or_else(|error| without_secrets(error).to_string(), |_| "taken".to_string())
    }

    #[test]
    fn values_that_may_be_secrets_are_not_repeated() {
        assert!(said(["--env", "hunter2 hunter2"]).contains("invalid value '...' for '--env"));
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        assert!(!said(["--port", token]).contains(token));
        assert!(said(["--port", "80x"]).contains("'80x'"), "anything else helps to see what is wrong");
    }
}
