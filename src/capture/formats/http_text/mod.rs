//! HTTP as text: what `curl -v`, HTTPie, OkHttp's logging interceptor, Burp and GoReplay print, and what is typed off a wire.
//!
//! A line that begins a request (`POST /mcp HTTP/1.1`, `--> POST https://..`) or a response (`HTTP/1.1 200 OK`, `<-- 200 https://..`)
//! tells who sends what stands below it. Whoever prints from several threads at once mixes lines: a body whose first line came and
//! which did not come itself may stand further down, and what follows is nobody's until the next such line.
//!
//! A response belongs to the only request that waits for one, and what stands in it has one order; where several wait, it is not known
//! whose it is.

mod clients;
mod edge;

use clients::Clients;
pub(super) use edge::edge;
use edge::{Sides, Waiting};

use crate::capture::anywhere::{Piece, Row, Scanner};
use crate::capture::encoded::{Form, json_of};
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::Line;
use crate::capture::out::Out;
use crate::capture::place::Place;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Missing, Skip, Transport, Why, time};
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
        let fits = both && counts.denied == 0 && (counts.nobody + counts.cut.saturating_sub(1)) * 5 <= all;
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

/// What the head of a text holds.
#[derive(Default)]
struct Counts {
    /// First lines of requests and of responses.
    edges: [usize; 2],
    /// Messages below them.
    below: [usize; 2],
    nobody: usize,
    /// Those before the first of these lines.
    cut: usize,
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
                // The body whose first line was cut off stands before all others.
                counts.cut += usize::from(sides.is_new());
                counts.nobody += usize::from(!sides.is_new());
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
        if !took.unwrap_or(true) && sides.line(row.text).is_some() {
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
    waiting: Waiting,
    clients: Clients,
    channel: Option<u32>,
    at_us: Option<i64>,
    /// The newest line without a message.
    line: u64,
    json: String,
    bytes: Vec<u8>,
}

impl LineReader for TextReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = line.text();
        let row = Row { text: text.trim_end_matches('\r'), number: line.number, offset: line.offset };
        let state = &mut self.state;
        if !self.scanner.line(&row, &mut |piece| state.put(piece, out))? {
            state.pass(&row, out)?;
            out.skip(line.number, if row.text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage });
        }
        if let Some(passed) = self.scanner.passed() {
            out.skip(passed, Skip::NotAMessage);
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        let end = Row { text: "", number: self.state.line, offset: 0 };
        self.state.close(&end, out)?;
        if let Some(line) = self.scanner.end() {
            out.skip(line, Skip::CutOff);
        }
        Ok(())
    }
}

impl State {
    fn put(&mut self, piece: &Piece<'_>, out: &mut Out<'_>) -> Result<()> {
        let channel = self.channel(out)?;
        let side = self.sides.of(piece.before);
        let stream = self.waiting.of(side);
        let direction = side.map_or(Direction::Unknown, Direction::By);
        let at_us = self.time(piece.before, out);
        let place =
            Place { line: piece.line, byte_offset: piece.offset, channel, at_us, direction, stream, taps: None };
        match json_of(piece.payload, &mut self.json, &mut self.bytes) {
            Ok((json, form)) => {
                let mixes = side == Some(Side::Client) && self.clients.asks(json);
                match form {
                    Form::Printed(_) => out.put_json(&place, piece.payload, json)?,
                    _ => out.promised(&place, json, false)?,
                }
                if mixes { mixed(&place, out) } else { Ok(()) }
            }
            Err(fault) => out.put_cut(&place, fault.cut),
        }
    }

    fn channel(&mut self, out: &mut Out<'_>) -> Result<u32> {
        let channel = match self.channel {
            Some(channel) => channel,
            None => out.channel(Channel { transport: Transport::Http, ..Channel::default() })?,
        };
        self.channel = Some(channel);
        Ok(channel)
    }

