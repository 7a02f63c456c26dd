//! What the pages of MCP 2026-07-28 on what servers offer say and no ruling rests on, each sentence with the reason.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// Tools, prompts, resources, discovery and utilities.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    NotObservable Should "server-info-not-trusted" "/server/discover" "SHOULD NOT rely on it for security decisions"
        "what a client relies on is inside it";
    Persons Should "tools-human" "/server/tools" "there SHOULD always be a human in the loop with the ability to deny tool invocations"
        "what a person is asked by the application is not in the messages";
    Persons Should "tools-shown" "/server/tools" "Applications SHOULD: Provide UI that makes clear which tools are being exposed to the AI model; Insert clear visual indicators when tools are invoked; Present confirmation prompts to the user for operations, to ensure a human is in the loop"
        "what is shown to a person is not in the messages";
    Allows May "tools-change" "/server/tools" "This set MAY be empty and MAY change over time"
        "other tools than before";
    NotObservable Must "tools-not-by-connection" "/server/tools" "MUST NOT vary per-connection or as a side effect of other requests on the connection"
        "why a set has changed is known to the server alone";
    Allows May "tools-ask-input" "/server/tools" "Servers MAY respond to `tools/call` with an `InputRequiredResult`"
        "a result that asks for input";
    By Must "tools-retry-id" "/server/tools" "Note that the JSON-RPC `id` MUST be different between the initial request and the retry."
        "LIF017";
    NotObservable Should "tools-changed" "/server/tools" "servers that declared the `listChanged` capability SHOULD send a notification to clients that have opened a `subscriptions/listen` stream"
        "that a list changed is known to the server alone";
    NotObservable Must "annotations-untrusted" "/server/tools" "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
        "what a client trusts is inside it";
    NotObservable Should "tool-case" "/server/tools" "Tool names SHOULD be considered case-sensitive."
        "how a side compares names is inside it";
    By Should "tool-signs" "/server/tools" "The following SHOULD be"
        "PAY002/name-characters";
    NotObservable Should "tools-disambiguated" "/server/tools" "SHOULD implement a disambiguation strategy such as prefixing tool names with a server identifier"
        "what a client names a tool for itself is inside it";
    NotObservable Should "server-name-not-unique" "/server/tools" "SHOULD NOT be relied upon for disambiguation"
        "what a client relies on is inside it";
    NotObservable Must "headers-rejected" "/server/tools" "Clients using the Streamable HTTP transport MUST reject tool definitions where any `x-mcp-header` value violates these constraints."
        "which tools a client leaves out is inside it";
    NotObservable Must "tool-left-out" "/server/tools" "Rejection means the client MUST exclude the invalid tool from the result of `tools/list`."
        "which tools a client leaves out is inside it";
    NotObservable Should "rejection-logged" "/server/tools" "Clients SHOULD log a warning when rejecting a tool definition"
        "logs of a client are not in the messages";
    NotObservable Should "headers-no-secrets" "/server/tools" "Server developers SHOULD NOT mark sensitive parameters (passwords, API keys, tokens, PII) with `x-mcp-header`"
        "what is sensitive is known to persons";
    Allows May "tool-links" "/server/tools" "A tool MAY return links to Resources"
        "links in results";
    NotObservable Should "output-validated" "/server/tools" "Clients SHOULD validate structured results against this schema."
        "what a client checks is inside it";
    NotObservable Should "errors-to-model" "/server/tools" "Clients SHOULD provide tool execution errors to language models to enable self-correction."
        "what a model is told is not in the messages";
    NotObservable Must "tool-servers-guard" "/server/tools" "Servers MUST: Validate all tool inputs; Implement proper access controls; Rate limit tool invocations; Sanitize tool outputs"
        "what a server checks is inside it";
    Persons Should "tool-clients-guard" "/server/tools" "Clients SHOULD: Prompt for user confirmation on sensitive operations"
        "what a person is asked by the application is not in the messages";
    By Must "tools-meta" "/server/tools" "Every request MUST include the required `_meta` fields"
        "LIF011";
    Allows May "prompts-change" "/server/prompts" "This set MAY be empty and MAY change over time"
        "other prompts than before";
    NotObservable Must "prompts-not-by-connection" "/server/prompts" "MUST NOT vary per-connection or as a side effect of other requests on the connection"
        "why a set has changed is known to the server alone";
    By Must "prompts-meta" "/server/prompts" "Every request MUST include the required `_meta` fields"
        "LIF011";
    Allows May "prompts-ask-input" "/server/prompts" "Servers MAY also respond to `prompts/get` with an `InputRequiredResult`"
        "a result that asks for input";
    NotObservable Should "prompts-changed" "/server/prompts" "servers that declared the `listChanged` capability SHOULD send a notification to clients that have opened a `subscriptions/listen` stream"
        "that a list changed is known to the server alone";
    Allows May "prompt-links" "/server/prompts" "Prompt messages MAY include links to Resources"
        "links in prompts";
    NotObservable Should "prompt-errors" "/server/prompts" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Should "prompt-pages" "/server/prompts" "Clients SHOULD handle pagination for large prompt lists"
        "a client that needs no more may stop";
    NotObservable Should "prompt-capabilities" "/server/prompts" "Both parties SHOULD respect capability negotiation"
        "a request for what was not declared is judged where it is refused";
    NotObservable Must "prompts-validated" "/server/prompts" "Implementations MUST carefully validate all prompt inputs and outputs to prevent injection attacks or unauthorized access to resources."
        "what an implementation checks is inside it";
    NotObservable Should "resources-changed" "/server/resources" "servers that declared the `listChanged` capability SHOULD send a notification"
        "that a list changed is known to the server alone";
    NotObservable Should "https-scheme" "/server/resources" "Servers SHOULD use this scheme only when the client is able to fetch and load the resource directly from the web on its own"
        "what a client can fetch is not in the messages";
    NotObservable Should "other-scheme" "/server/resources" "servers SHOULD prefer to use another URI scheme, or define a custom one"
        "what a client can fetch is not in the messages";
    Allows May "xdg-types" "/server/resources" "MCP servers MAY identify file:// resources with an XDG MIME type"
        "types like inode/directory";
    NotObservable Should "resource-errors" "/server/resources" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Must "uris-validated" "/server/resources" "Servers MUST validate all resource URIs"
        "what a server checks is inside it";
    NotObservable Should "resource-access" "/server/resources" "Access controls SHOULD be implemented for sensitive resources"
        "what a server protects is inside it";
    NotObservable Should "permissions-checked" "/server/resources" "Resource permissions SHOULD be checked before operations"
        "what a server checks is inside it";
    NotObservable Should "ttl-zero" "/server/utilities/caching" "If `ttlMs` is `0`, the response SHOULD be considered immediately stale."
        "what a client considers is inside it";
    NotObservable Should "ttl-positive-fresh" "/server/utilities/caching" "If `ttlMs` is positive, the client SHOULD consider the result fresh for that many milliseconds after receiving the response."
        "a client may ask again for another reason";
    NotObservable Should "ttl-absent" "/server/utilities/caching" "If `ttlMs` is absent, clients SHOULD assume a default of `0` (immediately stale)"
        "what a client assumes is inside it";
    NotObservable Should "ttl-negative-ignored" "/server/utilities/caching" "If `ttlMs` is negative, clients SHOULD ignore it and treat it as `0`."
        "what a client ignores leaves no trace";
    NotObservable Should "stale-fetched" "/server/utilities/caching" "the client SHOULD re-fetch on next access"
        "when a client needs a result is known to it alone";
    NotObservable Should "ttl-no-polling" "/server/utilities/caching" "Clients SHOULD NOT treat TTL as a polling interval that triggers automatic background refetches."
        "why a client asks again is known to it alone";
    NotObservable Must "polling-jitter" "/server/utilities/caching" "Implementations that do choose to poll MUST apply jitter and backoff."
        "that a client polls is known to it alone";
    NotObservable Must "cache-not-shared" "/server/utilities/caching" "Caches MUST NOT be shared across authorization contexts"
        "one connection does not show what others are told";
    By Must "private-stays-private" "/server/utilities/caching" "if the first page of a `tools/list` response has `cacheScope: \"private\"`, all subsequent pages for that request MUST also be `\"private\"`"
        "PAY012";
    NotObservable Must "cache-by-key" "/server/utilities/caching" "Clients MUST NOT serve a cached response for a request whose method or parameters differ from the request that produced it."
        "what a client serves from its cache is inside it";
    NotObservable Must "rounds-not-cached" "/server/utilities/caching" "requests carrying `inputResponses` or `requestState` ... MUST NOT be cached"
        "what a client serves from its cache is inside it";
    NotObservable Must "public-is-shared" "/server/utilities/caching" "Servers MUST be aware that responses with a `\"public\"` `cacheScope` may be shared between callers"
        "what a server is aware of is inside it";
    NotObservable Must "scope-is-no-guard" "/server/utilities/caching" "MUST NOT rely on `cacheScope` alone to prevent unauthorized access to primitives"
        "what a server relies on is inside it";
    By Must "no-such-resource" "/server/resources" "If the requested resource does not exist, servers MUST return a JSON-RPC error with code `-32602` (Invalid Params)."
        "RPC017/earlier; whether a resource exists is known to the server alone, and other codes may say something else";
    NotObservable Should "internal-error" "/server/resources" "Servers SHOULD return `-32603` for internal errors."
        "why a server failed is known to the server alone";
    NotObservable Should "old-code-accepted" "/server/resources" "clients SHOULD also accept `-32002` as a resource not found error"
        "what a client accepts is inside it";
    Allows May "refetch-early" "/server/utilities/caching" "Clients MAY re-fetch before the TTL expires"
        "a request before the time is over";
    Allows May "ttl-by-page" "/server/utilities/caching" "Servers MAY return different `ttlMs` values on different pages"
        "pages with times of their own";
    NotObservable Should "page-by-cursor" "/server/utilities/caching" "the client SHOULD re-fetch that page using its cursor"
        "what a client keeps is inside it";
    NotObservable Should "snapshot-from-start" "/server/utilities/caching" "SHOULD re-fetch from the beginning (without a cursor)"
        "what a client requires is inside it";
    NotObservable Should "bad-cursor-discards" "/server/utilities/caching" "the client SHOULD discard all cached pages and re-fetch from the beginning"
        "what a client keeps is inside it";
    NotObservable Should "completion-errors" "/server/utilities/completion" "Servers SHOULD return standard JSON-RPC errors for common failure cases"
        "why a server failed is known to the server alone";
    NotObservable Should "completion-sorted" "/server/utilities/completion" "Servers SHOULD: Return suggestions sorted by relevance; Implement fuzzy matching where appropriate; Rate limit completion requests; Validate all inputs"
        "relevance is known to the server alone";
    Persons Should "completion-debounced" "/server/utilities/completion" "Clients SHOULD: Debounce rapid completion requests"
        "how fast a person types is not in the messages";
    NotObservable Must "completion-guarded" "/server/utilities/completion" "Implementations MUST: Validate all completion inputs; Implement appropriate rate limiting; Control access to sensitive suggestions; Prevent completion-based information disclosure"
        "what an implementation checks is inside it";
    NotObservable Should "logging-not-adopted" "/server/utilities/logging" "New implementations SHOULD NOT adopt it"
        "how old an implementation is shows in no message";
    Allows May "log-above-level" "/server/utilities/logging" "the server MAY send `notifications/message` notifications at or above the requested level"
        "log messages";
    NotObservable Should "log-considerate" "/server/utilities/logging" "Servers SHOULD: Rate limit log messages; Include relevant context in data field; Use consistent logger names; Remove sensitive information"
        "no number says how many are too many";
    NotObservable Must "log-no-secrets" "/server/utilities/logging" "Log messages MUST NOT contain: Credentials or secrets; Personal identifying information; Internal system details that could aid attacks"
        "what is a secret is known to its owner; what looks like one is noted as CAP010";
    NotObservable Should "log-implementations" "/server/utilities/logging" "Implementations SHOULD: Rate limit messages; Validate all data fields; Control log access; Monitor for sensitive content"
        "what an implementation checks is inside it";
    NotObservable Must "page-size" "/server/utilities/pagination" "clients MUST NOT assume a fixed page size"
        "what a client assumes is inside it";
    NotObservable Should "stable-cursors" "/server/utilities/pagination" "Servers SHOULD: Provide stable cursors; Handle invalid cursors gracefully"
        "a cursor that is used once does not show whether it is stable";
    NotObservable Should "end-of-pages" "/server/utilities/pagination" "Clients SHOULD: Treat a missing `nextCursor` as the end of results; Support both paginated and non-paginated flows"
        "a client that asks from the beginning again may have a reason";
    NotObservable Must "cursors-opaque" "/server/utilities/pagination" "Clients MUST treat cursors as opaque tokens: Don't make assumptions about cursor format; Don't attempt to parse or modify cursors; Don't persist cursors across sessions"
        "requests stand for themselves: a cursor may be from another connection";
};
