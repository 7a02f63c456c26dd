//! The text of a step as it goes out: the recorded bytes with the few places replaced that must be.

use super::Engine;
use crate::json::pointer;
use crate::jsonrpc::{Id, Parsed, parse};
use crate::protocol::{DefaultAnswer, Facts, Target, cancel_form};
use crate::replay::compare::tree;
use crate::replay::flow::{self, Carried, Link};
use crate::replay::message;
use crate::replay::plan::{Action, Step};
use crate::replay::recording::EventKind;
use crate::replay::rewrite;
use crate::replay::run::{Fate, Substituted};
use crate::replay::splice::{self, Edits};

impl Engine {
    /// The links that end in an event.
    pub(super) fn links_of(&self, event: usize) -> impl Iterator<Item = &Link> {
        flow::ending_in(&self.plan.links, event).iter()
    }

    /// Places of the events whose text a step sends: its own, or the members of its batch.
    fn parts(&self, step: &Step) -> std::ops::Range<usize> {
        match &self.recorded.events[step.event].what {
            EventKind::Batch(members) => members.clone(),
            _ => step.event..step.event + 1,
        }
    }

    /// The exchange that should have given a value that never came.
    pub(super) fn blocked(&self, step: &Step) -> Option<Fate> {
        let missing = |link: &&Link| self.look(link) == Some(Carried::Missing) || self.look(link).is_none();
        let by_value = self.parts(step).find_map(|event| self.links_of(event).find(missing)).map(|link| link.producer);
        let by = by_value.or_else(|| step.opens.iter().find_map(|exchange| self.not_asked_for(*exchange)))?;
        Some(Fate::Blocked(self.recorded.exchanges[by].label()))
    }

    /// The exchange that a request retries, if its live answer asks for nothing: a retry would be a second call.
    fn not_asked_for(&self, exchange: usize) -> Option<usize> {
        let (asked_at, _, _) = self.recorded.profile.inputs()?;
        let first = self.plan.continues[exchange]?;
        let asks = |text: &str| splice::locate(text, asked_at).is_some();
        let recorded = self.recorded.response(&self.recorded.exchanges[first]).is_some_and(asks);
        let live = self.log.exchanges[first].text.as_deref().is_some_and(asks);
        (recorded && !live).then_some(first)
    }

    /// What the live producer of a link has; `None` if it never spoke.
    fn look(&self, link: &Link) -> Option<Carried> {
        let live = self.log.exchanges[link.producer].text.as_deref()?;
        let (_, recorded) = flow::source(&self.recorded, &self.recorded.exchanges[link.producer])?;
        Some(link.find(recorded, live))
    }

    /// The live value of a link as JSON text.
    pub(super) fn value_of(&self, link: &Link) -> Option<String> {
        match self.look(link)? {
            Carried::Live(value, _) => Some(value),
            Carried::Recorded => Some(link.recorded.clone()),
            Carried::Missing => None,
        }
    }

    /// The text of a step. `Err` says why it cannot be sent.
    pub(super) fn compose(&mut self, step: &Step) -> Result<String, String> {
        let event = &self.recorded.events[step.event];
        let text = event.text.clone();
        if let (true, Action::Cancel(cancel)) = (text.is_empty(), &step.action) {
            return self.cancel_text(cancel.targets[0]);
        }
        let EventKind::Batch(members) = event.what.clone() else { return self.compose_event(step.event) };
        let Ok(Parsed::Batch(ranges)) = parse::<Facts<'_>>(&text) else { return Ok(text) };
        let mut edits = Edits::default();
        for (event, (range, _)) in members.zip(&ranges) {
            edits.put(range.clone(), self.compose_event(event)?);
        }
        Ok(edits.apply(&text))
    }

