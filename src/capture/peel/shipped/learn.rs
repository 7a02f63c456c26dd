//! Learning the shape of an export from its head: which string holds a log, which scalar is its time.
//!
//! Nothing here knows a vendor. A string member is the message if a format recognises what the strings of all records
//! together say; names that shippers use are tried first, and of the rest the longest. The time is a scalar that reads as
//! one in every record; a name that speaks of receiving or indexing counts less.

use rustc_hash::{FxHashMap, FxHashSet};

use super::column::{Column, name_of, shown};
use super::order::{in_order, newest_first};
use super::sender::{labelled, sender};
use super::shape::Shape;
use super::walk::{Path, PathStep, is_known, is_part, is_typed, leaves, versioned};
use super::{is_by_line, on_one_line};
use crate::capture::encoded::from_pairs;
use crate::capture::format::{Format, Match};
use crate::capture::formats::WRAPPED;
use crate::capture::formats::wrapped::Layout;
use crate::capture::peel::Inside;
use crate::capture::sample::Sample;
use crate::capture::time::{self, Stamp, Time, own};
use crate::capture::words::{Meaning, counts_nanoseconds, counts_seconds, instance, meaning, time_key};
use crate::json::listed::elements;
use crate::json::scan::{skip_white, value_end};
use crate::json::unescape;

/// How many records are looked at.
const RECORDS: usize = 200;

/// How many strings are tried as the message.
const TRIED: usize = 6;

/// What was learned.
#[derive(Clone)]
pub(super) struct Learned {
    pub shape: Shape,
    /// The head of the log inside.
    pub peeled: Sample,
    /// The format of it, and why.
    pub inside: (&'static dyn Format, Match),
    /// How many records were looked at.
    pub records: usize,
    /// Path of the message, for the reason.
    pub message: String,
    /// True if the records stand newest first.
    pub backwards: bool,
}

/// What the head of a text tells, which is learned once of each; nothing where no string of it is a log.
pub(super) fn learn(sample: &Sample, inside: Inside) -> Option<Learned> {
    Option::clone(&sample.learned(|sample| learned(sample, inside)))
}

fn learned(sample: &Sample, around: Inside) -> Option<Learned> {
    let known = around.members(sample);
    let (columns, records) = columns(sample.text(), &known);
    let (message, peeled, inside) = message(&columns, records, sample, &known, around)?;
    let chosen = &columns[message];
    let near = |column: &&Column| is_near(column, chosen);
    let time = time_beside(&columns, chosen);
    let backwards = time.is_some_and(goes_back);
    let key = columns.iter().filter(near).filter_map(|column| Some((instance(&column.long_name())?, column)));
    let key = key.min_by_key(|(rank, _)| *rank);
    let shape = Shape::new(
        chosen.path.clone(),
        time.map(|column| column.path.clone()),
        key.map(|(_, column)| column.path.clone()).into_iter().collect(),
    );
    let shape = shape.refined(time.and_then(|time| nanos_beside(&columns, time)));
    let beside = |name: &str| columns.iter().filter(near).find(|column| column.name() == name);
    let stream = beside("stream").map(|column| column.path.clone());
    let shape = shape.in_pieces(pieces(beside).map(|(column, goes_on)| (column.path.clone(), goes_on)), stream);
    let message = shown(&chosen.path);
    // Who keeps a direction beside his messages in a line is read as such, and so is a record inside that says it of itself.
    let says_itself = || Layout::learn(peeled.text().lines()).direction_key.is_some();
    // An object is read as it stands, but for one that is spelled out with types.
    let has_plain_text = !chosen.is_object() || shape.is_typed();
    let may_be_told = is_bare(inside.0) && has_plain_text && WRAPPED.detect(sample).is_none() && !says_itself();
    let near = columns.iter().filter(near).filter(|_| may_be_told);
    if let Some(found) = sender(near, |path, key| lines(sample.text(), &shape.directed(path), key)) {
        let peeled = Sample::peeled(found.lines.join("\n").as_bytes(), sample);
        if let Some((format, told)) = around.of(&peeled) {
            let (inside, shape) = ((format, Match { reason: found.told, ..told }), shape.directed(found.path));
            return Some(Learned { shape, peeled, inside, records, message, backwards });
        }
    }
    Some(Learned { shape, peeled, inside, records, message, backwards })
}

/// What tells that a line goes on in the next record, and what it says there: the tags of the container runtime interface, as Fluent Bit's
/// parser calls them, and what Docker's drivers and Vector put beside pieces.
const PIECES: [(&str, &str); 5] = [
    ("logtag", "P"),
    ("partial_last", "false"),
    ("partial_message", "true"),
    ("CONTAINER_PARTIAL_MESSAGE", "true"),
    ("_partial", "true"),
];

/// The scalar that tells pieces of a line, and what says that it goes on.
fn pieces<'c>(beside: impl Fn(&str) -> Option<&'c Column>) -> Option<(&'c Column, &'static str)> {
    let mut all = PIECES.iter().filter_map(|(name, goes_on)| Some((beside(name)?, *goes_on)));
    // Long lines may come late, and `F` alone is a tag of pieces, too.
    all.find(|(column, goes_on)| column.values.iter().any(|value| value == goes_on || *goes_on == "P" && value == "F"))
}

