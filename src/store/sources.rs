//! Sources and connections as the log states them.

use rusqlite::{OptionalExtension, Row, named_params};

use super::refold::Which;
use super::{Identity, Store, codes};
use crate::capture::{Channel, Proof, Resume, Skip, Vantage};
use crate::error::Result;
use crate::protocol::Profile;
use crate::session::Opened;
use crate::wire::Framing;

const INSERT_CONNECTION: &str = include_str!("../../sql/statements/insert_connection.sql");
const SELECT_CONNECTIONS: &str = include_str!("../../sql/statements/select_connections.sql");
const FORGET_SOURCE: &str = include_str!("../../sql/statements/forget_source.sql");
const COUNT_KNOWN: &str = include_str!("../../sql/statements/count_known_messages.sql");
const UPSERT_SKIPPED: &str = include_str!("../../sql/statements/upsert_skipped_line.sql");
const UPDATE_SOURCE: &str = include_str!("../../sql/statements/update_source.sql");
const SELECT_NAMED: &str = include_str!("../../sql/statements/select_sources_named.sql");
const SELECT_STATE: &str = include_str!("../../sql/statements/select_connection_state.sql");
const FORGET_LAST_LINE: &str = include_str!("../../sql/statements/forget_last_line.sql");
const FORGET_END: &str = include_str!("../../sql/statements/forget_end.sql");
const SELECT_FIRST_IDS: &str = include_str!("../../sql/statements/select_first_ids.sql");
const DEMAND: &str = include_str!("../../sql/statements/update_demands.sql");

/// A source to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewSource<'a> {
    /// Name as the user gave it.
    pub name: &'a str,
    /// Format.
    pub format: &'a str,
    /// Why it was taken for that.
    pub reason: &'a str,
}

/// A source that is stored already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSource {
    /// Row id.
    pub id: u32,
    /// What it was.
    pub identity: Identity,
    /// Where reading stopped.
    pub resume: Resume,
    /// Why it was read as it was.
    pub reason: String,
}

/// Messages of a source that an earlier one of its name has.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownMessages {
    /// At the same line and time.
    placed: u64,
    /// Requests that have the same time and text at another line.
    moved: u64,
    /// Without times, with the same text.
    untimed: u64,
    /// All messages of the source.
    messages: u64,
    /// All its requests.
    requests: u64,
}

/// So many requests of one time and text are no two that a coarse clock shows so.
const MOVED: u64 = 3;

impl KnownMessages {
    /// How many would count twice; none where the source is another log. Of messages without times that is known only where there
    /// is nothing new: every session of a client begins alike.
    pub fn twice(&self) -> u64 {
        let moved = self.moved >= MOVED.min(self.requests);
        let untimed = self.untimed == self.messages;
        self.placed + if moved { self.moved } else { 0 } + if untimed { self.untimed } else { 0 }
    }

    /// How many look like messages of the earlier one, also where that proves nothing.
    pub fn alike(&self) -> u64 {
        self.placed + self.moved + self.untimed
    }
}

/// A connection to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewConnection<'a> {
    /// The key.
    pub key: &'a str,
    /// Name of the channel, or of the source where the channel has none.
    pub base: &'a str,
    /// Which of the connections that followed each other under `base`.
    pub nth: u32,
    /// True if `base` is the name of a channel.
    pub named: bool,
    /// The source it starts in.
    pub source: u32,
    /// The channel in that source.
    pub channel_index: u32,
    /// What the log says of it.
    pub channel: &'a Channel,
    /// What the user says it speaks.
    pub demanded: Option<&'static Profile>,
}

/// A connection that is stored already.
#[derive(Clone, Debug)]
pub struct StoredConnection {
    /// Which of those under its base it is.
    pub nth: u32,
    /// Frames that it has.
    pub frames: u64,
    /// True if it was closed.
    pub closed: bool,
    /// Ids of its first requests, as JSON text.
    pub first_ids: Vec<String>,
    /// Row, key and channel.
    pub opened: Opened,
}

