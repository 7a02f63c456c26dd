//! What commands that print something of a log have in common: how it is read, what is taken out, how the answer looks.

use clap::Args;

use super::input::ReadArgs;
use super::terms::RedactArgs;
use crate::cli::screen::ScreenArgs;

/// Of commands that show messages, or texts out of them.
#[derive(Args, Clone, Debug, Default)]
pub struct ViewArgs {
    #[command(flatten)]
    pub redact: RedactArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Of commands that take out secrets by themselves, or answer a query as it stands.
#[derive(Args, Debug, Default)]
pub struct PlainArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub screen: ScreenArgs,
}
