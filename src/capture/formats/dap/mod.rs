//! The Debug Adapter Protocol, read where it is asked for (`--format-in dap`): what debug adapters and their clients log.
//!
//! A message is an object with `type` and `seq`, wherever it stands: behind a Content-Length header, alone on a line, behind words that
//! tell who sent it, or spread over lines. It is handed on as the message of JSON-RPC that says the same: `seq` is its id,
//! `request_seq` that of the request it answers, `command` or `event` its method, `arguments` or `body` its parameters or its
//! result. Where no words tell who sent it, the method does.
//!
//! Such a log is not taken by itself: whoever gives it by mistake for that of a language server is told so.

mod head;
mod message;

use self::head::{Head, is_lost};
use self::message::{Message, looks_like};
use crate::capture::date::resolution_us;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::literal::{Dialect, translate_into};
use crate::capture::out::{Channels, Out};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::time::Clock;
use crate::capture::{Body, Channel, Direction, Proof, Skip};
use crate::error::Result;
use crate::json::scan::closing_quote;
use crate::protocol::{Side, by_name};

/// The format.
pub(crate) struct Dap;

/// The envelope is another one.
const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE);

impl Format for Dap {
    fn name(&self) -> &'static str {
        "dap"
    }

    fn about(&self) -> &'static str {
        "the Debug Adapter Protocol, in any of the shapes in which it is logged: only with --format-in dap"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, _: &Sample) -> Option<Match> {
        None
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::<DapReader>::default())
    }
}

#[derive(Default)]
struct DapReader {
    channels: Channels,
    clock: Clock,
    /// An object that goes on in the next line.
    open: Option<Open>,
    json: String,
    literal: String,
}

/// An object whose end has not come yet.
struct Open {
    line: u64,
    byte_offset: u64,
    /// What stands before it.
    head: String,
    text: String,
    nesting: Nesting,
}

/// How deep in an object its text has come.
#[derive(Clone, Copy, Default)]
struct Nesting {
    depth: usize,
    /// The last sign that is no white space.
    last: u8,
}

/// Where the text of an object stands at the end of a line.
enum Came {
    /// It ended before this byte.
    Done(usize),
    /// It goes on.
    On(Nesting),
    /// It is none, or was cut.
    Broken,
}

impl Nesting {
    fn pass(mut self, text: &[u8]) -> Came {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            match byte {
                b'"' => match closing_quote(text, at) {
                    Some(end) => at = end + 1,
                    None => return Came::Broken,
                },
                b'}' | b']' if self.depth == 1 => return Came::Done(at),
                // An object has members, and a value stands behind a sign that wants one.
                _ if self.last == b'{' && !byte.is_ascii_whitespace() && byte != b'}' => return Came::Broken,
                b'{' | b'[' if self.depth > 0 && !matches!(self.last, b'{' | b'[' | b',' | b':') => {
                    return Came::Broken;
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                b',' | b':' | b'-' | b'+' | b'.' => {}
                _ if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => {}
                _ => return Came::Broken,
            }
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
        }
        Came::On(self)
    }
}

impl LineReader for DapReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let from = match self.open.take() {
            Some(open) => match self.go_on(open, &text, out)? {
                Some(from) => from,
                None => return Ok(()),
            },
            None => 0,
        };
        self.objects(line, &text, from, out)
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.give_up(false, out)?;
        out.skip_oversized(line);
        let place = self.place(line.number, line.offset, &Head::NONE, out)?;
        out.put(&place, Body::gap(Some(1)))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.give_up(true, out)
    }
}

impl DapReader {
    /// Adds a line to the object before it; gives the byte behind its end, or 0 where the line is none of it.
    fn go_on(&mut self, mut open: Open, text: &str, out: &mut Out<'_>) -> Result<Option<usize>> {
        let came =
            if open.text.len() + text.len() > RECORD_LIMIT { Came::Broken } else { open.nesting.pass(text.as_bytes()) };
        match came {
            Came::On(nesting) => {
                open.text.push('\n');
                open.text.push_str(text);
                self.open = Some(Open { nesting, ..open });
                Ok(None)
            }
            Came::Done(end) => {
                open.text.push('\n');
                open.text.push_str(&text[..end]);
                let place = self.place(open.line, open.byte_offset, &Head::read(&open.head), out)?;
                if !self.hand_on(&place, &open.text, out)? && looks_like(&open.text) {
                    out.put_cut(&place, false)?;
                }
                Ok(Some(end))
            }
            Came::Broken => {
                self.open = Some(open);
                self.give_up(false, out)?;
                Ok(Some(0))
            }
        }
    }