impl Store {
    /// Stores a source; what is known only at its end comes with [`Store::finish_source`].
    pub fn add_source(&self, source: NewSource<'_>) -> Result<u32> {
        let insert = "INSERT INTO source (name, format, reason) VALUES (?1, ?2, ?3)";
        let done = self.sql.execute(insert, (source.name, source.format, source.reason));
        done.map_err(|error| self.fail("write", &error))?;
        Ok(self.sql.last_insert_rowid() as u32)
    }

    /// Forgets what was said of the end of a source that goes on: it was cut there.
    pub fn forget_end(&self, id: u32, from: Resume) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        let forget = FORGET_END.replace(":source", &id.to_string()).replace(":line", &from.lines.to_string());
        self.batch(&forget)?;
        // The last line had no end, and is read again: it was one of those that were passed over, if it was not cut off.
        let again = (id, Skip::NotAMessage.as_str(), Skip::CutOff.as_str());
        self.sql.execute(FORGET_LAST_LINE, again).map_err(fault)?;
        let delete = "DELETE FROM skipped_line WHERE source = ?1 AND (why IN (?2, ?3) OR lines = 0)";
        let ends = (id, Skip::CutOff.as_str(), Skip::Unended.as_str());
        self.sql.execute(delete, ends).map(|_| ()).map_err(fault)
    }

    /// Forgets a source, and with it what the audit made of all, which has to be made again.
    pub fn forget_source(&self, id: u32) -> Result<()> {
        self.drop_derived(Which::All)?;
        self.batch(&FORGET_SOURCE.replace(":source", &id.to_string()))
    }

    /// How many messages of a source an earlier one of its name has already.
    pub fn known_messages(&self, id: u32) -> Result<KnownMessages> {
        let count = |row: &Row<'_>, at: usize| row.get::<_, i64>(at).map(|count| count as u64);
        let counts = self.rows(COUNT_KNOWN, named_params! { ":source": id }, |row| {
            Ok(KnownMessages {
                placed: count(row, 0)?,
                moved: count(row, 1)?,
                untimed: count(row, 2)?,
                messages: count(row, 3)?,
                requests: count(row, 4)?,
            })
        })?;
        Ok(counts.into_iter().next().unwrap_or_default())
    }

    /// The names of all sources.
    pub fn source_names(&self) -> Result<Vec<String>> {
        self.rows("SELECT DISTINCT name FROM source", [], |row| row.get(0))
    }

    /// The connections that have frames of a source.
    pub fn connections_in(&self, id: u32) -> Result<Vec<u32>> {
        let select = "SELECT DISTINCT connection FROM frame WHERE source = ? AND connection IS NOT NULL";
        self.rows(select, [id], |row| row.get(0))
    }

    /// Stores how far a source was read, what it was then, and the lines that were passed over.
    pub fn finish_source(
        &self,
        id: u32,
        identity: Option<&Identity>,
        end: Resume,
        skipped: &[(Skip, u64, u64)],
        times: Option<&(String, String)>,
    ) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        let values = named_params! {
            ":id": id,
            ":size": identity.map(|identity| identity.size as i64),
            ":hash": identity.map(|identity| identity.hash.as_slice()),
            ":resume_byte": end.byte_offset as i64,
            ":resume_line": end.lines as i64,
            ":first_time": times.map(|times| &times.0),
            ":last_time": times.map(|times| &times.1),
        };
        self.sql.execute(UPDATE_SOURCE, values).map_err(fault)?;
        for (why, lines, first) in skipped {
            let values = (id, why.as_str(), *lines as i64, *first as i64);
            self.sql.execute(UPSERT_SKIPPED, values).map_err(fault)?;
        }
        Ok(())
    }

    /// A source with exactly this content.
    pub fn source_with(&self, identity: &Identity) -> Result<Option<u32>> {
        let select = "SELECT id FROM source WHERE size = ?1 AND hash = ?2";
        self.row(select, (identity.size as i64, identity.hash.as_slice()), |row| row.get(0))
    }

    /// True if a source has this length.
    pub fn has_source_of(&self, size: u64) -> Result<bool> {
        let there = self.sql.prepare_cached("SELECT 1 FROM source WHERE size = ?1");
        there.and_then(|mut row| row.exists([size as i64])).map_err(|error| self.fail("read", &error))
    }

    /// Sources of this name whose identity is known, newest first.
    pub fn sources_named(&self, name: &str) -> Result<Vec<StoredSource>> {
        self.rows(SELECT_NAMED, [name], |row| {
            Ok(StoredSource {
                id: row.get(0)?,
                identity: Identity { size: row.get::<_, i64>(1)? as u64, hash: row.get(2)? },
                resume: Resume { byte_offset: row.get::<_, i64>(3)? as u64, lines: row.get::<_, i64>(4)? as u64 },
                reason: row.get(5)?,
            })
        })
    }

    /// Stores a connection; returns its row.
    pub fn add_connection(&self, new: NewConnection<'_>) -> Result<u32> {
        let channel = new.channel;
        let done = self.sql.prepare_cached(INSERT_CONNECTION).and_then(|mut insert| {
            insert.execute(named_params! {
                ":key": new.key,
                ":base": new.base,
                ":nth": new.nth,
                ":named": new.named,
                ":source": new.source,
                ":channel": new.channel_index,
                ":session": channel.session,
                ":replay_of": channel.replay_of,
                ":profile": channel.profile.map(Profile::label),
                ":vantage": channel.vantage.as_str(),
                ":transport": codes::transport(channel.transport),
                ":complete_head": channel.complete_head,
                ":one_connection": channel.one_connection,
                ":proof": channel.proof.bits(),
                ":resolution_us": channel.resolution_us,
                ":framing": channel.framing.map(Framing::as_str),
                ":demanded_profile": new.demanded.map(Profile::label),
            })
        });
        done.map_err(|error| self.fail("write", &error))?;
        Ok(self.sql.last_insert_rowid() as u32)
    }

    /// True if a key is taken.
    pub fn has_key(&self, key: &str) -> Result<bool> {
        let taken =
            self.sql.prepare_cached("SELECT 1 FROM connection WHERE key = ?1").and_then(|mut row| row.exists([key]));
        taken.map_err(|error| self.fail("read", &error))
    }

    /// How many connections stand under a base.
    pub fn connections_under(&self, base: &str) -> Result<u32> {
        let select = "SELECT coalesce(max(nth), 0) FROM connection WHERE base = ?1";
        Ok(self.row(select, [base], |row| row.get(0))?.unwrap_or(0))
    }

    /// The newest connection of a channel by its name, where it may go on.
    pub fn connection_named(
        &self,
        base: &str,
        may_go_on: impl Fn(&Channel) -> bool,
    ) -> Result<Option<StoredConnection>> {
        let select = "SELECT id, nth FROM connection WHERE base = ?1 AND named ORDER BY nth DESC LIMIT 1";
        self.stored(self.row(select, [base], |row| Ok((row.get(0)?, row.get(1)?)))?, may_go_on)
    }

    /// The newest connection of a channel without a name, by its source and its number there.
    pub fn connection_of(&self, source: u32, channel: u32) -> Result<Option<StoredConnection>> {
        let select =
            "SELECT id, nth FROM connection WHERE source = ?1 AND channel = ?2 AND NOT named ORDER BY nth DESC LIMIT 1";
        self.stored(self.row(select, [source, channel], |row| Ok((row.get(0)?, row.get(1)?)))?, |_| true)
    }

    /// What a connection that goes on begins with. Of one that does not nothing is read: there may be thousands.
    fn stored(
        &self,
        found: Option<(u32, u32)>,
        may_go_on: impl Fn(&Channel) -> bool,
    ) -> Result<Option<StoredConnection>> {
        let Some((id, nth)) = found else { return Ok(None) };
        let opened = self.rows(SELECT_CONNECTIONS, [id, id], opened_of)?.pop();
        let Some(opened) = opened.filter(|opened| may_go_on(&opened.channel)) else { return Ok(None) };
        self.recall_connection(id)?;
        let state = self.sql.query_row(SELECT_STATE, [id], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)));
        let (frames, closed) = state.map_err(|error| self.fail("read", &error))?;
        let first_ids = self.rows(SELECT_FIRST_IDS, [id], |row| row.get(0))?;
        let frames = frames as u64;
        Ok(Some(StoredConnection { nth, frames, closed, first_ids, opened }))
    }

    /// All connections, as the fold opens them.
    pub fn opened(&self) -> Result<Vec<Opened>> {
        self.rows(SELECT_CONNECTIONS, [0, u32::MAX], opened_of)
    }

    /// What the user says of all connections, overruling the log; `None` leaves what was said before.
    pub fn demand(&self, profile: Option<&'static Profile>, vantage: Option<Vantage>) -> Result<()> {
        let values =
            named_params! { ":profile": profile.map(Profile::label), ":vantage": vantage.map(Vantage::as_str) };
        self.sql.execute(DEMAND, values).map(|_| ()).map_err(|error| self.fail("write", &error))
    }

    /// A small fact about the database.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        self.row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0))
    }

    /// The small facts whose keys begin like this.
    pub fn metas(&self, beginning: &str) -> Result<Vec<String>> {
        self.rows("SELECT value FROM meta WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key", [beginning], |row| {
            row.get(0)
        })
    }

    /// Says of these sources, each with a line, that there is more that was not read; of others that it is so no longer.
    pub fn skip_anew(&self, why: Skip, sources: &[(u32, u64)]) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("write", &error);
        self.sql.execute("DELETE FROM skipped_line WHERE why = ?1", [why.as_str()]).map_err(fault)?;
        for (source, line) in sources {
            self.sql.execute(UPSERT_SKIPPED, (source, why.as_str(), 1, *line as i64)).map_err(fault)?;
        }
        Ok(())
    }

    /// Stores a small fact about the database.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<()> {
        let done = self.sql.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", [key, value]);
        done.map(|_| ()).map_err(|error| self.fail("write", &error))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let read = || self.sql.prepare_cached(sql)?.query_map(parameters, row)?.collect::<rusqlite::Result<Vec<T>>>();
        read().map_err(|error| self.fail("read", &error))
    }

    /// The first row, where there is one. What is asked for every connection is prepared once.
    fn row<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let read = || self.sql.prepare_cached(sql)?.query_row(parameters, row).optional();
        read().map_err(|error| self.fail("read", &error))
    }
}

fn opened_of(row: &Row<'_>) -> rusqlite::Result<Opened> {
    let profile = |column: &str| -> rusqlite::Result<_> {
        Ok(row.get::<_, Option<String>>(column)?.and_then(|label| codes::profile_of(&label)))
    };
    let (vantage, transport): (String, String) = (row.get("vantage")?, row.get("transport")?);
    let named: bool = row.get("named")?;
    let channel = Channel {
        name: if named { row.get("base")? } else { None },
        session: row.get("session")?,
        replay_of: row.get("replay_of")?,
        profile: profile("profile")?,
        vantage: Vantage::from_name(&vantage).unwrap_or(Vantage::Unknown),
        transport: codes::transport_of(&transport),
        complete_head: row.get("complete_head")?,
        shown_whole: false,
        one_connection: row.get("one_connection")?,
        by_time: false,
        counts_ids: false,
        sends_late: false,
        proof: Proof::from_bits(row.get("proof")?),
        midway: Proof::NONE,
        resolution_us: row.get("resolution_us")?,
        framing: row.get::<_, Option<String>>("framing")?.as_deref().and_then(Framing::from_name),
    };
    Ok(Opened { id: row.get("id")?, key: row.get("key")?, channel, demanded: profile("demanded_profile")? })
}
