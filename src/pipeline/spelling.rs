//! Names of files that mean one file: `a.log` is `./a.log`, and what a link leads to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::capture;

/// The names of the sources that a store has.
#[derive(Default)]
pub(super) struct Spellings {
    /// By their last part: only files that are called alike are looked at on the disk, and each once.
    alike: FxHashMap<String, Alike>,
}

/// Names with one last part.
enum Alike {
    Names(Vec<String>),
    /// The same by their whole paths, of those that are there.
    Paths(BTreeMap<PathBuf, String>),
}

impl Spellings {
    pub(super) fn of(names: Vec<String>) -> Spellings {
        let mut alike: FxHashMap<String, Alike> = FxHashMap::default();
        for name in names {
            match alike.entry(last(&name).to_string()).or_insert_with(|| Alike::Names(Vec::new())) {
                Alike::Names(names) => names.push(name),
                Alike::Paths(_) => {}
            }
        }
        Spellings { alike }
    }

    /// What the store calls this file, where it has it under any name.
    pub(super) fn known(&mut self, given: &str) -> Option<&str> {
        let alike = self.alike.get_mut(last(given))?;
        if let Alike::Names(names) = alike {
            let paths = std::mem::take(names).into_iter().filter_map(|name| Some((whole(&name)?, name)));
            *alike = Alike::Paths(paths.collect());
        }
        match alike {
            Alike::Paths(paths) => paths.get(&whole(given)?).map(String::as_str),
            Alike::Names(_) => None,
        }
    }
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn whole(name: &str) -> Option<PathBuf> {
    capture::path_of(name).canonicalize().ok()
}
