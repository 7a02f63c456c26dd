//! Noise: the session is played several times, and what differs from run to run becomes rules to be read and kept.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::pipeline::replay::not_twice;
use rpctape::replay::noise::learn;
use rpctape::replay::{Options, plan};
use rpctape::report::{escape, plural};

use super::Run;
use crate::cli::{io, screen};

/// How often the session is played where that was not said.
const RUNS: u32 = 2;

impl Run<'_> {
    /// Prints rules for `rpctape.toml`. What may not be sent twice is left out of all runs.
    pub fn learn_noise(&self, options: &Options) -> Result<u8> {
        if screen::env("CI").is_some() {
            return Err(Error::new(ErrorKind::Usage, "nothing is learnt where CI is set")
                .hint("learn on your own machine, read the rules, and keep them in rpctape.toml"));
        }
        let mut careful = options.clone();
        let first = plan(self.recording, &careful)?;
        for (connection, exchange, name) in not_twice(self.recording, &first, &options.policy) {
            careful.policy.deny.push(self.recording.connections[connection].exchanges[exchange].label());
            io::say(&format!("note: {} is left out: it is not known to bear a second time", escape(&name)));
        }
        let plan = plan(self.recording, &careful)?;
        if plan.selected == 0 {
            self.may_repeat(&first, &options.policy, "--learn-noise")?;
        }
        super::something(self.recording, &plan)?;
        let mut runs = Vec::new();
        for _ in 0..self.args.noise.learn_noise.unwrap_or(RUNS) {
            runs.push(self.play(self.recording, &plan, &careful, self.server, &[], None)?.logs);
            if self.stopped() {
                return Ok(2);
            }
        }
        let learnt = learn(self.recording, &runs);
        for line in &learnt.unstable {
            io::say(&format!("unstable, not learnt: {}", escape(line)));
        }
        let text = learnt.toml();
        match text.is_empty() {
            true => io::say(&format!(
                "nothing was learnt from {}: no value with a shape differs",
                plural(runs.len() as u64, "run")
            )),
            false => io::print(&text)?,
        }
        Ok(0)
    }
}
