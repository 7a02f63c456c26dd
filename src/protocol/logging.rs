//! Log messages of MCP, and the levels that they have.

use super::found::{Facts, Raw};

/// The levels that there are (RFC 5424).
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// True for the notification that carries a log message.
pub fn is_log(method: &str) -> bool {
    method == "notifications/message"
}

/// True for a level that there is, as raw JSON.
pub fn is_log_level(raw: Raw<'_>) -> bool {
    LEVELS.iter().any(|level| Facts::is(raw, level))
}
