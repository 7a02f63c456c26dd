//! The recorder as a program: nothing it carries is changed, whatever happens on either side, on the disk or to itself.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "live programs are waited for, but not for ever")]

mod agent;

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::common::{program, run};
use serde_json::Value;

/// How long anything may take that should end by itself.
const PATIENCE: Duration = Duration::from_secs(180);

fn pipe() -> PathBuf {
    let test = std::env::current_exe().expect("a test");
    test.parent().and_then(Path::parent).expect("a folder").join("examples/fixture-pipe")
}

/// `rpctape record ... -- fixture-pipe ...`, with its streams in our hands.
fn record(flags: &[&str], behaviour: &[&str]) -> Child {
    let mut command = program();
    command.arg("record").args(flags).arg("--").arg(pipe()).args(behaviour);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// What a run gave.
struct Ran {
    out: Vec<u8>,
    err: String,
    status: ExitStatus,
}

/// Writes the input, reads everything, and waits.
fn talk(mut child: Child, input: &[u8]) -> Ran {
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut stderr = child.stderr.take().expect("a pipe");
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        text
    });
    let mut out = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut out).expect("a stream");
    let status = ended(&mut child);
    writer.join().expect("a writer");
    Ran { out, err: errors.join().expect("a reader"), status }
}

fn ended(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the recorder did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder { folder: tempfile::tempdir().expect("a folder") }
    }
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

/// The events of a recording, header first.
fn events(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a recording");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["k"].as_str()).collect()
}

/// Bodies of one side's messages and raw bytes, each with its end of line.
fn said(events: &[Value], side: &str) -> Vec<u8> {
    let theirs = events.iter().filter(|event| event["d"] == *side && event["k"] != "gap");
    theirs.flat_map(|event| format!("{}\n", event["b"].as_str().expect("text")).into_bytes()).collect()
}

