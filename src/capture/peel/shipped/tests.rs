//! The same four lines of a server's log in every shape that shippers have, none of which the program knows by name.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::capture::detect::by_name;
use crate::capture::sample::Sample;
use crate::capture::testing::{Kept, read_as, told};
use crate::capture::{Direction, Skip};
use crate::protocol::Side;

const TIMES: [&str; 4] =
    ["2026-05-04T08:00:00.100Z", "2026-05-04T08:00:00.200Z", "2026-05-04T08:00:00.300Z", "2026-05-04T08:00:00.400Z"];
const AT: i64 = 1_777_881_600_100_000;

fn texts() -> [String; 4] {
    [
        "INCOMING: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}".into(),
        "the cache is \"warm\",\nreally".into(),
        "OUTGOING: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}".into(),
        "INCOMING: {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}".into(),
    ]
}

/// Reads a text that must be told as `chain`, and checks that it holds the three messages in their order and at their times.
fn holds(chain: &str, text: &str) -> Kept {
    let told = told(text.as_bytes());
    let name = told.as_ref().map_or("", |(name, _)| *name);
    let format = by_name(name).unwrap_or_else(|_| panic!("{chain}: {told:?} {text}"));
    assert_eq!(format.chain(&Sample::new(text.as_bytes(), true, false)), chain, "{told:?} {text}");
    let kept = read_as(name, text.as_bytes());
    let got: Vec<_> = kept.frames.iter().map(|frame| (frame.direction, frame.at_us)).collect();
    let (received, sent) = (Direction::Received, Direction::Sent);
    let want = [(received, Some(AT)), (sent, Some(AT + 200_000)), (received, Some(AT + 300_000))];
    assert_eq!(got, want, "{text}");
    assert!(kept.frames[2].text.contains("\"id\":2"));
    kept
}

const INSIDE: &str = "json-log > text-log";

fn lines(record: impl Fn(usize, &str, &str) -> Value) -> String {
    texts().iter().enumerate().map(|(n, text)| format!("{}\n", record(n, TIMES[n], text))).collect()
}

#[test]
fn a_string_that_varies_is_the_log_whatever_it_is_called() {
    holds(INSIDE, &lines(|_, time, text| json!({"when": time, "utterance": text, "level": "info"})));
    holds(INSIDE, &lines(|_, time, text| json!({"a": {"b": {"c": {"said": text}}}, "stamp": {"utc": time}})));
    let kept = holds(
        INSIDE,
        &lines(
            |_, time, text| json!({"pod": {"name": "p1"}, "received_at": "2026-05-04T09:00:00Z", "@timestamp": time, "message": text}),
        ),
    );
    assert_eq!(kept.names(), [Some("p1")]);
    assert_eq!(kept.skipped, [(2, Skip::NotAMessage), (2, Skip::NotAMessage)]);
}

#[test]
fn attributes_are_members_whichever_way_they_are_written() {
    let pair = |key: &str, value: Value| json!({"key": key, "value": value});
    let otlp = lines(|n, _, text| {
        let nanos = format!("{}000", AT + 100_000 * n as i64);
        json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": text}, "timeUnixNano": nanos}]}],
            "resource": {"attributes": [pair("k8s.pod.name", json!({"stringValue": "p2"}))]}}]})
    });
    assert_eq!(holds(INSIDE, &otlp).names(), [Some("p2")]);
    let fields = |n: usize, text: &str| json!([{"field": "@timestamp", "value": TIMES[n].replace(['T', 'Z'], " ").trim()}, {"field": "@message", "value": text}]);
    let all: Vec<Value> = texts().iter().enumerate().rev().map(|(n, text)| fields(n, text)).collect();
    holds(INSIDE, &serde_json::to_string_pretty(&json!({"results": all, "status": "Complete"})).expect("JSON"));
    let values: Vec<Value> = texts()
        .iter()
        .enumerate()
        .rev()
        .map(|(n, text)| json!([format!("{}000", AT + 100_000 * n as i64), text]))
        .collect();
    holds(INSIDE, &json!({"data": {"result": [{"stream": {"pod": "p3"}, "values": values}]}}).to_string());
}

#[test]
fn rows_of_a_table_with_and_without_a_log_inside() {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |n: usize| format!("{},{},a\n", quoted(&texts()[n]), TIMES[n]);
    let rows: String = [3, 2, 1, 0].map(row).concat();
    let kept = holds("csv > json-log > text-log", &format!("Text,Date,Host\n{rows}"));
    assert_eq!(kept.frames[0].line, 6);
    let bare = |n: usize| format!("{};{};{}\n", TIMES[n], ["in", "", "out", "in"][n], quoted(&texts()[n][10..]));
    holds("csv > jsonl-wrapped", &format!("time;direction;message\n{}{}{}", bare(0), bare(2), bare(3)));
    assert_eq!(told(b"a,b\n1,2\n"), None);
}

