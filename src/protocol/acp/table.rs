//! What the pages of ACP 1 say and no rule judges, each sentence with the reason.
//!
//! Sentences that rules rest on stand in `clauses`, and what version 2 and the RFD say in `table_2`. A sentence that says again what
//! another one says has no row of its own. The pages on content, plans, slash commands and authentication of version 1 are not read,
//! because no text of them could be had; the page on prompt turns is read in its draft.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// ACP 1.
pub static V1: &[Remark] = table! { "acp-1/", "https://agentclientprotocol.com/protocol/v1";
    NotObservable Should "client-info" "/initialization" "They SHOULD also provide a name and version to the Agent"
        "the first clients of version 1 had no such member, and its schema does not ask for it";
    By Must "agent-tells-itself" "/initialization" "The Agent MUST respond with the chosen protocol version and the capabilities it supports"
        "SCH002; an agent that lists no capability supports none";
    NotObservable Must "agree-on-version" "/initialization" "Clients and Agents MUST agree on a protocol version and act according to its specification"
        "each clause of that version is judged by itself";
    NotObservable Must "latest-version" "/initialization" "The `initialize` request MUST include the latest protocol version the Client supports"
        "what a client supports is known to the client alone";
    NotObservable Must "same-version" "/initialization" "If the Agent supports the requested version, it MUST respond with the same version"
        "what an agent supports is known to the agent alone";
    NotObservable Must "latest-instead" "/initialization" "Otherwise, the Agent MUST respond with the latest version it supports"
        "what an agent supports is known to the agent alone";
    Persons Should "version-unsupported" "/initialization" "the Client SHOULD close the connection and inform the user about it"
        "what a person is told is not in the messages";
    NotObservable Should "combinations" "/initialization" "Clients and Agents SHOULD support all possible combinations of their peer's capabilities"
        "what a side can do beyond what it is asked is not in the messages";
    NotObservable Should "client-capabilities" "/initialization" "The Client SHOULD specify whether it supports the following capabilities"
        "a capability that is not listed is one that is not supported";
    NotObservable Should "agent-capabilities" "/initialization" "The Agent SHOULD specify whether it supports the following capabilities"
        "a capability that is not listed is one that is not supported";
    NotObservable Must "text-and-links" "/initialization" "all Agents MUST support `ContentBlock::Text` and `ContentBlock::ResourceLink` in `session/prompt` requests"
        "what an agent makes of a prompt is inside it";
    NotObservable Must "baseline" "/initialization" "all Agents MUST support `session/new`, `session/prompt`, `session/cancel`, and `session/update`"
        "a refusal may have another reason, and what is not asked for shows nothing";
    Allows May "more-methods" "/initialization" "they MAY support other session methods and notifications by specifying additional capabilities"
        "methods that were declared";
    NotObservable Should "implementation-info" "/initialization" "Both Clients and Agents SHOULD provide information about their implementation"
        "the first implementations of version 1 had no such member, and its schema does not ask for it";
    NotObservable Should "calls-reported" "/tool-calls" "the Agent SHOULD report it to the Client"
        "that a model asked for a tool is known to the agent alone";
    NotObservable Should "call-name-kept" "/tool-calls" "SHOULD NOT change it later except to correct metadata"
        "a correction and a change look the same";
    Allows May "permission" "/tool-calls" "The Agent MAY request permission from the user before executing a tool call"
        "permission requests";
    Allows May "permission-by-settings" "/tool-calls" "Clients MAY automatically allow or reject permission requests according to the user settings"
        "permission requests that are answered at once";
    Persons Should "permission-context" "/tool-calls" "Clients SHOULD treat the supplied `toolCall` details as the context being approved"
        "what is shown to a person is not in the messages";
    NotObservable Must "unique-session-id" "/session-setup" "The Agent MUST respond with a unique Session ID"
        "which ids other clients were given is known to the agent alone";
    NotObservable Must "load-verified" "/session-setup" "Before attempting to load a session, Clients MUST verify that the Agent supports this capability"
        "what a side looks at before it asks is inside it; that it asks where nothing was declared is judged";
    NotObservable Must "load-by-method" "/session-setup" "To load an existing session, Clients MUST call the `session/load` method"
        "there is no other way to ask for it";
    NotObservable Must "conversation-replayed" "/session-setup" "The Agent MUST replay the entire conversation to the Client in the form of `session/update` notifications"
        "what a conversation was is known to the agent alone";
    NotObservable Must "load-answered-last" "/session-setup" "the Agent MUST respond to the original `session/load` request"
        "when all was replayed is known to the agent alone; that the request is answered is judged";
    Allows May "additional-roots" "/session-setup" "Clients MAY include `additionalDirectories` on supported session lifecycle requests"
        "further roots that were declared";
    NotObservable Must "roots-sent-again" "/session-setup" "Clients must send the full intended additional-root list again"
        "what was intended is known to the client alone";
    NotObservable Must "cwd-used" "/session-setup" "MUST be used for the session regardless of where the Agent subprocess was spawned"
        "what an agent does with it is inside the agent";
    NotObservable Must "cwd-is-base" "/session-setup" "MUST remain the base for relative-path resolution"
        "what an agent does with it is inside the agent";
    NotObservable Must "cwd-in-roots" "/session-setup" "MUST be part of the session's effective root set"
        "what an agent does with it is inside the agent";
    Allows May "mcp-servers" "/session-setup" "Clients MAY include connection details for MCP servers that the Agent should connect to"
        "MCP servers in the setup of a session";
    NotObservable Must "mcp-stdio" "/session-setup" "All Agents MUST support the stdio transport"
        "what an agent connects to is not in its messages";
    NotObservable Should "mcp-http" "/session-setup" "new Agents SHOULD support the HTTP transport"
        "what an agent can do beyond what it is asked is not in the messages";
    NotObservable Should "mcp-all-connected" "/session-setup" "Agents SHOULD connect to all MCP servers specified by the Client"
        "what an agent connects to is not in its messages";
    Allows May "mcp-own-server" "/session-setup" "Clients MAY use this ability to provide tools directly to the underlying language model"
        "an MCP server of the client";
    NotObservable Must "paths-authorized" "/file-system" "the Client MUST authorize those paths against the session's effective root set"
        "what a client lets an agent do is inside it";
    NotObservable Should "roots-from-list" "/file-system" "it SHOULD treat `cwd` plus `SessionInfo.additionalDirectories` as the authoritative current root set"
        "what a client does with it is inside the client";
    NotObservable Must "files-verified" "/file-system" "Agents MUST verify that the Client supports these capabilities"
        "what a side looks at before it asks is inside it; that it asks where nothing was declared is judged";
    NotObservable Must "file-created" "/file-system" "The Client MUST create the file if it doesn't exist"
        "what stands on a disk is not in the messages";
    Allows May "modes" "/session-modes" "the Agent MAY return a list of modes it can operate in"
        "modes in the setup of a session";
    NotObservable Should "options-over-modes" "/session-config-options" "Clients SHOULD use them instead of the `modes` field"
        "a client that chooses nothing uses neither";
    Allows May "config-options" "/session-config-options" "the Agent MAY return a list of configuration options and their current values"
        "options in the setup of a session";
    Persons Should "options-in-order" "/session-config-options" "Clients SHOULD respect this ordering when displaying options"
        "what a person is shown is not in the messages";
    Allows May "option-category" "/session-config-options" "Each config option MAY include a `category` field"
        "categories";
    NotObservable Must "category-not-needed" "/session-config-options" "MUST NOT be required for correctness"
        "what a side needs is inside it";
    NotObservable Must "category-unknown" "/session-config-options" "Clients MUST handle missing or unknown categories gracefully"
        "what is not understood leaves no trace";
    Persons Should "category-ties" "/session-config-options" "Clients SHOULD use the array ordering to resolve ties"
        "what a person is shown is not in the messages";
    NotObservable Should "important-options-first" "/session-config-options" "Agents SHOULD place higher-priority options first in the list"
        "what is important is known to the agent alone";
    NotObservable Must "option-default" "/session-config-options" "Agents MUST always provide a default value for every configuration option"
        "what stands in a list of options is left open, so that options of newer kinds are no fault";
    NotObservable Should "option-type-unknown" "/session-config-options" "it SHOULD ignore that option"
        "what is not understood leaves no trace";
    NotObservable Must "all-options-told" "/session-config-options" "The Agent MUST respond with the complete list of all configuration options and their current values"
        "which options there are is known to the agent alone";
    NotObservable Should "options-and-modes" "/session-config-options" "Agents that provide mode-like configuration SHOULD send both"
        "which option is like a mode is not said by its id";
    NotObservable Should "options-exclusively" "/session-config-options" "SHOULD use `configOptions` exclusively and ignore `modes`"
        "what a client does with it is inside the client";
    NotObservable Should "modes-as-fallback" "/session-config-options" "SHOULD fall back to `modes`"
        "what a client does with it is inside the client";
    NotObservable Should "options-in-sync" "/session-config-options" "Agents SHOULD keep both in sync"
        "which option is like a mode is not said by its id";
    NotObservable Must "list-verified" "/session-list" "Before attempting to list sessions, Clients MUST verify that the Agent supports this capability"
        "what a side looks at before it asks is inside it; that it asks where nothing was declared is judged";
    NotObservable Must "roots-unknown" "/session-list" "Clients MUST NOT treat an omitted field as proof that the session has no additional roots"
        "what a client does with it is inside the client";
    NotObservable Must "roots-not-merged" "/session-list" "Clients MUST NOT merge it with prior values"
        "what a client does with it is inside the client";
    By Must "sessions-listed" "/session-list" "The Agent MUST respond with a list of sessions and optional pagination metadata"
        "SCH002; what stands in the list is left open";
    NotObservable Must "empty-list" "/session-list" "the Agent MUST return an empty `sessions` array"
        "which sessions there are is known to the agent alone";
    NotObservable Must "last-page" "/session-list" "Clients MUST treat a missing `nextCursor` as the end of results"
        "a client that asks no more shows nothing";
    NotObservable Should "bad-cursor" "/session-list" "Agents SHOULD return an error if the cursor is invalid"
        "which cursor is valid is known to the agent alone";
    NotObservable Should "page-size" "/session-list" "Agents SHOULD enforce reasonable page sizes internally"
        "what is reasonable is not said";
    NotObservable Should "trace-context" "/extensibility" "SHOULD be reserved for W3C trace context"
        "what a key means to its sender is not in the messages";
    NotObservable Must "no-custom-fields" "/extensibility" "Implementations MUST NOT add any custom fields at the root of a type that's part of the specification"
        "a member that the schema does not have may be one of a newer schema";
    Allows May "custom-requests" "/extensibility" "implementations MAY expose and call custom JSON-RPC requests as long as their name starts with an underscore"
        "methods that begin with an underscore; one without may be of a newer schema";
    NotObservable Must "custom-answered" "/extensibility" "Upon receiving a custom request, implementations MUST respond accordingly"
        "what is according is known to the two sides alone; that a request is answered is judged";
    NotObservable Should "custom-advertised" "/extensibility" "extensions SHOULD advertise their custom capabilities"
        "which capability a method needs is known to its makers alone";
    NotObservable Should "custom-ignored" "/extensibility" "implementations SHOULD ignore unrecognized notifications"
        "what is ignored leaves no trace; a reply to a notification is judged";
    NotObservable Should "custom-in-meta" "/extensibility" "Implementations SHOULD use the `_meta` field in capability objects to advertise support for extensions"
        "which capability a method needs is known to its makers alone";
    Allows May "model-answers" "/draft/prompt-turn" "MAY respond with text content, tool calls, or both"
        "turns with either";
    Allows May "message-id" "/draft/prompt-turn" "The Agent MAY include an opaque, unique `messageId` on message chunks"
        "chunks with an id";
    Allows May "notices" "/draft/prompt-turn" "the Agent MAY send a live advisory notice at any point while a session exists"
        "notices between turns";
    NotObservable Must "notices-not-relied-on" "/draft/prompt-turn" "Agents must still behave as though a notice may not have been received"
        "what an agent does with it is inside the agent";
    NotObservable Must "notices-carry-nothing" "/draft/prompt-turn" "A notice must not carry information required for protocol correctness"
        "what a text says to a person is no matter of messages";
    NotObservable Should "notices-not-replayed" "/draft/prompt-turn" "SHOULD NOT be included in session replay"
        "which update is a replay is known to the agent alone";
    NotJudged Must "compaction-once" "/draft/prompt-turn" "MUST NOT be reused for another compaction"
        "that member is of the unstable schema, and in no fact that rules read";
    NotObservable Must "compaction-ends" "/draft/prompt-turn" "the Agent MUST eventually send exactly one terminal status"
        "until when is not said";
    NotJudged Must "compaction-first" "/draft/prompt-turn" "MUST send the first `compaction_update` before any chunk for that ID"
        "that member is of the unstable schema, and in no fact that rules read";
    Allows May "usage" "/draft/prompt-turn" "The Agent MAY also report current session context and cumulative cost state"
        "reports of usage";
    Allows May "turn-stopped" "/draft/prompt-turn" "Agents MAY stop the turn at any point"
        "any stop reason";
    NotObservable Must "stop-reason-fits" "/draft/prompt-turn" "When an Agent stops a turn, it must specify the corresponding `StopReason`"
        "why a turn ended is known to the agent alone; that a reason is given is judged";
    NotObservable Should "tool-in-progress" "/draft/prompt-turn" "the Agent SHOULD invoke the tool and report a status update marking the tool as `in_progress`"
        "when a tool runs is known to the agent alone";
    Allows May "tool-updates" "/draft/prompt-turn" "the Agent MAY send additional updates"
        "updates while a tool runs";
    Allows May "client-used-by-tools" "/draft/prompt-turn" "they MAY leverage Client capabilities"
        "requests of the agent within a turn";
    Allows May "turn-cancelled-any-time" "/draft/prompt-turn" "Clients MAY cancel an ongoing prompt turn at any time"
        "a session/cancel within a turn";
    Persons Should "calls-marked-cancelled" "/draft/prompt-turn" "The Client SHOULD preemptively mark all non-finished tool calls pertaining to the current turn as `cancelled`"
        "what a person is shown is not in the messages";
    NotObservable Should "late-updates-accepted" "/draft/prompt-turn" "The Client SHOULD still accept tool call updates received after sending `session/cancel`"
        "what a client does with it is inside the client";
    NotObservable Should "name-reported" "/tool-calls" "Agents SHOULD include it in the first report when available"
        "what is available is known to the agent alone";
    NotJudged Must "terminal-login-advertised" "/schema" "Agents MUST advertise this method only when the client enabled its terminal authentication capability"
        "that member is in no fact that rules read";
    NotObservable Must "no-meaning-in-meta" "/schema" "Implementations MUST NOT make assumptions about values at these keys"
        "what a side assumes is inside it";
    NotObservable Must "truncated-at-character" "/schema" "The Client MUST ensure truncation happens at a character boundary"
        "a text that was cut elsewhere is no text";
    NotObservable Must "terminals-checked" "/terminals" "Agents MUST verify that the Client supports this capability"
        "what an agent checks is inside it; that it asks for what was not declared is judged by another clause";
    NotObservable Must "terminal-released" "/terminals" "The Agent MUST release the terminal using `terminal/release` when it's no longer needed"
        "when a terminal is no longer needed is known to the agent alone";
    NotObservable Must "terminal-released-after-kill" "/terminals" "The Agent MUST still call `terminal/release` when it's done using it"
        "when an agent is done is known to it alone";
    Persons Should "output-shown-after-release" "/terminals" "the client SHOULD continue to display its output after release"
        "what a person is shown is not in the messages";
    NotJudged Must "terminal-embedded-before-release" "/schema" "The terminal must be added before calling `terminal/release`"
        "contents of tool calls are in no fact that rules read";
    NotObservable Must "plan-complete" "/schema" "the agent must send a complete list of all entries with their current status"
        "which entries there are is known to the agent alone";
    Persons Must "interface-adapted" "/schema" "The Client MUST adapt its interface according to `PromptCapabilities`"
        "what a person is shown is not in the messages";
    Persons Must "unknown-elicitation" "/schema" "They MUST NOT render it as a known elicitation mode"
        "what a person is shown is not in the messages";
    NotObservable Must "unknown-elicitation-action" "/schema" "They MUST NOT treat it as a known elicitation action"
        "what an agent does with it is inside the agent";
    NotObservable Should "error-message-short" "/schema" "The message should be limited to a concise single sentence"
        "what is concise is no matter of messages";
    NotObservable Should "version-unsupported-closes" "/schema" "The client should disconnect, if it doesn't support this version"
        "what a client supports is known to the client alone";
    Persons Should "text-as-markdown" "/schema" "Clients SHOULD render this text as Markdown"
        "what a person is shown is not in the messages";
    Persons Should "refusal-shown" "/schema" "so this should be reflected in the UI"
        "what a person is shown is not in the messages";
};
