//! Requests of HTTP and their responses in records of their own, joined by a name that both have.
//!
//! Loggers of servers write one record when a request comes and another when it was answered (`request_id`, `traceId`). Both
//! are put into one record, `{"request":..,"response":..}`, which is read as any other exchange is. A name joins if it stands in two
//! records at most, one of them with a status and the other with a verb alone; the one with the status may say again what was asked
//! (pino-http). Either may come first: logs are written backwards, too.
//! A name that each process counts for itself joins within the process, where records tell that, and otherwise as long as requests
//! and responses of one name take turns: a process that was started again counts from one again.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::layout::scalar;
use super::learn::{EXAMPLES, Learned, learn};
use super::learn_beside::is_verb;
use super::path::Path;
use super::records::{Delivered, collected};
use super::scalars::{Leaves, Scalars, is_status, read_record, text_of};
use super::{Collected, Layout, Origin};
use crate::capture::Skip;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::time;
use crate::error::Result;
use crate::json::scan::{skip_white, value_end};

/// The format.
pub(in crate::capture) struct Halves;

/// Surer than records that are looked at one by one.
const SCORE: u8 = 73;

/// How much waits for its other half: records, and their bytes.
const WAITING: (usize, usize) = (4096, 32 << 20);

/// The longest name that joins, in bytes.
const LONGEST: usize = 100;

/// How many responses have to name their request.
const PAIRS: usize = 2;

/// One record of so many, at least, has to be a request with its response: others may be anything.
const SHARE: usize = 10;

impl Format for Halves {
    fn name(&self) -> &'static str {
        "http-halves"
    }

    fn about(&self) -> &'static str {
        "JSON records of HTTP requests and of their responses, each of its own, joined by a name: loggers of servers"
    }

    fn most(&self) -> u8 {
        SCORE
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let found = learned(sample)?;
        let [request, response] = &found.layout.bodies[..] else { return None };
        let name = found.joint.name.iter().map(Path::to_string).collect::<Vec<_>>().join(" and ");
        let pairs = found.pairs;
        Match::new(
            SCORE,
            format!(
                "{pairs} records of HTTP requests and their responses have {name} in common; bodies at {request} and {response}"
            ),
        )
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let (joint, layout) = learned(sample).map(|found| (found.joint, found.layout.layout)).unzip();
        Reader::Ordered(Box::new(Joiner { joint, layout, ..Joiner::default() }))
    }
}

/// Processes whose counts are told apart, at most.
const PROCESSES: usize = 32;

/// Records that have one name, at most, on an average.
const REPEATED: usize = 8;

/// What joins two records.
struct Joint {
    /// A name, and the process that gave it where names alone are not enough.
    name: Vec<Path>,
    /// Requests have it.
    verb: Path,
    /// Only responses have it.
    status: Path,
}

struct Found {
    joint: Joint,
    layout: Learned,
    pairs: usize,
}

fn learned(sample: &Sample) -> Option<Found> {
    if !sample.text().contains("\"POST\"") {
        return None;
    }
    let mut seen = FxHashSet::default();
    let lines = sample.lines().filter(|line| line.starts_with('{') && seen.insert(*line)).take(2 * EXAMPLES);
    // What was cut is none of the pairs.
    let read = |line| Some((line, read_record(line)?));
    let (lines, values): (Vec<&str>, Vec<Value>) = lines.filter_map(read).unzip();
    let records: Vec<Scalars<'_>> = values.iter().map(scalars).collect();
    let names: BTreeSet<&Path> = records.iter().flat_map(BTreeMap::keys).collect();
    // A path through a list of pairs is none of members.
    let names = names.into_iter().filter(|name| lines.iter().any(|line| name.member_of(line).is_some()));
    let names: Vec<&Path> = names.collect();
    let (joint, pairs) = joined(&names, &records)?;
    let texts: Vec<String> = pairs.iter().map(|(one, other)| join(Some(lines[*one]), Some(lines[*other])).0).collect();
    let layout = learn(texts.iter().map(String::as_str))?;
    Some(Found { joint, layout, pairs: pairs.len() })
}

fn scalars(value: &Value) -> Scalars<'_> {
    let mut found = Scalars::new();
    Leaves { taken: &[], request: &Path(Vec::new()), found: &mut found }.walk(value, &mut Vec::new());
    found
}

