//! The flags of a run, to be copied: everything that was given, but what is said anew or is about reports.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::ReplayArgs;
use super::access::{Piece, pieces};
use rpctape::redact::Redactor;
use rpctape::report::shell;

/// Not repeated where the same is played at once: its name stands before the flags.
const FILES: &[&str] = &["files"];

/// Not repeated where a part of it is: what was played, how often, and what became of it.
const PLAYED: &[&str] = &[
    "files",
    "jobs",
    "connection",
    "from",
    "repeat",
    "cancel_sweep",
    "learn_noise",
    "noise_from",
    "update",
    "reason",
    "format",
    "output",
    "reports",
    "verbose",
    "keep",
    "db",
];

/// The flags of this command line for a part of what was played, with a blank before each, and the command behind its dashes. Values of
/// headers are secrets, and stand there as variables; others are replaced before the words are quoted.
pub(super) fn again(redactor: Option<Redactor>) -> String {
    given(PLAYED, redactor)
}

/// The same for all of it, where it could not be played.
pub(super) fn whole() -> String {
    given(FILES, Some(Redactor::default()))
}

fn given(left_out: &[&str], redactor: Option<Redactor>) -> String {
    // Behind the program comes the name of the command, which stands in the place of the program here.
    flags(std::env::args_os().skip(1), left_out, redactor).unwrap_or_default()
}

/// `None` where the words are no command line of `replay`.
fn flags(words: impl Iterator<Item = OsString>, left_out: &[&str], redactor: Option<Redactor>) -> Option<String> {
    let command = ReplayArgs::augment_args(Command::new("replay"));
    let matches = command.clone().try_get_matches_from(words).ok()?;
    let given = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let taken = command.get_arguments().filter(given).filter(|arg| !left_out.contains(&arg.get_id().as_str()));
    // The command of the server has no name, and stands behind all that has one.
    let (named, last): (Vec<&Arg>, Vec<&Arg>) = taken.partition(|arg| arg.get_long().is_some());
    let mut said: Vec<String> = named.iter().flat_map(|arg| repeated(arg, &matches)).collect();
    let server = last.iter().flat_map(|arg| values(arg, &matches)).flatten();
    said.extend(std::iter::once("--".to_string()).filter(|_| !last.is_empty()).chain(server));
    let said = redactor.map(|mut redactor| redactor.args(&said)).unwrap_or(said);
    Some(said.iter().map(|word| format!(" {}", shell::word(word))).collect())
}

/// A flag with its values, as often as it was given.
fn repeated(arg: &Arg, matches: &ArgMatches) -> Vec<String> {
    let name = format!("--{}", arg.get_long().unwrap_or_default());
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return vec![name];
    }
    let veil = |value: String| if arg.get_id() == "header" { veiled(&value) } else { value };
    let all = values(arg, matches).into_iter();
    all.flat_map(|values| [name.clone(), veil(values.join(","))]).collect()
}

/// The values, by occurrence.
fn values(arg: &Arg, matches: &ArgMatches) -> Vec<Vec<String>> {
    let text = |value: &std::ffi::OsStr| value.to_string_lossy().into_owned();
    let all = matches.get_raw_occurrences(arg.get_id().as_str());
    all.into_iter().flatten().map(|values| values.map(text).collect()).collect()
}

