//! The messages of the page: rows of numbers, strings once each, and texts cut to a budget.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::redact::Redactor;
use crate::report::escape::{escape, escape_block};
use crate::report::{excerpt, label_of};
use crate::store::{CancellationRow, ExchangeRow, MessageRow};

/// Most messages of a page.
pub const MOST: usize = 200_000;

/// All texts together, in bytes before they are packed: deflate makes a quarter to a third of them.
const BUDGET: u64 = 22_000_000;

/// The longest text of a message that proves something, in characters.
pub const PROOF: u32 = 65_536;

/// The shortest cap of the others.
const SHORTEST: u64 = 80;

/// What of a message is read to find the request that it is about, in characters.
pub const READ: u32 = 4_096;

/// The longest word (a method, an id, a name) that is kept, in characters.
const WORD: usize = 200;

/// Distinct strings; a row holds their numbers. The first is empty.
pub struct Strings {
    pub all: Vec<String>,
    index: HashMap<String, u32>,
}

impl Default for Strings {
    fn default() -> Strings {
        Strings { all: vec![String::new()], index: HashMap::from([(String::new(), 0)]) }
    }
}

impl Strings {
    /// The number of a text from a log, which is escaped and cut here.
    pub fn of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.index.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        let shown = escape(text);
        let cut = shown.char_indices().nth(WORD).map_or(shown.len(), |(at, _)| at);
        let more = if cut < shown.len() { "…" } else { "" };
        self.all.push(format!("{}{more}", &shown[..cut]));
        self.index.insert(text.to_string(), number);
        number
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Frame id.
    pub id: i64,
    /// Its connection, by its place in the page.
    pub connection: usize,
    /// Source, kind, method and label of its request, by number.
    pub source: u32,
    pub kind: u32,
    pub method: u32,
    pub label: u32,
    pub line: u64,
    pub at_us: Option<i64>,
    /// 0 the client, 1 the server, 2 nobody knows.
    pub by: u8,
    pub bytes: u64,
    pub code: Option<i64>,
    /// The request that it is about, by its place in the page.
    pub exchange: Option<usize>,
    /// What it says: escaped, and cut.
    pub text: String,
}

/// The longest cap at which all texts together stay in the budget; nothing where none needs to be cut.
fn cap(mut lengths: Vec<u64>) -> Option<u64> {
    lengths.sort_unstable();
    let mut left = BUDGET;
    for (index, length) in lengths.iter().enumerate() {
        let others = (lengths.len() - index) as u64;
        if length * others > left {
            return Some((left / others).max(SHORTEST));
        }
        left -= length;
    }
    None
}

/// Which messages are in the page, and how much of each.
pub struct Choice {
    /// All messages and frames of the log.
    pub total: usize,
    /// Those that stand in the page.
    kept: Option<BTreeSet<i64>>,
    /// Bytes of a text that proves nothing.
    pub cap: Option<u64>,
}

impl Choice {
    /// Chooses among frames (id, bytes) in their order: those that prove something first, then from the start.
    pub fn new(frames: &[(i64, u64)], proof: &BTreeSet<i64>) -> Choice {
        let kept = (frames.len() > MOST).then(|| {
            let room = MOST.saturating_sub(proof.len());
            let others = frames.iter().map(|(id, _)| *id).filter(|id| !proof.contains(id)).take(room);
            proof.iter().copied().take(MOST).chain(others).collect::<BTreeSet<i64>>()
        });
        let in_page = |id: &i64| kept.as_ref().is_none_or(|kept| kept.contains(id));
        let cap = cap(frames.iter().filter(|(id, _)| in_page(id)).map(|(_, bytes)| *bytes).collect());
        Choice { total: frames.len(), kept, cap }
    }

    /// True for a frame that is in the page.
    pub fn takes(&self, id: i64) -> bool {
        self.kept.as_ref().is_none_or(|kept| kept.contains(&id))
    }
}

/// What was collected.
pub struct Collected {
    pub(super) strings: Strings,
    pub(super) rows: Vec<Row>,
    pub(super) cut: u64,
}

/// Rows while they are collected.
pub struct Collector<'a> {
    redactor: Option<Redactor>,
    proof: &'a BTreeSet<i64>,
    cap: Option<u64>,
    /// Frames of requests, answers and cancels, and the place of their exchange.
    frames: HashMap<i64, usize>,
    /// Tokens of progress, and the exchange that gave them last.
    tokens: HashMap<(usize, String), usize>,
    strings: Strings,
    rows: Vec<Row>,
    /// Texts that do not stand whole in the page.
    cut: u64,
}

impl<'a> Collector<'a> {
    /// A collector for the messages of these exchanges.
    pub fn new(
        exchanges: &[ExchangeRow],
        cancels: &[CancellationRow],
        (proof, cap): (&'a BTreeSet<i64>, Option<u64>),
        redactor: Option<Redactor>,
    ) -> Collector<'a> {
        let mut frames = HashMap::new();
        let places: HashMap<i64, usize> = exchanges.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        for cancel in cancels {
            if let Some(at) = cancel.exchange_id.and_then(|id| places.get(&id)) {
                frames.insert(cancel.message_id, *at);
                frames.extend(cancel.effect_message_id.map(|id| (id, *at)));
            }
        }
        for (at, row) in exchanges.iter().enumerate() {
            frames.extend(row.response_id.map(|id| (id, at)));
            frames.insert(row.id, at);
        }
        let (tokens, strings, rows) = Default::default();
        Collector { redactor, proof, cap, frames, tokens, strings, rows, cut: 0 }
    }

