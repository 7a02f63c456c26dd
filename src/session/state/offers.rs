//! What an agent has offered to choose from (ACP): ways to log in, modes and config options of sessions, options of a permission request.
//! Only hashes are kept; what was offered once counts as offered, also where a later message takes it back: the two may have crossed.

use std::hash::Hasher;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::rare::Empty;
use crate::protocol::{Capabilities, Facts};
use crate::session::seen::Seen;

/// How many things to choose are remembered for a connection; in one with more nothing is judged.
const REMEMBERED: usize = 65_536;

/// What a choice is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::session) enum Choice {
    /// `authMethods` of a handshake.
    Login,
    /// `modes` of a session.
    Mode,
    /// `configOptions` of a session.
    Value,
}

/// Everything that was offered, by what it is for and in which session.
pub(in crate::session) struct Offers {
    offered: FxHashMap<(Choice, Option<Rc<str>>), Made>,
    kept: usize,
    /// The ways to log in that are for a terminal, and no request.
    terminals: FxHashSet<u64>,
    /// A filter has taken out a part of an offer, or a part of one is spelled in a way that is not known: others may have been offered,
    /// too.
    unread: bool,
}

/// What was offered of one kind.
struct Made {
    first: Offering,
    ids: FxHashSet<u64>,
}

/// The message that offers something.
#[derive(Clone, Copy)]
pub(in crate::session) struct Offering {
    pub(in crate::session) seen: Seen,
    /// It tells the name of the session, too: whoever names that has received it.
    pub(in crate::session) tells_session: bool,
}

impl Empty for Offers {
    const NEW: Self = Offers { offered: Empty::NEW, kept: 0, terminals: Empty::NEW, unread: false };
    const EMPTY: &'static Self = &Self::NEW;
}

impl Offers {
    /// Takes an offer, whole and as JSON.
    pub(in crate::session) fn offer(&mut self, by: Offering, choice: Choice, session: Option<Rc<str>>, raw: &str) {
        self.unread |= Capabilities::are_blotted(raw);
        let Ok(value) = serde_json::from_str::<Value>(raw) else { return };
        let list = if choice == Choice::Mode { &value["availableModes"] } else { &value };
        let Some(list) = list.as_array().filter(|_| self.kept < REMEMBERED) else { return };
        self.unread |= list.iter().any(|one| id_of(one).is_none());
        if choice == Choice::Login {
            let terminals = list.iter().filter(|one| one["type"] == "terminal").filter_map(id_of);
            self.terminals.extend(terminals.map(|id| key(id, None)));
        }
        let keys: Vec<u64> = match choice {
            Choice::Value => list.iter().flat_map(settings).collect(),
            _ => list.iter().filter_map(id_of).map(|id| key(id, None)).collect(),
        };
        self.kept += keys.len();
        let made = self.offered.entry((choice, session));
        made.or_insert_with(|| Made { first: by, ids: FxHashSet::default() }).ids.extend(keys);
    }

    /// Where something was offered first, and none of all that was is this; `value` is what a config option is set to.
    pub(in crate::session) fn lacks(
        &self,
        choice: Choice,
        session: Option<&Rc<str>>,
        id: &str,
        value: Option<&str>,
    ) -> Option<Offering> {
        let made = self.offered.get(&(choice, session.cloned()));
        let Made { first, ids: offered } = made.filter(|_| !self.unread && self.kept < REMEMBERED)?;
        let fits = |value: &str| offered.contains(&key(id, Some(value))) || offered.contains(&key(id, Some(ANY)));
        let lacks = !offered.contains(&key(id, None)) || value.is_some_and(|value| !fits(value));
        lacks.then_some(*first)
    }

    /// For a way to log in that was only ever offered for a terminal: where it was.
    pub(in crate::session) fn for_terminal(&self, id: &str) -> Option<Offering> {
        let made = self.offered.get(&(Choice::Login, None))?;
        self.terminals.contains(&key(id, None)).then_some(made.first)
    }
}

/// The ids of the options of a permission request.
pub(in crate::session) fn option_ids(raw: &str) -> Option<Box<[u64]>> {
    let value: Value = serde_json::from_str(raw).ok().filter(|_| !Capabilities::are_blotted(raw))?;
    let ids = value.as_array()?.iter().map(|option| option["optionId"].as_str().map(|id| key(id, None)));
    ids.collect::<Option<Vec<u64>>>().filter(|ids| !ids.is_empty()).map(Into::into)
}

