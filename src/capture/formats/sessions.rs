//! HTTP sessions that share one log: requests name theirs, what the server sends does not.

use std::collections::HashMap;

use crate::capture::Channel;
use crate::capture::out::{Channels, Out};
use crate::error::Result;
use crate::jsonrpc::Message;
use crate::protocol::Side;

/// Routes messages to sessions by the ids that they answer.
#[derive(Default)]
pub(super) struct Sessions {
    channels: Channels,
    /// The session that was named last.
    current: String,
    /// Sessions that wait for an answer, by its id as JSON; the one that has waited longest first.
    waiting: HashMap<String, Vec<String>>,
}

/// How many ids are remembered.
const WAITING: usize = 65_536;

impl Sessions {
    /// The session that the messages from here on belong to.
    pub(super) fn name(&mut self, session: &str) {
        // With and without hyphens it is the same one.
        self.current.clear();
        self.current.extend(session.chars().filter(|c| *c != '-'));
    }

    /// The channel of a message; of one that could not be read where there is none.
    pub(super) fn channel(
        &mut self,
        side: Side,
        message: Option<&Message<'_>>,
        out: &mut Out<'_>,
        make: impl FnOnce() -> Channel,
    ) -> Result<u32> {
        let id = message.and_then(|message| message.id_text);
        let has_method = message.is_some_and(|message| message.method.is_some());
        let mut session = self.current.clone();
        match (side, id, has_method) {
            (Side::Client, Some(id), true) if self.waiting.len() < WAITING => {
                self.waiting.entry(id.to_string()).or_default().push(session.clone());
            }
            (Side::Server, Some(id), false) => {
                if let Some(sessions) = self.waiting.get_mut(id) {
                    session = sessions.remove(0);
                    if sessions.is_empty() {
                        self.waiting.remove(id);
                    }
                }
            }
            _ => {}
        }
        let name = (!session.is_empty()).then(|| session.clone());
        self.channels.get(&session, out, || Channel { name, ..make() })
    }
}
