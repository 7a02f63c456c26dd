//! What log shippers and clouds export: records in JSON or CSV, each with one line of a log in a string.
//!
//! Google Cloud Logging, Loki, Fluent Bit, Elastic, Splunk, Azure, Vector, OpenTelemetry, CloudWatch, Logs Insights, Datadog
//! and the structured loggers of every language differ in names only, and the names are learned (`learn`): which string
//! holds a log that some format recognises, which scalar is its time, which tells its instances apart. Records stand
//! one a line, or in one document, at any depth (`shape`, `walk`). CSV becomes JSON, a row a record, and is read again.

mod column;
mod csv;
mod held;
mod learn;
mod named_rows;
mod order;
mod sender;
mod shape;
mod torn_rows;
mod walk;
mod whole;

#[cfg(test)]
mod tests;

pub(crate) use self::csv::Csv;

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashSet;

use self::column::{name_of, shown};
use self::held::Held;
use self::learn::{Learned, is_bare, learn, path_of};

use self::sender::{Labelled, labelled};
use self::shape::{Record, Shape};
use super::container::Joiner;
use super::nested::Readers;
use super::peeler::Peeled;
use super::{DEPTH, Inside};
use crate::capture::Skip;
use crate::capture::encoded::from_pairs;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::formats::WRAPPED;
use crate::capture::formats::wrapped::Layout;
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::plan::Order;
use crate::capture::sample::Sample;
use crate::capture::spoken::{Telling, said};
use crate::error::Result;
use crate::json::scan::{skip_white, unquoted, value_end};
use crate::json::{lenient_string, unescape};

/// An object as a line of a log: what stands on several lines is the same without their ends, which are no part of any string in it.
/// All of it stays where it stands.
fn on_one_line(object: &str) -> String {
    object.replace(['\n', '\r'], " ")
}

/// How specific a wrapper is: who keeps HTTP exchanges knows more of his records.
const SCORE: u8 = 66;

/// The same around bare messages, where records with a direction are a format of their own.
const BARE: u8 = 50;

/// Records in JSON.
pub(crate) struct JsonLog {
    inside: Inside,
}

impl JsonLog {
    /// Records around a log in any of the formats that `inside` knows.
    pub(in crate::capture) const fn around(inside: Inside) -> JsonLog {
        JsonLog { inside }
    }
}

impl Format for JsonLog {
    fn name(&self) -> &'static str {
        "json-log"
    }

    fn about(&self) -> &'static str {
        "records of a log shipper or a cloud in JSON, around a log in any other format"
    }

    fn chain(&self, sample: &Sample) -> String {
        match learn(sample, self.inside) {
            Some(Learned { inside: (format, _), peeled, .. }) => format!("json-log > {}", format.chain(&peeled)),
            None => self.name().to_string(),
        }
    }

    fn most(&self) -> u8 {
        SCORE
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let start = skip_white(sample.text().as_bytes(), 0);
        // What stands in brackets before a record is no list of records.
        let in_list = |at: usize| sample.text().as_bytes().get(skip_white(sample.text().as_bytes(), at)).copied();
        let begins = match sample.text().as_bytes().get(start) {
            Some(b'[') => matches!(in_list(start + 1), Some(b'{' | b'[')),
            first => first == Some(&b'{'),
        };
        if sample.depth >= DEPTH || !begins && !is_by_line(sample) {
            return None;
        }
        let learned = learn(sample, self.inside)?;
        let (format, found) = &learned.inside;
        // Who keeps a direction beside his messages has a wrapper of his own, also where he quotes some in a text.
        let own = || WRAPPED.detect(sample).is_some();
        let quoted = || format.name() == "text-log" && Layout::of(sample).are_most();
        let score = if (is_bare(*format) || quoted()) && own() { BARE } else { SCORE };
        let records = match learned.records {
            1 => "record".to_string(),
            records => format!("{records} records"),
        };
        let (message, reason) = (&learned.message, &found.reason);
        match message.is_empty() {
            true => Match::new(score, format!("its first {records} are those of a log; inside, {reason}")),
            false => {
                Match::new(score, format!("the string {message:?} of its first {records} is a log; inside, {reason}"))
            }
        }
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let Some(learned) = learn(sample, self.inside) else { return Reader::Ordered(Box::new(Nothing)) };
        let head = Sample::peeled(sample.text().as_bytes(), &Sample::new(b"", true, false));
        let records = Records {
            direction: learned.shape.direction().map(name_of),
            typed: learned.shape.is_typed(),
            shape: learned.shape,
            readers: Readers::new(learned.peeled, self.inside),
            head,
            telling: Vec::new(),
            asked: false,
            joiner: Joiner::default(),
            by_line: is_by_line(sample),
            held: Held::default(),
            message: String::new(),
        };
        // What takes several lines can be put together only in the order in which they were written.
        match records.by_line && !learned.backwards {
            true => Reader::Ordered(Box::new(records)),
            false => Reader::Whole(Box::new(records)),
        }
    }
}

