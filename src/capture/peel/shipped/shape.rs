//! Where the records of an export keep their message, their time and what tells their sources apart.

use std::borrow::Cow;

use super::column::shown;
use super::walk::{Path, PathStep};
use crate::capture::time;
use crate::error::Result;
use crate::json::listed::{List, elements, list, members, object};
use crate::json::scan::{unquoted, value_end};

/// How many members may tell sources apart.
const KEYS: usize = 2;

/// What stands at a key that is wanted.
#[derive(Clone, Debug)]
enum Want {
    Message,
    Time,
    Nanos,
    Direction,
    Key(usize),
    /// Of a line that goes on where it says so.
    Piece(&'static str),
    Stream,
    Inside(Node),
}

/// The wanted keys of one object, and what is wanted of each record of a list.
#[derive(Clone, Debug, Default)]
struct Node {
    keys: Vec<(Box<str>, Want)>,
    each: Option<Box<Node>>,
    /// The value itself is the message.
    message: bool,
}

impl Node {
    fn add(&mut self, path: &[PathStep], want: Want) {
        match path.split_first() {
            None => self.message = true,
            Some((PathStep::Each, rest)) => self.each.get_or_insert_default().add(rest, want),
            Some((PathStep::Key(key), [])) => self.keys.push((key.clone(), want)),
            Some((PathStep::Key(key), rest)) => {
                let known = self.keys.iter().position(|(known, want)| known == key && matches!(want, Want::Inside(_)));
                let at = known.unwrap_or_else(|| {
                    self.keys.push((key.clone(), Want::Inside(Node::default())));
                    self.keys.len() - 1
                });
                if let Want::Inside(inner) = &mut self.keys[at].1 {
                    inner.add(rest, want);
                }
            }
        }
    }
}

/// What a record says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record<'t> {
    /// The byte at which it starts.
    pub start: usize,
    /// The byte at which the content of its message starts, behind the quote; where that is an object, its brace.
    pub message: Option<usize>,
    /// Its time, as written, without quotes.
    pub time: Option<&'t str>,
    /// The nanoseconds that belong to it, as written, without quotes.
    pub nanos: Option<&'t str>,
    /// What tells who sent it, as written, without quotes.
    pub direction: Option<&'t str>,
    /// What tells its source from others, as written, without quotes.
    pub keys: [Option<&'t str>; KEYS],
    /// True if its message is a piece of a line that goes on in another record.
    pub goes_on: bool,
    /// Which of the streams of its source it was written to, as written, without quotes; where lines come in pieces.
    pub stream: Option<&'t str>,
}

impl<'t> Record<'t> {
    /// Its time with all that is told of it, as it would be written.
    pub(super) fn said(&self) -> Cow<'t, str> {
        match (self.time, self.nanos) {
            (Some(seconds), Some(nanos)) => format!("{seconds}.{nanos:0>9}").into(),
            (time, _) => time.unwrap_or("").into(),
        }
    }

    /// Its time in microseconds since the epoch; the least where it has none.
    pub(super) fn at_us(&self) -> i64 {
        time::parse(&self.said()).map_or(i64::MIN, |time| time.us)
    }
}

/// Takes records.
pub(super) type Give<'g, 't> = &'g mut dyn FnMut(&Record<'t>) -> Result<()>;

/// The shape of an export.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    root: Node,
    message: Path,
    time: Option<Path>,
    nanos: Option<Path>,
    direction: Option<Path>,
    keys: Vec<Path>,
    /// What tells that a line goes on, and what it says there.
    piece: Option<(Path, &'static str)>,
    stream: Option<Path>,
}

impl Shape {
    /// True if a record of the log may hold several with messages.
    pub(super) fn has_lists(&self) -> bool {
        self.message.contains(&PathStep::Each)
    }