/// Numbers count up from 1 without a gap, and time does not run backwards.
fn is_sound(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["q"].as_u64()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let times: Vec<i64> = events.iter().filter_map(|event| event["t"].as_i64()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

fn frames(count: usize, longest: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut bytes = Vec::new();
    for id in 0..count {
        let text: String = (0..next() as usize % longest).map(|_| (b'a' + (next() % 26) as u8) as char).collect();
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"x\",\"params\":{{\"t\":\"{text} \\\"é\\n\"}}}}\n");
        bytes.extend_from_slice(line.as_bytes());
    }
    bytes
}

#[test]
fn every_byte_passes_unchanged_and_is_on_the_tape() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let input = frames(3000, 2000);
    let ran = talk(record(&["-o", &path], &["echo", "3"]), &input);
    assert!(ran.out == input, "{} bytes of {}", ran.out.len(), input.len());
    assert_eq!((ran.status.code(), ran.err.as_str()), (Some(3), ""), "nothing is said where all is well");
    let events = events(&path);
    is_sound(&events);
    assert!(said(&events, "c") == input && said(&events, "s") == input, "the copy is whole");
    let kinds = kinds(&events);
    assert_eq!((kinds[0], &kinds[kinds.len() - 3..]), ("open", &["close", "exit", "end"][..]));
    assert_eq!(events[events.len() - 2]["code"], 3);
    assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn bytes_that_are_no_text_pass_too() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let mut input: Vec<u8> = (0..200_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    input.extend_from_slice(b"\n{\"id\":1}");
    let ran = talk(record(&["-o", &path], &["echo"]), &input);
    assert!(ran.out == input);
    let events = events(&path);
    is_sound(&events);
    assert!(events.iter().any(|event| event["k"] == "raw" && event["b64"].is_string()));
    assert_eq!(events.iter().filter(|event| event["k"] == "msg" && event["b"] == "{\"id\":1}").count(), 2);
}

#[test]
fn a_session_can_be_checked() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let flags = ["-o", &path, "-v", "--proto", "mcp 2025-11-25"];
    let mut child = record(&flags, &["answer", "--api-key", "k3y"]);
    let opening = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    writeln!(child.stdin.as_mut().expect("a pipe"), "{opening}").expect("a reader");
    child.stdout = Some(ready(&mut child));
    let rest = concat!(
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"token":"s3cr3t-t0k3n"}}}"#,
        "\n",
    );
    let ran = talk(child, rest.as_bytes());
    assert_eq!(ran.out.iter().filter(|byte| **byte == b'\n').count(), 1);
    assert!(ran.err.contains("recorded 5 messages, redacted 2 values (api-key 1, token 1)"), "{}", ran.err);
    let text = std::fs::read_to_string(&path).expect("a recording");
    assert!(!text.contains("s3cr3t") && !text.contains("k3y"), "{text}");
    assert!(
        text.contains(r#"<<secret:token#1>>\"}"#) && text.contains(r#""red":[["/params/arguments/token","token#1"]]"#),
        "{text}"
    );
    assert!(text.contains("<<secret:api-key#1>>"), "{text}");
    let check = run(&["check", &path]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    let ls = run(&["ls", &path, "--format", "json"]);
    assert!(ls.out.contains(r#""revision":"2025-11-25""#) && ls.out.contains(r#""complete_head":true"#), "{}", ls.out);
}

#[test]
fn what_is_no_message_is_raw_and_stdout_is_the_server_s_alone() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let ran =
        talk(record(&["-o", &path, "-v", "--redact", "off"], &["answer", "noise"]), b"{\"id\":1,\"method\":\"m\"}\n");
    let lines: Vec<&str> = std::str::from_utf8(&ran.out).expect("text").lines().collect();
    assert_eq!(lines[0], "listening on port 3000");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(ran.err.contains("warning: secrets are recorded as they are"), "{}", ran.err);
    let events = events(&path);
    assert!(events.iter().any(|event| event["k"] == "raw" && event["b"] == "listening on port 3000"));
    assert_eq!(events[0]["redact"]["set"], "off");
}

#[test]
fn stderr_passes_and_is_recorded_line_by_line() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let ran = talk(record(&["-o", &path], &["moan", "200"]), b"");
    let want: String = (0..200).map(|at| format!("moan {at}: password=hunter{at}22\n")).collect();
    assert_eq!(ran.err, want);
    let events = events(&path);
    let lines: Vec<&str> =
        events.iter().filter(|event| event["k"] == "err").filter_map(|event| event["b"].as_str()).collect();
    assert_eq!(lines.len(), 200);
    assert_eq!(lines[7], "moan 7: password=<<secret:password#8>>");
}

#[test]
fn content_length_is_told_from_the_messages() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let input = b"Content-Length: 8\r\n\r\n{\"id\":1}Content-Type: x\r\ncontent-length: 2\r\n\r\n{}";
    let ran = talk(record(&["-o", &path], &["slow"]), input);
    assert_eq!(ran.out, input);
    let events = events(&path);
    let heads: Vec<&str> =
        events.iter().filter(|event| event["d"] == "s").filter_map(|event| event["h"].as_str()).collect();
    assert_eq!(heads, ["Content-Length: 8\r\n\r\n", "Content-Type: x\r\ncontent-length: 2\r\n\r\n"]);
}

#[test]
fn of_a_huge_message_only_the_copy_is_cut() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let mut input = b"{\"a\":\"".to_vec();
    // Both ways of it fit into the queue: a disk that is late loses nothing.
    input.resize(20_000_000, b'x');
    input.extend_from_slice(b"\"}\n{\"id\":1}\n");
    let ran = talk(record(&["-o", &path], &["echo"]), &input);
    assert!(ran.out == input);
    let events = events(&path);
    is_sound(&events);
    let huge = events.iter().find(|event| event["trunc"] == true).expect("a frame that was cut");
    assert_eq!((huge["n"].as_u64(), huge["b"].as_str().map(str::len)), (Some(20_000_002), Some(16 << 20)));
    assert_eq!(events.iter().filter(|event| event["b"] == "{\"id\":1}").count(), 2, "what comes after it is found");
}