    /// Takes a frame. Those of a connection come in their order.
    pub fn take(&mut self, connection: usize, message: &MessageRow) {
        let raw = message.raw.as_deref().unwrap_or("");
        let exchange = self.exchange(connection, message, raw);
        let label = label_of(message).unwrap_or_default();
        let text = self.text(message, raw);
        let method = self.clean(message.method.as_deref().unwrap_or("")).into_owned();
        let source = self.clean(&message.source).into_owned();
        let row = Row {
            id: message.id,
            connection,
            source: self.strings.of(&source),
            kind: self.strings.of(&message.kind),
            method: self.strings.of(&method),
            label: self.strings.of(&label),
            line: message.line,
            at_us: message.at_us,
            by: match message.sender.as_deref() {
                Some("client") => 0,
                Some(_) => 1,
                None => 2,
            },
            bytes: message.bytes,
            code: message.error_code,
            exchange,
            text,
        };
        self.rows.push(row);
    }

    /// The exchange that a frame belongs to: by its place in it, or by the token of its progress.
    fn exchange(&mut self, connection: usize, message: &MessageRow, raw: &str) -> Option<usize> {
        let known = self.frames.get(&message.id).copied();
        let is = |kind: &str| message.kind == kind;
        if !(is("request") || is("notification")) || !(raw.contains("oken") || raw.contains("sessionId")) {
            return known;
        }
        let params = excerpt::member(raw, "params").unwrap_or("");
        let session = || excerpt::member(params, "sessionId").map(|id| format!("session {id}"));
        if let (true, Some(at)) = (is("request"), known) {
            let own = excerpt::at(params, &["_meta", "progressToken"]);
            let tokens = [own, excerpt::member(params, "workDoneToken"), excerpt::member(params, "partialResultToken")];
            let tokens = tokens.into_iter().flatten().map(str::to_string).chain(session());
            self.tokens.extend(tokens.map(|token| ((connection, token), at)));
            return known;
        }
        let token = excerpt::member(params, "progressToken").or_else(|| excerpt::member(params, "token"));
        let update = || session().filter(|_| message.method.as_deref() == Some("session/update"));
        let token = token.map(str::to_string).or_else(update);
        known.or_else(|| self.tokens.get(&(connection, token?)).copied())
    }

    /// What was collected.
    pub fn finish(self) -> Collected {
        Collected { strings: self.strings, rows: self.rows, cut: self.cut }
    }

    fn clean<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        match &mut self.redactor {
            Some(redactor) => redactor.text(text),
            None => text.into(),
        }
    }

    /// The text without secrets, escaped, and cut where it is no proof.
    fn text(&mut self, message: &MessageRow, raw: &str) -> String {
        let clean = self.clean(raw);
        let cap = if self.proof.contains(&message.id) { None } else { self.cap };
        let end = cap.map_or(clean.len(), |cap| floor(&clean, cap as usize));
        let left_out = (message.bytes as usize).saturating_sub(raw.len()) + clean.len() - end;
        self.cut += u64::from(left_out > 0);
        let more = if left_out > 0 { format!("…(+{left_out})") } else { String::new() };
        escape_block(&clean[..end]) + &more
    }
}

/// The end of the last whole character before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_is_the_longest_that_fits() {
        assert_eq!(cap(vec![100; 1_000]), None);
        let long = cap(vec![1_000_000; 100]).expect("a cap");
        assert_eq!(long, BUDGET / 100);
        let mixed: Vec<u64> = (0..100).map(|nth| if nth % 2 == 0 { 10 } else { 1_000_000 }).collect();
        let cap = cap(mixed).expect("a cap");
        assert_eq!(cap, (BUDGET - 500) / 50);
    }

    #[test]
    fn what_proves_something_is_kept_of_a_long_log() {
        let frames: Vec<(i64, u64)> = (0..MOST as i64 + 10).map(|id| (id, 10)).collect();
        let last = MOST as i64 + 9;
        let choice = Choice::new(&frames, &BTreeSet::from([last]));
        assert!(choice.takes(last) && choice.takes(0) && !choice.takes(last - 1));
        assert_eq!(choice.total, MOST + 10);
    }

    #[test]
    fn strings_are_kept_once_escaped_and_cut() {
        let mut strings = Strings::default();
        assert_eq!([strings.of("a\u{202e}"), strings.of("b"), strings.of("a\u{202e}"), strings.of("")], [1, 2, 1, 0]);
        assert_eq!(strings.all[1], "a\\u{202e}");
        let long = strings.of(&"x".repeat(1_000)) as usize;
        assert_eq!(strings.all[long].chars().count(), WORD + 1);
    }
}