/// What joins most requests to their responses: a name, or one together with its process, or else a name that is used again.
fn joined(names: &[&Path], records: &[Scalars<'_>]) -> Option<(Joint, Pairs)> {
    let names: Vec<(&Path, usize)> = names.iter().map(|name| (*name, values_of(name, records))).collect();
    let varied = || names.iter().filter(|(_, values)| *values >= PAIRS).map(|(name, _)| *name);
    let most = |joints: &mut dyn Iterator<Item = (Joint, Pairs)>| {
        // In a slow log both halves may have the same time, too, which joins others where more happens.
        joints.max_by_key(|(joint, pairs)| (pairs.len(), !tells_time(&joint.name[0], records)))
    };
    let processes: Vec<&Path> =
        names.iter().filter(|(_, values)| (2..=PROCESSES).contains(values)).map(|(name, _)| *name).collect();
    most(&mut varied().filter_map(|name| joined_by(&[name], records, Turns::Once)))
        .or_else(|| {
            let both = varied().flat_map(|name| processes.iter().map(move |process| [name, *process]));
            most(
                &mut both
                    .filter(|[name, process]| name != process)
                    .filter_map(|both| joined_by(&both, records, Turns::Once)),
            )
        })
        .or_else(|| most(&mut varied().filter_map(|name| joined_by(&[name], records, Turns::Again))))
}

/// True if what stands at a place can be read as a time.
fn tells_time(name: &Path, records: &[Scalars<'_>]) -> bool {
    let value = records.iter().find_map(|record| record.get(name));
    value.is_some_and(|values| time::parse(&text_of(values[0])).is_some())
}

/// How many values stand at a place.
fn values_of(name: &Path, records: &[Scalars<'_>]) -> usize {
    let values = records.iter().filter_map(|record| record.get(name)).map(|values| text_of(values[0]));
    values.collect::<BTreeSet<_>>().len()
}

/// Records of requests, each with that of its response, by their numbers.
type Pairs = Vec<(usize, usize)>;

/// How often a name may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// For one request.
    Once,
    /// For another one when the first was answered.
    Again,
}

/// The name of a record: the texts of all its places.
fn named(name: &[&Path], record: &Scalars<'_>) -> Option<String> {
    let texts: Option<Vec<String>> =
        name.iter().map(|path| record.get(*path).map(|values| text_of(values[0]))).collect();
    texts.map(|texts| texts.join("\u{1f}")).filter(|name| !name.is_empty() && name.len() <= LONGEST)
}

/// The requests and responses that a name joins.
fn joined_by(name: &[&Path], records: &[Scalars<'_>], turns: Turns) -> Option<(Joint, Pairs)> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        if let Some(name) = named(name, record) {
            groups.entry(name).or_default().push(at);
        }
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let twos: Vec<[usize; 2]> = match turns {
        Turns::Once if groups.iter().any(|group| group.len() > 2) => return None,
        Turns::Again if groups.len() * REPEATED < groups.iter().map(Vec::len).sum() => return None,
        _ => groups.iter().flat_map(|group| group.as_chunks().0).copied().collect(),
    };
    if twos.len() < PAIRS || twos.len() * SHARE < records.len() {
        return None;
    }
    let has = |at: usize, path: &Path, fits: &dyn Fn(&Value) -> bool| {
        records[at].get(path).is_some_and(|values| fits(values[0]))
    };
    let places = || twos[0].iter().flat_map(|at| records[*at].keys());
    // What one record of each pair has, and the other has not.
    let parts = |path: &Path, [a, b]: &[usize; 2]| {
        let fits = |value: &Value| is_status(&path.plain_key(), value);
        has(*a, path, &fits) != has(*b, path, &fits)
    };
    let status = places().find(|path| twos.iter().all(|two| parts(path, two)))?.clone();
    let answers = |at: usize| records[at].contains_key(&status);
    let pairs: Pairs = twos.iter().map(|[a, b]| if answers(*b) { (*a, *b) } else { (*b, *a) }).collect();
    let is_verb = |value: &Value| value.as_str().is_some_and(is_verb);
    let verb = places().find(|path| pairs.iter().all(|(one, _)| has(*one, path, &is_verb)))?.clone();
    // Whoever takes turns takes them in one order.
    let forward = pairs.iter().filter(|(one, other)| one < other).count();
    if turns == Turns::Again && ![0, pairs.len()].contains(&forward) {
        return None;
    }
    let apart = pairs.iter().all(|(one, _)| !answers(*one));
    apart.then(|| (Joint { name: name.iter().map(|path| (*path).clone()).collect(), verb, status }, pairs))
}

/// A record of both halves, and where each of them starts in it.
fn join(request: Option<&str>, response: Option<&str>) -> (String, [usize; 2]) {
    let (mut text, mut starts) = (String::from("{"), [0; 2]);
    for (half, (key, found)) in [("request", request), ("response", response)].into_iter().enumerate() {
        let Some(found) = found else { continue };
        text.push_str(if text.len() > 1 { ",\"" } else { "\"" });
        text.push_str(key);
        text.push_str("\":");
        starts[half] = text.len();
        text.push_str(found);
    }
    text.push('}');
    (text, starts)
}

/// A record that waits.
struct Half {
    text: String,
    line: u64,
    offset: usize,
    /// True for a request.
    asks: bool,
    /// How many were read before it.
    turn: i64,
    /// When a wrapper says that it was written.
    written_us: Option<i64>,
}

#[derive(Default)]
struct Joiner {
    joint: Option<Joint>,
    layout: Option<Layout>,
    found: Option<Collected<'static>>,
    /// Halves by their lines, and the lines by what they are named.
    waiting: BTreeMap<u64, (String, Half)>,
    named: FxHashMap<String, u64>,
    seen: Delivered,
    /// How many halves were read.
    turn: i64,
    bytes: usize,
    room: Vec<u8>,
}

impl LineReader for Joiner {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let at = skip_white(text.as_bytes(), 0);
        let record = text[at..].trim_ascii_end();
        if record.is_empty() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        if record.starts_with('{') && value_end(record.as_bytes(), 0).is_none() {
            out.skip(line.number, if line.ended { Skip::NotAMessage } else { Skip::CutOff });
            return Ok(());
        }
        let Some((name, asks)) = self.joint.as_ref().and_then(|joint| joint.read(record)) else {
            out.skip(line.number, Skip::NotAMessage);
            return Ok(());
        };
        if !self.seen.is_new(record, out) {
            out.skip(line.number, Skip::Duplicate);
            return Ok(());
        }
        let (text, offset, written_us) = (record.to_string(), line.offset as usize + at, out.wrapper_time());
        let half = Half { text, line: line.number, offset, asks, turn: self.turn, written_us };
        self.turn += 1;
        let before = self.named.remove(&name).and_then(|line| self.waiting.remove(&line)).map(|(_, half)| half);
        self.bytes -= before.as_ref().map_or(0, |half| half.text.len());
        match before {
            Some(other) if other.asks != asks => self.both(other, half, out),
            other => {
                other.into_iter().for_each(|half| self.alone(half, out));
                self.wait(name, half, out);
            }
        }
        self.found.as_mut().map_or(Ok(()), |found| found.hand_on(false, 0, out))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        for (_, half) in std::mem::take(&mut self.waiting).into_values() {
            self.alone(half, out);
        }
        self.found.as_mut().map_or(Ok(()), |found| found.hand_on(true, 0, out))
    }
}

impl Joiner {
    fn wait(&mut self, name: String, half: Half, out: &mut Out<'_>) {
        self.bytes += half.text.len();
        self.named.insert(name.clone(), half.line);
        self.waiting.insert(half.line, (name, half));
        while self.waiting.len() > WAITING.0 || self.bytes > WAITING.1 {
            let Some((_, (name, oldest))) = self.waiting.pop_first() else { break };
            self.named.remove(&name);
            self.bytes -= oldest.text.len();
            self.alone(oldest, out);
        }
    }

    fn both(&mut self, one: Half, other: Half, out: &mut Out<'_>) {
        let (request, response) = if one.asks { (one, other) } else { (other, one) };
        self.take(Some(request), Some(response), out);
    }

    fn alone(&mut self, half: Half, out: &mut Out<'_>) {
        if half.asks { self.take(Some(half), None, out) } else { self.take(None, Some(half), out) }
    }

    /// Takes what is known of an exchange.
    fn take(&mut self, request: Option<Half>, response: Option<Half>, out: &mut Out<'_>) {
        let Some(first) = request.as_ref().or(response.as_ref()) else { return };
        let Some(layout) = &self.layout else { return };
        let (joined, starts) = join(text_of_half(&request), text_of_half(&response));
        let origin = |half: &Half, at: usize| Origin { line: half.line, offset: half.offset, at };
        let own = |half: &Option<Half>, at: usize| half.as_ref().map(|half| origin(half, at));
        let [asked, answered] = [own(&request, starts[0]), own(&response, starts[1])];
        let turn = |half: &Option<Half>| half.as_ref().map(|half| half.turn);
        let (asked_in, answered_in) = (turn(&request), turn(&response));
        let turns = asked_in.or(answered_in).zip(answered_in.or(asked_in)).map(<[i64; 2]>::from);
        let found = self.found.get_or_insert_with(|| collected(layout, false));
        let (exchanges, _) = layout.exchanges(&joined, first.line, 0, out, &mut self.room);
        let mut any = false;
        for mut exchange in exchanges {
            exchange.written_us = [&request, &response].map(|half| half.as_ref()?.written_us);
            exchange.turns = turns;
            exchange.halves = asked.or(answered).zip(answered.or(asked)).map(<[Origin; 2]>::from);
            any |= found.take_owned(exchange);
        }
        if !any {
            [request, response].iter().flatten().for_each(|half| out.skip(half.line, Skip::NotAMessage));
        }
    }
}

fn text_of_half(half: &Option<Half>) -> Option<&str> {
    half.as_ref().map(|half| half.text.as_str())
}

impl Joint {
    /// The name of a record, and whether it is a request.
    fn read(&self, record: &str) -> Option<(String, bool)> {
        let texts: Option<Vec<_>> = self.name.iter().map(|path| scalar(path.member_of(record)?)).collect();
        let asks = self.verb.member_of(record).is_some() && self.status.member_of(record).is_none();
        Some((texts?.join("\u{1f}"), asks))
    }
}
