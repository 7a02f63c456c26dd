//! Logs with payloads that are as schemas say, and twins that are not.

use crate::pipeline::{Options, Quiet, audit, ingest};
use crate::rules::Selection;
use crate::store::{FindingFilter, FindingRow, Raw, Store};

/// Messages of the client (`>`) and of the server (`<`), a second apart.
fn log(messages: &[&str]) -> String {
    let line = |(at, message): (usize, &&str)| {
        let (dir, msg) = message.split_at(1);
        let dir = if dir == ">" { "c2s" } else { "s2c" };
        format!("{{\"ts\":\"2026-01-05T00:00:{at:02}.000Z\",\"dir\":\"{dir}\",\"msg\":{msg}}}\n")
    };
    messages.iter().enumerate().map(line).collect()
}

fn options(schema: bool) -> Options {
    let selection = Selection { select: vec!["SCH".into()], schema, ..Selection::default() };
    Options { selection, ..Options::default() }
}

fn rows(store: &Store) -> Vec<FindingRow> {
    store.all_findings(&FindingFilter::default(), Raw::None).expect("findings")
}

fn judged(text: &str) -> Vec<FindingRow> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, text).expect("a log");
    let mut store = Store::temporary().expect("a store");
    ingest(&mut store, &[path.display().to_string()], &options(true), &mut Quiet).expect("read");
    let found = rows(&store);
    // A database gives the same when it is judged again, and nothing where it is not asked to look.
    let told = |found: &[FindingRow]| found.iter().map(|row| (row.line, row.summary.clone())).collect::<Vec<_>>();
    audit(&mut store, &options(true), &mut Quiet).expect("judged");
    assert_eq!(told(&rows(&store)), told(&found));
    audit(&mut store, &options(false), &mut Quiet).expect("judged");
    assert!(rows(&store).is_empty());
    found
}

/// Code, line and certainty of each finding.
fn said(messages: &[&str]) -> Vec<String> {
    judged(&log(messages)).iter().map(|row| format!("{} {} {}", row.code, row.line, row.certainty)).collect()
}

const INIT: &str = r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const READY: &str = r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}"#;
const LIST: &str = r#">{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const TOOLS: &str = r#"<{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","required":["n"]},"outputSchema":{"type":"object","required":["n"]}}]}}"#;
const CALL: &str = r#">{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}"#;
const GOOD: &str = r#"<{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"n":1}}}"#;
const BAD: &str = r#"<{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"m":1}}}"#;
const NONE: &str = r#"<{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#;

#[test]
fn what_a_tool_gives_is_held_against_what_its_server_declared() {
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, CALL, GOOD]), [""; 0]);
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, CALL, BAD]), ["SCH003 6 violation"]);
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, CALL, NONE]), ["SCH003 6 violation"]);
    let found = judged(&log(&[INIT, READY, LIST, TOOLS, CALL, BAD]));
    let evidence: Vec<_> = found[0].evidence.iter().map(|one| (one.role.as_str(), one.message.line)).collect();
    assert_eq!(evidence, [("declaration", 4), ("request", 5), ("response", 6)]);
    let refused = r#"<{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}"#;
    let failed = r#"<{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}"#;
    for answer in [refused, failed] {
        assert_eq!(said(&[INIT, READY, LIST, TOOLS, CALL, answer]), [""; 0]);
    }
}

#[test]
fn true_is_a_schema_and_a_word_is_none() {
    let declares = |property: &str| {
        let tools = r#"<{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"n":@}}}]}}"#;
        said(&[INIT, READY, LIST, &tools.replace('@', property)])
    };
    assert_eq!(declares("true"), [""; 0]);
    assert_eq!(declares("{}"), [""; 0]);
    assert_eq!(declares("\"string\""), ["SCH002 4 violation"]);
}

#[test]
fn a_declaration_that_may_not_hold_any_more_proves_nothing() {
    let other = r#"<{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["o"]}}]}}"#;
    let again = r#">{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
    let same = TOOLS.replace("\"id\":1", "\"id\":3");
    let changed = r#"<{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, changed, CALL, BAD]), ["SCH003 7 undecidable"]);
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, again, other, CALL, BAD]), ["SCH003 8 undecidable"]);
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, again, &same, CALL, BAD]), ["SCH003 8 violation"]);
    assert_eq!(said(&[INIT, READY, CALL, LIST, TOOLS, BAD]), ["SCH003 6 undecidable"]);
    assert_eq!(said(&[INIT, READY, CALL, BAD]), [""; 0]);
}

