//! `samples/clauses`: for each clause that is judged, and each rule that judges it, a log in which it is kept and one in which it is broken.
//! They are made from the examples on the rule pages and from `tests/traces`, each put into every revision in which it can be said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::rule_pages::{fences, option, trace_files};
use crate::support::restate::in_profile;
use crate::support::trace::{Trace, parse_trace, shorthand};
use crate::support::vector::vector;
use crate::support::verdicts::judge_with_lookout;
use rpctape::pipeline::{Options, Quiet, ingest};
use rpctape::protocol::{Clause, Profile, Ruling, profiles};
use rpctape::rules::{RULES, Selection, rule_of};
use rpctape::session::{Certainty, Settings};
use rpctape::store::{FindingFilter, Raw, Store};

/// Traces that belong together: those of one page, or below one heading; of a page the rule.
struct Group {
    code: Option<&'static str>,
    traces: Vec<(String, Trace)>,
}

impl Group {
    fn new(code: Option<&'static str>, text: &str) -> Group {
        let all = fences(text);
        let traces = all.windows(2).filter(|pair| pair[0].0.starts_with("trace ") && pair[1].0 == "findings");
        let traces = traces.map(|pair| {
            let (_, info) = option(pair[0].0.trim_start_matches("trace "), "window");
            let info = option(&info, "select").1;
            let (info, body) = if code.is_some() { (info, pair[0].1.clone()) } else { shorthand(&info, &pair[0].1) };
            let label = info.split(' ').take(2).collect::<Vec<_>>().join(" ");
            (label, parse_trace(&info, &body))
        });
        // What several logs show together is in no file of one, and a file of the corpus says who sent what.
        let alone = |trace: &Trace| trace.logger.is_none() && trace.steps.iter().all(|step| step.hop < 2);
        Group { code, traces: traces.filter(|(_, trace)| alone(trace)).collect() }
    }
}

fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = RULES.iter().map(|rule| Group::new(Some(rule.code), rule.page)).collect();
    for text in trace_files() {
        groups.extend(text.split("\n## ").skip(1).map(|part| Group::new(None, part)));
    }
    groups
}

/// All rules, those that are off by default, too.
fn everything() -> Selection {
    let select = RULES.iter().map(|rule| rule.code.to_string()).collect();
    Selection { select, schema: true, ..Selection::default() }
}

/// A trace as a log in a revision: what is found in it.
struct Candidate {
    text: String,
    /// How far it is from what was written by hand, and how much else is wrong in it.
    cost: (bool, usize),
    /// Clause and rule of what is proven.
    broken: BTreeSet<(&'static str, &'static str)>,
    /// Rules that speak at all.
    codes: BTreeSet<&'static str>,
}

impl Candidate {
    fn new(profile: &'static Profile, label: &str, trace: &Trace) -> Option<Candidate> {
        let said = in_profile(profile, label, trace)?;
        let text = vector(profile, &said, said.channel.vantage.as_str())?;
        let (verdicts, _) = judge_with_lookout(&said, Settings::default(), &everything());
        let proven = verdicts.findings.iter().filter(|one| one.certainty == Certainty::Violation);
        let broken = proven.filter_map(|finding| Some((finding.clause?.id, finding.code)));
        let broken: BTreeSet<_> = broken.collect();
        let codes = verdicts.findings.iter().map(|finding| finding.code).collect();
        Some(Candidate { text, cost: (label != profile.label(), broken.len()), broken, codes })
    }
}

/// What was found so far for a clause and a rule.
struct Pair {
    cost: ((bool, usize), (bool, usize)),
    broken: String,
    kept: String,
}

type Pairs = BTreeMap<(&'static str, &'static str), Pair>;

/// The pairs that one group gives in one revision.
fn pairs_of(group: &Group, candidates: &[Candidate], pairs: &mut Pairs) {
    for bad in candidates {
        for &(clause, code) in bad.broken.iter().filter(|(_, code)| group.code.is_none_or(|own| own == *code)) {
            let silent = |good: &&Candidate| {
                !good.codes.contains(code) && good.broken.iter().all(|(broken, _)| *broken != clause)
            };
            let Some(good) = candidates.iter().filter(silent).min_by_key(|good| good.cost) else { continue };
            let cost = (bad.cost, good.cost);
            if pairs.get(&(clause, code)).is_none_or(|known| cost < known.cost) {
                pairs.insert((clause, code), Pair { cost, broken: bad.text.clone(), kept: good.text.clone() });
            }
        }
    }
}

/// Clause and rule of each ruling, in the order of the tables; a clause that says another once more has the rulings of that one.
fn judged(profile: &'static Profile) -> Vec<(&'static Clause, &'static str, &'static Clause)> {
    let code = |ruling: &'static Ruling| rule_of(ruling).map_or(ruling.rule, |rule| rule.code);
    let own = profile.rulings.iter().filter_map(|ruling| Some((ruling.clause?, code(ruling), ruling.clause?)));
    let again = profile.remarks().flat_map(|remark| {
        let by = profile.rulings.iter().filter(|ruling| Some(ruling.rule) == remark.beyond.judged_by());
        by.filter_map(|ruling| Some((remark.clause, code(ruling), ruling.clause?)))
    });
    own.chain(again).collect()
}

