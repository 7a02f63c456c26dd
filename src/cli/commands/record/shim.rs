//! `record -- CMD`: the shim around a server's standard streams.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Command;
use rpctape::live::shim::{Ends, Patience, Shim, listen};
use rpctape::output::is_stdout;

use super::{RecordArgs, Recorder, cannot_listen_for_signals, place};
use crate::cli::signals::Stop;

/// Runs the server, and exits as it does.
pub fn run(args: &RecordArgs, stop: &Stop) -> Result<u8> {
    let Some((program, rest)) = args.command.split_first() else {
        return Err(Error::new(ErrorKind::Usage, "there is no command to record"));
    };
    if args.output.as_deref().is_some_and(is_stdout) {
        let message = "standard output is what the client reads, and no recording goes there";
        return Err(Error::new(ErrorKind::Usage, message).hint("name a file with -o FILE"));
    }
    let signals = listen().map_err(|error| cannot_listen_for_signals(&error))?;
    let ends = Ends::standard()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot take over the standard streams: {error}")))?;
    let recorder = Recorder::start(args, stop, place::name_of(program), |options| {
        options.transport = "stdio".to_string();
        options.frame = args.framing.word();
        options.cmd = args.command.clone();
        options.cwd = place::cwd();
        options.env_names = place::env_names();
    })?;
    let command = Command { program: program.clone(), args: rest.to_vec(), ..Command::default() };
    let shim = Shim { command: &command, tape: &recorder.tape, clock: recorder.clock, patience: Patience::default() };
    match shim.run(ends, signals) {
        Ok(code) => {
            recorder.finish();
            Ok(code)
        }
        Err(error) => {
            recorder.abandon();
            Err(error)
        }
    }
}
