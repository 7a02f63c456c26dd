//! The timeline as it is printed: the requests that matter most, each a bar.

use std::fmt::Write;

use super::core::{is_late, is_stuck};
use super::escape::Esc;
use super::gathered::Gathered;
use crate::number::duration;
use crate::report::time;
use crate::store::ExchangeRow;

/// Bars of the picture.
const BARS: usize = 24;
/// Width of the picture and of its labels, and the height of a bar, in pixels.
const WIDTH: i64 = 1_000;
const LABELS: i64 = 260;
const HEIGHT: i64 = 20;
/// The longest label, in characters.
const LONGEST: usize = 36;

/// Writes the picture, or says why there is none.
pub fn write(html: &mut String, gathered: &Gathered, flags: &[u8]) -> std::fmt::Result {
    let first = gathered.connections.iter().filter_map(|row| row.first_at_us).min();
    let last = gathered.connections.iter().filter_map(|row| row.last_at_us).max();
    let Some((first, last)) = first.zip(last).filter(|(first, last)| last > first) else {
        html.push_str("<p>The log has no times to draw.</p>\n");
        return Ok(());
    };
    let rows = chosen(gathered, flags);
    let height = HEIGHT * (rows.len() as i64 + 1);
    let told = format!("{} of {} requests, {}", rows.len(), gathered.exchanges.len(), time::span(first, last));
    writeln!(html, "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">", Esc(&told))?;
    writeln!(html, "<title>{}</title>", Esc(&told))?;
    let at = |us: i64| LABELS + (us - first).clamp(0, last - first) * (WIDTH - LABELS) / (last - first);
    for (nth, (row, flag)) in rows.iter().enumerate() {
        let (y, sent) = (HEIGHT * nth as i64, row.sent_at_us.unwrap_or(first));
        let end = row.settled_at_us.unwrap_or(last).max(sent);
        let class = match (is_stuck(*flag), is_late(*flag)) {
            (true, _) => "stuck",
            (false, true) => "late",
            (false, false) if row.settled_at_us.is_none() => "open",
            (false, false) => "well",
        };
        let label: String = title(row).chars().take(LONGEST).collect();
        writeln!(html, "<text x=\"0\" y=\"{}\">{}</text>", y + 14, Esc(&label))?;
        let width = (at(end) - at(sent)).max(3);
        let ends = if class == "stuck" {
            "never answered".to_string()
        } else {
            format!("{} {}", row.outcome, duration(end - sent))
        };
        writeln!(
            html,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"12\"><title>{}</title></rect>",
            at(sent),
            y + 4,
            Esc(&ends)
        )?;
    }
    writeln!(html, "<text x=\"{LABELS}\" y=\"{}\">{}</text>", height - 5, time::clock(first))?;
    writeln!(html, "<text x=\"{WIDTH}\" y=\"{}\" text-anchor=\"end\">{}</text>\n</svg>", height - 5, time::clock(last))
}

/// Those that are stuck, those that went on after a cancel, then the longest; in the order of the log.
fn chosen<'a>(gathered: &'a Gathered, flags: &[u8]) -> Vec<(&'a ExchangeRow, u8)> {
    let timed = gathered.exchanges.iter().zip(flags.iter().copied()).filter(|(row, _)| row.sent_at_us.is_some());
    let mut rows: Vec<(&ExchangeRow, u8)> = timed.collect();
    rows.sort_by_key(|(row, flag)| {
        (!is_stuck(*flag), !is_late(*flag), std::cmp::Reverse(row.latency_us.unwrap_or(i64::MAX)), row.id)
    });
    rows.truncate(BARS);
    rows.sort_by_key(|(row, _)| row.id);
    rows
}

/// Label, method and tool of a request.
pub fn title(row: &ExchangeRow) -> String {
    let label = crate::report::label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer));
    let name = row.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    format!("{label} {}{name}", row.method)
}
