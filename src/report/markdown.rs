//! `--report md=FILE`: a comment for a pull request, at most 60 kB. Findings that are alike are one row.

use std::collections::HashMap;
use std::io::{self, Write};

use super::escape::escape_cut;
use super::group::GroupKey;
use super::kinds::{Context, rank, sentence};
use super::number::{count, plural};
use super::unseen::unseen;
use super::{Coverage, Report, Summary};
use crate::store::FindingRow;

/// The most that the comment has, in bytes; GitHub refuses one of more than 65,536 characters.
pub(super) const LIMIT: usize = 60_000;
/// Room for what follows the table.
pub(super) const REST: usize = 4_000;
/// The longest piece of text from a log in a cell.
const CELL: usize = 200;
/// The longest sentence on what was not looked at.
const UNSEEN: usize = 600;

struct Row {
    severity: usize,
    cells: String,
    more: u64,
}

/// The format.
pub struct Markdown {
    context: Context,
    index: HashMap<GroupKey, usize>,
    rows: Vec<Row>,
}

impl Markdown {
    /// The format.
    pub fn new(context: &Context) -> Markdown {
        Markdown { context: context.clone(), index: HashMap::new(), rows: Vec::new() }
    }
}

/// Text from a log as Markdown text: nothing in it is markup, a mention, a reference or a link.
pub(super) fn cell(text: &str) -> String {
    cut_cell(text, CELL)
}

fn cut_cell(text: &str, longest: usize) -> String {
    let text = escape_cut(text, longest, None);
    let mut safe = String::with_capacity(text.len() + 32);
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            // A renderer finds mentions, references and bare links after it has decoded entities: these need a break.
            '@' | '#' => safe.push_str(&format!("{c}&#8203;")),
            '-' if before.ends_with("GH") || before.ends_with("gh") => safe.push_str("-&#8203;"),
            '.' if before.to_ascii_lowercase().ends_with("www") => safe.push_str(".&#8203;"),
            ':' if after.starts_with('/') => safe.push_str(":&#8203;"),
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '~' | '[' | ']' | '(' | ')' | '\\' | '!' | '$' | '"' => {
                safe.push_str(&format!("&#{};", c as u32));
            }
            c => safe.push(c),
        }
    }
    safe
}

impl Report for Markdown {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        let next = self.rows.len();
        let at = *self.index.entry(GroupKey::of(finding)).or_insert(next);
        if let Some(row) = self.rows.get_mut(at) {
            row.more += 1;
            return Ok(());
        }
        let parts = [finding.method.as_deref(), finding.name.as_deref()];
        let request = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let place = format!("{}:{}", self.context.path(&finding.source), finding.line);
        let cells = format!(
            "{} | `{}` {} | {} | {} | {}",
            finding.severity,
            finding.code,
            cell(&finding.rule),
            cell(&place),
            cell(&request),
            cell(&sentence(finding)),
        );
        self.rows.push(Row { severity: rank(&finding.severity), cells, more: 0 });
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        let counts = &summary.counts;
        let verdict = match (summary.exit, counts.findings) {
            (0, 0) => "clean",
            (0, _) => "pass",
            (1, _) => "fail",
            _ => "nothing was checked",
        };
        let mut text = format!(
            "### rpctape check: **{verdict}**\n\n{}, {}, {} in {} ({}, {}, {})\n",
            plural(counts.error, "error"),
            plural(counts.warning, "warning"),
            plural(counts.note, "note"),
            plural(summary.connections, "connection"),
            plural(summary.messages, "message"),
            plural(summary.requests, "request"),
            plural(summary.cancels, "cancel"),
        );
        self.rows.sort_by_key(|row| row.severity);
        if !self.rows.is_empty() {
            text.push_str("\n<details open><summary>Findings</summary>\n\n");
            text.push_str("| severity | rule | where | request | what | alike |\n|---|---|---|---|---|--:|\n");
        }
        let mut left = self.rows.len() as u64;
        for row in &self.rows {
            let more = if row.more > 0 { format!("+{}", count(row.more)) } else { String::new() };
            let line = format!("| {} | {more} |\n", row.cells);
            if text.len() + line.len() > LIMIT - REST {
                break;
            }
            text.push_str(&line);
            left -= 1;
        }
        if left > 0 {
            text.push_str(&format!("\n{} more kinds of findings are left out here.\n", count(left)));
        }
        if !self.rows.is_empty() {
            text.push_str("\n</details>\n");
        }
        if let Some(coverage) = &summary.coverage {
            text.push_str(&format!("\nJudged: {}.\n", coverage.told()));
            clauses(&mut text, coverage);
        }
        text.push_str(&format!(
            "\nNot looked at: {}. Not decidable from this log: {}.\n",
            cut_cell(&unseen(summary, &|source| self.context.path(source)), UNSEEN),
            plural(summary.undecidable.len() as u64, "rule"),
        ));
        out.write_all(text.as_bytes())
    }
}

/// Every clause as a row, as far as there is room.
fn clauses(text: &mut String, coverage: &Coverage) {
    if coverage.clauses.is_empty() {
        return;
    }
    text.push_str("\n<details><summary>Clauses</summary>\n\n");
    text.push_str("| profile | standing | side | clause | rules | because |\n|---|---|---|---|---|---|\n");
    let mut left = coverage.clauses.len() as u64;
    for row in &coverage.clauses {
        let line = format!(
            "| {} | {} | {} | {} {} | {} | {} |\n",
            row.profile,
            row.standing,
            row.side,
            row.level,
            cell(row.text),
            row.rules.join(" "),
            cell(&row.remark()),
        );
        if text.len() + line.len() > LIMIT - REST / 2 {
            break;
        }
        text.push_str(&line);
        left -= 1;
    }
    if left > 0 {
        text.push_str(&format!("\n{} are left out here.\n", plural(left, "more clause")));
    }
    text.push_str("\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::super::tests::late;
    use super::*;

    fn text(rows: &[FindingRow]) -> String {
        let (mut out, mut report) = (Vec::new(), Markdown::new(&Context::default()));
        for row in rows {
            report.finding(&mut out, row).expect("written");
        }
        report.finish(&mut out, &Summary::default()).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn nothing_in_a_cell_is_markup_or_a_mention() {
        assert_eq!(
            cell("a|b `c` <img> @name #123 GH-1 www.x.y http://z \u{1b}"),
            "a&#124;b &#96;c&#96; &#60;img&#62; @&#8203;name #&#8203;123 GH-&#8203;1 www.&#8203;x.y \
             http:&#8203;//z &#92;x1b"
        );
    }

    #[test]
    fn a_comment_stays_within_its_limit() {
        let rows: Vec<FindingRow> = (0..4000).map(|n| late(10 + n, &format!("tool|{}", n % 2000))).collect();
        let text = text(&rows);
        assert!(text.len() < LIMIT && text.len() > LIMIT / 2, "{}", text.len());
        assert!(text.contains("more kinds of findings are left out here") && text.ends_with(".\n"));
        assert!(text.lines().filter(|line| line.starts_with("| ")).all(|line| line.matches('|').count() == 7));
    }
}
