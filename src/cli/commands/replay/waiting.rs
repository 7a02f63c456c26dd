//! While a replay runs: one line on stderr that names the oldest wait, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rpctape::pipeline::replay::Watch;
use rpctape::replay::Waiting;
use rpctape::report::escape;

use super::span;
use super::suite::Seat;
use crate::cli::screen;
use crate::cli::screen::io;
use crate::cli::signals::Stop;

/// How long something waits before it is worth a line, microseconds.
const PATIENCE_US: i64 = 500_000;
/// The line is drawn ten times a second.
const FRAME_US: i64 = 100_000;

/// The line.
pub struct Line {
    bar: Option<ProgressBar>,
    /// When it was drawn last, microseconds of that run.
    drawn_us: i64,
}

impl Line {
    /// None where stderr is no terminal, under CI, or where the user wants none.
    pub fn new(no_progress: bool) -> Line {
        Line { bar: spinner(no_progress), drawn_us: 0 }
    }
}

/// Something that turns, with words beside it; none where stderr is no terminal, under CI, or where the user wants none.
pub fn spinner(no_progress: bool) -> Option<ProgressBar> {
    let wanted = !no_progress && io::stderr_is_terminal() && screen::env("CI").is_none();
    wanted.then(line)
}

fn line() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    // A template that does not parse would only cost the line its looks.
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}

/// The line, and the place among those that play, which is given up as soon as nothing is played any more.
pub struct Watching<'w> {
    /// What is drawn.
    pub line: Line,
    /// Its place.
    pub seat: &'w Seat<'w>,
    /// What a signal asks.
    pub stop: &'w Stop,
}

impl Watch for Watching<'_> {
    fn waiting(&mut self, now_us: i64, oldest: Option<&Waiting>) {
        // From now on there is a server that has to be told, and a session that has to be closed.
        self.stop.patient();
        self.line.waiting(now_us, oldest);
    }

    fn played(&mut self) {
        self.seat.leave();
    }
}

impl Line {
    fn waiting(&mut self, now_us: i64, oldest: Option<&Waiting>) {
        let due = now_us >= PATIENCE_US && (now_us - self.drawn_us).abs() >= FRAME_US;
        let Some(bar) = self.bar.as_ref().filter(|_| due) else { return };
        self.drawn_us = now_us;
        let text = match oldest {
            Some(wait) if now_us - wait.since_us >= PATIENCE_US => {
                format!("waiting for {} of {} {}", wait.what, escape(&wait.label), span(now_us - wait.since_us))
            }
            _ => format!("playing {}", span(now_us)),
        };
        bar.set_message(text);
        bar.tick();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
