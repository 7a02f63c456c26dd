//! The audit of facts: rows of whole connections in, findings out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;

use super::lift::BETWEEN;
use crate::capture::{Frame, FrameSink, RecordedPart, channel_of, goes_on, log_of};
use crate::error::{Error, ErrorKind, Result};
use crate::facts::{FileFacts, Reader, Row, kind, source_order};
use crate::finding::Breach;
use crate::pipeline::intake::Intake;
use crate::pipeline::{Options, Progress};
use crate::redact::kind_named;
use crate::session::FrameId;
use crate::store::{ConnectionRow, FindingFilter, FindingRow, Keep, NewSource, OccasionRow, Raw, Store, UndecidedRow};

/// How many rows are judged together, at least, where there are connections enough: what they leave behind is held on disk, and
/// dropped with them.
const TOGETHER: u64 = 250_000;

/// How far the numbers of frames may go in one store.
const FRAMES: FrameId = 1 << 33;

/// Something that was judged.
pub enum Part<'a> {
    /// A connection, and the key under which its facts came.
    Connection(&'a ConnectionRow, &'a str),
    /// A finding.
    Finding {
        /// The finding.
        row: &'a FindingRow,
        /// The key under which its facts came.
        key: &'a str,
        /// The place of its message in the source's order of frames.
        seq: u64,
        /// Where it stands among all findings of this run.
        nth: u64,
    },
    /// A rule that these connections do not decide.
    Undecided(&'a UndecidedRow),
    /// What connections gave occasion to.
    Occasion(&'a OccasionRow),
    /// Findings about a clause.
    Breach(&'a Breach),
    /// A source, and what its facts say of it as a whole: what was not read of it is told at the end.
    Source(&'a str, &'a FileFacts),
}

/// Who is told what was judged.
type Tell<'t> = dyn FnMut(Part<'_>) -> Result<()> + 't;

/// Judges the facts of whole connections: rows of one connection stand together, by source and place. What is found is told to
/// `tell`. Errors: rows that are no facts, that are out of order, missing, or there twice.
pub fn judge<R: std::io::BufRead>(
    rows: &mut Reader<R>,
    options: &Options,
    progress: &mut dyn Progress,
    tell: &mut dyn FnMut(Part<'_>) -> Result<()>,
) -> Result<()> {
    let mut order = Order::default();
    let mut told = 0;
    while rows.peek()?.is_some() {
        let mut store = Store::passing(Keep::Findings { text: 0 })?;
        store.begin()?;
        let places = take(&store, rows, options, (progress, &mut *tell), &mut order)?;
        let named: BTreeMap<i64, Option<String>> =
            store.opened()?.into_iter().map(|opened| (i64::from(opened.id), opened.channel.name)).collect();
        for connection in store.connections()? {
            let name = named.get(&connection.id).cloned().flatten();
            tell(Part::Connection(&connection, &name.unwrap_or_else(|| log_of(&connection.source))))?;
        }
        for undecided in store.undecided()? {
            tell(Part::Undecided(&undecided))?;
        }
        for occasion in store.occasions(None)? {
            tell(Part::Occasion(&occasion))?;
        }
        for breach in store.breaches(None)? {
            tell(Part::Breach(&breach))?;
        }
        store.findings(&FindingFilter::default(), Raw::None, |row| {
            let frame = row.message_id as FrameId;
            let at = places.partition_point(|(base, _)| *base < frame);
            let (base, key) = at.checked_sub(1).map_or((0, ""), |at| (places[at].0, &*places[at].1));
            tell(Part::Finding { row: &row, key, seq: frame - base, nth: told })?;
            told += 1;
            Ok(())
        })?;
    }
    order.finish()
}

/// Takes connections until there are enough of them. Gives where the numbers of each source's frames begin, and whose they are.
fn take<R: std::io::BufRead>(
    store: &Store,
    rows: &mut Reader<R>,
    options: &Options,
    (progress, tell): (&mut dyn Progress, &mut Tell<'_>),
    order: &mut Order,
) -> Result<Vec<(FrameId, String)>> {
    let mut intake = Intake::new(store, options, progress)?;
    let (mut places, mut taken) = (Vec::new(), 0);
    while let Some(row) = rows.peek()? {
        let Some(connection) = row.connection.as_deref() else {
            // What is said of a source is for whoever puts the parts together.
            let told: FileFacts =
                serde_json::from_str(row.text.as_deref().unwrap_or_default()).map_err(|_| row.damaged())?;
            tell(Part::Source(&row.source, &told))?;
            rows.take();
            continue;
        };
        let next = order.step(connection, &row)?;
        let enough = taken >= TOGETHER || intake.ground.next_id() >= FRAMES;
        if next == Advance::Connection && enough {
            break;
        }
        if next != Advance::Row {
            let mut base = match next {
                Advance::Connection => intake.ground.next_id() - 1,
                _ => order.base + order.frames,
            };
            let Told { format, part } = told(&row)?;
            let source = store.add_source(NewSource { name: &row.source, format: &format, reason: "" })?;
            // Parts of a rotated log that names no connections are one, as long as there is but one in them.
            let goes_on = next == Advance::Source && order.was_alone && goes_on(&order.name, &row.source);
            intake.channels.source(source, &row.source, false, goes_on);
            let before = order.part.take().filter(|_| next == Advance::Source);
            if let Some(hole) = before.and_then(|before| part?.hole(&before)) {
                base += 1;
                intake.ground.skip_to(base);
                // The first event of a part stands behind the header.
                intake.frame(&Frame::missing(source, 2, hole.missing()))?;
            }
            places.push((base, connection.to_string()));
            order.enter(connection, &row, source, base);
        }
        row_in(&mut intake, &row, order)?;
        taken += 1;
        rows.take();
    }
    intake.finish()?;
    Ok(places)
}

/// What the first row of a connection in a source says of the source.
#[derive(Deserialize)]
struct Told {
    format: String,
    part: Option<RecordedPart>,
}

fn told(row: &Row<'_>) -> Result<Told> {
    let told = row.extra.as_deref().filter(|_| row.kind == kind::CHANNEL);
    let told = told.and_then(|extra| serde_json::from_str::<Told>(extra).ok());
    told.ok_or_else(|| {
        let what = format!("the facts of {} begin in their middle: they are not all here, or not in order", row.source);
        Error::new(ErrorKind::Input, what).hint(SORT)
    })
}

fn row_in(intake: &mut Intake<'_, '_>, row: &Row<'_>, order: &mut Order) -> Result<()> {
    order.last = row.seq;
    match &*row.kind {
        kind::END => return order.end(row),
        kind::CHANNEL => {
            let channel = row.text.as_deref().and_then(channel_of).ok_or_else(|| row.damaged())?;
            intake.channel(row.channel.unwrap_or_default(), channel)?;
        }
        _ => {
            intake.ground.skip_to(order.base + (row.seq >> BETWEEN));
            if let Some(live) = &mut intake.live {
                live.lookout.tell(row.secret.as_deref().and_then(kind_named));
            }
            row.frame(order.source, |frame| intake.frame(&frame))?;
        }
    }
    order.rows += 1;
    Ok(())
}

/// What to do about rows that do not stand where they should.
const SORT: &str = "sort by connection, place and seq, and give each facts file once";

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Advance {
    /// In the source of the row before it.
    Row,
    /// In the next source of the same connection.
    Source,
    /// In the next connection.
    Connection,
}

/// Watches that rows stand in order, that none is missing and none is there twice.
#[derive(Default)]
struct Order {
    connection: Option<String>,
    name: String,
    source: u32,
    /// Number before that of the source's first frame, in the store.
    base: FrameId,
    /// How many frames the source has.
    frames: FrameId,
    rows: u64,
    last: u64,
    ended: bool,
    /// True if the source that ended has no other connection.
    was_alone: bool,
    /// The part of a recording that it is.
    part: Option<RecordedPart>,
    /// Hashes of the connections that were there.
    seen: HashSet<u64>,
}

impl Order {
    /// What the next row is to those before it. Errors: it does not follow them.
    fn step(&self, connection: &str, row: &Row<'_>) -> Result<Advance> {
        let same = self.connection.as_deref() == Some(connection);
        if same && self.name == row.source {
            return match row.seq.cmp(&self.last) {
                Ordering::Greater if !self.ended => Ok(Advance::Row),
                Ordering::Less if !self.ended => Err(self.fault(connection, &row.source, "out of order")),
                _ => Err(self.fault(connection, &row.source, "there twice")),
            };
        }
        if self.connection.is_some() && !self.ended {
            return Err(self.fault(
                self.connection.as_deref().unwrap_or(""),
                &self.name,
                "not whole: rows are missing",
            ));
        }
        if same {
            return match source_order(&row.source) > source_order(&self.name) {
                true => Ok(Advance::Source),
                false => Err(self.fault(connection, &row.source, "out of order")),
            };
        }
        match self.seen.contains(&digest(connection)) {
            true => Err(self.fault(connection, &row.source, "in two places")),
            false => Ok(Advance::Connection),
        }
    }

    fn enter(&mut self, connection: &str, row: &Row<'_>, source: u32, base: FrameId) {
        if self.connection.as_deref() != Some(connection) {
            self.seen.insert(digest(connection));
            self.connection = Some(connection.to_string());
        }
        self.name = row.source.to_string();
        (self.source, self.base, self.frames, self.rows, self.ended) = (source, base, 0, 0, false);
    }

    fn end(&mut self, row: &Row<'_>) -> Result<()> {
        let connection = row.connection.as_deref().unwrap_or("");
        if self.rows != row.bytes {
            let how = if self.rows < row.bytes { "not whole: rows are missing" } else { "there twice" };
            return Err(self.fault(connection, &row.source, how));
        }
        self.frames = (row.seq >> BETWEEN).saturating_sub(1);
        (self.ended, self.was_alone) = (true, row.channel == Some(1));
        self.part = row.text.as_deref().and_then(|part| serde_json::from_str(part).ok());
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        match &self.connection {
            Some(connection) if !self.ended => Err(self.fault(connection, &self.name, "not whole: rows are missing")),
            _ => Ok(()),
        }
    }

    fn fault(&self, connection: &str, source: &str, how: &str) -> Error {
        let what = format!("the facts of {source} for connection {connection} are {how}");
        Error::new(ErrorKind::Input, what).hint(SORT)
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
