//! What a replay would do, before it does it: the plan, what each message waits for, and values that seem to flow.

use std::fmt::Write as _;

use rpctape::redact::Redactor;
use rpctape::replay::options::FlowRule;
use rpctape::replay::plan::{Action, ConnectionPlan, Plan, Step};
use rpctape::replay::recording::{Connection, Recording};
use rpctape::report::{escape, hang, labelled, middle, pad, plural, shell, width};

use super::span;

/// The plan without the secrets in its names. They are replaced before the names are escaped: an escaped line break hides what
/// stands on the lines of a name.
pub fn redacted(plan: &Plan, redactor: &mut Redactor) -> Plan {
    let mut plan = plan.clone();
    for connection in &mut plan.connections {
        let labels = connection.steps.iter_mut().flat_map(|step| step.left_out.iter_mut().chain([&mut step.label]));
        labels.chain(&mut connection.allow).for_each(|word| *word = redactor.text(word).into_owned());
    }
    plan
}

/// The plan on one screen: order, times, what is refused, and the flags that would let it through. `name` is what the recording
/// is called, `whom` whom it would be played against.
pub fn plan(recording: &Recording, plan: &Plan, (name, whom): (&str, &str), pace: &str, columns: usize) -> String {
    let mut text = String::new();
    let head = format!("{}   ->   {whom}   {pace}", middle(&escape(name), columns / 2));
    let lines = if width(&head) < columns { vec![head] } else { hang(&head, columns - 1) };
    lines.iter().for_each(|line| text.push_str(&format!(" {line}\n")));
    text.push_str(" DRY RUN: nothing is started, nothing is sent\n\n");
    for (connection, steps) in recording.connections.iter().zip(&plan.connections) {
        connection_head(&mut text, recording, plan, connection, steps);
        let columns_of = |step: &Step| width(&shown(&step.label));
        let longest = steps.steps.iter().map(columns_of).max().unwrap_or(0).min(48.min(columns / 2));
        for (at, step) in steps.steps.iter().enumerate() {
            let when = steps.estimate.sent_us.get(at).copied().flatten();
            let when = when.map_or_else(|| "-".to_string(), |us| format!("+{}", span(us)));
            let said = match &step.left_out {
                Some(why) => format!("not sent: {}", escape(why)),
                None => "would be sent".to_string(),
            };
            let label = format!("   {}  {when:>9}  ", pad(&middle(&shown(&step.label), longest), longest));
            labelled(&label, &said, columns).iter().for_each(|line| text.push_str(&format!("{line}\n")));
        }
        waits(&mut text, steps);
        text.push('\n');
    }
    foot(&mut text, recording, plan);
    text
}

fn connection_head(
    text: &mut String,
    recording: &Recording,
    plan: &Plan,
    connection: &Connection,
    steps: &ConnectionPlan,
) {
    if recording.connections.len() < 2 {
        let _ = writeln!(text, " {}", connection.profile.label());
        return;
    }
    let opens = match steps.opens_after {
        Some((other, event)) => {
            let before =
                plan.connections.get(other).and_then(|plan| plan.steps.iter().rev().find(|step| step.event <= event));
            let label = before.map_or_else(|| "what came before".to_string(), |step| shown(&step.label));
            format!(", opened after {label} of {}", escape(&recording.connections[other].key))
        }
        None => String::new(),
    };
    let _ = writeln!(text, " {} ({}{opens})", escape(&connection.key), connection.profile.label());
}

fn waits(text: &mut String, plan: &ConnectionPlan) {
    let about = |wait: Option<(usize, i64)>| {
        wait.and_then(|(at, us)| Some(format!("{} before {}", span(us), shown(&plan.steps.get(at)?.label))))
    };
    let estimate = &plan.estimate;
    let list = [
        about(estimate.first_wait).map(|wait| format!("first wait {wait}")),
        about(estimate.longest_wait).map(|wait| format!("longest {wait}")),
        Some(format!("about {} in all", span(estimate.total_us))),
    ];
    for line in list.into_iter().flatten() {
        let _ = writeln!(text, "   {line}");
    }
}

fn foot(text: &mut String, recording: &Recording, plan: &Plan) {
    let (mut sent, mut left) = (0u64, 0u64);
    for step in plan.connections.iter().flat_map(|plan| &plan.steps) {
        let requests = step.opens.len() as u64;
        if step.left_out.is_some() { left += requests } else { sent += requests }
    }
    let _ = writeln!(text, " would send {}; {left} would not be sent", plural(sent, "request"));
    let mut allow: Vec<&String> = plan.connections.iter().flat_map(|plan| &plan.allow).collect();
    allow.sort_unstable();
    allow.dedup();
    if !allow.is_empty() {
        text.push_str(" to let through what policy refuses, add what you want sent:\n");
        for pattern in allow {
            let _ = writeln!(text, "   {}", self::allow(pattern));
        }
    }
    if let Some(why) = plan.vain() {
        let _ = writeln!(text, " nothing of {} would be checked: {why}", escape(&recording.name));
    }
}

