//! Requests by their ids.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::slot::Slot;
use crate::jsonrpc::Id;

/// The newest request of each id. One message asks for the same request many times: the one that was found last is looked at
/// before ids are looked up.
#[derive(Default)]
pub(in crate::session) struct Live {
    places: FxHashMap<Id, usize>,
    slots: Vec<Option<Box<Slot>>>,
    free: Vec<usize>,
    last: Cell<usize>,
}

impl Live {
    fn place(&self, id: &Id) -> Option<usize> {
        let last = self.last.get();
        if self.slots.get(last).is_some_and(|slot| slot.as_ref().is_some_and(|slot| slot.exchange.id == *id)) {
            return Some(last);
        }
        let place = *self.places.get(id)?;
        self.last.set(place);
        Some(place)
    }

    /// The request with this id.
    pub(in crate::session) fn get(&self, id: &Id) -> Option<&Slot> {
        self.slots[self.place(id)?].as_deref()
    }

    /// The same, to be changed; its id stays what it is.
    pub(in crate::session) fn get_mut(&mut self, id: &Id) -> Option<&mut Slot> {
        let place = self.place(id)?;
        self.slots[place].as_deref_mut()
    }

    /// Puts a request in under its id; gives the one that had it before.
    pub(in crate::session) fn insert(&mut self, slot: Box<Slot>) -> Option<Box<Slot>> {
        if let Some(place) = self.place(&slot.exchange.id) {
            return self.slots[place].replace(slot);
        }
        let place = self.free.pop().unwrap_or(self.slots.len());
        self.places.insert(slot.exchange.id.clone(), place);
        self.last.set(place);
        match self.slots.get_mut(place) {
            Some(empty) => *empty = Some(slot),
            None => self.slots.push(Some(slot)),
        }
        None
    }

    /// Takes a request out. A connection that was alone at first gives back the room that it took then.
    pub(in crate::session) fn remove(&mut self, id: &Id) -> Option<Box<Slot>> {
        let place = self.places.remove(id)?;
        let slot = self.slots[place].take();
        self.free.push(place);
        if self.free.len() > SMALL && self.places.len() < self.slots.len() / 8 {
            self.give_back();
        }
        slot
    }

    /// All of them, in no order that means anything.
    pub(in crate::session) fn values(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter_map(Option::as_deref)
    }

    fn give_back(&mut self) {
        self.slots.retain(Option::is_some);
        self.slots.shrink_to(2 * self.slots.len());
        (self.free, self.places) = Default::default();
        let ids =
            self.slots.iter().enumerate().filter_map(|(place, slot)| Some((slot.as_ref()?.exchange.id.clone(), place)));
        self.places.extend(ids);
    }
}

/// How many free places are kept at least.
const SMALL: usize = 16;
