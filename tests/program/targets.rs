//! What outputs are written to, and what they are never written over: databases and what SQLite keeps beside them, backups, files
//! that nobody named, pipes that are closed, disks that are full.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Said, program, said, top};

fn bad() -> String {
    std::fs::read_to_string(top().join("samples/mcp/bad.jsonl")).expect("a sample")
}

/// A folder with the sample in it, and nothing else.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bad.jsonl"), bad()).expect("writes");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name =
        |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name().to_string_lossy().into();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// Runs the program in a folder; words are parted by spaces.
fn at(folder: &Path, line: &str) -> Said {
    said(program().args(line.split(' ')).current_dir(folder).output().expect("the program starts"))
}

/// Runs a line of a shell in a folder; `$0` is the program.
fn shell(folder: &Path, line: &str) -> Said {
    let mut command = Command::new("bash");
    command.args(["-c", line, env!("CARGO_BIN_EXE_rpctape")]).current_dir(folder).stdin(Stdio::null());
    said(command.output().expect("a shell"))
}

#[test]
fn a_database_takes_no_file_that_only_has_a_name_like_it() {
    let folder = folder();
    let names_of = ["partial", "partial-journal", "partial-wal"].map(|end| format!("X.{end}"));
    for name in &names_of {
        std::fs::write(folder.path().join(name), bad()).expect("writes");
        std::fs::set_permissions(folder.path().join(name), PermissionsExt::from_mode(0o666)).expect("a mode");
    }
    let own = std::fs::metadata(folder.path()).expect("a folder").uid();
    for name in &names_of {
        let said = at(folder.path(), &format!("ingest {name} --db X"));
        assert_eq!(said.code, 0, "{}", said.err);
        let about = std::fs::metadata(folder.path().join("X")).expect("a database");
        assert_eq!((about.permissions().mode() & 0o777, about.uid()), (0o600, own), "{name}");
        std::fs::remove_file(folder.path().join("X")).expect("removed");
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).expect("it stays"), bad(), "{name}");
    }
}

#[test]
fn what_sqlite_would_take_for_its_own_is_refused() {
    let folder = folder();
    let sides = ["X-journal", "X-wal", "X-shm"];
    for exists in [false, true] {
        if exists {
            assert_eq!(at(folder.path(), "ingest bad.jsonl --db X").code, 0);
        }
        for side in sides {
            let path = folder.path().join(side);
            let mut lines = vec![
                format!("check {side} --db X"),
                format!("ingest {side} --db X"),
                format!("check bad.jsonl --baseline {side} --db X"),
                format!("check bad.jsonl --config {side} --db X"),
            ];
            for (nth, line) in lines.drain(..).enumerate() {
                let text = ["", "# mine\n"]
                    .get(nth.saturating_sub(2))
                    .filter(|_| nth > 1)
                    .map_or(bad(), |text| (*text).into());
                std::fs::write(&path, &text).expect("writes");
                let said = at(folder.path(), &line);
                assert!(said.code == 2 && said.err.contains("would be overwritten"), "{line}: {}", said.err);
                assert_eq!(std::fs::read_to_string(&path).expect("it stays"), text, "{line}");
            }
            // Nor where it merely lies there.
            if side != "X-shm" {
                std::fs::write(&path, bad()).expect("writes");
                for line in ["ingest bad.jsonl --db X", "check X"].iter().take(1 + usize::from(exists)) {
                    let said = at(folder.path(), line);
                    assert!(said.code == 2 && said.err.contains("is not SQLite's"), "{line}: {}", said.err);
                }
                assert_eq!(std::fs::read_to_string(&path).expect("it stays"), bad(), "{side}");
            }
            std::fs::remove_file(&path).expect("removed");
        }
    }
}

#[test]
fn no_answer_goes_over_the_archive_that_it_is_about() {
    let folder = folder();
    assert_eq!(shell(folder.path(), "tar cf l.tar bad.jsonl && tar czf l.tgz bad.jsonl").code, 0);
    for archive in ["l.tar", "l.tgz"] {
        let path = folder.path().join(archive);
        let before = std::fs::read(&path).expect("an archive");
        for command in ["export --as jsonl -o", "check -o", "open -o", "stats -o"] {
            let line = format!("{command} {archive} {archive}!bad.jsonl");
            let said = at(folder.path(), &line);
            assert!(said.code == 2 && said.err.contains("would be overwritten"), "{line}: {}", said.err);
            assert_eq!(std::fs::read(&path).expect("an archive"), before, "{line}");
        }
    }
}

