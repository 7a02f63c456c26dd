//! Error codes that rules and the fold ask for.

/// The JSON is no request, or none that may be sent now (JSON-RPC 2.0; LSP after `shutdown`).
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method (JSON-RPC 2.0).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The handshake is not done (LSP).
pub const NOT_INITIALIZED: i64 = -32002;
/// The request was cancelled (LSP, ACP).
pub const REQUEST_CANCELLED: i64 = -32800;
