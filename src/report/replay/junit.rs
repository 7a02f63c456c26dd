//! A run as JUnit XML: a suite is a recording, a test case one exchange; `time` is service time. It has no payload: it leaves the machine.

use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::super::escape::escape_cut;
use super::rows;
use crate::replay::verdict::{ExchangeReport, RunReport, Verdict};

/// The longest text of a case.
const LONGEST: usize = 1_000;

/// The document: a suite for each run.
pub fn junit(reports: &[RunReport]) -> io::Result<String> {
    let mut document = Report::new("rpctape replay");
    let walls: Vec<i64> = reports.iter().filter_map(|report| report.wall_us).collect();
    if !walls.is_empty() {
        document.set_time(Duration::from_micros(walls.iter().sum::<i64>().max(0) as u64));
    }
    document.add_test_suites(reports.iter().map(suite));
    document.to_string().map_err(io::Error::other)
}

fn suite(report: &RunReport) -> TestSuite {
    let mut suite = TestSuite::new(text(&report.recording));
    for entry in &report.exchanges {
        let mut case = TestCase::new(text(&name(report, entry)), status(entry));
        let protocol =
            report.protocols.get(entry.connection).map_or("jsonrpc", |label| label.split(' ').next().unwrap_or(label));
        case.set_classname(text(&format!(
            "{protocol}.{}",
            if entry.method.is_empty() { "connection" } else { &entry.method }
        )));
        if let Some(us) = entry.live.latency_us {
            case.set_time(Duration::from_micros(us.max(0) as u64));
        }
        if matches!(case.status, TestCaseStatus::Success { .. }) && !rows::detail(entry).is_empty() {
            case.set_system_out(text(&rows::detail(entry)));
        }
        suite.add_test_case(case);
    }
    if let Some(why) = &report.failure {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(text(why)).set_type("not-played");
        suite.add_test_case(TestCase::new("play", status));
    }
    suite.add_test_cases(alone(report));
    let mut notes = report.notes.clone();
    notes.extend(rows::cancels(report));
    notes.push(format!("run verdict: {}", report.outcome()));
    suite.set_system_out(text(&notes.join("; ")));
    let last_words = rows::last_words(report);
    if !last_words.is_empty() {
        suite.set_system_err(XmlString::new(lines(&last_words)));
    }
    if let Some(us) = report.wall_us {
        suite.set_time(Duration::from_micros(us.max(0) as u64));
    }
    suite
}

/// A run that fails although no exchange does (a deadline, a signal, `--strict`): without a case of its own it would look good to
/// whoever reads cases.
fn alone(report: &RunReport) -> Option<TestCase> {
    let told = report.failure.is_some() || report.exchanges.iter().any(|entry| entry.fails);
    if told || report.exit == 0 {
        return None;
    }
    let kind = if report.exit == 2 { NonSuccessKind::Error } else { NonSuccessKind::Failure };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(text(&report.notes.join("; "))).set_type(report.outcome());
    Some(TestCase::new("run", status))
}

/// `#7 tools/call index`.
fn name(report: &RunReport, entry: &ExchangeReport) -> String {
    let several = report.protocols.len() > 1;
    let place = if several { format!("@{}", entry.connection + 1) } else { String::new() };
    format!("{}{place} {}", entry.label, rows::request(entry))
}

fn status(entry: &ExchangeReport) -> TestCaseStatus {
    let unsaid = matches!(entry.verdict, Verdict::NotSent | Verdict::Blocked | Verdict::Raced | Verdict::Unknown);
    let mut status = match () {
        () if entry.verdict == Verdict::HarnessError => TestCaseStatus::non_success(NonSuccessKind::Error),
        () if entry.fails => TestCaseStatus::non_success(NonSuccessKind::Failure),
        () if unsaid => TestCaseStatus::skipped(),
        () => return TestCaseStatus::success(),
    };
    let detail = rows::detail(entry);
    let message = if detail.is_empty() {
        entry.verdict.as_str().to_string()
    } else {
        format!("{}: {detail}", entry.verdict.as_str())
    };
    status.set_message(text(&message));
    if !matches!(status, TestCaseStatus::Skipped { .. }) {
        status.set_type(entry.verdict.as_str());
        let places: Vec<&str> = entry.diff.iter().filter(|it| !it.harmless).map(|it| it.at.as_str()).collect();
        if !places.is_empty() {
            status.set_description(text(&format!("differs at {}", places.join(", "))));
        }
    }
    status
}

/// Lines that XML may hold.
fn lines(plain: &[String]) -> String {
    plain.iter().map(|line| super::super::junit::plain(&escape_cut(line, LONGEST, None)) + "\n").collect()
}

/// Text that XML may hold.
fn text(plain: &str) -> XmlString {
    super::super::junit::text(&escape_cut(plain, LONGEST, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_fails_without_an_exchange_that_does_has_a_case_of_its_own() {
        let written = |exit: u8, fails: bool| {
            let notes = vec!["the run was broken off at its deadline".to_string()];
            let exchanges = vec![ExchangeReport { fails, verdict: Verdict::Changed, ..ExchangeReport::default() }];
            junit(&[RunReport { exit, notes, exchanges, ..RunReport::default() }]).expect("written")
        };
        let late = written(1, false);
        assert!(
            late.contains(r#"failures="1""#) && late.contains(r#"<failure message="the run was broken off"#),
            "{late}"
        );
        assert!(!written(1, true).contains(r#"name="run""#) && !written(0, false).contains("<failure"));
        assert!(written(2, false).contains(r#"<error message="the run"#), "it could not be played");
    }
}
