//! Flags about what counts as the same, and what fails: `replay` and `diff` have them.

use clap::{Args, ValueEnum};
use rpctape::replay::Verdict;
use rpctape::replay::options::{Compare, Gate, Matcher};

use super::config::ReplayConfig;
use super::nearest::nearest;

/// What counts as the same, and what fails.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What counts as the same")]
pub struct CompareArgs {
    /// Do not compare what stands here: a JSON pointer, `*` for any member, ` -> ` into JSON inside a string
    #[arg(long, value_name = "POINTER")]
    ignore: Vec<String>,
    /// What must stand here instead of being equal: uuid, datetime, type, present, absent, 1%, 0.01, len>=1, regex:...
    #[arg(long = "match", value_name = "POINTER=KIND", value_parser = matching)]
    matches: Vec<(String, Matcher)>,
    /// Compare this list as a map, by the member that names its entries
    #[arg(long, value_name = "POINTER by POINTER", value_parser = set_list)]
    set_list: Vec<(String, String)>,
    /// How far a number may be off: 0.5, or 1% of the recorded one
    #[arg(long, value_name = "POINTER=LIMIT", value_parser = tolerance)]
    tolerance: Vec<(String, Matcher)>,
    /// What is only there in the new answer is no change
    #[arg(long)]
    allow_added: bool,
    /// Compare also what notifications say, or what cancelled requests were answered
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    compare: Vec<Also>,
    /// What fails, instead of the usual verdicts: names with commas, such as stuck,violates
    #[arg(long, value_name = "VERDICT,...", value_delimiter = ',', value_parser = verdict)]
    fail_on: Option<Vec<Failing>>,
    /// Fail also where too little was exercised: raced cancels, requests that were not sent
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Also {
    /// What notifications say
    Notifications,
    /// What cancelled requests were answered
    Cancelled,
}

/// A verdict that fails, or all violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// This one.
    Verdict(Verdict),
    /// `violates-any`: also violations that the recording has too.
    ViolatesAny,
}

impl CompareArgs {
    /// With what the configuration says beside the flags.
    pub fn compare(&self, config: &ReplayConfig) -> Compare {
        let both = |own: &[String], said: &[String]| [own, said].concat();
        Compare {
            ignore: both(&self.ignore, &config.ignore),
            // The first rule that fits counts: flags stand before the file.
            matches: [&self.matches[..], &self.tolerance, &config.matches].concat(),
            sets: [&self.set_list[..], &config.sets].concat(),
            allow_added: self.allow_added,
            notifications: self.compare.contains(&Also::Notifications),
            cancelled: self.compare.contains(&Also::Cancelled),
        }
    }

    /// What fails.
    pub fn gate(&self, config: &ReplayConfig) -> Gate {
        let said = self.fail_on.as_ref().or(config.fail_on.as_ref());
        let verdicts = |list: &Vec<Failing>| {
            let each = list.iter().filter_map(|failing| match failing {
                Failing::Verdict(verdict) => Some(*verdict),
                Failing::ViolatesAny => None,
            });
            each.collect::<Vec<_>>()
        };
        let any = said.is_some_and(|list| list.contains(&Failing::ViolatesAny));
        let fail_on = said.map(verdicts).filter(|list| !list.is_empty() || !any);
        Gate { fail_on, strict: self.strict, violates_any: any }
    }
}

/// `POINTER=REST`.
fn split<'t>(text: &'t str, example: &str) -> std::result::Result<(&'t str, &'t str), String> {
    let (pointer, rest) = text.split_once('=').ok_or_else(|| format!("write it as {example}"))?;
    Ok((self::pointer(pointer)?, rest))
}

/// A JSON pointer, or a glob of one.
pub fn pointer(text: &str) -> std::result::Result<&str, String> {
    match text.is_empty() || text.starts_with('/') {
        true => Ok(text),
        false => Err(format!("`{text}` is no JSON pointer: it begins with a slash, such as /result/content/0/text")),
    }
}

fn matching(text: &str) -> std::result::Result<(String, Matcher), String> {
    let (pointer, kind) = split(text, "/result/id=uuid")?;
    Ok((pointer.to_string(), Matcher::read(kind)?))
}

fn tolerance(text: &str) -> std::result::Result<(String, Matcher), String> {
    let (pointer, limit) = split(text, "/result/total=1%")?;
    match Matcher::read(limit)? {
        matcher @ (Matcher::Absolute(_) | Matcher::Relative(_)) => Ok((pointer.to_string(), matcher)),
        _ => Err(format!("`{limit}` is no tolerance: write 0.5 or 1%")),
    }
}

/// `/result/items by /id`.
pub fn set_list(text: &str) -> std::result::Result<(String, String), String> {
    let (list, key) = text.split_once(" by ").ok_or("write it as '/result/items by /id'")?;
    Ok((pointer(list.trim())?.to_string(), pointer(key.trim())?.to_string()))
}

/// A verdict by its name.
pub fn verdict(text: &str) -> std::result::Result<Failing, String> {
    if text == "violates-any" {
        return Ok(Failing::ViolatesAny);
    }
    let names = || Verdict::ALL.into_iter().map(Verdict::as_str).chain(["violates-any"]);
    Verdict::from_name(text).map(Failing::Verdict).ok_or_else(|| match nearest(text, names()) {
        Some(near) => format!("there is no verdict {text}; did you mean {near}?"),
        None => format!("there is no verdict {text}; there are {}", names().collect::<Vec<_>>().join(", ")),
    })
}
