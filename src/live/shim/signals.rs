//! Signals that are passed on to the server: TERM, INT, HUP.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// Listens from now on; each signal arrives as its number. They no longer end this process.
pub fn listen() -> io::Result<Receiver<i32>> {
    let (mut wakes, wake) = UnixStream::pair()?;
    let mut flags = Vec::new();
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        let came = Arc::new(AtomicBool::new(false));
        // The flag first: whoever is woken looks for it.
        flag::register(signal, Arc::clone(&came))?;
        pipe::register(signal, wake.try_clone()?)?;
        flags.push((signal, came));
    }
    let (sender, receiver) = channel();
    let forward = move || {
        let mut woken = [0; 16];
        while wakes.read(&mut woken).is_ok_and(|count| count > 0) {
            for (signal, came) in &flags {
                if came.swap(false, Ordering::SeqCst) && sender.send(*signal).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::Builder::new().name("signals".to_string()).spawn(forward)?;
    Ok(receiver)
}
