//! The names of methods, shared by all connections, and what is known of each.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::protocol::{Method, Profile, Role, role};

/// Names that are remembered for a profile; a log with more pays a look-up for each of the rest.
const METHODS: usize = 4096;

/// What a profile knows of a method, and what it does whatever the profile.
type Known = (Option<&'static Method>, Role);

/// By profile, of which a log has few.
#[derive(Default)]
pub(in crate::session) struct Methods(Vec<(&'static Profile, FxHashMap<Rc<str>, Known>)>);

impl Methods {
    /// The method's name to share, and what is known of it.
    pub(in crate::session) fn find(
        &mut self,
        profile: &'static Profile,
        name: &str,
    ) -> (Rc<str>, Option<&'static Method>, Role) {
        let names = self.of(profile);
        if let Some((shared, (known, role))) = names.get_key_value(name) {
            return (shared.clone(), *known, *role);
        }
        let shared: Rc<str> = name.into();
        let (known, role) = (profile.method(name), role(name));
        if names.len() < METHODS {
            names.insert(shared.clone(), (known, role));
        }
        (shared, known, role)
    }

    fn of(&mut self, profile: &'static Profile) -> &mut FxHashMap<Rc<str>, Known> {
        let at = self.0.iter().position(|(own, _)| std::ptr::eq(*own, profile)).unwrap_or_else(|| {
            self.0.push((profile, FxHashMap::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}
