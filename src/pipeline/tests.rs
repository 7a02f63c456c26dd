//! Whole runs over small logs: one wrapped message a line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::store::{Cell, ExchangeFilter, FindingFilter, Raw, RequestName, Store, is_ours};

fn line(t: u32, dir: &str, msg: &str) -> String {
    let (minute, second, milli) = (t / 60_000, t / 1_000 % 60, t % 1_000);
    format!("{{\"ts\":\"2026-01-05T00:{minute:02}:{second:02}.{milli:03}Z\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n")
}

fn handshake() -> String {
    let ask = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}"#;
    [
        line(0, "c2s", ask),
        line(5, "s2c", answer),
        line(9, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    ]
    .concat()
}

/// A call that is cancelled and answered a minute later: CAN010.
fn late(t: u32, id: &str) -> String {
    [
        line(t, "c2s", &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"slow","_meta":{{"progressToken":{id}}}}}}}"#)),
        line(t + 10, "s2c", &format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{id},"progress":1}}}}"#)),
        line(t + 100, "c2s", &format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"x"}}}}"#)),
        line(t + 60_000, "s2c", &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#)),
    ]
    .concat()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).display().to_string()
    }
}

fn into(store: &mut Store, inputs: &[String]) -> Summary {
    ingest(store, inputs, &Options::default(), &mut Quiet).unwrap()
}

fn at(path: &Path, inputs: &[String]) -> Summary {
    into(&mut Store::write(path).unwrap(), inputs)
}

fn codes(store: &Store) -> Vec<(String, u64)> {
    let all = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    all.into_iter().map(|finding| (finding.code, finding.line)).collect()
}

