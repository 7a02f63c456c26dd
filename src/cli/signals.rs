//! Ctrl-C, TERM and HUP: the first asks the work to stop cleanly, the second ends the program at once. Work that does not
//! look (SQLite in the middle of a statement, a pipe that says nothing) is ended a moment after the first. Either way what
//! was half written is removed.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rpctape::output;

use signal_hook::SigId;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;
#[cfg(feature = "live")]
use signal_hook::low_level::unregister;

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
    /// How much work has an end of its own to make, with a server that has to be told.
    patient: Arc<AtomicUsize>,
    /// Set where signals are another's.
    released: Arc<AtomicBool>,
}

/// How long work may go on after it was asked to stop.
const GRACE: Duration = Duration::from_millis(700);

/// How often it is looked whether work that makes an end of its own has made it.
const LOOK: Duration = Duration::from_millis(20);

/// Work that ends by itself, for as long as this lives: it is given the time that it needs.
#[cfg(feature = "live")]
pub struct Patience(Arc<AtomicUsize>);

#[cfg(feature = "live")]
impl Drop for Patience {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Stop {
    /// Listens for the signals from now on.
    pub fn listen() -> io::Result<Stop> {
        let (wanted, signal, actions) = (Arc::default(), Arc::default(), Arc::default());
        let stop = Stop { wanted, signal, actions, patient: Arc::default(), released: Arc::default() };
        // A file that would pass `ulimit -f` is an error of the write, as on a full disk; left alone, the signal ends the
        // program in the middle of it.
        #[cfg(unix)]
        flag::register(SIGXFSZ, Arc::default())?;
        let mut actions = Vec::new();
        for signal in ENDING {
            // From here on the signal ends nothing by itself, so it is noted first of all.
            actions.push(flag::register_usize(signal, Arc::clone(&stop.signal), signal as usize)?);
            // Nothing can be removed within a signal: where there are threads to do it, one of them does.
            #[cfg(not(unix))]
            actions.push(flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.wanted))?);
            actions.push(flag::register(signal, Arc::clone(&stop.wanted))?);
        }
        *stop.actions.lock().unwrap_or_else(PoisonError::into_inner) = actions;
        stop.enforce()?;
        // One that came meanwhile may have found the note alone.
        if stop.exit_code().is_some() {
            stop.wanted.store(true, Ordering::Relaxed);
        }
        Ok(stop)
    }

    /// Ends the program where the work does not end it, and at a second signal. What was half written is removed.
    #[cfg(unix)]
    fn enforce(&self) -> io::Result<()> {
        let (mut signals, stop) = (Signals::new(ENDING)?, self.clone());
        let wait = move || {
            let Some(signal) = signals.forever().next() else { return };
            if stop.outlasts(&mut signals) {
                output::abandon();
                std::process::exit(128 + signal);
            }
        };
        thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
    }

    /// Waits, after the first signal, for the moment in which the program has to end. False where signals are another's.
    #[cfg(unix)]
    fn outlasts(&self, signals: &mut Signals) -> bool {
        let is_wanted = || self.wanted.load(Ordering::Relaxed);
        let (mut asked, mut waited) = (is_wanted(), Duration::ZERO);
        while waited < GRACE {
            thread::sleep(LOOK);
            if self.released.load(Ordering::Relaxed) {
                return false;
            }
            // One that was handed on asks nothing of the program itself.
            if signals.pending().next().is_some() && asked {
                return true;
            }
            asked = is_wanted();
            let is_patient = self.patient.load(Ordering::Relaxed) > 0;
            waited = if is_patient { Duration::ZERO } else { waited + LOOK };
        }
        true
    }

    #[cfg(not(unix))]
    fn enforce(&self) -> io::Result<()> {
        Ok(())
    }

    /// From now on the work ends by itself, however long that takes: a server is told, a recording is closed.
    #[cfg(feature = "live")]
    pub fn patient(&self) -> Patience {
        self.patient.fetch_add(1, Ordering::Relaxed);
        Patience(Arc::clone(&self.patient))
    }

    /// The same signals, but work looks at a flag of its own.
    #[cfg(feature = "live")]
    pub fn own(&self) -> Stop {
        Stop { wanted: Arc::default(), ..self.clone() }
    }

    /// No longer listens: signals are another's from now on (those of a recorder belong to the server).
    #[cfg(feature = "live")]
    pub fn release(&self) {
        self.released.store(true, Ordering::Relaxed);
        self.taken();
        for action in self.actions.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            unregister(action);
        }
    }

    /// The flag that long work looks at.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// Hands a signal that came on to all who look at flags of their own.
    #[cfg(feature = "live")]
    pub fn hand_on(&self, flags: impl IntoIterator<Item = Arc<AtomicBool>>) {
        if self.wanted.swap(false, Ordering::Relaxed) {
            flags.into_iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        }
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
