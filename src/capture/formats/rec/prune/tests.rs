//! Lines that were taken out of a recording: what is found when anything about them is changed.

use super::*;
use crate::capture::Vantage;
use crate::capture::formats::rec::tampering;
use crate::capture::formats::rec::verify::{Fault, verify};
use crate::capture::formats::rec::{RecEvent, RecHeader, RecLive, RecWriter};
use crate::capture::testing::read;
use crate::protocol::Side;

fn recorded(events: i64) -> Vec<u8> {
    let header = RecHeader {
        tool: "rpctape test",
        session: "6f1c",
        part: 1,
        t0_us: 0,
        proto: None,
        revision: None,
        transport: "stdio",
        vantage: Vantage::Proxy,
        cmd: &[],
        live: Some(RecLive::default()),
    };
    let mut writer = RecWriter::new(Vec::new(), &header).expect("a header");
    for at in 0..events {
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{at},\"method\":\"m{at}\"}}");
        writer.event(Some(at), 1, None, RecEvent::Message(Some(Side::Client), text.as_bytes())).expect("an event");
    }
    writer.finish(Some(events), 0).expect("an end").0
}

fn pruned(events: i64, keep: &[u64]) -> Vec<u8> {
    let (out, whole) = prune(&recorded(events)[..], |line| keep.contains(&line)).expect("bytes");
    assert!(whole.is_whole() && whole.root.is_some());
    out
}

fn look(bytes: &[u8]) -> Verified {
    verify(bytes).expect("bytes can be read")
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

#[test]
fn any_choice_of_lines_comes_to_the_root() {
    for events in 0..7 {
        let whole = look(&recorded(events));
        for choice in 0..1u32 << events {
            let keep: Vec<u64> = (0..events as u64).filter(|at| choice >> at & 1 == 1).map(|at| at + 2).collect();
            let found = look(&pruned(events, &keep));
            assert!(found.is_sound(), "{keep:?} of {events}: {found:?}");
            assert_eq!(found.left, events as u64 - keep.len() as u64);
            let kept = found.kept.iter().flat_map(|(first, last)| *first..=*last).collect::<Vec<_>>();
            let ends = [1, events as u64 + 2];
            assert_eq!(kept, [&ends[..1], &keep, &ends[1..]].concat());
            assert_eq!((found.root, &found.closing), (whole.root, &whole.closing));
            assert_eq!(found.is_whole(), found.left == 0);
        }
    }
}

#[test]
fn a_changed_byte_is_found_wherever_it_stands() {
    tampering::with_bytes(&pruned(9, &[3, 7, 8]), |bytes| look(bytes).is_sound());
}

#[test]
fn a_line_that_is_removed_moved_repeated_or_foreign_is_found() {
    let bytes = pruned(9, &[3, 7, 8]);
    let all = lines(&bytes);
    tampering::with_lines(&all, |bytes| look(bytes).is_sound());
    let other = recorded(10);
    for at in 0..all.len() {
        for foreign in lines(&other).into_iter().filter(|line| !all.contains(line)) {
            let with = [&all[..at], &[foreign], &all[at..]].concat().concat();
            assert!(!look(&with).is_sound(), "a foreign line before {}", at + 1);
        }
    }
    let end = lines(&other)[11];
    let last = [&all[..all.len() - 1], &[end]].concat().concat();
    assert!(!look(&last).is_sound(), "the end of another recording");
}

#[test]
fn a_changed_line_is_named_and_the_others_are_not() {
    let bytes = pruned(9, &[3, 7, 8]);
    let all = lines(&bytes);
    for (at, line) in all.iter().enumerate().filter(|(_, line)| Left::read(line).is_none()) {
        // What it says, and its number.
        for (old, new) in [("\"t\":", "\"T\":"), ("\"q\":", "\"q\":1"), ("\"rec\":1", "\"rec\":2")] {
            let changed = String::from_utf8_lossy(line).replace(old, new);
            let mut lines = all.clone();
            lines[at] = changed.as_bytes();
            let found = look(&lines.concat());
            let places: Vec<u64> = found.faults.iter().map(|(line, _)| *line).collect();
            assert!(changed.as_bytes() == *line || places == [at as u64 + 1], "{at} {new}: {:?}", found.faults);
        }
    }
}

#[test]
fn a_chain_that_was_made_anew_does_not_come_to_the_root() {
    let bytes = pruned(9, &[3, 7]);
    let all = lines(&bytes);
    // The line behind a stretch, with another text and a right hash, and all hashes after it made anew.
    let before = Left::read(all[3]).expect("a stretch").before;
    let mut forged = String::from_utf8_lossy(sealed(all[4]).expect("a line").0).replace("m5", "m6");
    let link = crate::capture::formats::rec::chain::seal(&mut forged, before);
    let mut left = Left::read(all[5]).expect("a stretch");
    left.before = link;
    let mut end = String::from_utf8_lossy(sealed(all[6]).expect("the end").0).into_owned();
    crate::capture::formats::rec::chain::seal(&mut end, link);
    let text = [&all[..4].concat()[..], forged.as_bytes(), left.written().as_bytes(), end.as_bytes()].concat();
    let found = look(&text);
    assert_eq!(found.faults, [(7, Fault::Root)]);
}

#[test]
fn a_reader_finds_no_gap_where_lines_were_left_out() {
    let kept = read("rec", std::str::from_utf8(&pruned(9, &[3, 7, 8])).expect("text"));
    assert_eq!(kept.texts().len(), 3, "{:?}", kept.texts());
    let bytes = pruned(9, &[3, 7, 8]);
    let all = lines(&bytes);
    let torn = [&all[..3], &all[4..]].concat().concat();
    assert!(read("rec", std::str::from_utf8(&torn).expect("text")).texts().len() > 3, "a gap is a frame of its own");
}
