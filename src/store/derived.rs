//! Writes what the audit makes of the frames: exchanges, cancels, findings, facts of connections.

use std::cell::RefCell;
use std::fmt::Write;

use rusqlite::types::Null;
use rusqlite::{Statement, named_params};
use rustc_hash::FxHashMap;

use super::Store;
use super::aside::Aside;
use super::codes;
use super::columns::ExchangeColumns;
use super::fail::failed;
use super::several::{ROWS, several};
use crate::error::Result;
use crate::finding::Finding;
use crate::protocol::{Clause, Profile, Side};
use crate::session::{Cancellation, Connection, Directions, End, Exchange, FrameId, Ledger};

const INSERT_EXCHANGE: &str = include_str!("../../sql/statements/insert_exchange.sql");
pub(super) const INSERT_SENDER: &str = "INSERT OR REPLACE INTO inferred (frame, sender) VALUES (?1, ?2)";
const INSERT_CANCELLATION: &str = include_str!("../../sql/statements/insert_cancellation.sql");
const INSERT_FINDING: &str = include_str!("../../sql/statements/insert_finding.sql");
const INSERT_FINDING_CANCEL: &str = include_str!("../../sql/statements/insert_finding_cancel.sql");
const INSERT_FACT: &str = include_str!("../../sql/statements/insert_connection_fact.sql");
const INSERT_OCCASION: &str = include_str!("../../sql/statements/insert_occasion.sql");
const INSERT_OCCASION_OF_SERVER: &str = include_str!("../../sql/statements/insert_occasion_of_server.sql");
const INSERT_CLAUSE: &str = include_str!("../../sql/statements/insert_clause.sql");

/// Bits of a finding's id below those of its frame: the rule, then a counter.
const RULE_SHIFT: u32 = 20;
const FRAME_SHIFT: u32 = RULE_SHIFT + 8;
/// Bits of a cancellation's id below those of its frame.
const CANCEL_SHIFT: u32 = 16;

/// Writes derived rows.
pub struct Derived<'s> {
    exchange: Exchanges<'s>,
    inferred: Statement<'s>,
    cancellation: Statement<'s>,
    cancellation_last: Statement<'s>,
    finding: Statement<'s>,
    finding_last: Statement<'s>,
    finding_cancel: Statement<'s>,
    fact: Statement<'s>,
    clause: Statement<'s>,
    occasion: Statement<'s>,
    occasion_of_server: Statement<'s>,
    profiles: Vec<&'static Profile>,
    rules: FxHashMap<&'static str, i64>,
    /// Reused for text that has to be put together.
    text: String,
    aside: Option<&'s RefCell<Aside>>,
    place: &'s str,
}

impl Store {
    /// A writer of derived rows. `rules` are code and slug of the rules that may speak.
    pub fn derived(&self, rules: &[(&'static str, &'static str)]) -> Result<Derived<'_>> {
        self.try_derived(rules).map_err(|error| self.fail("write", &error))
    }

    fn try_derived(&self, rules: &[(&'static str, &'static str)]) -> rusqlite::Result<Derived<'_>> {
        let profiles = codes::numbered_profiles();
        let mut insert = self
            .sql
            .prepare("INSERT OR REPLACE INTO profile (id, label, protocol, revision) VALUES (?1, ?2, ?3, ?4)")?;
        for (at, profile) in profiles.iter().enumerate() {
            insert.execute((at as i64, profile.label(), profile.name, profile.revision))?;
        }
        let mut insert = self.sql.prepare("INSERT OR REPLACE INTO rule (code, slug, nth) VALUES (?1, ?2, ?3)")?;
        for (at, (code, slug)) in rules.iter().enumerate() {
            insert.execute((code, slug, at as i64))?;
        }
        Ok(Derived {
            exchange: self.exchange_table()?,
            inferred: self.sql.prepare(INSERT_SENDER)?,
            cancellation: self.sql.prepare(INSERT_CANCELLATION)?,
            cancellation_last: self.sql.prepare("SELECT max(id) FROM cancellation WHERE id BETWEEN ?1 AND ?2")?,
            finding: self.sql.prepare(INSERT_FINDING)?,
            finding_cancel: self.sql.prepare(INSERT_FINDING_CANCEL)?,
            finding_last: self.sql.prepare("SELECT max(id) FROM finding WHERE id BETWEEN ?1 AND ?2")?,
            fact: self.sql.prepare(INSERT_FACT)?,
            clause: self.sql.prepare(INSERT_CLAUSE)?,
            occasion: self.sql.prepare(INSERT_OCCASION)?,
            occasion_of_server: self.sql.prepare(INSERT_OCCASION_OF_SERVER)?,
            profiles,
            rules: rules.iter().enumerate().map(|(at, (code, _))| (*code, at as i64)).collect(),
            text: String::new(),
            aside: self.aside.as_ref(),
            place: &self.place,
        })
    }
}

