//! Files that the program reads and writes: devices and handles, links, names, limits, pipes that say nothing, signals.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{ended, file, program, rpctape, run, run_with, top};
use rustix::process::{Pid, Signal, kill_process};

const BAD: &str = "samples/mcp/bad.jsonl";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The text of a file; what is not there is none.
fn text(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A recording of a sample, in a folder.
fn recorded(folder: &Path, name: &str) -> String {
    let path = folder.join(name).display().to_string();
    assert_eq!(run(&["export", BAD, "--as", "rec", "-o", &path]).code, 0);
    path
}

/// Runs a line of a shell in the checkout; `$0` is the program, `$1` what is given.
fn shell(line: &str, given: &Path) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_rpctape")]).arg(given).current_dir(top());
    let ran = command.stdin(Stdio::null()).output().expect("a shell");
    (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
}

#[test]
fn an_answer_goes_through_what_is_open_and_never_takes_its_place() {
    let folder = folder();
    let answer = run(&["check", BAD, "--format", "jsonl"]).out;
    for handle in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        assert_eq!(run(&["check", BAD, "--format", "jsonl", "-o", handle]).out, answer, "{handle}, a pipe");
        let all = folder.path().join("all");
        std::fs::write(&all, "before\n").expect("writes");
        shell(&format!("\"$0\" check {BAD} --format jsonl -o {handle} >> \"$1\""), &all);
        assert_eq!(text(&all), format!("before\n{answer}"), "{handle}, a file that grows");
    }
    assert_eq!(names(folder.path()), ["all"]);
}

#[test]
fn a_limit_of_size_is_an_error_and_leaves_nothing_behind() {
    let folder = folder();
    let old = folder.path().join("old");
    for command in
        ["check samples/mcp/bad.jsonl -o", "check samples/mcp/bad.jsonl --report md=", "stats samples/mcp/bad.jsonl -o"]
    {
        std::fs::write(&old, "old").expect("writes");
        let to = if command.ends_with('=') { "" } else { " " };
        let (code, said) = shell(&format!("ulimit -f 0; exec \"$0\" {command}{to}\"$1\""), &old);
        assert_eq!(code, Some(2), "{command}: {said}");
        assert!(said.contains("error: cannot write"), "{command}: {said}");
        assert_eq!((text(&old).as_str(), names(folder.path())), ("old", vec!["old".to_string()]), "{command}");
    }
    std::fs::remove_file(&old).expect("removes");
    assert_eq!(shell("ulimit -f 0; exec \"$0\" init \"$1\"", &old).0, Some(2));
    assert!(names(folder.path()).is_empty(), "no half configuration");
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = folder();
    let (one, two) = (recorded(folder.path(), "one.rec.jsonl"), recorded(folder.path(), "two.rec.jsonl"));
    let link = folder.path().join("link").display().to_string();
    symlink(&two, &link).expect("a link");
    let same = folder.path().join("same").display().to_string();
    let report = format!("--report=junit={same}");
    let before = (text(&one), text(&two));
    for args in [
        vec!["merge", &one, &two, "-o", &two],
        vec!["merge", &one, &two, "-o", &link],
        vec!["minimise", &one, "-o", &one],
        vec!["replay", &one, "--allow-all", "--keep", &same, &report, "--", "cat"],
    ] {
        let said = run(&args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert!(said.err.contains("would be overwritten"), "{args:?}: {}", said.err);
    }
    assert_eq!((text(&one), text(&two)), before);
}

#[test]
fn a_link_into_the_folder_that_is_read_is_refused() {
    let (logs, out) = (folder(), folder());
    file(logs.path(), "a.jsonl", text(top().join(BAD)));
    let (inside, link) = (logs.path().join("answer"), out.path().join("link"));
    symlink(&inside, &link).expect("a link");
    let (read, to) = (logs.path().display().to_string(), link.display().to_string());
    for args in [vec!["check", &read, "-o", &to], vec!["ingest", &read, "--db", &to], vec!["facts", &read, "-o", &read]]
    {
        let said = run(&args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert_eq!(names(logs.path()), ["a.jsonl"], "{args:?}");
    }
}

#[test]
fn names_that_are_no_utf8_are_listed_and_merged() {
    let folder = folder();
    let (one, two) = (recorded(folder.path(), "one.rec.jsonl"), recorded(folder.path(), "two.rec.jsonl"));
    let odd = folder.path().join(OsStr::from_bytes(b"odd\xff.rec.jsonl"));
    // Not every file system takes such a name.
    if std::fs::rename(&one, &odd).is_err() {
        return eprintln!("SKIPPED: no file can have that name here");
    }
    let merged = folder.path().join("merged");
    rpctape().arg(&odd).assert().success();
    rpctape().arg("merge").arg(&odd).arg(&two).arg("-o").arg(&merged).assert().success();
    assert!(text(merged).starts_with("{\"rec\":1"));
}

#[test]
fn a_configuration_is_made_where_a_link_leads_and_never_over_one() {
    let folder = folder();
    let (link, there) = (folder.path().join("link"), folder.path().join("there"));
    symlink("there", &link).expect("a link");
    let link_name = link.display().to_string();
    assert_eq!(run(&["init", &link_name]).code, 0);
    assert!(link.is_symlink() && text(&there).contains("rpctape"));
    std::fs::write(&there, "mine").expect("writes");
    assert_eq!((run(&["init", &link_name]).code, text(&there).as_str()), (2, "mine"));
}

#[test]
fn a_database_with_the_longest_name_is_made_and_added_to() {
    let folder = folder();
    let db = folder.path().join("n".repeat(255)).display().to_string();
    assert_eq!(run(&["ingest", BAD, "--db", &db]).code, 0);
    assert_eq!(run(&["audit", &db]).out, run(&["check", &db]).out);
    assert_eq!(names(folder.path()).len(), 1);
    let said = run(&["audit", "/dev/null"]);
    assert!(said.code == 2 && said.err.contains("/dev/null is no file"), "{}", said.err);
}

#[test]
fn a_pipe_is_explained_as_the_file() {
    let (code, said) = shell("cat \"$1\" | \"$0\" formats --explain - >&2", Path::new(BAD));
    assert_eq!((code, said), (Some(0), run(&["formats", "--explain", BAD]).out));
}

#[test]
fn what_is_read_only_is_left_alone() {
    let folder = folder();
    let old = file(folder.path(), "old", "mine");
    std::fs::set_permissions(&old, std::os::unix::fs::PermissionsExt::from_mode(0o444)).expect("a mode");
    for args in [["check", BAD, "-o", &old], ["ingest", BAD, "--db", &old], ["scrub", BAD, "-o", &old]] {
        let said = run(&args);
        assert!(said.code == 2 && said.err.contains("is read-only"), "{args:?}: {}", said.err);
        assert_eq!((text(&old).as_str(), names(folder.path()).len()), ("mine", 1), "{args:?}");
    }
}

#[test]
fn a_dash_is_standard_input_and_standard_output_for_every_command() {
    let folder = folder();
    let rec = recorded(folder.path(), "one.rec.jsonl");
    for line in ["scrub - -o -", "merge - \"$1\" -o -", "export - --as rec -o -"] {
        let (code, said) = shell(&format!("\"$0\" {line} < \"$1\" | grep -q '\"rec\":1'"), Path::new(&rec));
        assert_eq!(code, Some(0), "{line}: {said}");
    }
    let (code, said) = shell("exec \"$0\" scrub - -o \"$1\" < \"$1\"", Path::new(&rec));
    assert!(code == Some(2) && said.contains("would be overwritten"), "{said}");
    assert_eq!(names(folder.path()), ["one.rec.jsonl"]);
}

#[test]
fn a_pipe_is_explained_without_being_opened_again() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|made| made.success()));
    let (code, said) = shell(&format!("cat {BAD} > \"$1\" & exec \"$0\" formats --explain \"$1\""), &pipe);
    assert_eq!(code, Some(0), "{said}");
}

