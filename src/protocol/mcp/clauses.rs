//! The sentences that revisions of MCP with a handshake have in common, as macros: one copy for each revision, so that a
//! finding links to the revision that the connection speaks.

/// [`clauses`] for one revision; pages are relative to it.
macro_rules! revision {
    ($revision:literal; $($clause:tt)*) => {
        $crate::protocol::tables::clauses! {
            concat!("mcp-", $revision, "/"),
            concat!("https://modelcontextprotocol.io/specification/", $revision);
            $($clause)*
        }
    };
}

/// A table of one revision; pages are relative to it.
macro_rules! of {
    ($revision:literal; $($line:tt)*) => {
        $crate::protocol::tables::table! {
            concat!("mcp-", $revision, "/"), concat!("https://modelcontextprotocol.io/specification/", $revision);
            $($line)*
        }
    };
}

/// The sentences that all four revisions have in common; the page on messages moved once.
macro_rules! shared {
    ($revision:literal, $messages:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            CANCEL_SAME_DIRECTION Must "cancel-same-direction" "/basic/utilities/cancellation"
                "Cancellation notifications MUST only reference requests that: Were previously issued in the same direction";
            CANCEL_IN_PROGRESS Must "cancel-in-progress" "/basic/utilities/cancellation"
                "Cancellation notifications MUST only reference requests that: ... Are believed to still be in-progress";
            CANCEL_NOT_INITIALIZE Must "cancel-not-initialize" "/basic/utilities/cancellation"
                "The `initialize` request MUST NOT be cancelled by clients";
            CANCEL_STOP Should "cancel-stop" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: Stop processing";
            CANCEL_NO_RESPONSE Should "cancel-no-response" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: ... Not send a response for the cancelled request";
            CANCEL_FREE Should "cancel-free" "/basic/utilities/cancellation"
                "Receivers ... SHOULD: ... Free associated resources";
            CANCEL_IGNORED May "cancel-ignored" "/basic/utilities/cancellation"
                "Receivers MAY ignore cancellation notifications if";
            LATE_ANSWER_IGNORED Should "late-answer-ignored" "/basic/utilities/cancellation"
                "SHOULD ignore any response to the request that arrives afterward";
            RACES_HANDLED Must "races-handled" "/basic/utilities/cancellation"
                "Both parties MUST handle these race conditions gracefully";
            BAD_CANCEL_IGNORED Should "bad-cancel-ignored" "/basic/utilities/cancellation"
                "Invalid cancellation notifications SHOULD be ignored";
            ID_TYPE Must "id-type" $messages "MUST include a string or integer ID";
            ID_NOT_NULL Must "id-not-null" $messages "MUST NOT be `null`";
            ID_USED_ONCE Must "id-used-once" $messages
                "MUST NOT have been previously used by the requestor within the same session";
            ERROR_CODE Must "error-code" $messages "Error codes MUST be integers";
            NOTIFICATION_NO_ID Must "notification-no-id" $messages "Notifications MUST NOT include an ID";
            VALID_MESSAGE Must "valid-message" "/basic/transports"
                "MUST NOT write anything ... that is not a valid MCP message";
            INITIALIZE_FIRST Must "initialize-first" "/basic/lifecycle"
                "initialization phase MUST be the first interaction";
            INITIALIZED_SENT Must "initialized-sent" "/basic/lifecycle" "MUST send an `initialized` notification";
            CLIENT_WAITS Should "client-waits" "/basic/lifecycle"
                "SHOULD NOT send requests other than pings before the server has responded to the `initialize` request";
            SERVER_WAITS Should "server-waits" "/basic/lifecycle"
                "SHOULD NOT send requests other than pings and logging before receiving the `initialized` notification";
            PING_EMPTY Must "ping-empty" "/basic/utilities/ping"
                "The receiver MUST respond promptly with an empty response";
        }
        $crate::protocol::mcp::clauses::progress!($revision, "/basic/utilities/progress");
    };
}

/// The sentences on progress, which 2026-07-28 keeps under another address.
macro_rules! progress {
    ($revision:literal, $page:literal) => {
        $crate::protocol::tables::clauses! {
            concat!("mcp-", $revision, "/"), concat!("https://modelcontextprotocol.io/specification/", $revision, $page);
            PROGRESS_TOKEN_TYPE Must "progress-token-type" "" "MUST be a string or integer";
            PROGRESS_TOKEN_UNIQUE Must "progress-token-unique" "" "MUST be unique across all active requests";
            PROGRESS_INCREASES Must "progress-increases" "" "`progress` value MUST increase";
            PROGRESS_TOKEN_KNOWN Must "progress-token-known" ""
                "MUST only reference tokens that: Were provided in an active request";
            PROGRESS_STOPS Must "progress-stops" "" "MUST stop after completion";
        }
    };
}

