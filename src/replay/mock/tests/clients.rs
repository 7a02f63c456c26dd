//! Clients of all kinds: the recorded one by other names, hostile ones, several at once.

use super::*;
use crate::replay::mock::{Cast, Takers};

/// One call of a made-up session: times in milliseconds after its start.
#[derive(Clone, Debug)]
struct Call {
    start: u32,
    tool: u32,
    progress: Vec<u32>,
    cancel: Option<u32>,
    answer: Option<u32>,
}

/// A session as its recorded client or, with other names, as a live one has it.
fn lines(calls: &[Call], id: impl Fn(usize) -> String) -> Vec<(u32, bool, String)> {
    let mut lines = Vec::new();
    for (n, call) in calls.iter().enumerate() {
        let (id, tool) = (id(n), call.tool);
        let params = format!(r#"{{"name":"t{tool}","_meta":{{"progressToken":{id}}}}}"#);
        lines.push((call.start, true, format!(r#"{{"id":{id},"method":"tools/call","params":{params}}}"#)));
        for (at, n) in call.progress.iter().zip(1..) {
            let params = format!(r#"{{"progressToken":{id},"progress":{n}}}"#);
            lines.push((call.start + at, false, format!(r#"{{"method":"notifications/progress","params":{params}}}"#)));
        }
        if let Some(at) = call.cancel {
            let params = format!(r#"{{"requestId":{id}}}"#);
            lines.push((call.start + at, true, format!(r#"{{"method":"notifications/cancelled","params":{params}}}"#)));
        }
        if let Some(at) = call.answer {
            lines.push((call.start + at, false, format!(r#"{{"id":{id},"result":{{"n":{n}}}}}"#)));
        }
    }
    lines.sort_by_key(|(at, ..)| *at);
    let mut last = 0;
    for (at, ..) in &mut lines {
        last = (*at).max(last + 1);
        *at = last;
    }
    lines
}

fn calls() -> impl proptest::strategy::Strategy<Value = Vec<Call>> {
    use proptest::prelude::*;
    let call = (
        0..500u32,
        0..3u32,
        prop::collection::btree_set(1..400u32, 0..3),
        prop::option::of(1..400u32),
        prop::option::of(1..600u32),
    )
        .prop_map(|(start, tool, progress, cancel, answer)| Call {
            start,
            tool,
            // A client that has its answer gets no more progress, and does not cancel.
            progress: progress.into_iter().filter(|at| answer.is_none_or(|answer| *at < answer)).collect(),
            cancel: cancel.filter(|at| answer.is_none_or(|answer| *at < answer)),
            answer,
        });
    prop::collection::vec(call, 1..8)
}

proptest::proptest! {
    /// A client that does what the recorded one did, under names of its own, sees what that one saw, when it saw it.
    #[test]
    fn the_same_client_sees_the_same_server(calls in calls()) {
        let recorded = lines(&calls, |n| n.to_string());
        let side = |client: bool| if client { 'c' } else { 's' };
        let trace: String = recorded.iter().map(|(at, client, text)| format!("{at} {}> {text}\n", side(*client))).collect();
        let live = lines(&calls, |n| format!("\"live-{n}\""));
        let mut stage = Stage::recorded(MCP, &trace);
        let mut seen = Vec::new();
        for (at, client, text) in &live {
            seen.extend(stage.until(i64::from(*at)));
            if *client {
                seen.extend(stage.on(text).into_iter().map(|text| (i64::from(*at), text)));
            }
        }
        seen.extend(stage.until(10_000));
        let wanted: Vec<(i64, String)> =
            live.iter().filter(|line| !line.1).map(|(at, _, text)| (i64::from(*at), text.clone())).collect();
        proptest::prop_assert_eq!(seen, wanted);
        let report = stage.report();
        proptest::prop_assert_eq!((report.missed.len(), report.notes), (0, vec![]));
    }

    /// Nothing that a client sends ends the mock, or makes it panic.
    #[test]
    fn hostile_clients_are_survived(texts in proptest::collection::vec("[\\[{]?(\"id\":[1-3\"x],?|\"method\":\"(tools/call|ping|x)\",?|\"params\":\\{\"requestId\":[1-3]\\}|[\\]}\",:])*", 0..12)) {
        let mut stage = Stage::new(MCP, CALLS);
        for text in texts {
            stage.mock.arrival(stage.now_us, &Incoming::Message { stream: None, bytes: text.into_bytes(), event_id: None });
            stage.drain();
        }
        proptest::prop_assert!(!stage.mock.done());
    }
}

#[test]
fn of_several_connections_a_client_gets_the_one_that_has_what_it_asks() {
    let hello = r#"0 c> {"id":1,"method":"initialize","params":{}}
        1 s> {"id":1,"result":{"serverInfo":{"name":"NAME"}}}"#;
    let of = |name: &str, rest: &str| {
        let trace = format!("{}\n{rest}", hello.replace("NAME", name));
        Arc::new(Script::new(connection(MCP, &trace)))
    };
    let scripts = [
        of(
            "one",
            r#"2 c> {"id":2,"method":"tools/call","params":{"name":"a"}}
            3 s> {"id":2,"result":{"of":"one"}}"#,
        ),
        of(
            "two",
            r#"2 c> {"id":2,"method":"tools/call","params":{"name":"b"}}
            3 s> {"id":2,"result":{"of":"two"}}
            4 c> {"id":3,"method":"ping"}
            5 s> {"id":3,"result":{}}"#,
        ),
    ];
    let play = |asked: &[&str]| {
        let taken = Takers::default();
        let mut cast = Cast::new(&scripts, MockOptions::default(), &taken).expect("a cast");
        cast.arrival(0, &Incoming::Ready);
        let mut said = Vec::new();
        for (at, text) in asked.iter().enumerate() {
            let bytes = format!("{{\"jsonrpc\":\"2.0\",{text}}}").into_bytes();
            cast.arrival(at as i64 + 1, &Incoming::Message { stream: None, bytes, event_id: None });
            while let Some(out) = cast.next() {
                let Outgoing::Message { bytes, .. } = out else { continue };
                said.push(short(&bytes));
            }
        }
        (said.join(" "), cast.finish())
    };
    let initialize = r#""id":7,"method":"initialize","params":{}"#;
    let (said, report) = play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"a"}"#]);
    assert!(said.contains(r#""of":"one""#) && report.part == 0 && report.missed.is_empty(), "{said}");
    let (said, report) =
        play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"b"}"#, r#""id":9,"method":"ping""#]);
    assert!(said.contains(r#""of":"two""#) && report.part == 1 && report.missed.is_empty(), "{said}");
    assert_eq!((said.matches("initialize").count(), said.matches("serverInfo").count()), (0, 1), "answered once");
    assert_eq!(report.served, [1, 1, 1]);
    let (_, report) = play(&[initialize, r#""id":8,"method":"tools/call","params":{"name":"c"}"#]);
    assert_eq!((report.part, report.missed.len()), (0, 1));
}

#[test]
fn of_connections_that_begin_alike_each_client_gets_one_that_is_not_taken() {
    let of = |name: &str, more: &str| {
        let trace = format!(
            r#"0 c> {{"id":1,"method":"tools/call","params":{{"name":"a"}}}}
            1 s> {{"id":1,"result":{{"of":"{name}"}}}}
            {more}"#
        );
        Arc::new(Script::new(connection(MCP, &trace)))
    };
    let more = r#"2 c> {"id":2,"method":"ping"}
            3 s> {"id":2,"result":{}}"#;
    let scripts = [of("one", more), of("two", "")];
    let taken = Takers::default();
    let say = |cast: &mut Cast, text: &str| {
        let bytes = format!("{{\"jsonrpc\":\"2.0\",{text}}}").into_bytes();
        cast.arrival(1, &Incoming::Message { stream: None, bytes, event_id: None });
        std::iter::from_fn(|| cast.next()).map(|out| format!("{out:?}")).count()
    };
    let come = || {
        let mut cast = Cast::new(&scripts, MockOptions::default(), &taken).expect("a cast");
        cast.arrival(0, &Incoming::Ready);
        cast
    };
    let call = r#""id":7,"method":"tools/call","params":{"name":"a"}"#;
    let (mut first, _silent, mut second) = (come(), come(), come());
    assert_eq!((say(&mut first, call), say(&mut second, call)), (1, 1), "answered once");
    assert_eq!(first.finish().part, 0, "who comes first gets the first");
    let mut third = come();
    say(&mut third, call);
    assert_eq!(say(&mut second, r#""id":8,"method":"ping""#), 1, "what only the other one has is asked of that");
    assert_eq!((second.finish().part, third.finish().part), (0, 0));
    let mut fourth = come();
    say(&mut fourth, call);
    assert_eq!(fourth.finish().part, 1, "which leaves its own to others");
}
