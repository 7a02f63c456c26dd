//! What the user asked about: a request, a method or tool, the last while.

use std::collections::BTreeSet;

use rpctape::error::Result;
use rpctape::report::why::Facts;
use rpctape::store::{ConnectionRow, ExchangeFilter, ExchangeRow};

use super::{WhyArgs, wanted};
use crate::cli::args::request_name;
use crate::cli::content::case::Case;

/// What a user names beside the log.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// A request and nothing else.
    Request(&'a str),
    /// A method or tool, or else a request.
    Any(&'a str),
}

impl<'a> Asked<'a> {
    /// As it was typed.
    pub fn name(self) -> &'a str {
        match self {
            Asked::Request(name) | Asked::Any(name) => name,
        }
    }

    /// True if it is the method or tool of a request.
    pub fn calls(self, row: &ExchangeRow) -> bool {
        matches!(self, Asked::Any(name) if is_called(row, name))
    }
}

impl Case<'_> {
    /// The connections to tell about, the one with most trouble first.
    pub fn order(&self, args: &WhyArgs) -> Result<Vec<&ConnectionRow>> {
        let mut order = wanted(&self.connections, args)?;
        // What ended before the time that is asked for has nothing to tell of it.
        let ended = |row: &ConnectionRow| self.since.is_some_and(|span| row.last_at_us < Some(span.from_us));
        order.retain(|row| !ended(row));
        if let (None, Some(asked)) = (&args.connection, args.asked()) {
            let of_requests = self.called(asked)?;
            match of_requests.is_empty() {
                false => order.retain(|connection| of_requests.contains(&connection.id)),
                true => {
                    let row = request_name::find(self.store, asked.name())?;
                    return Ok(self.connection(row.connection_id).into_iter().collect());
                }
            }
        }
        self.ranked(order)
    }

    /// Connections that have a request of this method or tool.
    pub fn called(&self, asked: Asked<'_>) -> Result<BTreeSet<i64>> {
        let mut found = BTreeSet::new();
        self.store.exchanges(ExchangeFilter::default(), |row| {
            if asked.calls(&row) {
                found.insert(row.connection_id);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Everything about a connection, with what the user asked about marked.
    pub fn facts(&self, connection: &ConnectionRow, args: &WhyArgs) -> Result<Facts> {
        let mut facts = self.facts_of(connection)?;
        self.focus(&mut facts, args)?;
        facts.hops = self.hops(&facts, args)?;
        self.clean(facts.hops.iter_mut().flatten().map(|hop| &mut hop.row));
        Ok(self.told(facts))
    }

    /// What the user asked about: a request, a method, the last while.
    fn focus(&self, facts: &mut Facts, args: &WhyArgs) -> Result<()> {
        let cancelled = facts.cancels.iter().filter_map(|cancel| cancel.exchange.as_ref());
        let waiting = facts.stuck.iter().chain(&facts.open).map(|waiting| &waiting.row);
        let known: Vec<&ExchangeRow> = waiting.chain(&facts.around).chain(cancelled).collect();
        let mut focus: Option<BTreeSet<i64>> = self.since.map(|span| {
            known.iter().filter(|row| span.meets(row.sent_at_us, row.settled_at_us)).map(|row| row.id).collect()
        });
        if let Some(asked) = args.asked() {
            let mut fitting: BTreeSet<i64> = known.iter().filter(|row| asked.calls(row)).map(|row| row.id).collect();
            if fitting.is_empty() {
                let row = request_name::find(self.store, asked.name())?;
                fitting.insert(row.id);
                if row.connection_id == facts.connection.id && !facts.around.iter().any(|other| other.id == row.id) {
                    facts.around.push(row);
                }
            }
            focus = Some(match focus {
                Some(focus) => focus.intersection(&fitting).copied().collect(),
                None => fitting,
            });
        }
        facts.focus = focus;
        Ok(())
    }
}

/// True if a request is of this method or tool: `tools/call`, `search`, `call:search`.
fn is_called(row: &ExchangeRow, what: &str) -> bool {
    let name = row.name.as_deref();
    let method = |end: &str| row.method == end || row.method.rsplit('/').next() == Some(end);
    method(what)
        || name == Some(what)
        || what.split_once(':').is_some_and(|(end, tool)| method(end) && name == Some(tool))
}
