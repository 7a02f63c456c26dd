//! Noise: the session is played several times, and what differs from run to run becomes rules to be read and kept.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::pipeline::replay::not_twice;
use rpctape::replay::noise::learn;
use rpctape::replay::verdict::RunReport;
use rpctape::replay::{Options, Verdict, plan};
use rpctape::report::plural;

use super::Session;
use crate::cli::args::run_reports::RunReports;
use crate::cli::screen;
use crate::cli::screen::io;

/// How often the session is played where that was not said.
const RUNS: u32 = 2;

impl Session<'_> {
    /// Prints rules for `rpctape.toml`. What may not be sent twice is left out of all runs.
    pub fn learn_noise(&self, options: &Options, reports: RunReports) -> Result<u8> {
        if screen::env("CI").is_some() {
            return Err(Error::new(ErrorKind::Usage, "nothing is learnt where CI is set")
                .hint("learn on your own machine, read the rules, and keep them in rpctape.toml"));
        }
        let mut careful = options.clone();
        let first = plan(&self.recording, &careful)?;
        for (connection, exchange, name) in not_twice(&self.recording, &first, &options.policy) {
            careful.policy.deny.push(self.recording.connections[connection].exchanges[exchange].label());
            io::say(&format!("note: {} is left out: it is not known to bear a second time", name));
        }
        let plan = plan(&self.recording, &careful)?;
        match plan.selected {
            // Only the handshake is left, and may have noise of its own.
            0 if first.selected > 0 => io::say("hint: --allow-repeat says that requests may be sent more than once"),
            _ => super::something(&self.recording, &plan)?,
        }
        let (mut runs, mut reports_of) = (Vec::new(), Vec::new());
        for _ in 0..self.args.noise.learn_noise.unwrap_or(RUNS) {
            let ran = self.play(&self.recording, &plan, &careful, &self.server, &[], None)?;
            reports_of.push(only_lost(self.judged(&ran, &careful, None)));
            runs.push(ran.logs);
            if self.stopped() {
                return Ok(2);
            }
        }
        let learnt = learn(&self.recording, &runs);
        let worst = reports_of.iter().map(|report| report.exit).max();
        let mut report = reports_of.into_iter().find(|report| Some(report.exit) == worst).unwrap_or_default();
        for line in &learnt.unstable {
            io::say(&format!("unstable, not learnt: {}", line));
            report.notes.push(format!("unstable, not learnt: {line}"));
        }
        for entry in report.exchanges.iter().filter(|entry| entry.fails) {
            let lost = format!("{} {}: {} {}", entry.label, entry.method, entry.verdict.as_str(), entry.detail);
            io::say(&format!("not learnt from: {}", lost));
        }
        report.proposed = learnt.toml();
        if report.proposed.is_empty() && report.standing.compared > 0 {
            io::say(&format!(
                "nothing was learnt from {}: no value with a shape differs",
                plural(runs.len() as u64, "run")
            ));
        }
        let text = report.proposed.clone();
        reports.write_beside(&text, &report, self.args.view.redact.redactor(&self.config))?;
        match report.standing.compared {
            0 => Err(Error::new(ErrorKind::Usage, "nothing was learnt: no request was answered")
                .hint("replay without learning shows what became of each, and the server's last words")),
            _ => Ok(report.exit),
        }
    }
}

/// A run that is learnt from. What differs is what was looked for; a server that is gone or says nothing has no noise.
fn only_lost(mut report: RunReport) -> RunReport {
    let lost = [Verdict::HarnessError, Verdict::ServerExit, Verdict::SessionLost, Verdict::Stuck];
    for entry in &mut report.exchanges {
        entry.fails &= lost.contains(&entry.verdict);
    }
    report.conclude();
    report
}
