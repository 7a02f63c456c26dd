//! What the pages and the schema of ACP 2 say and no rule judges, and so the request-cancellation RFD, each sentence with the reason.
//!
//! Sentences that rules rest on stand in `clauses`. Of the pages, the drafts are read; of the schema, 1.15. A sentence that says again
//! what another one says has no row of its own.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// The RFD.
pub static RFD: &[Remark] = table! { "acp-rfd-2025-11/", "https://agentclientprotocol.com/rfds/request-cancellation";
    NotObservable Must "support-declared" "" "A party MUST declare `supportsRequestCancellation: true` in their capabilities"
        "what a side can do beyond what it declares is not in the messages";
    NotObservable Should "internal-cancel" "" "When internal cancellation occurs, the executing party SHOULD"
        "that a side has cancelled by itself is known to it alone";
    NotObservable Must "support-kept" "" "If an implementation declares support, it MUST handle `$/cancelRequest` notifications for its requests"
        "what is handled is seen in the answers, which are judged";
    NotObservable Should "unsupported-ignored" "" "`$/cancelRequest` notifications should be ignored"
        "what is ignored leaves no trace";
    Allows May "support-optional" "" "Implementations MAY support handling cancellation"
        "a side that declares nothing";
    Allows May "honored-later" "" "Implementations MAY choose how quickly to honor cancellation requests"
        "an answer some time after the cancel";
    Allows May "partial-results" "" "Implementations MAY return partial results instead of errors when appropriate"
        "a result that answers a cancelled request";
};

