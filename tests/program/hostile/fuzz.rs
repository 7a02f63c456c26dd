//! What nobody would log, through every reader and what stands behind it: nothing panics, nothing hangs, the same bytes give the
//! same judgement. `PROPTEST_CASES` says how long (`docs/testing.md`).

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proptest::prelude::*;
use rpctape::capture::verify;
use rpctape::jsonrpc::{NoLift, parse};
use rpctape::pipeline::{Options, Quiet, ingest};
use rpctape::redact::Redactor;
use rpctape::store::{FindingFilter, Raw, Store};
use rpctape::wire::{SseReader, read_header};

use crate::common::top;

/// As many as the environment asks for, or few.
fn cases(few: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = if asked.cases == 256 { few } else { asked.cases };
    ProptestConfig { cases, failure_persistence: None, ..asked }
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        match path.is_dir() {
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}

/// One log of every format that is read.
fn corpus() -> &'static Vec<(String, Vec<u8>)> {
    static CORPUS: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let mut files = Vec::new();
        files_below(&top().join("samples"), &mut files);
        files.sort();
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).ok().filter(|bytes| (1..200_000).contains(&bytes.len()))?;
            Some((path.file_name()?.to_string_lossy().into_owned(), bytes))
        };
        files.into_iter().filter_map(read).collect()
    })
}

/// One harm to a log.
#[derive(Clone, Debug)]
enum Harm {
    Flip(usize, u8),
    Cut(usize),
    Drop(usize, usize),
    Twice(usize, usize),
    Put(usize, String),
}

fn harm() -> impl Strategy<Value = Harm> {
    let put = prop_oneof![
        Just("\u{0}".to_string()),
        Just("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}".to_string()),
        Just("[[[[{\"".to_string()),
        Just("Content-Length: 99999999999\r\n\r\n".to_string()),
        Just("data: \n\n".to_string()),
        "[\\[\\]{}\":,0-9eE+.\\\\u-]{0,20}",
        "\\PC{0,12}",
    ];
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Harm::Flip(at, byte)),
        any::<usize>().prop_map(Harm::Cut),
        (any::<usize>(), 1usize..400).prop_map(|(at, many)| Harm::Drop(at, many)),
        (any::<usize>(), 1usize..400).prop_map(|(at, many)| Harm::Twice(at, many)),
        (any::<usize>(), put).prop_map(|(at, text)| Harm::Put(at, text)),
    ]
}

