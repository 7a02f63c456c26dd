//! Flags about how the answer looks, and what they come to on this terminal.

pub mod io;
pub mod progress;

use clap::{Args, ValueEnum};
use rpctape::report::Style;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How the answer looks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Screen")]
pub struct ScreenArgs {
    /// When to use colour (NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR are honoured)
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", hide_possible_values = true)]
    pub color: ColorChoice,
    /// Columns to use, instead of those of the terminal
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
    /// Keep our own text to ASCII
    #[arg(long)]
    pub ascii: bool,
}

impl ScreenArgs {
    /// The style for standard output, or for a file. `unlimited` is for answers that other programs read by lines.
    pub fn style(&self, to_file: bool, unlimited: bool) -> Style {
        let terminal = !to_file && io::stdout_is_terminal();
        let measured = if terminal { columns() } else { None };
        let fallback = if unlimited { None } else { Some(100) };
        let width = self.width.map(usize::from).or_else(env_columns).or(measured).or(fallback);
        Style { color: self.colored(terminal), ascii: self.ascii || !utf8_locale(), width }
    }

    fn colored(&self, terminal: bool) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if env("NO_COLOR").is_some() => false,
            ColorChoice::Auto if forced("CLICOLOR_FORCE") || forced("FORCE_COLOR") => true,
            ColorChoice::Auto => terminal && env("TERM").as_deref() != Some("dumb"),
        }
    }
}

fn forced(name: &str) -> bool {
    env(name).is_some_and(|value| value != "0")
}

/// A variable that is set and not empty. The binary may read the environment; the library may not.
#[allow(clippy::disallowed_methods)]
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable that is set, perhaps to nothing.
#[allow(clippy::disallowed_methods)]
#[cfg(feature = "live")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn env_columns() -> Option<usize> {
    env("COLUMNS")?.parse().ok().filter(|columns| *columns >= 40)
}

fn columns() -> Option<usize> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size()?;
    Some(usize::from(columns).max(40))
}

/// True where the locale shows more than ASCII. No locale at all (a bare CI job) counts as one that does.
fn utf8_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
    locale.is_none_or(|name| {
        let name = name.to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    })
}
