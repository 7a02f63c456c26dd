//! Rules about text documents (LSP).

pub mod document_not_open;
pub mod document_opened_twice;
pub mod unchanged_without_result_id;
pub mod version_not_increasing;
