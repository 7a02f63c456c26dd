//! `check --group-by`: one row for each server, client, tool, day, source, format or rule, worst first, and the files
//! that were not read by their reasons. What an audit of many files is read by.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;

use super::columns::{Lean, Table};
use super::escape::{escape, json};
use super::{Lines, Report, Style, Summary, full, number, time};
use crate::store::{ConnectionRow, FindingRow};

/// How many files are named for each reason.
const NAMED: usize = 3;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// A file.
    Source,
    /// A format.
    Format,
    /// A server, as it names itself, else by the name that the log gives the connection.
    Server,
    /// A client, as it names itself.
    Client,
    /// A tool or command; the method where a request has none.
    Tool,
    /// A day, in UTC.
    Day,
    /// A rule.
    Rule,
}

impl GroupBy {
    /// The name used in flags and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupBy::Source => "source",
            GroupBy::Format => "format",
            GroupBy::Server => "server",
            GroupBy::Client => "client",
            GroupBy::Tool => "tool",
            GroupBy::Day => "day",
            GroupBy::Rule => "rule",
        }
    }

    /// True where each connection, with its messages, belongs to one row.
    fn takes_connections(self) -> bool {
        !matches!(self, GroupBy::Tool | GroupBy::Rule)
    }

    /// True where each request belongs to one row.
    fn takes_requests(self) -> bool {
        self != GroupBy::Rule
    }

    /// The group of a connection, where connections fall into groups.
    fn of(self, connection: &ConnectionRow) -> Option<String> {
        let unnamed = || "(not named)".to_string();
        Some(match self {
            GroupBy::Source => connection.source.clone(),
            GroupBy::Format => connection.format.clone(),
            GroupBy::Server => connection.server_name.clone().unwrap_or_else(|| key_name(connection)),
            GroupBy::Client => connection.client_name.clone().unwrap_or_else(unnamed),
            GroupBy::Day => connection.first_at_us.and_then(time::date).unwrap_or_else(|| "(no date)".to_string()),
            GroupBy::Tool | GroupBy::Rule => return None,
        })
    }
}

/// The name that the log itself gives a connection; a key that is the file's name and a number is none.
fn key_name(connection: &ConnectionRow) -> String {
    match connection.key.starts_with(&connection.source) {
        true => "(not named)".to_string(),
        false => connection.key.clone(),
    }
}

#[derive(Default)]
struct Row {
    sources: BTreeSet<String>,
    connections: u64,
    messages: u64,
    calls: u64,
    errors: u64,
    warnings: u64,
    notes: u64,
    rules: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    by: &'static str,
    group: &'a str,
    sources: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    error: u64,
    warning: u64,
    note: u64,
    by_rule: &'a BTreeMap<String, u64>,
}

/// The format.
pub struct Grouped {
    by: GroupBy,
    style: Style,
    json: bool,
    rows: BTreeMap<String, Row>,
    /// Group of each connection, by its key.
    groups: BTreeMap<String, String>,
}

impl Grouped {
    /// The format for a place. `calls` counts requests by tool; `json` writes lines for machines.
    pub fn new(
        by: GroupBy,
        style: Style,
        json: bool,
        connections: &[ConnectionRow],
        calls: &[(String, u64)],
    ) -> Grouped {
        let mut grouped = Grouped { by, style, json, rows: BTreeMap::new(), groups: BTreeMap::new() };
        for connection in connections {
            let Some(group) = by.of(connection) else { continue };
            let row = grouped.rows.entry(group.clone()).or_default();
            row.sources.insert(connection.source.clone());
            row.connections += 1;
            row.messages += connection.messages;
            row.calls += connection.requests;
            grouped.groups.insert(connection.key.clone(), group);
        }
        for (tool, calls) in calls.iter().filter(|_| by == GroupBy::Tool) {
            grouped.rows.entry(tool.clone()).or_default().calls += calls;
        }
        grouped
    }

    fn group_of(&self, finding: &FindingRow) -> String {
        let none = || "(none)".to_string();
        match self.by {
            GroupBy::Rule => format!("{} {}", finding.code, finding.rule),
            GroupBy::Tool => finding.name.clone().or_else(|| finding.method.clone()).unwrap_or_else(none),
            _ => self.groups.get(&finding.connection).cloned().unwrap_or_else(none),
        }
    }

    /// The rows, worst first.
    fn sorted(&self) -> Vec<(&String, &Row)> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse((row.errors, row.warnings, row.notes, row.messages, row.calls)));
        rows
    }

    fn table(&self) -> Table {
        let columns = ["files", "connections", "messages", "requests", "errors", "warnings", "notes"];
        let columns = columns.into_iter().filter(|name| self.has(name)).map(|name| (name, Lean::Right));
        let all = [(self.by.as_str(), Lean::Left)].into_iter().chain(columns).chain([("rules", Lean::Left)]);
        let mut table = Table::new(all).wrapped();
        for (group, row) in self.sorted() {
            let counts = [
                ("files", row.sources.len() as u64),
                ("connections", row.connections),
                ("messages", row.messages),
                ("requests", row.calls),
                ("errors", row.errors),
                ("warnings", row.warnings),
                ("notes", row.notes),
            ];
            let mut cells = vec![group.clone()];
            cells.extend(counts.iter().filter(|(name, _)| self.has(name)).map(|(_, count)| number::count(*count)));
            cells.push(rules(&row.rules));
            table.row(cells);
        }
        table
    }

    /// True for a column whose counts fall into rows.
    fn has(&self, column: &str) -> bool {
        match column {
            "connections" | "messages" => self.by.takes_connections(),
            "requests" => self.by.takes_requests(),
            _ => true,
        }
    }
}

