//! The screen of a card: one line for each clause, the violations opened with proof, then the behaviour, then what can be done next.

use super::super::columns::{hang, labelled, pad, width};
use super::super::escape::escape;
use super::super::style::{Ink, Style};
use crate::conform::{Card, ClauseCard, PROBES, Speech, Timing, Verdict, rows};
use crate::number::duration;

/// The screen.
pub fn screen(card: &Card, style: &Style) -> String {
    let mut lines = within(&head(card), style);
    lines.push(String::new());
    let title = card.clauses.iter().map(|clause| width(clause.title)).max().unwrap_or(0);
    for clause in &card.clauses {
        lines.extend(clause_lines(clause, title, style));
    }
    if !card.behaviours.is_empty() {
        lines.push(String::new());
        lines.push(style.paint(Ink::Strong, " BEHAVIOUR"));
        let widest = card.behaviours.iter().map(|behaviour| width(behaviour.what)).max().unwrap_or(0);
        for behaviour in &card.behaviours {
            let after = behaviour.after_us.map_or(String::new(), |us| format!(", {} after it", duration(us)));
            let what = format!("   {}  ", pad(behaviour.what, widest));
            lines.extend(labelled(&what, &format!("{}{after}", escape(&behaviour.does)), style.columns()));
        }
    }
    lines.push(String::new());
    let told = card.notes.iter().map(|note| format!("note: {}", escape(note)));
    let stale =
        card.stale.iter().map(|id| format!("stale: the baseline knows {} as violated, and it is not", escape(id)));
    lines.extend(told.chain(stale).flat_map(|text| within(&text, style)));
    lines.extend(foot(card, style));
    for (index, command) in card.next.iter().take(2).enumerate() {
        let mark = if index == 0 { "NEXT" } else { "    " };
        lines.push(format!(" {}  {}", style.paint(Ink::Strong, mark), escape(command)));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A sentence as lines of the screen; what fits stays as it is.
fn within(text: &str, style: &Style) -> Vec<String> {
    let lines = match width(text) < style.columns() {
        true => vec![text.to_string()],
        false => hang(text, style.columns() - 1),
    };
    lines.into_iter().map(|line| format!(" {line}")).collect()
}

fn head(card: &Card) -> String {
    let slow = match (&card.server.slow, card.server.natural_us) {
        (Some(slow), Some(us)) => format!("   slow: {} ({})", escape(slow), duration(us)),
        (Some(slow), None) => format!("   slow: {}", escape(slow)),
        (None, _) if card.server.is_client => String::new(),
        (None, _) => "   no slow request".to_string(),
    };
    format!("{}   {}{slow}", escape(&card.server.title()), card.server.protocol)
}

fn clause_lines(clause: &ClauseCard, title: usize, style: &Style) -> Vec<String> {
    let word = match clause.verdict {
        Verdict::Violates if clause.known => "known".to_string(),
        Verdict::Violates if clause.binds() => "VIOLATES".to_string(),
        Verdict::Violates => "no".to_string(),
        other => other.as_str().to_string(),
    };
    let ink = match clause.verdict {
        Verdict::Violates if clause.fails() => Ink::Error,
        Verdict::Violates => Ink::Warning,
        Verdict::NotObserved | Verdict::NotApplicable => Ink::Faint,
        Verdict::Honoured => Ink::Note,
    };
    let fixed = format!("   {}  {:6}  ", pad(clause.title, title), clause.level);
    let same = clause.probes.iter().filter(|probe| probe.verdict == clause.verdict);
    let mut names: Vec<String> = Vec::new();
    for probe in same {
        // The forms of one probe are named together.
        let name = probe.probe.split_once("malformed-").map_or(probe.probe, |_| "malformed");
        let name = match (clause.verdict, probe.agree, probe.runs) {
            (Verdict::Violates, agree, runs) if agree < runs => format!("{name} ({agree} of {runs})"),
            _ => name.to_string(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names = if clause.probes.len() > 12 && names.len() > 6 { "all probes".to_string() } else { names.join(" ") };
    let detail = clause.decisive().map_or(String::new(), |probe| escape(&probe.detail).into_owned());
    let painted = style.paint(ink, &pad(&word, 12));
    let used = width(&fixed) + 14;
    let room = style.columns().saturating_sub(used).max(20);
    if clause.verdict != Verdict::Violates {
        let text = if detail.is_empty() { names } else { format!("{names}: {detail}") };
        return under(&format!("{fixed}{painted}  "), used, &text, room);
    }
    let mut lines = under(&format!("{fixed}{painted}  "), used, &names, room);
    lines.extend(opened(clause, style));
    lines
}

/// A text behind what stands before it, this many columns wide; its other lines begin where the first one does.
fn under(before: &str, used: usize, text: &str, room: usize) -> Vec<String> {
    let mut wrapped = hang(text, room).into_iter();
    let mut lines = vec![format!("{before}{}", wrapped.next().unwrap_or_default())];
    lines.extend(wrapped.map(|line| format!("{}{line}", " ".repeat(used))));
    lines
}

/// A violation, with its proof.
fn opened(clause: &ClauseCard, style: &Style) -> Vec<String> {
    let mut texts = Vec::new();
    for probe in clause.probes.iter().filter(|probe| probe.verdict == Verdict::Violates).take(3) {
        let basis = probe.basis.as_ref().map_or(String::new(), |basis| format!(" ({basis})"));
        let rule = probe.rule.as_ref().map_or(String::new(), |rule| format!("{rule} "));
        texts.push(format!("{}: {rule}{}{basis}", probe.probe, escape(&probe.detail)));
        if let Some(session) = &probe.session {
            let line = probe.line.map_or(String::new(), |line| format!(":{line}"));
            texts.push(format!("  in {}{line}", escape(session)));
        }
    }
    texts.extend(clause.quote.map(|quote| format!("{} \"{quote}\"", clause.level)));
    texts.extend(clause.url.map(str::to_string));
    let room = style.columns().saturating_sub(6).max(20);
    texts.iter().flat_map(|text| hang(text, room)).map(|line| format!("      {line}")).collect()
}

/// The verdict of the run, and the counts of each level: beside each other where there is room.
fn foot(card: &Card, style: &Style) -> Vec<String> {
    let level = |name: &str| {
        let tally = card.tally(name);
        format!("{name}: {} honoured, {} violated, {} not observed", tally.honoured, tally.violates, tally.not_observed)
    };
    let (word, ink) = match card.exit() {
        0 => ("PASS", Ink::Note),
        1 => ("FAIL", Ink::Error),
        _ => ("NOTHING WAS OBSERVED", Ink::Warning),
    };
    let (must, should) = (level("MUST"), level("SHOULD"));
    let mark = style.paint(ink, word);
    match width(&format!(" {word}  {must}   {should}")) <= style.columns() {
        true => vec![format!(" {mark}  {must}   {should}")],
        false => vec![format!(" {mark}  {must}"), format!(" {}  {should}", " ".repeat(word.len()))],
    }
}

/// What would be sent, and what it decides; nothing is started for it.
pub fn list(speech: &Speech, timing: &Timing, style: &Style) -> String {
    let mut lines = vec![format!(" {}", speech.profile.label()), String::new()];
    for probe in PROBES {
        if probe.write(speech, timing).is_none() {
            lines.push(format!("   {}: not in this protocol", probe.name));
            continue;
        }
        let decides: Vec<&str> =
            rows(speech.profile).filter(|(row, _)| row.is_decided_by(probe.name)).map(|(row, _)| row.id).collect();
        lines.push(format!("   {}", style.paint(Ink::Strong, probe.name)));
        for text in [probe.about, probe.script, &format!("decides {}", decides.join(", "))] {
            lines.extend(labelled("      ", text, style.columns()));
        }
    }
    lines.push(String::new());
    lines.push(" CLAUSES".to_string());
    for (row, words) in rows(speech.profile) {
        let quote = words.map_or(String::new(), |clause| format!(" \"{}\"", clause.text));
        let text = format!("{}.{}  {}{quote}", speech.profile.name, row.id, row.level(words));
        lines.extend(hang(&text, style.columns() - 3).into_iter().map(|line| format!("   {line}")));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
