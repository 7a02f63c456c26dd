//! Messages in any order. Each five bytes are one: who sends it, its shape, its method, its id, its parameters; out of few of each, so
//! that they meet.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::Options;
use rpctape_fuzz::judged;

const METHODS: [&str; 32] = [
    "initialize",
    "notifications/initialized",
    "tools/call",
    "notifications/cancelled",
    "notifications/progress",
    "ping",
    "tasks/get",
    "tasks/cancel",
    "tasks/result",
    "tasks/list",
    "notifications/tasks/status",
    "sampling/createMessage",
    "elicitation/create",
    "resources/subscribe",
    "notifications/resources/updated",
    "subscriptions/listen",
    "server/discover",
    "session/new",
    "session/prompt",
    "session/cancel",
    "session/update",
    "session/request_permission",
    "$/cancelRequest",
    "$/cancel_request",
    "$/progress",
    "shutdown",
    "exit",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/hover",
    "window/workDoneProgress/create",
    "window/workDoneProgress/cancel",
];

const IDS: [&str; 10] = ["1", "2", "3", "\"1\"", "null", "1.0", "-0", "\"\"", "[1]", "18446744073709551616"];

const PARAMS: [&str; 24] = [
    "{}",
    "null",
    "[]",
    "{\"requestId\":1}",
    "{\"requestId\":2}",
    "{\"requestId\":\"1\",\"reason\":\"x\"}",
    "{\"id\":1}",
    "{\"id\":2}",
    "{\"progressToken\":1,\"progress\":3}",
    "{\"progressToken\":1,\"progress\":2,\"total\":1}",
    "{\"token\":\"t\"}",
    "{\"token\":\"t\",\"value\":{\"kind\":\"begin\"}}",
    "{\"token\":\"t\",\"value\":{\"kind\":\"end\"}}",
    "{\"_meta\":{\"progressToken\":1}}",
    "{\"sessionId\":\"s\"}",
    "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\"}}",
    "{\"taskId\":\"k\"}",
    "{\"taskId\":\"k\",\"status\":\"cancelled\"}",
    "{\"task\":{\"taskId\":\"k\",\"status\":\"working\"}}",
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}",
    "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
    "{\"stopReason\":\"cancelled\"}",
    "{\"textDocument\":{\"uri\":\"u\",\"version\":2},\"contentChanges\":[]}",
    "{\"nextCursor\":\"c\",\"tools\":[{\"name\":\"n\"}]}",
];

fn of<const N: usize>(all: [&'static str; N], byte: u8) -> &'static str {
    all[usize::from(byte) % N]
}

fn line(at: usize, [who, shape, method, id, params]: [u8; 5]) -> String {
    let (method, id, params) = (of(METHODS, method), of(IDS, id), of(PARAMS, params));
    let side = if who & 1 == 0 { "c2s" } else { "s2c" };
    let message = match shape % 6 {
        0 | 1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}"),
        2 => format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}"),
        3 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{params}}}"),
        4 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32800,\"message\":\"x\",\"data\":{params}}}}}"
        ),
        _ => format!(
            "[{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}},{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{params}}}]"
        ),
    };
    // Two connections, and times where a byte wants them.
    let ts = if who & 2 == 0 {
        String::new()
    } else {
        format!("\"ts\":{},", 1_760_000_000_000u64 + at as u64 * u64::from(who))
    };
    format!("{{{ts}\"conn\":\"{}\",\"dir\":\"{side}\",\"msg\":{message}}}\n", who >> 2 & 1)
}

fuzz_target!(|bytes: &[u8]| {
    let log: String = bytes.as_chunks().0.iter().take(200).enumerate().map(|(at, five)| line(at, *five)).collect();
    let options = Options::default();
    assert_eq!(judged(log.as_bytes(), &options), judged(log.as_bytes(), &options));
});
