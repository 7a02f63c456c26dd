//! A card as JUnit XML: the suite is the server, a test case one clause. What was not seen is skipped.

use std::io;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use super::super::escape::escape_cut;
use crate::conform::{Card, ClauseCard, Verdict};

/// The longest text of a case.
const LONGEST: usize = 1_000;

/// The document.
pub(super) fn junit(card: &Card) -> io::Result<String> {
    let mut document = Report::new("rpctape conform");
    let mut suite = TestSuite::new(text(&format!("{} {}", card.server.title(), card.server.protocol)));
    for clause in &card.clauses {
        let mut case = TestCase::new(text(&clause.id), status(clause, card.strict));
        case.set_classname(text(&card.server.protocol));
        if clause.known {
            case.set_system_out(text("known: in the baseline"));
        }
        suite.add_test_case(case);
    }
    for stale in &card.stale {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(text("the baseline knows a violation that is not there any more")).set_type("stale");
        suite.add_test_case(TestCase::new(text(&format!("baseline {stale}")), status));
    }
    let told: Vec<String> =
        card.behaviours.iter().map(|behaviour| format!("{}: {}", behaviour.what, behaviour.does)).collect();
    suite.set_system_out(text(&told.into_iter().chain(card.notes.iter().cloned()).collect::<Vec<_>>().join("; ")));
    document.add_test_suite(suite);
    document.to_string().map_err(io::Error::other)
}

fn status(clause: &ClauseCard, strict: bool) -> TestCaseStatus {
    let unseen = clause.verdict == Verdict::NotObserved && clause.binds() && strict;
    let mut status = match clause.verdict {
        _ if clause.fails() || unseen => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::NotObserved | Verdict::NotApplicable => TestCaseStatus::skipped(),
        Verdict::Honoured | Verdict::Violates => return TestCaseStatus::success(),
    };
    let why = clause
        .decisive()
        .map_or_else(|| "no probe of it was played".to_string(), |it| format!("{}: {}", it.probe, it.detail));
    status.set_message(text(&format!("{}: {why}", clause.verdict.as_str())));
    if !matches!(status, TestCaseStatus::Skipped { .. }) {
        status.set_type(clause.verdict.as_str());
        let quote = clause.quote.map(|quote| format!("{} {quote:?} {}", clause.level, clause.url.unwrap_or("")));
        status.set_description(text(&quote.unwrap_or_default()));
    }
    status
}

/// Text that XML may hold.
fn text(plain: &str) -> XmlString {
    super::super::junit::text(&escape_cut(plain, LONGEST, None))
}
