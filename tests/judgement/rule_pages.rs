//! The examples on the rule pages are run, and so are the traces in `tests/traces`: each must give exactly what stands below it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;

use crate::support::trace::{parse_trace, shorthand};
use crate::support::vector::vector;
use crate::support::verdicts::{Verdicts, judge_with_lookout, lines, remembering};
use rpctape::capture::Proof;
use rpctape::pipeline::{Options, Quiet, ingest};
use rpctape::protocol::{Profile, profiles};
use rpctape::rules::{RULES, Rule, Selection};
use rpctape::session::{Certainty, FrameId, Settings};
use rpctape::store::{FindingFilter, Raw, Store};

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
fn says(verdicts: &Verdicts, numbers: &HashMap<FrameId, u64>) -> Vec<String> {
    let mut rows: Vec<_> = verdicts.findings.iter().collect();
    rows.sort_by_key(|finding| (finding.frame, finding.code));
    let row =
        rows.into_iter().map(|finding| format!("{} at {}: {}", finding.code, numbers[&finding.frame], finding.summary));
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
fn option<'i>(info: &'i str, name: &str) -> (Option<&'i str>, String) {
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
                let select = std::iter::once("ALL").chain(select).map(str::to_string).collect();
                let selection = Selection { select, ..Selection::default() };
                run = Some(remembering(&parse_trace(&info, &body), settings, &selection));
                traces += 1;
                continue;
            }
            let Some((verdicts, numbers)) = &run else { panic!("{title}: {info} before any trace") };
            let got = match info.as_str() {
                "findings" => lines(&verdicts.findings, numbers),
                "cancels" => cancels(verdicts, numbers),
                "says" => says(verdicts, numbers),
                "exchanges" => exchanges(verdicts, numbers),
                _ => panic!("{title}: what is {info}?"),
            };
            if got != want {
                errors.push(format!("{title}: {info}\n  want {want:#?}\n  got  {got:#?}"));
            }
        }
    }
    traces
}

#[test]
fn traces_give_what_stands_below_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let (mut errors, mut traces) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).expect("the traces") {
        let path = entry.expect("an entry").path();
        traces += check_traces(&std::fs::read_to_string(&path).expect("a text"), &mut errors);
    }
    assert!(errors.is_empty(), "{} of {traces} traces:\n{}", errors.len(), errors.join("\n"));
    assert!(traces >= 60, "only {traces} traces were found");
}

/// The examples of a page that break its rule, and those that do not: info line and trace each.
fn examples(rule: &Rule) -> [Vec<(String, String)>; 2] {
    let fences = fences(rule.page);
    let pairs = fences.windows(2).filter(|pair| pair[0].0.starts_with("trace ") && pair[1].0 == "findings");
    let mut found = [Vec::new(), Vec::new()];
    for pair in pairs {
        let speaks = |line: &str| line.starts_with(rule.code);
        let proven = pair[1].1.lines().any(|line| speaks(line) && line.contains("violation"));
        let silent = !pair[1].1.lines().any(speaks);
        let info = pair[0].0.trim_start_matches("trace ").to_string();
        if proven || silent {
            found[usize::from(silent)].push((info, pair[0].1.clone()));
        }
    }
    found
}

/// The log of an example in a revision, where the revision can be put into it, and the clauses that are proven to be broken in it:
/// by this rule, and by any.
type Judged = (String, Vec<&'static str>, Vec<&'static str>);

fn judged(rule: &Rule, profile: &'static Profile, example: &(String, String)) -> Option<Judged> {
    let (mut words, revision) = (example.0.split(' '), profile.revision);
    let (name, of) = (words.next()?, words.next()?);
    // A revision that no message tells can be had only as it stands.
    let told = example.1.contains(&format!("\"protocolVersion\":\"{of}\""));
    // Whether a log keeps envelopes as they were on the wire is told from the log itself: a few lines do not show it.
    if rule.needs.covers(Proof::ENVELOPE) {
        return None;
    }
    if name != profile.name || of != revision && (profile.revision_per_request || !told) {
        return None;
    }
    let trace = parse_trace(&example.0.replacen(of, revision, 1), &example.1.replace(of, revision));
    // What several logs show together is in no file of one.
    if trace.steps.iter().any(|step| step.hop > 1) {
        return None;
    }
    let selection =
        Selection { select: vec!["ALL".into(), rule.code.into()], schema: rule.needs_schema(), ..Selection::default() };
    let (verdicts, _) = judge_with_lookout(&trace, Settings::default(), &selection);
    let proven = verdicts.findings.iter().filter(|finding| finding.certainty == Certainty::Violation);
    let broken = |own: bool| {
        let of_rule = proven.clone().filter(|finding| !own || finding.code == rule.code);
        of_rule.filter_map(|finding| Some(finding.clause?.id)).collect()
    };
    Some((vector(profile, &trace, trace.channel.vantage.as_str())?, broken(true), broken(false)))
}

