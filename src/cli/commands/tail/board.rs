//! What is known while a log is followed: who waits since when, and what was said already.

#![allow(
    clippy::disallowed_methods,
    reason = "whether a request waits is also a question to the clock of whoever watches"
)]

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::time::Instant;

use rpctape::capture::Frame;
use rpctape::finding::{Finding, Severity};
use rpctape::pipeline::Watcher;
use rpctape::report::tail::{CertainClause, CertainFinding, StuckRequest, TailStyle, TailSummary};
use rpctape::rules;
use rpctape::session::{Certainty, Event, Exchange, FrameId, What};

use crate::cli::screen::io::Out;

/// How many frames are remembered with their lines.
const PLACES: usize = 500_000;

/// How often what is open is looked through while old lines are read, in microseconds of the log.
const STEP_US: i64 = 1_000_000;

/// A request without an answer.
struct Open {
    connection: u32,
    request: String,
    issuer: &'static str,
    method: String,
    name: Option<String>,
    sent_us: Option<i64>,
    life_us: Option<i64>,
    /// When its line was read.
    read: Instant,
    said: bool,
}

/// What the command line asks for.
pub struct Asked {
    /// How lines look.
    pub style: TailStyle,
    /// The least severity of a finding that ends the watching.
    pub until: Option<Severity>,
    /// Age from which an open request is stuck, in microseconds.
    pub stuck_after_us: i64,
    /// True to say nothing of what was there when the watching began.
    pub new: bool,
}

/// The board.
pub struct Board {
    asked: Asked,
    out: Out,
    source: String,
    keys: BTreeMap<u32, String>,
    open: BTreeMap<FrameId, Open>,
    /// Frame, line, time.
    places: VecDeque<(FrameId, u64, Option<i64>)>,
    /// Lines of the stream before each beginning of a file.
    beginnings: Vec<u64>,
    lines: u64,
    last_us: Option<i64>,
    looked_us: i64,
    /// True once all that was there had been read.
    caught_up: bool,
    over: bool,
    /// True when nothing more is to be said.
    done: bool,
    failed: Option<io::Error>,
    summary: TailSummary,
}

impl Board {
    /// A board on which nothing stands.
    pub fn new(asked: Asked, out: Out) -> Board {
        Board {
            asked,
            out,
            source: String::new(),
            keys: BTreeMap::new(),
            open: BTreeMap::new(),
            places: VecDeque::new(),
            beginnings: vec![0],
            lines: 0,
            last_us: None,
            looked_us: i64::MIN,
            caught_up: false,
            over: false,
            done: false,
            failed: None,
            summary: TailSummary { r#type: "summary", v: 1, ..TailSummary::default() },
        }
    }

    /// A file is read from its beginning.
    pub fn begin(&mut self) {
        (self.lines, self.beginnings) = (0, vec![0]);
    }

    /// So many lines were read.
    pub fn passed(&mut self, lines: u64) {
        self.lines += lines;
    }

    /// Another file begins; where the line before it was cut off, that ends first.
    pub fn turned(&mut self, cut: bool) {
        self.lines += u64::from(cut);
        self.beginnings.push(self.lines);
    }

    /// All that is there was read: false where there is nothing to wait for.
    pub fn idle(&mut self) -> bool {
        self.caught_up = true;
        self.look(true);
        let flushed = self.out.flush();
        self.keep(flushed);
        !self.done
    }

    /// The log says that it has ended.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// True when nothing more is to be read.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Says what was seen, and gives the exit code: that of a signal, where one ended it.
    pub fn close(&mut self, signal: Option<u8>) -> io::Result<TailSummary> {
        self.done = true;
        self.summary.exit = signal.unwrap_or(self.summary.exit);
        self.summary.in_flight = self.open.len() as u64;
        self.summary.ended = self.over;
        if self.asked.style.json {
            self.asked.style.summary(&mut self.out, &self.summary)?;
        }
        self.out.flush()?;
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(self.summary.clone()),
        }
    }

    fn keep(&mut self, done: io::Result<()>) {
        if let Err(error) = done {
            self.done = true;
            self.failed.get_or_insert(error);
        }
    }

    fn quiet(&self) -> bool {
        self.done || self.asked.new && !self.caught_up
    }

    fn key(&self, connection: u32) -> String {
        self.keys.get(&connection).cloned().unwrap_or_default()
    }

    /// Line in the file as it is now, and time.
    fn place(&self, frame: FrameId) -> (u64, Option<i64>) {
        let at = self.places.partition_point(|(id, ..)| *id <= frame);
        let Some((_, line, at_us)) = at.checked_sub(1).and_then(|at| self.places.get(at)) else { return (0, None) };
        let begun = self.beginnings.iter().rev().find(|begun| **begun < *line).copied().unwrap_or(0);
        (line - begun, *at_us)
    }

