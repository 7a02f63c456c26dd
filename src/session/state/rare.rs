//! What few connections have takes the room of a pointer until there is some of it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::{Deref, DerefMut};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Reads as an empty `T`, and is one once it is changed. Who only takes out of it asks first whether anything is in it: to be lent
/// for a change makes it.
pub(in crate::session) struct Rare<T>(Option<Box<T>>);

/// A type with an empty value that can be lent without being made.
pub(in crate::session) trait Empty: Sized + 'static {
    /// The empty value.
    const NEW: Self;
    /// The same, lent; every type says `&Self::NEW`, which only a type that is known can.
    const EMPTY: &'static Self;
}

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare(None)
    }
}

impl<T: Empty> Rare<T> {
    /// What there is of it, which leaves nothing.
    pub(in crate::session) fn take_all(&mut self) -> T {
        self.0.take().map_or(T::NEW, |held| *held)
    }

    /// What there is of it, to be changed.
    pub(in crate::session) fn held(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}

impl<T: Empty> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::EMPTY)
    }
}

impl<T: Empty> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::NEW))
    }
}

impl<T: 'static> Empty for Vec<T> {
    const NEW: Self = Vec::new();
    const EMPTY: &'static Self = &Self::NEW;
}

impl<T: 'static> Empty for VecDeque<T> {
    const NEW: Self = VecDeque::new();
    const EMPTY: &'static Self = &Self::NEW;
}

impl<K: 'static, V: 'static> Empty for BTreeMap<K, V> {
    const NEW: Self = BTreeMap::new();
    const EMPTY: &'static Self = &Self::NEW;
}

impl<K: 'static, V: 'static> Empty for FxHashMap<K, V> {
    const NEW: Self = HashMap::with_hasher(FxBuildHasher);
    const EMPTY: &'static Self = &Self::NEW;
}

impl<T: 'static> Empty for FxHashSet<T> {
    const NEW: Self = HashSet::with_hasher(FxBuildHasher);
    const EMPTY: &'static Self = &Self::NEW;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_when_it_is_changed_and_not_when_it_is_read() {
        let mut rare: Rare<Vec<u8>> = Rare::default();
        assert!(rare.is_empty() && rare.held().is_none());
        rare.push(1);
        assert_eq!((rare.len(), rare.held().map(|held| held.len())), (1, Some(1)));
        assert_eq!((rare.take_all(), rare.held().is_none()), (vec![1], true));
    }
}
