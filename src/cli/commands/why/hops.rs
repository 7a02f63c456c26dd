//! The requests that are told about, at every hop that they pass.

use std::collections::{BTreeMap, BTreeSet};

use rpctape::error::Result;
use rpctape::report::Judged;
use rpctape::report::why::{AtHop, Cancelled, Facts};
use rpctape::store::ExchangeRow;

use super::WhyArgs;
use crate::cli::content::case::Case;

/// How many requests have a tree, unless all are asked for.
const TREES: usize = 3;

/// How many hops a tree is followed up and down; a log that links requests in a circle ends there.
const DEEP: usize = 16;

impl Case<'_> {
    /// The trees of what the facts are about, those with trouble first: what the user asked for, what is stuck, what was cancelled.
    pub fn hops(&self, facts: &Facts, args: &WhyArgs) -> Result<Vec<Vec<AtHop>>> {
        let names: BTreeMap<&str, &str> =
            args.hops.hops.iter().map(|(name, log)| (log.as_str(), name.as_str())).collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let waiting = facts.stuck.iter().chain(&facts.open).map(|waiting| waiting.row.id);
        let kept = |cancel: &&Cancelled| !Judged::of(&cancel.row).defied();
        let mut cancels: Vec<&Cancelled> = facts.cancels.iter().collect();
        cancels.sort_by_key(kept);
        let cancelled = cancels.into_iter().filter_map(|cancel| Some(cancel.exchange.as_ref()?.id));
        let asked = facts.focus.iter().flatten().copied();
        let (mut told, mut trees) = (BTreeSet::new(), Vec::new());
        for id in asked.chain(waiting).chain(cancelled).filter(|id| facts.wanted(*id)) {
            let Some(root) = self.root(id)? else { continue };
            if told.insert(root.id) && (args.all || trees.len() < TREES) {
                let mut tree = Vec::new();
                self.grow(&root, 0, &names, &mut tree)?;
                trees.push(tree);
            }
        }
        trees.retain(|tree| tree.len() > 1);
        Ok(trees)
    }

    /// The request at the hop next to the user that this one serves.
    fn root(&self, id: i64) -> Result<Option<ExchangeRow>> {
        let mut row = self.store.exchange(id)?;
        for _ in 0..DEEP {
            let Some(parent) = row.as_ref().and_then(|row| row.parent_id) else { break };
            row = self.store.exchange(parent)?;
        }
        Ok(row)
    }

    fn grow(&self, row: &ExchangeRow, depth: u32, names: &BTreeMap<&str, &str>, tree: &mut Vec<AtHop>) -> Result<()> {
        let cancel = self.cancels_of(row)?.into_iter().next();
        let connection = self.connection(row.connection_id).map_or("", |connection| connection.key.as_str());
        let hop = names.get(row.source.as_str()).copied().unwrap_or(connection).to_string();
        tree.push(AtHop { depth, hop, row: row.clone(), cancel });
        if (depth as usize) < DEEP {
            for below in self.store.nested_exchanges(row.id)? {
                self.grow(&below, depth + 1, names, tree)?;
            }
        }
        Ok(())
    }
}
