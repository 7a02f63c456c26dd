//! Rules about text documents (LSP).

pub mod document_not_open;
pub mod document_opened_twice;
pub mod version_not_increasing;
