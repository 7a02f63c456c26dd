//! Which server a message of Neovim's log belongs to.
//!
//! The record before a request may name its client; else nothing in the log says it. A client numbers its requests from 1, so a request
//! goes to the server whose number it continues, and a response to the one that was asked under its id; an answer to a server's request
//! goes to the server that asked. The rest goes to the server that spoke last. One `initialize` is one server: nothing is guessed in a
//! log of one. Where two fit, the one that has waited longest is taken.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::jsonrpc::{Kind, Message};
use crate::protocol::Side;

/// What routing asks of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Routed {
    kind: Option<Kind>,
    method: String,
    /// The id as JSON.
    id: String,
    /// The name that the server gives itself in its answer to `initialize`.
    server: Option<String>,
    /// The message itself, where it is a notification: the same one goes to each server in turn.
    text: String,
}

impl Routed {
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

/// One server.
#[derive(Clone, Debug, Default)]
pub(super) struct Server {
    pub name: Option<String>,
    pub channel: Option<u32>,
    /// True if its `initialize` is in the log.
    pub complete: bool,
    /// Number of the client's last request.
    last: Option<i64>,
    /// When the client asked, by id.
    asked: HashMap<String, u64>,
    /// When the server asked, by id.
    asks: HashMap<String, u64>,
    /// When it was last spoken of.
    at: u64,
    /// The last notification to it.
    told: String,
    /// Which editor it was started by, of those that started one after the other.
    editor: u64,
    /// True once it was told to exit.
    gone: bool,
}

/// All servers of one log.
#[derive(Debug, Default)]
pub(super) struct Servers {
    all: Vec<Server>,
    /// The program that is being started.
    command: Option<String>,
    now: u64,
    editor: u64,
    /// The client that is about to ask, and the method, where a record says so.
    asking: Option<(String, String)>,
}

/// How many servers are kept: an editor that was left years ago is not asked any more.
const KEPT: usize = 64;

impl Servers {
    /// An editor starts. Others may still run, but its own servers come first.
    pub(super) fn start(&mut self) {
        self.editor += 1;
    }

