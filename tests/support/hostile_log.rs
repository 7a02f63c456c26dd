//! A log in which every text is hostile.

/// Escape sequences, a forged line, C1 controls, bidirectional controls, zero-width characters, markup, a formula.
pub const BAD: &str = "\u{1b}[2K\u{1b}]8;;http://x\u{7}\u{9b}1A\r\nerror[forged]: ok\u{202e}\u{2066}\u{200b}\u{feff}<script>=cmd|' /C'!A0";

/// A log in which they are names, ids, reasons and lines.
pub fn hostile_log() -> String {
    let bad = serde_json::to_string(BAD).expect("a string");
    // JSON may hold DEL, C1 and format characters unescaped: as a program that does not care would log them.
    let raw = "\"\u{7f}\u{9b}2J\u{202e}\u{2028}=1+1\"";
    let client = [
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":{bad},"version":{raw}}}}}}}"#
        ),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_string(),
        format!(
            r#"{{"jsonrpc":"2.0","id":{bad},"method":"tools/call","params":{{"name":{bad},"arguments":{{"q":{raw}}}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{bad},"reason":{bad}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{raw},"reason":{raw}}}}}"#
        ),
        format!(r#"{{"jsonrpc":"2.0","id":{raw},"method":{bad},"params":{raw}}}"#),
        r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#.to_string(),
    ];
    let server = [
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":{raw},"version":{bad}}}}}}}"#
        ),
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_string(),
        format!(r#"{{"jsonrpc":"2.0","id":{bad},"error":{{"code":-32000,"message":{bad}}}}}"#),
        format!(r#"{{"id":{raw},"result":{raw},"error":{raw}}}"#),
        "not json \u{1b}[31m \u{202e} at all".to_string(),
    ];
    let mut lines: Vec<(&str, &String)> = client.iter().map(|line| ("c2s", line)).collect();
    lines.insert(1, ("s2c", &server[0]));
    lines.extend(server[1..].iter().map(|line| ("s2c", line)));
    let mut log = String::new();
    for (second, (dir, raw)) in lines.iter().enumerate() {
        let raw = serde_json::to_string(raw).expect("a string");
        log.push_str(&format!("{{\"ts\":\"2026-04-12T06:11:{:02}Z\",\"dir\":\"{dir}\",\"raw\":{raw}}}\n", second * 4));
    }
    log.push_str("\u{1b}[32mall is well\u{202e}\n");
    log
}