#[test]
fn on_a_full_disk_nothing_is_started() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let ran = talk(record(&["-o", "/dev/full"], &["echo", "5"]), b"{}\n");
    assert!(ran.out.is_empty());
    assert_eq!(ran.status.code(), Some(2));
    assert!(ran.err.contains("cannot write /dev/full") && ran.err.contains("nothing was started"), "{}", ran.err);
}

#[test]
fn a_limit_of_size_is_said_once_and_leaves_room_for_what_was_lost() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let line = format!("ulimit -f 64; exec \"$0\" record -o \"$1\" -- {} echo", pipe().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_rpctape"), &path]);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = frames(2000, 500);
    let ran = talk(shell.spawn().expect("a shell"), &input);
    assert!(ran.out == input);
    assert_eq!(ran.err.matches("cannot write").count(), 1, "{}", ran.err);
    let events = events(&path);
    let end = events.last().expect("an end");
    let said: u64 = events.iter().filter_map(|event| event["lost"].as_u64().filter(|_| event["k"] == "gap")).sum();
    assert_eq!((&end["k"], end["lost"].as_u64()), (&Value::from("end"), Some(said)), "{}", ran.err);
    assert_eq!(end["msgs"].as_u64().expect("a count") + said, 4000);
}

#[test]
fn exit_codes_and_signals_of_the_server_are_those_of_the_recorder() {
    let folder = Folder::new();
    for (at, (behaviour, code)) in
        [(vec!["die", "0"], 0), (vec!["die", "42"], 42), (vec!["abort"], 134)].into_iter().enumerate()
    {
        let path = folder.path(&format!("{at}.rec.jsonl"));
        let ran = talk(record(&["-o", &path], &behaviour), b"{}\n");
        assert_eq!(ran.status.code(), Some(code), "{behaviour:?}");
        let events = events(&path);
        let exit = events.iter().find(|event| event["k"] == "exit").expect("an exit");
        match code {
            134 => assert_eq!((&exit["signal"], exit.get("code")), (&Value::from(6), None)),
            code => assert_eq!(exit["code"], code),
        }
    }
    let path = folder.path("none.rec.jsonl");
    let said = run(&["record", "-o", &path, "--", "/no/such/server"]);
    assert!(
        said.code == 2 && said.err.contains("cannot start /no/such/server") && said.err.contains("hint:"),
        "{}",
        said.err
    );
    assert!(!Path::new(&path).exists(), "nothing was recorded");
}

/// Waits for the first line of output.
fn ready(child: &mut Child) -> ChildStdout {
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut byte = [0];
    while byte[0] != b'\n' {
        stdout.read_exact(&mut byte).expect("a line");
    }
    stdout
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(child.id() as i32).expect("a process");
    rustix::process::kill_process(pid, signal).expect("a signal");
}

#[test]
fn signals_reach_the_server() {
    use rustix::process::Signal;
    let folder = Folder::new();
    for (which, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let path = folder.path(&format!("{code}.rec.jsonl"));
        let mut child = record(&["-o", &path], &["stay"]);
        let _stdout = ready(&mut child);
        signal(&child, which);
        assert_eq!(ended(&mut child).code(), Some(code));
        let events = events(&path);
        assert_eq!(events[events.len() - 2]["signal"], code - 128);
        assert_eq!(kinds(&events).last(), Some(&"end"));
    }
}

#[test]
fn a_server_that_outstays_its_client_is_ended() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let started = Instant::now();
    let ran = talk(record(&["-o", &path], &["stay"]), b"{}\n");
    assert_eq!(ran.status.code(), Some(143));
    assert!(started.elapsed() >= Duration::from_secs(10));
    let events = events(&path);
    assert!(events.iter().any(|event| event["k"] == "close" && event["by"] == "c" && event["how"] == "eof"));
    assert!(
        events
            .iter()
            .any(|event| event["k"] == "note" && event["text"].as_str().is_some_and(|text| text.contains("TERM")))
    );
}

