//! What the two logs of Claude Desktop have in common: lines, and the events they tell.

use super::super::harm::is_spliced;
use super::super::lines::Line;
use super::super::out::{Channels, Out, body, in_words};
use super::super::place::Place;
use super::super::{Body, Channel, Direction, Skip, Vantage, time};
use crate::error::Result;
use crate::jsonrpc::parse_at;
use crate::protocol::{Facts, Side, by_name};

/// One stamped line, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub time: &'a str,
    /// The first text in square brackets.
    pub first: &'a str,
    /// The second.
    pub second: &'a str,
    /// The rest.
    pub text: &'a str,
}

impl<'a> Entry<'a> {
    /// Takes `2025-06-15T16:45:48.854Z [a] [b] rest` apart.
    pub(super) fn read(line: &'a str) -> Option<Entry<'a>> {
        if !line.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let (time, rest) = line.split_once(" [")?;
        // What ends so may be anything that a shipper put before the line.
        let is_time = |byte: u8| byte.is_ascii_digit() || b"-:.TZ".contains(&byte);
        if time.len() < 20 || !time.ends_with('Z') || !time.bytes().all(is_time) {
            return None;
        }
        let (first, rest) = rest.split_once("] [")?;
        let (second, text) = rest.split_once("] ")?;
        Some(Entry { time, first, second, text })
    }
}

/// True for the words that stand in square brackets as the level.
pub(super) fn is_level(word: &str) -> bool {
    matches!(word, "info" | "warn" | "warning" | "error" | "debug" | "log")
}

/// True for a text that only these logs hold.
pub(super) fn is_telling(text: &str) -> bool {
    let phrases = [
        "Message from client: ",
        "Message from server: ",
        "Initializing server...",
        "Server started and connected",
        "Shutting down server...",
    ];
    phrases.iter().any(|phrase| text.starts_with(phrase)) || is_close(text).is_some()
}

/// Who closed the connection, where a text says that it was closed.
fn is_close(text: &str) -> Option<Option<Side>> {
    if text.starts_with("Server transport closed unexpectedly") || text.starts_with("Server disconnected") {
        return Some(Some(Side::Server));
    }
    (text.starts_with("Server transport closed") || text.starts_with("Client transport closed")).then_some(None)
}

/// What newer versions write behind a message.
const BEHIND: &str = " { metadata: undefined }";

/// Reads the entries of either log.
#[derive(Default)]
pub(super) struct Servers {
    channels: Channels,
    clock: time::Clock,
    /// State of each channel.
    states: Vec<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Closed,
}

impl Servers {
    /// One entry of `server`; `at` is where its text starts in the line.
    pub(super) fn entry(
        &mut self,
        server: &str,
        entry: &Entry<'_>,
        at: usize,
        line: &Line<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let text = entry.text;
        for (label, side) in [("Message from client: ", Side::Client), ("Message from server: ", Side::Server)] {
            if let Some(message) = text.strip_prefix(label) {
                let mut place = self.place(server, entry.time, line, None, out)?;
                place.byte_offset += (at + label.len()) as u64;
                place.direction = Direction::By(side);
                self.states[place.channel as usize] = State::Open;
                return self.message(&place, message, line, out);
            }
        }
        if text.starts_with("Initializing server...") {
            let place = self.place(server, entry.time, line, Some(true), out)?;
            self.states[place.channel as usize] = State::Open;
            return out.put(&place, Body::Open { by: Some(Side::Client) });
        }
        if let Some(by) = is_close(text)
            && self.close(server, entry.time, by, line, out)?
        {
            return Ok(());
        }
        out.skip(line.number, Skip::NotAMessage);
        Ok(())
    }

    /// A line that the server wrote to stderr, of which the log keeps no time.
    pub(super) fn stderr(&mut self, server: &str, text: &str, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let place = self.place(server, "", line, None, out)?;
        out.put(&place, Body::Stderr { text })
    }

    /// The end of a connection is logged several times over; the first counts. False where none was open.
    fn close(
        &mut self,
        server: &str,
        time: &str,
        by: Option<Side>,
        line: &Line<'_>,
        out: &mut Out<'_>,
    ) -> Result<bool> {
        if !self.channels.knows(server) {
            return Ok(false);
        }
        let place = self.place(server, time, line, None, out)?;
        let state = &mut self.states[place.channel as usize];
        if *state == State::Closed {
            return Ok(false);
        }
        *state = State::Closed;
        out.put(&place, Body::Close { by })?;
        Ok(true)
    }

    /// The JSON after a label; newer versions write [`BEHIND`] after it.
    fn message(&self, place: &Place, text: &str, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        match parse_at::<Facts<'_>>(text, 0) {
            Ok((parsed, end)) => out.put(place, body(text, 0..end, parsed)),
            Err(fault) if fault.cut && !line.ended => {
                out.skip(line.number, Skip::CutOff);
                Ok(())
            }
            // The logger itself shortened the text: that a message was there is all that is known.
            Err(_) if text.contains("truncated]") => {
                out.skip(line.number, Skip::CutOff);
                out.put(place, Body::gap(Some(1)))
            }
            // A text that breaks off, and nothing behind it, or one that lacks bytes: the line is not whole.
            Err(fault) if fault.cut && !text.ends_with(BEHIND) || is_spliced(text.as_bytes()) => {
                out.skip(line.number, Skip::CutOff);
                out.put(place, Body::gap(Some(1)))
            }
            Err(fault) => {
                let text = text.strip_suffix(BEHIND).unwrap_or(text);
                out.malformed(place, text.as_bytes(), &in_words(&fault))
            }
        }
    }

    fn place(
        &mut self,
        server: &str,
        time: &str,
        line: &Line<'_>,
        complete_head: Option<bool>,
        out: &mut Out<'_>,
    ) -> Result<Place> {
        let channel = self.channels.get(server, out, || Channel {
            name: Some(server.to_string()),
            profile: by_name("mcp", None),
            vantage: Vantage::Client,
            complete_head,
            resolution_us: 1_000,
            ..Channel::default()
        })?;
        if self.states.len() <= channel as usize {
            self.states.resize(channel as usize + 1, State::Closed);
        }
        let at_us = self.clock.read(time);
        out.said(time);
        Ok(Place {
            line: line.number,
            byte_offset: line.offset,
            channel,
            at_us,
            direction: Direction::Unknown,
            stream: None,
            taps: None,
        })
    }
}
