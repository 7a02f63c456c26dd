//! The examples on the rule pages are run, and so are the traces in `tests/traces`: each must give exactly what stands below it.
//! What is made of them for others is in `corpus`.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use crate::support::trace::{parse_trace, shorthand};
use crate::support::verdicts::{Verdicts, judge_with_lookout, lines, remembering};
use rpctape::finding::Breach;
use rpctape::protocol::Side;
use rpctape::rules::{RULES, Rule, Seized, Selection, coverage, find};
use rpctape::session::{Certainty, FrameId, Settings};

/// Fences of a page: info line and body.
pub(crate) fn fences(page: &str) -> Vec<(String, String)> {
    let mut fences = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_string(), String::new())),
            (Some(_), Some(_)) => fences.extend(open.take()),
            (Some((_, body)), None) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    fences
}

fn check(rule: &Rule, errors: &mut Vec<String>) -> usize {
    let fences = fences(rule.page);
    let mut examples = 0;
    let mut flagged = false;
    for pair in fences.windows(2) {
        let (Some(info), "findings") = (pair[0].0.strip_prefix("trace "), pair[1].0.as_str()) else { continue };
        examples += 1;
        let selection = Selection {
            select: vec!["ALL".into(), rule.code.into()],
            schema: rule.needs_schema(),
            ..Selection::default()
        };
        let (verdicts, numbers) = judge_with_lookout(&parse_trace(info, &pair[0].1), Settings::default(), &selection);
        let capture_page = rule.code.starts_with("CAP");
        let keep = |line: &String| capture_page || !line.starts_with("CAP");
        let mut got: Vec<String> = lines(&verdicts.findings, &numbers).into_iter().filter(keep).collect();
        let mut want: Vec<String> =
            pair[1].1.lines().map(str::to_string).filter(|line| !line.trim().is_empty()).collect();
        got.sort();
        want.sort();
        flagged |= want.iter().any(|line| line.starts_with(rule.code));
        if got != want {
            errors.push(format!("{} {} ({info}):\n  want {want:#?}\n  got  {got:#?}", rule.code, rule.name));
        }
    }
    if examples < 2 || !flagged {
        errors.push(format!("{} {}: {examples} examples, flagged: {flagged}", rule.code, rule.name));
    }
    examples
}

#[test]
fn examples_on_the_pages_are_true() {
    let mut errors = Vec::new();
    let examples: usize = RULES.iter().map(|rule| check(rule, &mut errors)).sum();
    assert!(errors.is_empty(), "{} of {examples} examples:\n{}", errors.len(), errors.join("\n"));
    assert!(examples >= 2 * RULES.len());
}

/// Cancels as lines: `cancel at 5: result at 6, of 4`, sorted.
fn cancels(verdicts: &Verdicts, numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<(FrameId, String)> = Vec::new();
    for cancel in &verdicts.cancellations {
        let effect = cancel.effect.map_or("open", |effect| effect.as_str());
        let mut row = format!("cancel at {}: {effect}", numbers[&cancel.seen.frame]);
        if let Some(seen) = cancel.effect_seen {
            let _ = write!(row, " at {}", numbers[&seen.frame]);
        }
        if let Some(request) = cancel.exchange {
            let _ = write!(row, ", of {}", numbers[&request]);
        }
        rows.push((cancel.seen.frame, row));
    }
    rows.sort();
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Findings as they are told: `STK004 at 5: the server ...`, in the order of their events.
pub(crate) fn says(verdicts: &Verdicts, numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<_> = verdicts.findings.iter().collect();
    rows.sort_by_key(|finding| (finding.frame, finding.code));
    let row =
        rows.into_iter().map(|finding| format!("{} at {}: {}", finding.code, numbers[&finding.frame], finding.summary));
    row.collect()
}

/// What findings rest on: `CAN005 at 11: request 4, response 5, cancel 11`, in the order of their events.
pub(crate) fn evidence(verdicts: &Verdicts, numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<_> = verdicts.findings.iter().collect();
    rows.sort_by_key(|finding| (finding.frame, finding.code));
    let row = rows.into_iter().map(|finding| {
        let items = finding.evidence.iter().map(|item| format!("{} {}", item.role, numbers[&item.frame]));
        format!("{} at {}: {}", finding.code, numbers[&finding.frame], items.collect::<Vec<_>>().join(", "))
    });
    row.collect()
}

/// What each side had occasion to: `client: a message, a request`, in the words of `check --coverage`.
fn occasions(verdicts: &Verdicts) -> Vec<String> {
    let of = |seized: &Seized| Side::BOTH.map(|side| format!("{}: {}", side.as_str(), seized.of(side).words()));
    verdicts.exercised.iter().flat_map(|exercised| of(&exercised.seized)).collect()
}

/// What became of the clauses that some rules judge: `server mcp-2025-11-25/cancel-unknown: kept`, and why where it is not.
fn clauses(verdicts: &Verdicts, codes: &str) -> Vec<String> {
    let breaches = verdicts.findings.iter().filter_map(|finding| {
        let (clause, code) = (finding.clause?.id.to_string(), finding.code.to_string());
        let violation = finding.certainty == Certainty::Violation;
        Some(Breach { profile: finding.profile, clause, code, side: finding.by, violation, count: 1 })
    });
    let rows = coverage(&verdicts.exercised, &breaches.collect::<Vec<_>>(), &Selection::default());
    let asked = rows.iter().filter(|row| row.rules.iter().any(|rule| codes.split(',').any(|code| code == *rule)));
    let row = asked.map(|row| {
        let (side, clause, rules) = (row.side.as_str(), row.clause.id, row.rules.join(","));
        let because = row.because.iter().map(|why| format!("; {why}")).collect::<String>();
        let counts = format!("{} connections, {} findings", row.connections, row.findings);
        format!("{side} {clause} by {rules}: {}, {counts}{because}", row.standing.as_str())
    });
    row.collect()
}

/// Exchanges as lines: `4 #1 tools/call: result QCr`, in the order of their requests.
fn exchanges(verdicts: &Verdicts, numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<_> = verdicts.exchanges.iter().collect();
    rows.sort_by_key(|exchange| exchange.request.frame);
    let row = rows.into_iter().map(|exchange| {
        let (label, title, outcome) = (exchange.label(), exchange.title(), exchange.outcome.as_str());
        format!("{} {label} {title}: {outcome} {}", numbers[&exchange.request.frame], exchange.history)
    });
    row.collect()
}

/// The value of `name=` among the words of an info line, and the line without it.
pub(crate) fn option<'i>(info: &'i str, name: &str) -> (Option<&'i str>, String) {
    let of = |word: &'i str| word.strip_prefix(name)?.strip_prefix('=');
    let rest: Vec<&str> = info.split(' ').filter(|word| of(word).is_none()).collect();
    (info.split(' ').find_map(of), rest.join(" "))
}

