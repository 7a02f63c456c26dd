//! The postmortem on one screen: at most forty lines, at most as wide as the terminal.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use super::facts::Facts;
use super::hops;
use super::postmortem::{Cancel, Open, Postmortem, Slow, Stuck, postmortem};
use super::rows::{self, Row, Titles, safe, way};
use super::timeline::{LEGEND, Timeline};
use crate::number::duration;
use crate::report::columns::{fit, hang, pad};
use crate::report::escape::escape;
use crate::report::{Ink, Style, Unread, number, time};
use crate::store::{ConnectionRow, ExchangeRow};

/// Lines of the whole screen.
const LINES: usize = 40;

/// Rows of a block.
const ROWS: usize = 5;

/// Other connections that are named.
const OTHERS: usize = 4;

/// Patterns that are named.
const PATTERNS: usize = 3;

/// Columns from which rows have room for all that is known.
const WIDE: usize = 100;

/// Methods and tools of requests without an answer: why nothing more is said of one may be cut.
const OPEN: Titles = Titles { usual: 28, least: 18 };

/// Those of the slowest.
const SLOW: Titles = Titles { usual: 40, least: 12 };

/// Those of cancelled ones: what became of a cancel may not.
const CANCELS: Titles = Titles { usual: 26, least: 12 };

/// What is said behind a chain that comes back to where it began.
const CYCLE: &str = "   CYCLE: both sides wait";

/// Columns below which there is no timeline. It is the last to go: tables lose columns first.
pub const TIMELINE_FROM: usize = 60;

/// Another connection.
#[derive(Clone, Debug, Default)]
pub struct Other {
    /// What is to be said of it.
    pub line: String,
    /// The command that tells more, ready to be copied; for those in trouble.
    pub command: Option<String>,
}

/// What is written besides the facts.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The other connections, the worst first.
    pub others: Vec<Other>,
    /// Commands to go on with, ready to be copied.
    pub next: Vec<String>,
    /// True to show every row.
    pub all: bool,
    /// True where the slowest are only those among the last requests.
    pub cut: bool,
}

