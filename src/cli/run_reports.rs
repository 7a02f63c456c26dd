//! How the report of a run is printed, and the reports that are written beside it: `replay` and `diff` have these flags.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rpctape::error::Result;
use rpctape::replay::RunReport;

use super::config::Config;

/// How the answer is printed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report")]
pub struct RunReportArgs {
    /// How to print the verdicts
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show also what is the same
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table, the differences, and the verdict of the run
    #[default]
    Full,
    /// One JSON document
    Json,
    /// One JSON object a line, the last one a summary
    Jsonl,
}

impl RunReportArgs {
    pub fn first_file(&self) -> Option<&Path> {
        None
    }
    pub fn print(&self, report: &RunReport, _config: &Config) -> Result<()> {
        super::io::print(&format!("{report:#?}\n"))
    }
}
