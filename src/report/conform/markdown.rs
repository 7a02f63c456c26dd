//! A card as one row of a Markdown table that collects the cards of many servers. No times: it is kept in a repository and compared.

use super::super::markdown::cell;
use crate::conform::{Card, Verdict};

/// The probes whose behaviour has a column, and its head.
const TOLD: [(&str, &str); 8] = [
    ("mid", "answers a cancel with"),
    ("early", "at once with"),
    ("before", "cancel before its request"),
    ("type", "cancel of \"2\" for 2"),
    ("as-request", "cancel with an id"),
    ("initialize", "cancel of the handshake"),
    ("progress", "progress behind the witness"),
    ("close", "after cancel and end of input"),
];

/// A file with the row of this card: one of the same server and protocol is replaced, others stay, and so does all around the table.
pub fn merge(card: &Card, before: &str) -> String {
    let (head, rule) = head();
    let own = row(card);
    let key = key(&own);
    let mut lines: Vec<String> = before.lines().map(str::to_string).collect();
    let Some(at) = lines.iter().position(|line| *line == head) else {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend([head, rule, own]);
        return lines.join("\n") + "\n";
    };
    let first = (at + 2).min(lines.len());
    let rows = lines[first..].iter().take_while(|line| line.starts_with('|')).count();
    match lines[first..first + rows].iter().position(|line| self::key(line) == key) {
        Some(place) => lines[first + place] = own,
        None => lines.insert(first + rows, own),
    }
    lines.join("\n") + "\n"
}

/// The first two cells: who, and what is spoken.
fn key(row: &str) -> Option<(&str, &str)> {
    let mut cells = row.trim_start_matches('|').split('|').map(str::trim);
    Some((cells.next()?, cells.next()?))
}

fn head() -> (String, String) {
    let mut heads = vec!["server", "protocol", "MUST", "SHOULD", "violates", "not observed"];
    heads.extend(TOLD.iter().map(|(_, head)| *head));
    (format!("| {} |", heads.join(" | ")), format!("|{}", "---|".repeat(heads.len())))
}

fn row(card: &Card) -> String {
    let score = |level: &str| {
        let tally = card.tally(level);
        format!("{}/{}", tally.honoured, tally.honoured + tally.violates + tally.not_observed)
    };
    let named = |verdict: Verdict| {
        let all = card.clauses.iter().filter(|clause| clause.verdict == verdict);
        let names: Vec<String> = all
            .map(|clause| {
                let name = clause.id.split_once('.').map_or(clause.id.as_str(), |(_, name)| name);
                if clause.known { format!("{name} (known)") } else { name.to_string() }
            })
            .collect();
        if names.is_empty() { "-".to_string() } else { names.join(", ") }
    };
    let does = |probe: &str| {
        let told = card.behaviours.iter().find(|behaviour| behaviour.probe == probe);
        told.map_or("?".to_string(), |behaviour| behaviour.does.clone())
    };
    let mut cells = vec![
        card.server.title(),
        card.server.protocol.clone(),
        score("MUST"),
        score("SHOULD"),
        named(Verdict::Violates),
        named(Verdict::NotObserved),
    ];
    cells.extend(TOLD.iter().map(|(probe, _)| does(probe)));
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    format!("| {} |", cells.join(" | "))
}
