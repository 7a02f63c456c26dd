//! Clean sessions with what shipping does to them, and faults that must not be explained away.

mod apart;

use std::io::Write;

use crate::capture::testing::Kept;
use crate::capture::{Overrides, Proof, Resume, Skip, open};

/// Time in milliseconds, key, direction, message.
type Record<'a> = (u32, &'a str, &'a str, &'a str);

const SESSION: [Record<'static>; 7] = [
    (
        0,
        "a",
        "c2s",
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
    ),
    (20, "a", "s2c", r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#),
    (30, "a", "c2s", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    (100, "a", "c2s", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#),
    (140, "a", "c2s", r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"y"}}"#),
    (160, "a", "s2c", r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#),
    (180, "a", "s2c", r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
];

fn two() -> Vec<Record<'static>> {
    let other = SESSION.map(|(at, _, dir, text)| (at + 7, "b", dir, text));
    let mut all = [SESSION, other].concat();
    all.sort_by_key(|record| record.0);
    all
}

fn wrapped(records: &[Record<'_>], key: &str) -> String {
    let line = |(at, value, dir, text): &Record<'_>| {
        format!("{{\"ts\":\"2026-05-04T08:00:00.{at:03}Z\",\"lvl\":\"debug\",{key}\"dir\":\"{dir}\",\"msg\":{text}}}\n")
            .replace("KEY", value)
    };
    records.iter().map(line).collect()
}

/// What comes of a text, and why it was read so.
fn read(text: &str) -> (Kept, String) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let mut source = open(&file.path().to_string_lossy(), &Overrides::default()).expect("a log");
    let mut kept = Kept::default();
    source.read(0, Resume::default(), &mut kept).expect("read");
    (kept, source.reason().to_string())
}

fn ids(kept: &Kept) -> Vec<i64> {
    kept.frames.iter().filter_map(|frame| frame.at_us).map(|at_us| at_us / 1_000 % 1_000).collect()
}

fn proves(kept: &Kept, proof: Proof) -> bool {
    kept.channels.iter().all(|channel| channel.proof.covers(proof))
}

#[test]
fn the_key_is_what_resolves_the_contradictions() {
    for key in ["\"zork\":{\"blip\":\"KEY\"},", "\"http\":{\"headers\":{\"x-upstream\":\"KEY\"}},\"tool\":\"x\","] {
        let (kept, reason) = read(&wrapped(&two(), key));
        assert_eq!(kept.names(), [Some("a"), Some("b")], "{reason}");
        assert!(reason.contains("told apart by") && reason.contains("6 answers"), "{reason}");
        assert!(proves(&kept, Proof::PAIRING));
    }
    let prefixed = |(at, key, dir, text): &Record<'_>| {
        let word = if *dir == "c2s" { "INCOMING" } else { "OUTGOING" };
        format!("{key} main 2026-05-04T08:00:00.{at:03}Z {word}: {text}\n")
    };
    let (kept, _) = read(&two().iter().map(prefixed).collect::<String>());
    assert_eq!(kept.names(), [Some("a"), Some("b")]);
}

#[test]
fn where_nothing_tells_them_apart_nothing_is_proven_of_it() {
    let (kept, reason) = read(&wrapped(&two(), ""));
    assert!(reason.contains("--connection-key") && !proves(&kept, Proof::PAIRING), "{reason}");
    assert!(kept.channels[0].one_connection, "the second handshake is no cut");
}

#[test]
fn a_word_that_hides_a_fault_is_no_key() {
    // The id 1 is used again in flight, and the records of that call have another thread.
    let mut records = SESSION.to_vec();
    records[4] = (140, "b", "c2s", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"y"}}"#);
    records[5] = (160, "b", "s2c", r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#);
    let (kept, reason) = read(&wrapped(&records, "\"thread\":\"KEY\","));
    assert_eq!((kept.names(), proves(&kept, Proof::FULL)), (vec![None], true), "{reason}");
}

#[test]
fn a_named_key_that_keeps_answers_from_their_requests_is_none() {
    let records = SESSION.map(|(at, _, dir, text)| (at, if dir == "c2s" { "1" } else { "2" }, dir, text));
    let (kept, reason) = read(&wrapped(&records, "\"pid\":KEY,"));
    assert_eq!(kept.names(), [None], "{reason}");
}

#[test]
fn records_are_read_in_the_order_in_which_they_pair() {
    let want = [0, 20, 30, 100, 140, 160, 180];
    let orders: [[usize; 7]; 4] =
        [[6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 5, 4, 6], [4, 5, 6, 0, 1, 2, 3], [1, 0, 2, 3, 4, 5, 6]];
    for order in orders {
        let (kept, reason) = read(&wrapped(&order.map(|at| SESSION[at]), ""));
        assert_eq!(ids(&kept), want, "{reason}");
        let document = format!("[{}]", wrapped(&order.map(|at| SESSION[at]), "").trim_end().replace('\n', ", "));
        let (kept, reason) = read(&document);
        assert_eq!(ids(&kept), want, "{reason}");
    }
    // A clock that was put back is no reason to read in another order.
    let mut stepped = SESSION;
    (stepped[2].0, stepped[3].0) = (10, 15);
    assert_eq!(ids(&read(&wrapped(&stepped, "")).0), [0, 20, 10, 15, 140, 160, 180]);
}

#[test]
fn equal_times_have_no_order_where_records_stand_singly_out_of_it() {
    let untold = |(one, other): (usize, usize), places: [usize; 7]| {
        let mut records = SESSION;
        records[other].0 = records[one].0;
        let (kept, _) = read(&wrapped(&places.map(|at| records[at]), ""));
        kept.frames.iter().filter(|frame| frame.kind == "unordered").count()
    };
    assert_eq!(untold((2, 3), [1, 0, 2, 3, 4, 5, 6]), 2, "late records");
    assert_eq!(untold((4, 5), [1, 0, 2, 3, 4, 5, 6]), 0, "a request and its answer have but one order");
    assert_eq!(untold((2, 3), [0, 1, 2, 3, 4, 5, 6]), 0, "as it was written");
    assert_eq!(untold((2, 3), [4, 5, 6, 0, 1, 2, 3]), 0, "two parts, each in its order");
    assert_eq!(untold((2, 3), [6, 5, 4, 3, 2, 1, 0]), 0, "turned round");
}

#[test]
fn times_of_one_stream_say_nothing_of_the_order_of_another() {
    // Whoever wrote it wrote exchange after exchange of each connection; an answer that comes twice stays one that does.
    let [a, b] = ["a", "b"].map(|key| {
        let of_key = two().into_iter().filter(move |record| record.1 == key);
        let again = of_key.clone().next_back().map(|(at, key, dir, text)| (at + 50, key, dir, text));
        of_key.chain(again).collect::<Vec<_>>()
    });
    let (kept, why) = read(&wrapped(&[a, b].concat(), "\"conn\":\"KEY\","));
    assert!(proves(&kept, Proof::ORDER), "{why}");
    assert_eq!(kept.channels.len(), 2);
}

#[test]
fn an_answer_just_before_its_request_was_written_early() {
    let bare = |order: [usize; 7]| -> String { order.map(|at| format!("{}\n", SESSION[at].3)).concat() };
    let (kept, reason) = read(&bare([0, 1, 2, 3, 5, 4, 6]));
    assert_eq!(kept.frames[4].text, SESSION[4].3, "{reason}");
    let (kept, _) = read(&bare([0, 1, 2, 3, 4, 5, 6]));
    assert_eq!(kept.frames[5].text, SESSION[5].3);
}

#[test]
fn what_was_shipped_twice_is_read_once() {
    let twice: Vec<_> = SESSION.iter().flat_map(|record| [*record, *record]).collect();
    let resent = [&SESSION[..], &SESSION[3..6]].concat();
    for records in [twice, resent] {
        let (kept, _) = read(&wrapped(&records, ""));
        assert_eq!(ids(&kept), [0, 20, 30, 100, 140, 160, 180]);
        assert!(kept.skipped.iter().any(|(_, why)| *why == Skip::Duplicate));
    }
    // A block of notifications alone, too; two that are equal at one time are two, of which the second is doubted.
    let told = [(0, "a", "c2s", SESSION[2].3), (5, "a", "c2s", SESSION[2].3), (5, "a", "c2s", SESSION[2].3)];
    let told = [&told[..], &[(9, "a", "c2s", SESSION[2].3)]].concat();
    assert_eq!(read(&wrapped(&told, "")).0.frames.len(), 5);
    let block = [&told[..1], &told[1..2], &told[3..], &told[..1], &told[1..2], &told[3..]].concat();
    assert_eq!(read(&wrapped(&block, "")).0.frames.len(), 3);
    // One answer that stands twice may have been sent twice: it is read, and doubted. With a request beside it the log repeats them.
    let answered = [&SESSION[..6], &SESSION[5..]].concat();
    assert_eq!(read(&wrapped(&answered, "")).0.frames.len(), 9);
    let both = [&SESSION[..5], &SESSION[4..6], &SESSION[5..]].concat();
    assert_eq!(ids(&read(&wrapped(&both, "")).0), [0, 20, 30, 100, 140, 160, 180]);
    // Another time, another message.
    let again = [&SESSION[..], &[(190, "a", "s2c", SESSION[6].3)]].concat();
    assert_eq!(read(&wrapped(&again, "")).0.frames.len(), 8);
}

#[test]
fn a_block_that_was_shipped_again_with_two_answers_in_it_is_read_once() {
    let second = (190, "a", "s2c", SESSION[5].3);
    let [asked, answered] = [SESSION[4], SESSION[5]];
    let block = [asked, answered, second];
    let shipped = [&SESSION[..4], &block, &block].concat();
    assert_eq!(ids(&read(&wrapped(&shipped, "")).0), [0, 20, 30, 100, 140, 160, 190]);
    // Two requests of one time, whose two answers were shipped again, may have been sent by two.
    let by_two = [&SESSION[..4], &[asked], &block, &block[1..]].concat();
    let (kept, reason) = read(&wrapped(&by_two, ""));
    assert_eq!(kept.frames.iter().filter(|frame| frame.text == asked.3).count(), 2, "{reason}");
}

#[test]
fn two_handshakes_of_one_time_are_two_where_less_contradicts_then() {
    let of = |key: &'static str, later: u32| {
        let at = move |at: u32| if at < 30 { at } else { at + later };
        SESSION.map(|(time, _, dir, text)| (at(time), key, dir, text))
    };
    let stray = (400, "b", "s2c", r#"{"jsonrpc":"2.0","id":77,"result":{}}"#);
    let mut both = [of("a", 0), of("b", 7)].concat();
    both.sort_by_key(|record| record.0);
    for records in [both.clone(), [&both[..], &[stray]].concat()] {
        let (kept, reason) = read(&wrapped(&records, r#""upstream":"KEY","#));
        assert_eq!((kept.channels.len(), kept.frames.len()), (2, records.len()), "{reason}");
    }
    // Without anything that tells two apart, what stands twice was shipped twice.
    let (kept, reason) = read(&wrapped(&SESSION.map(|record| [record; 2]).concat(), r#""upstream":"KEY","#));
    assert_eq!((kept.channels.len(), kept.frames.len()), (1, SESSION.len()), "{reason}");
}

#[test]
fn a_record_that_stands_twice_goes_where_the_one_goes_that_is_kept() {
    let [a, b, c, d, e, f, g] = SESSION;
    let (kept, _) = read(&wrapped(&[a, a, b, b, d, d, e, c, c, e, f, f, g, g], ""));
    assert_eq!(ids(&kept), [0, 20, 30, 100, 140, 160, 180]);
}

#[test]
fn what_a_filter_took_out_is_no_fault() {
    let redacted = |text: &str| {
        let mut value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        for key in ["params", "result"] {
            if let Some(member) = value.get_mut(key) {
                *member = "***".into();
            }
        }
        value.to_string()
    };
    let texts = SESSION.map(|record| redacted(record.3));
    let records: Vec<_> =
        SESSION.iter().zip(&texts).map(|(record, text)| (record.0, record.1, record.2, text.as_str())).collect();
    let (kept, reason) = read(&wrapped(&records, ""));
    assert!(!proves(&kept, Proof::PAYLOAD) && proves(&kept, Proof::PAIRING), "{reason}");
    assert_eq!(kept.frames.len(), 7);
}

#[test]
fn lines_that_a_printer_spread_are_not_cut() {
    let cut_at = |text: &str| {
        let mut plan = crate::capture::plan::Plan::default();
        super::artefact::cut_lines(text.as_bytes(), true, &mut plan);
        plan.cut_line
    };
    let spread = "sent {\n  \"id\": 1,\n  \"params\": {\"a\": {\n  }}\n  \"result\": {\"b\": {\n  }}\n}\n";
    assert_eq!(cut_at(spread), None);
    let limit = "{\"jsonrpc\":\"2.0\",\"id\":1,\"resu\n{\"jsonrpc\":\"2.0\",\"id\":2,\"resu\n";
    assert_eq!(cut_at(limit), Some(29));
}

#[test]
fn strings_that_a_size_limit_cut_are_lost_messages() {
    for (limit, mark) in [(60, ""), (60, "... [truncated]"), (64, "…")] {
        let cut = |text: &str| match text.len() > limit && !text.contains("initialized") {
            true => format!("{}{mark}", &text[..limit]),
            false => text.to_string(),
        };
        let texts = SESSION.map(|record| serde_json::Value::from(cut(record.3)).to_string());
        let records: Vec<_> =
            SESSION.iter().zip(&texts).map(|(record, text)| (record.0, record.1, record.2, text.as_str())).collect();
        let (kept, _) = read(&wrapped(&records, ""));
        let kinds: Vec<_> = kept.frames.iter().map(|frame| frame.kind).collect();
        assert_eq!(kinds, ["gap", "gap", "message", "gap", "gap", "message", "message"], "{mark}");
    }
}

#[test]
fn nulls_on_both_sides_are_the_loggers_and_on_one_are_not() {
    let told = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let null = |text: &str| text.replace("\"method\":\"notifications", "\"id\":null,\"method\":\"notifications");
    let (first, last) = (null(SESSION[2].3), null(told));
    let mut records = SESSION.to_vec();
    records[2].3 = &first;
    records.push((200, "a", "s2c", &last));
    let (kept, reason) = read(&wrapped(&records, ""));
    assert!(!proves(&kept, Proof::ENVELOPE), "{reason}");
    records[7].3 = told;
    assert!(proves(&read(&wrapped(&records, "")).0, Proof::ENVELOPE));
}

#[test]
fn members_that_a_logger_prints_are_not_the_wires() {
    // All members of a message, null where there was nothing: one sender is enough, for no answer would look like that.
    let all = |(at, key, dir, text): &Record<'static>| {
        let mut value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        let members = value.as_object_mut().expect("an object");
        for member in ["id", "method", "params", "result", "error"] {
            members.entry(member).or_insert(serde_json::Value::Null);
        }
        (*at, *key, *dir, value.to_string())
    };
    let printed: Vec<_> = SESSION.iter().map(all).collect();
    let records: Vec<Record<'_>> =
        printed.iter().map(|(at, key, dir, text)| (*at, *key, *dir, text.as_str())).collect();
    let (kept, reason) = read(&wrapped(&records, ""));
    assert!(reason.contains("all members") && !proves(&kept, Proof::ENVELOPE), "{reason}");
    // Null parameters of one side: the logger's or that side's, unless a message without any stands beside them.
    let null = r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#;
    let mut records = SESSION.to_vec();
    records[2].3 = null;
    assert!(!proves(&read(&wrapped(&records, "")).0, Proof::ENVELOPE));
    records.push((200, "a", "c2s", r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#));
    assert!(proves(&read(&wrapped(&records, "")).0, Proof::ENVELOPE));
    let bare: String =
        SESSION.iter().map(|record| format!("{}\n", if record.0 == 30 { null } else { record.3 })).collect();
    assert!(proves(&read(&bare).0, Proof::ENVELOPE), "bytes as they passed");
}

#[test]
fn a_log_of_one_side_does_not_tell_what_the_other_left_undone() {
    let asked: Vec<Record<'_>> = SESSION.iter().filter(|record| record.2 == "c2s").copied().collect();
    let (kept, reason) = read(&wrapped(&asked, ""));
    assert!(reason.contains("one side") && !proves(&kept, Proof::BOTH_SIDES), "{reason}");
    assert!(proves(&read(&wrapped(&SESSION, "")).0, Proof::BOTH_SIDES));
}

#[test]
fn a_log_without_answers_does_not_tell_what_was_left_unanswered() {
    let told: Record<'_> =
        (170, "a", "s2c", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}"#);
    let asked: Vec<Record<'_>> =
        SESSION.into_iter().filter(|record| !record.3.contains("result")).chain([told]).collect();
    let (kept, reason) = read(&wrapped(&asked, ""));
    assert!(reason.contains("requests and notifications alone") && !proves(&kept, Proof::ALL_ANSWERS), "{reason}");
    // One answer of many that is missing is not a kind that is left out.
    let most: Vec<Record<'_>> = SESSION.into_iter().filter(|record| record.0 != 20).chain([told]).collect();
    assert!(proves(&read(&wrapped(&most, "")).0, Proof::ALL_ANSWERS));
}

#[test]
fn an_answer_that_stands_before_its_handshake_is_put_behind_it_alone() {
    let [open, answer, rest @ ..] = SESSION;
    let untimed = |record: Record<'_>| format!("{{\"dir\":\"{}\",\"msg\":{}}}\n", record.2, record.3);
    let text: String = [answer, open].into_iter().chain(rest).map(untimed).collect();
    let (kept, reason) = read(&text);
    assert!(reason.contains("1 answers stand just before their request"), "{reason}");
    assert!(kept.frames[1].text.contains("result") && kept.frames[2].text.contains("initialized"), "{reason}");
}

#[test]
fn without_a_handshake_an_id_in_flight_twice_may_be_another_client_s() {
    // Two servers' traffic in one stream from its middle on; each of the two clients counts for itself.
    let midway: Vec<Record<'_>> = two().into_iter().filter(|record| record.0 >= 100).collect();
    let (kept, reason) = read(&wrapped(&midway, ""));
    assert!(!proves(&kept, Proof::PAIRING), "{reason}");
    assert!(reason.contains("nothing tells them apart"), "{reason}");
    // One client that begins with a handshake and uses an id twice is at fault.
    let mut guilty = SESSION.to_vec();
    guilty.push((150, "a", "c2s", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"z"}}"#));
    guilty.sort_by_key(|record| record.0);
    let (kept, reason) = read(&wrapped(&guilty, ""));
    assert!(proves(&kept, Proof::PAIRING), "{reason}");
}

/// A session with a name for all its records and every time moved on.
fn named<'a>(records: &[Record<'a>], key: &'a str, from: u32) -> Vec<Record<'a>> {
    records.iter().map(|(at, _, dir, text)| (at + from, key, *dir, *text)).collect()
}

#[test]
fn what_one_stream_holds_is_no_excuse_for_another() {
    // Two clients speak by turns in one of three streams, midway and with the same ids; the other two are clean.
    let midway: Vec<Record<'_>> = two().into_iter().filter(|record| record.0 >= 100).collect();
    let records = [named(&SESSION, "x", 0), named(&midway, "y", 200), named(&SESSION, "z", 500)].concat();
    let (kept, reason) = read(&wrapped(&records, "\"conn\":\"KEY\","));
    let provings: Vec<bool> = kept.channels.iter().map(|channel| channel.proof.covers(Proof::PAIRING)).collect();
    assert_eq!((kept.names(), provings), (vec![Some("x"), Some("y"), Some("z")], vec![true, false, true]), "{reason}");
}

#[test]
fn values_that_each_begin_with_a_handshake_are_connections_whatever_clashes() {
    // Both answer twice, so that as much contradicts under the key as without it.
    let [_, _, _, _, _, f, g] = SESSION;
    let guilty = [&SESSION[..], &[(190, "a", "s2c", f.3), (195, "a", "s2c", g.3)]].concat();
    let prefixed = |(at, key, dir, text): &Record<'_>| {
        let word = if *dir == "c2s" { "-->" } else { "<--" };
        format!("2026-05-04T08:00:00.{at:03}Z [{key}] {word} {text}\n")
    };
    for from in [7, 300] {
        let mut records = [named(&guilty, "a", 0), named(&guilty, "b", from)].concat();
        records.sort_by_key(|record| record.0);
        let (kept, reason) = read(&records.iter().map(prefixed).collect::<String>());
        assert_eq!(kept.channels.len(), 2, "{reason}");
        assert!(proves(&kept, Proof::PAIRING), "{reason}");
    }
}

#[test]
fn times_that_go_back_excuse_no_fault_that_no_order_explains() {
    let mut stepped = SESSION.to_vec();
    (stepped[2].0, stepped[3].0) = (10, 15);
    let stray = r#"{"jsonrpc":"2.0","id":77,"result":{"content":[]}}"#;
    let faults =
        [stray, SESSION[6].3, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":78}}"#];
    for fault in faults {
        let dir = if fault.contains("result") { "s2c" } else { "c2s" };
        let records = [&stepped[..], &[(190, "a", dir, fault)]].concat();
        let (kept, reason) = read(&wrapped(&records, ""));
        assert!(proves(&kept, Proof::ORDER), "{reason}");
    }
    // A cancel before its request may well be out of its order.
    let early = (12, "a", "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let records = [&stepped[..2], &[early], &stepped[2..]].concat();
    assert!(!proves(&read(&wrapped(&records, "")).0, Proof::ORDER));
}

#[test]
fn a_clock_that_is_set_back_by_more_than_the_log_is_long_leaves_the_order() {
    let crossing =
        (190, "a", "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    let stepped = |from: usize, records: &[Record<'_>]| {
        let (before, behind) = records.split_at(from);
        wrapped(before, "").replace("T08", "T09") + &wrapped(behind, "")
    };
    let records = [&SESSION[..], &[crossing]].concat();
    for from in [3, 4] {
        let (kept, reason) = read(&stepped(from, &records));
        assert!(proves(&kept, Proof::ORDER), "{from}: {reason}");
    }
    // What does not go on with the count of the handshake may be the end of an earlier session.
    let older: Vec<String> = records.iter().map(|record| record.3.replace("\"id\":1", "\"id\":7")).collect();
    let older: Vec<_> =
        records.iter().zip(&older).map(|(record, text)| (record.0, record.1, record.2, &**text)).collect();
    assert!(!proves(&read(&stepped(3, &older)).0, Proof::ORDER));
}

#[test]
fn a_record_that_came_late_stays_behind_its_handshake() {
    let mut records = SESSION.to_vec();
    (records[0].0, records[1].0, records[2].0, records[3].0) = (50, 60, 70, 40);
    let (kept, reason) = read(&wrapped(&records, ""));
    let texts = kept.frames.iter().filter(|frame| frame.kind == "message").map(|frame| &*frame.text);
    assert!(texts.eq(records.iter().map(|record| record.3)), "{reason}");
    assert!(proves(&kept, Proof::ORDER), "{reason}");
    assert!(kept.frames.len() > records.len(), "where it belongs is not told");
}

#[test]
fn one_text_in_place_of_parameters_beside_others_is_its_senders() {
    let mut records = SESSION.to_vec();
    for at in [3, 4] {
        let text = SESSION[at].3.replace("{\"name\":\"x\"}", "\"x\"").replace("{\"name\":\"y\"}", "\"x\"");
        records[at].3 = text.leak();
    }
    let (kept, reason) = read(&wrapped(&records, ""));
    assert!(proves(&kept, Proof::PAYLOAD.and(Proof::ENVELOPE)), "{reason}");
}

#[test]
fn tokens_that_two_give_at_once_show_two_clients() {
    let call = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{"name":"x","_meta":{{"progressToken":"t-1"}}}}}}"#
        )
    };
    let [first, second] = ["5d0c", "91fe"].map(call);
    let records: Vec<Record<'_>> = vec![(10, "a", "c2s", &first), (20, "a", "c2s", &second)];
    let told: Vec<Record<'_>> = SESSION[3..].to_vec();
    assert!(!proves(&read(&wrapped(&[told.clone(), records].concat(), "")).0, Proof::PAIRING));
    assert!(proves(&read(&wrapped(&told, "")).0, Proof::PAIRING));
}

/// A session of its own for each of three servers: a handshake, and lists that ask for no page.
fn lists(params: [&str; 2]) -> String {
    let [opening, list] = params;
    let open = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{opening}}}"#);
    let ask = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{list}}}"#);
    let greet = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let each =
        ["a", "b", "c"].map(|name| vec![(0, name, "c2s", &*open), (10, name, "c2s", greet), (20, name, "c2s", &*ask)]);
    let mut records = each.concat();
    records.sort_by_key(|record| record.0);
    wrapped(&records, "")
}

