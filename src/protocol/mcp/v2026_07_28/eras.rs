//! The sentences of MCP 2026-07-28 on who speaks what, who says who it is, and log messages, as far as rulings rest on them.

use crate::protocol::Remark;
use crate::protocol::tables::{clauses, in_part, table};

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    DISCOVER Must "discover" "/basic/versioning"
        "Servers MUST implement `server/discover`";
    VERSIONS_NAMED Should "versions-named" "/basic/versioning"
        "SHOULD name the protocol versions it supports in any error it returns to an `initialize` request";
    DISCOVER_FIRST Should "discover-first-stdio" "/server/discover"
        "SHOULD send `server/discover` first";
    CLIENT_NAMES_ITSELF Should "client-names-itself" "/basic"
        "Clients SHOULD include `io.modelcontextprotocol/clientInfo` on every request unless specifically configured not to do so.";
    SERVER_NAMES_ITSELF Should "server-names-itself" "/basic"
        "Servers SHOULD include the following `io.modelcontextprotocol/*` field in every result's `_meta`, unless specifically configured not to do so";
    TOOLS_ORDERED Should "tools-ordered" "/server/tools"
        "Servers SHOULD return tools in a deterministic order";
    LOG_ONLY_ASKED Must "log-only-asked" "/server/utilities/logging"
        "The server MUST NOT emit `notifications/message` for a request that does not include this field.";
    LOG_ON_OWN_STREAM Must "log-on-own-stream" "/server/utilities/logging"
        "the server MUST NOT deliver it on a `subscriptions/listen` stream";
    LOG_LEVEL_REJECTED Should "log-level-rejected" "/server/utilities/logging"
        "the server SHOULD reject that request with a standard JSON-RPC error";
}

/// What their rulings leave out.
pub static IN_PART: &[Remark] = &[
    in_part(&DISCOVER, "of servers that have shown a message of this revision: others may be of an earlier one"),
    in_part(&VERSIONS_NAMED, "of servers that know no handshake: why others refuse one is known to them"),
    in_part(&DISCOVER_FIRST, "which kinds a client speaks shows only where it speaks both"),
    in_part(
        &CLIENT_NAMES_ITSELF,
        "how a client was configured is known to it; one that names itself at times is not configured off",
    ),
    in_part(
        &SERVER_NAMES_ITSELF,
        "how a server was configured is known to it; one that names itself at times is not configured off",
    ),
    in_part(&TOOLS_ORDERED, "whether the set has changed and changed back in between is known to the server alone"),
    in_part(&LOG_ONLY_ASKED, "which request a message is for is told by its stream, or where no request asks for any"),
];

/// What says the same once more.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    By Must "discover-implemented" "/server/discover" "Servers MUST implement it."
        "LIF029; of servers that have shown a message of this revision";
    By Should "discover-names-server" "/server/discover" "Name and version of the server software. Servers SHOULD include this field."
        "LIF030/server; how a server was configured is known to it alone";
    By Should "discover-on-stdio" "/basic/versioning" "On stdio, clients SHOULD send `server/discover` first to fail deterministically"
        "LIF031; which kinds a client speaks shows only where it speaks both";
    By Should "stdio-probe" "/basic/transports/stdio" "SHOULD probe with `server/discover` before sending any other request"
        "LIF031; which kinds a client speaks shows only where it speaks both";
};
