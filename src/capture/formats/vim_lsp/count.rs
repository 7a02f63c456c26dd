//! Ids of outgoing requests, which vim-lsp logs before it numbers them.

use std::collections::HashMap;

use super::Entry;
use crate::capture::sample::Sample;
use crate::json::scan::{members, unquoted};
use crate::protocol::{MethodKind, Side, by_name};

/// What an outgoing message is, by its members.
pub(super) struct Outgoing<'a> {
    pub method: &'a str,
    pub params: Option<&'a str>,
    /// True if it is a request, whose id is not in it.
    pub is_request: bool,
    /// True if it has an id of its own: the answer to a request of the server.
    pub has_id: bool,
}

impl<'a> Outgoing<'a> {
    pub(super) fn read(object: &'a str) -> Outgoing<'a> {
        let mut found = Outgoing { method: "", params: None, is_request: false, has_id: false };
        for member in members(object) {
            match member.key {
                "method" => found.method = member.value,
                "params" => found.params = Some(member.value),
                "id" => found.has_id = true,
                // Only a request has a callback, or waits for its answer.
                "on_notification" | "sync" => found.is_request = true,
                _ => {}
            }
        }
        let known = by_name("lsp", None).and_then(|profile| profile.method(unquoted(found.method)));
        found.is_request |= known.is_some_and(|method| method.kind == MethodKind::Request);
        found.is_request &= !found.has_id && !found.method.is_empty();
        found
    }
}

/// How many requests a client has sent, and those that wait for an answer: id, method, parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    last: Option<i64>,
    waiting: Vec<(i64, String, Option<String>)>,
}

/// How many requests are remembered: what is not answered in the end is forgotten.
const WAITING: usize = 256;

impl Count {
    /// The id of the next request.
    pub(super) fn sent(&mut self, request: &Outgoing<'_>) -> Option<i64> {
        if request.method == "\"initialize\"" {
            *self = Count { last: Some(0), waiting: Vec::new() };
        }
        let id = self.last? + 1;
        self.note(id, request);
        Some(id)
    }

    fn note(&mut self, id: i64, request: &Outgoing<'_>) {
        self.last = Some(id);
        if self.waiting.len() == WAITING {
            self.waiting.remove(0);
        }
        self.waiting.push((id, request.method.to_string(), request.params.map(str::to_string)));
    }

    /// A request that came back with its answer: the count goes on from where it shows to be. True if it shows that the log lacks
    /// requests, and that those before it were counted wrong.
    pub(super) fn answered(&mut self, request: &str) -> bool {
        let (mut id, mut method, mut params) = (None, "", None);
        for member in members(request) {
            match member.key {
                "id" => id = member.value.parse::<i64>().ok(),
                "method" => method = member.value,
                "params" => params = Some(member.value),
                _ => {}
            }
        }
        let Some(id) = id else { return false };
        let same = |one: &(i64, String, Option<String>)| one.1 == method && one.2.as_deref() == params;
        let exact = self.waiting.iter().position(|one| one.0 == id && same(one));
        let Some(at) = exact.or_else(|| self.waiting.iter().position(same)) else { return false };
        let drift = id - self.waiting.remove(at).0;
        self.last = self.last.map(|last| last + drift);
        self.waiting.iter_mut().for_each(|one| one.0 += drift);
        drift != 0
    }
}

/// How far each client had counted before the log begins, told from the answers in its head.
pub(super) fn counts(sample: &Sample) -> HashMap<String, Count> {
    let mut found: HashMap<String, Count> = HashMap::new();
    let mut sent: HashMap<String, i64> = HashMap::new();
    for entry in sample.lines().filter_map(Entry::read) {
        let count =
            found.entry(entry.client.to_string()).or_insert_with(|| Count { last: Some(0), waiting: Vec::new() });
        let number = sent.entry(entry.client.to_string()).or_default();
        if entry.side == Side::Server {
            if let Some(request) = members(entry.object).find(|member| member.key == "request") {
                count.answered(request.value);
            }
            continue;
        }
        let outgoing = Outgoing::read(entry.object);
        if outgoing.is_request && count.sent(&outgoing).is_some() {
            *number += 1;
        }
    }
    // Where the count starts is where it ends, less what was sent.
    let start = |(client, count): (String, Count)| {
        let start = count.last? - sent.get(&client)?;
        (start > 0).then_some((client, Count { last: Some(start), waiting: Vec::new() }))
    };
    found.into_iter().filter_map(start).collect()
}
