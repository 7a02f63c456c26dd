//! The command line: a table of contents. Every command lives in a file of its own under `cli/`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod cli;

/// A flight recorder and auditor for JSON-RPC: reads captured logs of MCP, ACP, LSP and plain JSON-RPC, pairs every
/// request with its cancellations and responses, and proves where either side broke the protocol.
#[derive(Parser, Debug)]
#[command(name = "rpctape", version, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true, disable_help_subcommand = true)]
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
    Check(cli::check::CheckArgs),
    Ls(cli::ls::LsArgs),
    Show(cli::show::ShowArgs),
    Why(cli::why::WhyArgs),
    Open(cli::open::OpenArgs),
    Stats(cli::stats::StatsArgs),
    Ingest(cli::ingest::IngestArgs),
    Audit(Box<cli::audit::AuditArgs>),
    Facts(cli::facts::FactsArgs),
    Baseline(cli::baseline::BaselineArgs),
    #[cfg(feature = "live")]
    Replay(Box<cli::replay::ReplayArgs>),
    #[cfg(feature = "live")]
    Conform(Box<cli::conform::ConformArgs>),
    #[cfg(feature = "live")]
    Minimise(Box<cli::replay::minimise::MinimiseArgs>),
    Merge(cli::merge::MergeArgs),
    Diff(cli::diff::DiffArgs),
    Accept(cli::accept::AcceptArgs),
    Query(cli::query::QueryArgs),
    Export(cli::export::ExportArgs),
    Extract(cli::extract::ExtractArgs),
    Scrub(cli::scrub::ScrubArgs),
    #[cfg(feature = "live")]
    Mock(cli::mock::MockArgs),
    #[cfg(feature = "live")]
    Record(cli::record::RecordArgs),
    #[cfg(feature = "live")]
    Mcp(cli::mcp::McpArgs),
    Verify(cli::verify::VerifyArgs),
    #[cfg(feature = "live")]
    Wrap(cli::wrap::WrapArgs),
    #[cfg(feature = "live")]
    Unwrap(cli::wrap::UnwrapArgs),
    Sessions(cli::sessions::SessionsArgs),
    Formats(cli::formats::FormatsArgs),
    Rules(cli::rules::RulesArgs),
    Explain(cli::explain::ExplainArgs),
    Init(cli::init::InitArgs),
    Completions(cli::completions::CompletionsArgs),
    Man(cli::man::ManArgs),
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
    cli::main(|stop| match Cli::parse_from(friendly(std::env::args_os())) {
        Cli { command: None, files } => cli::ls::run_bare(files, &names(), stop),
        Cli { command: Some(command), .. } => match command {
            Command::Check(args) => cli::check::run(&args, stop),
            Command::Ls(args) => cli::ls::run(&args, stop),
            Command::Show(args) => cli::show::run(&args, stop),
            Command::Why(args) => cli::why::run(&args, &names(), stop),
            Command::Open(args) => cli::open::run(&args, stop),
            Command::Stats(args) => cli::stats::run(&args, stop),
            Command::Ingest(args) => cli::ingest::run(&args, stop),
            Command::Audit(args) => cli::audit::run(&args, stop),
            Command::Facts(args) => cli::facts::run(&args, stop),
            Command::Baseline(args) => cli::baseline::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Replay(args) => cli::replay::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Conform(args) => cli::conform::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Minimise(args) => cli::replay::minimise::run(&args, stop),
            Command::Merge(args) => cli::merge::run(&args),
            Command::Diff(args) => cli::diff::run(&args, stop),
            Command::Accept(args) => cli::accept::run(&args, stop),
            Command::Query(args) => cli::query::run(&args, stop),
            Command::Export(args) => cli::export::run(&args, stop),
            Command::Extract(args) => cli::extract::run(&args, stop),
            Command::Scrub(args) => cli::scrub::run(&args),
            #[cfg(feature = "live")]
            Command::Mock(args) => cli::mock::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Record(args) => cli::record::run(&args, stop),
            #[cfg(feature = "live")]
            Command::Mcp(args) => cli::mcp::run(&args, stop),
            Command::Verify(args) => cli::verify::run(&args),
            #[cfg(feature = "live")]
            Command::Wrap(args) => cli::wrap::wrap(&args),
            #[cfg(feature = "live")]
            Command::Unwrap(args) => cli::wrap::unwrap(&args),
            Command::Sessions(args) => cli::sessions::run(&args, stop),
            Command::Formats(args) => cli::formats::run(&args),
            Command::Rules(args) => cli::rules::run(&args),
            Command::Explain(args) => cli::explain::run(&args),
            Command::Init(args) => cli::init::run(&args),
            Command::Completions(args) => cli::completions::run(&args),
            Command::Man(args) => cli::man::run(&args),
        },
    })
}

/// Names of the commands, for a typo.
fn names() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_string()).collect()
}
