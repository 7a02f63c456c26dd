//! Connections over several channels, logs and parts of one log.

use super::*;

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
fn a_part_of_a_recording_goes_on_with_those_that_an_earlier_run_read() {
    let part = |number: &str| format!("tests/truth/cases/recording-parts-together/m{number}.rec.jsonl");
    let [one, two, three] = ["", ".2", ".3"].map(part);
    let read = |runs: &[&[&String]]| {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("a.db");
        let read = |run: &&[&String]| at(&db, &run.iter().map(|input| input.to_string()).collect::<Vec<_>>());
        let told = runs.iter().map(read).collect::<Vec<_>>().pop().unwrap();
        let open = told.sources.iter().flat_map(|source| &source.skipped);
        let open = open.filter(|(why, ..)| why == crate::capture::Skip::Unfollowed.as_str()).count();
        (open, told.tally.lost > 0)
    };
    assert_eq!(read(&[&[&one], &[&two], &[&three]]), (0, false));
    assert_eq!(read(&[&[&one], &[&two]]), (1, false));
    assert_eq!(read(&[&[&one], &[&three]]), (1, true));
    assert_eq!(read(&[&[&one, &three]]), (1, true));
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

/// A connection of one key in three files, each beginning where the one before it ends: the request is in the second, its answer in the
/// third.
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
fn parts_without_a_key_are_one_connection_where_none_is_missing_and_none_begins_another() {
    let [first, second, third] = parts_of_one_connection().map(|part| part.replace("\"conn\":\"k\",", ""));
    let keys_of = |parts: &[(&str, &str)]| {
        let folder = Folder::new();
        let named: Vec<String> = parts.iter().map(|(name, text)| folder.write(name, text)).collect();
        let mut store = Store::temporary().unwrap();
        into(&mut store, &named);
        keys(&store).into_iter().map(|(_, messages)| messages).collect::<Vec<_>>()
    };
    let whole = keys_of(&[("a.log.2", &first), ("a.log.1", &second), ("a.log", &third)]);
    assert_eq!(whole, [5]);
    assert_eq!(keys_of(&[("a.log.2026-09-02", &first), ("a.log", &second)]).len(), 1);
    assert_eq!(keys_of(&[("a.log.2", &first), ("a.log", &third)]).len(), 2, "the part between them is missing");
    assert_eq!(keys_of(&[("a.log.1", &first), ("a.log", &first.replace(":00.0", ":09.0"))]).len(), 2, "it begins anew");
    assert_eq!(keys_of(&[("a.log", &first), ("b.log", &second)]).len(), 2, "of another log");
}

/// That the logs show all of their connections is said of the logs together.
#[test]
fn parts_of_logs_that_are_said_to_be_whole_are_as_much_one_as_others() {
    let [first, second, third] = parts_of_one_connection();
    let options =
        || Options { overrides: crate::capture::Overrides { whole: true, ..Default::default() }, ..Options::default() };
    for unnamed in [false, true] {
        let folder = Folder::new();
        let part = |part: &str| if unnamed { part.replace("\"conn\":\"k\",", "") } else { part.to_string() };
        let parts = [("a.log.2", &first), ("a.log.1", &second), ("a.log", &third)];
        let named = parts.map(|(name, text)| folder.write(name, &part(text)));
        let mut store = Store::temporary().unwrap();
        ingest(&mut store, &named, &options(), &mut Quiet).unwrap();
        let connections = store.connections().unwrap();
        assert_eq!(connections.iter().map(|row| (row.messages, row.complete_head)).collect::<Vec<_>>(), [(5, true)]);
        // Where a part begins a connection, that is there from its first message.
        let mut alone = Store::temporary().unwrap();
        ingest(&mut alone, &named[1..], &options(), &mut Quiet).unwrap();
        assert!(alone.connections().unwrap().iter().all(|row| row.complete_head));
    }
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
