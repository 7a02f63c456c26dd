//! Learning when exchanges started and ended: by the words of keys, and by what adds up over all examples.

use serde_json::Value;

use super::layout::{Slot, Unit, duration};
use super::learn_order::{Asked, SEVERAL, overlaps, which};
use super::path::{Path, plain};
use super::scalars::{Scalars, text_of};
use crate::capture::time::{self, SECOND, Stamp, Time};
use crate::capture::words::{self, Meaning};

const START: [&str; 9] =
    ["start", "begin", "occurred", "sentat", "requesttime", "requestedat", "requestat", "arrived", "requesttimestamp"];
const END: [&str; 8] = ["end", "finish", "complet", "done", "stop", "responsetime", "respondedat", "responseat"];
/// When a record was written is later than what it tells.
const WRITTEN: [&str; 5] = ["recorded", "logged", "written", "ingest", "emitted"];
const DURATION: [&str; 10] = [
    "duration",
    "latency",
    "latencies",
    "elapsed",
    "took",
    "responsetime",
    "totaltime",
    "timetaken",
    "processingtime",
    "requesttime",
];
/// Those of them under which no number counts from the epoch.
const SPAN: [&str; 7] = ["duration", "latency", "latencies", "elapsed", "took", "timetaken", "processingtime"];
/// Parts of the whole.
const PARTS: [&str; 8] = ["upstream", "kong", "proxy", "apisix", "backend", "queue", "connect", "limit"];

/// Headers of HTTP that are dates: what a peer says, in whole seconds and perhaps from a cache, and not when a record's
/// exchange was.
const HEADERS: [&str; 4] = ["date", "expires", "lastmodified", "modifiedsince"];

/// A path with the times of its values, in the order of the examples.
struct Times<'p> {
    path: &'p Path,
    key: String,
    read: Vec<Time>,
    us: Vec<i64>,
    /// What its numbers count, where that is finer than milliseconds.
    counts: Option<Unit>,
}

/// How long exchanges took.
struct Long {
    path: Path,
    unit: Unit,
    us: Vec<i64>,
    /// False where the unit is a guess that its numbers leave open.
    certain: bool,
}

/// The places of start, end and duration.
pub(super) struct Timed {
    pub(super) places: Vec<(Slot, Path)>,
    /// Unit of the duration.
    pub(super) unit: Unit,
    /// False where it is a guess whether a time is the start or the end.
    pub(super) certain: bool,
}

