//! Helpers of this layer's tests: every derived row as text, and the files under `sql/`.

use rusqlite::types::ValueRef;

use super::Store;

/// Tables that the audit fills.
const DERIVED: &[&str] = &[
    "profile",
    "rule",
    "clause",
    "connection_fact",
    "inferred",
    "exchange",
    "cancellation",
    "finding",
    "finding_cancel",
    "undecided",
    "occasion",
];

impl Store {
    /// Every derived row, in the order of the keys.
    pub(crate) fn dump_derived(&self) -> String {
        DERIVED.iter().map(|table| self.dump(table)).collect()
    }

    /// Every row of a table, in the order of its first column; frames in that of their ids.
    pub(crate) fn dump(&self, table: &str) -> String {
        let key = if table == "frame" { "id" } else { "1" };
        let mut statement = self.sql.prepare(&format!("SELECT * FROM {table} ORDER BY {key}")).unwrap();
        let width = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut text = String::new();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> = (0..width).map(|at| shown(row.get_ref(at).unwrap())).collect();
            text.push_str(&format!("{table}|{}\n", cells.join("|")));
        }
        text
    }

    /// The first value of a query.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.sql.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// How many blocks there are in which a connection has frames and that are not named as such.
    pub(crate) fn blocks_not_named(&self) -> i64 {
        self.number(
            "SELECT count(*) FROM (SELECT DISTINCT connection, id / 256 FROM frame WHERE connection IS NOT NULL
             EXCEPT SELECT connection, block FROM frame_block)",
        )
    }

    /// Runs any statement.
    pub(crate) fn run(&self, sql: &str) {
        self.sql.execute_batch(sql).unwrap();
    }

    /// How SQLite would go about a query, one step a line.
    pub(crate) fn plan(&self, sql: &str) -> String {
        let mut statement = self.sql.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut rows = statement.raw_query();
        let mut text = String::new();
        while let Some(row) = rows.next().unwrap() {
            text.push_str(&row.get::<_, String>(3).unwrap());
            text.push('\n');
        }
        text
    }
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "-".into(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        ValueRef::Blob(bytes) => format!("{bytes:?}"),
    }
}

mod files {
    use std::path::{Path, PathBuf};

    use super::Store;
    use crate::store::REPORTS;

    fn all(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { all(&path, found) } else { found.push(path) }
        }
    }

    fn listed(folder: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        all(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
        found.sort();
        found
    }

    #[test]
    fn every_sql_file_is_used_and_prepares() {
        let sources: String = listed("src/store").iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let mut store = Store::temporary().unwrap();
        store.begin().unwrap();
        store.index_ground().unwrap();
        store.touch(&[]).unwrap();
        // Those over Parquet are for other engines, which tests/facts try.
        for path in listed("sql").into_iter().filter(|path| !path.to_string_lossy().contains("/sql/parquet/")) {
            let name = format!("{}", path.display());
            let end = &name[name.find("/sql/").unwrap()..];
            assert!(sources.contains(end), "{end} is used by nobody");
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.ends_with(";\n"), "{end} does not end with a semicolon and a newline");
            if end.contains("/statements/")
                && (end.contains("/select_")
                    || end.contains("/insert_")
                    || end.contains("/update_")
                    || end.contains("/upsert_")
                    || end.contains("/count_"))
            {
                store.sql.prepare(&text).unwrap_or_else(|error| panic!("{end}: {error}"));
            }
        }
        for report in REPORTS {
            assert!(report.sql.starts_with("-- "), "{} says no question", report.name);
            assert!(store.sql.prepare(report.sql).unwrap().readonly(), "{}", report.name);
        }
    }

    /// SQLite takes any two bounds of an id to look for it. Those that are not of the block are to be no such bounds: `+f.id`.
    #[test]
    fn frames_of_a_connection_are_looked_for_in_its_blocks_and_nowhere_else() {
        let bound = regex::Regex::new(r"(\+?)\b[fp]\.id (?:BETWEEN (\S+)|[<>]=? \S+)").unwrap();
        let mut looked = 0;
        for path in listed("sql/statements") {
            let text = std::fs::read_to_string(&path).unwrap();
            for found in bound.captures_iter(&text).filter(|_| text.contains("FROM frame_block")) {
                let of_block = found.get(2).is_some_and(|low| low.as_str() == "b.block");
                assert!(of_block || &found[1] == "+", "{}: {}", path.display(), &found[0]);
                looked += 1;
            }
        }
        assert!(looked >= 12, "{looked} bounds");
    }

    #[test]
    fn the_common_questions_use_an_index() {
        let mut store = Store::temporary().unwrap();
        store.begin().unwrap();
        store.index_ground().unwrap();
        store.index_derived().unwrap();
        for (question, index) in [
            ("SELECT * FROM stuck_requests", "finding_rule"),
            ("SELECT * FROM findings WHERE code = 'CAN010'", "finding_rule"),
            (include_str!("../../sql/statements/select_remembered.sql"), "frame_request"),
            (include_str!("../../sql/statements/select_reused_ids.sql"), "COVERING INDEX frame_request"),
            (include_str!("../../sql/statements/select_exchanges_by_rpc_id.sql"), "frame_request"),
            (include_str!("../../sql/statements/select_odd_exchange_rows.sql"), "exchange_odd"),
            (include_str!("../../sql/statements/select_nested_exchange_rows.sql"), "exchange_parent"),
            (
                include_str!("../../sql/statements/select_messages_of_connection.sql"),
                "SEARCH b USING PRIMARY KEY (connection=? AND block>? AND block<?)",
            ),
        ] {
            let plan = store.plan(question);
            assert!(plan.contains(index), "{question}\n{plan}");
        }
    }
}