    /// The message that cancels a request whose recorded cancel was none, but the close of its stream.
    fn cancel_text(&self, target: usize) -> Result<String, String> {
        let cancel = self.recorded.profile.cancel.zip(self.log.exchanges[target].live_id.as_deref());
        let ((method, member), id) = cancel.ok_or("its cancel has no message")?;
        Ok(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"{member}":{id}}}}}"#))
    }

    /// The text of one event of the client.
    fn compose_event(&mut self, event: usize) -> Result<String, String> {
        let text = self.recorded.events[event].text.clone();
        let Some((read, facts)) = message::read(&text) else { return Ok(text) };
        let mut edits = Edits::default();
        rewrite::set(&text, &self.options.rewrite, &mut edits, &mut self.rewritten);
        self.put_values(event, &text, &mut edits);
        self.put_inputs(event, &text, &mut edits);
        if self.options.rewrite.renumber || !self.names.minted.is_empty() {
            self.put_ids(
                read.method(),
                read.method.is_some().then_some(read.id_text).flatten(),
                &text,
                &facts,
                &mut edits,
            );
        }
        let profile = self.recorded.profile;
        let options = &self.options.rewrite;
        rewrite::rewrite(profile, read.method(), &text, options, &mut edits, &mut self.rewritten)
            .map_err(|name| format!("secret {name}"))?;
        Ok(edits.apply(&text))
    }

    /// Puts the values in that flowed here from an earlier message.
    fn put_values(&mut self, event: usize, text: &str, edits: &mut Edits) {
        let links: Vec<Link> = self.links_of(event).cloned().collect();
        for link in links {
            let (Some(Carried::Live(value, from_at)), Some(range)) =
                (self.look(&link), splice::locate(text, &link.to_at))
            else {
                continue;
            };
            // Equal values keep their recorded spelling, unless they are nobody's to compare.
            if !link.opaque && tree::same(&value, &link.recorded) || !edits.put(range, value.clone()) {
                continue;
            }
            let Some(consumer) = link.exchange else { continue };
            let both = Some((link.recorded.clone(), value));
            let (values, hidden) = if link.opaque { (None, both) } else { (both, None) };
            self.log.exchanges[consumer].substituted.push(Substituted {
                at: link.to_at.clone(),
                from: self.recorded.exchanges[link.producer].label(),
                from_at,
                values,
                hidden,
            });
        }
    }

    /// Answers what the live side asks for with a retry, under the names that it chose.
    fn put_inputs(&mut self, event: usize, text: &str, edits: &mut Edits) {
        let EventKind::Request(exchange) = self.recorded.events[event].what else { return };
        let Some((asked_at, answered_at, state_at)) = self.recorded.profile.inputs() else { return };
        let Some(first) = self.plan.continues[exchange] else { return };
        let (Some(live), Some(old)) =
            (self.log.exchanges[first].text.clone(), self.recorded.response(&self.recorded.exchanges[first]))
        else {
            return;
        };
        let Some(place) = splice::locate(text, answered_at) else { return };
        let (wanted, known) = (splice::at(&live, asked_at).unwrap_or("{}"), splice::at(old, asked_at).unwrap_or("{}"));
        let names =
            |object: &str| splice::members(object).into_iter().map(|(key, _)| key.into_owned()).collect::<Vec<_>>();
        let mut answers = text[place.clone()].to_string();
        if names(wanted) != names(known) {
            answers = self.inputs(wanted, known, &text[place.clone()]);
        }
        let state_from = state_at.replace("/params/", "/result/");
        let echoed = splice::locate(text, state_at).or_else(|| splice::locate(old, &state_from)).is_some();
        if let Some(state) = splice::at(&live, &state_from).filter(|_| !echoed) {
            // The recorded server gave no state to echo, the live one does, and a client must. A recorded client that
            // left out a state it was given is replayed as it was: what it broke is part of the recording.
            answers.push_str(&format!(",\"{}\":{state}", state_at.rsplit('/').next().unwrap_or("")));
        }
        if answers != text[place.clone()] {
            edits.put(place, answers);
        }
    }

    /// Recorded answers under live names: by name, else the next one to the same method, else the default.
    fn inputs(&self, wanted: &str, known: &str, given: &str) -> String {
        let method = |request: &str| splice::at(request, "/method").map(str::to_string).unwrap_or_default();
        let mut left: Vec<(String, String, String)> = splice::members(given)
            .into_iter()
            .map(|(key, range)| {
                let asked = splice::at(known, &format!("/{}", pointer::escape(&key))).map(method);
                (key.into_owned(), asked.unwrap_or_default(), given[range].to_string())
            })
            .collect();
        let mut parts = Vec::new();
        for (key, range) in splice::members(wanted) {
            let asked = method(&wanted[range]);
            let same = left.iter().position(|(name, of, _)| *name == *key && *of == asked);
            let found = same.or_else(|| left.iter().position(|(_, of, _)| *of == asked));
            let value = match found {
                Some(at) => left.remove(at).2,
                None => match self.recorded.profile.default_answer(asked.trim_matches('"')) {
                    DefaultAnswer::Result(json) | DefaultAnswer::Recorded(json) => json.to_string(),
                    DefaultAnswer::Nulls | DefaultAnswer::Error(..) => r#"{"action":"decline"}"#.to_string(),
                },
            };
            parts.push(format!("{}:{value}", splice::quote(&key)));
        }
        format!("{{{}}}", parts.join(","))
    }

    /// Fresh ids and tokens for recorded ones, wherever a message names them.
    fn put_ids(&mut self, method: &str, id: Option<&str>, text: &str, facts: &Facts<'_>, edits: &mut Edits) {
        let base = text.as_ptr() as usize;
        let cancelled = cancel_form(self.recorded.profile, method, facts)
            .filter(|form| matches!(form.target, Target::Request(_)))
            .and_then(|form| form.target_text);
        let places = [
            id,
            cancelled,
            facts.progress_token(),
            facts.work_done_token(),
            facts.partial_result_token(),
            facts.subscription(),
        ];
        for raw in places.into_iter().flatten() {
            let from = raw.as_ptr() as usize - base;
            // A cancel of a request that nobody sent must go on naming none.
            let known = Id::from_json(raw).is_some_and(|id| self.names.taken.contains(&id)) || Some(raw) != cancelled;
            if known && let Some(fresh) = self.fresh(raw) {
                edits.put(from..from + raw.len(), fresh);
            }
        }
    }

    /// The fresh id or token for a recorded one, of the same JSON type; the same for every occurrence. Without `--renumber` only what
    /// a request that was sent again goes by has one.
    fn fresh(&mut self, raw: &str) -> Option<String> {
        let id = Id::from_json(raw)?;
        if let Some(minted) = self.names.minted.get(&id) {
            return Some(minted.clone());
        }
        if !self.options.rewrite.renumber {
            return None;
        }
        let minted = self.mint(raw);
        self.names.minted.insert(id, minted.clone());
        Some(minted)
    }

    /// An id that the recording does not have, of the JSON type of `like`.
    pub(super) fn mint(&mut self, like: &str) -> String {
        loop {
            self.names.mint += 1;
            let fresh = if like.starts_with('"') {
                splice::quote(&format!("rpctape-{}", self.names.mint))
            } else {
                (1_000_000 + self.names.mint).to_string()
            };
            if let Some(id) = Id::from_json(&fresh)
                && self.names.taken.insert(id)
            {
                return fresh;
            }
        }
    }

    /// The text of a request that is sent again, and its id there: what refers to it from here on (its cancel, its progress) goes by the
    /// same fresh names.
    pub(super) fn compose_again(&mut self, exchange: usize) -> Result<(String, String), String> {
        let request = self.recorded.exchanges[exchange].request;
        self.rename(request);
        let text = self.compose_event(request)?;
        let id = splice::at(&text, "/id").unwrap_or("null").to_string();
        Ok((text, id))
    }

    /// Makes the names that a request gives, its id and its tokens, anew.
    fn rename(&mut self, request: usize) {
        let text = self.recorded.events[request].text.clone();
        let Some((read, facts)) = message::read(&text) else { return };
        let given = [read.id_text, facts.progress_token(), facts.work_done_token(), facts.partial_result_token()];
        for raw in given.into_iter().flatten() {
            if let Some(id) = Id::from_json(raw) {
                let minted = self.mint(raw);
                self.names.minted.insert(id, minted);
            }
        }
    }

    /// The recorded answer to a request of the server, under the live id, with the live option where one is chosen.
    pub(super) fn compose_answer(&mut self, exchange: usize) -> Option<Result<String, String>> {
        let response = self.recorded.exchanges[exchange].response?;
        let text = match self.compose_event(response) {
            Ok(text) => text,
            Err(why) => return Some(Err(why)),
        };
        let live = self.log.exchanges[exchange].text.clone().unwrap_or_default();
        let live_id = self.log.exchanges[exchange].live_id.clone().unwrap_or_else(|| "null".to_string());
        let mut edits = Edits::default();
        if let Some(range) = splice::locate(&text, "/id") {
            edits.put(range, live_id.clone());
        }
        if let Some(choice) = self.recorded.profile.choice(&self.recorded.exchanges[exchange].method)
            && let Some(range) = splice::locate(&text, choice.at)
        {
            let recorded = self.recorded.request(&self.recorded.exchanges[exchange]);
            match choose(&choice, recorded, &live, &text[range.clone()]) {
                Chosen::AsRecorded => {}
                Chosen::Other(id) => {
                    edits.put(range, id);
                }
                Chosen::None => {
                    return Some(Ok(format!(r#"{{"jsonrpc":"2.0","id":{live_id},"result":{}}}"#, choice.cancelled)));
                }
            }
        }
        Some(Ok(edits.apply(&text)))
    }

    /// True if a step sends one text for the recorded events, and not a stream's opening or close.
    pub(super) fn has_text(step: &Step) -> bool {
        matches!(step.action, Action::Send | Action::Answer(_) | Action::Cancel(_))
    }
}

enum Chosen {
    AsRecorded,
    Other(String),
    None,
}

/// The live option to choose: the recorded one if it is offered, else one of the same kind.
fn choose(choice: &crate::protocol::Choice, recorded: &str, live: &str, id: &str) -> Chosen {
    let ids = format!("{}/*/{}", choice.options, choice.id);
    let offered = splice::each(live, &ids);
    if offered.iter().any(|(_, range)| tree::same(&live[range.clone()], id)) {
        return Chosen::AsRecorded;
    }
    let kind = |text: &str, pointer: &str| {
        let option = pointer.rsplit_once('/').map_or("", |(option, _)| option);
        splice::at(text, &format!("{option}/{}", choice.kind)).map(str::to_string)
    };
    let recorded_kind = splice::each(recorded, &ids)
        .into_iter()
        .find(|(_, range)| tree::same(&recorded[range.clone()], id))
        .and_then(|(pointer, _)| kind(recorded, &pointer));
    let same_kind = offered.iter().find(|(pointer, _)| recorded_kind.is_some() && kind(live, pointer) == recorded_kind);
    match same_kind {
        Some((_, range)) => Chosen::Other(live[range.clone()].to_string()),
        None => Chosen::None,
    }
}
