//! The record of a wrapper around what is being read: whence it comes, and when.

use std::collections::VecDeque;

use super::time::{DAY_US, SECOND, YEAR_US};

/// How many records are remembered, for an inner record that is handed on lines after it began.
const REMEMBERED: usize = 1024;

/// A time of day on that day on which it is nearest to another time: the zones of both may differ.
fn on_the_day(us: i64, near: i64) -> i64 {
    near + (us - near + DAY_US / 2).rem_euclid(DAY_US) - DAY_US / 2
}

/// What the wrappers around the current line say.
#[derive(Debug, Default)]
pub(super) struct Outer {
    /// The names of the logs in logs, outermost first.
    key: String,
    /// Time of each record, by its line.
    times: VecDeque<(u64, Option<i64>)>,
    /// Resolution of their clock.
    resolution_us: i64,
}

impl Outer {
    /// True where there is no wrapper.
    pub(super) fn is_none(&self) -> bool {
        self.times.is_empty()
    }

    /// Goes into the record at `line`. A wrapper without time leaves that of the one around it.
    pub(super) fn enter(&mut self, key: &str, line: u64, at_us: Option<i64>, resolution_us: Option<i64>) {
        let at_us = at_us.or_else(|| self.time_at(line));
        if self.times.len() == REMEMBERED {
            self.times.pop_front();
        }
        self.times.push_back((line, at_us));
        if let Some(resolution) = resolution_us {
            self.resolution_us = resolution;
        }
        self.push(key);
    }

    /// Goes into the log called `key`.
    pub(super) fn push(&mut self, key: &str) {
        if !key.is_empty() {
            self.key.push('/');
            self.key.push_str(key);
        }
    }

    /// Leaves the log called `key`.
    pub(super) fn pop(&mut self, key: &str) {
        if !key.is_empty() {
            self.key.truncate(self.key.len().saturating_sub(key.len() + 1));
        }
    }

    /// The time of the record at `line`.
    pub(super) fn time_at(&self, line: u64) -> Option<i64> {
        self.times.iter().rev().find(|(known, _)| *known == line)?.1
    }

    /// The time of the newest record.
    pub(super) fn newest(&self) -> Option<i64> {
        self.times.back()?.1
    }

    /// The time of what stands in the record at `line`: its own; of a time of day, that on the day of the record. Without one,
    /// the time of the record.
    pub(super) fn settle(&self, line: u64, inner: Option<i64>) -> Option<i64> {
        match inner {
            Some(us) if us >= YEAR_US => inner,
            None => self.time_at(line),
            Some(us) => Some(self.time_at(line).map_or(us, |outer| on_the_day(us, outer))),
        }
    }

    /// True where the wrapper has a clock, and one that is finer than such a clock of seconds.
    pub(super) fn is_finer(&self, inner: i64) -> bool {
        inner >= SECOND && (1..inner).contains(&self.resolution_us)
    }

    /// The time of the record at `line`, where it is within the second that what stands in it says; else that.
    pub(super) fn refine(&self, line: u64, inner: Option<i64>) -> Option<i64> {
        Outer::refined(self.time_at(line), inner)
    }

    /// The time of a record, where it is within the second that what stands in it says; else that.
    pub(super) fn refined(outer: Option<i64>, inner: Option<i64>) -> Option<i64> {
        let (Some(inner_us), Some(outer_us)) = (inner, outer) else { return inner };
        if (0..SECOND).contains(&(outer_us - inner_us)) { Some(outer_us) } else { inner }
    }

    /// The name of a channel with the names of the logs around it.
    pub(super) fn name(&self, inner: Option<String>) -> Option<String> {
        match (self.key.get(1..), inner) {
            (None | Some(""), inner) => inner,
            (Some(key), None) => Some(key.to_string()),
            (Some(key), Some(inner)) => Some(format!("{key}/{inner}")),
        }
    }

    /// The resolution of a clock; a channel without a clock of its own goes by that of the wrapper.
    pub(super) fn resolution(&self, inner: i64) -> i64 {
        if inner > 1 { inner } else { self.resolution_us.max(1) }
    }
}
