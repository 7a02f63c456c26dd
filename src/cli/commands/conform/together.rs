//! Which probes are played at the same time, and playing them so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use rpctape::conform::{Moment, Probe};
use rpctape::error::{Error, ErrorKind, Result};

use crate::cli::signals::Stop;

/// How often a signal is looked for.
const STEP: Duration = Duration::from_millis(20);

type Group = Vec<&'static Probe>;
type Played<P> = (&'static Probe, Result<P>);

/// How many are played at a time.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Twice as many.
    pub fast: bool,
    /// True where each probe has a server of its own: what waits on one disturbs no other.
    pub own_servers: bool,
    /// True where one server cannot tell one probe from another, which uses the same ids: each is played alone.
    pub mixed: bool,
}

/// What is played one after another, so many at a time.
struct Row {
    probes: Group,
    abreast: usize,
}

/// Which probes are played beside all others, from the beginning, and which in rows, one row after the other: first those whose moment
/// matters. The storm is alone, unless it is to go fast and disturbs nobody.
fn seats(probes: &[&'static Probe], pace: Pace) -> (Group, Vec<Row>) {
    let (beside, rest): (Group, Group) =
        probes.iter().partition(|probe| pace.own_servers && probe.moment == Moment::Patient);
    let (timed, any): (Group, Group) = rest.into_iter().partition(|probe| probe.moment == Moment::Timed);
    let (storm, calm): (Group, Group) = any.into_iter().partition(|probe| probe.name == "storm");
    let (few, more) = match pace {
        Pace { mixed: true, .. } => (1, 1),
        Pace { fast, .. } => {
            if fast {
                (2, 4)
            } else {
                (1, 2)
            }
        }
    };
    let timed = Row { probes: timed, abreast: few };
    let rows = if pace.fast && pace.own_servers {
        vec![timed, Row { probes: [storm, calm].concat(), abreast: more }]
    } else {
        vec![timed, Row { probes: storm, abreast: 1 }, Row { probes: calm, abreast: more }]
    };
    (beside, rows)
}

/// Plays probes; `play` is given the flag that a signal sets.
///
/// # Errors
/// A signal came, or a probe could not be played.
pub fn play<P: Send>(
    probes: &[&'static Probe],
    pace: Pace,
    stop: &Stop,
    play: impl Fn(&'static Probe, Arc<AtomicBool>) -> Result<P> + Sync,
) -> Result<Vec<(&'static Probe, P)>> {
    let flags: Mutex<Vec<Arc<AtomicBool>>> = Mutex::default();
    let (beside, rows) = seats(probes, pace);
    let play = |probe: &'static Probe| {
        let flag = Arc::<AtomicBool>::default();
        flags.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&flag));
        // A signal that came before the flag was there has been handed on already.
        flag.store(stop.exit_code().is_some(), Ordering::Relaxed);
        (probe, play(probe, flag))
    };
    thread::scope(|scope| {
        let start = |row: Row| -> Vec<_> {
            let queue = Arc::new(Mutex::new(row.probes.into_iter()));
            let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let work = move || std::iter::from_fn(&next).take_while(|_| stop.exit_code().is_none()).map(play).collect();
            (0..row.abreast).map(|_| scope.spawn(work.clone())).collect()
        };
        let aside = start(Row { abreast: beside.len(), probes: beside });
        let mut done = Vec::new();
        for row in rows {
            done.extend(join(start(row), &flags, stop));
        }
        done.extend(join(aside, &flags, stop));
        match stop.exit_code() {
            Some(_) => Err(Error::new(ErrorKind::Interrupted, "interrupted before all probes were played")),
            None => done.into_iter().map(|(probe, found)| Ok((probe, found?))).collect(),
        }
    })
}

/// Waits for those who play, and hands a signal on to all of them.
fn join<P>(
    playing: Vec<ScopedJoinHandle<'_, Vec<Played<P>>>>,
    flags: &Mutex<Vec<Arc<AtomicBool>>>,
    stop: &Stop,
) -> Vec<Played<P>> {
    while playing.iter().any(|run| !run.is_finished()) {
        stop.hand_on(flags.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        thread::sleep(STEP);
    }
    // A panic goes on here.
    playing.into_iter().flat_map(|run| run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
}

#[cfg(test)]
mod tests {
    use rpctape::conform::PROBES;

    use super::*;

    #[test]
    fn what_may_wait_for_ever_waits_beside_the_others_and_each_is_played_once() {
        let all: Group = PROBES.iter().collect();
        for (fast, own_servers, mixed) in
            [(true, true, false), (false, true, false), (true, false, false), (true, false, true)]
        {
            let (beside, rows) = seats(&all, Pace { fast, own_servers, mixed });
            assert!(!mixed || rows.iter().all(|row| row.abreast == 1));
            assert_eq!(beside.is_empty(), !own_servers);
            assert!(beside.iter().all(|probe| probe.moment == Moment::Patient));
            assert_eq!(beside.len() + rows.iter().map(|row| row.probes.len()).sum::<usize>(), all.len());
            let storm = rows.iter().find(|row| row.probes.iter().any(|probe| probe.name == "storm"));
            assert_eq!(storm.is_some_and(|row| row.abreast > 1), fast && own_servers);
            let timed = |row: &&Row| row.probes.iter().any(|probe| probe.moment == Moment::Timed);
            assert!(rows.iter().filter(timed).all(|row| row.abreast <= if fast { 2 } else { 1 }));
        }
    }
}
