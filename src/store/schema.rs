//! The shape of a database: migrations counted by `PRAGMA user_version`, views made anew, the mark that it is ours.

use rusqlite::{Connection, OptionalExtension};

use super::fail::failed;
use super::payload::{META, Payload};
use crate::error::{Error, ErrorKind, Result};

/// `PRAGMA application_id` of our databases: `rptp` in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x7270_7470;

/// The oldest version that is brought up to date. Those before it were of programs that were never released.
const FIRST: usize = 8;

/// The tables that an empty database gets.
const TABLES: &str = include_str!("../../sql/tables.sql");

/// What brings the tables of an older database, of [`FIRST`] at the oldest, to what [`TABLES`] says, a version each.
const MIGRATIONS: &[&str] = &[
    include_str!("../../sql/migrations/0009_frame_block.sql"),
    include_str!("../../sql/migrations/0010_more_occasions.sql"),
    include_str!("../../sql/migrations/0011_cancels_by_index.sql"),
    include_str!("../../sql/migrations/0012_judged_cancels.sql"),
];

/// The version that this program reads and writes.
pub(super) const NEWEST: usize = FIRST + MIGRATIONS.len();

/// The public face: name and definition, in the order in which they build on each other.
pub(super) const VIEWS: &[(&str, &str)] = &[
    ("frames", include_str!("../../sql/views/frames.sql")),
    ("messages", include_str!("../../sql/views/messages.sql")),
    ("connections", include_str!("../../sql/views/connections.sql")),
    ("exchanges", include_str!("../../sql/views/exchanges.sql")),
    ("cancel_judgement", include_str!("../../sql/views/cancel_judgement.sql")),
    ("cancellations", include_str!("../../sql/views/cancellations.sql")),
    ("findings", include_str!("../../sql/views/findings.sql")),
    ("stuck_requests", include_str!("../../sql/views/stuck_requests.sql")),
    ("late_responses", include_str!("../../sql/views/late_responses.sql")),
    ("cancel_latency", include_str!("../../sql/views/cancel_latency.sql")),
];

/// The views that are asked where findings alone are kept. SQLite reads every definition when the view is made: that is much of
/// what a short run costs.
const OF_FINDINGS: &[&str] = &["frames", "connections", "exchanges", "findings"];

/// What makes of an empty database one whose rows of frames hold no text. A migration that changes `frame` has to know both.
const LEAN: &str = include_str!("../../sql/statements/make_frames_lean.sql");

const DROP_VIEWS: &str = include_str!("../../sql/statements/drop_views.sql");

/// What a file is, before anything is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// No tables at all.
    Empty,
    /// Ours, at this version.
    Ours(usize),
}

/// Tells whether a database is ours and not newer than this program.
pub(super) fn version(sql: &Connection, place: &str) -> Result<Version> {
    let fault = |error: rusqlite::Error| failed("open", place, &error);
    let number = |name: &str| sql.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(fault);
    let tables: i64 = sql.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fault)?;
    let (mark, version) = (number("application_id")?, number("user_version")?);
    if tables == 0 && mark == 0 && version == 0 {
        return Ok(Version::Empty);
    }
    if mark != i64::from(APPLICATION_ID) {
        return Err(Error::new(ErrorKind::Database, format!("{place} is a SQLite database, but not one of rpctape"))
            .hint("choose another file; a database of ours is made by `rpctape ingest LOG --db FILE`"));
    }
    let (whose, advice) = match usize::try_from(version) {
        Ok(version @ FIRST..=NEWEST) => return Ok(Version::Ours(version)),
        Ok(0..FIRST) => ("an rpctape from before its first release", "ingest the captures again".to_string()),
        _ => (
            "a newer rpctape",
            format!("this rpctape knows versions up to {NEWEST}: update it, or ingest the captures again"),
        ),
    };
    let what = format!("{place} was written by {whose} (database version {version})");
    Err(Error::new(ErrorKind::Database, what).hint(advice))
}

/// Makes the tables of a database of findings, and the views that are asked of one.
pub(super) fn make_for_findings(sql: &Connection) -> rusqlite::Result<()> {
    sql.execute_batch(TABLES)?;
    let asked = VIEWS.iter().filter(|(name, _)| OF_FINDINGS.contains(name));
    asked.map(|(_, view)| view).try_for_each(|view| sql.execute_batch(view))
}

