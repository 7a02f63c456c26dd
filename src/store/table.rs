//! The table of frames, as it is written: one prepared statement for a few rows at a time, values bound as they are.

use std::borrow::Cow;

use rusqlite::types::Null;
use rusqlite::{Connection, Statement, ToSql};

use super::Store;
use super::codes::kind;
use super::columns::{FrameColumns, RpcId, Text};
use super::several::{ROWS, several};
use crate::error::Result;

const INSERT_FRAME: &str = include_str!("../../sql/statements/insert_frame.sql");
const INSERT_FRAME_AT: &str = include_str!("../../sql/statements/insert_frame_at.sql");
const INSERT_BLOCK: &str = include_str!("../../sql/statements/insert_frame_block.sql");
const INSERT_MISSING: &str = "INSERT INTO missing (frame) VALUES (?1)";

/// How many columns a row has, without its id.
const WIDTH: usize = 15;
/// The longest text that waits for others, in bytes.
const LARGE: usize = 64 << 10;

/// True for a row with a text that SQLite is not to keep.
fn is_large(row: &FrameColumns<'_>) -> bool {
    row.body.length() + row.json.map_or(0, str::len) > LARGE
}

/// The table of frames, to be written to.
pub(super) struct Table<'s> {
    sql: &'s Connection,
    /// For a few rows behind all others.
    insert: Statement<'s>,
    /// The statement for one row with an id of its own.
    at: Cow<'s, str>,
    insert_at: Option<(Statement<'s>, Slot)>,
    /// What is bound to the parameters of each row.
    slots: [Slot; ROWS],
    /// How many rows are bound and not yet written.
    waiting: usize,
    /// True if a text among them is large: SQLite is not to keep it.
    large: bool,
    /// The row that came last, where no other stands behind it.
    last: Option<i64>,
    blocks: Blocks,
}

impl Store {
    /// The table of frames, to be written to.
    pub(super) fn frame_table(&self) -> Result<Table<'_>> {
        let insert =
            self.sql.prepare(&several(&self.of_rows(INSERT_FRAME))).map_err(|error| self.fail("write", &error))?;
        let (slots, blocks) = (Default::default(), Blocks::default());
        let at = self.of_rows(INSERT_FRAME_AT);
        Ok(Table { sql: &self.sql, insert, at, insert_at: None, slots, waiting: 0, large: false, last: None, blocks })
    }
}

#[derive(Default)]
struct Slot {
    nulls: Nulls,
    bound: Bound,
}

impl Slot {
    /// Binds the columns of a row to the parameters behind `base`, which are in the order of the statement.
    fn bind(&mut self, insert: &mut Statement<'_>, base: usize, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        let Slot { nulls, bound } = self;
        bound.bind(insert, base, 1, row.connection)?;
        insert.raw_bind_parameter(base + 2, row.seq)?;
        bound.bind(insert, base, 3, Some(row.source))?;
        insert.raw_bind_parameter(base + 4, row.line)?;
        insert.raw_bind_parameter(base + 5, row.byte_offset)?;
        nulls.bind(insert, base, 6, row.at_us)?;
        bound.bind(insert, base, 7, Some(row.direction))?;
        bound.bind(insert, base, 8, Some(row.kind))?;
        nulls.bind(insert, base, 9, row.method)?;
        match row.rpc_id {
            RpcId::None => nulls.bind(insert, base, 10, None::<i64>)?,
            RpcId::Int(number) => nulls.bind(insert, base, 10, Some(number))?,
            RpcId::Text(text) => nulls.bind(insert, base, 10, Some(text))?,
        }
        nulls.bind(insert, base, 11, row.error_code)?;
        insert.raw_bind_parameter(base + 12, row.bytes)?;
        nulls.bind(insert, base, 13, row.extra)?;
        match row.body {
            Text::None => insert.raw_bind_parameter(base + 14, Null)?,
            Text::InFile(_, hash) => insert.raw_bind_parameter(base + 14, hash as i64)?,
            Text::Utf8(text) => insert.raw_bind_parameter(base + 14, text)?,
            Text::Bytes(bytes) => insert.raw_bind_parameter(base + 14, bytes)?,
        }
        nulls.bind(insert, base, 15, row.json)
    }
}

