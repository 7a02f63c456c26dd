//! `rpctape formats`: what can be read.

use clap::Args;
use rpctape::capture;
use rpctape::error::Result;
use rpctape::report::format_list;

use super::io::{Out, written};
use super::screen::ScreenArgs;

/// List the log formats that can be read; --format-in takes their names
#[derive(Args, Debug)]
pub struct FormatsArgs {
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Prints the list.
pub fn run(args: &FormatsArgs) -> Result<u8> {
    let mut out = Out::open(None, &[])?;
    let formats: Vec<(&str, &str)> = capture::formats().map(|format| (format.name, format.about)).collect();
    written(format_list(&mut out, &formats, &args.screen.style(false, true)))?;
    out.close()?;
    Ok(0)
}
