//! Test vectors: `{"meta":{...}}`, then one event a line (`n`, `t`, `dir`, `msg`, `raw`, `http`, `ev`, `conn`, `stream`, `sse_id`, `tap`).
//!
//! Written by hand and by generators for the tests of auditors. Time is the order here: the events of a connection are
//! sorted stably by `t`, within a window in a large file. With two taps (`vantage: merged`) the copies of one message
//! become one frame that carries both stamps. What the meta line declares is a fact and is not guessed again.

mod event;
mod merge;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::{Channels, Out};
use crate::capture::sample::Sample;
use crate::capture::{Channel, Proof, Skip, Stamp, Transport, Vantage};
use crate::error::{Error, ErrorKind, Result};
use crate::json::scan::members;
use crate::protocol;
use event::{Tap, VectorEvent};

/// The format.
pub(crate) struct Vectors;

/// How many events are held before the first are handed on, and how many stay behind for those that come late.
const HELD: usize = 100_000;
const WINDOW: usize = 4_096;

/// How much text is held; two taps are held whole, since copies may lie far apart.
const HELD_BYTES: usize = 32 << 20;
const MERGED_BYTES: usize = 256 << 20;

impl Format for Vectors {
    fn name(&self) -> &'static str {
        "vectors"
    }

    fn about(&self) -> &'static str {
        "test vectors: a line {\"meta\":{...}}, then one event a line, sorted by its time \"t\""
    }

    fn is_verbatim(&self) -> bool {
        true
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let first = sample.lines().next()?;
        let meta = members(first).next().filter(|member| member.key == "meta" && member.value.starts_with('{'))?;
        let declares = |key: &str| members(meta.value).any(|member| member.key == key);
        if !declares("protocol") && !declares("vantage") {
            return None;
        }
        Match::new(95, "its first line is an object with \"meta\", which declares the protocol and the vantage")
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::new(VectorReader::default()))
    }
}

/// What the meta line declares.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default)]
struct Meta {
    protocol: String,
    revision: String,
    vantage: String,
    transport: String,
    head: String,
}

impl Meta {
    fn read(line: &str) -> Meta {
        #[derive(serde::Deserialize)]
        struct First {
            meta: Meta,
        }
        serde_json::from_str::<First>(line).map(|first| first.meta).unwrap_or_default()
    }

    fn channel(&self, name: &str, resolution_us: i64) -> Channel {
        let http = self.transport == "http";
        let proof = if http { Proof::FULL.and(Proof::STREAMS) } else { Proof::FULL };
        let whole = self.head == "complete";
        let declared = Some(self.revision.as_str()).filter(|revision| !matches!(*revision, "" | "auto"));
        Channel {
            name: (!name.is_empty()).then(|| name.to_string()),
            replay_of: None,
            session: None,
            profile: declared.and_then(|revision| protocol::by_name(&self.protocol, Some(revision))),
            vantage: Vantage::from_name(&self.vantage).unwrap_or(Vantage::Unknown),
            transport: if http { Transport::Http } else { Transport::Ordered },
            complete_head: match self.head.as_str() {
                "complete" => Some(true),
                "truncated" => Some(false),
                _ => None,
            },
            one_connection: true,
            shown_whole: false,
            by_time: false,
            counts_ids: false,
            sends_late: false,
            proof: if whole { proof.and(Proof::WHOLE) } else { proof },
            midway: Proof::NONE,
            resolution_us,
            framing: None,
        }
    }
}

#[derive(Default)]
struct VectorReader {
    meta: Option<Meta>,
    held: Vec<VectorEvent>,
    held_bytes: usize,
    streams: FxHashMap<Box<str>, u32>,
    channels: Channels,
    clocks: FxHashMap<(Box<str>, Tap), Clock>,
    resolution_us: Option<i64>,
    redelivered: FxHashSet<(Box<str>, Box<str>, u64)>,
}

/// A connection's clock at a tap: equal times throughout mean that there are none.
struct Clock {
    first: i64,
    runs: bool,
}

