//! What the README and the tutorials say is so: their commands run and print what stands below them, the table of rules is the
//! table of rules, the samples exist, and every link leads somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::{run, top};
use rpctape::rules::RULES;

fn page(name: &str) -> String {
    std::fs::read_to_string(top().join(name)).expect(name)
}

fn between<'a>(text: &'a str, mark: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("<!-- {mark} -->\n")).expect("the mark is there");
    rest.split_once(&format!("<!-- /{mark} -->")).expect("the end is there").0
}

/// The commands of a page, each with the lines that stand below it.
fn told(text: &str) -> Vec<(String, Vec<String>)> {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) if line.starts_with("$ ") => told.push((line[2..].to_string(), Vec::new())),
            (true, line) => told.last_mut().expect("a command comes first").1.push(line.to_string()),
            _ => {}
        }
    }
    told
}

/// True if the lines are those of the answer, `...` standing for any number of lines.
fn fits(lines: &[String], answer: &[&str]) -> bool {
    match lines.split_first() {
        None => answer.is_empty(),
        Some((line, rest)) if line == "..." => (0..=answer.len()).any(|at| fits(rest, &answer[at..])),
        Some((line, rest)) => answer.first() == Some(&line.as_str()) && fits(rest, &answer[1..]),
    }
}

/// Runs the commands of a page one after the other in a folder of its own that has the samples.
#[cfg(unix)]
fn try_out(name: &str) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(top().join("samples"), folder.path().join("samples")).expect("a link");
    let program = Path::new(env!("CARGO_BIN_EXE_rpctape")).parent().expect("a folder").display().to_string();
    let commands = told(&page(name));
    for (command, lines) in &commands {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", command]).current_dir(folder.path()).env_clear();
        shell.env("PATH", format!("{program}:/usr/bin:/bin")).env("TMPDIR", folder.path());
        let done = shell.output().expect("a shell");
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(matches!(done.status.code(), Some(0 | 1)), "{name}: {command}: {err}");
        let answer: Vec<&str> = out.trim_end().lines().collect();
        assert!(
            lines.is_empty() || fits(lines, &answer),
            "{name}: {command} prints\n{out}\nand not\n{}",
            lines.join("\n")
        );
    }
    commands.len()
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_prints_what_stands_below_it() {
    assert!(try_out("README.md") >= 8);
    assert!(page("README.md").lines().count() < 120);
}

#[cfg(unix)]
#[test]
fn every_command_of_the_tutorials_prints_what_stands_below_it() {
    for (name, least) in [("audit", 7), ("postmortem", 8), ("replay", 3)] {
        assert!(try_out(&format!("docs/tutorials/{name}.md")) >= least, "{name}");
    }
}

#[test]
fn the_two_commands_that_others_rely_on_stand_at_the_start_of_a_line() {
    let readme = page("README.md");
    assert!(readme.lines().any(|line| line == "cargo test --locked"));
    let check = readme.lines().find_map(|line| line.strip_prefix("cargo run --release --locked -- "));
    let said = run(&check.expect("the check is there").split(' ').collect::<Vec<_>>());
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.out.contains("error["), "{}", said.out);
}

#[test]
fn the_table_of_rules_is_the_table_of_rules() {
    let text = page("docs/rules.md");
    let expected: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let (code, name, severity) = (rule.code, rule.name, rpctape::report::catalogue::severities(rule));
            let off = match rule.default_on {
                false => " (off)",
                true if rule.needs_schema() => " (with --schema)",
                true => "",
            };
            format!("| {code} | [{name}](rules/{name}.md) | {severity} | {}{off} |", rule.summary)
        })
        .collect();
    let rows: Vec<&str> = between(&text, "rules").lines().skip(2).collect();
    let missing: Vec<&String> = expected.iter().filter(|row| !rows.contains(&row.as_str())).collect();
    let strange: Vec<&&str> = rows.iter().filter(|row| !expected.iter().any(|other| other == *row)).collect();
    assert!(missing.is_empty() && strange.is_empty(), "docs/rules.md lacks {missing:#?}\nand has {strange:#?}");
    assert!(rows == expected, "the rows of docs/rules.md stand in another order than the rules");
}

#[test]
fn every_sample_has_its_line_and_every_line_its_sample() {
    let (readme, text) = (page("README.md"), page("docs/samples.md"));
    let named: BTreeSet<String> = between(&text, "samples")
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
    for sample in there {
        assert!(readme.contains(&format!("[{sample}]({sample})")), "{sample}");
    }
}

/// Pages below a folder.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => pages(&path, found),
            false if path.extension().is_some_and(|extension| extension == "md") => found.push(path),
            false => {}
        }
    }
}

/// Every link between pages leads to a file, and every page but those of single rules is in the index and in the book.
#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_index() {
    let mut all = vec![top().join("README.md"), top().join("CONTRIBUTING.md")];
    pages(&top().join("docs"), &mut all);
    let mut lost = Vec::new();
    for path in &all {
        let text = std::fs::read_to_string(path).expect("a page");
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let Some((link, _)) = rest.split_once(')') else { continue };
            let file = link.split('#').next().unwrap_or("");
            if link.contains("://") || link.starts_with("mailto:") || file.is_empty() || file.contains([' ', '\n', '`'])
            {
                continue;
            }
            if !path.parent().expect("a folder").join(file).exists() {
                lost.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    let (index, book) = (page("docs/README.md"), page("docs/SUMMARY.md"));
    for path in &all {
        let Ok(inner) = path.strip_prefix(top().join("docs")) else { continue };
        let inner = inner.to_string_lossy();
        if inner.starts_with("rules/") || inner == "README.md" || inner == "SUMMARY.md" {
            continue;
        }
        assert!(index.contains(&format!("({inner})")) && book.contains(&format!("({inner})")), "{inner}");
    }
}

/// A test program is a link more after each change: each one stands with its reason in the page, and none comes by itself.
/// What a test finds must not hang on the environment it runs in; those that need one say which.
#[test]
fn tests_start_the_program_in_one_way() {
    let own_ways = ["common/mod.rs", "interop/formats.rs", "model/shipped.rs", "real_servers.rs"];
    let starts = concat!("Command::new(env!(\"CARGO_BIN_", "EXE_rpctape\"))");
    let mut found = Vec::new();
    super::layering::sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut found);
    let others = found.iter().filter(|path| !own_ways.iter().any(|own| path.ends_with(own)));
    let others: Vec<_> =
        others.filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains(starts))).collect();
    assert!(others.is_empty(), "use common::program or common::rpctape: {others:?}");
}

#[test]
fn every_test_program_has_its_reason() {
    let text = page("docs/testing.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | ").map(|(name, _)| name));
    let told: BTreeSet<String> = rows
        .take_while(|name| *name != "judgement vectors`")
        .flat_map(|names| names.split(", "))
        .map(|name| name.replace('`', ""))
        .collect();
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(top().join("tests")).expect("tests") {
        let path = entry.expect("an entry").path();
        let program = path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").exists();
        there.extend(program.then(|| path.file_stem().expect("a name").to_string_lossy().into_owned()));
    }
    assert_eq!(told, there, "docs/testing.md against tests/: a file that is no program goes into the folder of one");
}
