use super::*;
use crate::capture::testing::{Kept, read, read_as, told};
use crate::capture::{Proof, Vantage};
use proptest::prelude::*;

const VERBOSE: &str = include_str!("../../../../samples/formats/vscode-trace-text/verbose.log");
const MESSAGES: &str = include_str!("../../../../samples/formats/vscode-trace-text/messages.log");
const CHANNEL: &str = include_str!("../../../../samples/formats/vscode-trace-logoutputchannel/1.log");
const LSP4J: &str = include_str!("../../../../samples/formats/lsp4j-trace/1.log");
const LSP4IJ: &str = include_str!("../../../../samples/formats/lsp4ij-console-trace/1.log");
const GOPLS: &str = include_str!("../../../../samples/formats/gopls-rpc-trace/1.log");
const LSP_MODE: &str = include_str!("../../../../samples/formats/lsp-mode-io-log/1.log");

fn json(kept: &Kept) -> Vec<&str> {
    kept.frames.iter().map(|frame| frame.json.as_deref().unwrap_or(frame.kind)).collect()
}

#[test]
fn verbose_records_become_messages() {
    let kept = read("vscode-trace-text", VERBOSE);
    assert_eq!(
        json(&kept),
        [
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\n    \"processId\": 7,\n    \"capabilities\": {}\n}}",
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\n    \"capabilities\": {}\n}}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\n    \"id\": 1\n}}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32800,\"message\":\"Request (1) was\\ncancelled\",\"data\":{}}}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"workspace/configuration\",\"params\":{\n    \"items\": []\n}}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"error\":{\"message\":\"\"}}",
            "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":null}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}",
        ]
    );
    let directions: Vec<bool> = kept.frames.iter().map(|frame| frame.direction == Direction::Sent).collect();
    assert_eq!(directions, [true, false, true, true, false, false, true, false, true]);
    let channel = &kept.channels[0];
    assert_eq!((channel.vantage, channel.proof), (Vantage::Client, Proof::FULL.without(Proof::ENVELOPE)));
    assert!(VERBOSE[kept.frames[1].byte_offset as usize..].starts_with(&kept.frames[1].text));
    assert_eq!(kept.frames[0].at_us, Some(58_887_000_000));
    assert!(kept.skipped.iter().any(|(_, why)| *why == Skip::NotAMessage));
}

#[test]
fn the_messages_level_keeps_no_payload() {
    let kept = read("vscode-trace-text", MESSAGES);
    assert_eq!(
        json(&kept),
        [
            "{\"jsonrpc\":\"2.0\",\"id\":38,\"method\":\"textDocument/hover\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":38,\"error\":{\"code\":-32800,\"message\":\"Request textDocument/hover failed\"}}",
            "{\"jsonrpc\":\"2.0\",\"id\":37,\"result\":null}",
        ]
    );
    assert!(!kept.channels[0].proof.covers(Proof::PAYLOAD) && !kept.channels[0].proof.covers(Proof::CANCEL_TARGET));
}

#[test]
fn a_cancel_without_payload_among_payloads_is_a_gap_not_a_fault() {
    let kept = read("vscode-trace-text", &format!("{VERBOSE}\n{MESSAGES}"));
    assert_eq!(kept.frames.iter().filter(|frame| frame.kind == "gap").count(), 1);
}

#[test]
fn a_channel_with_dates() {
    let kept = read("vscode-trace-logoutputchannel", CHANNEL);
    assert_eq!(json(&kept).len(), 4);
    assert_eq!(kept.frames[3].at_us.map(|at| at % 1_000_000), Some(865_000));
    assert_eq!(
        json(&kept)[3],
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}"
    );
}

#[test]
fn a_java_server_writes_from_its_own_side() {
    let kept = read("lsp4j-trace", LSP4J);
    let channel = &kept.channels[0];
    assert_eq!(channel.vantage, Vantage::Server);
    assert!(!channel.proof.covers(Proof::ERROR_CODE) && !channel.proof.covers(Proof::ALL_ANSWERS));
    assert_eq!(json(&kept)[2], "{\"jsonrpc\":\"2.0\",\"id\":27,\"result\":null}");
    assert_eq!(
        json(&kept)[4],
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\n  \"code\": -32601,\n  \"message\": \"no\"\n}}"
    );
    assert_eq!(kept.frames[0].at_us, Some((12 * 60 + 5) * 60_000_000), "hours run from 0 to 11");
    let kept = read("lsp4j-trace", &LSP4J.replace("Received request 'initialize", "Sending request 'initialize"));
    assert_eq!(kept.channels[0].vantage, Vantage::Client);
}

#[test]
fn a_console_in_a_jetbrains_ide_crosses_midnight() {
    let kept = read("lsp4ij-console-trace", LSP4IJ);
    assert_eq!((kept.frames.len(), kept.channels[0].vantage), (3, Vantage::Client));
    assert_eq!(json(&kept)[2], "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[]}");
    assert_eq!(kept.frames[2].at_us.map(|at| at / 86_400_000_000), Some(1));
}

