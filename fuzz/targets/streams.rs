//! Bytes of a connection, cut anywhere: events of a stream, messages in lines and header blocks, heads, recordings. The first two
//! bytes say where it is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::capture::verify;
use rpctape::wire::{Framing, Reader, SseReader, read_header};

fn events(parts: &[&[u8]]) -> String {
    let mut reader = SseReader::default();
    let mut events: Vec<_> = parts.iter().flat_map(|part| reader.push(part)).collect();
    events.extend(reader.finish());
    format!("{events:?}")
}

fn frames(framing: Option<Framing>, parts: &[&[u8]]) -> Vec<String> {
    let mut framer = Reader::new(framing, 1 << 16);
    let mut frames = Vec::new();
    parts.iter().for_each(|part| framer.feed(part, &mut |event| frames.push(format!("{event:?}"))));
    framer.end(&mut |event| frames.push(format!("{event:?}")));
    frames
}

fuzz_target!(|bytes: &[u8]| {
    let [low, high, stream @ ..] = bytes else { return };
    let cut = usize::from(u16::from_le_bytes([*low, *high])) % (stream.len() + 1);
    let parts = [&stream[..cut], &stream[cut..]];
    assert_eq!(events(&[stream]), events(&parts));
    for framing in [Some(Framing::Lines), Some(Framing::ContentLength), None] {
        assert_eq!(frames(framing, &[stream]), frames(framing, &parts));
    }
    let _ = read_header(stream, 1 << 16);
    let _ = verify(stream);
});