/// Calls `give` with every scalar of a record that is no part of a message in it: its path (`kubernetes/pod/name`) and its
/// value, as written but for the quotes. Where records within a list are looked at, so is what a string holds of JSON.
pub(in crate::capture) fn scalars<'t>(record: &'t str, in_lists: bool, give: &mut dyn FnMut(String, Cow<'t, str>)) {
    for (path, value) in plain_leaves(record, in_lists) {
        if value.starts_with("\"{") && in_lists {
            let inside = lenient_string(unquoted(value));
            let mut of_path = |name: String, value: Cow<'_, str>| {
                give(format!("{}/{name}", shown(&path)), value.into_owned().into());
            };
            scalars(&inside, in_lists, &mut of_path);
        } else if value.len() <= LONGEST_KEY && !value.starts_with('{') {
            give(shown(&path), unquoted(value).into());
        }
    }
}

/// The scalars of a record that are no part of a message in it.
fn plain_leaves(record: &str, in_lists: bool) -> Vec<(walk::Path, &str)> {
    let mut all: Vec<(walk::Path, &str)> = Vec::new();
    let start = skip_white(record.as_bytes(), 0);
    walk::leaves(record, start, &[], &mut Vec::new(), &mut |path, value| all.push((path.clone(), value)));
    let envelopes: FxHashSet<walk::Path> = all.iter().filter_map(|(path, _)| walk::envelope(path)).collect();
    let is_plain = |path: &walk::Path| {
        path.iter().all(|step| match step {
            walk::PathStep::Key(key) => !key.contains('/'),
            walk::PathStep::Each => in_lists,
        })
    };
    all.retain(|(path, _)| is_plain(path) && !walk::is_part(path, &envelopes));
    all
}

/// Where the records of a text in JSON stand: the elements of lists of records that hold no such list themselves, and lines that
/// hold no more than one of them. With what holds these lists.
pub(in crate::capture) fn innermost(text: &str) -> (Vec<Range<usize>>, Vec<Around>) {
    let mut found = walk::Found::default();
    if !is_by_line(&Sample::new(text.as_bytes(), true, false)) {
        walk::records(text, skip_white(text.as_bytes(), 0), &mut Vec::new(), &mut found);
        return (found.records, found.around.iter().map(|(range, path)| Around::of(text, range, path)).collect());
    }
    let (mut start, mut all, mut around) = (0, Vec::new(), Vec::new());
    for line in text.split_inclusive('\n') {
        let whole = start..start + line.len();
        let at = skip_white(&text.as_bytes()[..whole.end], start);
        walk::records(&text[..whole.end], at, &mut Vec::new(), &mut found);
        start = whole.end;
        let walk::Found { records, around: within } = std::mem::take(&mut found);
        if records.len() < 2 {
            all.push(whole);
            continue;
        }
        around.push(Around::of(text, &whole, &Vec::new()));
        around.extend(within.iter().map(|(range, path)| Around::of(text, range, path)));
        all.extend(records);
    }
    (all, around)
}

/// What holds lists of records: where it stands, and its own scalars, each with the path to it from the top.
pub(in crate::capture) struct Around {
    /// Where it stands.
    pub range: Range<usize>,
    /// Name and value of each scalar.
    pub scalars: Vec<(String, String)>,
}

impl Around {
    fn of(text: &str, range: &Range<usize>, path: &walk::Path) -> Around {
        let (top, mut found) = (shown(path), Vec::new());
        let name = |own: String| if top.is_empty() { own } else { format!("{top}/{own}") };
        scalars(text[range.clone()].trim(), false, &mut |own, value| found.push((name(own), value.into_owned())));
        Around { range: range.clone(), scalars: found }
    }
}

/// How long a scalar may be to tell connections apart, in bytes.
const LONGEST_KEY: usize = 200;

/// How many whole records on lines of their own tell that lines are records, where the first one is broken.
const WHOLE: usize = 2;

/// True if each line is a record or a list of them: the first is a whole value, and not the only one, or was cut off and others are.
fn is_by_line(sample: &Sample) -> bool {
    let mut lines = sample.lines().filter(|line| line.starts_with(['{', '[']));
    let is_whole = |line: &str| value_end(line.as_bytes(), 0) == Some(line.len());
    let (Some(first), second) = (lines.next(), lines.next()) else { return false };
    match second {
        Some(_) if is_whole(first) => true,
        Some(second) => {
            let whole = std::iter::once(second).chain(lines).filter(|line| line.starts_with('{') && is_whole(line));
            first.starts_with('{') && first.len() > 1 && whole.take(WHOLE).count() == WHOLE
        }
        None => first.starts_with('{') && !sample.whole,
    }
}

