//! Which recorded exchange answers a live request: the same method with the same parameters, and of several of them the
//! n-th for the n-th time. A request with other parameters never gets this one's answer.

use std::collections::HashMap;

use super::shape::Params;
use super::{Reuse, Script};
use crate::protocol;

/// What can be asked for, and how often it was.
#[derive(Debug)]
pub(super) struct Choice {
    /// By method and parameters: places of exchanges, in recorded order.
    exact: HashMap<(String, String), Vec<usize>>,
    /// By method, those whose parameters hold a replaced secret.
    secret: HashMap<String, Vec<usize>>,
    /// By method.
    methods: HashMap<String, Vec<usize>>,
    /// Per exchange, how often it was served.
    pub(super) served: Vec<u32>,
    reuse: Reuse,
}

/// The answer to a live request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// This exchange.
    Exchange {
        /// Its place.
        place: usize,
        /// Where the parameters differ, in a request that is known by its method alone.
        differs: Option<String>,
    },
    /// None.
    Nothing {
        /// The exchange that comes nearest.
        nearest: Option<usize>,
        /// Where it first differs; `None` where it is the same and was served already.
        differs: Option<String>,
    },
}

impl Choice {
    pub(super) fn new(script: &Script, reuse: Reuse) -> Choice {
        let mut choice = Choice {
            exact: HashMap::new(),
            secret: HashMap::new(),
            methods: HashMap::new(),
            served: vec![0; script.connection.exchanges.len()],
            reuse,
        };
        for (place, exchange) in script.requests() {
            let params = Params::of(script.connection.request(exchange));
            let method = exchange.method.clone();
            if params.has_secret() {
                choice.secret.entry(method.clone()).or_default().push(place);
            }
            choice.exact.entry((method.clone(), params.key())).or_default().push(place);
            choice.methods.entry(method).or_default().push(place);
        }
        choice
    }

    /// Chooses, and counts the exchange as served.
    pub(super) fn take(&mut self, script: &Script, method: &str, live: &Params<'_>) -> Chosen {
        let equal = self.equal(script, method, live);
        if !equal.is_empty() {
            return match self.next(&equal) {
                Some(place) => Chosen::Exchange { place, differs: None },
                None => Chosen::Nothing { nearest: equal.last().copied(), differs: None },
            };
        }
        let all = self.methods.get(method).cloned().unwrap_or_default();
        if protocol::introduces(method)
            && let Some(place) = self.next(&all)
        {
            return Chosen::Exchange { place, differs: recorded(script, place).differences(live).first };
        }
        self.nearest(script, &all, live)
    }

    /// The exchanges with the same method and parameters, in recorded order.
    fn equal(&self, script: &Script, method: &str, live: &Params<'_>) -> Vec<usize> {
        let mut equal = self.exact.get(&(method.to_string(), live.key())).cloned().unwrap_or_default();
        let secret = self.secret.get(method).into_iter().flatten();
        equal.extend(secret.filter(|place| recorded(script, **place).differences(live).count == 0));
        equal.sort_unstable();
        equal.dedup();
        equal
    }

    /// The next of several that are alike.
    fn next(&mut self, places: &[usize]) -> Option<usize> {
        let fresh = places.iter().find(|place| self.served[**place] == 0);
        let again = || match self.reuse {
            Reuse::Once => None,
            Reuse::Last => places.last(),
            Reuse::Cycle => places.iter().min_by_key(|place| self.served[**place]),
        };
        let place = *fresh.or_else(again)?;
        self.served[place] += 1;
        Some(place)
    }

    /// The one that differs least; one of the same tool or command before any other.
    fn nearest(&self, script: &Script, places: &[usize], live: &Params<'_>) -> Chosen {
        let differences = |place: &usize| (*place, recorded(script, *place).differences(live));
        let far = |(place, found): &(usize, super::shape::Differences)| {
            let other_name = found.first.as_deref().is_some_and(|at| matches!(at, "/params/name" | "/params/command"));
            (other_name, found.count, self.served[*place])
        };
        match places.iter().map(differences).min_by_key(far) {
            Some((place, found)) => Chosen::Nothing { nearest: Some(place), differs: found.first },
            None => Chosen::Nothing { nearest: None, differs: None },
        }
    }
}

fn recorded(script: &Script, place: usize) -> Params<'_> {
    Params::of(script.connection.request(&script.connection.exchanges[place]))
}