/// Brings a database to the newest version and makes its views anew; an empty one keeps texts as is said. Must run inside a
/// transaction.
pub(super) fn migrate(sql: &Connection, from: Version, payload: Payload) -> rusqlite::Result<()> {
    match from {
        Version::Empty => sql.execute_batch(TABLES)?,
        Version::Ours(from) => {
            // A table cannot be renamed, nor a column dropped, below views that name it.
            sql.execute_batch(DROP_VIEWS)?;
            MIGRATIONS[from - FIRST..].iter().try_for_each(|migration| sql.execute_batch(migration))?;
        }
    }
    if from == Version::Empty && payload != Payload::Full {
        sql.execute_batch(LEAN)?;
        sql.execute("INSERT INTO meta (key, value) VALUES (?1, ?2)", [META, payload.as_str()])?;
    }
    sql.pragma_update(None, "application_id", APPLICATION_ID)?;
    sql.pragma_update(None, "user_version", NEWEST as i64)?;
    create_views(sql)
}

/// How a database of ours keeps texts.
pub(super) fn payload(sql: &Connection) -> rusqlite::Result<Payload> {
    let said =
        sql.query_row("SELECT value FROM meta WHERE key = ?1", [META], |row| row.get::<_, String>(0)).optional()?;
    Ok(said.and_then(|name| Payload::from_name(&name)).unwrap_or_default())
}

fn create_views(sql: &Connection) -> rusqlite::Result<()> {
    VIEWS.iter().try_for_each(|(_, view)| sql.execute_batch(view))
}

