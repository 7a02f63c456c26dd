//! `ls`: what is in a log. A table for people, and the counts as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::columns::{Lean, Table, fit, hang, width};
use super::escape::{escape, json};
use super::{Ink, Style, number, time};
use crate::store::{ConnectionRow, SourceRow, TrafficRow};

/// Messages of one direction by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kinds {
    /// Requests.
    pub request: u64,
    /// Results.
    pub response: u64,
    /// Errors.
    #[serde(rename = "error-response")]
    pub error_response: u64,
    /// Notifications.
    pub notification: u64,
}

/// Cancels of one direction and method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cancels {
    /// How many.
    pub count: u64,
    /// Direction as the log states it.
    pub direction: String,
    /// Method.
    pub method: String,
}

/// One source with its counts.
#[derive(Clone, Debug)]
pub struct ListedSource {
    /// The source.
    pub source: SourceRow,
    /// Messages by direction, as the log states it.
    pub by_direction: BTreeMap<String, Kinds>,
    /// Cancels.
    pub cancellations: Vec<Cancels>,
    /// Error codes of its responses.
    pub error_codes: BTreeMap<i64, u64>,
    /// First time, in UTC.
    pub first: Option<String>,
    /// Last one.
    pub last: Option<String>,
    /// Messages that its recorder lost or that were cut off, at least.
    pub lost: u64,
    /// Connections that begin in it, each with its number: a name that is short enough to be typed.
    pub connections: Vec<(u64, ConnectionRow)>,
}

impl ListedSource {
    fn count(&mut self, row: &TrafficRow) {
        let kinds = self.by_direction.entry(row.direction.clone()).or_default();
        match row.kind.as_str() {
            "request" => kinds.request += row.count,
            "response" => kinds.response += row.count,
            "error-response" => kinds.error_response += row.count,
            "notification" => kinds.notification += row.count,
            _ => {}
        }
        if let Some(code) = row.error_code {
            *self.error_codes.entry(code).or_default() += row.count;
        }
        let Some(method) = &row.cancel_method else { return };
        let same = |cancels: &&mut Cancels| cancels.method == *method && cancels.direction == row.direction;
        match self.cancellations.iter_mut().find(same) {
            Some(cancels) => cancels.count += row.count,
            None => {
                let cancels = Cancels { count: row.count, direction: row.direction.clone(), method: method.clone() };
                self.cancellations.push(cancels);
            }
        }
    }

    /// Messages of any kind and direction.
    pub fn messages(&self) -> u64 {
        let sum = |kinds: &Kinds| kinds.request + kinds.response + kinds.error_response + kinds.notification;
        self.by_direction.values().map(sum).sum()
    }
}

#[derive(Serialize)]
struct SourceObject<'a> {
    source: &'a str,
    format: &'a str,
    reason: &'a str,
    messages: u64,
    by_direction: &'a BTreeMap<String, Kinds>,
    cancellations: &'a [Cancels],
    error_codes: &'a BTreeMap<i64, u64>,
    first: Option<&'a str>,
    last: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_at: Option<String>,
    skipped: BTreeMap<&'a str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<UnreadObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<u64>,
    connections: Vec<ConnectionObject<'a>>,
}

#[derive(Serialize)]
struct UnreadObject<'a> {
    lines: u64,
    first: u64,
    quote: &'a str,
}

#[derive(Serialize)]
struct ConnectionObject<'a> {
    number: u64,
    key: &'a str,
    protocol: &'a str,
    revision: &'a str,
    transport: &'a str,
    vantage: &'a str,
    client: Option<&'a str>,
    server: Option<&'a str>,
    messages: u64,
    requests: u64,
    cancels: u64,
    complete_head: bool,
    complete_tail: bool,
}

/// Everything that `ls` shows.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Sources in the order in which they were given.
    pub sources: Vec<ListedSource>,
}

impl Listing {
    /// Puts together what the store knows. Connections are numbered in their order.
    pub fn of(
        sources: Vec<SourceRow>,
        connections: Vec<ConnectionRow>,
        traffic: &[TrafficRow],
        lost: &[(i64, u64)],
    ) -> Listing {
        let mut listing = Listing::default();
        let at = |us: Option<i64>| us.map(time::rfc3339);
        for source in sources {
            let numbered = (1..).zip(&connections).filter(|(_, row)| row.source == source.name);
            let connections: Vec<_> = numbered.map(|(number, row)| (number, row.clone())).collect();
            let mut listed = ListedSource {
                // As the log writes them, so that they can be searched for in it.
                first: source
                    .first_time
                    .clone()
                    .or_else(|| at(connections.iter().filter_map(|(_, row)| row.first_at_us).min())),
                last: source
                    .last_time
                    .clone()
                    .or_else(|| at(connections.iter().filter_map(|(_, row)| row.last_at_us).max())),
                by_direction: BTreeMap::new(),
                cancellations: Vec::new(),
                error_codes: BTreeMap::new(),
                lost: lost.iter().find(|(id, _)| *id == source.id).map_or(0, |(_, lost)| *lost),
                connections,
                source,
            };
            let id = listed.source.id;
            traffic.iter().filter(|row| row.source_id == id).for_each(|row| listed.count(row));
            listed.cancellations.sort_by(|a, b| (&a.direction, &a.method).cmp(&(&b.direction, &b.method)));
            listing.sources.push(listed);
        }
        listing
    }

