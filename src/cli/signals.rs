//! Ctrl-C, TERM and HUP: the first asks the work to stop cleanly, the second ends the program at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::{SigId, low_level::unregister};

/// What asks the program to end. A terminal that is closed asks, too.
#[cfg(unix)]
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(not(unix))]
const ENDING: [i32; 2] = [SIGINT, SIGTERM];

/// Remembers that the user wants to stop.
#[derive(Clone)]
pub struct Stop {
    wanted: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
    /// What was asked to be done when a signal comes.
    actions: Arc<Mutex<Vec<SigId>>>,
}

impl Stop {
    /// Listens for the signals from now on.
    pub fn listen() -> io::Result<Stop> {
        let stop = Stop { wanted: Arc::default(), signal: Arc::default(), actions: Arc::default() };
        let mut actions = Vec::new();
        for signal in ENDING {
            // Order matters: the shutdown looks at the flag before this signal sets it.
            actions.push(flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.wanted))?);
            actions.push(flag::register(signal, Arc::clone(&stop.wanted))?);
            actions.push(flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize)?);
        }
        *stop.actions.lock().unwrap_or_else(PoisonError::into_inner) = actions;
        Ok(stop)
    }

    /// No longer listens: signals are another's from now on (those of a recorder belong to the server).
    pub fn release(&self) {
        for action in self.actions.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            unregister(action);
        }
    }

    /// The flag that long work looks at.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// The signal was the way to end this command: the exit code is the one that the command gives.
    #[cfg(feature = "live")]
    pub fn taken(&self) {
        self.signal.store(0, Ordering::Relaxed);
    }

    /// 129, 130 or 143 where a signal came.
    pub fn exit_code(&self) -> Option<u8> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(128 + signal as u8),
        }
    }
}
