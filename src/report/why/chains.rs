//! Who waits on whom: chains of open requests through both sides.
//!
//! Some protocols say which request another one serves (`parent`). Where they do not, a request of the server that is
//! open while a request of the client waits is put behind it, and the chain says that this is an inference.

use std::collections::BTreeSet;

use serde::Serialize;

use super::facts::{Facts, Waiting, label, peer};

/// One chain, from the side that began it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// The requests, as the screens name them, the first one waits on the next one.
    pub requests: Vec<String>,
    /// Side and method of each.
    pub steps: Vec<(String, String)>,
    /// Frames of the requests.
    #[serde(skip)]
    pub ids: Vec<i64>,
    /// True if the side that began waits for itself.
    pub cycle: bool,
    /// True if the protocol states every link; false if one of them is only the order of messages.
    pub linked: bool,
}

impl Chain {
    /// `client --#17 tools/call--> server --s4 elicitation/create--> client`. Text as it stood in the log.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut last = "";
        for ((side, method), request) in self.steps.iter().zip(&self.requests) {
            text.push_str(&format!("{side} --{request} {method}--> "));
            last = peer(side);
        }
        text + last
    }
}

/// All chains, the longest first.
pub fn chains(facts: &Facts) -> Vec<Chain> {
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    // A request that serves nothing begins a chain; requests of the server that serve one come behind it.
    for waiting in &facts.stuck {
        if parent(facts, waiting).is_none() {
            found.push(chain(facts, waiting, &mut used));
        }
    }
    for waiting in &facts.stuck {
        if !used.contains(&waiting.row.id) {
            found.push(chain(facts, waiting, &mut used));
        }
    }
    found.retain(|chain| chain.ids.iter().any(|id| facts.wanted(*id)));
    found.sort_by_key(|chain| (!chain.cycle, std::cmp::Reverse(chain.ids.len())));
    found
}

fn chain(facts: &Facts, first: &Waiting, used: &mut BTreeSet<i64>) -> Chain {
    let mut chain = Chain { requests: vec![], steps: vec![], ids: vec![], cycle: false, linked: true };
    let mut at = Some(first);
    while let Some(waiting) = at {
        if !used.insert(waiting.row.id) {
            break;
        }
        let row = &waiting.row;
        chain.requests.push(label(row));
        chain.steps.push((row.issuer.clone(), row.method.clone()));
        chain.ids.push(row.id);
        let next = facts.stuck.iter().find(|child| {
            !used.contains(&child.row.id) && parent(facts, child).is_some_and(|(parent, _)| parent.row.id == row.id)
        });
        chain.linked &= next.and_then(|child| parent(facts, child)).is_none_or(|(_, stated)| stated);
        at = next;
    }
    chain.cycle = chain.steps.len() > 1;
    chain
}

/// The stuck request that a stuck request serves, and whether the protocol says so.
fn parent<'a>(facts: &'a Facts, child: &Waiting) -> Option<(&'a Waiting, bool)> {
    let row = &child.row;
    if let Some(parent) = row.parent_id {
        return facts.stuck.iter().find(|waiting| waiting.row.id == parent).map(|waiting| (waiting, true));
    }
    if row.issuer != "server" {
        return None;
    }
    let before = facts.stuck_of("client").filter(|waiting| waiting.row.id < row.id);
    before.last().map(|waiting| (waiting, false))
}
