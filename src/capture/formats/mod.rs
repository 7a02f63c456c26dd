//! The formats, one file each.

mod array;
mod bare;
mod cassette;
mod claude;
mod claude_mcp;
mod claude_server;
mod dap;
mod document;
pub(super) mod elements;
mod emacs_plist;
pub(super) mod exchange;
mod framed;
mod har;
mod http_text;
mod inspector;
mod lists;
pub(super) mod neovim;
mod otlp_spans;
mod pylsp;
mod python_sdk;
pub(super) mod rec;
mod sacp_trace;
mod sessions;
pub(super) mod sqlite;
mod strace;
mod sublime;
mod supergateway;
mod trace;
mod vectors;
mod vim_lsp;
pub(super) mod wrapped;
mod zed_acp;

use super::format::Format;

/// What is read where nothing else is known.
pub(super) static BARE: &dyn Format = &bare::Bare;

/// Messages in wrappers with a layout of their own.
pub(super) static WRAPPED: &dyn Format = &wrapped::Wrapped;

/// Every format with a reader of its own, in the order in which they are listed.
pub(super) static OWN: &[&dyn Format] = &[
    &rec::Rec,
    &vectors::Vectors,
    &wrapped::Wrapped,
    &bare::Bare,
    &array::Array,
    &framed::Framed,
    &claude_mcp::ClaudeMcp,
    &claude_server::ClaudeServer,
    &neovim::Neovim,
    &emacs_plist::EmacsPlist,
    &pylsp::Pylsp,
    &sublime::Sublime,
    &vim_lsp::VimLsp,
    &python_sdk::PythonSdk,
    &supergateway::Supergateway,
    &super::learned::TextLog,
    &trace::VSCODE,
    &trace::VSCODE_CHANNEL,
    &trace::LSP4J,
    &trace::LSP4IJ,
    &trace::GOPLS,
    &trace::LSP_MODE,
    &har::Har,
    &otlp_spans::OtlpSpans,
    &exchange::Records,
    &exchange::Halves,
    &http_text::HttpText,
    &zed_acp::ZedAcp,
    &sacp_trace::SacpTrace,
    &dap::Dap,
    &cassette::Cassette,
    &inspector::Inspector,
    &sqlite::LSP_DEVTOOLS,
    &sqlite::MCP_DEBUGGER,
    &strace::Strace,
];
