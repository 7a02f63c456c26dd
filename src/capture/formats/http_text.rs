//! HTTP as text: what `curl -v`, HTTPie, OkHttp's logging interceptor, Burp and GoReplay print, and what is typed off a wire.
//!
//! A line that begins a request (`POST /mcp HTTP/1.1`, `--> POST https://..`) or a response (`HTTP/1.1 200 OK`, `<-- 200 https://..`)
//! tells who sends what stands below it. Whoever prints from several threads at once mixes lines: a body whose first line came and
//! which did not come itself may stand further down, and what follows is nobody's until the next such line.

use crate::capture::anywhere::{Form, Piece, Row, Scanner, json_of};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::literal::{put_cut, put_json};
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Channel, Direction, Skip, Transport, time};
use crate::error::Result;
use crate::jsonrpc::{NoLift, Parsed, parse_at};
use crate::protocol::{Sender, Side, sender_of};

/// The format.
pub(crate) struct HttpText;

/// Surer than words that were learned, and than headers with a length.
const SCORE: u8 = 60;

impl Format for HttpText {
    fn name(&self) -> &'static str {
        "http-text"
    }

    fn about(&self) -> &'static str {
        "HTTP requests and responses as text: curl, HTTPie, OkHttp, Burp, GoReplay"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let counts = count(sample);
        let all: usize = counts.below.iter().sum::<usize>() + counts.nobody;
        let both = counts.edges.iter().all(|count| *count > 0) && counts.below.iter().all(|count| *count > 0);
        let fits = both && counts.denied == 0 && counts.nobody * 5 <= all;
        let [client, server] = counts.below;
        fits.then(|| {
            Match::new(
                SCORE,
                format!("{client} messages stand below the first lines of requests, {server} below those of responses"),
            )
        })
        .flatten()
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Ordered(Box::<TextReader>::default())
    }
}

/// The longest first line of a request or a response.
const LONGEST: usize = 4096;

const VERBS: [&str; 7] = ["POST", "GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"];

/// The first line of a request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    side: Side,
    /// True if something has to follow it.
    owes: bool,
}

/// Reads the first line of a request or a response, whatever a logger put before it.
fn edge(line: &str) -> Option<Edge> {
    if line.len() > LONGEST || !(line.contains("HTTP") || line.contains("--")) {
        return None;
    }
    // In XML the text begins behind its own mark.
    let line = line.rsplit_once("[CDATA[").map_or(line, |(_, text)| text);
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map(|at| words[at]);
        let is_status = next.len() == 3 && next.bytes().all(|byte| byte.is_ascii_digit());
        let is_target = next.starts_with('/') || next.starts_with("http://") || next.starts_with("https://");
        let in_http = words.get(at + 2).is_some_and(|version| version.starts_with("HTTP/"));
        if VERBS.contains(word) && is_target && (in_http || before == Some("-->")) {
            // Of what it sends `curl -v` shows the head alone.
            return Some(Edge { side: Side::Client, owes: *word == "POST" && before != Some(">") });
        }
        let answers = is_status && (word.starts_with("HTTP/") || *word == "<--");
        let failed = *word == "<--" && next == "HTTP";
        (answers && !before.is_some_and(is_path) || failed).then_some(Edge { side: Side::Server, owes: false })
    })
}

/// True for what stands before a version in the first line of a request.
fn is_path(word: &str) -> bool {
    word.starts_with(['/', '"'])
}

/// Who sends what stands below a line.
#[derive(Default)]
struct Sides {
    now: Option<Side>,
    /// How many bodies are to come that have not come.
    owed: usize,
}

impl Sides {
    /// Takes a line that holds no message. True for the first line of a request or a response.
    fn line(&mut self, line: &str) -> bool {
        let Some(edge) = edge(line) else {
            self.header(&line.to_ascii_lowercase());
            return false;
        };
        // Bodies of the other side are still to come: whose the next one is, nothing tells.
        let mixed = self.owed > 0 && self.now != Some(edge.side);
        self.now = (!mixed).then_some(edge.side);
        self.owed += usize::from(edge.owes);
        true
    }

    fn header(&mut self, line: &str) {
        if line.contains("content-length: 0") || line.contains("body omitted") {
            self.owed = self.owed.saturating_sub(1);
        } else if self.now == Some(Side::Server) && line.contains("content-type: application/json") {
            self.owed += 1;
        }
    }

    /// Who sends a message, with what stands before it: on a command line that is the client.
    fn of(&mut self, before: &str) -> Option<Side> {
        self.owed = self.owed.saturating_sub(1);
        let words = before.trim_end_matches(['\'', '"', '$', ' ']);
        let flags = ["-d", "--data", "--data-raw", "--data-binary", "--json"];
        if flags.iter().any(|flag| words.ends_with(flag)) { Some(Side::Client) } else { self.now }
    }
}

/// What the head of a text holds.
#[derive(Default)]
struct Counts {
    /// First lines of requests and of responses.
    edges: [usize; 2],
    /// Messages below them.
    below: [usize; 2],
    nobody: usize,
    /// Messages that the other side sends.
    denied: usize,
}