/// The corpus: for each clause that has an example a log in which it is kept, and one in which it is broken.
fn corpus() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for rule in RULES {
        let [bad, good] = examples(rule);
        for profile in profiles().filter(|profile| !profile.unknown_revision) {
            let [bad, good] = [&bad, &good]
                .map(|list| list.iter().filter_map(|example| judged(rule, profile, example)).collect::<Vec<_>>());
            let folder = format!("{}-{}/", profile.name, profile.revision);
            let broken = bad.iter().flat_map(|bad| bad.1.iter().map(move |clause| (clause, bad)));
            for (clause, bad) in broken.filter(|(clause, _)| clause.starts_with(&folder)) {
                let Some(good) = good.iter().find(|good| !good.2.contains(clause)) else { continue };
                if !files.contains_key(&format!("{clause}-broken.jsonl")) {
                    files.insert(format!("{clause}-broken.jsonl"), bad.0.clone());
                    files.insert(format!("{clause}-kept.jsonl"), good.0.clone());
                }
            }
        }
    }
    files
}

/// `RPCTAPE_WRITE_CORPUS=1` writes it anew.
#[test]
fn the_corpus_is_what_the_pages_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/clauses");
    let files = corpus();
    if std::env::var_os("RPCTAPE_WRITE_CORPUS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        for (name, text) in &files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
    }
    let mut there = BTreeMap::new();
    for profile in std::fs::read_dir(&folder).expect("the corpus") {
        let profile = profile.expect("an entry");
        for file in std::fs::read_dir(profile.path()).expect("a folder") {
            let file = file.expect("an entry");
            let name = format!("{}/{}", profile.file_name().to_string_lossy(), file.file_name().to_string_lossy());
            there.insert(name, std::fs::read_to_string(file.path()).expect("a text"));
        }
    }
    assert!(there == files, "samples/clauses differs from the pages: RPCTAPE_WRITE_CORPUS=1 writes it anew");
    assert!(files.len() >= 200, "only {} files", files.len());
}

/// The files are read as any log is: what is broken is found there, and what is kept is not.
#[test]
fn the_corpus_is_judged_as_its_names_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/clauses");
    let clauses: Vec<_> = profiles().flat_map(|profile| profile.rulings).filter_map(|ruling| ruling.clause).collect();
    let files = corpus();
    let names: Vec<&String> = files.keys().collect();
    let paths: Vec<String> = names.iter().map(|name| format!("{}/{name}", folder.display())).collect();
    let select = RULES.iter().map(|rule| rule.code.to_string()).collect();
    let options =
        Options { selection: Selection { select, schema: true, ..Selection::default() }, ..Options::default() };
    let mut store = Store::temporary().expect("a store");
    ingest(&mut store, &paths, &options, &mut Quiet).expect("read");
    let found = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
    let mut errors = Vec::new();
    for name in &names {
        let kept = name.ends_with("-kept.jsonl");
        let id = name.trim_end_matches("-kept.jsonl").trim_end_matches("-broken.jsonl");
        let clause = clauses.iter().find(|clause| clause.id == id).expect("a clause");
        // What is read a second time adds nothing: a log that two clauses have in common is found under its first name.
        let read = names.iter().find(|other| files[**other] == files[*name]).expect("itself").as_str();
        let broken = found.iter().any(|row| {
            let own = row.clause.as_ref().is_some_and(|own| own.url == clause.url && own.text == clause.text);
            own && row.source.ends_with(read) && row.certainty == "violation"
        });
        if broken == kept {
            errors.push(name);
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
}