fn harmed(mut bytes: Vec<u8>, harms: &[Harm]) -> Vec<u8> {
    for harm in harms {
        let place = |at: usize, bytes: &[u8]| at % (bytes.len() + 1);
        match harm {
            Harm::Flip(at, byte) => {
                let at = place(*at, &bytes);
                if let Some(old) = bytes.get_mut(at) {
                    *old = *byte;
                }
            }
            Harm::Cut(at) => bytes.truncate(place(*at, &bytes)),
            Harm::Drop(at, many) => {
                let at = place(*at, &bytes);
                bytes.drain(at..(at + many).min(bytes.len()));
            }
            Harm::Twice(at, many) => {
                let at = place(*at, &bytes);
                let part = bytes[at..(at + many).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            Harm::Put(at, text) => {
                let at = place(*at, &bytes);
                bytes.splice(at..at, text.bytes());
            }
        }
    }
    bytes
}

/// What is found in a log; an error is an answer, too.
fn judged(name: &str, bytes: &[u8], format: Option<String>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("writes");
    let mut options = Options::default();
    options.overrides.format = format;
    let mut store = Store::temporary().expect("a database");
    let input = path.display().to_string();
    match ingest(&mut store, std::slice::from_ref(&input), &options, &mut Quiet) {
        Err(error) => error.to_string().replace(&input, name),
        Ok(_) => {
            let findings = store.all_findings(&FindingFilter::default(), Raw::None).expect("findings");
            let told =
                findings.iter().map(|row| format!("{} {} {} {}\n", row.code, row.line, row.certainty, row.summary));
            told.collect::<String>().replace(&input, name)
        }
    }
}

/// A message out of few methods, ids and shapes, so that they meet.
fn message() -> impl Strategy<Value = String> {
    let method = prop::sample::select(vec![
        "initialize",
        "notifications/initialized",
        "tools/call",
        "notifications/cancelled",
        "notifications/progress",
        "ping",
        "tasks/get",
        "tasks/cancel",
        "tasks/result",
        "sampling/createMessage",
        "resources/subscribe",
        "session/prompt",
        "session/cancel",
        "session/update",
        "$/cancelRequest",
        "$/progress",
        "shutdown",
        "exit",
        "textDocument/hover",
        "window/workDoneProgress/create",
        "window/workDoneProgress/cancel",
        "subscriptions/listen",
    ]);
    let id = prop::sample::select(vec![
        "1",
        "2",
        "\"1\"",
        "null",
        "1.0",
        "-0",
        "1e400",
        "\"\"",
        "[1]",
        "18446744073709551616",
    ]);
    let params = prop::sample::select(vec![
        "{}",
        "null",
        "[]",
        "{\"requestId\":1}",
        "{\"id\":2}",
        "{\"progressToken\":1,\"progress\":3}",
        "{\"token\":\"t\",\"value\":{\"kind\":\"end\"}}",
        "{\"_meta\":{\"progressToken\":1}}",
        "{\"sessionId\":\"s\"}",
        "{\"taskId\":\"k\"}",
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}",
        "{\"task\":{\"taskId\":\"k\",\"status\":\"working\"}}",
        "{\"stopReason\":\"cancelled\"}",
        "{\"token\":\"t\"}",
    ]);
    (0u8..5, method, id, params, any::<bool>()).prop_map(|(shape, method, id, params, client)| {
        let side = if client { "c2s" } else { "s2c" };
        let message = match shape {
            0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}"),
            1 => format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}"),
            2 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{params}}}"),
            3 => format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32800,\"message\":\"x\",\"data\":{params}}}}}"
            ),
            _ => format!(
                "[{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}},{{\"id\":{id},\"result\":{params}}}]"
            ),
        };
        format!("{{\"dir\":\"{side}\",\"msg\":{message}}}")
    })
}

