//! A TCP proxy that records: one connection a client, half-closes passed on, nothing looked into on the way.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Clock;
use super::tape::{Pipe, Tape, TapeEvent};
use crate::error::{self, Error};
use crate::protocol::Side;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 << 10;

/// A proxy that listens.
#[derive(Debug)]
pub struct TcpProxy {
    listener: TcpListener,
    /// `host:port` of the server.
    server: String,
    connections: Arc<Connections>,
}

/// What is open, to be closed in the end.
#[derive(Debug, Default)]
struct Connections {
    last: AtomicU32,
    open: Mutex<Vec<(u32, TcpStream, TcpStream)>>,
}

impl Connections {
    fn open(&self) -> std::sync::MutexGuard<'_, Vec<(u32, TcpStream, TcpStream)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TcpProxy {
    /// Listens on `host:port`, `:port` or `port`; without a host on this machine only.
    pub fn listen(listen: &str, server: &str) -> error::Result<TcpProxy> {
        let place = match listen.strip_prefix(':').unwrap_or(listen) {
            port if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
            _ => listen.to_string(),
        };
        let listener = TcpListener::bind(&place).map_err(|error| {
            Error::io("listen on", &place, &error)
                .hint("name another address: --listen HOST:PORT; port 0 takes a free one")
        })?;
        Ok(TcpProxy { listener, server: server.to_string(), connections: Arc::default() })
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        self.listener.local_addr().map_or_else(|_| "an unknown address".to_string(), |address| address.to_string())
    }

    /// Takes clients from now on, on threads of its own. `say` is told what failed.
    pub fn start(&self, tape: &Tape, clock: Clock, say: impl Fn(&str) + Send + Sync + 'static) -> error::Result<()> {
        let fault = |error: std::io::Error| Error::io("listen on", &self.address(), &error);
        let listener = self.listener.try_clone().map_err(fault)?;
        let (server, connections, tape, say) =
            (self.server.clone(), Arc::clone(&self.connections), tape.clone(), Arc::new(say));
        let accept = move || {
            for client in listener.incoming() {
                let number = connections.last.fetch_add(1, Ordering::Relaxed) + 1;
                let Ok(client) = client else {
                    // Too many open files, or a client that is gone already: the next one may do.
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    continue;
                };
                let (server, connections, tape, say) =
                    (server.clone(), Arc::clone(&connections), tape.clone(), Arc::clone(&say));
                let serve = move || {
                    let wire = Wire { tape, clock, number };
                    if let Err(error) = wire.serve(client, &server, &connections) {
                        wire.close(Some(Side::Server), &error.kind().to_string());
                        say(&format!("cannot reach {server}: {error}"));
                    }
                };
                let _ = std::thread::Builder::new().name(format!("client {number}")).spawn(serve);
            }
        };
        std::thread::Builder::new().name("accept".to_string()).spawn(accept).map(drop).map_err(fault)
    }

    /// Closes what is still open, and says so on the tape.
    pub fn stop(&self, tape: &Tape, clock: Clock) {
        for (number, client, server) in self.connections.open().drain(..) {
            let close = TapeEvent::Close { by: None, how: "stopped".to_string() };
            tape.event(clock.us(), number, None, close);
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
        }
    }
}

/// One connection.
#[derive(Clone)]
struct Wire {
    tape: Tape,
    clock: Clock,
    number: u32,
}

impl Wire {
    fn event(&self, event: TapeEvent) {
        self.tape.event(self.clock.us(), self.number, None, event);
    }

    fn close(&self, by: Option<Side>, how: &str) {
        self.event(TapeEvent::Close { by, how: how.to_string() });
    }

    fn serve(&self, client: TcpStream, server: &str, connections: &Connections) -> std::io::Result<()> {
        self.event(TapeEvent::Open { by: Some(Side::Client) });
        let server = TcpStream::connect(server)?;
        // What one side sends at once is not held back to wait for more.
        let _ = client.set_nodelay(true);
        let _ = server.set_nodelay(true);
        let (client_out, server_out) = (client.try_clone()?, server.try_clone()?);
        connections.open().push((self.number, client.try_clone()?, server.try_clone()?));
        let back = self.clone();
        let answers = std::thread::Builder::new()
            .name(format!("server {}", self.number))
            .spawn(move || back.pump(Side::Server, server, client_out))?;
        self.pump(Side::Client, client, server_out);
        let _ = answers.join();
        connections.open().retain(|(number, ..)| *number != self.number);
        Ok(())
    }

    /// As in the shim: the copy gets its place before the bytes go on.
    fn pump(&self, from: Side, mut input: TcpStream, mut output: TcpStream) {
        let mut chunk = vec![0; CHUNK];
        let how = loop {
            let count = match input.read(&mut chunk) {
                Ok(0) => break "eof",
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break "reset",
                Err(_) => break "error",
            };
            self.event(TapeEvent::Chunk { from: Pipe::From(from), bytes: chunk[..count].to_vec() });
            if output.write_all(&chunk[..count]).is_err() {
                // The other direction sees why; nothing more can be passed on in this one.
                let _ = input.shutdown(Shutdown::Read);
                return;
            }
        };
        self.close(Some(from), how);
        let _ = output.shutdown(Shutdown::Write);
    }
}
