//! Probes against a live server: each is a recording that nobody recorded, loaded, planned, played and judged by the path of every replay.

mod client;
mod meeting;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::replay::{Job, Keep, Ran, Scratch, Watch, load, run};
use super::{Options, Quiet, ingest};
use crate::conform::{
    Missed, Moment, Needs, Play, Probe, Said, Speech, Timing, capture, is_owed_an_answer, numbered, watched_us,
};
use crate::error::{Error, ErrorKind, Result};
use crate::live::{Access, Framing, Target};
use crate::protocol::Profile;
use crate::redact::Custom;
use crate::replay::options::{Life, Pace, Policy, Speed};
use crate::replay::recording::Recording;
use crate::replay::run::Broken;
use crate::replay::{Plan, plan};
use crate::store::Store;

pub use client::examine_client;
pub use meeting::{Met, Slow};

/// How long an answer is waited for, at least, microseconds; and how many times what the same took before.
const LIMIT_US: i64 = 10_000_000;
const LIMIT_TIMES: i64 = 5;
/// A request that takes less than this is not slow, microseconds.
const SLOW_US: i64 = 150_000;
/// The parts of its moment at which a cancel is sent, per cent, one after the other, where it met the answer.
const PARTS: [i64; 3] = [100, 50, 17];

/// A server and what may be done to it.
#[derive(Clone)]
pub struct Examiner<'e> {
    /// The server.
    pub target: &'e Target,
    /// What it wants beside its address.
    pub access: &'e Access,
    /// How messages are told apart, where that is not as the protocol has it.
    pub framing: Option<Framing>,
    /// What may be sent.
    pub policy: Policy,
    /// What the judgement assumes.
    pub judging: Options,
    /// The folder in which every probe is kept.
    pub keep: Option<PathBuf>,
    /// Secrets to replace in what is kept, beside the usual ones; `None` keeps everything as it was.
    pub redact: Option<Custom>,
    /// How often a probe is played whose moment matters.
    pub repeat: usize,
    /// How many requests a storm has.
    pub storm: usize,
    /// How many sessions there were: over HTTP one server has them all, and may not tell one from another.
    pub sessions: Arc<AtomicUsize>,
    /// Is set to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// One run of one recording.
struct Run<'r> {
    speech: &'r Speech,
    script: &'r str,
    said: &'r [Said],
    /// How long answers are waited for, microseconds.
    limit_us: i64,
    keep: Option<PathBuf>,
}