/// The rules that spoke most often.
fn rules(counts: &BTreeMap<String, u64>) -> String {
    let mut rules: Vec<_> = counts.iter().collect();
    rules.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let shown = rules.iter().take(NAMED).map(|(code, count)| format!("{code} {}", number::count(**count)));
    let more = if rules.len() > NAMED { format!(", {} more", rules.len() - NAMED) } else { String::new() };
    shown.collect::<Vec<_>>().join(", ") + &more
}

impl Report for Grouped {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let group = self.group_of(finding);
        let per_finding = !self.by.takes_connections();
        let row = self.rows.entry(group).or_default();
        if per_finding {
            row.sources.insert(finding.source.clone());
        }
        match finding.severity.as_str() {
            "error" => row.errors += 1,
            "warning" => row.warnings += 1,
            _ => row.notes += 1,
        }
        *row.rules.entry(finding.code.clone()).or_default() += 1;
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        if self.json {
            for (group, row) in self.sorted() {
                let line = Line {
                    r#type: "group",
                    by: self.by.as_str(),
                    group,
                    sources: row.sources.len(),
                    connections: self.has("connections").then_some(row.connections),
                    messages: self.has("messages").then_some(row.messages),
                    calls: self.has("requests").then_some(row.calls),
                    error: row.errors,
                    warning: row.warnings,
                    note: row.notes,
                    by_rule: &row.rules,
                };
                writeln!(out, "{}", json(&line)?)?;
            }
            return Lines.finish(out, summary);
        }
        let table = self.table();
        if !table.is_empty() {
            for line in table.lines(0, self.style.width) {
                writeln!(out, "{line}")?;
            }
            writeln!(out)?;
        }
        not_read(out, summary)?;
        full::closing(out, summary, &self.style)
    }
}

/// The files that were not read: how many for which reason, and the first of them.
fn not_read(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in &summary.files {
        reasons.entry(&file.why).or_default().push(&file.source);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    if !reasons.is_empty() {
        writeln!(out, "not read:")?;
    }
    for (why, files) in &reasons {
        let more = files.len().saturating_sub(NAMED);
        let tail = if more > 0 { format!(" and {} more", number::count(more as u64)) } else { String::new() };
        let names = files.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        writeln!(out, "  {}: {} ({}{tail})", number::plural(files.len() as u64, "file"), escape(why), escape(&names))?;
    }
    if !reasons.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::PassedOver;
    use crate::report::tests::late;

    fn connection(key: &str, server: &str) -> ConnectionRow {
        ConnectionRow {
            id: 1,
            key: key.into(),
            session: key.into(),
            source: key.trim_end_matches("/1").into(),
            format: "ndjson".into(),
            protocol: "mcp".into(),
            revision: "2025-11-25".into(),
            transport: "stdio".into(),
            vantage: "unknown".into(),
            client_name: None,
            server_name: Some(server.into()),
            first_at_us: Some(1_788_000_000_000_000),
            last_at_us: None,
            messages: 10,
            requests: 4,
            cancels: 0,
            complete_head: true,
            complete_tail: false,
        }
    }

    fn shown(by: GroupBy, json: bool) -> String {
        let connections = [connection("a.jsonl/1", "ledger"), connection("b.jsonl/1", "ledger")];
        let calls = [("pay".to_string(), 7)];
        let mut report = Grouped::new(by, Style::PLAIN, json, &connections, &calls);
        let mut out = Vec::new();
        for severity in ["error", "note", "note"] {
            report.finding(&mut out, &FindingRow { severity: severity.into(), ..late(40, "pay") }).expect("taken");
        }
        let why = || "it holds no JSON-RPC".to_string();
        let files = (0..5).map(|n| PassedOver { source: format!("{n}.txt"), why: why() }).collect();
        report.finish(&mut out, &Summary { files, ..Summary::default() }).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn a_row_counts_what_its_connections_hold_and_files_not_read_stand_below() {
        let text = shown(GroupBy::Server, false);
        let row = text.lines().find(|line| line.contains("ledger")).expect("a row");
        let cells: Vec<&str> = row.split_whitespace().take(8).collect();
        assert_eq!(cells, ["ledger", "2", "2", "20", "8", "1", "0", "2"], "{text}");
        assert!(text.contains("5 files: it holds no JSON-RPC (0.txt, 1.txt, 2.txt and 2 more)"), "{text}");
    }

    #[test]
    fn tools_and_rules_group_findings_and_machines_get_lines() {
        let tools = shown(GroupBy::Tool, false);
        assert!(tools.lines().any(|line| line.starts_with("pay") && line.contains(" 7 ")), "{tools}");
        // A narrow screen breaks the name of a rule; its code stays whole.
        assert!(shown(GroupBy::Rule, false).lines().any(|line| line.starts_with("CAN010")));
        let lines = shown(GroupBy::Day, true);
        assert!(lines.starts_with("{\"type\":\"group\",\"by\":\"day\",\"group\":"), "{lines}");
        assert!(lines.trim_end().lines().last().is_some_and(|line| line.contains("\"type\":\"summary\"")));
    }
}
