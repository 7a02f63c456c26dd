//! What the postmortem asks: open requests, what surrounds them, and signs of life. Every question is bounded, so that
//! the answer comes at once from a database of any size.

use rusqlite::{Row, named_params};

use super::exchanges::exchange;
use super::extra::Extra;
use super::{ExchangeRow, Store};
use crate::capture::Exit;
use crate::error::Result;
use crate::protocol::Side;

const SELECT_SAID: &str = include_str!("../../sql/statements/select_said.sql");
const SELECT_AFTER: &str = include_str!("../../sql/statements/select_exchange_rows_after.sql");
const SELECT_LAST: &str = include_str!("../../sql/statements/select_last_exchange_rows.sql");
const SELECT_UNITS_AFTER: &str = include_str!("../../sql/statements/select_units_after.sql");
const SELECT_UNITS_BEFORE: &str = include_str!("../../sql/statements/select_units_before.sql");
const SELECT_SPOKE: &str = include_str!("../../sql/statements/select_spoke_after.sql");
const SELECT_LAST_UNITS: &str = include_str!("../../sql/statements/select_last_units.sql");
const SELECT_SIGNS: &str = include_str!("../../sql/statements/select_signs_of_life.sql");

/// How many blocks of 256 frames are looked at for those of one connection: of one that has but one frame in each of them
/// not the whole window is seen, and the answer still comes at once.
const BLOCKS: u32 = 160;

/// The head of a frame: what it is, without what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitRow {
    /// Frame id.
    pub id: i64,
    /// Line in its source.
    pub line: u64,
    /// Microseconds since the epoch.
    pub at_us: Option<i64>,
    /// `client` or `server`.
    pub sender: Option<String>,
    /// Kind, as in the `frames` view.
    pub kind: String,
    /// Method, where there is one.
    pub method: Option<String>,
    /// Id as JSON text, where there is one.
    pub rpc_id: Option<String>,
    /// HTTP stream.
    pub stream: Option<u32>,
    /// Who opened or closed: `client` or `server`.
    pub by: Option<String>,
    /// How a process ended; of other frames nothing is known.
    pub exit: Exit,
    /// Status of an HTTP response.
    pub status: Option<u16>,
}

/// Progress of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignRow {
    /// Frame id.
    pub id: i64,
    /// Microseconds since the epoch.
    pub at_us: Option<i64>,
    /// How far, as JSON text.
    pub progress: Option<String>,
    /// Of how much, as JSON text.
    pub total: Option<String>,
}

/// What a rule says about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidRow {
    /// The request.
    pub exchange_id: i64,
    /// Code of the rule.
    pub code: String,
    /// `violation`, `race` or `undecidable`.
    pub certainty: String,
    /// The sentence. Text as it stood in the log.
    pub summary: String,
}

impl Store {
    /// What rules of these codes say about requests, in all connections.
    pub fn said(&self, codes: &[&str]) -> Result<Vec<SaidRow>> {
        let list = serde_json::to_string(codes).unwrap_or_default();
        self.rows(SELECT_SAID, [list], |row| {
            Ok(SaidRow { exchange_id: row.get(0)?, code: row.get(1)?, certainty: row.get(2)?, summary: row.get(3)? })
        })
    }

    /// Requests of a connection from `from` (a frame id) on. At most `most` requests are looked at.
    pub fn exchanges_after(&self, connection: i64, from: i64, most: u32) -> Result<Vec<ExchangeRow>> {
        let values = named_params! { ":connection": connection, ":from": from, ":most": most };
        self.rows(SELECT_AFTER, values, exchange)
    }

    /// The last requests of a connection. At most `most` requests are looked at.
    pub fn last_exchanges(&self, connection: i64, most: u32) -> Result<Vec<ExchangeRow>> {
        self.rows(SELECT_LAST, named_params! { ":connection": connection, ":most": most }, exchange)
    }

    /// Heads of the frames of a connection from `from` on, at most `most`.
    pub fn units_after(&self, connection: i64, from: i64, most: u32) -> Result<Vec<UnitRow>> {
        let values = named_params! { ":connection": connection, ":from": from, ":most": most, ":blocks": BLOCKS };
        self.rows(SELECT_UNITS_AFTER, values, unit)
    }

    /// True if a side is seen to send a message behind `from`.
    pub fn spoke_after(&self, connection: i64, side: Side, from: i64) -> Result<bool> {
        let values = named_params! {
            ":connection": connection, ":from": from, ":sender": side.as_str(), ":blocks": BLOCKS,
        };
        Ok(!self.rows(SELECT_SPOKE, values, |row| row.get::<_, i64>(0))?.is_empty())
    }

    /// Heads of the frames of a connection before `from` in their order, at most `most`.
    pub fn units_before(&self, connection: i64, from: i64, most: u32) -> Result<Vec<UnitRow>> {
        let values = named_params! { ":connection": connection, ":from": from, ":most": most, ":blocks": BLOCKS };
        let mut units = self.rows(SELECT_UNITS_BEFORE, values, unit)?;
        units.reverse();
        Ok(units)
    }

    /// Heads of the last frames of a connection in their order, at most `most`.
    pub fn last_units(&self, connection: i64, most: u32) -> Result<Vec<UnitRow>> {
        let values = named_params! { ":connection": connection, ":most": most, ":blocks": BLOCKS };
        let mut units = self.rows(SELECT_LAST_UNITS, values, unit)?;
        units.reverse();
        Ok(units)
    }

    /// True if the recorder lost messages of a connection.
    pub fn has_gap(&self, connection: i64) -> Result<bool> {
        let select = "SELECT has_gap FROM connection_fact WHERE connection = ?";
        Ok(self.rows(select, [connection], |row| row.get::<_, bool>(0))?.contains(&true))
    }

    /// Progress of a request among the `most` frames after it, and its last progress, wherever that is.
    pub fn signs_of_life(&self, exchange: i64, most: u32) -> Result<Vec<SignRow>> {
        self.rows(SELECT_SIGNS, named_params! { ":exchange": exchange, ":most": most }, |row| {
            Ok(SignRow { id: row.get(0)?, at_us: row.get(1)?, progress: row.get(2)?, total: row.get(3)? })
        })
    }
}

fn unit(row: &Row<'_>) -> rusqlite::Result<UnitRow> {
    let extra: Option<String> = row.get(7)?;
    let extra = Extra::from_json(extra.as_deref());
    let by = extra.side().map(|side| side.as_str().to_string());
    Ok(UnitRow {
        id: row.get(0)?,
        line: row.get::<_, i64>(1)? as u64,
        at_us: row.get(2)?,
        sender: row.get(3)?,
        kind: row.get(4)?,
        method: row.get(5)?,
        rpc_id: row.get(6)?,
        stream: extra.stream,
        by,
        exit: extra.exit(),
        status: extra.status,
    })
}