/// Writes the screen.
pub fn write_screen(out: &mut dyn Write, facts: &Facts, around: &Around, style: &Style) -> io::Result<()> {
    let told = postmortem(facts);
    let screen = Screen { facts, told: &told, around, style, width: style.columns() };
    let mut blocks = vec![screen.head(), screen.stuck(), screen.open(), screen.last_words(), screen.waiting()];
    blocks.extend([screen.cancelled(), screen.hops(), screen.timeline(), screen.not_read(), screen.verdict()]);
    blocks.push(screen.others());
    blocks.retain(|block| !block.is_empty());
    let height = |blocks: &[Vec<String>]| blocks.iter().map(|block| block.len() + 1).sum::<usize>() - 1;
    if !around.all && height(&blocks) > LINES {
        blocks.retain(|block| !block[0].contains("TIMELINE"));
    }
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        for line in block {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

struct Screen<'a> {
    facts: &'a Facts,
    told: &'a Postmortem,
    around: &'a Around,
    style: &'a Style,
    width: usize,
}

fn clock(us: Option<i64>) -> String {
    us.map(|us| time::clock(us).chars().take(8).collect()).unwrap_or_default()
}

impl Screen<'_> {
    fn title(&self, word: &str, rest: &str) -> String {
        fit_line(&format!(" {}{rest}", self.style.paint(Ink::Strong, word)), rest, word, self.width)
    }

    /// A heading and its rows; where there are too many, the first ones and how many more.
    fn block(&self, word: &str, rows: &[String]) -> Vec<String> {
        if rows.is_empty() {
            return Vec::new();
        }
        let shown = if self.around.all || rows.len() <= ROWS { rows.len() } else { ROWS };
        let mut lines = vec![self.title(word, "")];
        lines.extend(rows[..shown].iter().map(|row| fit(row, self.width)));
        if shown < rows.len() {
            lines.push(format!("   and {} more: --all", number::count((rows.len() - shown) as u64)));
        }
        lines
    }

    fn head(&self) -> Vec<String> {
        let connection: &ConnectionRow = &self.facts.connection;
        let names = match (&connection.client_name, &connection.server_name) {
            _ if self.width < 90 => String::new(),
            (None, None) => String::new(),
            (client, server) => {
                let name = |name: &Option<String>, none: &str| safe(name.as_deref().unwrap_or(none), 30);
                format!(", {} -> {}", name(client, "unnamed client"), name(server, "unnamed server"))
            }
        };
        // The other word of the database, `stdio`, is that of every ordered channel: no log shows that it was a pipe.
        let http = if connection.transport == "http" { ", http" } else { "" };
        let first = format!("  {}   {}{http}{names}", safe(&connection.key, 40), safe(&self.told.profile, 30));
        let span = match (connection.first_at_us, connection.last_at_us) {
            (Some(first), Some(last)) => time::span(first, last),
            _ => "no times".to_string(),
        };
        let whole = match (self.facts.has_gap, connection.complete_head) {
            (true, _) if !self.told.unread.is_empty() => "messages were not read",
            (true, _) => "messages are missing",
            (false, true) => "complete, 0 lost",
            (false, false) => "0 lost, starts midway",
        };
        let mut lines = vec![self.title("SESSION", &first)];
        let second = format!(" {span}   {}   {whole}", self.told.ending);
        if second.len() <= self.width {
            lines.push(second);
        } else {
            lines.push(fit(&format!(" {span}"), self.width));
            lines.push(fit(&format!(" {}   {whole}", self.told.ending), self.width));
        }
        lines
    }

    fn stuck(&self) -> Vec<String> {
        if !self.told.stuck.is_empty() {
            let rows: Vec<Row> = self.told.stuck.iter().map(|stuck| stuck_row(stuck, self.width)).collect();
            return self.block("STUCK when the log ends", &rows::lines(&rows, &OPEN, self.width));
        }
        if !self.told.open.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![self.title("NOTHING IS STUCK", "")];
        if self.told.slowest.is_empty() {
            return lines;
        }
        let among = if self.around.cut { " of the last requests" } else { "" };
        lines.push(format!(" slowest{among}:"));
        let rows: Vec<Row> = self.told.slowest.iter().map(slow_row).collect();
        lines.extend(rows::lines(&rows, &SLOW, self.width));
        lines
    }

    fn open(&self) -> Vec<String> {
        let rows: Vec<Row> = self.told.open.iter().map(open_row).collect();
        self.block("OPEN when the log ends, and not said to be stuck", &rows::lines(&rows, &OPEN, self.width))
    }

    fn not_read(&self) -> Vec<String> {
        let width = self.width.saturating_sub(4);
        let told = |one: &Unread| {
            let lines = [hang(&escape(&one.told()), width), hang(&escape(&one.help()), width)].concat();
            // A command is there to be copied: it is not cut, whatever the width.
            let command = one.command().map(|command| format!("    {}", escape(&command)));
            lines.into_iter().map(|line| fit(&line, width)).chain(command).collect::<Vec<_>>()
        };
        let rows: Vec<String> = self.told.unread.iter().flat_map(told).map(|line| format!("   {line}")).collect();
        if rows.is_empty() { rows } else { [vec![self.title("NOT READ", "")], rows].concat() }
    }

    fn last_words(&self) -> Vec<String> {
        let room = self.width.saturating_sub(4);
        let rows: Vec<String> =
            self.told.last_words.iter().map(|line| format!("   {}", safe(line.trim_end(), room))).collect();
        self.block("LAST WORDS on stderr", &rows)
    }

    fn waiting(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for chain in self.told.waiting.iter().take(if self.around.all { usize::MAX } else { 3 }) {
            let text = safe(&chain.text(), 2 * self.width);
            rows.extend(hang(&text, self.width.saturating_sub(3)).into_iter().map(|line| format!("   {line}")));
            match rows.last_mut().filter(|_| chain.cycle) {
                Some(last) if last.width() + CYCLE.len() <= self.width => last.push_str(CYCLE),
                Some(_) => rows.push(CYCLE.to_string()),
                None => {}
            }
            if !chain.linked {
                rows.push("   inferred from the order: the protocol does not link the two".into());
            }
        }
        for alive in &self.told.alive {
            let how = alive.latency_us.map_or(String::new(), |us| format!(" in {}", duration(us)));
            let at = alive.at_us.map_or(String::new(), |us| format!(" at {}", clock(Some(us))));
            let what = format!("{} {}", alive.request, alive.title);
            rows.push(format!("   the {} was alive: {} answered{how}{at}", alive.side, safe(&what, 40)));
        }
        let mut lines = self.block("WAITING ON", &rows);
        if !self.around.all && self.told.waiting.len() > 3 && !lines.is_empty() {
            lines.push(format!("   and {} more: --all", self.told.waiting.len() - 3));
        }
        lines
    }

    fn cancelled(&self) -> Vec<String> {
        // Trouble first where not all fit, but what is shown stays in order.
        let mut kept: Vec<(usize, &Cancel)> = self.told.cancels.iter().enumerate().collect();
        if !self.around.all && kept.len() > ROWS {
            kept.sort_by_key(|(index, cancel)| (matches!(cancel.verdict.as_str(), "ok" | ""), *index));
            kept.truncate(ROWS);
            kept.sort_by_key(|(index, _)| *index);
        }
        let rows: Vec<Row> = kept.iter().map(|(_, cancel)| self.cancel_row(cancel)).collect();
        let mut lines = self.block("CANCELLED", &rows::lines(&rows, &CANCELS, self.width));
        if kept.len() < self.told.cancels.len() {
            lines.push(format!("   and {} more: --all", number::count((self.told.cancels.len() - kept.len()) as u64)));
        }
        lines
    }

    /// Requests at every hop, each under the one that it serves. What is below may be what the reader looks for: no line is left out.
    fn hops(&self) -> Vec<String> {
        let lines = hops::lines(&self.told.hops, self.width);
        if lines.is_empty() { lines } else { [vec![self.title("HOPS", "")], lines].concat() }
    }

    /// The other connections, those in trouble with the command that tells of them.
    fn others(&self) -> Vec<String> {
        let others = &self.around.others;
        if others.is_empty() {
            return Vec::new();
        }
        let most = if self.around.all { others.len() } else { OTHERS };
        let mut lines = vec![self.title("OTHER CONNECTIONS", "")];
        for other in &others[..most.min(others.len())] {
            lines.push(fit(&other.line, self.width));
            // A command is there to be copied: it is not cut, whatever the width.
            lines.extend(other.command.as_ref().map(|command| format!("     {}", escape(command))));
        }
        if let Some(rest) = others.len().checked_sub(most).filter(|rest| *rest > 0) {
            lines.push(format!("   and {} more: --all", number::count(rest as u64)));
        }
        lines
    }

    fn cancel_row(&self, cancel: &Cancel) -> Row {
        let delay = cancel.delay_us.map_or(String::new(), |us| format!("after {}", duration(us)));
        let before = format!("{:8}  {delay:>12}  ", clock(cancel.at_us));
        let after = format!("{}  {}", cancel.said, cancel.verdict);
        let reason =
            if self.width < WIDE { String::new() } else { self.reason(cancel, before.width() + after.width()) };
        let (request, title) = (cancel.request.clone(), cancel.title.clone());
        Row { request, way: "", title, rest: format!("{before}{reason}{after}") }
    }

    /// What became of a cancel matters more than why it was sent: the reason gives way.
    fn reason(&self, cancel: &Cancel, taken: usize) -> String {
        let room = self.width.saturating_sub(taken + CANCELS.usual + 7).clamp(8, 15);
        let reason = cancel.reason.as_ref();
        let reason = reason.map_or("no reason".to_string(), |reason| format!("\"{}\"", safe(reason, room - 2)));
        format!("{}  ", pad(&reason, room))
    }

    fn timeline(&self) -> Vec<String> {
        if self.width < TIMELINE_FROM {
            return Vec::new();
        }
        let most = if self.around.all { 20 } else { ROWS };
        let rows = lanes(self.facts, most);
        let name = name_room(self.width);
        let Some(timeline) = Timeline::of(self.facts, &rows, self.width - name - 6) else { return Vec::new() };
        if timeline.lanes.is_empty() {
            return Vec::new();
        }
        let mut lines = legend(self, &timeline.scale());
        let short = rows::short(timeline.lanes.iter().map(|lane| lane.request.as_str()));
        for (lane, request) in timeline.lanes.iter().zip(short) {
            let title = rows::title(&lane.title, name.saturating_sub(request.width() + 2));
            lines.push(format!("   {} |{}|", pad(&format!("{request} {title}"), name - 1), lane.letters));
        }
        lines.push(format!("   {} {}", " ".repeat(name - 1), timeline.start()));
        lines
    }

    fn verdict(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let limit = self.width.saturating_sub(15);
        let shown = if self.around.all { self.told.patterns.len() } else { PATTERNS };
        for (index, pattern) in self.told.patterns.iter().take(shown).enumerate() {
            let word = match (index, pattern.letter) {
                (_, 'i') => "NO VERDICT",
                (0, _) => "MOST LIKELY",
                _ => "ALSO",
            };
            for (nth, line) in crate::report::wrap(&escape(&pattern.text), limit).into_iter().take(3).enumerate() {
                let word = if nth == 0 { word } else { "" };
                lines.push(format!(" {}  {}", self.style.paint(Ink::Strong, &pad(word, 11)), fit(&line, limit)));
            }
        }
        if shown < self.told.patterns.len() {
            lines.push(format!(" {}  and {} more: --all", pad("", 11), self.told.patterns.len() - shown));
        }
        for (index, next) in self.around.next.iter().enumerate() {
            let word = if index == 0 { "NEXT" } else { "" };
            // A command is there to be copied: it is not cut, whatever the width.
            lines.push(format!(" {}  {}", self.style.paint(Ink::Strong, &pad(word, 11)), escape(next)));
        }
        lines
    }
}

