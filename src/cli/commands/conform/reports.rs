//! How a card is printed, and the reports that are written beside it.

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use rpctape::conform::Card;
use rpctape::error::{Error, Result};
use rpctape::output;
use rpctape::report::conform::{CARD_KINDS, CardKind, document, lines, screen};

use crate::cli::args::input;
use crate::cli::args::wanted::{Wanted, apart, take_stdout};
use crate::cli::screen::ScreenArgs;
use crate::cli::screen::io::{self, Out, written};

/// How the answer is printed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report")]
pub struct CardArgs {
    /// How to print the card
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Write the answer into a file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a report besides: junit, md (one row in the table of that file), jsonl or svg (a badge); may be given several times
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = input::name().try_map(|text| wanted(&text)))]
    reports: Vec<Wanted>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each sentence, violations with their proof, and what the server does besides
    #[default]
    Full,
    /// One JSON document
    Json,
    /// One JSON object a line, the last one a summary
    Jsonl,
}

fn wanted(text: &str) -> std::result::Result<Wanted, String> {
    Wanted::read(text, CARD_KINDS.iter().map(|kind| kind.name))
}

/// The ways out of one run, opened before it begins.
pub struct Reports {
    /// None where standard output is not ours, or a report's: the answer goes to standard error.
    answer: Option<Out>,
    beside: Vec<(&'static CardKind, Out, String)>,
    format: Format,
}

impl CardArgs {
    /// Opens all files; none of them may be another of them.
    pub fn open(&self) -> Result<Reports> {
        self.open_beside(false)
    }

    /// The same; where standard output is somebody else's, or a report goes there, the answer goes to standard error unless it
    /// has a file.
    pub fn open_beside(&self, taken: bool) -> Result<Reports> {
        apart(self.output.as_deref(), &self.reports)?;
        let mut beside = Vec::new();
        for report in &self.reports {
            let Some(kind) = CardKind::find(report.kind) else { continue };
            let path = report.file.as_path();
            // Only a table is gone on with; one that is not there yet is begun. A device or a FIFO holds none.
            let fault = |error: std::io::Error| Error::io("read", &path.display().to_string(), &error);
            let before = match kind.name == "md" && path.is_file() {
                true => output::read_small(path).map_err(fault)?,
                false => String::new(),
            };
            beside.push((kind, Out::open(report.path(), &[])?, before));
        }
        let ours = !taken && !take_stdout(&self.reports) || self.output.is_some();
        let answer = ours.then(|| Out::open(self.output.as_deref(), &[])).transpose()?;
        Ok(Reports { answer, beside, format: self.format })
    }

    /// True if the answer is for programs.
    pub fn is_json(&self) -> bool {
        self.format != Format::Full
    }
}

impl Reports {
    /// Writes all of them.
    pub fn write(mut self, card: &Card, args: &ScreenArgs) -> Result<()> {
        let fault = |error| output::failed("the report", error);
        let to_file = !matches!(self.answer, Some(Out::Stdout(_)));
        let text = match self.format {
            Format::Full => screen(card, &args.style(to_file, false)),
            Format::Json => document(card).map_err(fault)?,
            Format::Jsonl => lines(card).map_err(fault)?,
        };
        match &mut self.answer {
            Some(answer) => written(std::io::Write::write_all(answer, text.as_bytes()))?,
            None => text.trim_end().lines().for_each(io::say),
        }
        if let Some(answer) = self.answer {
            answer.close()?;
        }
        for (kind, mut out, before) in self.beside {
            let text = (kind.write)(card, &before).map_err(fault)?;
            written(std::io::Write::write_all(&mut out, text.as_bytes()))?;
            out.close()?;
        }
        Ok(())
    }
}
