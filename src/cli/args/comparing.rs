//! Flags about what counts as the same, and what fails: `replay` and `diff` have them.

use clap::{Args, ValueEnum};
use rpctape::error::{Error, ErrorKind, Result};
use rpctape::replay::Verdict;
use rpctape::replay::compare::check;
use rpctape::replay::options::{Compare, Gate, Matcher};

use super::config::ReplayConfig;
use super::values::compare::{Failing, matching, set_list, tolerance, verdict};

/// What counts as the same, and what fails.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What counts as the same")]
pub struct CompareArgs {
    /// Do not compare what stands here: a JSON pointer, `*` for any member, ` -> ` into JSON inside a string; here and below it may be
    /// preceded by the requests that it holds for: 'tools/call:order /result/id'
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
    /// What fails, instead of the usual verdicts: names with commas, such as stuck,violates; or what is added to them and taken
    /// from them: +slower,-changed
    #[arg(long, value_name = "VERDICT,...", value_delimiter = ',', value_parser = verdict, allow_hyphen_values = true)]
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

impl CompareArgs {
    /// With what the configuration says beside the flags.
    pub fn compare(&self, config: &ReplayConfig) -> Result<Compare> {
        let both = |own: &[String], said: &[String]| [own, said].concat();
        let compare = Compare {
            ignore: both(&self.ignore, &config.ignore),
            // The first rule that fits counts: flags stand before the file.
            matches: [&self.matches[..], &self.tolerance, &config.matches, &config.tolerances].concat(),
            sets: [&self.set_list[..], &config.sets].concat(),
            allow_added: self.allow_added,
            notifications: self.compare.contains(&Also::Notifications),
            cancelled: self.compare.contains(&Also::Cancelled),
        };
        check(&compare)?;
        Ok(compare)
    }

    /// What fails. Names replace what the file says, and that the usual set; signs change it.
    pub fn gate(&self, config: &ReplayConfig) -> Result<Gate> {
        let own = self.fail_on.as_deref().unwrap_or_default();
        let said = config.fail_on.as_deref().unwrap_or_default();
        let signed = |list: &[Failing]| list.iter().any(|failing| failing.sign.is_some());
        for list in [own, said] {
            if signed(list) && list.iter().any(|failing| failing.sign.is_none()) {
                let error = Error::new(ErrorKind::Usage, "--fail-on has names with and without a sign");
                return Err(
                    error.hint("with signs it changes the usual set (+slower,-changed), without it replaces it")
                );
            }
        }
        let mut gate = Gate { strict: self.strict, ..Gate::default() };
        let lists: &[&[Failing]] = if own.is_empty() || signed(own) { &[said, own] } else { &[own] };
        for list in lists.iter().filter(|list| !list.is_empty()) {
            if !signed(list) {
                // Any violation: those that the recording lacks, too.
                let verdict = |failing: &Failing| failing.verdict.unwrap_or(Verdict::Violates);
                gate.violates_any = list.iter().any(|failing| failing.verdict.is_none());
                gate.fail_on = Some(list.iter().map(verdict).collect());
            }
            for failing in list.iter().filter(|failing| failing.sign.is_some()) {
                let adds = failing.sign == Some('+');
                match failing.verdict {
                    None => gate.violates_any = adds,
                    Some(verdict) => {
                        gate.more.retain(|other| *other != verdict);
                        gate.less.retain(|other| *other != verdict);
                        if adds { gate.more.push(verdict) } else { gate.less.push(verdict) }
                    }
                }
            }
        }
        Ok(gate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(own: &str, said: &str) -> Result<Gate> {
        let list = |text: &str| {
            let all: Vec<Failing> =
                text.split(',').filter(|name| !name.is_empty()).map(|name| verdict(name).unwrap()).collect();
            Some(all).filter(|all| !all.is_empty())
        };
        let args = CompareArgs { fail_on: list(own), ..CompareArgs::default() };
        args.gate(&ReplayConfig { fail_on: list(said), ..ReplayConfig::default() })
    }

    #[test]
    fn signs_change_the_usual_set_and_names_replace_it() {
        let both = gate("+slower,-changed,+violates-any", "").unwrap();
        assert_eq!((both.fail_on.clone(), both.violates_any), (None, true));
        assert_eq!((both.more, both.less), (vec![Verdict::Slower], vec![Verdict::Changed]));
        let replaced = gate("stuck", "+slower").unwrap();
        assert_eq!((replaced.fail_on, replaced.more), (Some(vec![Verdict::Stuck]), vec![]));
        let added = gate("-slower,+raced", "stuck,slower").unwrap();
        assert_eq!(added.fail_on, Some(vec![Verdict::Stuck, Verdict::Slower]));
        assert_eq!((added.more, added.less), (vec![Verdict::Raced], vec![Verdict::Slower]));
        let any = gate("violates-any,stuck", "").unwrap();
        assert_eq!((any.fail_on, any.violates_any), (Some(vec![Verdict::Violates, Verdict::Stuck]), true));
        assert!(gate("+slower,changed", "").is_err() && gate("", "-slower,changed").is_err());
        assert!(verdict("+slwer").is_err_and(|why| why.contains("slower")));
    }
}