/// A header without its value, which is a secret where it was written out. What stands there are variables, and a scheme before them.
fn veiled(text: &str) -> String {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    let (name, pieces) = (name.trim(), pieces(value.trim()));
    let scheme = |text: &str| text.trim_end().chars().all(char::is_alphabetic) && text.ends_with(' ');
    let variables = match &pieces[..] {
        [Piece::Text(text), rest @ ..] if scheme(text) => rest,
        all => all,
    };
    let named = variables.iter().map(|piece| match piece {
        // What it is otherwise is a value, too.
        Piece::Variable { name, .. } => Some(format!("${{{name}}}")),
        Piece::Text(_) => None,
    });
    match named.collect::<Option<String>>().filter(|named| !named.is_empty()) {
        Some(named) => {
            let scheme = if variables.len() < pieces.len() { value.trim().split(' ').next() } else { None };
            format!("{name}: {}{named}", scheme.map_or(String::new(), |scheme| format!("{scheme} ")))
        }
        None => {
            let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
            format!("{name}: ${{{}}}", name.chars().map(letter).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, PLAYED, Redactor, flags, veiled};

    #[test]
    fn no_secret_stands_in_what_is_proposed() {
        assert_eq!(veiled("X-Api-Key: hunter2"), "X-Api-Key: ${X_API_KEY}");
        assert_eq!(veiled("A: Bearer ${TOKEN}"), "A: Bearer ${TOKEN}");
        assert_eq!(veiled("A:${ONE}${TWO}"), "A: ${ONE}${TWO}");
        // Neither what a variable is otherwise, nor what is written beside it.
        assert_eq!(veiled("A: Bearer ${TOKEN:-hunter2}"), "A: Bearer ${TOKEN}");
        assert_eq!(veiled("A: Bearer hunter${TWO}"), "A: ${A}");
        assert_eq!(veiled("Cookie: hunter=2; ${TWO}"), "Cookie: ${COOKIE}");
        // A placeholder in its place is one word, whatever a shell makes of its brackets.
        let line = "replay|x|--env|API_KEY=sk-live-abcdefghijklmnop1234567890|--strict|--|srv|--token|hunter2hunter2";
        let given = flags(line.split('|').map(Into::into), PLAYED, Some(Redactor::default())).expect("flags");
        let words = shlex::split(&given).expect("whole quotes");
        assert!(
            words.iter().any(|word| word.starts_with("API_KEY=<<secret:")) && !given.contains("hunter2"),
            "{given}"
        );
        assert!(given.contains("'API_KEY=<<secret:") && words.contains(&"--strict".to_string()), "{given}");
    }

    #[test]
    fn where_a_secret_is_found_is_none() {
        for place in ["env:TK", "file:/run/keys/x"] {
            let line = format!("replay|x|--secret|token#1={place}");
            let given = flags(line.split('|').map(Into::into), PLAYED, Some(Redactor::default())).expect("flags");
            assert_eq!(given, format!(" --secret 'token#1={place}'"));
        }
    }

    #[test]
    fn what_was_given_is_given_again() {
        let again = |line: &str| flags(line.split('|').map(Into::into), PLAYED, None).expect("flags");
        assert_eq!(
            again(
                "replay|a b.rec.jsonl|--allow|tools/call:a b|--fail-on|+slower,-changed|--strict|--ignore|/x|--ignore|/y z"
            ),
            " --allow 'tools/call:a b' --ignore /x --ignore '/y z' --fail-on +slower,-changed --strict"
        );
        assert_eq!(
            again("replay|x|--from|#2|--jobs|3|--report|md=x.md|--keep|y|--verbose|--format|jsonl|--|srv|--url|it's"),
            r" -- srv --url 'it'\''s'"
        );
        assert_eq!(
            again("replay|--header|Authorization: Bearer x|--url|http://a/|x|--speed|x2"),
            " --url http://a/ --header 'Authorization: ${AUTHORIZATION}' --speed x2"
        );
        assert_eq!(flags(["replay", "--nonsense"].iter().map(Into::into), PLAYED, None), None);
        let line = "replay|x.rec.jsonl|--allow|tools/call:*|--connection|2|--from|#2|--report|md=x.md";
        assert_eq!(again(line), " --allow 'tools/call:*'");
        let whole = flags(line.split('|').map(Into::into), FILES, None).expect("flags");
        assert_eq!(whole, " --allow 'tools/call:*' --from '#2' --connection 2 --report md=x.md");
    }
}