#[test]
fn what_stands_behind_a_list_holds_for_its_records_and_a_cut_document_is_read_as_far_as_it_goes() {
    let event = |n: usize| json!({"ts": TIMES[n], "body": texts()[n]});
    let document = format!("{{\"entries\":[{},{},{},{}],\"node\":\"n1\"}}", event(0), event(1), event(2), event(3));
    assert_eq!(holds(INSIDE, &document).names(), [Some("n1")]);
    let cut = &document[..document.len() - 40];
    let kept = read_as("json-log", cut.as_bytes());
    assert_eq!((kept.frames.len(), kept.skipped.contains(&(1, Skip::CutOff))), (2, true));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(signs in "[\\[\\]{}\",:a-z0-9 \\\\é]{0,80}", at in 0usize..200) {
        let log = lines(|_, time, text| json!({"t": time, "m": text, "l": [{"key": "k", "value": signs}]}));
        let at = (0..=at.min(log.len())).rev().find(|at| log.is_char_boundary(*at)).unwrap_or(0);
        for text in [log[..at].to_string() + &signs, signs.clone() + &log[at..], format!("a,b\n{signs}"), format!("[{signs}")] {
            told(text.as_bytes());
            read_as("json-log", text.as_bytes());
            read_as("csv", text.as_bytes());
        }
    }
}

/// Labels around a list of records tell who sent what is in it, and bytes point to where it stands in the text.
#[test]
fn labels_tell_who_sent_a_message() {
    let stream = |way: &str, lines: [(&str, &str); 3]| {
        let values: Vec<Value> =
            lines.iter().map(|(at, message)| json!([format!("178842330{at}000000000"), message])).collect();
        json!({"stream": {"app": "gw", "way": way}, "values": values})
    };
    let (ask, list) =
        (r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let (welcome, tools) = (r#"{"jsonrpc":"2.0","id":0,"result":{}}"#, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let (roots, none) =
        (r#"{"jsonrpc":"2.0","id":0,"method":"roots/list"}"#, r#"{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}"#);
    let (client, server) = ([("1", ask), ("3", list), ("6", none)], [("2", welcome), ("4", tools), ("5", roots)]);
    let text = json!({"data": {"result": [stream("a", client), stream("b", server)]}}).to_string();
    let reason = told(text.as_bytes()).map(|(_, reason)| reason).unwrap_or_default();
    let said = r#"inside, "data/result/stream/way" tells who sent a message: "a" stands beside what the client sends, "b" beside what the server sends"#;
    assert!(reason.ends_with(said), "{reason}");
    let kept = read_as("json-log", text.as_bytes());
    let sides: Vec<Direction> = kept.frames.iter().map(|frame| frame.direction).collect();
    let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
    assert_eq!(sides, [client, server, client, server, server, client]);
    for frame in &kept.frames {
        assert!(text[frame.byte_offset as usize..].starts_with(r#"{\"jsonrpc\""#), "{}", frame.byte_offset);
    }
}

#[test]
fn a_line_that_is_blank_takes_no_records_of_the_next() {
    let batch = r#"{"records":[{"a":1},{"a":2}]}"#;
    let text = format!("{{\"a\":0}}\n\n{batch}\n{batch}\n");
    let found: Vec<_> = super::innermost(&text).0.into_iter().map(|range| text[range].trim_end()).collect();
    assert_eq!(found, [r#"{"a":0}"#, "", r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1}"#, r#"{"a":2}"#]);
}

#[test]
fn a_row_that_is_two_or_a_part_of_one_is_not_read_in_silence() {
    let row = |at: u32, id: u32| {
        let message = format!(r#"{{""jsonrpc"":""2.0"",""id"":{id},""method"":""add""}}"#);
        format!("2026-05-11T06:02:{at:02}Z,in,\"{message}\"")
    };
    let rows: Vec<String> = (0..20).map(|at| row(at, at)).collect();
    let table = |rows: &[String]| format!("ts,dir,payload\n{}\n", rows.join("\n"));
    let lost = |rows: &[String]| {
        let kept = read_as("csv", table(rows).as_bytes());
        (kept.frames.len(), kept.missing.iter().map(|missing| missing.0).collect::<Vec<_>>())
    };
    let mut glued = rows.clone();
    glued.splice(3..5, [rows[3].clone() + &rows[4]]);
    assert_eq!(lost(&glued), (18, vec![5]));
    let mut torn = rows.clone();
    torn[3] = row(3, 3).split_once("\"\"method").map(|(head, _)| format!("{head}\"")).unwrap_or_default();
    assert_eq!(lost(&torn), (19, vec![5]), "between two quotes that mean one");
    assert_eq!(lost(&rows), (20, vec![]));
}

#[test]
fn pieces_of_a_line_are_one_where_a_tag_says_so() {
    let pieces = [
        ("stdout", "INCOMING: {\"jsonrpc\":\"2.0\",\"id\":1,", false),
        ("stderr", "the cache is \"warm\",\nreally", true),
        ("stdout", "\"method\":\"tools/list\"}", true),
        ("stdout", &texts()[2], true),
        ("stdout", &texts()[3], true),
    ];
    let times = [TIMES[0], TIMES[0], TIMES[1], TIMES[2], TIMES[3]];
    let log = |tag: &dyn Fn(bool) -> Value| {
        let record = |((stream, text, is_last), time): (&(&str, &str, bool), &&str)| {
            let mut record = json!({"log": text, "stream": stream, "time": time, "pod": "p1"});
            record.as_object_mut().expect("an object").append(tag(*is_last).as_object_mut().expect("an object"));
            format!("{record}\n")
        };
        pieces.iter().zip(&times).map(record).collect::<String>()
    };
    let tags: [&dyn Fn(bool) -> Value; 3] = [
        &|is_last| json!({"logtag": if is_last { "F" } else { "P" }}),
        &|is_last| if is_last { json!({}) } else { json!({"partial_message": "true", "partial_last": "false"}) },
        &|is_last| if is_last { json!({}) } else { json!({"_partial": true}) },
    ];
    for tag in tags {
        holds(INSIDE, &log(tag));
    }
}
