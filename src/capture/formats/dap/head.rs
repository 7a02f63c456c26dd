//! What stands before a message in a log of a debug adapter or of its client: who sent it, when, and on which connection.

use crate::capture::{Vantage, time};
use crate::protocol::Side;

/// What a program writes before a message.
struct Words {
    /// The last thing before the message.
    end: &'static str,
    sender: Side,
    /// Whose log it is.
    vantage: Vantage,
}

const fn words(end: &'static str, sender: Side, vantage: Vantage) -> Words {
    Words { end, sender, vantage }
}

const WORDS: &[Words] = &[
    words("Client -> Adapter", Side::Client, Vantage::Proxy),
    words("Adapter -> Client", Side::Server, Vantage::Proxy),
    // Delve, `--log --log-output=dap`.
    words("[<- from client]", Side::Client, Vantage::Server),
    words("[-> to client]", Side::Server, Vantage::Server),
    // lldb-dap with LLDBDAP_LOG, CodeLLDB.
    words("-->", Side::Client, Vantage::Server),
    words("<--", Side::Server, Vantage::Server),
    // Vimspector.
    words("Sending Message", Side::Client, Vantage::Client),
    words("Message received", Side::Server, Vantage::Client),
    // Lapce.
    words("write to dap server", Side::Client, Vantage::Client),
    words("read from dap server", Side::Server, Vantage::Client),
    // Adapters on the base class of VS Code write requests without their `seq` (`is_lost`).
    words("To client", Side::Server, Vantage::Server),
];

/// What stands before a message.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub(super) sender: Option<Side>,
    pub(super) vantage: Vantage,
    /// The connection, where several share a log: `(conn0)`.
    pub(super) connection: Option<&'a str>,
    pub(super) time: Option<&'a str>,
}

impl<'a> Head<'a> {
    /// Nothing stands there.
    pub(super) const NONE: Head<'static> =
        Head { sender: None, vantage: Vantage::Unknown, connection: None, time: None };

    /// Reads the text before a message.
    pub(super) fn read(text: &'a str) -> Head<'a> {
        let end = text.trim_end().trim_end_matches(':');
        let found = WORDS.iter().find(|words| end.ends_with(words.end));
        let rest = found.map_or("", |words| end[..end.len() - words.end.len()].trim_end());
        Head {
            sender: found.map(|words| words.sender),
            vantage: found.map_or(Vantage::Unknown, |words| words.vantage),
            connection: connection(rest),
            time: time_of(text),
        }
    }
}

/// What stands in parentheses at the end.
fn connection(text: &str) -> Option<&str> {
    let inner = text.strip_suffix(')')?;
    inner.rfind('(').map(|at| &inner[at + 1..]).filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}

/// The time at the start, in one word or in two.
fn time_of(text: &str) -> Option<&str> {
    let text = text.trim_start().trim_start_matches('[');
    let is_end = |c: char| c.is_whitespace() || c == ']';
    let first = text.split(is_end).next()?;
    let second = text[first.len()..].trim_start_matches(' ').split(is_end).next()?;
    let both = &text[..second.as_ptr() as usize + second.len() - text.as_ptr() as usize];
    let is_time = |text: &&str| {
        let since_epoch = text.len() > 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        (since_epoch || text.contains(':')) && time::parse(text).is_some()
    };
    [first, both].into_iter().find(is_time)
}

/// True for a line that tells of a message of the client without its number: no answer can be paired with it.
pub(super) fn is_lost(text: &str) -> bool {
    const REQUEST: &str = "From client: ";
    text.find(REQUEST).is_some_and(|at| {
        let call = &text[at + REQUEST.len()..];
        let name = call.bytes().take_while(u8::is_ascii_alphanumeric).count();
        name > 0 && call[name..].starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_sender_and_connection_stand_before_a_message() {
        for (text, time, sender, connection) in [
            (
                "2026-01-04T00:27:57-08:00 debug layer=dap [<- from client]",
                "2026-01-04T00:27:57-08:00",
                Side::Client,
                "",
            ),
            ("[09:26:05.263] (conn0) <-- ", "09:26:05.263", Side::Server, "conn0"),
            ("1741600000.123456789 (stdio) --> ", "1741600000.123456789", Side::Client, "stdio"),
            ("[2026-12-10T13:34:09.434Z DEBUG codelldb::dap_codec] --> ", "2026-12-10T13:34:09.434Z", Side::Client, ""),
            ("2026-01-31 23:04:22,384 - DEBUG - Sending Message: ", "2026-01-31 23:04:22,384", Side::Client, ""),
            ("Adapter -> Client: ", "", Side::Server, ""),
        ] {
            let head = Head::read(text);
            assert_eq!(
                (head.time.unwrap_or(""), head.sender, head.connection.unwrap_or("")),
                (time, Some(sender), connection),
                "{text}"
            );
        }
        assert!(Head::read("DAP msg ").sender.is_none() && Head::read("").time.is_none());
    }

    #[test]
    fn a_request_without_its_number_is_lost() {
        assert!(is_lost("12:00:01 From client: initialize({\"adapterID\":\"x\"})"));
        assert!(!is_lost("From client: nothing") && !is_lost("To client: {}"));
    }
}