#[test]
fn handshakes_alike_beside_lists_without_a_page_show_their_parameters() {
    let opening = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    let (kept, reason) = read(&lists([opening, "{}"]));
    assert!(proves(&kept, Proof::PAYLOAD), "{reason}");
    let (kept, reason) = read(&lists(["{}", "{}"]));
    assert!(!proves(&kept, Proof::PAYLOAD), "{reason}");
}

#[test]
fn calls_that_name_no_tool_show_what_their_logger_leaves_out() {
    let call =
        |id: i64, params: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
    let both = |params: [&str; 2]| {
        let [one, other] = [call(1, params[0]), call(2, params[1])];
        wrapped(&[(0, "a", "c2s", &one), (10, "a", "c2s", &other)], "")
    };
    assert!(!proves(&read(&both(["{}", "{}"])).0, Proof::PAYLOAD));
    assert!(proves(&read(&both(["{}", r#"{"name":"x"}"#])).0, Proof::PAYLOAD));
}

/// Records with the logger that wrote each; a second one says some of them again, 2 ms later.
fn by_two_loggers(records: &[Record<'_>], again: impl Fn(&str) -> bool) -> Vec<String> {
    let line = |logger: &str, (at, session, dir, text): &Record<'_>| {
        format!(
            "{{\"ts\":\"2026-05-04T08:00:00.{at:03}Z\",\"logger\":\"{logger}\",\"session\":\"{session}\",\"dir\":\"{dir}\",\"msg\":{text}}}\n"
        )
    };
    let lines = |record: &Record<'_>| {
        let echo = again(record.3).then(|| line("app", &(record.0 + 2, record.1, record.2, record.3)));
        std::iter::once(line("wire", record)).chain(echo).collect::<Vec<_>>()
    };
    records.iter().flat_map(lines).collect()
}

#[test]
fn what_a_second_logger_says_again_is_read_once() {
    let notes = [(110, "1"), (120, "2")].map(|(at, data)| {
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{data}"}}}}"#
        );
        (at, text)
    });
    let told: Vec<Record<'_>> = notes.iter().map(|(at, text)| (*at, "a", "s2c", text.as_str())).collect();
    let mut one = [SESSION.to_vec(), told].concat();
    one.sort_by_key(|record| record.0);
    let is_told = |text: &str| !text.contains("\"id\"");
    let is_call = |text: &str| text.contains("\"method\"");
    for (records, lines, echoes, sessions) in [
        // Two sessions that say the same at nearly one time stay two.
        (two(), by_two_loggers(&two(), is_call), 8, 2),
        (one.clone(), by_two_loggers(&one, is_told), 3, 1),
    ] {
        for text in [lines.concat(), format!("[{}]", lines.join(","))] {
            let (kept, reason) = read(&text);
            assert_eq!((kept.frames.len(), kept.skipped.len()), (records.len(), echoes), "{reason}");
            assert_eq!(kept.channels.len(), sessions, "{reason}");
            assert!(reason.contains("what stands under \"app\" of logger is said by another logger"), "{reason}");
        }
    }
}

#[test]
fn loggers_behind_the_head_of_a_document_are_told_apart_as_well() {
    let long = "a".repeat(1000);
    let note =
        |n: usize| format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"{n}":"{long}"}}}}"#);
    let notes: Vec<String> = (0..super::HEAD / 1000).map(note).collect();
    let first: Vec<Record<'_>> = notes.iter().map(|text| (0, "a", "s2c", text.as_str())).collect();
    let lines =
        [by_two_loggers(&first, |_| false), by_two_loggers(&SESSION, |text| text.contains("\"method\""))].concat();
    let (kept, _) = read(&format!("[{}]", lines.join(",")));
    assert_eq!((kept.frames.len(), kept.skipped.len()), (first.len() + 7, 4));
}

