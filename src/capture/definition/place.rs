//! Where a record stands: its direction, its time, its channel.

use std::sync::Arc;

use super::condition::Term;
use super::emit::Emitter;
use super::head::{At, Head, Record};
use super::parts::Ids;
use super::pointer::Found;
use super::ready::{ConnectionKey, Meaning};
use super::schema::broken;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::words::{self, Word};
use crate::capture::{Channel, Direction};
use crate::error::{Error, ErrorKind, Result};
use crate::json::scan::unquoted;
use crate::protocol::Side;

impl Emitter {
    /// What the direction word of a record means, be it in its head or in its payload.
    /// `text` is the payload, in which tests look.
    pub(super) fn meaning(&self, head: &Head<'_>, text: &str, aside: Found<'_>) -> Meaning {
        let value = |term: &Term| match term {
            Term::Group(name) => head.named(name),
            Term::Pointer(pointer) => pointer.find(text).map(|(value, _)| value),
        };
        if let Some((_, meaning)) = self.definition.direction_rules.iter().find(|(test, _)| test.holds(value)) {
            return *meaning;
        }
        let word = head.get(head.roles.dir).or(aside.map(|(value, _)| unquoted(value)));
        let Some(word) = word else { return self.definition.direction_default };
        let known = self.definition.directions.iter().find(|(known, _)| known == word);
        let meaning = match known {
            Some((_, meaning)) => *meaning,
            None => match words::direction("", word) {
                Some(Word::Direction(direction)) => Meaning::Frame(direction),
                Some(Word::Stderr) => Meaning::Stderr,
                None => self.definition.direction_default,
            },
        };
        let logger = head.get(head.roles.logger).map(str::to_ascii_lowercase);
        let logger = match logger.as_deref() {
            Some("client") => Side::Client,
            Some("server") => Side::Server,
            _ => return meaning,
        };
        match meaning {
            Meaning::Frame(Direction::Sent) => Meaning::Frame(Direction::By(logger)),
            Meaning::Frame(Direction::Received) => Meaning::Frame(Direction::By(logger.peer())),
            other => other,
        }
    }

    /// The direction of a record that has no payload to look at.
    pub(super) fn direction(&self, head: &Head<'_>) -> Direction {
        match self.meaning(head, "", None) {
            Meaning::Frame(direction) => direction,
            _ => Direction::Unknown,
        }
    }

    /// The place of a record without a payload.
    pub(super) fn place_of(
        &mut self,
        head: &Head<'_>,
        at: &At<'_>,
        direction: Direction,
        out: &mut Out<'_>,
    ) -> Result<Place> {
        self.place(&Record { head: *head, payload: "", at: *at }, "", None, direction, out)
    }

    /// The place of a record; `text` is its payload, decoded, and `aside_ts` the time in it.
    pub(super) fn place(
        &mut self,
        record: &Record<'_>,
        text: &str,
        aside_ts: Found<'_>,
        direction: Direction,
        out: &mut Out<'_>,
    ) -> Result<Place> {
        let (head, at) = (&record.head, &record.at);
        let ts = aside_ts.map(|(value, _)| unquoted(value)).or(head.get(head.roles.ts)).or(at.outer_ts);
        let definition = Arc::clone(&self.definition);
        let at_us = ts.and_then(|ts| self.clock.read(ts, &definition.times, out.zoning()));
        let channel = self.channel(head, text, ts, out)?;
        if let Some(ts) = ts.filter(|_| at_us.is_some()) {
            out.said(ts);
        }
        Ok(Place { line: at.line, byte_offset: at.offset, channel, at_us, direction, stream: None, taps: None })
    }

    fn channel(&mut self, head: &Head<'_>, text: &str, ts: Option<&str>, out: &mut Out<'_>) -> Result<u32> {
        if self.keys.is_none() {
            self.asked = out.connection_key().is_some();
            self.keys = Some(self.wanted_keys(out)?);
        }
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        for key in self.keys.iter().flatten() {
            let value = match key {
                ConnectionKey::Groups(names) => names.iter().find_map(|name| head.named(name)),
                ConnectionKey::Pointer(pointer) => pointer.find(text).map(|(value, _)| unquoted(value)),
                ConnectionKey::Expression(regex) => {
                    let found = |text| regex.captures(text).and_then(|found| Some(found.get(1)?.as_str()));
                    found(text).or_else(|| found(head.text))
                }
            };
            if let Some(value) = value.filter(|value| !value.is_empty() && *value != "null") {
                join(&mut name, value);
            }
        }
        if self.asked {
            out.key_is_told(!name.is_empty());
        }
        join(&mut name, self.parties.pair());
        let definition = Arc::clone(&self.definition);
        let (vantage, proof, clock) = (self.vantage, self.proof, &mut self.clock);
        let channel = self.channels.get(&name, out, || Channel {
            name: (!name.is_empty()).then(|| name.clone()),
            vantage,
            transport: definition.transport,
            counts_ids: definition.made.ids == Ids::Logger,
            sends_late: definition.sent_late,
            profile: definition.profile,
            proof,
            midway: definition.midway,
            resolution_us: ts
                .and_then(|ts| clock.time(ts, &definition.times.rule))
                .map_or(1, |time| time.resolution_us),
            ..Channel::default()
        });
        self.name = name;
        let channel = channel?;
        self.count = self.count.max(channel + 1);
        Ok(channel)
    }

    fn wanted_keys(&self, out: &Out<'_>) -> Result<Vec<ConnectionKey>> {
        let Some(asked) = out.connection_key() else { return Ok(self.definition.keys.clone()) };
        let names = &self.definition.start.roles.names;
        let mut keys = Vec::new();
        for text in asked {
            let key = ConnectionKey::parse(&text).map_err(|what| broken(self.definition.name, &what))?;
            if let ConnectionKey::Groups(groups) = &key
                && let Some(unknown) = groups.iter().find(|name| !names.iter().any(|(known, _)| known == *name))
            {
                let fields: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                let what = format!("{} has no field {unknown}", self.definition.name);
                let hint = format!(
                    "its fields are {}; a JSON pointer (/a/b) looks into the message, and text:{unknown} around it",
                    fields.join(", ")
                );
                return Err(Error::new(ErrorKind::Usage, what).hint(hint));
            }
            keys.push(key);
        }
        Ok(keys)
    }
}

/// Puts one more part of a name behind the others.
fn join(name: &mut String, part: &str) {
    if !name.is_empty() && !part.is_empty() {
        name.push('/');
    }
    name.push_str(part);
}
