//! Hands stored frames back, in the order of their ids, as the capture once handed them on.

use std::collections::BTreeSet;

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::Store;
use super::codes::{self, kind};
use super::extra::Extra;
use crate::capture::{Body, Captured, Frame, Member};
use crate::error::Result;
use crate::jsonrpc::{Defects, ErrorObject, Id, IdField, Kind, Message, Parsed, parse_at};
use crate::protocol::Facts;
use crate::session::{FrameId, NO_CONNECTION};

const SELECT_ALL: &str = include_str!("../../sql/statements/select_frames.sql");
const SELECT_TOUCHED: &str = include_str!("../../sql/statements/select_touched_frames.sql");
const TOUCH: &str = include_str!("../../sql/statements/create_touched.sql");
const FILL: &str = include_str!("../../sql/statements/insert_touched_frames.sql");
const DROP_ALL: &str = include_str!("../../sql/statements/delete_derived.sql");
const DROP_TOUCHED: &str = include_str!("../../sql/statements/delete_touched.sql");
const GROUND_INDEXES: &str = include_str!("../../sql/statements/create_ground_indexes.sql");
const DERIVED_INDEXES: &str = include_str!("../../sql/statements/create_derived_indexes.sql");

/// Which connections are folded again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    All,
    /// Those named to [`Store::touch`].
    Touched,
}

impl Store {
    /// Names the connections that are to be folded again.
    pub fn touch(&self, connections: &[u32]) -> Result<()> {
        self.batch(TOUCH)?;
        let insert = || {
            let mut insert = self.sql.prepare("INSERT OR IGNORE INTO temp.touched (connection) VALUES (?1)")?;
            for connection in connections {
                insert.execute([connection])?;
            }
            self.sql.execute(FILL, [])
        };
        insert().map(|_| ()).map_err(|error| self.fail("write", &error))
    }

    /// The connections that are folded again; `None` for all.
    pub fn touched(&self, which: Which) -> Result<Option<BTreeSet<u32>>> {
        match which {
            Which::All => Ok(None),
            Which::Touched => {
                let list = self.rows("SELECT connection FROM temp.touched", [], |row| row.get(0))?;
                Ok(Some(list.into_iter().collect()))
            }
        }
    }

    /// Drops what the audit made of these connections.
    pub fn drop_derived(&self, which: Which) -> Result<()> {
        match which {
            Which::All => self.batch(DROP_ALL),
            Which::Touched => self.batch(DROP_TOUCHED),
        }
    }

    /// Builds the indexes of the ground, once the frames are in.
    pub fn index_ground(&self) -> Result<()> {
        self.batch(&self.of_rows(GROUND_INDEXES))
    }

    /// Builds the indexes of what the audit made, once it is done.
    pub fn index_derived(&self) -> Result<()> {
        self.batch(DERIVED_INDEXES)
    }

    /// Hands each frame to `take`, with its id and its connection; that of a stretch of a whole source is [`NO_CONNECTION`].
    pub fn each_frame(&self, which: Which, take: &mut dyn FnMut(FrameId, u32, &Frame<'_>) -> Result<()>) -> Result<()> {
        let fault = |error: rusqlite::Error| self.fail("read", &error);
        let select = match which {
            Which::All => SELECT_ALL,
            Which::Touched => SELECT_TOUCHED,
        };
        let mut select = self.sql.prepare(select).map_err(fault)?;
        let mut rows = select.query([]).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            let stored = Stored::of(row).map_err(fault)?;
            if stored.kind != kind::BATCH {
                take(stored.id, stored.connection, &stored.frame(stored.body()))?;
                continue;
            }
            // The members' own rows follow at once; what is read of the batch has to outlive them.
            let (id, connection, text) = (stored.id, stored.connection, stored.text().to_string());
            let mut members = members_of(&text);
            let place = stored.frame(Body::Open { by: None });
            for (_, member) in &mut members {
                let Some(row) = rows.next().map_err(fault)? else { break };
                if let Err(reason) = member {
                    *reason = reason_of(row).map_err(fault)?;
                }
            }
            take(id, connection, &Frame { body: Body::Batch { text: &text, members }, ..place })?;
        }
        self.has_all_texts()
    }
}