/// Learns them from the scalars that stand beside the bodies; `asked` gives what the requests tell of their order.
pub(super) fn times(
    scalars: &Scalars<'_>,
    request: &Path,
    response: Option<&Path>,
    asked: impl FnOnce() -> Asked,
) -> Timed {
    let mut all: Vec<Times<'_>> = scalars.iter().filter_map(|(path, values)| read(path, values)).collect();
    if !all.iter().all(|one| is_header(one.path)) {
        all.retain(|one| !is_header(one.path));
    }
    let coarse: Vec<bool> = all.iter().map(|one| all.iter().any(|other| is_refined(one, other))).collect();
    let mut coarse = coarse.into_iter();
    all.retain(|_| !coarse.next().unwrap_or_default());
    let long = durations(scalars, &all);
    retain_roomy(&mut all, long.as_ref());
    // Of two times as good, the earlier one: whoever ships a record stamps it later.
    all.sort_by_cached_key(Times::mean_us);
    let side = |path: &Path| side_of(path, request, response);
    let pick = |fits: &dyn Fn(&Times<'_>) -> Option<usize>| {
        let ranked = all.iter().filter_map(|one| Some(((fits(one)?, one.path.0.len()), one)));
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, one)| one)
    };
    let named = |key: &str, words: &[&str]| words.iter().any(|word| key.contains(word));
    let start = pick(&|one| match side(one.path) {
        Some(Slot::Response) => None,
        // When a response began is no start, where another one is told.
        side if named(&one.key, &START) => {
            Some(usize::from(side.is_none()) + 3 * usize::from(one.is_of(Slot::Response)))
        }
        Some(_) if !named(&one.key, &END) => Some(2),
        _ => None,
    });
    let end = pick(&|one| match side(one.path) {
        Some(Slot::Request) => None,
        Some(_) => Some(usize::from(!named(&one.key, &END))),
        None if named(&one.key, &WRITTEN) => None,
        None => named(&one.key, &END).then_some(2 + usize::from(one.is_of(Slot::Request))),
    });
    let end = end.filter(|end| start.is_none_or(|start| follows(start, end)));
    let neutral = neutral(&all, request, response);
    // Around the one that a record has of itself, another one is of who shipped it.
    let is_around = |one: &Times<'_>| neutral.is_some_and(|own| one.near(request) < own.near(request));
    let written = pick(&|one| (named(&one.key, &WRITTEN) && !is_around(one)).then_some(0));
    let at = |slot: Slot, one: &Times<'_>| (slot, one.path.clone());
    let unit = long.as_ref().map_or(Unit::Ms, |long| long.unit);
    let with_long = |known: (Slot, Path)| {
        let mut found = vec![known];
        found.extend(long.as_ref().map(|long| (Slot::Duration, long.path.clone())));
        found
    };
    let own_end = |start: &Times<'_>, own: &Times<'_>| {
        long.is_none() && response.is_some() && !named(&own.key, &WRITTEN) && is_later(start, own)
    };
    let (mut certain, two) = (long.as_ref().is_none_or(|long| long.certain), two(&all));
    let places = match (start, end, neutral) {
        (Some(start), Some(end), _) => vec![at(Slot::Start, start), at(Slot::End, end)],
        // What a record with an answer says of itself, and is later than its request, is when that was done.
        (Some(start), None, Some(own)) if own_end(start, own) => vec![at(Slot::Start, start), at(Slot::End, own)],
        (Some(start), None, _) => with_long(at(Slot::Start, start)),
        (None, Some(end), _) if long.is_some() => with_long(at(Slot::End, end)),
        (None, Some(end), Some(other)) if follows(other, end) => vec![at(Slot::Start, other), at(Slot::End, end)],
        (None, Some(end), _) => vec![at(Slot::End, end)],
        (None, None, _) if long.is_some() && written.is_some() => {
            written.map(|written| with_long(at(Slot::End, written))).unwrap_or_default()
        }
        (None, None, _) if long.is_none() && two.is_some() => {
            two.map(|(start, end)| vec![at(Slot::Start, start), at(Slot::End, end)]).unwrap_or_default()
        }
        (None, None, Some(other)) => match &long {
            Some(long) => {
                let (slot, sure) = which(&other.us, &long.us, other.step_us(), &asked());
                certain &= sure;
                with_long(at(slot, other))
            }
            None => vec![at(Slot::Start, other)],
        },
        (None, None, None) => written.map(|written| vec![at(Slot::Start, written)]).unwrap_or_default(),
    };
    // Where start and end are told, a duration says nothing more.
    certain |= !places.iter().any(|(slot, _)| *slot == Slot::Duration);
    Timed { places, unit, certain }
}

/// The time of a record that is neither beside its request nor beside its response.
fn neutral<'a, 'p>(all: &'a [Times<'p>], request: &Path, response: Option<&Path>) -> Option<&'a Times<'p>> {
    let stamp = |one: &Times<'_>| {
        let side = side_of(one.path, request, response);
        let rank = match words::meaning(&one.key) {
            Some((Meaning::Time, rank)) if side.is_none() => rank,
            _ if one.key.ends_with("time") || one.key.ends_with("timestamp") => 50,
            // What reads as a date in every record is a time, whatever it is called (`ts_ns`, `msec`).
            _ => side.is_none().then_some(UNNAMED)?,
        };
        let named = rank < UNNAMED && !WRITTEN.iter().any(|word| one.key.contains(word));
        Some(Stamp { times: one.read.clone(), near: one.near(request), named, rank: (rank, one.path.0.len()) })
    };
    let (found, stamps): (Vec<_>, Vec<_>) = all.iter().filter_map(|one| Some((one, stamp(one)?))).unzip();
    time::own(&stamps).map(|at| found[at])
}

/// Rank of a time whose key does not speak of one.
const UNNAMED: usize = 100;

impl Times<'_> {
    fn mean_us(&self) -> i128 {
        self.us.iter().map(|us| i128::from(*us)).sum::<i128>() / self.us.len().max(1) as i128
    }

    /// How coarse they are.
    fn step_us(&self) -> i64 {
        self.read.iter().map(|time| time.resolution_us).max().unwrap_or(1)
    }

    /// How many of the objects around a body it stands in.
    fn near(&self, body: &Path) -> usize {
        self.path.0.iter().zip(&body.0).take_while(|(a, b)| a == b).count()
    }

    /// True if its key speaks of one half of the exchange.
    fn is_of(&self, half: Slot) -> bool {
        let word = if half == Slot::Request { "request" } else { "response" };
        self.key.starts_with(word)
    }
}

