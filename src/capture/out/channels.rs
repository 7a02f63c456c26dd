//! The channels of a log that has names for them.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Out;
use crate::capture::Channel;
use crate::error::Result;

/// Channels by name.
#[derive(Default)]
pub(crate) struct Channels {
    by_name: FxHashMap<Rc<str>, u32>,
    last: Option<(Rc<str>, u32)>,
}

impl Channels {
    /// True if a channel of that name was met.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The channel called `name`, announced with `make` when it is met for the first time.
    pub(crate) fn get(&mut self, name: &str, out: &mut Out<'_>, make: impl FnOnce() -> Channel) -> Result<u32> {
        if let Some((last, index)) = &self.last
            && **last == *name
        {
            return Ok(*index);
        }
        let found = match self.by_name.get_key_value(name) {
            Some((name, index)) => (Rc::clone(name), *index),
            None => {
                let known: (Rc<str>, u32) = (name.into(), out.channel(make())?);
                self.by_name.insert(Rc::clone(&known.0), known.1);
                known
            }
        };
        let index = found.1;
        self.last = Some(found);
        Ok(index)
    }
}
