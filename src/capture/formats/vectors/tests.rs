//! Lines of the vectors' form, and what they are read as.

use super::*;
use crate::capture::testing::{Kept, read, read_as};
use crate::capture::{Direction, Stamp};
use crate::protocol::Side;
use proptest::prelude::*;

const META: &str = r#"{"meta":{"protocol":"mcp","revision":"2025-06-18","vantage":"client","transport":"stdio","head":"complete","tail":"closed"}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn lines(meta: &str, lines: &[String]) -> Kept {
    read("vectors", &format!("{meta}\n{}\n", lines.join("\n")))
}

fn event(t: &str, dir: &str, rest: &str) -> String {
    format!(r#"{{"n":1,"t":{t},"dir":"{dir}",{rest}}}"#)
}

#[test]
fn what_is_declared_is_handed_on() {
    let close = r#"{"n":3,"t":9,"ev":"close","by":"client"}"#;
    let kept = lines(
        META,
        &[event("0", "c2s", &format!(r#""msg":{PING}"#)), event("2.5", "s2c", r#""raw":"oops""#), close.into()],
    );
    assert_eq!(kept.texts(), [("message", PING), ("malformed", "oops"), ("close", "client")]);
    let times: Vec<_> = kept.frames.iter().map(|frame| frame.at_us).collect();
    assert_eq!(times, [Some(0), Some(2_500), Some(9_000)]);
    assert_eq!(kept.frames[0].direction, Direction::By(Side::Client));
    let channel = &kept.channels[0];
    assert_eq!((channel.complete_head, channel.vantage, channel.one_connection), (Some(true), Vantage::Client, true));
    assert_eq!((channel.name.as_deref(), channel.resolution_us), (None, 1));
    assert_eq!(kept.frames[0].byte_offset as usize, META.len() + 1 + event("0", "c2s", r#""msg":"#).len() - 1);
}

#[test]
fn time_is_the_order_and_equal_times_are_none() {
    let message = |conn: &str, t, id| event(t, "c2s", &format!(r#""conn":"{conn}","msg":{{"id":{id},"method":"a"}}"#));
    let kept = lines(META, &[message("a", "5", 1), message("b", "7", 2), message("a", "3", 3), message("b", "7", 4)]);
    let got: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.channel, frame.at_us)).collect();
    assert_eq!(got, [(4, 0, Some(3_000)), (2, 0, Some(5_000)), (3, 1, None), (5, 1, None)]);
    assert_eq!(kept.names(), [Some("a"), Some("b")]);
}

#[test]
fn http_streams_and_redeliveries() {
    let meta = META.replace("stdio", "http");
    let one = |stream: &str, sse: &str| event("1", "s2c", &format!(r#""stream":{stream},"sse_id":{sse},"msg":{PONG}"#));
    let kept = lines(
        &meta,
        &[
            one("1", "7"),
            one("\"1\"", "8"),
            one("1", "7"),
            r#"{"n":9,"t":5,"ev":"close","by":"client","stream":1}"#.into(),
        ],
    );
    assert_eq!(kept.skipped, [(1, Skip::Header), (4, Skip::Duplicate)]);
    // Each message has the id of its event before it.
    let streams: Vec<_> = kept.frames.iter().map(|frame| frame.stream).collect();
    assert_eq!(streams, [Some(0), Some(0), Some(1), Some(1), Some(0)]);
    assert_eq!(kept.channels[0].transport, Transport::Http);
    assert!(kept.channels[0].proof.covers(Proof::STREAMS));
}

#[test]
fn heads_of_http_are_handed_on_as_they_stand() {
    let head = r#"{"method":"POST","headers":{"accept":"*/*"}}"#;
    let lines = lines(&META.replace("stdio", "http"), &[event("1", "c2s", &format!(r#""stream":1,"http":{head}"#))]);
    assert_eq!(lines.texts(), [("http", head)]);
    assert_eq!((lines.frames[0].stream, lines.frames[0].direction), (Some(0), Direction::By(Side::Client)));
}

#[test]
fn two_taps_become_one_order_with_two_stamps() {
    let meta = META.replace("\"client\"", "\"merged\"");
    let at = |tap: &str, t: &str, dir: &str, message: &str| event(t, dir, &format!(r#""tap":"{tap}","msg":{message}"#));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let late = r#"{"jsonrpc":"2.0","method":"late"}"#;
    let kept = lines(
        &meta,
        &[
            at("client", "10", "c2s", PING),
            at("client", "11", "c2s", cancel),
            at("client", "12", "s2c", PONG),
            at("server", "500", "c2s", PING),
            at("server", "501", "s2c", PONG),
            at("server", "502", "s2c", late),
            at("server", "503", "c2s", &cancel.replace(':', ": ")),
        ],
    );
    let got: Vec<_> = kept
        .frames
        .iter()
        .map(|frame| (frame.line, frame.at_us, frame.taps.map(|taps| taps.map(|tap| tap.map(|tap| tap.seq)))))
        .collect();
    assert_eq!(
        got,
        [
            (2, Some(10_000), Some([Some(0), Some(0)])),
            (3, Some(11_000), Some([Some(1), Some(3)])),
            (4, Some(12_000), Some([Some(2), Some(1)])),
            (7, None, Some([None, Some(2)])),
        ]
    );
    assert_eq!(kept.frames[0].taps.and_then(|taps| taps[1]), Some(Stamp { seq: 0, at_us: Some(500_000) }));
}

#[test]
fn an_undeclared_revision_is_left_open() {
    let kept = lines(&META.replace("2025-06-18", "auto"), &[event("1", "c2s", &format!(r#""msg":{PING}"#))]);
    assert!(kept.channels[0].profile.is_none());
}

#[test]
fn a_cut_last_line_is_no_fault_of_the_traffic() {
    let text =
        format!("{META}\n{}\n\nnoise\n{{\"n\":2,\"t\":1,\"msg\":{{", event("0", "c2s", &format!(r#""msg":{PING}"#)));
    let kept = read("vectors", &text);
    assert_eq!(kept.skipped, [(1, Skip::Header), (3, Skip::Blank), (4, Skip::NotAMessage), (5, Skip::CutOff)]);
}

proptest! {
    #[test]
    fn messages_come_back_in_the_order_of_their_times(times in proptest::collection::vec(0u32..50, 1..40)) {
        let events: Vec<String> = times.iter().enumerate()
            .map(|(id, t)| event(&t.to_string(), "c2s", &format!(r#""msg":{{"id":{id},"method":"m"}}"#))).collect();
        let kept = lines(META, &events);
        let mut want: Vec<(u32, usize)> = times.iter().copied().zip(0..).collect();
        want.sort();
        let want: Vec<String> = want.into_iter().map(|(_, id)| format!(r#"{{"id":{id},"method":"m"}}"#)).collect();
        prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), want);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\",:a-z0-9\\\\]{0,60}") {
        read_as("vectors", &bytes);
        read_as("vectors", format!("{META}\n{tail}\n{{\"t\":{tail},\"msg\":{tail}}}").as_bytes());
    }
}
