//! `samples/clauses`: for each clause that is judged, and each rule that judges it, a log in which it is kept and one in which it is broken.
//! They are made from the examples on the rule pages and from `tests/traces`, each put into every revision in which it can be said.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use crate::rule_pages::{fences, option, trace_files};
use crate::support::restate::in_profile;
use crate::support::trace::{Trace, parse_trace, shorthand};
use crate::support::vector::vector;
use crate::support::verdicts::judge_with_lookout;
use rpctape::pipeline::{Options, Quiet, ingest};
use rpctape::protocol::{Clause, Profile, Remark, Ruling, profiles};
use rpctape::rules::{RULES, Selection, Standing, coverage, rule_of};
use rpctape::session::{Certainty, Settings};
use rpctape::store::{FindingFilter, Raw, Store};

/// Traces that belong together: those of one page, or below one heading; of a page the rule.
struct Group {
    code: Option<&'static str>,
    /// The sentence and the rule that the heading names: where the rule rests on no sentence, its findings are of this one.
    again: Option<(String, &'static str)>,
    traces: Vec<(String, Trace)>,
}

/// `client-info (SCH001): ...`: a heading that names a sentence and a rule.
fn named_above(text: &str) -> Option<(String, &'static str)> {
    let (name, rest) = text.lines().next()?.split_once(" (")?;
    let code = rest.split_once("):")?.0;
    let rule = RULES.iter().find(|rule| rule.code == code)?;
    Some((name.to_string(), rule.code))
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
        let traces = traces.filter(|(_, trace)| alone(trace)).collect();
        Group { code, again: named_above(text), traces }
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
    /// Rules of what is proven and rests on no clause.
    bare: BTreeSet<&'static str>,
    /// Rules that speak at all.
    codes: BTreeSet<&'static str>,
    /// Clauses that there was an occasion to keep.
    exercised: BTreeSet<&'static str>,
}

impl Candidate {
    fn new(profile: &'static Profile, label: &str, trace: &Trace) -> Option<Candidate> {
        let said = in_profile(profile, label, trace)?;
        let text = vector(profile, &said, said.channel.vantage.as_str())?;
        let (verdicts, _) = judge_with_lookout(&said, Settings::default(), &everything());
        let proven = verdicts.findings.iter().filter(|one| one.certainty == Certainty::Violation);
        let broken: BTreeSet<_> =
            proven.clone().filter_map(|finding| Some((finding.clause?.id, finding.code))).collect();
        let bare = proven.filter(|finding| finding.clause.is_none()).map(|finding| finding.code).collect();
        let codes = verdicts.findings.iter().map(|finding| finding.code).collect();
        let covered = coverage(&verdicts.exercised, &[], &everything());
        let kept = covered.iter().filter(|row| row.standing == Standing::Kept);
        let exercised = kept.map(|row| row.clause.id).collect();
        // What is refused by its status has no place on a pipe, where others play these logs.
        let apart = label != profile.label() || text.contains("\"status\":4");
        Some(Candidate { text, cost: (apart, broken.len()), broken, bare, codes, exercised })
    }
}

/// What was found so far for a clause and a rule.
struct Pair {
    /// What keeps a clause without an occasion to break it is the worst.
    cost: (bool, (bool, usize), (bool, usize)),
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
            let idle = |good: &Candidate| !good.exercised.contains(clause);
            let best = candidates.iter().filter(silent).min_by_key(|good| (idle(good), good.cost));
            let Some(good) = best else { continue };
            let cost = (idle(good), bad.cost, good.cost);
            if pairs.get(&(clause, code)).is_none_or(|known| cost < known.cost) {
                pairs.insert((clause, code), Pair { cost, broken: bad.text.clone(), kept: good.text.clone() });
            }
        }
    }
}

/// The pair that a group gives in one revision for a sentence that says again what a rule without a sentence of its own judges.
fn pair_again(profile: &Profile, group: &Group, candidates: &[Candidate], pairs: &mut Pairs) {
    let Some((name, code)) = &group.again else { return };
    let clause = |remark: &&Remark| remark.clause.id.rsplit('/').next() == Some(name);
    let Some(remark) = profile.remarks().find(clause).filter(|remark| remark.beyond.judged_by() == Some(*code)) else {
        return;
    };
    let bad = candidates.iter().filter(|one| one.bare.contains(code)).min_by_key(|one| one.cost);
    let good = candidates.iter().filter(|one| !one.codes.contains(code)).min_by_key(|one| one.cost);
    if let (Some(bad), Some(good)) = (bad, good) {
        let pair = Pair { cost: (false, bad.cost, good.cost), broken: bad.text.clone(), kept: good.text.clone() };
        pairs.insert((remark.clause.id, code), pair);
    }
}

/// Clause and rule of each ruling, in the order of the tables; a clause that says another once more has the rulings of that one.
fn judged(profile: &'static Profile) -> Vec<(&'static Clause, &'static str, Option<&'static Clause>)> {
    let code = |ruling: &'static Ruling| rule_of(ruling).map_or(ruling.rule, |rule| rule.code);
    let own = profile.rulings.iter().filter_map(|ruling| Some((ruling.clause?, code(ruling), ruling.clause)));
    let again = profile.remarks().flat_map(|remark| {
        let by = profile.rulings.iter().filter(|ruling| Some(ruling.rule) == remark.beyond.judged_by());
        by.map(|ruling| (remark.clause, code(ruling), ruling.clause))
    });
    own.chain(again).collect()
}

