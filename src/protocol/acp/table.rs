//! What the pages of ACP 1 on initialization and tool calls say and no rule judges, each sentence with the reason.
//!
//! Sentences that rules rest on stand in `clauses`.

use crate::protocol::Remark;
use crate::protocol::tables::table;

/// ACP 1.
pub static V1: &[Remark] = table! { "acp-1/", "https://agentclientprotocol.com/protocol/v1";
    NotObservable Should "client-info" "/initialization" "They SHOULD also provide a name and version to the Agent"
        "payloads of requests are judged with a schema only";
    NotObservable Must "agent-tells-itself" "/initialization" "The Agent MUST respond with the chosen protocol version and the capabilities it supports"
        "payloads of results are judged with a schema only";
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
        "payloads of requests are judged with a schema only";
    NotObservable Should "agent-capabilities" "/initialization" "The Agent SHOULD specify whether it supports the following capabilities"
        "payloads of results are judged with a schema only";
    NotObservable Must "text-and-links" "/initialization" "all Agents MUST support `ContentBlock::Text` and `ContentBlock::ResourceLink` in `session/prompt` requests"
        "what an agent makes of a prompt is inside it";
    NotObservable Must "baseline" "/initialization" "all Agents MUST support `session/new`, `session/prompt`, `session/cancel`, and `session/update`"
        "a refusal may have another reason, and what is not asked for shows nothing";
    Allows May "more-methods" "/initialization" "they MAY support other session methods and notifications by specifying additional capabilities"
        "methods that were declared";
    NotObservable Should "implementation-info" "/initialization" "Both Clients and Agents SHOULD provide information about their implementation"
        "payloads of the handshake are judged with a schema only";
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
};