impl Store {
    /// Notes requests that serve one of another connection: pairs of frames, that one first. Where exchanges are not kept, none is noted.
    pub fn serves(&self, pairs: &[(FrameId, FrameId)]) -> Result<()> {
        let mut update = self
            .sql
            .prepare("UPDATE exchange SET parent = ?1 WHERE request = ?2")
            .map_err(|error| self.fail("write", &error))?;
        for (parent, request) in pairs {
            update.execute((*parent as i64, *request as i64)).map_err(|error| self.fail("write", &error))?;
        }
        Ok(())
    }
}

impl Derived<'_> {
    /// An exchange that will not change any more.
    pub fn exchange(&mut self, connection: u32, exchange: &Exchange) -> Result<()> {
        self.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{}", exchange.history);
        let row = ExchangeColumns {
            request: exchange.request.frame as i64,
            issuer: codes::side(exchange.issuer),
            response: exchange.answer.map(|seen| seen.frame as i64),
            parent: exchange.parent.map(|frame| frame as i64),
            outcome: codes::outcome(exchange.outcome),
            profile: self.profile(exchange.profile),
            settled: settled(exchange),
            history: &self.text,
            name: exchange.name.as_deref(),
            last_progress: exchange.last_progress.map(|seen| seen.frame as i64),
        };
        if let Some(aside) = self.aside {
            let mut aside = aside.borrow_mut();
            aside.counted();
            if !aside.is_row(exchange.request.frame) {
                return aside.exchange(connection, &row);
            }
        }
        self.exchange.take(&row).map_err(|error| failed("write", self.place, &error))?;
        // What becomes a row of a few is asked for at once.
        if self.aside.is_some() { self.finish() } else { Ok(()) }
    }

    /// Writes what is still to be written: at the end, and before anything asks for it.
    pub fn finish(&mut self) -> Result<()> {
        self.exchange.write().map_err(|error| failed("write", self.place, &error))
    }

    /// The sender of a frame whose direction the log does not state.
    pub fn inferred(&mut self, frame: FrameId, sender: Side) -> Result<()> {
        if let Some(aside) = self.aside.filter(|aside| !aside.borrow().is_row(frame)) {
            return aside.borrow_mut().sender(frame, codes::side(sender));
        }
        let row = (frame as i64, codes::side(sender));
        self.inferred.execute(row).map(|_| ()).map_err(|error| failed("write", self.place, &error))
    }

    /// A cancel that will not change any more.
    pub fn cancellation(&mut self, connection: u32, cancel: &Cancellation) -> Result<()> {
        if self.aside.is_some() {
            // No finding is read with it.
            return Ok(());
        }
        self.try_cancellation(connection, cancel).map_err(|error| failed("write", self.place, &error))
    }

    /// A finding.
    pub fn finding(&mut self, finding: &Finding) -> Result<()> {
        self.try_finding(finding).map_err(|error| failed("write", self.place, &error))
    }

    /// A connection at its end.
    pub fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>, logger: Option<Side>) -> Result<()> {
        self.try_connection(connection, ledger, logger).map_err(|error| failed("write", self.place, &error))
    }

    /// What a connection gave each side occasion to, under one profile, and what its log can prove; all as bits.
    pub fn occasions(&mut self, connection: &Connection, profile: &'static Profile, bits: [[u64; 2]; 2]) -> Result<()> {
        let row = named_params! {
            ":connection": connection.id,
            ":profile": self.profile(profile),
            ":client": bits[0][0] as i64,
            ":client_high": bits[0][1] as i64,
            ":server": bits[1][0] as i64,
            ":server_high": bits[1][1] as i64,
            ":proof": connection.proof.bits(),
        };
        self.occasion.execute(row).map(|_| ()).map_err(|error| failed("write", self.place, &error))
    }

    /// The same for the server alone; what it gave the client occasion to stays.
    pub fn occasions_of_server(
        &mut self,
        connection: &Connection,
        profile: &'static Profile,
        bits: [u64; 2],
    ) -> Result<()> {
        let row = named_params! {
            ":connection": connection.id,
            ":profile": self.profile(profile),
            ":server": bits[0] as i64,
            ":server_high": bits[1] as i64,
            ":proof": connection.proof.bits(),
        };
        self.occasion_of_server.execute(row).map(|_| ()).map_err(|error| failed("write", self.place, &error))
    }

    fn try_cancellation(&mut self, connection: u32, cancel: &Cancellation) -> rusqlite::Result<()> {
        let base = (cancel.seen.frame as i64) << CANCEL_SHIFT;
        let last = base | ((1 << CANCEL_SHIFT) - 1);
        let id = next_id(&mut self.cancellation_last, base, last)?;
        self.cancellation.execute(named_params! {
            ":id": id,
            ":connection": connection,
            ":message": cancel.seen.frame as i64,
            ":sender": codes::side(cancel.sender),
            ":mechanism": cancel.mechanism.as_str(),
            ":is_foreign": cancel.foreign,
            ":target_rpc_id": cancel.target_text.as_deref(),
            ":exchange": cancel.exchange.map(|frame| frame as i64),
            ":target_method": cancel.target_method.as_deref(),
            ":sent_at_us": cancel.seen.at_us,
            ":delay_us": cancel.delay_us,
            ":reason": cancel.reason.as_deref(),
            ":effect": cancel.effect.map(|effect| effect.as_str()),
            ":effect_message": cancel.effect_seen.map(|seen| seen.frame as i64),
            ":effect_at_us": cancel.effect_seen.and_then(|seen| seen.at_us),
            ":response_code": cancel.response_code,
        })?;
        Ok(())
    }

    fn try_finding(&mut self, finding: &Finding) -> rusqlite::Result<()> {
        let rule = self.rules.get(finding.code).copied().unwrap_or(255).min(255);
        let base = (finding.frame as i64) << FRAME_SHIFT | rule << RULE_SHIFT;
        let id = next_id(&mut self.finding_last, base, base | ((1 << RULE_SHIFT) - 1))?;
        if let Some(clause) = finding.clause {
            self.clause(clause)?;
        }
        if let Some(aside) = self.aside {
            let mut aside = aside.borrow_mut();
            let evidence = finding.evidence.iter().map(|item| item.frame);
            evidence.chain([finding.frame]).chain(finding.exchange).for_each(|frame| aside.name(frame));
        }
        let evidence: Vec<(&str, FrameId)> = finding.evidence.iter().map(|item| (item.role, item.frame)).collect();
        // Words and numbers only: there is nothing that could fail to be written.
        let evidence = serde_json::to_string(&evidence).unwrap_or_default();
        self.finding.execute(named_params! {
            ":id": id,
            ":connection": finding.connection,
            ":frame": finding.frame as i64,
            ":exchange": finding.exchange.map(|frame| frame as i64),
            ":rule": finding.code,
            ":severity": codes::severity(finding.severity),
            ":certainty": codes::certainty(finding.certainty),
            ":basis": finding.basis.map(codes::basis),
            ":profile": self.profile(finding.profile),
            ":clause": finding.clause.map(|clause| clause.id),
            ":evidence": evidence,
            ":summary": finding.summary,
            ":side": finding.by.map(codes::side),
        })?;
        for cancel in finding.evidence.iter().filter(|item| item.role == "cancel") {
            let about = finding.exchange.map_or(0, |frame| frame as i64);
            self.finding_cancel.execute((cancel.frame as i64, about, id))?;
        }
        Ok(())
    }

    fn try_connection(
        &mut self,
        connection: &Connection,
        ledger: Ledger<'_>,
        logger: Option<Side>,
    ) -> rusqlite::Result<()> {
        self.fact.execute(named_params! {
            ":connection": connection.id,
            ":profile": self.profile(connection.profile),
            ":logger": logger.map(codes::side),
            ":inferred": connection.directions == Directions::Inferred,
            ":client_name": connection.client_name,
            ":server_name": connection.server_name,
            ":first_frame": connection.first.map(|seen| seen.frame as i64),
            ":last_frame": connection.last.map(|seen| seen.frame as i64),
            ":first_at_us": connection.times.map(|(first, _)| first),
            ":last_at_us": connection.times.map(|(_, last)| last),
            ":messages": (connection.messages - connection.unclassified) as i64,
            ":requests": connection.requests as i64,
            ":cancels": connection.cancels as i64,
            ":complete_head": connection.complete_head(),
            ":complete_tail": matches!(connection.end, End::Closed(_)),
            ":has_gap": ledger.has_gap(),
            ":timed": connection.timed,
        })?;
        Ok(())
    }

    fn clause(&mut self, clause: &Clause) -> rusqlite::Result<()> {
        self.clause.execute((clause.id, clause.level.as_str(), clause.text, clause.url)).map(|_| ())
    }

    fn profile(&self, profile: &'static Profile) -> i64 {
        let at = self.profiles.iter().position(|known| std::ptr::eq(*known, profile));
        // A profile outside the list (a test's own) gets a number that no row has; the views then show NULL.
        at.map_or(-1, |at| at as i64)
    }
}

