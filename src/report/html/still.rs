//! The part of the page that needs no script: what is printed, and what a reader sees first.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::core::{flags, is_late, is_stuck};
use super::escape::{Esc, fragment};
use super::gathered::{Gathered, Incident};
use super::picture::{self, title};
use super::traffic::Row;
use crate::number::duration;
use crate::report::number::{count, plural, size};
use crate::report::unseen::left_out;
use crate::report::{Summary, time};
use crate::store::FindingRow;

/// Findings of a group that are told one by one.
const TOLD: usize = 40;
/// Rows of stuck requests.
const STUCK: usize = 8;
/// Messages that stand in the page without a script.
const MESSAGES: usize = 60;
/// What of a message stands there, in characters.
const EXCERPT: usize = 240;
/// Rules that are named in the coverage.
const NAMED: usize = 40;

/// Everything that is told.
pub struct Told<'a> {
    pub gathered: &'a Gathered,
    pub findings: &'a [FindingRow],
    /// Findings that did not fit into the page.
    pub left_out: u64,
    pub summary: &'a Summary,
}

impl Told<'_> {
    /// The body of the page.
    pub fn body(&self) -> String {
        let mut html = String::new();
        // Writing into a string does not fail.
        let _ = self.write(&mut html);
        html
    }

    fn write(&self, html: &mut String) -> std::fmt::Result {
        let flags = flags(self.gathered, self.findings);
        self.head(html)?;
        html.push_str("<main id=\"main\">\n");
        self.strip(html, &flags)?;
        html.push_str("<div class=\"two\">\n");
        self.hung(html, &flags)?;
        self.findings(html)?;
        html.push_str("</div>\n");
        self.timeline(html, &flags)?;
        self.messages(html)?;
        self.coverage(html)?;
        html.push_str(
            "</main>\n<aside id=\"drawer\" tabindex=\"-1\" aria-labelledby=\"drawer-title\" hidden></aside>\n",
        );
        Ok(())
    }

    fn head(&self, html: &mut String) -> std::fmt::Result {
        let (gathered, summary) = (self.gathered, self.summary);
        let mut spoken: Vec<String> = Vec::new();
        for row in &gathered.connections {
            let label = format!("{} {}", row.protocol, row.revision).trim_end().to_string();
            if !spoken.contains(&label) {
                spoken.push(label);
            }
        }
        let more = spoken.len().saturating_sub(3);
        spoken.truncate(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let first = gathered.connections.iter().filter_map(|row| row.first_at_us).min();
        let last = gathered.connections.iter().filter_map(|row| row.last_at_us).max();
        let span = first.zip(last).map_or("no times".to_string(), |(first, last)| time::span(first, last));
        writeln!(html, "<a class=\"skip\" href=\"#messages\">Skip to the messages</a>")?;
        writeln!(
            html,
            "<header><h1><span class=\"brand\">rpctape</span> <span class=\"log\">{}</span></h1>",
            Esc(&gathered.title)
        )?;
        writeln!(
            html,
            "<p class=\"facts\">{}{more} · {} · {} · {} · {} · {}</p>",
            Esc(&spoken.join(", ")),
            plural(summary.connections, "connection"),
            plural(summary.messages, "message"),
            plural(summary.requests, "request"),
            plural(summary.cancels, "cancel"),
            Esc(&span)
        )?;
        html.push_str("<button type=\"button\" id=\"theme\" class=\"live\">dark / light</button></header>\n");
        Ok(())
    }

    /// Verdict and coverage, in one strip.
    fn strip(&self, html: &mut String, flags: &[u8]) -> std::fmt::Result {
        let counts = &self.summary.counts;
        let class = match (counts.error, counts.warning) {
            (0, 0) => "good",
            (0, _) => "warn",
            _ => "bad",
        };
        writeln!(
            html,
            "<section class=\"strip {class}\" aria-label=\"Verdict\">\n<h2>{}</h2>\n<ul>",
            verdict(self.summary)
        )?;
        let hung = flags.iter().filter(|flag| is_stuck(**flag)).count();
        let late = flags.iter().filter(|flag| is_late(**flag)).count();
        item(html, "never answered", hung, "is:stuck")?;
        item(html, "went on after a cancel", late, "is:late")?;
        item(html, "not decidable", counts.undecidable as usize, "")?;
        item(html, "races (nobody to blame)", counts.race as usize, "")?;
        let unread: u64 = self.summary.skipped.iter().map(|skipped| skipped.lines).sum();
        item(html, "lines not read", unread as usize, "")?;
        if self.summary.lost > 0 {
            item(html, "messages lost, at least", self.summary.lost as usize, "")?;
        }
        html.push_str("</ul>\n</section>\n");
        Ok(())
    }

    fn hung(&self, html: &mut String, flags: &[u8]) -> std::fmt::Result {
        html.push_str("<section id=\"hung\" aria-labelledby=\"hung-title\">\n<h2 id=\"hung-title\">What hung</h2>\n");
        let names = self.gathered.names();
        let places: HashMap<i64, usize> =
            self.gathered.exchanges.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        let name = |id: &i64| places.get(id).map(|at| names[*at].as_str());
        let mut lead = "most likely";
        for incident in &self.gathered.incidents {
            for pattern in incident.told.patterns.iter().take(3) {
                let key = self.key(&incident.told.connection);
                writeln!(html, "<p class=\"told\"><b>{lead}</b> {} {key}</p>", Esc(&pattern.text))?;
                lead = "also";
            }
        }
        let stuck: usize = self.gathered.incidents.iter().map(|incident| incident.told.stuck.len()).sum();
        if stuck > 0 {
            html.push_str("<table class=\"stuck\"><thead><tr><th scope=\"col\">request</th><th scope=\"col\">connection</th><th scope=\"col\" class=\"n\">open for</th><th scope=\"col\">last sign of life</th><th scope=\"col\" class=\"n\">line</th></tr></thead><tbody>\n");
            let all = self
                .gathered
                .incidents
                .iter()
                .flat_map(|one| one.stuck.iter().zip(&one.told.stuck).map(move |row| (one, row)));
            for (incident, (id, row)) in all.take(STUCK) {
                self.stuck_row(html, incident, (name(id), row))?;
            }
            html.push_str("</tbody></table>\n");
        }
        let hung = flags.iter().filter(|flag| is_stuck(**flag)).count();
        if hung > STUCK.min(stuck) && hung > 0 {
            writeln!(html, "<p><a class=\"live\" href=\"#filter-is%3Astuck\">all {}</a></p>", count(hung as u64))?;
        }
        if self.gathered.more_incidents > 0 {
            let more = plural(self.gathered.more_incidents as u64, "more connection");
            writeln!(html, "<p class=\"key\">{more} in trouble: <code>rpctape why</code> tells of each.</p>")?;
        }
        if hung == 0 {
            self.quiet(html)?;
        }
        html.push_str("</section>\n");
        Ok(())
    }

    /// The connection, where there are several.
    fn key(&self, key: &str) -> String {
        match self.gathered.connections.len() {
            0 | 1 => String::new(),
            _ => format!("<span class=\"key\">{}</span>", Esc(self.gathered.short(key))),
        }
    }

    fn stuck_row(
        &self,
        html: &mut String,
        incident: &Incident,
        (name, row): (Option<&str>, &crate::report::why::Stuck),
    ) -> std::fmt::Result {
        let title = match &row.name {
            Some(tool) => format!("{} {} {tool}", row.request, row.method),
            None => format!("{} {}", row.request, row.method),
        };
        let link = name.map_or(String::new(), |name| format!(" href=\"#request-{}\"", fragment(name)));
        writeln!(
            html,
            "<tr><td><a{link}>{}</a></td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>",
            Esc(&title),
            self.key(&incident.told.connection),
            row.age_us.map_or("-".to_string(), duration),
            Esc(row.last_life.as_deref().unwrap_or("none")),
            row.line
        )
    }

    /// Nothing is stuck: what is open, and the slowest.
    fn quiet(&self, html: &mut String) -> std::fmt::Result {
        let open = self.gathered.exchanges.iter().filter(|row| row.outcome == "unanswered").count();
        match open {
            0 => html.push_str("<p>Every request that was due an answer has one.</p>\n"),
            open => writeln!(
                html,
                "<p>{} without an answer; nothing says that it hung.</p>",
                plural(open as u64, "request")
            )?,
        }
        let mut slow: Vec<(i64, usize)> =
            self.gathered.exchanges.iter().enumerate().filter_map(|(at, row)| Some((row.latency_us?, at))).collect();
        slow.sort_by_key(|(took, at)| (std::cmp::Reverse(*took), *at));
        if slow.is_empty() {
            return Ok(());
        }
        let names = self.gathered.names();
        html.push_str("<table class=\"stuck\"><thead><tr><th scope=\"col\">slowest</th><th scope=\"col\">connection</th><th scope=\"col\" class=\"n\">took</th><th scope=\"col\" class=\"n\">line</th></tr></thead><tbody>\n");
        for (took, at) in slow.into_iter().take(5) {
            let row = &self.gathered.exchanges[at];
            writeln!(
                html,
                "<tr><td><a href=\"#request-{}\">{}</a></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
                fragment(&names[at]),
                Esc(&title(row)),
                self.key(&row.connection),
                duration(took),
                row.line
            )?;
        }
        html.push_str("</tbody></table>\n");
        Ok(())
    }

    /// Findings, those of a rule together, the worst first.
    fn findings(&self, html: &mut String) -> std::fmt::Result {
        html.push_str(
            "<section id=\"findings\" aria-labelledby=\"findings-title\">\n<h2 id=\"findings-title\">Findings</h2>\n",
        );
        if self.findings.is_empty() {
            html.push_str("<p>None.</p>\n");
        }
        let mut groups: BTreeMap<(usize, &str, &str), Vec<usize>> = BTreeMap::new();
        for (nth, row) in self.findings.iter().enumerate() {
            let rank = crate::report::kinds::rank(&row.severity);
            groups.entry((rank, &row.code, &row.certainty)).or_default().push(nth);
        }
        let texts: HashMap<i64, &Row> = self.gathered.rows.iter().map(|row| (row.id, row)).collect();
        for ((.., certainty), group) in &groups {
            self.group(html, certainty, group, &texts)?;
        }
        if self.left_out > 0 {
            writeln!(html, "<p>and {}, which this page has no room for</p>", plural(self.left_out, "more finding"))?;
        }
        html.push_str("</section>\n");
        Ok(())
    }

    fn group(
        &self,
        html: &mut String,
        certainty: &str,
        group: &[usize],
        texts: &HashMap<i64, &Row>,
    ) -> std::fmt::Result {
        let first = &self.findings[group[0]];
        let sure = if certainty == "violation" {
            String::new()
        } else {
            format!(" <span class=\"sure\">{}</span>", Esc(certainty))
        };
        writeln!(
            html,
            "<details class=\"rule {}\"><summary><span class=\"severity\">{}</span> <b>{}</b> <span class=\"key\">{}</span> <span class=\"times\">{}×</span>{sure}</summary>",
            Esc(&first.severity),
            Esc(&first.severity),
            Esc(&first.rule),
            Esc(&first.code),
            count(group.len() as u64)
        )?;
        if let Some(clause) = &first.clause {
            let link = if clause.url.starts_with("https://") {
                format!(" <a rel=\"noreferrer noopener\" href=\"{}\">the clause</a>", Esc(&clause.url))
            } else {
                String::new()
            };
            writeln!(html, "<blockquote>{} <b>{}</b>{link}</blockquote>", Esc(&clause.text), Esc(&clause.level))?;
        }
        html.push_str("<ol>\n");
        for nth in group.iter().take(TOLD) {
            self.finding(html, *nth, texts)?;
        }
        html.push_str("</ol>\n");
        if group.len() > TOLD {
            let more = plural((group.len() - TOLD) as u64, "more");
            writeln!(
                html,
                "<p><a class=\"live\" href=\"#filter-rule%3A{}\">and {more}</a></p>",
                fragment(&first.code)
            )?;
        }
        html.push_str("</details>\n");
        Ok(())
    }

    fn finding(&self, html: &mut String, nth: usize, texts: &HashMap<i64, &Row>) -> std::fmt::Result {
        let row = &self.findings[nth];
        write!(
            html,
            "<li id=\"finding-{0}\"><a href=\"#finding-{0}\">{1}</a> ",
            nth + 1,
            Esc(&self.gathered.place(&row.source, row.line))
        )?;
        writeln!(html, "{} {}", Esc(&row.summary), self.key(&row.connection))?;
        html.push_str("<ul class=\"proof\">");
        for evidence in row.evidence.iter().take(12) {
            let message = &evidence.message;
            let text = texts.get(&message.id).map_or("", |row| row.text.as_str());
            let cut = text.char_indices().nth(EXCERPT).map_or(text.len(), |(at, _)| at);
            let more = if cut < text.len() { "…" } else { "" };
            let head = format!("{}, {}", evidence.role, self.gathered.place(&message.source, message.line));
            writeln!(
                html,
                "<li><span class=\"key\">{}</span> <code>{}{more}</code></li>",
                Esc(&head),
                Esc(&text[..cut])
            )?;
        }
        html.push_str("</ul></li>\n");
        Ok(())
    }

    fn timeline(&self, html: &mut String, flags: &[u8]) -> std::fmt::Result {
        html.push_str("<section id=\"timeline\" aria-labelledby=\"timeline-title\">\n<h2 id=\"timeline-title\">Timeline</h2>\n<div class=\"live\" id=\"line\"></div>\n<div class=\"still\">\n");
        picture::write(html, self.gathered, flags)?;
        html.push_str("</div>\n</section>\n");
        Ok(())
    }

    fn messages(&self, html: &mut String) -> std::fmt::Result {
        html.push_str("<section id=\"messages\" aria-labelledby=\"messages-title\">\n<h2 id=\"messages-title\">Messages</h2>\n<div class=\"live\" id=\"table\"></div>\n<div class=\"still\">\n<table><thead><tr><th scope=\"col\" class=\"n\">line</th><th scope=\"col\">time</th><th scope=\"col\">way</th><th scope=\"col\">id</th><th scope=\"col\">message</th><th scope=\"col\">text</th></tr></thead><tbody>\n");
        for row in self.gathered.rows.iter().take(MESSAGES) {
            let word = |number: u32| Esc(self.gathered.strings.get(number as usize).map_or("", String::as_str));
            let what = if row.method > 0 { row.method } else { row.kind };
            let cut = row.text.char_indices().nth(EXCERPT).map_or(row.text.len(), |(at, _)| at);
            let way = ["c→s", "s→c", "?"][usize::from(row.by.min(2))];
            let at = row.at_us.map_or(String::new(), time::clock);
            writeln!(
                html,
                "<tr><td class=\"n\">{}</td><td>{at}</td><td>{way}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
                row.line,
                word(row.label),
                word(what),
                Esc(&row.text[..cut])
            )?;
        }
        html.push_str("</tbody></table>\n");
        let more = self.gathered.rows.len().saturating_sub(MESSAGES);
        if more > 0 {
            writeln!(html, "<p>and {}, which are listed where scripts run</p>", plural(more as u64, "more row"))?;
        }
        html.push_str("</div>\n</section>\n");
        Ok(())
    }

    /// What was not looked at, and what this page leaves out.
    fn coverage(&self, html: &mut String) -> std::fmt::Result {
        html.push_str("<section id=\"coverage\" aria-labelledby=\"coverage-title\">\n<h2 id=\"coverage-title\">What this rests on</h2>\n<ul>\n");
        let (summary, gathered) = (self.summary, self.gathered);
        for skipped in &summary.skipped {
            let text = format!(
                "{}: {} not read, from line {}: {}",
                skipped.source,
                plural(skipped.lines, "line"),
                skipped.first,
                skipped.why
            );
            writeln!(html, "<li>{}</li>", Esc(&text))?;
        }
        for unread in &summary.unread {
            writeln!(html, "<li>{}</li>", Esc(&unread.told()))?;
        }
        for file in &summary.files {
            writeln!(html, "<li>{}</li>", Esc(&format!("{} was passed over: {}", file.source, file.why)))?;
        }
        for rules in left_out(summary) {
            writeln!(html, "<li>not run: {}</li>", Esc(&rules))?;
        }
        let midway = gathered.connections.iter().filter(|row| !row.complete_head).count() as u64;
        if midway > 0 {
            writeln!(
                html,
                "<li>{} not proven to be seen from the first message on</li>",
                plural(midway, "connection")
            )?;
        }
        let endless = gathered.connections.iter().filter(|row| !row.complete_tail).count() as u64;
        if endless > 0 {
            writeln!(html, "<li>{} whose end the log does not show</li>", plural(endless, "connection"))?;
        }
        if !summary.undecidable.is_empty() {
            let rule = |row: &crate::report::Undecidable| {
                format!("{} {} ({}; {})", row.code, row.rule, row.lacks.join(", "), plural(row.events, "event"))
            };
            let rules: Vec<String> = summary.undecidable.iter().take(NAMED).map(rule).collect();
            let told = format!(
                "{} not decidable in some place: {}",
                plural(summary.undecidable.len() as u64, "rule"),
                rules.join("; ")
            );
            writeln!(html, "<li>{}</li>", Esc(&told))?;
        }
        if summary.suppressed + summary.baselined > 0 {
            writeln!(
                html,
                "<li>{} suppressed, {} known from the baseline: not counted</li>",
                count(summary.suppressed),
                count(summary.baselined)
            )?;
        }
        let shown = gathered.rows.len();
        if shown < gathered.total {
            writeln!(
                html,
                "<li>{} of {} messages and events are in this page: those that prove something, and then the first</li>",
                count(shown as u64),
                count(gathered.total as u64)
            )?;
        }
        if gathered.cut > 0 {
            writeln!(
                html,
                "<li>{} cut to keep the page small; <code>rpctape show --raw</code> prints them whole</li>",
                plural(gathered.cut, "text")
            )?;
        }
        html.push_str(if gathered.redacted {
            "<li>what looks like a secret was replaced (best effort)</li>\n"
        } else {
            "<li>texts stand as they were captured: secrets in them are not replaced</li>\n"
        });
        let bytes: u64 = gathered.rows.iter().map(|row| row.bytes).sum();
        writeln!(
            html,
            "<li>{} of traffic; exit status {} (fails on: {})</li>",
            size(bytes),
            summary.exit,
            Esc(summary.fail_on)
        )?;
        html.push_str("</ul>\n</section>\n");
        Ok(())
    }
}

/// `2 errors, 1 warning`, or what else is to be said first.
fn verdict(summary: &Summary) -> String {
    let counts = &summary.counts;
    if summary.messages == 0 {
        return "nothing was checked: no message was found".to_string();
    }
    let parts = [(counts.error, "error"), (counts.warning, "warning"), (counts.note, "note")];
    let told: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| plural(*n, word)).collect();
    let told = if told.is_empty() { "no violation found".to_string() } else { told.join(", ") };
    let not_run: String = left_out(summary).iter().map(|rules| format!("; not run: {rules}")).collect();
    told + &not_run
}

fn item(html: &mut String, words: &str, number: usize, filter: &str) -> std::fmt::Result {
    let number = count(number as u64);
    match filter {
        "" => writeln!(html, "<li>{words} <b>{number}</b></li>"),
        filter => writeln!(html, "<li><a href=\"#filter-{}\">{words} <b>{number}</b></a></li>", fragment(filter)),
    }
}
