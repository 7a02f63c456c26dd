//! `rpctape init`: a configuration with comments.

use std::path::PathBuf;

use clap::Args;
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::output::{self, Readers};

use crate::cli::args::config;
use crate::cli::screen::io;

/// Write a commented rpctape.toml
///
/// Commands look for `rpctape.toml` or `.rpctape.toml` in the current directory and above it; flags go before the file.
#[derive(Args, Debug)]
pub struct InitArgs {
    /// The file to write; one that exists is left alone
    #[arg(value_name = "FILE", default_value = config::NAMES[0])]
    file: PathBuf,
}

/// What is written. Lines that begin with `#:` are examples, and good ones: a test reads them.
pub const TEMPLATE: &str = include_str!("init.toml");

/// Writes the file.
pub fn run(args: &InitArgs) -> Result<u8> {
    let name = args.file.display().to_string();
    let is_stdout = args.file.as_os_str() == "-";
    if args.file.exists() && !args.file.is_dir() && !is_stdout {
        return Err(Error::new(ErrorKind::Usage, format!("{name} exists already, and is left alone"))
            .hint("name another file: rpctape init FILE"));
    }
    output::write(&args.file, TEMPLATE.as_bytes(), Readers::Umask)?;
    io::say(&format!("{} is written; everything in it is commented out", name));
    Ok(0)
}
