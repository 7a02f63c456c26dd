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
fn other_line_ends_are_a_change_of_every_line() {
    let whole = recorded(4);
    let text = String::from_utf8(whole.clone()).expect("text");
    let changed = look(text.replace('\n', "\r\n").as_bytes());
    assert_eq!((changed.sealed, changed.wrong, changed.is_sound()), (6, 6, false));
    assert_eq!(look(b"{\"a\":1}\r\n{\"hash\":\"abc\"}\r\n").sealed, 0);
    assert!(look(&whole).is_sound());
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
    assert_eq!(faults(&[&all[..2], &all[4..]].concat()), [(3, Fault::Jump { after: Some(1), to: 4 })]);
    assert_eq!(faults(&[&all[..1], &all[2..]].concat()), [(2, Fault::Jump { after: None, to: 2 })]);
    // A changed number is a change, and no hole.
    let renumbered = String::from_utf8_lossy(all[3]).replace("\"q\":3", "\"q\":7");
    let mut numbered = all.clone();
    numbered[3] = renumbered.as_bytes();
    assert_eq!(faults(&numbered), [(4, Fault::Changed)]);
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

/// Whether these lines are whole behind what was walked before. Ends where something was found.
fn is_whole_behind<'l>(before: &Walk, lines: impl Iterator<Item = &'l [u8]>) -> bool {
    let mut walk = before.clone();
    for line in lines {
        walk.line(line);
        if walk.verified.wrong > 0 {
            return false;
        }
    }
    walk.end().is_whole()
}

/// Each change of a large recording is looked at behind what was walked once.
#[test]
fn any_change_of_a_large_one_is_found() {
    let bytes = recorded(20_000);
    let all = lines(&bytes);
    let mut walks = vec![Walk::new()];
    for line in &all {
        let mut walk = walks[walks.len() - 1].clone();
        walk.line(line);
        walks.push(walk);
    }
    let rest = |from: usize| all[from..].iter().copied();
    assert!(is_whole_behind(&walks[0], rest(0)) && is_whole_behind(&walks[9_000], rest(9_000)));
    let mut next = numbers();
    for case in 0..10_000 {
        let (line, other) = (next() % (all.len() - 1), next() % all.len());
        let (byte, flip) = (next() % all[line].len(), (next() % 255 + 1) as u8);
        let (first, last) = (line.min(other), line.max(other));
        // A newline that was changed makes one line of two.
        let mut changed = all[line..line + 2].concat();
        changed[byte] ^= flip;
        let swapped = [last].into_iter().chain(first + 1..last).chain([first]).map(|at| all[at]).chain(rest(last + 1));
        let passes = match case % 4 {
            0 => is_whole_behind(&walks[line], lines(&changed).into_iter().chain(rest(line + 2))),
            1 => is_whole_behind(&walks[line], [&all[line][..byte]].into_iter()),
            2 => is_whole_behind(&walks[line], rest(line + 1)),
            _ => first < last && is_whole_behind(&walks[first], swapped),
        };
        assert!(!passes, "kind {}, line {line}, byte {byte} ^ {flip:#x}, line {other}", case % 4);
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
