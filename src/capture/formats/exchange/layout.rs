//! Where a record keeps what.

use std::borrow::Cow;

use super::body::{headers_of, part};
use super::claim::is_name;
use super::nested::outermost;
use super::opened::opened;
use super::path::{Path, Row, Said, Tree};
use super::{Exchange, Origin, Part};
use crate::capture::Vantage;
use crate::capture::events::is_event_stream;
use crate::capture::formats::document::{Elements, content};
use crate::capture::out::Out;
use crate::capture::time::{self, Time};
use crate::json::scan::members;

/// What a value of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::capture) enum Slot {
    /// Body of the request.
    Request,
    /// Body of the response.
    Response,
    /// Method of HTTP.
    Verb,
    /// Where the request went.
    Url,
    /// Status of the response.
    Status,
    /// The MCP session: a name, or headers as one text.
    Session,
    /// What else tells connections apart; all of these together.
    Key,
    /// When the request was sent.
    Start,
    /// When the response began.
    FirstByte,
    /// When the response ended.
    End,
    /// From one to the other.
    Duration,
    /// True where the request's body was cut.
    RequestCut,
    /// True where the response's body was cut.
    ResponseCut,
}

/// The unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture) enum Unit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
}

impl Unit {
    fn us(self, number: f64) -> f64 {
        match self {
            Unit::S => number * 1e6,
            Unit::Ms => number * 1e3,
            Unit::Us => number,
            Unit::Ns => number / 1e3,
        }
    }
}

/// Where records keep their parts.
#[derive(Clone, Debug)]
pub(in crate::capture) struct Layout {
    places: Vec<(Slot, Path)>,
    /// Which of the places hold what.
    by_slot: [Vec<usize>; Slot::ResponseCut as usize + 1],
    tree: Tree,
    /// Unit of a duration that does not tell its own.
    pub unit: Unit,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// False where it is a guess which of start and end a time is.
    pub certain: bool,
    /// Strings that hold a part of the record as JSON.
    pub(super) opened: Vec<Path>,
    /// Keys that every record with a body has beside it: one that has them, too, left its bodies out.
    pub marks: Vec<Box<str>>,
    /// True where a response is kept piece by piece, and a piece may be left out without a mark.
    pub(in crate::capture) in_pieces: bool,
}

impl Layout {
    /// A layout; of several paths for one thing, the first that has a value counts.
    pub(in crate::capture) fn new(places: Vec<(Slot, Path)>, unit: Unit, vantage: Vantage) -> Layout {
        let is_body = |slot: Slot| matches!(slot, Slot::Request | Slot::Response);
        let tree = Tree::new(places.iter().map(|(slot, path)| (path, is_body(*slot))));
        let mut by_slot = std::array::from_fn(|_| Vec::new());
        places.iter().enumerate().for_each(|(at, (slot, _)): (usize, &(Slot, Path))| by_slot[*slot as usize].push(at));
        let (opened, marks) = (Vec::new(), Vec::new());
        Layout { places, by_slot, tree, unit, vantage, certain: true, opened, marks, in_pieces: false }
    }

    /// The paths of one thing.
    pub(in crate::capture) fn paths(&self, slot: Slot) -> impl Iterator<Item = &Path> {
        self.places.iter().filter(move |(known, _)| *known == slot).map(|(_, path)| path)
    }

    /// The places, in their order.
    pub(super) fn places(&self) -> &[(Slot, Path)] {
        &self.places
    }

    /// True if the time at which an exchange ended is known.
    pub(super) fn knows_end(&self) -> bool {
        let has = |slot| self.paths(slot).next().is_some();
        self.certain && (has(Slot::End) || has(Slot::FirstByte) || has(Slot::Start) && has(Slot::Duration))
    }

    /// The exchanges in a record that starts at byte `offset` of the text it is read from, and whether the record ends. `room` is used
    /// for reading it, and may be used again.
    pub(super) fn exchanges<'t>(
        &self,
        text: &'t str,
        line: u64,
        offset: usize,
        out: &Out<'_>,
        room: &mut Vec<u8>,
    ) -> (Vec<Exchange<'t>>, bool) {
        if self.opened.is_empty() {
            return self.rows(text, line, offset, out, room);
        }
        let text = opened(text, &self.opened);
        let (found, ends) = self.rows(&text, line, offset, out, room);
        // What was opened stands nowhere as it is read: its place is that of its record.
        let origin = Origin { line, offset, at: usize::MAX };
        let placed = |found: Exchange<'_>| Exchange { halves: Some([origin; 2]), ..found.into_owned() };
        (found.into_iter().map(placed).collect(), ends)
    }

    fn rows<'t>(
        &self,
        text: &'t str,
        line: u64,
        offset: usize,
        out: &Out<'_>,
        room: &mut Vec<u8>,
    ) -> (Vec<Exchange<'t>>, bool) {
        let mut found = self.tree.found(text, self.places.len(), room);
        let left_out = || !self.marks.is_empty() && self.has_marks(text);
        let mut said = std::mem::take(&mut found.said);
        let (each, is_shared) = (found.rows().iter(), found.rows().len() > 1);
        let each =
            each.map(|row| View { layout: self, row, is_shared }.exchange(line, offset, out, &mut said, &left_out));
        let each: Vec<Exchange<'t>> = each.collect();
        (if is_shared { outermost(each) } else { each }, found.ends)
    }

    fn has_marks(&self, text: &str) -> bool {
        let keys: Vec<&str> = members(text).map(|member| member.key).collect();
        self.marks.iter().all(|mark| keys.contains(&&**mark))
    }
}

