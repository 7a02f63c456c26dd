//! What the postmortem of a log is made of: rows of the store, connection by connection.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rpctape::capture;
use rpctape::error::Result;
use rpctape::protocol::{self, Side};
use rpctape::redact::Redactor;
use rpctape::report::why::{self, Cancelled, Death, Facts, WINDOW, Waiting};
use rpctape::report::{Unread, escape, plural, redacted};
use rpctape::rules::{Charge, On, RULES, charge};
use rpctape::store::{CancellationRow, ConnectionRow, ExchangeRow, FindingFilter, FindingRow, Raw, SaidRow, Store};

use crate::cli::args::moment::Span;
use crate::cli::args::request_name;

/// How many of the last requests are looked at for the slowest.
pub const LAST: u32 = 20_000;

/// How many of the last frames and requests are looked at besides those around the trouble.
const TAIL: u32 = 500;

/// How many requests are asked for their progress.
const SIGNS: usize = 40;

/// Connections in trouble that are looked into to tell which is worst.
const EXPLAINED: usize = 24;

/// Trouble that is neither a death nor a cycle nor a silent server.
const OTHER_KIND: u8 = 3;

/// How much of a line of stderr is read, in characters.
const STDERR: u32 = 400;

/// What is asked once for all connections.
pub struct Case<'a> {
    pub store: &'a Store,
    pub connections: Vec<ConnectionRow>,
    /// Requests of which a rule says that they were never answered.
    stuck: BTreeMap<i64, Vec<ExchangeRow>>,
    /// Other requests without an answer.
    open: BTreeMap<i64, Vec<ExchangeRow>>,
    /// What the rules say about requests without an answer, by request.
    said: BTreeMap<i64, SaidRow>,
    /// How many cancels there are, by connection.
    cancels: BTreeMap<i64, u64>,
    /// How many cancels were proven not to be honoured, by connection.
    defied: BTreeMap<i64, u64>,
    /// Connections of which the recorder lost messages.
    gaps: BTreeSet<i64>,
    /// How servers died, by connection.
    deaths: BTreeMap<i64, Death>,
    /// Lines that look like messages and were not read.
    unread: Vec<Unread>,
    after_us: i64,
    redactor: RefCell<Option<Redactor>>,
    /// What was read to rank a connection, until it is told about.
    looked_into: RefCell<BTreeMap<i64, Facts>>,
    /// Only what was in flight in it is told.
    pub since: Option<Span>,
}

impl<'a> Case<'a> {
    /// A request as a command names it.
    pub fn name(&self, row: &ExchangeRow) -> Result<String> {
        request_name::shown(self.store, row, self.connections.len(), self.redactor.borrow_mut().as_mut())
    }

