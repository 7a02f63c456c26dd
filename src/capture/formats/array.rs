//! Messages or wrappers in one JSON document: an array, an object with such an array in it, or pretty-printed objects
//! one after the other.
//!
//! Home-made exports and debugging tools write this. The document is read whole. Trailing commas and a missing end
//! are tolerated. What a wrapper looks like is learned as for the line format.

use std::ops::Range;

use super::elements::{Stray, elements, is_by_line};
use super::wrapped::{Layout, Unwrapper};
use crate::capture::Skip;
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::error::Result;
use crate::json::scan::skip_white;

/// The format.
pub(crate) struct Array;

impl Format for Array {
    fn name(&self) -> &'static str {
        "json-array"
    }

    fn about(&self) -> &'static str {
        "one JSON document: an array of messages or wrappers, perhaps inside an object"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text();
        let start = skip_white(text.as_bytes(), 0);
        if !matches!(text.as_bytes().get(start), Some(b'{' | b'[')) || is_by_line(sample) {
            return None;
        }
        let found = elements(text);
        let layout = Layout::learn(found.ranges.iter().map(|range| &text[range.clone()]));
        if layout.hits == 0 || layout.is_doubtful() {
            return None;
        }
        let what = if layout.is_wrapper() { "objects with a JSON-RPC message in each" } else { "JSON-RPC messages" };
        let inner = skip_white(text.as_bytes(), start + 1);
        match text.as_bytes().get(start)? {
            // `[info] ...` is a text log.
            b'[' if !matches!(text.as_bytes().get(inner), Some(b'{' | b'[')) => None,
            b'[' => Match::new(65, format!("it is a JSON array of {what}")),
            _ if found.in_array => Match::new(65, format!("it is a JSON document with an array of {what}")),
            _ if !found.is_sequence(text) => None,
            _ => Match::new(48, format!("it is a sequence of {what}, each over several lines")),
        }
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(ArrayReader))
    }
}

struct ArrayReader;

impl WholeReader for ArrayReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let found = elements(text);
        let layout = Layout::learn(found.ranges.iter().map(|range| &text[range.clone()]));
        let starts: Vec<usize> = found.ranges.iter().map(|range| range.start).collect();
        let mut pieces: Vec<Piece> = found.ranges.into_iter().map(Piece::record).collect();
        pieces.extend(found.strays.into_iter().map(Piece::stray));
        pieces.sort_by_key(|piece| piece.range.start);
        let mut line = LineNumbers::new(text);
        for piece in &mut pieces {
            piece.line = line.of(piece.range.start);
        }
        let place = |piece: &Piece| base + piece.range.start as u64..base + piece.range.end as u64;
        out.order().arrange(&mut pieces, place);
        let names: Vec<(String, usize)> = match found.sessions.iter().any(|(name, _)| !name.is_empty()) {
            true => found.sessions.into_iter().filter_map(|(name, first)| Some((name, *starts.get(first)?))).collect(),
            false => vec![(String::new(), 0)],
        };
        let mut lists: Vec<Vec<Piece>> = names.iter().map(|_| Vec::new()).collect();
        for piece in pieces {
            let after = names.partition_point(|(_, start)| *start <= piece.range.start);
            lists[after.saturating_sub(1)].push(piece);
        }
        for ((name, _), list) in names.iter().zip(lists) {
            let Some(first) = list.first() else { continue };
            if !name.is_empty() {
                out.enter(name, first.line, None, None);
            }
            let mut unwrap = Unwrapper::new(layout.clone());
            for Piece { range, line, stray } in list {
                out.turn_to(line);
                match stray {
                    Some(stray) => stray.pass(text, line, out)?,
                    None => unwrap.record(&text[range.clone()], line, base + range.start as u64, out)?,
                }
            }
            out.leave(name);
        }
        if let Some(at) = found.cut {
            out.skip(line.of(at), Skip::CutOff);
        }
        Ok(())
    }
}

/// A record, or what stands between two.
struct Piece {
    range: Range<usize>,
    line: u64,
    stray: Option<Stray>,
}

impl Piece {
    fn record(range: Range<usize>) -> Piece {
        Piece { range, line: 0, stray: None }
    }

