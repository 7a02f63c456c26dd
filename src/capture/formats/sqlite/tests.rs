use super::*;
use crate::capture::testing::Kept;
use crate::protocol::Side;

fn database(statements: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log.db").to_string_lossy().into_owned();
    Connection::open(&path).and_then(|database| database.execute_batch(statements)).expect("a database");
    (dir, path)
}

fn kept(path: &str) -> Kept {
    let mut source = open(path, &Overrides::default()).expect("readable").expect("a log");
    let mut kept = Kept::default();
    source.read(0, Resume::default(), &mut kept).expect("read");
    kept
}

#[test]
fn rows_with_whole_messages() {
    let (_dir, path) = database(
        r#"CREATE TABLE messages (metadata JSON, headers JSON, body JSON);
        INSERT INTO messages VALUES ('{"timestamp":"2026-11-21 06:47:14.010213+00:00","source":2,"session":"todo"}','{}','{"jsonrpc":"2.0","id":"c-3","method":"initialize"}');
        INSERT INTO messages VALUES ('{"timestamp":"2026-11-21 06:47:14.051300+00:00","source":3,"session":"todo"}','{}','{"id":"c-3","jsonrpc":"2.0","result":null}');
        INSERT INTO messages VALUES ('no','{}','{"cut');"#,
    );
    let kept = kept(&path);
    let got: Vec<_> = kept.frames.iter().map(|f| (f.kind, f.line, f.direction, f.at_us)).collect();
    assert_eq!(
        got,
        [
            ("message", 1, Direction::By(Side::Client), Some(1_795_243_634_010_213)),
            ("message", 2, Direction::By(Side::Server), Some(1_795_243_634_051_300)),
            ("malformed", 3, Direction::Unknown, None),
        ]
    );
}

#[test]
fn rows_with_members() {
    let (_dir, path) = database(
        r#"CREATE TABLE protocol (session TEXT, timestamp REAL, source TEXT, id TEXT NULL, method TEXT NULL, params TEXT NULL, result TEXT NULL, error TEXT NULL);
        INSERT INTO protocol VALUES ('a', 1795243634.5, 'client', 1, 'textDocument/hover', '{"x":1}', NULL, NULL);
        INSERT INTO protocol VALUES ('a', 1795243634.6, 'server', 1, NULL, NULL, NULL, '{"code":-32800,"message":"no"}');
        INSERT INTO protocol VALUES ('a', 1795243634.7, 'server', 'x', NULL, NULL, NULL, NULL);"#,
    );
    let kept = kept(&path);
    assert_eq!(
        kept.texts(),
        [
            ("message", r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"x":1}}"#),
            ("message", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"no"}}"#),
            ("message", r#"{"jsonrpc":"2.0","id":"x","result":null}"#),
        ]
    );
    assert_eq!(kept.frames[0].at_us, Some(1_795_243_634_500_000));
}

#[test]
fn other_databases_and_other_files_are_left_alone() {
    let (_dir, path) = database("CREATE TABLE messages (id INTEGER)");
    assert!(open(&path, &Overrides::default()).expect("looked at").is_none());
    assert!(open("no/such/file", &Overrides::default()).expect("looked at").is_none());
}

/// The table of mcp-debugger, and rows as its batches leave them: a notification behind the answer that it came before.
const SESSION: &str = r#"CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER NOT NULL, message_id TEXT,
    direction TEXT NOT NULL, method TEXT, params TEXT, result TEXT, error TEXT, timestamp REAL NOT NULL, latency_ms REAL, message_type TEXT);
INSERT INTO messages (session_id, message_id, direction, method, params, result, error, timestamp, message_type) VALUES
    (1, '1', 'client_to_server', 'tools/call', '{"name": "slow"}', NULL, NULL, 1795243634010.25, 'request'),
    (1, '1', 'server_to_client', 'tools/call', NULL, '{"content": []}', NULL, 1795243634900.0, 'response'),
    (1, NULL, 'client_to_server', 'notifications/cancelled', '{"requestId": "1"}', NULL, NULL, 1795243634500.0, 'notification'),
    (1, NULL, 'server_to_client', NULL, NULL, NULL, '{"code": -32700, "message": "no"}', 1795243634950.0, 'notification'),
    (2, 'a', 'client_to_server', 'ping', NULL, NULL, NULL, 1795243635000.0, 'request');"#;

#[test]
fn rows_of_mcp_debugger_stand_in_the_order_of_their_times() {
    let (_dir, path) = database(SESSION);
    let kept = kept(&path);
    let got: Vec<_> = kept.frames.iter().map(|f| (f.channel, f.direction, f.at_us, f.text.as_str())).collect();
    let (client, server) = (Direction::By(Side::Client), Direction::By(Side::Server));
    let at = |ms: i64| Some(1_795_243_634_000_000 + ms * 1_000);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name": "slow"}}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(
        got,
        [
            (0, client, Some(1_795_243_634_010_250), call),
            (0, client, at(500), cancel),
            (0, server, at(900), r#"{"jsonrpc":"2.0","id":1,"result":{"content": []}}"#),
            (0, server, at(950), r#"{"jsonrpc":"2.0","id":null,"error":{"code": -32700, "message": "no"}}"#),
            (1, client, at(1000), r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#),
        ]
    );
    assert!(!kept.channels[0].proof.covers(Proof::ALL_ANSWERS) && !kept.channels[0].proof.covers(Proof::ENVELOPE));
}
