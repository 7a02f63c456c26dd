//! What the judgement assumes.

/// What the judgement assumes; flags and configuration change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Slack between tap and handler, in microseconds.
    pub slack_us: i64,
    /// Factor on the round-trip bound.
    pub factor: f64,
    /// Age from which an open request counts as stuck where no end was seen, in microseconds.
    pub stuck_after_us: i64,
    /// Age that a request must have when the connection ends, in microseconds.
    pub grace_us: i64,
    /// True to leave out the round-trip basis: such violations become undecidable.
    pub proof_only: bool,
    /// How many settled exchanges are remembered over all connections.
    pub window: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            slack_us: 10_000,
            factor: 2.0,
            stuck_after_us: 30_000_000,
            grace_us: 1_000_000,
            proof_only: false,
            window: 2_048,
        }
    }
}