/// The flag that lets requests of a pattern through, as a shell takes it.
pub fn allow(pattern: &str) -> String {
    // What begins with a dash would be taken for a flag.
    let joint = if pattern.starts_with('-') { "=" } else { " " };
    format!("--allow{joint}{}", shell::quoted(pattern))
}

/// For each message, what it waits for.
pub fn schedule(recording: &Recording, plan: &Plan, columns: usize) -> String {
    let mut text = String::new();
    for (connection, steps) in recording.connections.iter().zip(&plan.connections) {
        connection_head(&mut text, recording, plan, connection, steps);
        for step in &steps.steps {
            let place = format!("   line {:<6} ", step.line);
            let label = middle(&shown(&step.label), columns.saturating_sub(width(&place)));
            let _ = writeln!(text, "{place}{label}");
            let said = labelled(&" ".repeat(15), &explained(connection, step), columns);
            said.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        }
        text.push('\n');
    }
    text
}

fn explained(connection: &Connection, step: &Step) -> String {
    if let Some(why) = &step.left_out {
        return format!("not sent: {}", escape(why));
    }
    let label =
        |at: &usize| connection.exchanges.get(*at).map_or_else(String::new, |exchange| shown(&exchange.label()));
    let mut list = Vec::new();
    match &step.action {
        Action::Cancel(cancel) => {
            let target = cancel.targets.first().map(label).unwrap_or_default();
            let anchor = match cancel.nth {
                0 => format!("the request {target}"),
                nth => {
                    format!("progress {nth} of {target}, at the latest {} after it was asked", span(cancel.deadline_us))
                }
            };
            list.push(format!("{} after {anchor}", span(cancel.delay_us)));
        }
        Action::Answer(exchange) => list.push(format!("the request {} of the server", label(exchange))),
        Action::Send | Action::OpenStream | Action::CloseStream(_) | Action::EndSession => {}
    }
    if !step.after.is_empty() {
        let labels: Vec<String> = step.after.iter().map(label).collect();
        list.push(format!("the answer to {}", labels.join(", ")));
    }
    if let Some(longest) = step.soft.iter().map(|soft| soft.wait_us).max() {
        list.push(format!(
            "{} of the server, at most {}",
            plural(step.soft.len() as u64, "other message"),
            span(longest)
        ));
    }
    if step.think_us > 0 && !matches!(step.action, Action::Cancel(_)) {
        list.push(format!("{} of recorded pause", span(step.think_us)));
    }
    match list.is_empty() {
        true => "waits for nothing but the message before it".to_string(),
        false => format!("waits for {}", list.join("; then ")),
    }
}

/// Rules for the configuration, where values seem to flow.
pub fn suggestions(rules: &[FlowRule]) -> String {
    if rules.is_empty() {
        return "# no value of an answer seems to flow into a later request,\n# beside what is carried anyway\n"
            .to_string();
    }
    let mut text = String::from(
        "# values that stand in an answer first and in a later request then: keep what is meant to flow\n",
    );
    for rule in rules {
        let quoted = |method: &str, at: &str| toml_string(&format!("{method} {at}"));
        let (from, to) = (quoted(&rule.from, &rule.from_at), quoted(&rule.to, &rule.to_at));
        let _ = write!(text, "[[replay.flow]]\nfrom = {from}\nto = {to}\n");
    }
    text
}

/// A TOML string, in which nothing of a log acts on a terminal.
pub fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || !c.is_ascii() => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn shown(label: &str) -> String {
    escape(label).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_word_of_a_shell() {
        assert_eq!(allow("tools/call"), "--allow 'tools/call'");
        assert_eq!(allow("-m"), "--allow='-m'");
        assert_eq!(allow("tools/call:a b's"), r"--allow 'tools/call:a b'\''s'");
        assert_eq!(allow("a\tb"), r#"--allow "$(printf 'a\011b')""#);
    }

    #[test]
    fn suggestions_are_toml() {
        let rule = FlowRule {
            from: "create \"x\"\u{1b}".into(),
            from_at: "/result/id".into(),
            to: "get".into(),
            to_at: "/params/arguments/id".into(),
        };
        let text = suggestions(&[rule]);
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(table["replay"]["flow"][0]["from"].as_str(), Some("create \"x\"\u{1b} /result/id"));
        assert!(!text.contains('\u{1b}'));
    }
}