/// Runs the traces of one file; what each must give stands in the fences that follow it.
fn check_traces(text: &str, errors: &mut Vec<String>) -> usize {
    let (mut traces, mut title, mut run) = (0, String::new(), None);
    for part in text.split("\n## ").skip(1) {
        let name = part.lines().next().unwrap_or_default();
        title = if name.is_empty() { title } else { name.to_string() };
        for (info, body) in fences(part) {
            let want: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
            if let Some(info) = info.strip_prefix("trace ") {
                let (window, info) = option(info, "window");
                let (select, info) = option(&info, "select");
                let (info, body) = shorthand(&info, &body);
                let window = window.map_or(8_192, |window| window.parse().expect("a number"));
                let settings = Settings { window, ..Settings::default() };
                let schema = select.and_then(find).is_some_and(Rule::needs_schema);
                let select = std::iter::once("ALL").chain(select).map(str::to_string).collect();
                let selection = Selection { select, schema, ..Selection::default() };
                run = Some(remembering(&parse_trace(&info, &body), settings, &selection));
                traces += 1;
                continue;
            }
            let Some((verdicts, numbers)) = &run else { panic!("{title}: {info} before any trace") };
            let got = match info.as_str() {
                "findings" => lines(&verdicts.findings, numbers),
                "occasions" => occasions(verdicts),
                "cancels" => cancels(verdicts, numbers),
                "says" => says(verdicts, numbers),
                "evidence" => evidence(verdicts, numbers),
                "exchanges" => exchanges(verdicts, numbers),
                _ => match info.strip_prefix("coverage ") {
                    Some(codes) => clauses(verdicts, codes),
                    None => panic!("{title}: what is {info}?"),
                },
            };
            if got != want {
                errors.push(format!("{title}: {info}\n  want {want:#?}\n  got  {got:#?}"));
            }
        }
    }
    traces
}

/// The files in `tests/traces`, in order.
pub(crate) fn trace_files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let entries = std::fs::read_dir(folder).expect("the traces").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = entries.collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// What each rule says of the examples on its page, and what that rests on.
#[test]
fn rules_say_what_they_found() {
    let mut all = String::new();
    for rule in RULES {
        for (info, body) in fences(rule.page) {
            let Some(info) = info.strip_prefix("trace ") else { continue };
            let select = vec!["ALL".into(), rule.code.into()];
            let selection = Selection { select, schema: rule.needs_schema(), ..Selection::default() };
            let (verdicts, numbers) = judge_with_lookout(&parse_trace(info, &body), Settings::default(), &selection);
            let own = |line: &String| line.starts_with(rule.code);
            for (said, shown) in says(&verdicts, &numbers).into_iter().zip(evidence(&verdicts, &numbers)) {
                if own(&said) {
                    let _ = writeln!(all, "{said}\n    {}", shown.split_once(": ").map_or("", |(_, items)| items));
                }
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn traces_give_what_stands_below_them() {
    let (mut errors, mut traces) = (Vec::new(), 0);
    for text in trace_files() {
        traces += check_traces(&text, &mut errors);
    }
    assert!(errors.is_empty(), "{} of {traces} traces:\n{}", errors.len(), errors.join("\n"));
    assert!(traces >= 60, "only {traces} traces were found");
}