#[test]
fn a_log_becomes_a_database_that_answers() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    let mut store = Store::temporary().unwrap();
    let summary = into(&mut store, std::slice::from_ref(&log));
    assert_eq!((summary.tally.messages, summary.tally.requests, summary.tally.cancels), (7, 2, 1));
    assert_eq!((summary.tally.connections, summary.tally.exchanges), (1, 2));
    assert_eq!(summary.inputs, [Input { name: log.clone(), taken: Taken::New }]);

    let connection = store.connections().unwrap().remove(0);
    assert_eq!((connection.key.clone(), connection.revision.as_str()), (format!("{log}/1"), "2025-11-25"));
    assert_eq!((connection.client_name.as_deref(), connection.complete_head), (Some("c 1"), true));

    let found = store.all_findings(&FindingFilter::default(), Raw::All).unwrap();
    let late = found.iter().find(|finding| finding.code == "CAN010").unwrap();
    assert_eq!((late.line, late.request_line, late.rule.as_str()), (7, Some(4), "response-after-cancel"));
    assert_eq!(late.clause.as_ref().unwrap().level, "SHOULD");
    let request = &late.evidence.iter().find(|item| item.role == "request").unwrap().message;
    assert!(request.raw.as_deref().unwrap().starts_with(r#"{"jsonrpc":"2.0","id":1,"#));
    assert_eq!(
        (request.sender.as_deref(), request.kind.as_str(), request.rpc_id.as_deref()),
        (Some("client"), "request", Some("1"))
    );

    let name = RequestName { id: crate::jsonrpc::Id::Int(1), issuer: None, connection: None };
    let exchange = store.exchanges_named(&name).unwrap().remove(0);
    assert_eq!(
        (exchange.outcome.as_str(), exchange.latency_us, exchange.name.as_deref()),
        ("result", Some(60_000_000), Some("slow"))
    );
    let parts: Vec<u64> =
        store.messages_of_exchange(exchange.id, Raw::None).unwrap().iter().map(|row| row.line).collect();
    assert_eq!(parts, [4, 5, 6, 7]);
    let cancel = store.cancellations(None, Some(exchange.id)).unwrap().remove(0);
    assert_eq!(
        (cancel.effect.as_deref(), cancel.delay_us, cancel.settle_us),
        (Some("result"), Some(100_000), Some(59_900_000))
    );
    assert_eq!(store.number("SELECT count(*) FROM late_responses"), 1);
    assert_eq!(store.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let mut odd = 0;
    store
        .exchanges(ExchangeFilter { odd_only: true, connection: None }, |_| {
            odd += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(odd, 0);
}

#[test]
fn a_file_is_unchanged_while_it_has_its_name_and_its_bytes() {
    let folder = Folder::new();
    let (before, after) = (handshake() + &late(4000, "1"), handshake() + &late(4000, "2"));
    assert_eq!(before.len(), after.len());
    let (log, copy) = (folder.write("a.jsonl", &before), folder.write("copy.jsonl", &before));
    let db = folder.path("a.db");
    at(&db, std::slice::from_ref(&log));
    let options = Options::default();
    let is = |name: &str| unchanged(&Store::read(&db).unwrap(), name, &options).unwrap();
    assert!(is(&log) && !is(&copy) && !is("no/such/file"));
    folder.write("a.jsonl", &after);
    assert!(!is(&log));
    assert!(!unchanged(&Store::temporary().unwrap(), &log, &options).unwrap());
}

#[test]
fn the_same_log_twice_adds_nothing() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    let copy = folder.write("copy.jsonl", &(handshake() + &late(4000, "1")));
    let db = folder.path("a.db");
    at(&db, std::slice::from_ref(&log));
    assert!(is_ours(&db) && !is_ours(Path::new(&log)));
    let before = std::fs::read(&db).map(|bytes| bytes.len()).unwrap();
    let store = Store::read(&db).unwrap();
    let (frames, derived) = (store.dump("frame"), store.dump_derived());
    drop(store);
    let summary = at(&db, &[log, copy]);
    assert!(summary.inputs.iter().all(|input| input.taken == Taken::AlreadyThere));
    let store = Store::read(&db).unwrap();
    assert_eq!((frames, derived), (store.dump("frame"), store.dump_derived()));
    assert_eq!(before, std::fs::read(&db).map(|bytes| bytes.len()).unwrap());
}

#[test]
fn a_grown_log_goes_on_where_it_ended() {
    let folder = Folder::new();
    let (db, whole_db) = (folder.path("a.db"), folder.path("whole.db"));
    let (first, all) = (handshake() + &late(4000, "1"), handshake() + &late(4000, "1") + &late(70_000, "2"));
    let log = folder.write("a.jsonl", &first);
    at(&db, std::slice::from_ref(&log));
    folder.write("a.jsonl", &all);
    let summary = at(&db, std::slice::from_ref(&log));
    assert_eq!(summary.inputs[0].taken, Taken::Grown);
    assert_eq!((summary.tally.connections, summary.tally.messages, summary.sources.len()), (1, 11, 1));
    at(&whole_db, std::slice::from_ref(&log));
    let (grown, whole) = (Store::read(&db).unwrap(), Store::read(&whole_db).unwrap());
    assert_eq!(grown.dump("frame"), whole.dump("frame"));
    assert_eq!(grown.dump_derived(), whole.dump_derived());
    assert_eq!(grown.dump("source"), whole.dump("source"));
}

#[test]
fn the_frames_of_a_connection_are_found_among_those_of_others() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let part = |from: u32| -> String {
        let calls = (from..from + 400).map(|n| late(n * 7, &n.to_string()));
        calls.enumerate().map(|(n, call)| named(["a", "b", "c"][n % 3], &call)).collect()
    };
    let named_all = ["a", "b", "c"].map(|name| named(name, &handshake())).concat();
    at(&db, &[folder.write("a.jsonl", &(named_all + &part(1)))]);
    at(&db, &[folder.write("b.jsonl", &part(401)), folder.write("c.jsonl", &part(801))]);
    let store = Store::read(&db).unwrap();
    assert_eq!((store.blocks_not_named(), store.number("SELECT count(*) FROM frame_block") > 12), (0, true));
    let among = |connection: i64, from: i64, to: i64| {
        let mut ids = Vec::new();
        let take = |row: crate::store::MessageRow| {
            ids.push(row.id);
            Ok(())
        };
        store.messages_of_connection(connection, from, to, Raw::None, take).unwrap();
        ids
    };
    for connection in 1..=3 {
        for (from, to) in [(0, i64::MAX), (1_000, 1_100), (1_024, 2_047), (2_048, 2_048), (4_000, 3_000)] {
            let all = format!("FROM frame WHERE connection = {connection} AND id BETWEEN {from} AND {to}");
            let found = among(connection, from, to);
            assert!(found.is_sorted(), "{connection} {from} {to}");
            assert_eq!(found.len() as i64, store.number(&format!("SELECT count(*) {all}")), "{connection} {from} {to}");
            let sum = store.number(&format!("SELECT coalesce(sum(id), 0) {all}"));
            assert_eq!(found.iter().sum::<i64>(), sum, "{connection} {from} {to}");
        }
    }
}

#[test]
fn a_database_of_the_version_before_is_brought_up() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    at(&db, std::slice::from_ref(&log));
    let mut store = Store::write(&db).unwrap();
    let (frames, derived) = (store.dump("frame"), store.dump_derived());
    store.run("DROP TABLE frame_block; CREATE INDEX frame_connection ON frame (connection); PRAGMA user_version = 8");
    drop(store);
    store = Store::read(&db).unwrap();
    assert_eq!((store.blocks_not_named(), store.number("SELECT count(*) FROM frame_block")), (0, 1));
    assert_eq!((store.dump("frame"), store.dump_derived()), (frames, derived));
    assert_eq!(store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'frame_connection'"), 0);
}

#[test]
fn another_log_of_the_same_name_is_a_new_source() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    at(&db, std::slice::from_ref(&log));
    let later = (handshake() + &late(4000, "7")).replace("2026-", "2027-");
    folder.write("a.jsonl", &later);
    let summary = at(&db, std::slice::from_ref(&log));
    assert_eq!((summary.sources.len(), summary.tally.connections), (2, 2));
    let store = Store::read(&db).unwrap();
    let keys: Vec<String> = store.connections().unwrap().into_iter().map(|row| row.key).collect();
    assert_eq!(keys, [format!("{log}/1"), format!("{log}/2")]);
}

#[test]
fn a_log_that_was_cut_or_rewritten_is_not_counted_twice() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    at(&db, std::slice::from_ref(&log));
    let frames = Store::read(&db).unwrap().dump("frame");
    for text in [handshake(), handshake() + &late(4000, "7")] {
        folder.write("a.jsonl", &text);
        let mut store = Store::write(&db).unwrap();
        let refused = ingest(&mut store, std::slice::from_ref(&log), &Options::default(), &mut Quiet).unwrap_err();
        assert!(refused.message.contains("would count twice"), "{}", refused.message);
        assert_eq!(Store::read(&db).unwrap().dump("frame"), frames);
    }
}

