//! One wrapper around bare messages, several around each other, and what is wrapped comes back.

use proptest::prelude::*;
use serde_json::json;

use super::Inside;
use super::container::Docker;
use super::nested::Nested;
use crate::capture::detect::{by_name, candidates};
use crate::capture::format::LineReader;
use crate::capture::lines::Lines;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::testing::{Kept, read_as, told};
use crate::capture::{Direction, Overrides, Resume, Skip};
use crate::protocol::Side;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const T: &str = "2026-11-21T06:44:16.663227873Z";
const AT: i64 = 1_795_243_456_663_227;

/// Reads a text as what it is told to be, which must be `chain`.
fn read(chain: &str, text: &str) -> Kept {
    let told = told(text.as_bytes());
    let name = told.as_ref().map_or("", |(name, _)| *name);
    let format = by_name(name).unwrap_or_else(|_| panic!("{chain}: {told:?}"));
    assert_eq!(format.chain(&Sample::new(text.as_bytes(), true, false)), chain, "{told:?}");
    read_as(name, text.as_bytes())
}

fn texts(kept: &Kept) -> Vec<&str> {
    kept.frames.iter().map(|frame| frame.text.as_str()).collect()
}

fn docker(log: &str, stream: &str) -> String {
    format!("{}\n", json!({"log": log, "stream": stream, "time": T}))
}

#[test]
fn docker_pieces_are_joined_for_each_stream() {
    let (head, tail) = PONG.split_at(10);
    let log = docker(&format!("{PING}\n"), "stdout")
        + &docker(head, "stdout")
        + &docker("noise\n", "stderr")
        + &docker(&format!("{tail}\n"), "stdout");
    let kept = read("docker > ndjson", &log);
    assert_eq!(texts(&kept), [PING, PONG]);
    let got: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.at_us)).collect();
    assert_eq!(got, [(1, Some(AT)), (2, Some(AT))]);
    assert_eq!((&kept.skipped[..], kept.channels[0].resolution_us), (&[(3, Skip::NotAMessage)][..], 1));
}

#[test]
fn a_line_over_the_limit_is_a_gap() {
    let piece = docker(&"x".repeat(1 << 20), "stdout");
    let log = docker(&format!("{PING}\n"), "stdout")
        + &piece.repeat(17)
        + &docker("end\n", "stdout")
        + &docker(&format!("{PONG}\n"), "stdout");
    // The sample is small, so that nothing looks at all of it.
    let sample = Sample::peeled(PING.as_bytes(), &Sample::new(b"", true, false));
    let inside = Inside(|sample| candidates(sample).collect(), |_| Vec::new());
    let mut reader = Nested::new(Box::<Docker>::default(), sample, inside);
    let (mut kept, overrides) = (Kept::default(), Overrides::default());
    let mut out = Out::new(&mut kept, 0, &overrides);
    let mut lines = Lines::new(log.as_bytes(), Resume::default(), false).expect("lines");
    while let Some(line) = lines.next().expect("a line") {
        reader.line(&line, &mut out).expect("read");
    }
    let got: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.kind)).collect();
    assert_eq!((got, kept.skipped), (vec![(1, "message"), (2, "gap"), (20, "message")], vec![(2, Skip::Oversized)]));
}

#[test]
fn kubernetes_parts_are_joined() {
    let (head, tail) = PONG.split_at(10);
    let log = format!("{T} stdout F {PING}\n{T} stdout P {head}\n{T} stderr F x\n{T} stdout F {tail}\n");
    let kept = read("kubernetes-cri > ndjson", &log);
    assert_eq!(texts(&kept), [PING, PONG]);
    assert_eq!(&log[kept.frames[0].byte_offset as usize..][..PING.len()], PING);
}

#[test]
fn journald_units_are_logs_of_their_own() {
    let record = |pid: &str, message: serde_json::Value| {
        format!(
            "{}\n",
            json!({"__REALTIME_TIMESTAMP": "1795243456663227", "_SYSTEMD_UNIT": "a.service", "_PID": pid, "MESSAGE": message})
        )
    };
    let log = record("1", PING.into())
        + &record("2", PING.into())
        + &record("1", PONG.as_bytes().into())
        + &record("1", json!(null));
    let kept = read("journald > ndjson", &log);
    assert_eq!((texts(&kept), kept.names()), (vec![PING, PING, PONG], vec![Some("a.service/1"), Some("a.service/2")]));
    assert_eq!((kept.frames[2].channel, kept.frames[2].at_us), (0, Some(AT)));
    assert_eq!(kept.skipped, [(4, Skip::NotAMessage)]);
}