    /// Says which requests have waited too long, by the clock of the log or by that of whoever watches.
    fn look(&mut self, live: bool) {
        let (last_us, after_us) = (self.last_us, self.asked.stuck_after_us);
        let age = |open: &Open| {
            let logged = last_us.zip(open.sent_us).map_or(0, |(last, sent)| last - sent);
            let watched = if live { i64::try_from(open.read.elapsed().as_micros()).unwrap_or(i64::MAX) } else { 0 };
            logged.max(watched)
        };
        let due: Vec<(FrameId, i64)> = self
            .open
            .iter()
            .filter(|(_, open)| !open.said)
            .map(|(id, open)| (*id, age(open)))
            .filter(|(_, age)| *age >= after_us)
            .collect();
        for (id, age_us) in due {
            self.stuck(id, age_us);
        }
    }

    fn stuck(&mut self, id: FrameId, age_us: i64) {
        let (line, _) = self.place(id);
        let Some(open) = self.open.get_mut(&id) else { return };
        open.said = true;
        let stuck = StuckRequest {
            r#type: "stuck",
            request: open.request.clone(),
            issuer: open.issuer,
            method: open.method.clone(),
            name: open.name.clone(),
            connection: self.keys.get(&open.connection).cloned().unwrap_or_default(),
            source: self.source.clone(),
            line,
            since_us: open.sent_us,
            age_us,
            last_life_us: open.life_us,
        };
        if self.quiet() {
            return;
        }
        self.summary.stuck += 1;
        let done = self.style().stuck(&mut self.out, &stuck);
        self.keep(done);
    }

    fn style(&self) -> TailStyle {
        TailStyle { keyed: self.keys.len() > 1, ..self.asked.style }
    }
}

impl Watcher for Board {
    fn source(&mut self, name: &str) {
        self.source = name.to_string();
    }

    fn opened(&mut self, connection: u32, key: &str) {
        self.keys.insert(connection, key.to_string());
    }

    fn frame(&mut self, id: FrameId, frame: &Frame<'_>) {
        if self.places.len() == PLACES {
            self.places.pop_front();
        }
        self.places.push_back((id, frame.line, frame.at_us));
        let Some(at_us) = frame.at_us else { return };
        self.last_us = Some(at_us);
        if at_us >= self.looked_us.saturating_add(STEP_US) {
            self.looked_us = at_us;
            self.look(false);
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match &event.what {
            What::Message { .. } => self.summary.messages += 1,
            What::Request { exchange, .. } if !exchange.known.is_some_and(|method| method.long_lived) => {
                let open = Open {
                    connection: event.connection.id,
                    request: exchange.label(),
                    issuer: exchange.issuer.as_str(),
                    method: exchange.method.to_string(),
                    name: exchange.name.as_deref().map(str::to_string),
                    sent_us: exchange.request.at_us,
                    life_us: None,
                    read: Instant::now(),
                    said: false,
                };
                self.open.insert(exchange.request.frame, open);
            }
            What::Progress { exchange: Some(exchange), .. } => {
                if let Some(open) = self.open.get_mut(&exchange.request.frame) {
                    open.life_us = event.seen.at_us;
                }
            }
            What::Answer { exchange, .. } => drop(self.open.remove(&exchange.request.frame)),
            // Where nothing is due after a cancel, silence is as it should be.
            What::Cancel { target: Some(target), fault: None, .. } if !event.profile.answers_cancelled() => {
                self.open.remove(&target.request.frame);
            }
            _ => {}
        }
    }

    fn settled(&mut self, exchange: &Exchange) {
        if !self.over {
            self.open.remove(&exchange.request.frame);
        }
    }

    fn finding(&mut self, finding: &Finding) {
        if finding.certainty != Certainty::Violation || self.quiet() {
            return;
        }
        let (line, at_us) = self.place(finding.frame);
        let found = CertainFinding {
            r#type: "finding",
            code: finding.code,
            rule: rules::find(finding.code).map_or("", |rule| rule.name),
            severity: finding.severity.as_str(),
            certainty: finding.certainty.as_str(),
            basis: finding.basis.map(|basis| basis.as_str()),
            profile: finding.profile.label(),
            connection: self.key(finding.connection),
            source: self.source.clone(),
            line,
            at_us,
            summary: finding.summary.clone(),
            clause: finding.clause.map(|clause| CertainClause {
                level: clause.level.as_str(),
                text: clause.text,
                url: clause.url.to_string(),
            }),
        };
        self.summary.findings += 1;
        let done = self.style().finding(&mut self.out, &found);
        self.keep(done);
        if self.asked.until.is_some_and(|least| finding.severity >= least) {
            self.summary.exit = 1;
            self.done = true;
        }
    }

    fn is_over(&self) -> bool {
        self.over && !self.done
    }
}
