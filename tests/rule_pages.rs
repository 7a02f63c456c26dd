//! The examples on the rule pages are run: each must give exactly the findings that the page shows.

mod support;

use rpctape::rules::{RULES, Rule, Selection};
use rpctape::session::Settings;
use support::trace::parse_trace;
use support::verdicts::{judge_with_lookout, lines};

/// Fences of a page: info line and body.
fn fences(page: &str) -> Vec<(String, String)> {
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
        let selection = Selection { select: vec!["ALL".into(), rule.code.into()], ignore: Vec::new() };
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