/// The only two times, where one is never before the other.
fn two<'a, 'p>(all: &'a [Times<'p>]) -> Option<(&'a Times<'p>, &'a Times<'p>)> {
    let [one, other] = all else { return None };
    match () {
        () if is_later(one, other) => Some((one, other)),
        () if is_later(other, one) => Some((other, one)),
        () => None,
    }
}

/// True where the second time is never before the first, and not always the same.
fn is_later(start: &Times<'_>, end: &Times<'_>) -> bool {
    follows(start, end) && start.us != end.us
}

fn read<'p>(path: &'p Path, values: &[&Value]) -> Option<Times<'p>> {
    let texts: Vec<String> = values.iter().map(|value| text_of(value)).collect();
    if is_span(path) && texts.iter().all(|text| text.parse::<f64>().is_ok()) {
        return None;
    }
    let read: Vec<Time> =
        texts.iter().map(|text| time::parse(text).filter(|time| time.dated)).collect::<Option<Vec<Time>>>()?;
    let us = read.iter().map(|time| time.us).collect();
    let mut key = path.plain_key();
    if matches!(key.as_str(), "us" | "ms" | "ns" | "s" | "seconds") {
        key = path.0.iter().rev().nth(1).map_or(key, |parent| plain(parent));
    }
    let digits =
        |count: usize| texts.iter().all(|text| text.len() == count && text.bytes().all(|b| b.is_ascii_digit()));
    let counts = [(16, Unit::Us), (19, Unit::Ns)].into_iter().find(|(count, _)| digits(*count)).map(|(_, unit)| unit);
    Some(Times { path, key, read, us, counts })
}

/// True if one time is another in whole seconds (nginx's `$time_iso8601` beside its `$msec`): the other tells more.
fn is_refined(whole: &Times<'_>, finer: &Times<'_>) -> bool {
    // A few that are written with a fraction may be whole by chance.
    let may_be = |one: &Times<'_>| one.us.len() >= SEVERAL || one.read.iter().all(|time| time.resolution_us >= SECOND);
    let is_whole = |one: &Times<'_>| may_be(one) && one.us.iter().all(|us| us % SECOND == 0);
    let agree = |(whole, finer): (&i64, &i64)| (0..SECOND).contains(&(finer - whole));
    is_whole(whole)
        && finer.us.iter().any(|us| us % SECOND != 0)
        && whole.us.len() == finer.us.len()
        && whole.us.iter().zip(&finer.us).all(agree)
}

/// True if a path leads to a header of HTTP.
fn is_header(path: &Path) -> bool {
    let all: String = path.0.iter().map(|key| plain(key)).collect();
    // The first of its values, where a record lists them.
    let all = all.trim_end_matches('0');
    let before = HEADERS.iter().find_map(|header| all.strip_suffix(header));
    before.is_some_and(|before| before.ends_with("if") || before.ends_with("header") || before.ends_with("headers"))
}

/// Which body a path stands beside: what it shares with one and not with the other.
fn side_of(path: &Path, request: &Path, response: Option<&Path>) -> Option<Slot> {
    let shared = |other: &Path| path.0.iter().zip(&other.0).take_while(|(a, b)| a == b).count();
    let (with_request, with_response) = (shared(request), response.map_or(0, shared));
    match with_request.cmp(&with_response) {
        std::cmp::Ordering::Greater => Some(Slot::Request),
        std::cmp::Ordering::Less => Some(Slot::Response),
        std::cmp::Ordering::Equal => None,
    }
}

fn follows(start: &Times<'_>, end: &Times<'_>) -> bool {
    start.us.len() == end.us.len() && start.us.iter().zip(&end.us).all(|(start, end)| start <= end)
}

/// The longest of the durations, which is that of the whole.
fn durations(scalars: &Scalars<'_>, times: &[Times<'_>]) -> Option<Long> {
    let mut best: Option<Long> = None;
    for (path, values) in scalars {
        let words: Vec<String> = path.0.iter().rev().take(2).map(|key| plain(key)).collect();
        let is = |list: &[&str]| words.iter().any(|word| list.iter().any(|known| word.contains(known)));
        if !is(&DURATION) || PARTS.iter().any(|part| words[0].contains(part)) {
            continue;
        }
        let Some(found) = long(path, values, times) else { continue };
        if best.as_ref().is_none_or(|known| found.us.iter().sum::<i64>() > known.us.iter().sum()) {
            best = Some(found);
        }
    }
    best
}

