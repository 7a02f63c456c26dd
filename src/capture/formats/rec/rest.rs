//! What was left of a side's bytes when these ended: a message that was still on its way, or no message at all.
//!
//! A recorder says of bytes that are no message whether their end had come (`cut`). Older ones did not; there it is told by what
//! stands behind them: the end of that side's bytes, and nothing else of it between.

use super::line::Event;
use crate::capture::Direction;
use crate::capture::lines::Line;
use crate::jsonrpc::parse_at;
use crate::protocol::{Facts, Side};
use crate::wire::{FrameError, begins_header, read_header};

/// The longest body that a header may announce, in bytes.
const BODY_BYTES: usize = 1 << 30;

/// Said of a message whose end never came.
pub(super) const ON_ITS_WAY: &str = "its end had not come when its sender's bytes ended";

/// True for bytes that more bytes could make a message of: the beginning of JSON, of a header block, or of one with its body.
pub(super) fn may_become_message(bytes: &[u8]) -> bool {
    match read_header(bytes, BODY_BYTES) {
        Ok(header) => begins_header(bytes) && begins_json(&bytes[header.length..]),
        Err(FrameError::Incomplete) if begins_header(bytes) => true,
        Err(_) => !bytes.trim_ascii().is_empty() && begins_json(bytes),
    }
}

/// True for a text that ends too early; where that is within a letter of several bytes, too.
fn begins_json(bytes: &[u8]) -> bool {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    parse_at::<Facts<'_>>(text, 0).is_err_and(|fault| fault.cut)
}

/// Lines that wait for the next one, which tells whether their side's bytes ended with them: one of each side at most.
#[derive(Default)]
pub(super) struct Waiting(Vec<Held>);

/// A line that waits.
pub(super) struct Held {
    text: String,
    number: u64,
    offset: u64,
    whose: (Option<Side>, Option<u32>),
}

impl Waiting {
    /// Takes a line.
    pub(super) fn hold(&mut self, event: &Event<'_>, line: &Line<'_>) {
        let Line { number, offset, .. } = *line;
        self.0.push(Held { text: line.text().into_owned(), number, offset, whose: whose(event) });
    }

    /// True if none does.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it can wait beside those that do: a side's bytes end but once.
    pub(super) fn has_room_for(&self, event: &Event<'_>) -> bool {
        self.0.iter().all(|held| held.whose != whose(event))
    }

    /// All of them, in their order.
    pub(super) fn release(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.0)
    }
}

impl Held {
    /// The line as it was read.
    pub(super) fn line(&self) -> Line<'_> {
        Line { number: self.number, offset: self.offset, bytes: self.text.as_bytes(), ended: true, oversized: None }
    }

    /// Its event, and whether `next` says that its side's bytes ended with it. Where nothing follows that can be read, they may have.
    pub(super) fn event<'a>(&'a self, next: Option<&Event<'_>>) -> Option<Event<'a>> {
        let event = Event::read(&self.text)?;
        let cut = next.is_none_or(|next| ends(next, &event));
        Some(Event { cut: Some(cut), ..event })
    }
}

fn whose(event: &Event<'_>) -> (Option<Side>, Option<u32>) {
    (event.direction.and_then(Direction::side), event.stream)
}

/// True for the end of what the sender of `last` sent. A body of HTTP that ended in good order is whole.
fn ends(next: &Event<'_>, last: &Event<'_>) -> bool {
    let same = next.connection == last.connection && next.stream == last.stream;
    let by_sender = next.by.is_none() || next.by == last.direction.and_then(Direction::side);
    match next.kind {
        "close" if last.stream.is_some() => same && next.how != Some("eof"),
        "close" => same && by_sender,
        "exit" => same,
        kind => last.stream.is_none() && matches!(kind, "end" | "rotate"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_messages() {
        for text in [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"res",
            " {",
            "[{\"id\":1},",
            "{\"a\":\"\\u00",
            "Content-Len",
            "content-type: x\r\n",
            "Content-Length: 60\r\n\r\n",
            "Content-Length: 60\r\n\r\n{\"id\":1,\"res",
        ] {
            assert!(may_become_message(text.as_bytes()), "{text}");
        }
        assert!(may_become_message(b"{\"a\":\"\xc3"), "within a letter");
    }

    #[test]
    fn what_nothing_makes_a_message_of() {
        for text in [
            "",
            "goodbye",
            "Note: shutting down",
            "42",
            "{'id'",
            "{\"id\":1} and",
            "{\"id\":1 oops",
            "Content-Length: 60\r\n\r\nhello",
            "Content-Length: none\r\n\r\n",
            "X: 1\r\n\r\n{",
        ] {
            assert!(!may_become_message(text.as_bytes()), "{text}");
        }
        assert!(!may_become_message(b"{\"a\":\"\xc3 b"), "no letter");
    }
}
