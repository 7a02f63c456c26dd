//! A log that went through an export is judged as it was: for every sample of every format, `check` of the export gives the
//! findings of the original.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Said, run, top};
use serde_json::Value;

/// Code, certainty and severity of every finding, counted.
type Counted = BTreeMap<String, usize>;

/// What is found in each of these logs, by their names.
fn findings_of(paths: &[&str], by: &[&str]) -> Result<BTreeMap<String, Counted>, String> {
    let said = run(&[&["check"], paths, &["--format", "jsonl", "--no-progress"], by].concat());
    // Of several, those that cannot be read have no findings.
    if said.code > 1 && paths.len() == 1 {
        return Err(said.err);
    }
    let mut found: BTreeMap<String, Counted> = BTreeMap::new();
    for line in said.out.lines() {
        let line: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        if line["type"] == "finding" && !line["code"].as_str().is_some_and(|code| code.starts_with("CAP")) {
            let of = found.entry(line["source"].as_str().unwrap_or_default().to_string()).or_default();
            *of.entry(format!("{} {} {}", line["code"], line["certainty"], line["severity"])).or_default() += 1;
        }
    }
    Ok(found)
}

fn findings(path: &str, by: &[&str]) -> Result<Counted, String> {
    let mut all = Counted::new();
    for (name, count) in findings_of(&[path], by)?.into_values().flatten() {
        *all.entry(name).or_default() += count;
    }
    Ok(all)
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
            // In what keeps a clause there is next to nothing to lose, and its twin is read.
            false if name.ends_with("-kept.jsonl") => {}
            false if name.ends_with(".md") || name.ends_with(".source.txt") || name == "expected.json" => {}
            false => into.push(path),
        }
    }
}

/// The ways that a log goes.
const WAYS: [&str; 4] = ["rec", "scrub", "jsonl", "ingest"];

/// Of hundreds of logs that are written alike, each breaks a clause of its own: a way is taken by every third of them.
fn ways_of(nth: usize, path: &Path) -> &'static [&'static str] {
    match path.starts_with(top().join("samples/clauses")) {
        true => [&WAYS[..2], &WAYS[2..3], &WAYS[3..]][nth % 3],
        false => &WAYS,
    }
}