impl LineReader for VectorReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        if text.trim_ascii().is_empty() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        if self.meta.is_none() {
            self.meta = Some(Meta::read(&text));
            out.skip(line.number, Skip::Header);
            return Ok(());
        }
        match VectorEvent::read(&text, line, &mut self.streams) {
            Ok(event) => self.take(event, out),
            Err(cut) => {
                out.skip(line.number, if cut && !line.ended { Skip::CutOff } else { Skip::NotAMessage });
                Ok(())
            }
        }
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.flush(0, out)
    }
}

impl VectorReader {
    fn is_merged(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta.vantage == Vantage::Merged.as_str())
    }

    fn take(&mut self, event: VectorEvent, out: &mut Out<'_>) -> Result<()> {
        if let Some(key) = event.redelivery_key()
            && !self.redelivered.insert(key)
        {
            out.skip(event.line, Skip::Duplicate);
            return Ok(());
        }
        let clock = self.clocks.entry((event.connection.clone(), event.tap));
        let clock = clock.or_insert(Clock { first: event.at_us, runs: false });
        clock.runs |= clock.first != event.at_us;
        self.resolution_us = Some(self.resolution_us.unwrap_or(1_000).min(event.resolution_us));
        self.held_bytes += event.size();
        self.held.push(event);
        if self.is_merged() {
            return match self.held_bytes > MERGED_BYTES {
                true => Err(too_large()),
                false => Ok(()),
            };
        }
        if self.held.len() >= HELD + WINDOW || self.held_bytes > HELD_BYTES && self.held.len() > 2 * WINDOW {
            self.flush(WINDOW, out)?;
        }
        Ok(())
    }

    /// Hands on all but the last `keep` events.
    fn flush(&mut self, keep: usize, out: &mut Out<'_>) -> Result<()> {
        if self.is_merged() {
            let all = std::mem::take(&mut self.held);
            for (event, server) in merge::merge(all) {
                self.emit_merged(event, server, out)?;
            }
            return Ok(());
        }
        self.held.sort_by_key(|event| event.at_us);
        let rest = self.held.split_off(self.held.len().saturating_sub(keep));
        for event in std::mem::replace(&mut self.held, rest) {
            self.emit(&event, out)?;
        }
        self.held_bytes = self.held.iter().map(VectorEvent::size).sum();
        Ok(())
    }

    fn channel(&mut self, event: &VectorEvent, out: &mut Out<'_>) -> Result<u32> {
        let (meta, resolution_us) = (self.meta.clone().unwrap_or_default(), self.resolution_us.unwrap_or(1_000));
        self.channels.get(&event.connection, out, || meta.channel(&event.connection, resolution_us))
    }

    /// The time of an event, where its connection's clock runs.
    fn time(&self, event: &VectorEvent) -> Option<i64> {
        let clock = self.clocks.get(&(event.connection.clone(), event.tap))?;
        clock.runs.then_some(event.at_us)
    }

    fn emit(&mut self, event: &VectorEvent, out: &mut Out<'_>) -> Result<()> {
        let channel = self.channel(event, out)?;
        event.emit(channel, self.time(event), None, out)
    }

    fn emit_merged(&mut self, event: merge::Stamped, server: Option<merge::Stamped>, out: &mut Out<'_>) -> Result<()> {
        let channel = self.channel(&event.event, out)?;
        let stamp = |stamped: &merge::Stamped| Stamp { seq: stamped.seq, at_us: self.time(&stamped.event) };
        let own = stamp(&event);
        let (taps, at_us) = match event.event.tap {
            Tap::Client => ([Some(own), server.as_ref().map(stamp)], own.at_us),
            Tap::Server => ([None, Some(own)], None),
        };
        event.event.emit(channel, at_us, Some(taps), out)
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::Input, "a vectors file with two taps is over 256 MiB, and is held whole to match the copies")
        .hint("split it by connection, or audit each tap by itself")
}

#[cfg(test)]
mod tests;