/// One row of a record.
struct View<'l, 'r, 't> {
    layout: &'l Layout,
    row: &'r Row<'t>,
    /// True if there are other rows, which have some values with this one in common.
    is_shared: bool,
}

impl<'t> View<'_, '_, 't> {
    fn all(&self, slot: Slot) -> impl Iterator<Item = (&'t str, usize)> {
        self.layout.by_slot[slot as usize].iter().filter_map(|place| self.row[*place])
    }

    fn scalar(&self, slot: Slot) -> Option<Cow<'t, str>> {
        self.all(slot).find_map(|(raw, _)| scalar(raw))
    }

    /// True for a record with something that one of an exchange has beside its bodies, where such records have anything: a line of prose in
    /// the same envelope has none.
    fn is_exchange(&self) -> bool {
        let beside = [Slot::Verb, Slot::Url, Slot::Status, Slot::Duration, Slot::Session];
        let known = |slot: &Slot| !self.layout.by_slot[*slot as usize].is_empty();
        !beside.iter().any(known) || beside.iter().any(|slot| self.all(*slot).next().is_some())
    }

    fn body(&self, slot: Slot, cut: Slot, offset: usize, said: &mut Said) -> Part<'t> {
        let cut = self.all(cut).any(|(raw, _)| raw == "true" || raw == "\"true\"");
        let mut said_at = |at: usize| {
            let found = said.iter().position(|(start, _)| *start == at)?;
            // What stands outside of a list belongs to each of its rows.
            Some(if self.is_shared { said[found].1.clone() } else { said.swap_remove(found).1 })
        };
        let parts = self.all(slot).map(|(raw, at)| part(raw, offset + at, cut, said_at(at)));
        let found = parts.fold(Part::Absent, |best, next| match best {
            Part::Text { .. } => best,
            Part::Missing if next == Part::Absent => best,
            _ => next,
        });
        if cut && found == Part::Absent { Part::Missing } else { found }
    }

    fn time(&self, slot: Slot, out: &Out<'_>) -> Option<(Time, i64, Cow<'t, str>)> {
        self.all(slot).find_map(|(raw, _)| {
            let text = scalar(raw)?;
            let time = time::parse(&text)?;
            Some((time, time.placed(out.zoning()), text))
        })
    }

    /// The first name of a session that was not blotted out, or else what stands in its place.
    fn session(&self) -> Option<Cow<'t, str>> {
        let named = || self.all(Slot::Session).filter_map(|(raw, _)| session(raw));
        named().find(|name| is_name(name)).or_else(|| named().next())
    }

    fn exchange(
        &self,
        line: u64,
        offset: usize,
        out: &Out<'_>,
        said: &mut Said,
        left_out: &dyn Fn() -> bool,
    ) -> Exchange<'t> {
        let (start, end) = (self.time(Slot::Start, out), self.time(Slot::End, out));
        let spelled = start.as_ref().or(end.as_ref()).map(|(.., text)| text.clone()).unwrap_or_default();
        let known = start.as_ref().or(end.as_ref()).map(|(time, ..)| time.resolution_us);
        let duration = self.scalar(Slot::Duration).and_then(|text| duration(&text, self.layout.unit));
        let duration = duration.map(|long| as_clock_tells(long, known));
        let (start, end) = (start.map(|(_, us, _)| us), end.map(|(_, us, _)| us));
        let start_us = start.or(end.zip(duration).map(|(end, long)| end.saturating_sub(long)));
        let first_byte_us = self.time(Slot::FirstByte, out).map(|(_, us, _)| us);
        let mut verb = self.scalar(Slot::Verb).unwrap_or(Cow::Borrowed("POST"));
        if verb.bytes().any(|byte| byte.is_ascii_lowercase()) {
            verb = verb.to_ascii_uppercase().into();
        }
        let mut request = self.body(Slot::Request, Slot::RequestCut, offset, said);
        let response = self.body(Slot::Response, Slot::ResponseCut, offset, said);
        // A response of one piece is there when its head is; an event stream goes on.
        let piece = first_byte_us.filter(|_| !response.text().is_some_and(is_event_stream));
        let end_us = end.or(start.zip(duration).map(|(start, long)| start.saturating_add(long))).or(piece);
        if request == Part::Absent && response == Part::Absent && verb == "POST" && self.is_exchange() && left_out() {
            request = Part::Missing;
        }
        let keys: Vec<Cow<'_, str>> = self.all(Slot::Key).filter_map(|(raw, _)| scalar(raw)).collect();
        Exchange {
            line,
            offset,
            verb,
            url: self.scalar(Slot::Url).unwrap_or_default(),
            session: self.session(),
            key: (!keys.is_empty()).then(|| keys.join("/")),
            status: self.scalar(Slot::Status).and_then(|text| text.split(' ').next()?.parse().ok()),
            start_us,
            first_byte_us,
            end_us,
            resolution_us: known,
            said: spelled,
            request,
            response,
            in_pieces: self.layout.in_pieces,
            ..Exchange::default()
        }
    }
}