    fn stray(stray: Stray) -> Piece {
        Piece { range: stray.range.clone(), line: 0, stray: Some(stray) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Direction;
    use crate::capture::testing::{read, read_as, told};
    use crate::protocol::Side;
    use proptest::prelude::*;

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[test]
    fn arrays_of_wrappers_and_of_messages() {
        let text = format!(
            "[\n  {{\n    \"time\": 1795243456663,\n    \"from\": \"client\",\n    \"message\": {PING}\n  }},\n  7,\n]\n"
        );
        let kept = read("json-array", &text);
        assert_eq!(kept.texts(), [("message", PING)]);
        let frame = &kept.frames[0];
        assert_eq!(
            (frame.line, frame.direction, frame.at_us),
            (2, Direction::By(Side::Client), Some(1_795_243_456_663_000))
        );
        assert_eq!(&text[frame.byte_offset as usize..][..PING.len()], PING);
        assert_eq!(kept.skipped, [(7, Skip::NotAMessage)]);
        let kept = read("json-array", &format!("[{PING},\n[{PING}], {PING}"));
        let batch = format!("[{PING}]");
        assert_eq!(kept.texts(), [("message", PING), ("batch", batch.as_str()), ("message", PING)]);
    }

    #[test]
    fn documents_with_an_array_in_them_and_pretty_messages() {
        let text = format!(
            "{{\"version\": 1, \"tags\": [\"a\"], \"log\": {{\"messages\": [{PING}, {PING}]}}, \"end\": true}}"
        );
        assert_eq!(read("json-array", &text).texts(), [("message", PING); 2]);
        let pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"ping\"\n}";
        let kept = read("json-array", &format!("{pretty}\n-- noise\n{pretty}\n{}", &pretty[..20]));
        assert_eq!(kept.texts(), [("message", pretty); 2]);
        assert_eq!(kept.skipped, [(6, Skip::NotAMessage), (12, Skip::CutOff)]);
        assert_eq!(kept.frames[1].line, 7);
    }

    #[test]
    fn a_torn_record_takes_none_of_the_others_along() {
        let pretty = |id: u32| {
            format!(
                "  {{\n    \"dir\": \"in\",\n    \"msg\": {{\n      \"jsonrpc\": \"2.0\",\n      \"id\": {id},\n      \"method\": \"ping\"\n    }}\n  }}"
            )
        };
        let torn = |length: usize| pretty(2)[..length].to_string();
        for length in [10, 40, 60] {
            let text = format!("[\n{},\n{}\n{},\n{}\n]\n", pretty(1), torn(length), pretty(3), pretty(4));
            let kept = read("json-array", &text);
            let behind = 11 + torn(length).matches('\n').count() as u64;
            let lines: Vec<u64> = kept.frames.iter().map(|frame| frame.line).collect();
            assert_eq!(lines, [2, behind, behind + 8], "{length}");
            assert_eq!(kept.missing[0].0, 10);
        }
    }

    #[test]
    fn lines_are_left_to_the_line_formats() {
        let name = |text: String| told(text.as_bytes()).map(|(name, _)| name);
        assert_eq!(name(format!("[{PING}]\n[{PING}]\n{PING}\n")), Some("ndjson"));
        assert_eq!(name(format!("{{\"dir\":\"in\",\"msg\":{PING}}}\n")), Some("jsonl-wrapped"));
        assert_eq!(name(format!("{PING}\n")), Some("ndjson"));
        assert_eq!(name("[1,2,3]\n".into()), None);
        let pairs = format!(r#"{{"entries":[{{"request":{{"text":{PING}}},"response":{{"text":{PING}}}}}]}}"#);
        assert_eq!(name(pairs), None);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,30}", 1..10), wrapped in any::<bool>(), inside in any::<bool>()) {
            let messages: Vec<String> = texts.iter().enumerate()
                .map(|(id, text)| serde_json::json!({"jsonrpc": "2.0", "id": id, "method": text}).to_string()).collect();
            let records: Vec<String> = messages.iter()
                .map(|message| if wrapped { format!("{{\"dir\":\"in\",\"msg\":{message}}}") } else { message.clone() }).collect();
            let list = format!("[{}]", records.join(",\n"));
            let kept = read("json-array", &if inside { format!("{{\"messages\":{list}}}") } else { list });
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\",:a-z0-9\\\\]{0,60}") {
            read_as("json-array", &bytes);
            read_as("json-array", format!("[{PING},{tail}").as_bytes());
            read_as("json-array", format!("{{\"a\":{{\"b\":[{PING}{tail}").as_bytes());
        }
    }
}
