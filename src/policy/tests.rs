use super::*;
use crate::store::FindingRow;

fn finding(code: &str, rule: &str, method: &str, name: Option<&str>) -> FindingRow {
    FindingRow {
        id: 1,
        code: code.into(),
        rule: rule.into(),
        severity: "warning".into(),
        certainty: "violation".into(),
        basis: None,
        profile: "mcp 2025-11-25".into(),
        connection: "a.jsonl/1".into(),
        source: "a.jsonl".into(),
        line: 6,
        message_id: 6,
        exchange_id: Some(4),
        request_line: Some(4),
        issuer: Some("client".into()),
        method: Some(method.into()),
        name: name.map(Into::into),
        summary: "late".into(),
        clause: None,
        evidence: Vec::new(),
    }
}

fn late(name: &str) -> FindingRow {
    finding("CAN010", "response-after-cancel", "tools/call", Some(name))
}

fn excuse(until: &str) -> Suppression {
    Suppression {
        code: "CAN010".into(),
        rule: "response-after-cancel".into(),
        method: Some("tools/call".into()),
        name: Some("search".into()),
        connection: None,
        reason: "vendor bug".into(),
        until: day(until),
        place: "rpctape.toml:3".into(),
    }
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

#[test]
fn an_excuse_covers_what_it_names_and_ends_after_its_day() {
    let policy = |today: &str| Policy::new(BTreeMap::new(), vec![excuse("2027-01-31")], day(today));
    let mut valid = policy("2027-01-31");
    assert_eq!(valid.apply(&mut late("search")), Some(Silence::suppressed("vendor bug")));
    assert_eq!(valid.apply(&mut late("fetch")), None);
    assert_eq!(valid.apply(&mut finding("CAN011", "x", "tools/call", Some("search"))), None);
    assert!(valid.leftovers(|_| true).expired.is_empty());
    let mut over = policy("2027-02-01");
    assert_eq!(over.apply(&mut late("search")), None);
    assert_eq!(over.leftovers(|_| true).expired, [excuse("2027-01-31")]);
}

#[test]
fn a_severity_of_ones_own_holds_for_what_is_proven() {
    let raised = BTreeMap::from([("CAN010".to_string(), Severity::Error)]);
    let mut policy = Policy::new(raised, Vec::new(), day("2026-01-01"));
    let (mut proven, mut race) = (late("search"), late("search"));
    race.certainty = "race".into();
    race.severity = "note".into();
    policy.apply(&mut proven);
    policy.apply(&mut race);
    assert_eq!((proven.severity.as_str(), race.severity.as_str()), ("error", "note"));
}

#[test]
fn a_baseline_knows_so_many_and_no_more() {
    let mut written = Baseline::default();
    written.add(&late("search"));
    written.add(&late("search"));
    written.add(&late("gone"));
    assert_eq!(written.size(), (2, 3));
    let text = written.to_text().expect("text");
    let read = Baseline::read(&text, "b.jsonl").expect("a baseline");
    assert_eq!(read, written);
    let mut policy = Policy::default().with_baseline(read);
    let mut fates = Vec::new();
    for _ in 0..3 {
        let mut elsewhere = late("search");
        elsewhere.line = 99;
        elsewhere.source = "b.jsonl".into();
        fates.push(policy.apply(&mut elsewhere).is_some());
    }
    assert_eq!(fates, [true, true, false]);
    assert!(policy.apply(&mut late("new")).is_none());
    let stale = policy.leftovers(|_| true).stale;
    assert_eq!(stale.iter().map(|entry| entry.name.as_deref()).collect::<Vec<_>>(), [Some("gone")]);
}

#[test]
fn rules_that_were_not_run_leave_nothing_stale() {
    let mut written = Baseline::default();
    written.add(&late("gone"));
    let policy = Policy::default().with_baseline(written);
    assert!(policy.leftovers(|rule| rule != "response-after-cancel").stale.is_empty());
}

#[test]
fn a_broken_baseline_is_named_with_its_line_and_notes_are_kept() {
    let error = Baseline::read("\n{\"v\":2,\"rule\":\"a\",\"fp\":\"b\"}\n", "b.jsonl").expect_err("version 2");
    assert!(error.message.starts_with("b.jsonl:2: "), "{}", error.message);
    assert!(Baseline::read("nonsense", "b.jsonl").is_err());
    let mut old = Baseline::default();
    old.add(&late("search"));
    let noted = old.to_text().expect("text").replace("\"note\":\"\"", "\"note\":\"ACME-112\"");
    let mut new = Baseline::default();
    new.add(&late("search"));
    new.keep_notes(&Baseline::read(&noted, "b").expect("a baseline"));
    assert_eq!(new.to_text().expect("text"), noted);
}
