//! Whether several clients stand in one text: messages do not say whose they are.

use rustc_hash::FxHashSet;

use crate::json::scan::{members, unquoted};

/// The header that names the session of MCP.
const HEADER: &str = "mcp-session-id:";

/// What was seen of clients.
#[derive(Default)]
pub(super) struct Clients {
    /// The sessions that headers named.
    sessions: FxHashSet<Box<str>>,
    /// The one that was named for the first time last.
    newest: Box<str>,
    greeted: bool,
    mixed: bool,
}

impl Clients {
    /// A line that may be a header. True where it names a session again that another one has followed: both go on side by side.
    pub(super) fn header(&mut self, line: &str) -> bool {
        let Some(name) = session(line) else { return false };
        if *self.newest == *name {
            return false;
        }
        if !self.sessions.contains(name) {
            self.sessions.insert(name.into());
            self.newest = name.into();
            return false;
        }
        !std::mem::replace(&mut self.mixed, true)
    }

    /// A message of a client. True for the second handshake where no session is named: the first client may go on beside it.
    pub(super) fn asks(&mut self, json: &str) -> bool {
        let greets = members(json).any(|member| member.key == "method" && unquoted(member.value) == "initialize");
        let again = greets && std::mem::replace(&mut self.greeted, true);
        again && self.sessions.is_empty() && !std::mem::replace(&mut self.mixed, true)
    }
}

/// The session that a header names, whatever a logger put before it.
fn session(line: &str) -> Option<&str> {
    let at = line.as_bytes().windows(HEADER.len()).position(|part| part.eq_ignore_ascii_case(HEADER.as_bytes()))?;
    line.get(at + HEADER.len()..)?.split_ascii_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_side_by_side_and_one_behind_the_other() {
        let told = |names: &[&str]| {
            let mut clients = Clients::default();
            names.iter().map(|name| clients.header(&format!("> Mcp-Session-Id: {name}"))).collect::<Vec<_>>()
        };
        assert_eq!(told(&["a", "a", "b", "b"]), [false; 4]);
        assert_eq!(told(&["a", "b", "a", "b"]), [false, false, true, false]);
    }

    #[test]
    fn a_second_greeting_where_no_session_is_named() {
        let (greeting, call) = (r#"{"id":0,"method":"initialize"}"#, r#"{"id":1,"method":"initialized"}"#);
        let mut plain = Clients::default();
        assert_eq!([greeting, call, greeting, greeting].map(|json| plain.asks(json)), [false, false, true, false]);
        let mut named = Clients::default();
        assert!(!named.header("mcp-session-id: a") && ![greeting, greeting].iter().any(|json| named.asks(json)));
    }
}
