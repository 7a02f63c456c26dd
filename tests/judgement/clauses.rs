//! Every quotation of the clause tables stands in a vendored file of sentences (`tests/clauses/*.toml`), under its own page and revision,
//! and its level is a word of it.

use std::path::Path;

use rpctape::protocol::{Beyond, Clause, Level, Profile, profiles};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    page: Vec<Page>,
}

/// Sentences of one page, in the revisions in which they are the same.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    /// The address; `{revision}` stands for each of them.
    url: String,
    revisions: Vec<String>,
    /// The day of the text that was read.
    read: String,
    sentences: Vec<String>,
}

fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clauses");
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        pages.extend(file.page);
    }
    pages
}

/// True if the parts of a quotation stand in the sentence, in their order. Either may leave out words, shown as `...`.
fn quotes(text: &str, sentence: &str) -> bool {
    let mut rest = sentence;
    text.split("...").map(str::trim).filter(|part| !part.is_empty()).all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

const MUST: [&str; 16] = [
    "MUST",
    "must",
    "Must ",
    "CANNOT",
    "cannot",
    "NO requests",
    "can not",
    "not allowed",
    "only allowed",
    "can only return",
    "may only",
    "has to",
    "need to",
    "needs to",
    "still needs to",
    "REQUIRED",
];
const SHOULD: [&str; 3] = ["SHOULD", "should", "advised"];
const MAY: [&str; 1] = ["MAY"];

fn level_is_a_word_of(clause: &Clause) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| clause.text.contains(word));
    match clause.level {
        Level::Must => has(&MUST),
        Level::Should => has(&SHOULD) && !has(&MUST),
        Level::May => has(&MAY),
        Level::Stated => !has(&MUST) && !has(&SHOULD) && !has(&MAY),
    }
}

/// What is wrong with a quotation, if anything.
fn fault(clause: &Clause, pages: &[Page]) -> Option<String> {
    if !level_is_a_word_of(clause) {
        return Some(format!("{}: {} is no word of {:?}", clause.id, clause.level.as_str(), clause.text));
    }
    let (profile, _) = clause.id.split_once('/').unwrap_or_default();
    let (_, revision) = profile.split_once('-').unwrap_or_default();
    let own = pages.iter().filter(|page| {
        page.revisions.iter().any(|one| one == revision && page.url.replace("{revision}", one) == clause.url)
    });
    let mut known = false;
    let quoted = own.flat_map(|page| &page.sentences).any(|sentence| {
        known = true;
        quotes(clause.text, sentence)
    });
    match (quoted, known) {
        (true, _) => None,
        (false, true) => Some(format!("{}: {:?} stands not on {}", clause.id, clause.text, clause.url)),
        (false, false) => Some(format!("{}: no sentence of {revision} is known of {}", clause.id, clause.url)),
    }
}

#[test]
fn every_quotation_stands_on_its_page_in_its_revision() {
    let pages = pages();
    let judged = profiles().flat_map(|profile: &Profile| profile.rulings).filter_map(|ruling| ruling.clause);
    let remarked = profiles().flat_map(|profile| profile.remarks()).map(|remark| remark.clause);
    let mut faults: Vec<String> = judged.chain(remarked).filter_map(|clause| fault(clause, &pages)).collect();
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// A clause that is judged in part has a ruling; one that no observer can judge, or that only allows, has none.
#[test]
fn remarks_and_rulings_agree() {
    for profile in profiles() {
        for remark in profile.remarks() {
            let own = |clause: &Clause| std::ptr::eq(clause, remark.clause);
            let ruled = profile.rulings.iter().any(|ruling| ruling.clause.is_some_and(own));
            let in_part = matches!(remark.beyond, Beyond::InPart(_));
            assert_eq!(ruled, in_part, "{}: {}", profile.label(), remark.clause.id);
            if let Some(by) = remark.beyond.judged_by() {
                assert!(profile.ruling(by).is_some(), "{}: {} by {by}", profile.label(), remark.clause.id);
            }
            assert_eq!(
                matches!(remark.beyond, Beyond::Allows(_)),
                remark.clause.level == Level::May,
                "{}",
                remark.clause.id
            );
        }
    }
}

#[test]
fn the_day_of_each_page_is_told() {
    for page in pages() {
        let day = page.read.len() == 10 && page.read.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        assert!(day && !page.revisions.is_empty() && !page.sentences.is_empty(), "{}", page.url);
    }
}

#[test]
fn a_quotation_that_stands_elsewhere_is_found() {
    let pages = pages();
    let clause = |id, level, text, url| Clause { id, level, text, url };
    let page = "https://modelcontextprotocol.io/specification/2025-11-25/basic";
    let old = "Either a `result` or an `error` MUST be set";
    assert!(fault(&clause("mcp-2025-11-25/x", Level::Must, old, page), &pages).is_some());
    let new = "Result responses MUST include a `result` field";
    assert!(fault(&clause("mcp-2025-11-25/x", Level::Must, new, page), &pages).is_none());
    assert!(fault(&clause("mcp-2025-11-25/x", Level::May, new, page), &pages).is_some());
    assert!(fault(&clause("mcp-2025-06-18/x", Level::Must, new, page), &pages).is_some());
}

/// What no rule reads might be read: that is no reason why nobody could see it.
#[test]
fn what_is_not_observable_says_why_no_observer_could() {
    let ours = |why: &str| why.contains("rules read");
    let remarks = profiles().flat_map(Profile::remarks);
    let wrong: Vec<_> = remarks
        .filter(|remark| matches!(remark.beyond, Beyond::NotObservable(why) if ours(why)))
        .map(|remark| remark.clause.id)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
