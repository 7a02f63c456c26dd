//! Runs beside the main one, each on a fresh server: control, retries of cancels, sweeps, repetitions.

use std::collections::BTreeMap;
use std::path::Path;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::pipeline::replay::{cancelled, not_twice, without_cancels};
use rpctape::replay::options::Policy;
use rpctape::replay::run::{Anchor, CancelStatus};
use rpctape::replay::verdict::{ExchangeReport, RunReport, RunVerdict};
use rpctape::replay::{Options, Plan, Verdict, plan};
use rpctape::report::replay::redact;

use super::counted::{cancel_word, named, repeat_lines, repeat_table, status, sweep_lines, sweep_table, verdict_word};
use super::kept::Aside;
use super::values::Delay;
use super::{Session, span};
use crate::cli::args::run_reports::RunReports;
use crate::cli::screen::io;

/// How many requests are named where more may not be sent twice.
const NAMED: usize = 5;

/// How long an exchange took in a control run: connection, exchange, microseconds.
pub type Natural = Vec<(usize, usize, i64)>;

impl Session<'_> {
    /// An error where the plan sends something that may not be sent twice.
    pub fn may_repeat(&self, plan: &Plan, policy: &Policy, flag: &str) -> Result<()> {
        let found = not_twice(&self.recording, plan, policy);
        if found.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = found.iter().take(NAMED).map(|(.., name)| name.as_str()).collect();
        let more = if found.len() > NAMED { format!(" and {} more", found.len() - NAMED) } else { String::new() };
        let message = format!(
            "{flag} sends requests more than once, and these are not known to bear it: {}{more}",
            names.join(", ")
        );
        Err(Error::new(ErrorKind::Usage, message)
            .hint("leave them out with --skip, or say with --allow-repeat that it does no harm"))
    }

    /// Plays the cancelled requests without their cancels. What may not be sent twice is left out, and said.
    pub fn control(&self, options: &Options) -> Result<(Natural, Vec<String>)> {
        let calm = without_cancels(&self.recording);
        let mut beside = options.clone();
        // A request that takes long by itself is what this run is for.
        beside.life.stuck_min_us = options.life.max_request_us;
        beside.life.end_waits = true;
        let first = plan(&calm, &beside)?;
        let refused = not_twice(&calm, &first, &options.policy);
        for (connection, exchange, _) in &refused {
            beside.policy.deny.push(calm.connections[*connection].exchanges[*exchange].label());
        }
        let mut notes: Vec<String> =
            refused.iter().map(|(.., name)| format!("control: {name} is not known to bear a second time")).collect();
        let calm_plan = plan(&calm, &beside)?;
        let ran = self.play(&calm, &calm_plan, &beside, &self.server, &[], None)?;
        let mut natural = Vec::new();
        for (connection, exchange) in cancelled(&self.recording) {
            let run = ran.logs.get(connection).and_then(|log| log.exchanges.get(exchange));
            let took = run.and_then(|run| Some(run.answered_us? - run.sent_us?));
            let label = self.recording.connections[connection].exchanges[exchange].label();
            match took {
                Some(us) => {
                    natural.push((connection, exchange, us));
                    notes.push(format!("control: {label} takes {} when it is left alone", span(us)));
                }
                None if run.is_some_and(|run| run.sent_us.is_some()) => {
                    notes.push(format!("control: {label} was not answered when it was left alone"));
                }
                None => {}
            }
        }
        Ok((natural, notes))
    }

    fn columns(&self) -> usize {
        self.args.view.screen.style(false, false).columns()
    }

    /// Says where a cancel could not have landed: its request is done before it comes.
    pub fn hopeless(&self, report: &RunReport, natural: &Natural) -> Vec<String> {
        let about = |(connection, exchange, took): &(usize, usize, i64)| {
            let label = self.recording.connections[*connection].exchanges[*exchange].label();
            let entry =
                report.exchanges.iter().find(|entry| entry.connection == *connection && entry.label == label)?;
            let delay = entry.recorded.cancelled_us?;
            (*took <= delay).then(|| {
                format!("control: {label} is done {} before its cancel: shorten --cancel-delay", span(delay - took))
            })
        };
        natural.iter().filter_map(about).collect()
    }

    /// Plays again with half the delay where a cancel came too late; what lands takes the place of the first try.
    pub fn retry(
        &self,
        report: &mut RunReport,
        options: &Options,
        natural: &Natural,
        kept: Option<&Path>,
    ) -> Result<()> {
        let mut nth_kept = 0;
        let aside = kept.map(|_| Aside::new()).transpose()?;
        let raced: Vec<ExchangeReport> =
            report.exchanges.iter().filter(|entry| status(entry) == Some(CancelStatus::Raced)).cloned().collect();
        for first in raced {
            let recorded = first.recorded.cancelled_us.unwrap_or(0);
            let mut delay = options.cancel.delay_us.unwrap_or(recorded);
            for nth in 1..=options.cancel.retry {
                delay /= 2;
                let which = (first.label.as_str(), first.connection);
                let Some(mut entry) = self.only(which, delay, options, natural, "--cancel-retry", aside.as_ref())?
                else {
                    break;
                };
                if status(&entry) == Some(CancelStatus::Landed) {
                    let mut note = format!("cancelled {} after its request in try {}", span(delay), nth + 1);
                    if let (Some(aside), Some(main)) = (&aside, kept) {
                        let file = self.keep_beside(aside, main, &mut nth_kept)?;
                        note.push_str(&format!(", which is kept in {file}"));
                        entry.live_session = Some(file);
                    }
                    take(report, &first, entry, &note);
                    break;
                }
                if delay == 0 || self.stopped() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// True where the protocol asks for silence after a cancel.
    fn wants_silence(&self, connection: usize) -> bool {
        self.recording.connections.get(connection).is_some_and(|it| !it.profile.answers_cancelled())
    }

    /// Plays one exchange, and what it needs, with a delay of its cancel; `None` if it may not be sent.
    fn only(
        &self,
        (label, connection): (&str, usize),
        delay_us: i64,
        options: &Options,
        natural: &Natural,
        flag: &str,
        aside: Option<&Aside>,
    ) -> Result<Option<ExchangeReport>> {
        let mut one = options.clone();
        one.policy.only = vec![label.to_string()];
        one.cancel.delay_us = Some(delay_us);
        one.cancel.anchor.get_or_insert(Anchor::Elapsed);
        // Nothing else is said in this run from which it could be told what the server had read.
        one.cancel.witness |= self.server.target.is_ordered() && self.wants_silence(connection);
        let plan = plan(&self.recording, &one)?;
        if plan.selected == 0 {
            return Ok(None);
        }
        self.may_repeat(&plan, &one.policy, flag)?;
        let report = self.once(&plan, &one, &self.server, natural, aside.map(Aside::file))?;
        let mut found =
            report.exchanges.into_iter().find(|entry| entry.label == label && entry.connection == connection);
        // A run that came to grief before it has shown nothing of its cancel.
        for entry in found.iter_mut().filter(|entry| entry.live.sent_us.is_none()) {
            entry.fails |= report.exit != 0;
        }
        Ok(found)
    }

    /// A table of delays and what came of them.
    pub fn sweep(&self, options: &Options, delays: &[Delay], reports: RunReports) -> Result<u8> {
        let parts = delays.iter().any(|delay| matches!(delay, Delay::Part(_)));
        let (natural, notes) = if parts { self.control(options)? } else { (Vec::new(), Vec::new()) };
        let notes: Vec<String> = notes.into_iter().chain(self.unswept(delays, &natural)).collect();
        for note in &notes {
            io::say(&format!("note: {note}"));
        }
        let kept = self.kept()?;
        let aside = kept.as_ref().map(|_| Aside::new()).transpose()?;
        let (mut rows, mut cut, mut nth_kept) = (Vec::new(), false, 0);
        for (connection, exchange) in cancelled(&self.recording) {
            let request = &self.recording.connections[connection].exchanges[exchange];
            let took =
                natural.iter().find(|(at, place, _)| (*at, *place) == (connection, exchange)).map(|(.., us)| *us);
            for delay in delays {
                let delay_us = match delay {
                    Delay::Us(us) => Some(*us),
                    Delay::Part(part) => took.map(|took| (took as f64 * part) as i64),
                };
                cut |= self.stopped();
                let Some(delay_us) = delay_us.filter(|_| !cut) else { continue };
                let (label, flag) = (request.label(), "--cancel-sweep");
                let which = (label.as_str(), connection);
                let Some(mut entry) = self.only(which, delay_us, options, &natural, flag, aside.as_ref())? else {
                    continue;
                };
                if let (Some(aside), Some(main), true) = (&aside, &kept, entry.fails) {
                    entry.live_session = Some(self.keep_beside(aside, main, &mut nth_kept)?);
                }
                rows.push((delay_us, entry));
            }
        }
        if rows.is_empty() {
            self.go_on()?;
            return Err(Error::new(
                ErrorKind::Usage,
                format!("nothing was checked: no cancelled request of {} can be sent", self.recording.name),
            )
            .hint("--dry-run shows what is sent, and how to allow more"));
        }
        let mut redactor = self.args.view.redact.redactor(&self.config);
        if let Some(redactor) = &mut redactor {
            rows.iter_mut().for_each(|(_, entry)| redact(entry, redactor));
        }
        let failed = rows.iter().any(|(_, entry)| entry.fails);
        // What was not played has not passed.
        cut |= self.stopped();
        let lines = sweep_lines(&rows, failed || cut)?;
        let text = if self.args.report.is_json() { lines.clone() } else { sweep_table(&rows, self.columns()) };
        let notes = notes.into_iter().chain(cut.then(|| "the sweep was interrupted: not all was played".to_string()));
        let mut report = RunReport { lines: Some(lines), ..self.swept(rows, notes.collect(), failed) };
        if cut && !failed {
            (report.verdict, report.exit) = (RunVerdict::Inconclusive, 1);
        }
        reports.write_beside(&text, &report, redactor)?;
        Ok(u8::from(failed || cut))
    }

    /// Delays that are parts of a time which no run has shown: they are not played.
    fn unswept(&self, delays: &[Delay], natural: &Natural) -> Vec<String> {
        let parts = delays.iter().filter(|delay| matches!(delay, Delay::Part(_))).count();
        let known = |place: &(usize, usize)| natural.iter().any(|(at, exchange, _)| (*at, *exchange) == *place);
        let unknown = cancelled(&self.recording).into_iter().filter(|place| parts > 0 && !known(place));
        let told = unknown.map(|(connection, exchange)| {
            let label = self.recording.connections[connection].exchanges[exchange].label();
            format!("{label} is not cancelled after a part of its time: how long it takes by itself is not known")
        });
        told.collect()
    }

    /// The sweep as a run: one exchange for each request and delay.
    fn swept(&self, rows: Vec<(i64, ExchangeReport)>, notes: Vec<String>, failed: bool) -> RunReport {
        let landed = rows.iter().any(|(_, entry)| status(entry) == Some(CancelStatus::Landed));
        let said = |(delay, entry): &(i64, ExchangeReport)| {
            let came = if entry.live.outcome.is_empty() { "not sent" } else { &entry.live.outcome };
            let cancel = cancel_word(entry);
            let kept = entry.live_session.as_ref().map_or(String::new(), |file| format!(", kept in {file}"));
            let after = format!("{} cancelled after {}", named(entry), span(*delay));
            format!("{after}: {cancel}, {came}, {}{kept}", verdict_word(entry))
        };
        let notes = notes.into_iter().chain(rows.iter().map(said)).collect();
        let after = |(delay, mut entry): (i64, ExchangeReport)| {
            let name = entry.name.take().map_or(String::new(), |name| format!("{name}, "));
            entry.name = Some(format!("{name}cancelled after {}", span(delay)));
            entry
        };
        RunReport {
            recording: self.recording.name.clone(),
            target: self.server.label.clone(),
            protocols: self.recording.connections.iter().map(|connection| connection.profile.label()).collect(),
            exchanges: rows.into_iter().map(after).collect(),
            verdict: match failed {
                true => RunVerdict::Fail,
                false if landed => RunVerdict::Pass,
                false => RunVerdict::Inconclusive,
            },
            speed: super::options::in_words(&self.options.pace),
            notes,
            exit: u8::from(failed),
            ..RunReport::default()
        }
    }

    /// Plays the whole session again and counts what came of each exchange.
    /// The worst run is the one that is told, and the one whose session is kept.
    pub fn repeat(
        &self,
        first: &RunReport,
        plan: &Plan,
        options: &Options,
        natural: &Natural,
        kept: Option<&Path>,
    ) -> Result<RunReport> {
        let aside = kept.map(|_| Aside::new()).transpose()?;
        let mut counts: BTreeMap<usize, BTreeMap<Verdict, u32>> = BTreeMap::new();
        let mut worst = first.clone();
        let mut played = 0;
        for nth in 1..=self.args.play.pace.repeat {
            let report = match nth {
                1 => first.clone(),
                _ => self.once(plan, options, &self.server, natural, aside.as_ref().map(Aside::file))?,
            };
            played = nth;
            for (at, entry) in first.exchanges.iter().enumerate() {
                let twin = report
                    .exchanges
                    .iter()
                    .find(|other| (other.connection, &other.label) == (entry.connection, &entry.label));
                if let Some(twin) = twin {
                    *counts.entry(at).or_default().entry(twin.verdict).or_default() += 1;
                }
            }
            if rank(&report) > rank(&worst) {
                if let (Some(aside), Some(kept)) = (&aside, kept) {
                    aside.hand_over(kept)?;
                }
                worst = RunReport { live_session: first.live_session.clone(), ..report };
                worst.notes.push(format!("this is run {nth} of {}", self.args.play.pace.repeat));
            }
            if self.stopped() {
                break;
            }
        }
        let mut counted = first.exchanges.clone();
        if let Some(mut redactor) = self.args.view.redact.redactor(&self.config) {
            counted.iter_mut().for_each(|entry| redact(entry, &mut redactor));
        }
        let rows = || counted.iter().enumerate().filter_map(|(at, entry)| Some((entry, counts.get(&at)?)));
        worst.ahead = repeat_table(rows(), played, self.columns());
        worst.ahead_lines = repeat_lines(rows())?;
        Ok(worst)
    }
}

fn rank(report: &RunReport) -> (u8, usize) {
    let verdict = match report.verdict {
        RunVerdict::Pass => 0,
        RunVerdict::Inconclusive => 1,
        RunVerdict::Fail => 2,
    };
    (verdict.max(report.exit), report.exchanges.iter().filter(|entry| entry.fails).count())
}

/// Puts what a later try has shown in the place of the first one.
fn take(report: &mut RunReport, first: &ExchangeReport, mut entry: ExchangeReport, note: &str) {
    entry.notes.push(note.to_string());
    if let Some(place) =
        report.exchanges.iter_mut().find(|old| (old.connection, &old.label) == (first.connection, &first.label))
    {
        *place = entry;
    }
    report.cancels.raced = report.cancels.raced.saturating_sub(1);
    report.cancels.landed += 1;
    report.conclude();
}
