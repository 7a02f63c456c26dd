//! What the page of MCP 2026-07-28 on authorization says and no ruling rests on, each sentence with the reason.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// Authorization.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    NotObservable Should "conform-over-http" "/basic/authorization" "Implementations using an HTTP-based transport SHOULD conform to this specification."
        "which of several ways of authorization is meant is not in the messages";
    NotObservable Should "stdio-environment" "/basic/authorization" "Implementations using an STDIO transport SHOULD NOT follow this specification, and instead retrieve credentials from the environment."
        "where credentials come from is not in the messages";
    NotObservable Must "alternative-transports" "/basic/authorization" "Implementations using alternative transports MUST follow established security best practices for their protocol."
        "the transport itself is not in the log";
    NotObservable Must "oauth-2-1" "/basic/authorization" "Authorization servers MUST implement OAuth 2.1 with appropriate security measures for both confidential and public clients."
        "what is said to authorization servers is not in the log";
    NotObservable Should "client-id-documents" "/basic/authorization" "Authorization servers and MCP clients SHOULD support OAuth Client ID Metadata Documents"
        "what is said to authorization servers is not in the log";
    NotObservable Must "resource-metadata" "/basic/authorization" "MCP servers MUST implement OAuth 2.0 Protected Resource Metadata"
        "other addresses of a server are not in the log";
    NotObservable Must "resource-metadata-used" "/basic/authorization" "MCP clients MUST use OAuth 2.0 Protected Resource Metadata for authorization server discovery"
        "other addresses of a server are not in the log";
    NotObservable Must "discovery-provided" "/basic/authorization" "MCP authorization servers MUST provide at least one of the following discovery mechanisms"
        "what is said to authorization servers is not in the log";
    NotObservable Must "discovery-supported" "/basic/authorization" "MCP clients MUST support both discovery mechanisms"
        "what is said to authorization servers is not in the log";
    NotObservable Must "discovery-followed" "/basic/authorization" "Implementations MUST follow the normative discovery requirements"
        "what is said to authorization servers is not in the log";
    NotObservable Must "client-id-obtained" "/basic/authorization" "MCP clients MUST obtain a client ID through one of three registration mechanisms"
        "what is said to authorization servers is not in the log";
    NotObservable Should "scope-in-challenge" "/basic/authorization" "MCP servers SHOULD include a `scope` parameter in the `WWW-Authenticate` header"
        "a header that a log does not show is held against nobody";
    NotObservable Must "scopes-not-related" "/basic/authorization" "Clients MUST NOT assume any particular set relationship between the challenged scope set and `scopes_supported`."
        "what a client assumes is inside it";
    NotObservable Must "scopes-authoritative" "/basic/authorization" "Clients MUST treat the scopes provided in the challenge as authoritative for the current operation."
        "what is said to authorization servers is not in the log";
    NotObservable Should "scopes-kept" "/basic/authorization" "clients SHOULD include these scopes alongside any previously granted scopes"
        "what is said to authorization servers is not in the log";
    NotObservable Should "scopes-consistent" "/basic/authorization" "Servers SHOULD strive for consistency in how they construct scope sets"
        "what is consistent is known to the server alone";
    NotObservable Should "least-privilege" "/basic/authorization" "MCP clients SHOULD follow the principle of least privilege by requesting only the scopes necessary for their intended operations."
        "what is said to authorization servers is not in the log";
    NotObservable Should "scope-priority" "/basic/authorization" "SHOULD follow this priority order for scope selection"
        "what is said to authorization servers is not in the log";
    NotObservable Must "issuer-recorded" "/basic/authorization" "the client MUST record the `issuer` value from the selected authorization server's validated metadata document"
        "what a client records is inside it";
    NotObservable Should "issuer-given" "/basic/authorization" "MCP authorization servers SHOULD include the `iss` parameter in authorization responses"
        "what is said to authorization servers is not in the log";
    NotObservable Must "issuer-advertised" "/basic/authorization" "Authorization servers that include the `iss` parameter MUST advertise this"
        "what is said to authorization servers is not in the log";
    NotObservable Must "issuer-validated" "/basic/authorization" "MCP clients MUST apply the validation in RFC9207 Section 2.4"
        "what a client checks is inside it";
    NotObservable Must "issuer-not-normalized" "/basic/authorization" "clients MUST NOT apply scheme or host case folding, default-port elision, trailing-slash, or percent-encoding normalization"
        "what a client compares is inside it";
    NotObservable Must "issuer-mismatch" "/basic/authorization" "on mismatch the client MUST NOT act on or display `error`, `error_description`, or `error_uri`"
        "what a client acts on is inside it";
    NotObservable Must "resource-indicators" "/basic/authorization" "MCP clients MUST implement Resource Indicators for OAuth 2.0"
        "what is said to authorization servers is not in the log";
    NotObservable Must "resource-included" "/basic/authorization" "MUST be included in both authorization requests and token requests."
        "what is said to authorization servers is not in the log";
    NotObservable Must "resource-identifies" "/basic/authorization" "MUST identify the MCP server that the client intends to use the token with."
        "what is said to authorization servers is not in the log";
    NotObservable Must "resource-canonical" "/basic/authorization" "MUST use the canonical URI of the MCP server"
        "what is said to authorization servers is not in the log";
    NotObservable Should "resource-specific" "/basic/authorization" "MCP clients SHOULD provide the most specific URI that they can"
        "what is said to authorization servers is not in the log";
    NotObservable Should "resource-case" "/basic/authorization" "implementations SHOULD accept uppercase scheme and host components"
        "what an implementation accepts is inside it";
    NotObservable Should "resource-no-slash" "/basic/authorization" "implementations SHOULD consistently use the form without the trailing slash"
        "what is said to authorization servers is not in the log";
    NotObservable Must "resource-always" "/basic/authorization" "MCP clients MUST send this parameter regardless of whether authorization servers support it."
        "what is said to authorization servers is not in the log";
    NotObservable Must "token-handling" "/basic/authorization" "Access token handling when making requests to MCP servers MUST conform to the requirements defined in OAuth 2.1 Section 5"
        "credentials are not kept in recordings";
    NotObservable Must "authorization-header" "/basic/authorization" "MCP client MUST use the Authorization request header field"
        "credentials are not kept in recordings";
    NotObservable Must "authorization-always" "/basic/authorization" "authorization MUST be included in every HTTP request from client to server"
        "credentials are not kept in recordings";
    NotObservable Must "token-not-in-query" "/basic/authorization" "Access tokens MUST NOT be included in the URI query string"
        "addresses are not kept of HTTP heads, since they may hold credentials";
    NotObservable Must "tokens-validated" "/basic/authorization" "MUST validate access tokens as described in OAuth 2.1 Section 5.2"
        "what a server checks is inside it";
    NotObservable Must "tokens-audience" "/basic/authorization" "MCP servers MUST validate that access tokens were issued specifically for them as the intended audience"
        "what a server checks is inside it";
    NotObservable Must "tokens-refused" "/basic/authorization" "servers MUST respond according to OAuth 2.1 Section 5.3 error handling requirements"
        "that a token was invalid is known to the server alone";
    NotObservable Must "tokens-401" "/basic/authorization" "Invalid or expired tokens MUST receive a HTTP 401 response."
        "that a token was invalid is known to the server alone";
    NotObservable Must "tokens-own" "/basic/authorization" "MCP clients MUST NOT send tokens to the MCP server other than ones issued by the MCP server's authorization server."
        "credentials are not kept in recordings";
    NotObservable Must "tokens-for-itself" "/basic/authorization" "MCP servers MUST only accept tokens that are valid for use with their own resources."
        "what a server checks is inside it";
    NotObservable Must "tokens-not-passed" "/basic/authorization" "MCP servers MUST NOT accept or transit any other tokens."
        "what a server sends to others is not in the log";
    NotObservable Must "refresh-confidential" "/basic/authorization" "MUST keep refresh tokens confidential in transit and storage"
        "what a client stores is inside it";
    NotObservable Should "refresh-grant" "/basic/authorization" "SHOULD include `refresh_token` in their `grant_types` client metadata"
        "what is said to authorization servers is not in the log";
    NotObservable Must "refresh-not-assumed" "/basic/authorization" "MUST NOT assume refresh tokens will be issued; the AS retains discretion"
        "what a client assumes is inside it";
    NotObservable Should "no-offline-access" "/basic/authorization" "SHOULD NOT include `offline_access` in `WWW-Authenticate` scope"
        "a header that a log does not show is held against nobody";
    NotObservable Must "authorization-status" "/basic/authorization" "Servers MUST return appropriate HTTP status codes for authorization errors"
        "why a server refuses is known to the server alone";
    NotObservable Should "insufficient-scope" "/basic/authorization" "the server SHOULD respond with: `HTTP 403 Forbidden` status code"
        "which scopes a token has is not in the messages";
    NotObservable Should "scopes-needed" "/basic/authorization" "SHOULD include the scopes needed to satisfy the current operation in the `scope` parameter"
        "which scopes are needed is known to the server alone";
    NotObservable Should "scopes-in-one" "/basic/authorization" "servers SHOULD include all scopes required for the current operation in a single challenge"
        "which scopes are needed is known to the server alone";
    NotObservable Should "scope-strategy" "/basic/authorization" "Servers SHOULD be consistent in their scope inclusion strategy"
        "what is consistent is known to the server alone";
    NotObservable Should "scope-experience" "/basic/authorization" "Servers SHOULD consider the user experience impact when determining which scopes to include in the response"
        "what a server considers is inside it";
    NotObservable Should "step-up" "/basic/authorization" "Clients SHOULD respond to these errors by requesting a new access token with an increased set of scopes"
        "what is said to authorization servers is not in the log";
    NotObservable Should "step-up-for-user" "/basic/authorization" "Clients acting on behalf of a user SHOULD attempt the step-up authorization flow."
        "for whom a client acts is not in the messages";
    NotObservable Should "retry-limits" "/basic/authorization" "Clients SHOULD implement retry limits and SHOULD track scope upgrade attempts"
        "no number says how many are too many";
    NotObservable Must "scope-hierarchies" "/basic/authorization" "Servers MUST account for scope hierarchies"
        "which scopes a token has is not in the messages";
    NotObservable Must "security-followed" "/basic/authorization" "Implementations of this specification MUST follow the normative security requirements"
        "what an implementation checks is inside it";
};
