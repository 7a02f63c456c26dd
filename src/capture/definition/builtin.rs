//! The definitions that come with the program.

use super::Defined;
use crate::capture::format::Format;

macro_rules! built_in {
    ($($name:literal),+ $(,)?) => {
        /// Every definition that comes with the program.
        pub(crate) static BUILT_IN: &[&dyn Format] =
            &[$({
                static DEFINED: Defined = Defined::new($name, include_str!(concat!("../definitions/", $name, ".toml")));
                &DEFINED
            }),+];
        #[cfg(test)]
        pub(super) static TEXTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../definitions/", $name, ".toml")))),+];
    };
}

built_in!(
    "vscode-lsp-json",
    "helix-log",
    "clangd-verbose",
    "clangd-info",
    "emacs-jsonrpc-json",
    "emacs-lsp-bridge",
    "lsp-mode-print-io",
    "zed-lsp-log",
    "lsp4e-log",
    "kakoune-lsp",
    "rust-lsp-server",
    "vscode-mcp-output",
    "mcp-remote",
    "mcp-go-sdk-loggingtransport",
    "mcp-csharp-sdk-trace",
    "rmcp-tracing",
    "sublime-lsp-console",
    "mcp-proxy-debug",
    "mcp-use-debug",
    "mcpsnoop-jsonl",
    "chromedriver-verbose",
    "gh-aw-mcpg",
    "mcpspy",
    "gatekit",
    "dshackle-access",
    "erpc",
    "erpc-upstream",
    "geth",
    "contextforge-requests",
    "pygls",
    "sourcegraph-jsonrpc2",
    "terraform-ls",
    "toolhive-audit",
    "obot-audit",
    "kong-log",
    "apisix-log",
    "envoy-tap",
    "aws-agentcore-cloudtrail",
);
