//! Commands to go on with: each can be pasted as it stands.

use rpctape::error::Result;
use rpctape::report::Judged;
use rpctape::report::why::Facts;
use rpctape::store::{ConnectionRow, ExchangeRow};

use super::WhyArgs;
use crate::cli::content::case::Case;
use rpctape::report::shell;

/// The command that tells of another connection.
pub fn incident(args: &WhyArgs, connection: &ConnectionRow) -> Option<String> {
    let (file, key) = (args.again()?, shell::shown(&connection.key)?);
    Some(format!("rpctape why {file} --connection {key}{}", args.read.typed()))
}

/// At most two commands: a look at what hangs, and a recording of it.
pub fn commands(case: &Case<'_>, facts: &Facts, args: &WhyArgs, commands: &[String]) -> Result<Vec<String>> {
    let how = args.read.typed();
    let late = facts.cancels.iter().filter(|cancel| Judged::of(&cancel.row).defied());
    let late = late.filter_map(|cancel| cancel.exchange.as_ref());
    let stuck = || facts.stuck.iter().map(|waiting| &waiting.row).filter(|row| facts.wanted(row.id));
    // What is merely open when the log ends comes last: nothing is wrong with it.
    let rest = late.chain(facts.open.iter().map(|waiting| &waiting.row)).filter(|row| facts.wanted(row.id));
    let rows: Vec<&ExchangeRow> = stuck().chain(rest).collect();
    let mut next: Vec<String> = Vec::new();
    // Of two sides that wait, the request of the server is the one to look at first.
    if let Some(first) = stuck().find(|row| row.issuer == "server").or(rows.first().copied()) {
        let name = |row: &ExchangeRow| {
            let label = shell::shown(&case.name(row)?);
            Ok(args.log_of(row).zip(label))
        };
        if let Some((file, label)) = name(first)? {
            next.push(format!("rpctape show {file} {label}{how}"));
        }
        let extract = commands.iter().any(|command| command == "extract");
        if let (true, Some((file, label))) = (extract, name(rows[0])?) {
            next.push(format!("rpctape extract {file} {label}{how} -o bug.rec.jsonl"));
        }
    }
    Ok(next)
}