/// Members of a batch as the capture handed them on; why one is no message stands in its own row.
fn members_of(text: &str) -> Vec<Member<'_>> {
    match parse_at::<Facts<'_>>(text, 0) {
        Ok((Parsed::Batch(members), _)) => {
            members.into_iter().map(|(range, member)| (range, member.map_err(|why| why.reason))).collect()
        }
        _ => Vec::new(),
    }
}

fn reason_of(row: &Row<'_>) -> rusqlite::Result<String> {
    let extra = Extra::from_json(row.get_ref(11)?.as_str_or_null()?);
    Ok(extra.reason.unwrap_or_default().into_owned())
}

/// A row of `frame`; it borrows from SQLite's own buffers.
struct Stored<'r> {
    id: FrameId,
    connection: u32,
    source: u32,
    line: u64,
    byte_offset: u64,
    at_us: Option<i64>,
    direction: i64,
    kind: i64,
    method: Option<&'r str>,
    rpc_id: ValueRef<'r>,
    error_code: Option<i64>,
    extra: Extra<'r>,
    body: &'r [u8],
    json: Option<&'r str>,
}

impl<'r> Stored<'r> {
    fn of(row: &'r Row<'_>) -> rusqlite::Result<Stored<'r>> {
        let text = |at: usize| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str_or_null()?);
        let body = match row.get_ref(12)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
            _ => &[],
        };
        Ok(Stored {
            id: row.get::<_, i64>(0)? as FrameId,
            connection: row.get::<_, Option<u32>>(1)?.unwrap_or(NO_CONNECTION),
            source: row.get(2)?,
            line: row.get::<_, i64>(3)? as u64,
            byte_offset: row.get::<_, i64>(4)? as u64,
            at_us: row.get(5)?,
            direction: row.get(6)?,
            kind: row.get(7)?,
            method: text(8)?,
            rpc_id: row.get_ref(9)?,
            error_code: row.get(10)?,
            extra: Extra::from_json(text(11)?),
            body,
            json: text(13)?,
        })
    }

    fn frame<'b>(&self, body: Body<'b>) -> Frame<'b> {
        Frame {
            source: self.source,
            line: self.line,
            byte_offset: self.byte_offset,
            channel: 0,
            at_us: self.at_us,
            direction: codes::direction_of(self.direction),
            stream: self.extra.stream,
            taps: self.extra.stamps(),
            in_file: None,
            body,
        }
    }

    fn text(&self) -> &'r str {
        std::str::from_utf8(self.body).unwrap_or("")
    }

    fn body(&'r self) -> Body<'r> {
        let text = self.text();
        match self.kind {
            kind::OPEN => Body::Open { by: self.extra.side() },
            kind::CLOSE => Body::Close { by: self.extra.side() },
            kind::EXIT => Body::Exit(self.extra.exit()),
            kind::STDERR => Body::Stderr { text },
            kind::GAP => Body::Missing(self.extra.missing(text)),
            kind::HTTP => Body::Http { head: text },
            kind::SSE => Body::Sse { event: text },
            kind::MALFORMED => self.malformed(self.extra.reason.as_deref().unwrap_or("not a message")),
            _ => self.message(text),
        }
    }

    fn message(&'r self, text: &'r str) -> Body<'r> {
        let (mut message, facts) = match parse_at::<Facts<'_>>(self.json.unwrap_or(text), 0) {
            Ok((Parsed::One(message, facts), _)) => (message, facts),
            // A format that logs no JSON and had no translation: the columns are all there is.
            _ => (self.envelope(), Facts::default()),
        };
        // The capture knew that its logger had written the id.
        if self.kind == kind::NOTIFICATION && message.kind == Kind::Request {
            (message.kind, message.id) = (Kind::Notification, IdField::Absent);
        }
        Body::Message(Captured { text, json: self.json, message, facts })
    }

    fn malformed(&'r self, reason: &str) -> Body<'r> {
        Body::Malformed { bytes: self.body, reason: reason.to_string() }
    }

    fn envelope(&'r self) -> Message<'r> {
        let id = match self.rpc_id {
            ValueRef::Integer(number) => IdField::Value(Id::Int(number)),
            ValueRef::Text(raw) => IdField::from_json(std::str::from_utf8(raw).unwrap_or("")),
            _ => IdField::Absent,
        };
        let kind = match self.kind {
            kind::REQUEST => Kind::Request,
            kind::NOTIFICATION => Kind::Notification,
            kind::RESULT => Kind::Result,
            kind::ERROR => Kind::Error,
            _ => Kind::Unclassified,
        };
        let error =
            (kind == Kind::Error).then(|| ErrorObject { code: self.error_code, message: None, data: None }.into());
        Message { kind, id, id_text: None, method: self.method.map(Into::into), error, defects: Defects::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Payload;
    use super::*;
    use crate::capture::{Direction, Exit, Missing, Why};
    use crate::protocol::Side;

    fn captured(at_us: i64, body: Body<'_>) -> Frame<'_> {
        Frame {
            source: 1,
            line: 7,
            byte_offset: 9,
            channel: 0,
            at_us: Some(at_us),
            direction: Direction::By(Side::Server),
            stream: Some(3),
            taps: None,
            in_file: None,
            body,
        }
    }

    /// What a database gives back of these frames, where it keeps texts in this way.
    fn given_back(frames: &[Frame<'_>], payload: Payload) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::write(&folder.path().join("a.db")).unwrap().keeping(payload).unwrap();
        store.begin().unwrap();
        let mut ground = store.ground().unwrap();
        for frame in frames {
            ground.frame(1, frame).unwrap();
        }
        ground.finish().unwrap();
        drop(ground);
        let mut given = Vec::new();
        let mut take = |_, _, frame: &Frame<'_>| {
            given.push(format!("{frame:?}"));
            Ok(())
        };
        store.each_frame(Which::All, &mut take).unwrap();
        given
    }

    #[test]
    fn frames_of_each_kind_come_back_as_they_were() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let Ok((Parsed::One(message, facts), _)) = parse_at::<Facts<'_>>(text, 0) else { panic!("no message") };
        let bodies = [
            Body::Open { by: Some(Side::Client) },
            Body::Message(Captured { text, json: None, message, facts }),
            Body::Malformed { bytes: b"{\xff", reason: "not JSON".into() },
            Body::Stderr { text: "a line" },
            Body::Http { head: r#"{"method":"POST","headers":{}}"# },
            Body::Sse { event: r#"{"id":"7"}"# },
            Body::Missing(Missing { words: "a word", ..Missing::new(Why::Gap) }),
            Body::Close { by: None },
            Body::Exit(Exit::new(None, Some(9))),
        ];
        let frames = bodies.map(|body| captured(5, body));
        let want: Vec<String> = frames.iter().map(|frame| format!("{frame:?}")).collect();
        for payload in [Payload::Full, Payload::Compressed, Payload::None] {
            assert_eq!(given_back(&frames, payload), want, "{payload:?}");
        }
    }

    #[test]
    fn texts_in_several_blocks_come_back_each_to_its_frame() {
        // Two of them fill a block.
        let texts: Vec<String> = (0..5).map(|nth| format!("{nth} ").repeat(600_000)).collect();
        let frames: Vec<Frame<'_>> = texts.iter().map(|text| captured(5, Body::Stderr { text })).collect();
        let given = given_back(&frames, Payload::Compressed);
        let starts = |text: &String| text.find("text: \"").map(|at| text[at + 7..].chars().take(2).collect::<String>());
        assert_eq!(
            given.iter().map(starts).collect::<Vec<_>>(),
            ["0 ", "1 ", "2 ", "3 ", "4 "].map(|it| Some(it.into()))
        );
    }
}