    /// A record `Starting RPC client` with the command in it.
    pub(super) fn starting(&mut self, payload: &str) {
        let command = payload.split_once("cmd = ").map(|(_, rest)| rest.trim_start_matches(['{', ' ']));
        let command = command.and_then(|rest| rest.split(['"', '\'']).nth(1));
        self.command = command.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path).to_string());
    }

    /// A record of the client called `name`, which it writes before it sends a request.
    pub(super) fn asking(&mut self, name: &str, payload: &str) {
        let method = payload.split('\t').skip(1).find_map(|field| field.strip_prefix('"')?.strip_suffix('"'));
        self.asking = method.map(|method| (name.to_string(), method.to_string()));
    }

    /// The server of a request whose client a record has named just before.
    fn of_client(&mut self, side: Side, seen: &Routed) -> Option<usize> {
        if side != Side::Client || seen.kind != Some(Kind::Request) {
            return None;
        }
        let (name, _) = self.asking.take().filter(|(_, method)| *method == seen.method)?;
        let newest = |test: &dyn Fn(&Server) -> bool| {
            let all = self.all.iter().enumerate().filter(|(_, server)| !server.gone && test(server));
            all.max_by_key(|(_, server)| server.at).map(|(index, _)| index)
        };
        let id = seen.id.parse::<i64>().ok();
        let named = newest(&|server| server.name.as_ref() == Some(&name));
        // One that has no name yet is meant where its numbers go on, or where there is no other.
        let goes_on = |server: &Server| server.last.is_some() && server.last == id.map(|id| id - 1);
        let only = self.all.len() == 1;
        let index = named.or_else(|| newest(&|server| server.name.is_none() && (only || goes_on(server))));
        let index = match index {
            Some(index) => index,
            None if seen.method == "initialize" => return None,
            None => self.add(side, seen),
        };
        self.all[index].name.get_or_insert(name);
        Some(index)
    }

    /// A record of the client called `name`, which it writes when it has read a message of that server.
    pub(super) fn named(&mut self, name: &str, event: &str) {
        let concerns_last = matches!(event, "server_request" | "notification" | "server_capabilities");
        let newest = self.all.iter_mut().max_by_key(|server| server.at);
        if let Some(server) = newest.filter(|server| concerns_last && server.name.is_none()) {
            server.name = Some(name.to_string());
        }
    }

    /// The server of a message from `side`.
    pub(super) fn route(&mut self, side: Side, seen: Option<Routed>) -> &mut Server {
        self.now += 1;
        let seen = seen.unwrap_or_default();
        let index = match self.of_client(side, &seen).or_else(|| self.find(side, &seen)) {
            Some(index) => index,
            None => self.add(side, &seen),
        };
        let now = self.now;
        let server = &mut self.all[index];
        server.at = now;
        server.note(side, seen, now);
        server
    }

    fn add(&mut self, side: Side, seen: &Routed) -> usize {
        if self.all.len() >= KEPT {
            let oldest = self.all.iter().enumerate().min_by_key(|(_, server)| server.at).map_or(0, |(index, _)| index);
            self.all.remove(oldest);
        }
        let complete = side == Side::Client && seen.method == "initialize";
        let name = if complete { self.command.take() } else { None };
        self.all.push(Server { name, complete, editor: self.editor, ..Server::default() });
        self.all.len() - 1
    }

    fn find(&self, side: Side, seen: &Routed) -> Option<usize> {
        if side == Side::Client && seen.method == "initialize" {
            return None;
        }
        let oldest = |since: &dyn Fn(&Server) -> Option<u64>| {
            let waiting = self
                .all
                .iter()
                .enumerate()
                .filter_map(|(index, server)| Some((Reverse(server.editor), since(server)?, index)));
            waiting.min().map(|(.., index)| index)
        };
        let newest = || {
            let all = self.all.iter().enumerate();
            all.max_by_key(|(_, server)| (!server.gone, server.at)).map(|(index, _)| index)
        };
        let found = match (side, seen.kind) {
            (Side::Server, Some(Kind::Result | Kind::Error)) => {
                let by_name =
                    oldest(&|server| server.asked.get(&seen.id).copied().filter(|_| server.calls_itself(seen)));
                by_name.or_else(|| oldest(&|server| server.asked.get(&seen.id).copied()))
            }
            (Side::Client, Some(Kind::Result | Kind::Error)) => oldest(&|server| server.asks.get(&seen.id).copied()),
            (Side::Client, Some(Kind::Request)) => {
                let next = seen.id.parse::<i64>().ok().map(|id| id - 1);
                let fits = |server: &&(usize, &Server)| next.is_some() && server.1.last == next;
                self.all
                    .iter()
                    .enumerate()
                    .filter(|one| fits(&one))
                    .max_by_key(|(_, server)| server.at)
                    .map(|one| one.0)
            }
            (Side::Client, Some(Kind::Notification)) if seen.method == "$/cancelRequest" => {
                oldest(&|server| server.asked.get(&seen.id).copied())
            }
            // The same notification again is for the next server.
            (Side::Client, Some(Kind::Notification)) => {
                let last = newest().filter(|index| self.all[*index].told == seen.text);
                last.and_then(|_| {
                    oldest(&|server| (server.told != seen.text && server.last.is_some()).then_some(server.at))
                })
            }
            _ => None,
        };
        found.or_else(newest)
    }
}

impl Server {
    fn calls_itself(&self, seen: &Routed) -> bool {
        let (Some(server), Some(name)) = (&seen.server, &self.name) else { return false };
        let name = name.to_lowercase();
        server.contains(&name) || name.contains(server.as_str())
    }

    fn note(&mut self, side: Side, seen: Routed, now: u64) {
        match (side, seen.kind) {
            (Side::Client, Some(Kind::Request)) => {
                self.last = seen.id.parse().ok().or(self.last);
                self.asked.insert(seen.id, now);
            }
            (Side::Server, Some(Kind::Request)) => {
                self.asks.insert(seen.id, now);
            }
            (Side::Server, Some(Kind::Result | Kind::Error)) => {
                self.asked.remove(&seen.id);
            }
            (Side::Client, Some(Kind::Result | Kind::Error)) => {
                self.asks.remove(&seen.id);
            }
            (Side::Client, Some(Kind::Notification)) => {
                self.gone |= seen.method == "exit";
                self.told = seen.text;
            }
            _ => {}
        }
    }
}