    pub fn open(store: &'a Store, mut redactor: Option<Redactor>, after_us: i64) -> Result<Case<'a>> {
        let mut connections = store.connections()?;
        if let Some(redactor) = &mut redactor {
            let names = connections.iter_mut().flat_map(|row| [&mut row.client_name, &mut row.server_name]);
            names.flatten().for_each(|name| *name = redactor.text(name).into_owned());
        }
        let said = store.said(&charging(|charge| charge == Charge::Stuck))?;
        let said = said.into_iter().map(|said| (said.exchange_id, said)).collect();
        let cancels = store.cancel_counts()?;
        let defied = store.defied_counts(&charging(Charge::defies_cancel))?;
        let (stuck, open) = Default::default();
        let deaths = deaths(store, &connections, &mut redactor)?;
        let gaps = store.with_gaps()?;
        let mut unread = Unread::of(&store.sources()?);
        if let Some(redactor) = &mut redactor {
            unread.iter_mut().for_each(|one| one.quote = redactor.text(&one.quote).into_owned());
        }
        let mut case = Case {
            store,
            connections,
            stuck,
            open,
            said,
            cancels,
            defied,
            gaps,
            deaths,
            unread,
            after_us,
            redactor: RefCell::new(redactor),
            looked_into: RefCell::default(),
            since: None,
        };
        case.sort_waiting()?;
        Ok(case)
    }

    /// Requests without an answer: those that a rule calls so, and the others. Where lines are missing, a rule that cannot
    /// decide does not call anything stuck.
    fn sort_waiting(&mut self) -> Result<()> {
        for row in self.store.waiting(&protocol::handshakes())? {
            if row.outcome == "silent" && !why::is_handshake(&row) {
                continue;
            }
            let whole = !self.gaps.contains(&row.connection_id);
            let place = match self.said.get(&row.id) {
                Some(said) if said.certainty == "violation" || whole => &mut self.stuck,
                None if why::long_lived(&row) => continue,
                _ => &mut self.open,
            };
            place.entry(row.connection_id).or_default().push(row);
        }
        Ok(())
    }

    pub fn connection(&self, id: i64) -> Option<&ConnectionRow> {
        self.connections.iter().find(|connection| connection.id == id)
    }

    fn count(&self, of: &BTreeMap<i64, Vec<ExchangeRow>>, connection: &ConnectionRow) -> usize {
        of.get(&connection.id).map_or(0, Vec::len)
    }

    fn defied(&self, connection: &ConnectionRow) -> u64 {
        self.defied.get(&connection.id).copied().unwrap_or_default()
    }

    /// The requests that are stuck, in all connections.
    pub fn stuck(&self) -> impl Iterator<Item = i64> {
        self.stuck.values().flatten().map(|row| row.id)
    }

    /// True if a connection has anything that is worth a screen of its own.
    pub fn in_trouble(&self, connection: &ConnectionRow) -> bool {
        let died = self.deaths.contains_key(&connection.id);
        died || self.count(&self.stuck, connection) > 0 || self.defied(connection) > 0
    }

    /// The same connections, the worst first: a server that died, then a cycle, then a silent server, then what has waited longest.
    pub fn ranked<'c>(&self, mut order: Vec<&'c ConnectionRow>) -> Result<Vec<&'c ConnectionRow>> {
        let trouble = |connection: &ConnectionRow| {
            let died = self.deaths.contains_key(&connection.id);
            let stuck = self.count(&self.stuck, connection);
            let open = self.count(&self.open, connection);
            let longest = self.longest_us(connection);
            (died, stuck > 0, longest, stuck, self.defied(connection), open, connection.requests)
        };
        order.sort_by_cached_key(|connection| (std::cmp::Reverse(trouble(connection)), connection.id));
        let mut kinds = BTreeMap::new();
        for connection in order.iter().filter(|connection| self.in_trouble(connection)).take(EXPLAINED) {
            kinds.insert(connection.id, self.kind(connection)?);
        }
        order.sort_by_key(|connection| kinds.get(&connection.id).copied().unwrap_or(OTHER_KIND));
        Ok(order)
    }

    /// What kind of trouble a connection is in, the worst with the least number.
    fn kind(&self, connection: &ConnectionRow) -> Result<u8> {
        if self.deaths.contains_key(&connection.id) {
            return Ok(0);
        }
        if self.is_neither(connection)? {
            return Ok(OTHER_KIND);
        }
        let facts = self.facts_of(connection)?;
        let letters: Vec<char> = why::postmortem(&facts).patterns.iter().map(|pattern| pattern.letter).collect();
        self.looked_into.borrow_mut().insert(connection.id, facts);
        Ok(match () {
            () if letters.contains(&'a') => 1,
            () if letters.contains(&'b') => 2,
            () => OTHER_KIND,
        })
    }

    /// True if it is seen at once that a connection is in no cycle and its server not silent: nothing is stuck and no handshake
    /// waits; or the server spoke behind the last stuck request, none of its own is stuck, and the connection has no end.
    fn is_neither(&self, connection: &ConnectionRow) -> Result<bool> {
        let of = |rows| BTreeMap::get(rows, &connection.id).map_or(&[][..], Vec::<ExchangeRow>::as_slice);
        let (stuck, open) = (of(&self.stuck), of(&self.open));
        if stuck.iter().chain(open).any(why::is_handshake) {
            return Ok(false);
        }
        let Some(last) = stuck.iter().map(|row| row.id).max() else { return Ok(true) };
        if connection.complete_tail || stuck.iter().any(|row| row.issuer == "server") {
            return Ok(false);
        }
        self.store.spoke_after(connection.id, Side::Server, last)
    }

    /// How long the request has waited that has waited longest, in microseconds.
    fn longest_us(&self, connection: &ConnectionRow) -> i64 {
        let rows = self.stuck.get(&connection.id).map_or(&[][..], Vec::as_slice);
        let first = rows.iter().filter_map(|row| row.sent_at_us).min();
        connection.last_at_us.zip(first).map_or(0, |(last, first)| last - first)
    }

    /// Cancels of a request, in order.
    pub fn cancels_of(&self, row: &ExchangeRow) -> Result<Vec<CancellationRow>> {
        Ok(self.redacted(self.store.cancellations_of_exchange(row.id)?))
    }

    /// The same cancels without secrets: a reason is the one text of a log that these screens have beside names, ids and stderr.
    fn redacted(&self, mut rows: Vec<CancellationRow>) -> Vec<CancellationRow> {
        if let Some(redactor) = &mut *self.redactor.borrow_mut() {
            for reason in rows.iter_mut().filter_map(|row| row.reason.as_mut()) {
                *reason = redactor.text(reason).into_owned();
            }
        }
        rows
    }

    /// Age from which an open request counts as stuck, in microseconds.
    pub fn stuck_after_us(&self) -> i64 {
        self.after_us
    }

    /// One line about a connection; with what most likely happened in it where that is wanted.
    pub fn line(&self, connection: &ConnectionRow, explained: bool) -> Result<String> {
        let stuck = self.count(&self.stuck, connection) as u64;
        let cancels = self.cancels.get(&connection.id).copied().unwrap_or_default();
        let (requests, cancels) = (plural(connection.requests, "request"), plural(cancels, "cancel"));
        let mut said = format!("   {}   {requests}, {cancels}, {stuck} stuck", connection.key);
        if self.deaths.contains_key(&connection.id) {
            said.push_str(", the server died");
        }
        if explained && self.in_trouble(connection) {
            let told = why::postmortem(&self.told(self.facts_of(connection)?));
            if let Some(pattern) = told.patterns.first() {
                said.push_str(&format!(": {}", pattern.text));
            }
        }
        Ok(escape(&said).into_owned())
    }

    /// Everything about a connection, whatever the user asked about.
    pub fn facts_of(&self, connection: &ConnectionRow) -> Result<Facts> {
        if let Some(facts) = self.looked_into.borrow_mut().remove(&connection.id) {
            return Ok(facts);
        }
        let store = self.store;
        let rows = |of: &BTreeMap<i64, Vec<ExchangeRow>>| of.get(&connection.id).cloned().unwrap_or_default();
        let (stuck, open) = (rows(&self.stuck), rows(&self.open));
        let first = stuck.iter().chain(&open).map(|row| row.id).min();
        let around = match first {
            Some(first) => {
                let mut around = store.exchanges_after(connection.id, first, WINDOW)?;
                let seen = around.last().map_or(first, |row| row.id);
                let last = store.last_exchanges(connection.id, TAIL)?;
                around.extend(last.into_iter().filter(|row| row.id > seen));
                around
            }
            None => store.last_exchanges(connection.id, LAST)?,
        };
        let mut units = match first {
            Some(first) => store.units_after(connection.id, first, WINDOW)?,
            None => Vec::new(),
        };
        let seen = units.last().map_or(0, |unit| unit.id);
        units.extend(store.last_units(connection.id, TAIL)?.into_iter().filter(|unit| unit.id > seen));
        // What the server said last before the first stuck request decides whether it was silent from then on.
        if let Some(first) = units.first().map(|unit| unit.id) {
            let before = store.units_before(connection.id, first, 50)?;
            units.splice(0..0, before);
        }
        let waiting = |rows: Vec<ExchangeRow>| -> Result<Vec<Waiting>> {
            let age = |row: &ExchangeRow| {
                // A clock that was set back in between measures nothing.
                Some(connection.last_at_us? - row.sent_at_us?).filter(|age| *age >= 0)
            };
            rows.into_iter()
                .enumerate()
                .map(|(index, row)| {
                    let shows_life = index < SIGNS && row.history.contains('p');
                    let signs = if shows_life { store.signs_of_life(row.id, WINDOW)? } else { Vec::new() };
                    let (age_us, said) = (age(&row), self.said.get(&row.id).cloned());
                    Ok(Waiting { row, age_us, signs, said })
                })
                .collect()
        };
        Ok(Facts {
            connection: connection.clone(),
            has_gap: self.gaps.contains(&connection.id),
            unread: self.unread(connection),
            stuck: waiting(stuck)?,
            open: waiting(open)?,
            death: self.deaths.get(&connection.id).cloned(),
            cancels: self.cancels(connection)?,
            around,
            units,
            focus: None,
            hops: Vec::new(),
            stuck_after_us: self.after_us,
        })
    }

    /// The same facts without secrets in names, which screens cut.
    pub fn told(&self, mut facts: Facts) -> Facts {
        facts.connection = self.named(&facts.connection);
        let waiting = facts.stuck.iter_mut().chain(&mut facts.open).map(|waiting| &mut waiting.row);
        let cancelled = facts.cancels.iter_mut().filter_map(|cancel| cancel.exchange.as_mut());
        self.clean(waiting.chain(cancelled).chain(&mut facts.around));
        facts
    }

    /// A connection without secrets in its name.
    pub fn named(&self, connection: &ConnectionRow) -> ConnectionRow {
        let mut row = connection.clone();
        if let Some(redactor) = &mut *self.redactor.borrow_mut() {
            [&mut row.key, &mut row.source].into_iter().for_each(|word| *word = redactor.text(word).into_owned());
        }
        row
    }

    /// Replaces secrets in the names of requests.
    pub fn clean<'r>(&self, rows: impl Iterator<Item = &'r mut ExchangeRow>) {
        if let Some(redactor) = &mut *self.redactor.borrow_mut() {
            rows.for_each(|row| redacted::request(row, redactor));
        }
    }

    /// What was not read of the source of a connection.
    fn unread(&self, connection: &ConnectionRow) -> Vec<Unread> {
        let own = self.unread.iter().filter(|one| one.source == connection.source);
        own.map(|one| Unread { near: capture::near(&one.source, one.first), ..one.clone() }).collect()
    }

    fn cancels(&self, connection: &ConnectionRow) -> Result<Vec<Cancelled>> {
        let rows = self.redacted(self.store.cancellations_of_connection(connection.id)?);
        let mut asked = 0;
        rows.into_iter()
            .map(|row| {
                let exchange = row.exchange_id.map(|id| self.store.exchange(id)).transpose()?.flatten();
                // Only a request with progress after its cancel can have worked on without an answer.
                let worked = |exchange: &&ExchangeRow| {
                    exchange.history.split_once('C').is_some_and(|(_, after)| after.contains('p'))
                };
                let signs = match exchange.as_ref().filter(worked).filter(|_| asked < SIGNS) {
                    Some(exchange) => self.store.signs_of_life(exchange.id, WINDOW)?,
                    None => Vec::new(),
                };
                asked += usize::from(!signs.is_empty());
                Ok(Cancelled { row, exchange, signs })
            })
            .collect()
    }
}

