//! `--report junit=FILE`: JUnit XML. A suite is a connection, a test case is one rule on it: failed where a finding
//! fails the check, passed otherwise (with the other findings as its output), skipped where the log cannot decide it.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::escape::escape;
use super::kinds::{Context, sentence};
use super::number::{count, plural};
use super::{Report, Silence, Summary};
use crate::protocol::{Profile, by_name};
use crate::rules::{Rule, find};
use crate::store::{ConnectionRow, FindingRow};

/// Findings of one test case that are listed.
const LISTED: usize = 20;

/// What one rule found on one connection.
#[derive(Default)]
struct Case {
    findings: u64,
    failures: u64,
    undecided: u64,
    worst: String,
    lines: Vec<String>,
}

/// The format.
pub struct Junit {
    context: Context,
    names: HashMap<String, String>,
    cases: BTreeMap<String, HashMap<String, Case>>,
}

impl Junit {
    /// The format.
    pub fn new(context: &Context) -> Junit {
        Junit { context: context.clone(), names: context.connection_names(), cases: BTreeMap::new() }
    }

    /// The rules that apply to a connection. Rules about the capture have no ruling and apply to all.
    fn rules(&self, connection: &ConnectionRow) -> Vec<&'static Rule> {
        let profile = profile(connection);
        let applies =
            |rule: &&Rule| rule.code.starts_with("CAP") || profile.is_none_or(|it| it.ruling(rule.code).is_some());
        self.context.rules().filter(applies).collect()
    }

    fn suite(&mut self, connection: &ConnectionRow, undecided: &HashMap<&str, String>) -> TestSuite {
        let name = text(self.names.get(&connection.key).unwrap_or(&connection.key));
        let mut found = self.cases.remove(&connection.key).unwrap_or_default();
        let mut rules = self.rules(connection);
        // A connection may have changed its profile on the way.
        rules.extend(found.keys().filter_map(|code| find(code)));
        rules.sort_by_key(|rule| rule.code);
        rules.dedup_by_key(|rule| rule.code);
        let mut suite = TestSuite::new(name.clone());
        for rule in rules {
            let case = found.remove(rule.code);
            let mut test =
                TestCase::new(format!("{} {}", rule.code, rule.name), status(rule, case.as_ref(), undecided));
            test.set_classname(name.clone());
            if let Some(case) = case.filter(|case| case.failures == 0) {
                test.set_system_out(case.text());
            }
            suite.add_test_case(test);
        }
        suite
    }
}

/// What a connection speaks.
fn profile(connection: &ConnectionRow) -> Option<&'static Profile> {
    let revision = Some(connection.revision.as_str()).filter(|revision| !revision.is_empty());
    by_name(&connection.protocol, revision).or_else(|| by_name(&connection.protocol, None))
}

/// What the log lacks, rule by rule, to decide them on a connection: of what happened, and of what may have.
fn undecided<'s>(summary: &'s Summary, connection: &ConnectionRow) -> HashMap<&'s str, String> {
    let label = profile(connection).map(Profile::label);
    let covered = summary.coverage.iter().flat_map(|coverage| &coverage.undecided);
    let own = covered.filter(|((profile, _), _)| Some(profile) == label.as_ref());
    let rows = summary.undecidable.iter();
    own.map(|((_, code), lacks)| (*code, format!("not decidable: {lacks}")))
        .chain(rows.map(|row| (row.code.as_str(), format!("the log lacks {}", row.lacks.join(", ")))))
        .collect()
}

impl Case {
    fn text(&self) -> XmlString {
        let mut lines = self.lines.clone();
        if self.findings > self.lines.len() as u64 {
            lines.push(format!("and {} more", count(self.findings - self.lines.len() as u64)));
        }
        XmlString::new(lines.join("\n"))
    }
}

/// Text that XML may hold: controls and what acts on a reader are escaped, and with them everything illegal but two
/// code points that are no characters.
pub(super) fn text(plain: &str) -> XmlString {
    XmlString::new(self::plain(plain))
}

/// The same as a string.
pub(super) fn plain(plain: &str) -> String {
    escape(plain).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn status(rule: &Rule, case: Option<&Case>, undecided: &HashMap<&str, String>) -> TestCaseStatus {
    match case {
        Some(case) if case.failures > 0 => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(case.worst.clone());
            status.set_message(format!("{}: {}", rule.summary, plural(case.failures, "time")));
            status.set_description(case.text());
            status
        }
        Some(case) if case.undecided > 0 => skipped(format!("not decidable: {}", plural(case.undecided, "time"))),
        None => undecided.get(rule.code).map_or_else(TestCaseStatus::success, |lacks| skipped(lacks.clone())),
        Some(_) => TestCaseStatus::success(),
    }
}

fn skipped(why: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

impl Junit {
    fn add(&mut self, finding: &FindingRow, fails: bool, why: &str) {
        let place = format!("{}:{}", self.context.path(&finding.source), finding.line);
        let case = self.cases.entry(finding.connection.clone()).or_default().entry(finding.code.clone()).or_default();
        case.findings += 1;
        // A failure that is not listed would be a riddle: failures push out what only informs.
        if fails && case.failures == 0 {
            case.lines.clear();
            case.worst = finding.severity.clone();
        }
        case.failures += u64::from(fails);
        case.undecided += u64::from(finding.certainty == "undecidable");
        if case.lines.len() < LISTED && (fails || case.failures == 0) {
            case.lines.push(text(&format!("{place}: {}: {}{why}", finding.severity, sentence(finding))).into_string());
        }
    }
}

impl Report for Junit {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let fails = self.context.fails(finding);
        self.add(finding, fails, "");
        Ok(())
    }

    fn silenced(&mut self, _: &mut dyn Write, finding: &FindingRow, silence: &Silence) -> io::Result<()> {
        self.add(finding, false, &format!(" ({})", silence.text()));
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let mut report = quick_junit::Report::new("rpctape check");
        for connection in self.context.connections.clone() {
            let suite = self.suite(&connection, &undecided(summary, &connection));
            report.add_test_suite(suite);
        }
        let written = report.to_string().map_err(io::Error::other)?;
        out.write_all(written.as_bytes())
    }
}