/// The frame that settled an exchange, where it is not the answer.
fn settled(exchange: &Exchange) -> Option<i64> {
    // Nothing is due after a cancel where silence is the answer: that is when it was settled.
    let silent = exchange.answer.is_none() && codes::outcome(exchange.outcome) == 3;
    exchange.cancel().filter(|_| silent).map(|cancel| cancel.seen.frame as i64)
}

/// The table of exchanges, as one statement.
pub(super) struct Exchanges<'s> {
    insert: Statement<'s>,
    /// How many rows are bound and not yet written.
    waiting: usize,
}

/// How many columns an exchange has.
const WIDTH: usize = 10;

impl Store {
    /// The table of exchanges, to be written to.
    pub(super) fn exchange_table(&self) -> rusqlite::Result<Exchanges<'_>> {
        Ok(Exchanges { insert: self.sql.prepare(&several(INSERT_EXCHANGE))?, waiting: 0 })
    }
}

impl Exchanges<'_> {
    /// Takes a row, to be written with others. The order of the parameters is that of the statement.
    pub(super) fn take(&mut self, row: &ExchangeColumns<'_>) -> rusqlite::Result<()> {
        let (base, insert) = (self.waiting * WIDTH, &mut self.insert);
        insert.raw_bind_parameter(base + 1, row.request)?;
        insert.raw_bind_parameter(base + 2, row.issuer)?;
        insert.raw_bind_parameter(base + 3, row.response)?;
        insert.raw_bind_parameter(base + 4, row.parent)?;
        insert.raw_bind_parameter(base + 5, row.outcome)?;
        insert.raw_bind_parameter(base + 6, row.profile)?;
        insert.raw_bind_parameter(base + 7, row.settled)?;
        insert.raw_bind_parameter(base + 8, row.history)?;
        match row.name {
            Some(name) => insert.raw_bind_parameter(base + 9, name)?,
            None => insert.raw_bind_parameter(base + 9, Null)?,
        }
        insert.raw_bind_parameter(base + 10, row.last_progress)?;
        self.waiting += 1;
        if self.waiting == ROWS { self.write() } else { Ok(()) }
    }

    /// Writes the rows that wait.
    pub(super) fn write(&mut self) -> rusqlite::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        if rows == 0 {
            return Ok(());
        }
        self.insert.raw_bind_parameter(ROWS * WIDTH + 1, rows as i64)?;
        self.insert.raw_execute().map(drop)
    }
}

/// The first free id from `base` on. What a range cannot hold (a million of a kind at one frame) goes behind all others.
fn next_id(last: &mut Statement<'_>, base: i64, end: i64) -> rusqlite::Result<i64> {
    let mut used = |end: i64| last.query_row((base, end), |row| row.get::<_, Option<i64>>(0));
    match used(end)? {
        None => Ok(base),
        Some(id) if id < end => Ok(id + 1),
        Some(id) => Ok(used(i64::MAX)?.unwrap_or(id) + 1),
    }
}