#[test]
#[ignore = "takes 15 s"]
fn one_that_ignores_term_is_killed() {
    let folder = Folder::new();
    let ran = talk(record(&["-o", &folder.path("a.rec.jsonl")], &["deaf"]), b"");
    assert_eq!(ran.status.code(), Some(137));
}

#[test]
fn the_end_of_the_server_s_output_reaches_the_client_while_the_server_reads_on() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let mut child = record(&["-o", &path], &["half"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut out = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut out).expect("the end, though the server lives");
    assert_eq!(out, b"{\"last\":true}\n");
    assert!(child.try_wait().expect("a child").is_none());
    stdin.write_all(b"{\"still\":1}\n").expect("a reader");
    drop(stdin);
    assert_eq!(ended(&mut child).code(), Some(7));
    assert_eq!(said(&events(&path), "c"), b"{\"still\":1}\n");
}

#[test]
fn a_server_that_no_longer_reads_is_felt_by_the_client() {
    let folder = Folder::new();
    let mut child = record(&["-o", &folder.path("a.rec.jsonl")], &["shut"]);
    let _stdout = ready(&mut child);
    let mut stdin = child.stdin.take().expect("a pipe");
    let (sender, result) = channel();
    std::thread::spawn(move || {
        let mut last = Ok(());
        while last.is_ok() {
            last = stdin.write_all(&[b'x'; 4096]);
        }
        sender.send(last.map_err(|error| error.kind()))
    });
    let felt = result.recv_timeout(PATIENCE).expect("an end to the writing");
    assert_eq!(felt, Err(std::io::ErrorKind::BrokenPipe));
    signal(&child, rustix::process::Signal::TERM);
    assert_eq!(ended(&mut child).code(), Some(143));
}

