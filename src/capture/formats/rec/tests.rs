//! Recordings written and read back.

use proptest::prelude::*;

use super::*;
use crate::base64;
use crate::capture::testing::{read, read_as};
use crate::protocol::Side;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const T0: i64 = 1_795_243_441_123_456;

fn header() -> RecHeader<'static> {
    RecHeader {
        tool: "rpctape test",
        session: "6f1c",
        part: 1,
        t0_us: T0,
        proto: Some("mcp"),
        revision: None,
        transport: "stdio",
        vantage: Vantage::Proxy,
        cmd: &[],
        live: None,
    }
}

fn recorded(events: &[RecEvent<'_>]) -> String {
    let mut writer = RecWriter::new(Vec::new(), &header()).expect("a header");
    for (at, event) in events.iter().enumerate() {
        writer.event(Some(T0 + at as i64), 1, None, *event).expect("an event");
    }
    String::from_utf8(writer.finish(Some(T0 + 9), 0).expect("an end").0).expect("UTF-8")
}

#[test]
fn a_protocol_without_its_revision_is_taken_where_no_message_tells_more() {
    let text = recorded(&[RecEvent::Message(Some(Side::Client), PING.as_bytes())]);
    let named = |proto: &str| text.replace(r#""proto":"mcp""#, &format!(r#""proto":"{proto}""#));
    let stated = |proto: &str| read("rec", &named(proto)).channels[0].profile.map(|profile| profile.label());
    assert_eq!(stated("mcp").as_deref(), Some("mcp"));
    assert_eq!(stated("lsp"), Some(protocol::by_name("lsp", None).expect("a profile").label()));
    assert_eq!((stated("acp"), stated("jsonrpc"), stated("of-mine")), (None, None, None));
}

#[test]
fn every_kind_comes_back() {
    let text = recorded(&[
        RecEvent::Open(Some(Side::Client)),
        RecEvent::Message(Some(Side::Client), PING.as_bytes()),
        RecEvent::Message(Some(Side::Server), b"{\"a\":\"\xff\"}"),
        RecEvent::Message(Some(Side::Server), b"{\"id\":"),
        RecEvent::Raw(Some(Side::Server), b"Content-Length"),
        RecEvent::Stderr(b"WARN \"x\""),
        RecEvent::Missing(None, Missing { lost: Some(3), ..Missing::new(Why::Gap) }),
        RecEvent::Close(Some(Side::Server)),
        RecEvent::Exit(Exit::new(None, Some(9))),
    ]);
    let kept = read("rec", &text);
    assert_eq!(
        kept.texts(),
        [
            ("open", "client"),
            ("message", PING),
            ("malformed", "{\"a\":\"\u{fffd}\"}"),
            ("malformed", "{\"id\":"),
            ("malformed", "Content-Length"),
            ("stderr", "WARN \"x\""),
            ("gap", "Some(3)"),
            ("close", "server"),
            ("exit", "was ended by signal 9 (SIGKILL)"),
        ]
    );
    let channel = &kept.channels[0];
    assert_eq!((channel.name.as_deref(), channel.session.as_deref()), (Some("6f1c/1"), Some("6f1c")));
    assert_eq!((channel.complete_head, channel.vantage, channel.one_connection), (Some(true), Vantage::Proxy, true));
    assert_eq!((kept.frames[1].at_us, kept.frames[1].direction), (Some(T0 + 1), Direction::By(Side::Client)));
    assert_eq!(kept.skipped, [(1, Skip::Header), (11, Skip::Header)]);
}

#[test]
fn unknown_members_and_kinds_are_passed_over_and_a_torn_line_is_tolerated() {
    let text = concat!(
        r#"{"rec":1,"session":"s","part":2,"t0":"2026-11-21T06:24:01.123456Z","new":[1]}"#,
        "\n",
        r#"{"q":1,"t":0,"k":"open","c":1}"#,
        "\n",
        r#"{"q":2,"t":1,"k":"msg","c":1,"d":"c","s":4,"new":{"b":"no"},"b":"{\"method\":\"a\",\"id\":1}"}"#,
        "\n",
        r#"{"q":3,"t":2,"k":"sparkle","c":1}"#,
        "\n",
        r#"{"q":4,"t":3,"k":"msg","c":1,"d":"s","b":"{\"id\":1,\"res","trunc":true,"n":99999999}"#,
        "\n",
        r#"{"q":5,"t":4,"k":"msg","c":1,"b":"{\"id\":"#,
    );
    let kept = read("rec", text);
    assert_eq!(kept.texts(), [("open", ""), ("message", r#"{"method":"a","id":1}"#), ("gap", "Some(1)")]);
    assert_eq!(kept.frames[1].stream, Some(4));
    assert_eq!(kept.channels[0].complete_head, None, "part 2 does not hold the start");
    assert_eq!(kept.skipped, [(1, Skip::Header), (4, Skip::Header), (5, Skip::Oversized), (6, Skip::CutOff)]);
}

#[test]
fn what_was_lost_last_is_missing_although_no_event_says_so() {
    let mut writer = RecWriter::new(Vec::new(), &header()).expect("a header");
    writer.event(Some(T0), 1, None, RecEvent::Message(Some(Side::Client), PING.as_bytes())).expect("an event");
    let text = String::from_utf8(writer.finish(Some(T0 + 9), 7).expect("an end").0).expect("UTF-8");
    assert!(text.contains(r#""k":"end","msgs":1,"lost":7,"unsaid":7}"#), "{text}");
    let missing = |text: &str| read("rec", text).missing;
    assert_eq!(missing(&text), [(3, 3, Why::Gap, "the recorder could not write".to_string())]);
    assert_eq!(missing(&text.replace(",\"unsaid\":7", "")), []);
}

#[test]
fn a_recorder_that_was_killed_leaves_no_end_and_the_reader_says_so() {
    let header = r#"{"rec":1,"part":1,"t0":"2026-11-21T06:24:01Z","clock":"monotonic"}"#;
    let ended = |kind: &str| {
        let skipped = read("rec", &format!("{header}\n{{\"q\":1,\"t\":1,\"k\":\"{kind}\",\"c\":1}}\n")).skipped;
        !skipped.contains(&(2, Skip::Unended))
    };
    assert_eq!(["end", "rotate", "open"].map(ended), [true, true, false]);
}

#[test]
fn a_jump_in_the_numbers_is_a_gap_for_every_connection() {
    let event = |q: u32, c: u32, rest: &str| format!("{{\"q\":{q},\"t\":{q},\"c\":{c},{rest}}}\n");
    let open = "\"k\":\"open\"";
    let text = [
        "{\"rec\":1,\"session\":\"s\",\"part\":1,\"t0\":\"2026-11-21T06:24:01Z\"}\n".to_string(),
        event(1, 1, open),
        event(2, 2, open),
        event(5, 2, "\"k\":\"msg\",\"d\":\"c\",\"b\":\"{\\\"method\\\":\\\"a\\\"}\""),
        event(6, 1, "\"k\":\"exit\",\"signal\":9"),
    ]
    .concat();
    let kept = read("rec", &text);
    let message = r#"{"method":"a"}"#;
    assert_eq!(
        kept.texts(),
        [
            ("open", ""),
            ("open", ""),
            ("gap", "Some(2)"),
            ("gap", "Some(0)"),
            ("message", message),
            ("exit", "was ended by signal 9 (SIGKILL)")
        ]
    );
    let headless = read("rec", "{\"rec\":1,\"part\":1}\n{\"q\":3,\"t\":1,\"k\":\"open\",\"c\":1}\n");
    assert_eq!(headless.texts(), [("gap", "Some(2)"), ("open", "")]);
}

#[test]
fn lines_are_valid_without_the_header() {
    let kept =
        read("rec", "{\"q\":7,\"t\":5,\"k\":\"msg\",\"c\":2,\"d\":\"c\",\"b\":\"{\\\"method\\\":\\\"a\\\"}\"}\n");
    let lost = ("gap", "Some(6)");
    assert_eq!((kept.texts(), kept.names()), (vec![lost, ("message", r#"{"method":"a"}"#)], vec![Some("2")]));
    assert_eq!(kept.frames[1].at_us, Some(5));
}

#[test]
fn http_heads_and_what_event_streams_say() {
    let text = recorded(&[
        RecEvent::Http(Some(Side::Client), r#"{"method":"POST","headers":{}}"#),
        RecEvent::Http(Some(Side::Server), r#"{"status":200,"headers":{}}"#),
        RecEvent::Sse(Some(Side::Server), r#"{"id":"7"}"#),
        RecEvent::Message(Some(Side::Server), PING.as_bytes()),
    ]);
    let kept = read("rec", &text);
    assert_eq!(
        kept.texts(),
        [
            ("http", r#"{"method":"POST","headers":{}}"#),
            ("http", r#"{"status":200,"headers":{}}"#),
            ("sse", r#"{"id":"7"}"#),
            ("message", PING),
        ]
    );
    assert_eq!(kept.frames[1].direction, Direction::By(Side::Server));
}

#[test]
fn what_the_recorder_closes_and_what_it_could_not_read() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, PING.as_bytes()).expect("packed");
    let packed = base64::encode(&packer.finish().expect("packed"));
    let text = format!(
        "{{\"rec\":1,\"session\":\"s\",\"transport\":\"http\"}}\n\
         {{\"q\":1,\"t\":0,\"k\":\"raw\",\"c\":1,\"s\":1,\"d\":\"c\",\"b64\":\"{packed}\",\"enc\":\"gzip\"}}\n\
         {{\"q\":2,\"t\":1,\"k\":\"raw\",\"c\":1,\"s\":1,\"d\":\"s\",\"b64\":\"{packed}\",\"enc\":\"br\"}}\n\
         {{\"q\":3,\"t\":2,\"k\":\"raw\",\"c\":1,\"s\":1,\"d\":\"s\",\"b64\":\"AAAA\",\"enc\":\"gzip\"}}\n\
         {{\"q\":4,\"t\":3,\"k\":\"close\",\"c\":1,\"s\":1,\"by\":\"p\",\"how\":\"stopped\",\"answered\":false}}\n"
    );
    let kept = read("rec", &text);
    assert_eq!(kept.texts(), [("message", PING), ("gap", "None"), ("gap", "None")]);
    assert_eq!(kept.skipped, [(1, Skip::Header), (5, Skip::Header)]);
}

proptest! {
    #[test]
    fn any_bytes_come_back(bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 1..8)) {
        let events: Vec<_> = bodies.iter().map(|body| RecEvent::Raw(None, body)).collect();
        let kept = read("rec", &recorded(&events));
        let want: Vec<_> = bodies.iter().map(|body| String::from_utf8_lossy(body).into_owned()).collect();
        prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), want);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\",:a-z0-9\\\\]{0,60}") {
        read_as("rec", &bytes);
        read_as("rec", format!("{{\"rec\":1}}\n{{\"q\":1,\"k\":\"msg\",\"t\":{tail},\"b\":{tail}}}\n{{\"k\":\"msg\",\"b64\":\"{tail}").as_bytes());
    }
}