#[test]
fn exports_are_put_in_the_order_of_their_times() {
    let event = |at: i64, message: &str| json!({"logStreamName": "s", "timestamp": at, "message": message, "ingestionTime": 1, "eventId": "3"});
    let log = serde_json::to_string_pretty(
        &json!({"events": [event(1_795_243_456_664, PONG), event(1_795_243_456_663, PING)]}),
    )
    .expect("JSON");
    let kept = read("json-log > ndjson", &log);
    assert_eq!((texts(&kept), kept.names()), (vec![PING, PONG], vec![Some("s")]));
    assert_eq!(
        (kept.frames[0].at_us, kept.frames[0].line, kept.channels[0].resolution_us),
        (Some(1_795_243_456_663_000), 10, 1_000)
    );

    let event = |at: &str, message: &str| {
        format!(
            "{}\n",
            json!({"id": "A", "type": "log", "attributes": {"service": "d", "timestamp": at, "message": message}})
        )
    };
    let log = event("2026-11-21T06:44:17.000Z", PONG) + &event("2026-11-21T06:44:16.000Z", PING);
    let list = format!("{{\"data\":[{}]}}", log.trim_end().replace('\n', ",\n"));
    let kept = read("json-log > ndjson", &list);
    assert_eq!((texts(&kept), kept.frames[0].line), (vec![PING, PONG], 2));
}

#[test]
fn prefixes_of_lines() {
    let kept = read(
        "syslog > ndjson",
        &format!("Nov 21 06:44:16 host mcp-demo[42]: {PING}\nNov  1 06:44:16 host other[1]: {PING}\n"),
    );
    assert_eq!((texts(&kept), kept.names()), (vec![PING, PING], vec![Some("mcp-demo[42]"), Some("other[1]")]));
    assert_eq!(kept.frames[0].at_us, Some(28_017_856_000_000));
    let log = format!(
        "<30>1 2026-11-21T06:44:16.663227Z host app 42 - - {PING}\n<30>1 2026-11-21T06:44:17Z host app 42 - [a b=\"c\"] {PONG}\n"
    );
    let kept = read("syslog > ndjson", &log);
    assert_eq!((texts(&kept), kept.frames[0].at_us), (vec![PING, PONG], Some(AT)));
    let kept = read(
        "vscode-log > ndjson",
        &format!("2026-11-21 06:44:16.663 [info] {PING}\n2026-11-21 06:44:16.664 [info] hello\nmore\n"),
    );
    assert_eq!((texts(&kept), kept.frames[0].at_us), (vec![PING], Some(1_795_243_456_663_000)));
}

#[test]
fn colours_and_markdown() {
    let kept = read("ansi > ndjson", &format!("\u{1b}[2m{PING}\u{1b}[0m\n\u{1b}]8;;http://x\u{7}\u{1b}[1;32m{PONG}\n"));
    assert_eq!(texts(&kept), [PING, PONG]);
    let kept = read("markdown > ndjson", &format!("The log:\n\n> ```json\n> {PING}\n>\n> {PONG}\n> ```\n"));
    assert_eq!(texts(&kept), [PING, PONG]);
}

#[test]
fn wrappers_nest_up_to_four_deep() {
    let neovim = "[DEBUG][2026-03-01 09:00:01] x\t\"rpc.send\"\t{ id = 1, method = \"a\" }";
    let inner = format!("2026-11-21 06:44:16.663 [info] \u{1b}[1m{neovim}\u{1b}[0m");
    let kept = read("docker > vscode-log > ansi > neovim-lsp-log", &docker(&format!("{inner}\n"), "stderr"));
    assert_eq!((kept.frames.len(), kept.frames[0].direction), (1, Direction::By(Side::Client)));
    let deeper = (0..5).fold(format!("{PING}\n"), |inner, _| docker(&inner, "a"));
    let chain = by_name("docker").expect("a format").chain(&Sample::new(deeper.as_bytes(), true, false));
    assert_eq!(chain.matches("docker").count(), 4, "{chain}");
}

#[test]
fn what_holds_no_messages_is_not_taken_for_a_wrapper() {
    assert_eq!(told(docker("hello\n", "stdout").as_bytes()), None);
    assert_eq!(told(b"> quoted\n```\ncode\n```\n"), None);
    assert_eq!(told(b"Nov 21 06:44:16 host sshd[1]: hello\n"), None);
}