/// An archive of two logs, one of them with findings, in a folder.
fn archive(folder: &Path) -> String {
    for (name, sample) in [("good.jsonl", "samples/mcp/good.jsonl"), ("bad.jsonl", BAD)] {
        std::fs::copy(top().join(sample), folder.join(name)).expect("a copy");
    }
    let tar = folder.join("logs.tgz").display().to_string();
    let made = Command::new("tar").arg("-C").arg(folder).args(["-czf", &tar, "good.jsonl", "bad.jsonl"]).status();
    assert!(made.is_ok_and(|made| made.success()));
    tar
}

#[test]
fn an_archive_through_a_pipe_has_the_verdict_of_the_file() {
    let (folder, temporary) = (folder(), folder());
    let tar = archive(folder.path());
    let verdict = |out: &str, name: &str| out.replace(&format!("{name}!"), "IT!");
    let of_file = run(&["check", &tar, "--format", "jsonl"]);
    assert!(of_file.code == 1 && of_file.out.contains("!bad.jsonl"), "{}", of_file.err);
    let want = verdict(&of_file.out, &tar);
    let piped = run_with(&["check", "-", "--format", "jsonl"], &std::fs::read(&tar).expect("an archive"));
    assert_eq!((piped.code, verdict(&piped.out, "-")), (1, want.clone()), "{}", piped.err);
    assert!(piped.err.contains("standard input is an archive: 2 of the 2 files in it read"), "{}", piped.err);
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|made| made.success()));
    let line = format!(
        "cat '{tar}' > \"$1\" & TMPDIR='{}' exec \"$0\" check \"$1\" --format jsonl -o '{tar}.out'",
        temporary.path().display()
    );
    let (code, said) = shell(&line, Path::new(&pipe));
    assert_eq!((code, verdict(&text(format!("{tar}.out")), &pipe)), (Some(1), want), "{said}");
    assert!(names(temporary.path()).is_empty(), "nothing is left of it");
}

