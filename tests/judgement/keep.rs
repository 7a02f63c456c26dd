//! A check keeps only what its findings name. What it says is, byte for byte, what a whole database says.
#![allow(clippy::print_stdout, reason = "what was skipped is said aloud")]

use std::num::NonZero;
use std::path::{Path, PathBuf};

use crate::common::{self, run, top};
use rpctape::capture::{self, Overrides};
use rpctape::error::Result;
use rpctape::jsonrpc::Id;
use rpctape::pipeline::{self, Options, Quiet, Summary};
use rpctape::protocol::Side;
use rpctape::rules::{RULES, Selection};
use rpctape::session::{FrameId, Oracle, Settings};
use rpctape::store::{FindingFilter, FindingRow, Keep, Raw, Store, Tally};

/// Characters of a message that are compared: fewer than some messages have.
const TEXT: u32 = 200;

/// What can be asked of a check.
#[derive(Debug, PartialEq)]
struct Said {
    findings: Vec<FindingRow>,
    summary: Summary,
    covered: String,
    connections: String,
    unread: String,
}

fn judged(jobs: usize, files: &[String], window: usize, keep: Keep) -> Result<Said> {
    let settings = Settings { window, ..Settings::default() };
    let mut options = Options { settings, jobs: NonZero::new(jobs), ..Options::default() };
    // Also the rules that are off by themselves.
    options.selection.select = RULES.iter().map(|rule| rule.code.to_string()).collect();
    let found = capture::expand(files, &options.overrides)?;
    let mut store = Store::passing(keep)?;
    let summary = pipeline::ingest(&mut store, &found.paths, &options, &mut Quiet)?;
    Ok(Said {
        findings: store.all_findings(&FindingFilter::default(), Raw::Head(TEXT))?,
        summary,
        covered: format!("{:?}", pipeline::coverage(&store, None, &Selection::default())?),
        connections: format!("{:?}", store.connections()?),
        unread: format!("{:?}", store.sources()?),
    })
}

/// A window in which nearly everything is forgotten, so that much is asked about what was.
const SMALL: usize = 2;

/// Holds both ways against each other, read by one thread and by two, and says how many findings there were.
fn compare(files: &[String], window: usize) -> (usize, Tally) {
    let whole = judged(1, files, window, Keep::Everything);
    let few = judged(2, files, window, Keep::Findings { text: TEXT });
    match (whole, few) {
        (Ok(whole), Ok(few)) => {
            for (one, other) in whole.findings.iter().zip(&few.findings) {
                assert_eq!(one, other, "{files:?}, window {window}");
            }
            assert_eq!(whole, few, "{files:?}, window {window}");
            (few.findings.len(), few.summary.tally)
        }
        (Err(whole), Err(few)) => {
            assert_eq!(whole.message, few.message);
            (0, Tally::default())
        }
        (whole, few) => panic!("{files:?}: {:?} and {:?}", whole.err(), few.err()),
    }
}

fn logs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        // In what keeps a clause there is next to nothing to be found, and its twin is read.
        match path.is_dir() {
            true => logs(&path, found),
            false if path.to_string_lossy().ends_with("-kept.jsonl") => {}
            false => found.push(path),
        }
    }
}

/// Every log of the project, and those that the user names.
fn all_logs() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["samples", "tests/truth", "tests/production", "tests/vectors", "tests/fixtures", "tests/real"]
            .map(|folder| top().join(folder))
            .to_vec();
    match std::env::var_os("RPCTAPE_LOGS") {
        Some(more) => folders.extend(std::env::split_paths(&more)),
        None => println!("SKIPPED: logs of other folders; RPCTAPE_LOGS names them"),
    }
    let mut files = Vec::new();
    for folder in &folders {
        assert!(folder.is_dir(), "{} is no folder", folder.display());
        logs(folder, &mut files);
    }
    files.sort();
    files
}

#[test]
fn what_is_said_does_not_hang_on_what_is_kept_or_how_many_threads_read() {
    let (files, mut findings) = (all_logs(), 0);
    for file in &files {
        findings += compare(&[file.display().to_string()], SMALL).0;
    }
    println!("{} files, {findings} findings", files.len());
    assert!(files.len() > 500 && findings > 500, "{} files, {findings} findings", files.len());
}

#[test]
fn a_database_is_the_same_byte_for_byte_however_many_threads_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for (nth, logs) in ["samples/formats", "samples/mcp", "tests/vectors", "samples/faults"].iter().enumerate() {
        let logs = capture::expand(&[top().join(logs).display().to_string()], &Overrides::default()).expect("logs");
        let databases = [1, 2].map(|jobs| {
            let path = folder.path().join(format!("{nth}-{jobs}.db"));
            let options = Options { jobs: NonZero::new(jobs), ..Options::default() };
            let mut store = Store::write(&path).expect("a store");
            pipeline::ingest(&mut store, &logs.paths, &options, &mut Quiet).expect("read");
            drop(store);
            std::fs::read(&path).expect("a database")
        });
        assert!(databases[0].len() > 50_000 && databases[0] == databases[1], "{logs:?}");
    }
}