    /// `--format json`: `{"sources":[...]}`.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"sources\":[")?;
        for (index, source) in self.sources.iter().enumerate() {
            write!(out, "{}\n{}", if index > 0 { "," } else { "" }, json(&object(source))?)?;
        }
        writeln!(out, "\n]}}")
    }

    /// The tables for people.
    pub fn write_human(&self, out: &mut dyn Write, style: &Style) -> io::Result<()> {
        let columns = ["#", "connection", "protocol", "messages", "requests", "cancels"];
        let lean = |column: usize| if matches!(column, 1 | 2) { Lean::Left } else { Lean::Right };
        let mut table = Table::new(columns.iter().enumerate().map(|(index, name)| (*name, lean(index))));
        let connections: Vec<&(u64, ConnectionRow)> =
            self.sources.iter().flat_map(|source| &source.connections).collect();
        connections.iter().for_each(|connection| table.row(cells(connection)));
        let lines = table.lines(0, style.width);
        // As a table every connection has one line; times (UTC) and the parties' names go under it.
        let tabular = lines.len() == connections.len() + 1;
        for (index, line) in lines.iter().enumerate().filter(|_| !connections.is_empty()) {
            writeln!(out, "{line}")?;
            if let Some((_, connection)) =
                index.checked_sub(1).and_then(|index| connections.get(index)).filter(|_| tabular)
            {
                for line in under(connection, style) {
                    writeln!(out, "{}", style.paint(Ink::Faint, &line))?;
                }
            }
        }
        if !connections.is_empty() && tabular {
            writeln!(out)?;
        }
        for source in &self.sources {
            for line in hang(&escape(&described(source)), style.columns()) {
                writeln!(out, "{}", fit(&line, style.columns().max(width(&source.source.name) + 1)))?;
            }
        }
        Ok(())
    }
}

fn object(source: &ListedSource) -> SourceObject<'_> {
    let mut skipped = BTreeMap::new();
    for (why, lines, _) in &source.source.skipped {
        *skipped.entry(why.as_str()).or_default() += *lines;
    }
    let connections = source.connections.iter().map(|(number, connection)| ConnectionObject {
        number: *number,
        key: &connection.key,
        protocol: &connection.protocol,
        revision: &connection.revision,
        transport: &connection.transport,
        vantage: &connection.vantage,
        client: connection.client_name.as_deref(),
        server: connection.server_name.as_deref(),
        messages: connection.messages,
        requests: connection.requests,
        cancels: connection.cancels,
        complete_head: connection.complete_head,
        complete_tail: connection.complete_tail,
    });
    SourceObject {
        source: &source.source.name,
        format: &source.source.format,
        reason: &source.source.reason,
        messages: source.messages(),
        by_direction: &source.by_direction,
        cancellations: &source.cancellations,
        error_codes: &source.error_codes,
        first: source.first.as_deref(),
        last: source.last.as_deref(),
        first_at: source.connections.iter().filter_map(|(_, row)| row.first_at_us).min().map(time::rfc3339),
        last_at: source.connections.iter().filter_map(|(_, row)| row.last_at_us).max().map(time::rfc3339),
        skipped,
        unread: source.source.unread.as_ref().map(|unread| UnreadObject {
            lines: unread.lines,
            first: unread.first,
            quote: &unread.quote,
        }),
        lost: Some(source.lost).filter(|lost| *lost > 0),
        connections: connections.collect(),
    }
}

/// What stands under the row of a connection: its times (UTC) and the parties, below each other where they do not fit.
fn under(connection: &ConnectionRow, style: &Style) -> Vec<String> {
    let (times, parties) = (times(connection), escape(&parties(connection, style)).into_owned());
    match width(&times) + width(&parties) + 5 <= style.columns() {
        true => vec![format!("  {times}   {parties}")],
        false => vec![format!("  {times}"), fit(&format!("  {parties}"), style.columns())],
    }
}

fn times(connection: &ConnectionRow) -> String {
    match (connection.first_at_us, connection.last_at_us) {
        (Some(first), Some(last)) => time::span(first, last),
        _ => "no times".to_string(),
    }
}

fn cells((number, connection): &(u64, ConnectionRow)) -> Vec<String> {
    vec![
        number.to_string(),
        connection.key.clone(),
        format!("{} {}", connection.protocol, connection.revision).trim_end().to_string(),
        number::count(connection.messages),
        number::count(connection.requests),
        number::count(connection.cancels),
    ]
}