#[test]
fn signals_end_what_keeps_an_archive_and_leave_nothing_of_it() {
    let (folder, temporary) = (folder(), folder());
    let bytes = std::fs::read(archive(folder.path())).expect("an archive");
    let mut command = program();
    command.args(["check", "-"]).env("TMPDIR", temporary.path()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let mut writer = child.stdin.take().expect("a pipe");
    // Its end does not come.
    writer.write_all(&bytes[..bytes.len() - 8]).expect("a reader");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(names(temporary.path()).is_empty(), "it has no name while it is kept, either");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a signal");
    assert_eq!(ended(&mut child).and_then(|status| status.code()), Some(143));
    assert!(names(temporary.path()).is_empty());
    drop(writer);
}

#[test]
fn signals_end_what_waits_for_a_pipe_that_says_nothing() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|made| made.success()));
    let pipe = pipe.display().to_string();
    let key = format!("--sign={pipe}");
    let played = recorded(folder.path(), "played.rec.jsonl");
    let commands: [&[&str]; 9] = [
        &["check", &pipe],
        &["formats", "--explain", &pipe],
        &["replay", &pipe, "--", "cat"],
        &["replay", &played, &pipe, "--allow-all", "--no-keep", "--", "sleep", "600"],
        &["minimise", &pipe, "--", "cat"],
        &["mock", &pipe],
        &["conform", "--baseline", &pipe, "--", "cat"],
        &["merge", &pipe, &pipe, "-o", "nothing"],
        &["record", &key, "-o", "nothing", "--", "cat"],
    ];
    for (args, (which, code)) in
        commands.into_iter().zip([(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)].into_iter().cycle())
    {
        let temporary = tempfile::tempdir().expect("a folder");
        let mut command = program();
        command.args(args).current_dir(temporary.path()).env("TMPDIR", temporary.path());
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        // It opens when the program has opened its end, and waits for what it says.
        let writer = std::fs::OpenOptions::new().write(true).open(&pipe).expect("a writer");
        kill_process(Pid::from_child(&child), which).expect("a signal");
        assert_eq!(ended(&mut child).and_then(|status| status.code()), Some(code), "{args:?}");
        assert!(names(temporary.path()).is_empty(), "{args:?}");
        drop(writer);
    }
}

#[test]
fn a_second_signal_ends_at_once_and_leaves_nothing_behind() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|made| made.success()));
    let temporary = tempfile::tempdir().expect("a folder");
    let output = temporary.path().join("out").display().to_string();
    let mut command = program();
    command.args(["scrub", &pipe.display().to_string(), "-o", &output]).env("TMPDIR", temporary.path());
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).expect("a writer");
    writer.write_all("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n".repeat(20_000).as_bytes()).expect("a reader");
    for _ in 0..2 {
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(ended(&mut child).and_then(|status| status.code()), Some(130));
    assert!(names(temporary.path()).is_empty());
    drop(writer);
}

/// What a recorder lost is told where a tape is listed, too: its counts are not those of the traffic.
#[test]
fn a_list_says_what_a_recording_lacks() {
    let tape = concat!(
        "{\"rec\":1,\"session\":\"s\"}\n",
        "{\"q\":1,\"t\":1,\"k\":\"msg\",\"c\":1,\"d\":\"c\",\"b\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"a\\\"}\"}\n",
        "{\"q\":2,\"t\":2,\"k\":\"gap\",\"c\":1,\"d\":\"c\",\"lost\":1500,\"why\":\"write-error\"}\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let log = file(folder.path(), "lossy.rec.jsonl", tape);
    let words = run(&["ls", &log]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("lost: 1,500 messages"), "{words}");
    assert!(run(&["ls", "--format", "json", &log]).out.contains("\"lost\":1500"));
}

#[test]
fn what_is_named_twice_is_said_and_an_empty_folder_is_an_error() {
    let twice = run(&["check", BAD, BAD]);
    assert_eq!(twice.out, run(&["check", BAD]).out);
    assert!(twice.err.contains(&format!("note: {BAD} is named more than once, and read once")), "{}", twice.err);
    let empty = folder();
    let facts = run(&["facts", &empty.path().display().to_string(), "-o", "-"]);
    assert!(facts.code == 2 && facts.err.contains("there is no log in"), "{}", facts.err);
}

#[test]
fn sarif_has_the_bytes_of_a_name() {
    let folder = folder();
    let log = folder.path().join(OsStr::from_bytes(b"caf\xe9.jsonl"));
    std::fs::write(&log, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}\n").expect("writes");
    let said = rpctape().args(["check", "--report", "sarif=-"]).arg(log).output().expect("it starts");
    assert!(String::from_utf8_lossy(&said.stdout).contains("\"uri\":\"caf%E9.jsonl\""));
}