/// True for a format that reads bare messages, or a wrapper's.
pub(super) fn is_bare(format: &dyn Format) -> bool {
    format.name() == "ndjson" || format.name() == WRAPPED.name()
}

/// True if a scalar at `path` says something of the records that are at `record`: it stands in them or around them.
fn holds_for(path: &Path, record: &Path) -> bool {
    match path.iter().rposition(|step| *step == PathStep::Each) {
        Some(last) => record.starts_with(&path[..=last]),
        None => true,
    }
}

/// True for another scalar of the records that have the `chosen` one.
fn is_near(column: &Column, chosen: &Column) -> bool {
    holds_for(&column.path, &chosen.path) && column.path != chosen.path
}

/// The time of the records that have the `chosen` scalar: of several that read as one, what is called so.
fn time_beside<'c>(columns: &'c [Column], chosen: &Column) -> Option<&'c Column> {
    // What stands around a list is told once for all of its records.
    let last = chosen.path.iter().rposition(|step| *step == PathStep::Each);
    let is_around = |column: &Column| last.is_some_and(|last| !column.path.starts_with(&chosen.path[..=last]));
    let near = columns.iter().filter(|column| is_near(column, chosen));
    let near = near.filter(|column| is_around(column) || column.values.len() * 10 >= chosen.values.len());
    let timed: Vec<(&Column, Stamp)> = near.filter_map(|column| Some((column, stamp(column, chosen)?))).collect();
    let (columns, stamps): (Vec<&Column>, Vec<Stamp>) = timed.into_iter().unzip();
    own(&stamps).map(|at| columns[at])
}

/// Goes through the first values of a text: `take` gives the byte after the one at a byte. Gives how many there are.
fn values(text: &str, take: &mut dyn FnMut(usize) -> Option<usize>) -> usize {
    let (mut count, mut others, mut at) = (0, 0, 0);
    loop {
        at = skip_white(text.as_bytes(), at);
        if text.as_bytes().get(at) == Some(&b',') {
            at = skip_white(text.as_bytes(), at + 1);
        }
        // What a program prints before its logger is set up, or beside it.
        if others < RECORDS
            && matches!(text.as_bytes().get(at), Some(byte) if !b"{[]".contains(byte))
            && let Some(length) = memchr::memchr(b'\n', &text.as_bytes()[at..])
        {
            (at, others) = (at + length + 1, others + 1);
            continue;
        }
        if !matches!(text.as_bytes().get(at), Some(b'{' | b'[')) || count >= RECORDS {
            return count;
        }
        count += 1;
        let Some(end) = take(at) else { return count };
        at = end;
    }
}

