//! ACP: the request-cancellation RFD as it stood in November 2025, protocol version 1, and the draft of version 2.
//!
//! The RFD is version 1 with another dialect of per-request cancellation (and a capability for it), so its prompt turns
//! are judged by the sentences of version 1. Where version 2 is only known to keep a rule of version 1, not its
//! wording, the ruling there rests on no clause.

mod clauses;
pub(in crate::protocol) mod flaws;
mod methods;
mod rulings;
mod table;
mod table_2;

use super::jsonrpc::BASE;
use super::{AfterCancel, Bound, Facts, Family, Feature, Gate, Opening, Profile, Side};
use methods::METHODS;

/// The revisions, oldest first.
pub static PROFILES: &[Profile; 3] = &[
    Profile {
        revision: "rfd-2025-11",
        cancel: Some(("$/cancelRequest", "id")),
        cancel_needs_capability: true,
        rulings: rulings::RFD,
        // What it says beyond cancels is what version 1 says.
        remarks: &[rulings::REMARKS_RFD, table_2::RFD, table::V1],
        ..ACP
    },
    Profile { revision: "1", rulings: rulings::V1, remarks: &[rulings::REMARKS_1, table::V1], ..ACP },
    Profile {
        revision: "2",
        turns_end_idle: true,
        gates: GATES_2,
        features: FEATURES_2,
        remarks: &[rulings::REMARKS_2, table_2::V2],
        rulings: rulings::V2,
        ..ACP
    },
];

/// The RFD, which is meant where its capability was declared and its cancel is sent.
pub fn rfd() -> &'static Profile {
    &PROFILES[0]
}

/// Version 1, which is meant where nothing else is stated.
pub fn stable() -> &'static Profile {
    &PROFILES[1]
}

/// Version 2.
pub fn draft() -> &'static Profile {
    &PROFILES[2]
}

const ACP: Profile = Profile {
    family: Family::Acp,
    name: "acp",
    cancel: Some(("$/cancel_request", "requestId")),
    after_cancel: AfterCancel::Answer,
    cancelled_code: Some(-32800),
    opening: Opening { initialize: Some("initialize"), initialized: None, shutdown: None, exit: None },
    turns: true,
    after_initialize: Bound::Under("session/"),
    null_id_in_schema: true,
    methods: METHODS,
    gates: GATES,
    features: FEATURES,
    // -32000 is "authentication required", -32002 "resource not found".
    codes: &[-32800, -32700, -32603, -32602, -32601, -32600, -32002, -32000],
    ..BASE
};

/// What a side must have declared before it is asked, in version 1.
const GATES: &[Gate] = &[
    Gate::new("session/load", "loadSession"),
    Gate::new("session/list", "sessionCapabilities.list"),
    Gate::new("session/resume", "sessionCapabilities.resume"),
    Gate::new("session/close", "sessionCapabilities.close"),
    Gate::new("session/fork", "sessionCapabilities.fork"),
    Gate::new("session/delete", "sessionCapabilities.delete"),
    Gate::new("logout", "auth.logout"),
    Gate::new("terminal/", "terminal"),
    Gate::new("fs/read_text_file", "fs.readTextFile"),
    Gate::new("fs/write_text_file", "fs.writeTextFile"),
];

/// The same in version 2: what a session has besides its baseline.
const GATES_2: &[Gate] = &[
    Gate::new("session/delete", "session.delete"),
    Gate::new("session/fork", "session.fork"),
    Gate::new("session/archive", "session.archive"),
    Gate::new("session/unarchive", "session.archive"),
    Gate::new("session/status", "session.status"),
    Gate::new("session/set_title", "session.title"),
];

/// Updates that only a client is sent that has declared to take them, and roots for an agent that has (drafts of version 1).
const FEATURES: &[Feature] = &[
    Feature {
        method: "session/update",
        used: |facts| Facts::is(facts.update(), "notice"),
        by: Side::Client,
        needs: "session.notices",
    },
    Feature {
        method: "session/update",
        used: |facts| {
            ["compaction_update", "compaction_summary_chunk"].iter().any(|kind| Facts::is(facts.update(), kind))
        },
        by: Side::Client,
        needs: "session.compaction",
    },
    Feature {
        method: "session/new",
        used: names_roots,
        by: Side::Server,
        needs: "sessionCapabilities.additionalDirectories",
    },
    Feature {
        method: "session/load",
        used: names_roots,
        by: Side::Server,
        needs: "sessionCapabilities.additionalDirectories",
    },
    Feature {
        method: "session/resume",
        used: names_roots,
        by: Side::Server,
        needs: "sessionCapabilities.additionalDirectories",
    },
    Feature {
        method: "session/fork",
        used: names_roots,
        by: Side::Server,
        needs: "sessionCapabilities.additionalDirectories",
    },
];

/// The same in version 2.
const FEATURES_2: &[Feature] = &[
    Feature { method: "session/new", used: names_roots, by: Side::Server, needs: "session.additionalDirectories" },
    Feature { method: "session/resume", used: names_roots, by: Side::Server, needs: "session.additionalDirectories" },
    Feature { method: "session/fork", used: names_roots, by: Side::Server, needs: "session.additionalDirectories" },
];

fn names_roots(facts: &Facts<'_>) -> bool {
    facts.roots().is_some()
}
