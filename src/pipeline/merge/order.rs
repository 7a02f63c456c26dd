//! In which order the frames of two logs are judged: that of the client's log, with what only the server's has in its place.

use rustc_hash::FxHashSet;

use super::event::{Content, HeldFrame};
use super::log::Log;
use super::partners::Partners;
use super::{Join, Met};
use crate::capture::{CopyKey, Frame, pair};
use crate::protocol::Side;

/// The place of what any connection of a log may miss.
const ANY: usize = Frame::WHOLE_SOURCE as usize;

/// A frame that is handed on, and its copy in the other log.
pub(super) struct OrderedFrame {
    pub event: HeldFrame,
    pub copy: Option<HeldFrame>,
    /// The connection, by its place in its log; [`ANY`] where it may be any.
    pub at: usize,
    pub join: Join,
}

/// What is read in the place of the client's log: the connections of its own, with their copies.
pub(super) fn of_client(client: &mut Log, server: &mut Log, partners: &Partners, met: &mut Met) -> Vec<OrderedFrame> {
    let mut steps: Vec<(u64, OrderedFrame)> = Vec::new();
    // What the server's log may miss anywhere is said once, in its own place where that is read at all.
    let mut told = partners.of_client.iter().flatten().count() < server.connections.len();
    for (at, partner) in partners.of_client.iter().enumerate() {
        let own = std::mem::take(&mut client.connections[at].events);
        let Some(partner) = partner else {
            steps.extend(
                own.into_iter().map(|event| (event.seq, OrderedFrame { event, copy: None, at, join: Join::Single })),
            );
            continue;
        };
        let theirs = std::mem::take(&mut server.connections[*partner].events);
        let theirs = with_gaps(theirs, &server.anywhere, told);
        told = true;
        let mut place = own.first().map_or(0, |event| event.seq);
        let events = pair(own, theirs, HeldFrame::known);
        let in_both: FxHashSet<CopyKey> =
            events.iter().filter(|(_, copy)| copy.is_some()).map(|(event, _)| event.key.clone()).collect();
        let mut met_any = false;
        for (event, copy) in events {
            if event.tap == Side::Client {
                place = event.seq;
            }
            met.count(&event, copy.as_ref());
            met_any |= copy.is_some();
            if copy.is_none() && met_any && event.is_of_the_other_end() && in_both.contains(&event.key) {
                let event = event.sent_once();
                steps.push((place, OrderedFrame { event, copy: None, at, join: Join::Merged }));
            }
            if event.has_a_place() {
                steps.push((place, OrderedFrame { event, copy, at, join: Join::Merged }));
            }
        }
    }
    let anywhere = std::mem::take(&mut client.anywhere);
    steps.extend(
        anywhere.into_iter().map(|event| (event.seq, OrderedFrame { event, copy: None, at: ANY, join: Join::Single })),
    );
    steps.sort_by_key(|(place, _)| *place);
    steps.into_iter().map(|(_, step)| step).collect()
}

/// What is read in the place of the server's log: its connections that the client's does not have.
pub(super) fn of_server(server: &mut Log) -> Vec<OrderedFrame> {
    let single = |at: usize| move |event: HeldFrame| OrderedFrame { event, copy: None, at, join: Join::Single };
    let mut steps: Vec<OrderedFrame> = Vec::new();
    for (at, held) in server.connections.iter_mut().enumerate() {
        steps.extend(std::mem::take(&mut held.events).into_iter().map(single(at)));
    }
    if !steps.is_empty() {
        steps.extend(std::mem::take(&mut server.anywhere).into_iter().map(single(ANY)));
    }
    steps.sort_by_key(|step| step.event.seq);
    steps
}

/// The events of a connection, and between them what its log may miss anywhere: one stretch where several stand between two of them.
/// What was `told` already counts no messages any more.
fn with_gaps(events: Vec<HeldFrame>, anywhere: &[HeldFrame], told: bool) -> Vec<HeldFrame> {
    if anywhere.is_empty() {
        return events;
    }
    let mut all = Vec::with_capacity(events.len());
    let mut from = 0;
    for event in events {
        let to = from + anywhere[from..].partition_point(|gap| gap.seq < event.seq);
        all.extend(as_one(&anywhere[from..to], told));
        from = to;
        all.push(event);
    }
    all.extend(as_one(&anywhere[from..], told));
    all
}

/// Several stretches as one.
fn as_one(gaps: &[HeldFrame], told: bool) -> Option<HeldFrame> {
    let (first, last) = (gaps.first()?, gaps.last()?);
    let mut gap = if gaps.len() == 1 { first.clone() } else { first.of_either_side() };
    let until = |event: &HeldFrame| match &event.what {
        Content::Missing { to_line, .. } => to_line.unwrap_or(event.line),
        _ => event.line,
    };
    let lasting = gaps.iter().find_map(HeldFrame::lasting);
    let counted: u64 = gaps.iter().map(HeldFrame::lost).sum();
    if let Content::Missing { why, to_line, lost, .. } = &mut gap.what {
        *why = lasting.unwrap_or(*why);
        if gaps.len() > 1 {
            (*to_line, *lost) = (Some(until(last)), Some(counted));
        }
        *lost = if told { Some(0) } else { *lost };
    }
    Some(gap)
}
