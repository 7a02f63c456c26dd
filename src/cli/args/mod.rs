//! Flags that commands share, values as users write them, and the configuration behind the flags.

pub mod comparing;
pub mod config;
pub mod connection;
pub mod header;
pub mod input;
#[cfg(feature = "live")]
pub mod jsonc;
pub mod judge;
pub mod moment;
pub mod reports;
pub mod request_name;
pub mod run_reports;
pub mod terms;
pub mod usage;
pub mod values;
pub mod view;
pub mod wanted;
