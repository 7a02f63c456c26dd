//! The formats, one file each.

mod array;
mod bare;
mod claude;
mod claude_mcp;
mod claude_server;
mod framed;
pub(super) mod rec;
mod vectors;
mod wrapped;

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
];