impl Table<'_> {
    /// Rows may have been deleted since the last one.
    pub(super) fn goes_on(&mut self) {
        self.last = None;
        self.blocks.last.clear();
    }

    /// Takes a row behind all others. SQLite gives the id that follows the last one without looking for a row that has it.
    pub(super) fn append(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        if self.last.replace(row.id) != Some(row.id - 1) {
            return self.insert(row);
        }
        self.slots[self.waiting].bind(&mut self.insert, self.waiting * WIDTH, row)?;
        self.waiting += 1;
        self.large |= is_large(row);
        if self.waiting == ROWS || self.large {
            self.write()?;
        }
        debug_assert!(
            self.waiting > 0 || self.sql.last_insert_rowid() == row.id,
            "a frame has the id that it was told"
        );
        self.noted(row)
    }

    /// Takes a row among others.
    pub(super) fn insert(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        self.write()?;
        let (insert, slot) = match &mut self.insert_at {
            Some(insert) => insert,
            none => none.insert((self.sql.prepare(&self.at)?, Slot::default())),
        };
        slot.bind(insert, 0, row)?;
        insert.raw_bind_parameter(WIDTH + 1, row.id)?;
        insert.raw_execute()?;
        if is_large(row) {
            insert.clear_bindings();
            *slot = Slot::default();
        }
        self.noted(row)
    }

    /// Notes what stands in other tables of a row.
    fn noted(&mut self, row: &FrameColumns<'_>) -> rusqlite::Result<()> {
        if row.connection.is_some_and(|connection| self.blocks.note(connection, row.id)) {
            self.finish()?;
        }
        if row.kind == kind::GAP {
            // Prepared when it is needed: what SQLite keeps at hand for its cursors is little, and a statement takes of it.
            self.sql.prepare_cached(INSERT_MISSING)?.execute([row.id])?;
        }
        Ok(())
    }

    /// Writes all that was taken, and in which blocks connections have frames: at the end, and before anything asks for it.
    /// Blocks in order, because rows that go in one behind the other cost a tenth of those that go in anywhere.
    pub(super) fn finish(&mut self) -> rusqlite::Result<()> {
        self.write()?;
        let mut insert = self.sql.prepare_cached(INSERT_BLOCK)?;
        self.blocks.begun.sort_unstable();
        self.blocks.begun.drain(..).try_for_each(|block| insert.execute(block).map(drop))
    }

    /// Writes the rows that wait.
    fn write(&mut self) -> rusqlite::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        if rows > 0 {
            self.insert.raw_bind_parameter(ROWS * WIDTH + 1, rows as i64)?;
            self.insert.raw_execute()?;
        }
        if std::mem::take(&mut self.large) {
            self.insert.clear_bindings();
            self.slots = Default::default();
        }
        Ok(())
    }
}

/// How many frames stand in a block, by their ids; statements that find the frames of a connection say the same number.
const BLOCK: i64 = 256;

/// Blocks in which connections have frames, and are not yet named to have.
#[derive(Default)]
struct Blocks {
    /// That of the last frame of each connection, by its id.
    last: Vec<i64>,
    /// Connection and block.
    begun: Vec<(i64, i64)>,
}

impl Blocks {
    /// Notes a frame of a connection; true if so many blocks are waiting that they are better written.
    fn note(&mut self, connection: i64, frame: i64) -> bool {
        const MANY: usize = 1 << 15;
        let (at, block) = (connection as usize, frame / BLOCK);
        if self.last.len() <= at {
            self.last.resize(at + 1, -1);
        }
        if self.last.get_mut(at).is_some_and(|last| std::mem::replace(last, block) != block) {
            self.begun.push((connection, block));
        }
        self.begun.len() >= MANY
    }
}

/// What is bound to parameters whose value most frames share with the frame before them; what is bound stays bound.
#[derive(Default)]
struct Bound([Option<i64>; WIDTH]);

impl Bound {
    /// Binds the parameter `at` of those behind `base`.
    fn bind(&mut self, insert: &mut Statement<'_>, base: usize, at: usize, value: Option<i64>) -> rusqlite::Result<()> {
        match self.0.get_mut(at) {
            Some(bound) if *bound == value => return Ok(()),
            Some(bound) => *bound = value,
            None => {}
        }
        insert.raw_bind_parameter(base + at, value)
    }
}

/// Which parameters hold a value. Most frames leave the same ones NULL, and what is bound stays bound.
#[derive(Default)]
struct Nulls(u32);