#[test]
fn threads_that_say_the_same_now_and_then_are_no_loggers_of_one_another() {
    let tick = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"tick"}}"#;
    let line = |thread: &str, (at, _, dir, text): &Record<'_>| {
        format!(
            "{{\"ts\":\"2026-05-04T08:00:00.{at:03}Z\",\"thread\":\"{thread}\",\"dir\":\"{dir}\",\"msg\":{text}}}\n"
        )
    };
    let ticks = (0..6).map(|at| line(if at % 2 == 0 { "1" } else { "2" }, &(200 + at, "", "s2c", tick)));
    let lines: String = SESSION.iter().map(|record| line("0", record)).chain(ticks).collect();
    let (kept, reason) = read(&lines);
    assert_eq!((kept.frames.len(), kept.skipped.len()), (13, 0), "{reason}");
}

#[test]
fn two_servers_that_are_told_the_same_are_no_two_loggers() {
    let line = |(at, server, dir, text): &Record<'_>| {
        let side = if *dir == "c2s" { "client" } else { "server" };
        format!("2026-05-04T08:00:00.{at:03}Z [info] [{server}] Message from {side}: {text}\n")
    };
    let stray = (200, "my notes", "s2c", r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    let names = |(at, key, dir, text): Record<'static>| (at, if key == "a" { "fs" } else { "my notes" }, dir, text);
    let records: Vec<Record<'_>> = two().into_iter().map(names).chain([stray]).collect();
    let (kept, reason) = read(&records.iter().map(line).collect::<String>());
    assert_eq!((kept.frames.len(), kept.skipped.len()), (15, 0), "{reason}");
    assert_eq!(kept.names(), [Some("fs"), Some("my notes")]);
}

#[test]
fn requests_printed_with_their_answers_have_no_order() {
    let line = |(at, id): (u32, u32)| {
        let head = format!("2026-05-11 06:02:{at:02}.250");
        let ask = format!(r#"{head} request: {{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        format!("{ask}\n{head} response: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[]}}}}\n")
    };
    let log = |exchanges: &[(u32, u32)]| exchanges.iter().copied().map(line).collect::<String>();
    let has_order = |text: &str| proves(&read(text).0, Proof::ORDER);
    assert!(has_order(&log(&[(1, 0), (2, 1), (3, 2), (4, 3)])), "a peer that answers at once");
    assert!(!has_order(&log(&[(1, 0), (2, 1), (3, 3), (4, 2)])), "one that began earlier and ended later");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    let (before, behind) = (log(&[(1, 0), (2, 1), (3, 2)]), log(&[(5, 3)]));
    assert!(!has_order(&format!("{before}2026-05-11 06:02:04.250 request: {cancel}\n{behind}")));
}
