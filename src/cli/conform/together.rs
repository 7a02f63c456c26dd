//! Which probes are played at the same time, and playing them so.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use rpctape::conform::{Moment, Probe};
use rpctape::error::{Error, ErrorKind, Result};

use crate::cli::signals::Stop;

/// How often a signal is looked for.
const STEP: Duration = Duration::from_millis(20);

type Group = Vec<&'static Probe>;

/// How many are played at a time.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Twice as many.
    pub fast: bool,
    /// True where each probe has a server of its own: what waits on one disturbs no other.
    pub own_servers: bool,
}

/// Which probes are played beside all others, from the beginning, and which one group after the other: those whose moment matters alone, the
/// others in pairs. The storm is always alone.
fn seats(probes: &[&'static Probe], pace: Pace) -> (Group, Vec<Group>) {
    let (beside, rest): (Group, Group) =
        probes.iter().partition(|probe| pace.own_servers && probe.moment == Moment::Patient);
    let (storm, calm): (Group, Group) = rest.into_iter().partition(|probe| probe.name == "storm");
    let (timed, any): (Group, Group) = calm.into_iter().partition(|probe| probe.moment == Moment::Timed);
    let (few, more) = if pace.fast { (2, 4) } else { (1, 2) };
    let groups = timed.chunks(few).chain(storm.chunks(1)).chain(any.chunks(more)).map(<[_]>::to_vec).collect();
    (beside, groups)
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
    let (beside, groups) = seats(probes, pace);
    let play = |probe: &'static Probe| {
        let flag = Arc::<AtomicBool>::default();
        flags.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&flag));
        play(probe, flag)
    };
    let play = &play;
    thread::scope(|scope| {
        let start = |group: Group| -> Vec<_> {
            group.into_iter().map(|probe| (probe, scope.spawn(move || play(probe)))).collect()
        };
        let aside = start(beside);
        let mut done = Vec::new();
        for group in groups {
            if stop.exit_code().is_some() {
                break;
            }
            done.extend(join(start(group), &flags, stop));
        }
        done.extend(join(aside, &flags, stop));
        match stop.exit_code() {
            Some(_) => Err(Error::new(ErrorKind::Interrupted, "interrupted before all probes were played")),
            None => done.into_iter().map(|(probe, found)| Ok((probe, found?))).collect(),
        }
    })
}

/// Waits for probes, and hands a signal on to all that are played.
fn join<P>(
    running: Vec<(&'static Probe, ScopedJoinHandle<'_, Result<P>>)>,
    flags: &Mutex<Vec<Arc<AtomicBool>>>,
    stop: &Stop,
) -> Vec<(&'static Probe, Result<P>)> {
    while running.iter().any(|(_, run)| !run.is_finished()) {
        stop.hand_on(&flags.lock().unwrap_or_else(PoisonError::into_inner));
        thread::sleep(STEP);
    }
    let broke = |probe: &Probe| Error::new(ErrorKind::Input, format!("the probe {} could not be played", probe.name));
    running.into_iter().map(|(probe, run)| (probe, run.join().unwrap_or_else(|_| Err(broke(probe))))).collect()
}

#[cfg(test)]
mod tests {
    use rpctape::conform::PROBES;

    use super::*;

    #[test]
    fn what_may_wait_for_ever_waits_beside_the_others_and_each_is_played_once() {
        let all: Group = PROBES.iter().collect();
        for (fast, own_servers) in [(true, true), (false, true), (true, false)] {
            let (beside, groups) = seats(&all, Pace { fast, own_servers });
            assert_eq!(beside.is_empty(), !own_servers);
            assert!(beside.iter().all(|probe| probe.moment == Moment::Patient));
            assert_eq!(beside.len() + groups.iter().flatten().count(), all.len());
            let storm = groups.iter().find(|group| group.iter().any(|probe| probe.name == "storm"));
            assert_eq!(storm.map(Vec::len), Some(1));
            let timed = |group: &&Group| group.iter().any(|probe| probe.moment == Moment::Timed);
            assert!(groups.iter().filter(timed).all(|group| group.len() <= if fast { 2 } else { 1 }));
        }
    }
}
