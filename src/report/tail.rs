//! `tail`: one line when a thing is certain, or one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use super::columns::{fit, pad};
use super::escape::{escape, escape_cut, json};
use super::{Ink, Style, time};
use crate::number::duration;

/// Columns that the words of a line may take where nothing limits them.
const LONGEST: usize = 400;

/// A finding that will not be taken back.
#[derive(Clone, Debug, Serialize)]
pub struct CertainFinding {
    /// `finding`.
    pub r#type: &'static str,
    /// Code of the rule.
    pub code: &'static str,
    /// Its name.
    pub rule: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// `violation`.
    pub certainty: &'static str,
    /// What that rests on, where an argument was needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<&'static str>,
    /// Protocol and revision.
    pub profile: String,
    /// Key of the connection.
    pub connection: String,
    /// The log.
    pub source: String,
    /// Line of the offending message, in the file as it is now.
    pub line: u64,
    /// Its time, in microseconds since the epoch.
    pub at_us: Option<i64>,
    /// One sentence.
    pub summary: String,
    /// The clause that was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clause: Option<CertainClause>,
}

/// A normative sentence.
#[derive(Clone, Debug, Serialize)]
pub struct CertainClause {
    /// MUST, SHOULD ...
    pub level: &'static str,
    /// Word for word.
    pub text: &'static str,
    /// Where it stands.
    pub url: String,
}

/// A request that has waited too long.
#[derive(Clone, Debug, Serialize)]
pub struct StuckRequest {
    /// `stuck`.
    pub r#type: &'static str,
    /// As the screens name it.
    pub request: String,
    /// `client` or `server`.
    pub issuer: &'static str,
    /// Method.
    pub method: String,
    /// Tool or command.
    pub name: Option<String>,
    /// Key of the connection.
    pub connection: String,
    /// The log.
    pub source: String,
    /// Line of the request.
    pub line: u64,
    /// When it was sent.
    pub since_us: Option<i64>,
    /// How long it has waited.
    pub age_us: i64,
    /// Its last progress before that.
    pub last_life_us: Option<i64>,
}

/// The end of what was seen.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TailSummary {
    /// `summary`.
    pub r#type: &'static str,
    /// Version of these objects.
    pub v: u8,
    /// Messages.
    pub messages: u64,
    /// Findings that are certain.
    pub findings: u64,
    /// Requests that were said to be stuck.
    pub stuck: u64,
    /// Requests without an answer when the watching ended.
    pub in_flight: u64,
    /// True if the log itself says that it has ended.
    pub ended: bool,
    /// The exit code.
    pub exit: u8,
}

/// How lines look.
#[derive(Clone, Copy, Debug)]
pub struct TailStyle {
    /// Colour and width.
    pub style: Style,
    /// True for JSON objects.
    pub json: bool,
    /// True where there is more than one connection, so that a request needs the key of its own.
    pub keyed: bool,
}

impl TailStyle {
    fn line(&self, out: &mut dyn Write, at_us: Option<i64>, (word, ink): (&str, Ink), text: &str) -> io::Result<()> {
        let clock = at_us.map_or("--:--:--".to_string(), |us| time::clock(us).chars().take(8).collect());
        let room = self.style.width.map_or(LONGEST, |width| width.saturating_sub(19).max(20));
        writeln!(
            out,
            "{clock}  {} {}",
            self.style.paint(ink, &pad(word, 8)),
            fit(&escape_cut(text, LONGEST, None), room)
        )
    }

    fn key(&self, key: &str) -> String {
        if self.keyed { format!("@{key}") } else { String::new() }
    }

    /// A finding.
    pub fn finding(&self, out: &mut dyn Write, found: &CertainFinding) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", json(found)?);
        }
        let ink = if found.severity == "error" { Ink::Error } else { Ink::Warning };
        let key = if self.keyed { format!(" of {}", found.connection) } else { String::new() };
        let text = format!("{} {}  line {}{key}  {}", found.code, found.rule, found.line, found.summary);
        self.line(out, found.at_us, (found.severity, ink), &text)
    }

    /// A stuck request, at the moment at which it became one.
    pub fn stuck(&self, out: &mut dyn Write, stuck: &StuckRequest) -> io::Result<()> {
        if self.json {
            return writeln!(out, "{}", json(stuck)?);
        }
        let name = stuck.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
        let life = match (stuck.last_life_us, stuck.since_us) {
            (Some(life), Some(since)) => format!("last life after {}", duration(life - since)),
            _ => "no sign of life".to_string(),
        };
        let text = format!(
            "{}{} {}{name}  {}, {life}  line {}",
            stuck.request,
            self.key(&stuck.connection),
            stuck.method,
            duration(stuck.age_us),
            stuck.line
        );
        self.line(out, stuck.since_us.map(|us| us + stuck.age_us), ("stuck", Ink::Error), &text)
    }

    /// The last object; people get a sentence.
    pub fn summary(&self, out: &mut dyn Write, summary: &TailSummary) -> io::Result<()> {
        writeln!(out, "{}", json(summary)?)
    }
}

impl TailSummary {
    /// `12 messages, 1 finding, 0 stuck, 2 in flight`.
    pub fn told(&self) -> String {
        let ended = if self.ended { "the log has ended: " } else { "" };
        let (messages, findings) = (super::plural(self.messages, "message"), super::plural(self.findings, "finding"));
        escape(&format!("{ended}{messages}, {findings}, {} stuck, {} in flight", self.stuck, self.in_flight))
            .into_owned()
    }
}