/// True if an option is among those.
pub(in crate::session) fn is_offered(options: &[u64], id: &str) -> bool {
    options.contains(&key(id, None))
}

/// Stands for every value of a config option that lists none.
const ANY: &str = "\u{0}";

/// The id of something that is offered: version 2 names it as the request does that chooses it.
fn id_of(one: &Value) -> Option<&str> {
    ["id", "methodId", "modeId", "configId"].iter().find_map(|name| one[*name].as_str())
}

/// A config option: its id, and the values that it lists, in groups or not.
fn settings(option: &Value) -> Vec<u64> {
    let Some(id) = id_of(option) else { return Vec::new() };
    let values = option["options"].as_array().into_iter().flatten().flat_map(|entry| {
        let grouped = entry["options"].as_array().into_iter().flatten();
        grouped.chain([entry]).filter_map(|one| one["value"].as_str())
    });
    let mut keys: Vec<u64> = values.map(|value| key(id, Some(value))).collect();
    if keys.is_empty() {
        keys.push(key(id, Some(ANY)));
    }
    keys.push(key(id, None));
    keys
}

fn key(id: &str, value: Option<&str>) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(id.as_bytes());
    hasher.write_u8(u8::from(value.is_some()));
    hasher.write(value.unwrap_or_default().as_bytes());
    hasher.finish()
}

/// The text of a choice that a filter has not taken out.
pub(in crate::session) fn chosen<'a>(facts: &Facts<'a>) -> Option<std::borrow::Cow<'a, str>> {
    let raw = facts.choice().filter(|raw| raw.starts_with('"') && !Capabilities::are_blotted(raw))?;
    Facts::text(Some(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY: Offering = Offering { seen: Seen { frame: 1, at_us: None }, tells_session: false };

    #[test]
    fn what_was_offered_once_is_not_strange() {
        let mut offers = Offers::NEW;
        let session: Rc<str> = Rc::from("s");
        assert!(offers.lacks(Choice::Mode, Some(&session), "ask", None).is_none(), "nothing was offered yet");
        offers.offer(
            BY,
            Choice::Mode,
            Some(session.clone()),
            r#"{"currentModeId":"ask","availableModes":[{"id":"ask"}]}"#,
        );
        offers.offer(BY, Choice::Mode, Some(session.clone()), r#"{"availableModes":[{"id":"code"}]}"#);
        assert!(offers.lacks(Choice::Mode, Some(&session), "ask", None).is_none());
        assert!(offers.lacks(Choice::Mode, Some(&session), "code", None).is_none());
        assert!(offers.lacks(Choice::Mode, Some(&session), "plan", None).is_some());
        assert!(offers.lacks(Choice::Mode, Some(&Rc::from("t")), "plan", None).is_none(), "another session");
    }

    #[test]
    fn values_stand_in_groups_or_not_and_some_options_list_none() {
        let mut offers = Offers::NEW;
        let raw = r#"[{"id":"m","options":[{"value":"a"},{"group":"g","options":[{"value":"b"}]}]},{"id":"on","type":"boolean"}]"#;
        offers.offer(BY, Choice::Value, None, raw);
        let lacks = |id, value| offers.lacks(Choice::Value, None, id, value).is_some();
        assert!(!lacks("m", Some("a")) && !lacks("m", Some("b")) && !lacks("m", None) && !lacks("on", Some("x")));
        assert!(lacks("m", Some("c")) && lacks("n", Some("a")));
    }

    #[test]
    fn a_filter_and_hostile_shapes_prove_nothing() {
        let mut offers = Offers::NEW;
        for raw in ["7", "[7,{}]", "{\"availableModes\":7}", "["] {
            offers.offer(BY, Choice::Mode, None, raw);
        }
        offers.offer(BY, Choice::Login, None, r#"[{"id":"***"}]"#);
        assert!(offers.lacks(Choice::Login, None, "a", None).is_none());
        let mut offers = Offers::NEW;
        offers.offer(BY, Choice::Login, None, r#"[{"methodId":"a"}]"#);
        assert!(
            offers.lacks(Choice::Login, None, "b", None).is_some()
                && offers.lacks(Choice::Login, None, "a", None).is_none()
        );
        offers.offer(BY, Choice::Value, None, r#"[{"name":"of a time to come"}]"#);
        assert!(offers.lacks(Choice::Login, None, "b", None).is_none(), "what is spelled otherwise may be anything");
        assert_eq!(option_ids(r#"[{"optionId":"a"},{"name":"b"}]"#), None);
    }
}