#[test]
fn no_answer_goes_where_the_database_does_and_nothing_is_made_before_that_is_known() {
    let folder = folder();
    for target in ["X", "./X", "X-journal", "X-wal"] {
        for flag in ["-o ", "--report sarif="] {
            let line = format!("check bad.jsonl --db X {flag}{target}");
            let said = at(folder.path(), &line);
            assert!(said.code == 2 && said.err.contains("would be overwritten"), "{line}: {}", said.err);
            assert_eq!(names(folder.path()), ["bad.jsonl"], "{line}");
        }
    }
}

#[cfg(feature = "live")]
#[test]
fn no_server_is_started_where_an_output_cannot_be_written() {
    let folder = folder();
    let rec = at(folder.path(), "export bad.jsonl --as rec -o bad.rec.jsonl");
    assert_eq!(rec.code, 0, "{}", rec.err);
    // Also what is no text.
    let mine: [(&str, &[u8]); 2] = [("bad.run.jsonl", b"MINE\n"), ("bad.min.rec.jsonl", b"\xff\xfeMINE")];
    for (name, bytes) in mine {
        std::fs::write(folder.path().join(name), bytes).expect("writes");
    }
    let before = names(folder.path());
    for (line, word) in [
        ("replay bad.rec.jsonl --allow-all --keep out --db ./out", "the database"),
        ("replay bad.rec.jsonl --allow-all --keep out-wal --db out", "beside the database"),
        ("replay bad.rec.jsonl --allow-all --keep out --db nodir/x", "nodir/x"),
        ("replay bad.rec.jsonl --allow-all", "--keep"),
        ("minimise bad.rec.jsonl", "-o"),
        ("conform --fast --only late -o out --baseline out --write-baseline", "out is where another answer goes"),
        ("conform --fast --only late -o out-1 --report md=out --baseline ./out --write-baseline", "another answer"),
    ] {
        let line = format!("{line} -- touch started");
        let said = at(folder.path(), &line);
        assert!(said.code == 2 && said.err.contains(word), "{line}: {}", said.err);
        assert_eq!(names(folder.path()), before, "{line}");
    }
    for (name, bytes) in mine {
        assert_eq!(std::fs::read(folder.path().join(name)).expect("it is there"), bytes, "{name}");
    }
    // What it wrote itself under such a name it replaces.
    std::fs::remove_file(folder.path().join("bad.min.rec.jsonl")).expect("removed");
    for _ in 0..2 {
        let said = at(folder.path(), "minimise bad.rec.jsonl --finding CAN001");
        assert_eq!(said.code, 0, "{}", said.err);
    }
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let folder = folder();
    // More than a pipe takes before anybody reads, and a finding for each request.
    let call = |n: u32| {
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"result\":{{\"n\":\"{n}\"}}}}\n");
        let params = "{\"name\":\"echo\",\"arguments\":{}}";
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"tools/call\",\"params\":{params}}}\n{answer}{answer}")
    };
    std::fs::write(folder.path().join("long.jsonl"), (0..2000).map(call).collect::<String>()).expect("writes");
    assert_eq!(at(folder.path(), "export long.jsonl --as rec -o long.rec.jsonl").code, 0);
    for command in [
        "scrub long.jsonl -o -",
        "scrub long.jsonl -o /dev/stdout",
        "facts long.jsonl --as jsonl -o -",
        "export long.jsonl --as rec -o /dev/stdout",
        "export long.jsonl --as jsonl -o -",
        "check long.jsonl --no-group --format jsonl -o /dev/stdout",
        "show long.jsonl",
        "merge long.rec.jsonl long.rec.jsonl -o /dev/stdout",
        "query long.jsonl 'SELECT * FROM messages' -o /dev/stdout",
    ] {
        let said = shell(folder.path(), &format!("\"$0\" {command} | head -c1 > /dev/null; echo ${{PIPESTATUS[0]}}"));
        assert!(["0\n", "1\n"].contains(&said.out.as_str()), "{command}: {}{}", said.out, said.err);
        assert!(!said.err.to_lowercase().contains("broken pipe"), "{command}: {}", said.err);
    }
}

