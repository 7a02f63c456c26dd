//! Which server a message of Neovim's log belongs to.
//!
//! The record before a request may name its client; else nothing in the log says it. A client numbers its requests from 1, so a request
//! goes to the server whose number it continues, and a response to the one that was asked under its id; an answer to a server's request
//! goes to the server that asked. The rest goes to the server that spoke last. One `initialize` is one server: nothing is guessed while
//! one of them lives. Where two fit, the one that has waited longest is taken, and that is a guess: it is said of all that it may belong to.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::server::{Routed, Server, Stage, Wait};
use crate::jsonrpc::Kind;
use crate::protocol::Side;

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

/// The server that a message was given to, and which ones it may belong to as well; none where that is no guess.
#[derive(Debug)]
struct Fit {
    index: usize,
    rivals: Vec<usize>,
}

impl Fit {
    fn sure(index: usize) -> Fit {
        Fit { index, rivals: Vec::new() }
    }
}

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

    /// A record of the client called `name`, which it writes when it has read a message of that server.
    pub(super) fn named(&mut self, name: &str, event: &str) {
        let begins = event == "server_capabilities";
        let taken = || !self.living(|server| server.name.as_deref() == Some(name)).is_empty();
        let concerns_last = begins || matches!(event, "server_request" | "notification") && !taken();
        let unnamed: Vec<usize> = self.living(|server| server.name.is_none());
        let newest = self.all.iter_mut().max_by_key(|server| server.at);
        if let Some(server) = newest.filter(|server| concerns_last && server.name.is_none()) {
            server.name = Some(name.to_string());
            server.surely_named = unnamed.len() == 1;
        }
    }

    /// The server of a message from `side`, and the channels of all that it may belong to, where that is a guess.
    pub(super) fn route(&mut self, side: Side, seen: Option<Routed>) -> (&mut Server, Vec<u32>) {
        self.now += 1;
        let seen = seen.unwrap_or_default();
        let fit = match self.of_client(side, &seen).or_else(|| self.find(side, &seen)) {
            Some(fit) => fit,
            None => Fit::sure(self.add(side, &seen)),
        };
        let sure = fit.rivals.is_empty();
        fit.rivals.iter().for_each(|rival| self.all[*rival].doubt(side, &seen));
        let perhaps = fit.rivals.iter().filter_map(|rival| self.all[*rival].channel).collect();
        let server = &mut self.all[fit.index];
        server.at = self.now;
        server.note(side, seen, Wait { since: self.now, sure });
        (server, perhaps)
    }

    fn add(&mut self, side: Side, seen: &Routed) -> usize {
        if self.all.len() >= KEPT {
            let oldest = self.all.iter().enumerate().min_by_key(|(_, server)| server.at).map_or(0, |(index, _)| index);
            self.all.remove(oldest);
        }
        let complete = side == Side::Client && seen.method == "initialize";
        let command = if complete { self.command.take() } else { None };
        let stage = if complete { Stage::Starting } else { Stage::Ready };
        self.all.push(Server { command, complete, stage, editor: self.editor, ..Server::default() });
        self.all.len() - 1
    }

    /// True unless the log shows that it is gone: it was told to exit, or to shut down before another editor was started.
    fn lives(&self, server: &Server) -> bool {
        match server.stage {
            Stage::Gone => false,
            Stage::PerhapsGone => self.all.iter().any(|other| self.is_told_to_go(other)),
            Stage::ShutDown => self.is_told_to_go(server),
            _ => true,
        }
    }

    fn is_told_to_go(&self, server: &Server) -> bool {
        server.stage == Stage::ShutDown && server.editor == self.editor
    }

    /// Those that may still run and are such.
    fn living(&self, test: impl Fn(&Server) -> bool) -> Vec<usize> {
        let all = self.all.iter().enumerate().filter(|(_, server)| test(server) && self.lives(server));
        all.map(|(index, _)| index).collect()
    }

    /// One of which it is a guess while another one lives.
    fn guess(&self, index: usize) -> Fit {
        let mut rivals = self.living(|_| true);
        match rivals.iter().any(|rival| *rival != index) {
            true if !rivals.contains(&index) => rivals.push(index),
            true => {}
            false => rivals.clear(),
        }
        Fit { index, rivals }
    }

    /// The newest of several that fit; the only one is no guess.
    fn one_of(&self, fitting: Vec<usize>) -> Option<Fit> {
        let index = fitting.iter().copied().max_by_key(|index| self.all[*index].at)?;
        Some(if fitting.len() == 1 { Fit::sure(index) } else { Fit { index, rivals: fitting } })
    }

    /// The server of a request whose client a record has named just before.
    fn of_client(&mut self, side: Side, seen: &Routed) -> Option<Fit> {
        if side != Side::Client || seen.kind != Some(Kind::Request) {
            return None;
        }
        let (name, _) = self.asking.take().filter(|(_, method)| *method == seen.method)?;
        if seen.method == "initialize" {
            return None;
        }
        let fit = match self.called(&name, &seen.id).or_else(|| self.nameless(seen)) {
            Some(fit) => fit,
            None => Fit::sure(self.add(side, seen)),
        };
        let server = &mut self.all[fit.index];
        if server.name.is_none() {
            (server.name, server.surely_named) = (Some(name), fit.rivals.is_empty());
        }
        Some(fit)
    }

    /// Several clients of one name, as after a restart, count each for itself.
    fn called(&self, name: &str, id: &str) -> Option<Fit> {
        let mut called = self.living(|server| server.name.as_deref() == Some(name));
        let on: Vec<usize> = called.iter().copied().filter(|index| self.all[*index].goes_on(id)).collect();
        if on.len() == 1 && called.iter().all(|index| self.all[*index].counted) {
            called = on;
        }
        let fit = self.one_of(called)?;
        let surely = self.all[fit.index].surely_named || !fit.rivals.is_empty();
        Some(if surely { fit } else { self.guess(fit.index) })
    }

    /// One that has no name yet is meant where its numbers go on, or where there is no other.
    fn nameless(&self, seen: &Routed) -> Option<Fit> {
        let nameless = self.living(|server| server.name.is_none());
        if nameless.len() < 2 && (self.all.len() == 1 || nameless.iter().all(|index| self.all[*index].complete)) {
            return nameless.first().copied().map(Fit::sure);
        }
        let mut on = nameless;
        on.retain(|index| self.all[*index].goes_on(&seen.id));
        self.one_of(on)
    }

    fn find(&self, side: Side, seen: &Routed) -> Option<Fit> {
        if side == Side::Client && seen.method == "initialize" {
            return None;
        }
        let found = match (side, seen.kind) {
            (Side::Server, Some(Kind::Result | Kind::Error)) => self.waiting(seen, |server| &server.asked),
            (Side::Client, Some(Kind::Result | Kind::Error)) => self.waiting(seen, |server| &server.asks),
            (Side::Client, Some(Kind::Request)) => self.counting(seen),
            (Side::Client, Some(Kind::Notification)) => self.told(seen),
            (Side::Server, Some(Kind::Request)) => self.newest(|server| !server.asks.contains_key(&seen.id)),
            _ => None,
        };
        found.or_else(|| self.newest(|_| true))
    }

    /// The last one spoken of: nothing but that speaks for it.
    fn newest(&self, test: impl Fn(&Server) -> bool) -> Option<Fit> {
        let all = self.all.iter().enumerate().filter(|(_, server)| test(server));
        let newest = all.max_by_key(|(_, server)| (self.lives(server), server.stage.works(), server.at));
        newest.map(|(index, _)| self.guess(index))
    }

    /// Who waits for an answer under this id: those that live first, then those of the newest editor, then who has waited longest.
    fn waiting(&self, seen: &Routed, open: impl Fn(&Server) -> &HashMap<String, Wait>) -> Option<Fit> {
        let waits = |index: &usize| open(&self.all[*index]).get(&seen.id);
        let mut all: Vec<usize> = self.living(|_| true).into_iter().filter(|index| waits(index).is_some()).collect();
        if all.is_empty() {
            all = (0..self.all.len()).filter(|index| waits(index).is_some()).collect();
        }
        let mut calls: Vec<usize> = all.iter().copied().filter(|index| self.all[*index].calls_itself(seen)).collect();
        let fitting = if calls.is_empty() { &mut all } else { &mut calls };
        fitting.sort_by_key(|index| (Reverse(self.all[*index].editor), waits(index).map(|wait| wait.since)));
        let first = *fitting.first()?;
        Some(match (fitting.len(), waits(&first).is_some_and(|wait| wait.sure)) {
            (1, true) => Fit::sure(first),
            (1, false) => self.guess(first),
            _ => Fit { index: first, rivals: std::mem::take(fitting) },
        })
    }

    /// Whose count a request goes on with.
    fn counting(&self, seen: &Routed) -> Option<Fit> {
        let fit = self.one_of(self.living(|server| server.goes_on(&seen.id)))?;
        let doubtful = self.living(|server| !server.counted).into_iter().any(|index| index != fit.index);
        let sure = fit.rivals.is_empty() && !doubtful && self.all[fit.index].counted;
        Some(if sure || !fit.rivals.is_empty() { fit } else { self.guess(fit.index) })
    }

    /// Who is told something: that a request is cancelled, that the handshake ends or all of it does, or what the one before was told.
    fn told(&self, seen: &Routed) -> Option<Fit> {
        match seen.method.as_str() {
            "$/cancelRequest" => self.waiting(seen, |server| &server.asked),
            "initialized" => self.one_of(self.living(|server| server.stage == Stage::Answered)),
            "exit" => self.one_of(self.living(|server| server.stage == Stage::ShutDown)),
            _ => {
                let last = self.newest(|_| true).filter(|last| self.all[last.index].told == seen.text)?;
                let others = self.all.iter().enumerate().filter(|(_, other)| other.told != seen.text);
                let next = others.filter(|(_, other)| other.last.is_some() && self.lives(other));
                let next = next.min_by_key(|(_, other)| (Reverse(other.editor), other.at));
                Some(next.map_or(last, |(index, _)| self.guess(index)))
            }
        }
    }
}
