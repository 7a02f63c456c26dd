//! What the pages of MCP 2026-07-28 on what clients offer say and no ruling rests on, each sentence with the reason.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// Elicitation, sampling, roots, and what is deprecated.
pub static REMARKS: &[Remark] = table! { "mcp-2026-07-28/", "https://modelcontextprotocol.io/specification/2026-07-28";
    By Must "url-for-secrets" "/client/elicitation" "Servers MUST use URL mode for interactions involving such sensitive information"
        "PAY004/secret; what is sensitive and does not say so by its name is known to persons";
    Persons Must "elicitation-shown" "/client/elicitation" "MCP clients MUST: Provide UI that makes it clear which server is requesting information"
        "what is shown to a person is not in the messages";
    NotObservable Must "elicitation-declared" "/client/elicitation" "Clients that support elicitation MUST declare the `elicitation` capability in `_meta.io.modelcontextprotocol/clientCapabilities` on each request"
        "what a client supports beyond what it declares is not in the messages";
    NotObservable Must "one-mode" "/client/elicitation" "Clients declaring the `elicitation` capability MUST support at least one mode (`form` or `url`)."
        "what a client supports beyond what it declares is not in the messages";
    Allows May "elicitation-inside" "/client/elicitation" "Servers MAY request information from a user during the processing of a client request"
        "an elicitation";
    Allows May "mode-omitted" "/client/elicitation" "servers MAY omit the `mode` field for form mode elicitation requests"
        "a form without a mode";
    NotObservable Must "no-mode-is-form" "/client/elicitation" "Clients MUST treat requests without a `mode` field as form mode."
        "what a client shows is inside it";
    Persons Should "defaults-shown" "/client/elicitation" "Clients that support defaults SHOULD pre-populate form fields with these values."
        "what is shown to a person is not in the messages";
    Persons Should "manual-controls" "/client/elicitation" "Clients SHOULD provide manual controls that let the user retry or cancel the original request"
        "what is shown to a person is not in the messages";
    NotObservable Must "elicitation-state" "/client/elicitation" "servers implementing elicitation MUST securely associate this state with individual users"
        "what a server stores is inside it";
    NotObservable Must "state-storage" "/client/elicitation" "State storage MUST be protected against unauthorized access"
        "what a server stores is inside it";
    NotObservable Must "user-from-credentials" "/client/elicitation" "user identification MUST be derived from credentials acquired via MCP authorization when possible"
        "how a server knows a user is inside it";
    NotObservable Must "url-not-own-authorization" "/client/elicitation" "MCP servers MUST NOT rely on URL mode elicitation to authorize users for themselves."
        "what an address is for is known to the server alone";
    NotObservable Must "third-party-credentials" "/client/elicitation" "The third-party credentials MUST NOT transit through the MCP client"
        "whose a credential is shows in no message";
    NotObservable Must "client-credentials" "/client/elicitation" "The MCP server MUST NOT use the client's credentials for the third-party service"
        "what a server sends to others is not in the log";
    Persons Must "user-authorizes-server" "/client/elicitation" "The user MUST authorize the MCP server directly"
        "what a person does elsewhere is not in the messages";
    NotObservable Must "credentials-not-sent" "/client/elicitation" "The MCP server MUST NOT transmit credentials obtained through URL mode elicitation to the MCP client."
        "where a credential was obtained shows in no message";
    NotObservable Should "success-not-assumed" "/client/elicitation" "Servers SHOULD NOT assume that elicitation requests will always succeed"
        "what a server assumes is inside it";
    NotObservable Must "decline-handled" "/client/elicitation" "MUST handle cases where the user declines or cancels the elicitation, or where the client fails to process the request"
        "how a server takes a refusal is inside it";
    NotObservable Must "elicitation-bound" "/client/elicitation" "Servers MUST bind elicitation requests to the client and user identity"
        "what a server binds is inside it";
    Persons Must "server-indicated" "/client/elicitation" "Clients MUST provide clear indication of which server is requesting information"
        "what is shown to a person is not in the messages";
    Persons Should "approval-controls" "/client/elicitation" "Clients SHOULD implement user approval controls"
        "what a person is asked by the application is not in the messages";
    Persons Should "decline-any-time" "/client/elicitation" "Clients SHOULD allow users to decline elicitation requests at any time"
        "what a person is asked by the application is not in the messages";
    Persons Should "elicitation-clear" "/client/elicitation" "Clients SHOULD present elicitation requests in a way that makes it clear what information is being requested and why"
        "what is shown to a person is not in the messages";
    NotObservable Must "url-not-authenticated" "/client/elicitation" "MUST NOT provide a URL which is pre-authenticated to access a protected resource"
        "what an address opens is known to the server alone";
    NotObservable Should "form-no-links" "/client/elicitation" "SHOULD NOT include URLs intended to be clickable in any field of a form mode elicitation request"
        "what is meant to be clicked is known to persons";
    NotObservable Must "urls-handled" "/client/elicitation" "Clients implementing URL mode elicitation MUST handle URLs carefully to prevent users from unknowingly clicking malicious links."
        "what a client does with an address is not in the messages";
    NotObservable Must "url-not-fetched" "/client/elicitation" "MUST NOT automatically pre-fetch the URL or any of its metadata."
        "what a client fetches is not in the messages";
    Persons Must "url-consent" "/client/elicitation" "MUST NOT open the URL without explicit consent from the user."
        "what a person is asked by the application is not in the messages";
    Persons Must "url-shown" "/client/elicitation" "MUST show the full URL to the user for examination before consent."
        "what is shown to a person is not in the messages";
    NotObservable Must "url-opened-securely" "/client/elicitation" "MUST open the URL provided by the server in a secure manner that does not enable the client or LLM to inspect the content or user inputs."
        "how a client opens an address is not in the messages";
    Persons Should "url-domain" "/client/elicitation" "SHOULD highlight the domain of the URL to mitigate subdomain spoofing."
        "what is shown to a person is not in the messages";
    Persons Should "url-warnings" "/client/elicitation" "SHOULD have warnings for ambiguous/suspicious URIs (i.e., containing Punycode)."
        "what is shown to a person is not in the messages";
    Persons Should "url-not-clickable" "/client/elicitation" "SHOULD NOT render URLs as clickable in any field of an elicitation request, except for the `url` field in a URL elicitation request"
        "what is shown to a person is not in the messages";
    NotObservable Must "identity-verified" "/client/elicitation" "Servers MUST NOT rely on client-provided user identification without server verification"
        "what a server relies on is inside it";
    By Must "form-security" "/client/elicitation" "Servers MUST NOT request sensitive information (passwords, API keys, etc.) via form mode"
        "PAY004/secret; what is sensitive and does not say so by its name is known to persons";
    NotObservable Should "form-validated" "/client/elicitation" "Clients SHOULD validate all responses against the provided schema"
        "what a client checks is inside it";
    NotObservable Should "form-data-validated" "/client/elicitation" "Servers SHOULD validate received data matches the requested schema"
        "what a server checks is inside it";
    NotObservable Must "opener-verified" "/client/elicitation" "The MCP Server MUST verify the identity of the user who opens the URL before accepting information."
        "what a person does elsewhere is not in the messages";
    NotObservable Must "same-user" "/client/elicitation" "the server MUST ensure that the user who started the elicitation request"
        "what a person does elsewhere is not in the messages";
    NotObservable Must "identity-resilient" "/client/elicitation" "the server MUST ensure that the mechanism to determine the user's identity is resilient to attacks where an attacker can modify the elicitation URL"
        "how a server knows a user is inside it";
    Persons Should "sampling-human" "/client/sampling" "there SHOULD always be a human in the loop with the ability to deny sampling requests"
        "what a person is asked by the application is not in the messages";
    Persons Should "sampling-review" "/client/sampling" "Applications SHOULD: Provide UI that makes it easy and intuitive to review sampling requests; Allow users to view and edit prompts before sending; Present generated responses for review before delivery"
        "what is shown to a person is not in the messages";
    NotObservable Must "sampling-tools-declared" "/client/sampling" "Clients MUST declare support for tool use via the `sampling.tools` capability to receive tool-enabled sampling requests."
        "what a client supports beyond what it declares is not in the messages";
    By Should "context-avoided" "/client/sampling" "Servers SHOULD avoid using these values"
        "LIF021/sampling.context; where the client declares it, the stronger words allow it";
    NotObservable Should "messages-not-kept" "/client/sampling" "The list of messages in a sampling request SHOULD NOT be retained between separate requests."
        "what a side keeps is inside it";
    By Must "in-association" "/client/roots" "Servers MUST send server-to-client requests (such as `roots/list`, `sampling/createMessage`, or `elicitation/create`) only in association with an originating client request"
        "LIF014";
    By Must "no-standalone" "/client/roots" "Standalone server-initiated requests of these types on independent communication streams (unrelated to any client request) are not supported and MUST NOT be implemented."
        "LIF014";
    NotObservable Must "roots-declared" "/client/roots" "Clients that support roots MUST declare the `roots` capability in `_meta.io.modelcontextprotocol/clientCapabilities` on each request"
        "what a client supports beyond what it declares is not in the messages";
    NotObservable Must "roots-guarded" "/client/roots" "Clients MUST: Only expose roots with appropriate permissions; Validate all root URIs to prevent path traversal; Implement proper access controls; Monitor root accessibility"
        "permissions are not in the messages";
    NotObservable Should "roots-respected" "/client/roots" "Servers SHOULD: Handle cases where roots become unavailable; Respect root boundaries during operations; Validate all paths against provided roots"
        "what a server touches is not in the messages";
    Persons Should "roots-consent" "/client/roots" "Clients SHOULD: Prompt users for consent before exposing roots to servers; Provide clear user interfaces for root management; Validate root accessibility before exposing; Monitor for root changes"
        "what a person is asked by the application is not in the messages";
    By Should "roots-checked" "/client/roots" "Servers SHOULD: Check for roots capability before usage"
        "LIF020";
    NotObservable Should "deprecated-not-adopted" "/deprecated" "new implementations SHOULD NOT adopt it"
        "how old an implementation is shows in no message";
    NotObservable Should "deprecated-migrated" "/deprecated" "existing implementations SHOULD migrate before the feature's earliest removal"
        "how old an implementation is shows in no message";
};