#[test]
fn what_cannot_be_written_is_named_as_the_user_named_it() {
    let folder = folder();
    for command in [
        "check bad.jsonl -o T",
        "check bad.jsonl --format jsonl -o T",
        "check bad.jsonl --report sarif=T",
        "check bad.jsonl --report junit=T",
        "check bad.jsonl --report html=T",
        "diff bad.jsonl bad.jsonl -o T",
        "query bad.jsonl 'SELECT * FROM messages' -o T",
        "export bad.jsonl --as rec -o T",
        "export bad.jsonl --as jsonl -o T",
        "facts bad.jsonl --as jsonl -o T",
    ] {
        let said = shell(folder.path(), &format!("ulimit -f 0; exec \"$0\" {command}"));
        assert_eq!(said.code, 2, "{command}: {}", said.err);
        assert!(said.err.contains("cannot write T") && !said.err.contains(".part"), "{command}: {}", said.err);
    }
}

#[cfg(feature = "live")]
#[test]
fn a_live_session_that_cannot_be_written_is_not_judged() {
    let folder = folder();
    assert_eq!(at(folder.path(), "export bad.jsonl --as rec -o bad.rec.jsonl").code, 0);
    let command = "replay bad.rec.jsonl --allow-all --no-keep --linger 100ms --stuck-min 1s --deadline 5s -- cat";
    let said = shell(folder.path(), &format!("ulimit -f 0; TMPDIR=. exec \"$0\" {command}"));
    assert!(said.code == 2 && said.out.is_empty(), "{}{}", said.out, said.err);
    assert!(said.err.contains("error: the live session could not be written"), "{}", said.err);
    assert_eq!(names(folder.path()), ["bad.jsonl", "bad.rec.jsonl"]);
}

#[test]
fn the_same_bytes_through_a_pipe_are_the_same_log() {
    let folder = folder();
    let held = |line: &str| {
        let said = shell(folder.path(), line);
        assert_eq!(said.code, 0, "{line}: {}", said.err);
        let count = |word: &str| said.out.lines().find(|line| line.contains(word)).map(str::to_string);
        (count(" holds "), said.out.contains("in the database already"))
    };
    let (first, known) = held("\"$0\" ingest bad.jsonl --db d");
    assert!(first.is_some() && !known);
    for line in ["\"$0\" ingest <(cat bad.jsonl) --db d", "cat bad.jsonl | \"$0\" ingest - --db d"] {
        assert_eq!(held(line), (first.clone(), true), "{line}");
    }
    // In whichever order they come, and in one run.
    for lines in [
        &["cat bad.jsonl | \"$0\" ingest - --db d", "\"$0\" ingest bad.jsonl --db d"][..],
        &["\"$0\" ingest bad.jsonl <(cat bad.jsonl) --db d"],
        &["cat bad.jsonl | \"$0\" ingest - bad.jsonl --db d"],
        // What goes on where another pipe ended takes its place.
        &["head -n 4 bad.jsonl | \"$0\" ingest - --db d", "cat bad.jsonl | \"$0\" ingest - --db d"],
    ] {
        std::fs::remove_file(folder.path().join("d")).expect("removed");
        let mut last = None;
        for line in lines {
            last = held(line).0;
        }
        assert_eq!(last, first, "{lines:?}");
    }
    let counted =
        |files: &str| shell(folder.path(), &format!("cat bad.jsonl | \"$0\" check {files} --format json")).out;
    assert_eq!(counted("bad.jsonl -").matches("\"code\"").count(), counted("-").matches("\"code\"").count());
}