    /// A line without a message.
    fn pass(&mut self, row: &Row<'_>, out: &mut Out<'_>) -> Result<()> {
        self.line = row.number;
        if row.text.trim_ascii().is_empty() {
            return Ok(());
        }
        if self.clients.header(row.text) {
            let place = self.place(row, Direction::Unknown, 0, out)?;
            mixed(&place, out)?;
        }
        let edge = self.sides.line(row.text);
        if edge.is_some() {
            self.close(row, out)?;
        }
        self.at_us = self.time(row.text, out);
        let Some(edge) = edge else { return Ok(()) };
        self.waiting.edge(edge);
        let (Some(stream), Some(status)) = (self.waiting.refused, edge.status) else { return Ok(()) };
        let place = self.place(row, Direction::By(Side::Server), stream, out)?;
        out.put(&place, Body::Http { head: &format!(r#"{{"status":{status}}}"#) })
    }

    /// A refusal is the end of its request.
    fn close(&mut self, row: &Row<'_>, out: &mut Out<'_>) -> Result<()> {
        let Some(stream) = self.waiting.refused.take() else { return Ok(()) };
        let place = self.place(row, Direction::Unknown, stream, out)?;
        out.put(&place, Body::Close { by: Some(Side::Server) })
    }

    fn place(&mut self, row: &Row<'_>, direction: Direction, stream: u32, out: &mut Out<'_>) -> Result<Place> {
        let (channel, at_us, stream) = (self.channel(out)?, self.at_us, Some(stream));
        Ok(Place { line: row.number, byte_offset: row.offset, channel, at_us, direction, stream, taps: None })
    }

    /// The time that a line tells, or the newest.
    fn time(&self, line: &str, out: &Out<'_>) -> Option<i64> {
        time_of(line).map(|time| time.placed(out.zoning())).or(self.at_us)
    }
}

/// From here on nothing tells whose of several clients a message is.
#[cold]
fn mixed(place: &Place, out: &mut Out<'_>) -> Result<()> {
    let place = Place { direction: Direction::Unknown, stream: None, ..*place };
    out.put(&place, Body::Missing(Missing::new(Why::Mixed)))
}

#[cfg(test)]
mod tests {
    use crate::capture::testing::{read, read_as, told};
    use proptest::prelude::*;

    #[test]
    fn an_access_log_is_none() {
        let log = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nPOST /mcp HTTP/1.1 200\n";
        assert_ne!(told(log.repeat(3).as_bytes()).map(|(name, _)| name), Some("http-text"));
    }

    /// Kind, line and stream of each frame.
    fn frames(log: &str) -> Vec<(&'static str, u64, Option<u32>)> {
        read("http-text", log).frames.iter().map(|frame| (frame.kind, frame.line, frame.stream)).collect()
    }

    const ASKED: &str = "POST /mcp HTTP/1.1\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    const ANSWERED: &str = "HTTP/1.1 200 OK\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

    #[test]
    fn a_refusal_ends_the_request_that_waits() {
        let refused = "HTTP/1.1 503 Service Unavailable\nContent-Type: application/json\n\n{\"error\":\"later\"}\n";
        let told = [("message", 3, Some(1)), ("http", 4, Some(1)), ("close", 8, Some(1))];
        let rest = [("message", 10, Some(2)), ("message", 13, Some(2))];
        assert_eq!(frames(&[ASKED, refused, ASKED, ANSWERED].concat()), [&told[..], &rest].concat());
        let failed = "<-- HTTP FAILED: java.io.IOException\n";
        let closed =
            [("message", 3, Some(1)), ("close", 5, Some(1)), ("message", 7, Some(2)), ("message", 10, Some(2))];
        assert_eq!(frames(&[ASKED, failed, ASKED, ANSWERED].concat()), closed);
    }

    #[test]
    fn a_refusal_of_one_of_two_is_nobodys() {
        let found = frames(&[ASKED, ASKED, "HTTP/1.1 503 Service Unavailable\n\n", ANSWERED].concat());
        assert!(found.iter().all(|(kind, ..)| *kind == "message"), "{found:?}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), tail in "[{}\\[\\]\" ,:a-z0-9\\\\]{0,60}") {
            read_as("http-text", &bytes);
            read_as("http-text", format!("POST /a HTTP/1.1\n{tail}\nHTTP/1.1 200 OK\n{tail}").as_bytes());
        }
    }
}
