//! `sessions`: one row for each session, newest first, with what was found in it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::columns::{Lean, Table};
use super::escape::json;
use super::{Style, time};
use crate::store::{ConnectionRow, FindingRow};

/// One session.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Session {
    /// The session's own id.
    pub session: String,
    /// The first file of it.
    pub source: String,
    /// When it began, in UTC.
    pub first: Option<String>,
    /// Microseconds from its first message to its last.
    pub duration_us: Option<i64>,
    /// What was spoken.
    pub protocol: String,
    /// The client, as it names itself.
    pub client: Option<String>,
    /// The server, as it names itself.
    pub server: Option<String>,
    /// Connections.
    pub connections: u64,
    /// Messages.
    pub messages: u64,
    /// Findings by severity.
    pub findings: BTreeMap<String, u64>,
    /// Findings by code.
    pub codes: BTreeMap<String, u64>,
    #[serde(skip)]
    first_at_us: Option<i64>,
}

impl Session {
    /// Counts a connection of it in.
    pub fn add(&mut self, row: &ConnectionRow) {
        if self.connections == 0 {
            self.session.clone_from(&row.session);
            self.source.clone_from(&row.source);
            self.protocol = format!("{} {}", row.protocol, row.revision).trim_end().to_string();
        }
        self.client = self.client.take().or_else(|| row.client_name.clone());
        self.server = self.server.take().or_else(|| row.server_name.clone());
        self.connections += 1;
        self.messages += row.messages;
        let ended = self.first_at_us.zip(self.duration_us).map(|(first, lasted)| first + lasted).max(row.last_at_us);
        self.first_at_us = [self.first_at_us, row.first_at_us].into_iter().flatten().min();
        self.duration_us = ended.zip(self.first_at_us).map(|(last, first)| last - first);
        self.first = self.first_at_us.map(time::rfc3339);
    }

    /// Counts a finding in it.
    pub fn found(&mut self, finding: &FindingRow) {
        *self.findings.entry(finding.severity.clone()).or_default() += 1;
        *self.codes.entry(finding.code.clone()).or_default() += 1;
    }

    /// `2 errors (RPC008 2), 1 note`.
    fn told(&self) -> String {
        let told = |severity: &str| {
            let count = *self.findings.get(severity)?;
            Some(format!("{count} {severity}{}", if count == 1 { "" } else { "s" }))
        };
        let told: Vec<String> = ["error", "warning", "note"].into_iter().filter_map(told).collect();
        match told.is_empty() {
            true => "nothing found".to_string(),
            false => told.join(", "),
        }
    }
}

/// All sessions.
#[derive(Clone, Debug, Default)]
pub struct Sessions(Vec<Session>);

impl Sessions {
    /// Sessions without a time go last.
    pub fn newest_first(mut all: Vec<Session>) -> Sessions {
        all.sort_by(|a, b| b.first_at_us.cmp(&a.first_at_us).then_with(|| a.source.cmp(&b.source)));
        Sessions(all)
    }

    /// One JSON object a line.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.iter().try_for_each(|session| writeln!(out, "{}", json(session)?))
    }

    /// A table.
    pub fn write_human(&self, out: &mut dyn Write, style: &Style) -> io::Result<()> {
        let columns = [
            ("began (UTC)", Lean::Left),
            ("server", Lean::Left),
            ("protocol", Lean::Left),
            ("messages", Lean::Right),
            ("found", Lean::Left),
            ("recording", Lean::Left),
        ];
        let mut table = Table::new(columns).wrapped();
        for session in &self.0 {
            table.row(vec![
                session.first.as_deref().map_or("-", |first| first.get(..19).unwrap_or(first)).replace('T', " "),
                session.server.clone().unwrap_or_else(|| "-".to_string()),
                session.protocol.clone(),
                session.messages.to_string(),
                session.told(),
                session.source.clone(),
            ]);
        }
        table.lines(0, style.width).iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}
