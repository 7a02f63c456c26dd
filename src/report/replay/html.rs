//! A run as one page of HTML: its verdict, and every exchange with the recorded time above the live one. It has no script.

use std::fmt::Write;
use std::io;

use super::super::html::{Esc, Page, write_page};
use super::super::number::plural;
use super::rows;
use crate::replay::verdict::{Difference, ExchangeReport, RunReport};

/// Exchanges of a run that are listed; those that fail come first.
const MOST: usize = 5_000;
/// Differences of an exchange that are listed.
const DIFFERENCES: usize = 40;
/// The longest value, in characters.
const VALUE: usize = 400;
/// The width of the longest bar, in pixels.
const BAR: i64 = 216;

/// The page of one run, or of several.
pub fn html(runs: &[RunReport]) -> io::Result<String> {
    let title = match runs {
        [one] => one.recording.rsplit('/').next().unwrap_or("a recording").to_string(),
        all => plural(all.len() as u64, "recording"),
    };
    let mut body = String::from("<main id=\"main\">\n");
    // Writing into a string does not fail.
    let _ = runs.iter().try_for_each(|run| one(&mut body, run));
    body.push_str("</main>\n");
    let mut out = Vec::new();
    write_page(&mut out, &Page { title: &title, body, data: Vec::new(), at: None })?;
    String::from_utf8(out).map_err(io::Error::other)
}

fn one(html: &mut String, run: &RunReport) -> std::fmt::Result {
    let class = match run.outcome() {
        "pass" => "good",
        "inconclusive" => "warn",
        _ => "bad",
    };
    let told = rows::told(run, |verdict| verdict.as_str().to_string());
    let (recording, target) = (Esc(&run.recording), Esc(&run.target));
    writeln!(html, "<h1><span class=\"brand\">rpctape</span> <span class=\"log\">{recording}</span></h1>")?;
    writeln!(html, "<p class=\"key\">against {target} {}</p>", Esc(&run.speed))?;
    writeln!(
        html,
        "<section class=\"strip {class}\" aria-label=\"Verdict\">\n<h2>{}</h2>",
        run.outcome().to_uppercase()
    )?;
    writeln!(html, "<ul><li>{}</li>", Esc(run.failure.as_deref().unwrap_or(&told)))?;
    if let Some(cancels) = rows::cancels(run) {
        writeln!(html, "<li>{}</li>", Esc(&cancels))?;
    }
    html.push_str("</ul>\n</section>\n");
    if !run.notes.is_empty() {
        let notes = run.notes.iter().map(|note| format!("<li>{}</li>\n", Esc(note)));
        writeln!(html, "<ul>\n{}</ul>", notes.collect::<String>())?;
    }
    exchanges(html, run)
}

fn exchanges(html: &mut String, run: &RunReport) -> std::fmt::Result {
    if run.exchanges.is_empty() {
        return Ok(());
    }
    let longest = run.exchanges.iter().flat_map(|entry| [entry.recorded.latency_us, entry.live.latency_us]);
    let longest = longest.flatten().max().unwrap_or(1).max(1);
    html.push_str(
        "<table class=\"verdicts\"><thead><tr><th scope=\"col\">#</th><th scope=\"col\">request</th><th scope=\"col\">verdict</th>\
         <th scope=\"col\">recorded above live</th><th scope=\"col\">why</th></tr></thead><tbody>\n",
    );
    let mut order: Vec<&ExchangeReport> = run.exchanges.iter().collect();
    order.sort_by_key(|entry| !entry.fails);
    for entry in order.iter().take(MOST) {
        let class = if entry.fails { " class=\"fails\"" } else { "" };
        let (label, request) = (rows::label(run, entry), rows::request(entry));
        write!(html, "<tr{class}><td>{}</td><td>{}</td><td>", Esc(&label), Esc(&request))?;
        write!(html, "<b>{}</b></td><td>", Esc(&rows::word(entry)))?;
        times(html, entry, longest)?;
        write!(html, "</td><td>{}", Esc(&rows::detail(entry)))?;
        differences(html, entry)?;
        html.push_str("</td></tr>\n");
    }
    html.push_str("</tbody></table>\n");
    match order.len().checked_sub(MOST).filter(|more| *more > 0) {
        Some(more) => writeln!(html, "<p>and {}</p>", plural(more as u64, "more exchange")),
        None => Ok(()),
    }
}

/// Two bars, one above the other, and the same in words.
fn times(html: &mut String, entry: &ExchangeReport, longest: i64) -> std::fmt::Result {
    let words = [rows::recorded_time(entry), rows::live_time(entry)];
    let told = format!("recorded {}, live {}", words[0], words[1]);
    let bar = |us: Option<i64>| us.map_or(0, |us| (us.clamp(0, longest).saturating_mul(BAR) / longest).max(2));
    let live = if entry.fails { "stuck" } else { "well" };
    write!(html, "<svg viewBox=\"0 0 220 18\" role=\"img\" aria-label=\"{}\">", Esc(&told))?;
    write!(html, "<rect class=\"well\" x=\"0\" y=\"1\" width=\"{}\" height=\"6\"/>", bar(entry.recorded.latency_us))?;
    write!(
        html,
        "<rect class=\"{live}\" x=\"0\" y=\"10\" width=\"{}\" height=\"6\"/></svg>",
        bar(entry.live.latency_us)
    )?;
    write!(html, "<br>{}, {}", Esc(&words[0]), Esc(&words[1]))
}

fn differences(html: &mut String, entry: &ExchangeReport) -> std::fmt::Result {
    let count = entry.diff.len() as u64 + entry.more_diff;
    if count == 0 {
        return Ok(());
    }
    let open = if entry.fails { " open" } else { "" };
    write!(html, "<details{open}><summary>{}</summary><ul class=\"proof\">", plural(count, "difference"))?;
    for diff in entry.diff.iter().take(DIFFERENCES) {
        difference(html, diff)?;
    }
    html.push_str("</ul></details>");
    Ok(())
}

fn difference(html: &mut String, diff: &Difference) -> std::fmt::Result {
    let value = |value: &Option<String>| match value {
        None => "<i>nothing</i>".to_string(),
        Some(text) => {
            let cut = text.char_indices().nth(VALUE).map_or(text.len(), |(at, _)| at);
            format!("<code>{}{}</code>", Esc(&text[..cut]), if cut < text.len() { "…" } else { "" })
        }
    };
    let mark = if diff.harmless { " (harmless)" } else { "" };
    write!(html, "<li><span class=\"key\">{}{mark}</span> ", Esc(&diff.at))?;
    write!(html, "{} → {}</li>", value(&diff.recorded), value(&diff.live))
}