/// A duration beside a time in whole seconds, as far as that time can tell: what is shorter would put records into an order that
/// nothing shows, and what they were written in is a better one.
fn as_clock_tells(long: i64, resolution_us: Option<i64>) -> i64 {
    resolution_us.filter(|step| *step >= 1_000_000).map_or(long, |step| long - long % step)
}

/// A scalar as text: of a list the first, of an object with one member (`{"stringValue":"x"}`) that.
pub(super) fn scalar(raw: &str) -> Option<Cow<'_, str>> {
    match raw.as_bytes().first()? {
        b'"' => Some(content(raw)).filter(|text| !text.is_empty()),
        b'[' => scalar(Elements::new(raw, Some(0), "list").ok()?.next()?.1),
        b'{' => {
            let mut all = members(raw);
            let only = all.next()?;
            all.next().is_none().then(|| scalar(only.value)).flatten()
        }
        b'n' => None,
        _ => Some(Cow::Borrowed(raw)),
    }
}

/// The name of the header in a text of headers.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

/// The name of a session: itself, or in headers as one text.
pub(super) fn session(raw: &str) -> Option<Cow<'_, str>> {
    let text = scalar(raw)?;
    let text = headers_of(&text).map_or(text, Cow::Owned);
    let is_name = |text: &Cow<'_, str>| !text.contains(['\n', '{']);
    if !text.contains([':', '=']) {
        return Some(text).filter(is_name);
    }
    let lower = text.to_ascii_lowercase();
    let Some(at) = lower.find(SESSION_HEADER) else { return Some(text).filter(is_name) };
    let rest = text[at + SESSION_HEADER.len()..].trim_start_matches(['"', '\'', ' ']).strip_prefix([':', '='])?;
    let value = rest.trim_start_matches([' ', '"', '\'']);
    let end = value.find(['\r', '\n', '"', '\'', ',', ';', ' ']).unwrap_or(value.len());
    Some(Cow::Owned(value[..end].to_string()))
}

/// A duration in microseconds: a number in `unit`, or a text that tells its own (`118ms`, `1.2s`, `1m2.5s`).
pub(super) fn duration(text: &str, unit: Unit) -> Option<i64> {
    let whole = |us: f64| (us.is_finite() && (0.0..1e15).contains(&us)).then_some(us.round() as i64);
    if let Ok(number) = text.parse::<f64>() {
        return whole(unit.us(number));
    }
    let (mut rest, mut sum) = (text.trim(), 0.0);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic() && c != 'µ').unwrap_or(rest.len());
        sum += match rest[..letters].to_ascii_lowercase().as_str() {
            "h" => number * 3.6e9,
            "m" | "min" => number * 6e7,
            "s" | "sec" | "seconds" => number * 1e6,
            "ms" | "millis" | "msec" => number * 1e3,
            "us" | "µs" | "μs" => number,
            "ns" => number / 1e3,
            _ => return None,
        };
        rest = rest[letters..].trim_start();
    }
    whole(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_tell_their_unit_or_are_told_it() {
        assert_eq!(duration("118", Unit::Ms), Some(118_000));
        assert_eq!(duration("0.118", Unit::S), Some(118_000));
        assert_eq!(duration("118ms", Unit::S), Some(118_000));
        assert_eq!(duration("1m2.5s", Unit::Ms), Some(62_500_000));
        assert_eq!(duration("-1", Unit::Ms), None);
        assert_eq!(duration("soon", Unit::Ms), None);
    }

    #[test]
    fn sessions_in_a_header_or_among_them() {
        assert_eq!(session("[\"a\"]").as_deref(), Some("a"));
        assert_eq!(session("\"POST / HTTP/1.1\\r\\nMcp-Session-Id: a-1\\r\\nx: y\"").as_deref(), Some("a-1"));
        assert_eq!(session("\"{'mcp-session-id': 'b'}\"").as_deref(), Some("b"));
        assert_eq!(session("null"), None);
    }
}
