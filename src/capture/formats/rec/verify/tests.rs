//! What a chain finds: every change of a small recording, and any of a larger one.

use super::*;
use crate::capture::formats::rec::tampering;
use crate::capture::formats::rec::{RecDetail, RecEvent, RecHeader, RecLive, RecWriter};
use crate::capture::testing::read;
use crate::capture::{Missing, Vantage, Why};
use crate::protocol::Side;

fn header(part: u32) -> RecHeader<'static> {
    RecHeader {
        tool: "rpctape test",
        session: "6f1c",
        part,
        t0_us: 1_795_243_441_123_456,
        proto: None,
        revision: None,
        transport: "stdio",
        vantage: Vantage::Proxy,
        cmd: &[],
        live: Some(RecLive::default()),
    }
}

fn write(writer: &mut RecWriter<Vec<u8>>, at: i64) {
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{at},\"method\":\"a\\u0000b\",\"params\":{{\"n\":{}}}}}",
        at * 7919 % 1000
    );
    let detail = RecDetail { head: (at % 3 == 0).then_some("Content-Length: 9\r\n\r\n"), ..RecDetail::default() };
    let event = RecEvent::Message(Some(Side::Client), text.as_bytes());
    writer.detailed(Some(at), 1, None, event, &detail).expect("an event");
}

fn recorded(events: i64) -> Vec<u8> {
    let mut writer = RecWriter::new(Vec::new(), &header(1)).expect("a header");
    (0..events).for_each(|at| write(&mut writer, at));
    writer.finish(Some(events), 0).expect("an end").0
}

fn look(bytes: &[u8]) -> Verified {
    verify(bytes).expect("bytes can be read")
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Numbers that look random, the same in every run.
fn numbers() -> impl FnMut() -> usize {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    }
}

#[test]
fn what_was_written_is_whole_and_is_read_as_before() {
    let bytes = recorded(4);
    let found = look(&bytes);
    assert!(found.is_whole(), "{found:?}");
    assert_eq!((found.lines, found.sealed, found.end, found.session.as_deref()), (6, 6, End::Closed, Some("6f1c")));
    let kept = read("rec", std::str::from_utf8(&bytes).expect("text"));
    assert_eq!(kept.texts().len(), 4, "{:?}", kept.texts());
    assert_eq!(kept.skipped.len(), 2, "header and end: {:?}", kept.skipped);
}

#[test]
fn a_changed_byte_is_found_wherever_it_stands() {
    tampering::with_bytes(&recorded(3), |bytes| look(bytes).is_whole());
}

#[test]
fn a_line_that_is_removed_moved_or_repeated_is_found() {
    tampering::with_lines(&lines(&recorded(5)), |bytes| look(bytes).is_whole());
}

#[test]
fn it_is_said_where_and_how() {
    let bytes = recorded(5);
    let all = lines(&bytes);
    let faults = |lines: &[&[u8]]| look(&lines.concat()).faults;
    let changed = String::from_utf8_lossy(all[3]).replace("\\\"a", "\\\"z");
    let mut lines = all.clone();
    lines[3] = changed.as_bytes();
    assert_eq!(faults(&lines), [(4, Fault::Changed)]);
    assert_eq!(faults(&[&all[..2], &all[4..]].concat()), [(3, Fault::Jump { after: 1, to: 4 })]);
    assert_eq!(faults(&[&all[..3], &[b"{\"q\":9}\n"], &all[3..]].concat()), [(4, Fault::Foreign)]);
    assert_eq!(faults(&[&all[..], &all[2..3]].concat()), [(8, Fault::Foreign)]);
    let cut = look(&all[..4].concat());
    assert_eq!((cut.lines, cut.wrong, cut.end), (4, 0, End::Cut));
    let torn = look(&bytes[..bytes.len() - 10]);
    assert_eq!((torn.lines, torn.wrong, torn.end), (6, 0, End::Cut));
}

#[test]
fn parts_follow_each_other() {
    let mut writer = RecWriter::new(Vec::new(), &header(1)).expect("a header");
    write(&mut writer, 0);
    let first = writer.turn(Some(1), Vec::new(), &header(2), "a.2.rec.jsonl").expect("another part");
    write(&mut writer, 1);
    let missing = Missing { lost: Some(1), ..Missing::new(Why::Gap) };
    writer.event(Some(2), 1, None, RecEvent::Missing(None, missing)).expect("an event");
    let (second, last) = writer.finish(Some(3), 0).expect("an end");
    let (first, second) = (look(&first), look(&second));
    assert!(first.is_whole() && second.is_whole(), "{first:?} {second:?}");
    assert_eq!(first.end, End::Rotated("a.2.rec.jsonl".to_string()));
    assert_eq!((second.part, second.before, Some(second.last)), (2, Some(first.hands_on), last));
}

#[test]
fn any_change_of_a_larger_one_is_found() {
    let bytes = recorded(60);
    let all = lines(&bytes);
    let mut next = numbers();
    for _ in 0..10_000 {
        let (mut changed, at) = (bytes.clone(), next() % bytes.len());
        let mut changed_lines = all.clone();
        let (line, other) = (next() % all.len(), next() % all.len());
        match next() % 4 {
            0 => changed[at] ^= (next() % 255 + 1) as u8,
            1 => changed.truncate(at),
            2 => {
                changed_lines.remove(line);
                changed = changed_lines.concat();
            }
            _ if line == other => continue,
            _ => {
                changed_lines.swap(line, other);
                changed = changed_lines.concat();
            }
        }
        assert!(!look(&changed).is_whole(), "byte {at}, lines {line} and {other}");
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let mut next = numbers();
    let bytes = recorded(2);
    for _ in 0..300 {
        let mut noise = bytes.clone();
        (0..20).for_each(|_| {
            let at = next() % noise.len();
            noise[at] = next() as u8;
        });
        look(&noise);
    }
    assert_eq!(look(b"").sealed + look(b"\n{}\n").sealed, 0);
}
