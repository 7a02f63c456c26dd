//! `record --http`, `--sse`: a proxy in front of an endpoint.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::proxy::{Proxy, ProxyOptions};
use rpctape::live::shim::listen;

use super::{RecordArgs, Recorder, cannot_listen_for_signals};

/// Streamable HTTP.
pub fn http(args: &RecordArgs, url: &str) -> Result<u8> {
    run(args, "http", ProxyOptions { legacy: false, ..options(args, url) })
}

/// The HTTP+SSE of 2024-11-05.
pub fn sse(args: &RecordArgs, url: &str) -> Result<u8> {
    run(args, "sse", ProxyOptions { legacy: true, ..options(args, url) })
}

/// WebSockets.
pub fn ws(_: &RecordArgs, _: &str) -> Result<u8> {
    Err(Error::new(ErrorKind::Usage, "WebSockets cannot be recorded yet")
        .hint("record the server's standard streams: rpctape record -- CMD"))
}

fn options(args: &RecordArgs, url: &str) -> ProxyOptions {
    ProxyOptions { url: url.to_string(), listen: args.listen.clone(), legacy: false, untouched: args.no_touch }
}

/// Runs until a signal comes.
fn run(args: &RecordArgs, transport: &str, options: ProxyOptions) -> Result<u8> {
    let signals = listen().map_err(|error| cannot_listen_for_signals(&error))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot start the network part: {error}")))?;
    let recorder = Recorder::start(args, transport, |tape| {
        tape.transport = transport.to_string();
        tape.alter = options.alter();
    })?;
    let proxy = match runtime.block_on(Proxy::start(&options, recorder.tape.clone(), recorder.clock)) {
        Ok(proxy) => proxy,
        Err(error) => {
            recorder.abandon();
            return Err(error);
        }
    };
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
