//! Findings over facts, however they are distributed, are those of one pass over the logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::*;
use crate::capture::{Overrides, expand};
use crate::facts::{FileFacts, Lines, Reader, Row, kind, source_order};
use crate::pipeline::{Options, Quiet, ingest};
use crate::report::{self, Report};
use crate::store::{FindingFilter, FindingRow, Keep, Raw, Store};

mod rotated;

/// A finding as `check --format jsonl` prints it.
fn printed(row: &FindingRow) -> String {
    let mut out = Vec::new();
    report::Lines.finding(&mut out, row).unwrap();
    String::from_utf8(out).unwrap()
}

fn checked(logs: &[String], options: &Options) -> Vec<String> {
    let mut store = Store::passing(Keep::Findings { text: 0 }).unwrap();
    ingest(&mut store, logs, options, &mut Quiet).unwrap();
    let found = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    found.iter().map(printed).collect()
}

fn facts(log: &str, options: &Options) -> Vec<Row<'static>> {
    let mut out = Lines::new(Vec::new(), "facts");
    lift(log, options, false, &mut out, &mut Quiet).unwrap();
    let bytes = out.into_inner();
    let mut reader = Reader::new(&bytes[..], "facts");
    let mut rows = Vec::new();
    while let Some(row) = reader.peek().unwrap() {
        rows.push(row.into_owned());
        reader.take();
    }
    rows
}

const RECORDED: &str = "tests/truth/cases/recording-part";

#[test]
fn what_is_missing_between_the_parts_of_a_recording_is_missing_in_their_facts() {
    for (case, findings) in [("-missing", 1), ("s-together", 0), ("s-together-guilty", 1)] {
        let folder = format!("{RECORDED}{case}");
        let logs = expand(&[folder], &Overrides::default()).unwrap().paths;
        let rows: Vec<Row<'static>> = logs.iter().flat_map(|log| facts(log, &Options::default())).collect();
        let found = distributed(&rows, 1, &Options::default());
        assert_eq!(found, checked(&logs, &Options::default()), "{case}");
        assert_eq!(found.iter().filter(|line| line.contains("STK001")).count(), findings, "{case}");
    }
}

/// What is found in one part, each with its place among all.
type Placed = ((String, u64, String, u64, u64), String);

