//! What a key of connections makes of a log.

use crate::capture::Proof;

/// What a key makes of a log.
pub(super) struct Split {
    /// The name of the key; none where the log is one stream.
    pub key: Vec<String>,
    /// The stream of each note.
    pub streams: Vec<u32>,
    /// The value under which each stream stands.
    pub names: Vec<Option<String>>,
    /// True where the key names connections, and not who served them.
    pub apart: bool,
    /// True where it names who served them: no writer says again what another one said.
    pub instances: bool,
    /// What the log cannot prove then.
    pub lacks: Proof,
    /// What was found, each a clause of a sentence.
    pub said: Vec<String>,
}

impl Split {
    /// A log that is read as one stream.
    pub(super) fn of_one(messages: usize, said: &str) -> Split {
        Split {
            key: Vec::new(),
            streams: vec![0; messages],
            names: vec![None],
            apart: false,
            instances: false,
            lacks: Proof::NONE,
            said: vec![said.to_string()],
        }
    }
}