/// The name of a pair's files without their ending: of the first rule that judges a clause it is the clause's.
fn names() -> BTreeMap<(&'static str, &'static str), (String, &'static Clause)> {
    let (mut names, mut known) = (BTreeMap::new(), BTreeSet::new());
    for (clause, code, rests_on) in profiles().flat_map(judged) {
        names.entry((clause.id, code)).or_insert_with(|| {
            let first = known.insert(clause.id);
            let rule = if first { String::new() } else { format!("-{}", code.to_lowercase()) };
            (format!("{}{rule}", clause.id), rests_on)
        });
    }
    names
}

/// One file of the corpus.
struct File {
    text: String,
    code: &'static str,
    clause: &'static Clause,
}

/// The corpus, by the names of its files.
fn corpus() -> BTreeMap<String, File> {
    let (groups, mut pairs) = (groups(), Pairs::new());
    // The form has no words for the messages of DAP.
    for profile in profiles().filter(|profile| !profile.unknown_revision && profile.name != "dap") {
        for group in &groups {
            let said = group.traces.iter().filter_map(|(label, trace)| Candidate::new(profile, label, trace));
            pairs_of(group, &said.collect::<Vec<_>>(), &mut pairs);
        }
    }
    let mut files = BTreeMap::new();
    for ((_, code), (name, clause)) in names() {
        let Some(pair) = pairs.get(&(clause.id, code)) else { continue };
        for (end, text) in [("broken", &pair.broken), ("kept", &pair.kept)] {
            files.insert(format!("{name}-{end}.jsonl"), File { text: text.clone(), code, clause });
        }
    }
    files
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/clauses")
}

fn write(files: &BTreeMap<String, File>) {
    let _ = std::fs::remove_dir_all(folder());
    for (name, file) in files {
        let path = folder().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, &file.text).expect("written");
    }
}

/// The files that are there.
fn there() -> BTreeMap<String, String> {
    let mut there = BTreeMap::new();
    for profile in std::fs::read_dir(folder()).expect("the corpus") {
        let profile = profile.expect("an entry");
        for file in std::fs::read_dir(profile.path()).expect("a folder") {
            let file = file.expect("an entry");
            let name = format!("{}/{}", profile.file_name().to_string_lossy(), file.file_name().to_string_lossy());
            there.insert(name, std::fs::read_to_string(file.path()).expect("a text"));
        }
    }
    there
}

/// Clause and rule of what has no files; the reasons stand in the same rows of `docs/corpus.md`.
fn without() -> BTreeSet<String> {
    let page = include_str!("../../docs/corpus.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.filter(|(_, why)| why.len() > 10).flat_map(|(names, _)| names.split("`, `")).map(str::to_string).collect()
}

/// `RPCTAPE_WRITE_CORPUS=1` writes it anew.
#[test]
fn the_corpus_is_what_the_pages_say() {
    let files = corpus();
    if std::env::var_os("RPCTAPE_WRITE_CORPUS").is_some() {
        write(&files);
    }
    let same = there().iter().eq(files.iter().map(|(name, file)| (name, &file.text)));
    assert!(same, "samples/clauses differs from the pages: RPCTAPE_WRITE_CORPUS=1 writes it anew");
}

/// What the tables call judged is shown by a pair of files, or `docs/corpus.md` says why not.
#[test]
fn every_clause_that_is_judged_has_its_files() {
    let (there, without) = (there(), without());
    let names: BTreeMap<String, bool> = names()
        .into_iter()
        .map(|((id, code), (name, _))| {
            (
                format!("{id} {code}"),
                ["broken", "kept"].iter().all(|end| there.contains_key(&format!("{name}-{end}.jsonl"))),
            )
        })
        .collect();
    let missing: Vec<_> = names.iter().filter(|(name, has)| !**has && !without.contains(*name)).collect();
    let idle: Vec<_> = without.iter().filter(|name| names.get(*name) != Some(&false)).collect();
    assert!(
        missing.is_empty() && idle.is_empty(),
        "{} without files: {missing:#?}\nno need to excuse: {idle:#?}",
        missing.len()
    );
}

/// The files are read as any log is: what is broken is found there by the rule that judges it, and what is kept is not.
#[test]
fn the_corpus_is_judged_as_its_names_say() {
    let files = corpus();
    let names: Vec<&String> = files.keys().collect();
    let paths: Vec<String> = names.iter().map(|name| format!("{}/{name}", folder().display())).collect();
    let options = Options { selection: everything(), ..Options::default() };
    let mut store = Store::temporary().expect("a store");
    ingest(&mut store, &paths, &options, &mut Quiet).expect("read");
    let found = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
    let mut errors = Vec::new();
    for (name, file) in &files {
        // What is read a second time adds nothing: a log that two clauses have in common is found under its first name.
        let read = names.iter().find(|other| files[**other].text == file.text).expect("itself").as_str();
        let broken = found.iter().filter(|row| row.source.ends_with(read) && row.certainty == "violation").any(|row| {
            let own = row.clause.as_ref().is_some_and(|own| own.url == file.clause.url && own.text == file.clause.text);
            own && (row.code == file.code || name.ends_with("-kept.jsonl"))
        });
        if broken != name.ends_with("-broken.jsonl") {
            errors.push(name);
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
}