/// The scalars of the first records, and how many there are.
fn columns(text: &str, known: &[&[String]]) -> (Vec<Column>, usize) {
    let (mut columns, mut room): (Vec<Column>, String) = (Vec::new(), String::new());
    let mut places: FxHashMap<Path, usize> = FxHashMap::default();
    let records = values(text, &mut |at| {
        if is_head(text, at) {
            return value_end(text.as_bytes(), at);
        }
        leaves(text, at, known, &mut Vec::new(), &mut |path, written| {
            let is_text = written.starts_with('"');
            if is_text {
                unescape(written, 1, &mut room);
            }
            let typed = match written.starts_with('{') {
                true if is_typed(path) => from_pairs(written),
                true => Some(on_one_line(written)),
                false => None,
            };
            let value = typed.as_deref().unwrap_or(if is_text { &room } else { written });
            match places.get(path).and_then(|at| columns.get_mut(*at)) {
                Some(column) if column.values.len() < RECORDS => column.values.push(value.to_string()),
                Some(_) => {}
                None => {
                    places.insert(path.clone(), columns.len());
                    columns.push(Column { path: path.clone(), values: vec![value.to_string()], is_text });
                }
            }
        })
    });
    (columns, records)
}

/// True for the names or the types of the columns, as ClickHouse puts them before rows that are lists
/// (`JSONCompactEachRowWithNames`): a row has no times and no objects there.
fn is_head(text: &str, at: usize) -> bool {
    if text.as_bytes()[at] != b'[' {
        return false;
    }
    let mut words = 0;
    let whole = elements(text, at, &mut |at| {
        let end = value_end(text.as_bytes(), at)?;
        let word = text[at..end].strip_prefix('"')?.strip_suffix('"')?;
        let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.contains(['{', '"', '\\']);
        words += 1;
        (is_word && time::parse(word).is_none()).then_some(end)
    });
    whole.is_some() && words > 1
}

/// The first records of a text as a shape has them, in the order of their times, each as a line with who sent it.
fn lines(text: &str, shape: &Shape, key: &str) -> Vec<String> {
    let mut found: Vec<(i64, String)> = Vec::new();
    values(text, &mut |at| {
        // Nothing in here fails.
        let read = shape.read(text, at, &mut |record| {
            found.push((record.at_us(), labelled(text, record, key).text));
            Ok(())
        });
        read.unwrap_or(None)
    });
    in_order(&mut found, |(at_us, _)| *at_us);
    found.into_iter().map(|(_, line)| line).collect()
}

