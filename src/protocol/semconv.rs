//! Names of the OpenTelemetry semantic conventions, by protocol. Those for MCP are in status *Development*; these are of 2026.
//! For LSP, ACP and plain JSON-RPC there are none of their own: the ones for RPC hold.

use super::Profile;

/// What attributes of a span are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convention {
    /// The method.
    pub method: &'static str,
    /// The revision of the protocol, where there is a name for it.
    pub revision: Option<&'static str>,
    /// Attributes that hold for every span.
    pub always: &'static [(&'static str, &'static str)],
    /// What the name in a request (of a tool, a prompt) is called, by method.
    named: &'static [(&'static str, &'static str)],
    /// What is done, by method.
    operations: &'static [(&'static str, &'static str)],
}

impl Convention {
    /// What the name in a request of this method is called.
    pub fn named(&self, method: &str) -> Option<&'static str> {
        find(self.named, method)
    }

    /// What a request of this method does, for `gen_ai.operation.name`.
    pub fn operation(&self, method: &str) -> Option<&'static str> {
        find(self.operations, method)
    }
}

fn find(table: &'static [(&'static str, &'static str)], method: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == method).map(|(_, name)| *name)
}

static MCP: Convention = Convention {
    method: "mcp.method.name",
    revision: Some("mcp.protocol.version"),
    always: &[],
    named: &[
        ("tools/call", "gen_ai.tool.name"),
        ("prompts/get", "gen_ai.prompt.name"),
        ("resources/read", "mcp.resource.uri"),
    ],
    operations: &[("tools/call", "execute_tool")],
};

static RPC: Convention = Convention {
    method: "rpc.method",
    revision: None,
    always: &[("rpc.system.name", "jsonrpc")],
    named: &[],
    operations: &[],
};

impl Profile {
    /// What attributes of a span of this protocol are called.
    pub fn convention(&self) -> &'static Convention {
        if self.name == "mcp" { &MCP } else { &RPC }
    }
}
