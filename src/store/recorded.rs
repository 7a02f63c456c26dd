//! Reads connections whole, as a replay needs them.

use rusqlite::{Row, named_params};

use super::extra::Extra;
use super::{Store, codes};
use crate::capture::{Exit, Proof, Transport};
use crate::error::Result;
use crate::protocol::{Profile, Side};
use crate::wire::Framing;

const SELECT_FRAMES: &str = include_str!("../../sql/statements/select_recorded_frames.sql");

/// One frame with all of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRow {
    /// Frame id.
    pub id: i64,
    /// Line in its source.
    pub line: u64,
    /// Microseconds since the epoch.
    pub at_us: Option<i64>,
    /// Who sent it, where that is known.
    pub sender: Option<Side>,
    /// Kind, as in the `frames` view.
    pub kind: String,
    /// Method, where there is one.
    pub method: Option<String>,
    /// Id as JSON text, where there is one.
    pub rpc_id: Option<String>,
    /// HTTP stream.
    pub stream: Option<u32>,
    /// Who opened or closed.
    pub by: Option<Side>,
    /// How a process ended; of other frames nothing is known.
    pub exit: Exit,
    /// The batch that it is a member of.
    pub batch: Option<i64>,
    /// Its text, or the translation to JSON where there is one; lossy where it is not UTF-8.
    pub text: String,
}

/// What the format says of a connection.
#[derive(Clone, Copy, Debug)]
pub struct RecordedChannel {
    /// Whether order holds.
    pub transport: Transport,
    /// What the capture can prove.
    pub proof: Proof,
    /// What is spoken.
    pub profile: Option<&'static Profile>,
    /// How messages were told apart, where the log shows it.
    pub framing: Option<Framing>,
}

impl Store {
    /// All frames of a connection in order.
    pub fn recorded_frames(&self, connection: i64) -> Result<Vec<RecordedRow>> {
        let frames = self.rows(SELECT_FRAMES, named_params! { ":connection": connection }, recorded)?;
        self.has_all_texts().map(|()| frames)
    }

    /// What is known of a connection beside its row in the view.
    pub fn recorded_channel(&self, connection: i64) -> Result<Option<RecordedChannel>> {
        let select = "SELECT c.transport, c.proof, p.label, c.framing FROM connection c \
             LEFT JOIN connection_fact k ON k.connection = c.id LEFT JOIN profile p ON p.id = k.profile WHERE c.id = ?";
        let mut found = self.rows(select, [connection], |row| {
            let (transport, label): (String, Option<String>) = (row.get(0)?, row.get(2)?);
            Ok(RecordedChannel {
                transport: codes::transport_of(&transport),
                proof: Proof::from_bits(row.get(1)?),
                profile: label.and_then(|label| codes::profile_of(&label)),
                framing: row.get::<_, Option<String>>(3)?.as_deref().and_then(Framing::from_name),
            })
        })?;
        Ok(found.pop())
    }
}

fn recorded(row: &Row<'_>) -> rusqlite::Result<RecordedRow> {
    let sender: Option<String> = row.get(3)?;
    let extra: Option<String> = row.get(7)?;
    let extra = Extra::from_json(extra.as_deref());
    let text = row.get_ref(8)?.as_bytes_or_null()?.unwrap_or_default();
    Ok(RecordedRow {
        id: row.get(0)?,
        line: row.get::<_, i64>(1)? as u64,
        at_us: row.get(2)?,
        sender: sender.and_then(|word| [Side::Client, Side::Server].into_iter().find(|side| side.as_str() == word)),
        kind: row.get(4)?,
        method: row.get(5)?,
        rpc_id: row.get(6)?,
        stream: extra.stream,
        by: extra.side(),
        exit: extra.exit(),
        batch: extra.batch.map(|batch| batch as i64),
        text: String::from_utf8_lossy(text).into_owned(),
    })
}
