//! Notes about the capture itself, not about the parties: what it cannot show, and what that means for the other rules.

pub mod capture_ends_open;
pub mod capture_starts_midway;
pub mod clock_runs_backwards;
pub mod jsonrpc_member_dropped;
pub mod no_usable_time;
pub mod possible_secret;
pub mod revision_unknown;
