//! Lists that come in pages: what a page says of who may keep it, and what the first one said (MCP 2026-07-28).

use std::hash::Hasher;

use super::event::What;
use super::seen::Seen;
use super::state::{Conn, Incoming, Step};
use crate::jsonrpc::Id;
use crate::protocol::{Facts, Side};

/// How many pages are remembered for a connection; of more nothing is said.
const REMEMBERED: usize = 16_384;

/// The scope of the pages before, and where it was said first; `None` where lists with the same cursor had different ones.
pub(super) type Scope = Option<(u64, Seen)>;

impl Conn {
    /// The scope of the pages before the one that a request asks for.
    pub(super) fn scope_before(&self, m: &Incoming<'_>) -> Scope {
        let cursor = m.facts.cursor().filter(|_| m.sender == Side::Client)?;
        *self.pages.get(&hash(&[m.message.method(), &Facts::text(Some(cursor))?]))?
    }

    /// A page: is it of the scope of those before it?
    pub(super) fn page_given(&mut self, step: &mut Step<'_>, m: &Incoming<'_>, issuer: Side, id: &Id) {
        let told = m.facts.cache_scope().filter(|raw| raw.starts_with('"') && !m.facts.taken_out);
        let Some(text) = told else { return };
        let Some(slot) = self.slot(issuer, id) else { return };
        let (scope, before) = (hash(&[text]), slot.scope);
        if let Some((_, first)) = before.filter(|(before, _)| *before != scope) {
            let what = What::Rescoped { exchange: &slot.exchange, first };
            self.emit(step, m.profile, m.seen, Some(m.sender), what);
            return;
        }
        let Some(next) = Facts::text(m.facts.next_cursor()) else { return };
        let key = hash(&[&slot.exchange.method, &next]);
        if self.pages.len() < REMEMBERED {
            let own = Some(before.unwrap_or((scope, m.seen)));
            let known = self.pages.entry(key).or_insert(own);
            if known.is_some_and(|(known, _)| known != scope) {
                *known = None;
            }
        }
    }
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}
