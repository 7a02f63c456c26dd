//! An error code from a reserved range that the protocol does not define, forbids, or asks new implementations not to use.
//!
//! Left alone: -32099 to -32000 where the protocol itself does not reserve them, since JSON-RPC leaves them to
//! implementations; and all outside -32768 to -32000, so also the codes of LSP and ACP around -32800.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::Severity;
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found, race_text};
use crate::session::{Event, Judgement, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "RPC017",
    name: "reserved-error-code",
    summary: "an error code is reserved and not defined",
    on: On::Answer,
    duty: Duty::either(Occasions::ERRORS),
    needs: Proof::DIRECTION.and(Proof::ERROR_CODE),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/reserved-error-code.md"),
    check,
};

/// Codes of earlier revisions of MCP: resource not found, URL elicitation required.
const EARLIER: [i64; 2] = [-32042, -32002];

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Answer { exchange, message, revision_unshown, .. } = event.what else { return None };
    let code = message.error_code()?;
    let profile = event.profile;
    if profile.codes.contains(&code) {
        return None;
    }
    let within = |ranges: &[(i64, i64)]| ranges.iter().any(|(from, to)| (*from..=*to).contains(&code));
    // JSON-RPC binds whoever answers.
    let bound = !revision_unshown || code < -32099;
    let judgement = Judgement::exact_if(bound, "nothing shows that the server speaks this revision");
    let doubt = race_text(&judgement);
    let text = |fault: &str| format!("error {code} for {} {}: {fault}{doubt}", exchange.label(), exchange.title());
    let label = profile.label();
    let finding = if within(profile.forbidden_codes) {
        let case = if EARLIER.contains(&code) { "RPC017/earlier" } else { RULE.code };
        super::found_as(RULE.code, case, event, text(&format!("{label} forbids this code")))?
    } else if within(profile.discouraged_codes) {
        let text = text(&format!("{label} asks new implementations not to use this code"));
        super::found_as(RULE.code, "RPC017/discouraged", event, text)?
    } else if (-32768..=-32100).contains(&code) {
        let finding = found(RULE.code, event, text("JSON-RPC reserves this code for future use"))?;
        // Where a protocol has forbidden codes of its own, its ruling is about those.
        let clause = finding.clause.filter(|_| profile.forbidden_codes.is_empty());
        Finding { severity: Severity::Note, clause, ..finding }
    } else {
        return None;
    };
    Some(finding.about(exchange).with("response", event.seen).judged(&judgement))
}
