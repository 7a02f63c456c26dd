//! The first lines of requests and responses, and what they tell: who sends what stands below, and whose request was refused.

use crate::protocol::Side;

/// The longest first line of a request or a response.
const LONGEST: usize = 4096;

const VERBS: [&str; 7] = ["POST", "GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"];

/// The first line of a request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::capture::formats) struct Edge {
    pub side: Side,
    /// True if something has to follow it.
    owes: bool,
    /// The status of a response; `None` also where none came.
    pub status: Option<u16>,
}

impl Edge {
    /// True for a response that is none, or that says that the request was not served.
    fn refuses(self) -> bool {
        self.side == Side::Server && self.status.is_none_or(|status| status >= 400)
    }
}

/// Reads the first line of a request or a response, whatever a logger put before it.
pub(in crate::capture::formats) fn edge(line: &str) -> Option<Edge> {
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
            return Some(Edge { side: Side::Client, owes: *word == "POST" && before != Some(">"), status: None });
        }
        let answers = is_status && (word.starts_with("HTTP/") || *word == "<--");
        let failed = *word == "<--" && next == "HTTP";
        let status = next.parse().ok().filter(|_| answers);
        (answers && !before.is_some_and(is_path) || failed).then_some(Edge { side: Side::Server, owes: false, status })
    })
}

/// True for what stands before a version in the first line of a request.
fn is_path(word: &str) -> bool {
    word.starts_with(['/', '"'])
}

/// Who sends what stands below a line.
#[derive(Default)]
pub(super) struct Sides {
    pub now: Option<Side>,
    begun: bool,
    /// How many bodies are to come that have not come.
    owed: usize,
}

impl Sides {
    /// Takes a line that holds no message; what it is if it is the first one of a request or a response.
    pub(super) fn line(&mut self, line: &str) -> Option<Edge> {
        let Some(edge) = edge(line) else {
            self.header(&line.to_ascii_lowercase());
            return None;
        };
        self.begun = true;
        // Bodies of the other side are still to come: whose the next one is, nothing tells.
        let mixed = self.owed > 0 && self.now != Some(edge.side);
        self.now = (!mixed).then_some(edge.side);
        self.owed += usize::from(edge.owes);
        Some(edge)
    }

    /// True where no first line was seen yet.
    pub(super) fn is_new(&self) -> bool {
        !self.begun
    }

    fn header(&mut self, line: &str) {
        // A body that is no message has come all the same.
        if line.contains("content-length: 0") || line.contains("body omitted") || line.trim_start().starts_with('{') {
            self.owed = self.owed.saturating_sub(1);
        } else if self.now == Some(Side::Server) && line.contains("content-type: application/json") {
            self.owed += 1;
        }
    }

    /// Who sends a message, with what stands before it: on a command line that is the client.
    pub(super) fn of(&mut self, before: &str) -> Option<Side> {
        self.owed = self.owed.saturating_sub(1);
        let words = before.trim_end_matches(['\'', '"', '$', ' ']);
        let flags = ["-d", "--data", "--data-raw", "--data-binary", "--json"];
        if flags.iter().any(|flag| words.ends_with(flag)) { Some(Side::Client) } else { self.now }
    }
}

/// Requests that wait for their response.
#[derive(Default)]
pub(super) struct Waiting {
    /// How many there were; the newest one's stream.
    stream: u32,
    /// How many wait.
    open: usize,
    /// True while it is known whose the next response is.
    alone: bool,
    /// The stream of the request whose response stands here.
    answered: Option<u32>,
    /// The stream of a request that was refused.
    pub refused: Option<u32>,
}

impl Waiting {
    pub(super) fn edge(&mut self, edge: Edge) {
        (self.answered, self.refused) = (None, None);
        if edge.side == Side::Client {
            self.alone = self.open == 0;
            self.open += 1;
            self.stream += 1;
        } else {
            let whose = self.alone && self.open == 1;
            self.answered = whose.then_some(self.stream);
            self.refused = self.answered.filter(|_| edge.refuses());
            self.open = self.open.saturating_sub(1);
        }
    }

    /// The stream of a message of that side, as far as it is known.
    pub(super) fn of(&self, side: Option<Side>) -> Option<u32> {
        match side? {
            Side::Client => Some(self.stream).filter(|_| self.open > 0),
            Side::Server => self.answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
