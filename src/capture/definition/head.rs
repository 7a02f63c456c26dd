//! A record as it was found: what its start says, its payload, and where it stands.

use regex::CaptureLocations;

use super::ready::Roles;
use crate::capture::lines::Line;

/// The start of a record, with the groups of the expression that found it.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) text: &'a str,
    pub(super) ranges: &'a CaptureLocations,
    pub(super) roles: &'a Roles,
}

impl<'a> Head<'a> {
    /// The text of a group that took part in the match.
    pub(super) fn get(&self, group: Option<usize>) -> Option<&'a str> {
        let (start, end) = self.ranges.get(group?)?;
        self.text.get(start..end)
    }

    pub(super) fn named(&self, name: &str) -> Option<&'a str> {
        let (_, group) = self.roles.names.iter().find(|(known, _)| known == name)?;
        self.get(Some(*group))
    }
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) line: u64,
    /// Byte offset of the payload.
    pub(super) offset: u64,
    /// Byte offset of the line in which the record starts.
    pub(super) start: u64,
    /// True if nothing follows it in the log.
    pub(super) log_ends: bool,
    /// True if it was put together from several lines.
    pub(super) joined: bool,
    /// The time of the layer around it.
    pub(super) outer_ts: Option<&'a str>,
}

impl At<'_> {
    /// Of a line that is a record of its own, with more to follow.
    pub(super) fn alone(line: &Line<'_>) -> At<'static> {
        let (offset, start) = (line.offset, line.offset);
        At { line: line.number, offset, start, log_ends: false, joined: false, outer_ts: None }
    }
}

/// One record: its start, its payload, its place.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) head: Head<'a>,
    pub(super) payload: &'a str,
    pub(super) at: At<'a>,
}
