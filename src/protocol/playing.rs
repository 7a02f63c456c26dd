//! What replay must know of a protocol: what is harmless to send, what flows from an answer into a later request,
//! and what to answer to a request that nobody expected. Data only.

use super::{Family, Profile};

/// What sending a request can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Part of opening or ending a session: always sent.
    Handshake,
    /// Only reads, or changes nothing but the session itself.
    ReadOnly,
    /// Depends on the tool: its `readOnlyHint` decides.
    Hinted,
    /// May change the world.
    Unknown,
}

/// With which requests a value goes back, where several answers gave the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// With any: that of the last answer counts.
    Any,
    /// With requests of the method whose answer gave it, and no others.
    SameMethod,
    /// With the same request sent again: method, name and arguments; each answer is followed by one.
    SameRequest,
}

/// A value that a protocol lets flow from one message into a later one of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Methods of the requests that it belongs to; empty for any.
    pub from: &'static [&'static str],
    /// Where it stands: in the answer of a request of the client, in the request itself for one of the server. `*` is any member.
    pub from_at: &'static str,
    /// Member beside it that tells which member of a list is meant, if it stands in a list.
    pub key: Option<&'static str>,
    /// Methods of the messages that use it; empty for any.
    pub to: &'static [&'static str],
    /// Where they do.
    pub to_at: &'static str,
    /// With which of these requests it goes back.
    pub back: Back,
    /// True if it is nobody's business but the server's: passed on byte for byte, never shown.
    pub opaque: bool,
}

