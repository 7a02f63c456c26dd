//! The scalars of the records of an export, and their names.

use super::walk::{Path, PathStep};
use crate::capture::words::TYPES;

/// One scalar of the records, and its values in them, strings without their quotes.
pub(super) struct Column {
    pub path: Path,
    pub values: Vec<String>,
    pub is_text: bool,
}

impl Column {
    /// Its keys with dots between them: `kubernetes.pod.name`. What OpenTelemetry wraps a value in is no name.
    pub(super) fn long_name(&self) -> String {
        dotted(&self.path)
    }

    pub(super) fn name(&self) -> String {
        name_of(&self.path)
    }

    pub(super) fn is_object(&self) -> bool {
        !self.is_text && self.values.iter().all(|value| value.starts_with('{'))
    }

    pub(super) fn varies(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

fn dotted(path: &Path) -> String {
    keys(path).filter(|key| !TYPES.contains(key)).collect::<Vec<_>>().join(".")
}

/// The name of a scalar: its last key.
pub(super) fn name_of(path: &Path) -> String {
    dotted(path).rsplit('.').next().unwrap_or_default().to_string()
}

/// A path as it is shown and given: `kubernetes/pod/name`.
pub(super) fn shown(path: &Path) -> String {
    keys(path).collect::<Vec<_>>().join("/")
}

fn keys(path: &Path) -> impl Iterator<Item = &str> {
    path.iter().filter_map(|step| match step {
        PathStep::Key(key) => Some(&**key),
        PathStep::Each => None,
    })
}
