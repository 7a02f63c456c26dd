//! What makes two findings the same fault: a hash that survives a new capture of the same session.
//!
//! It covers the rule, the protocol, who issued the request, its method and tool, and what is wrong (the kind, method
//! and error code of the offending message). It covers no id, time, line number, file name or revision, and nothing
//! that a judgement may change: severity and certainty depend on the latency of the day. Several findings of one
//! capture may have one fingerprint; [`Repeats`] tells them apart by counting.

use std::collections::HashMap;

use crate::store::{FindingRow, MessageRow};

/// Bytes of the hash that are written: 16 hexadecimal digits are enough to tell apart what one team will ever see.
const BYTES: usize = 8;

/// The fingerprint of a finding, as hexadecimal text.
pub fn fingerprint(finding: &FindingRow) -> String {
    let protocol = finding.profile.split(' ').next().unwrap_or_default();
    let offending = offending(finding);
    // A rule about the capture stands at some message that has nothing to do with it.
    let subject = finding.exchange_id.is_some() || offending.is_some();
    let of = |field: &Option<String>| field.clone().filter(|_| subject);
    let code = offending.and_then(|message| message.error_code).map(|code| code.to_string());
    let parts = [
        Some(finding.code.clone()),
        Some(protocol.to_string()),
        of(&finding.issuer),
        of(&finding.method),
        of(&finding.name),
        offending.map(|message| message.kind.clone()),
        offending.and_then(|message| message.sender.clone()),
        offending.and_then(|message| message.method.clone()),
        code,
    ];
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        match part {
            // The length keeps `ab`, `c` and `a`, `bc` apart.
            Some(part) => hasher.update(&(part.len() as u64 + 1).to_le_bytes()).update(part.as_bytes()),
            None => hasher.update(&0_u64.to_le_bytes()),
        };
    }
    hasher.finalize().as_bytes()[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The message that is wrong, where a message is: what was never sent is reported at the end of the log.
fn offending(finding: &FindingRow) -> Option<&MessageRow> {
    let mut proof = finding.evidence.iter().filter(|evidence| evidence.role != "end");
    proof.find(|evidence| evidence.message.id == finding.message_id).map(|evidence| &evidence.message)
}

/// Counts findings with the same fingerprint.
#[derive(Debug, Default)]
pub struct Repeats {
    seen: HashMap<String, u64>,
}

impl Repeats {
    /// How often this fingerprint has been seen, this time included: 1 for the first.
    pub fn count(&mut self, fingerprint: &str) -> u64 {
        if let Some(count) = self.seen.get_mut(fingerprint) {
            *count += 1;
            return *count;
        }
        self.seen.insert(fingerprint.to_string(), 1);
        1
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::late;
    use super::*;

    #[test]
    fn ids_times_lines_and_files_do_not_matter() {
        let one = late(6, "search");
        let mut other = late(900, "search");
        other.source = "elsewhere/b.jsonl".into();
        other.connection = "b/4".into();
        other.severity = "note".into();
        other.certainty = "race".into();
        other.profile = "mcp 2025-06-18".into();
        other.summary = "result for #77 tools/call search after it was cancelled 12 ms later".into();
        other.message_id = 41;
        other.evidence[2].message.id = 41;
        for evidence in &mut other.evidence {
            evidence.message.rpc_id = Some("77".into());
            evidence.message.at_us = None;
            evidence.message.bytes = 4;
        }
        assert_eq!(fingerprint(&one), fingerprint(&other));
        assert_eq!(fingerprint(&one).len(), 2 * BYTES);
    }

    #[test]
    fn rule_issuer_method_tool_and_what_is_wrong_matter() {
        let one = fingerprint(&late(6, "search"));
        let changes: [fn(&mut FindingRow); 6] = [
            |row| row.code = "CAN012".into(),
            |row| row.profile = "lsp 3.17".into(),
            |row| row.issuer = Some("server".into()),
            |row| row.method = Some("tools/list".into()),
            |row| row.name = None,
            |row| row.evidence[2].message.error_code = Some(-32000),
        ];
        for change in changes {
            let mut row = late(6, "search");
            change(&mut row);
            assert_ne!(one, fingerprint(&row));
        }
    }

    #[test]
    fn repeats_are_counted() {
        let mut repeats = Repeats::default();
        assert_eq!(["a", "a", "b", "a"].map(|name| repeats.count(name)), [1, 2, 1, 3]);
    }
}