impl Examiner<'_> {
    /// True if a probe is about what this protocol and this way to the server have.
    fn concerns(&self, probe: &Probe, met: &Met) -> bool {
        match probe.needs {
            Needs::Turns | Needs::TurnQuestion => met.speech.profile.turns,
            Needs::Streams => matches!(self.target, Target::Http(_)),
            Needs::Tasks => met.speech.profile.tasks_by_request(),
            _ => true,
        }
    }

    /// Why a probe cannot be played.
    fn unfit(&self, probe: &Probe, met: &Met, slow: std::result::Result<&Slow, &str>) -> Option<Missed> {
        if probe.name == "storm" && self.storm == 0 {
            return Some("--storm 0".into());
        }
        if matches!(probe.needs, Needs::Server | Needs::Hello) {
            return None;
        }
        let slow = match slow {
            Ok(slow) => slow,
            Err(why) => return Some(why.into()),
        };
        match probe.needs {
            Needs::Progress => slow.progress_us.is_none().then(|| "it reports no progress".into()),
            _ if slow.natural_us < SLOW_US => {
                Some(format!("the request takes {} only", crate::number::duration(slow.natural_us)).into())
            }
            Needs::Tasks => met.speech.no_task().map(Missed::foreign),
            Needs::Question | Needs::TurnQuestion if met.speech.question.is_none() => {
                Some(Missed::foreign("the server asks nothing while it works on this request"))
            }
            _ => None,
        }
    }

    /// Plays one probe as often as it takes. The error says why it cannot be played.
    pub fn probe(
        &self,
        probe: &'static Probe,
        met: &Met,
        slow: std::result::Result<&Slow, &str>,
        watch: &mut dyn Watch,
    ) -> Result<std::result::Result<Vec<Play>, Missed>> {
        if !self.concerns(probe, met) {
            return Ok(Ok(Vec::new()));
        }
        if let Some(missed) = self.unfit(probe, met, slow) {
            return Ok(Err(missed));
        }
        let speech = met.speech.for_probe(probe.needs);
        let natural_us = slow.map_or(0, |slow| slow.natural_us);
        let longest_us = slow.map_or(0, |slow| slow.longest_us);
        let progress_us = slow.ok().and_then(|slow| slow.progress_us).unwrap_or(0);
        let storm_us = if probe.name == "storm" { self.storm as i64 * 10_000 } else { 0 };
        let limit_us = LIMIT_US.max(LIMIT_TIMES * longest_us).max(LIMIT_TIMES * met.longest_us) + storm_us;
        let runs = if probe.moment == Moment::Timed { self.repeat.max(1) } else { 1 };
        let mut plays = Vec::new();
        'runs: for nth in 0..runs {
            for (place, part) in PARTS.iter().enumerate() {
                let timing = Timing { natural_us, progress_us, part: *part, storm: self.storm };
                let Some(said) = probe.write(&speech, &timing) else {
                    return Ok(Err(format!("{} has no words for it", met.server.protocol).into()));
                };
                let keep = self.kept(probe, nth);
                let run = Run { speech: &speech, script: probe.script, said: &said, limit_us, keep };
                let Some((recording, ran)) = self.play(&run, watch)? else {
                    return Ok(Err("it could not be played".into()));
                };
                let Some(play) = self.read(probe, recording, ran, run.keep.as_ref()) else { continue };
                // A server that reads nothing while it works reads no cancel earlier than this one, and none the next time.
                if play.lay_unread() {
                    plays.push(play);
                    break 'runs;
                }
                // What was never answered in all that time is not waited for again.
                if is_owed_an_answer(probe.script, speech.profile) && play.never_settled().is_some() {
                    plays.push(play);
                    break 'runs;
                }
                // One cancel can come earlier. A storm cannot get between the answers of a server that gives one after another.
                let again = place + 1 < PARTS.len() && probe.script.contains("30% cancel ") && play.met_the_answer();
                if !again {
                    plays.push(play);
                    break;
                }
            }
        }
        Ok(Ok(plays))
    }

    fn kept(&self, probe: &Probe, nth: usize) -> Option<PathBuf> {
        let number = if nth == 0 { String::new() } else { format!("-{}", nth + 1) };
        self.keep.as_ref().map(|folder| folder.join(format!("{}{number}.run.jsonl", probe.name)))
    }

    fn read(&self, probe: &'static Probe, recording: Recording, mut ran: Ran, kept: Option<&PathBuf>) -> Option<Play> {
        Some(Play {
            probe,
            template: recording.connections.into_iter().next()?,
            live: ran.live.connections.drain(..).next()?,
            log: ran.logs.into_iter().next()?,
            session: kept.map(|file| file.display().to_string()),
        })
    }

    fn options(&self, limit_us: i64, linger_us: i64) -> crate::replay::Options {
        let life = Life {
            stuck_min_us: limit_us,
            stuck_factor: 0.0,
            max_request_us: limit_us,
            linger_us,
            linger_given: true,
            // Every wait of a probe has its own limit; this one is for what nobody thought of.
            deadline_us: 20 * limit_us,
            ..Life::default()
        };
        let pace = Pace { speed: Speed::Wall, max_idle_us: None };
        crate::replay::Options { pace, life, policy: self.policy.clone(), ..crate::replay::Options::default() }
    }

    /// A recording of what is to be said, and the plan for it.
    fn planned(&self, speech: &Speech, said: &[Said], options: &crate::replay::Options) -> Result<(Recording, Plan)> {
        let scratch = Scratch::new()?;
        let file = scratch.path().join("probe.rec.jsonl");
        std::fs::write(&file, capture(speech, said)).map_err(|error| Error::io("write", "a probe", &error))?;
        let recording = read(&file, speech.profile, &self.judging)?;
        let mut options = options.clone();
        options.policy.allow.extend(speech.profile.probing_methods());
        let plan = plan(&recording, &options)?;
        Ok((recording, plan))
    }

    /// How a live session is judged.
    fn judged_as(&self, profile: &'static Profile) -> Options {
        let mut judging = self.judging.clone();
        judging.overrides.profile = Some(profile);
        // Where order proves, a bound on the round trip is not needed, and cannot be wrong.
        judging.settings.proof_only |= self.target.is_ordered();
        judging
    }

    /// The number of the next session; where each has a server of its own, nothing counts them.
    fn session(&self) -> usize {
        match self.target {
            Target::Http(_) => self.sessions.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        }
    }

    /// Plays what is to be said. `None` where the server speaks another revision.
    fn play(&self, run_of: &Run<'_>, watch: &mut dyn Watch) -> Result<Option<(Recording, Ran)>> {
        let profile = run_of.speech.profile;
        let linger_us = lingers_us(run_of.script, run_of.said, profile, run_of.limit_us);
        let options = self.options(run_of.limit_us, linger_us);
        let said = numbered(run_of.said, profile, self.session());
        let (recording, plan) = self.planned(run_of.speech, &said, &options)?;
        let usual = if profile.framed_by_length() { Framing::ContentLength } else { Framing::Lines };
        let job = Job {
            recording: &recording,
            plan: &plan,
            options: &options,
            target: self.target,
            access: self.access,
            framing: self.framing.unwrap_or(usual),
            natural: &[],
        };
        let keep = Keep { file: run_of.keep.clone(), redact: self.redact.clone() };
        let judging = self.judged_as(profile);
        let ran = run(&job, "", &keep, &judging, self.interrupt.as_ref(), watch)?;
        let broken = ran.logs.iter().find_map(|log| log.broken.as_ref());
        match broken {
            Some(Broken::Interrupted) => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
            Some(Broken::Era(_)) => Ok(None),
            Some(Broken::Link(_) | Broken::Deadline | Broken::Left(_)) | None => Ok(Some((recording, ran))),
        }
    }
}

/// How long an answer is waited for behind a cancel, microseconds: where one is owed, as long as any answer.
fn lingers_us(script: &str, said: &[Said], profile: &'static Profile, limit_us: i64) -> i64 {
    if is_owed_an_answer(script, profile) { limit_us } else { watched_us(script, said, profile) }
}

fn read(file: &Path, profile: &'static Profile, judging: &Options) -> Result<Recording> {
    let mut store = Store::temporary()?;
    let mut judging = Options { interrupt: None, redact: None, ..judging.clone() };
    judging.overrides.profile = Some(profile);
    ingest(&mut store, &[file.display().to_string()], &judging, &mut Quiet)?;
    load(&store, &file.display().to_string())
}

#[cfg(test)]
#[path = "conform_tests.rs"]
mod tests;