/// ACP 2.
pub static V2: &[Remark] = table! { "acp-2/", "https://agentclientprotocol.com/protocol/v2";
    By Should "client-info" "/draft/initialization" "They SHOULD also provide a name and version to the Agent"
        "SCH001";
    By Must "agent-tells-itself" "/draft/initialization" "The Agent MUST respond with the chosen protocol version and the capabilities it supports"
        "SCH002; an agent that lists no capability supports none";
    NotObservable Must "agree-on-version" "/draft/initialization" "Clients and Agents MUST agree on a protocol version and act according to its specification"
        "each clause of that version is judged by itself";
    NotObservable Must "latest-version" "/draft/initialization" "The `initialize` request MUST include the latest protocol version the Client supports"
        "what a client supports is known to the client alone";
    NotObservable Must "same-version" "/draft/initialization" "If the Agent supports the requested version, it MUST respond with the same version"
        "what an agent supports is known to the agent alone";
    NotObservable Must "latest-instead" "/draft/initialization" "Otherwise, the Agent MUST respond with the latest version it supports"
        "what an agent supports is known to the agent alone";
    Persons Should "version-unsupported" "/draft/initialization" "the Client SHOULD close the connection and inform the user about it"
        "what a person is shown is not in the messages";
    NotObservable Should "combinations" "/draft/initialization" "Clients and Agents SHOULD support all possible combinations of their peer's capabilities"
        "what a side can do beyond what it is asked is not in the messages";
    Allows May "client-capabilities" "/draft/initialization" "Clients MAY include defined capability fields"
        "capabilities of the client";
    NotObservable Should "agent-capabilities" "/draft/initialization" "The Agent SHOULD specify whether it supports the following capabilities"
        "a capability that is not listed is one that is not supported";
    NotObservable Must "text-and-links" "/draft/initialization" "all Agents MUST support `ContentBlock::Text` and `ContentBlock::ResourceLink` in `session/prompt` requests"
        "what an agent makes of a prompt is inside it";
    NotObservable Must "baseline" "/draft/initialization" "all Agents MUST support `session/new`, `session/prompt`, `session/cancel`, and `session/update`"
        "a refusal may have another reason, and what is not asked for shows nothing";
    By Should "implementation-info" "/draft/initialization" "Both Clients and Agents SHOULD provide information about their implementation"
        "SCH002; of the client, its request has it";
    NotObservable Must "unique-session-id" "/draft/session-setup" "The Agent MUST respond with a unique Session ID"
        "which ids other clients were given is known to the agent alone";
    NotObservable Must "resume-supported" "/draft/session-setup" "MUST support `session/resume`"
        "a refusal may have another reason";
    NotObservable Must "resume-by-method" "/draft/session-setup" "To resume an existing session, Clients MUST call the `session/resume` method"
        "there is no other way to ask for it";
    NotObservable Must "no-replay-unasked" "/draft/session-setup" "the Agent MUST NOT replay the conversation history via `session/update` notifications before responding"
        "which update is a replay is known to the agent alone";
    NotObservable Must "replayed-when-asked" "/draft/session-setup" "the Agent MUST replay all retained conversation history"
        "what is retained is known to the agent alone";
    NotObservable Should "notices-not-replayed" "/draft/session-setup" "SHOULD NOT be replayed"
        "which update is a replay is known to the agent alone";
    By Must "replay-has-ids" "/draft/session-setup" "the Agent MUST include an opaque, unique `messageId` for each replayed message"
        "SCH001; that one id stands for one message is not in the messages";
    NotJudged Must "replay-cleared-first" "/draft/session-setup" "MUST first send the corresponding message update"
        "that member is in no fact that rules read";
    NotObservable Must "resume-answered-last" "/draft/session-setup" "MUST respond to the original `session/resume` request"
        "when all was replayed is known to the agent alone; that the request is answered is judged";
    Allows May "resume-with-options" "/draft/session-setup" "The response MAY also include initial session configuration state"
        "options in an answer";
    NotObservable Must "close-supported" "/draft/session-setup" "MUST support `session/close`"
        "a refusal may have another reason";
    NotObservable Must "close-by-method" "/draft/session-setup" "To close an active session, Clients MUST call the `session/close` method"
        "there is no other way to ask for it";
    NotObservable Must "close-cancels" "/draft/session-setup" "The Agent MUST cancel any ongoing work for that session"
        "the end of a turn shows in state updates, and work besides is inside the agent";
    Allows May "close-refused" "/draft/session-setup" "Agents MAY return an error if the session does not exist"
        "an error that answers session/close";
    NotObservable Must "cwd-used" "/draft/session-setup" "MUST be used for the session regardless of where the Agent subprocess was spawned"
        "what an agent does with it is inside the agent";
    NotObservable Must "cwd-is-base" "/draft/session-setup" "MUST remain the base for relative-path resolution"
        "what an agent does with it is inside the agent";
    NotObservable Must "cwd-in-roots" "/draft/session-setup" "MUST be part of the session's effective root set"
        "what an agent does with it is inside the agent";
    NotObservable Should "roots-are-boundary" "/draft/session-setup" "SHOULD serve as a boundary for tool operations on the file system"
        "what an agent does with it is inside the agent";
    Allows May "mcp-servers" "/draft/session-setup" "Clients MAY include connection details for MCP servers that the Agent should connect to"
        "MCP servers in the setup of a session";
    NotObservable Must "mcp-custom-type" "/draft/session-setup" "Custom implementation-specific transport types MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Should "mcp-all-connected" "/draft/session-setup" "Agents SHOULD connect to all MCP servers specified by the Client"
        "what an agent connects to is not in its messages";
    NotObservable Must "message-inserted" "/draft/prompt-lifecycle" "the Agent MUST report where the user message was inserted in session history"
        "until when is not said";
    NotObservable Must "accepted" "/draft/prompt-lifecycle" "the Agent MUST respond once it has accepted the prompt"
        "when that is, is known to the agent alone; that a prompt is answered is judged";
    NotObservable Must "running-told" "/draft/prompt-lifecycle" r#"the Agent MUST send a `state_update` notification with `state: "running"`"#
        "when work starts is known to the agent alone";
    Allows May "model-answers" "/draft/prompt-lifecycle" "MAY respond with text content, tool calls, or both"
        "work with either";
    By Must "message-id" "/draft/prompt-lifecycle" "The Agent MUST include an opaque `messageId` on message updates and message chunks"
        "SCH001; that an id is opaque is not in the messages";
    Allows May "usage" "/draft/prompt-lifecycle" "The Agent MAY also report current session context and cumulative cost state"
        "reports of usage";
    NotObservable Must "idle-told" "/draft/prompt-lifecycle" "it MUST report `idle` with a `state_update` notification"
        "when an agent is ready is known to it alone";
    Allows May "work-stopped" "/draft/prompt-lifecycle" "Agents MAY stop foreground work at any point"
        "any stop reason";
    NotObservable Must "stop-reason-fits" "/draft/prompt-lifecycle" "the Agent MUST include the corresponding `StopReason`"
        "whether a report ends work or repeats that there is none is known to the agent alone";
    Allows May "permission" "/draft/prompt-lifecycle" "the Agent MAY request permission from the Client"
        "permission requests";
    NotObservable Should "requires-action" "/draft/prompt-lifecycle" "the Agent SHOULD report `requires_action`"
        "what work is blocked on is known to the agent alone";
    NotObservable Should "running-again" "/draft/prompt-lifecycle" "the Agent SHOULD report `running`"
        "when work resumes is known to the agent alone";
    NotObservable Should "tool-in-progress" "/draft/prompt-lifecycle" "the Agent SHOULD invoke the tool and report a status update marking the tool as `in_progress`"
        "when a tool runs is known to the agent alone";
    Allows May "tool-updates" "/draft/prompt-lifecycle" "the Agent MAY send additional updates"
        "updates while a tool runs";
    NotObservable Must "custom-stop-reason" "/draft/prompt-lifecycle" "Custom stop reasons MUST begin with `_`"
        "an unknown name may be of a newer schema";
    Allows May "background" "/draft/prompt-lifecycle" "Background activity MAY continue and emit other `session/update` notifications"
        "updates while the agent is idle";
    Allows May "cancelled-any-time" "/draft/prompt-lifecycle" "Clients MAY cancel active session work at any time"
        "a session/cancel while there is work";
    Persons Should "calls-marked-cancelled" "/draft/prompt-lifecycle" "The Client SHOULD preemptively mark all non-finished tool calls"
        "what a person is shown is not in the messages";
    NotObservable Should "work-stops" "/draft/prompt-lifecycle" "it SHOULD stop all language model requests and all tool call invocations as soon as possible"
        "work inside the agent is not in the messages";
    NotObservable Must "cancel-is-no-error" "/draft/prompt-lifecycle" "Agents MUST catch these errors and report the semantically meaningful `cancelled` stop reason"
        "an error inside the agent is not in the messages; how the work ended is judged";
    Allows May "updates-after-cancel" "/draft/prompt-lifecycle" "The Agent MAY send `session/update` notifications with content or tool call updates"
        "updates between a cancel and the end of the work";
    NotObservable Should "late-updates-accepted" "/draft/prompt-lifecycle" "The Client SHOULD still accept tool call updates received after sending `session/cancel`"
        "what a client does with it is inside the client";
    NotObservable Must "nested-cancelled" "/draft/cancellation" "MUST cancel the corresponding request activity and all nested activities related to that request"
        "work inside the receiver is not in the messages";
    Allows May "pending-first" "/draft/cancellation" "MAY finish sending any pending notifications before responding"
        "notifications between a cancel and its answer";
    Allows May "graceful" "/draft/cancellation" "The calling side MAY implement graceful cancellation processing"
        "waiting for the answer to a cancelled request";
    Allows May "other-cancels" "/draft/cancellation" "Cancellation MAY also be done explicitly on a per-feature basis"
        "session/cancel and its kin";
    NotObservable Must "internal-cancel" "/draft/cancellation" "When internal cancellation occurs, the executing party MUST"
        "that a side has cancelled by itself is known to it alone";
    NotObservable Should "calls-reported" "/draft/tool-calls" "the Agent SHOULD report it to the Client with a `tool_call_update`"
        "that a model asked for a tool is known to the agent alone";
    NotJudged Should "title-reported" "/draft/tool-calls" "Agents SHOULD include the title the first time they report a `toolCallId`"
        "that member is in no fact that rules read";
    NotObservable Must "custom-kind" "/draft/tool-calls" "Custom tool kinds MUST begin with `_`"
        "an unknown name may be of a newer schema";
    Allows May "content-streamed" "/draft/tool-calls" "Agents MAY stream individual content items"
        "chunks of content";
    Allows May "permission-by-settings" "/draft/tool-calls" "Clients MAY automatically allow or reject permission requests according to the user settings"
        "permission requests that are answered at once";
    NotObservable Must "custom-option-kind" "/draft/tool-calls" "Custom kinds MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Must "custom-status" "/draft/tool-calls" "Custom status values MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Must "custom-login-type" "/draft/authentication" "Custom method types MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Should "logout-ends-work" "/draft/authentication" "SHOULD be prepared for active session operations to fail with authentication-related errors after logout"
        "what a client does with it is inside the client";
    NotObservable Must "custom-content" "/draft/content" "Custom content block types MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Must "text-in-prompts" "/draft/content" "All Agents MUST support text content blocks when included in prompts"
        "what an agent makes of a prompt is inside it";
    NotObservable Should "plan-reported" "/draft/agent-plan" "the Agent SHOULD report it to the Client with `plan_update`"
        "that a model has a plan is known to the agent alone";
    NotObservable Must "plans-tolerated" "/draft/agent-plan" "Clients using the draft unstable schema MUST tolerate these variants"
        "what a client does with it is inside the client";
    NotObservable Must "custom-plan" "/draft/agent-plan" "Custom plan content types MUST begin with `_`"
        "an unknown name may be of a newer schema";
    By Must "plan-id" "/draft/agent-plan" "MUST carry an `id`"
        "SCH001; plans of kinds that the schema does not have may carry anything";
    NotObservable Must "custom-priority" "/draft/agent-plan" "Custom priorities MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Must "custom-plan-status" "/draft/agent-plan" "Custom statuses MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Should "plan-updated" "/draft/agent-plan" "it SHOULD report updates by sending more `session/update` notifications"
        "how far an agent has come is known to it alone";
    NotObservable Must "plan-complete" "/draft/agent-plan" "the Agent MUST send a complete list of all plan entries in each update"
        "which entries there are is known to the agent alone";
    NotObservable Must "plan-replaced" "/draft/agent-plan" "The Client MUST replace the current contents of that plan completely"
        "what a client does with it is inside the client";
    Allows May "plan-changes" "/draft/agent-plan" "The Agent MAY add, remove, or modify plan entries"
        "plans that change";
    NotObservable Should "trace-context" "/draft/extensibility" "SHOULD be reserved for W3C trace context"
        "what a key means to its sender is not in the messages";
    NotObservable Must "no-custom-fields" "/draft/extensibility" "Implementations MUST NOT add any custom fields at the root of a type that's part of the specification"
        "a member that the schema does not have may be one of a newer schema";
    Allows May "custom-requests" "/draft/extensibility" "implementations MAY expose and call custom JSON-RPC requests as long as their name starts with an underscore"
        "methods that begin with an underscore; one without may be of a newer schema";
    NotObservable Must "custom-answered" "/draft/extensibility" "Upon receiving a custom request, implementations MUST respond accordingly"
        "what is according is known to the two sides alone; that a request is answered is judged";
    NotObservable Should "custom-advertised" "/draft/extensibility" "extensions SHOULD advertise their custom capabilities"
        "which capability a method needs is known to its makers alone";
    NotObservable Should "custom-ignored" "/draft/extensibility" "implementations SHOULD ignore unrecognized notifications"
        "what is ignored leaves no trace; a reply to a notification is judged";
    NotObservable Must "custom-values" "/draft/extensibility" "Extensions MUST NOT define custom non-underscore values"
        "an unknown name may be of a newer schema";
    NotObservable Must "unknown-values" "/draft/extensibility" "Implementations MUST NOT treat unknown non-underscore values as custom extensions"
        "what a side takes a value for is inside it";
    NotObservable Should "unknown-preserved" "/draft/extensibility" "implementations SHOULD preserve unknown values and any raw tagged-union payloads"
        "what is kept is inside the side that keeps it";
    Persons Should "unknown-displayed" "/draft/extensibility" "implementations SHOULD fall back to generic UI behavior that matches the field's purpose"
        "what a person is shown is not in the messages";
    NotObservable Should "custom-in-meta" "/draft/extensibility" "Implementations SHOULD use the `_meta` field in capability objects to advertise support for extensions"
        "which capability a method needs is known to its makers alone";
    Allows May "commands" "/draft/slash-commands" "the Agent MAY send a list of available commands"
        "lists of commands";
    NotObservable Must "custom-input" "/draft/slash-commands" "Custom input types MUST begin with `_`"
        "an unknown name may be of a newer schema";
    NotObservable Must "list-supported" "/draft/session-list" "MUST support `session/list`"
        "a refusal may have another reason";
    NotObservable Must "roots-unknown" "/draft/session-list" "Clients MUST NOT treat an omitted field as proof that the session has no additional roots"
        "what a client does with it is inside the client";
    NotObservable Must "roots-not-merged" "/draft/session-list" "Clients MUST NOT merge it with prior values"
        "what a client does with it is inside the client";
    By Must "sessions-listed" "/draft/session-list" "The Agent MUST respond with a list of sessions and optional pagination metadata"
        "SCH002; what stands in the list is left open";
    NotObservable Must "empty-list" "/draft/session-list" "the Agent MUST return an empty `sessions` array"
        "which sessions there are is known to the agent alone";
    NotObservable Must "last-page" "/draft/session-list" "Clients MUST treat a missing `nextCursor` as the end of results"
        "a client that asks no more shows nothing";
    NotObservable Should "bad-cursor" "/draft/session-list" "Agents SHOULD return an error if the cursor is invalid"
        "which cursor is valid is known to the agent alone";
    NotObservable Should "page-size" "/draft/session-list" "Agents SHOULD enforce reasonable page sizes internally"
        "what is reasonable is not said";
    NotObservable Must "no-meaning-in-meta" "/schema" "Implementations MUST NOT assign meaning to keys they do not recognize"
        "what a side assumes is inside it";
    NotObservable Should "permissions-cancelled" "/schema" "SHOULD cancel them with `$/cancel_request`"
        "which requests were of the cancelled work is known to the agent alone";
    NotJudged Must "terminal-login-advertised" "/schema" "Agents MUST advertise this method only when the client enabled its terminal authentication capability"
        "that member is in no fact that rules read";
    NotJudged Must "names-unique" "/schema" "Names MUST be unique"
        "a schema does not compare what stands in a list, and no fact that rules read holds the names";
    NotJudged Must "background-announced" "/schema" "The Agent MUST announce each item before the first snapshot that lists it"
        "that member is in no fact that rules read";
    NotObservable Should "late-answers-ignored" "/schema" "the Agent SHOULD ignore late answers rather than use them to resume the cancelled work"
        "what an agent does with it is inside the agent";
    NotObservable Must "abort-is-no-error" "/schema" "Agents MUST catch errors caused by aborting cancelled work"
        "an error inside the agent is not in the messages; how the work ended is judged";
    NotObservable Must "updates-before-idle" "/schema" "MUST send them before the idle `state_update` that reports cancellation"
        "which update is of the cancelled work is known to the agent alone";
    NotObservable Must "no-waiting-for-permission" "/schema" "The Agent MUST stop waiting for pending `session/request_permission` requests of the cancelled work"
        "what an agent does with it is inside the agent";
    NotObservable Must "login-supported" "/schema" "Agents MUST support this method when their `initialize` response included a non-empty `authMethods` list"
        "a refusal may have another reason";
    By Must "login-type" "/schema" "Clients MUST call this method only with a method whose type defines a protocol-driven login flow"
        "SES013/terminal; which types of their own agents mean for a request is known to them alone";
    NotObservable Must "inserted-is-no-error" "/schema" "Once it is inserted, the Agent MUST NOT answer with an error"
        "what was inserted is known to the agent alone";
    NotObservable Must "inserted-at-once" "/schema" "The Agent MUST return the inserted message's ID without waiting for processing to finish"
        "when it is inserted is known to the agent alone";
    NotObservable Must "close-stops-background" "/schema" "The Agent MUST cancel any ongoing work as if `session/cancel` was called, stop the session's background work"
        "work inside the agent is not in the messages";
    NotObservable Should "close-of-nothing" "/schema" "Closing a session that does not exist or is not active SHOULD succeed"
        "which sessions are active is known to the agent alone";
    NotObservable Must "close-before-insert" "/schema" "If closing prevents a prompt's user message from being inserted, the Agent MUST answer that request with `-32800`"
        "what was inserted is known to the agent alone";
    NotObservable Must "close-after-insert" "/schema" "If the message has already been inserted, the Agent MUST respond successfully with its `messageId`"
        "what was inserted is known to the agent alone";
    NotObservable Must "unknown-content-rejected" "/schema" "Agents MUST reject a `session/prompt` request with a content block type they do not support"
        "what an agent supports is known to it alone";
    NotObservable Must "unknown-transport-rejected" "/schema" "Agents MUST reject a request with a transport they do not support"
        "what an agent supports is known to it alone";
    Persons Should "text-as-markdown" "/schema" "Clients SHOULD render this text as CommonMark"
        "what a person is shown is not in the messages";
    NotObservable Should "elicitations-cancelled" "/schema" "Agents SHOULD cancel pending elicitations no longer needed by cancelled work"
        "what is still needed is known to the agent alone";
    Persons Must "unknown-elicitation" "/schema" "They MUST NOT render it as a known elicitation mode"
        "what a person is shown is not in the messages";
    NotObservable Must "unknown-elicitation-action" "/schema" "otherwise MUST handle it as `cancel`"
        "what an agent does with it is inside the agent";
    NotObservable Should "diff-has-patch" "/schema" "Agents SHOULD provide `patch` whenever feasible"
        "what is feasible is known to the agent alone";
    NotObservable Must "diff-without-patch" "/schema" "Clients MUST handle diffs where `patch` is omitted or `null`"
        "what a client does with it is inside the client";
    NotJudged Must "diff-consistent" "/schema" "MUST be consistent with `changes`"
        "that member is in no fact that rules read";
    NotJudged Must "diff-paths" "/schema" "every path MUST be absolute"
        "that member is in no fact that rules read";
    NotJudged Must "diff-no-envelope" "/schema" "Surrounding commit metadata and email envelopes MUST NOT be included"
        "that member is in no fact that rules read";
    NotJudged Must "icon-source" "/schema" "MUST be an `https:` or `data:` URI"
        "that member is in no fact that rules read";
    NotObservable Should "error-message-short" "/schema" "The message should be limited to a concise single sentence"
        "what is concise is no matter of messages";
    NotObservable Should "idle-with-reason" "/schema" "Agents SHOULD include a `stopReason` when the idle transition ends foreground work"
        "whether a report ends work or repeats that there is none is known to the agent alone";
    NotObservable Must "snapshots-not-counted" "/schema" "They MUST NOT be counted as new completions, cancellations, or additional usage"
        "what a client does with it is inside the client";
    NotJudged Must "background-included" "/schema" "An Agent that reports background work MUST include it on every state update for the session"
        "that member is in no fact that rules read";
    NotObservable Must "login-and-logout" "/schema" "Supplying one or more methods means the agent MUST support both `auth/login` and `auth/logout`"
        "a refusal may have another reason";
    NotObservable Must "version-checked" "/schema" "The client must check that it supports this version and should disconnect if it does not"
        "what a client supports is known to the client alone";
    NotObservable Must "state-not-overwritten" "/schema" "Clients MUST NOT overwrite an already-reported state when the response arrives"
        "what a client does with it is inside the client";
    By Must "commands-array" "/schema" "Senders MUST use an array, not `null`"
        "SCH001";
    NotObservable Must "notices-not-relied-on" "/schema" "Agents must not rely on a notice being received, displayed, or seen by the user"
        "what an agent does with it is inside the agent";
    NotObservable Must "plan-items-complete" "/schema" "the agent must send a complete list of all entries with their current status"
        "which entries there are is known to the agent alone";
    Persons Must "interface-adapted" "/schema" "The Client MUST adapt its interface according to `PromptCapabilities`"
        "what a person is shown is not in the messages";
    NotObservable Must "message-echoed" "/schema" "Agents must echo the message during the live session"
        "until when is not said";
    NotObservable Must "cursor-rejected" "/schema" "Agents MUST reject unsupported cursor types or malformed cursor values"
        "what an agent supports is known to it alone";
    NotObservable Must "unknown-outcome" "/schema" "Agents that do not understand this outcome MUST NOT treat it as approval"
        "what an agent does with it is inside the agent";
    NotObservable Must "other-option" "/schema" "the agent MUST treat the request as not approved"
        "what an agent does with it is inside the agent";
    NotObservable Must "running-after-action" "/schema" "agents MUST report `running` when progress resumes, or `idle` if the work ends without resuming"
        "when work resumes is known to the agent alone";
    NotObservable Must "resume-cwd" "/schema" "Clients MUST send the session's working directory"
        "which directory that is, may have been said on another connection";
    NotObservable Should "no-old-servers" "/schema" "Agents SHOULD NOT restore servers from earlier requests"
        "what an agent connects to is not in its messages";
    NotObservable Must "state-after-replay" "/schema" "The agent MUST send a current `state_update` after any requested history replay and before this response"
        "which update is a replay is known to the agent alone";
    NotObservable Must "category-unknown" "/schema" "Clients MUST handle missing or unknown categories gracefully"
        "what is not understood leaves no trace";
    NotObservable Must "category-not-needed" "/schema" "It MUST NOT be required for correctness"
        "what a side needs is inside it";
    NotJudged Must "current-value" "/schema" "MUST be one of the `value`s in `options`"
        "that member is in no fact that rules read";
    NotJudged Must "option-values" "/schema" "MUST contain at least one value, and each `value` MUST be unique within the option"
        "that member is in no fact that rules read";
    NotObservable Must "value-type-rejected" "/schema" "Agents MUST reject a `session/set_config_option` request with a value type they do not support"
        "what an agent supports is known to it alone";
    NotObservable Must "options-settable" "/schema" "Agents MUST support this method for any session where they advertise config options"
        "a refusal may have another reason";
    NotObservable Must "state-reported" "/schema" "the agent MUST report `running` when foreground work starts"
        "when work starts is known to the agent alone";
    Persons Must "unknown-state" "/schema" "Clients MUST NOT treat an unrecognized state as `idle`"
        "what a person is shown is not in the messages";
    NotObservable Must "standard-states" "/schema" "Agents MUST still report the standard states"
        "when a state holds is known to the agent alone";
    NotObservable Must "unknown-cancel-ignored" "/schema" "Receivers MUST ignore this notification for an unknown or already-answered request ID"
        "what is ignored leaves no trace; a second response is judged";
    NotObservable Stated "cancel-confirmed" "/schema" "The Agent confirms it with a `tool_call_update` to a final status"
        "until when is not said";
    NotObservable Stated "terminal-cancel-confirmed" "/schema" "The Agent confirms it with a `terminal_update` that sets `exitStatus`"
        "until when is not said";
    NotObservable Must "archive-cancels" "/draft/schema" "the Agent MUST cancel any ongoing work and free the session's resources as if `session/close` had been called"
        "work inside the agent is not in the messages; an archive while the agent reports work is judged as a close is";
    NotObservable Should "unarchive-first" "/draft/schema" "SHOULD unarchive it before calling `session/resume`"
        "whether a client wants to go on is known to it alone";
    NotObservable Must "status-no-effects" "/draft/schema" "`session/status` MUST NOT have side effects"
        "what an agent does with it is inside the agent";
    NotObservable Must "status-unknown" "/draft/schema" "Clients MUST treat a value they do not recognize as `saved`"
        "what a client does with it is inside the client";
    NotJudged Should "status-with-state" "/draft/schema" "Agents SHOULD include it when `status` is `open`"
        "that member is in no fact that rules read";
    NotObservable Must "status-not-idle" "/draft/schema" "Clients MUST NOT read that as `idle`"
        "what a client does with it is inside the client";
    NotObservable Should "title-kept" "/draft/schema" "the Agent SHOULD NOT replace the title with one it generates automatically"
        "who has made a title is known to the agent alone";
    Allows May "title-normalized" "/draft/schema" "The Agent MAY normalize the title before storing it"
        "another title in the answer";
    Persons Should "title-displayed" "/draft/schema" "Clients SHOULD display this value rather than the one they sent"
        "what a person is shown is not in the messages";
};
