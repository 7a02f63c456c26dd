//! Claude Desktop's `mcp-server-NAME.log`: one server's traffic and what it wrote to stderr, seen from the client.
//!
//! Lines are `TIME [SERVER] [LEVEL] Message from client: {...}`, level and name the other way round than in `mcp.log`,
//! and since June 2025 with ` { metadata: undefined }` after the JSON. Lines without a stamp are the server's stderr.
//! A new connection begins at `Initializing server...`. The clock may step back; the order of the file is the order.

use super::claude::{Entry, Servers, is_level, is_telling};
use crate::capture::Skip;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::error::Result;

/// The format.
pub(crate) struct ClaudeServer;

impl Format for ClaudeServer {
    fn name(&self) -> &'static str {
        "claude-desktop-server-log"
    }

    fn about(&self) -> &'static str {
        "Claude Desktop's mcp-server-NAME.log, one server with its stderr"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let is_entry =
            |line: &str| Entry::read(line).is_some_and(|entry| is_level(entry.second) && is_telling(entry.text));
        sample
            .lines()
            .any(is_entry)
            .then(|| Match::new(90, "it has lines `TIME [SERVER] [LEVEL] Message from ...`"))
            .flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Lines(Box::new(ServerReader::default()))
    }
}

#[derive(Default)]
struct ServerReader {
    servers: Servers,
    /// The server whose log it is, known from its first stamped line.
    name: Option<String>,
}

impl LineReader for ServerReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        if let Some(entry) = Entry::read(&text).filter(|entry| is_level(entry.second)) {
            if self.name.as_deref() != Some(entry.first) {
                self.name = Some(entry.first.to_string());
            }
            return self.servers.entry(entry.first, &entry, text.len() - entry.text.len(), line, out);
        }
        match &self.name {
            _ if text.trim_ascii().is_empty() => out.skip(line.number, Skip::Blank),
            Some(_) if is_broken(&text, out) => return out.unread(line.number, line.bytes),
            Some(name) => return self.servers.stderr(name, &text, line, out),
            None => out.skip(line.number, Skip::NotAMessage),
        }
        Ok(())
    }
}

/// True for one half of a stamped line that broke within its stamp: no server wrote it to stderr.
fn is_broken(text: &str, out: &Out<'_>) -> bool {
    // A number alone begins no time.
    let begins = text.contains('-') && out.breaks_off_early(text.as_bytes());
    begins || ["] Message from client: ", "] Message from server: "].iter().any(|label| text.contains(label))
}

#[cfg(test)]
mod tests {
    use crate::capture::Skip;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;

    const LOG: &str = r#"npx: installed 57 in 12.39s
2026-03-01T09:00:00.001Z [notes] [info] Initializing server... { metadata: undefined }
2026-03-01T09:00:00.003Z [notes] [info] Message from client: {"method":"initialize","params":{},"jsonrpc":"2.0","id":0} { metadata: undefined }
Notes server running on stdio

2026-03-01T09:00:00.002Z [notes] [info] Message from server: {"jsonrpc":"2.0","id":0,"result":{}}
2026-03-01T09:00:00.004Z [notes] [info] Message from server: {"jsonrpc":"2.0","id":1,"result":{"text":"aaaa...[4711 chars truncated]
2026-03-01T09:00:00.005Z [notes] [info] Message from server: oops { metadata: undefined }
2026-03-01T09:00:01.000Z [notes] [info] Server transport closed unexpectedly, this is likely due to the process exiting early.
2026-03-01T09:00:01.001Z [notes] [info] Client transport closed
2026-03-01T09:00:02.000Z [notes] [info] Message from client: {"jsonrpc":"2.0","id"#;

    #[test]
    fn messages_stderr_and_the_end() {
        let kept = read("claude-desktop-server-log", LOG);
        assert_eq!(
            kept.texts(),
            [
                ("open", "client"),
                ("message", r#"{"method":"initialize","params":{},"jsonrpc":"2.0","id":0}"#),
                ("stderr", "Notes server running on stdio"),
                ("message", r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
                ("gap", "Some(1)"),
                ("malformed", "oops"),
                ("close", "server"),
            ]
        );
        let skipped =
            [(1, Skip::NotAMessage), (5, Skip::Blank), (7, Skip::CutOff), (10, Skip::NotAMessage), (11, Skip::CutOff)];
        assert_eq!(kept.skipped, skipped);
        assert_eq!(kept.names(), [Some("notes")]);
        assert_eq!(kept.channels[0].complete_head, Some(true));
    }

    #[test]
    fn what_a_shipper_put_before_a_line_is_no_part_of_its_time() {
        let messages = [
            ("client", r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#),
            ("server", r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
        ];
        let shipped = |(side, text): (&str, &str)| {
            let line = format!("2026-03-01T09:00:00.003Z [notes] [info] Message from {side}: {text}");
            format!("2026-03-01T09:00:00+00:00\tkube.notes\t{}\n", serde_json::json!({"log": line, "stream": "stderr"}))
        };
        let kept = read("fluentd", &messages.map(shipped).concat());
        assert_eq!(kept.texts(), messages.map(|(_, text)| ("message", text)));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\" ,:a-z0-9\\\\]{0,60}") {
            read_as("claude-desktop-server-log", &bytes);
            read_as("claude-desktop-server-log", format!("2026-03-01T09:00:00.004Z [x] [info] Message from client: {tail}\n{tail}").as_bytes());
        }
    }
}
