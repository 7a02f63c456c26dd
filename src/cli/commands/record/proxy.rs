//! `record --http`, `--sse`, `--ws`: a proxy in front of an endpoint.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::proxy::{Proxy, ProxyOptions};
use rpctape::live::shim::listen;

use super::{RecordArgs, Recorder, cannot_listen_for_signals};
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// Streamable HTTP.
pub fn http(args: &RecordArgs, url: &str, stop: &Stop) -> Result<u8> {
    let options = options(args, url);
    match options.is_web_socket() {
        true => Err(Error::new(ErrorKind::Usage, format!("{url} is a WebSocket")).hint("record it with --ws")),
        false => run(args, stop, "http", options),
    }
}

/// The HTTP+SSE of 2024-11-05.
pub fn sse(args: &RecordArgs, url: &str, stop: &Stop) -> Result<u8> {
    run(args, stop, "sse", ProxyOptions { legacy: true, ..options(args, url) })
}

/// WebSockets.
pub fn ws(args: &RecordArgs, url: &str, stop: &Stop) -> Result<u8> {
    let options = options(args, url);
    match options.is_web_socket() {
        true => run(args, stop, "ws", options),
        false => {
            let message = format!("`{url}` is no URL of a WebSocket");
            Err(Error::new(ErrorKind::Usage, message).hint("ws://HOST:PORT/PATH or wss://HOST:PORT/PATH"))
        }
    }
}

fn options(args: &RecordArgs, url: &str) -> ProxyOptions {
    ProxyOptions { url: url.to_string(), listen: args.listen.clone(), legacy: false, untouched: args.no_touch }
}

/// Runs until a signal comes.
fn run(args: &RecordArgs, stop: &Stop, transport: &str, options: ProxyOptions) -> Result<u8> {
    let signals = listen().map_err(|error| cannot_listen_for_signals(&error))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the network part: {error}")))?;
    let recorder = Recorder::start(args, stop, transport, |tape| {
        tape.transport = transport.to_string();
        tape.alter = options.alter();
    })?;
    let say = Box::new(|text: &str| io::say(&format!("rpctape: {}", text)));
    let proxy = match runtime.block_on(Proxy::start(&options, recorder.tape.clone(), recorder.clock, say)) {
        Ok(proxy) => proxy,
        Err(error) => {
            recorder.abandon();
            return Err(error);
        }
    };
    if !proxy.address().ip().is_loopback() {
        recorder.say("warning: it answers other machines, too; whoever reaches it reaches the server");
    }
    recorder.say(&format!(
        "give this to the client: {}   (passing on to {}; Ctrl-C ends it)",
        proxy.url(),
        options.url
    ));
    let _ = signals.recv();
    runtime.block_on(proxy.stop());
    recorder.finish();
    Ok(0)
}
