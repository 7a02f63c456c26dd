//! Error codes that rules and the fold ask for.

use crate::jsonrpc::ErrorObject;

/// The JSON is no request, or none that may be sent now (JSON-RPC 2.0; LSP after `shutdown`).
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method (JSON-RPC 2.0).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The handshake is not done (LSP).
pub const NOT_INITIALIZED: i64 = -32002;
/// The request was cancelled (LSP, ACP).
pub const REQUEST_CANCELLED: i64 = -32800;

/// What it was about has changed since it was asked (LSP).
const CONTENT_MODIFIED: i64 = -32801;
/// The server has cancelled the request of its own accord (LSP).
const SERVER_CANCELLED: i64 = -32802;

/// True for an error that tells what became of a request: who was never asked has no occasion for it.
pub fn tells_of_a_request(code: i64) -> bool {
    [REQUEST_CANCELLED, CONTENT_MODIFIED, SERVER_CANCELLED].contains(&code)
}

/// True for the refusal of a handshake, in the words of its server, because it had one before.
pub fn says_initialized(error: &ErrorObject<'_>) -> bool {
    let words = ["already initiali", "already been initiali"];
    let Some(text) = error.message.as_deref().filter(|_| error.code == Some(INVALID_REQUEST)) else { return false };
    let text = text.to_lowercase();
    words.iter().any(|words| text.contains(words))
}

/// What stands for an error that says so.
pub(super) const INITIALIZED: &str = "already initialized";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_had_its_handshake_says_so() {
        let says = |code: i64, text: &str| {
            says_initialized(&ErrorObject { code: Some(code), message: Some(text.into()), ..ErrorObject::default() })
        };
        assert!(says(INVALID_REQUEST, INITIALIZED) && says(INVALID_REQUEST, "Server has Already been initialised"));
        assert!(!says(INVALID_REQUEST, "cannot initialize: already in use"), "of anything else");
        assert!(!says(INVALID_REQUEST, "not initialized") && !says(-32603, "the logger was already initialized"));
    }
}