/// How many columns the label and title of a row of the timeline take.
pub fn name_room(width: usize) -> usize {
    if width >= WIDE { 29 } else { 21 }
}

fn legend(screen: &Screen<'_>, scale: &str) -> Vec<String> {
    if screen.width >= WIDE {
        return vec![screen.title("TIMELINE", &format!("  {scale}    {LEGEND}"))];
    }
    vec![screen.title("TIMELINE", &format!("  {scale}")), fit(&format!("   {LEGEND}"), screen.width)]
}

fn fit_line(painted: &str, rest: &str, word: &str, width: usize) -> String {
    // Colour takes no columns: only the text behind the heading is cut.
    let plain = 1 + word.len();
    match rest.is_empty() {
        true => painted.to_string(),
        false => format!("{}{}", painted.strip_suffix(rest).unwrap_or(painted), fit(rest, width.saturating_sub(plain))),
    }
}

fn stuck_row(stuck: &Stuck, width: usize) -> Row {
    let name = stuck.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    let age = stuck.age_us.map_or("no times".to_string(), duration);
    let life = match (&stuck.last_life, stuck.last_life_us) {
        (Some(said), at) => format!("last life: {} {}", safe(said, 16), clock(at)),
        _ => stuck.exchange_end.clone().unwrap_or_else(|| "no sign of life".to_string()),
    };
    let since =
        stuck.since_us.filter(|_| width >= WIDE).map_or(String::new(), |us| format!("since {}   ", clock(Some(us))));
    let rest = format!("{age:>9}  {since}{life}");
    Row { request: stuck.request.clone(), way: way(&stuck.issuer), title: format!("{}{name}", stuck.method), rest }
}

