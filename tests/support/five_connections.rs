//! A log of five connections of which one hangs.

use crate::common;

/// Five connections that overlap; on the third `index_repo` is never answered.
pub fn five_connections(folder: &std::path::Path) -> String {
    let mut lines = Vec::new();
    for second in 0..120 {
        for connection in 1..=5 {
            let id = second / 4 + 1;
            let hangs = connection == 3 && id == 17;
            let tool = if hangs { "index_repo" } else { "search" };
            let message = match second % 4 {
                0 => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#),
                1 if !hangs => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
                _ => continue,
            };
            let dir = if second % 4 == 0 { "c2s" } else { "s2c" };
            let (minute, second) = (second / 60 + 2, second % 60);
            let ts = format!("2026-04-12T14:{minute:02}:{second:02}.{connection:03}Z");
            lines.push(format!(r#"{{"ts":"{ts}","conn":"desk/{connection}","dir":"{dir}","msg":{message}}}"#));
        }
    }
    common::file(folder, "five.jsonl", lines.join("\n") + "\n")
}