fn judged(rows: &[Row<'_>], options: &Options) -> crate::error::Result<Vec<Placed>> {
    let mut lines = Lines::new(Vec::new(), "part");
    rows.iter().for_each(|row| lines.write(row).unwrap());
    let bytes = lines.into_inner();
    let mut found = Vec::new();
    judge(&mut Reader::new(&bytes[..], "part"), options, &mut Quiet, &mut |part| {
        if let Part::Finding { row, seq, nth, .. } = part {
            let place = (source_order(&row.source), row.line, row.code.clone(), seq, nth);
            found.push((place, printed(row)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Spreads connections over so many parts, as an engine does, and puts what they give together.
fn distributed(rows: &[Row<'static>], parts: usize, options: &Options) -> Vec<String> {
    let mut spread: Vec<Vec<Row<'static>>> = vec![Vec::new(); parts];
    // Last come, first served: nothing may hang on the order of files.
    for row in rows.iter().rev().filter(|row| row.connection.is_some()) {
        let sum =
            row.connection.as_deref().unwrap().bytes().fold(7u64, |sum, byte| sum * 31 % 65_521 + u64::from(byte));
        spread[sum as usize % parts].push(row.clone());
    }
    let mut all = Vec::new();
    for part in spread.iter_mut().filter(|part| !part.is_empty()) {
        part.sort_by_key(|row| (row.connection.clone(), row.order()));
        all.extend(judged(part, options).unwrap());
    }
    all.sort();
    all.into_iter().map(|(_, line)| line).collect()
}

/// The hash of a log's content, from its facts.
fn content(rows: &[Row<'_>]) -> String {
    let told = rows.last().and_then(|row| row.text.as_deref()).unwrap();
    serde_json::from_str::<FileFacts>(told).unwrap().hash
}

fn equal(logs: &[String], what: &str) -> usize {
    let options = Options::default();
    let want = checked(logs, &options);
    let mut contents = BTreeSet::new();
    // Of logs with the same content the first is judged, and no other.
    let logs = logs.iter().map(|log| facts(log, &options)).filter(|rows| contents.insert(content(rows)));
    let rows: Vec<Row<'static>> = logs.flatten().collect();
    // A connection is never divided: one alone is in one part, however many there are.
    let connections: BTreeSet<_> = rows.iter().filter_map(|row| row.connection.as_deref()).collect();
    let most = if connections.len() > 1 { 3 } else { 1 };
    for parts in [1, 3, 16].into_iter().take(most) {
        let have = distributed(&rows, parts, &options);
        assert_eq!(have, want, "{what} in {parts} parts");
    }
    want.len()
}

/// Every log below a folder, alone, and all that lie in one folder together.
fn logs_below(folder: &Path) -> BTreeMap<PathBuf, Vec<String>> {
    let mut found = BTreeMap::new();
    let folder = folder.display().to_string();
    for log in expand(&[folder], &Overrides::default()).unwrap().paths {
        let parent = Path::new(&log).parent().unwrap().to_path_buf();
        found.entry(parent).or_insert_with(Vec::new).push(log);
    }
    found
}

fn all_below(folder: &Path) -> (usize, usize) {
    let (mut logs, mut findings) = (0, 0);
    for (parent, list) in logs_below(folder) {
        // In what keeps a clause there is next to nothing to be found: it is judged with the rest of its folder.
        for log in list.iter().filter(|log| !log.ends_with("-kept.jsonl")) {
            findings += equal(std::slice::from_ref(log), log);
        }
        logs += list.len();
        if list.len() > 1 {
            equal(&list, &parent.display().to_string());
        }
    }
    (logs, findings)
}

#[test]
fn every_sample_gives_the_findings_of_check_in_any_number_of_parts() {
    let (logs, findings) = all_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"));
    assert!(logs > 50 && findings > 100, "{logs} logs, {findings} findings");
}

#[test]
fn a_part_without_connections_has_no_findings() {
    assert_eq!(judged(&[], &Options::default()).unwrap(), Vec::new());
}

#[test]
fn facts_that_are_not_whole_are_refused() {
    let log = format!("{}/samples/mcp/bad.jsonl", env!("CARGO_MANIFEST_DIR"));
    let options = Options::default();
    let rows: Vec<Row<'static>> = facts(&log, &options).into_iter().filter(|row| row.connection.is_some()).collect();
    assert!(judged(&rows, &options).is_ok());
    let refused = |change: &dyn Fn(&mut Vec<Row<'static>>), why: &str| {
        let mut rows = rows.clone();
        change(&mut rows);
        let error = judged(&rows, &options).expect_err(why);
        assert!(error.message.ends_with(why) || error.message.contains(why), "{error}");
    };
    refused(&|rows| drop(rows.pop()), "rows are missing");
    refused(&|rows| drop(rows.remove(2)), "rows are missing");
    refused(&|rows| drop(rows.remove(0)), "begin in their middle");
    refused(&|rows| rows.insert(3, rows[3].clone()), "there twice");
    refused(&|rows| rows.swap(2, 3), "out of order");
    refused(&|rows| rows.extend(rows.clone()), "there twice");
    let other = |row: &Row<'static>| Row { connection: Some("other".into()), ..row.clone() };
    refused(
        &|rows| {
            let others: Vec<_> = rows.iter().map(other).collect();
            rows.extend(others.into_iter().chain(rows.clone()).collect::<Vec<_>>());
        },
        "in two places",
    );
}

#[test]
fn facts_hold_no_bodies_but_on_request() {
    let log = format!("{}/samples/mcp/bad.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut lines = Lines::new(Vec::new(), "facts");
    lift(&log, &Options::default(), true, &mut lines, &mut Quiet).unwrap();
    let with = lines.into_inner().len();
    let rows = facts(&log, &Options::default());
    assert!(rows.iter().all(|row| row.raw.is_none()));
    let message = rows.iter().find(|row| row.kind == "request").unwrap();
    assert!(message.bytes > 0 && message.text.is_some() && message.method.is_some());
    let without: usize = rows.iter().map(|row| serde_json::to_string(row).unwrap().len() + 1).sum();
    assert!(with > without);
    assert!(rows.last().is_some_and(|row| row.kind == kind::SOURCE && row.connection.is_none()));
}
