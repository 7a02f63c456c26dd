//! Where clients come in: standard input and output, one of them; or HTTP, a server for each session.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::live::Incoming;
use rpctape::live::serve::{Guest, Listen, Voice, on_threads};

use super::reply::Way;
use super::server::{Offer, REVISIONS, Server};
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// How often a signal is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// How many sessions there are at once. One more ends the oldest; its client is told so, and begins another.
const SESSIONS: usize = 64;

/// The servers that are at work, the oldest first.
type Servers = Arc<Mutex<VecDeque<Arc<Server>>>>;

fn all(servers: &Servers) -> std::sync::MutexGuard<'_, VecDeque<Arc<Server>>> {
    servers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Standard output, one line in one write.
struct Stdout(Mutex<()>);

impl Way for Stdout {
    fn send(&self, _: u32, line: &str) {
        let _one = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stdout();
        // Where nobody reads any more there is nobody left to tell.
        let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
    }
    fn close(&self, _: u32) {}
    fn dismiss(&self) {}
}

impl Way for Voice {
    fn send(&self, stream: u32, line: &str) {
        self.say(stream, line.as_bytes().to_vec());
    }
    fn close(&self, stream: u32) {
        Voice::close(self, stream);
    }
    fn dismiss(&self) {
        self.finish();
    }
}

/// Serves one client until its input ends.
pub fn stdio(offer: Arc<Offer>, stop: &Stop) -> Result<()> {
    let server = Arc::new(Server::new(offer, Box::new(Stdout(Mutex::default()))));
    end_on_signal(&Arc::new(Mutex::new(VecDeque::from([Arc::clone(&server)]))), stop)?;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => Server::take(&server, 0, &line),
            Err(error) => return Err(Error::new(ErrorKind::Io, format!("cannot read standard input: {error}"))),
        }
    }
    server.end();
    Ok(())
}

/// Serves whoever comes, until a signal ends the program.
pub fn http(offer: Arc<Offer>, address: &str, stop: &Stop) -> Result<()> {
    let servers = Servers::default();
    end_on_signal(&servers, stop)?;
    let handshake = Some("initialize".to_string());
    let listen = Listen::Http { address: address.to_string(), handshake, revisions: &REVISIONS };
    let opened = |address: Option<std::net::SocketAddr>| {
        if let Some(address) = address {
            io::say(&format!("listening on http://{address}/mcp"));
        }
    };
    on_threads(&listen, opened, move |guest| session(&servers, &offer, guest))
}

/// One session, until its client ends it. That a client is away says nothing: it may come back for its answer.
fn session(servers: &Servers, offer: &Arc<Offer>, mut guest: Guest) {
    let server = Arc::new(Server::new(Arc::clone(offer), Box::new(guest.voice())));
    let oldest = {
        let mut servers = all(servers);
        servers.push_back(Arc::clone(&server));
        (servers.len() > SESSIONS).then(|| servers.pop_front()).flatten()
    };
    if let Some(oldest) = oldest {
        oldest.dismiss();
    }
    while let Some(heard) = guest.hear() {
        match heard {
            Incoming::Message { stream, bytes, .. } => Server::take(&server, stream.unwrap_or(0), &bytes),
            Incoming::Closed { stream: None, .. } => break,
            _ => {}
        }
    }
    server.cancel_all();
    server.end();
    server.dismiss();
    all(servers).retain(|other| !Arc::ptr_eq(other, &server));
}

/// Ends what is being answered, and then the program, when a signal asks for it: nobody wakes who waits for input.
fn end_on_signal(servers: &Servers, stop: &Stop) -> Result<()> {
    stop.patient();
    let (servers, stop) = (Arc::clone(servers), stop.clone());
    let wait = move || {
        let code = loop {
            std::thread::sleep(LOOK);
            if let Some(code) = stop.exit_code() {
                break code;
            }
        };
        let servers = all(&servers);
        servers.iter().for_each(|server| server.cancel_all());
        servers.iter().for_each(|server| server.end());
        std::process::exit(code.into());
    };
    let failed = |error| Error::new(ErrorKind::Io, format!("cannot start a thread: {error}"));
    std::thread::Builder::new().name("end".into()).spawn(wait).map(drop).map_err(failed)
}

/// `HOST:PORT` or `PORT` of this machine: logs are nobody else's.
pub fn loopback(text: &str) -> std::result::Result<String, String> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let own = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    match port.parse::<u16>() {
        Ok(_) if own => Ok(format!("{host}:{port}")),
        Ok(_) => Err("logs are served to this machine only: 127.0.0.1:PORT, [::1]:PORT or localhost:PORT".to_string()),
        Err(_) => Err("write [HOST:]PORT".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::loopback;

    #[test]
    fn only_this_machine_is_listened_to() {
        for own in ["0", "127.0.0.1:8000", "[::1]:1", "localhost:80", "127.9.9.9:1"] {
            assert!(loopback(own).is_ok(), "{own}");
        }
        for other in ["0.0.0.0:1", "[::]:1", "example.org:1", "127.0.0.1", "127.0.0.1:x", "", ":1", "10.0.0.1:1"] {
            assert!(loopback(other).is_err(), "{other}");
        }
    }
}