#[test]
fn a_new_audit_finds_the_same() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1") + &line(90_000, "c2s", r#"{"jsonrpc":"2.0"}"#)));
    let db = folder.path("a.db");
    let first = at(&db, std::slice::from_ref(&log));
    let mut store = Store::write(&db).unwrap();
    let before = store.dump_derived();
    let second = audit(&mut store, &Options::default(), &mut Quiet).unwrap();
    assert_eq!(before, store.dump_derived());
    assert_eq!((first.tally, first.findings, first.undecided), (second.tally, second.findings, second.undecided));
    assert!(codes(&store).contains(&("CAN010".into(), 7)));
    let options = Options {
        selection: crate::rules::Selection { select: vec!["RPC".into()], ignore: vec![] },
        ..Options::default()
    };
    audit(&mut store, &options, &mut Quiet).unwrap();
    assert!(codes(&store).iter().all(|(code, _)| code.starts_with("RPC")));
}

#[test]
fn a_failed_ingest_leaves_the_old_database() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    let missing = folder.path("missing").display().to_string();
    let failed =
        ingest(&mut Store::write(&db).unwrap(), &[log.clone(), missing.clone()], &Options::default(), &mut Quiet);
    assert_eq!(failed.unwrap_err().kind, ErrorKind::Io);
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1, "only the log is there");
    at(&db, std::slice::from_ref(&log));
    let before = Store::read(&db).unwrap().dump("source");
    let other = folder.write("b.jsonl", &(handshake() + &late(4000, "5")));
    assert!(ingest(&mut Store::write(&db).unwrap(), &[other, missing], &Options::default(), &mut Quiet).is_err());
    assert_eq!(before, Store::read(&db).unwrap().dump("source"));
}

