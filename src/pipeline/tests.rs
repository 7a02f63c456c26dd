//! Whole runs over small logs: one wrapped message a line.

mod connections;
mod payloads;
mod questions;

use std::num::NonZero;
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
fn a_log_of_one_message_has_a_time_if_that_has_one() {
    let folder = Folder::new();
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"sum"}"#;
    let without = |dir: &str, msg: &str| format!("{{\"dir\":\"{dir}\",\"msg\":{msg}}}\n");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;
    let once = line(0, "c2s", ask) + &line(0, "s2c", answer);
    for (name, log, timeless) in [
        ("timed", line(0, "c2s", ask), false),
        ("timeless", without("c2s", ask), true),
        ("two", without("c2s", ask) + &without("s2c", answer), true),
        ("at_once", once, true),
    ] {
        let log = folder.write(&format!("{name}.jsonl"), &log);
        let mut store = Store::temporary().unwrap();
        assert!(store.is_temporary() && !Store::write(&folder.path("a.db")).unwrap().is_temporary());
        into(&mut store, &[log]);
        assert_eq!(codes(&store).iter().any(|(code, _)| code == "CAP008"), timeless, "{name}");
    }
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
    let cancel = store.cancellations_of_exchange(exchange.id).unwrap().remove(0);
    assert_eq!(
        (cancel.effect.as_deref(), cancel.delay_us, cancel.settle_us),
        (Some("result"), Some(100_000), Some(59_900_000))
    );
    assert_eq!(store.number("SELECT count(*) FROM late_responses"), 1);
    assert_eq!(store.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let mut odd = 0;
    store
        .exchanges(ExchangeFilter { odd_only: true, ..ExchangeFilter::default() }, |_| {
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
fn a_database_of_the_version_before_is_brought_up() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    at(&db, std::slice::from_ref(&log));
    let mut store = Store::write(&db).unwrap();
    // The version before had no room for occasions beyond the first 61.
    store.run("UPDATE occasion SET client_high = client_high & (3 << 62), server_high = server_high & (3 << 62)");
    let (frames, derived) = (store.dump("frame"), store.dump_derived());
    store.run("DROP TABLE frame_block; CREATE INDEX frame_connection ON frame (connection); PRAGMA user_version = 8");
    store.run("DROP INDEX cancellation_connection; DROP INDEX finding_exchange");
    store.run(
        "UPDATE occasion SET
            client = client | ((client_high >> 62 & 3) << 61), server = server | ((server_high >> 62 & 3) << 61);
        ALTER TABLE occasion DROP COLUMN client_high; ALTER TABLE occasion DROP COLUMN server_high;
        DROP TABLE finding_cancel",
    );
    drop(store);
    store = Store::read(&db).unwrap();
    assert_eq!((store.blocks_not_named(), store.number("SELECT count(*) FROM frame_block")), (0, 1));
    assert_eq!((store.dump("frame"), store.dump_derived()), (frames, derived));
    assert_eq!(store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'frame_connection'"), 0);
    assert_eq!(
        store
            .number("SELECT count(*) FROM sqlite_schema WHERE name IN ('cancellation_connection', 'finding_exchange')"),
        2
    );
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

/// A log in use is caught amid a line all the time.
#[test]
fn a_line_that_was_caught_in_the_middle_is_read_once_it_is_whole() {
    let said = |at: u64, side: &str, message: &str| {
        format!("2025-06-17T13:29:3{at}.290Z [info] [forest] Message from {side}: {message}\n")
    };
    let words = "2025-06-17T13:29:34.280Z [info] [forest] it is looked for\n";
    let before = said(3, "client", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#) + words;
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let whole = before.clone() + &said(4, "server", answer) + &said(5, "server", answer);
    let next = whole[before.len()..].find('\n').unwrap();
    let folder = Folder::new();
    let read = |texts: &[&str], db: &str| {
        let db = folder.path(db);
        for text in texts {
            at(&db, &[folder.write("a.log", text)]);
        }
        let store = Store::read(&db).unwrap();
        let told = ["skipped_line", "missing"].map(|table| store.dump(table));
        (told, store.dump("frame").lines().count(), codes(&store))
    };
    let at_once = read(&[&whole], "once.db");
    for cut in [1, 5, 19, 40, 60, 80, next - 1, next] {
        let grown = read(&[&whole[..before.len() + cut], &whole], &format!("{cut}.db"));
        assert_eq!(grown, at_once, "cut {cut} bytes into a line");
    }
    // Words stand there, too, and are one line that was passed over.
    let grown = read(&[&whole[..before.len() - 20], &whole], "words.db");
    assert_eq!(grown, at_once);
}

/// What loggers that keep their files small leave of them, and what a second look at a log finds.
#[test]
fn what_was_cut_at_either_end_is_not_counted_twice_with_or_without_times() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let untimed = |text: &str| {
        let mut lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut all = String::new();
        lines.try_for_each(|mut line| {
            line.as_object_mut()?.remove("ts");
            all += &format!("{line}\n");
            Some(())
        });
        all
    };
    let calls: Vec<String> = (1..5).map(|id| late(4_000 * id, &id.to_string())).collect();
    let whole = handshake() + &calls.concat();
    for (text, cut) in [
        (whole.clone(), calls[1..].concat()),
        (whole.clone(), calls[3].clone()),
        (untimed(&whole), untimed(&(handshake() + &calls[0]))),
        // Nothing in it is new, wherever it stood.
        (untimed(&whole), untimed(&(handshake() + &calls[1]))),
    ] {
        let log = folder.write("a.jsonl", &text);
        at(&db, std::slice::from_ref(&log));
        folder.write("a.jsonl", &cut);
        let mut store = Store::write(&db).unwrap();
        let refused = ingest(&mut store, std::slice::from_ref(&log), &Options::default(), &mut Quiet).unwrap_err();
        assert!(refused.message.contains("would count twice"), "{}", refused.message);
        drop(store);
        std::fs::remove_file(&db).unwrap();
    }
    // Every session begins alike: without times a log that goes another way is another one.
    let log = folder.write("a.jsonl", &untimed(&whole));
    at(&db, std::slice::from_ref(&log));
    folder.write("a.jsonl", &untimed(&(handshake() + &late(4_000, "\"x\""))));
    assert_eq!(at(&db, &[log]).inputs[0].taken, Taken::Beside(3));
}

#[cfg(unix)]
#[test]
fn a_log_that_has_grown_goes_on_however_its_name_is_spelled() {
    let folder = Folder::new();
    let db = folder.path("a.db");
    let log = folder.write("a.jsonl", &handshake());
    at(&db, std::slice::from_ref(&log));
    folder.write("a.jsonl", &(handshake() + &late(4000, "1")));
    let link = folder.path("link");
    std::os::unix::fs::symlink(Path::new(&log).parent().unwrap(), &link).unwrap();
    let summary = at(&db, &[format!("{}/a.jsonl", link.display())]);
    assert_eq!((summary.inputs[0].taken, summary.sources.len(), summary.tally.connections), (Taken::Grown, 1, 1));
}

/// An id that the logger wrote is none when the messages are read from the database, either.
#[test]
fn a_new_audit_takes_no_id_of_the_logger_for_one() {
    let folder = Folder::new();
    let note = |at: u32, dir: &str, method: &str| {
        line(at, dir, &format!(r#"{{"jsonrpc":"2.0","id":null,"method":"notifications/{method}"}}"#))
    };
    let notes = note(2000, "c2s", "initialized") + &note(2500, "s2c", "tools/list_changed");
    let log = folder.write("a.jsonl", &(handshake().lines().take(2).collect::<Vec<_>>().join("\n") + "\n" + &notes));
    let db = folder.path("a.db");
    let first = at(&db, std::slice::from_ref(&log));
    let mut store = Store::write(&db).unwrap();
    let second = audit(&mut store, &Options::default(), &mut Quiet).unwrap();
    assert!(first.undecided.is_empty(), "{:?}", first.undecided);
    assert_eq!(first.undecided, second.undecided);
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
        selection: crate::rules::Selection { select: vec!["RPC".into()], ..Default::default() },
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
    for jobs in [1, 2] {
        let interrupt = Some(Arc::new(AtomicBool::new(true)));
        let options = Options { interrupt, jobs: NonZero::new(jobs), ..Options::default() };
        let log = std::slice::from_ref(&log);
        let stopped = ingest(&mut Store::write(&folder.path("a.db")).unwrap(), log, &options, &mut Quiet);
        assert_eq!(stopped.unwrap_err().kind, ErrorKind::Interrupted);
        assert!(!folder.path("a.db").exists());
    }
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
