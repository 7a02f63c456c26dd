//! Notifications about text documents (LSP). All of them have one sender, so that their order is known.

use super::event::What;
use super::state::{Conn, Incoming, Step};
use crate::protocol::{Facts, Side};

impl Conn {
    /// A notification about a document.
    pub(super) fn document(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, method: &str) {
        if method.starts_with("notebookDocument/") {
            self.documents.notebooks = true;
        }
        let known = matches!(method, "textDocument/didOpen" | "textDocument/didChange" | "textDocument/didClose");
        // After a second handshake the log tells of several servers, and documents are opened for each.
        let life = &self.facts.lifecycle;
        let one_server = life.first_initialize == life.initialize;
        let Some(address) = m.facts.document().filter(|raw| raw.starts_with('"') && known && one_server) else {
            return;
        };
        if m.sender != Side::Client || self.documents.is_full() {
            return;
        }
        let fault = self.documents.take(m.seen, method, address, m.facts.document_version());
        if let Some(fault) = fault {
            let address = Facts::text(Some(address)).unwrap_or_default();
            let what = What::Document { address: &address, fault };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
        }
    }
}
