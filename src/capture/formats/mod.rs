//! The formats, one file each.

mod array;
mod bare;
mod cassette;
mod claude;
mod claude_mcp;
mod claude_server;
mod document;
mod framed;
mod har;
mod inspector;
pub(super) mod lsp_devtools;
pub(super) mod rec;
mod strace;
mod trace;
mod vectors;
mod wrapped;
mod zed_acp;

use super::format::Format;

/// Every format, in the order in which they are listed.
pub(crate) static FORMATS: &[&dyn Format] = &[
    &rec::Rec,
    &vectors::Vectors,
    &wrapped::Wrapped,
    &bare::Bare,
    &array::Array,
    &framed::Framed,
    &claude_mcp::ClaudeMcp,
    &claude_server::ClaudeServer,
    &trace::VSCODE,
    &trace::VSCODE_CHANNEL,
    &trace::LSP4J,
    &trace::LSP4IJ,
    &trace::GOPLS,
    &trace::LSP_MODE,
    &har::Har,
    &zed_acp::ZedAcp,
    &cassette::Cassette,
    &inspector::Inspector,
    &lsp_devtools::LspDevtools,
    &strace::Strace,
];
