//! All traces once more, written otherwise: what is found must not hang on it.

use crate::rule_pages::{evidence, fences, option, says, trace_files};
use crate::support::trace::{Step, Trace, What, parse_trace, shorthand};
use crate::support::verdicts::{lines, remembering};
use rpctape::capture::Vantage;
use rpctape::protocol::Side;
use rpctape::rules::{RULES, Selection};
use rpctape::session::Settings;

/// All traces: those of the pages, and those in `tests/traces`.
fn all_traces() -> Vec<(String, Trace)> {
    let pages = RULES.iter().map(|rule| rule.page.to_string());
    let texts = pages.chain(trace_files());
    let fences = texts.flat_map(|text| fences(&text));
    let traces = fences.filter_map(|(info, body)| {
        let info = info.strip_prefix("trace ")?;
        let (info, body) = shorthand(&option(&option(info, "window").1, "select").1, &body);
        Some((format!("{info}\n{body}"), parse_trace(&info, &body)))
    });
    traces.collect()
}

/// How many settled exchanges are remembered by itself, in these tests.
const WINDOW: usize = 8_192;

/// What is found: each finding, what is said of it, and what it rests on.
fn judged(trace: &Trace, window: usize) -> Vec<String> {
    let (verdicts, numbers) = remembering(trace, Settings { window, ..Settings::default() }, &Selection::default());
    let mut all =
        [lines(&verdicts.findings, &numbers), says(&verdicts, &numbers), evidence(&verdicts, &numbers)].concat();
    all.sort();
    all
}

/// What was forgotten is asked of the store: each finding is what it would be without that, with all that it says and rests on.
/// Where the log does not say who sent a message, that is guessed from what is remembered; and an answer that may be that of a
/// forgotten request settles no other, so that more is in flight at the end (CAP002).
#[test]
fn what_is_forgotten_is_judged_as_what_is_remembered() {
    let said = all_traces().into_iter().filter(|(_, trace)| !trace.steps.iter().any(Step::is_anyones));
    let judged = |trace: &Trace, window| {
        let all = judged(trace, window);
        all.into_iter().filter(|line| !line.starts_with("CAP002")).collect::<Vec<_>>()
    };
    for (text, trace) in said {
        assert_eq!(judged(&trace, 1), judged(&trace, WINDOW), "{text}");
    }
}

/// A log has no day on which it would be judged otherwise.
#[test]
fn when_it_was_does_not_matter() {
    const DAYS_MS: i64 = 1_000 * 86_400_000;
    for (text, trace) in all_traces() {
        let mut later = trace.clone();
        later.steps.iter_mut().for_each(|step| step.at_ms += DAYS_MS);
        assert_eq!(judged(&trace, WINDOW), judged(&later, WINDOW), "{text}");
    }
}

/// The first message of a trace, where that is the client's `initialize`: it tells what is spoken, and whose log it is.
fn opening(trace: &Trace) -> Option<&str> {
    let first = trace.steps.iter().find(|step| matches!(step.what, What::Json(_)))?;
    let What::Json(text) = &first.what else { return None };
    (first.side == Some(Side::Client) && text.contains(r#""method":"initialize""#)).then_some(text)
}

/// A log that says "sent" and "received" shows as much as one that names the sides, once it is known whose it is.
#[test]
fn in_whose_words_it_was_written_does_not_matter() {
    let http = |step: &Step| matches!(step.what, What::Http(_));
    let traces =
        all_traces().into_iter().filter(|(_, trace)| opening(trace).is_some() && !trace.steps.iter().any(http));
    let mut seen = 0;
    for (text, mut named) in traces {
        named.channel.vantage = Vantage::Unknown;
        for logger in Side::BOTH {
            let told = Trace { logger: Some(logger), ..named.clone() };
            assert_eq!(judged(&named, WINDOW), judged(&told, WINDOW), "{text}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// A handshake that names the revision tells what is spoken, whether or not something else does. Where a request states another one
/// for itself, a declaration has its say.
#[test]
fn whether_the_protocol_is_said_beside_does_not_matter() {
    let named = |trace: &Trace| {
        let revision = trace.channel.profile.map_or("", |profile| profile.revision);
        let names = |text: &str| {
            text.split("protocolVersion\":").skip(1).all(|rest| rest.starts_with(&format!("\"{revision}\"")))
        };
        let all = trace.steps.iter().all(|step| !matches!(&step.what, What::Json(text) if !names(text)));
        all && opening(trace).is_some_and(|text| text.contains("\"protocolVersion\""))
    };
    let mut seen = 0;
    for (text, trace) in all_traces().into_iter().filter(|(_, trace)| named(trace)) {
        let mut unsaid = trace.clone();
        unsaid.channel.profile = None;
        assert_eq!(judged(&trace, WINDOW), judged(&unsaid, WINDOW), "{text}");
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
}
