//! One server of Neovim's log: what was said to it and by it, as far as that tells which messages are its own.

use std::collections::HashMap;

use crate::jsonrpc::{Kind, Message};
use crate::protocol::Side;

/// What routing asks of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Routed {
    pub kind: Option<Kind>,
    pub method: String,
    /// The id as JSON.
    pub id: String,
    /// The name that the server gives itself in its answer to `initialize`.
    pub server: Option<String>,
    /// The message itself, where it is a notification: the same one goes to each server in turn.
    pub text: String,
}

impl Routed {
    /// True for a notification: it neither asks nor answers.
    pub(super) fn notifies(&self) -> bool {
        self.kind == Some(Kind::Notification)
    }

    pub(super) fn of(message: &Message<'_>, json: &str) -> Routed {
        let server = json.split_once("\"serverInfo\":{").and_then(|(_, info)| {
            let name = info.split_once("\"name\":\"")?.1;
            Some(name.split('"').next()?.to_lowercase())
        });
        let server = server.filter(|_| message.kind.is_response());
        let cancel = (message.method() == "$/cancelRequest").then(|| json.split_once("\"params\":{\"id\":")).flatten();
        let id = cancel.map(|(_, rest)| rest.split(['}', ',']).next().unwrap_or("")).or(message.id_text);
        Routed {
            kind: Some(message.kind),
            method: message.method().to_string(),
            id: id.unwrap_or("").to_string(),
            server,
            text: if message.kind == Kind::Notification { json.to_string() } else { String::new() },
        }
    }
}

/// How far a server has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its `initialize` is open.
    #[default]
    Starting,
    /// That is answered.
    Answered,
    /// It works, or the log does not show how it began.
    Ready,
    /// It was asked to shut down.
    ShutDown,
    /// It, or another one, was told to exit.
    PerhapsGone,
    /// It was told to exit.
    Gone,
}

impl Stage {
    /// True between the answer to `initialize` and the end.
    pub(super) fn works(self) -> bool {
        matches!(self, Stage::Answered | Stage::Ready)
    }
}

/// A request that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    pub since: u64,
    /// False where it was a guess that this server was asked, or asks, or that it was not answered yet.
    pub sure: bool,
}

/// One server.
#[derive(Clone, Debug, Default)]
pub(super) struct Server {
    /// What its client is called.
    pub name: Option<String>,
    /// False where it was guessed that the record with the name was about this one.
    pub surely_named: bool,
    /// The program that was started just before.
    pub command: Option<String>,
    pub channel: Option<u32>,
    /// True if its `initialize` is in the log.
    pub complete: bool,
    pub stage: Stage,
    /// Number of the client's last request.
    pub last: Option<i64>,
    /// False where that may be the number of a request to another one.
    pub counted: bool,
    /// What the client asked, by id.
    pub asked: HashMap<String, Wait>,
    /// What the server asked, by id.
    pub asks: HashMap<String, Wait>,
    /// When it was last spoken of.
    pub at: u64,
    /// The last notification to it.
    pub told: String,
    /// Which editor it was started by, of those that started one after the other.
    pub editor: u64,
}

impl Server {
    /// What to call it: the command, until a record has said what its client is called.
    pub(super) fn label(&self) -> Option<String> {
        self.name.clone().or_else(|| self.command.clone())
    }

    /// True if this is the number after that of the last request.
    pub(super) fn goes_on(&self, id: &str) -> bool {
        self.last.is_some() && self.last == id.parse::<i64>().ok().map(|id| id - 1)
    }

    /// True if the name that it gives itself has that of its client or program in it, or is in that.
    pub(super) fn calls_itself(&self, seen: &Routed) -> bool {
        let Some(server) = &seen.server else { return false };
        let names = [&self.name, &self.command].into_iter().flatten().map(|name| name.to_lowercase());
        names.into_iter().any(|name| server.contains(&name) || name.contains(server.as_str()))
    }

    /// This message may be one of its own, or another one's.
    pub(super) fn doubt(&mut self, side: Side, seen: &Routed) {
        let open = match (side, seen.kind) {
            (Side::Client, Some(Kind::Request)) => return self.counted = false,
            (Side::Server, Some(Kind::Result | Kind::Error)) => self.asked.get_mut(&seen.id),
            (Side::Client, Some(Kind::Result | Kind::Error)) => self.asks.get_mut(&seen.id),
            _ => None,
        };
        if let Some(open) = open {
            open.sure = false;
        }
    }

    /// This message is taken for one of its own.
    pub(super) fn note(&mut self, side: Side, seen: Routed, wait: Wait) {
        match (side, seen.kind) {
            (Side::Client, Some(Kind::Request)) => {
                self.last = seen.id.parse().ok().or(self.last);
                self.counted = wait.sure;
                self.stage = if seen.method == "shutdown" { Stage::ShutDown } else { self.stage };
                self.asked.insert(seen.id, wait);
            }
            (Side::Server, Some(Kind::Request)) => {
                self.asks.insert(seen.id, wait);
            }
            (Side::Server, Some(Kind::Result | Kind::Error)) => {
                self.asked.remove(&seen.id);
                self.stage = if self.stage == Stage::Starting { Stage::Answered } else { self.stage };
            }
            (Side::Client, Some(Kind::Result | Kind::Error)) => {
                self.asks.remove(&seen.id);
            }
            (Side::Client, Some(Kind::Notification)) => {
                self.stage = match seen.method.as_str() {
                    "exit" if wait.sure => Stage::Gone,
                    "exit" => Stage::PerhapsGone,
                    "initialized" if self.stage == Stage::Answered => Stage::Ready,
                    _ => self.stage,
                };
                self.told = seen.text;
            }
            _ => {}
        }
    }
}
