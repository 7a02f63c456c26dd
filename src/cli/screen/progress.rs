//! The progress bar: on stderr, only on a terminal, only when the work takes more than half a second.

#![allow(clippy::disallowed_methods, reason = "a progress bar is the one thing that may look at a clock")]

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::io;

/// How long the work stays without a bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears when it is worth it.
pub struct Bar {
    wanted: bool,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// No bar yet; never one where stderr is no terminal, under CI, or where the user wants none.
    pub fn new(no_progress: bool) -> Bar {
        let wanted = !no_progress && io::stderr_is_terminal() && super::env("CI").is_none();
        Bar { wanted, start: Instant::now(), bar: None }
    }

    /// Says how far the work is.
    pub fn at(&mut self, done: u64, total: Option<u64>) {
        if !self.wanted || self.bar.is_none() && self.start.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| new_bar(total));
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
    let template = match total {
        Some(_) => "{bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
        None => "{spinner} {bytes} read  {bytes_per_sec}",
    };
    // A template that does not parse would only cost the bar its looks.
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