/// The answer to a request of the server that the recording does not have. Nothing is ever done on its behalf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultAnswer {
    /// This result.
    Result(&'static str),
    /// What the recorded client answered to the method, or this.
    Recorded(&'static str),
    /// One `null` for each of `params.items`.
    Nulls,
    /// This error.
    Error(i64, &'static str),
}

/// An answer that picks one of the options of its request by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where the answer names the option.
    pub at: &'static str,
    /// Where the request lists them.
    pub options: &'static str,
    /// The member of an option that is its id.
    pub id: &'static str,
    /// The member that says what it means.
    pub kind: &'static str,
    /// The answer when the turn has been cancelled.
    pub cancelled: &'static str,
}

/// A flow whose value may be shown and stands in one place.
const PLAIN: Flow = Flow { from: &[], from_at: "", key: None, to: &[], to_at: "", back: Back::Any, opaque: false };
/// `data` of a member of a list: the server's own by the protocol's words.
const DATA: Flow = Flow { from_at: "/result/*/data", to_at: "/params/data", opaque: true, ..PLAIN };

const TASKS: &[&str] = &["tasks/cancel", "tasks/get", "tasks/result", "tasks/update"];
const READS: &[&str] = &["resources/read", "resources/subscribe", "resources/unsubscribe"];

static MCP_FLOWS: &[Flow] = &[
    Flow { from_at: "/result/nextCursor", to_at: "/params/cursor", back: Back::SameMethod, ..PLAIN },
    Flow {
        from_at: "/result/requestState",
        to_at: "/params/requestState",
        back: Back::SameRequest,
        opaque: true,
        ..PLAIN
    },
    Flow { from_at: "/result/task/taskId", to: TASKS, to_at: "/params/taskId", ..PLAIN },
    Flow { from_at: "/result/taskId", to: TASKS, to_at: "/params/taskId", ..PLAIN },
    Flow {
        from_at: "/params/_meta/progressToken",
        to: &["notifications/progress"],
        to_at: "/params/progressToken",
        ..PLAIN
    },
    Flow {
        from: &["resources/list"],
        from_at: "/result/resources/*/uri",
        key: Some("name"),
        to: READS,
        to_at: "/params/uri",
        ..PLAIN
    },
    Flow { from: &["resources/read"], from_at: "/result/contents/*/uri", to: READS, to_at: "/params/uri", ..PLAIN },
    Flow {
        from: &["tools/call"],
        from_at: "/result/content/*/uri",
        key: Some("name"),
        to: READS,
        to_at: "/params/uri",
        ..PLAIN
    },
    Flow { from: &["tools/call"], from_at: "/result/content/*/resource/uri", to: READS, to_at: "/params/uri", ..PLAIN },
];

static ACP_FLOWS: &[Flow] = &[Flow { from_at: "/result/sessionId", to_at: "/params/sessionId", ..PLAIN }];

static LSP_FLOWS: &[Flow] = &[
    Flow {
        from: &["window/workDoneProgress/create"],
        from_at: "/params/token",
        to: &["window/workDoneProgress/cancel"],
        to_at: "/params/token",
        ..PLAIN
    },
    Flow {
        from: &["textDocument/completion"],
        from_at: "/result/items/*/data",
        key: Some("label"),
        to: &["completionItem/resolve"],
        ..DATA
    },
    Flow { from: &["textDocument/completion"], key: Some("label"), to: &["completionItem/resolve"], ..DATA },
    Flow { from: &["textDocument/codeAction"], key: Some("title"), to: &["codeAction/resolve"], ..DATA },
    Flow { from: &["textDocument/codeLens"], to: &["codeLens/resolve"], ..DATA },
    Flow { from: &["textDocument/documentLink"], to: &["documentLink/resolve"], ..DATA },
    Flow { from: &["textDocument/inlayHint"], to: &["inlayHint/resolve"], ..DATA },
    Flow { from: &["workspace/symbol"], key: Some("name"), to: &["workspaceSymbol/resolve"], ..DATA },
];

/// Requests of LSP that a server may act upon in the world.
const LSP_ACTS: &[&str] = &["workspace/executeCommand"];
/// Requests of MCP that change nothing but the session or a task whose start was allowed.
const MCP_SESSION: &[&str] = &[
    "completion/complete",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/result",
    "tasks/update",
];

impl Profile {
    /// A request that changes nothing and is answered at once, as JSON members: whatever a peer says after its answer, it says
    /// after it has read what stood before this request. Where the protocol has none, one that must be refused with -32601.
    pub fn witness(&self) -> String {
        match self.family {
            Family::Mcp if self.revision_per_request => {
                let (revision, meta) = (self.revision, "io.modelcontextprotocol");
                format!(
                    r#""method":"server/discover","params":{{"_meta":{{"{meta}/protocolVersion":"{revision}","{meta}/clientInfo":{{"name":"rpctape","version":"0"}},"{meta}/clientCapabilities":{{}}}}}}"#
                )
            }
            Family::Mcp => r#""method":"ping""#.to_string(),
            Family::Acp | Family::Lsp | Family::Dap | Family::Jsonrpc => r#""method":"$/rpctape/witness""#.to_string(),
        }
    }

    /// True if each message on a byte stream has a header with its length before it (LSP); else a message is a line.
    pub fn framed_by_length(&self) -> bool {
        self.family == Family::Lsp
    }

    /// What sending a request of the client can do.
    pub fn access(&self, method: &str) -> Access {
        let opening = &self.opening;
        if [opening.initialize, opening.initialized, opening.shutdown, opening.exit].contains(&Some(method)) {
            return Access::Handshake;
        }
        let known = self.method(method).is_some();
        let ends = |tails: &[&str]| tails.iter().any(|tail| method.ends_with(tail));
        let read_only = match self.family {
            Family::Mcp => match method {
                "server/discover" => return Access::Handshake,
                "tools/call" => return Access::Hinted,
                _ => MCP_SESSION.contains(&method) || ends(&["/list", "/read", "/get"]),
            },
            Family::Acp => match method {
                "authenticate" | "auth/login" => return Access::Handshake,
                _ => method.starts_with("session/") || known && ends(&["/list", "/list_api", "nes/suggest"]),
            },
            Family::Lsp => known && !LSP_ACTS.contains(&method),
            Family::Dap | Family::Jsonrpc => false,
        };
        if read_only { Access::ReadOnly } else { Access::Unknown }
    }

    /// True for a message after which the server owes nothing any more: whatever is due must have come before it.
    pub fn ends_session(&self, method: &str) -> bool {
        [self.opening.shutdown, self.opening.exit].contains(&Some(method))
    }

    /// The values that flow from a message of the server into a later one of the client.
    pub fn flows(&self) -> &'static [Flow] {
        match self.family {
            Family::Mcp => MCP_FLOWS,
            Family::Acp => ACP_FLOWS,
            Family::Lsp => LSP_FLOWS,
            Family::Dap | Family::Jsonrpc => &[],
        }
    }

    /// Where the opening request states the client's process id: a server may exit when it is not alive.
    pub fn process_id(&self) -> Option<&'static str> {
        (self.family == Family::Lsp).then_some("/params/processId")
    }

    /// Where a request states the revision it asks for.
    pub fn asked_revision(&self, method: &str) -> Option<&'static str> {
        match self.family {
            Family::Mcp if self.revision_per_request => Some("/params/_meta/io.modelcontextprotocol~1protocolVersion"),
            Family::Mcp | Family::Acp => (self.opening.initialize == Some(method)).then_some("/params/protocolVersion"),
            Family::Lsp | Family::Dap | Family::Jsonrpc => None,
        }
    }

    /// The answer to a request of the server that the recording does not have.
    pub fn default_answer(&self, method: &str) -> DefaultAnswer {
        let declined = DefaultAnswer::Error(-1, "declined by replay");
        let refused = DefaultAnswer::Error(-32603, "not done: this is a replay");
        match (self.family, method) {
            (Family::Mcp, "ping") => DefaultAnswer::Result("{}"),
            (Family::Mcp, "roots/list") => DefaultAnswer::Recorded(r#"{"roots":[]}"#),
            (Family::Mcp, "sampling/createMessage") => declined,
            (Family::Mcp | Family::Acp, "elicitation/create") => DefaultAnswer::Result(r#"{"action":"decline"}"#),
            (Family::Acp, "session/request_permission") => {
                DefaultAnswer::Result(r#"{"outcome":{"outcome":"cancelled"}}"#)
            }
            (Family::Acp, name) if name.starts_with("fs/") || name.starts_with("terminal/") => refused,
            (Family::Lsp, "workspace/applyEdit") => DefaultAnswer::Result(r#"{"applied":false}"#),
            (Family::Lsp, "workspace/configuration") => DefaultAnswer::Nulls,
            (
                Family::Lsp,
                "client/registerCapability"
                | "client/unregisterCapability"
                | "window/workDoneProgress/create"
                | "window/showMessageRequest",
            ) => DefaultAnswer::Result("null"),
            _ => DefaultAnswer::Error(-32601, "method not found"),
        }
    }

    /// The choice that an answer to this request of the server makes.
    pub fn choice(&self, method: &str) -> Option<Choice> {
        (self.turns && method == "session/request_permission").then_some(Choice {
            at: "/result/outcome/optionId",
            options: "/params/options",
            id: "optionId",
            kind: "kind",
            cancelled: r#"{"outcome":{"outcome":"cancelled"}}"#,
        })
    }

    /// Why this error to the opening request of a recording that worked ends a replay: often the two are of different eras.
    pub fn other_era(&self, method: &str, code: Option<i64>) -> Option<&'static str> {
        match (self.family, method) {
            (Family::Mcp, "initialize") if code == Some(-32601) => {
                Some("recording is initialize-based, server is stateless")
            }
            (Family::Mcp, "initialize") => Some("the server refuses the handshake"),
            (Family::Mcp, "server/discover") if code == Some(-32601) => {
                Some("recording is stateless, server is initialize-based")
            }
            _ => None,
        }
    }

    /// Where requests ask for what the client must supply with the retry (MCP 2026-07-28): asked at, answered at, state at.
    pub fn inputs(&self) -> Option<(&'static str, &'static str, &'static str)> {
        (self.family == Family::Mcp && self.revision_per_request).then_some((
            "/result/inputRequests",
            "/params/inputResponses",
            "/params/requestState",
        ))
    }

    /// The request whose answer lists the tools, and where it lists them.
    pub fn tools(&self) -> Option<(&'static str, &'static str)> {
        (self.family == Family::Mcp).then_some(("tools/list", "/result/tools"))
    }

    /// True if a task with this status has ended.
    pub fn task_ended(&self, status: &str) -> bool {
        self.tasks && matches!(status, "completed" | "failed" | "cancelled")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{by_name, profiles};

    #[test]
    fn a_handshake_is_always_sent_and_a_tool_never_by_its_method_alone() {
        for profile in profiles() {
            for method in [profile.opening.initialize, profile.opening.shutdown].into_iter().flatten() {
                assert_eq!(profile.access(method), Access::Handshake, "{}", profile.label());
            }
            assert_ne!(profile.access("tools/call"), Access::ReadOnly, "{}", profile.label());
        }
    }

    #[test]
    fn what_is_not_known_may_change_the_world() {
        let lsp = by_name("lsp", None).expect("a profile");
        assert_eq!(lsp.access("textDocument/hover"), Access::ReadOnly);
        assert_eq!(lsp.access("workspace/executeCommand"), Access::Unknown);
        assert_eq!(lsp.access("rust-analyzer/ssr"), Access::Unknown);
        assert_eq!(Profile::plain().access("list"), Access::Unknown);
    }

    #[test]
    fn flows_are_pointers_into_messages() {
        for flow in profiles().flat_map(Profile::flows) {
            assert!(flow.from_at.starts_with("/result/") || flow.from_at.starts_with("/params/"), "{flow:?}");
            assert!(flow.to_at.starts_with("/params/"), "{flow:?}");
        }
    }
}
