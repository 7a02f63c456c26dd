//! `export --as mermaid`: a sequence diagram. Text is whitelisted: a diagram has no safe way to quote.

use std::io::{self, Write};

use super::message::label_of;
use super::number::{count, plural, size};
use crate::store::MessageRow;

/// The longest text of an arrow.
const LONGEST: usize = 80;

/// What a message is in its exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing special.
    #[default]
    Plain,
    /// A request whose answer is in the diagram.
    Opens,
    /// The answer to a request that is in the diagram.
    Closes,
    /// It came too late: a rule says so.
    TooLate,
    /// The same, and the answer to a request that is in the diagram.
    ClosesTooLate,
}

/// The format.
pub struct Mermaid<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Mermaid<'a> {
    /// Begins a diagram of one connection.
    pub fn new(out: &'a mut dyn Write, connection: &str) -> io::Result<Mermaid<'a>> {
        writeln!(out, "%% {}", plain(connection))?;
        writeln!(out, "sequenceDiagram\n    participant Client\n    participant Server")?;
        Ok(Mermaid { out })
    }

    /// Messages that are not drawn.
    pub fn folded(&mut self, messages: u64) -> io::Result<()> {
        match messages {
            0 => Ok(()),
            some => self.note(&format!("{} folded", plural(some, "message").replace(',', ""))),
        }
    }

    /// A sentence over both sides.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "    Note over Client,Server: {}", plain(text))
    }

    /// Draws a frame. `about` is the tool of a request, or the request that a cancel names.
    pub fn message(&mut self, message: &MessageRow, about: Option<&str>, mark: Mark) -> io::Result<()> {
        let is_message = matches!(message.kind.as_str(), "request" | "notification" | "result" | "error" | "malformed");
        let (from, to) = match message.sender.as_deref().filter(|_| is_message) {
            Some("client") => ("Client", "Server"),
            Some(_) => ("Server", "Client"),
            None => return self.note(&text(message, about)),
        };
        let arrow = match (mark, message.kind.as_str()) {
            (Mark::TooLate | Mark::ClosesTooLate, _) => "-x",
            (_, "request") => "->>",
            (_, "result" | "error") => "-->>",
            _ => "-)",
        };
        writeln!(self.out, "    {from}{arrow}{to}: {}", plain(&text(message, about)))?;
        match mark {
            Mark::Opens => writeln!(self.out, "    activate {to}"),
            Mark::Closes | Mark::ClosesTooLate => writeln!(self.out, "    deactivate {from}"),
            _ => Ok(()),
        }
    }

    /// A request that was drawn and never answered.
    pub fn unanswered(&mut self, request: &MessageRow) -> io::Result<()> {
        let label = label_of(request).unwrap_or_default();
        self.note(&format!("{label} {} was never answered", request.method.as_deref().unwrap_or("")))
    }
}

fn text(message: &MessageRow, about: Option<&str>) -> String {
    let label = label_of(message);
    let what = match message.kind.as_str() {
        "request" | "notification" => message.method.clone(),
        "result" => Some(format!("result {}", size(message.bytes))),
        "error" => Some(message.error_code.map_or("error".to_string(), |code| format!("error {code}"))),
        "malformed" => Some(format!("{} bytes that are no message", count(message.bytes).replace(',', ""))),
        "gap" => Some("the capture lost messages here".to_string()),
        kind => Some(format!("stream {kind}")),
    };
    let parts = [label, what, about.map(Into::into)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Letters, digits and a few signs; everything else is dropped, and the word `end` is broken, because it would end
/// the diagram.
fn plain(text: &str) -> String {
    let kept = |c: &char| c.is_ascii_alphanumeric() || " _./:-".contains(*c);
    let mut safe: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(kept).take(LONGEST).collect();
    let mut from = 0;
    while let Some(at) = safe[from..].to_ascii_lowercase().find("end").map(|at| at + from) {
        let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let word = !inside(safe[..at].chars().last()) && !inside(safe[at + 3..].chars().next());
        if word {
            safe.insert(at + 1, '_');
        }
        from = at + 3;
    }
    safe.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::message;
    use super::*;

    #[test]
    fn text_cannot_break_a_diagram() {
        assert_eq!(plain("a; end\nClient->>Server: <script> %% #35; end"), "a e_nd Client-Server: script  35 e_nd");
        assert_eq!(plain("sender End x.end"), "sender E_nd x.e_nd");
        assert_eq!(plain("\u{1b}[2Jé"), "2J");
    }

    #[test]
    fn arrows_say_what_a_message_is() {
        let mut out = Vec::new();
        let mut diagram = Mermaid::new(&mut out, "a.jsonl/1").expect("written");
        let request = message("request", "client", Some("tools/call"), Some("17"), "{}");
        diagram.message(&request, Some("search"), Mark::Opens).expect("written");
        let cancel = message("notification", "client", Some("notifications/cancelled"), None, "{}");
        diagram.message(&cancel, Some("17"), Mark::Plain).expect("written");
        diagram.folded(1_412).expect("written");
        let answer = message("result", "server", None, Some("17"), "{}");
        diagram.message(&answer, None, Mark::ClosesTooLate).expect("written");
        diagram.message(&message("gap", "client", None, None, ""), None, Mark::Plain).expect("written");
        insta::assert_snapshot!(String::from_utf8(out).expect("text"), @r"
        %% a.jsonl/1
        sequenceDiagram
            participant Client
            participant Server
            Client->>Server: 17 tools/call search
            activate Server
            Client-)Server: notifications/cancelled 17
            Note over Client,Server: 1412 messages folded
            Server-xClient: 17 result 2 B
            deactivate Server
            Note over Client,Server: the capture lost messages here
        ");
    }
}
