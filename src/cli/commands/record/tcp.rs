//! `record --tcp HOST:PORT`: a proxy for a server on a port.

use rpctape::error::Result;
use rpctape::live::shim::listen;
use rpctape::live::tcp::TcpProxy;

use super::{RecordArgs, Recorder, cannot_listen_for_signals};
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Runs until a signal comes.
pub fn run(args: &RecordArgs, server: &str, stop: &Stop) -> Result<u8> {
    let signals = listen().map_err(|error| cannot_listen_for_signals(&error))?;
    let proxy = TcpProxy::listen(&args.listen, server)?;
    let recorder = Recorder::start(args, stop, "tcp", |options| {
        options.transport = "tcp".to_string();
        options.frame = args.framing.word();
    })?;
    proxy.start(&recorder.tape, recorder.clock, |text| io::say(&format!("rpctape: {}", text)))?;
    recorder.say(&format!("listening on {}, passing on to {server}; Ctrl-C ends it", proxy.address()));
    let _ = signals.recv();
    proxy.stop(&recorder.tape, recorder.clock);
    recorder.finish();
    Ok(0)
}