fn parties(connection: &ConnectionRow, style: &Style) -> String {
    let name = |name: &Option<String>, unknown: &str| name.clone().unwrap_or_else(|| unknown.to_string());
    let arrow = if style.ascii { "->" } else { "\u{2192}" };
    let (client, server) = (&connection.client_name, &connection.server_name);
    format!("{} {arrow} {}", name(client, "unnamed client"), name(server, "unnamed server"))
}

fn described(source: &ListedSource) -> String {
    let skipped: Vec<String> = source
        .source
        .skipped
        .iter()
        .map(|(why, lines, first)| format!("{} {why} (from line {first})", number::plural(*lines, "line")))
        .collect();
    let skipped = if skipped.is_empty() { String::new() } else { format!("; passed over: {}", skipped.join(", ")) };
    let SourceRow { name, format, reason, bytes, unread, .. } = &source.source;
    let unread = unread.as_ref().map_or(String::new(), |unread| {
        let lines = number::plural(unread.lines, "line");
        format!("; not read: {lines} that look like messages (from line {}): {}", unread.first, unread.quote)
    });
    let lost = match source.lost {
        0 => String::new(),
        lost => format!("; lost: {}, which it does not hold", number::plural(lost, "message")),
    };
    format!(
        "{name}: {format} ({reason}), {}, {}{skipped}{unread}{lost}",
        number::plural(source.messages(), "message"),
        number::size(*bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let connection = ConnectionRow {
            id: 1,
            key: "a.jsonl/1".into(),
            session: "a.jsonl".into(),
            source: "a.jsonl".into(),
            format: "jsonl-wrapped".into(),
            protocol: "mcp".into(),
            revision: "2025-11-25".into(),
            transport: "stdio".into(),
            vantage: "proxy".into(),
            client_name: Some("claude\u{1b}]0;x\u{7} 2".into()),
            server_name: None,
            first_at_us: Some(1_795_243_456_663_227),
            last_at_us: Some(1_795_243_918_663_227),
            messages: 1284,
            requests: 61,
            cancels: 3,
            complete_head: true,
            complete_tail: false,
        };
        let source = SourceRow {
            id: 1,
            name: "a.jsonl".into(),
            format: "jsonl-wrapped".into(),
            reason: "JSON objects with \"dir\" and \"msg\"".into(),
            bytes: 18_200,
            first_time: None,
            last_time: None,
            skipped: vec![("not a message".into(), 2, 7)],
            unread: None,
        };
        let kinds = Kinds { request: 2, response: 1, error_response: 1, notification: 0 };
        let cancels =
            Cancels { count: 1, direction: "client->server".into(), method: "notifications/cancelled".into() };
        Listing {
            sources: vec![ListedSource {
                source,
                by_direction: [("client->server".to_string(), kinds)].into(),
                cancellations: vec![cancels],
                error_codes: [(-32601, 1)].into(),
                first: Some("06:44".into()),
                last: None,
                lost: 0,
                connections: vec![(1, connection)],
            }],
        }
    }

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn people_see_connections_and_why_a_log_was_taken_for_what_it_is() {
        let style = Style { ascii: true, width: Some(100), ..Style::PLAIN };
        insta::assert_snapshot!(text(|out| listing().write_human(out, &style)), @r#"
        #  connection  protocol        messages  requests  cancels
        1  a.jsonl/1   mcp 2025-11-25     1,284        61        3
          2026-11-21 06:44:16 - 06:51:58 (7m 42s)   claude\x1b]0;x\x07 2 -> unnamed server

        a.jsonl: jsonl-wrapped (JSON objects with "dir" and "msg"), 4 messages, 18.2 kB; passed over: 2
            lines not a message (from line 7)
        "#);
    }

    #[test]
    fn machines_get_the_counts() {
        insta::assert_snapshot!(text(|out| listing().write_json(out)), @r#"
        {"sources":[
        {"source":"a.jsonl","format":"jsonl-wrapped","reason":"JSON objects with \"dir\" and \"msg\"","messages":4,"by_direction":{"client->server":{"request":2,"response":1,"error-response":1,"notification":0}},"cancellations":[{"count":1,"direction":"client->server","method":"notifications/cancelled"}],"error_codes":{"-32601":1},"first":"06:44","last":null,"first_at":"2026-11-21T06:44:16.663227Z","last_at":"2026-11-21T06:51:58.663227Z","skipped":{"not a message":2},"connections":[{"number":1,"key":"a.jsonl/1","protocol":"mcp","revision":"2025-11-25","transport":"stdio","vantage":"proxy","client":"claude\u001b]0;x\u0007 2","server":null,"messages":1284,"requests":61,"cancels":3,"complete_head":true,"complete_tail":false}]}
        ]}
        "#);
    }
}
