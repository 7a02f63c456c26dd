//! The arrays of records in one JSON document, and what tells each from the others: the session under which it stands.

use super::exchange::learn::is_record;
use super::wrapped::Layout;
use crate::capture::sample::looks_like_message;
use crate::capture::words::{Meaning, direction, meaning};
use crate::json::each_member;
use crate::json::scan::{closing_quote, skip_white, unquoted, value_end};

/// How deep in a document an array may lie.
const DEPTH: usize = 2;

/// Names of what one connection keeps apart in two arrays.
const HALVES: [&str; 6] = ["requests", "responses", "request", "response", "calls", "answers"];

/// An array of records.
pub(super) struct List {
    /// What tells it from the others; empty where they are one connection's, or where there is one.
    pub name: String,
    /// Where it starts, in bytes.
    pub at: usize,
}

/// The arrays of messages or wrappers in the value at `at`, which may be cut off.
pub(super) fn lists(text: &str, at: usize) -> Vec<List> {
    let mut search = Search { text, path: Vec::new(), found: Vec::new() };
    search.value(at, DEPTH + 1);
    let found = search.found;
    let longest = found.iter().map(|(path, _)| path.len()).max().unwrap_or(0);
    let step = |path: &[String], place: usize| path.get(place).cloned().unwrap_or_default();
    let differ = |place: &usize| found.iter().any(|(path, _)| step(path, *place) != step(&found[0].0, *place));
    let place = (0..longest).find(differ);
    let is_half = |path: &[String]| {
        let name = place.map_or(String::new(), |place| step(path, place)).to_lowercase();
        direction("direction", &name).is_some() || HALVES.contains(&name.as_str())
    };
    let halves = found.iter().all(|(path, _)| is_half(path));
    let name = |path: &[String]| place.filter(|_| !halves).map_or(String::new(), |place| step(path, place));
    found.iter().map(|(path, at)| List { name: name(path), at: *at }).collect()
}

struct Search<'t> {
    text: &'t str,
    /// Keys on the way; for the member of an array what it says of itself, or its number.
    path: Vec<String>,
    found: Vec<(Vec<String>, usize)>,
}

impl Search<'_> {
    fn object(&mut self, at: usize, depth: usize) {
        let before = self.found.len();
        let mut directed = false;
        self.each_member(at, |search, key, at| {
            directed |= matches!(meaning(key), Some((Meaning::Direction, _)));
            search.within(key.to_string(), |search| search.value(at, depth));
        });
        // A message with its direction: the list that it stands in is a batch, and its record holds no lists of records.
        let is_batch =
            |path: &[String]| path.last().is_some_and(|key| matches!(meaning(key), Some((Meaning::Message, _))));
        if directed && self.found[before..].iter().any(|(path, _)| is_batch(path)) {
            self.found.truncate(before);
        }
    }

    /// Calls `look` with each key of the object at `at` and where its value begins, as far as the object goes.
    fn each_member(&mut self, at: usize, mut look: impl FnMut(&mut Self, &str, usize)) -> Option<()> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        let mut at = skip_white(bytes, at + 1);
        while bytes.get(at) == Some(&b'"') {
            let end = closing_quote(bytes, at + 1)?;
            let key = &text[at + 1..end];
            at = skip_white(bytes, end + 1);
            at = skip_white(bytes, (bytes.get(at) == Some(&b':')).then_some(at + 1)?);
            look(self, key, at);
            at = skip_white(bytes, value_end(bytes, at)?);
            at = skip_white(bytes, (bytes.get(at) == Some(&b',')).then_some(at + 1)?);
        }
        None
    }

    fn value(&mut self, at: usize, depth: usize) {
        match self.text.as_bytes().get(at) {
            Some(b'[') if holds_messages(self.text, at) => self.found.push((self.path.clone(), at)),
            Some(b'[') if depth > 1 => {
                self.members(at, depth - 1);
            }
            Some(b'{') if depth > 1 => self.object(at, depth - 1),
            _ => {}
        }
    }

    fn members(&mut self, at: usize, depth: usize) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = skip_white(bytes, at + 1);
        for number in 1.. {
            (bytes.get(at) == Some(&b'{')).then_some(())?;
            let end = value_end(bytes, at);
            let own = end.and_then(|end| said_of_itself(&self.text[at..end]));
            self.within(own.unwrap_or_else(|| number.to_string()), |search| search.object(at, depth));
            at = skip_white(bytes, end?);
            at = skip_white(bytes, (bytes.get(at) == Some(&b',')).then_some(at + 1)?);
        }
        None
    }

    fn within(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.path.push(name);
        look(self);
        self.path.pop();
    }
}

/// The name of a session or a connection that an object gives itself.
fn said_of_itself(object: &str) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    each_member(object, |key, value| {
        let rank = match meaning(key) {
            Some((Meaning::Session, rank)) => rank,
            Some((Meaning::Connection, rank)) => 100 + rank,
            _ if matches!(key, "id" | "name" | "key") => 200,
            _ => return,
        };
        if !value.starts_with(['{', '[']) && best.is_none_or(|(before, _)| rank < before) {
            best = Some((rank, value));
        }
    });
    best.map(|(_, value)| unquoted(value).to_string())
}

/// True for an array of records, as backends keep the spans of each trace; a batch is a record itself.
pub(super) fn is_list_of_records(text: &str) -> bool {
    let first = text[1..].trim_start();
    first.starts_with('{') && !looks_like_message(first)
}

/// True if one of the first records of the array at `at` holds a message.
pub(super) fn holds_messages(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let mut at = skip_white(bytes, at + 1);
    for _ in 0..8 {
        if bytes.get(at) == Some(&b'[') && is_list_of_records(&text[at..]) {
            return holds_messages(text, at);
        }
        if bytes.get(at) != Some(&b'{') {
            return false;
        }
        let Some(end) = value_end(bytes, at) else { return looks_like_message(&text[at..]) };
        if Layout::learn(std::iter::once(&text[at..end])).hits > 0 || is_record(&text[at..end]) {
            return true;
        }
        at = skip_white(bytes, end);
        at = skip_white(bytes, at + usize::from(bytes.get(at) == Some(&b',')));
    }
    false
}