/// Responses, until 2025-11-25 gave results and errors a section each.
macro_rules! one_kind_of_response {
    ($revision:literal, $messages:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            SAME_ID Must "same-id" $messages "Responses MUST include the same ID";
            RESULT_OR_ERROR Must "result-or-error" $messages
                "Either a `result` or an `error` MUST be set ... MUST NOT set both";
        }
    };
}

/// What only the revisions with Streamable HTTP and a handshake say.
macro_rules! streamable_http {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            DISCONNECT_IS_NO_CANCEL Should "disconnect-is-no-cancel" "/basic/transports"
                "Disconnection SHOULD NOT be interpreted as the client cancelling its request";
            GET_STREAM_NO_RESPONSE Must "get-stream-no-response" "/basic/transports"
                "MUST NOT send a JSON-RPC response on the ... stream unless resuming";
            NO_BROADCAST Must "no-broadcast" "/basic/transports"
                "MUST NOT broadcast the same message across multiple streams";
            ACCEPT_BOTH Must "accept-both" "/basic/transports"
                "The client MUST include an `Accept` header, listing both `application/json` and `text/event-stream` as supported content types";
            ACCEPTED_202 Must "accepted-202" "/basic/transports"
                "If the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body";
            RESPONSE_TYPE Must "response-type" "/basic/transports"
                "the server MUST either return `Content-Type: text/event-stream`, to initiate an SSE stream, or `Content-Type: application/json`, to return one JSON object";
            SESSION_HEADER Must "session-header" "/basic/transports"
                "clients using the Streamable HTTP transport MUST include it in the ... header on all of their subsequent HTTP requests";
            ENDED_SESSION Must "ended-session" "/basic/transports"
                "after which it MUST respond to requests containing that session ID with HTTP 404 Not Found";
            OWN_POST Must "own-post" "/basic/transports"
                "Every JSON-RPC message sent from the client MUST be a new HTTP POST request";
            GET_ACCEPT Must "get-accept" "/basic/transports"
                "The client MUST include an `Accept` header, listing `text/event-stream` as a supported content type";
            SESSION_ASCII Must "session-visible-ascii" "/basic/transports"
                "The session ID MUST only contain visible ASCII characters";
            TIMEOUT_CANCELS Should "timeout-cancels" "/basic/lifecycle"
                "the sender SHOULD issue a cancellation notification for that request and stop waiting";
        }
    };
}

/// Batches, dropped in 2025-06-18.
macro_rules! no_batch {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            NO_BATCH Must "no-batch" "/basic/transports"
                "MUST be a single JSON-RPC request, notification, or response";
            SINGLE_MESSAGES Stated "single-messages" "/basic/transports"
                "Messages are individual JSON-RPC requests, notifications, or responses";
            VERSION_HEADER Must "version-header" "/basic/transports"
                "the client MUST include the `MCP-Protocol-Version: <protocol-version>` HTTP header on all subsequent requests to the MCP server";
            VERSION_NEGOTIATED Should "version-negotiated" "/basic/transports"
                "The protocol version sent by the client SHOULD be the one negotiated during initialization";
            CAPABILITIES Must "capabilities" "/basic/lifecycle"
                "Both parties MUST: ... Only use capabilities that were successfully negotiated";
        }
    };
}

/// What messages and structured results look like.
macro_rules! schema {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            SCHEMA_TRUTH Stated "schema-truth" "/basic"
                "This is the source of truth for all protocol messages and structures";
            OUTPUT_CONFORMS Must "output-conforms" "/server/tools"
                "Servers MUST provide structured results that conform to this schema";
        }
    };
}

/// The same sentence was a SHOULD before 2025-06-18.
macro_rules! capabilities_should {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            CAPABILITIES Should "capabilities" "/basic/lifecycle"
                "Both parties SHOULD: ... Only use capabilities that were successfully negotiated";
        }
    };
}

/// Log messages, whose page says the same from 2025-03-26 on.
macro_rules! logging {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            LOGGING_DECLARED Must "logging-declared" "/server/utilities/logging"
                "Servers that emit log message notifications MUST declare the `logging` capability";
        }
    };
}

/// Lists in pages.
macro_rules! paged {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            CURSOR_CODE Should "bad-cursor-code" "/server/utilities/pagination"
                "Invalid cursors SHOULD result in an error with code -32602";
        }
    };
}