#[test]
fn a_tool_for_which_there_is_no_room_is_not_decidable_and_that_is_said_once() {
    let long = "x".repeat(300 * 1024);
    let tools = TOOLS.replace("\"inputSchema\":{", &format!("\"inputSchema\":{{\"title\":\"{long}\","));
    let again = CALL.replace("\"id\":2", "\"id\":3");
    let other = BAD.replace("\"id\":2", "\"id\":3");
    let found = said(&[INIT, READY, LIST, &tools, CALL, BAD, &again, &other]);
    assert_eq!(found, ["SCH003 6 undecidable", "SCH004 6 undecidable"]);
}

#[test]
fn arguments_are_the_servers_where_it_served_them() {
    let empty = CALL.replace("{\"n\":1}", "{}");
    let refused = r#"<{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}"#;
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, &empty, GOOD]), ["SCH004 6 violation"]);
    assert_eq!(said(&[INIT, READY, LIST, TOOLS, &empty, refused]), [""; 0]);
}

#[test]
fn what_the_log_has_changed_is_nobodys_fault() {
    let text =
        |text: &str| format!(r#"<{{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#);
    assert_eq!(said(&[INIT, READY, CALL, &text("5")]), ["SCH002 4 violation"]);
    assert_eq!(said(&[INIT, READY, CALL, &text("\"***\"")]), [""; 0]);
    let both = text(r#"5},{"type":"text","text":"[REDACTED]""#);
    assert_eq!(said(&[INIT, READY, CALL, &both]), ["SCH002 4 undecidable"]);
    // Without a handshake the revision is not known, and nothing is judged.
    assert_eq!(said(&[CALL, &text("5")]), [""; 0]);
    // What no schema names is nobody's business.
    let vendor = r#">{"jsonrpc":"2.0","id":9,"method":"vendor/thing","params":{"content":5}}"#;
    assert_eq!(said(&[INIT, READY, vendor]), [""; 0]);
    // A logger writes null where there are no parameters.
    let null = r#">{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#;
    assert_eq!(said(&[INIT, READY, null, TOOLS]), [""; 0]);
}

#[test]
fn acp_and_lsp_have_schemas_too() {
    let acp = [
        r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#,
        r#"<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#,
    ];
    let prompt = |id: &str| {
        format!(
            r#">{{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{{{id}"prompt":[{{"type":"text","text":"a"}}]}}}}"#
        )
    };
    assert_eq!(said(&[acp[0], acp[1], &prompt("\"sessionId\":\"s\",")]), [""; 0]);
    assert_eq!(said(&[acp[0], acp[1], &prompt("")]), ["SCH001 3 violation"]);
    let lsp = [
        r#">{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":1,"rootUri":null,"capabilities":{}}}"#,
        r#"<{"jsonrpc":"2.0","id":0,"result":{"capabilities":{}}}"#,
        r#">{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
    ];
    let hover = |line: &str| {
        format!(
            r#">{{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{{"textDocument":{{"uri":"file:///a"}},"position":{{"line":{line},"character":0}}}}}}"#
        )
    };
    assert_eq!(said(&[lsp[0], lsp[1], lsp[2], &hover("3")]), [""; 0]);
    assert_eq!(said(&[lsp[0], lsp[1], lsp[2], &hover("-1")]), ["SCH001 4 violation"]);
}

/// The arguments of the oldest of very many calls in flight are not kept: that is said once, of the first that has its answer.
#[test]
fn calls_beyond_what_is_kept_are_not_decidable() {
    let calls = (0..1030).map(|at| CALL.replace("\"id\":2", &format!("\"id\":{}", at + 10)));
    let answers = (0..1030).map(|at| GOOD.replace("\"id\":2", &format!("\"id\":{}", at + 10)));
    let then: Vec<String> = calls.chain(answers).collect();
    let messages = [INIT, READY, LIST, TOOLS].into_iter().chain(then.iter().map(String::as_str));
    let lines: String = messages
        .map(|message| {
            let (dir, msg) = message.split_at(1);
            format!("{{\"dir\":\"{}\",\"msg\":{msg}}}\n", if dir == ">" { "c2s" } else { "s2c" })
        })
        .collect();
    let found: Vec<String> =
        judged(&lines).iter().map(|row| format!("{} {} {}", row.code, row.line, row.certainty)).collect();
    assert_eq!(found, ["SCH004 1035 undecidable"]);
}