/// The durations at a path: the unit is that of its key, else what the times beside it count, else one that its numbers
/// look like. `None` for what counts from the epoch.
fn long(path: &Path, values: &[&Value], times: &[Times<'_>]) -> Option<Long> {
    let texts: Vec<String> = values.iter().map(|value| text_of(value)).collect();
    let read = |unit: Unit| texts.iter().map(|text| duration(text, unit)).collect::<Option<Vec<i64>>>();
    let known = unit_of(path).or_else(|| times.iter().find_map(|one| one.counts));
    if let Some(unit) = known {
        return Some(Long { path: path.clone(), unit, us: read(unit)?, certain: true });
    }
    let (unit, certain) = looks_like(&texts, is_span(path))?;
    let us = read(unit)?;
    let crowded = |shrink: i64| !times.is_empty() && times.iter().all(|one| is_crowded(one, &us, shrink));
    let too_long = crowded(1) && !crowded(1_000_000);
    let certain = certain && !too_long;
    Some(Long { path: path.clone(), unit, us, certain })
}

/// Where a time leaves exchanges the room that they take, those that do not are when records were shipped.
fn retain_roomy(all: &mut Vec<Times<'_>>, long: Option<&Long>) {
    let Some(long) = long.filter(|long| long.certain) else { return };
    let crowded: Vec<bool> = all.iter().map(|one| is_crowded(one, &long.us, 1)).collect();
    let roomy = all.iter().zip(&crowded).any(|(one, crowded)| one.us.len() == long.us.len() && !crowded);
    let mut crowded = crowded.into_iter();
    all.retain(|_| !crowded.next().unwrap_or_default() || !roomy);
}

/// True if most exchanges would begin before an earlier one has ended, whether the time is their start or their end.
fn is_crowded(time: &Times<'_>, long: &[i64], shrink: i64) -> bool {
    let spans = |ends: bool| {
        let moved = |(at, long): (&i64, &i64)| if ends { at - long / shrink } else { at + long / shrink };
        let other: Vec<i64> = time.us.iter().zip(long).map(moved).collect();
        if ends { overlaps(&other, &time.us) } else { overlaps(&time.us, &other) }
    };
    time.us.len() == long.len() && spans(false).min(spans(true)) * 2 > long.len()
}

/// True for a key of how long something took.
fn is_span(path: &Path) -> bool {
    let key = path.plain_key();
    SPAN.iter().any(|known| key.contains(known))
}

/// The unit that the key of a duration tells.
fn unit_of(path: &Path) -> Option<Unit> {
    let key = path.0.last()?.to_ascii_lowercase();
    // Elastic's schema of events counts nanoseconds.
    if path.0.iter().map(|key| plain(key)).collect::<String>().ends_with("eventduration") {
        return Some(Unit::Ns);
    }
    let ends = |list: &[&str]| list.iter().any(|end| key.ends_with(end));
    match () {
        () if ends(&["ns", "nanos", "nanoseconds", "nanosecond"]) => Some(Unit::Ns),
        () if ends(&["us", "micros", "microseconds", "microsecond", "usec"]) && !key.ends_with("status") => {
            Some(Unit::Us)
        }
        () if ends(&["ms", "millis", "milliseconds", "millisecond", "msec"]) => Some(Unit::Ms),
        () if ends(&["_s", "-s", "sec", "secs", "seconds", "second"]) || key == "s" => Some(Unit::S),
        () => None,
    }
}

/// The unit that numbers look like, and whether they leave no other: `None` for what counts from the epoch.
fn looks_like(texts: &[String], is_span: bool) -> Option<(Unit, bool)> {
    let mut numbers: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    // As milliseconds it would be more than a day.
    if numbers.iter().any(|number| *number >= 1e8) {
        return is_span.then_some((Unit::Ns, true));
    }
    // Seconds as nginx writes them.
    if texts.iter().all(|text| text.split_once('.').is_some_and(|(_, behind)| behind.len() == 3)) {
        return Some((Unit::S, true));
    }
    numbers.sort_by(f64::total_cmp);
    let Some(middle) = numbers.get(numbers.len() / 2) else { return Some((Unit::Ms, true)) };
    match numbers.iter().any(|number| number.fract() != 0.0) {
        true if *middle < 1.0 => Some((Unit::S, true)),
        has_parts => Some((Unit::Ms, (*middle > FEW || !has_parts) && *middle < MANY)),
    }
}

/// So many milliseconds are more than half an hour: they may be micro- or nanoseconds.
const MANY: f64 = 2e6;

/// Numbers with parts that are no more than this may be seconds as well as milliseconds.
const FEW: f64 = 20.0;