/// The name of a pair's files without their ending: of the first rule that judges a clause it is the clause's.
fn names() -> BTreeMap<(&'static str, &'static str), (String, Option<&'static Clause>)> {
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
    /// The clause that the rule rests on, where it does.
    clause: Option<&'static Clause>,
    /// It gives no occasion to break the clause.
    idle: bool,
}

/// What each group says in one revision.
fn candidates(profile: &'static Profile, groups: &[Group]) -> Vec<Vec<Candidate>> {
    let of = |group: &Group| {
        group.traces.iter().filter_map(|(label, trace)| Candidate::new(profile, label, trace)).collect()
    };
    groups.iter().map(of).collect()
}

/// The corpus, by the names of its files. All tests ask for it, and it takes long to make.
static CORPUS: LazyLock<BTreeMap<String, File>> = LazyLock::new(corpus);

fn corpus() -> BTreeMap<String, File> {
    let (groups, mut pairs) = (groups(), Pairs::new());
    // The form has no words for the messages of DAP.
    let profiles = || profiles().filter(|profile| !profile.unknown_revision && profile.name != "dap");
    let said: Vec<Vec<Vec<Candidate>>> = thread::scope(|scope| {
        let groups = &groups;
        let asked: Vec<_> = profiles().map(|profile| scope.spawn(move || candidates(profile, groups))).collect();
        asked.into_iter().map(|one| one.join().expect("judged")).collect()
    });
    for (profile, said) in profiles().zip(&said) {
        for (group, said) in groups.iter().zip(said) {
            pairs_of(group, said, &mut pairs);
            pair_again(profile, group, said, &mut pairs);
        }
    }
    let mut files = BTreeMap::new();
    for ((own, code), (name, clause)) in names() {
        let of = clause.map_or(own, |clause| clause.id);
        let Some(pair) = pairs.get(&(of, code)) else { continue };
        for (end, text) in [("broken", &pair.broken), ("kept", &pair.kept)] {
            files.insert(format!("{name}-{end}.jsonl"), File { text: text.clone(), code, clause, idle: pair.cost.0 });
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
    let files = &*CORPUS;
    if std::env::var_os("RPCTAPE_WRITE_CORPUS").is_some() {
        write(files);
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

/// A file that keeps a clause had occasion to break it.
#[test]
fn what_is_kept_could_have_been_broken() {
    let files = &*CORPUS;
    let idle: Vec<_> = files.iter().filter(|(name, file)| file.idle && name.ends_with("-kept.jsonl")).collect();
    let names: Vec<_> = idle.iter().map(|(name, file)| format!("{name} ({})", file.code)).collect();
    assert!(names.is_empty(), "{names:#?}");
}

/// What is found with all rules is found where one is selected by itself.
#[test]
fn a_rule_that_is_selected_alone_finds_what_is_broken() {
    let files = &*CORPUS;
    let mut by_code: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for (name, file) in files.iter().filter(|(name, _)| name.ends_with("-broken.jsonl")) {
        by_code.entry(file.code).or_default().push(name);
    }
    let mut errors = Vec::new();
    for (code, names) in by_code {
        let paths: Vec<String> = names.iter().map(|name| format!("{}/{name}", folder().display())).collect();
        let selection = Selection { select: vec![code.to_string()], ..everything() };
        let mut store = Store::temporary().expect("a store");
        ingest(&mut store, &paths, &Options { selection, ..Options::default() }, &mut Quiet).expect("read");
        let found = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
        let shows = |name: &str| {
            let own = |source: &str| source.ends_with(name);
            found.iter().any(|row| own(&row.source) && row.certainty == "violation" && row.code == code)
        };
        // What is read a second time adds nothing.
        let same = |name: &str, other: &str| files[name].text == files[other].text;
        let silent = names.iter().filter(|name| !names.iter().any(|other| same(name, other) && shows(other)));
        errors.extend(silent.map(|name| format!("{code} {name}")));
    }
    assert!(errors.is_empty(), "{errors:#?}");
}

/// The files are read as any log is: what is broken is found there by the rule that judges it, and what is kept is not.
#[test]
fn the_corpus_is_judged_as_its_names_say() {
    let files = &*CORPUS;
    let names: Vec<&String> = files.keys().collect();
    let paths: Vec<String> = names.iter().map(|name| format!("{}/{name}", folder().display())).collect();
    let options = Options { selection: everything(), ..Options::default() };
    let mut store = Store::temporary().expect("a store");
    ingest(&mut store, &paths, &options, &mut Quiet).expect("read");
    let found = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
    let mut errors = Vec::new();
    for (name, file) in files {
        // What is read a second time adds nothing: a log that two clauses have in common is found under its first name.
        let read = names.iter().find(|other| files[**other].text == file.text).expect("itself").as_str();
        let broken = found.iter().filter(|row| row.source.ends_with(read) && row.certainty == "violation").any(|row| {
            let own = match (&row.clause, file.clause) {
                (Some(own), Some(clause)) => own.url == clause.url && own.text == clause.text,
                (own, clause) => own.is_none() && clause.is_none() && row.code == file.code,
            };
            own && (row.code == file.code || name.ends_with("-kept.jsonl"))
        });
        if broken != name.ends_with("-broken.jsonl") {
            errors.push(name);
        }
    }
    assert!(errors.is_empty(), "{errors:#?}");
}
