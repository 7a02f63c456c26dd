//! Who waits on whom: chains of open requests through both sides.
//!
//! Some protocols say which request another one serves (`parent`). Where they do not, a request of the server that is
//! open while a request of the client waits is put behind it, and the chain says that this is an inference.

use std::collections::BTreeMap;

use serde::Serialize;

use super::facts::{Facts, label, peer};

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
    let links = Links::of(facts);
    let mut used = vec![false; facts.stuck.len()];
    // A request that serves nothing begins a chain; requests of the server that serve one come behind it.
    let first = (0..used.len()).filter(|at| links.parent[*at].is_none());
    let mut found = Vec::new();
    for at in first.chain(0..facts.stuck.len()) {
        if !used[at] {
            found.push(chain(facts, &links, at, &mut used));
        }
    }
    found.retain(|chain| chain.ids.iter().any(|id| facts.wanted(*id)));
    found.sort_by_key(|chain| (!chain.cycle, std::cmp::Reverse(chain.ids.len())));
    found
}

fn chain(facts: &Facts, links: &Links, first: usize, used: &mut [bool]) -> Chain {
    let mut chain = Chain { requests: vec![], steps: vec![], ids: vec![], cycle: false, linked: true };
    let mut at = Some(first);
    while let Some(here) = at {
        used[here] = true;
        let row = &facts.stuck[here].row;
        chain.requests.push(label(row));
        chain.steps.push((row.issuer.clone(), row.method.clone()));
        chain.ids.push(row.id);
        at = links.children[here].iter().copied().find(|child| !used[*child]);
        chain.linked &= at.and_then(|child| links.parent[child]).is_none_or(|(_, stated)| stated);
    }
    chain.cycle = chain.steps.len() > 1;
    chain
}

/// Who serves whom among the stuck requests, by their places in the list.
struct Links {
    /// The request that each one serves, and whether the protocol says so.
    parent: Vec<Option<(usize, bool)>>,
    /// Those that serve each one.
    children: Vec<Vec<usize>>,
}

impl Links {
    /// A request of the server of which the protocol says nothing serves the newest request of the client before it.
    fn of(facts: &Facts) -> Links {
        let places: BTreeMap<i64, usize> =
            facts.stuck.iter().enumerate().map(|(at, waiting)| (waiting.row.id, at)).collect();
        let mut parent = vec![None; facts.stuck.len()];
        let mut children = vec![Vec::new(); facts.stuck.len()];
        let mut newest = None;
        for (id, at) in &places {
            let row = &facts.stuck[*at].row;
            parent[*at] = match row.parent_id {
                Some(stated) => places.get(&stated).filter(|_| stated != *id).map(|at| (*at, true)),
                None if row.issuer == "server" => newest.map(|at| (at, false)),
                None => None,
            };
            if row.issuer == "client" {
                newest = Some(*at);
            }
        }
        for (at, parent) in parent.iter().enumerate() {
            if let Some((parent, _)) = parent {
                children[*parent].push(at);
            }
        }
        Links { parent, children }
    }
}