#[test]
fn an_interrupt_stops_it() {
    let folder = Folder::new();
    let calls: String =
        (0..2_000).map(|n| line(n, "c2s", &format!(r#"{{"jsonrpc":"2.0","id":{n},"method":"ping"}}"#))).collect();
    let log = folder.write("a.jsonl", &(calls));
    let options = Options { interrupt: Some(Arc::new(AtomicBool::new(true))), ..Options::default() };
    let stopped = ingest(&mut Store::write(&folder.path("a.db")).unwrap(), &[log], &options, &mut Quiet);
    assert_eq!(stopped.unwrap_err().kind, ErrorKind::Interrupted);
    assert!(!folder.path("a.db").exists());
}

#[test]
#[cfg(unix)]
fn databases_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &handshake());
    at(&folder.path("a.db"), &[log]);
    assert_eq!(std::fs::metadata(folder.path("a.db")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn files_that_are_not_ours_are_refused() {
    let folder = Folder::new();
    let log = folder.write("a.jsonl", &handshake());
    let Err(error) = Store::read(Path::new(&log)) else { panic!("a log is no database") };
    assert!(error.hint.unwrap().contains("is it a log?"));
    let db = folder.path("a.db");
    at(&db, std::slice::from_ref(&log));
    Store::write(&db).unwrap().run("PRAGMA user_version = 77");
    for opened in [Store::read(&db), Store::write(&db)] {
        let Err(error) = opened else { panic!("a newer database is refused") };
        assert!(error.message.contains("newer"));
    }
}

#[test]
fn only_reading_sql_is_run() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    at(&db, &[folder.write("a.jsonl", &handshake())]);
    let store = Store::read(&db).unwrap();
    let mut seen = Vec::new();
    let ask = "SELECT kind, count(*) AS n FROM messages GROUP BY kind ORDER BY kind";
    let head = |columns: &Vec<String>| {
        assert_eq!(*columns, ["kind", "n"]);
        Ok(())
    };
    store
        .query(ask, head, |cells| {
            seen.push(format!("{cells:?}"));
            Ok(true)
        })
        .unwrap();
    assert_eq!(seen.len(), 3);
    for wrong in [
        "DELETE FROM frame",
        "SELECT 1; SELECT 2",
        "DROP VIEW findings",
        "SELEC 1",
        "ATTACH 'x.db' AS x",
        "PRAGMA query_only = 0",
    ] {
        let error = store.query(wrong, |_| Ok(()), |_| Ok(true)).unwrap_err();
        assert!(error.hint.is_some(), "{wrong}");
    }
    let mut first = None;
    store
        .query(
            "SELECT NULL, 1.5, 'a', x'00'",
            |_| Ok(()),
            |cells| {
                first = Some(format!("{cells:?}"));
                Ok(false)
            },
        )
        .unwrap();
    assert_eq!(first.unwrap(), format!("{:?}", [Cell::Null, Cell::Real(1.5), Cell::Text("a"), Cell::Blob(&[0])]));
}

/// The same with a name for the channel.
fn named(name: &str, text: &str) -> String {
    text.replace("\"dir\"", &format!("\"session\":\"{name}\",\"dir\""))
}

fn keys(store: &Store) -> Vec<(String, u64)> {
    store.connections().unwrap().into_iter().map(|row| (row.key, row.messages)).collect()
}

#[test]
fn a_client_that_starts_anew_is_a_new_connection() {
    let folder = Folder::new();
    let mut store = Store::temporary().unwrap();
    // The same records with the same times would be one handshake, shipped twice.
    let again = handshake().replace("T00:00", "T00:30");
    let twice = handshake() + &late(4_000, "1") + &again;
    let log = folder.write("a.jsonl", &(twice.clone() + &named("n", &twice)));
    into(&mut store, std::slice::from_ref(&log));
    let expected = [(format!("{log}/1"), 7), (format!("{log}/2"), 3), ("n".into(), 7), ("n/2".into(), 3)];
    assert_eq!(keys(&store), expected);
    assert_eq!(store.number("SELECT max(seq) FROM messages WHERE connection_id = 2"), 3);
}

/// The head of a log is searched for several clients; these come later.
#[test]
fn two_clients_that_begin_late_in_one_stream_accuse_nobody() {
    let folder = Folder::new();
    let mut store = Store::temporary().unwrap();
    let call = |t: u32, id: u32, text: &str| {
        let ask = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{text}"}}}}"#);
        [
            line(t, "c2s", &ask),
            line(t + 20, "s2c", &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#)),
        ]
    };
    let long = "x".repeat(400_000);
    let alone: String = (1..5).flat_map(|id| call(id * 1_000, id, &long)).collect();
    let client = |from: u32| {
        let greeting: Vec<String> = handshake().lines().map(|line| format!("{line}\n")).collect();
        let calls = (1..5).flat_map(move |id| call(50 + id * 30, id, "a"));
        let shift = format!("T01:00:{from:02}");
        greeting.into_iter().chain(calls).map(move |line| line.replace("T00:00:00", &shift)).collect::<Vec<_>>()
    };
    let two: String = client(1).into_iter().zip(client(1)).flat_map(|(a, b)| [a, b.replace("Z\"", "1Z\"")]).collect();
    let log = folder.write("a.jsonl", &(handshake() + &alone + &two));
    into(&mut store, &[log]);
    let proven = "SELECT count(*) FROM findings WHERE certainty = 'violation' AND severity <> 'note'";
    assert_eq!(store.number(proven), 0, "{:?}", codes(&store));
}

#[test]
fn a_second_handshake_under_a_new_id_is_the_same_connection() {
    let folder = Folder::new();
    let mut store = Store::temporary().unwrap();
    let log = folder.write("a.jsonl", &(handshake() + &handshake().replace("\"id\":0", "\"id\":9")));
    into(&mut store, &[log]);
    assert_eq!(keys(&store).len(), 1);
}

#[test]
fn a_channel_with_a_name_goes_on_in_the_next_source() {
    let folder = Folder::new();
    let (first, second) = (named("n", &handshake()), named("n", &late(4_000, "1")));
    let inputs = [folder.write("a.jsonl", &first), folder.write("b.jsonl", &second)];
    let (db, parts) = (folder.path("a.db"), folder.path("parts.db"));
    at(&db, &inputs);
    at(&parts, &inputs[..1]);
    let touched = at(&parts, &inputs[1..]);
    assert_eq!((touched.sources.len(), touched.tally.connections), (2, 1));
    let (db, parts) = (Store::read(&db).unwrap(), Store::read(&parts).unwrap());
    assert_eq!(keys(&db), [("n".to_string(), 7)]);
    assert_eq!(db.dump("frame"), parts.dump("frame"));
    assert_eq!(db.dump_derived(), parts.dump_derived());
    let late = db.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let late = late.iter().find(|finding| finding.code == "CAN010").unwrap();
    assert_eq!((late.source.clone(), late.request_line), (inputs[1].clone(), Some(1)));
}

#[test]
fn an_append_leaves_other_connections_alone() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    at(&db, &[folder.write("a.jsonl", &(named("a", &handshake()) + &named("b", &(handshake() + &late(4_000, "1")))))]);
    let before = Store::read(&db).unwrap();
    let of_b = "SELECT group_concat(id || summary) FROM findings WHERE connection_id = 2";
    let text = |store: &Store| {
        let mut text = String::new();
        store
            .query(
                of_b,
                |_| Ok(()),
                |cells| {
                    text = format!("{cells:?}");
                    Ok(true)
                },
            )
            .unwrap();
        text
    };
    let (first, all) = (text(&before), before.dump_derived());
    drop(before);
    at(&db, &[folder.write("b.jsonl", &named("a", &late(9_000, "5")))]);
    let after = Store::read(&db).unwrap();
    assert_eq!(first, text(&after));
    assert_ne!(all, after.dump_derived());
    let once = after.dump_derived();
    drop(after);
    let mut store = Store::write(&db).unwrap();
    audit(&mut store, &Options::default(), &mut Quiet).unwrap();
    assert_eq!(once, store.dump_derived());
}

#[test]
fn the_documented_queries_run() {
    let folder = Folder::new();
    let mut store = Store::temporary().unwrap();
    into(&mut store, &[folder.write("a.jsonl", &(handshake() + &late(4_000, "17")))]);
    let page = include_str!("../../docs/database.md");
    let examples: Vec<&str> = page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() > 5);
    for example in examples {
        store.query(example, |_| Ok(()), |_| Ok(true)).unwrap_or_else(|error| panic!("{example}: {error}"));
    }
    for report in crate::store::REPORTS {
        store.query(report.sql, |_| Ok(()), |_| Ok(true)).unwrap_or_else(|error| panic!("{}: {error}", report.name));
    }
    for view in [
        "connections",
        "frames",
        "exchanges",
        "cancellations",
        "findings",
        "stuck_requests",
        "late_responses",
        "cancel_latency",
    ] {
        let head = |columns: &Vec<String>| {
            let missing: Vec<_> = columns.iter().filter(|column| !page.contains(column.as_str())).collect();
            assert!(missing.is_empty(), "{view}: {missing:?} is not in docs/database.md");
            Ok(())
        };
        store.query(&format!("SELECT * FROM {view}"), head, |_| Ok(true)).unwrap();
    }
}

/// One step of a made-up conversation.
fn step() -> impl Strategy<Value = (u8, u8, bool)> {
    (0u8..6, 0u8..6, any::<bool>())
}

fn conversation(steps: &[(u8, u8, bool)]) -> String {
    let mut text = handshake();
    for (at, (what, id, back)) in steps.iter().enumerate() {
        let (here, there) = if *back { ("s2c", "c2s") } else { ("c2s", "s2c") };
        let t = at as u32 * 700 + 1_000;
        text += &match what {
            0 | 1 => line(
                t,
                here,
                &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"n{id}"}}}}"#),
            ),
            2 => line(t, there, &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)),
            3 => line(
                t,
                here,
                &format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#),
            ),
            4 => line(
                t,
                there,
                &format!(r#"{{"jsonrpc":"2.0","id":"{id}","error":{{"code":-32800,"message":"cancelled"}}}}"#),
            ),
            _ => line(t, here, &format!(r#"[{{"jsonrpc":"2.0","id":{id},"method":"ping"}},7]"#)),
        };
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the traffic: judged in the pass, judged from the store, judged in two parts, all is the same; and the
    /// captured text comes back as it was.
    #[test]
    fn judging_again_gives_the_same_rows(steps in prop::collection::vec(step(), 0..40), cut in 0usize..40) {
        let folder = Folder::new();
        let (db, parts) = (folder.path("a.db"), folder.path("parts.db"));
        let (head, all) = (conversation(&steps[..cut.min(steps.len())]), conversation(&steps));
        let log = folder.write("a.jsonl", &head);
        at(&parts, std::slice::from_ref(&log));
        folder.write("a.jsonl", &all);
        at(&parts, std::slice::from_ref(&log));
        at(&db, std::slice::from_ref(&log));
        let mut store = Store::write(&db).unwrap();
        let once = store.dump_derived();
        let in_parts = Store::read(&parts).unwrap();
        prop_assert_eq!(&once, &in_parts.dump_derived());
        prop_assert_eq!((in_parts.blocks_not_named(), store.blocks_not_named()), (0, 0));
        drop(in_parts);
        audit(&mut store, &Options::default(), &mut Quiet).unwrap();
        prop_assert_eq!(&once, &store.dump_derived());
        prop_assert_eq!(store.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        let mut wrong = 0;
        store.query("SELECT byte_offset, raw, bytes FROM frames WHERE raw IS NOT NULL", |_| Ok(()), |cells| {
            if let [Cell::Integer(offset), Cell::Text(raw), Cell::Integer(bytes)] = cells {
                let from = *offset as usize;
                wrong += (all.as_bytes().get(from..from + raw.len()) != Some(raw.as_bytes()) || raw.len() as i64 != *bytes) as u32;
            }
            Ok(true)
        }).unwrap();
        prop_assert_eq!(wrong, 0);
    }
}

/// A connection of one key in three files, each beginning where the one before it ends: the request is in the second, its answer in the third.
fn parts_of_one_connection() -> [String; 3] {
    let line = |at: usize, dir: &str, text: &str| {
        format!("{{\"ts\":\"2026-05-04T08:00:{at:02}.000Z\",\"conn\":\"k\",\"dir\":\"{dir}\",\"msg\":{text}}}\n")
    };
    let opening = [
        line(
            0,
            "c2s",
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
        ),
        line(1, "s2c", r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#),
        line(2, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    ];
    let asked = line(3, "c2s", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    [opening.concat(), asked, line(4, "s2c", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)]
}

#[test]
fn rotated_parts_are_read_oldest_first_in_whatever_order_they_are_named() {
    let folder = Folder::new();
    let [first, second, third] = parts_of_one_connection();
    let named = [folder.write("a.log", &third), folder.write("a.log.1", &second), folder.write("a.log.2", &first)];
    let paths = crate::capture::expand(&named, &crate::capture::Overrides::default()).unwrap().paths;
    let mut store = Store::temporary().unwrap();
    let summary = into(&mut store, &paths);
    assert_eq!((summary.tally.connections, codes(&store)), (1, Vec::new()));
}

#[test]
fn a_file_that_goes_back_in_time_behind_another_one_proves_nothing_of_their_order() {
    let folder = Folder::new();
    let [first, second, third] = parts_of_one_connection();
    let again = format!("{second}{third}");
    let mut store = Store::temporary().unwrap();
    into(&mut store, &[folder.write("x", &(first + &second + &third)), folder.write("y", &again)]);
    let all = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let proven: Vec<_> = all.iter().filter(|it| it.code.starts_with("RPC") && it.certainty == "violation").collect();
    assert!(all.iter().any(|finding| finding.code == "RPC011") && proven.is_empty(), "{all:?}");
}

/// The logger of the second part writes `params: null` where a message has none; that of the first part does not.
#[test]
fn a_part_that_shows_less_than_the_first_is_not_held_to_what_the_first_can_prove() {
    let folder = Folder::new();
    let [first, ..] = parts_of_one_connection();
    let line = |at: usize, dir: &str, rest: &str| {
        format!(
            "{{\"ts\":\"2026-05-04T08:00:{at:02}.000Z\",\"conn\":\"k\",\"dir\":\"{dir}\",\"msg\":{{\"jsonrpc\":\"2.0\",{rest}}}}}\n"
        )
    };
    let pair = |id: usize| {
        let asked = line(3 + id, "c2s", &format!(r#""id":{id},"method":"tools/list","params":null"#));
        asked + &line(3 + id, "s2c", &format!(r#""id":{id},"result":{{"tools":[]}}"#))
    };
    let second: String = (1..8).map(pair).collect();
    let told = line(20, "s2c", r#""method":"notifications/tools/list_changed","params":null"#).repeat(3);
    let mut store = Store::temporary().unwrap();
    into(&mut store, &[folder.write("a.log.1", &first), folder.write("a.log", &(second + &told))]);
    assert!(codes(&store).iter().all(|(code, _)| code.starts_with("CAP")), "{:?}", codes(&store));
}
