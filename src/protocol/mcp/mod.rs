//! MCP as data: one file for each revision, and what revisions have in common.
//!
//! 2024-11-05 to 2025-11-25 begin with a handshake; 2026-07-28 is another model. The list of methods is shared. Adding a revision is
//! one file and one line in [`PROFILES`].

mod clauses;
mod features;
pub mod flaws;
mod methods;
mod rulings;
mod table;
mod v2024_11_05;
mod v2025_03_26;
mod v2025_06_18;
mod v2025_11_25;
mod v2026_07_28;

use super::jsonrpc::BASE;
use super::{AfterCancel, Bound, Facts, Family, Feature, Gate, Opening, Profile, Side, Waits};

pub use methods::METHODS;
pub use v2026_07_28::UNKNOWN as STATELESS_UNKNOWN;

/// The revisions with a handshake, oldest first.
#[cfg(test)]
pub static WITH_HANDSHAKE: [&Profile; 4] =
    [&v2024_11_05::PROFILE, &v2025_03_26::PROFILE, &v2025_06_18::PROFILE, &v2025_11_25::PROFILE];

/// All revisions, oldest first.
pub static PROFILES: [&Profile; 5] =
    [&v2024_11_05::PROFILE, &v2025_03_26::PROFILE, &v2025_06_18::PROFILE, &v2025_11_25::PROFILE, &v2026_07_28::PROFILE];

/// MCP whose revision the log does not tell: only what all revisions with a handshake say, at its weakest.
pub static UNKNOWN: Profile = Profile {
    revision: "unknown",
    unknown_revision: true,
    codes: CODES_2025_11_25,
    // Only one of them has tasks: where there is one, it goes on behind the answer that created it.
    tasks: true,
    rulings: v2025_03_26::RULINGS_UNKNOWN,
    ..HANDSHAKE
};

/// What the four revisions have in common.
const HANDSHAKE: Profile = Profile {
    family: Family::Mcp,
    name: "mcp",
    cancel: Some(("notifications/cancelled", "requestId")),
    after_cancel: AfterCancel::Silence,
    opening: Opening {
        initialize: Some("initialize"),
        initialized: Some("notifications/initialized"),
        shutdown: None,
        exit: None,
    },
    progress: Some("notifications/progress"),
    ids_used_once: true,
    cancel_text_is_proof: true,
    methods: METHODS,
    gates: GATES,
    features: FEATURES,
    // `server/discover` is the probe of a client that also speaks the revision without a handshake.
    after_initialize: Bound::AllBut(&["ping", "server/discover"]),
    client_waits: REQUESTS_BUT_PING,
    server_waits: REQUESTS_BUT_PING,
    server_waits_for_initialized: true,
    codes: CODES,
    ..BASE
};

/// What a side must have declared before it is asked, of the oldest revision.
const GATES: &[Gate] = GATES_2025_03_26.split_at(9).0;

/// The same since there is a capability for completions.
const GATES_2025_03_26: &[Gate] = GATES_2025_11_25.split_at(10).0;

/// The same since there are tasks. `tasks/cancel` has a rule of its own (TSK007).
const GATES_2025_11_25: &[Gate] = &[
    Gate::new("resources/subscribe", "resources.subscribe"),
    Gate::new("resources/unsubscribe", "resources.subscribe"),
    Gate::new("resources/", "resources"),
    Gate::new("tools/", "tools"),
    Gate::new("prompts/", "prompts"),
    Gate::new("logging/setLevel", "logging"),
    Gate::new("sampling/createMessage", "sampling"),
    Gate::new("elicitation/create", "elicitation"),
    Gate::new("roots/list", "roots"),
    Gate::new("completion/complete", "completions"),
    Gate::new("tasks/list", "tasks.list"),
    Gate::new("tasks/get", "tasks"),
    Gate::new("tasks/result", "tasks"),
];

/// What a side may send only if it was declared. That a client declares modes of elicitation, and tools and the context of servers for
/// sampling, came with 2025-11-25; before it no client can, and what asks for them is a parameter like any other.
const FEATURES: &[Feature] = FEATURES_2025_11_25.split_at(5).0;

/// The same of 2025-11-25: what is new in it stands last.
const FEATURES_2025_11_25: &[Feature] = &[
    LOGGING,
    always("notifications/tools/list_changed", Side::Server, "tools.listChanged"),
    always("notifications/prompts/list_changed", Side::Server, "prompts.listChanged"),
    always("notifications/resources/list_changed", Side::Server, "resources.listChanged"),
    always("notifications/roots/list_changed", Side::Client, "roots.listChanged"),
    Feature {
        method: "elicitation/create",
        used: |facts| Facts::is(facts.mode(), "url"),
        by: Side::Client,
        needs: "elicitation.url",
    },
    Feature {
        method: "sampling/createMessage",
        used: |facts| facts.offers_tools,
        by: Side::Client,
        needs: "sampling.tools",
    },
    Feature {
        method: "sampling/createMessage",
        used: |facts| ["thisServer", "allServers"].iter().any(|it| Facts::is(facts.include_context(), it)),
        by: Side::Client,
        needs: "sampling.context",
    },
    Feature {
        method: "elicitation/create",
        used: |facts| facts.mode().is_none_or(|mode| Facts::is(Some(mode), "form")),
        by: Side::Client,
        needs: "elicitation.form",
    },
];

/// Log messages, in every revision.
const LOGGING: Feature = always("notifications/message", Side::Server, "logging");

const fn always(method: &'static str, by: Side, needs: &'static str) -> Feature {
    Feature { method, used: |_| true, by, needs }
}

/// What both sides hold back until the handshake is over.
const REQUESTS_BUT_PING: Waits = Waits::RequestsBut(&["ping"]);

/// -32002 is "resource not found".
const CODES: &[i64] = &[-32700, -32603, -32602, -32601, -32600, -32002];
/// -32042 is "URL elicitation required", of this revision only.
const CODES_2025_11_25: &[i64] = &[-32700, -32603, -32602, -32601, -32600, -32042, -32002];
