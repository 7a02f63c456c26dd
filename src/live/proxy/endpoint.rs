//! HTTP+SSE of 2024-11-05: the event `endpoint` that tells a client where to post to.
//!
//! A relative one leads a client back to the recorder. One that names the server would lead it past, and clients refuse one of
//! another origin than they connected to: scheme and host are cut out of it.

use bytes::Bytes;

use super::stream_events::block_end;
use super::way::{Home, Way};

/// How much is held back at most until the first event is whole, in bytes.
const LONGEST: usize = 64 << 10;

/// Makes the endpoint that an event stream announces relative. Only what comes before it is held back.
#[derive(Debug)]
pub(super) struct Relative {
    home: Home,
    held: Vec<u8>,
    done: bool,
}

impl Relative {
    /// For a server.
    pub(super) fn new(home: Home) -> Relative {
        Relative { home, held: Vec::new(), done: false }
    }

    /// What can go on.
    pub(super) fn push(&mut self, bytes: Bytes) -> Bytes {
        if self.done {
            return bytes;
        }
        self.held.extend_from_slice(&bytes);
        let mut out = Vec::new();
        while !self.done {
            let Some(end) = block_end(&self.held) else { break };
            let block: Vec<u8> = self.held.drain(..end).collect();
            let relative = relative(&block, &self.home);
            self.done = has_data(&block);
            out.extend(relative.unwrap_or(block));
        }
        if self.done || self.held.len() > LONGEST {
            self.done = true;
            out.append(&mut self.held);
        }
        out.into()
    }

    /// What was held back when the stream ended.
    pub(super) fn finish(self) -> Bytes {
        self.held.into()
    }
}

fn has_data(block: &[u8]) -> bool {
    lines(block).any(|(at, _)| block[at..].starts_with(b"data"))
}

/// Starts and ends of the lines, without their ends.
fn lines(block: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    block.split(|byte| matches!(byte, b'\n' | b'\r')).map(move |line| {
        let at = from;
        from += line.len() + 1;
        (at, at + line.len())
    })
}

/// The block with a relative endpoint, where it announces an absolute one of this server.
fn relative(block: &[u8], home: &Home) -> Option<Vec<u8>> {
    let value = |field: &str| {
        lines(block).find_map(|(at, end)| {
            let rest = block[at..end].strip_prefix(field.as_bytes())?;
            let rest = rest.strip_prefix(b" ").unwrap_or(rest);
            Some((end - rest.len(), end))
        })
    };
    let (at, end) = value("event:")?;
    if &block[at..end] != b"endpoint" {
        return None;
    }
    let (at, end) = value("data:")?;
    let url = std::str::from_utf8(&block[at..end]).ok()?;
    match home.way(url) {
        Way::Home(path) => Some([&block[..at], path.as_bytes(), &block[end..]].concat()),
        Way::Back | Way::Past(_) => None,
    }
}

/// Path and query of an endpoint that was announced in answer to a request for `asked`.
pub(super) fn target(announced: &str, asked: &str) -> String {
    let announced = announced.trim();
    let path = asked.split('?').next().unwrap_or("/");
    match announced.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]).to_string(),
        None if announced.starts_with('/') => announced.to_string(),
        None if announced.starts_with('?') => format!("{path}{announced}"),
        None => format!("{}{announced}", path.rfind('/').map_or("/", |at| &path[..=at])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(pieces: &[&str]) -> String {
        let mut relative = Relative::new(Home { secure: false, host: "localhost".into(), port: 8080 });
        let mut out: Vec<u8> =
            pieces.iter().flat_map(|piece| relative.push(Bytes::copy_from_slice(piece.as_bytes()))).collect();
        out.extend(relative.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_absolute_endpoint_becomes_relative() {
        let stream =
            ": hi\r\n\r\nevent: endpoint\r\ndata: http://localhost:8080/m?s=1\r\n\r\ndata: http://localhost:8080/x\n\n";
        let want = ": hi\r\n\r\nevent: endpoint\r\ndata: /m?s=1\r\n\r\ndata: http://localhost:8080/x\n\n";
        assert_eq!(through(&[stream]), want);
        for cut in 1..stream.len() {
            assert_eq!(through(&[&stream[..cut], &stream[cut..]]), want, "cut at {cut}");
        }
        assert_eq!(through(&["event:endpoint\ndata:http://127.0.0.1:8080\n\n"]), "event:endpoint\ndata:/\n\n");
    }

    #[test]
    fn all_else_stays() {
        for stream in [
            "event: endpoint\ndata: /m?s=1\n\n",
            "event: endpoint\ndata: http://elsewhere/m\n\n",
            "event: message\ndata: http://localhost:8080/m\n\nevent: endpoint\ndata: http://localhost:8080/m\n\n",
            "event: endpoint\ndata: http://localhost:8080/m",
        ] {
            assert_eq!(through(&[stream]), stream);
        }
    }

    #[test]
    fn targets() {
        assert_eq!(target("/m?s=1", "/a/sse?x"), "/m?s=1");
        assert_eq!(target("http://h:1/m?s=1", "/sse"), "/m?s=1");
        assert_eq!(target("m?s=1", "/a/sse?x=/"), "/a/m?s=1");
        assert_eq!(target("?s=1", "/sse"), "/sse?s=1");
    }
}
