//! Tapes written and read back.

use std::sync::mpsc::channel as words;

use serde_json::Value;

use super::*;

fn options(folder: &tempfile::TempDir) -> TapeOptions {
    TapeOptions::new(folder.path().join("a.rec.jsonl"))
}

fn events(folder: &tempfile::TempDir, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.path().join(name)).expect("a recording");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn message(bytes: &[u8]) -> TapeEvent {
    TapeEvent::Message { from: Side::Client, bytes: bytes.to_vec(), head: None }
}

#[test]
fn events_become_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let described = TapeOptions {
        cmd: ["node", "x.js", "--api-key", "k1", "--token=t1", "-p", "5"].map(str::to_string).to_vec(),
        cwd: Some("~/p".to_string()),
        env_names: vec!["API_KEY".to_string()],
        frame: "nl".to_string(),
        replay_of: Some("old".to_string()),
        ..options(&folder)
    };
    let clock = Clock::start();
    let tape = Tape::start(described, clock).expect("a tape");
    tape.event(1, 1, None, TapeEvent::Open { by: Some(Side::Client) });
    tape.event(5, 1, None, message(br#"{"id":1,"params":{"token":"abc"}}"#));
    tape.event(3, 1, None, message(b"not JSON, password=hunter2"));
    tape.event(6, 1, Some(2), TapeEvent::Http { from: Side::Server, head: r#"{"status":200}"#.to_string() });
    tape.event(7, 1, None, message(b"{\"latin1\":\"\xe9\",\"secret\":\"\xe9\xe9\"}"));
    tape.event(8, 1, None, TapeEvent::Close { by: None, how: "stopped".to_string() });
    let summary = tape.clone().finish(9);
    tape.event(10, 1, None, message(b"{}"));
    assert_eq!((summary.messages, summary.lost, summary.trouble), (2, 0, None));
    assert_eq!(summary.replaced.values().sum::<u64>(), 5);

    let events = events(&folder, "a.rec.jsonl");
    let cmd = ["node", "x.js", "--api-key", "<<secret:api-key#1>>", "--token=<<secret:token#1>>", "-p", "5"];
    assert_eq!(events[0]["cmd"], serde_json::json!(cmd));
    assert_eq!(
        (&events[0]["replay_of"], &events[0]["cwd"], &events[0]["frame"]),
        (&"old".into(), &"~/p".into(), &"nl".into())
    );
    let kinds: Vec<&str> = events[1..].iter().map(|event| event["k"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["open", "msg", "raw", "http", "msg", "close", "end"]);
    assert_eq!(events[2]["b"], r#"{"id":1,"params":{"token":"<<secret:token#2>>"}}"#);
    assert_eq!((&events[2]["n"], &events[2]["red"]), (&33.into(), &serde_json::json!([["/params/token", "token#2"]])));
    assert_eq!(events[3]["t"], 5, "time does not run backwards");
    assert_eq!((&events[4]["s"], &events[4]["h"]["status"]), (&2.into(), &200.into()));
    assert!(events[5]["b64"].is_string() && events[5]["red"][0][0] == "/secret", "{}", events[5]);
    assert_eq!((&events[6]["by"], &events[7]["msgs"]), (&"p".into(), &2.into()));
}

#[test]
fn chunks_become_messages_and_what_was_lost_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Clock::start();
    // Nothing that is larger fits: it is lost whatever the writer does.
    let tape = Tape::start(TapeOptions { queue_bytes: 4096, ..options(&folder) }, clock).expect("a tape");
    let chunk = |bytes: &[u8]| TapeEvent::Chunk { from: Pipe::From(Side::Server), bytes: bytes.to_vec() };
    tape.event(1, 1, None, chunk(b"{\"id\":1}\n{\"id\""));
    tape.event(2, 1, None, chunk(&[&b":2}\n"[..], &b"{}\n".repeat(2000), b"{\"half\":"].concat()));
    // Losing goes on until there is room; a close always passes, and says the loss before it.
    tape.event(3, 2, None, TapeEvent::Open { by: None });
    tape.event(4, 1, None, chunk(b"true}\n{\"id\":3}\n"));
    assert_eq!(tape.finish(5).lost, 2002);
    let events = events(&folder, "a.rec.jsonl");
    let bodies: Vec<&str> = events.iter().filter_map(|event| event["b"].as_str()).collect();
    assert_eq!(bodies, [r#"{"id":1}"#, r#"{"id":3}"#]);
    let gap = events.iter().find(|event| event["k"] == "gap").expect("a gap");
    assert_eq!((&gap["d"], &gap["lost"], &gap["why"]), (&"s".into(), &2002.into(), &"queue-full".into()));
}

#[test]
fn of_bytes_that_are_no_message_it_is_said_whether_their_end_had_come() {
    let cut = |frame: &str, bytes: &[u8]| {
        let folder = tempfile::tempdir().expect("a folder");
        let framed = TapeOptions { frame: frame.to_string(), ..options(&folder) };
        let tape = Tape::start(framed, Clock::start()).expect("a tape");
        tape.event(1, 1, None, TapeEvent::Chunk { from: Pipe::From(Side::Server), bytes: bytes.to_vec() });
        tape.event(2, 1, None, TapeEvent::Close { by: Some(Side::Server), how: "eof".to_string() });
        tape.finish(3);
        let told = events(&folder, "a.rec.jsonl").into_iter().filter(|event| event["b"].is_string());
        told.map(|event| event["cut"].as_bool()).collect::<Vec<_>>()
    };
    assert_eq!(cut("nl", b"{\"half\":\n{\"half\":"), [Some(false), Some(true)]);
    assert_eq!(cut("nl", b"hello\n{}"), [Some(false), None], "a message may lack its newline");
    assert_eq!(cut("cl", b"noise\nContent-Length: 9\r\n\r\n{}"), [Some(false), Some(true)]);
}

#[test]
fn a_recording_without_a_beginning_is_none() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let error = Tape::start(TapeOptions::new("/dev/full"), Clock::start()).expect_err("a full disk");
    assert!(error.message.contains("cannot write /dev/full"), "{error}");
}

/// What is said of a recording to which somebody does something while it is written.
fn said_of(meddle: fn(&std::path::Path)) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, said) = words();
    let say: Say = Box::new(move |text| drop(sender.send(text.to_string())));
    let tape = Tape::start(TapeOptions { say: Some(say), ..options(&folder) }, Clock::start()).expect("a tape");
    tape.event(1, 1, None, message(b"{}"));
    meddle(&folder.path().join("a.rec.jsonl"));
    tape.event(2, 1, None, message(b"{}"));
    let trouble = tape.finish(3).trouble;
    assert_eq!(trouble, said.try_iter().last());
    trouble
}

#[test]
fn a_recording_that_somebody_else_harms_is_told_of() {
    assert_eq!(said_of(|_| ()), None);
    let told = |meddle: fn(&std::path::Path)| said_of(meddle).expect("a warning");
    assert!(told(|path| std::fs::remove_file(path).expect("it is there")).contains("was removed or replaced"));
    let empty = |path: &std::path::Path| drop(std::fs::File::create(path).expect("it is there"));
    assert!(told(empty).contains("its beginning is lost"));
}

#[test]
fn what_is_beyond_the_limit_is_counted_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, said) = words();
    let say: Say = Box::new(move |text| drop(sender.send(text.to_string())));
    let limits = TapeOptions { max_total: Some(20_000), max_size: Some(4_000), say: Some(say), ..options(&folder) };
    let tape = Tape::start(limits, Clock::start()).expect("a tape");
    let one = format!("{{\"params\":\"{}\"}}", "x".repeat(900));
    tape.event(0, 1, None, TapeEvent::Open { by: None });
    (0..100).for_each(|at| tape.event(at, 1, None, message(one.as_bytes())));
    tape.event(100, 1, None, TapeEvent::Exit { code: Some(0), signal: None });
    let summary = tape.finish(101);
    assert_eq!(summary.messages + summary.lost, 100);
    assert!(summary.messages > 10 && summary.lost > 50, "{summary:?}");
    assert!(said.iter().any(|text| text.contains("--max-total")));
    let sizes = summary.parts.iter().map(|part| std::fs::metadata(part).expect("a part").len());
    assert!(sizes.sum::<u64>() <= 20_000);
    let last = summary.parts.last().and_then(|part| part.file_name()).expect("a part").to_string_lossy().into_owned();
    let events = events(&folder, &last);
    let of = |kind: &str| events.iter().find(|event| event["k"] == kind).unwrap_or_else(|| panic!("{kind}"));
    assert_eq!((&of("gap")["lost"], &of("gap")["why"]), (&summary.lost.into(), &"max-total".into()));
    assert_eq!((&of("end")["lost"], &of("end")["msgs"]), (&summary.lost.into(), &summary.messages.into()));
    assert!(of("exit")["code"] == 0 && of("end").get("unsaid").is_none());
}

/// Each connection has heads, events of a stream, lines that are no messages, and an end.
#[test]
fn many_connections_keep_the_limit_and_the_count() {
    let written = |connections: u32| {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = TapeOptions { max_total: Some(8_000), queue_bytes: 1 << 30, ..options(&folder) };
        let tape = Tape::start(limits, Clock::start()).expect("a tape");
        for at in 1..=connections {
            let put = |stream, event| tape.event(i64::from(at), at, stream, event);
            put(None, TapeEvent::Open { by: Some(Side::Client) });
            put(Some(at), TapeEvent::Http { from: Side::Client, head: "{}".to_string() });
            put(Some(at), message(br#"{"id":1,"method":"ping"}"#));
            put(Some(at), TapeEvent::Sse { from: Side::Server, event: "{}".to_string() });
            put(Some(at), TapeEvent::Message { from: Side::Server, bytes: b"no JSON".to_vec(), head: None });
            put(Some(at), TapeEvent::StreamEnd { by: None, how: "eof".to_string(), answered: true });
            put(None, TapeEvent::Close { by: None, how: "eof".to_string() });
        }
        let summary = tape.finish(i64::from(connections));
        assert_eq!(summary.messages + summary.lost, u64::from(connections));
        let events = events(&folder, "a.rec.jsonl");
        let end = events.last().expect("the end");
        assert_eq!((&end["msgs"], &end["lost"]), (&summary.messages.into(), &summary.lost.into()));
        let note = events.iter().find_map(|event| event["text"].as_str()).expect("a note").to_string();
        assert!(note.contains(" connections and "), "{note}");
        let opened: Vec<&Value> = events.iter().filter(|event| event["k"] == "open").map(|event| &event["c"]).collect();
        let known = |event: &Value| event["c"].is_null() || opened.contains(&&event["c"]);
        assert!(events.iter().all(known), "a connection that has no beginning is none");
        assert!(events[1..].is_sorted_by_key(|event| event["t"].as_i64()), "time does not run backwards");
        let size = std::fs::metadata(folder.path().join("a.rec.jsonl")).expect("the file").len();
        assert!(size <= 8_000, "{size}");
        size
    };
    let (few, many) = (written(100), written(2_000));
    assert!(many <= few + 64, "only numbers grow: {few} {many}");
}

#[test]
fn below_the_smallest_limit_there_are_a_beginning_and_an_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let tape = Tape::start(TapeOptions { max_total: Some(1), ..options(&folder) }, Clock::start()).expect("a tape");
    tape.event(1, 1, None, TapeEvent::Open { by: Some(Side::Client) });
    (2..500).for_each(|at| tape.event(at, 1, None, message(b"{}")));
    tape.event(500, 1, None, message(b"text"));
    tape.event(501, 1, None, TapeEvent::Exit { code: Some(3), signal: None });
    let summary = tape.finish(502);
    assert_eq!((summary.messages, summary.lost), (0, 498));
    let events = events(&folder, "a.rec.jsonl");
    let kinds: Vec<&str> = events[1..].iter().filter_map(|event| event["k"].as_str()).collect();
    assert_eq!(kinds, ["open", "gap", "exit", "note", "end"]);
}

#[test]
fn a_part_takes_the_next_free_name() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.2.rec.jsonl"), "evidence").expect("a file");
    let tape = Tape::start(TapeOptions { max_size: Some(2_000), ..options(&folder) }, Clock::start()).expect("a tape");
    let one = format!("{{\"params\":\"{}\"}}", "x".repeat(900));
    (0..6).for_each(|at| tape.event(at, 1, None, message(one.as_bytes())));
    let summary = tape.finish(9);
    let names: Vec<_> = summary.parts.iter().filter_map(|part| part.file_name()?.to_str()).collect();
    assert_eq!((summary.trouble, &names[..3]), (None, &["a.rec.jsonl", "a.3.rec.jsonl", "a.4.rec.jsonl"][..]));
    assert_eq!(events(&folder, "a.rec.jsonl").last().expect("a line")["next"], "a.3.rec.jsonl");
    assert_eq!(events(&folder, "a.3.rec.jsonl")[0]["part"], 2);
    assert_eq!(std::fs::read(folder.path().join("a.2.rec.jsonl")).expect("it is there"), b"evidence");
}

#[test]
fn a_recording_is_not_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.rec.jsonl"), "x").expect("a file");
    let error = Tape::start(options(&folder), Clock::start()).expect_err("a file that is there");
    assert!(error.message.contains("exists already") && error.hint.is_some(), "{error}");
}

#[test]
fn the_end_is_waited_for_as_long_as_the_disk_takes_something() {
    let instant = Duration::from_millis(1);
    let (writer, done) = channel();
    let rest = std::cell::Cell::new(3);
    let takes = || {
        rest.set(rest.get() - 1);
        if rest.get() == 0 {
            writer.send(TapeSummary::default()).expect("somebody waits");
        }
        rest.get()
    };
    assert_eq!(written(&done, instant, takes).trouble, None);
    let stands = written(&done, instant, || 7).trouble.expect("nothing was taken");
    assert!(stands.contains("took nothing"), "{stands}");
}
