//! Whole files as they come: compressed, cut, in other encodings, empty, hostile, growing.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::*;
use crate::capture::Direction;
use crate::capture::testing::Kept;
use crate::protocol::Side;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().expect("a directory"))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path.to_string_lossy().into_owned()
    }
}

fn read(path: &str) -> (Kept, Resume) {
    read_by(path, &Overrides::default())
}

fn read_by(path: &str, overrides: &Overrides) -> (Kept, Resume) {
    let mut source = open(path, overrides).expect("a log");
    let mut kept = Kept::default();
    let end = source.read(0, Resume::default(), &mut kept).expect("readable");
    (kept, end)
}

fn fault(path: &str) -> (String, String) {
    match open(path, &Overrides::default()) {
        Ok(source) => panic!("taken for {}: {}", source.format(), source.reason()),
        Err(error) => (error.message.replace(path, "FILE"), error.hint.unwrap_or_default()),
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("compressed");
    encoder.finish().expect("compressed")
}

#[test]
fn compressed_texts_are_unpacked_and_a_missing_end_is_told() {
    let files = Files::new();
    let text = format!("{PING}\n").repeat(9);
    let want = read(&files.write("plain", text.as_bytes())).0;
    let mut twice = gzip(&text[..text.len() / 2]);
    twice.extend(gzip(&text[text.len() / 2..]));
    for (name, bytes) in
        [("a.gz", gzip(&text)), ("b.gz", twice), ("c", zstd::encode_all(text.as_bytes(), 1).expect("compressed"))]
    {
        let path = files.write(name, &bytes);
        assert_eq!(read(&path).0.frames, want.frames, "{name}");
        assert!(!open(&path, &Overrides::default()).expect("a log").can_resume());
    }
    // Hard to compress, so that the missing end takes whole lines with it.
    let long: String = (0..9_000u64)
        .map(|n| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{:x}\"}}\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
        .collect();
    let bytes = gzip(&long);
    let (kept, _) = read(&files.write("cut.gz", &bytes[..bytes.len() / 2]));
    assert!(kept.frames.len() > 1_000, "{}", kept.frames.len());
    assert_eq!(kept.skipped.last().map(|(_, why)| *why), Some(Skip::Torn));
}

#[test]
fn frames_of_zstd_that_are_to_be_passed_over_and_packings_that_hold_no_text() {
    let files = Files::new();
    let packed = zstd::encode_all(format!("{PING}\n").repeat(99).as_bytes(), 1).expect("compressed");
    let passed = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'], &packed[..]].concat();
    assert_eq!(read(&files.write("a.zst", &passed)).0.texts(), [("message", PING); 99]);
    let (message, hint) = fault(&files.write("b.zst", &packed[..packed.len() - 6]));
    assert_eq!(
        (message.as_str(), hint.as_str()),
        ("FILE is torn: it is cut off before its first line ends", "give the whole file")
    );
    let mut again = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    again.write_all(&packed).expect("compressed");
    let (message, _) = fault(&files.write("c.gz", &again.finish().expect("compressed")));
    assert_eq!(message, "FILE is compressed twice, not a log");
}

#[test]
fn marks_and_wide_characters() {
    let files = Files::new();
    let (kept, end) = read(&files.write("bom", format!("\u{feff}{PING}\r\n{PING}\r\n").as_bytes()));
    assert_eq!(kept.texts(), [("message", PING); 2]);
    assert_eq!((kept.frames[0].byte_offset, kept.frames[1].byte_offset), (3, 3 + PING.len() as u64 + 2));
    assert_eq!(end, Resume { byte_offset: 3 + 2 * (PING.len() as u64 + 2), lines: 2 });
    let wide = |text: &str, mark: bool| -> Vec<u8> {
        let mark: &[u16] = if mark { &[0xFEFF] } else { &[] };
        mark.iter().copied().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    for (name, mark) in [("marked", true), ("bare", false)] {
        let (kept, _) = read(&files.write(name, &wide(&format!("{PING}\n{PING}\n"), mark)));
        assert_eq!(kept.texts(), [("message", PING); 2]);
    }
}

#[test]
fn records_that_nuls_end_are_lines_and_a_block_of_zeros_ends_none() {
    let files = Files::new();
    let (kept, end) = read(&files.write("a", format!("{PING}\0{PING}\0{PING}\0").as_bytes()));
    assert_eq!(kept.texts(), [("message", PING); 3]);
    assert_eq!((kept.frames[2].line, kept.frames[2].byte_offset), (3, 2 * (PING.len() as u64 + 1)));
    assert_eq!(end.lines, 3);
    let zeros = "\0".repeat(64);
    let (kept, _) = read(&files.write("b", format!("{PING}\0{PING}{zeros}{PING}\0").as_bytes()));
    let lines: Vec<u64> = kept.frames.iter().map(|frame| frame.line).collect();
    assert_eq!(lines, [1, 2, 2]);
}

#[test]
fn what_is_no_log_is_refused_with_a_hint() {
    let files = Files::new();
    let png = [&[0x89, b'P', b'N', b'G', 13, 10, 26, 10][..], &[0; 300]].concat();
    let cases: [(&[u8], &str); 7] = [
        (b"", "FILE is empty"),
        (b"\n \n\0\0", "FILE is empty"),
        (&png, "FILE is a picture, not a log"),
        (&[0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3], "FILE is a binary file, not a log"),
        (b"hello\nworld\n", "FILE holds no JSON-RPC that rpctape can read"),
        (b"PK\x03\x04....", "FILE is a zip archive, not a log"),
        (b"{\"level\":\"info\"}\n", "FILE holds no JSON-RPC that rpctape can read"),
    ];
    for (bytes, want) in cases {
        let (message, hint) = fault(&files.write("x", bytes));
        assert_eq!(message, want);
        assert!(!hint.is_empty(), "{want}");
    }
    let (message, hint) = fault(&files.0.path().to_string_lossy());
    assert_eq!((message.as_str(), hint.is_empty()), ("FILE is a directory, not a log", false));
    assert!(fault("no/such/file").0.starts_with("cannot read FILE: "));
    let named = Overrides { format: Some("nonsense".into()), ..Overrides::default() };
    let error = open(&files.write("x", PING.as_bytes()), &named).err().expect("no such format");
    assert!(error.message.contains("nonsense") && error.hint.is_some_and(|hint| hint.contains("ndjson")));
}

#[test]
fn a_named_format_and_vantage_overrule() {
    let files = Files::new();
    let overrides = Overrides {
        format: Some("ndjson".into()),
        vantage: Some(crate::capture::Vantage::Server),
        ..Overrides::default()
    };
    let mut source = open(&files.write("x", b"nothing\n"), &overrides).expect("forced");
    assert_eq!((source.format(), source.reason()), ("ndjson", "it was asked for"));
    let mut source2 = open(&files.write("y", PING.as_bytes()), &overrides).expect("forced");
    let mut kept = Kept::default();
    source.read(0, Resume::default(), &mut kept).expect("readable");
    source2.read(0, Resume::default(), &mut kept).expect("readable");
    assert_eq!(kept.channels[0].vantage, crate::capture::Vantage::Server);
}

#[test]
fn the_user_names_what_tells_lines_of_text_apart() {
    let files = Files::new();
    let line = |at: u32, way: &str, name: &str| format!("08:15:0{at} {way} {PING} conn={name}\n");
    let lines = [line(0, "recv", "a"), line(1, "send", "b"), line(2, "recv", "b"), line(3, "send", "a")].concat();
    let path = files.write("a.log", lines.as_bytes());
    let by = |keys: &[&str]| {
        let keys = keys.iter().map(|key| key.to_string()).collect();
        Overrides { format: Some("text-log".into()), connection_key: Some(keys), ..Overrides::default() }
    };
    assert_eq!(read_by(&path, &by(&["conn"])).0.names(), [Some("a"), Some("b")]);
    assert_eq!(read_by(&path, &by(&["conn", "word:2"])).0.names().len(), 4, "both together");
    let mut source = open(&path, &by(&["con"])).expect("a log");
    let error = source.read(0, Resume::default(), &mut Kept::default()).expect_err("nothing is called so");
    assert!(
        error.message.contains(&path) && error.hint.is_some_and(|hint| hint.contains("word:N")),
        "{}",
        error.message
    );
}

#[test]
fn what_no_record_has_tells_no_connections_apart() {
    let files = Files::new();
    let line = |name: &str| format!("{{\"dir\":\"c2s\",\"sess\":\"{name}\",\"msg\":{PING}}}\n");
    let path = files.write("a.jsonl", [line("a"), line("b")].concat().as_bytes());
    let by = |key: &str| Overrides { connection_key: Some(vec![key.into()]), ..Overrides::default() };
    assert_eq!(read_by(&path, &by("sess")).0.names(), [Some("a"), Some("b")]);
    for key in ["ses", "", "word:0", "/params/sess"] {
        let mut source = open(&path, &by(key)).expect("a log");
        let error = source.read(0, Resume::default(), &mut Kept::default()).expect_err("nothing is called so");
        assert!(error.message.contains("--connection-key"), "{key}: {}", error.message);
    }
}

#[test]
fn the_user_names_what_records_say_in_their_texts() {
    let files = Files::new();
    let said = |way: &str, name: &str| serde_json::to_string(&format!("{way} conn={name} {PING}")).expect("JSON");
    let told = [(0, "recv", "a"), (1, "send", "b"), (2, "recv", "b"), (3, "send", "a")]
        .map(|(at, way, name)| (at, said(way, name)));
    let events = told.each_ref().map(|(at, text)| format!(r#"{{"timestamp":178842330000{at},"message":{text}}}"#));
    let docker =
        told.map(|(at, text)| format!(r#"{{"log":{text},"stream":"stderr","time":"2026-09-03T08:15:0{at}Z"}}"#));
    let document = format!(r#"{{"events":[{}]}}"#, events.join(","));
    for text in [events.join("\n") + "\n", document, docker.join("\n") + "\n"] {
        let path = files.write("a.json", text.as_bytes());
        let by = |key: &str| Overrides { connection_key: Some(vec![key.into()]), ..Overrides::default() };
        assert_eq!(read_by(&path, &by("text:conn")).0.names(), [Some("a"), Some("b")], "{text}");
        let mut source = open(&path, &by("text:con")).expect("a log");
        let error = source.read(0, Resume::default(), &mut Kept::default()).expect_err("nothing is called so");
        assert!(error.hint.is_some_and(|hint| hint.contains("text:NAME")), "{}", error.message);
    }
}

#[test]
fn a_huge_line_is_passed_over_and_the_rest_is_read() {
    let files = Files::new();
    let line = format!("{{\"dir\":\"c2s\",\"session\":\"s\",\"msg\":{PING}}}\n");
    let mut huge = line.replace("}}", "").trim_end().to_string();
    huge.push_str(",\"params\":\"");
    huge.push_str(&"x".repeat(20 << 20));
    huge.push_str("\"}}\n");
    for (text, known) in [(format!("{line}{huge}{line}"), true), (format!("{huge}{line}"), false)] {
        let (kept, _) = read(&files.write("huge", text.as_bytes()));
        let messages = kept.frames.iter().filter(|frame| frame.text == PING).count();
        assert_eq!(messages, text.matches("\"ping\"}}\n").count(), "{:?}", kept.skipped);
        // Which connection lost a message is known once the head has shown what the wrappers look like.
        assert_eq!(kept.frames.iter().any(|frame| frame.kind == "gap"), known);
        assert_eq!(kept.skipped.iter().map(|(_, why)| *why).collect::<Vec<_>>(), [Skip::Oversized]);
        assert_eq!(kept.names(), [Some("s")]);
    }
}

/// Reads what is new since `from`; gives the texts of the messages with their lines.
fn grown(path: &str, from: &mut Resume) -> Vec<(u64, u64)> {
    let mut source = open(path, &Overrides::default()).expect("a log");
    assert!(source.can_resume());
    let mut kept = Kept::default();
    *from = source.read(0, *from, &mut kept).expect("readable");
    kept.frames.iter().map(|frame| (frame.line, frame.byte_offset)).collect()
}

#[test]
fn a_grown_file_goes_on_where_it_ended() {
    let files = Files::new();
    let mut from = Resume::default();
    let said = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let line = format!("{said}\n");
    let n = line.len() as u64;
    // Two lines and the beginning of a third, which is not used up.
    let path = files.write("log", format!("{line}{line}{}", &said[..9]).as_bytes());
    assert_eq!(grown(&path, &mut from), [(1, 0), (2, n)]);
    assert_eq!(from, Resume { byte_offset: 2 * n, lines: 2 });
    // The third is complete now but for its newline: it is used up.
    append(&path, &said[9..]);
    assert_eq!(grown(&path, &mut from), [(3, 2 * n)]);
    assert_eq!(grown(&path, &mut from), []);
    // Its newline and a fourth: nothing comes twice, and lines are counted right.
    append(&path, &format!("\n{line}"));
    assert_eq!(grown(&path, &mut from), [(4, 3 * n)]);
    assert_eq!(from, Resume { byte_offset: 4 * n, lines: 4 });
}

fn append(path: &str, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("opened");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn a_file_is_read_twice_alike_and_noise_before_the_first_message_is_no_obstacle() {
    let files = Files::new();
    let path = files.write("log", format!("{}{PING}\n{PING}\n", "starting up\n".repeat(300)).as_bytes());
    let error = fault(&path);
    assert!(error.0.contains("no JSON-RPC"), "two messages in three hundred lines are not a log: {error:?}");
    let path =
        files.write("log", format!("{}{}", "starting up\n".repeat(300), format!("{PING}\n").repeat(100)).as_bytes());
    let mut source = open(&path, &Overrides::default()).expect("a log");
    let (mut once, mut again) = (Kept::default(), Kept::default());
    source.read(0, Resume::default(), &mut once).expect("readable");
    source.read(0, Resume::default(), &mut again).expect("readable");
    assert_eq!((once.frames.len(), &once.frames), (100, &again.frames));
}

#[test]
fn a_message_is_looked_for_beyond_the_head() {
    let files = Files::new();
    let noise = "starting up, nothing to see here\n".repeat(70_000);
    let path = files.write("far", format!("{noise}RECV {PING}\nSEND {PING}\n").as_bytes());
    let source = open(&path, &Overrides::default()).expect("a log");
    assert_eq!(source.format(), "text-log");
    assert!(source.reason().ends_with("no message was found before line 70001"), "{}", source.reason());
    let (kept, _) = read(&path);
    assert_eq!(kept.frames.iter().map(|frame| frame.line).collect::<Vec<_>>(), [70_001, 70_002]);
}

#[test]
fn every_format_has_a_sample_of_its_own_and_is_in_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = include_str!("../../../docs/formats.md");
    for crate::capture::Listed { name, .. } in crate::capture::formats() {
        assert!(page.contains(&format!("`{name}`")), "docs/formats.md does not name {name}");
        // What is no JSON-RPC is read only where it is asked for, and is no sample that can be played.
        let format = (name == "dap").then(|| name.to_string());
        let place = if format.is_some() { format!("tests/{name}") } else { format!("samples/formats/{name}") };
        let folder = std::fs::read_dir(root.join(&place)).unwrap_or_else(|error| panic!("{place}: {error}"));
        let mut read_one = false;
        for file in folder {
            let path = file.expect("a file").path().to_string_lossy().into_owned();
            let by = Overrides { format: format.clone(), ..Overrides::default() };
            let source = open(&path, &by).unwrap_or_else(|error| panic!("{path}: {error}"));
            let outermost = source.format().split(" > ").next();
            assert_eq!(outermost, Some(name), "{path}: {}", source.reason());
            let (kept, _) = read_by(&path, &by);
            let messages = kept.frames.iter().filter(|frame| frame.kind == "message").count();
            assert!(messages >= 2, "{path}: {messages} messages");
            assert!(!kept.frames.iter().any(|frame| frame.kind == "malformed"), "{path}");
            read_one = true;
        }
        assert!(read_one, "{place} is empty");
    }
}

/// Messages, and how many of them the log itself calls the client's.
#[test]
fn samples_hold_what_was_put_into_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/formats");
    let samples = [
        ("text-log/playwright-protocol.log", 5, 2),
        ("text-log/playwright-no-terminal.log", 9, 4),
        ("text-log/playwright-two-in-flight.log", 6, 3),
        ("text-log/puppeteer-protocol.log", 5, 2),
        ("text-log/puppeteer-arrays.log", 9, 4),
        ("text-log/puppeteer-one-line.log", 9, 4),
        ("text-log/client-says.log", 6, 3),
        ("text-log/vscode-mcp-says.log", 7, 5),
        ("text-log/vscode-mcp-says-dated.log", 7, 5),
        ("jsonl-wrapped/devtools-directions.jsonl", 9, 4),
        ("mcp-debugger-sqlite/1.db", 9, 6),
        ("mcp-debugger-sqlite/two-sessions.db", 10, 6),
        ("mcp-debugger-sqlite/late-result.db", 7, 4),
        ("sacp-trace/1.jsons", 21, 10),
        ("sacp-trace/2.jsons", 11, 6),
        ("sacp-trace/3.jsons", 28, 15),
        ("mcp-use-debug/1.log", 10, 6),
        ("mcp-use-debug/2.log", 8, 5),
        ("mcp-use-debug/3.log", 15, 9),
        ("ndjson/devtools-protocol.jsonl", 9, 0),
        ("ndjson/devtools-events.jsonl", 4, 0),
    ];
    for (name, messages, clients) in samples {
        let (kept, _) = read(&root.join(name).to_string_lossy());
        let (server, by_client) = (kept.channels[0].vantage.side() == Some(Side::Server), Direction::By(Side::Client));
        let sent = [by_client, if server { Direction::Received } else { Direction::Sent }];
        let of_client = kept.frames.iter().filter(|frame| sent.contains(&frame.direction)).count();
        assert_eq!((kept.frames.len(), of_client), (messages, clients), "{name}");
        assert!(kept.frames.iter().all(|frame| frame.kind == "message"), "{name}");
    }
}

#[test]
fn a_definition_that_does_not_fit_says_which_part_failed_on_which_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let definition = |more: &str| {
        let text = format!("name = \"mine\"\n[record]\nstart = '^(?<ts>\\S+) (?<dir>IN|OUT) (?<payload>\\{{)'\n{more}");
        write("mine.toml", &text)
    };
    let told = |definition: String, log: &str| {
        let overrides = Overrides { format: Some(definition), ..Overrides::default() };
        open(&write("x.log", log), &overrides).err().map(|error| error.message).unwrap_or_default()
    };
    let message = "10:00 IN {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
    assert_eq!(told(definition(""), message), "");
    let misses = [
        ("", "x\n10:00 INN {\"id\":1}\n".to_string(), "line 2: record.start fits up to column 8, then it wants ` `"),
        ("", message.replace("IN", "In"), "line 1: record.start fits up to column 6, then it wants `(?<dir>IN|OUT)`"),
        ("contains = [\"mine:\"]", message.to_string(), "line 1: record.contains: it has none of \"mine:\""),
        (
            "[payload]\npointer = \"/raw\"",
            message.to_string(),
            "line 1: a record starts there, and payload.pointer leads",
        ),
        ("", "10:00 IN {\"a\":1}\n".to_string(), "line 1: a record starts there, and what it holds is no JSON-RPC"),
        (
            "",
            "10:00 IN {\"a\":}\n10:01 OUT {}\n".to_string(),
            "line 1: a record starts there, and its payload is no message",
        ),
    ];
    for (more, log, want) in misses {
        let said = told(definition(more), &log);
        assert!(said.contains(want), "{said} instead of {want}");
    }
}

#[test]
fn a_file_that_is_not_recognised_is_told_with_the_formats_it_comes_near_to() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("x.log");
    let text = "2026/09/03 10:00:00 jsonrpc2: --> question #1: initialize: {}\n";
    std::fs::write(&path, text).expect("written");
    let error = open(&path.to_string_lossy(), &Overrides::default()).err().expect("no log");
    let hint = error.hint.unwrap_or_default();
    assert!(
        hint.starts_with("it comes near to sourcegraph-jsonrpc2 (line 1: record.start fits up to column 34"),
        "{hint}"
    );
}

#[test]
fn records_that_were_glued_together_are_all_read_or_named() {
    let files = Files::new();
    let ask = |id: u32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let wrapped = |id: u32| format!("{{\"ts\":\"2026-05-04T08:00:0{id}Z\",\"dir\":\"c2s\",\"msg\":{}}}", ask(id));
    let inside = |id: u32| format!("{{\"dir\":\"c2s\",\"msg\":{},\"ts\":\"2026-05-04T08:00:0{id}Z\"}}", ask(id));
    let text = |id: u32| format!("2026-05-04 08:00:0{id} RECV {}", ask(id));
    let go = |id: u32| format!("read: {}", ask(id));
    let lua = |id: u32| {
        format!(
            "[DEBUG][2026-05-04 08:00:0{id}] .../vim/lsp/rpc.lua:286\t\"rpc.send\"\t\
             {{ id = {id}, jsonrpc = \"2.0\", method = \"shutdown\" }}"
        )
    };
    let docker =
        |id: u32| format!("{{\"log\":{:?},\"stream\":\"stderr\",\"time\":\"2026-05-04T08:00:0{id}Z\"}}", go(id) + "\n");
    let kinds: [&dyn Fn(u32) -> String; 6] = [&wrapped, &inside, &text, &go, &lua, &docker];
    for (at, of) in kinds.into_iter().enumerate() {
        let log = format!("{}\n{}\n{}{}\n{}\n", of(1), of(2), of(3), of(4), of(5));
        let kept = read(&files.write(&format!("{at}.log"), log.as_bytes())).0;
        let lines: Vec<u64> = kept.frames.iter().filter(|f| f.kind == "message").map(|f| f.line).collect();
        assert_eq!((lines, kept.missing.len()), (vec![1, 2, 3, 3, 4], 0), "{log}");
    }
    let log = format!("{}\n{} and then {{'jsonrpc': '2.0', 'id': 9}}\n{}\n", go(1), go(2), go(3));
    let kept = read(&files.write("named.log", log.as_bytes())).0;
    assert_eq!(kept.missing.iter().map(|missing| missing.0).collect::<Vec<_>>(), [2], "{log}");
}

#[test]
fn a_message_that_ends_too_early_is_a_gap_where_the_log_may_have_cut_it() {
    let files = Files::new();
    let log = format!("read: {PING}\nread: {}\nread: {PING}\n", &PING[..PING.len() - 8]);
    let kept = read(&files.write("go.log", log.as_bytes())).0;
    assert_eq!(kept.frames.iter().map(|f| f.kind).collect::<Vec<_>>(), ["message", "gap", "message"]);
}

#[test]
fn what_a_program_prints_before_its_logger_is_no_obstacle() {
    let files = Files::new();
    let record = |id: u32| {
        let text = format!("received: {}", PING.replace("\"id\":1", &format!("\"id\":{id}")));
        format!("{{\"level\":\"debug\",\"time\":\"2026-05-04T08:00:0{id}Z\",\"message\":{text:?}}}\n")
    };
    let log = format!("> demo@1.0.0 start\nlistening\n{}{}warming up\n{}", record(1), record(2), record(3));
    let kept = read(&files.write("pino.log", log.as_bytes())).0;
    assert_eq!(kept.frames.iter().map(|f| f.line).collect::<Vec<_>>(), [3, 4, 6]);
}

#[test]
fn a_recording_counts_its_events_so_that_two_of_one_time_are_two() {
    let files = Files::new();
    let event = |number: u32, side: &str, text: &str| {
        let body = serde_json::Value::from(text);
        format!("{{\"q\":{number},\"t\":7,\"k\":\"msg\",\"c\":1,\"d\":\"{side}\",\"b\":{body},\"n\":{}}}\n", text.len())
    };
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let head = r#"{"rec":1,"tool":"rpctape 0.1.0","session":"s","part":1,"t0":"2026-11-22T10:00:00Z","clock":"monotonic","transport":"stdio"}"#;
    let text = format!(
        "{head}\n{{\"q\":1,\"t\":0,\"k\":\"open\",\"c\":1,\"by\":\"c\"}}\n{}{}{}",
        event(2, "c", PING),
        event(3, "s", answer),
        event(4, "s", answer)
    );
    let kept = read(&files.write("a.rec.jsonl", text.as_bytes())).0;
    assert_eq!(kept.texts().iter().filter(|(_, text)| *text == answer).count(), 2);
}