proptest! {
    #[test]
    fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,30}", 1..10), cut in 1usize..40) {
        let messages: Vec<String> = texts.iter().enumerate()
            .map(|(id, text)| json!({"jsonrpc": "2.0", "id": id, "method": text}).to_string()).collect();
        let got = |kept: &Kept| kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>();
        let mut pieces = String::new();
        let mut parts = String::new();
        for message in &messages {
            let at = (0..=cut.min(message.len())).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
            pieces += &(docker(&message[..at], "stdout") + &docker(&format!("{}\n", &message[at..]), "stdout"));
            parts += &format!("{T} stdout P {}\n{T} stdout F {}\n", &message[..at], &message[at..]);
        }
        prop_assert_eq!(got(&read_as("docker", pieces.as_bytes())), messages.clone());
        prop_assert_eq!(got(&read_as("kubernetes-cri", parts.as_bytes())), messages.clone());
        let colours: String = messages.iter().map(|message| format!("\u{1b}[32m{message}\u{1b}[0m\n")).collect();
        prop_assert_eq!(got(&read_as("ansi", colours.as_bytes())), messages.clone());
        let lines: String = messages.iter().map(|message| format!("Nov 21 06:44:16 host a[1]: {message}\n")).collect();
        prop_assert_eq!(got(&read_as("syslog", lines.as_bytes())), messages.clone());
        let lua: Vec<String> = messages.iter().map(|message| message.replace('\\', "\\\\").replace('\'', "\\'")).collect();
        let stderr: String = lua.iter().map(|lua| format!("[ERROR][2026-03-01 09:00:02] x\t\"rpc\"\t\"/bin/a\"\t\"stderr\"\t'{lua}\\n'\n")).collect();
        prop_assert_eq!(got(&read_as("neovim-stderr", stderr.as_bytes())), messages);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), signs in "[\\[\\]{}\",:a-z0-9 \\\\\u{1b};>`<T.-]{0,60}") {
        for name in ["docker", "kubernetes-cri", "journald", "json-log", "csv", "syslog", "vscode-log", "ansi", "markdown", "neovim-stderr"] {
            told(signs.as_bytes());
            read_as(name, &bytes);
            read_as(name, signs.as_bytes());
            read_as(name, format!("{{\"log\":\"{signs}\n{{\"MESSAGE\":[{signs}\n{T} stdout P {signs}\n{{\"events\":[{{\"timestamp\":1,\"message\":\"{signs}").as_bytes());
        }
    }
}

#[test]
fn pairs_and_tags_are_taken_off() {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let log = format!(
        "time={T} level=debug conn=3 dir=in data={}\ntime={T} level=debug conn=3 dir=out data={}\n\ntime={T} level=info msg=x\n",
        quoted(PING),
        quoted(PONG)
    );
    let kept = read("logfmt > jsonl-wrapped", &log);
    assert_eq!((texts(&kept), kept.names()), (vec![PING, PONG], vec![Some("3")]));
    assert_eq!((kept.frames[0].at_us, kept.frames[1].line), (Some(AT), 2));
    let log = format!(
        "time={T} level=debug msg={}\ntime={T} level=debug msg={}\n",
        quoted(&format!("<< {PING}")),
        quoted(&format!(">> {PONG}"))
    );
    assert_eq!(texts(&read("logfmt > json-log > text-log", &log)), [PING, PONG]);
    let record = |log: String| format!("{T}\tkube.a\t{}\n", json!({"log": log, "stream": "stderr"}));
    let kept = read("fluentd > json-log > text-log", &(record(format!("<< {PING}")) + &record(format!(">> {PONG}"))));
    assert_eq!((texts(&kept), kept.frames[0].at_us), (vec![PING, PONG], Some(AT)));
}

#[test]
fn two_records_on_one_line_are_read_one_by_one() {
    let ask = |id: u32| format!(r#"INCOMING: {{"jsonrpc":"2.0","id":{id},"method":"add"}}"#);
    let quoted = |text: String| serde_json::Value::from(text).to_string();
    let logfmt = |id: u32| format!("time=2026-03-01T09:00:0{id}Z level=info msg={}", quoted(ask(id)));
    let fluentd = |id: u32| format!("2026-03-01 09:00:0{id} +0000\tkube.a\t{{\"log\":{}}}", quoted(ask(id)));
    for (name, record) in [("logfmt", &logfmt as &dyn Fn(u32) -> String), ("fluentd", &fluentd)] {
        let mut lines: Vec<String> = (1..7).map(record).collect();
        let second = lines.remove(3);
        lines[2] += &second;
        let kept = read(&format!("{name} > json-log > text-log"), &(lines.join("\n") + "\n"));
        let lines: Vec<_> = kept.frames.iter().map(|frame| frame.line).collect();
        assert_eq!((lines, kept.missing.len()), (vec![1, 2, 3, 3, 4, 5], 0), "{name}");
    }
}
