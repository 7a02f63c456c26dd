//! The command line: a table of contents. Every command lives in a file of its own under `cli/`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod cli;

use cli::commands;

/// A flight recorder and auditor for JSON-RPC: reads captured logs of MCP, ACP, LSP and plain JSON-RPC, pairs every
/// request with its cancellations and responses, and proves where either side broke the protocol.
#[derive(Parser, Debug)]
#[command(name = "rpctape", version, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "`rpctape FILE` alone is `rpctape ls FILE`.\n\
    Exit status: 0 clean, 1 violations at or above --fail-on, 2 could not run or nothing was checked.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Logs to list, where no command is given
    #[arg(value_name = "FILE", hide = true, value_parser = cli::source_name())]
    files: Vec<String>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Check(commands::check::CheckArgs),
    Ls(commands::ls::LsArgs),
    Show(commands::show::ShowArgs),
    Why(commands::why::WhyArgs),
    Tail(commands::tail::TailArgs),
    Open(commands::open::OpenArgs),
    Stats(commands::stats::StatsArgs),
    Ingest(commands::ingest::IngestArgs),
    Audit(Box<commands::audit::AuditArgs>),
    Facts(commands::facts::FactsArgs),
    Baseline(commands::baseline::BaselineArgs),
    #[cfg(feature = "live")]
    Replay(Box<commands::replay::ReplayArgs>),
    #[cfg(feature = "live")]
    Conform(Box<commands::conform::ConformArgs>),
    #[cfg(feature = "live")]
    Minimise(Box<commands::replay::minimise::MinimiseArgs>),
    Merge(commands::merge::MergeArgs),
    Diff(commands::diff::DiffArgs),
    Accept(commands::accept::AcceptArgs),
    Query(commands::query::QueryArgs),
    Export(commands::export::ExportArgs),
    Extract(commands::extract::ExtractArgs),
    Scrub(commands::scrub::ScrubArgs),
    #[cfg(feature = "live")]
    Mock(commands::mock::MockArgs),
    #[cfg(feature = "live")]
    Record(commands::record::RecordArgs),
    #[cfg(feature = "live")]
    Mcp(commands::mcp::McpArgs),
    Verify(commands::verify::VerifyArgs),
    #[cfg(feature = "live")]
    Wrap(commands::wrap::WrapArgs),
    #[cfg(feature = "live")]
    Unwrap(commands::wrap::UnwrapArgs),
    Sessions(commands::sessions::SessionsArgs),
    Formats(commands::formats::FormatsArgs),
    Rules(commands::rules::RulesArgs),
    Explain(commands::explain::ExplainArgs),
    Schema(commands::schema::SchemaArgs),
    Init(commands::init::InitArgs),
    Completions(commands::completions::CompletionsArgs),
    Man(commands::man::ManArgs),
}

/// Arguments with `--learn-noise 2` as `--learn-noise=2`: a number behind that flag is its value, anything else is a file.
fn friendly(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut options = true;
    for arg in args {
        options &= arg != "--";
        let number =
            arg.to_str().is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        match all.last_mut().filter(|last| options && number && *last == "--learn-noise") {
            Some(last) => {
                last.push("=");
                last.push(arg);
            }
            None => all.push(arg),
        }
    }
    all
}

fn main() -> ExitCode {
    cli::main(|stop| match cli::parse(friendly(std::env::args_os())) {
        Cli { command: None, files } => commands::ls::run_bare(files, &names(), stop),
        Cli { command: Some(command), .. } => match command {
            Command::Check(args) => commands::check::run(&args, stop),
            Command::Ls(args) => commands::ls::run(&args, stop),
            Command::Show(args) => commands::show::run(&args, stop),
            Command::Why(args) => commands::why::run(&args, &names(), stop),
            Command::Tail(args) => commands::tail::run(&args, stop),
            Command::Open(args) => commands::open::run(&args, stop),
            Command::Stats(args) => commands::stats::run(&args, stop),
            Command::Ingest(args) => commands::ingest::run(&args, stop),
            Command::Audit(args) => commands::audit::run(&args, stop),
            Command::Facts(args) => commands::facts::run(&args, stop),
            Command::Baseline(args) => commands::baseline::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Replay(args) => commands::replay::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Conform(args) => commands::conform::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Minimise(args) => commands::replay::minimise::run(&args, stop),
            Command::Merge(args) => commands::merge::run(&args),
            Command::Diff(args) => commands::diff::run(&args, stop),
            Command::Accept(args) => commands::accept::run(&args, stop),
            Command::Query(args) => commands::query::run(&args, stop),
            Command::Export(args) => commands::export::run(&args, stop),
            Command::Extract(args) => commands::extract::run(&args, stop),
            Command::Scrub(args) => commands::scrub::run(&args),
            #[cfg(feature = "live")]
            Command::Mock(args) => commands::mock::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Record(args) => commands::record::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Mcp(args) => commands::mcp::run(&args, stop),
            Command::Verify(args) => commands::verify::run(&args),
            #[cfg(feature = "live")]
            Command::Wrap(args) => commands::wrap::wrap(&args),
            #[cfg(feature = "live")]
            Command::Unwrap(args) => commands::wrap::unwrap(&args),
            Command::Sessions(args) => commands::sessions::run(&args, stop),
            Command::Formats(args) => commands::formats::run(&args),
            Command::Rules(args) => commands::rules::run(&args),
            Command::Explain(args) => commands::explain::run(&args),
            Command::Schema(args) => commands::schema::run(&args),
            Command::Init(args) => commands::init::run(&args),
            Command::Completions(args) => commands::completions::run(&args),
            Command::Man(args) => commands::man::run(&args),
        },
    })
}

/// Names of the commands, for a typo.
fn names() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_string()).collect()
}
