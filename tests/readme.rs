//! What the README says is so: its commands run, its table of rules is the table of rules, its samples exist.

mod common;

use std::collections::BTreeSet;

use common::{rpctape, run, top};
use rpctape::rules::RULES;

fn readme() -> String {
    std::fs::read_to_string(top().join("README.md")).expect("README.md is there")
}

fn between<'a>(text: &'a str, mark: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("<!-- {mark} -->\n")).expect("the mark is there");
    rest.split_once(&format!("<!-- /{mark} -->")).expect("the end is there").0
}

/// A command line as a shell splits it: blanks, single and double quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn every_command_of_the_tour_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let readme = readme();
    let (_, tour) = readme.split_once("## Five minutes").expect("the tour is there");
    let tour = tour.split_once("\n## ").expect("it ends").0;
    let mut ran = 0;
    for line in tour.lines().filter_map(|line| line.strip_prefix("$ rpctape ")) {
        let args = words(line).into_iter().map(|word| match word.as_str() {
            "session.db" => folder.path().join("session.db").display().to_string(),
            _ => word,
        });
        let output = rpctape().args(args).output().expect("the program starts");
        let code = output.status.code().expect("not killed");
        let expected = if line.starts_with("check") || line.starts_with("audit") { 0..=1 } else { 0..=0 };
        assert!(expected.contains(&code), "rpctape {line}: {code}\n{}", String::from_utf8_lossy(&output.stderr));
        ran += 1;
    }
    assert!(ran >= 8, "{ran}");
}

#[test]
fn the_two_commands_that_others_rely_on_stand_at_the_start_of_a_line() {
    let readme = readme();
    assert!(readme.lines().any(|line| line == "cargo test --locked"));
    let check = readme.lines().find_map(|line| line.strip_prefix("cargo run --release --locked -- "));
    let said = run(&words(check.expect("the check is there")).iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.out.contains("error["), "{}", said.out);
}

#[test]
fn the_table_of_rules_is_the_table_of_rules() {
    let readme = readme();
    let expected: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let (code, name, severity) = (rule.code, rule.name, rpctape::report::catalogue::severities(rule));
            let off = if rule.default_on { "" } else { " (off)" };
            format!("| {code} | [{name}](docs/rules/{name}.md) | {severity} | {}{off} |", rule.summary)
        })
        .collect();
    let rows: Vec<&str> = between(&readme, "rules").lines().skip(2).collect();
    assert_eq!(rows, expected);
    for rule in RULES {
        assert!(top().join(format!("docs/rules/{}.md", rule.name)).is_file(), "{}", rule.name);
    }
}

#[test]
fn every_sample_has_its_line_and_every_line_its_sample() {
    let readme = readme();
    let named: BTreeSet<String> = between(&readme, "samples")
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| [")?.split_once(']')?.0.to_string()))
        .collect();
    let mut there = BTreeSet::new();
    for folder in ["mcp", "acp", "lsp", "jsonrpc", "faults"] {
        for entry in std::fs::read_dir(top().join("samples").join(folder)).expect("samples") {
            there.insert(format!("samples/{folder}/{}", entry.expect("an entry").file_name().to_string_lossy()));
        }
    }
    assert_eq!(named, there);
}
