//! One request at every hop that it passes, as a tree: each under the one that it serves.

use serde::Serialize;

use super::facts::{AtHop, label, title};
use super::rows::safe;
use crate::number::duration;
use crate::report::columns::{fit, pad};
use crate::report::time;
use crate::store::{CancellationRow, ExchangeRow};
use unicode_width::UnicodeWidthStr;

/// A request at one hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hopped {
    /// How many hops are above it.
    pub depth: u32,
    /// The hop, as the user calls it.
    pub hop: String,
    /// The request, as the screens name it.
    pub request: String,
    /// Method and tool.
    pub title: String,
    /// Line of the request.
    pub line: u64,
    /// When it was sent, by the clock of its hop.
    pub since_us: Option<i64>,
    /// What became of it there, in words.
    pub said: String,
}

/// What is said of a request at a hop.
pub fn hopped(at: &AtHop) -> Hopped {
    Hopped {
        depth: at.depth,
        hop: at.hop.clone(),
        request: label(&at.row),
        title: title(&at.row),
        line: at.row.line,
        since_us: at.row.sent_at_us,
        said: said(&at.row, at.cancel.as_ref()),
    }
}

fn said(row: &ExchangeRow, cancel: Option<&CancellationRow>) -> String {
    let after = |us: Option<i64>| us.map_or(String::new(), |us| format!(" after {}", duration(us)));
    let answered = row.response_id.is_some().then(|| format!("{}{}", row.outcome, after(row.latency_us)));
    match (cancel, answered) {
        (Some(cancel), Some(answered)) => format!("cancelled{}, {answered}", after(cancel.delay_us)),
        (Some(cancel), None) => format!("cancelled{}", after(cancel.delay_us)),
        (None, Some(answered)) => answered,
        (None, None) => "never answered, not cancelled".to_string(),
    }
}

/// The trees under each other, one line for each hop: what became of a request is kept, its title gives way.
pub fn lines(trees: &[Vec<Hopped>], width: usize) -> Vec<String> {
    let all = || trees.iter().flatten();
    let front = |one: &Hopped| format!("   {}{}", "  ".repeat(one.depth as usize), safe(&one.request, 16));
    let back = |one: &Hopped| {
        format!("{}  {}", time::clock(one.since_us.unwrap_or_default()).chars().take(8).collect::<String>(), one.said)
    };
    let fronts = all().map(|one| front(one).width()).max().unwrap_or(0);
    let hops = all().map(|one| safe(&one.hop, 16).width()).max().unwrap_or(0);
    let taken = fronts + hops + all().map(|one| back(one).width()).max().unwrap_or(0) + 6;
    let titles = all().map(|one| safe(&one.title, width).width()).max().unwrap_or(0);
    let room = width.saturating_sub(taken).clamp(8, titles.max(8));
    // Where one of them has room for its tool alone, so have all: they are the same request.
    let cut = titles > room;
    let line = |one: &Hopped| {
        let text = one.title.split_once(' ').filter(|_| cut).map_or(one.title.as_str(), |(_, tool)| tool);
        let (name, hop) = (pad(&front(one), fronts), pad(&safe(&one.hop, 16), hops));
        let title = pad(&safe(text, room), room);
        fit(&format!("{name} {title}  {hop}  {}", back(one)), width)
    };
    all().map(line).collect()
}