#[test]
fn a_backup_follows_no_link_and_loses_no_other() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let text = "{\"mcpServers\":{\"a\":{\"command\":\"s\"}}}";
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
    std::fs::write(path("victim"), "mine").expect("writes");
    symlink("victim", path("cc.json.before-rpctape")).expect("a link");
    std::fs::write(path("cc.json.before-rpctape-2"), "an earlier one").expect("writes");
    std::fs::write(path("cc.json"), text).expect("writes");
    let said = at(folder.path(), "wrap cc.json --write --into i");
    assert_eq!((said.code, read("cc.json.before-rpctape-3").as_str()), (0, text), "{}", said.err);
    assert!(said.err.contains("cc.json.before-rpctape-3"), "{}", said.err);
    let back = at(folder.path(), "unwrap cc.json --write");
    assert_eq!((back.code, read("cc.json").as_str()), (0, text), "{}", back.err);
    assert!(!path("cc.json.before-rpctape-3").exists() && path("cc.json.before-rpctape").is_symlink());
    assert_eq!((read("victim").as_str(), read("cc.json.before-rpctape-2").as_str()), ("mine", "an earlier one"));
}

#[test]
fn streams_on_which_somebody_speaks_are_known_by_every_name() {
    let folder = folder();
    assert_eq!(at(folder.path(), "export bad.jsonl --as rec -o r.rec.jsonl").code, 0);
    for (line, error) in [
        ("$0 mock - < r.rec.jsonl", "cannot be both the recording and the client"),
        ("$0 mock /dev/stdin < r.rec.jsonl", "cannot be both the recording and the client"),
        ("$0 mock r.rec.jsonl -o -", "no recording goes there"),
        ("$0 mock r.rec.jsonl -o /dev/stdout | cat", "no recording goes there"),
        ("$0 mock r.rec.jsonl -o o > o", "no recording goes there"),
        ("cat bad.jsonl | $0 tail /dev/stdin", "is not a file that can be followed"),
        ("$0 tail <(cat bad.jsonl)", "is not a file that can be followed"),
    ] {
        let said = shell(folder.path(), &format!("set -o pipefail; {line}"));
        assert!(said.code == 2 && said.out.is_empty() && said.err.contains(error), "{line}: {} {}", said.out, said.err);
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("o")).expect("made by the shell"), "");
}

#[test]
fn a_report_on_standard_output_is_all_that_is_there() {
    let folder = folder();
    for line in [
        "$0 why bad.jsonl --report html=-",
        "$0 why bad.jsonl --format json --report html=/dev/stdout | cat",
        "$0 check bad.jsonl --format json --report html=/dev/stdout | cat",
        "$0 check bad.jsonl --report html=x > x; cat x",
    ] {
        let out = shell(folder.path(), line).out;
        assert!(out.starts_with("<!DOCTYPE html>") && out.trim_end().ends_with("</html>"), "{line}: {:.200}", out);
        assert_eq!(out.matches("<!DOCTYPE").count(), 1, "{line}");
    }
}

#[test]
fn a_baseline_names_a_next_command_only_where_it_can_be_run() {
    let folder = folder();
    for (line, named) in [
        ("$0 baseline bad.jsonl -o known", true),
        ("$0 baseline bad.jsonl", true),
        ("$0 baseline bad.jsonl -o -", false),
        ("$0 baseline bad.jsonl -o /dev/null", false),
        (r"$0 baseline bad.jsonl -o $'bl\xff'", false),
    ] {
        let said = shell(folder.path(), line);
        assert_eq!((said.code, said.err.contains("next: rpctape check")), (0, named), "{line}: {}", said.err);
    }
}

#[test]
fn a_name_of_a_log_does_not_act_on_the_terminal() {
    let folder = folder();
    for name in ["e\u{1b}[31m.jsonl", "two\u{202e}.jsonl"] {
        std::fs::write(folder.path().join(name), bad()).expect("writes");
    }
    for line in ["$0 check --merge e*.jsonl two*.jsonl", "$0 check --hop $'a\\x1b'=$(echo e*) --hop b=$(echo two*)"] {
        let said = shell(folder.path(), line);
        assert!(said.code < 2, "{line}: {}", said.err);
        assert!(!said.err.contains(['\u{1b}', '\u{202e}']) && said.err.contains("\\x1b"), "{line}: {:?}", said.err);
    }
}