fn count(sample: &Sample) -> Counts {
    let (mut counts, mut sides, mut scanner) = (Counts::default(), Sides::default(), Scanner::new(false));
    let (mut scratch, mut bytes) = (String::new(), Vec::new());
    for text in sample.text().split('\n') {
        let row = Row { text: text.trim_end_matches('\r'), number: 0, offset: 0 };
        // What a closure does that never fails does not fail.
        let took = scanner.line(&row, &mut |piece| {
            let Some(side) = sides.of(piece.before) else {
                counts.nobody += 1;
                return Ok(());
            };
            counts.below[usize::from(side == Side::Server)] += 1;
            let json = json_of(piece.payload, &mut scratch, &mut bytes).map(|(json, _)| parse_at::<NoLift>(json, 0));
            if let Ok(Ok((Parsed::One(message, _), _))) = json {
                let other = if side == Side::Client { Sender::Server } else { Sender::Client };
                counts.denied += usize::from(sender_of(message.method()) == Some(other));
            }
            Ok(())
        });
        if !took.unwrap_or(true) && sides.line(row.text) {
            counts.edges[usize::from(sides.now == Some(Side::Server))] += 1;
        }
    }
    counts
}

/// The time that stands before the first line of a request or a response, or that GoReplay has above it.
fn time_of(line: &str) -> Option<time::Time> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(3).collect();
    let two = words.get(1).map(|second| line.find(second).unwrap_or(0) + second.len());
    let is_count = matches!(words[..], ["1" | "2" | "3", _, at, ..] if at.len() == 19);
    if is_count {
        return time::epoch(words[2]);
    }
    let first = words.first().filter(|first| first.contains(':') || first.contains('T'))?;
    two.and_then(|end| time::parse(&line[..end])).or_else(|| time::parse(first))
}

#[derive(Default)]
struct TextReader {
    scanner: Scanner,
    state: State,
}

#[derive(Default)]
struct State {
    sides: Sides,
    channel: Option<u32>,
    at_us: Option<i64>,
    json: String,
    bytes: Vec<u8>,
}

impl LineReader for TextReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let row = Row { text: text.trim_end_matches('\r'), number: line.number, offset: line.offset };
        let state = &mut self.state;
        if !self.scanner.line(&row, &mut |piece| state.put(piece, out))? {
            state.pass(row.text, out);
            out.skip(line.number, if row.text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
        }
        if let Some(passed) = self.scanner.passed() {
            out.skip(passed, Skip::NotAMessage);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        if let Some(line) = self.scanner.end() {
            out.skip(line, Skip::CutOff);
        }
        Ok(())
    }
}

impl State {
    fn put(&mut self, piece: &Piece<'_>, out: &mut Out<'_>) -> Result<()> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel { transport: Transport::Http, ..Channel::default() })?,
        };
        self.channel = Some(channel);
        let direction = self.sides.of(piece.before).map_or(Direction::Unknown, Direction::By);
        let at_us = self.time(piece.before, out);
        let place =
            Place { line: piece.line, byte_offset: piece.offset, channel, at_us, direction, stream: None, taps: None };
        match json_of(piece.payload, &mut self.json, &mut self.bytes) {
            Ok((json, Form::Printed(_))) => put_json(out, &place, piece.payload, json),
            Ok((json, _)) => out.promised(&place, json, false),
            Err(fault) => put_cut(out, &place, fault.cut),
        }
    }

    /// A line without a message.
    fn pass(&mut self, line: &str, out: &Out<'_>) {
        if !line.trim_ascii().is_empty() {
            self.sides.line(line);
            self.at_us = self.time(line, out);
        }
    }

    /// The time that a line tells, or the newest.
    fn time(&self, line: &str, out: &Out<'_>) -> Option<i64> {
        time_of(line).map(|time| time.placed(out.zoning())).or(self.at_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read_as, told};
    use proptest::prelude::*;

    #[test]
    fn first_lines_tell_who_sends() {
        let side = |line: &str| edge(line).map(|edge| edge.side);
        for line in [
            "POST /mcp HTTP/1.1",
            "> POST /mcp HTTP/2",
            "08:15:00.118 I --> POST https://a.test/mcp",
            "<request><![CDATA[POST /mcp HTTP/1.1",
        ] {
            assert_eq!(side(line), Some(Side::Client), "{line}");
        }
        for line in [
            "HTTP/1.1 200 OK",
            "< HTTP/2 202",
            "I  <-- 200 https://a.test/mcp (40ms)",
            "<-- HTTP FAILED: java.io.IOException",
        ] {
            assert_eq!(side(line), Some(Side::Server), "{line}");
        }
        for line in [
            "\"POST /mcp HTTP/1.1\" 200 OK",
            "INFO POST /mcp 200",
            "Content-Length: 200",
            "--> END POST (20-byte body)",
        ] {
            assert_eq!(side(line), None, "{line}");
        }
    }

    #[test]
    fn an_access_log_is_none() {
        let log = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nPOST /mcp HTTP/1.1 200\n";
        assert_ne!(told(log.repeat(3).as_bytes()).map(|(name, _)| name), Some("http-text"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\" ,:a-z0-9\\\\]{0,60}") {
            read_as("http-text", &bytes);
            read_as("http-text", format!("POST /a HTTP/1.1\n{tail}\nHTTP/1.1 200 OK\n{tail}").as_bytes());
        }
    }
}
