//! `--report KIND=FILE`: the table that maps a kind to its writer, and what all of them have in common.
//!
//! A report leaves the machine. It has methods, tool names, ids that are numbers, and lines; it has no payload.
//! `jsonl` and `html` are the exceptions: the one is what `--format jsonl` prints, the other shows the traffic.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::escape::escape_cut;
use super::html::{Gathered, Html};
use super::{Annotations, Junit, Lines, Markdown, Report, Sarif};
use crate::protocol::Severity;
use crate::rules::{Rule, Selection};
use crate::store::{ConnectionRow, FindingRow};

/// The longest sentence of a report.
const LONGEST: usize = 300;

/// What a report is told before the first finding.
#[derive(Clone, Default)]
pub struct Context {
    /// The connections that were judged.
    pub connections: Vec<ConnectionRow>,
    /// The rules that ran.
    pub selection: Selection,
    /// The least severity that fails the check.
    pub fail_on: Option<Severity>,
    /// True if there is a baseline of known findings.
    pub baseline: bool,
    /// The folder to which names of sources are relative.
    pub base: Option<String>,
    /// The traffic, for a report that shows it.
    pub gathered: Option<Rc<Gathered>>,
}

/// A kind of report.
pub struct Kind {
    /// What stands before the `=`.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Makes its writer.
    pub make: fn(&Context) -> Box<dyn Report>,
}

/// All kinds.
pub const KINDS: &[Kind] = &[
    Kind { name: "sarif", about: "SARIF 2.1.0, for code scanning", make: |context| Box::new(Sarif::new(context)) },
    Kind { name: "junit", about: "JUnit XML, for test reports of a CI", make: |context| Box::new(Junit::new(context)) },
    Kind {
        name: "github",
        about: "annotations of GitHub Actions",
        make: |context| Box::new(Annotations::new(context)),
    },
    Kind { name: "md", about: "Markdown for a pull request", make: |context| Box::new(Markdown::new(context)) },
    Kind { name: "jsonl", about: "what --format jsonl prints", make: |_| Box::new(Lines) },
    Kind {
        name: "html",
        about: "one page for a browser, with the traffic",
        make: |context| Box::new(Html::new(context.gathered.clone())),
    },
];

impl Kind {
    /// A kind by its name.
    pub fn find(name: &str) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}

impl Context {
    /// The rules that ran.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        crate::rules::RULES.iter().copied().filter(|rule| self.selection.takes(rule))
    }

    /// True if a finding fails the check.
    pub fn fails(&self, finding: &FindingRow) -> bool {
        let severity = Severity::from_name(&finding.severity);
        finding.certainty == "violation" && self.fail_on.zip(severity).is_some_and(|(least, is)| is >= least)
    }

    /// A source as a relative path with forward slashes. A source outside the base is named without its folders:
    /// they tell of a machine that the reader of the report does not have.
    pub fn path(&self, source: &str) -> String {
        let source = source.replace('\\', "/");
        let base = self.base.as_deref().map(|base| base.replace('\\', "/"));
        let inside = base.and_then(|base| source.strip_prefix(&format!("{}/", base.trim_end_matches('/'))));
        let path = match inside {
            Some(path) => path,
            None if source == "-" => "stdin",
            None if source.starts_with('/') || source.get(1..3) == Some(":/") || source.starts_with("../") => {
                source.rsplit('/').next().unwrap_or("log")
            }
            None => source.trim_start_matches("./"),
        };
        path.to_string()
    }

    /// How a report names each connection, by its key: the source that it is named after as [`Context::path`] says, and behind it
    /// which of its name it is, where several would be called the same.
    pub fn connection_names(&self) -> HashMap<String, String> {
        let mut taken: HashMap<String, u64> = HashMap::new();
        let named = self.connections.iter().map(|connection| {
            let key = &connection.key;
            let own = key.strip_prefix(&connection.source).filter(|own| own.is_empty() || own.starts_with('/'));
            let name = own.map_or_else(|| key.clone(), |own| self.path(&connection.source) + own);
            let before = taken.entry(name.clone()).or_default();
            *before += 1;
            (key.clone(), if *before > 1 { format!("{name} ({before})") } else { name })
        });
        named.collect()
    }
}

/// 0 for what is worst.
pub fn rank(severity: &str) -> usize {
    match severity {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    }
}

/// What a finding says, without what stands in quotation marks (ids that are strings, reasons, values), escaped.
pub fn sentence(finding: &FindingRow) -> String {
    let text = finding.summary.as_str();
    // This one quotes the specification and nothing else.
    let own = finding.code == "RPC002";
    let text = match (text.find('"'), text.rfind('"')) {
        (Some(first), Some(last)) if first < last && !own => {
            Cow::Owned(format!("{}\"...\"{}", &text[..first], &text[last + 1..]))
        }
        (Some(first), _) if !own => Cow::Owned(format!("{}...", &text[..first])),
        _ => Cow::Borrowed(text),
    };
    let certainty = match finding.certainty.as_str() {
        "violation" => String::new(),
        certainty => format!(" ({certainty})"),
    };
    format!("{}{certainty}", escape_cut(&text, LONGEST, None))
}

#[cfg(test)]
mod tests {
    use super::super::tests::late;
    use super::*;

    #[test]
    fn sources_are_relative_and_tell_no_folder_of_the_machine() {
        let context = Context { base: Some("/home/x/repo".into()), ..Context::default() };
        let cases = [
            ("a/b.jsonl", "a/b.jsonl"),
            ("./b.jsonl", "b.jsonl"),
            ("/home/x/repo/a/b.jsonl", "a/b.jsonl"),
            ("/home/x/other/b.jsonl", "b.jsonl"),
            ("../b.jsonl", "b.jsonl"),
            ("a\\b.jsonl", "a/b.jsonl"),
            ("C:\\logs\\b.jsonl", "b.jsonl"),
            ("-", "stdin"),
        ];
        for (source, path) in cases {
            assert_eq!(context.path(source), path, "{source}");
        }
    }

    #[test]
    fn each_connection_has_a_name_of_its_own() {
        let named = [
            ("../a/b.jsonl", "../a/b.jsonl/1", "b.jsonl/1"),
            ("/x/b.jsonl", "/x/b.jsonl/1", "b.jsonl/1 (2)"),
            ("log.jsonl", "/srv/a/main", "/srv/a/main"),
            ("log.jsonl", "/srv/b/main", "/srv/b/main"),
            ("./log.jsonl", "./log.jsonl/1", "log.jsonl/1"),
        ];
        let connection = |(source, key, _): (&str, &str, &str)| ConnectionRow {
            key: key.into(),
            source: source.into(),
            ..ConnectionRow::default()
        };
        let context = Context { connections: named.map(connection).to_vec(), ..Context::default() };
        let names = context.connection_names();
        for (_, key, name) in named {
            assert_eq!(names[key], name);
        }
    }

    #[test]
    fn what_a_log_quotes_stays_at_home() {
        let mut row = late(6, "search");
        row.summary = "the client cancels #1 initialize, with the reason \"a \"secret\" b\"\u{1b}".into();
        assert_eq!(sentence(&row), "the client cancels #1 initialize, with the reason \"...\"\\x1b");
        row.summary = "an odd \" mark".into();
        row.certainty = "race".into();
        assert_eq!(sentence(&row), "an odd ... (race)");
    }
}
