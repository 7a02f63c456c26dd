//! A log that went through an export is judged as it was: for every sample of every format, `check` of the export gives the
//! findings of the original.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{run, top};
use serde_json::Value;

/// Code, certainty and severity of every finding, counted.
fn findings(path: &str) -> Result<BTreeMap<String, usize>, String> {
    let said = run(&["check", path, "--format", "jsonl", "--no-progress"]);
    if said.code > 1 {
        return Err(said.err);
    }
    let mut found = BTreeMap::new();
    for line in said.out.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        if line["type"] == "finding" && !line["code"].as_str().is_some_and(|code| code.starts_with("CAP")) {
            *found.entry(format!("{} {} {}", line["code"], line["certainty"], line["severity"])).or_default() += 1;
        }
    }
    Ok(found)
}

/// Every file under a folder that is no note about one.
fn logs(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match path.is_dir() {
            true => logs(&path, into),
            false if name.ends_with(".md") || name.ends_with(".source.txt") || name == "expected.json" => {}
            false => into.push(path),
        }
    }
}

/// What became different on the way, in words.
fn differences(path: &Path) -> Vec<String> {
    let path = path.to_str().expect("UTF-8");
    // What cannot be read has no findings to keep.
    let Ok(before) = findings(path) else { return Vec::new() };
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_string();
    let (rec, jsonl, clean, db) = (copy("x.rec.jsonl"), copy("x.jsonl"), copy("clean.rec.jsonl"), copy("x.db"));
    let ways: [(&str, &[&str], &str); 4] = [
        ("rec", &["export", path, "--as", "rec", "-o", &rec, "--no-progress"], &rec),
        ("jsonl", &["export", path, "--as", "jsonl", "-o", &jsonl, "--no-progress"], &jsonl),
        ("scrub", &["scrub", &rec, "-o", &clean], &clean),
        ("ingest", &["ingest", path, "--db", &db, "--no-progress"], &db),
    ];
    let mut all = Vec::new();
    for (way, args, result) in ways {
        let said = run(args);
        let after = if said.code == 0 { findings(result) } else { Err(said.err) };
        if after.as_ref() != Ok(&before) {
            all.push(format!("{path} by {way}: {before:?} became {after:?}"));
        }
    }
    all
}

fn hold(folder: &Path) {
    let mut paths = Vec::new();
    logs(folder, &mut paths);
    assert!(!paths.is_empty(), "{} has logs", folder.display());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut all = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            all.extend(differences(path));
        }
        all
    };
    let all: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    assert!(all.is_empty(), "{} of {} logs:\n{}", all.len(), paths.len(), all.join("\n"));
}

#[test]
fn every_sample_keeps_its_findings() {
    hold(&top().join("samples"));
}

#[test]
fn logs_of_other_peoples_programs_keep_their_findings() {
    let folder = top().join("../shared/formats");
    match folder.is_dir() {
        true => hold(&folder),
        false => eprintln!("SKIPPED: {} is not there", folder.display()),
    }
}