/// Codes of the rules that charge a request, or whoever had to answer it, with something of this kind.
fn charging(wanted: impl Fn(Charge) -> bool) -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.code).filter(|code| charge(code).is_some_and(&wanted)).collect()
}

/// How the servers of a log died, in the words of the rule, with what they wrote to stderr last.
fn deaths(
    store: &Store,
    connections: &[ConnectionRow],
    redactor: &mut Option<Redactor>,
) -> Result<BTreeMap<i64, Death>> {
    let mut deaths = BTreeMap::new();
    for rule in RULES.iter().filter(|rule| rule.on == On::ServerDied) {
        let filter = FindingFilter { code: Some(rule.code.to_string()), ..FindingFilter::default() };
        for finding in store.all_findings(&filter, Raw::Head(STDERR))? {
            let of = connections.iter().find(|connection| connection.key == finding.connection);
            if let Some(connection) = of {
                deaths.entry(connection.id).or_insert_with(|| death(&finding, redactor));
            }
        }
    }
    Ok(deaths)
}

fn death(finding: &FindingRow, redactor: &mut Option<Redactor>) -> Death {
    let lines = finding.evidence.iter().filter(|evidence| evidence.role == "stderr");
    let lines = lines.filter_map(|evidence| evidence.message.raw.as_deref());
    let stderr = lines.map(|line| match redactor {
        Some(redactor) => redactor.text(line).into_owned(),
        None => line.to_string(),
    });
    Death { line: finding.line, stderr: stderr.collect() }
}
