//! Logs of a few lines, as recordings.

use super::*;
use crate::pipeline::{Options, Quiet, ingest};
use crate::protocol::Side;
use crate::replay::recording::{Connection, EventKind, Exchange, Recording};
use crate::store::Store;

/// One wrapped message a line: milliseconds, direction, message.
fn log(lines: &[(u32, &str, &str)]) -> String {
    let line = |(t, dir, msg): &(u32, &str, &str)| {
        let (second, milli) = (t / 1_000, t % 1_000);
        format!("{{\"ts\":\"2026-01-05T00:00:{second:02}.{milli:03}Z\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n")
    };
    lines.iter().map(line).collect()
}

fn read(text: &str) -> Connection {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, text).unwrap();
    let mut store = Store::temporary().unwrap();
    ingest(&mut store, &[path.display().to_string()], &Options::default(), &mut Quiet).unwrap();
    let mut recording = load(&store, "a.jsonl").unwrap();
    assert_eq!((recording.name.as_str(), recording.connections.len()), ("a.jsonl", 1));
    recording.connections.remove(0)
}

fn shape(exchange: &Exchange) -> (String, Option<usize>, Vec<usize>, Vec<usize>, Vec<usize>) {
    let Exchange { response, cancels, progress, late, .. } = exchange.clone();
    (exchange.label(), response, cancels, progress, late)
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}"#;

#[test]
fn what_any_connection_may_miss_each_of_them_misses() {
    let part = |number: &str| format!("tests/truth/cases/recording-part-missing/m{number}.rec.jsonl");
    let mut store = Store::temporary().unwrap();
    ingest(&mut store, &[part(""), part(".3")], &Options::default(), &mut Quiet).unwrap();
    let connection = load(&store, "m").unwrap().connections.remove(0);
    let gaps = connection.events.iter().enumerate().filter(|(_, event)| event.what == EventKind::Gap);
    let gaps: Vec<(usize, u64, &str)> = gaps.map(|(at, event)| (at, event.line, event.text.as_str())).collect();
    assert_eq!(gaps, [(5, 2, "part 2 of the recording")]);
    assert_eq!(connection.exchanges[1].request, 4, "it was asked before");
}

/// A recorder that was killed writes no end: what was open then may have been answered.
#[test]
fn a_recording_without_its_end_does_not_show_how_it_ended() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    let killed = read(&log(&[(0, "c2s", INITIALIZE), (5, "s2c", INITIALIZED), (9, "c2s", call)]));
    assert!(
        !killed.complete_tail && killed.is_cut_off(&killed.exchanges[1]) && !killed.is_cut_off(&killed.exchanges[0])
    );
}