/// Takes a log on these ways into files of a folder that begin with this name: each way, and where it led to.
fn taken(
    path: &str,
    by: &[&str],
    ways: &[&'static str],
    folder: &Path,
    name: &str,
) -> Vec<(&'static str, Said, String)> {
    let copy = |end: &str| folder.join(format!("{name}{end}")).to_str().expect("UTF-8").to_string();
    let (rec, jsonl, clean, db) = (copy(".rec.jsonl"), copy(".jsonl"), copy(".clean.rec.jsonl"), copy(".db"));
    let all: [(&'static str, &[&str], &str); 4] = [
        ("rec", &["export", path, "--as", "rec", "-o", &rec, "--no-progress"], &rec),
        ("scrub", &["scrub", &rec, "-o", &clean], &clean),
        ("jsonl", &["export", path, "--as", "jsonl", "-o", &jsonl, "--no-progress"], &jsonl),
        ("ingest", &["ingest", path, "--db", &db, "--no-progress"], &db),
    ];
    let asked = all.into_iter().filter(|(way, ..)| ways.contains(way));
    asked
        .map(|(way, args, result)| {
            let said = if way == "scrub" { run(args) } else { run(&[args, by].concat()) };
            (way, said, result.to_string())
        })
        .collect()
}

/// What became different on these ways, in words. `by` is how the log is read.
fn differences(path: &Path, by: &[&str], ways: &[&'static str]) -> Vec<String> {
    let path = path.to_str().expect("UTF-8");
    // What cannot be read has no findings to keep.
    let Ok(before) = findings(path, by) else { return Vec::new() };
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    for (way, said, result) in taken(path, by, ways, folder.path(), "x") {
        let after = if said.code == 0 { findings(&result, &[]) } else { Err(said.err) };
        if after.as_ref() != Ok(&before) {
            all.push(format!("{path} by {way}: {before:?} became {after:?}"));
        }
    }
    all
}

/// The same of many logs, judged together before and after. What seems to differ is looked at alone.
fn differences_of(chunk: &[(usize, &PathBuf)]) -> (usize, Vec<String>) {
    let names: Vec<&str> = chunk.iter().map(|(_, path)| path.to_str().expect("UTF-8")).collect();
    let before = findings_of(&names, &[]).expect("what was found");
    let folder = tempfile::tempdir().expect("a folder");
    let results: Vec<_> = chunk
        .iter()
        .map(|(nth, path)| {
            let name = path.to_str().expect("UTF-8");
            taken(name, &[], ways_of(*nth, path), folder.path(), &nth.to_string())
        })
        .collect();
    let mut after = BTreeMap::new();
    for way in WAYS {
        // One that led nowhere is looked at alone: a file that is not there would keep all others from being read.
        let led = results.iter().flatten().filter(|(taken, said, _)| *taken == way && said.code == 0);
        let led: Vec<&str> = led.map(|(.., result)| result.as_str()).collect();
        match way {
            // A finding in a database is told by the log that it was read from.
            "ingest" => after.extend(led.iter().filter_map(|db| Some((db.to_string(), findings(db, &[]).ok()?)))),
            // One way at a time: of two logs with the same content one is judged.
            _ if !led.is_empty() => after.extend(findings_of(&led, &[]).expect("what was found")),
            _ => {}
        }
    }
    let none = Counted::new();
    let same = |(name, results): (&&str, &Vec<(&str, Said, String)>)| {
        let before = before.get(*name).unwrap_or(&none);
        results.iter().all(|(_, said, result)| said.code == 0 && after.get(result).unwrap_or(&none) == before)
    };
    let apart = chunk.iter().zip(names.iter().zip(&results)).filter(|(_, both)| !same(*both));
    let lost = apart.flat_map(|((nth, path), _)| differences(path, &[], ways_of(*nth, path))).collect();
    (after.values().flat_map(Counted::values).sum(), lost)
}

/// Every exchange with a fault, taken out on its own: how many there are, and what an extract lost, in words.
fn extracts(path: &Path, by: &[&str]) -> (usize, Vec<String>) {
    const FAULTS: &str = "SELECT DISTINCT e.connection_id, e.issuer, CAST(e.rpc_id AS TEXT) AS id, m.line, f.code FROM findings f \
                          JOIN exchanges e ON e.id = f.exchange_id JOIN messages m ON m.id = e.id WHERE f.certainty = 'violation' AND f.code NOT LIKE 'CAP%'";
    let path = path.to_str().expect("UTF-8");
    let said = run(&[&["query", path, FAULTS, "--format", "jsonl", "--no-progress"], by].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let folder = tempfile::tempdir().expect("a folder");
    let small = folder.path().join("x.rec.jsonl").to_str().expect("UTF-8").to_string();
    let mut lost = Vec::new();
    for row in said.out.lines() {
        let row: Value = serde_json::from_str(row).expect("a row");
        let side = if row["issuer"] == "client" { "#" } else { "s" };
        let id = row["id"].as_str().expect("an id");
        let request = format!("{side}{id}:{}@{}", row["line"], row["connection_id"]);
        let taken = run(&[&["extract", path, &request, "-o", &small, "--no-progress"], by].concat());
        let after = if taken.code == 0 { findings(&small, &[]) } else { Err(taken.err) };
        let fault = format!("{} \"violation\"", row["code"]);
        if !after.as_ref().is_ok_and(|after| after.keys().any(|key| key.starts_with(&fault))) {
            lost.push(format!("{path} {request}: {fault} became {after:?}"));
        }
    }
    (said.out.lines().count(), lost)
}

/// What is done with each of these, four at a time.
fn each<T: Sync>(all: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let taken = || all.get(next.fetch_add(1, Ordering::Relaxed));
    let done = || std::iter::from_fn(taken).flat_map(&work).collect::<Vec<String>>();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(done)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    })
}

/// How many logs are judged at once: so few that each worker has some.
const TOGETHER: usize = 30;

fn hold(folder: &Path) {
    let mut paths = Vec::new();
    logs(folder, &mut paths);
    let numbered: Vec<_> = paths.iter().enumerate().collect();
    let chunks: Vec<_> = numbered.chunks(TOGETHER).collect();
    let kept = AtomicUsize::new(0);
    let all = each(&chunks, |chunk| {
        let (found, lost) = differences_of(chunk);
        kept.fetch_add(found, Ordering::Relaxed);
        lost
    });
    assert!(all.is_empty(), "{} of {} logs:\n{}", all.len(), paths.len(), all.join("\n"));
    let kept = kept.into_inner();
    assert!(kept > paths.len() / 2, "{}: {} logs with {kept} findings", folder.display(), paths.len());
}

/// What proves a fault goes with it: the handshake that counts, where a tool call began.
#[test]
fn a_fault_can_be_taken_out_on_its_own() {
    let mut paths = Vec::new();
    logs(&top().join("tests/truth/cases"), &mut paths);
    paths.retain(|path| path.to_string_lossy().contains("guilty"));
    // Two requests of one line have one name. That an id is never used is proven by what comes after the extract.
    paths.retain(|path| {
        !["har-entries-again", "http-cancel-of-a-text-id"].iter().any(|case| path.to_string_lossy().contains(case))
    });
    let taken_out = AtomicUsize::new(0);
    let lost = each(&paths, |path| {
        let (count, lost) = extracts(path, &[]);
        taken_out.fetch_add(count, Ordering::Relaxed);
        lost
    });
    assert!(taken_out.into_inner() > 20);
    assert!(lost.is_empty(), "{}", lost.join("\n"));
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

/// A log for each definition that `docs/formats.md` teaches with, each with an answer twice or to nobody.
const TAUGHT: [(&str, &str); 5] = [
    (
        "my-server",
        r#"[2026-03-01 09:00:01.000] IN {"jsonrpc":"2.0","id":1,"method":"add"}
[2026-03-01 09:00:01.500] OUT {"jsonrpc":"2.0","id":1,"result":3}
[2026-03-01 09:00:02.000] OUT {"jsonrpc":"2.0","id":1,"result":3}
"#,
    ),
    (
        "bytes-of-processes",
        r#"{"from_pid":7,"to_pid":8,"ts":"2026-03-01T09:00:01Z","raw":{"jsonrpc":"2.0","id":1,"method":"add"}}
{"from_pid":8,"to_pid":7,"ts":"2026-03-01T09:00:02Z","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}"}
{"from_pid":8,"to_pid":7,"ts":"2026-03-01T09:00:03Z","raw":{"jsonrpc":"2.0","id":1,"result":3}}
"#,
    ),
    (
        "halves",
        r#"in ask #7 tools/call {"name":"x"}
out reply #7 tools/call {}
out reply #7 tools/call {}
in tell notifications/cancelled {"requestId":9}
"#,
    ),
    (
        "audit",
        r#"{"at":"2026-03-01T09:00:01Z","server":"a","event":"CALL","request_id":1,"method":"tools/call","request":{"name":"x"}}
{"at":"2026-03-01T09:00:02Z","server":"a","event":"ANSWER","request_id":1,"method":"tools/call","response":{}}
{"at":"2026-03-01T09:00:03Z","server":"a","event":"ANSWER","request_id":1,"method":"tools/call","response":{}}
{"at":"2026-03-01T09:00:04Z","server":"b","event":"CALL","request_id":1,"method":"tools/list"}
"#,
    ),
    (
        "edge-calls",
        r#"{"at":"2026-03-01T09:00:02Z","tenant":"t","edge_call":{"in":{"jsonrpc":"2.0","id":1,"method":"tools/list"},"out":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}},"code":200,"took":0.5,"hdr":{"mcp-session-id":"s"}}}
{"at":"2026-03-01T09:00:04Z","tenant":"t","edge_call":{"in":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}},"out":{"jsonrpc":"2.0","id":"1","result":{}},"code":200,"took":0.5,"hdr":{"mcp-session-id":"s"}}}
"#,
    ),
];

#[test]
fn logs_by_the_definitions_that_the_docs_teach_keep_their_findings() {
    let docs = std::fs::read_to_string(top().join("docs/formats.md")).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut found, mut taken_out) = (0, 0);
    for (name, log) in TAUGHT {
        let named = |fence: &&str| fence.contains(&format!("name = \"{name}\""));
        let fences = docs.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let definition = fences.clone().find(named).unwrap_or_else(|| panic!("{name} is not taught any more"));
        let kept = |end: &str, text: &str| {
            let path = folder.path().join(format!("{name}{end}"));
            std::fs::write(&path, text).expect("written");
            path
        };
        let (definition, log) = (kept(".toml", definition), kept(".log", log));
        let by = ["--format-in", definition.to_str().expect("UTF-8")];
        let own = findings(log.to_str().expect("UTF-8"), &by).unwrap_or_else(|error| panic!("{name}: {error}"));
        found += own.len();
        let (faults, lost) = extracts(&log, &by);
        taken_out += faults;
        let all = [differences(&log, &by, &WAYS), lost].concat();
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
    assert!(found >= 4 && taken_out >= 3, "the logs have something to keep: {found}, {taken_out}");
}

#[test]
fn logs_of_debug_adapters_keep_their_findings() {
    let mut paths = Vec::new();
    logs(&top().join("tests/dap"), &mut paths);
    let by = ["--format-in", "dap"];
    let (mut taken_out, mut lost) = (0, Vec::new());
    for path in &paths {
        lost.extend(differences(path, &by, &WAYS));
        let (taken, without) = extracts(path, &by);
        taken_out += taken;
        lost.extend(without);
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    assert!(paths.len() >= 6 && taken_out >= 2, "{} logs, {taken_out} taken out", paths.len());
}