/// Reads nothing: for a text in which nothing was found.
struct Nothing;

impl LineReader for Nothing {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        out.skip(line.number, Skip::NotAMessage);
        Ok(())
    }
}

/// Reads records.
struct Records {
    shape: Shape,
    /// The key of what tells who sent a message, where the records have it.
    direction: Option<String>,
    /// The message is an object that is spelled out with the types of its values.
    typed: bool,
    readers: Readers,
    /// The head of the text, to look up a key that the user names.
    head: Sample,
    /// What tells connections apart where no member does: what a record says around its message.
    telling: Vec<Telling>,
    asked: bool,
    /// Lines of which pieces stand in several records.
    joiner: Joiner,
    /// Each line is a record, or is passed over.
    by_line: bool,
    /// Lines whose records are not in order.
    held: Held,
    message: String,
}

impl Records {
    /// Lets the user's keys tell sources apart. Those that are members of the message, or none of the record, are left to what
    /// is inside.
    fn ask(&mut self, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.asked, true) {
            return;
        }
        let Some(keys) = out.connection_key() else { return };
        if keys.iter().any(|key| Telling::is_place(key)) {
            self.telling = keys.iter().map(|key| Telling::by(key)).collect();
            return out.look_for_key();
        }
        let paths: Vec<Option<_>> = keys.iter().map(|key| path_of(key, &self.head)).collect();
        let whole = |path: &Option<_>, key: &str| path.as_ref().map_or_else(|| key.to_string(), shown);
        let inside = paths.iter().zip(&keys).map(|(path, key)| self.shape.inside(&whole(path, key)));
        if let Some(rest) = inside.collect() {
            out.pass_key(rest);
        } else if let Some(paths) = paths.into_iter().collect() {
            out.take_key();
            self.shape.rekey(paths);
        }
    }

    /// What the record with which a text begins says around its message, where that tells connections apart.
    fn told<'t>(&self, text: &'t str, out: &mut Out<'_>) -> Option<Cow<'t, str>> {
        if self.telling.is_empty() {
            return None;
        }
        let told = said(&self.telling, &text[..value_end(text.as_bytes(), 0).unwrap_or(text.len())]);
        out.key_is_told(told.is_some());
        told
    }

    /// One record of `text`, which starts where `line` does.
    fn give(&mut self, text: &str, line: &Line<'_>, record: &Record<'_>, out: &mut Out<'_>) -> Result<()> {
        let Some(start) = record.message else { return Ok(()) };
        let (mut message, mut before) = (std::mem::take(&mut self.message), 0);
        let is_text = text[..start].ends_with('"');
        match &self.direction {
            Some(key) if is_text || self.typed => Labelled { text: message, before } = labelled(text, record, key),
            _ if is_text => drop(unescape(text, start, &mut message)),
            _ => {
                let object = &text[start..value_end(text.as_bytes(), start).unwrap_or(text.len())];
                match self.typed.then(|| from_pairs(object)).flatten() {
                    Some(plain) => message = plain,
                    None => message = on_one_line(object),
                }
            }
        }
        let name;
        let key = match record.keys {
            [Some(first), Some(second)] => {
                name = format!("{first}/{second}");
                &name
            }
            [first, second] => first.or(second).unwrap_or(""),
        };
        let told = self.told(&text[record.start..], out);
        let key = told.as_deref().unwrap_or(key);
        let (number, offset) = (line.number, (line.offset + start as u64).saturating_sub(before as u64));
        let time = record.said();
        let whole = Peeled { key, number, offset, time: &time, bytes: message.as_bytes(), ended: true };
        let (stream, readers) = (record.stream.unwrap_or(""), &mut self.readers);
        let done = self.joiner.piece(stream, &whole, !record.goes_on, &mut |peeled| readers.give(peeled, out));
        self.message = message;
        done
    }
}

impl LineReader for Records {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        self.ask(out);
        let text = line.text();
        let start = skip_white(text.as_bytes(), 0);
        if start == text.len() {
            out.skip(line.number, Skip::Blank);
            return Ok(());
        }
        let (shape, mut found) = (std::mem::take(&mut self.shape), false);
        let is_held = shape.has_lists() && *out.order() != Order::AsWritten;
        let read = shape.read(&text, start, &mut |record| {
            found = true;
            if is_held { Ok(()) } else { self.give(&text, line, record, out) }
        });
        self.shape = shape;
        let end = read?;
        if is_held && found {
            self.hold(&text, line, out)?;
        }
        if !found {
            let cut = end.is_none() && !line.ended;
            out.skip(line.number, if cut { Skip::CutOff } else { Skip::NotAMessage });
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        self.give_held(out)?;
        let readers = &mut self.readers;
        self.joiner.end(&mut |peeled| readers.give(peeled, out))?;
        readers.end(out)
    }
}
