//! What the page is made of, besides findings: rows that somebody else fetched.

use std::collections::BTreeSet;

use super::traffic::{Collected, Row};
use crate::report::why::Postmortem;
use crate::store::{CancellationRow, ConnectionRow, ExchangeRow};

/// A connection in trouble, as `why` tells of it.
pub struct Incident {
    /// What happened.
    pub told: Postmortem,
    /// The requests that are stuck, in the order of `told.stuck`.
    pub stuck: Vec<i64>,
}

/// The traffic of a page.
#[derive(Default)]
pub struct Gathered {
    /// The file, without its folder.
    pub title: String,
    /// How a command names the log, quoted; nothing where it cannot be named again.
    pub log: Option<String>,
    /// Where the page opens: `request-17%40a`.
    pub at: Option<String>,
    /// Connections.
    pub connections: Vec<ConnectionRow>,
    /// Requests, in their order.
    pub exchanges: Vec<ExchangeRow>,
    /// Cancels.
    pub cancels: Vec<CancellationRow>,
    /// Connections in trouble, the worst first.
    pub incidents: Vec<Incident>,
    /// How many more connections are in trouble.
    pub more_incidents: usize,
    /// Requests that `why` calls stuck.
    pub stuck: BTreeSet<i64>,
    /// True if secrets were replaced.
    pub redacted: bool,
    /// All frames of the log; `rows` may be fewer.
    pub total: usize,
    /// Frames.
    pub rows: Vec<Row>,
    /// Texts that do not stand whole in the page.
    pub cut: u64,
    /// Strings that `rows` and `words` name.
    pub strings: Vec<String>,
    /// Method, tool, label and outcome of each exchange, and its history, by number.
    pub words: Vec<[u32; 5]>,
    /// Method, reason and effect of each cancel, by number.
    pub cancel_words: Vec<[u32; 3]>,
}

/// Puts what was collected into the order of the log.
pub fn gathered(rest: Gathered, mut collected: Collected) -> Gathered {
    collected.rows.sort_by_key(|row| row.id);
    let strings = &mut collected.strings;
    let mut word = |text: &str| strings.of(text);
    let words = rest.exchanges.iter().map(|row| {
        let label = crate::report::label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer));
        let name = row.name.as_deref().unwrap_or("");
        [word(&row.method), word(name), word(&label), word(&row.outcome), word(&row.history)]
    });
    let words = words.collect();
    let cancel_words = rest.cancels.iter().map(|row| {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        [word(&row.mechanism), word(&of(&row.reason)), word(&of(&row.effect))]
    });
    let cancel_words = cancel_words.collect();
    Gathered { words, cancel_words, rows: collected.rows, cut: collected.cut, strings: collected.strings.all, ..rest }
}

impl Gathered {
    /// A connection as the page calls it: without the folder of its log.
    pub fn short<'k>(&self, key: &'k str) -> &'k str {
        let row = self.connections.iter().find(|row| row.key == key);
        let folder = row.and_then(|row| row.source.rsplit_once(['/', '\\'])).map_or(0, |(folder, _)| folder.len() + 1);
        let inside = row.is_some_and(|row| folder > 0 && key.starts_with(&row.source[..folder]));
        if inside { &key[folder..] } else { key }
    }

    /// Where something stands: `line 12`, and its file where there are several.
    pub fn place(&self, source: &str, line: u64) -> String {
        let one = self.connections.iter().all(|row| row.source == source);
        match (one, source.rsplit(['/', '\\']).next()) {
            (false, Some(name)) => format!("{name}:{line}"),
            _ => format!("line {line}"),
        }
    }

    /// The name by which a link and a command mean a request: `#17@KEY`, with its line where the id was used again.
    pub fn names(&self) -> Vec<String> {
        let label =
            |row: &ExchangeRow| crate::report::label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer));
        let (mut seen, mut again) = (BTreeSet::new(), BTreeSet::new());
        for row in &self.exchanges {
            let key = (row.connection_id, label(row));
            if !seen.insert(key.clone()) {
                again.insert(key);
            }
        }
        let name = |row: &ExchangeRow| {
            let key = (row.connection_id, label(row));
            let line = if again.contains(&key) { format!(":{}", row.line) } else { String::new() };
            format!("{}{line}@{}", key.1, row.connection)
        };
        self.exchanges.iter().map(name).collect()
    }
}