#[test]
fn a_server_that_is_gone_is_not_waited_for_by_the_client_s_side() {
    let folder = Folder::new();
    let mut child = record(&["-o", &folder.path("a.rec.jsonl")], &["die", "4"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{}\n").expect("a reader");
    assert_eq!(ended(&mut child).code(), Some(4), "although the client has not closed its side");
    drop(stdin);
}

#[test]
fn a_client_that_is_gone_ends_a_server_that_writes() {
    let folder = Folder::new();
    let mut child = record(&["-o", &folder.path("a.rec.jsonl")], &["burst", "100000000"]);
    drop(ready(&mut child));
    assert_eq!(ended(&mut child).code(), Some(9), "the server feels that nobody reads");
}

#[test]
fn a_process_that_the_server_leaves_behind_is_not_waited_for() {
    let folder = Folder::new();
    let mut child = record(&["-o", &folder.path("a.rec.jsonl")], &["orphan"]);
    let started = Instant::now();
    let _stdout = ready(&mut child);
    assert_eq!(ended(&mut child).code(), Some(0));
    assert!(started.elapsed() < PATIENCE, "it holds the output open for longer");
}

/// Kills the recorder in the middle of traffic: the server sees the end of its input, and all lines but the last are whole.
fn killed(round: u64) {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let mut child = record(&["-o", &path], &["echo"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = frames(20_000, 300);
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut seen = vec![0; 1 + (round as usize * 70_001) % 900_000];
    stdout.read_exact(&mut seen).expect("traffic");
    child.kill().expect("a kill");
    child.wait().expect("an end");
    // The echo writes into a pipe that nobody holds any more, or reads the end of its input: either way it ends.
    let _ = stdout.read_to_end(&mut Vec::new());
    writer.join().expect("a writer");
    let text = std::fs::read(&path).expect("a recording");
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines: Vec<Value> = text[..whole]
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a whole line"))
        .collect();
    is_sound(&lines);
    assert!(!kinds(&lines).contains(&"end"));
    if lines.len() > 3 {
        let ls = run(&["ls", &path]);
        assert_eq!(ls.code, 0, "{}", ls.err);
    }
}

#[test]
fn a_killed_recorder_leaves_whole_lines() {
    (0..10).for_each(killed);
}

#[test]
#[ignore = "takes a minute"]
fn a_killed_recorder_leaves_whole_lines_fifty_times() {
    (10..60).for_each(killed);
}

#[test]
fn parts_are_one_session() {
    let folder = Folder::new();
    let path = folder.path("chat.rec.jsonl");
    let input = frames(300, 400);
    let ran = talk(record(&["-o", &path, "--max-size", "50k"], &["echo"]), &input);
    assert!(ran.out == input);
    let parts: Vec<String> = std::iter::once(path.clone())
        .chain(
            (2..)
                .map(|part| folder.path(&format!("chat.{part}.rec.jsonl")))
                .take_while(|part| Path::new(part).exists()),
        )
        .collect();
    assert!(parts.len() > 3, "{parts:?}");
    let mut whole = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let events = events(part);
        assert_eq!(
            (&events[0]["part"], &events[0]["session"]),
            (&Value::from(at + 1), &serde_json::json!(self::events(&path)[0]["session"]))
        );
        if at + 1 < parts.len() {
            let last = events.last().expect("an event");
            assert_eq!(
                (&last["k"], last["next"].as_str()),
                (&Value::from("rotate"), Path::new(&parts[at + 1]).file_name().and_then(|name| name.to_str()))
            );
        }
        assert!(std::fs::metadata(part).expect("a part").permissions().mode() & 0o777 == 0o600);
        whole.extend(events);
    }
    is_sound(&whole);
    assert!(said(&whole, "s") == input);
    let mut args = vec!["ls", "--format", "json"];
    // In any order: a session and a part number tell them apart.
    args.extend(parts.iter().rev().map(String::as_str));
    let ls = run(&args);
    let listed: Value = serde_json::from_str(&ls.out).expect("JSON");
    let connections: Vec<&Value> = listed["sources"]
        .as_array()
        .expect("sources")
        .iter()
        .flat_map(|source| source["connections"].as_array().expect("a list"))
        .collect();
    assert_eq!(connections.len(), 1, "{}", ls.out);
    assert_eq!(connections[0]["messages"], 600);
}

#[test]
fn a_recording_is_never_written_over() {
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    std::fs::write(&path, "mine").expect("a file");
    let ran = talk(record(&["-o", &path], &["echo"]), b"");
    assert!(ran.status.code() == Some(2) && ran.err.contains("exists already"), "{}", ran.err);
    assert_eq!(std::fs::read(&path).expect("a file"), b"mine");
    let inside = folder.path("");
    for _ in 0..2 {
        let ran = talk(record(&["-o", &inside], &["echo"]), b"{}\n");
        assert!(ran.status.success() && ran.err.contains("recording into"), "{}", ran.err);
    }
    assert_eq!(std::fs::read_dir(&inside).expect("a folder").count(), 3);
}

#[test]
fn two_recorders_write_no_file_together() {
    let folder = Folder::new();
    for round in 0..4 {
        let path = folder.path(&format!("{round}.rec.jsonl"));
        let start = || {
            let mut command = program();
            command.args(["record", "-o", &path, "--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
            command.stderr(Stdio::null()).spawn().expect("the program starts")
        };
        let mut both = [start(), start()];
        both.iter_mut().for_each(|child| {
            // One that has refused reads nothing.
            let _ = child.stdin.take().expect("a pipe").write_all(b"{\"id\":1,\"method\":\"a\"}\n");
        });
        let ended = both.map(|mut child| child.wait().expect("it ends").success());
        let text = std::fs::read_to_string(&path).expect("a recording");
        assert_eq!((ended[0] ^ ended[1], text.matches("{\"rec\":").count()), (true, 1), "{text}");
    }
}

#[test]
fn no_recording_goes_where_the_client_reads() {
    for output in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let ran = talk(record(&["-o", output], &["echo"]), b"{}\n");
        assert!(ran.status.code() == Some(2) && ran.err.contains("standard output"), "{output}: {}", ran.err);
        assert!(ran.out.is_empty(), "{output}");
    }
}

#[test]
fn tcp_connections_are_told_apart_and_half_closes_pass() {
    use std::net::{Shutdown, TcpListener, TcpStream};
    let folder = Folder::new();
    let path = folder.path("a.rec.jsonl");
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address").to_string();
    // Reads to the end, then answers: without the half-close there would be no answer.
    std::thread::spawn(move || {
        for client in server.incoming().flatten() {
            std::thread::spawn(move || {
                let (mut input, mut output) = (client.try_clone().expect("a socket"), client);
                let mut all = Vec::new();
                input.read_to_end(&mut all).expect("a stream");
                output.write_all(&all).expect("a reader");
            });
        }
    });
    let mut child = program()
        .args(["record", "-o", &path, "--tcp", &address])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("listening on ") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut stderr, &mut line).expect("text") > 0);
    }
    let own = line.split("listening on ").nth(1).and_then(|rest| rest.split(',').next()).expect("an address");
    let input = frames(500, 1000);
    let mut clients: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(own).expect("a connection")).collect();
    for client in &mut clients {
        client.write_all(&input).expect("a reader");
        client.shutdown(Shutdown::Write).expect("a half-close");
        let mut back = Vec::new();
        client.read_to_end(&mut back).expect("an answer");
        assert!(back == input);
    }
    signal(&child, rustix::process::Signal::TERM);
    assert_eq!(ended(&mut child).code(), Some(0));
    let events = events(&path);
    is_sound(&events);
    assert_eq!(events[0]["transport"], "tcp");
    for connection in 1..=3 {
        let own: Vec<Value> = events.iter().filter(|event| event["c"] == connection).cloned().collect();
        assert!(said(&own, "c") == input && said(&own, "s") == input);
        let ends: Vec<&str> =
            own.iter().filter(|event| event["k"] == "close").filter_map(|event| event["by"].as_str()).collect();
        assert_eq!(ends[..2], ["c", "s"]);
    }
}