    /// What has no end is a message that was cut, or none.
    fn give_up(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        match self.open.take() {
            Some(open) if looks_like(&open.text) => {
                let place = self.place(open.line, open.byte_offset, &Head::read(&open.head), out)?;
                out.put_cut(&place, log_ends)
            }
            Some(open) => {
                out.skip(open.line, Skip::NotAMessage);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The objects of a line, from a byte on.
    fn objects(&mut self, line: &Line<'_>, text: &str, mut from: usize, out: &mut Out<'_>) -> Result<()> {
        let (mut found, mut unread) = (from > 0, None);
        while let Some(start) = text[from..].find('{').map(|at| from + at) {
            let before = &text[from..start];
            let (head, rest, offset) = (Head::read(before), &text[start..], line.offset + start as u64);
            if rest.starts_with("{'") {
                let Ok(read) = translate_into(Dialect::Python, rest, &mut self.literal) else { break };
                let place = self.place(line.number, offset, &head, out)?;
                let literal = std::mem::take(&mut self.literal);
                found |= self.hand_on(&place, &literal, out)?;
                self.literal = literal;
                from = start + read.end;
                continue;
            }
            match Nesting::default().pass(rest.as_bytes()) {
                Came::Done(end) if looks_like(&rest[..end]) => {
                    let place = self.place(line.number, offset, &head, out)?;
                    let whole = self.hand_on(&place, &rest[..end], out)?;
                    // A record may have the message in a member.
                    from = if whole { start + end } else { start + 1 };
                    found |= whole;
                    unread.get_or_insert(place);
                }
                Came::Done(end) => from = start + end,
                Came::On(nesting) if line.ended => {
                    let (head, text) = (before.to_string(), rest.to_string());
                    self.open = Some(Open { line: line.number, byte_offset: offset, head, text, nesting });
                    return Ok(());
                }
                Came::Broken | Came::On(_) if looks_like(rest) || !line.ended && rest.starts_with("{\"") => {
                    let place = self.place(line.number, offset, &head, out)?;
                    return out.put_cut(&place, !line.ended);
                }
                _ => from = start + 1,
            }
        }
        match unread {
            _ if found => Ok(()),
            Some(place) => out.put_cut(&place, false),
            None => self.pass_over(line, text, out),
        }
    }

    /// A line without a message.
    fn pass_over(&mut self, line: &Line<'_>, text: &str, out: &mut Out<'_>) -> Result<()> {
        let blank = text.trim_ascii().is_empty() || is_framing(text);
        out.skip(line.number, if blank { Skip::Blank } else { Skip::NotAMessage });
        if !is_lost(text) {
            return Ok(());
        }
        let head = Head { sender: Some(Side::Client), time: Head::read(text).time, ..Head::NONE };
        let place = self.place(line.number, line.offset, &head, out)?;
        out.put(&place, Body::gap(Some(1)))
    }

    /// Hands on a message; false for an object that is none.
    fn hand_on(&mut self, place: &Place, text: &str, out: &mut Out<'_>) -> Result<bool> {
        let written = serde_json::from_str::<Message<'_>>(text).is_ok_and(|message| message.write(&mut self.json));
        if written {
            out.put_json(place, text, &self.json)?;
        }
        Ok(written)
    }

    fn place(&mut self, line: u64, byte_offset: u64, head: &Head<'_>, out: &mut Out<'_>) -> Result<Place> {
        let at_us = head.time.and_then(|time| self.clock.read_in(time, out.zoning()));
        if let Some(time) = head.time {
            out.said(time);
        }
        let name = head.connection.unwrap_or_default();
        let channel = self.channels.get(name, out, || Channel {
            name: head.connection.map(str::to_string),
            profile: by_name("dap", None),
            vantage: head.vantage,
            proof: if head.sender.is_some() { PROOF } else { PROOF.without(Proof::DIRECTION) },
            resolution_us: head.time.and_then(resolution_us).unwrap_or(Channel::default().resolution_us),
            ..Channel::default()
        })?;
        Ok(Place {
            line,
            byte_offset,
            channel,
            at_us,
            direction: head.sender.map_or(Direction::Unknown, Direction::By),
            stream: None,
            taps: None,
        })
    }
}

/// True for the header of a message: where that ends shows in the message itself.
fn is_framing(line: &str) -> bool {
    let header = line.trim_start().get(.."Content-Length:".len());
    header.is_some_and(|header| header.eq_ignore_ascii_case("Content-Length:"))
}

#[cfg(test)]
mod tests;