#[test]
fn many_logs_at_once_are_told_the_same() {
    for folder in ["samples/mcp", "samples/formats", "samples/faults", "samples/incidents", "tests/vectors"] {
        for window in [Settings::default().window, SMALL] {
            let (findings, tally) = compare(&[top().join(folder).display().to_string()], window);
            assert!(findings > 0 && tally.exchanges > 0, "{folder}");
        }
    }
}

#[test]
fn questions_that_nobody_announced_are_answered() {
    let mut log = String::new();
    for key in 0..40 {
        // The second x1 says something else: it is not the first one, logged again.
        for (nth, id) in [1, 2, 3, 1].iter().enumerate() {
            log.push_str(&format!(
                "{{\"session\":\"s{key}\",\"dir\":\"c2s\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":\"x{id}\",\"method\":\"a\",\"params\":[{nth}]}}}}\n\
                 {{\"session\":\"s{key}\",\"dir\":\"s2c\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":\"x{id}\",\"result\":[{nth}]}}}}\n"
            ));
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = [common::file(folder.path(), "a.jsonl", log)];
    let answers = |keep| {
        let mut store = Store::passing(keep).expect("a store");
        pipeline::ingest(&mut store, &path, &Options::default(), &mut Quiet).expect("read");
        let connections = store.connections().expect("rows");
        let mut oracle = store.oracle().expect("an oracle");
        let mut said = Vec::new();
        for connection in connections.iter().map(|row| row.id as u32) {
            let id = |text: &str| Id::Text(text.into());
            said.push((
                oracle.request(connection, Side::Client, &id("x1"), FrameId::from(u32::MAX)),
                oracle.request(connection, Side::Client, &id("x9"), FrameId::from(u32::MAX)),
                oracle.reused_ids(connection, Side::Client),
                oracle.reused_ids(connection, Side::Server),
            ));
        }
        oracle.failed().expect("answers");
        said
    };
    let (whole, few) = (answers(Keep::Everything), answers(Keep::Findings { text: 0 }));
    assert_eq!(whole, few);
    assert!(whole.len() == 40 && whole.iter().all(|(known, unknown, ..)| known.is_some() && unknown.is_none()));
    assert!(whole.iter().all(|(_, _, reused, none)| reused.len() == 1 && none.is_empty()), "{:?}", whole[0]);
}

#[test]
fn texts_are_those_of_the_log_with_a_mark_at_its_head_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = std::fs::read_to_string(top().join("samples/faults/06-result-after-cancel.jsonl")).expect("a log");
    // With a mark at its head, what stands in the file stands three bytes later than in the text.
    for (name, log) in [("a.jsonl", log.clone()), ("b.jsonl", format!("\u{feff}{log}"))] {
        let path = [common::file(folder.path(), name, &log)];
        let mut store = Store::passing(Keep::Findings { text: TEXT }).expect("a store");
        pipeline::ingest(&mut store, &path, &Options::default(), &mut Quiet).expect("read");
        let found = store.all_findings(&FindingFilter::default(), Raw::Head(TEXT)).expect("findings");
        let texts = found.iter().flat_map(|finding| &finding.evidence).filter_map(|one| one.message.raw.as_deref());
        let texts: Vec<&str> = texts.collect();
        assert!(!texts.is_empty() && texts.iter().all(|text| log.contains(text)), "{texts:?}");
    }
}

/// A character may have four bytes, and what is kept ends where one ends.
#[test]
fn texts_have_as_many_characters_as_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = std::fs::read_to_string(top().join("samples/faults/06-result-after-cancel.jsonl")).expect("a log");
    for text in ["\u{1f600}".repeat(600), format!("x{}", "\u{e9}".repeat(900))] {
        let log = log.replace("\"done\"", &format!("\"{text}\""));
        let path = common::file(folder.path(), "a.jsonl", &log);
        let packed = folder.path().join("a.jsonl.zst");
        std::fs::write(&packed, zstd::encode_all(log.as_bytes(), 1).expect("packed")).expect("written");
        for file in [path, packed.display().to_string()] {
            assert!(compare(&[file], 8_192).0 > 0);
        }
    }
}

#[test]
fn the_screen_is_the_same_with_a_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = std::fs::read(top().join("samples/faults/06-result-after-cancel.jsonl")).expect("a log");
    let packed = folder.path().join("a.jsonl.zst");
    std::fs::write(&packed, zstd::encode_all(&log[..], 1).expect("packed")).expect("written");
    let packed = packed.display().to_string();
    for file in ["samples/mcp", "samples/faults", "samples/formats", "samples/lsp", packed.as_str()] {
        for (nth, format) in ["full", "concise", "json", "jsonl"].iter().enumerate() {
            let db = folder.path().join(format!("{nth}.db"));
            let args = ["check", file, "--format", format, "--no-progress"];
            let without = run(&args);
            let with = run(&[&args[..], &["--db", &db.display().to_string()]].concat());
            assert_eq!((without.out, without.code), (with.out, with.code), "{file} {format}");
            std::fs::remove_file(&db).expect("removed");
        }
    }
}
