//! Answers to what the fold no longer remembers, by indexed queries over what is stored.

use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Statement, ToSql, named_params};

use super::{Store, codes};
use crate::error::{Error, Result};
use crate::jsonrpc::Id;
use crate::protocol::Side;
use crate::session::{Asked, FrameId, Oracle, Remembered, ReusedId, Seen};

const SELECT_REMEMBERED: &str = include_str!("../../sql/statements/select_remembered.sql");
const SELECT_REUSED: &str = include_str!("../../sql/statements/select_reused_ids.sql");

/// The oracle of a store. A question that failed is answered with nothing, and the error kept: ask [`Self::failed`].
pub struct StoreOracle<'s> {
    store: &'s Store,
    remembered: Statement<'s>,
    reused: Statement<'s>,
    /// What was found for the connection asked about last: both sides come from one query.
    found: Option<(u32, Vec<(Side, ReusedId)>)>,
    error: Option<Error>,
}

impl Store {
    /// The oracle; the indexes of the ground must be there.
    pub fn oracle(&self) -> Result<StoreOracle<'_>> {
        let prepare = |sql: &str| self.sql.prepare(sql).map_err(|error| self.fail("read", &error));
        Ok(StoreOracle {
            store: self,
            remembered: prepare(&self.of_rows(SELECT_REMEMBERED))?,
            reused: prepare(SELECT_REUSED)?,
            found: None,
            error: None,
        })
    }
}

impl StoreOracle<'_> {
    /// The first error that a question met.
    pub fn failed(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    fn keep<T>(&mut self, answer: rusqlite::Result<T>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                let error = self.store.fail("read", &error);
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// Where rows are set aside, those that a question is about have to be there first.
    fn recall(&mut self, asked: Asked) {
        if let Err(error) = self.store.recall_late(&asked) {
            self.error.get_or_insert(error);
        }
    }

    fn try_reused(&mut self, connection: u32) -> rusqlite::Result<Vec<(Side, ReusedId)>> {
        let rows = self.reused.query_map(named_params! { ":connection": connection }, |row| {
            let reused = ReusedId {
                earlier: seen(row.get(1)?, row.get(2)?),
                later: seen(row.get(3)?, row.get(4)?),
                id: id_of(row.get_ref(5)?),
                method: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
            };
            Ok((codes::side_of(row.get(0)?), reused))
        })?;
        rows.collect()
    }
}

impl Oracle for StoreOracle<'_> {
    fn request(&mut self, connection: u32, issuer: Side, id: &Id, before: FrameId) -> Option<Remembered> {
        self.recall(Asked { connection, ids: vec![id.clone()], reused: false });
        let text;
        let key: &dyn ToSql = match id {
            Id::Int(number) => number,
            other => {
                text = other.to_json();
                &text
            }
        };
        let values = named_params! {
            ":connection": connection, ":rpc_id": key, ":before": before as i64, ":issuer": codes::side(issuer)
        };
        let found = self.remembered.query_row(values, |row| {
            let answer: Option<i64> = row.get(3)?;
            let answer_at: Option<i64> = row.get(4)?;
            Ok(Remembered {
                request: seen(row.get(0)?, row.get(1)?),
                method: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                answer: answer.map(|frame| seen(frame, answer_at)),
            })
        });
        self.keep(found.optional()).flatten()
    }

    fn reused_ids(&mut self, connection: u32, issuer: Side) -> Vec<ReusedId> {
        if self.found.as_ref().is_none_or(|(asked, _)| *asked != connection) {
            self.recall(Asked { connection, ids: Vec::new(), reused: true });
            let found = self.try_reused(connection);
            self.found = Some((connection, self.keep(found).unwrap_or_default()));
        }
        let found = self.found.iter().flat_map(|(_, found)| found);
        found.filter(|(side, _)| *side == issuer).map(|(_, reused)| reused.clone()).collect()
    }
}

fn seen(frame: i64, at_us: Option<i64>) -> Seen {
    Seen { frame: frame as FrameId, at_us }
}

fn id_of(value: ValueRef<'_>) -> Id {
    match value {
        ValueRef::Integer(number) => Id::Int(number),
        ValueRef::Text(raw) => {
            let raw = std::str::from_utf8(raw).unwrap_or("");
            Id::from_json(raw).unwrap_or_else(|| Id::Text(raw.into()))
        }
        _ => Id::Text("".into()),
    }
}