impl Nulls {
    /// Binds the parameter `at` of those behind `base`.
    fn bind<T: ToSql>(
        &mut self,
        insert: &mut Statement<'_>,
        base: usize,
        at: usize,
        value: Option<T>,
    ) -> rusqlite::Result<()> {
        match value {
            Some(value) => {
                self.0 |= 1 << at;
                insert.raw_bind_parameter(base + at, value)
            }
            None if self.0 & 1 << at == 0 => Ok(()),
            None => {
                self.0 &= !(1 << at);
                insert.raw_bind_parameter(base + at, Null)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::codes;

    const WHOLE: FrameColumns<'static> = FrameColumns {
        id: 0,
        connection: None,
        seq: 0,
        source: 1,
        line: 1,
        byte_offset: 0,
        at_us: Some(7),
        direction: 0,
        kind: kind::REQUEST,
        method: Some("m"),
        rpc_id: RpcId::Int(1),
        error_code: Some(-1),
        bytes: 2,
        extra: Some("{}"),
        body: Text::Utf8("{}"),
        json: Some("[]"),
    };

    /// The row with only those of its columns that the bits name, and numbers of its own.
    fn row(id: i64, bits: i64, text: &str) -> FrameColumns<'_> {
        let has = |bit: i64| bits & 1 << bit != 0;
        let rpc_id = match (has(2), has(5)) {
            (true, true) => RpcId::Text("\"a\""),
            (true, false) => RpcId::Int(id),
            _ => RpcId::None,
        };
        FrameColumns {
            id,
            seq: id,
            line: id,
            at_us: WHOLE.at_us.filter(|_| has(0)),
            method: WHOLE.method.filter(|_| has(1)),
            rpc_id,
            error_code: WHOLE.error_code.filter(|_| has(3)),
            extra: WHOLE.extra.filter(|_| has(4)),
            json: WHOLE.json.filter(|_| has(5)),
            direction: bits % 5,
            kind: if has(1) { kind::REQUEST } else { kind::RESULT },
            body: if has(0) { Text::Utf8(text) } else { Text::None },
            ..WHOLE
        }
    }

    /// The table with these rows: several at a time behind each other, or each with an id of its own.
    fn written(rows: &[FrameColumns<'_>], together: bool) -> String {
        let mut store = Store::temporary().unwrap();
        store.begin().unwrap();
        let mut table = store.frame_table().unwrap();
        for row in rows {
            if together { table.append(row).unwrap() } else { table.insert(row).unwrap() }
        }
        table.finish().unwrap();
        drop(table);
        store.dump("frame") + &store.dump("missing")
    }

    /// What is bound stays bound: each column is there and gone again in every order that the rows of a statement can have.
    #[test]
    fn a_row_has_nothing_of_the_rows_before_it() {
        let large = "x".repeat(LARGE + 1);
        let rows: Vec<_> = (1..=16 * ROWS as i64)
            .map(|id| row(id, (id * 37 + id / 16 * 11) % 64, if id % 61 == 0 { &large } else { "{}" }))
            .collect();
        let alone: String = rows.iter().map(|row| written(&[*row], false)).collect();
        assert!(alone == written(&rows, true), "rows that are written together are not those that are written alone");
        assert!(
            alone == written(&rows, false),
            "rows that are written one by one are not those that are written alone"
        );
    }

    /// Ids may be left out, and rows that are brought back have any.
    #[test]
    fn rows_keep_their_ids() {
        let rows = |ids: [i64; 7]| ids.map(|id| row(id, id, "{}"));
        let growing = rows([1, 2, 5, 6, 7, 9, 40]);
        assert_eq!(written(&growing, true), written(&growing, false));
        assert_eq!(written(&growing, false), written(&rows([9, 2, 40, 5, 1, 7, 6]), false));
    }

    #[test]
    fn what_is_missing_is_noted() {
        let gap =
            FrameColumns { kind: kind::GAP, direction: codes::direction(crate::capture::Direction::Unknown), ..WHOLE };
        let rows = [FrameColumns { id: 1, ..gap }, row(2, 3, "{}"), FrameColumns { id: 3, ..gap }];
        assert!(written(&rows, true).ends_with("missing|1\nmissing|3\n"));
    }

    /// A block is named once for each connection that has frames in it, whoever's stand between them.
    #[test]
    fn blocks_are_named_once() {
        let mut blocks = Blocks::default();
        for (connection, frame) in [(1, 1), (2, 2), (1, 255), (1, 256), (2, 257), (1, 511), (2, 512), (1, 513)] {
            assert!(!blocks.note(connection, frame));
        }
        assert_eq!(blocks.begun, [(1, 0), (2, 0), (1, 1), (2, 1), (2, 2), (1, 2)]);
    }
}
