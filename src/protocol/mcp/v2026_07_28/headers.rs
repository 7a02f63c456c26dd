//! The sentences of MCP 2026-07-28 on headers that mirror the body, as far as rulings rest on them, and what repeats them.

use crate::protocol::Remark;
use crate::protocol::tables::{clauses, in_part, table};

clauses! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    NAME_ENCODED Must "name-encoded" "/basic/transports/streamable-http"
        "clients MUST encode it using the Base64 sentinel format";
    VALUES_BASE64 Must "values-base64" "/basic/transports/streamable-http"
        "clients MUST use Base64 encoding of the UTF-8 representation with the following format";
    MARKERS_EXACT Must "markers-exact" "/basic/transports/streamable-http"
        "These markers are case-sensitive and MUST appear exactly as shown (lowercase).";
    SENTINEL_ENCODED Must "sentinel-encoded" "/basic/transports/streamable-http"
        "clients MUST also Base64-encode any plain-ASCII value that matches the sentinel pattern";
    PARAMS_MIRRORED Must "params-mirrored" "/basic/transports/streamable-http"
        "conforming clients MUST mirror the designated parameter values into HTTP headers";
    INTEGERS_SAFE Must "header-integers-safe" "/server/tools"
        "Integer values MUST be within the safe range for integers represented using IEEE754 double-precision floating point numbers";
    MISMATCH_REJECTED Must "mismatch-rejected" "/basic/transports/streamable-http"
        "MUST reject requests where the values specified in the headers do not match the corresponding values in the request body";
    CHARACTERS_REJECTED Must "param-characters" "/basic/transports/streamable-http"
        "Servers MUST reject requests with a recognized `Mcp-Param-{Name}` header that contains invalid characters";
    NO_BUFFERING Should "no-buffering" "/basic/transports/streamable-http"
        "servers SHOULD include the `X-Accel-Buffering: no` header in the HTTP response";
}

/// What their rulings leave out.
pub static IN_PART: &[Remark] = &[
    in_part(&NAME_ENCODED, "blanks at the ends of a header are gone before it is read"),
    in_part(&VALUES_BASE64, "blanks at the ends of a header are gone before it is read"),
    in_part(&MARKERS_EXACT, "of names: what else looks like another spelling of the marker may be meant as it is"),
    in_part(&SENTINEL_ENCODED, "of names: which argument a header mirrors is told by a list of tools"),
    in_part(&PARAMS_MIRRORED, "by the list of tools that the log shows: another may have been given since"),
    in_part(&INTEGERS_SAFE, "of arguments that are mirrored by their very digits"),
    in_part(&MISMATCH_REJECTED, "what stands between may have changed the headers"),
    in_part(&CHARACTERS_REJECTED, "of headers that the list of tools in the log wants"),
    in_part(&NO_BUFFERING, "a header that the log does not show of any response is held against nobody"),
];

/// What says the same once more.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    By Must "http-integers-safe" "/basic/transports/streamable-http" "Integer values MUST be within the safe range for JavaScript"
        "TRN015/integer; of arguments that are mirrored by their very digits";
    By Must "values-encoded" "/basic/transports/streamable-http" "Clients MUST encode parameter values before including them in HTTP headers"
        "TRN015; blanks at the ends of a header are gone before it is read";
    By Must "values-compared" "/basic/transports/streamable-http" "Any server that processes the message body MUST validate that encoded header values, after decoding if Base64-encoded, match the corresponding values in the request body."
        "TRN016; what a server compares is inside it: that it serves what does not match is seen";
};
