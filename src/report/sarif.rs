//! `--report sarif=FILE`: SARIF 2.1.0 for code scanning. One run; every rule that ran is declared, fired or not; no
//! results when clean, which is what closes old alerts.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use serde::Serialize;

use super::catalogue;
use super::escape::{escape, json, uri};
use super::fingerprint::{Repeats, fingerprint};
use super::kinds::{Context, rank, sentence};
use super::number::count;
use super::page::opening;
use super::silence::BASELINE;
use super::{Report, Silence, Summary};
use crate::name::raw_name;
use crate::protocol::profiles;
use crate::rules::Rule;
use crate::store::{EvidenceRow, FindingRow};

/// GitHub shows 5,000 results of a run and rejects more than 25,000.
const MOST: usize = 5_000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const TRUNCATED: &str = "report-truncated";

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
struct Run {
    tool: Tool,
    #[serde(rename = "columnKind")]
    column_kind: &'static str,
    results: Vec<Outcome>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    #[serde(rename = "semanticVersion")]
    version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
struct Descriptor {
    id: &'static str,
    name: &'static str,
    #[serde(rename = "shortDescription")]
    short: Text,
    #[serde(rename = "fullDescription")]
    full: Text,
    help: Text,
    #[serde(rename = "helpUri", skip_serializing_if = "Option::is_none")]
    link: Option<&'static str>,
    #[serde(rename = "defaultConfiguration")]
    configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

/// A result. (The name `Result` is taken.)
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<&'static str, String>,
}

/// The exchange in the order of the log.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow {
    thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
struct ThreadFlow {
    locations: Vec<FlowStep>,
}

#[derive(Serialize)]
struct FlowStep {
    location: Location,
}

/// Why a result does not count.
#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

/// The format.
pub struct Sarif {
    context: Context,
    names: HashMap<String, String>,
    rules: Vec<&'static Rule>,
    repeats: Repeats,
    /// Errors, warnings and notes, each cut at the limit.
    results: [Vec<Outcome>; 3],
    seen: u64,
}

impl Sarif {
    /// The format.
    pub fn new(context: &Context) -> Sarif {
        let rules = context.rules().collect();
        let (context, names) = (context.clone(), context.connection_names());
        Sarif { context, names, rules, repeats: Repeats::default(), results: Default::default(), seen: 0 }
    }

    fn location(&self, source: &str, line: u64) -> Location {
        let uri = uri(&raw_name(&self.context.path(source)));
        let region = Region { start_line: line.max(1) };
        Location {
            id: None,
            physical_location: Physical { artifact_location: Artifact { uri }, region },
            message: None,
        }
    }

    fn result(&mut self, finding: &FindingRow, silence: Option<&Silence>) -> Outcome {
        let print = fingerprint(finding);
        let repeat = self.repeats.count(&print);
        let others = finding.evidence.iter().filter(|evidence| evidence.message.id != finding.message_id);
        let related = others.enumerate().map(|(index, evidence)| Location {
            id: Some(index),
            message: Some(Text { text: text(&evidence.role) }),
            ..self.location(&evidence.message.source, evidence.message.line)
        });
        let baseline_state = self.context.baseline.then(|| match silence {
            Some(silence) if silence.by == BASELINE => "unchanged",
            _ => "new",
        });
        let mut properties = BTreeMap::from([
            ("certainty", finding.certainty.clone()),
            ("profile", finding.profile.clone()),
            ("connection", escape(self.names.get(&finding.connection).unwrap_or(&finding.connection)).into_owned()),
        ]);
        properties.extend(finding.basis.clone().map(|basis| ("basis", basis)));
        Outcome {
            rule_id: finding.code.clone(),
            rule_index: self.rules.iter().position(|rule| rule.code == finding.code),
            level: self.level(finding),
            message: Text { text: text(&sentence(finding)) },
            locations: vec![self.location(&finding.source, finding.line)],
            related_locations: related.collect(),
            code_flows: self.code_flow(finding).into_iter().collect(),
            baseline_state,
            partial_fingerprints: BTreeMap::from([("rpctapeFinding/v1", format!("{print}:{repeat}"))]),
            suppressions: silence.map(suppression).into_iter().collect(),
            properties,
        }
    }

    /// What fails the check is an error here too, and nothing else is, so that report and gate agree. Without a gate
    /// the severity stands.
    fn level(&self, finding: &FindingRow) -> &'static str {
        match (self.context.fail_on, self.context.fails(finding)) {
            (Some(_), true) => "error",
            (Some(_), false) if finding.severity == "error" => "warning",
            _ => level(&finding.severity),
        }
    }

    /// The messages that prove it, in the order of the log; one alone is no flow.
    fn code_flow(&self, finding: &FindingRow) -> Option<CodeFlow> {
        let mut messages: Vec<_> = finding.evidence.iter().collect();
        messages.sort_by_key(|evidence| evidence.message.id);
        let step = |evidence: &&EvidenceRow| {
            let message = &evidence.message;
            let sender = message.sender.as_deref().map_or(String::new(), |sender| format!(" by the {sender}"));
            let said = format!("{}{sender}", evidence.role);
            let location = self.location(&message.source, message.line);
            FlowStep { location: Location { message: Some(Text { text: text(&said) }), ..location } }
        };
        let locations: Vec<FlowStep> = messages.iter().map(step).collect();
        match locations.len() {
            0 | 1 => None,
            _ => Some(CodeFlow { thread_flows: [ThreadFlow { locations }] }),
        }
    }