fn open_row(open: &Open) -> Row {
    let age = open.age_us.map_or("no times".to_string(), duration);
    let rest = format!("{age:>9}  {}", escape(&open.because));
    Row { request: open.request.clone(), way: way(&open.issuer), title: open.title.clone(), rest }
}

fn slow_row(slow: &Slow) -> Row {
    let (latency, at) = (duration(slow.latency_us), clock(slow.sent_us));
    let rest = format!("{latency:>9}  {at}  {} (line {})", slow.outcome, slow.line);
    Row { request: slow.request.clone(), way: "", title: slow.title.clone(), rest }
}

/// The requests that get a row: stuck ones, then cancelled ones, then those that show that a side was alive.
fn lanes(facts: &Facts, most: usize) -> Vec<&ExchangeRow> {
    let mut rows: Vec<&ExchangeRow> = Vec::new();
    let stuck = facts.stuck.iter().map(|waiting| &waiting.row).take(most.saturating_sub(2).max(1));
    let bad = facts
        .cancels
        .iter()
        .filter(|cancel| matches!(cancel.row.effect.as_deref(), Some("result" | "partial" | "error" | "unsettled")));
    let late = bad.filter_map(|cancel| cancel.exchange.as_ref());
    let alive = facts.stuck.first().and_then(|first| facts.alive("server", first.row.id));
    let rest = facts.cancels.iter().filter_map(|cancel| cancel.exchange.as_ref());
    let others = facts.stuck.iter().map(|waiting| &waiting.row);
    for row in stuck.chain(late).chain(alive).chain(rest).chain(others) {
        if rows.len() < most && facts.wanted(row.id) && !rows.iter().any(|other| other.id == row.id) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| row.id);
    rows
}