/// A gigabyte both ways.
#[test]
#[ignore = "moves two gigabytes; run it with --release"]
fn a_gigabyte_passes_unchanged() {
    let folder = Folder::new();
    let mut child = record(&["-o", &folder.path("a.rec.jsonl")], &["echo"]);
    let block = frames(2000, 2000);
    let blocks = (1 << 30) / block.len();
    let mut stdin = child.stdin.take().expect("a pipe");
    let sent = block.clone();
    let started = Instant::now();
    let writer = std::thread::spawn(move || (0..blocks).for_each(|_| stdin.write_all(&sent).expect("a reader")));
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut back = vec![0; block.len()];
    for at in 0..blocks {
        stdout.read_exact(&mut back).expect("traffic");
        assert!(back == block, "block {at}");
    }
    let took = started.elapsed();
    writer.join().expect("a writer");
    assert_eq!(stdout.read(&mut back).expect("an end"), 0);
    assert!(ended(&mut child).success());
    println!(
        "{} MB both ways in {took:.2?}: {:.0} MB/s",
        blocks * block.len() / 1_000_000,
        (blocks * block.len()) as f64 / took.as_secs_f64() / 1e6
    );
}

#[test]
fn a_recording_is_chained_and_signed_and_every_change_is_found() {
    let folder = Folder::new();
    // A key pair of nobody, without a password.
    let secret = folder.path("key");
    let pair = minisign::KeyPair::generate_unencrypted_keypair().expect("a key");
    std::fs::write(&secret, pair.sk.to_box(None).expect("a key").into_string()).expect("a file");
    let file = folder.path("logs/") + "a.rec.jsonl";
    std::fs::create_dir(folder.path("logs")).expect("a folder");
    let ran = talk(record(&["-o", &file, "--sign", &secret], &["echo"]), &frames(5, 50));
    assert!(ran.status.success() && ran.err.is_empty(), "{}", ran.err);
    is_sound(&events(&file));

    let key = pair.pk.to_base64();
    let whole = run(&["verify", &file, "--key", &key]);
    assert_eq!((whole.code, whole.out.contains(": whole\n")), (0, true), "{}{}", whole.out, whole.err);
    assert!(whole.out.contains("signature: good (session:"), "{}", whole.out);
    let other = minisign::KeyPair::generate_unencrypted_keypair().expect("a key").pk.to_base64();
    assert_eq!(run(&["verify", &file, "--key", &other]).code, 1);

    let text = std::fs::read_to_string(&file).expect("a recording");
    let changed = folder.path("changed.rec.jsonl");
    std::fs::write(&changed, text.replacen("\"k\":\"msg\"", "\"k\":\"raw\"", 1)).expect("a file");
    let found = run(&["verify", &changed]);
    assert_eq!(found.code, 1);
    assert!(found.out.contains("changed\n") && found.out.contains("not signed"), "{}", found.out);
    assert_eq!(run(&["verify", &changed, "--key", &key]).code, 1, "no signature");
    assert_eq!(run(&["verify", "samples/mcp/bad.jsonl"]).code, 2, "nothing to verify");
}

