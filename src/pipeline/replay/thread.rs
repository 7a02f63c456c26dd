//! Which request a message without its id belongs to: by progress token, by prompt turn, by an id answered before.

use std::collections::HashMap;

use crate::jsonrpc::{Id, Parsed, parse_at};
use crate::protocol::{self, Facts, Profile, Role, Side};
use crate::store::RecordedRow;

/// What the requests of a connection gave out so far. Numbers are places of exchanges.
#[derive(Default)]
pub(super) struct Threads {
    ids: HashMap<(Side, String), usize>,
    tokens: HashMap<(Side, Id), usize>,
    turns: HashMap<String, Turn>,
}

/// The prompts of one session.
#[derive(Default)]
struct Turn {
    open: Vec<usize>,
    last: Option<usize>,
}

impl Threads {
    /// A request was sent.
    pub(super) fn asked(&mut self, profile: &Profile, issuer: Side, row: &RecordedRow, place: usize) {
        if let Some(id) = &row.rpc_id {
            self.ids.insert((issuer, id.clone()), place);
        }
        let Some(facts) = facts(&row.text) else { return };
        for raw in [facts.progress_token(), facts.work_done_token(), facts.partial_result_token()] {
            if let Some(token) = Facts::id(raw) {
                self.tokens.insert((issuer, token), place);
            }
        }
        let prompt = profile.turns && row.method.as_deref().map(protocol::role) == Some(Role::Prompt);
        if let Some(session) = Facts::text(facts.session_id()).filter(|_| prompt) {
            let turn = self.turns.entry(session.into_owned()).or_default();
            turn.open.push(place);
            turn.last = Some(place);
        }
    }

    /// An exchange was answered.
    pub(super) fn answered(&mut self, place: usize) {
        for turn in self.turns.values_mut() {
            turn.open.retain(|open| *open != place);
        }
    }

    /// The last request of a side with this id.
    pub(super) fn asked_with(&self, issuer: Side, id: &str) -> Option<usize> {
        self.ids.get(&(issuer, id.to_string())).copied()
    }

    /// The request that a notification is a sign of life of: `None` for one that is none, `Some(None)` where its request is not known.
    pub(super) fn told(&self, profile: &Profile, row: &RecordedRow) -> Option<Option<usize>> {
        let method = row.method.as_deref()?;
        if profile.progress == Some(method) {
            let token = Facts::id(facts(&row.text)?.token());
            let issuer = row.sender.map(Side::peer);
            return Some(token.zip(issuer).and_then(|(token, issuer)| self.tokens.get(&(issuer, token)).copied()));
        }
        if !profile.turns || protocol::role(method) != Role::Update {
            return None;
        }
        let facts = facts(&row.text)?;
        let turn = self.turns.get(&*Facts::text(facts.session_id())?)?;
        let update = Facts::text(facts.update()).unwrap_or_default();
        // Between two turns the agent may tell of the session itself.
        let late = || turn.last.filter(|_| profile.belongs_to_turn(&update));
        turn.open.last().copied().or_else(late).map(Some)
    }
}

fn facts(text: &str) -> Option<Facts<'_>> {
    match parse_at::<Facts<'_>>(text, 0) {
        Ok((Parsed::One(_, facts), _)) => Some(facts),
        _ => None,
    }
}
