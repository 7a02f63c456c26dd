//! Text documents that a client opens, changes and closes (LSP). All of it has one sender, so that its order is known.

use std::hash::Hasher;

use rustc_hash::FxHashMap;

use super::rare::Empty;
use crate::session::detail::DocumentFault;
use crate::session::seen::Seen;

/// How many documents are remembered for a connection; one with more is not judged any further.
const REMEMBERED: usize = 65_536;

/// A document as the client told of it last.
struct Document {
    open: bool,
    seen: Seen,
    version: Option<(i64, Seen)>,
}

/// What was done to an address in any of its spellings.
struct Spellings {
    /// The last opening.
    opened: Seen,
    /// The last close of a spelling that was not open: what it closes was opened in another one, if anything.
    closed: Option<Seen>,
}

/// The documents of a connection, by a hash of their address.
pub(in crate::session) struct Documents {
    known: FxHashMap<u64, Document>,
    /// Addresses that were ever opened, without regard to how they are spelled.
    folded: FxHashMap<u64, Spellings>,
    /// Notebooks open the documents of their cells in other words.
    pub(in crate::session) notebooks: bool,
}

impl Empty for Documents {
    const NEW: Self = Documents { known: Empty::NEW, folded: Empty::NEW, notebooks: false };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Documents {
    /// True if no more are remembered.
    pub(in crate::session) fn is_full(&self) -> bool {
        self.known.len() >= REMEMBERED
    }

    /// What is wrong with a notification, and what the document is from here on.
    pub(in crate::session) fn take(
        &mut self,
        seen: Seen,
        method: &str,
        address: &str,
        version: Option<&str>,
    ) -> Option<DocumentFault> {
        let version = version.and_then(|raw| raw.parse::<i64>().ok()).map(|version| (version, seen));
        let spellings = self.folded.get(&fold(address));
        // A log in which nothing is ever opened leaves openings out.
        let shows_openings = !self.folded.is_empty() && !self.notebooks;
        let before = self.known.get(&hash(address.bytes()));
        let was_open = before.is_some_and(|document| document.open);
        // What was opened since something was told of this spelling, and not in it.
        let opened_since = |told: Seen| spellings.is_some_and(|other| other.opened.frame > told.frame);
        let closed_since =
            |told: Seen| spellings.and_then(|other| other.closed).filter(|closed| closed.frame > told.frame);
        let fault = match method {
            "textDocument/didOpen" => before
                .filter(|_| was_open)
                .map(|document| DocumentFault::Opened { before: document.seen, closed: closed_since(document.seen) }),
            _ if !was_open => match before {
                Some(document) if opened_since(document.seen) => None,
                None if !shows_openings || spellings.is_some() => None,
                _ => {
                    let closed = before.map(|document| document.seen);
                    Some(DocumentFault::NotOpen { closed, changes: method == "textDocument/didChange" })
                }
            },
            "textDocument/didChange" => match (before.and_then(|document| document.version), version) {
                (Some((was, before)), Some((now, _))) if now <= was && !opened_since(before) => {
                    Some(DocumentFault::Version { before, was, now })
                }
                _ => None,
            },
            _ => None,
        };
        let reopened = matches!(fault, Some(DocumentFault::Opened { closed: Some(_), .. }));
        let open = match method {
            "textDocument/didOpen" => true,
            "textDocument/didClose" => false,
            _ => was_open,
        };
        let told = seen;
        // A change neither opens nor closes.
        let stays = open && was_open && !reopened || !open && !was_open && method != "textDocument/didClose";
        let seen = before.filter(|_| stays).map_or(seen, |document| document.seen);
        if open || before.is_some() {
            self.known.insert(hash(address.bytes()), Document { open, seen, version });
        }
        self.note_spelling(told, method, address, was_open);
        fault
    }

    /// Takes down an opening, and a close of what was not open in this spelling.
    fn note_spelling(&mut self, seen: Seen, method: &str, address: &str, was_open: bool) {
        match method {
            "textDocument/didOpen" => {
                let first = Spellings { opened: seen, closed: None };
                self.folded.entry(fold(address)).or_insert(first).opened = seen;
            }
            "textDocument/didClose" if !was_open => {
                if let Some(spellings) = self.folded.get_mut(&fold(address)) {
                    spellings.closed = Some(seen);
                }
            }
            _ => {}
        }
    }
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    bytes.for_each(|byte| hasher.write_u8(byte));
    hasher.finish()
}

/// The letters and digits of an address alone: two spellings of one place differ in escapes and in the case of a drive.
fn fold(address: &str) -> u64 {
    let mut rest = address.bytes();
    let mut kept = Vec::with_capacity(address.len());
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => drop((rest.next(), rest.next())),
            byte if byte.is_ascii_alphanumeric() => kept.push(byte.to_ascii_lowercase()),
            _ => {}
        }
    }
    hash(kept.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(frame: u64) -> Seen {
        Seen { frame, at_us: None }
    }

    #[test]
    fn a_document_is_open_from_its_opening_to_its_close() {
        let mut documents = Documents::NEW;
        let mut take = |frame, method, address, version| documents.take(seen(frame), method, address, version);
        assert_eq!(take(1, "textDocument/didOpen", "\"file:///a\"", Some("1")), None);
        assert_eq!(take(2, "textDocument/didChange", "\"file:///a\"", Some("2")), None);
        let same = DocumentFault::Version { before: seen(2), was: 2, now: 2 };
        assert_eq!(take(3, "textDocument/didChange", "\"file:///a\"", Some("2")), Some(same));
        assert_eq!(
            take(4, "textDocument/didOpen", "\"file:///a\"", Some("1")),
            Some(DocumentFault::Opened { before: seen(1), closed: None })
        );
        assert_eq!(take(5, "textDocument/didClose", "\"file:///a\"", None), None);
        let closed = DocumentFault::NotOpen { closed: Some(seen(5)), changes: false };
        assert_eq!(take(6, "textDocument/didClose", "\"file:///a\"", None), Some(closed));
        assert_eq!(take(7, "textDocument/didOpen", "\"file:///c%3A/b\"", Some("1")), None);
        assert_eq!(take(8, "textDocument/didChange", "\"file:///C:/b\"", Some("2")), None, "another spelling");
        let never = DocumentFault::NotOpen { closed: None, changes: true };
        assert_eq!(take(9, "textDocument/didChange", "\"file:///d\"", Some("2")), Some(never));
    }

    #[test]
    fn what_another_spelling_may_have_closed_or_opened_is_not_proven() {
        let mut documents = Documents::NEW;
        let mut take = |frame, method, address, version| documents.take(seen(frame), method, address, version);
        let (escaped, plain) = ("\"file:///c%3A/b\"", "\"file:///c:/b\"");
        assert_eq!(take(1, "textDocument/didOpen", escaped, Some("9")), None);
        assert_eq!(take(2, "textDocument/didClose", plain, None), None);
        let opened = |before, closed: Option<u64>| {
            Some(DocumentFault::Opened { before: seen(before), closed: closed.map(seen) })
        };
        assert_eq!(take(3, "textDocument/didOpen", escaped, Some("1")), opened(1, Some(2)));
        assert_eq!(take(4, "textDocument/didOpen", escaped, Some("1")), opened(3, None), "not closed since");
        assert_eq!(take(5, "textDocument/didClose", escaped, None), None);
        assert_eq!(take(6, "textDocument/didOpen", plain, Some("1")), None);
        assert_eq!(take(7, "textDocument/didChange", escaped, Some("2")), None, "opened in another spelling");
        assert_eq!(take(8, "textDocument/didClose", escaped, None), None);
        let closed = DocumentFault::NotOpen { closed: Some(seen(8)), changes: true };
        assert_eq!(take(9, "textDocument/didChange", escaped, Some("3")), Some(closed), "not opened since");
    }
}