#[test]
fn a_call_has_its_progress_its_cancel_and_both_answers() {
    let connection = read(&log(&[
        (0, "c2s", INITIALIZE),
        (5, "s2c", INITIALIZED),
        (6, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
        (
            10,
            "c2s",
            r#"{"jsonrpc":"2.0","id":7.0,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"t"}}}"#,
        ),
        (
            20,
            "s2c",
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}"#,
        ),
        (30, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#),
        (900, "s2c", r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#),
        (950, "s2c", r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#),
        (960, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#),
        (970, "s2c", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#),
    ]));
    let [_, call] = &connection.exchanges[..] else { panic!("{:?}", connection.exchanges) };
    assert_eq!(shape(call), ("#7.0".into(), Some(6), vec![5], vec![4], vec![7]));
    assert_eq!((call.name.as_deref(), call.outcome.as_str(), call.latency_us), (Some("slow"), "result", Some(890_000)));
    let whats: Vec<&EventKind> = connection.events[4..].iter().map(|event| &event.what).collect();
    assert_eq!(
        whats,
        [
            &EventKind::Progress(Some(1)),
            &EventKind::Cancel(Some(1)),
            &EventKind::Response(Some(1)),
            &EventKind::Response(Some(1)),
            &EventKind::Cancel(None),
            &EventKind::Notification,
        ]
    );
    assert!(connection.faults.iter().any(|fault| fault.code == "CAN010" && fault.exchange == Some(1)));
    assert_eq!(connection.events[5].side, Some(Side::Client));
    assert_eq!(connection.profile.revision, "2025-11-25");
}

#[test]
fn a_batch_is_one_event_and_its_members_follow() {
    let connection = read(&log(&[
        (
            0,
            "c2s",
            r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":2,"method":"c"}]"#,
        ),
        (9, "s2c", r#"[{"jsonrpc":"2.0","id":2,"result":1},{"jsonrpc":"2.0","id":1,"result":2}]"#),
    ]));
    assert_eq!(connection.events[0].what, EventKind::Batch(1..4));
    assert_eq!(connection.events[4].what, EventKind::Batch(5..7));
    assert_eq!(connection.events[2].text, r#"{"jsonrpc":"2.0","method":"b"}"#);
    let answers: Vec<_> = connection.exchanges.iter().map(|exchange| (exchange.request, exchange.response)).collect();
    assert_eq!(answers, [(1, Some(6)), (3, Some(5))]);
}

#[test]
fn requests_of_the_server_are_exchanges_of_their_own() {
    let connection = read(&log(&[
        (0, "c2s", INITIALIZE),
        (5, "s2c", INITIALIZED),
        (10, "c2s", r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scan"}}"#),
        (12, "s2c", r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#),
        (15, "c2s", r#"{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}"#),
        (30, "s2c", r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#),
    ]));
    let labels: Vec<_> = connection.exchanges.iter().map(shape).map(|all| (all.0, all.1)).collect();
    assert_eq!(labels, [("#0".into(), Some(1)), ("#2".into(), Some(5)), ("s2".into(), Some(4))]);
}

/// A request that the server sent again on another stream is played and waited for once; the client's are told as they were.
#[test]
fn a_request_that_the_server_sent_again_is_one() {
    let asked = r#"{"jsonrpc":"2.0","id":"x","method":"roots/list","params":{}}"#;
    let line = |t: u32, stream: u32, dir: &str, msg: &str| {
        format!("{{\"t\":{t},\"stream\":{stream},\"dir\":\"{dir}\",\"msg\":{msg}}}\n")
    };
    let meta = r#"{"meta":{"head":"complete","protocol":"mcp","revision":"2025-11-25","tail":"open","transport":"http","vantage":"client"}}"#;
    let text = [
        format!("{meta}\n"),
        line(0, 1, "c2s", INITIALIZE),
        line(5, 1, "s2c", INITIALIZED),
        line(60, 3, "s2c", asked),
        line(61, 4, "s2c", asked),
    ]
    .concat();
    let connection = read(&text);
    let labels: Vec<String> = connection.exchanges.iter().map(Exchange::label).collect();
    assert_eq!(labels, ["#0", "s\"x\""]);
    let told = connection.events.iter().filter(|event| event.text == asked).count();
    assert_eq!(told, 1, "{:?}", connection.events);
}

#[test]
fn updates_of_a_turn_are_signs_of_life_of_its_prompt() {
    let connection = read(&log(&[
        (
            0,
            "c2s",
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#,
        ),
        (
            1,
            "s2c",
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}"#,
        ),
        (2, "c2s", r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#),
        (3, "s2c", r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}"#),
        (
            4,
            "s2c",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"available_commands_update"}}}"#,
        ),
        (5, "c2s", r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[]}}"#),
        (
            6,
            "s2c",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk"}}}"#,
        ),
        (7, "c2s", r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s-1"}}"#),
        (8, "s2c", r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#),
    ]));
    assert_eq!(shape(&connection.exchanges[2]), ("#2".into(), Some(8), vec![7], vec![6], vec![]));
    assert_eq!(connection.events[4].what, EventKind::Notification);
    assert_eq!(connection.exchanges[2].outcome, "cancelled");
}

/// A recording in which call 7 is cancelled 20 ms after it was sent, and what comes then.
fn slow_call_cancelled(then: &[(u32, &str, &str)]) -> Recording {
    let begin = [
        (0, "c2s", INITIALIZE),
        (5, "s2c", INITIALIZED),
        (10, "c2s", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}"#),
        (30, "c2s", r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#),
    ];
    let connections = vec![read(&log(&[&begin[..], then].concat()))];
    Recording { name: "a".into(), format: "jsonl".into(), connections, unread: Vec::new() }
}

#[test]
fn a_control_run_waits_for_what_was_cancelled_and_for_nothing_else() {
    let recording = slow_call_cancelled(&[
        (40, "c2s", r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"quick"}}"#),
        (50, "s2c", r#"{"jsonrpc":"2.0","id":8,"result":{"content":[]}}"#),
    ]);
    assert_eq!(cancelled(&recording), [(0, 1)]);
    let calm = without_cancels(&recording);
    assert_eq!(cancelled(&calm), []);
    let connection = &calm.connections[0];
    let events = connection.events.len();
    assert_eq!(
        (events, connection.exchanges[1].response),
        (recording.connections[0].events.len() + 1, Some(events - 1))
    );
    assert!(connection.events.iter().all(|event| !matches!(event.what, EventKind::Cancel(_))));
    let plan = crate::replay::plan(&calm, &crate::replay::Options::default()).unwrap();
    let labels: Vec<_> = plan.connections[0].steps.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(labels, ["#0 initialize", "#7 tools/call slow", "#8 tools/call quick"]);
    let mut policy = crate::replay::options::Policy { allow_all: true, ..Default::default() };
    let options = crate::replay::Options { policy: policy.clone(), ..Default::default() };
    let plan = crate::replay::plan(&recording, &options).unwrap();
    let names =
        |policy: &_| not_twice(&recording, &plan, policy).into_iter().map(|(.., name)| name).collect::<Vec<_>>();
    assert_eq!(names(&policy), ["#7 tools/call slow", "#8 tools/call quick"]);
    policy.allow_repeat = true;
    assert!(names(&policy).is_empty());
}

#[test]
fn in_a_control_run_what_followed_the_answer_to_a_cancelled_request_waits_for_it() {
    let recording = slow_call_cancelled(&[
        (31, "c2s", r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"beside"}}"#),
        (32, "s2c", r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"cancelled"}}"#),
        (40, "c2s", r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"behind"}}"#),
    ]);
    let plan = crate::replay::plan(&without_cancels(&recording), &crate::replay::Options::default()).unwrap();
    let after =
        |label: &str| plan.connections[0].steps.iter().find(|step| step.label.contains(label)).unwrap().after.clone();
    assert_eq!((after("beside"), after("behind")), (vec![], vec![1]));
}