    pub(super) fn new(message: Path, time: Option<Path>, keys: Vec<Path>) -> Shape {
        let mut shape = Shape {
            root: Node::default(),
            message,
            time,
            nanos: None,
            direction: None,
            keys,
            piece: None,
            stream: None,
        };
        shape.plant();
        shape
    }

    /// The same, where the nanoseconds of a time in seconds stand at `path`.
    pub(super) fn refined(self, path: Option<Path>) -> Shape {
        let mut shape = Shape { nanos: path, ..self };
        shape.plant();
        shape
    }

    /// The same, where a line goes on in the next record of the `stream` if the scalar of `piece` says that.
    pub(super) fn in_pieces(self, piece: Option<(Path, &'static str)>, stream: Option<Path>) -> Shape {
        let mut shape = Shape { stream: stream.filter(|_| piece.is_some()), piece, ..self };
        shape.plant();
        shape
    }

    /// The same, where the scalar at `path` tells who sent the message. It tells no sources apart.
    pub(super) fn directed(&self, path: Path) -> Shape {
        let keys = self.keys.iter().filter(|key| **key != path).cloned().collect();
        let mut shape = Shape { direction: Some(path), keys, ..self.clone() };
        shape.plant();
        shape
    }

    /// The path of the scalar that tells who sent the message.
    pub(super) fn direction(&self) -> Option<&Path> {
        self.direction.as_ref()
    }

    /// True where the message is an object that is spelled out with the types of its values.
    pub(super) fn is_typed(&self) -> bool {
        super::walk::is_typed(&self.message)
    }

    /// What is left of a path that leads into the message. Paths may begin at any record around it.
    pub(super) fn inside(&self, path: &str) -> Option<String> {
        let message = shown(&self.message);
        let starts = std::iter::once(0).chain(message.match_indices('/').map(|(at, _)| at + 1));
        starts.into_iter().find_map(|from| Some(path.strip_prefix(&message[from..])?.strip_prefix('/')?.to_string()))
    }

    fn plant(&mut self) {
        self.root = Node::default();
        self.root.add(&self.message, Want::Message);
        if let Some(time) = &self.time {
            self.root.add(time, Want::Time);
        }
        if let Some(nanos) = &self.nanos {
            self.root.add(nanos, Want::Nanos);
        }
        if let Some(direction) = &self.direction {
            self.root.add(direction, Want::Direction);
        }
        for (place, key) in self.keys.iter().take(KEYS).enumerate() {
            self.root.add(key, Want::Key(place));
        }
        if let Some((path, goes_on)) = &self.piece {
            self.root.add(path, Want::Piece(goes_on));
        }
        // Of two wants of one scalar the first is met.
        if let Some(stream) = &self.stream {
            self.root.add(stream, Want::Stream);
        }
    }

    /// Lets the members at these paths tell sources apart, instead of those that were learned.
    pub(super) fn rekey(&mut self, keys: Vec<Path>) {
        self.keys = keys;
        self.plant();
    }

    /// Gives on every record of the value at `at`, and then the byte after it; nothing where it does not add up.
    pub(super) fn read<'t>(&self, text: &'t str, at: usize, give: Give<'_, 't>) -> Result<Option<usize>> {
        let mut reading = Reading { text, give, failed: Ok(()) };
        let mut record = Record { start: at, ..Record::default() };
        let end = reading.value(at, &self.root, &mut record);
        if self.root.message && text[at..].starts_with('{') {
            record.message = Some(at);
        }
        reading.done(&record, end.is_some());
        reading.failed.map(|()| end)
    }
}

/// One pass over a text.
struct Reading<'t, 'g> {
    text: &'t str,
    give: Give<'g, 't>,
    failed: Result<()>,
}