/// True if the views stored in a database are those of this program.
pub(super) fn views_are_ours(sql: &Connection) -> rusqlite::Result<bool> {
    let mut stored = sql.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?1")?;
    for (name, view) in VIEWS {
        // SQLite keeps the text from CREATE to the last token, without comments around it.
        let text: Option<String> = match stored.query_row([name], |row| row.get(0)) {
            Err(rusqlite::Error::QueryReturnedNoRows) => None,
            other => other?,
        };
        if !text.is_some_and(|text| view.trim_end().trim_end_matches(';').ends_with(&text)) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of version [`FIRST`].
    const OLDEST: &str = include_str!("schema/oldest.sql");

    /// Every table with its columns, and every index with what it is of, in words.
    fn structure(sql: &Connection) -> Vec<String> {
        let of = |query: &str| -> Vec<String> {
            let mut asked = sql.prepare(query).unwrap();
            asked.query_map([], |row| row.get(0)).unwrap().map(|row| row.unwrap()).collect()
        };
        let columns = "SELECT s.name || ' ' || concat_ws(' ', x.cid, x.name, x.type, x.\"notnull\", x.dflt_value, x.pk)
            FROM sqlite_schema s, pragma_table_xinfo(s.name) x WHERE s.type = 'table' ORDER BY 1";
        let tables = "SELECT concat_ws(' ', name, type, ncol, wr, strict) FROM pragma_table_list ORDER BY 1";
        let indexes = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
        [columns, tables, indexes].map(of).concat()
    }

    fn fresh() -> Connection {
        let sql = Connection::open_in_memory().unwrap();
        migrate(&sql, Version::Empty, Payload::Full).unwrap();
        sql
    }

    #[test]
    fn a_database_of_another_program_is_none_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE calls(a)").unwrap();
        assert!(!crate::store::is_ours(&path), "it may be a log");
    }

    #[test]
    fn migrations_run_from_empty_and_views_read() {
        let sql = fresh();
        assert_eq!(version(&sql, "x").unwrap(), Version::Ours(NEWEST));
        for (name, _) in VIEWS {
            let columns = sql.prepare(&format!("SELECT * FROM {name}")).unwrap().column_count();
            assert!(columns > 4, "{name}");
        }
        assert!(views_are_ours(&sql).unwrap());
        sql.execute_batch("DROP VIEW findings; CREATE VIEW findings AS SELECT 1 AS a").unwrap();
        assert!(!views_are_ours(&sql).unwrap());
        migrate(&sql, Version::Ours(NEWEST), Payload::Full).unwrap();
        assert!(views_are_ours(&sql).unwrap());
    }

    #[test]
    fn the_oldest_database_becomes_what_a_new_one_is() {
        let old = Connection::open_in_memory().unwrap();
        old.execute_batch(OLDEST).unwrap();
        migrate(&old, Version::Ours(FIRST), Payload::Full).unwrap();
        assert_eq!(structure(&old), structure(&fresh()));
    }

    /// The marks of a database of version 9 are where those of this version are.
    #[test]
    fn marks_of_occasions_move_behind_them() {
        let sql = Connection::open_in_memory().unwrap();
        let (before, after) = MIGRATIONS.split_at(1);
        sql.execute_batch(OLDEST).unwrap();
        before.iter().for_each(|migration| sql.execute_batch(migration).unwrap());
        let both = 1_i64 << 62 | 1 << 61 | 5;
        sql.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        sql.execute("INSERT INTO occasion VALUES (1, 0, ?1, 3, 0)", [both]).unwrap();
        after.iter().for_each(|migration| sql.execute_batch(migration).unwrap());
        let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<[i64; 4]> {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
        };
        let row = sql.query_row("SELECT client, client_high, server, server_high FROM occasion", [], read).unwrap();
        assert_eq!(row, [5, 3 << 62, 3, 0]);
    }

    #[test]
    fn others_and_newer_ones_are_refused() {
        let sql = Connection::open_in_memory().unwrap();
        assert_eq!(version(&sql, "x").unwrap(), Version::Empty);
        sql.execute_batch("CREATE TABLE a (b)").unwrap();
        assert!(version(&sql, "x").unwrap_err().message.contains("not one of rpctape"));
        let sql = fresh();
        sql.pragma_update(None, "user_version", 99).unwrap();
        let error = version(&sql, "x").unwrap_err();
        assert!(error.message.contains("newer") && error.hint.unwrap().contains("update"));
        sql.pragma_update(None, "user_version", FIRST as i64 - 1).unwrap();
        let error = version(&sql, "x").unwrap_err();
        assert!(error.message.contains("before its first release") && error.hint.unwrap().contains("again"));
    }

    fn plan(sql: &Connection, query: &str) -> Vec<String> {
        let mut steps = sql.prepare(&format!("EXPLAIN QUERY PLAN\n{query}")).unwrap();
        steps.raw_query().mapped(|row| row.get::<_, String>("detail")).map(|step| step.unwrap()).collect()
    }

    /// A table that is read whole for every row of another one costs the square of what a log holds.
    #[test]
    fn what_is_joined_is_found_by_an_index() {
        let sql = fresh();
        for (view, _) in VIEWS {
            let steps = plan(&sql, &format!("SELECT * FROM {view}"));
            let scans: Vec<_> = steps.iter().filter(|step| step.starts_with("SCAN") && step.contains("JOIN")).collect();
            assert!(scans.is_empty(), "{view}: {scans:?}");
        }
        let cancels = plan(&sql, "SELECT * FROM cancellations");
        for found in ["USING PRIMARY KEY (message=? AND exchange=?)", "USING PRIMARY KEY (message=?)"] {
            assert_eq!(cancels.iter().filter(|step| step.starts_with("SEARCH j") && step.ends_with(found)).count(), 2);
        }
        sql.execute_batch(include_str!("../../sql/statements/create_derived_indexes.sql")).unwrap();
        let waiting = plan(&sql, include_str!("../../sql/statements/select_waiting_exchange_rows.sql"));
        assert_eq!(waiting[0], "SEARCH x USING COVERING INDEX exchange_odd (outcome>?)");
        for channel in ["base = 'x'", "source = 1 AND channel = 2"] {
            let steps = plan(&sql, &format!("SELECT id FROM connection WHERE {channel} ORDER BY nth DESC LIMIT 1"));
            assert!(steps[0].starts_with("SEARCH"), "{steps:?}");
        }
    }

    /// The columns that `docs/database.md` promises.
    #[test]
    fn the_public_columns_are_there() {
        let promised = [
            (
                "connections",
                "id key session replay_of source format protocol revision transport vantage client_name server_name \
                 first_at_us last_at_us messages requests complete_head complete_tail",
            ),
            (
                "messages",
                "id connection_id seq source line byte_offset at_us sender sender_inferred kind method rpc_id error_code \
                 bytes raw json",
            ),
            (
                "frames",
                "id connection_id seq source line byte_offset at_us sender sender_inferred kind method rpc_id error_code \
                 bytes raw json",
            ),
            (
                "exchanges",
                "id connection_id issuer rpc_id profile method name request_id response_id parent_id sent_at_us \
                 settled_at_us latency_us outcome history error_code",
            ),
            (
                "cancellations",
                "id connection_id message_id line sender mechanism target_rpc_id exchange_id target_method sent_at_us \
                 delay_us reason effect effect_at_us settle_us response_code certainty",
            ),
            (
                "findings",
                "id code rule severity certainty basis connection_id exchange_id message_id source line summary clause",
            ),
        ];
        let sql = fresh();
        for (view, columns) in promised {
            let list = columns.split_whitespace().collect::<Vec<_>>().join(", ");
            sql.prepare(&format!("SELECT {list} FROM {view}")).unwrap();
        }
    }
}
