//! What the messages of a log prove of their senders, without a look at what stands around them.
//!
//! A method that only one side sends proves its sender; an answer is sent by the other side than its request.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::jsonrpc::{IdField, Kind, Message};
use crate::protocol::{Sender, Side, sender_of};

/// One message of a log.
#[derive(Clone, Debug)]
pub(super) struct Spoken {
    pub kind: Kind,
    /// Empty for an answer.
    pub method: String,
    /// The side that sent it, where the messages prove it.
    pub sender: Option<Side>,
    /// The request that it answers, where there is just one that it can answer.
    pub answers: Option<usize>,
    pub(super) id: Option<String>,
}

impl Spoken {
    /// A message of which nothing is proven yet.
    pub(super) fn of(message: &Message<'_>) -> Spoken {
        let id = match &message.id {
            IdField::Value(id) => Some(id.to_string()),
            _ => None,
        };
        Spoken { kind: message.kind, method: message.method().to_string(), sender: None, answers: None, id }
    }

    /// The same for a message as a value; nothing for what has the form of none.
    pub(super) fn of_value(members: &Map<String, Value>) -> Option<Spoken> {
        let id = members.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        let method = members.get("method").and_then(Value::as_str);
        let kind = match (method, &id) {
            (Some(_), Some(_)) => Kind::Request,
            (Some(_), None) => Kind::Notification,
            (None, _) if members.contains_key("result") => Kind::Result,
            (None, _) if members.contains_key("error") => Kind::Error,
            (None, _) => return None,
        };
        Some(Spoken { kind, method: method.unwrap_or_default().to_string(), sender: None, answers: None, id })
    }
}

/// Finds who sent the messages, which stand in the order of the log.
pub(super) fn prove<'s>(spoken: impl IntoIterator<Item = &'s mut Spoken>) {
    let mut open: HashMap<String, Vec<(usize, Option<Side>)>> = HashMap::new();
    for (at, seen) in spoken.into_iter().enumerate() {
        let known = match sender_of(&seen.method) {
            Some(Sender::Client) => Some(Side::Client),
            Some(Sender::Server) => Some(Side::Server),
            _ => None,
        };
        let requests = seen.id.as_ref().map(|id| open.entry(id.clone()).or_default());
        match (seen.kind, requests) {
            (Kind::Request, Some(requests)) => requests.push((at, known)),
            (Kind::Result | Kind::Error, Some(requests)) => {
                // Two requests of one id may be one of each side: which one this answers is not told. Those of several clients are
                // of one side, and each has an answer of its own.
                let asker = requests.first().and_then(|(_, asker)| *asker);
                let of_one_side = asker.filter(|side| requests.iter().all(|(_, asker)| *asker == Some(*side)));
                seen.answers = requests.first().filter(|_| requests.len() == 1).map(|(at, _)| *at);
                seen.sender = of_one_side.map(Side::peer);
                match of_one_side {
                    Some(_) => drop(requests.remove(0)),
                    None => requests.clear(),
                }
                continue;
            }
            _ => {}
        }
        seen.sender = known;
    }
}