proptest! {
    #![proptest_config(cases(24))]

    /// Detection, peels, every reader, the parser, the fold, the rules, the store.
    #[test]
    fn harmed_logs_are_read_the_same_way_twice(which in any::<prop::sample::Index>(), harms in prop::collection::vec(harm(), 1..6)) {
        let (name, bytes) = which.get(corpus());
        let bytes = harmed(bytes.clone(), &harms);
        prop_assert_eq!(judged(name, &bytes, None), judged(name, &bytes, None));
    }

    /// The same for logs whose format somebody names wrongly.
    #[test]
    fn any_reader_takes_any_log(which in any::<prop::sample::Index>(), as_what in any::<prop::sample::Index>(), harms in prop::collection::vec(harm(), 0..3)) {
        let formats: Vec<String> = rpctape::capture::formats().map(|format| format.name.to_string()).collect();
        let (name, bytes) = which.get(corpus());
        judged(name, &harmed(bytes.clone(), &harms), Some(as_what.get(&formats).clone()));
    }

    /// The fold over messages in any order.
    #[test]
    fn any_sequence_of_messages_is_judged(lines in prop::collection::vec(message(), 1..60)) {
        let log = lines.join("\n") + "\n";
        prop_assert_eq!(judged("a.jsonl", log.as_bytes(), None), judged("a.jsonl", log.as_bytes(), None));
    }

    /// Definitions of a user's own.
    #[test]
    fn a_definition_may_be_anything(which in any::<prop::sample::Index>(), harms in prop::collection::vec(harm(), 1..6)) {
        let mut files = Vec::new();
        files_below(&top().join("src/capture/definitions"), &mut files);
        files.sort();
        prop_assume!(!files.is_empty());
        let text = std::fs::read(which.get(&files)).expect("a definition");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("d.toml");
        std::fs::write(&path, harmed(text, &harms)).expect("writes");
        judged("a.log", b"[10:00:00] --> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n", Some(path.display().to_string()));
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn whatever_is_no_message_is_said(bytes in prop::collection::vec(any::<u8>(), 0..200), json in "[\\[\\]{}\":,0-9eE+.\\\\u \n-]{0,120}") {
        for text in [String::from_utf8_lossy(&bytes).as_ref(), json.as_str()] {
            let _ = parse::<NoLift>(text);
        }
        let _ = read_header(&bytes, 1 << 16);
        let _ = verify(&bytes[..]);
    }

    /// A stream gives the same events however it is cut.
    #[test]
    fn a_stream_may_be_cut_anywhere(text in "(data|event|id|retry|:)?(:| )?[a-z0-9 \r\n:]{0,80}", cut in any::<usize>()) {
        let bytes = text.as_bytes();
        let at = cut % (bytes.len() + 1);
        let read = |parts: &[&[u8]]| {
            let mut reader = SseReader::default();
            let mut events: Vec<_> = parts.iter().flat_map(|part| reader.push(part)).collect();
            events.extend(reader.finish());
            format!("{events:?}")
        };
        prop_assert_eq!(read(&[bytes]), read(&[&bytes[..at], &bytes[at..]]));
    }

    /// JSON stays JSON, ids stay, a second look changes nothing, and what a name gives away is gone.
    #[test]
    fn redaction_touches_nothing_but_secrets(words in prop::collection::vec("\\PC{0,30}|(token|key|password|Authorization|bearer|secret)[=: ]{1,2}[^ ]{0,20}", 0..6), id in "[a-z0-9-]{1,30}", secret in "[A-Za-z0-9]{12,40}") {
        let secret = format!("q7{secret}");
        let message = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"words": words, "env": {"DB_PASSWORD": secret}}});
        let mut redactor = Redactor::default();
        let clean = redactor.text(&message.to_string()).into_owned();
        let read: serde_json::Value = serde_json::from_str(&clean).expect("JSON stays JSON");
        prop_assert_eq!(&read["id"], &message["id"]);
        prop_assert!(!read["params"]["env"].to_string().contains(&secret));
        prop_assert_eq!(redactor.text(&clean).into_owned(), clean);
    }
}

/// Whatever is asked, a database that is asked is not written, and no other file is made or read.
#[test]
fn a_query_only_reads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, db, other) = ("a.jsonl", folder.path().join("a.db"), folder.path().join("other.db"));
    let log = super::file(
        folder.path(),
        log,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
    );
    let place = db.display().to_string();
    assert_eq!(super::run(&["ingest", &log, "--db", &place]).code, 0);
    let before = std::fs::read(&db).expect("a database");
    let other = other.display();
    for sql in [
        "delete from messages".to_string(),
        "insert into meta values ('a','b')".into(),
        "update frame set line = 7".into(),
        "drop table frame".into(),
        "create table t (a)".into(),
        "create temp table t (a)".into(),
        "pragma query_only = 0".into(),
        "pragma writable_schema = 1".into(),
        "pragma user_version = 9".into(),
        "vacuum".into(),
        format!("vacuum into '{other}'"),
        format!("attach '{other}' as o"),
        "select load_extension('x')".into(),
        "select writefile('x', 'y')".into(),
        "select readfile('/etc/passwd')".into(),
        "select 1; delete from frame".into(),
        "begin; delete from frame; commit".into(),
        "with x as (select 1) delete from frame".into(),
        "reindex".into(),
        "analyze".into(),
        "pragma journal_mode = wal".into(),
        "explain delete from frame".into(),
        "select * from pragma_table_info('frame')".into(),
        "detach main".into(),
        "create view v as select 1".into(),
        "replace into meta values ('a','b')".into(),
        "alter table frame rename to f".into(),
    ] {
        super::run(&["query", &place, &sql]);
        assert_eq!(std::fs::read(&db).expect("a database"), before, "{sql}");
        assert!(std::fs::read_dir(folder.path()).expect("a folder").count() <= 2, "{sql} made a file");
    }
}
