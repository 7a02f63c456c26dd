//! Folding: findings of one rule about one method and tool are one entry on a screen, with a count.

use std::collections::HashMap;

use super::message;
use crate::store::FindingRow;

/// How many further places are named.
const PLACES: usize = 12;

/// Findings that are alike: the first of them whole, the others by number and place.
pub struct Group {
    /// The first one.
    pub first: FindingRow,
    /// How many more.
    pub more: u64,
    /// Where the first few of these stand: `9`, or `b.jsonl:9` in another source.
    pub places: Vec<String>,
}

#[derive(PartialEq, Eq, Hash)]
struct GroupKey {
    code: String,
    severity: String,
    certainty: String,
    method: Option<String>,
    name: Option<String>,
}

impl GroupKey {
    fn of(finding: &FindingRow) -> GroupKey {
        let subject = subject(finding);
        GroupKey {
            code: finding.code.clone(),
            severity: finding.severity.clone(),
            certainty: finding.certainty.clone(),
            method: subject.and_then(|message| message.method.clone()),
            name: subject.and_then(message::name_of),
        }
    }
}

/// The message that a finding is about: its request, else the offending message.
pub fn subject(finding: &FindingRow) -> Option<&crate::store::MessageRow> {
    let request = finding.evidence.iter().find(|evidence| Some(evidence.message.id) == finding.exchange_id);
    let offending = || finding.evidence.iter().find(|evidence| evidence.message.id == finding.message_id);
    request.or_else(offending).map(|evidence| &evidence.message)
}

fn rank(severity: &str) -> u8 {
    match severity {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    }
}

/// Findings folded, in the order in which each kind came first.
#[derive(Default)]
pub struct Groups {
    index: HashMap<GroupKey, usize>,
    groups: Vec<Group>,
}

impl Groups {
    /// Takes a finding.
    pub fn add(&mut self, finding: &FindingRow) {
        let next = self.groups.len();
        let at = *self.index.entry(GroupKey::of(finding)).or_insert(next);
        match self.groups.get_mut(at) {
            None => self.groups.push(Group { first: finding.clone(), more: 0, places: Vec::new() }),
            Some(group) => {
                group.more += 1;
                if group.places.len() < PLACES {
                    let place = match finding.source == group.first.source {
                        true => finding.line.to_string(),
                        false => format!("{}:{}", finding.source, finding.line),
                    };
                    group.places.push(place);
                }
            }
        }
    }

    /// The groups of each rule together, in the order of the log: errors first, then warnings, then notes.
    pub fn into_clusters(self) -> Vec<Vec<Group>> {
        let mut clusters: Vec<Vec<Group>> = Vec::new();
        let mut index: HashMap<(String, String, String), usize> = HashMap::new();
        for group in self.groups {
            let FindingRow { code, severity, certainty, .. } = &group.first;
            let next = clusters.len();
            let at = *index.entry((code.clone(), severity.clone(), certainty.clone())).or_insert(next);
            match clusters.get_mut(at) {
                Some(cluster) => cluster.push(group),
                None => clusters.push(vec![group]),
            }
        }
        clusters.sort_by_key(|cluster| cluster.first().map_or(2, |group| rank(&group.first.severity)));
        clusters
    }
}
