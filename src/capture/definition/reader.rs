//! Lines to records: where one starts, what belongs to it, where it ends.

use std::sync::Arc;

use regex::CaptureLocations;

use super::balance::Balance;
use super::emit::Emitter;
use super::head::{At, Head, Record};
use super::layers::Peeled;
use super::pending::{Pending, State, Taken, content_length, opens};
use super::ready::Definition;
use super::repeats::Repeats;
use super::schema::{Continuation, Encoding, Standing};
use crate::capture::anywhere::{Row, Scanner};
use crate::capture::format::LineReader;
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::out::Out;
use crate::capture::{Proof, Skip, Vantage};
use crate::error::Result;
use crate::json::scan::{skip_white, value_end};

/// Reads a log by a definition.
pub(super) struct DefinitionReader {
    definition: Arc<Definition>,
    emitter: Emitter,
    /// Groups of the start that was found last.
    ranges: CaptureLocations,
    pending: Pending,
    peeled: Peeled,
    scanner: Scanner,
    repeats: Repeats,
}

impl LineReader for DefinitionReader {
    fn reads_parts(&self) -> bool {
        self.definition.makes || !self.definition.payload.pointer.is_whole()
    }

    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        // What a record without JSON tells has no end of its own.
        if self.definition.makes
            && let Some(at) = out.begins_again(line.bytes)
        {
            self.line(&Line { bytes: &line.bytes[..at], ended: true, ..*line }, out)?;
            return self.line(&line.from(at), out);
        }
        let Ok(text) = std::str::from_utf8(line.bytes) else { return self.foreign(line, out) };
        let taken = Taken { text, line: line.number, offset: line.offset, log_ends: !line.ended, outer_ts: None };
        if self.definition.strip.is_empty() && self.definition.unwrap.is_none() {
            return self.take(&taken, out);
        }
        let mut peeled = std::mem::take(&mut self.peeled);
        let definition = Arc::clone(&self.definition);
        let done = peeled.peel(&definition, &taken, |inner| self.take(inner, out));
        self.peeled = peeled;
        match done? {
            0 => self.other(&taken, out),
            _ => Ok(()),
        }
    }

    fn oversized(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip_oversized(line);
        let text = line.text();
        if self.starts(&text) {
            let head = Head { text: &text, ranges: &self.ranges, roles: &self.definition.start.roles };
            self.emitter.gap(&head, &At::alone(line), out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        if let Some(line) = self.scanner.end() {
            out.skip(line, Skip::CutOff);
        }
        self.flush(true, out)
    }
}

impl DefinitionReader {
    pub(super) fn new(definition: Arc<Definition>, vantage: Vantage) -> DefinitionReader {
        let ranges = definition.start.regex.capture_locations();
        let pending = Pending::new(ranges.clone());
        let emitter = Emitter::new(Arc::clone(&definition), vantage);
        let scanner = Scanner::new(definition.standing == Some(Standing::Below)).with_arrays(definition.arrays);
        DefinitionReader {
            definition,
            emitter,
            ranges,
            pending,
            peeled: Peeled::default(),
            scanner,
            repeats: Repeats::default(),
        }
    }

    /// Proves no more than this.
    pub(super) fn proving(mut self, proof: Proof) -> DefinitionReader {
        self.emitter.proof = proof;
        self
    }

    /// How many messages came without the parameters that they are nothing without.
    pub(super) fn bare(&self) -> u64 {
        self.emitter.bare
    }

    /// True if a record starts here; its groups stand in `ranges` then.
    #[inline]
    fn starts(&mut self, text: &str) -> bool {
        let contains = &self.definition.contains;
        (contains.is_empty() || contains.iter().any(|sign| sign.find(text.as_bytes()).is_some()))
            && self.definition.start.regex.captures_read(&mut self.ranges, text).is_some()
    }

    fn take(&mut self, taken: &Taken<'_>, out: &mut Out<'_>) -> Result<()> {
        if self.definition.standing.is_some() {
            return self.look(taken, None, out);
        }
        if self.starts(taken.text) {
            self.flush(false, out)?;
            return self.begin(taken, out);
        }
        match self.pending.state {
            State::Idle => self.other(taken, out),
            _ => self.carry_on(taken, out),
        }
    }

    /// A line in which messages may stand anywhere; `foreign` has its bytes where they are not UTF-8.
    fn look(&mut self, taken: &Taken<'_>, foreign: Option<&[u8]>, out: &mut Out<'_>) -> Result<()> {
        let row = Row { text: taken.text, number: taken.line, offset: taken.offset };
        let (definition, emitter, ranges) = (&self.definition, &mut self.emitter, &mut self.ranges);
        let repeats = &mut self.repeats;
        let held = self.scanner.line(&row, &mut |piece| {
            // Where the expression fits nothing, no group has taken part.
            if definition.start.regex.captures_read(ranges, piece.before).is_none() {
                *ranges = definition.start.regex.capture_locations();
            }
            let head = Head { text: piece.before, ranges, roles: &definition.start.roles };
            let at = At {
                line: piece.line,
                offset: piece.offset,
                start: taken.offset,
                log_ends: taken.log_ends,
                joined: piece.joined,
                outer_ts: taken.outer_ts,
            };
            if !out.wants_repeats() && repeats.is_repeated(piece, head.get(head.roles.ts), emitter.direction(&head)) {
                out.skip(piece.line, Skip::Duplicate);
                return Ok(());
            }
            match foreign.filter(|_| piece.payload.contains(char::REPLACEMENT_CHARACTER)) {
                Some(bytes) => out.not_utf8(at.line, bytes),
                None => emitter.record(&Record { head, payload: piece.payload, at }, out),
            }
        })?;
        if let Some(line) = self.scanner.passed() {
            out.skip(line, Skip::NotAMessage);
        }
        if held { Ok(()) } else { self.other(taken, out) }
    }

    fn begin(&mut self, taken: &Taken<'_>, out: &mut Out<'_>) -> Result<()> {
        let whole = self.ranges.get(0).map_or(0, |(_, end)| end);
        let from = self.definition.start.roles.payload.and_then(|group| self.ranges.get(group));
        let from = from.map_or(whole, |(start, _)| start);
        if self.definition.payload.encoding == Encoding::None {
            let head = Head { text: taken.text, ranges: &self.ranges, roles: &self.definition.start.roles };
            return self.emitter.record(&Record { head, payload: taken.text, at: taken.at(0) }, out);
        }
        let rest = &taken.text[from..];
        match self.definition.continuation {
            Continuation::Line if rest.trim().is_empty() && !self.definition.sticky && !self.definition.makes => {
                out.skip(taken.line, Skip::Header);
                Ok(())
            }
            Continuation::Line | Continuation::JsonValue => {
                let value = from + skip_white(rest.as_bytes(), 0);
                if self.definition.continuation == Continuation::Line && !self.definition.sticky {
                    let head = Head { text: taken.text, ranges: &self.ranges, roles: &self.definition.start.roles };
                    return self.emitter.record(&Record { head, payload: rest, at: taken.at(from) }, out);
                }
                self.keep_header(taken);
                match opens(&taken.text[value..]) {
                    true => self.value(taken, value, out),
                    false => Ok(()),
                }
            }
            Continuation::UntilNextStart | Continuation::BlankLine => {
                self.keep_header(taken);
                self.pending.state = State::Open;
                self.pending.body.push_str(rest);
                self.pending.offset = taken.offset + from as u64;
                Ok(())
            }
            Continuation::ContentLength => {
                let length = self.definition.start.roles.length.and_then(|group| self.ranges.get(group));
                let length = length.and_then(|(start, end)| taken.text[start..end].parse().ok());
                self.keep_header(taken);
                self.pending.state = State::Headers(length.or_else(|| content_length(rest)));
                Ok(())
            }
        }
    }

    /// Keeps the header of a record that goes on.
    fn keep_header(&mut self, taken: &Taken<'_>) {
        let pending = &mut self.pending;
        pending.header.clear();
        pending.header.push_str(taken.text);
        std::mem::swap(&mut pending.ranges, &mut self.ranges);
        pending.line = taken.line;
        pending.offset = taken.offset;
        pending.body.clear();
        pending.balance = Balance::default();
        pending.state = State::Waiting;
    }

    /// A value that begins at `from` in this line, under the header that was kept.
    fn value(&mut self, taken: &Taken<'_>, from: usize, out: &mut Out<'_>) -> Result<()> {
        let Some(end) = value_end(taken.text.as_bytes(), from) else {
            let pending = &mut self.pending;
            if self.definition.sticky {
                pending.line = taken.line;
            }
            pending.offset = taken.offset + from as u64;
            pending.body.clear();
            pending.body.push_str(&taken.text[from..]);
            pending.balance = Balance::default();
            pending.balance.feed(&pending.body);
            pending.state = State::Open;
            return Ok(());
        };
        let line = if self.definition.sticky { taken.line } else { self.pending.line };
        let at = At { line, ..taken.at(from) };
        self.pending.state = self.rest_state();
        let head = self.pending.head(&self.definition.start.roles);
        self.emitter.record(&Record { head, payload: &taken.text[from..end], at }, out)
    }

    /// What follows a value that is complete.
    fn rest_state(&self) -> State {
        if self.definition.sticky { State::Waiting } else { State::Idle }
    }

    /// A line that does not start a record while one is open.
    fn carry_on(&mut self, taken: &Taken<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = taken.text;
        match (self.pending.state, self.definition.continuation) {
            (State::Waiting, _) => {
                let value = skip_white(text.as_bytes(), 0);
                if opens(&text[value..]) { self.value(taken, value, out) } else { self.other(taken, out) }
            }
            (State::Headers(length), _) if text.trim().is_empty() => {
                self.pending.state = length.map_or(State::Headers(None), State::Counting);
                Ok(())
            }
            (State::Headers(length), _) => {
                self.pending.state = State::Headers(content_length(text).or(length));
                Ok(())
            }
            (State::Counting(length), _) => {
                self.pending.push(taken);
                if self.pending.body.len() >= length {
                    let body = &mut self.pending.body;
                    let cut = (0..=length).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
                    body.truncate(cut);
                    self.pending.state = self.rest_state();
                    return self.put_pending(false, out);
                }
                Ok(())
            }
            // What is said to be no message is no part of one either.
            (_, Continuation::UntilNextStart)
                if self.definition.header.as_ref().is_some_and(|header| header.is_match(text)) =>
            {
                self.flush(false, out)?;
                self.other(taken, out)
            }
            (_, Continuation::BlankLine) if text.trim().is_empty() => self.flush(false, out),
            (_, Continuation::JsonValue | Continuation::Line) => self.go_on(taken, out),
            _ => {
                self.pending.push(taken);
                self.within_limit(out)
            }
        }
    }

    /// One more line of a JSON value.
    fn go_on(&mut self, taken: &Taken<'_>, out: &mut Out<'_>) -> Result<()> {
        if !self.pending.balance.takes(taken.text) {
            return self.other(taken, out);
        }
        self.pending.push(taken);
        match self.pending.balance.feed(taken.text) {
            Some(end) => {
                let end = self.pending.body.len() - taken.text.len() + end;
                self.pending.body.truncate(end);
                self.pending.state = self.rest_state();
                self.put_pending(false, out)
            }
            None => self.within_limit(out),
        }
    }

    fn within_limit(&mut self, out: &mut Out<'_>) -> Result<()> {
        if self.pending.body.len() <= RECORD_LIMIT {
            return Ok(());
        }
        out.skip(self.pending.line, Skip::Oversized);
        self.pending.state = self.rest_state();
        let head = self.pending.head(&self.definition.start.roles);
        self.emitter.gap(&head, &self.pending.at(false), out)
    }

    /// Ends what is open: a record starts, or the log ends.
    fn flush(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        let state = std::mem::replace(&mut self.pending.state, State::Idle);
        match (state, self.definition.continuation) {
            (State::Idle | State::Headers(_), _) => Ok(()),
            (State::Waiting, _) => {
                if self.definition.payload.or_header {
                    let head = self.pending.head(&self.definition.start.roles);
                    return self.emitter.header_only(&head, &self.pending.at(log_ends), out);
                }
                if log_ends && !self.definition.sticky {
                    out.skip(self.pending.line, Skip::CutOff);
                }
                Ok(())
            }
            _ if self.pending.body.trim().is_empty() => {
                out.skip(self.pending.line, Skip::Header);
                Ok(())
            }
            _ => self.put_pending(log_ends, out),
        }
    }

    fn put_pending(&mut self, log_ends: bool, out: &mut Out<'_>) -> Result<()> {
        let head = self.pending.head(&self.definition.start.roles);
        self.emitter.record(&Record { head, payload: &self.pending.body, at: self.pending.at(log_ends) }, out)
    }

    /// A line that is no part of a record.
    fn other(&mut self, taken: &Taken<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = taken.text;
        if text.trim().is_empty() {
            out.skip(taken.line, Skip::Blank);
            return Ok(());
        }
        let definition = Arc::clone(&self.definition);
        if let Some(pattern) = &definition.stderr {
            let mut ranges = pattern.regex.capture_locations();
            if pattern.regex.captures_read(&mut ranges, text).is_some() {
                return self.emitter.stderr(&Head { text, ranges: &ranges, roles: &pattern.roles }, &taken.at(0), out);
            }
        }
        if definition.splits.iter().any(|split| split.is_match(text)) {
            return self.emitter.anew(&taken.at(0), out);
        }
        let is = |regex: &Option<regex::Regex>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
        let why = match () {
            () if is(&definition.duplicate) => Skip::Duplicate,
            () if is(&definition.header) => Skip::Header,
            () => Skip::NotAMessage,
        };
        out.skip(taken.line, why);
        Ok(())
    }

    /// A line that is not UTF-8: a record's start may still be readable.
    #[cold]
    fn foreign(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        if self.definition.payload.encoding == Encoding::Json && self.starts(&text) {
            self.flush(false, out)?;
            return out.not_utf8(line.number, line.bytes);
        }
        let taken =
            Taken { text: &text, line: line.number, offset: line.offset, log_ends: !line.ended, outer_ts: None };
        if self.definition.standing.is_some() {
            return self.look(&taken, Some(line.bytes), out);
        }
        self.take(&taken, out)
    }
}
