//! What a language server has registered, and what it takes back (LSP).

use serde_json::Value;

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::{Id, Kind};
use crate::protocol::{Facts, Flaw, Side, is_placeholder};

/// How many registrations of a connection are remembered; in one with more nothing is said.
const REMEMBERED: usize = 16_384;

impl Conn {
    /// A request of the server that registers something, or takes back what it never registered.
    pub(super) fn registers(&mut self, step: &mut Step<'_>, m: &Incoming<'_>) {
        match m.message.method() {
            "client/registerCapability" => {
                let ids = ids(&read(m.facts)["params"]["registrations"]);
                self.keep_registered(ids);
            }
            "client/unregisterCapability" => {
                // So the protocol spells it.
                for id in ids(&read(m.facts)["params"]["unregisterations"]) {
                    self.takes_back(step, m, &id);
                }
            }
            _ => {}
        }
    }

    /// The answer to the handshake may register something: what it gives an id can be taken back by it.
    pub(super) fn registers_at_once(&mut self, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let opens =
            || self.slot(issuer, id).is_some_and(|slot| Some(&*slot.exchange.method) == m.profile.opening.initialize);
        let documents = m.profile.documents && m.message.kind == Kind::Result;
        if documents && opens() && m.facts.message().contains("\"id\"") {
            let mut found = Vec::new();
            nested(&read(m.facts)["result"]["capabilities"], &mut found);
            self.keep_registered(found);
        }
    }

    fn keep_registered(&mut self, ids: Vec<String>) {
        let room = REMEMBERED.saturating_sub(self.registered.len());
        self.registered.extend(ids.into_iter().take(room).map(String::into_boxed_str));
    }

    fn takes_back(&self, step: &mut Step<'_>, m: &Incoming<'_>, id: &str) {
        if self.registered.contains(id) || self.registered.len() >= REMEMBERED || is_placeholder(id) {
            return;
        }
        let words = format!("the server takes back the registration {id}, which it has not made");
        let flaw = Flaw { ruling: "LIF032", words, unless: None };
        self.emit(step, m.profile, m.seen, Some(m.sender), What::Flawed { flaw: &flaw, exchange: None });
    }
}

fn read(facts: &Facts<'_>) -> Value {
    serde_json::from_str(facts.message()).unwrap_or_default()
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|one| Some(one["id"].as_str()?.to_string())).collect()
}

/// Every id in what a server declares.
fn nested(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("id").and_then(Value::as_str).map(str::to_string));
            members.values().for_each(|member| nested(member, found));
        }
        Value::Array(list) => list.iter().for_each(|one| nested(one, found)),
        _ => {}
    }
}
