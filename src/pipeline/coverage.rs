//! Which clauses were judged in a database: rows into what [`crate::rules::coverage`] tells it from.

use crate::capture::Proof;
use crate::error::Result;
use crate::finding::Breach;
use crate::rules::{self, Covered, Exercised, Occasions, Seized, Selection};
use crate::store::{OccasionRow, Store};

/// Which clauses were judged, in all connections or in one, as far as their rules are selected.
pub fn coverage(store: &Store, connection: Option<i64>, selection: &Selection) -> Result<Vec<Covered>> {
    Ok(coverage_of(store.occasions(connection)?, &store.breaches(connection)?, selection))
}

/// The same of rows that come from several places.
pub fn coverage_of(occasions: Vec<OccasionRow>, breaches: &[Breach], selection: &Selection) -> Vec<Covered> {
    let exercised = occasions.into_iter().map(|row| Exercised {
        seized: Seized {
            profile: row.profile,
            client: Occasions::from_bits(row.client),
            server: Occasions::from_bits(row.server),
        },
        proof: Proof::from_bits(row.proof),
        connections: row.connections,
    });
    rules::coverage(&exercised.collect::<Vec<_>>(), breaches, selection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{Options, Quiet, audit, ingest};
    use crate::protocol::Side;
    use crate::rules::{Standing, totals};

    /// Messages of the client (`>`) and of the server (`<`), a second apart.
    fn log(messages: &[&str]) -> String {
        let line = |(at, message): (usize, &&str)| {
            let (dir, msg) = message.split_at(1);
            let dir = if dir == ">" { "c2s" } else { "s2c" };
            format!("{{\"ts\":\"2026-01-05T00:00:{at:02}.000Z\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n")
        };
        messages.iter().enumerate().map(line).collect()
    }

    const HANDSHAKE: [&str; 3] = [
        r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}"#,
        r#">{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ];
    const CALL: &str = r#">{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

    fn session(then: &[&str]) -> String {
        log(&[&HANDSHAKE, then].concat())
    }

    fn store(log: &str) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, log).expect("a log");
        let mut store = Store::temporary().expect("a store");
        ingest(&mut store, &[path.display().to_string()], &Options::default(), &mut Quiet).expect("read");
        (folder, store)
    }

    fn rows(log: &str) -> Vec<Covered> {
        coverage(&store(log).1, None, &Selection::default()).expect("rows")
    }

    fn standing(rows: &[Covered], clause: &str, side: Side) -> (Standing, String) {
        let row = rows.iter().find(|row| row.clause.id.ends_with(clause) && row.side == side).expect("the clause");
        (row.standing, row.because.join("; "))
    }

    #[test]
    fn silence_is_told_from_keeping() {
        let rows = rows(&session(&[CALL]));
        assert_eq!(standing(&rows, "/initialize-first", Side::Client).0, Standing::Kept);
        assert_eq!(standing(&rows, "/id-used-once", Side::Client).0, Standing::Kept);
        let (never, needs) = standing(&rows, "/id-used-once", Side::Server);
        assert_eq!((never, needs.as_str()), (Standing::NotExercised, "needs a request"));
        let (never, needs) = standing(&rows, "/cancel-no-response", Side::Server);
        assert_eq!(
            (never, needs.as_str()),
            (
                Standing::NotExercised,
                "needs an answer to a cancelled request or what it does behind a cancel of a request to it"
            )
        );
        let (never, _) = standing(&rows, "/disconnect-is-no-cancel", Side::Server);
        assert_eq!(never, Standing::NotApplicable);
    }

    #[test]
    fn what_is_broken_is_broken_by_one_side_and_counts_once() {
        let rows = rows(&session(&[CALL, CALL]));
        assert_eq!(standing(&rows, "/id-used-once", Side::Client).0, Standing::Broken);
        assert_eq!(standing(&rows, "/id-used-once", Side::Server).0, Standing::NotExercised);
        assert_eq!(totals(&rows).get(&Standing::Broken), Some(&1));
    }

    #[test]
    fn a_log_that_starts_midway_decides_nothing_about_the_beginning() {
        let rows = rows(&log(&[r#">{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}"#]));
        let (standing, because) = standing(&rows, "/initialize-first", Side::Client);
        assert_eq!((standing, because.as_str()), (Standing::NotDecidable, "lacks the beginning of the connection"));
    }

    #[test]
    fn a_judgement_made_again_says_the_same_and_a_rule_that_is_off_says_nothing() {
        let (_folder, mut store) = store(&session(&[CALL]));
        let before = format!("{:?}", coverage(&store, None, &Selection::default()).expect("rows"));
        audit(&mut store, &Options::default(), &mut Quiet).expect("judged");
        assert_eq!(format!("{:?}", coverage(&store, None, &Selection::default()).expect("rows")), before);
        let only = Selection { select: vec!["CAN".to_string()], ..Selection::default() };
        let rows = coverage(&store, None, &only).expect("rows");
        assert!(!rows.is_empty() && rows.iter().all(|row| row.rules.iter().all(|code| code.starts_with("CAN"))));
    }
}