#[test]
fn what_is_taken_out_of_a_recording_is_shown_to_be_from_it() {
    let folder = Folder::new();
    let secret = folder.path("key");
    let pair = minisign::KeyPair::generate_unencrypted_keypair().expect("a key");
    std::fs::write(&secret, pair.sk.to_box(None).expect("a key").into_string()).expect("a file");
    let (file, key) = (folder.path("a.rec.jsonl"), pair.pk.to_base64());
    let ask = |id: u8| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
    let asked: String = (1..20).map(ask).collect();
    talk(record(&["-o", &file, "--sign", &secret], &["echo"]), asked.as_bytes());

    let bug = folder.path("bug.rec.jsonl");
    let taken = run(&["extract", &file, "#7@1", "--proof", "-o", &bug]);
    assert_eq!(taken.code, 0, "{}", taken.err);
    assert!(taken.err.contains("as they stand, signed"), "{}", taken.err);
    let found = run(&["verify", &bug, "--key", &key]);
    assert_eq!(found.code, 0, "{}{}", found.out, found.err);
    assert!(found.out.contains(": an extract, every line as it was written") && found.out.contains("signature: good"));
    let root = |text: &str| text.lines().find(|line| line.contains("root of all lines")).map(str::to_string);
    assert_eq!(root(&found.out), root(&run(&["verify", &file]).out));

    // Held against the recording itself, and against another one that looks the same.
    let from = run(&["verify", &bug, "--against", &file]);
    assert!(from.code == 0 && from.out.contains("  from ") && from.out.contains("  holds lines 1-2, "), "{}", from.out);
    let twin = folder.path("twin.rec.jsonl");
    talk(record(&["-o", &twin], &["echo"]), asked.as_bytes());
    let other = run(&["verify", &bug, "--against", &twin, "--format", "jsonl"]);
    assert!(other.code == 1 && other.out.contains("\"from\":false"), "{}", other.out);

    // Another line in its place, and another key.
    let text = std::fs::read_to_string(&bug).expect("an extract");
    std::fs::write(&bug, text.replacen("ping", "pong", 1)).expect("a file");
    assert_eq!(run(&["verify", &bug, "--key", &key]).code, 1);
    std::fs::write(&bug, &text).expect("a file");
    let other = minisign::KeyPair::generate_unencrypted_keypair().expect("a key").pk.to_base64();
    assert_eq!(run(&["verify", &bug, "--key", &other]).code, 1);

    // What is no whole recording proves nothing.
    let cut = folder.path("cut.rec.jsonl");
    let whole = std::fs::read_to_string(&file).expect("a recording");
    std::fs::write(&cut, &whole[..whole.trim_end().rfind('\n').expect("lines") + 1]).expect("a file");
    for log in [cut.as_str(), bug.as_str(), "samples/mcp/bad.jsonl"] {
        let refused = run(&["extract", log, "#7", "--proof", "-o", &folder.path("x.rec.jsonl")]);
        assert_eq!(refused.code, 2, "{log}: {}", refused.err);
        assert!(refused.err.contains("nothing can be shown to be from it"), "{log}: {}", refused.err);
        let against = run(&["verify", &bug, "--against", log]);
        assert!(against.code == 2 && against.err.contains("nothing can be shown to be from it"), "{}", against.err);
    }
}
