//! Ctrl-C and TERM: the first asks the work to stop cleanly, the second ends the program at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Remembers that the user wants to stop.
#[derive(Clone)]
pub struct Stop {
    wanted: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Listens for the signals from now on.
    pub fn listen() -> io::Result<Stop> {
        let stop = Stop { wanted: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // Order matters: the shutdown looks at the flag before this signal sets it.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.wanted))?;
            flag::register(signal, Arc::clone(&stop.wanted))?;
            flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize)?;
        }
        Ok(stop)
    }

    /// The flag that long work looks at.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// The signal was the way to end this command: the exit code is the one that the command gives.
    pub fn taken(&self) {
        self.signal.store(0, Ordering::Relaxed);
    }

    /// 130 or 143 where a signal came.
    pub fn exit_code(&self) -> Option<u8> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(128 + signal as u8),
        }
    }
}