#[test]
fn gopls_speaks_for_the_client() {
    let kept = read("gopls-rpc-trace", GOPLS);
    assert_eq!(
        json(&kept),
        [
            "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"textDocument/hover\",\"params\":{\"position\":{\"line\":1}}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":12}}",
            "{\"jsonrpc\":\"2.0\",\"id\":12,\"error\":{\"message\":\"JSON RPC cancelled\"}}",
        ]
    );
    use crate::protocol::Side;
    let directions: Vec<_> = kept.frames.iter().map(|frame| frame.direction).collect();
    assert_eq!(directions, [Side::Client, Side::Client, Side::Server].map(Direction::By));
    assert_eq!(kept.channels[0].vantage, Vantage::Server);
    assert_eq!(kept.frames[0].text, GOPLS[..GOPLS.find('\r').expect("CRLF")]);
}

#[test]
fn emacs_has_its_own_labels() {
    let kept = read("lsp-mode-io-log", LSP_MODE);
    assert_eq!(json(&kept)[2], "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":null}");
    assert_eq!(
        json(&kept)[3],
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\n  \"code\": -32601,\n  \"message\": \"no\"\n}}"
    );
}

#[test]
fn ids_whose_type_the_header_hides_are_numbers_throughout() {
    let text = "[Trace - 1:00:00 PM] Received request 'a - (1)'.\nParams: {}\n\n\n\
                [Trace - 1:00:00 PM] Received notification '$/cancelRequest'.\nParams: {\n    \"id\": \"1\"\n}\n";
    assert_eq!(
        json(&read("vscode-trace-text", text))[1],
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\n    \"id\": 1\n}}"
    );
}

#[test]
fn cut_records() {
    let start = "[Trace - 1:00:00 PM] Sending request 'a - (1)'.\nParams: {\n    \"a\": 1,\n";
    let kept = read("vscode-trace-text", start);
    assert_eq!((kept.frames.len(), &kept.skipped[..]), (0, &[(1, Skip::CutOff)][..]));
    let kept = read("vscode-trace-text", &format!("{start}[Trace - 1:00:00 PM] Sending notification 'b'.\n"));
    assert_eq!(kept.frames.iter().map(|frame| frame.kind).collect::<Vec<_>>(), ["gap", "message"]);
    assert_eq!(told(b"the header [Trace - 1:00:00 PM] Sending request comes first\n"), None);
}

#[derive(Clone, Debug)]
struct Said {
    sent: bool,
    kind: usize,
    id: String,
    text: String,
}

fn said() -> impl Strategy<Value = Said> {
    let id = prop_oneof!["[0-9]{1,6}", "[a-f0-9]{8}-[a-f]{4}"];
    (any::<bool>(), 0usize..4, id, "\\PC{0,30}").prop_map(|(sent, kind, id, text)| Said { sent, kind, id, text })
}

/// A message as vscode-languageclient prints it, and as it was.
fn rendered(said: &Said, pretty: bool) -> (String, serde_json::Value) {
    let id = serde_json::from_str::<u64>(&said.id).map_or(serde_json::json!(said.id), |id| serde_json::json!(id));
    let id = if is_canonical(&said.id) { id } else { serde_json::json!(said.id) };
    let payload = serde_json::json!({"text": said.text, "list": [1, "}", {"deep": "[Trace - "}]});
    let shown = if pretty { format!("{payload:#}") } else { payload.to_string() };
    let verb = if said.sent { "Sending" } else { "Received" };
    let (head, method) = (format!("[Trace - 4:21:27 PM] {verb}"), "x/y");
    match said.kind {
        0 => (
            format!("{head} request '{method} - ({})'.\nParams: {shown}\n\n\n", said.id),
            serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": payload}),
        ),
        1 => (
            format!("{head} notification '{method}'.\nParams: {shown}\n\n\n"),
            serde_json::json!({"jsonrpc": "2.0", "method": method, "params": payload}),
        ),
        2 => (
            format!("{head} response '{method} - ({})' in 7ms.\nResult: {shown}\n\n\n", said.id),
            serde_json::json!({"jsonrpc": "2.0", "id": id, "result": payload}),
        ),
        _ => (
            format!("{head} response '{method} - ({})' in 7ms. Request failed: no\nmore (-32800).\n\n\n", said.id),
            serde_json::json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32800, "message": "no\nmore"}}),
        ),
    }
}

fn is_canonical(id: &str) -> bool {
    id == "0" || !id.starts_with('0')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn messages_come_back_as_they_were(all in proptest::collection::vec((said(), any::<bool>()), 1..8)) {
        let (mut text, mut want) = (String::new(), Vec::new());
        for (said, pretty) in &all {
            let (record, message) = rendered(said, *pretty);
            text.push_str(&record);
            want.push((said.sent, message));
        }
        let kept = read_as("vscode-trace-text", text.as_bytes());
        let got: Vec<_> = kept.frames.iter()
            .map(|frame| (frame.direction == Direction::Sent, serde_json::from_str(frame.json.as_deref().unwrap_or("null")).expect("JSON")))
            .collect();
        prop_assert_eq!(got, want);
    }

    #[test]
    fn no_text_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120), tail in "[{}\\[\\]\",:a-z0-9\\\\() .\n-]{0,80}") {
        for name in ["vscode-trace-text", "lsp4j-trace", "gopls-rpc-trace", "lsp-mode-io-log"] {
            read_as(name, &bytes);
            for head in ["Received response 'a - (1)' in 1ms. Request failed: ", "Sending request 'a - (1)'.\nParams: ", "Sending notification '"] {
                read_as(name, format!("[Trace - 1:00:00 PM] {head}{tail}\n[Error - Sent] 1 #{tail}").as_bytes());
            }
        }
    }
}
