use super::tests::read_by;
use crate::capture::testing::Kept;
use crate::capture::{Direction, Overrides, Proof, Skip};
use crate::protocol::Side;

fn texts(kept: &Kept) -> Vec<&str> {
    kept.frames.iter().map(|frame| frame.json.as_deref().unwrap_or(frame.kind)).collect()
}

const LINES: &str = r#"name = "x"
[record]
start = '^(?<dir>in|out) (?<kind>\w+)(?: #(?<id>\S+))? (?<method>\S+) ?(?<payload>.*)$'
[payload]
is = "params"
[kind]
map = { ask = "request", tell = "notification", "re*" = "response", oops = "error" }
[direction]
map = { in = "c2s", out = "s2c" }
"#;

#[test]
fn a_payload_may_be_params_result_or_error_alone() {
    let log = "in ask #7 m {\"a\":1}\nin tell $/cancelRequest {\"id\":7}\nout reply #7 m null\n\
               out oops #\"8\" m {\"code\":-1,\"message\":\"no\"}\nin tell exit\nin ask #w shutdown null\n";
    let kept = read_by(LINES, log, &Overrides::default());
    assert_eq!(
        texts(&kept),
        [
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":"8","error":{"code":-1,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","method":"exit"}"#,
            r#"{"jsonrpc":"2.0","id":"w","method":"shutdown"}"#,
        ]
    );
    let proof = kept.channels[0].proof;
    assert!(proof.covers(Proof::PAYLOAD.and(Proof::CANCEL_TARGET).and(Proof::ERROR_CODE)));
    assert!(!proof.covers(Proof::ENVELOPE), "the envelope is the reader's own");
    let first = &kept.frames[0];
    assert_eq!(&log[first.byte_offset as usize..][..first.text.len()], "in ask #7 m {\"a\":1}");
}

#[test]
fn a_cut_cancel_is_a_gap_and_a_cut_request_has_no_params() {
    let kept = read_by(LINES, "in tell $/cancelRequest {\"id\nin ask #1 m {\"a\":\n", &Overrides::default());
    assert_eq!(texts(&kept), ["gap", r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#]);
}

const MEMBERS: &str = r#"name = "x"
[record]
start = '^(?<payload>\{)'
[message]
kind = "/event | /type"
id = "/rid"
method = "/method"
params = "/req"
result = "/res"
text = "/failed"
[kind]
map = { ask = "request", ans = "response", one = "exchange" }
rules = [{ if = "/stopped == true", is = "skip" }]
[direction]
pointer = "/event"
map = { ask = "c2s", ans = "s2c", one = "c2s" }
[time]
pointer = "/at"
took = "/ms"
"#;

#[test]
fn parts_stand_at_pointers_and_tests_go_before_words() {
    let log = r#"{"event":"ask","rid":"a","method":"tools/call","req":{"name":"x"}}
{"event":"ask","rid":"b","method":"tools/call","req":"{cut...","stopped":true}
{"event":"other","rid":"b","method":"x"}
{"event":"ans","rid":"a","failed":"broken \"pipe\""}
{"type":"ask","rid":1.5,"method":"a\/b","req":"******"}
"#;
    let kept = read_by(MEMBERS, log, &Overrides::default());
    assert_eq!(
        texts(&kept),
        [
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"message":"broken \"pipe\""}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"a/b"}"#,
        ]
    );
    assert_eq!(kept.skipped, [(2, Skip::Header), (3, Skip::Header)]);
    assert!(!kept.channels[0].proof.covers(Proof::ERROR_CODE), "there is no place for a code");
}

#[test]
fn an_exchange_is_a_request_and_its_answer_with_the_times_of_both() {
    let log = r#"{"event":"one","rid":4,"method":"m","at":"2026-01-01T00:00:01Z","ms":250}"#;
    let kept = read_by(MEMBERS, log, &Overrides::default());
    let times: Vec<_> = kept.frames.iter().map(|frame| frame.at_us.map(|us| us % 60_000_000)).collect();
    assert_eq!(times, [Some(750_000), Some(1_000_000)]);
    let directions: Vec<_> = kept.frames.iter().map(|frame| frame.direction).collect();
    assert_eq!(directions, [Direction::By(Side::Client), Direction::By(Side::Server)]);
    assert_eq!(kept.channels[0].transport, crate::capture::Transport::Http, "the order of records tells nothing");
}

#[test]
fn without_ids_an_answer_belongs_to_the_only_open_request() {
    let text = format!("{MEMBERS}\n[connection]\nkey = [\"/to\"]\n").replace("rid\"", "rid\"\nids = \"logger\"");
    let line =
        |event: &str, to: &str| format!("{{\"event\":\"{event}\",\"rid\":1,\"method\":\"m\",\"to\":\"{to}\"}}\n");
    let log: String =
        [("ask", "a"), ("ask", "b"), ("ans", "b"), ("ans", "a"), ("ask", "a"), ("ask", "a"), ("ans", "a")]
            .iter()
            .chain(&[("ans", "a"), ("ask", "a"), ("ans", "a")])
            .map(|(event, to)| line(event, to))
            .collect();
    let kept = read_by(&text, &log, &Overrides::default());
    let ids: Vec<String> = texts(&kept).iter().map(|text| text.split([':', ',']).nth(3).unwrap_or("").into()).collect();
    assert_eq!(ids, ["1", "1", "1", "1", "2", "3", "null", "null", "4", "4"]);
    assert!(!kept.channels[0].proof.covers(Proof::ALL_ANSWERS));
}

#[test]
fn two_processes_are_a_connection_whoever_speaks() {
    let text = "name = \"x\"\n[record]\nstart = '^(?<payload>\\{)'\n[payload]\npointer = \"/m\"\n\
                [direction]\nfrom = \"/f\"\nto = \"/t\"\n";
    let line =
        |from: u8, to: u8| format!("{{\"f\":{from},\"t\":{to},\"m\":{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}}}\n");
    let log = [(9, 3), (3, 9), (3, 4)].map(|(from, to)| line(from, to)).concat();
    let kept = read_by(text, &log, &Overrides::default());
    let found: Vec<_> = kept.frames.iter().map(|frame| (frame.channel, frame.direction)).collect();
    assert_eq!(found, [(0, Direction::Received), (0, Direction::Sent), (1, Direction::Sent)]);
    assert_eq!(kept.names(), [Some("3-9"), Some("3-4")]);
}

#[test]
fn a_definition_with_the_sides_turned_round_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_string_lossy().into_owned()
    };
    let definition = LINES.replace("in = \"c2s\", out = \"s2c\"", "in = \"s2c\", out = \"c2s\"");
    let definition = write("mine.toml", &definition);
    let log = write("x.log", "in ask #1 initialize {}\nout reply #1 initialize {}\n");
    let overrides = Overrides { format: Some(definition), ..Overrides::default() };
    let error = crate::capture::explain(&log, &overrides).expect_err("the wrong way round");
    assert!(error.message.contains("the wrong side sends initialize (line 1)"), "{error}");
}