    fn add(&mut self, finding: &FindingRow, silence: Option<&Silence>) {
        self.seen += 1;
        // Counted even where it is left out: the fingerprints of the others must not depend on the limit.
        let result = self.result(finding, silence);
        let same = &mut self.results[rank(&finding.severity)];
        if same.len() < MOST {
            same.push(result);
        }
    }

    fn truncated(&self, left_out: u64) -> Outcome {
        let said = format!(
            "{} findings were left out of this report, the least severe ones; rpctape check shows them all",
            count(left_out)
        );
        Outcome {
            rule_id: TRUNCATED.to_string(),
            rule_index: Some(self.rules.len()),
            level: "note",
            message: Text { text: said },
            locations: Vec::new(),
            related_locations: Vec::new(),
            code_flows: Vec::new(),
            baseline_state: None,
            partial_fingerprints: BTreeMap::new(),
            suppressions: Vec::new(),
            properties: BTreeMap::new(),
        }
    }
}

fn suppression(silence: &Silence) -> Suppression {
    Suppression { kind: "external", justification: escape(&silence.text()).into_owned() }
}

fn level(severity: &str) -> &'static str {
    ["error", "warning", "note"][rank(severity)]
}

/// Text of a message: brackets would be a link, braces a placeholder.
fn text(plain: &str) -> String {
    let mut safe = String::with_capacity(plain.len());
    for c in escape(plain).chars() {
        match c {
            '[' | ']' | '\\' => safe.extend(['\\', c]),
            '{' | '}' => safe.extend([c, c]),
            c => safe.push(c),
        }
    }
    safe
}

fn descriptor(rule: &'static Rule) -> Descriptor {
    let clause = profiles().find_map(|profile| profile.clause(rule.code));
    let worst = catalogue::severities(rule);
    let help = format!(
        "{} {} See: rpctape explain {}",
        opening(rule.page, "Why it matters"),
        opening(rule.page, "What to do"),
        rule.name
    );
    Descriptor {
        id: rule.code,
        name: rule.name,
        short: Text { text: text(rule.summary) },
        full: Text { text: text(&opening(rule.page, "What it finds")) },
        help: Text { text: text(&help) },
        link: clause.map(|clause| clause.url),
        configuration: Configuration { level: level(worst.rsplit('-').next().unwrap_or("note")) },
    }
}

fn truncation() -> Descriptor {
    let said = || Text { text: "findings were left out of this report, because it would be too large".to_string() };
    Descriptor {
        id: TRUNCATED,
        name: TRUNCATED,
        short: said(),
        full: said(),
        help: Text { text: "Run rpctape check on the log, or select fewer rules.".to_string() },
        link: None,
        configuration: Configuration { level: "note" },
    }
}

impl Report for Sarif {
    fn finding(&mut self, _: &mut dyn Write, finding: &FindingRow) -> io::Result<()> {
        self.add(finding, None);
        Ok(())
    }

    fn silenced(&mut self, _: &mut dyn Write, finding: &FindingRow, silence: &Silence) -> io::Result<()> {
        self.add(finding, Some(silence));
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write, _: &Summary) -> io::Result<()> {
        let mut results: Vec<Outcome> = self.results.iter_mut().flat_map(std::mem::take).collect();
        results.truncate(MOST);
        let left_out = self.seen - results.len() as u64;
        if left_out > 0 {
            results.push(self.truncated(left_out));
        }
        let rules = self.rules.iter().map(|rule| descriptor(rule)).chain([truncation()]).collect();
        let driver = Driver { name: "rpctape", version: env!("CARGO_PKG_VERSION"), rules };
        let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
        writeln!(out, "{}", json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] })?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::late;
    use super::*;

    #[test]
    fn too_many_results_are_cut_worst_first_and_it_says_so() {
        let (mut out, mut report) = (Vec::new(), Sarif::new(&Context::default()));
        for n in 0..MOST as u64 + 7 {
            let mut row = late(10 + n, "search");
            row.severity = if n < 10 { "note" } else { "error" }.into();
            report.finding(&mut out, &row).expect("written");
        }
        report.finish(&mut out, &Summary::default()).expect("written");
        let log: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results.len(), MOST + 1);
        assert_eq!(results[0]["level"], "error");
        assert_eq!(results[MOST]["ruleId"], TRUNCATED);
        assert!(results[MOST]["message"]["text"].as_str().is_some_and(|text| text.starts_with("7 findings")));
        let prints: std::collections::BTreeSet<String> = results[..MOST]
            .iter()
            .map(|result| result["partialFingerprints"]["rpctapeFinding/v1"].to_string())
            .collect();
        assert_eq!(prints.len(), MOST, "each repeat has a fingerprint of its own");
    }

    #[test]
    fn what_does_not_count_says_why() {
        let (mut out, mut report) = (Vec::new(), Sarif::new(&Context::default()));
        report.silenced(&mut out, &late(6, "search"), &Silence::suppressed("vendor bug")).expect("written");
        report.finish(&mut out, &Summary::default()).expect("written");
        let log: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let expected = serde_json::json!([{"kind": "external", "justification": "suppressed: vendor bug"}]);
        assert_eq!(log["runs"][0]["results"][0]["suppressions"], expected);
    }

    #[test]
    fn messages_are_what_they_look_like() {
        assert_eq!(text("see [x](http://y) {0}\u{1b}"), "see \\[x\\](http://y) {{0}}\\\\x1b");
    }
}
