//! JSON schemas of what the commands print as JSON: public API, held against real output by tests.

/// Commands and their schemas (JSON Schema 2020-12). Commands that print the same objects share one.
pub const SCHEMAS: [(&str, &str); 16] = [
    ("check", CHECK),
    ("audit", CHECK),
    ("ls", include_str!("schemas/ls.json")),
    ("show", include_str!("schemas/show.json")),
    ("why", include_str!("schemas/why.json")),
    ("tail", include_str!("schemas/tail.json")),
    ("stats", include_str!("schemas/stats.json")),
    ("query", include_str!("schemas/query.json")),
    ("sessions", include_str!("schemas/sessions.json")),
    ("formats", include_str!("schemas/formats.json")),
    ("rules", include_str!("schemas/rules.json")),
    ("explain", include_str!("schemas/explain.json")),
    ("verify", include_str!("schemas/verify.json")),
    ("replay", REPLAY),
    ("diff", REPLAY),
    ("conform", include_str!("schemas/conform.json")),
];

const CHECK: &str = include_str!("schemas/check.json");
const REPLAY: &str = include_str!("schemas/replay.json");
