//! Claude Desktop's `mcp.log`: the traffic of all its servers, interleaved, seen from the client.
//!
//! Lines are `TIME [LEVEL] [SERVER] Message from client: {...}`. The name of the server is the channel; a new
//! connection begins at `Initializing server...`. Hints that run over several lines belong to nobody. The clock may
//! step back; the order of the file is the order.

use super::claude::{Entry, Servers, is_level, is_telling};
use crate::capture::Skip;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::error::Result;

/// The format.
pub(crate) struct ClaudeMcp;

impl Format for ClaudeMcp {
    fn name(&self) -> &'static str {
        "claude-desktop-mcp-log"
    }

    fn about(&self) -> &'static str {
        "Claude Desktop's mcp.log, all servers in one"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let is_entry = |line: &str| {
            Entry::read(line)
                .is_some_and(|entry| is_level(entry.first) && !is_level(entry.second) && is_telling(entry.text))
        };
        sample
            .lines()
            .any(is_entry)
            .then(|| Match::new(90, "it has lines `TIME [LEVEL] [SERVER] Message from ...`"))
            .flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Lines(Box::new(McpReader::default()))
    }
}

#[derive(Default)]
struct McpReader {
    servers: Servers,
}

impl LineReader for McpReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        match Entry::read(&text) {
            Some(entry) => self.servers.entry(entry.second, &entry, text.len() - entry.text.len(), line, out),
            None => {
                out.skip(line.number, if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::capture::testing::{read, read_as};
    use crate::capture::{Direction, Skip};
    use crate::protocol::Side;
    use proptest::prelude::*;

    const LOG: &str = r#"2026-03-01T09:00:00.001Z [info] [notes] Initializing server...
2026-03-01T09:00:00.002Z [info] [My Files] Message from client: {"method":"ping","jsonrpc":"2.0","id":7}
2026-03-01T09:00:00.003Z [info] [notes] Message from client: {"method":"initialize","params":{},"jsonrpc":"2.0","id":0}
2026-03-01T09:00:00.004Z [info] [notes] Message from server: {"jsonrpc":"2.0","id":0,"result":{}}
2026-03-01T09:00:01.000Z [info] [notes] Client transport closed
2026-03-01T09:00:01.000Z [info] [notes] Server transport closed
2026-03-01T09:00:01.001Z [error] [notes] Server disconnected. For help, see
the documentation
2026-03-01T09:00:02.000Z [info] [notes] Initializing server...
"#;

    #[test]
    fn servers_are_channels_and_connections_open_and_close() {
        let kept = read("claude-desktop-mcp-log", LOG);
        assert_eq!(kept.names(), [Some("notes"), Some("My Files")]);
        let got: Vec<_> = kept.frames.iter().map(|frame| (frame.line, frame.channel, frame.kind)).collect();
        assert_eq!(
            got,
            [(1, 0, "open"), (2, 1, "message"), (3, 0, "message"), (4, 0, "message"), (5, 0, "close"), (9, 0, "open")]
        );
        assert_eq!(kept.skipped, [6, 7, 8].map(|line| (line, Skip::NotAMessage)));
        assert_eq!((kept.channels[0].complete_head, kept.channels[1].complete_head), (Some(true), None));
        let frame = &kept.frames[1];
        assert_eq!((frame.direction, frame.at_us), (Direction::By(Side::Client), Some(1_772_355_600_002_000)));
        assert_eq!(&LOG[frame.byte_offset as usize..][..frame.text.len()], frame.text);
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,30}", 1..10)) {
            let messages: Vec<String> = texts.iter().map(|text| serde_json::json!({"jsonrpc": "2.0", "method": text}).to_string()).collect();
            let log: String = messages.iter().map(|message| format!("2026-03-01T09:00:00.004Z [info] [a b] Message from server: {message}\n")).collect();
            let kept = read("claude-desktop-mcp-log", &log);
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\" ,:a-z0-9\\\\]{0,60}") {
            read_as("claude-desktop-mcp-log", &bytes);
            read_as("claude-desktop-mcp-log", format!("2026-03-01T09:00:00.004Z [{tail}\n2026-03-01T09:00:00.004Z [info] [x] Message from client: {tail}").as_bytes());
        }
    }
}
