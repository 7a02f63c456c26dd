//! Neovim's `lsp.log` at level DEBUG (`runtime/lua/vim/lsp/rpc.lua` and `log.lua`).
//!
//! `[DEBUG][2023-03-17 14:26:17] .../vim/lsp/rpc.lua:285<TAB>"rpc.send"<TAB>{ id = 1, ... }`; before 0.6 the head was
//! `[ DEBUG ] 2021-08-12T19:17:02+0300 ] .../lsp/rpc.lua:264 ]`. The payload is a Lua table. All servers of all running
//! editors share one file and the lines of a message name none: [`servers`] tells them apart. What the client logs of
//! the same message above the transport is a duplicate. `{}` may be a list or an object, and the clock has seconds.

pub(in crate::capture) mod record;
mod server;
mod servers;

use self::record::{Record, event_of, is_duplicate, name_of};
use self::server::Routed;
use self::servers::Servers;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{Dialect, translate_into};
use crate::capture::out::{Out, in_words};
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Captured, Channel, Direction, Proof, Skip, Vantage, time};
use crate::error::Result;
use crate::json::scan::members;
use crate::jsonrpc::{Parsed, parse_at};
use crate::protocol::{Facts, Side, by_name};

/// The format.
pub(crate) struct Neovim;

const PROOF: Proof = Proof::FULL.without(Proof::ENVELOPE);

impl Format for Neovim {
    fn name(&self) -> &'static str {
        "neovim-lsp-log"
    }

    fn about(&self) -> &'static str {
        "Neovim's lsp.log at level DEBUG: messages as Lua tables"
    }

    fn proof(&self) -> Proof {
        PROOF
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let hits =
            sample.lines().filter(|line| Record::read(line).is_some_and(|record| sender(&record).is_some())).count();
        let reason = "it has records of rpc.send and rpc.receive with Lua tables";
        (hits > 0).then(|| Match::new(88, reason)).flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::new(NeovimReader::default()))
    }
}

/// Who sent the message of a record, where it is the record of one.
fn sender(record: &Record<'_>) -> Option<Side> {
    let is_table = record.payload.starts_with(['{', '<']);
    match record.event {
        "rpc.send" | "rpc.send.payload" if is_table => Some(Side::Client),
        "rpc.receive" | "decoded" if is_table => Some(Side::Server),
        _ => None,
    }
}

#[derive(Default)]
struct NeovimReader {
    clock: time::Clock,
    servers: Servers,
    json: String,
}

impl LineReader for NeovimReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let Some(record) = Record::read(&text) else {
            let blank = text.trim_ascii().is_empty();
            out.skip(line.number, if blank { Skip::Blank } else { Skip::NotAMessage });
            return Ok(());
        };
        match sender(&record) {
            Some(side) => self.message(side, &record, line, &text, out),
            None => {
                self.other(&record, line, out);
                Ok(())
            }
        }
    }
}

impl NeovimReader {
    fn message(
        &mut self,
        side: Side,
        record: &Record<'_>,
        line: &Line<'_>,
        text: &str,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let mut json = std::mem::take(&mut self.json);
        let read = translate_into(Dialect::Lua, record.payload, &mut json);
        complete(&mut json);
        let parsed = read.as_ref().ok().map(|_| parse_at::<Facts<'_>>(&json, 0));
        let seen = match &parsed {
            Some(Ok((Parsed::One(message, _), _))) => Some(Routed::of(message, &json)),
            _ => None,
        };
        let notifies = seen.as_ref().is_some_and(Routed::notifies);
        let (channel, perhaps) = self.channel(side, seen, out)?;
        out.said(record.time);
        let place = Place {
            line: line.number,
            byte_offset: line.offset + (text.len() - record.payload.len()) as u64,
            channel,
            at_us: self.clock.read_in(record.time, out.zoning()),
            direction: Direction::By(side),
            stream: None,
            taps: None,
        };
        if !perhaps.is_empty() {
            out.whose_is_guessed(&place, &perhaps, notifies)?;
        }
        let done = match (read, parsed) {
            (Ok(read), Some(Ok((Parsed::One(message, facts), _)))) => {
                let captured = Captured { text: &record.payload[..read.end], json: Some(&json), message, facts };
                out.put(&place, Body::Message(captured))
            }
            (_, Some(Err(fault))) => out.malformed(&place, record.payload.as_bytes(), &in_words(&fault)),
            // A table that cannot be read is a fault of the log: the message was parsed before it was printed.
            (read, _) => {
                out.skip(line.number, Skip::CutOff);
                let log_ends = !line.ended && read.is_err_and(|fault| fault.cut);
                if log_ends { Ok(()) } else { out.put(&place, Body::gap(Some(1))) }
            }
        };
        self.json = json;
        done
    }

    fn other(&mut self, record: &Record<'_>, line: &Line<'_>, out: &mut Out<'_>) {
        if record.level == "START" {
            self.servers.start();
            out.skip(line.number, Skip::Header);
            return;
        }
        if record.event == "Starting RPC client" {
            self.servers.starting(record.payload);
        }
        if let Some(name) = name_of(record.event) {
            match event_of(record.payload) {
                "client.request" => self.servers.asking(name, record.payload),
                event => self.servers.named(name, event),
            }
        }
        out.skip(line.number, if is_duplicate(record) { Skip::Duplicate } else { Skip::NotAMessage });
    }

    /// The channel of a message, and those of all servers that it may belong to, where that is a guess.
    fn channel(&mut self, side: Side, seen: Option<Routed>, out: &mut Out<'_>) -> Result<(u32, Vec<u32>)> {
        let (server, perhaps) = self.servers.route(side, seen);
        if let Some(channel) = server.channel {
            return Ok((channel, perhaps));
        }
        let channel = out.channel(Channel {
            name: server.label(),
            profile: by_name("lsp", None),
            vantage: Vantage::Client,
            proof: PROOF,
            resolution_us: 1_000_000,
            complete_head: server.complete.then_some(true),
            one_connection: false,
            ..Channel::default()
        })?;
        server.channel = Some(channel);
        Ok((channel, perhaps))
    }
}

/// A result that is null is no member of a table: such a response has an id and nothing else.
fn complete(json: &mut String) {
    let bare = json.len() < 256
        && json.ends_with('}')
        && members(json).all(|member| matches!(member.key, "id" | "jsonrpc"))
        && members(json).any(|member| member.key == "id");
    if bare {
        json.pop();
        json.push_str(",\"result\":null}");
    }
}

#[cfg(test)]
mod tests;