impl<'t> Reading<'t, '_> {
    fn done(&mut self, record: &Record<'t>, whole: bool) {
        if whole && record.message.is_some() && self.failed.is_ok() {
            self.failed = (self.give)(record);
        }
    }

    fn value(&mut self, at: usize, node: &Node, record: &mut Record<'t>) -> Option<usize> {
        match self.text.as_bytes().get(at)? {
            b'{' => self.object(at, node, record),
            b'[' => self.list(at, node, record),
            _ => value_end(self.text.as_bytes(), at),
        }
    }

    /// A list of records waits for the members that stand behind it: they hold for each of its records.
    fn object(&mut self, at: usize, node: &Node, record: &mut Record<'t>) -> Option<usize> {
        let (text, mut seen, mut waiting) = (self.text, 0, Vec::new());
        let end = object(text, at, &mut |key, at| {
            let Some((_, want)) = node.keys.iter().find(|(known, _)| **known == *key) else {
                return value_end(text.as_bytes(), at);
            };
            seen += 1;
            match want {
                Want::Inside(inner) if inner.holds_records() && seen < node.keys.len() => {
                    let end = value_end(text.as_bytes(), at);
                    if end.is_some() {
                        waiting.push((at, inner));
                        return end;
                    }
                    self.value(at, inner, record)
                }
                want => self.wanted(at, want, record),
            }
        });
        for (at, inner) in waiting {
            self.value(at, inner, record);
        }
        end
    }

    fn list(&mut self, at: usize, node: &Node, record: &mut Record<'t>) -> Option<usize> {
        let text = self.text;
        let Some(each) = node.each.as_ref().filter(|_| list(text, at) == List::Records) else {
            return members(text, at, &mut |name, at| match node.keys.iter().find(|(known, _)| **known == *name) {
                Some((_, want)) => self.wanted(at, want, record),
                None => value_end(text.as_bytes(), at),
            });
        };
        if !each.holds_message() {
            // What stands in a list beside the message is of its record.
            return elements(text, at, &mut |at| self.value(at, each, record));
        }
        let around = *record;
        elements(text, at, &mut |at| self.element(at, each, around))
    }

    /// One record of a list, with what is known of it from around the list.
    fn element(&mut self, at: usize, node: &Node, around: Record<'t>) -> Option<usize> {
        let mut one = Record { start: at, ..around };
        let end = self.value(at, node, &mut one);
        if node.message {
            one.message = Some(at);
        }
        self.done(&one, end.is_some());
        end
    }

    fn wanted(&mut self, at: usize, want: &Want, record: &mut Record<'t>) -> Option<usize> {
        if let Want::Inside(inner) = want {
            return self.value(at, inner, record);
        }
        let end = value_end(self.text.as_bytes(), at)?;
        let written = self.text.get(at..end)?;
        let is_text = written.starts_with('"');
        let scalar =
            Some(unquoted(written)).filter(|_| is_text || !written.starts_with(['{', '[']) && written != "null");
        match want {
            Want::Message if is_text => record.message = Some(at + 1),
            Want::Message if written.starts_with('{') => record.message = Some(at),
            Want::Message | Want::Inside(_) => {}
            Want::Time => record.time = scalar,
            Want::Nanos => record.nanos = scalar,
            Want::Direction => record.direction = scalar,
            Want::Key(place) => record.keys[*place] = scalar,
            Want::Piece(goes_on) => record.goes_on = scalar == Some(*goes_on),
            Want::Stream => record.stream = scalar,
        }
        Some(end)
    }
}

impl Node {
    fn holds_records(&self) -> bool {
        let inside = |(_, want): &(Box<str>, Want)| matches!(want, Want::Inside(inner) if inner.holds_records());
        self.each.as_ref().is_some_and(|each| each.holds_message()) || self.keys.iter().any(inside)
    }

    fn holds_message(&self) -> bool {
        let holds = |(_, want): &(Box<str>, Want)| match want {
            Want::Inside(inner) => inner.holds_message(),
            want => matches!(want, Want::Message),
        };
        self.message || self.each.as_ref().is_some_and(|each| each.holds_message()) || self.keys.iter().any(holds)
    }
}