/// What an elicitation needs, since it has modes.
macro_rules! elicited {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            ELICITATION_MEMBERS Must "elicitation-members" "/client/elicitation"
                "All elicitation requests MUST include the following parameters";
            ELICITATION_FORM Must "elicitation-form" "/client/elicitation"
                "Form mode elicitation requests MUST either specify `mode: \"form\"` or omit the `mode` field, and include these additional parameters";
            ELICITATION_FLAT Stated "elicitation-flat" "/client/elicitation"
                "form mode elicitation schemas are limited to flat objects with primitive properties only";
            ELICITATION_URL Must "elicitation-url" "/client/elicitation"
                "URL mode elicitation requests MUST specify `mode: \"url\"`, a `message`, and include these additional parameters";
        }
    };
}

/// What servers and clients offer, as all revisions with a handshake say it.
macro_rules! offered {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            TOOLS_DECLARED Must "tools-declared" "/server/tools"
                "Servers that support tools MUST declare the `tools` capability";
            RESOURCES_DECLARED Must "resources-declared" "/server/resources"
                "Servers that support resources MUST declare the `resources` capability";
            BINARY_ENCODED Must "binary-encoded" "/server/resources"
                "Binary data MUST be properly encoded";
            ROOTS_DECLARED Must "roots-declared" "/client/roots"
                "Clients that support roots MUST declare the `roots` capability";
            ROOT_IS_FILE Must "root-is-file" "/client/roots"
                "This MUST be a `file://` URI in the current specification";
        }
    };
}

/// What revisions from 2025-06-18 on say of their messages and of what they offer.
macro_rules! described {
    ($revision:literal) => {
        $crate::protocol::mcp::clauses::revision! { $revision;
            FOLLOW_JSONRPC Must "follow-jsonrpc" "/basic"
                "All messages between MCP clients and servers MUST follow the JSON-RPC 2.0 specification";
            NO_RESPONSE Must "notification-no-response" "/basic"
                "The receiver MUST NOT send a response.";
            META_PREFIX Must "meta-prefix" "/basic"
                "If specified, MUST be a series of labels separated by dots (`.`), followed by a slash (`/`).";
            META_LABEL Must "meta-label" "/basic"
                "Labels MUST start with a letter and end with a letter or digit; interior characters can be letters, digits, or hyphens (`-`).";
            META_NAME Must "meta-name" "/basic"
                "Unless empty, MUST begin and end with an alphanumeric character (`[a-z0-9A-Z]`).";
            PROMPTS_DECLARED Must "prompts-declared" "/server/prompts"
                "Servers that support prompts MUST declare the `prompts` capability";
            IMAGE_ENCODED Must "image-encoded" "/server/prompts"
                "The image data MUST be base64-encoded and include a valid MIME type";
            AUDIO_ENCODED Must "audio-encoded" "/server/prompts"
                "The audio data MUST be base64-encoded and include a valid MIME type";
            EMBEDDED_RESOURCE Must "embedded-resource" "/server/prompts"
                "Resources can contain either text or binary (blob) data and MUST include: A valid resource URI";
            PROMPT_ARGUMENTS Should "prompt-arguments" "/server/prompts"
                "Servers SHOULD validate prompt arguments before processing";
            STRUCTURED_TEXT Should "output-as-text" "/server/tools"
                "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block";
            VERSION_SENT Must "version-supported" "/basic/lifecycle"
                "the client MUST send a protocol version it supports";
            SAME_VERSION Must "same-version" "/basic/lifecycle"
                "If the server supports the requested protocol version, it MUST respond with the same version";
            EMBEDDED_DECLARED Should "embedded-declared" "/server/tools"
                "Servers that use embedded resources SHOULD implement the `resources` capability";
            CUSTOM_SCHEME Must "custom-scheme" "/server/resources"
                "Custom URI schemes MUST be in accordance with RFC3986";
            SAMPLING_DECLARED Must "sampling-declared" "/client/sampling"
                "Clients that support sampling MUST declare the `sampling` capability";
            COMPLETIONS_DECLARED Must "completions-declared" "/server/utilities/completion"
                "Servers that support completions MUST declare the `completions` capability";
            ELICITATION_DECLARED Must "elicitation-declared" "/client/elicitation"
                "Clients that support elicitation MUST declare the `elicitation` capability";
        }
    };
}

pub(super) use {
    capabilities_should, described, elicited, logging, no_batch, of, offered, one_kind_of_response, paged, progress,
    revision, schema, shared, streamable_http,
};