type Found = (&'static dyn Format, Match);

/// The string that holds a log: the one whose format is told with the most certainty.
fn message(
    columns: &[Column],
    records: usize,
    sample: &Sample,
    known: &[&[String]],
    inside: Inside,
) -> Option<(usize, Sample, Found)> {
    let rank = |column: &Column| match meaning(&column.name()) {
        Some((Meaning::Message, rank)) => rank,
        _ => usize::MAX,
    };
    let length = |column: &Column| column.values.iter().map(String::len).sum::<usize>() / column.values.len();
    // What stands in a message was said in it, and is no log around messages.
    let envelopes: FxHashSet<Path> = columns.iter().filter_map(|column| versioned(&column.path)).collect();
    // A list on a line is one of records, unless it is one of messages: that is a batch.
    let of_emitter = |column: &Column| column.is_object() && is_known(&column.values[0], known);
    let is_batch = |column: &Column| {
        let may_be = || !is_by_line(sample) && !of_emitter(column);
        column.path == [PathStep::Each] && (envelopes.contains(&column.path) || may_be())
    };
    // A record on a line is read as it stands there.
    let is_line = |column: &Column| column.path.is_empty() && starts_with_whole_line(sample);
    let is_said = |column: &Column| is_part(&column.path, &envelopes) || is_batch(column) || is_line(column);
    let mut candidates: Vec<usize> = (0..columns.len())
        .filter(|at| !is_said(&columns[*at]))
        .filter(|at| columns[*at].varies() || records == 1)
        // A message as a string of JSON within a string is no log of lines: a wrapper's reader has it.
        .filter(|at| !columns[*at].values.iter().all(|value| value.starts_with("\"{\\\"")))
        .filter(|at| columns[*at].values.iter().any(|value| value.len() > 16 && value.contains([' ', '{', '('])))
        .collect();
    candidates.retain(|at| columns[*at].is_text || columns[*at].is_object());
    candidates
        .sort_by_key(|at| (columns[*at].is_object(), rank(&columns[*at]), std::cmp::Reverse(length(&columns[*at]))));
    let mut best: Option<(usize, Sample, Found)> = None;
    let objects = candidates.split_off(candidates.partition_point(|at| !columns[*at].is_object()));
    candidates.truncate(TRIED);
    for at in candidates.into_iter().chain(objects) {
        let mut values: Vec<&str> = columns[at].values.iter().map(String::as_str).collect();
        // A number of the record may read as a time, too, and goes back where it likes.
        if time_beside(columns, &columns[at]).is_some_and(is_backwards) {
            values.reverse();
        }
        let text: String = values.into_iter().flat_map(|value| [value.trim_end_matches('\n'), "\n"]).collect();
        let peeled = Sample::peeled(text.as_bytes(), sample);
        // An object around a log of strings is no record of a log itself.
        let is_record = |found: &Found| !columns[at].is_object() || !found.0.chain(&peeled).contains(" > ");
        if let Some(found) = inside.of(&peeled).filter(is_record)
            && best.as_ref().is_none_or(|(_, _, (_, before))| found.1.score > before.score)
        {
            best = Some((at, peeled, found));
        }
    }
    best
}

/// True if the first record of a text is all of its line.
fn starts_with_whole_line(sample: &Sample) -> bool {
    let first = sample.lines().find(|line| line.starts_with('{'));
    first.is_some_and(|line| value_end(line.as_bytes(), 0).is_some())
}

/// True if the first time is behind the last: the log inside is learned in its own order.
fn is_backwards(column: &Column) -> bool {
    let at = |value: Option<&String>| value.and_then(|value| time::parse(value)).map(|time| time.us);
    at(column.values.first()) > at(column.values.last())
}

/// True if the times of the records go back, one after the other.
fn goes_back(column: &Column) -> bool {
    let times: Vec<i64> = column.values.iter().filter_map(|value| Some(time::parse(value)?.us)).collect();
    newest_first(times.into_iter())
}

/// A scalar as a time of the records that have the `chosen` one; nothing where it is none.
fn stamp(column: &Column, chosen: &Column) -> Option<Stamp> {
    let times: Option<Vec<Time>> = column.values.iter().map(|value| time::parse(value)).collect();
    let times = times.filter(|times| !times.is_empty())?;
    let rank = time_key(&called(column)).or_else(|| (column.is_text || column.varies()).then_some(UNNAMED))?;
    let near = column.path.iter().zip(&chosen.path).take_while(|(a, b)| a == b).count();
    Some(Stamp { times, near, named: rank < UNNAMED, rank: (rank, column.path.len()) })
}

/// What a time is called: what stands around its seconds, where it has them apart.
fn called(column: &Column) -> String {
    match column.path.split_last() {
        Some((_, around)) if !around.is_empty() && counts_seconds(&column.name()) => name_of(&around.to_vec()),
        _ => column.name(),
    }
}

/// Where the nanoseconds stand that belong to the seconds at a place.
fn nanos_beside(columns: &[Column], seconds: &Column) -> Option<Path> {
    let (_, around) = seconds.path.split_last().filter(|_| counts_seconds(&seconds.name()))?;
    let is_beside = |column: &&Column| column.path.split_last().is_some_and(|(_, other)| other == around);
    let found = columns.iter().filter(is_beside).find(|column| counts_nanoseconds(&column.name()))?;
    let within = |value: &String| value.len() <= 9 && value.bytes().all(|byte| byte.is_ascii_digit());
    found.values.iter().all(within).then(|| found.path.clone())
}

/// Rank of a time whose key does not speak of one.
const UNNAMED: usize = 100;

/// A path that the user gives: `kubernetes/pod/name`, `/kubernetes/pod/name`, or just the last keys of it where the log
/// has one such member.
pub(super) fn path_of(key: &str, sample: &Sample) -> Option<Path> {
    let (columns, _) = columns(sample.text(), &[]);
    let wanted = key.trim_matches('/');
    let exact = columns.iter().find(|column| shown(&column.path) == wanted);
    let ends = |column: &&Column| {
        let path = shown(&column.path);
        path.strip_suffix(wanted).is_some_and(|head| head.is_empty() || head.ends_with('/'))
            || path.replace('/', ".") == wanted
            || path.replace('/', ".").ends_with(&format!(".{wanted}"))
    };
    // A table has the heads of its columns under the same numbers as its rows.
    let varies = || columns.iter().find(|column| ends(column) && column.varies());
    exact.or_else(varies).or_else(|| columns.iter().find(ends)).map(|column| column.path.clone())
}
